//! `rowkey simulate FILE|KEY… --data DATA`

mod cures;
mod designs;
mod drawings;
mod figures;
mod source;

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::diagnose::{Diagnosis, diagnose_table};
use rowkey_lab::simulate::{
    Data, Growth, GrowthOptions, Options, Outcome, Streamed, Workload, grow, needs_sample,
};

use crate::args::Simulate;
use crate::output::{Output, counted, counted_rows};
use crate::{Answer, input_argument, settings};

use cures::Situation;
use designs::Designs;
pub(super) use designs::cut_indexes;
use source::Origin;

/// So finely keys are looked at when regions grow.
const RANGES_TO_GROW: usize = 1024;
/// The bytes of a made-up row.
const ROW_BYTES: f64 = 200.0;

/// A design with everything that is told about it.
struct Told {
    argument: String,
    outcome: Outcome,
    growth: Option<Growth>,
    verdicts: Vec<Verdict>,
}

/// What a diagnosis says, and the command that does something about it.
struct Verdict {
    diagnosis: Diagnosis,
    command: Option<String>,
}

pub(crate) fn run(arguments: &Simulate, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let read = designs::read(arguments, store)?;
    for design in &read {
        if let Some(regions) = design.live_regions(arguments) {
            let (name, regions) = (&design.argument, counted(regions, "region"));
            let told = format!("{name} in its {regions} of the store; --regions N simulates others");
            output.text(&told)?;
        }
    }
    let origin = Origin::open(arguments, &read)?;
    let priced = settings::prices_or(arguments.prices, store)?;
    let Designs { designs, workload, arguments: of_design } = designs::over(arguments, read, &origin)?;
    drawings::check(arguments, designs.len())?;
    let ranges = match (arguments.grow, arguments.ranges) {
        (true, _) => RANGES_TO_GROW,
        (false, ranges) => ranges.unwrap_or(0) as usize,
    };
    let options = Options {
        time: origin.time.clone(),
        step: arguments.step,
        servers: arguments.servers as usize,
        seed: arguments.seed,
        ranges,
        folded: arguments.folded,
        rows: arguments.rows,
        years: arguments.years,
        sample: arguments.sample as usize,
        prices: priced.prices,
        ..Options::default()
    };
    if let Some(told) = priced.told().filter(|_| workload.is_some()) {
        output.note(&told);
    }
    let streamed = simulate(arguments, &origin, &designs, workload.as_ref(), &options)?;
    for reason in &streamed.refused.first {
        output.note(&format!("left out: {reason}"));
    }
    if streamed.refused.count > 0 {
        output.note(&format!("{} could not be read and are left out", counted_rows(streamed.refused.count)));
    }
    let columns: Vec<Column<'_>> = streamed.sample.iter().map(ColumnBuffer::column).collect();
    let sample = Data { fields: &origin.fields, columns: &columns, rows: streamed.sampled };
    let data = input_argument::some(&arguments.data).map(input_argument::shown);
    let mut told = Vec::with_capacity(designs.len());
    for ((outcome, design), argument) in streamed.outcomes.into_iter().zip(&designs).zip(of_design) {
        let growth = arguments.grow.then(|| {
            let row_bytes = arguments.row_bytes.map_or_else(
                || origin.bytes.map_or(ROW_BYTES, |bytes| bytes as f64 / streamed.records.max(1) as f64),
                |bytes| bytes as f64,
            );
            let policy = rowkey_store::SplitPolicy::default();
            grow(&outcome, &GrowthOptions { policy, row_bytes, servers: options.servers })
        });
        let situation = Situation { feed: &origin.feed, data: data.as_deref(), design: &argument };
        let told_of = |diagnosis: Diagnosis| {
            let command = diagnosis.cure.as_ref().and_then(|cure| situation.command(&cure.next));
            Verdict { diagnosis, command }
        };
        let found = diagnose_table(&outcome, &design.table, Some(&sample));
        let verdicts = found.into_iter().map(told_of).collect();
        told.push(Told { argument, outcome, growth, verdicts });
    }
    figures::print(&told, &options, streamed.records, output)?;
    drawings::draw(arguments, &told, &designs, output)?;
    Ok(Answer::Yes)
}

/// The simulation itself, with a sample first if regions are cut by one.
fn simulate(
    arguments: &Simulate,
    origin: &Origin,
    designs: &[rowkey_lab::simulate::Design],
    workload: Option<&Workload>,
    options: &Options,
) -> anyhow::Result<Streamed> {
    let buffers =
        if needs_sample(designs, options) { origin.sample(arguments, designs)? } else { Vec::new() };
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let rows = columns.iter().map(Column::len).max().unwrap_or(0);
    let sample = Data { fields: &origin.fields, columns: &columns, rows };
    origin.stream(designs, &sample, workload, options)
}
