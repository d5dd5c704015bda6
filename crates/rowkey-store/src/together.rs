//! Atomic changes of several tables.
//!
//! A table and its index tables belong together. A store whose commits reach over tables offers to change them so that no
//! read, and no crash, finds one changed and the other not ([`crate::RowStore::rewrite_rows`], [`crate::RowStore::replace_contents`]).
//! HBase cannot; there the writes have an order, and readers check (`docs/index-tables.md`).

use crate::{RowBatch, Scanner, StoreError, TableName};

/// What [`crate::RowStore::rewrite_rows`] asks: from the rows as they are, and for each that was asked for whether it is there, to the
/// rows of each table.
pub type Rewriting<'w> = dyn FnMut(&RowBatch, &[bool]) -> Option<Vec<RowBatch>> + 'w;

/// New contents of tables, invisible until [`Self::finish`]. Dropped before that, or with its process killed, it
/// leaves nothing behind.
pub trait Replacement: Send + Sync {
    /// Writes all rows that a table will have, sorted by their keys; returns how many. Tables may be written at the same time, each once.
    ///
    /// # Errors
    /// [`StoreError::UnsortedRows`], an error of `rows`, a row that breaks a rule, or a failure of the store.
    fn load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError>;

    /// Gives all tables their new contents; one that was not loaded is empty.
    ///
    /// # Errors
    /// [`StoreError::ChangedMeanwhile`] if one of the tables or of the watched ones was written to since the beginning, or a
    /// failure of the store. Everything is as it was then.
    fn finish(self: Box<Self>) -> Result<(), StoreError>;
}
