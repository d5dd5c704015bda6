//! The cost of queries under a design.
//!
//! The sample stands for the table: each drawn query is planned as the program plans it, and [`crate::model`] says what the plan reads.
//! Rows found by an index without copies are read a second time.

use rowkey_core::FieldId;
use rowkey_core::query::{Plan, PlanOptions, Prices, Query, Via, plan_table};

use super::design::Design;
use super::figures::hot_spot;
use super::{Data, Options, SimulateError};
use crate::model::{CutTable, Paper, Reading, Scale};
use crate::workload::{AskedQuery, Drawn, DrawnQueries, WorkloadError};

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
    /// What it reads; rows that are looked up in the table count among the rows.
    pub reading: Reading,
    /// What that costs, in rows of a scan.
    pub cost: f64,
    /// The shares of draws that touch one region, several, and all of the table that answers.
    pub touched: [f64; 3],
    /// By which table it is answered: 0 is the table, 1 its first index table.
    pub by: usize,
    /// Whether its rows must be sorted.
    pub sorted: bool,
    /// Why it cannot be planned, if so.
    pub refused: Option<String>,
}

/// Plans and charges the drawn queries.
pub(super) fn read(
    design: &Design,
    parts: &[CutTable<'_>],
    data: &Data<'_>,
    asked: &DrawnQueries,
    scale: Scale,
    options: &Options,
) -> Result<Reads, SimulateError> {
    let papers: Vec<Paper<'_>> =
        parts.iter().map(|part| Paper::of(part, data, options.seed, scale)).collect();
    let early: Vec<Paper<'_>> = papers.iter().filter_map(Paper::early).collect();
    let mut on_servers = vec![0.0f64; options.servers];
    let mut costs = Vec::with_capacity(asked.queries.len());
    for query in &asked.queries {
        let (name, weight) = (query.query.name.clone(), query.query.weight);
        let mut cost = QueryCost { name, weight, ..QueryCost::default() };
        let plans = plans(query, design, asked, options, &mut cost)?;
        costs.push(charge(cost, &plans, (&papers, &early), &options.prices, &mut on_servers));
    }
    Ok(Reads::of(costs, &on_servers))
}

/// What each of some plans of one query costs, which has values for its `?`: the figures that a simulation gives where the query is in the
/// workload and the plan is taken.
///
/// # Errors
/// When the design needs a field that the data does not have.
pub fn cost_of_plans(
    design: &Design,
    data: &Data<'_>,
    query: &Query,
    plans: &[Plan],
    options: &Options,
) -> Result<Vec<QueryCost>, SimulateError> {
    let parts = CutTable::of(design, data, options.fineness()?)?;
    let scale = Scale::new(data.rows, options.records.unwrap_or(data.rows as u64), None);
    let papers: Vec<Paper<'_>> =
        parts.iter().map(|part| Paper::of(part, data, options.seed, scale)).collect();
    let drawn = Drawn::given(query, data);
    let mut on_servers = vec![0.0f64; options.servers];
    let cost = |plan: &Plan| {
        let plans = [(&drawn, plan.clone())];
        charge(QueryCost::default(), &plans, (&papers, &[]), &options.prices, &mut on_servers)
    };
    Ok(plans.iter().map(cost).collect())
}

/// What the plans of a query cost, in the mean of its draws.
fn charge(
    mut cost: QueryCost,
    plans: &[(&Drawn, Plan)],
    (papers, early): (&[Paper<'_>], &[Paper<'_>]),
    prices: &Prices,
    on_servers: &mut [f64],
) -> QueryCost {
    let read =
        |papers: &[Paper<'_>], (drawn, plan): &(&Drawn, Plan), busy: &mut dyn FnMut(usize, usize, f64)| {
            let (place, lookups) = by(plan);
            let (paper, table) = (&papers[place], &papers[0]);
            let reading = paper
                .read(paper.part.key, plan, drawn, prices, &mut |region, rows| busy(place, region, rows));
            if lookups {
                table.look_up(reading.lookups, prices, &mut |region, rows| busy(0, region, rows));
            }
            Reading { lookups: if lookups { reading.lookups } else { 0.0 }, ..reading }
        };
    let weight = f64::from(cost.weight) / plans.len().max(1) as f64;
    let mut busy = |place: usize, region: usize, rows: f64| {
        on_servers[papers[place].part.server_of[region] as usize] += weight * rows;
    };
    let each = plans.iter().map(|one| {
        let is_early = !early.is_empty() && one.0.early.is_some();
        (read(papers, one, &mut busy), is_early.then(|| read(early, one, &mut |_, _, _| {})))
    });
    let each: Vec<(Reading, Option<Reading>)> = each.collect();
    for ((reading, _), (_, plan)) in each.iter().zip(plans) {
        let regions = papers[by(plan).0].part.regions.regions();
        // Rows that are looked up may lie anywhere.
        cost.touched[touches(reading.regions + reading.lookups, regions)] += 1.0 / each.len() as f64;
    }
    let mut reading = Reading::over_draws(&each, papers.first().map_or(1.0, Paper::growth));
    let most = |place: &usize| plans.iter().filter(|(_, plan)| by(plan).0 == *place).count();
    cost.by = (0..papers.len()).max_by_key(|place| (most(place), usize::MAX - place)).unwrap_or(0);
    let key_bytes = papers.get(cost.by).map_or(0.0, Paper::mean_key);
    cost.cost = reading.cost(key_bytes, reading.lookups > 0.0, prices);
    // Rows that an index led to are read, too.
    reading.rows += reading.lookups;
    cost.sorted = plans.iter().any(|(_, plan)| !plan.sort.is_empty());
    cost.reading = reading;
    cost
}

/// Whether one region is touched (0), several (1) or all of so many (2).
pub(crate) fn touches(touched: f64, regions: usize) -> usize {
    match touched > 1.0 {
        false => 0,
        true => 1 + usize::from(touched >= regions as f64),
    }
}

/// The table that a plan reads, 0 for the table itself, and whether the rows found there are looked up in the table.
fn by(plan: &Plan) -> (usize, bool) {
    match plan.via {
        Via::Primary => (0, false),
        Via::Index { index, covered } => (index + 1, !covered),
    }
}

/// The plans of the drawn queries, as the program makes them; why the first has none goes to the cost.
fn plans<'q>(
    query: &'q AskedQuery,
    design: &Design,
    asked: &DrawnQueries,
    options: &Options,
    cost: &mut QueryCost,
) -> Result<Vec<(&'q Drawn, Plan)>, SimulateError> {
    let (fields, prices) = (design.table.key.fields(), options.prices);
    let same_fields = *fields == asked.fields;
    let by_name = |id: &FieldId| fields.id(&asked.fields.get(*id).name);
    let columns = query.columns.as_ref().map(|ids| ids.iter().filter_map(by_name).collect());
    let may = PlanOptions { full_scan: true, sort: true, columns, prices, ..PlanOptions::default() };
    let named = &query.query;
    let mut plans = Vec::with_capacity(query.drawn.len());
    for drawn in &query.drawn {
        let other;
        let parsed = if same_fields {
            &drawn.parsed
        } else {
            let given: Vec<&str> = drawn.parameters.iter().map(String::as_str).collect();
            let unreadable = |source| WorkloadError::Query { name: named.name.clone(), source };
            other = Query::parse_with(&named.condition, fields, &given).map_err(unreadable)?;
            &other
        };
        match plan_table(&design.table, parsed, &may) {
            Ok(choice) => plans.push((drawn, choice.plan)),
            Err(error) => {
                cost.refused.get_or_insert_with(|| error.to_string());
            }
        }
    }
    Ok(plans)
}

impl QueryCost {
    /// Ranges opened and rows asked for by their keys.
    pub fn ranges(&self) -> f64 {
        self.reading.ranges + self.reading.gets
    }

    /// Requests to regions: scanners opened there and rows asked for by their keys, also those that an index led to.
    pub fn calls(&self) -> f64 {
        self.reading.calls + self.reading.lookups
    }

    /// Ranges opened, and opened again behind jumps.
    pub fn opened(&self) -> f64 {
        self.ranges() + self.reading.jumps
    }

    /// Whether it reads the whole table, mostly.
    pub fn reads_all(&self) -> bool {
        self.reading.whole_table >= 0.5
    }

    /// Whether it reads the whole table.
    pub fn full_scan(&self) -> bool {
        self.reading.whole_table > 0.0
    }
}

impl Reads {
    fn of(queries: Vec<QueryCost>, on_servers: &[f64]) -> Self {
        let all: f64 = queries.iter().map(|query| f64::from(query.weight)).sum();
        let mean = |figure: &dyn Fn(&QueryCost) -> f64| {
            let sum: f64 = queries.iter().map(|query| f64::from(query.weight) * figure(query)).sum();
            if all == 0.0 { 0.0 } else { sum / all }
        };
        let (read, returned) = (mean(&|query| query.reading.rows), mean(&|query| query.reading.returned));
        let share = |is: bool| if is { 1.0 } else { 0.0 };
        let busy: Vec<u64> = on_servers.iter().map(|rows| rows.round() as u64).collect();
        Self {
            ranges_per_query: mean(&|query| query.ranges()),
            regions_per_query: mean(&|query| query.reading.regions),
            rows_read_per_row: if returned == 0.0 { 0.0 } else { read / returned },
            full_scans: mean(&|query| share(query.full_scan() || query.refused.is_some())),
            sorted: mean(&|query| share(query.sorted)),
            hot_spot: hot_spot(&busy),
            queries,
        }
    }
}
