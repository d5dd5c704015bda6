//! Deletes the value of a null field by puts, whatever is interrupted.
//!
//! A null is a delete marker for its column. A marker hides every value up to its own time, also one that is written after it
//! at the same time, and all cells of a load have one time. So
//!
//! - rows with one key in one chunk are folded before they are put ([`crate::fold`]);
//! - the chunks behind one with markers are a millisecond later than it, which lets their values be seen;
//! - a load that goes on is a millisecond later than what was under way when it stopped, because its chunks may end
//!   elsewhere: it writes the last chunk again, with later cells that say the same.
//!
//! A load without nulls keeps its one time. With `cell_time` the data says the time. There a value after a null at an equal time
//! would not be seen, so the load stops; that costs a look at every row that has a value which may be null.
//!
//! **Law** (`tests/null_laws.rs`): the table is what a map becomes that takes the records one by one.

use rowkey_core::Table;
use rowkey_core::range::KeyRange;
use rowkey_store::{
    ALL_VERSIONS, CellKind, CellView, Get, RowBatch, RowView, Scan, Store, StoreError, TableName,
};

use super::error::LoadError;
use crate::fold::{Clash, Replaces, fold};
use crate::record::has_nullable_columns;

/// Puts the chunks of a load.
pub(crate) struct NullsWriter<'a> {
    store: &'a dyn Store,
    name: &'a TableName,
    table: &'a Table,
    /// The time that rows were encoded with.
    encoded: i64,
    nullable: bool,
}

impl<'a> NullsWriter<'a> {
    pub(crate) fn new(store: &'a dyn Store, name: &'a TableName, table: &'a Table, encoded: i64) -> Self {
        Self { store, name, table, encoded, nullable: has_nullable_columns(table) }
    }

    /// Puts the rows of a chunk at a time, by `put`; returns the time of the next.
    pub(crate) fn put(
        &self,
        rows: &mut RowBatch,
        time: i64,
        put: impl FnOnce(&RowBatch) -> Result<(), LoadError>,
    ) -> Result<i64, LoadError> {
        if !self.nullable {
            put(rows)?;
            return Ok(time);
        }
        if time != self.encoded {
            rows.restamp(self.encoded, time);
        }
        let has_markers = rows.has_markers();
        let refused = |clash| refused(self.table, clash);
        if has_markers
            && let Some(folded) = fold(rows, Replaces::SameTime { load_time: time }).map_err(refused)?
        {
            *rows = folded;
        }
        put(rows)?;
        if self.table.cell_time.is_some() {
            self.see(rows, time)?;
        }
        Ok(if has_markers { time.saturating_add(1) } else { time })
    }

    /// Looks whether the values that a marker may hide are there.
    fn see(&self, rows: &RowBatch, load_time: i64) -> Result<(), LoadError> {
        let is_value = |cell: &CellView<'_>| {
            let nullable = self.table.columns.iter().any(|column| {
                (column.family.as_bytes(), column.qualifier.as_bytes()) == (cell.family, cell.qualifier)
                    && self.table.key.fields().get(column.field).nullable
            });
            nullable && !cell.kind.is_marker() && cell.timestamp != load_time
        };
        let asked: Vec<RowView<'_>> =
            rows.rows().filter(|row| row.cells().any(|cell| is_value(&cell))).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let gets: Vec<Get> = asked.iter().map(|row| Get::new(row.key())).collect();
        let mut found = RowBatch::new();
        let there = self.store.get_many(self.name, &gets, &mut found)?;
        let mut found = found.rows();
        for (row, there) in asked.into_iter().zip(there) {
            let seen = if there { found.next() } else { None };
            for cell in row.cells().filter(is_value) {
                let newest = seen.and_then(|seen| {
                    let own = |other: &CellView<'_>| {
                        (other.family, other.qualifier) == (cell.family, cell.qualifier)
                    };
                    seen.cells().filter(own).map(|cell| cell.timestamp).max()
                });
                if newest.is_none_or(|newest| newest < cell.timestamp) && self.is_hidden(row.key(), &cell)? {
                    return Err(refused(self.table, Clash::new(row.key(), &cell)));
                }
            }
        }
        Ok(())
    }

    /// Whether a marker of a cell's own time hides it; one of a later time may.
    fn is_hidden(&self, row: &[u8], cell: &CellView<'_>) -> Result<bool, StoreError> {
        let scan = Scan { raw: true, versions: ALL_VERSIONS, ..Scan::new(KeyRange::point(row)) };
        let (mut scanner, mut batch) = (self.store.scan(self.name, &scan)?, RowBatch::new());
        while scanner.next_batch(&mut batch)? {
            let marks = |other: CellView<'_>| {
                (other.kind, other.timestamp) == (CellKind::DeleteColumn, cell.timestamp)
                    && (other.family, other.qualifier) == (cell.family, cell.qualifier)
            };
            if batch.rows().flat_map(|row| row.cells()).any(marks) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a load must look at the rows that are there: only puts do.
pub(super) fn needs_a_look(store: &dyn Store, name: &TableName, table: &Table) -> Result<bool, StoreError> {
    if table.cell_time.is_none() || !has_nullable_columns(table) {
        return Ok(false);
    }
    let scan = Scan { raw: true, limit: Some(1), ..Scan::new(KeyRange::all()) };
    store.scan(name, &scan)?.next_batch(&mut RowBatch::new())
}

/// The time of the cells of a load that goes on, after one with cells of `time`.
pub(super) fn later(table: &Table, time: i64) -> i64 {
    if has_nullable_columns(table) { time.saturating_add(1) } else { time }
}

pub(super) fn refused(table: &Table, clash: Clash) -> LoadError {
    let Clash { row, family, qualifier, time } = clash;
    let column = table.columns.iter().find(|column| {
        (column.family.as_bytes(), column.qualifier.as_bytes()) == (family.as_slice(), qualifier.as_slice())
    });
    let name = |field: rowkey_core::FieldId| table.key.fields().get(field).name.clone();
    LoadError::ValueAfterNull {
        row,
        field: column.map(|column| name(column.field)).unwrap_or_default(),
        time,
        time_field: table.cell_time.map(name).unwrap_or_default(),
    }
}
