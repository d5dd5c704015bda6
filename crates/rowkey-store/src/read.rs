//! Which rows and columns does a read ask for?

use rowkey::range::KeyRange;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Get {
    /// The row key.
    pub row: Vec<u8>,
    /// The columns to return.
    pub columns: Columns,
}

impl Get {
    /// All columns of a row, the newest version of each.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), columns: Columns::All }
    }
}

/// A read of a range of rows: the newest version of each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The keys to read.
    pub range: KeyRange,
    /// Rising or falling keys.
    pub direction: Direction,
    /// The columns to return. A row without any of them is not returned.
    pub columns: Columns,
    /// Stop after so many rows; `None` reads to the end of the range.
    pub limit: Option<usize>,
    /// About how many rows one batch of the scanner holds.
    pub batch_rows: usize,
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
            limit: None,
            batch_rows: Self::DEFAULT_BATCH_ROWS,
        }
    }
}
