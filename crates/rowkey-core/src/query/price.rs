//! The price of reading, per store.
//!
//! Everything is counted in **rows of a scan**: what a store takes for the next row of a range that is being read. The lists
//! have round figures; `rowkey calibrate` measures those of a store in the same order, and keeps them for its user.

use super::guess::{Guess, SUPPOSED_ROWS};
use super::plan::{Access, Plan, Via};
use super::seek::Seek;
use crate::range::KeyRange;
use crate::types::Order;

/// What a store takes for reading, in rows of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Opening a range.
    pub range: u32,
    /// A row by its key, among many in one call: also one that was found by an index.
    pub get: u32,
    /// Going on at another key in a skip scan that the reader makes.
    pub jump: u32,
    /// The same where the server does it by a fuzzy filter; `None` where there is no such server.
    pub server_jump: Option<u32>,
    /// Sorting a row, in hundredths.
    pub sort_percent: u32,
    /// What reading against the order of keys costs more, in hundredths.
    pub backwards_percent: u32,
    /// Bytes of key that make a row cost one more: every cell repeats them.
    pub key_bytes_of_a_row: u32,
    /// Writing a row.
    pub put: u32,
    /// What each index table makes writing a row of a table in use dearer by: the row is read before, the entry written and settled.
    pub entry: u32,
    /// Whether every range of a fan-out is read up to a limit at once; otherwise each is read as far as the merge needs it.
    pub reads_ahead: bool,
}

impl Prices {
    /// A store in a folder.
    pub const EMBEDDED: Self = Self {
        range: 8,
        get: 7,
        jump: 20,
        server_jump: None,
        sort_percent: 50,
        backwards_percent: 30,
        key_bytes_of_a_row: 100,
        put: 4,
        entry: 4,
        reads_ahead: false,
    };
    /// An HBase cluster. For each row that it reads backwards a server seeks anew.
    pub const HBASE: Self = Self {
        range: 90,
        get: 28,
        jump: 560,
        server_jump: Some(24),
        sort_percent: 25,
        backwards_percent: 1_000,
        entry: 36,
        reads_ahead: true,
        ..Self::EMBEDDED
    };

    /// What a row costs whose key has so many bytes.
    pub fn row(&self, key_bytes: f64) -> f64 {
        1.0 + key_bytes / f64::from(self.key_bytes_of_a_row.max(1))
    }
}

impl Default for Prices {
    /// Those of a store in a folder.
    fn default() -> Self {
        Self::EMBEDDED
    }
}

/// How many rows a plan is expected to read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Rows read from the table or index table.
    pub rows: f64,
    /// What that costs, in rows of a scan.
    pub cost: f64,
    /// Whether it was counted in data (`rowkey-lab`); a planner guesses.
    pub counted: bool,
}

/// What a plan is expected to read and cost up to a limit; `most` is how many rows there can be at most, if that is known.
pub(super) fn estimate(
    plan: &Plan,
    limit: Option<usize>,
    guess: Guess,
    most: Option<f64>,
    prices: &Prices,
) -> Estimate {
    let price = |price: u32| f64::from(price);
    let ranges = count(plan.access.len());
    let (matched, jumps) = (SUPPOSED_ROWS * guess.share, guess.jumps);
    let all = match &plan.access {
        Access::Nothing => 0.0,
        Access::Gets(keys) => count(keys.len()),
        Access::Ranges(_) => matched.min(most.unwrap_or(f64::INFINITY)).max(1.0) + jumps,
    };
    let rows = match limit {
        Some(limit) if plan.residual.is_true() && plan.sort.is_empty() => {
            all.min(count(limit) * ranges.max(1.0))
        }
        _ => all,
    };
    let returned = limit.filter(|_| plan.sort.is_empty()).map_or(rows, |limit| rows.min(count(limit)));
    let second = match plan.via {
        Via::Index { covered: false, .. } => returned * price(prices.get),
        _ => 0.0,
    };
    let opening = match &plan.access {
        Access::Gets(_) => price(prices.get),
        Access::Nothing | Access::Ranges(_) => price(prices.range),
    };
    let percent = |of: bool, percent: u32| if of { rows * price(percent) / 100.0 } else { 0.0 };
    let sorting = percent(!plan.sort.is_empty(), prices.sort_percent);
    let backwards = percent(plan.direction == Order::Descending, prices.backwards_percent);
    let cost = rows + backwards + second + ranges * opening + jumps * price(jump(plan, prices)) + sorting;
    Estimate { rows, cost, counted: false }
}

/// What a jump of this plan costs: at the server, if all its ranges can be skipped over there.
fn jump(plan: &Plan, prices: &Prices) -> u32 {
    let Access::Ranges(fan_outs) = &plan.access else { return prices.jump };
    let at_server = |(seek, range): (&Seek, &KeyRange)| seek.fuzzy(range).is_some();
    let firsts = fan_outs.iter().filter_map(|fan_out| fan_out.seek.as_ref().zip(fan_out.ranges.first()));
    match prices.server_jump {
        Some(price) if plan.direction == Order::Ascending && firsts.into_iter().all(at_server) => price,
        _ => prices.jump,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn count(number: usize) -> f64 {
    number as f64
}
