//! Encodes a record as a row, and decodes a row into a record.
//!
//! Fields of the key come back from the key; the others have a cell each, in HBase's own layout. A null has no cell, or
//! where rows may be there already a delete marker for its column ([`RowWriter::deleting_nulls`]). A record without any
//! value writes an empty cell named `_`, so that its row exists. Columns that repeat a field of the key are written too, and compared
//! with the key when a row is read.

use std::cmp::Ordering;

use rowkey_core::column::{self, ColumnError};
use rowkey_core::disclosure::said;
use rowkey_core::escape::escape;
use rowkey_core::key::{DecodeError, Draws, EncodeError};
use rowkey_core::table::Column;
use rowkey_core::{FieldId, Table, Value};
use rowkey_store::{CellKind, CellView, LATEST_TIMESTAMP, RowBatch, RowView};

/// A row that does not belong to the table's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// Its key.
    #[error(transparent)]
    Key(#[from] DecodeError),
    /// One of its cells.
    #[error("row {}, column {column} (field `{field}`): {problem}", escape(row))]
    Cell {
        /// The row's key.
        row: Vec<u8>,
        /// Family and qualifier.
        column: String,
        /// The field's name.
        field: String,
        /// What is wrong.
        problem: ColumnError,
    },
    /// A column that repeats a field of the key, with another value.
    #[error(
        "row {}, column {column}: `{field}` is {} there, and {} in the key; one of them was written by another program, or the file's key is \
         not the table's",
        escape(row),
        said(in_column),
        said(in_key)
    )]
    Copy {
        /// The row's key.
        row: Vec<u8>,
        /// Family and qualifier.
        column: String,
        /// The field's name.
        field: String,
        /// What the key says.
        in_key: String,
        /// What the column says.
        in_column: String,
    },
}

/// Writes records as rows; keeps its buffers from one to the next.
#[derive(Debug)]
pub struct RowWriter<'t> {
    table: &'t Table,
    bytes: Vec<u8>,
    seed: u64,
    cell_time: i64,
    deletes_nulls: bool,
}

impl<'t> RowWriter<'t> {
    /// A writer for a table: cells get the time of their writing, random parts are drawn from seed 0.
    pub fn new(table: &'t Table) -> Self {
        Self { table, bytes: Vec::new(), seed: 0, cell_time: LATEST_TIMESTAMP, deletes_nulls: false }
    }

    /// The seed of random parts: the same seed and record number draw the same.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The timestamp of cells, unless the table says which field has it.
    #[must_use]
    pub fn cell_time(self, cell_time: i64) -> Self {
        Self { cell_time, ..self }
    }

    /// Writes a marker for each null, which takes away the value that the row may have there.
    #[must_use]
    pub fn deleting_nulls(self) -> Self {
        Self { deletes_nulls: true, ..self }
    }

    /// Adds the row of the record with this number to the batch. On an error the batch is as before.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn write(
        &mut self,
        number: u64,
        record: &[Value<'_>],
        batch: &mut RowBatch,
    ) -> Result<(), EncodeError> {
        self.write_leaving(number, record, &[], batch)
    }

    /// As [`RowWriter::write`], but the values of some fields, which are null in the record, are left as they are in the row.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn write_leaving(
        &mut self,
        number: u64,
        record: &[Value<'_>],
        left_out: &[FieldId],
        batch: &mut RowBatch,
    ) -> Result<(), EncodeError> {
        self.bytes.clear();
        self.table.key.encode_with(record, &mut Draws::new(self.seed, number), &mut self.bytes)?;
        batch.begin_row(&self.bytes);
        let written = write_cells(
            self.table,
            self.cell_time,
            |field| record.get(field.0).map(Value::borrowed).unwrap_or_default(),
            |field| self.deletes_nulls && !left_out.contains(&field),
            &mut self.bytes,
            batch,
        );
        if written.is_err() {
            batch.pop_row();
        }
        written
    }
}

/// Adds the cells of a record to the row begun last. `value` gives the value of each field, and `takes_away` says whether a null of it
/// takes away what the row has; `bytes` is working memory.
pub(crate) fn write_cells<'v>(
    table: &Table,
    cell_time: i64,
    value: impl Fn(FieldId) -> Value<'v>,
    takes_away: impl Fn(FieldId) -> bool,
    bytes: &mut Vec<u8>,
    batch: &mut RowBatch,
) -> Result<(), EncodeError> {
    let time = match table.cell_time.map(&value) {
        Some(Value::Time(millis)) => millis,
        _ => cell_time,
    };
    let mut empty = true;
    for Column { family, qualifier, field } in table.stored_columns() {
        let value = value(*field);
        if value == Value::Null {
            if takes_away(*field) {
                delete_column(batch, family, qualifier, time);
            }
            continue;
        }
        let declared = table.key.fields().get(*field);
        bytes.clear();
        column::encode(&value, declared.ty, bytes)
            .map_err(|problem| EncodeError::Value { field: declared.name.clone(), problem })?;
        batch.cell(family.as_bytes(), qualifier.as_bytes(), time, bytes);
        empty = false;
    }
    if empty && let Some(family) = table.families.first() {
        batch.cell(family.name.as_bytes(), Column::EMPTY_ROW_QUALIFIER.as_bytes(), time, &[]);
    }
    Ok(())
}

/// Adds a marker to the row begun last that takes away what the column has up to a time.
fn delete_column(batch: &mut RowBatch, family: &str, qualifier: &str, timestamp: i64) {
    let (family, qualifier) = (family.as_bytes(), qualifier.as_bytes());
    batch.push_cell(CellView { family, qualifier, timestamp, kind: CellKind::DeleteColumn, value: b"" });
}

/// Whether records of a table can have nulls that are kept in columns.
pub(crate) fn has_nullable_columns(table: &Table) -> bool {
    table.columns.iter().any(|column| table.key.fields().get(column.field).nullable)
}

/// The record of a row: one value for each field of the table.
///
/// # Errors
/// When the key or a cell was not written by this table's file.
pub fn read<'b>(table: &Table, row: RowView<'b>) -> Result<Vec<Value<'b>>, RowError> {
    let mut values = Vec::new();
    read_columns(table, &table.columns, row, &mut values)?;
    // A key that rounds a value says less than the copy, and cannot contradict it.
    for column in table.copies.iter().filter(|column| table.key.brings_back_exactly(column.field)) {
        let Some(copy) = cell(table, row, column)? else { continue };
        let value = values.get(column.field.0).unwrap_or(&Value::Null);
        if value.compare(&copy) != Some(Ordering::Equal) {
            return Err(RowError::Copy {
                row: row.key().to_vec(),
                column: column.label(),
                field: table.key.fields().get(column.field).name.clone(),
                in_key: value.to_string(),
                in_column: copy.to_string(),
            });
        }
    }
    Ok(values)
}

/// As [`read`], but of the columns only these are looked at, and the values go where the last ones were.
pub(crate) fn read_columns<'b, 'c>(
    table: &Table,
    columns: impl IntoIterator<Item = &'c Column>,
    row: RowView<'b>,
    values: &mut Vec<Value<'b>>,
) -> Result<(), RowError> {
    values.clear();
    table.key.decode_values(row.key(), values)?;
    for column in columns {
        let Some(value) = cell(table, row, column)? else { continue };
        if let Some(slot) = values.get_mut(column.field.0) {
            *slot = value;
        }
    }
    Ok(())
}

/// What a column of a row holds; `None` without a cell.
fn cell<'b>(table: &Table, row: RowView<'b>, column: &Column) -> Result<Option<Value<'b>>, RowError> {
    let bytes = row.value(column.family.as_bytes(), column.qualifier.as_bytes());
    let declared = table.key.fields().get(column.field);
    let value = bytes.map(|bytes| column::decode(bytes, declared.ty)).transpose();
    value.map_err(|problem| RowError::Cell {
        row: row.key().to_vec(),
        column: column.label(),
        field: declared.name.clone(),
        problem,
    })
}
