//! What a plan reads of a table on paper.
//!
//! As the reader of `rowkey-ops` does it: fan-outs one after another, until there are enough rows; the ranges of a fan-out at once, each with
//! its share of a limit at first and half as many again where that was not enough; where a condition is left to check, batches that grow
//! until enough rows match. A store that reads ahead takes up to the limit from each range, and its servers may check conditions and jump
//! by themselves; otherwise the reader of a skip scan opens a scanner for each jump and reads a small batch there.

use rowkey_core::key::KeySchema;
use rowkey_core::query::{Access, FanOut, Plan, Prices};
use rowkey_core::types::Order;
use rowkey_store::Scan;

use super::paper::{Followed, Paper};
use crate::workload::Drawn;

/// The first batch of a range without a limit, and how much larger each further one is.
const BATCH: (f64, f64) = (16.0, 4.0);
/// Rows in the first batch behind a jump of the reader.
const JUMP_ROWS: f64 = 16.0;
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
    /// Requests to regions: scanners opened there, again for each jump, and rows asked for by their keys; rows that are looked up are not among
    /// them.
    pub calls: f64,
    /// Jumps over what cannot match, each with a scanner of its own.
    pub jumps: f64,
    /// Jumps that servers make.
    pub server_jumps: f64,
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
    fn figures(&mut self) -> [&mut f64; 12] {
        [
            &mut self.rows,
            &mut self.backwards,
            &mut self.ranges,
            &mut self.gets,
            &mut self.regions,
            &mut self.calls,
            &mut self.jumps,
            &mut self.server_jumps,
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
            + price(prices.jump) * self.jumps
            + price(prices.server_jump.unwrap_or(prices.jump)) * self.server_jumps;
        let second = if lookups { price(prices.get) * self.lookups } else { 0.0 };
        rows + opening + second + percent(prices.sort_percent) * self.sorted
    }
}

/// A range of a plan among the keys of the sample.
struct Found {
    /// What it reads of the sample's keys.
    keys: Followed,
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
        let matching = self.matching(drawn);
        let returned = plan.limit.map_or(matching, |limit| matching.min(limit as f64));
        let mut reading = Reading { returned, ..Reading::default() };
        match &plan.access {
            Access::Nothing => {}
            Access::Gets(keys) => {
                reading.gets = keys.len() as f64;
                (reading.rows, reading.regions, reading.calls) = (reading.gets, reading.gets, reading.gets);
                keys.iter().for_each(|key| busy(self.part.regions.region(key), f64::from(prices.get)));
            }
            Access::Ranges(fan_outs) => self.ranges(fan_outs, plan, drawn, prices, &mut reading, busy),
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
        drawn: &Drawn,
        prices: &Prices,
        reading: &mut Reading,
        busy: &mut dyn FnMut(usize, f64),
    ) {
        let found: Vec<Vec<Found>> =
            fan_outs.iter().map(|fan_out| self.found(fan_out, at_server(fan_out, plan, prices))).collect();
        let all: f64 = found.iter().flatten().map(|range| range.keys.matches).sum();
        let rows_per_key = if all > 0.0 { self.rows_of(all.round() as usize, drawn) / all } else { 0.0 };
        let stop = plan.limit.filter(|_| plan.sort.is_empty()).map(|limit| limit as f64);
        let exact = plan.residual.is_true();
        let share =
            if exact { 1.0 } else { (self.matching(drawn) / (all * rows_per_key).max(1.0)).clamp(1e-9, 1.0) };
        let mut wanted = stop.map(|limit| limit / share);
        for (fan_out, ranges) in fan_outs.iter().zip(&found) {
            let count = ranges.len().max(1) as f64;
            let here: f64 = ranges.iter().map(|range| range.keys.matches * rows_per_key).sum();
            let at_server = at_server(fan_out, plan, prices);
            for range in ranges {
                let rows = range.keys.matches * rows_per_key;
                let read = match wanted {
                    None => rows,
                    Some(wanted) if exact => rows.min(of_a_limit(wanted, count, prices)),
                    Some(wanted) if prices.reads_ahead && plan.checked_by_server() => rows.min(wanted),
                    Some(wanted) => rows.min(growing(wanted * rows / here.max(1.0), prices)),
                };
                let part = if rows > 0.0 { read / rows } else { 1.0 };
                let (jumps, passed) = self.jumps(range, at_server);
                let (jumps, passed) = (jumps * part, passed * part);
                reading.rows += read + passed;
                reading.ranges += 1.0;
                let before = reading.calls;
                let jump = prices.server_jump.filter(|_| at_server).unwrap_or(prices.jump);
                let work = f64::from(jump) * jumps;
                self.charge(range, read + work, part, (plan.direction, prices), reading, busy);
                match at_server {
                    true => reading.server_jumps += jumps,
                    false if fan_out.seek.is_some() => {
                        reading.jumps += jumps;
                        reading.calls = before + 1.0 + jumps + range.keys.crossed * part;
                    }
                    false => {}
                }
            }
            wanted = wanted.map(|wanted| wanted - here);
            if wanted.is_some_and(|wanted| wanted <= 0.0) {
                break;
            }
        }
    }

    /// How often a range goes on elsewhere, and the rows that it reads for nothing.
    fn jumps(&self, range: &Found, at_server: bool) -> (f64, f64) {
        // Where values come up again and again, all of them have been seen; otherwise there are as many more as rows.
        let often = range.keys.jumps * 2.0 < range.places.len() as f64;
        let scale = if often { 1.0 } else { self.scale.rows_per_record };
        let rows_of_a_key = if at_server { 1.0 } else { JUMP_ROWS / self.jump_keys() as f64 };
        let all = range.places.len() as f64 * self.scale.rows_per_record;
        (range.keys.jumps * scale, (range.keys.passed * rows_of_a_key * scale).min(all))
    }

    /// Keys of the sample in the first batch behind a jump.
    fn jump_keys(&self) -> usize {
        (JUMP_ROWS / self.scale.rows_per_record).ceil() as usize
    }

    fn found(&self, fan_out: &FanOut, at_server: bool) -> Vec<Found> {
        let found = |range| {
            let places = self.inside(range);
            let keys = match &fan_out.seek {
                None => Followed { matches: places.len() as f64, ..Followed::default() },
                Some(seek) if at_server => self.follow(places.clone(), seek),
                Some(seek) => self.follow_in_batches(places.clone(), seek, self.jump_keys()),
            };
            Found { keys, places, regions: self.regions(range) }
        };
        fan_out.ranges.iter().map(found).collect()
    }

    /// Charges the regions of a range with its work. A scan that has enough, which is this part of the range, goes to no further region.
    fn charge(
        &self,
        range: &Found,
        work: f64,
        part: f64,
        (direction, prices): (Order, &Prices),
        reading: &mut Reading,
        busy: &mut dyn FnMut(usize, f64),
    ) {
        let (first, last) = range.regions;
        let all = part * range.places.len() as f64;
        let mut left = all;
        for nth in 0..=last - first {
            let region = if direction == Order::Descending { last - nth } else { first + nth };
            let own = self.of_region(region);
            let (from, to) = (own.start.max(range.places.start), own.end.min(range.places.end));
            let keys = (to.saturating_sub(from) as f64).min(left);
            reading.regions += 1.0;
            reading.calls += 1.0;
            busy(region, work * (if all > 0.0 { keys / all } else { 0.0 }) + f64::from(prices.range));
            left -= keys;
            if part < 1.0 && left <= 1e-6 {
                break;
            }
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

/// Rows of the batches that hold so many; a store that reads ahead has one more under way.
fn growing(wanted: f64, prices: &Prices) -> f64 {
    let most = Scan::DEFAULT_BATCH_ROWS as f64;
    if prices.reads_ahead {
        return ((wanted / most).ceil() + 1.0) * most;
    }
    let (mut batch, mut sum) = (BATCH.0, 0.0);
    while sum < wanted && sum < 1e9 {
        sum += batch;
        batch = (batch * BATCH.1).min(most);
    }
    sum
}

/// Whether servers jump: where they can, they do, and not backwards.
fn at_server(fan_out: &FanOut, plan: &Plan, prices: &Prices) -> bool {
    let seek = fan_out.seek.as_ref().zip(fan_out.ranges.first());
    prices.server_jump.is_some()
        && plan.direction == Order::Ascending
        && seek.is_some_and(|(seek, range)| seek.fuzzy(range).is_some())
}
