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
use rowkey_core::remedy::Remedy;

use crate::simulate::count::millis;

pub(crate) use paper::Paper;
pub(crate) use part::{CutTable, Encoded, Fineness, by_key, first_step, pick, quantiles};
pub use read::Reading;

/// Records in memory: one column for each field.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// The names and types of the columns, in their order.
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

    /// How many rows a table of `records` will have after some years, if it grows as fast as between the first and the last of these times.
    ///
    /// # Errors
    /// When there is no time, or only one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive estimate; a float saturates"
    )]
    pub(crate) fn rows_after(&self, years: f64, records: u64, time: Option<usize>) -> Result<u64, NoGrowth> {
        const YEAR: f64 = 365.25 * 86_400_000.0;
        let column = time.and_then(|time| self.columns.get(time));
        let times =
            || column.into_iter().flat_map(|own| (0..self.rows).filter_map(|row| millis(&own.value(row))));
        let span = times().max().zip(times().min()).map_or(0.0, |(last, first)| (last - first) as f64 / YEAR);
        match span > 0.0 {
            true => Ok((records as f64 * (years / span).max(1.0)) as u64),
            false => Err(NoGrowth { years }),
        }
    }
}

/// Growth by years without times.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "how many rows there will be after {years} years cannot be told: no time field says how fast the records come; name it with {}, or say \
     {} N",
    Remedy::Time,
    Remedy::Rows
)]
pub struct NoGrowth {
    /// How many.
    pub years: f64,
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
