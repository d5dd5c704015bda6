//! Simulates a table that begins with one region.
//!
//! The rows are written step by step; a region past its limit ([`SplitPolicy`]) splits in the middle of its bytes. As in
//! HBase the daughters stay on the server of their parent until the balancer comes round, every five minutes, and deals
//! regions until no server has two more than another. A split costs what it rewrites: the daughters' first compaction reads
//! and writes all of the parent.
//!
//! Sizes grow by range of keys ([`super::Options::ranges`] of them), so splits are as exact as these are fine.

use rowkey_store::SplitPolicy;

use super::grid::Steps;
use super::outcome::{Load, Outcome};

/// HBase's `hbase.balancer.period`, in milliseconds.
const BALANCER_PERIOD: i64 = 300_000;

/// How a table grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowthOptions {
    /// When regions split.
    pub policy: SplitPolicy,
    /// The bytes that a row takes.
    pub row_bytes: f64,
    /// How many servers there are.
    pub servers: usize,
}

/// How a table grew.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Each split.
    pub splits: Vec<SplitDone>,
    /// Bytes written again by splits.
    pub bytes_rewritten: u64,
    /// Bytes of rows written.
    pub bytes_written: u64,
    /// Regions in the end.
    pub regions: usize,
    /// Minutes in which one server took every write.
    pub minutes_on_one_server: f64,
    /// Minutes from the first row to the last.
    pub minutes: f64,
    /// How the writes fell on the servers.
    pub servers: Load,
}

/// A region that was cut in two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitDone {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The first key of the second half.
    pub key: Vec<u8>,
    /// The bytes of both.
    pub bytes: u64,
}

/// A region while it grows: the ranges `from..to`.
#[derive(Debug, Clone, Copy)]
struct Growing {
    from: usize,
    to: usize,
    server: usize,
}

/// Grows a table from one region by what a simulation counted.
pub fn grow(outcome: &Outcome, options: &GrowthOptions) -> Growth {
    let (steps, servers) = (&outcome.steps, options.servers.max(1));
    let mut bytes = vec![0.0f64; outcome.ranges.len()];
    let mut regions = vec![Growing { from: 0, to: bytes.len(), server: 0 }];
    let mut splits: Vec<SplitDone> = Vec::new();
    let mut on_servers = Steps { step: steps.step, starts: steps.starts.clone(), ..Steps::default() };
    on_servers.untimed = vec![0; servers];
    let mut last_balanced = steps.starts.first().copied().unwrap_or(0);
    let mut on_one_server = 0;
    for (at, counts) in steps.starts.iter().zip(&steps.counts) {
        let mut load = vec![0u64; servers];
        for region in &regions {
            let rows: u64 = counts.get(region.from..region.to).unwrap_or_default().iter().sum();
            load[region.server] += rows;
        }
        on_one_server += i64::from(load.iter().filter(|rows| **rows > 0).count() == 1);
        on_servers.counts.push(load);
        bytes.iter_mut().zip(counts).for_each(|(sum, rows)| *sum += *rows as f64 * options.row_bytes);
        let end = at.saturating_add(steps.step);
        split_full(&mut regions, &bytes, options, |half, size| {
            let key = outcome.ranges.get(half).cloned().unwrap_or_default();
            splits.push(SplitDone { at: end, key, bytes: size as u64 });
        });
        if end - last_balanced >= BALANCER_PERIOD {
            last_balanced = end;
            balance(&mut regions, servers);
        }
    }
    let minutes = |steps_of: i64| (steps_of * steps.step) as f64 / 60_000.0;
    Growth {
        bytes_rewritten: splits.iter().map(|split| split.bytes).sum(),
        bytes_written: bytes.iter().sum::<f64>() as u64,
        regions: regions.len(),
        minutes_on_one_server: minutes(on_one_server),
        minutes: minutes(steps.starts.len() as i64),
        servers: Load::of_servers(&on_servers),
        splits,
    }
}

/// Splits every region past its limit, as long as there is one.
fn split_full(
    regions: &mut Vec<Growing>,
    bytes: &[f64],
    options: &GrowthOptions,
    mut done: impl FnMut(usize, f64),
) {
    let size = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default().iter().sum::<f64>();
    let mut place = 0;
    while let Some(region) = regions.get(place).copied() {
        let beside = regions.iter().filter(|other| other.server == region.server).count();
        let limit = options.policy.limit(beside).map_or(f64::INFINITY, |limit| limit as f64);
        let whole = size(region.from, region.to);
        let half = middle(bytes, region, whole).filter(|_| whole > limit);
        let Some(half) = half else {
            place += 1;
            continue;
        };
        done(half, whole);
        regions.splice(place..=place, [Growing { to: half, ..region }, Growing { from: half, ..region }]);
    }
}

/// The range at which about half of a region's bytes are passed; `None` if it is one range.
fn middle(bytes: &[f64], region: Growing, whole: f64) -> Option<usize> {
    let mut passed = 0.0;
    let distance = |range: usize| {
        passed += bytes[range];
        ((passed - whole / 2.0).abs(), range + 1)
    };
    let places = (region.from..region.to.saturating_sub(1)).map(distance);
    places.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, range)| range)
}

/// Deals regions from the fullest server to the emptiest until they differ by one.
fn balance(regions: &mut [Growing], servers: usize) {
    loop {
        let mut counts = vec![0usize; servers];
        regions.iter().for_each(|region| counts[region.server] += 1);
        let full = (0..servers).max_by_key(|server| (counts[*server], std::cmp::Reverse(*server)));
        let empty = (0..servers).min_by_key(|server| (counts[*server], *server));
        let (Some(full), Some(empty)) = (full, empty) else { return };
        if counts[full] <= counts[empty] + 1 {
            return;
        }
        // The last one: of a rising key the one that is written to.
        let Some(moved) = regions.iter_mut().rev().find(|region| region.server == full) else { return };
        moved.server = empty;
    }
}
