//! Observers: callbacks before and after every change of a row.
//!
//! HBase's `RegionObserver`, as far as changes go: an index, a log or a check beside the table.

use rowkey_store::{Mutation, TableName};

/// Hears of every change of a row. The calls come from the threads that write, with no lock held, so an observer may
/// write to other tables; of changes of one row at the same time it may hear in any order.
pub trait Observer: Send + Sync {
    /// Before a change is made; an error refuses it, and is the cause that the writer is told. A put of many rows
    /// is refused whole.
    ///
    /// # Errors
    /// Whatever speaks against the change.
    fn before(
        &self,
        table: &TableName,
        mutation: &Mutation,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// After a change was made and is as durable as asked for. A check that did not hold made no change.
    fn after(&self, table: &TableName, mutation: &Mutation);
}
