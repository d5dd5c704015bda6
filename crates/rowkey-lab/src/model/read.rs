//! What does a plan read of a table on paper?
//!
//! As the reader of `rowkey-ops` does it: fan-outs one after another, until there are enough rows; the ranges of a fan-out at once, each with
//! its share of a limit at first and half as many again where that was not enough; where a condition is left to check, batches that grow
//! until enough rows match. A store that reads ahead takes up to the limit from each range.

use rowkey::key::KeySchema;
use rowkey::query::{Access, FanOut, Plan, Prices};
use rowkey::types::Order;

use super::paper::Paper;
use crate::workload::Drawn;

/// The first batch of a range without a limit, and how much larger each further one is.
const BATCH: (f64, f64) = (16.0, 4.0);
/// How often a range is asked a second time for its share of a limit.
const ASKED_AGAIN: f64 = 0.6;

/// What a query reads.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reading {
    /// Rows read.
    pub rows: f64,
    /// Of these, rows read against the order of keys.
    pub backwards: f64,
    /// Ranges opened.
    pub ranges: f64,
    /// Rows asked for by their keys.
    pub gets: f64,
    /// Regions touched.
    pub regions: f64,
    /// Jumps over what cannot match.
    pub jumps: f64,
    /// Rows sorted afterwards.
    pub sorted: f64,
    /// Rows returned.
    pub returned: f64,
    /// Rows that must be looked up in the table, if this is an index table that does not keep what is asked for.
    pub lookups: f64,
    /// The share of draws for which the whole table is read.
    pub whole_table: f64,
}

impl Reading {
    fn figures(&mut self) -> [&mut f64; 10] {
        [
            &mut self.rows,
            &mut self.backwards,
            &mut self.ranges,
            &mut self.gets,
            &mut self.regions,
            &mut self.jumps,
            &mut self.sorted,
            &mut self.returned,
            &mut self.lookups,
            &mut self.whole_table,
        ]
    }

    /// The mean over draws, for a table that will be `growth` times as large: of each draw what it reads now and, if its values come from the first
    /// half of the records, what it read when these were all.
    pub(crate) fn over_draws(draws: &[(Self, Option<Self>)], growth: f64) -> Self {
        let all = Self::mean(draws.iter().map(|(now, _)| *now));
        let (half, whole): (Vec<Self>, Vec<Self>) =
            draws.iter().filter_map(|(now, then)| Some(((*then)?, *now))).unzip();
        if half.is_empty() { all } else { all.grown(Self::mean(half), Self::mean(whole), growth) }
    }

    /// Each figure grows as it did from the first half of the records to all of them. A session stays as long as it is, a user's rows become
    /// more, and so do the days that a skip scan visits.
    fn grown(mut self, mut half: Self, mut whole: Self, growth: f64) -> Self {
        for ((own, half), whole) in self.figures().into_iter().zip(half.figures()).zip(whole.figures()) {
            if *half > 0.0 {
                *own *= growth.powf((*whole / *half).log2().clamp(0.0, 1.0));
            }
        }
        self.whole_table = self.whole_table.min(1.0);
        self
    }

    /// The mean of some.
    fn mean(all: impl IntoIterator<Item = Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0u32);
        for mut one in all {
            count += 1;
            sum.figures().into_iter().zip(one.figures()).for_each(|(sum, one)| *sum += *one);
        }
        sum.figures().into_iter().for_each(|sum| *sum /= f64::from(count.max(1)));
        sum
    }

    /// What it costs in rows of a scan, where a row has so many bytes of key; with rows of the table looked up if `lookups`.
    pub(crate) fn cost(&self, key_bytes: f64, lookups: bool, prices: &Prices) -> f64 {
        let price = |price: u32| f64::from(price);
        let percent = |percent: u32| f64::from(percent) / 100.0;
        let rows = (self.rows + percent(prices.backwards_percent) * self.backwards) * prices.row(key_bytes);
        let opening = price(prices.range) * self.ranges
            + price(prices.get) * self.gets
            + price(prices.jump) * self.jumps;
        let second = if lookups { price(prices.get) * self.lookups } else { 0.0 };
        rows + opening + second + percent(prices.sort_percent) * self.sorted
    }
}

/// A range of a plan among the keys of the sample.
struct Found {
    /// Keys of the sample that it reads, and jumps.
    matches: f64,
    jumps: f64,
    places: std::ops::Range<usize>,
    regions: (usize, usize),
}

impl Paper<'_> {
    /// What a plan of a drawn query reads here. `busy` hears the region of the work and its weight in rows.
    pub(crate) fn read(
        &self,
        key: &KeySchema,
        plan: &Plan,
        drawn: &Drawn,
        prices: &Prices,
        busy: &mut dyn FnMut(usize, f64),
    ) -> Reading {
        let matching = self.scale.rows_of(self.matching(drawn));
        let returned = plan.limit.map_or(matching, |limit| matching.min(limit as f64));
        let mut reading = Reading { returned, ..Reading::default() };
        match &plan.access {
            Access::Nothing => {}
            Access::Gets(keys) => {
                reading.gets = keys.len() as f64;
                reading.rows = reading.gets;
                for key in keys {
                    reading.regions += 1.0;
                    busy(self.part.regions.region(key), f64::from(prices.get));
                }
            }
            Access::Ranges(fan_outs) => self.ranges(fan_outs, plan, matching, prices, &mut reading, busy),
        }
        if plan.direction == Order::Descending {
            reading.backwards = reading.rows;
        }
        if !plan.sort.is_empty() {
            reading.sorted = matching.min(reading.rows);
        }
        let in_key = key.recoverable();
        let decided = plan.residual.fields().iter().all(|field| in_key.contains(field));
        reading.lookups = if decided { returned.min(reading.rows.max(1.0)) } else { reading.rows };
        let bounded = plan.limit.is_some() && plan.residual.is_true() && plan.sort.is_empty();
        reading.whole_table = if plan.whole_table && !bounded { 1.0 } else { 0.0 };
        reading
    }

    fn ranges(
        &self,
        fan_outs: &[FanOut],
        plan: &Plan,
        matching: f64,
        prices: &Prices,
        reading: &mut Reading,
        busy: &mut dyn FnMut(usize, f64),
    ) {
        let found: Vec<Vec<Found>> = fan_outs.iter().map(|fan_out| self.found(fan_out)).collect();
        let all: f64 = found.iter().flatten().map(|range| range.matches).sum();
        // One of all that was found is the record that was drawn.
        let rows_per_key = if all > 0.0 { self.scale.rows_of(all.round() as usize) / all } else { 0.0 };
        let stop = plan.limit.filter(|_| plan.sort.is_empty()).map(|limit| limit as f64);
        let exact = plan.residual.is_true();
        let share = if exact { 1.0 } else { (matching / (all * rows_per_key).max(1.0)).clamp(1e-9, 1.0) };
        let mut wanted = stop.map(|limit| limit / share);
        for ranges in &found {
            let count = ranges.len().max(1) as f64;
            let here: f64 = ranges.iter().map(|range| range.matches * rows_per_key).sum();
            for range in ranges {
                let rows = range.matches * rows_per_key;
                let read = match wanted {
                    None => rows,
                    Some(wanted) if exact => rows.min(of_a_limit(wanted, count, prices)),
                    Some(wanted) => rows.min(growing(wanted * rows / here.max(1.0), prices)),
                };
                let part = if rows > 0.0 { read / rows } else { 1.0 };
                // Where values come up again and again, all of them have been seen; otherwise there are as many more as rows.
                let often = range.jumps * 2.0 < range.places.len() as f64;
                let jumps = range.jumps * part * if often { 1.0 } else { self.scale.rows_per_record };
                reading.rows += read + jumps;
                reading.jumps += jumps;
                reading.ranges += 1.0;
                self.charge(range, read + f64::from(prices.jump) * jumps, part < 1.0, prices, reading, busy);
            }
            if let Some(wanted) = &mut wanted {
                *wanted -= here;
                if *wanted <= 0.0 {
                    break;
                }
            }
        }
    }

    fn found(&self, fan_out: &FanOut) -> Vec<Found> {
        let found = |range| {
            let places = self.inside(range);
            let (matches, jumps) = match &fan_out.seek {
                None => (places.len() as f64, 0.0),
                Some(seek) => self.follow(places.clone(), seek),
            };
            Found { matches, jumps, places, regions: self.regions(range) }
        };
        fan_out.ranges.iter().map(found).collect()
    }

    /// Charges the regions of a range with its work.
    fn charge(
        &self,
        range: &Found,
        work: f64,
        stopped: bool,
        prices: &Prices,
        reading: &mut Reading,
        busy: &mut dyn FnMut(usize, f64),
    ) {
        let (first, last) = range.regions;
        for region in first..=last {
            let own = self.of_region(region);
            let (from, to) = (own.start.max(range.places.start), own.end.min(range.places.end));
            let share = to.saturating_sub(from) as f64 / range.places.len().max(1) as f64;
            // A scan that has enough goes to no further region.
            if first < last && share == 0.0 && stopped {
                continue;
            }
            reading.regions += 1.0;
            busy(region, work * share + f64::from(prices.range));
        }
    }

    /// Charges every region with its share of rows that are looked up anywhere.
    pub(crate) fn look_up(&self, rows: f64, prices: &Prices, busy: &mut dyn FnMut(usize, f64)) {
        for region in 0..self.part.regions.regions() {
            let here = self.of_region(region).len() as f64 / self.len().max(1) as f64;
            busy(region, rows * f64::from(prices.get) * here);
        }
    }
}

/// Rows that a range gives for a limit that it shares with others.
fn of_a_limit(limit: f64, ranges: f64, prices: &Prices) -> f64 {
    if prices.reads_ahead || ranges <= 1.0 {
        return limit.ceil();
    }
    let share = (limit / ranges).ceil();
    share + ASKED_AGAIN * (share / 2.0).floor().max(1.0)
}

/// Rows of the batches that hold so many.
fn growing(wanted: f64, prices: &Prices) -> f64 {
    if prices.reads_ahead {
        return wanted;
    }
    let (mut batch, mut sum) = (BATCH.0, 0.0);
    while sum < wanted && sum < 1e9 {
        sum += batch;
        batch = (batch * BATCH.1).min(1024.0);
    }
    sum
}
