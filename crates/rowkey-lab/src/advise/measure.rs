//! How does one key fare with these records and these queries?
//!
//! **Writes**: the second half of the sample is encoded and routed to the regions that the first half was cut into, step by
//! step; in each step the busiest server is compared with the mean. **Reads**: each query is planned with the values that
//! were drawn for it, and the rows of its ranges are counted among the sorted keys of the sample.
//!
//! A key is measured once, whether it is of a table or of an index table; [`super::price`] puts tables together by
//! arithmetic. That is what makes it possible to look at all combinations.

use std::ops::Range;

use rowkey::batch::{BatchEncoder, KeyBatch};
use rowkey::check::{Context, Severity, check_key};
use rowkey::key::{FieldId, Fields, KeySchema, Step};
use rowkey::query::{Access, FanOut, Plan, PlanOptions, Query, SeekStep, plan};
use rowkey::split;
use rowkey::types::Order;

use super::asked::{Asked, Draw};
use super::sample::Sample;
use crate::route::Router;

/// The writes are looked at in so many steps.
const STEPS: usize = 10;
/// A skip scan is followed for so many rows, and then taken to go on like that.
const FOLLOWED: usize = 300;
/// So many rows tell how many of them meet a condition.
const TRIED: usize = 128;
/// A salt is a border of regions up to so many times the regions asked for.
const BUCKETS_PER_REGION: u32 = 4;

/// Everything that keys are measured with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) fields: &'a Fields,
    pub(super) sample: &'a Sample,
    pub(super) asked: &'a [Asked],
    pub(super) identity: &'a [FieldId],
    /// Records that no key can tell from another.
    pub(super) repeated: usize,
    pub(super) servers: usize,
    pub(super) regions: usize,
}

/// What was seen of a key.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The key in the notation.
    pub source: String,
    /// The key.
    pub key: KeySchema,
    /// Bytes of a key, on average.
    pub bytes: f64,
    /// The busiest server over the mean.
    pub hot: Hot,
    /// Where the table is cut.
    pub splits: Vec<Vec<u8>>,
    /// What each query reads.
    pub reads: Vec<Reading>,
}

/// The busiest server over the mean: 1 is even, the number of servers is everything on one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hot {
    /// On average over the steps.
    pub usual: f64,
    /// In the worst step.
    pub worst: f64,
}

/// What a query reads, on average over its draws.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reading {
    /// Rows read.
    pub rows: f64,
    /// Of these, rows read against the order of keys.
    pub backwards: f64,
    /// Ranges opened, or single rows asked for.
    pub ranges: f64,
    /// Jumps over what cannot match.
    pub skips: f64,
    /// Rows sorted afterwards.
    pub sorted: f64,
    /// Rows returned.
    pub returned: f64,
    /// Rows that would have to be looked up in the table, if this were the key of an index table.
    pub lookups: f64,
    /// The share of draws for which the whole table is read.
    pub whole_table: f64,
}

/// Why a key is out of the question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is no key.
    #[error("it is no key: {0}")]
    Notation(String),
    /// A rule finds that it cannot work.
    #[error("rule {0}: {1}")]
    Rule(&'static str, String),
    /// A record has no key.
    #[error("{0}")]
    Record(String),
    /// Different records have the same key.
    #[error("{0} records of the sample have the key of another")]
    Duplicates(usize),
}

impl Bench<'_> {
    /// Measures a key; one that somebody gave is measured even if a rule is against it.
    pub(super) fn measure(&self, source: &str, given: bool) -> Result<Measured, Unfit> {
        let key = KeySchema::with_fields(source, self.fields).map_err(|findings| {
            Unfit::Notation(findings.first().map(|finding| finding.problem.to_string()).unwrap_or_default())
        })?;
        if !given {
            self.checked(&key)?;
        }
        let mut keys = KeyBatch::new();
        let seed = rowkey::batch::Seed { seed: 0, first_record: 0 };
        let encoded = BatchEncoder::new(&key).encode_with(&self.sample.columns(), seed, &mut keys);
        encoded.map_err(|error| Unfit::Record(error.to_string()))?;
        let sorted = Sorted::new(&keys);
        let duplicates = sorted.duplicates();
        if duplicates > self.repeated && !given {
            return Err(Unfit::Duplicates(duplicates));
        }
        let splits = self.cut(&key, &keys);
        let hot = self.hot(&keys, &splits);
        let reads = self.asked.iter().map(|asked| self.reading(&key, &sorted, asked)).collect();
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let bytes = keys.byte_len() as f64 / keys.len().max(1) as f64;
        Ok(Measured { source: source.to_owned(), key, bytes, hot, splits, reads })
    }

    fn checked(&self, key: &KeySchema) -> Result<(), Unfit> {
        let context = Context { declared: true, identity: Some(self.identity), ..Context::default() };
        let wrong = check_key(key, &context).into_iter().find(|issue| {
            // A lost row or a field that does not come back is no matter of price.
            issue.severity == Severity::Error || ["unique", "boundary"].contains(&issue.rule.id)
        });
        wrong.map_or(Ok(()), |issue| Err(Unfit::Rule(issue.rule.id, issue.message)))
    }

    /// The part of the sample that is the past.
    fn past(&self) -> Range<usize> {
        0..self.sample.records.len().div_ceil(2)
    }

    /// Split points: the borders of a leading salt, even cuts of a leading hash, otherwise such that the past is even.
    fn cut(&self, key: &KeySchema, keys: &KeyBatch) -> Vec<Vec<u8>> {
        if let Some(Step::Value(first)) = key.steps().first()
            && first.is_bucket()
            && let Some(count) = first.bucket_count()
            && usize::try_from(count).is_ok_and(|count| count <= self.regions * BUCKETS_PER_REGION as usize)
        {
            let mut splits: Vec<Vec<u8>> =
                (0..count).filter_map(|bucket| first.bucket_bytes(bucket)).collect();
            splits.sort();
            splits.drain(..splits.len().min(1));
            return splits;
        }
        let regions = u32::try_from(self.regions).unwrap_or(u32::MAX);
        let begins_with_hash = key.value_steps().next().is_some_and(rowkey::key::ValueStep::is_digest);
        if begins_with_hash && let Ok(splits) = split::for_key(key, regions) {
            return splits;
        }
        let past = self.past().filter_map(|row| Some((keys.get(row)?, 1)));
        split::from_sample(past, regions).map(|splits| splits.points).unwrap_or_default()
    }

    #[expect(clippy::cast_precision_loss, reason = "ratios")]
    fn hot(&self, keys: &KeyBatch, splits: &[Vec<u8>]) -> Hot {
        let router = Router::new(splits);
        let written = self.past().end..keys.len();
        let steps = STEPS.min(written.len()).max(1);
        let mut factors = Vec::with_capacity(steps);
        for step in 0..steps {
            let at = |step: usize| written.start + step * written.len() / steps;
            let mut load = vec![0usize; self.servers.max(1)];
            for key in (at(step)..at(step + 1)).filter_map(|row| keys.get(row)) {
                // As HBase hands out the regions of a new table: one after another.
                let server = router.region(key) % load.len();
                if let Some(load) = load.get_mut(server) {
                    *load += 1;
                }
            }
            let all: usize = load.iter().sum();
            if all > 0 {
                let busiest = load.iter().max().copied().unwrap_or(0);
                factors.push(busiest as f64 * load.len() as f64 / all as f64);
            }
        }
        let worst = factors.iter().copied().fold(0.0, f64::max);
        let usual = factors.iter().sum::<f64>() / factors.len().max(1) as f64;
        Hot { usual, worst }
    }

    fn reading(&self, key: &KeySchema, sorted: &Sorted<'_>, asked: &Asked) -> Reading {
        let mut sum = Reading::default();
        for draw in &asked.draws {
            sum.add(&self.draw(key, sorted, asked, draw));
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        sum.over(asked.draws.len().max(1) as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "estimates")]
    fn draw(&self, key: &KeySchema, sorted: &Sorted<'_>, asked: &Asked, draw: &Draw) -> Reading {
        let columns = asked.columns.clone();
        let options = PlanOptions { full_scan: true, sort: true, columns, ..PlanOptions::default() };
        let returned = draw.returned;
        let Ok(plan) = plan(key, &draw.query, &options) else {
            // More ranges than there may be: everything is read.
            let rows = self.sample.rows as f64;
            return Reading {
                rows,
                ranges: 1.0,
                returned,
                lookups: rows,
                whole_table: 1.0,
                ..Reading::default()
            };
        };
        let counted = match &plan.access {
            Access::Nothing => Counted::default(),
            Access::Gets(keys) => {
                Counted { rows: keys.len() as f64, ranges: keys.len(), skips: 0.0, share: 1.0 }
            }
            Access::Ranges(fan_outs) => self.count(fan_outs, sorted, &plan, &draw.query),
        };
        let rows = counted.up_to_the_limit(&plan);
        let backwards = if plan.direction == Order::Descending { rows } else { 0.0 };
        let in_key = key.recoverable();
        let decided = plan.residual.fields().iter().all(|field| in_key.contains(field));
        Reading {
            rows,
            backwards,
            ranges: counted.ranges as f64,
            skips: counted.skips,
            sorted: if plan.sort.is_empty() { 0.0 } else { rows },
            returned,
            lookups: if decided { returned.min(rows.max(1.0)) } else { rows },
            whole_table: f64::from(u8::from(plan.whole_table)),
        }
    }

    fn count(&self, fan_outs: &[FanOut], sorted: &Sorted<'_>, plan: &Plan, query: &Query) -> Counted {
        let mut rows: Vec<Range<usize>> = Vec::new();
        let (mut found, mut skips, mut ranges) = (0usize, 0.0, 0usize);
        for fan_out in fan_outs {
            for range in &fan_out.ranges {
                ranges += 1;
                let inside = sorted.inside(range);
                match &fan_out.seek {
                    None => found += inside.len(),
                    Some(seek) => {
                        let (matches, jumps) = sorted.follow(inside.clone(), seek);
                        found += matches;
                        skips += jumps;
                    }
                }
                if !inside.is_empty() {
                    rows.push(inside);
                }
            }
        }
        let share = if query.limit.is_some() && !plan.residual.is_true() {
            self.share(&rows, sorted, plan)
        } else {
            1.0
        };
        Counted { rows: self.sample.rows_of(found), ranges, skips, share }
    }

    /// The share of the rows that meet what the ranges leave open.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn share(&self, rows: &[Range<usize>], sorted: &Sorted<'_>, plan: &Plan) -> f64 {
        let all: usize = rows.iter().map(ExactSizeIterator::len).sum();
        let stride = (all / TRIED).max(1);
        let (mut tried, mut met) = (0usize, 0usize);
        for place in rows.iter().cloned().flatten().step_by(stride) {
            let record = sorted.order.get(place).and_then(|row| self.sample.records.get(*row as usize));
            tried += 1;
            met += usize::from(record.is_some_and(|record| plan.residual.matches(record) == Some(true)));
        }
        // One of them was drawn, so it meets it.
        met.max(1) as f64 / tried.max(1) as f64
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    rows: f64,
    ranges: usize,
    skips: f64,
    /// The share of rows that are returned.
    share: f64,
}

impl Counted {
    /// Rows that are read until there are enough.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn up_to_the_limit(&self, plan: &Plan) -> f64 {
        let Some(limit) = plan.limit.filter(|_| plan.sort.is_empty()) else { return self.rows };
        let enough = limit as f64 / self.share.max(1e-9);
        let enough = if plan.residual.is_true() { enough * self.ranges.max(1) as f64 } else { enough };
        self.rows.min(enough)
    }
}

impl Reading {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.backwards += other.backwards;
        self.ranges += other.ranges;
        self.skips += other.skips;
        self.sorted += other.sorted;
        self.returned += other.returned;
        self.lookups += other.lookups;
        self.whole_table += other.whole_table;
    }

    fn over(self, count: f64) -> Self {
        Self {
            rows: self.rows / count,
            backwards: self.backwards / count,
            ranges: self.ranges / count,
            skips: self.skips / count,
            sorted: self.sorted / count,
            returned: self.returned / count,
            lookups: self.lookups / count,
            whole_table: self.whole_table / count,
        }
    }
}

/// The keys of the sample in order.
struct Sorted<'a> {
    keys: &'a KeyBatch,
    order: Vec<u32>,
}

impl<'a> Sorted<'a> {
    fn new(keys: &'a KeyBatch) -> Self {
        let mut heads: Vec<(u64, u32)> =
            (0u32..).zip(keys.iter()).map(|(row, key)| (head(key), row)).collect();
        let key = |row: u32| keys.get(row as usize).unwrap_or_default();
        heads.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| key(*x).cmp(key(*y))));
        Self { keys, order: heads.into_iter().map(|(_, row)| row).collect() }
    }

    fn key(&self, place: usize) -> &'a [u8] {
        self.order.get(place).and_then(|row| self.keys.get(*row as usize)).unwrap_or_default()
    }

    fn duplicates(&self) -> usize {
        (1..self.order.len()).filter(|place| self.key(place - 1) == self.key(*place)).count()
    }

    /// The places of the keys in a range.
    fn inside(&self, range: &rowkey::KeyRange) -> Range<usize> {
        let at = |row: &u32| self.keys.get(*row as usize).unwrap_or_default();
        let start = self.order.partition_point(|row| range.is_after(at(row)));
        let end = self.order.partition_point(|row| !range.is_before(at(row)));
        start..end.max(start)
    }

    /// Goes through the keys as a skip scan does: how many match, and how often it jumps.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates"
    )]
    fn follow(&self, inside: Range<usize>, seek: &rowkey::query::Seek) -> (usize, f64) {
        let (mut place, mut matches, mut jumps, mut looked) = (inside.start, 0usize, 0usize, 0usize);
        while place < inside.end && looked < FOLLOWED {
            looked += 1;
            match seek.next(self.key(place), Order::Ascending) {
                SeekStep::Match => {
                    matches += 1;
                    place += 1;
                }
                SeekStep::To(target) => {
                    jumps += 1;
                    let rest = self.order.get(place + 1..inside.end).unwrap_or_default();
                    let at = |row: &u32| self.keys.get(*row as usize).unwrap_or_default();
                    place += 1 + rest.partition_point(|row| at(row) < target.as_slice());
                }
                SeekStep::Done => {
                    jumps += 1;
                    place = inside.end;
                }
            }
        }
        let seen = (place - inside.start) as f64 / inside.len().max(1) as f64;
        if place >= inside.end || seen <= 0.0 {
            return (matches, jumps as f64);
        }
        ((matches as f64 / seen) as usize, jumps as f64 / seen)
    }
}

/// The first eight bytes, which decide most comparisons.
fn head(key: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight.iter_mut().zip(key).for_each(|(slot, byte)| *slot = *byte);
    u64::from_be_bytes(eight)
}
