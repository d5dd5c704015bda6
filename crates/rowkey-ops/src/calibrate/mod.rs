//! Measures what a range, a get and a jump cost on a store, in rows of a scan.
//!
//! [`measure`] keeps rows of 100 bytes in groups of 2,000, once under a key of fixed widths and once behind a text (`scratch`), and
//! runs plans of each kind over them, from the plan to decoded records, in turns. A round compares each plan with the plain scan of the
//! same round, so that a machine that slows down slows both; the median of the rounds, less the rows themselves, is the price. What an index
//! entry costs is what writing rows takes longer with one, in the way of a table in use.
//! Its tables go in the end, also after an error or a [`Cancel`]. What was measured is kept in a file (`kept`).

mod kept;
mod list;
mod scratch;
mod trial;

use std::time::Instant;

use rowkey_core::query::Prices;
use rowkey_core::remedy::Remedy;
use rowkey_store::{Store, StoreError, TableName};

use crate::index::IndexError;
use crate::query::{Cancel, QueryError};
pub use kept::{Kept, KeptError, Of};
pub use list::{LIST, Price};
use scratch::{GROUP, Rows};
use trial::trials;

/// So many groups are written with index entries: that takes longer, and every batch is a figure.
const INDEXED_GROUPS: usize = 10;

/// How prices are measured.
#[derive(Debug, Clone)]
pub struct CalibrateOptions {
    /// Rows of each of the two tables, at least [`CalibrateOptions::LEAST_ROWS`].
    pub rows: usize,
    /// How often every plan is run.
    pub rounds: usize,
    /// Stops it.
    pub cancel: Cancel,
}

impl CalibrateOptions {
    /// With fewer rows, a plan ends before it can be timed.
    pub const LEAST_ROWS: usize = 10 * GROUP;
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        Self { rows: 400_000, rounds: 9, cancel: Cancel::new() }
    }
}

/// How far the measuring is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Rows that were written, and how many there will be.
    Writing(usize, usize),
    /// The round that has begun, and how many there are.
    Round(usize, usize),
    /// The tables are removed.
    Removing,
}

/// Why prices were not measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A measured query failed.
    #[error("a measured query failed")]
    Query(#[source] QueryError),
    /// A measured write failed.
    #[error("a measured write of rows with index entries failed")]
    Index(#[source] IndexError),
    /// There is a table that this would remove.
    #[error(
        "table `{table}` exists and was not made by {}, which makes and removes a table of this name; rename or drop it first",
        Remedy::Calibrate
    )]
    TableTaken {
        /// The table that has the name of the scratch table.
        table: TableName,
    },
    /// A plan without rows or time: the store answers wrongly.
    #[error(
        "measuring `{what}` read {found} rows instead of {expected}; run {}, and try again",
        Remedy::Doctor
    )]
    WrongRows {
        /// The name of the price that was measured.
        what: &'static str,
        /// Rows that came.
        found: usize,
        /// Rows that were written for it.
        expected: usize,
    },
    /// [`Cancel::cancel`] was called.
    #[error("interrupted; the scratch tables were removed, and kept prices are as they were")]
    Cancelled,
}

impl CalibrateError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            Self::WrongRows { .. } => Some(Remedy::Doctor),
            _ => None,
        }
    }
}

impl From<QueryError> for CalibrateError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Cancelled => Self::Cancelled,
            QueryError::Store(error) => Self::Store(error),
            other => Self::Query(other),
        }
    }
}

impl From<IndexError> for CalibrateError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => Self::Store(error),
            other => Self::Index(other),
        }
    }
}

/// One price as it was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Which one.
    pub price: &'static Price,
    /// The median of the rounds.
    pub median: f64,
    /// A quarter of the rounds were below this.
    pub low: f64,
    /// A quarter of the rounds were above this.
    pub high: f64,
    /// The median as a price of the list: whole, and within its limits.
    pub taken: u32,
}

impl Figure {
    /// `None` if nothing was measured.
    fn new(price: &'static Price, rounds: &[f64]) -> Option<Self> {
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at =
            |quarter: usize| sorted.get((sorted.len() * quarter / 4).min(sorted.len().saturating_sub(1)));
        let median = *at(2)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, and clamped")]
        let whole = median.round().clamp(0.0, f64::from(u32::MAX)) as u32;
        let taken = whole.clamp(price.least, price.most);
        Some(Self { price, median, low: *at(1)?, high: *at(3)?, taken })
    }

    /// Whether most of the rounds were outside the limits of its price: more than noise.
    pub fn was_clamped(&self) -> bool {
        let (least, most) = (f64::from(self.price.least), f64::from(self.price.most));
        self.high.round() < least || self.low.round() > most
    }
}

/// The prices of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// In the order of [`LIST`].
    pub figures: Vec<Figure>,
    /// Microseconds that a row of a scan took.
    pub row_micros: f64,
    /// Rows of each table.
    pub rows: usize,
    /// Those of the store's kind, with what was measured in their places.
    pub prices: Prices,
}

/// Measures the prices of a store, whose built-in ones are given.
///
/// # Errors
/// A table in the way, a cancel, or a failure of the store. The scratch tables are removed in any case.
pub fn measure(
    store: &dyn Store,
    built_in: &Prices,
    options: &CalibrateOptions,
    tell: &mut dyn FnMut(Progress),
) -> Result<Measured, CalibrateError> {
    scratch::check(store)?;
    let measured = in_scratch_tables(store, built_in, options, tell);
    tell(Progress::Removing);
    let removed = scratch::remove(store);
    let measured = measured?;
    removed?;
    Ok(measured)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people, far from the limits")]
fn in_scratch_tables(
    store: &dyn Store,
    built_in: &Prices,
    options: &CalibrateOptions,
    tell: &mut dyn FnMut(Progress),
) -> Result<Measured, CalibrateError> {
    let groups = options.rows.max(CalibrateOptions::LEAST_ROWS).div_ceil(GROUP);
    let all = 2 * groups * GROUP;
    let mut puts = Vec::new();
    let mut load = |rows: &Rows, before: usize| {
        rows.load(store, &options.cancel, &mut |written, seconds| {
            tell(Progress::Writing(before + written, all));
            puts.push(seconds);
        })
    };
    let (fixed, text) = (Rows::fixed(groups), Rows::behind_a_text(groups));
    load(&fixed, 0)?;
    load(&text, all / 2)?;
    let mut entries = Vec::new();
    let indexed = Rows::indexed(groups.min(INDEXED_GROUPS));
    indexed.load(store, &options.cancel, &mut |_, seconds| entries.push(seconds))?;
    let trials = trials(&fixed, &text, built_in);
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); trials.len()];
    let mut rows_of_a_scan = Vec::new();
    for round in 0..options.rounds.max(1) {
        tell(Progress::Round(round + 1, options.rounds.max(1)));
        let mut row = f64::MIN_POSITIVE;
        for (trial, ratios) in trials.iter().zip(&mut ratios) {
            let begin = Instant::now();
            let found = trial.rows.run(store, &trial.plan, &options.cancel)?;
            let seconds = begin.elapsed().as_secs_f64();
            if found != trial.returns {
                let what = trial.price.map_or("row", |price| price.name);
                return Err(CalibrateError::WrongRows { what, found, expected: trial.returns });
            }
            if trial.price.is_none() {
                row = (seconds / found as f64).max(f64::MIN_POSITIVE);
                rows_of_a_scan.push(row);
            }
            ratios.push((seconds / row - found as f64) / trial.per);
        }
    }
    let row = median(&mut rows_of_a_scan);
    let mut figures: Vec<Figure> =
        trials.iter().zip(&ratios).filter_map(|(trial, rounds)| Figure::new(trial.price?, rounds)).collect();
    let rows = |seconds: Vec<f64>| seconds.into_iter().map(|seconds| seconds / GROUP as f64 / row);
    let mut puts: Vec<f64> = rows(puts).collect();
    figures.extend(Price::named("put").and_then(|price| Figure::new(price, &puts)));
    let put = median(&mut puts);
    let entries: Vec<f64> = rows(entries).map(|both| both - put).collect();
    figures.extend(Price::named("entry").and_then(|price| Figure::new(price, &entries)));
    let mut prices = *built_in;
    for figure in &figures {
        (figure.price.set)(&mut prices, figure.taken);
    }
    Ok(Measured { figures, row_micros: row * 1e6, rows: groups * GROUP, prices })
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_the_median_of_the_rounds_within_its_limits() {
        let price = Price::named("get").expect("it is in the list");
        let figure = Figure::new(price, &[900.0, 6.6, 7.4, 6.9, 8.0]).expect("rounds");
        assert_eq!((figure.median, figure.low, figure.high, figure.taken), (7.4, 6.9, 8.0, 7));
        assert!(!figure.was_clamped());
        let low = Figure::new(price, &[-3.0, -2.0, 0.2]).expect("rounds");
        assert_eq!((low.taken, low.was_clamped()), (price.least, true));
        let noise = Figure::new(price, &[-3.0, 0.2, 4.0]).expect("rounds");
        assert_eq!((noise.taken, noise.was_clamped()), (price.least, false));
        let high = Figure::new(price, &[1e12]).expect("rounds");
        assert_eq!((high.taken, high.was_clamped()), (price.most, true));
        assert_eq!(Figure::new(price, &[]), None);
    }
}
