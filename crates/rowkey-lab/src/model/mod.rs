//! A table on paper: its key, where its regions are cut, the sorted keys of a sample, and what a plan reads of it.
//!
//! ```text
//!  records ──encode──► keys ──sort──► Paper ◄── ranges of a plan ──► rows, ranges, regions, jumps: a Reading
//!                        └──cut──► regions ──deal──► servers
//! ```
//!
//! Everything that says what a design does with data asks this module: `simulate`, `advise`, and what they have in common. So two
//! commands cannot disagree.

mod paper;
mod part;
mod read;

use rowkey::batch::Column;
use rowkey::key::Fields;

pub(crate) use paper::Paper;
pub(crate) use part::{Encoded, Fineness, Part, by_key, pick};
pub use read::Reading;

/// Records in memory: one column for each field.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// The fields.
    pub fields: &'a Fields,
    /// Their values; a column that is not needed may be empty.
    pub columns: &'a [Column<'a>],
    /// How many records there are.
    pub rows: usize,
}

/// What the records of a sample stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Rows of the table for each record of the sample, at least 1.
    pub rows_per_record: f64,
}

impl Scale {
    /// So many records of the sample stand for a table of so many rows.
    pub fn new(sample: usize, rows: u64) -> Self {
        Self { rows_per_record: (rows as f64 / sample.max(1) as f64).max(1.0) }
    }

    /// How many rows there are of something that was found so often in the sample. What is looked for was drawn from the sample, so
    /// one of the found stands only for itself.
    pub(crate) fn rows_of(self, found: usize) -> f64 {
        match found {
            0 => 0.0,
            found => 1.0 + (found - 1) as f64 * self.rows_per_record,
        }
    }
}
