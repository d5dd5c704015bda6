//! A store with counts of what is asked of it: scanners that are opened (ranges, and jumps of skip scans), the regions that they
//! visit, the rows that the store reads for them, and rows asked for by their keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey_store::{
    Admin, Get, Operation, Outcome, Region, RegionCounts, RowBatch, RowStore, Scan, Scanner, Store,
    StoreError, TableDescriptor, TableName, TruncateSplits,
};

pub(crate) struct Counting<S> {
    pub(crate) store: S,
    tally: Arc<Tally>,
}

#[derive(Default)]
struct Tally {
    scanners: AtomicU64,
    regions: AtomicU64,
    rows: AtomicU64,
    gets: AtomicU64,
}

/// What was asked of a store.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Requests {
    /// Scanners opened.
    pub(crate) scanners: u64,
    /// Regions that they visited, if the store counts.
    pub(crate) regions: u64,
    /// Rows that the store read for them, if it counts; those that it left out and those read ahead included.
    pub(crate) rows: u64,
    /// Rows asked for by their keys.
    pub(crate) gets: u64,
}

impl<S> Counting<S> {
    pub(crate) fn new(store: S) -> Self {
        Self { store, tally: Arc::default() }
    }

    /// What was asked since the last call; scanners that are still open are not in it.
    pub(crate) fn take(&self) -> Requests {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        let Tally { scanners, regions, rows, gets } = &*self.tally;
        Requests { scanners: take(scanners), regions: take(regions), rows: take(rows), gets: take(gets) }
    }
}

/// A scanner that is counted when it is closed.
struct Counted {
    scanner: Box<dyn Scanner>,
    tally: Arc<Tally>,
}

impl Scanner for Counted {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        self.scanner.next_batch(batch)
    }

    fn set_batch_rows(&mut self, rows: usize) {
        self.scanner.set_batch_rows(rows);
    }

    fn counts(&self) -> Vec<RegionCounts> {
        self.scanner.counts()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        for counts in self.scanner.counts() {
            self.tally.regions.fetch_add(1, Ordering::Relaxed);
            self.tally.rows.fetch_add(counts.read, Ordering::Relaxed);
        }
    }
}

impl<S: Store> RowStore for Counting<S> {
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.tally.scanners.fetch_add(scans.len() as u64, Ordering::Relaxed);
        let counted =
            |scanner| Box::new(Counted { scanner, tally: Arc::clone(&self.tally) }) as Box<dyn Scanner>;
        Ok(self.store.scan_many(table, scans)?.into_iter().map(counted).collect())
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
        self.tally.gets.fetch_add(1, Ordering::Relaxed);
        self.store.get(table, get, into)
    }

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        self.tally.gets.fetch_add(gets.len() as u64, Ordering::Relaxed);
        self.store.get_many(table, gets, into)
    }

    fn gets_are_quick(&self) -> bool {
        self.store.gets_are_quick()
    }

    fn reads_ahead(&self) -> bool {
        self.store.reads_ahead()
    }

    fn write_time(&self) -> Option<i64> {
        self.store.write_time()
    }

    fn advance_write_time(&self, time: i64) {
        self.store.advance_write_time(time);
    }
}

impl<S: Store> Admin for Counting<S> {
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

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.store.regions(table)
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
