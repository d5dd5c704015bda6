//! Heat maps: where a table is hot, and when.
//!
//! A [`HeatMap`] has a row for each region or range of keys, a column for each time step, and in each cell the rows that were
//! written there. It is made of what a simulation counted, physically (as the table is cut) or folded (the leading salt
//! taken away, so that what belongs together lies together). Rows too many to show are merged, the coldest first, and marked.
//! Colours run from dark blue to yellow, which people with any colour vision can tell apart, and so can a printer; what the
//! brightest means is written beside them, in rows.
//!
//! Two drawings of one map: [`svg()`], [`png()`]; the program draws it on a terminal.
//!
//! **Laws** (`merge`, `tests/simulate/heat.rs`): no row of the data gets lost by merging; of a rising key the brightest row of
//! each column moves on, of a salted one it does not.

mod colour;
mod merge;
mod picture;
mod svg;

use rowkey_core::KeySchema;
use rowkey_core::escape::escape;
use rowkey_core::query::Figure;

pub use colour::{Colour, colour};
pub use picture::png;
pub use svg::svg;

use crate::simulate::{Outcome, Steps};

/// What every picture says of itself, so that a picture may replace an earlier one and nothing else.
pub(crate) const MADE_BY: &str = "rowkey heat map";

/// Whether a file with these first 4 KiB is a picture that rowkey wrote.
pub fn is_picture(head: &[u8]) -> bool {
    head.windows(MADE_BY.len()).any(|bytes| bytes == MADE_BY.as_bytes())
}

/// As bright as can be is at least so many times the fair share.
pub const CALM: u64 = 4;
/// More rows than this no picture shows.
pub const MAX_ROWS: usize = 1_500;

/// Counts by range of keys and time.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// What it shows.
    pub title: String,
    /// From the first key to the last.
    pub rows: Vec<HeatRow>,
    /// When each column starts, in milliseconds since 1970.
    pub columns: Vec<i64>,
    /// How long a column is; 0 if there is no time.
    pub step: i64,
    /// Columns without any row that were left out, because there would be too many.
    pub gaps: usize,
    /// The count that the brightest colour stands for: that of the hottest cell, or [`CALM`] times the fair share of the
    /// busiest column if that is more, so that what is even does not look hot.
    pub max: u64,
    /// The largest count of a range in a column. A merged row counts by the mean of its ranges.
    pub hottest: u64,
    /// What a row is: `region`, `range` or `range without the salt`.
    pub row_is: &'static str,
}

/// A row of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRow {
    /// Where it begins, decoded into fields.
    pub label: String,
    /// The same as bytes; empty for the first.
    pub start: Vec<u8>,
    /// How many regions or ranges it is; more than one if they were merged because they are cold.
    pub merged: usize,
    /// Whether a region begins here.
    pub border: bool,
    /// Its rows in each column.
    pub counts: Vec<u64>,
}

/// Which keys make a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsBy {
    /// A region each.
    Region,
    /// A range of keys each, as finely as they were counted.
    Range,
    /// The same without the leading salt; regions if there is none.
    Folded,
}

impl HeatMap {
    /// The heat map of a design, with at most so many rows.
    pub fn of(outcome: &Outcome, key: &KeySchema, by: RowsBy, most: usize) -> Self {
        let folded = outcome.folded.as_ref().filter(|_| by == RowsBy::Folded);
        let (starts, steps, row_is): (Vec<Vec<u8>>, Steps, _) = match (folded, by) {
            (Some((starts, steps)), _) => (starts.clone(), steps.clone(), "range without the salt"),
            (None, RowsBy::Range) => (outcome.ranges.clone(), outcome.steps.clone(), "range"),
            (None, _) => {
                let starts: Vec<_> = outcome.region_loads.iter().map(|region| region.start.clone()).collect();
                let steps = outcome.steps.grouped(&outcome.region_of, starts.len());
                (starts, steps, "region")
            }
        };
        let region = |range: usize| outcome.region_of.get(range);
        let (columns, gaps) = columns(&steps);
        let row = |(place, start): (usize, &Vec<u8>)| HeatRow {
            label: label(key, start, place, folded.is_some()),
            start: start.clone(),
            merged: 1,
            border: by == RowsBy::Range && place > 0 && region(place) != region(place - 1),
            counts: columns.iter().map(|at| steps.count(*at, place)).collect(),
        };
        let rows: Vec<HeatRow> = starts.iter().enumerate().map(row).collect();
        let rows = merge::merge(rows, most.clamp(1, MAX_ROWS));
        let hottest =
            rows.iter().flat_map(|row| row.counts.iter().map(|count| row.mean(*count))).max().unwrap_or(0);
        let total = |column: usize| rows.iter().filter_map(|row| row.counts.get(column)).sum::<u64>();
        let busiest = (0..columns.len()).map(total).max().unwrap_or(0);
        let max = hottest.max(CALM * busiest.div_ceil(starts.len().max(1) as u64)).min(busiest);
        let step = if steps.starts.is_empty() { 0 } else { steps.step };
        Self { title: outcome.name.clone(), rows, columns, step, gaps, max, hottest, row_is }
    }

    /// The brightness of a cell, from 0 to 1: by the square root, so that what is a quarter as hot can still be seen.
    pub fn brightness(&self, row: &HeatRow, column: usize) -> f64 {
        let count = row.counts.get(column).copied().map_or(0, |count| row.mean(count));
        if self.max == 0 { 0.0 } else { (count as f64 / self.max as f64).sqrt() }
    }

    /// What the brightest colour means.
    pub fn legend(&self) -> String {
        let step = if self.step == 0 { "in all".to_owned() } else { format!("in {}", duration(self.step)) };
        let hottest = match self.hottest < self.max {
            true => format!("; the hottest has {}", grouped(self.hottest)),
            false => String::new(),
        };
        format!("brightest: {} rows in one {} {step}{hottest}", grouped(self.max), self.row_is)
    }
}

impl HeatRow {
    /// The count of one of its ranges, in the mean, rounded up: cold is not nothing.
    fn mean(&self, count: u64) -> u64 {
        count.div_ceil(self.merged.max(1) as u64)
    }
}

impl Steps {
    fn count(&self, at: i64, range: usize) -> u64 {
        if self.starts.is_empty() {
            return self.untimed.get(range).copied().unwrap_or(0);
        }
        let row = self.starts.binary_search(&at).ok().and_then(|place| self.counts.get(place));
        row.and_then(|row| row.get(range)).copied().unwrap_or(0)
    }
}

/// The columns: every step from the first to the last, or only those that occur if most do not.
fn columns(steps: &Steps) -> (Vec<i64>, usize) {
    let (Some(first), Some(last)) = (steps.starts.first(), steps.starts.last()) else { return (vec![0], 0) };
    let all = usize::try_from((last - first) / steps.step.max(1) + 1).unwrap_or(usize::MAX);
    if all > 2 * steps.starts.len() + 16 {
        return (steps.starts.clone(), all - steps.starts.len());
    }
    let column = |place: usize| first + place as i64 * steps.step;
    ((0..all).map(column).collect(), 0)
}

/// A start of a row as people read it.
fn label(key: &KeySchema, start: &[u8], place: usize, folded: bool) -> String {
    if start.is_empty() {
        return if place == 0 { "(first)".to_owned() } else { String::new() };
    }
    if folded {
        return escape(start).to_string();
    }
    let said = key.decode_start(start).to_string();
    if said.is_empty() { escape(start).to_string() } else { said }
}

/// `10 min`, `1 h`.
pub(crate) fn duration(millis: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    let unit = UNITS.iter().find(|(length, _)| millis >= *length && millis % length == 0);
    unit.map_or_else(|| format!("{millis} ms"), |(length, name)| format!("{} {name}", millis / length))
}

/// `1,234,567`
pub(crate) fn grouped(number: u64) -> String {
    Figure::Count(number).to_string()
}

/// A time as short as the length of a column allows: `01-31 12:00`, `12:00:05`.
pub fn clock(at: i64, step: i64) -> String {
    let text = rowkey_core::Value::Time(at).to_string();
    let (from, to) = match step {
        86_400_000.. => (0, 10),
        60_000.. => (5, 16),
        1_000.. => (11, 19),
        _ => (11, 23),
    };
    text.get(from..to).unwrap_or(&text).replace('T', " ")
}
