//! Why did a store refuse or fail?

use rowkey::escape::escape;

use crate::table::{MAX_ROW_LENGTH, TableName};

/// What every store can answer instead of a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The table does not exist.
    #[error("there is no table `{table}` in this store; create it first, or check --store")]
    TableNotFound {
        /// The table asked for.
        table: TableName,
    },

    /// A table of that name exists already.
    #[error("table `{table}` exists already; drop it first, or choose another name")]
    TableExists {
        /// The table to be created.
        table: TableName,
    },

    /// A column family that the table does not have.
    #[error("table `{table}` has no family `{family}`; it has {}", known.join(", "))]
    UnknownFamily {
        /// The table.
        table: TableName,
        /// The family asked for.
        family: String,
        /// The families it has.
        known: Vec<String>,
    },

    /// A table without any column family.
    #[error("table `{table}` needs at least one column family")]
    NoFamilies {
        /// The table to be created.
        table: TableName,
    },

    /// A row key that is empty or too long.
    #[error("a row key has 1 to {MAX_ROW_LENGTH} bytes, this one has {length}: {}", escape(start))]
    RowKeyLength {
        /// Its length.
        length: usize,
        /// Its first bytes.
        start: Vec<u8>,
    },

    /// A row without cells in a write.
    #[error("row {} has no cell to write; a row exists only through its cells", escape(row))]
    EmptyRow {
        /// The row's key.
        row: Vec<u8>,
    },

    /// A timestamp below zero.
    #[error("the timestamp {timestamp} of row {} is negative; HBase accepts 0 and above", escape(row))]
    NegativeTimestamp {
        /// The row's key.
        row: Vec<u8>,
        /// The timestamp.
        timestamp: i64,
    },

    /// The same split point twice.
    #[error("split point {} is given twice; every region needs a start of its own", escape(split))]
    DuplicateSplit {
        /// The split point.
        split: Vec<u8>,
    },

    /// An empty split point.
    #[error("an empty split point cannot start a region, because the first region starts there already")]
    EmptySplit,

    /// Whatever went wrong inside the store; the source tells.
    #[error("could not {attempted}")]
    Backend {
        /// What the store was doing, with its facts.
        attempted: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    /// An error of the engine or the network behind the store.
    pub fn backend(
        attempted: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Backend { attempted: attempted.into(), source: source.into() }
    }
}
