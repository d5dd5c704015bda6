//! The source of the records that are simulated.

use std::path::PathBuf;

use anyhow::bail;
use rowkey_core::FieldId;
use rowkey_core::batch::ColumnBuffer;
use rowkey_core::key::Fields;
use rowkey_lab::sample::{Sample, SampleOptions};
use rowkey_lab::simulate::{Data, Design, Feed, Options, Streamed, Workload, stream};
use rowkey_lab::traffic::{Article, Pattern, Traffic};
use rowkey_ops::input::{Batches, Format, Input, Source};
use rowkey_ops::processors;

use super::designs::{self, Read};
use crate::args::{Simulate, TrafficKind};
use crate::input_argument;
use crate::output::{Bar, Spinner};

/// Regions are cut by so many records.
const SAMPLE: usize = 100_000;

/// Where the records come from, and what they are.
pub(super) struct Origin {
    pub(super) fields: Fields,
    /// The field that says when a record is written.
    pub(super) time: Option<String>,
    /// The bytes of the data, if it is a file of text.
    pub(super) bytes: Option<u64>,
    /// The arguments that name it.
    pub(super) feed: String,
    kind: Kind,
}

enum Kind {
    Traffic(Traffic),
    Files(Box<Input>),
    /// Standard input, which can be read once.
    Pipe {
        source: std::cell::RefCell<Option<Source>>,
        input: Box<Input>,
    },
}

/// The article whose example data `--traffic` names; `None` for a pattern.
pub(super) fn article(kind: TrafficKind) -> Option<Article> {
    Some(match kind {
        TrafficKind::Phones => Article::Phones,
        TrafficKind::Messages => Article::Messages,
        TrafficKind::Orders => Article::Orders,
        TrafficKind::LogsFew => Article::LogsFewHosts,
        TrafficKind::LogsMany => Article::LogsManyHosts,
        TrafficKind::Salt1000 => Article::Salt1000,
        TrafficKind::Danmaku => Article::Danmaku,
        TrafficKind::SteppedIds => Article::SteppedIds,
        _ => return None,
    })
}

fn pattern(kind: TrafficKind) -> Pattern {
    match kind {
        TrafficKind::Bursts => Pattern::Bursts,
        TrafficKind::Zipf => Pattern::Zipf,
        TrafficKind::Celebrity => Pattern::Celebrity,
        TrafficKind::Clock => Pattern::Clock,
        _ => Pattern::Steady,
    }
}

impl Origin {
    pub(super) fn open(arguments: &Simulate, read: &[Read]) -> anyhow::Result<Self> {
        match (arguments.traffic, input_argument::some(&arguments.data)) {
            (Some(kind), _) => Self::traffic(kind, arguments, read),
            (None, Some(paths)) => Self::data(paths, arguments, read),
            (None, None) => {
                bail!("there are no records; name a file with --data, or make some up with --traffic")
            }
        }
    }

    fn traffic(kind: TrafficKind, arguments: &Simulate, read: &[Read]) -> anyhow::Result<Self> {
        let (records, seed) = (arguments.records, arguments.seed);
        let traffic = match article(kind) {
            Some(article) => Traffic::of_article(article, records, seed),
            None => {
                let fields = designs::own_fields(read)?;
                Traffic::of_pattern(pattern(kind), &fields, arguments.time.as_deref(), records, seed)?
            }
        };
        let time = arguments.time.clone().unwrap_or_else(|| traffic.fields.get(traffic.time).name.clone());
        let name = clap::ValueEnum::to_possible_value(&kind).map(|value| value.get_name().to_owned());
        let feed = format!("--traffic {} --records {records} --seed {seed}", name.unwrap_or_default());
        let fields = traffic.fields.clone();
        Ok(Self { fields, time: Some(time), bytes: None, feed, kind: Kind::Traffic(traffic) })
    }

    fn data(paths: &[PathBuf], arguments: &Simulate, read: &[Read]) -> anyhow::Result<Self> {
        let mut input = Box::new(input_argument::data(paths, &arguments.reading)?);
        let (guess, source) = input_argument::guessed(&mut input)?;
        let fields = designs::typed(&guess.fields, read)?;
        let time = arguments.time.clone();
        let bytes = input.bytes().filter(|_| input.format != Format::Parquet);
        let kind = match input.is_files() {
            true => Kind::Files(input),
            false => Kind::Pipe { source: std::cell::RefCell::new(Some(source)), input },
        };
        let named = time.as_ref().map_or_else(String::new, |time| format!(" --time {time}"));
        let feed = format!("--data {}{}{named}", input_argument::shown(paths), arguments.reading.words());
        Ok(Self { fields, time, bytes, feed, kind })
    }

    /// The fields that are needed.
    fn wanted(&self, designs: &[Design], workload: bool) -> Vec<FieldId> {
        if workload {
            return self.fields.iter().map(|(id, _)| id).collect();
        }
        let mut wanted: Vec<FieldId> = self.time.iter().filter_map(|time| self.fields.id(time)).collect();
        for design in designs {
            let table = &design.table;
            for key in [&table.key].into_iter().chain(table.indexes.iter().map(|index| &index.key)) {
                let named = key.named_fields();
                let names = named.iter().map(|field| key.fields().get(*field).name.as_str());
                wanted.extend(names.filter_map(|name| self.fields.id(name)));
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Records to cut regions by.
    pub(super) fn sample(
        &self,
        arguments: &Simulate,
        designs: &[Design],
    ) -> anyhow::Result<Vec<ColumnBuffer>> {
        let input = match &self.kind {
            Kind::Traffic(traffic) => return Ok(traffic.some(SAMPLE as u64)),
            Kind::Pipe { .. } => bail!(
                "regions are cut by a sample of the data first, and standard input can be read only once; give a file, or \
                 say where regions begin with --splits"
            ),
            Kind::Files(input) => input,
        };
        let options = SampleOptions {
            records: SAMPLE,
            seed: arguments.seed,
            threads: processors(),
            only: Some(self.wanted(designs, false)),
        };
        let source = input.source()?;
        let sample = Spinner::during("sampling", |_| {
            Sample::read(source, input.format, &self.fields, &input.label, &options)
        })?;
        let mut buffers: Vec<ColumnBuffer> =
            self.fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for (buffer, column) in buffers.iter_mut().zip(sample.columns()) {
            for row in 0..column.len() {
                buffer.push(&column.value(row))?;
            }
        }
        Ok(buffers)
    }

    pub(super) fn stream(
        &self,
        designs: &[Design],
        sample: &Data<'_>,
        workload: Option<&Workload>,
        options: &Options,
    ) -> anyhow::Result<Streamed> {
        let wanted = self.wanted(designs, workload.is_some());
        let (source, input) = match &self.kind {
            Kind::Traffic(traffic) => {
                let feed = Feed::Traffic(traffic);
                return Ok(Spinner::during("simulating", |_| {
                    stream(designs, feed, sample, workload, options, processors(), &mut |_| ())
                })?);
            }
            Kind::Files(input) => (input.source()?, input),
            Kind::Pipe { source, input } => match source.take() {
                Some(source) => (source, input),
                None => bail!("standard input was read already"),
            },
        };
        let batches = Batches::open_only(source, input.format, &self.fields, &wanted, &input.label)?;
        let feed = Feed::Records(Box::new(batches));
        Ok(Bar::watching(input.bytes(), |watch| {
            stream(designs, feed, sample, workload, options, processors(), watch)
        })?)
    }
}
