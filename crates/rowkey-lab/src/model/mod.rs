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

use rowkey_core::batch::Column;
use rowkey_core::key::Fields;

pub(crate) use paper::Paper;
pub(crate) use part::{Encoded, Fineness, Part, by_key, first_step, pick};
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

impl Data<'_> {
    /// How many records are the first half: what the table had when it was half as large.
    pub(crate) fn early(&self) -> usize {
        self.rows.div_ceil(2)
    }
}

/// What the records of a sample stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Records of the data for each record of the sample, at least 1.
    pub rows_per_record: f64,
    /// How many times the rows of the data the table will have, at least 1.
    pub growth: f64,
}

impl Scale {
    /// So many records of a sample stand for data of so many records, and that for a table of so many rows.
    pub fn new(sample: usize, records: u64, rows: Option<u64>) -> Self {
        let over = |a: f64, b: f64| (a / b.max(1.0)).max(1.0);
        Self {
            rows_per_record: over(records as f64, sample as f64),
            growth: rows.map_or(1.0, |rows| over(rows as f64, records as f64)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_rows_stand_for_more_but_the_drawn_one_for_itself() {
        let scale = Scale::new(100, 1_000, Some(5_000));
        assert_eq!([0, 1, 3].map(|found| scale.rows_of(found)), [0.0, 1.0, 21.0]);
        assert_eq!(scale.growth, 5.0);
        assert_eq!(Scale::new(100, 100, Some(50)), Scale { rows_per_record: 1.0, growth: 1.0 });
    }
}
