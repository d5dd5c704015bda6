//! What does reading cost, on which store?
//!
//! Everything is counted in **rows of a scan**: what a store takes for the next row of a range that is being read. The lists
//! have round figures; `rowkey calibrate` measures those of a store in the same order, and keeps them for its user.

use super::guess::{Guess, SUPPOSED_ROWS};
use super::plan::{Access, Plan, Via};
use super::seek::{Seek, SeekStep};
use crate::key::{Draws, KeySchema};
use crate::range::KeyRange;
use crate::types::Order;
use crate::value::Value;

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

/// Records that stand for a table.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// How many rows the table has.
    pub rows: u64,
    /// Some of its records.
    pub records: Vec<Vec<Value<'static>>>,
}

/// How many rows a plan is expected to read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Rows read from the table or index table.
    pub rows: f64,
    /// What that costs, in rows of a scan.
    pub cost: f64,
    /// Whether it was counted in a sample.
    pub counted: bool,
}

/// The keys of a sample under one key, in order.
pub(super) struct SampleKeys {
    rows: f64,
    keys: Vec<Vec<u8>>,
    records: f64,
}

impl SampleKeys {
    /// `None` without records.
    pub(super) fn new(sample: Option<&Sample>, key: &KeySchema) -> Option<Self> {
        let sample = sample.filter(|sample| !sample.records.is_empty())?;
        let mut keys = Vec::with_capacity(sample.records.len());
        for (number, record) in sample.records.iter().enumerate() {
            let mut bytes = Vec::new();
            let mut draws = Draws::new(0, u64::try_from(number).unwrap_or(0));
            if key.encode_with(record, &mut draws, &mut bytes).is_ok() {
                keys.push(bytes);
            }
        }
        keys.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let rows = sample.rows as f64;
        Some(Self { rows, keys, records: count(sample.records.len()) })
    }

    /// Rows that an access reads, and how often it goes on at another key.
    fn read(&self, access: &Access) -> (f64, f64) {
        let scale = self.rows / self.records;
        let Access::Ranges(fan_outs) = access else { return (0.0, 0.0) };
        let (mut rows, mut jumps) = (0.0, 0.0);
        for fan_out in fan_outs {
            for range in &fan_out.ranges {
                let inside = self.inside(range);
                let Some(seek) = &fan_out.seek else {
                    rows += count(inside.len()) * scale;
                    continue;
                };
                let (matches, landed) = follow(inside, seek);
                rows += count(matches) * scale;
                // Where values come up again and again, all of them have been seen; otherwise there are as many more as rows.
                jumps += count(landed) * if landed * 2 < inside.len() { 1.0 } else { scale };
            }
        }
        (rows, jumps)
    }

    fn inside(&self, range: &KeyRange) -> &[Vec<u8>] {
        let start = self.keys.partition_point(|key| range.is_after(key));
        let end = self.keys.partition_point(|key| !range.is_before(key));
        self.keys.get(start..end).unwrap_or_default()
    }
}

/// Goes through keys as a skip scan does: how many match, and how often it goes on elsewhere.
fn follow(keys: &[Vec<u8>], seek: &Seek) -> (usize, usize) {
    let (mut matches, mut landed) = (0, 0);
    let mut rest = keys;
    while let Some((key, behind)) = rest.split_first() {
        rest = behind;
        match seek.next(key, Order::Ascending) {
            SeekStep::Match => matches += 1,
            SeekStep::To(target) => {
                landed += 1;
                rest = behind.get(behind.partition_point(|key| *key < target)..).unwrap_or_default();
            }
            SeekStep::Done => break,
        }
    }
    (matches, landed)
}

/// What a plan is expected to read and cost up to a limit; `most` is how many rows there can be at most, if that is known.
pub(super) fn estimate(
    plan: &Plan,
    limit: Option<usize>,
    guess: Guess,
    most: Option<f64>,
    prices: &Prices,
    sample: Option<&SampleKeys>,
) -> Estimate {
    let price = |price: u32| f64::from(price);
    let ranges = count(plan.access.len());
    let (matched, jumps) = match sample {
        Some(sample) => sample.read(&plan.access),
        None => (SUPPOSED_ROWS * guess.share, guess.jumps),
    };
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
    Estimate { rows, cost, counted: sample.is_some() }
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
