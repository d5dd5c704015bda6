//! The embedded store with a count of the scanners that are opened: ranges, and jumps of skip scans.

use std::sync::atomic::{AtomicU64, Ordering};

use rowkey_embedded::EmbeddedStore;
use rowkey_store::{
    Get, Operation, Outcome, Region, RowBatch, Scan, Scanner, Store, StoreError, TableDescriptor, TableName,
    TruncateSplits,
};

pub(crate) struct Counting {
    pub(crate) store: EmbeddedStore,
    scanners: AtomicU64,
}

impl Counting {
    pub(crate) fn new(store: EmbeddedStore) -> Self {
        Self { store, scanners: AtomicU64::new(0) }
    }

    /// Scanners opened since the last call.
    pub(crate) fn take_scanners(&self) -> u64 {
        self.scanners.swap(0, Ordering::Relaxed)
    }
}

impl Store for Counting {
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.scanners.fetch_add(scans.len() as u64, Ordering::Relaxed);
        self.store.scan_many(table, scans)
    }

    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        self.store.create_table(table, splits)
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.store.describe(table)
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        self.store.list_tables()
    }

    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        self.store.alter_table(table)
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.drop_table(table)
    }

    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        self.store.truncate_table(table, splits)
    }

    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.enable_table(table)
    }

    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.disable_table(table)
    }

    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.store.is_enabled(table)
    }

    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        self.store.put_batch(table, rows)
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        self.store.batch(table, operations)
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        self.store.get(table, get, into)
    }

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        self.store.get_many(table, gets, into)
    }

    fn reads_ahead(&self) -> bool {
        self.store.reads_ahead()
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.store.regions(table)
    }

    fn write_time(&self) -> Option<i64> {
        self.store.write_time()
    }

    fn advance_write_time(&self, time: i64) {
        self.store.advance_write_time(time);
    }

    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        self.store.split_region(table, region, at)
    }

    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        self.store.merge_regions(table, regions)
    }

    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.flush(table)
    }

    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.major_compact(table)
    }
}
