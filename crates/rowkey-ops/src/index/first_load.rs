//! Writes entries during a first load, where rows and entries cannot be committed together.
//!
//! No plan uses index tables before they are right. So they are not *ready* while a large file is loaded into
//! an empty table: rows and entries are put at the same time, without a look at what is there, to all tables at once. In the
//! end the tables are compared, what other writers have made wrong meanwhile is mended by the steps ([`super::repair()`]), and the index
//! tables are ready again.
//!
//! A load that is killed leaves index tables that are not ready; loading again, or `index build`, makes them so.

use rowkey_core::Table;
use rowkey_store::{RowBatch, Store, StoreError, TableName, in_parallel};

use super::entry::{KeyRecords, MARK, Shape, mark_family, named_shapes};
use super::error::IndexError;
use super::stamp::{Mark, Stamp, State, nonce};
use super::verify::CompareOptions;
use super::{repair, tables};
use crate::create::OpenTable;

/// Writers at work are left alone as `rowkey index repair` leaves them, in milliseconds.
const MIN_AGE: i64 = 60_000;

/// A load into tables whose index tables are not ready.
pub(crate) struct FirstLoad<'a> {
    store: &'a dyn Store,
    table: &'a Table,
    open: &'a OpenTable,
    indexes: Vec<(TableName, Shape<'a>)>,
    records: KeyRecords<'a>,
}

impl<'a> FirstLoad<'a> {
    /// Takes the index tables out of use. The table has no rows, or no index table is ready.
    pub(crate) fn begin(
        store: &'a dyn Store,
        table: &'a Table,
        open: &'a OpenTable,
    ) -> Result<Self, StoreError> {
        let indexes = named_shapes(table, open);
        let records = KeyRecords::new(table, indexes.iter().map(|(_, shape)| shape));
        indexes.iter().try_for_each(|(name, _)| tables::set_building(store, name))?;
        Ok(Self { store, table, open, indexes, records })
    }

    /// Puts rows and their entries, to all tables at the same time.
    pub(crate) fn put(&self, rows: &RowBatch) -> Result<(), IndexError> {
        let (mut data, mut values) = (RowBatch::new(), RowBatch::new());
        let mut entries: Vec<RowBatch> = self.indexes.iter().map(|_| RowBatch::new()).collect();
        let family = mark_family(self.table);
        for row in rows.rows() {
            let time = row.newest().unwrap_or(0);
            let stamp = Stamp { at: time, cells: time, nonce: nonce() };
            data.begin_row(row.key());
            values.clear();
            values.begin_row(row.key());
            for cell in row.cells().filter(|cell| (cell.family, cell.qualifier) != (family, MARK)) {
                data.push_cell(cell);
                if !cell.kind.is_marker() {
                    values.push_cell(cell);
                }
            }
            data.cell(family, MARK, time, &stamp.bytes());
            let Some(row) = values.row(0) else { continue };
            let record = self.records.read(row)?;
            for ((_, shape), entries) in self.indexes.iter().zip(&mut entries) {
                let key = shape.entry(row.key(), &record)?;
                shape.write(&key, Mark { state: State::Verified, stamp }, Some(row), entries);
            }
        }
        let names = std::iter::once(&self.open.name).chain(self.indexes.iter().map(|(name, _)| name));
        let puts: Vec<(&TableName, &RowBatch)> = names.zip(std::iter::once(&data).chain(&entries)).collect();
        in_parallel(&puts, puts.len(), |_, (name, batch)| self.store.put_batch(name, batch))?;
        Ok(())
    }

    /// Makes right what is not, and lets reads take the index tables.
    pub(crate) fn finish(&self) -> Result<(), IndexError> {
        let chosen: Vec<usize> = (0..self.indexes.len()).collect();
        let options = CompareOptions { first: 0, min_age: MIN_AGE };
        repair(self.store, self.table, self.open, &chosen, options, &mut |_| {})?;
        self.indexes.iter().try_for_each(|(name, _)| tables::set_ready(self.store, name))?;
        Ok(())
    }
}
