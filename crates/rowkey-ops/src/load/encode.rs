//! Encodes columns of records as rows, on every core.
//!
//! **Law** (`tests/loads.rs`, `all_cores_write_what_one_would`): the rows are those that [`RowWriter`] makes of the same
//! records, one by one.
//!
//! [`RowWriter`]: crate::record::RowWriter

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::{FieldId, Table};
use rowkey_store::RowBatch;

use crate::input::{BatchWork, LeftOut};
use crate::record::write_cells;

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
        let Self { table, bytes, cell_time, left_out, .. } = self;
        let mut rows = RowBatch::new();
        for (at, key) in self.keys.iter().enumerate() {
            rows.begin_row(key);
            let value =
                |field: FieldId| columns.get(field.0).map(|column| column.value(at)).unwrap_or_default();
            let takes_away = |field| !left_out.has(at, field);
            write_cells(table, *cell_time, value, takes_away, bytes, &mut rows).ok()?;
        }
        Some(rows)
    }
}
