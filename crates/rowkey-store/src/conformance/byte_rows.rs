//! Tables for cases about bytes: keys, cells and values that text cannot write.

use std::ops::Bound;

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;

use super::rows::{descriptor, keys};
use crate::{Columns, Direction, Get, RowBatch, Scan, Store, StoreError, TableDescriptor, TableName};

/// A table of a case's own, dropped at the end.
pub(crate) struct Table<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) name: TableName,
}

impl<'a> Table<'a> {
    pub(crate) fn create(store: &'a dyn Store, families: &[&str], splits: &[&str]) -> Self {
        Self::from(store, &descriptor(families), splits)
    }

    pub(crate) fn from(store: &'a dyn Store, table: &TableDescriptor, splits: &[&str]) -> Self {
        store.create_table(table, &keys(splits)).expect("the table is new and valid");
        Self { store, name: table.name.clone() }
    }

    /// Writes one cell a row, `d:q` = the row's key.
    pub(crate) fn put_rows(&self, rows: &[Vec<u8>]) {
        let mut batch = RowBatch::new();
        for row in rows {
            batch.begin_row(row);
            batch.cell(b"d", b"q", 1, row);
        }
        self.store.put_batch(&self.name, &batch).expect("the rows are valid");
    }

    pub(crate) fn put(&self, row: &[u8], cells: &[(&str, &str, i64, &str)]) -> Result<(), StoreError> {
        let mut batch = RowBatch::new();
        batch.begin_row(row);
        for (family, qualifier, timestamp, value) in cells {
            batch.cell(family.as_bytes(), qualifier.as_bytes(), *timestamp, value.as_bytes());
        }
        self.store.put_batch(&self.name, &batch)
    }

    pub(crate) fn get(&self, row: &[u8]) -> String {
        self.get_columns(row, Columns::All)
    }

    pub(crate) fn get_columns(&self, row: &[u8], columns: Columns) -> String {
        let mut batch = RowBatch::new();
        let get = Get { columns, ..Get::new(row) };
        let found = self.store.get(&self.name, &get, &mut batch).expect("a read of a good table works");
        assert_eq!(found, !batch.is_empty());
        format!("{batch:?}")
    }

    pub(crate) fn scan(&self, scan: &Scan) -> Vec<Vec<u8>> {
        let mut scanner = self.store.scan(&self.name, scan).expect("a scan of a good table opens");
        let mut batch = RowBatch::new();
        let mut found = Vec::new();
        while scanner.next_batch(&mut batch).expect("a scan of a good table goes on") {
            assert!(!batch.is_empty(), "a batch without rows would look like the end");
            found.extend(batch.rows().map(|row| row.key().to_vec()));
        }
        assert!(batch.is_empty(), "the batch after the last is empty");
        assert!(!scanner.next_batch(&mut batch).expect("the end stays the end"));
        found
    }

    pub(crate) fn scan_range(
        &self,
        start: Bound<&str>,
        end: Bound<&str>,
        direction: Direction,
    ) -> Vec<String> {
        let bytes = |bound: Bound<&str>| bound.map(|text| text.as_bytes().to_vec());
        let range = KeyRange { start: bytes(start), end: bytes(end) };
        let found = self.scan(&Scan { direction, ..Scan::new(range) });
        found.iter().map(|key| escape(key).to_string()).collect()
    }
}

impl Drop for Table<'_> {
    fn drop(&mut self) {
        // A case that drops its table itself, or fails on the way, is judged by its own assertions.
        let _ = self.store.drop_table(&self.name);
    }
}

/// A store may find out at the first batch that a scan cannot work.
pub(crate) fn first_batch(store: &dyn Store, table: &TableName, scan: &Scan) -> Result<RowBatch, StoreError> {
    let mut batch = RowBatch::new();
    store.scan(table, scan)?.next_batch(&mut batch)?;
    Ok(batch)
}
