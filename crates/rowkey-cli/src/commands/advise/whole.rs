//! Sends all records, not only those of the sample, through the shown designs.

use rowkey_core::Table;
use rowkey_core::table::Splits;
use rowkey_lab::advise::measure::Hot;
use rowkey_lab::advise::{Advice, Study};
use rowkey_lab::simulate::{Cut, Data, Design, Feed, Options, stream};
use rowkey_ops::input::{Batches, Input};
use rowkey_ops::processors;

use crate::args::Advise;
use crate::output::Bar;

/// Counts the writes of the shown designs over all records, as `simulate` does, where advice was made from some of them. Costs stay those of the
/// sample, by which designs are compared.
pub(super) fn count(
    advice: &mut Advice,
    study: &Study,
    input: &Input,
    arguments: &Advise,
) -> anyhow::Result<()> {
    if study.sample.data_rows <= advice.sample as u64 {
        return Ok(());
    }
    let mut designs = Vec::with_capacity(advice.proposals.len());
    for proposal in &advice.proposals {
        let table = Table::parse("advised.toml", &proposal.file)?;
        // A table file that was given and does not say it: the store will have split the table.
        let own = table.splits != Splits::None;
        designs
            .push(Design::of_table(table, if own { Cut::Own } else { Cut::Keys(proposal.splits.clone()) }));
    }
    let options = Options {
        time: study.time.map(|time| study.fields.get(time).name.clone()),
        servers: arguments.servers as usize,
        seed: arguments.seed,
        ..Options::default()
    };
    let batches = Batches::open(input.source()?, input.format, &study.fields, &input.label)?;
    let none = Data { fields: &study.fields, columns: &[], rows: 0 };
    let feed = Feed::Records(Box::new(batches));
    let counted = Bar::watching(input.bytes(), |watch| {
        stream(&designs, feed, &none, None, &options, processors(), watch)
    })?;
    for (proposal, outcome) in advice.proposals.iter_mut().zip(counted.outcomes) {
        proposal.figures.hot = Hot { usual: outcome.servers.mean_step, worst: outcome.servers.worst() };
        proposal.figures.key_bytes = outcome.key_bytes.mean;
    }
    Ok(())
}
