//! Gets and scans: the rows and columns that a read asks for.
//!
//! **What a read sees**, in HBase's order: time to live and delete markers, then the time range, then the columns, then
//! the versions that the family keeps, then the filter, then the number of versions that the read asks for. So a
//! read of one version with a filter on values may return an older version.

use rowkey_core::range::KeyRange;

use crate::TimeRange;
use crate::filter::Filter;

/// The columns that a read returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Columns {
    /// Every column of every family.
    #[default]
    All,
    /// These columns only, each a family and, unless the whole family is meant, a qualifier.
    Only(Vec<(Vec<u8>, Option<Vec<u8>>)>),
}

impl Columns {
    /// Whether a cell of this family and qualifier is asked for.
    pub fn contains(&self, family: &[u8], qualifier: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Only(columns) => {
                columns.iter().any(|(f, q)| f == family && q.as_ref().is_none_or(|q| q == qualifier))
            }
        }
    }

    /// Whether any column of this family is asked for.
    pub fn touches_family(&self, family: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Only(columns) => columns.iter().any(|(f, _)| f == family),
        }
    }
}

/// The number of versions that stands for "all that the family keeps".
pub const ALL_VERSIONS: u32 = i32::MAX as u32;

/// The order in which a scan returns rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Rising keys.
    #[default]
    Forward,
    /// Falling keys.
    Reverse,
}

/// A read of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Get {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// The columns to return.
    pub columns: Columns,
    /// How many versions of each column, from the newest; [`ALL_VERSIONS`] for all. 0 is refused.
    pub versions: u32,
    /// The timestamps of the versions to return.
    pub time_range: TimeRange,
    /// Which of the cells to return.
    pub filter: Option<Filter>,
}

impl Get {
    /// All columns of a row, the newest version of each.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), columns: Columns::All, versions: 1, time_range: TimeRange::ALL, filter: None }
    }
}

/// A read of a range of rows: the newest version of each column, unless it asks for more.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The keys to read.
    pub range: KeyRange,
    /// Rising or falling keys.
    pub direction: Direction,
    /// The columns to return. A row without any of them is not returned.
    pub columns: Columns,
    /// How many versions of each column, from the newest; [`ALL_VERSIONS`] for all. 0 is refused.
    pub versions: u32,
    /// The timestamps of the versions to return.
    pub time_range: TimeRange,
    /// Which rows and cells to return.
    pub filter: Option<Filter>,
    /// Return what is stored: hidden cells, cells past their time, and delete markers.
    pub raw: bool,
    /// Stop after so many rows; `None` reads to the end of the range. With `cells_per_result`, pieces of a row count as
    /// the row.
    pub limit: Option<usize>,
    /// Cut rows into pieces of so many cells (HBase's "batch"): a batch then holds several rows of one key, one
    /// after the other. Refused with 0, and with a filter that judges whole rows.
    pub cells_per_result: Option<usize>,
    /// About how many rows one batch of the scanner holds (HBase's "caching").
    pub batch_rows: usize,
    /// Whether a store that reads ahead fetches batches before they are asked for. Without it, it fetches the first at once and each
    /// further one when it is asked for: for a reader that expects to need one batch.
    pub ahead: bool,
    /// Whether the store keeps the blocks it reads in its cache (HBase's "cache blocks"). Without it, reading a whole
    /// table does not push out what others need. The embedded store's engine does not know the difference.
    pub fills_cache: bool,
    /// Whether the store counts the rows that it reads and leaves out, for [`crate::Scanner::counts`]. That costs a little.
    pub counts: bool,
}

impl Scan {
    /// Rows per batch unless told otherwise: large enough to hide a round trip, small enough to answer soon.
    pub const DEFAULT_BATCH_ROWS: usize = 1024;

    /// A forward scan of all columns in `range`.
    pub fn new(range: KeyRange) -> Self {
        Self {
            range,
            direction: Direction::Forward,
            columns: Columns::All,
            versions: 1,
            time_range: TimeRange::ALL,
            filter: None,
            raw: false,
            limit: None,
            cells_per_result: None,
            batch_rows: Self::DEFAULT_BATCH_ROWS,
            ahead: true,
            fills_cache: true,
            counts: false,
        }
    }

    /// A forward scan of all rows whose keys start with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self::new(KeyRange::prefix(prefix))
    }
}
