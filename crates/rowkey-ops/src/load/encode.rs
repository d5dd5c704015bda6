//! How do columns of records become rows, on every core?
//!
//! **Law** (`tests/loads.rs`, `all_cores_write_what_one_would`): the rows are those that [`RowWriter`] makes of the same
//! records, one by one.
//!
//! [`RowWriter`]: crate::record::RowWriter

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::column;
use rowkey_core::table::Column as TableColumn;
use rowkey_core::{Table, Value};
use rowkey_store::RowBatch;

use crate::input::{BatchWork, LeftOut};
use crate::record::delete_column;

/// A thread that turns columns of records into rows.
pub(super) struct RowEncoder<'t> {
    table: &'t Table,
    encoder: BatchEncoder<'t>,
    keys: KeyBatch,
    bytes: Vec<u8>,
    cell_time: i64,
    left_out: LeftOut,
}

impl<'t> RowEncoder<'t> {
    pub(super) fn new(table: &'t Table, cell_time: i64) -> Self {
        let encoder = BatchEncoder::new(&table.key);
        Self {
            table,
            encoder,
            keys: KeyBatch::new(),
            bytes: Vec::new(),
            cell_time,
            left_out: LeftOut::default(),
        }
    }
}

impl BatchWork for RowEncoder<'_> {
    type Made = RowBatch;

    fn leaves_out(&mut self, left_out: &LeftOut) {
        self.left_out.clone_from(left_out);
    }

    /// `None` if there is anything wrong with a record: record by record it will be found.
    fn batch(&mut self, columns: &[Column<'_>]) -> Option<RowBatch> {
        self.encoder.encode(columns, &mut self.keys).ok()?;
        let Table { families, cell_time, key, .. } = self.table;
        let mut rows = RowBatch::new();
        for (at, bytes) in self.keys.iter().enumerate() {
            rows.begin_row(bytes);
            let time = match cell_time.and_then(|field| columns.get(field.0)).map(|column| column.value(at)) {
                Some(Value::Time(millis)) => millis,
                _ => self.cell_time,
            };
            let mut empty = true;
            for TableColumn { family, qualifier, field } in self.table.stored_columns() {
                let value = columns.get(field.0)?.value(at);
                if value == Value::Null {
                    if !self.left_out.has(at, *field) {
                        delete_column(&mut rows, family, qualifier, time);
                    }
                    continue;
                }
                self.bytes.clear();
                column::encode(&value, key.fields().get(*field).ty, &mut self.bytes).ok()?;
                rows.cell(family.as_bytes(), qualifier.as_bytes(), time, &self.bytes);
                empty = false;
            }
            if empty && let Some(family) = families.first() {
                rows.cell(family.name.as_bytes(), TableColumn::EMPTY_ROW_QUALIFIER.as_bytes(), time, &[]);
            }
        }
        Some(rows)
    }
}
