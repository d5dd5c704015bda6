//! What do the queries cost under a design?
//!
//! The sample stands for the table: its keys are sorted, each drawn query is planned, and its ranges are looked up among the
//! keys. A range under a limit reads no more rows than that, since every scanner is opened with it; where a condition is left
//! to check, rows are read until enough of them match. Rows found by an index without copies are read a second time.

use rowkey::batch::{BatchEncoder, Seed};
use rowkey::query::{Access, FanOut, Plan, PlanOptions, Query, SeekStep, Via, plan_table};
use rowkey::range::KeyRange;

use super::design::{Design, Encoded, Part, pick};
use super::figures::hot_spot;
use super::queries::{Asked, Drawn};
use super::{Data, Options, SimulateError};

/// Opening a range in a region, in rows of a scan: as the planner counts it.
const OPEN: f64 = 2.0;

/// What all queries cost together, by their weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reads {
    /// Ranges or single rows asked for, by query.
    pub ranges_per_query: f64,
    /// Regions touched, by query.
    pub regions_per_query: f64,
    /// Rows read for each row returned.
    pub rows_read_per_row: f64,
    /// The share of queries that read the whole table.
    pub full_scans: f64,
    /// The share of queries whose rows must be sorted.
    pub sorted: f64,
    /// The busiest server over the mean, by rows read and ranges opened.
    pub hot_spot: f64,
    /// Each query.
    pub queries: Vec<QueryCost>,
}

/// What one query costs, in the mean of its draws.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryCost {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: u32,
    /// Ranges or single rows asked for.
    pub ranges: f64,
    /// Regions touched.
    pub regions: f64,
    /// Rows read, of the sample.
    pub rows_read: f64,
    /// Rows returned, of the sample.
    pub rows_returned: f64,
    /// Whether it reads the whole table.
    pub full_scan: bool,
    /// Whether its rows must be sorted.
    pub sorted: bool,
    /// Why it cannot be planned, if so.
    pub refused: Option<String>,
}

/// Keys of a part, sorted, with where its regions begin among them.
struct Sorted<'p> {
    part: &'p Part<'p>,
    keys: Vec<Vec<u8>>,
    /// How many keys lie before each region.
    before: Vec<usize>,
}

impl<'p> Sorted<'p> {
    fn new(part: &'p Part<'p>, data: &Data<'_>, seed: u64) -> Self {
        let mut encoded = Encoded::default();
        let mut encoder = BatchEncoder::new(part.key);
        let seed = Seed { seed, first_record: 0 };
        encoded.encode(part.key, &mut encoder, &pick(&part.columns, data.columns), data.rows, seed);
        let mut keys: Vec<Vec<u8>> = encoded.keys.iter().map(<[u8]>::to_vec).collect();
        keys.sort_unstable();
        let before = |region: usize| {
            let start = part.regions.start(region);
            keys.partition_point(|key| key.as_slice() < start)
        };
        let before = (0..part.regions.regions()).map(before).collect();
        Self { part, keys, before }
    }

    /// The places of the keys of a range.
    fn places(&self, range: &KeyRange) -> (usize, usize) {
        let low = self.keys.partition_point(|key| range.is_after(key));
        let high = self.keys.partition_point(|key| !range.is_before(key));
        (low, high.max(low))
    }

    /// The regions that a range touches.
    fn regions(&self, range: &KeyRange) -> (usize, usize) {
        use std::ops::Bound;
        let regions = &self.part.regions;
        let first = regions.region(&range.first_key());
        let last = match &range.end {
            Bound::Unbounded => regions.regions() - 1,
            Bound::Included(end) => regions.region(end),
            Bound::Excluded(end) => {
                let region = regions.region(end);
                if region > 0 && regions.start(region) == end.as_slice() { region - 1 } else { region }
            }
        };
        (first, last.max(first))
    }

    /// The rows that a range really reads, where it skips some.
    fn visited(&self, fan_out: &FanOut, (low, high): (usize, usize)) -> usize {
        let Some(seek) = &fan_out.seek else { return high - low };
        let keys = self.keys.get(low..high).unwrap_or_default();
        let mut at = 0;
        let mut visited = 0;
        while let Some(key) = keys.get(at) {
            visited += 1;
            // Skipping backward visits about the same rows.
            match seek.next(key, rowkey::Order::Ascending) {
                SeekStep::Match => at += 1,
                SeekStep::To(next) => {
                    let rest = keys.get(at + 1..).unwrap_or_default();
                    at += 1 + rest.partition_point(|key| *key < next);
                }
                SeekStep::Done => break,
            }
        }
        visited
    }
}

/// What one drawn query does.
#[derive(Default)]
struct Cost {
    ranges: usize,
    regions: usize,
    rows_read: f64,
}

/// Plans and charges the drawn queries.
pub(super) fn read(
    design: &Design,
    parts: &[Part<'_>],
    data: &Data<'_>,
    asked: &Asked,
    options: &Options,
) -> Result<Reads, SimulateError> {
    let sorted: Vec<Sorted<'_>> = parts.iter().map(|part| Sorted::new(part, data, options.seed)).collect();
    let queries = &asked.workload.queries;
    let mut costs: Vec<QueryCost> = queries
        .iter()
        .map(|query| QueryCost { name: query.name.clone(), weight: query.weight, ..QueryCost::default() })
        .collect();
    let mut draws = vec![0u32; queries.len()];
    let mut on_servers = vec![0.0f64; options.servers];
    let same_fields = *design.table.key.fields() == asked.fields;
    let may = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
    for drawn in &asked.drawn {
        let (Some(cost), Some(times), Some(query)) =
            (costs.get_mut(drawn.query), draws.get_mut(drawn.query), queries.get(drawn.query))
        else {
            continue;
        };
        let other;
        let parsed = if same_fields {
            &drawn.parsed
        } else {
            let given: Vec<&str> = drawn.parameters.iter().map(String::as_str).collect();
            other = Query::parse_with(&query.text, design.table.key.fields(), &given)
                .map_err(|source| SimulateError::Query { name: query.name.clone(), source })?;
            &other
        };
        let plan = match plan_table(&design.table, parsed, &may, None) {
            Ok(choice) => choice.plan,
            Err(error) => {
                cost.refused.get_or_insert_with(|| error.to_string());
                continue;
            }
        };
        let weight = f64::from(query.weight);
        let one = charge(&sorted, &plan, drawn, weight, &mut on_servers);
        *times += 1;
        cost.ranges += one.ranges as f64;
        cost.regions += one.regions as f64;
        cost.rows_read += one.rows_read;
        cost.rows_returned += drawn.returned() as f64;
        cost.full_scan |= plan.whole_table && !bounded(&plan);
        cost.sorted |= !plan.sort.is_empty();
    }
    for (cost, times) in costs.iter_mut().zip(&draws) {
        let times = f64::from((*times).max(1));
        cost.ranges /= times;
        cost.regions /= times;
        cost.rows_read /= times;
        cost.rows_returned /= times;
    }
    Ok(Reads::of(costs, &on_servers))
}

impl Reads {
    fn of(queries: Vec<QueryCost>, on_servers: &[f64]) -> Self {
        let all: f64 = queries.iter().map(|query| f64::from(query.weight)).sum();
        let mean = |figure: &dyn Fn(&QueryCost) -> f64| {
            let sum: f64 = queries.iter().map(|query| f64::from(query.weight) * figure(query)).sum();
            if all == 0.0 { 0.0 } else { sum / all }
        };
        let returned = mean(&|query| query.rows_returned);
        let share = |is: bool| if is { 1.0 } else { 0.0 };
        let busy: Vec<u64> = on_servers.iter().map(|rows| rows.round() as u64).collect();
        Self {
            ranges_per_query: mean(&|query| query.ranges),
            regions_per_query: mean(&|query| query.regions),
            rows_read_per_row: if returned == 0.0 { 0.0 } else { mean(&|query| query.rows_read) / returned },
            full_scans: mean(&|query| share(query.full_scan || query.refused.is_some())),
            sorted: mean(&|query| share(query.sorted)),
            hot_spot: hot_spot(&busy),
            queries,
        }
    }
}

/// Whether a plan stops after its limit.
fn bounded(plan: &Plan) -> bool {
    plan.limit.is_some() && plan.residual.is_true() && plan.sort.is_empty()
}

/// Charges a plan to the servers that it reads from.
fn charge(sorted: &[Sorted<'_>], plan: &Plan, drawn: &Drawn, weight: f64, servers: &mut [f64]) -> Cost {
    let place = match plan.via {
        Via::Primary => 0,
        Via::Index { index, .. } => index + 1,
    };
    let Some(table) = sorted.get(place) else { return Cost::default() };
    let mut cost = Cost { ranges: plan.access.len(), ..Cost::default() };
    let mut busy = |table: &Sorted<'_>, region: usize, rows: f64| {
        let server = table.part.server_of.get(region).copied().unwrap_or_default();
        if let Some(sum) = servers.get_mut(server as usize) {
            *sum += weight * rows;
        }
    };
    match &plan.access {
        Access::Nothing => {}
        Access::Gets(keys) => {
            for key in keys {
                cost.regions += 1;
                cost.rows_read += 1.0;
                busy(table, table.part.regions.region(key), 1.0 + OPEN);
            }
        }
        Access::Ranges(fan_outs) => {
            // Where conditions are left, rows are read until enough of them match.
            let enough = match plan.limit.filter(|_| plan.sort.is_empty() && !plan.residual.is_true()) {
                Some(limit) if drawn.matching > limit => limit as f64 / drawn.matching as f64,
                _ => 1.0,
            };
            let limit = if bounded(plan) { plan.limit.unwrap_or(usize::MAX) } else { usize::MAX };
            for fan_out in fan_outs {
                for range in &fan_out.ranges {
                    let (low, high) = table.places(range);
                    let read = table.visited(fan_out, (low, high)).min(limit) as f64 * enough;
                    let (first, last) = table.regions(range);
                    cost.rows_read += read;
                    for region in first..=last {
                        let from = table.before.get(region).copied().unwrap_or(0).max(low);
                        let to = table.before.get(region + 1).copied().unwrap_or(table.keys.len()).min(high);
                        let share = to.saturating_sub(from) as f64 / (high - low).max(1) as f64;
                        // A scan that has enough goes to no further region.
                        if first < last && share == 0.0 && limit < usize::MAX {
                            continue;
                        }
                        cost.regions += 1;
                        busy(table, region, read * share + OPEN);
                    }
                }
            }
        }
    }
    // Rows of an index without copies are read again from the table, wherever they are.
    if let (Via::Index { covered: false, .. }, Some(primary)) = (plan.via, sorted.first()) {
        let again = drawn.returned() as f64;
        cost.rows_read += again;
        let all = primary.keys.len().max(1) as f64;
        for region in 0..primary.part.regions.regions() {
            let end = primary.before.get(region + 1).copied().unwrap_or(primary.keys.len());
            let here = (end - primary.before.get(region).copied().unwrap_or(0)) as f64;
            busy(primary, region, again * (1.0 + OPEN) * here / all);
        }
    }
    cost
}
