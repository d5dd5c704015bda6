//! Simulates where the rows of a design go, when, and what reading them costs.
//!
//! Every record is encoded by the design's key, routed to its region and counted by time step; regions are assigned to servers
//! round-robin, as HBase does. What comes out ([`Outcome`]) is how hot the busiest server gets, how even the regions are, how long
//! the keys are, and, with queries, how many ranges and rows each of them reads.
//!
//! ```text
//!  records ──encode──► keys ──route──► ranges ──count──► (step, range) ──► regions ──► servers
//!                        └─ sorted sample ◄── plans of the queries, with values drawn from the data
//! ```
//!
//! Two ways in: [`in_memory`] over columns that are in memory (the advisor runs it on its sample for each design that
//! it proposes; candidates it ranks by [`crate::advise::measure`]), and [`stream()`] over a file of any size in bounded memory.
//!
//! **Laws** (`tests/simulate`): both ways give the same figures; every record is counted once. **Truth** (`tests/truth`): shares of
//! writes, rows read and calls are those of a real HBase with the same splits.
//!
//! Not here: pictures ([`crate::heat`]) and verdicts ([`crate::diagnose`]).

pub(crate) mod count;
mod design;
pub mod figures;
mod grid;
mod grow;
mod outcome;
pub(crate) mod reads;
mod stream;

use rowkey_core::key::{Field, Fields};
use rowkey_core::query::Prices;
use rowkey_core::remedy::Remedy;
use rowkey_core::types::Kind;

pub use design::{Cut, Design};
pub use grid::Steps;
pub use grow::{Growth, GrowthOptions, SplitDone, grow};
pub use outcome::{KeyBytes, Load, Outcome, RegionLoad, WorstStep};
pub use reads::{QueryCost, Reads, cost_of_plans};
pub use stream::{Feed, StreamError, Streamed, needs_sample, stream};

pub use crate::model::{Data, Scale};
pub use crate::workload::{DrawnQueries, Workload};

use crate::model::{CutTable, Fineness, NoGrowth};
use crate::sample::lots::USUAL;
use crate::workload::WorkloadError;
use count::Counter;

/// How to simulate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The field that says when a record is written; without one there are no steps.
    pub time: Option<String>,
    /// The length of a step in milliseconds; as it fits the data if left out.
    pub step: Option<i64>,
    /// How many servers the regions are assigned to, round-robin; at least 1.
    pub servers: usize,
    /// What random parts and parameters are drawn from.
    pub seed: u64,
    /// How many ranges of keys are counted; fewer than regions means the regions.
    pub ranges: usize,
    /// Whether keys are counted without their leading salt, too.
    pub folded: bool,
    /// How many records the data has, if these are only a sample of them.
    pub records: Option<u64>,
    /// How many rows the table will have when queries are asked of it; as many as records if left out.
    pub rows: Option<u64>,
    /// For how many years the table will grow as the data did, instead of `rows`.
    pub years: Option<u32>,
    /// How many records of a stream stand for all where queries are asked.
    pub sample: usize,
    /// What reading costs.
    pub prices: Prices,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            time: None,
            step: None,
            servers: 4,
            seed: 0,
            ranges: 0,
            folded: false,
            records: None,
            rows: None,
            years: None,
            sample: USUAL,
            prices: Prices::EMBEDDED,
        }
    }
}

/// Why nothing was simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// A field of the key that the data does not have.
    #[error("design {design} needs the field `{field}`, which the data does not have; it has {known}")]
    MissingField {
        /// The name of the design.
        design: String,
        /// The field's name.
        field: String,
        /// The fields of the data.
        known: String,
    },
    /// The time is taken from a field that is none.
    #[error(
        "the time cannot be taken from `{field}`: {why}; name a timestamp, or a number of milliseconds or seconds, with {}",
        Remedy::Time
    )]
    Time {
        /// The field's name.
        field: String,
        /// What is wrong with it.
        why: String,
    },
    /// A query that cannot be asked.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Growth by years without times.
    #[error(transparent)]
    Years(#[from] NoGrowth),
    /// Regions need servers.
    #[error("regions cannot be assigned to 0 servers; give at least 1")]
    NoServers,
}

/// Simulates designs over records in memory, with the queries of the workload if there are any.
///
/// # Errors
/// When a design needs a field that the data does not have, or the time field is no time.
pub fn in_memory(
    designs: &[Design],
    data: &Data<'_>,
    workload: Option<&DrawnQueries>,
    options: &Options,
) -> Result<Vec<Outcome>, SimulateError> {
    let time = time_column(data.fields, options)?;
    let fine = options.fineness()?;
    designs
        .iter()
        .map(|design| {
            let parts = CutTable::of(design, data, fine)?;
            let mut counter = Counter::new(&parts, options, 1);
            counter.add(data.columns, time, data.rows, 0);
            let scale = options.scale(data, options.records.unwrap_or(data.rows as u64), time)?;
            let reads =
                workload.map(|asked| reads::read(design, &parts, data, asked, scale, options)).transpose()?;
            Ok(outcome::finish(design, &parts, counter.into_tallies(), reads, options))
        })
        .collect()
}

impl Options {
    /// What records stand for, of so many.
    fn scale(&self, data: &Data<'_>, records: u64, time: Option<usize>) -> Result<Scale, SimulateError> {
        let after = |years: u32| data.rows_after(f64::from(years), records, time);
        let rows = self.years.map(after).transpose()?.or(self.rows);
        Ok(Scale::new(data.rows, records, rows))
    }

    fn fineness(&self) -> Result<Fineness, SimulateError> {
        if self.servers == 0 {
            return Err(SimulateError::NoServers);
        }
        let Self { servers, seed, ranges, folded, .. } = *self;
        Ok(Fineness { ranges, folded, servers, seed })
    }
}

/// The place of the time field.
fn time_column(fields: &Fields, options: &Options) -> Result<Option<usize>, SimulateError> {
    let Some(name) = &options.time else { return Ok(None) };
    let wrong = |why: String| SimulateError::Time { field: name.clone(), why };
    let known = || fields.names().collect::<Vec<_>>().join(", ");
    let id = fields.id(name).ok_or_else(|| wrong(format!("the data has only {}", known())))?;
    let Field { ty, .. } = fields.get(id);
    match ty.kind() {
        Kind::Time | Kind::Integer => Ok(Some(id.0)),
        _ => Err(wrong(format!("it is a field of type {ty}"))),
    }
}
