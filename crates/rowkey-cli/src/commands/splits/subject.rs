//! What split points are computed for: a key, with its table, what is known of its fields, and sample keys.

use std::path::PathBuf;

use anyhow::{Context, bail};
use rowkey_core::key::{Field, Fields};
use rowkey_core::split::{self, Ranges, SampleSplits};
use rowkey_core::types::Kind;
use rowkey_core::value::read;
use rowkey_core::{FieldId, Findings, KeySchema, Table, Value};
use rowkey_lab::key_sample::{KeySample, Options, Weight};
use rowkey_ops::input::{Input, Source};
use rowkey_ops::processors;

use crate::args::{Reading, Within};
use crate::input_argument;
use crate::key_argument::Named;
use crate::output::Bar;

/// So many keys stand for a table that `create --data` cuts.
const KEPT: usize = 200_000;

/// A key, or a table and its key.
pub(super) struct Subject {
    pub(super) what: Named,
    /// How it was named, for commands to copy.
    pub(super) named: String,
}

impl Subject {
    pub(super) fn of(argument: &str, store: &str) -> anyhow::Result<Self> {
        let what = Named::of(argument, store)?;
        let named = if what.table().is_none() { format!("'{argument}'") } else { argument.to_owned() };
        Ok(Self { what, named })
    }

    pub(super) fn key(&self) -> &KeySchema {
        self.what.key()
    }

    pub(super) fn table(&self) -> Option<&Table> {
        self.what.table()
    }

    /// The ranges that `--range FIELD=LOW..HIGH` gives.
    pub(super) fn ranges(&self, within: &Within) -> anyhow::Result<Ranges> {
        let mut ranges = Ranges::new();
        for text in &within.range {
            let wrong = || {
                format!("--range {text} is no range; write it as FIELD=LOW..HIGH, such as user_id=0..1000000")
            };
            let (name, bounds) = text.split_once('=').with_context(wrong)?;
            let (low, high) = bounds.split_once("..").with_context(wrong)?;
            let field = self.field(name)?;
            let ty = self.key().fields().get(field).ty;
            if !matches!(ty.kind(), Kind::Integer | Kind::Time) {
                bail!("--range {text}: the field `{name}` is {ty}; only numbers and times have a range");
            }
            let number = |text: &str| match read(text.trim(), ty)? {
                Value::Int(number) => Ok(number),
                Value::Time(millis) => Ok(i128::from(millis)),
                _ => bail!("`{text}` is no number"),
            };
            let (low, high) = (number(low).with_context(wrong)?, number(high).with_context(wrong)?);
            if low > high {
                bail!("--range {text}: {low} lies above {high}; the smaller comes first");
            }
            ranges.set(field, low, high);
        }
        Ok(ranges)
    }

    fn field(&self, name: &str) -> anyhow::Result<FieldId> {
        let fields = self.key().fields();
        fields.id(name).with_context(|| {
            let names: Vec<&str> = fields.names().collect();
            format!("there is no field `{name}`; the fields are {}", names.join(", "))
        })
    }

    /// Keys of the data, weighted as asked for: `rows`, `bytes` or `requests=FIELD`.
    pub(super) fn sample(&self, within: &Within, weight: &str) -> anyhow::Result<KeySample> {
        let Some(paths) = input_argument::some(&within.data) else {
            bail!("a sample needs data; name a CSV, JSON or Parquet file with --data")
        };
        let mut input = input_argument::data(paths, &within.reading)?;
        // A key by itself does not say what else is in the data.
        let (key, source) = match self.table() {
            Some(_) => (self.key().clone(), input.source()?),
            None => over_data(self.key(), &mut input)?,
        };
        let weight = match (weight, self.table()) {
            ("rows", _) => Weight::Rows,
            ("bytes", Some(table)) => Weight::RowBytes(table),
            ("bytes", None) => Weight::KeyBytes,
            (other, _) => {
                let Some(name) = other.strip_prefix("requests=") else {
                    bail!("--weight {other} is not known; write rows, bytes, or requests=FIELD");
                };
                let field = key.fields().id(name).with_context(|| {
                    let names: Vec<&str> = key.fields().names().collect();
                    format!(
                        "--weight {other}: there is no field `{name}`; the fields are {}",
                        names.join(", ")
                    )
                })?;
                let ty = key.fields().get(field).ty;
                if ty.kind() != Kind::Integer {
                    bail!(
                        "--weight {other}: the field `{name}` is {ty}, and only a whole number counts requests"
                    );
                }
                Weight::Field(field)
            }
        };
        let options = Options { weight, keep: within.sample, seed: within.seed, threads: processors() };
        read_keys(&input, source, &key, &options)
    }
}

/// The same key over all fields of the data; those of the key keep the types that the key gives them.
fn over_data(key: &KeySchema, input: &mut Input) -> anyhow::Result<(KeySchema, Source)> {
    let (guess, source) = input_argument::guessed(input)?;
    let typed = |field: &Field| match key.fields().id(&field.name) {
        Some(own) => key.fields().get(own).clone(),
        None => field.clone(),
    };
    let mut fields: Vec<Field> = guess.fields.iter().map(|(_, field)| typed(field)).collect();
    // What the data lacks is told when it is read.
    let missing = key.fields().iter().filter(|(_, field)| guess.fields.id(&field.name).is_none());
    fields.extend(missing.map(|(_, field)| field.clone()));
    let compiled = KeySchema::with_fields(key.source(), &Fields::new(fields));
    let compiled = compiled.map_err(|findings| Findings::new("key", key.source(), findings))?;
    Ok((compiled, source))
}

fn read_keys(
    input: &Input,
    source: Source,
    key: &KeySchema,
    options: &Options<'_>,
) -> anyhow::Result<KeySample> {
    Ok(Bar::watching(input.bytes(), |watch| {
        KeySample::read(source, input.format, &input.label, key, options, watch)
    })?)
}

/// Where the sample data of `create --data` cuts a table.
pub(crate) fn sampled_points(
    table: &Table,
    regions: u32,
    data: &[PathBuf],
    reading: &Reading,
) -> anyhow::Result<SampleSplits> {
    let input = input_argument::data(data, reading)?;
    let options = Options { weight: Weight::Rows, keep: KEPT, seed: 0, threads: processors() };
    let sample = read_keys(&input, input.source()?, &table.key, &options)?;
    Ok(split::from_sample(sample.keys, regions)?)
}
