//! Snapshots.

use crate::TableName;

/// The rows of a table as they were at one time, under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name, which no other snapshot of the store has.
    pub name: String,
    /// The table that it was taken of.
    pub table: TableName,
    /// When it was taken, in milliseconds since 1970.
    pub created: i64,
    /// How long it is kept; `None` for ever.
    pub ttl_seconds: Option<u64>,
}

/// How a snapshot is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Leaves out what is only in memory.
    pub skip_flush: bool,
    /// How long it is kept; `None` as long as the store is set to, which is for ever by default.
    pub ttl_seconds: Option<u64>,
    /// The size in bytes at which regions of tables that are made of it are split; `None` as the table has it.
    pub max_file_size: Option<u64>,
}
