//! What must a store be able to do?

use crate::{Get, Region, RowBatch, Scan, StoreError, TableDescriptor, TableName};

/// A store of tables in HBase's data model.
///
/// All methods block and may be called from many threads at once. Methods of one call are whole or refused:
/// a request that breaks a rule (unknown family, row key too long) changes nothing.
pub trait Store: Send + Sync {
    /// Creates a table cut at `splits`: n split points make n + 1 regions. Split points may come unsorted, as in
    /// HBase; duplicates and empty ones are refused.
    ///
    /// # Errors
    /// [`StoreError::TableExists`], [`StoreError::NoFamilies`], [`StoreError::DuplicateSplit`],
    /// [`StoreError::EmptySplit`], or a failure of the store.
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError>;

    /// The table as it was created, attributes included.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError>;

    /// Removes a table with all its rows.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn drop_table(&self, table: &TableName) -> Result<(), StoreError>;

    /// Writes rows; when it returns they are durable. Each row is written whole or not at all; after a failure of
    /// the store some rows may be written and others not, and writing the batch again is safe.
    ///
    /// # Errors
    /// A row, family or timestamp that breaks a rule (nothing is written then), or a failure of the store.
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError>;

    /// Reads one row and adds it to the end of `into`; `false` if there is no such row.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store.
    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError>;

    /// Opens one scanner per scan, all at once, so that their first rows arrive together.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store.
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError>;

    /// Opens one scanner.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store.
    fn scan(&self, table: &TableName, scan: &Scan) -> Result<Box<dyn Scanner>, StoreError> {
        let mut scanners = self.scan_many(table, std::slice::from_ref(scan))?;
        Ok(scanners.pop().expect("scan_many opens one scanner per scan"))
    }

    /// The table's regions in key order, with their figures.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError>;
}

/// Rows of one scan, batch by batch. Dropping it ends the scan.
pub trait Scanner: Send {
    /// Clears `batch` and fills it with the next rows; `false`, and an empty batch, at the end.
    ///
    /// # Errors
    /// A failure of the store.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError>;
}
