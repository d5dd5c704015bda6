//! Why a store refused or failed.

use rowkey_core::disclosure::said;
use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;
use rowkey_core::remedy::Remedy;

use crate::CellKind;
use crate::family::FamilyProblem;
use crate::table::{MAX_ROW_LENGTH, TableName};

/// An error with its causes, in one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

/// What every store can answer instead of a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The table does not exist.
    #[error("there is no table `{table}` in this store; create it first, or check {}", Remedy::Store)]
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

    /// The table takes no reads and writes.
    #[error("table `{table}` is disabled; enable it first")]
    TableDisabled {
        /// The table that was read or written.
        table: TableName,
    },

    /// A table that is to be enabled is enabled already.
    #[error("table `{table}` is enabled already")]
    TableNotDisabled {
        /// The table to be enabled.
        table: TableName,
    },

    /// A table that is to be disabled is disabled already.
    #[error("table `{table}` is disabled already")]
    TableNotEnabled {
        /// The table to be disabled.
        table: TableName,
    },

    /// A column family that the table does not have.
    #[error("table `{table}` has no family `{family}`; it has {}", known.join(", "))]
    UnknownFamily {
        /// The table that was read or written.
        table: TableName,
        /// The family asked for.
        family: String,
        /// The families that the table has.
        known: Vec<String>,
    },

    /// A table without any column family.
    #[error("table `{table}` needs at least one column family")]
    NoFamilies {
        /// The table to be created.
        table: TableName,
    },

    /// A column family that cannot be.
    #[error("family `{family}` of table `{table}` {problem}")]
    InvalidFamily {
        /// The table to be created or altered.
        table: TableName,
        /// The family's name.
        family: String,
        /// What is wrong with it.
        problem: FamilyProblem,
    },

    /// A row key that is empty or too long.
    #[error("a row key has 1 to {MAX_ROW_LENGTH} bytes, this one has {length}: {}", escape(start))]
    RowKeyLength {
        /// Its length in bytes.
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

    /// Rows of a bulk load that are not in order.
    #[error(
        "row {} comes after row {} in a bulk load, whose rows are sorted by their keys; sort them first",
        escape(row),
        escape(before)
    )]
    UnsortedRows {
        /// The row's key.
        row: Vec<u8>,
        /// The key of the row before.
        before: Vec<u8>,
    },

    /// A table that was changed while it was loaded in bulk.
    #[error(
        "table `{table}` was written to or changed while it was loaded in bulk; nothing of the load was kept. Load again, \
         which will put the rows to those that are there now"
    )]
    ChangedMeanwhile {
        /// The table that was loaded.
        table: TableName,
    },

    /// A timestamp below zero.
    #[error("the timestamp {timestamp} of row {} is negative; HBase accepts 0 and above", escape(row), timestamp = said(timestamp))]
    NegativeTimestamp {
        /// The row's key.
        row: Vec<u8>,
        /// The timestamp, below 0.
        timestamp: i64,
    },

    /// A delete marker where values, and markers of whole columns, are to be written.
    #[error(
        "row {} holds a {kind} marker, and only values and DeleteColumn markers can be put; use a delete for it",
        escape(row)
    )]
    MarkerInPut {
        /// The row's key.
        row: Vec<u8>,
        /// The kind of the marker that cannot be put.
        kind: CellKind,
    },

    /// Changes of different rows where one row is changed at once.
    #[error(
        "a change of row {} stands among those of row {}; one row is changed at a time",
        escape(other),
        escape(row)
    )]
    OtherRow {
        /// The key of the row to be changed.
        row: Vec<u8>,
        /// The key of the row that one of the changes names.
        other: Vec<u8>,
    },

    /// An increment of a value that is no counter.
    #[error(
        "column {}:{} of row {} has a value of {length} bytes, and only a number of 8 bytes can be incremented",
        escape(family),
        escape(qualifier),
        escape(row)
    )]
    NotACounter {
        /// The row's key.
        row: Vec<u8>,
        /// The column's family.
        family: Vec<u8>,
        /// The column's qualifier.
        qualifier: Vec<u8>,
        /// The length of its value in bytes, other than 8.
        length: usize,
    },

    /// A time range that cannot be.
    #[error(
        "a time range starts at 0 or later and does not end before it starts; this one is {min} to {max}"
    )]
    InvalidTimeRange {
        /// The first timestamp of the range.
        min: i64,
        /// The first timestamp past the range.
        max: i64,
    },

    /// A limit of a read is 0.
    #[error("{what} is 0 in a read, and 1 is the least")]
    ZeroInRead {
        /// Such as `the number of versions`.
        what: &'static str,
    },

    /// A filter that cannot be.
    #[error("filter {filter} {problem}", problem = said(problem))]
    InvalidFilter {
        /// HBase's name of the filter or comparator.
        filter: &'static str,
        /// What is wrong with it.
        problem: String,
    },

    /// Rows are to be cut into pieces, and the filter needs whole rows.
    #[error(
        "filter {filter} judges whole rows, and the scan cuts rows into pieces; leave out cells_per_result"
    )]
    PiecesWithRowFilter {
        /// HBase's name of the filter.
        filter: &'static str,
    },

    /// Columns in a raw scan.
    #[error(
        "a raw scan returns whole families, and this one asks for single columns; leave out the qualifiers"
    )]
    ColumnsInRawScan,

    /// The namespace does not exist.
    #[error("there is no namespace `{namespace}` in this store; create it first")]
    NamespaceNotFound {
        /// The namespace asked for.
        namespace: String,
    },

    /// A namespace of that name exists already.
    #[error("namespace `{namespace}` exists already")]
    NamespaceExists {
        /// The namespace to be created.
        namespace: String,
    },

    /// A namespace with tables is to be dropped.
    #[error("namespace `{namespace}` has {tables} tables; drop them first")]
    NamespaceNotEmpty {
        /// The namespace to be dropped.
        namespace: String,
        /// How many tables it has.
        tables: usize,
    },

    /// The snapshot does not exist.
    #[error("there is no snapshot `{snapshot}` in this store")]
    SnapshotNotFound {
        /// The snapshot asked for.
        snapshot: String,
    },

    /// A snapshot of that name exists already.
    #[error("snapshot `{snapshot}` exists already; delete it first, or choose another name")]
    SnapshotExists {
        /// The snapshot to be taken.
        snapshot: String,
    },

    /// A server that is down, or does not belong to the store.
    #[error("{server} is no live server of this store")]
    ServerNotFound {
        /// The server asked for.
        server: String,
    },

    /// A region that the table does not have.
    #[error("table `{table}` has no region `{region}`; it may have been split or merged meanwhile", region = said(region))]
    RegionNotFound {
        /// The table that was searched.
        table: TableName,
        /// The region's name, as given.
        region: String,
    },

    /// A split point that does not lie inside its region.
    #[error(
        "{} cannot split the region {range}: a split point lies inside, and not at its start",
        escape(split)
    )]
    SplitOutside {
        /// The split point, which is outside `range` or its start.
        split: Vec<u8>,
        /// The keys of the region to be split.
        range: KeyRange,
    },

    /// A region that has no middle.
    #[error(
        "the region {range} of table `{table}` has no middle to split at, because it holds fewer than two rows; give a split point"
    )]
    NoSplitPoint {
        /// The table that the region belongs to.
        table: TableName,
        /// The keys of the region to be split.
        range: KeyRange,
    },

    /// Regions that cannot become one.
    #[error("regions {} of table `{table}` cannot be merged: two or more neighbours can", said(regions.join(" and ")))]
    NotNeighbours {
        /// The table that the regions belong to.
        table: TableName,
        /// The regions, as asked for.
        regions: Vec<String>,
    },

    /// Something that this store does not do.
    #[error("{store} cannot {operation}")]
    Unsupported {
        /// What was asked for.
        operation: &'static str,
        /// The kind of store.
        store: &'static str,
    },

    /// The same split point twice.
    #[error("split point {} is given twice; every region needs a start of its own", escape(split))]
    DuplicateSplit {
        /// The split point that is given more than once.
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
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        matches!(self, Self::TableNotFound { .. }).then_some(Remedy::Store)
    }

    /// An error of the engine or the network behind the store.
    pub fn backend(
        attempted: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Backend { attempted: attempted.into(), source: source.into() }
    }
}
