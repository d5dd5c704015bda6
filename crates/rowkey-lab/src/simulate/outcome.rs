//! The outcome of a simulation.

use rowkey_core::query::{PlanOptions, Query, plan};
use rowkey_core::{KeySchema, Order};

use super::Options;
use super::count::Tally;
use super::design::Design;
use super::figures::{evenness, gini, hot_spot, ratio};
use super::grid::Steps;
use super::reads::Reads;
use crate::model::CutTable;

/// A step with fewer rows than this for each server, or region, says nothing about how hot one of them is.
const ROWS_OF_A_SERVER: u64 = 20;
const ROWS_OF_A_REGION: u64 = 5;

/// The figures of a design.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The design's name.
    pub name: String,
    /// Its key as written.
    pub key: String,
    /// Rows written to the table.
    pub rows: u64,
    /// Records that have no key by this design, and why the first of them has none.
    pub refused: u64,
    /// Why the first of them has none.
    pub refusal: Option<String>,
    /// How the writes fall on the servers, those to index tables included.
    pub servers: Load,
    /// The same of each table by itself: the table, then its index tables.
    pub tables: Vec<Load>,
    /// How the writes fall on the regions of the table.
    pub regions: Load,
    /// Each region of the table.
    pub region_loads: Vec<RegionLoad>,
    /// The length of the table's keys.
    pub key_bytes: KeyBytes,
    /// The regions and keys of each index table, under its name.
    pub indexes: Vec<Self>,
    /// The order in which rows come without sorting, salt taken away: field by field.
    pub order: Vec<(String, Order)>,
    /// What the queries cost, if there are any.
    pub reads: Option<Reads>,
    /// Where each range of keys begins that was counted; regions, or finer.
    pub ranges: Vec<Vec<u8>>,
    /// The region of each range.
    pub region_of: Vec<u32>,
    /// The rows of each range, step by step.
    pub steps: Steps,
    /// The same without the leading salt, if that was asked for and there is one: where ranges begin, and their rows.
    pub folded: Option<(Vec<Vec<u8>>, Steps)>,
}

/// How rows fall on servers or regions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Load {
    /// The busiest over the mean, over the whole time.
    pub hot_spot: f64,
    /// The same in the worst step.
    pub worst_step: Option<WorstStep>,
    /// The mean of the same over all steps, by their rows.
    pub mean_step: f64,
    /// The Gini coefficient.
    pub gini: f64,
    /// The normalised entropy over the whole time.
    pub evenness: f64,
    /// The mean of the same within steps, by their rows.
    pub evenness_in_steps: f64,
    /// How many there are.
    pub count: usize,
    /// How many have no row.
    pub idle: usize,
    /// The rows of each.
    pub rows: Vec<u64>,
}

/// The step in which one has the largest share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstStep {
    /// When it starts, in milliseconds since 1970.
    pub at: i64,
    /// The busiest over the mean.
    pub hot_spot: f64,
    /// Which one is the busiest.
    pub busiest: usize,
    /// The rows of the step.
    pub rows: u64,
}

/// A region and what it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionLoad {
    /// Where it begins; empty for the first.
    pub start: Vec<u8>,
    /// The number of its server, from 0.
    pub server: u32,
    /// Its rows.
    pub rows: u64,
    /// Its share of all rows.
    pub share: f64,
}

/// Lengths of keys.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KeyBytes {
    /// The mean length of all keys, in bytes.
    pub mean: f64,
    /// The length of the longest key, in bytes.
    pub max: usize,
}

impl Load {
    /// The figures of counts; a step is judged if it has so many rows for each.
    fn of(steps: &Steps, least: u64) -> Self {
        let rows = steps.totals();
        let judged = |counts: &&Vec<u64>| counts.iter().sum::<u64>() >= least * rows.len() as u64;
        let step = |(at, counts): (&i64, &Vec<u64>)| {
            let most = counts.iter().max();
            let busiest = counts.iter().position(|count| Some(count) == most).unwrap_or(0);
            WorstStep { at: *at, hot_spot: hot_spot(counts), busiest, rows: counts.iter().sum() }
        };
        let judged = steps.starts.iter().zip(&steps.counts).filter(|(_, counts)| judged(counts)).map(step);
        // Of several the first.
        let worst = judged.min_by(|a, b| b.hot_spot.total_cmp(&a.hot_spot));
        let mean = |figure: fn(&[u64]) -> f64| {
            let weigh = |counts: &Vec<u64>| (counts.iter().sum::<u64>(), figure(counts));
            let weighed: Vec<(u64, f64)> = steps.counts.iter().map(weigh).collect();
            let all: u64 = weighed.iter().map(|(rows, _)| rows).sum();
            if all == 0 {
                return figure(&rows);
            }
            weighed.iter().map(|(rows, figure)| ratio(*rows, all) * figure).sum()
        };
        Self {
            hot_spot: hot_spot(&rows),
            worst_step: worst,
            mean_step: mean(hot_spot),
            gini: gini(&rows),
            evenness: evenness(&rows),
            evenness_in_steps: mean(evenness),
            count: rows.len(),
            idle: rows.iter().filter(|count| **count == 0).count(),
            rows,
        }
    }

    /// The figures of servers.
    pub(super) fn of_servers(steps: &Steps) -> Self {
        Self::of(steps, ROWS_OF_A_SERVER)
    }

    /// The worst step's factor; over the whole time where there are no steps that say anything.
    pub fn worst(&self) -> f64 {
        self.worst_step.map_or(self.hot_spot, |worst| worst.hot_spot)
    }
}

/// The figures of what was counted.
pub(crate) fn finish(
    design: &Design,
    parts: &[CutTable<'_>],
    tallies: Vec<Tally>,
    reads: Option<Reads>,
    options: &Options,
) -> Outcome {
    let indexes = design.table.indexes.iter().map(|index| index.name.as_str());
    let names = std::iter::once(design.name.as_str()).chain(indexes);
    let tables = names.zip(parts).zip(tallies);
    let (mut outcomes, servers): (Vec<Outcome>, Vec<Steps>) =
        tables.map(|((name, part), tally)| of_part(name, part, tally, options)).unzip();
    let tables = outcomes.iter().map(|own| own.servers.clone()).collect();
    let indexes = outcomes.split_off(1.min(outcomes.len()));
    let all = servers.into_iter().reduce(|sum, own| sum.plus(&own)).unwrap_or_default();
    let servers = Load::of_servers(&all);
    Outcome { servers, tables, indexes, reads, ..outcomes.pop().unwrap_or_default() }
}

/// The figures of one table by itself, and its rows on each server.
fn of_part(name: &str, part: &CutTable<'_>, tally: Tally, options: &Options) -> (Outcome, Steps) {
    let steps = tally.grid.finish(options.servers);
    let regions = steps.grouped(&part.region_of, part.regions.regions());
    let on_servers = regions.grouped(&part.server_of, options.servers);
    let folded = part.folded.as_ref().zip(tally.folded);
    let outcome = Outcome {
        name: name.to_owned(),
        key: part.key.source().to_owned(),
        order: order_of(part.key),
        rows: tally.rows,
        refused: tally.refused,
        refusal: tally.refusal,
        servers: Load::of_servers(&on_servers),
        key_bytes: KeyBytes { mean: ratio(tally.key_bytes, tally.rows), max: tally.longest },
        region_loads: region_loads(part, &regions.totals(), tally.rows),
        regions: Load::of(&regions, ROWS_OF_A_REGION),
        ranges: starts(&part.ranges),
        region_of: part.region_of.clone(),
        steps,
        folded: folded.map(|(folded, grid)| (starts(&folded.ranges), grid.finish(options.servers))),
        ..Outcome::default()
    };
    (outcome, on_servers)
}

fn starts(ranges: &crate::route::Router) -> Vec<Vec<u8>> {
    (0..ranges.regions()).map(|range| ranges.start(range).to_vec()).collect()
}

fn region_loads(part: &CutTable<'_>, rows: &[u64], all: u64) -> Vec<RegionLoad> {
    let load = |(region, rows): (usize, &u64)| RegionLoad {
        start: part.regions.start(region).to_vec(),
        server: part.server_of.get(region).copied().unwrap_or_default(),
        rows: *rows,
        share: ratio(*rows, all),
    };
    rows.iter().enumerate().map(load).collect()
}

/// The order in which all rows come, salt taken away.
fn order_of(key: &KeySchema) -> Vec<(String, Order)> {
    let options = PlanOptions { full_scan: true, ..PlanOptions::default() };
    let given = plan(key, &Query::default(), &options).map(|plan| plan.given).unwrap_or_default();
    given.into_iter().map(|(field, order)| (key.fields().get(field).name.clone(), order)).collect()
}
