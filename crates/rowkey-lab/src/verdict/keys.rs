//! What is known of every key of the data.

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch, Values};
use rowkey_core::check::DataFacts;
use rowkey_core::key::{Draws, EncodeError};
use rowkey_core::{FieldId, Value};
use rowkey_ops::external_sort::{ExternalSort, SortError};
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Format, Position, Refused};
use xxhash_rust::xxh3::xxh3_64;

use super::spread::{KEYS, SampledKey, Spread};
use super::{Judged, Reading, Shared};
use crate::profile::Stride;
use crate::sample::Refusals;
use crate::sample::lots::{BatchPlace, Lots};
use crate::sample::reservoir::Drawer;

/// A line that is only about right, as cells with line ends are in between.
const ABOUT: u64 = 1 << 63;

/// A thread that encodes.
pub(super) struct Encoder<'k> {
    families: &'k [Vec<FieldId>],
    keys: Vec<KeyEncoder<'k>>,
}

/// The same for one of the keys.
struct KeyEncoder<'k> {
    encoder: BatchEncoder<'k>,
    keys: KeyBatch,
    salts: Option<BatchEncoder<'k>>,
    salted: KeyBatch,
    drawer: Drawer<'k>,
}

/// What a batch gives.
pub(super) struct Encoded {
    /// Of the keys in the table.
    hashes: Vec<u64>,
    steps: Vec<Option<Stride>>,
    families: Vec<u64>,
    keys: Vec<EncodedKeys>,
}

/// The keys of a batch in one of the tables.
struct EncodedKeys {
    bytes: u64,
    longest: u64,
    sampled: (BatchPlace, u64, Lots<SampledKey>),
}

impl<'k> Encoder<'k> {
    pub(super) fn new(judged: &'k Judged<'_>, shared: &'k [Shared<'k>]) -> Self {
        let of = |own: &'k Shared<'k>| KeyEncoder {
            encoder: BatchEncoder::new(own.key),
            keys: KeyBatch::new(),
            salts: own.salts.key.as_ref().map(BatchEncoder::new),
            salted: KeyBatch::new(),
            drawer: Drawer::new(KEYS, 0, &own.bar),
        };
        Self { families: &judged.families, keys: shared.iter().map(of).collect() }
    }
}

impl KeyEncoder<'_> {
    fn encode(&mut self, columns: &[Column<'_>]) -> Option<()> {
        self.encoder.encode(columns, &mut self.keys).ok()?;
        if let Some(salts) = &mut self.salts {
            salts.encode(columns, &mut self.salted).ok()?;
        }
        Some(())
    }

    fn encoded(&self) -> EncodedKeys {
        let own = |keys: &KeyBatch, row| keys.get(row).unwrap_or_default().to_vec();
        EncodedKeys {
            bytes: self.keys.byte_len() as u64,
            longest: self.keys.iter().map(<[u8]>::len).max().unwrap_or(0) as u64,
            sampled: self.drawer.draw(self.keys.len(), |row| (own(&self.keys, row), own(&self.salted, row))),
        }
    }
}

impl BatchWork for Encoder<'_> {
    type Made = Encoded;

    fn begin(&mut self, at: Position) {
        self.keys.iter_mut().for_each(|own| own.drawer.begin(at));
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Encoded> {
        // All of them, before any draws: a record that one of them refuses is in none.
        self.keys.iter_mut().try_for_each(|own| own.encode(columns))?;
        Some(Encoded {
            hashes: self.keys.first()?.keys.iter().map(xxh3_64).collect(),
            steps: columns.iter().map(step).collect(),
            families: self.families.iter().map(|fields| present(fields, columns)).collect(),
            keys: self.keys.iter().map(KeyEncoder::encoded).collect(),
        })
    }
}

/// The steps of a column of whole numbers or times.
fn step(column: &Column<'_>) -> Option<Stride> {
    let nulls = column.nulls().unwrap_or_default();
    let number = |row: usize| match column.values() {
        _ if nulls.get(row) == Some(&true) => None,
        Values::I64(values) | Values::Time(values) => values.get(row).copied(),
        Values::U64(values) => i64::try_from(*values.get(row)?).ok(),
        _ => None,
    };
    Stride::of((0..column.len()).filter_map(number))
}

/// How many records have a value in any of the fields.
fn present(fields: &[FieldId], columns: &[Column<'_>]) -> u64 {
    let rows = columns.iter().map(Column::len).max().unwrap_or(0);
    let own: Vec<&Column<'_>> = fields.iter().filter_map(|field| columns.get(field.0)).collect();
    let always =
        |column: &&Column<'_>| column.nulls().is_none() && !matches!(column.values(), Values::Any(_));
    if own.iter().any(|column| always(column) && column.len() == rows) {
        return rows as u64;
    }
    (0..rows).filter(|row| own.iter().any(|column| !column.value(*row).is_null())).count() as u64
}

/// Keys in the order of the data.
pub(super) struct Keys<'a> {
    families: &'a [Vec<FieldId>],
    sort: ExternalSort,
    /// Why the sort failed.
    pub(super) failed: Option<SortError>,
    place: &'static str,
    keys: Vec<KeysOf<'a>>,
    facts: DataFacts,
    refused: Refusals,
    steps: Vec<Option<Stride>>,
    /// The line of the next record.
    line: u64,
}

/// The keys of one of the tables.
struct KeysOf<'a> {
    of: &'a Shared<'a>,
    spread: Spread<'a>,
    facts: DataFacts,
    bytes: Vec<u8>,
    salted: Vec<u8>,
}

impl KeysOf<'_> {
    fn add(&mut self, rows: u64, bytes: u64, longest: u64) {
        self.facts.records += rows;
        self.facts.key_bytes += bytes;
        self.facts.longest_key = self.facts.longest_key.max(longest);
    }

    fn encode(&mut self, values: &[Value<'_>], number: u64) -> Result<(), EncodeError> {
        self.bytes.clear();
        self.of.key.encode_with(values, &mut Draws::new(0, number), &mut self.bytes)?;
        self.salted.clear();
        self.of.salts.key.as_ref().map_or(Ok(()), |salts| salts.encode(values, &mut self.salted))
    }

    fn finish(mut self, steps: &[Option<Stride>]) -> DataFacts {
        let multiples = (0..).map(FieldId).zip(steps);
        self.facts.multiples =
            multiples.filter_map(|(field, step)| Some((field, step.as_ref()?.multiple()?))).collect();
        self.spread.finish(&mut self.facts);
        self.facts
    }
}

impl<'a> Keys<'a> {
    pub(super) fn new(
        judged: &'a Judged<'_>,
        shared: &'a [Shared<'a>],
        format: Format,
        reading: &Reading,
    ) -> Self {
        let families = vec![0; judged.families.len()];
        let of = |of: &'a Shared<'a>| KeysOf {
            of,
            spread: Spread::new(of),
            facts: DataFacts::default(),
            bytes: Vec::new(),
            salted: Vec::new(),
        };
        Self {
            families: &judged.families,
            sort: ExternalSort::new(reading.memory, reading.folder.clone()),
            failed: None,
            place: if format == Format::Parquet { "row" } else { "line" },
            keys: shared.iter().map(of).collect(),
            facts: DataFacts { families, ..DataFacts::default() },
            refused: Refusals::default(),
            steps: vec![None; shared.first().map_or(0, |own| own.key.fields().len())],
            // The first line of CSV has the names.
            line: if format == Format::Csv { 2 } else { 1 },
        }
    }

    fn push(&mut self, hash: u64, line: u64) -> std::io::Result<()> {
        self.sort.push(&hash.to_be_bytes(), &line.to_be_bytes()).map_err(|error| {
            let told = std::io::Error::other(error.to_string());
            self.failed = Some(error);
            told
        })
    }

    fn add(&mut self, steps: Vec<Option<Stride>>, families: &[u64]) {
        for (own, step) in self.steps.iter_mut().zip(steps) {
            *own = Stride::merged(*own, step);
        }
        self.facts.families.iter_mut().zip(families).for_each(|(own, rows)| *own += rows);
    }

    pub(super) fn finish(mut self) -> Result<DataFacts, SortError> {
        let shown = |line: u64| match line & ABOUT {
            0 => format!("{} {line}", self.place),
            _ => format!("{} {} or a little later", self.place, line & !ABOUT),
        };
        let mut sorted = self.sort.finish()?;
        let mut before: Option<(u64, u64)> = None;
        let mut example: Option<(u64, u64)> = None;
        while let Some((hash, line)) = sorted.next()? {
            let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
            let (hash, line) = (number(hash), number(line));
            match before {
                Some((same, first)) if same == hash => {
                    self.facts.duplicates += 1;
                    // Of all pairs the one that a reader of the data meets first.
                    if example.is_none_or(|(_, second)| line & !ABOUT < second & !ABOUT) {
                        example = Some((first, line));
                    }
                }
                _ => before = Some((hash, line)),
            }
        }
        self.facts.duplicate_example = example.map(|(first, second)| (shown(first), shown(second)));
        let mut each = self.keys.into_iter().map(|own| own.finish(&self.steps));
        let of_table = each.next().unwrap_or_default();
        Ok(DataFacts {
            duplicates: self.facts.duplicates,
            duplicate_example: self.facts.duplicate_example,
            families: self.facts.families,
            refused: self.refused.count,
            refused_first: self.refused.first,
            indexes: each.collect(),
            ..of_table
        })
    }
}

impl BatchSink<Encoded> for Keys<'_> {
    fn made(&mut self, made: Encoded, after: Position) -> std::io::Result<()> {
        let rows = made.hashes.len() as u64;
        // A record a line, unless cells have line ends in them or lines are blank.
        let about = if after.line - self.line.min(after.line) == rows { 0 } else { ABOUT };
        for (line, hash) in (self.line..).zip(&made.hashes) {
            self.push(*hash, line | about)?;
        }
        for (own, made) in self.keys.iter_mut().zip(made.keys) {
            own.spread.sample.join(made.sampled);
            own.add(rows, made.bytes, made.longest);
        }
        self.add(made.steps, &made.families);
        self.line = after.line;
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        let before = self.keys.first().map_or(0, |own| own.facts.records);
        self.keys.iter_mut().try_for_each(|own| own.encode(values, before))?;
        for own in &mut self.keys {
            own.spread.sample.offer(|| (own.bytes.clone(), own.salted.clone()));
            own.add(1, own.bytes.len() as u64, own.bytes.len() as u64);
        }
        let hash = self.keys.first().map_or(0, |own| xxh3_64(&own.bytes));
        let number = |value: &Value<'_>| match value {
            Value::Time(number) => Some(*number),
            Value::Int(number) => i64::try_from(*number).ok(),
            _ => None,
        };
        let steps = values.iter().map(|value| Stride::of(number(value).into_iter())).collect();
        let there =
            |fields: &Vec<FieldId>| fields.iter().any(|f| values.get(f.0).is_some_and(|v| !v.is_null()));
        let families: Vec<u64> = self.families.iter().map(|fields| u64::from(there(fields))).collect();
        self.add(steps, &families);
        // An error is kept, and ends the reading behind the record.
        let _ = self.push(hash, self.line);
        Ok(())
    }

    fn passed(&mut self, after: Position) -> std::io::Result<()> {
        self.line = after.line;
        match &self.failed {
            Some(error) => Err(std::io::Error::other(error.to_string())),
            None => Ok(()),
        }
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.refused.add(&record.error);
        self.line = record.after.line;
        Ok(())
    }
}
