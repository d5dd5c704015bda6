//! A sample of keys that stands for all keys of a data file.
//!
//! Those with the smallest [lots](crate::sample): every record has the same chance, and memory stays flat however long the
//! file is. Each key comes with a weight: what shall be even among regions. The same data and seed give the same sample.

use std::sync::atomic::AtomicU64;

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::key::{Draws, EncodeError};
use rowkey_core::table::Column as TableColumn;
use rowkey_core::{FieldId, KeySchema, Table, Value};
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, Format, InputError, Position, Source};

use crate::sample::lots::{BatchPlace, Lots};
use crate::sample::reservoir::{Drawer, Reservoir};
use crate::size::cell;
use crate::size::lengths::value_lengths;

/// What regions shall have the same amount of.
#[derive(Debug, Clone, Copy)]
pub enum Weight<'t> {
    /// Rows.
    Rows,
    /// Bytes of row keys, where there is no table file.
    KeyBytes,
    /// Bytes of rows, as HBase stores their cells.
    RowBytes(&'t Table),
    /// What a whole number of each record counts, such as its requests.
    Field(FieldId),
}

/// Keys with their weights.
#[derive(Debug, Clone, Default)]
pub struct KeySample {
    /// The keys that were kept.
    pub keys: Vec<(Vec<u8>, u64)>,
    /// How many records there were.
    pub records: u64,
}

/// Why there is no sample.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeySampleError {
    /// Data that is no record.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Reading ended before the data.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

/// How a sample is taken.
#[derive(Debug, Clone, Copy)]
pub struct Options<'t> {
    /// What regions shall have the same amount of.
    pub weight: Weight<'t>,
    /// The most keys that are kept.
    pub keep: usize,
    /// What chance and random parts are drawn from.
    pub seed: u64,
    /// How many threads read.
    pub threads: usize,
}

impl KeySample {
    /// Reads all records; their fields are `key`'s. `progress` hears how far it is.
    ///
    /// # Errors
    /// When something in the data is no record, or has no key.
    pub fn read(
        source: Source,
        format: Format,
        label: &str,
        key: &KeySchema,
        options: &Options<'_>,
        progress: &mut dyn FnMut(Position),
    ) -> Result<Self, KeySampleError> {
        let random = key.value_steps().any(|step| step.is_random());
        let batches = match random {
            true => Batches::one_by_one(source, format, key.fields(), label)?,
            false => Batches::open(source, format, key.fields(), label)?,
        };
        let (bar, keep) = (AtomicU64::new(u64::MAX), options.keep.max(1));
        let drawer = || Drawer::new(keep, options.seed, &bar);
        let work = || Work { encoder: BatchEncoder::new(key), weight: options.weight, drawer: drawer() };
        let reservoir = Reservoir::new(keep, options.seed, &bar);
        let mut sink = Sink { key, options, reservoir, bytes: Vec::new() };
        batches.run_watched(options.threads, work, &mut sink, progress)?;
        Ok(Self { records: sink.reservoir.total, keys: sink.reservoir.winners() })
    }
}

fn weigh(weight: &Weight<'_>, key: usize, record: &[Value<'_>]) -> u64 {
    match weight {
        Weight::Rows => 1,
        Weight::KeyBytes => key as u64,
        Weight::RowBytes(table) => row_bytes(table, key, record),
        Weight::Field(field) => match record.get(field.0) {
            Some(Value::Int(number)) => u64::try_from(*number).unwrap_or(0),
            _ => 0,
        },
    }
}

/// The bytes of a record's cells.
fn row_bytes(table: &Table, key: usize, record: &[Value<'_>]) -> u64 {
    let cells = table.columns.iter().zip(value_lengths(table, record));
    let bytes = |(column, length): (&TableColumn, Option<usize>)| {
        Some(cell::key_value(key, column.family.len(), column.qualifier.len(), length?))
    };
    match cells.filter_map(bytes).sum::<usize>() {
        0 => cell::key_value(key, 1, 1, 0) as u64,
        sum => sum as u64,
    }
}

/// A key with its weight.
type Weighed = (Vec<u8>, u64);

struct Work<'k, 't> {
    encoder: BatchEncoder<'k>,
    weight: Weight<'t>,
    drawer: Drawer<'k>,
}

impl BatchWork for Work<'_, '_> {
    type Made = (BatchPlace, u64, Lots<Weighed>);

    fn begin(&mut self, at: Position) {
        self.drawer.begin(at);
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Self::Made> {
        let mut keys = KeyBatch::new();
        self.encoder.encode(columns, &mut keys).ok()?;
        Some(self.drawer.draw(keys.len(), |row| {
            let key = keys.get(row).unwrap_or_default();
            let record: Vec<Value<'_>> = columns.iter().map(|column| column.value(row)).collect();
            (key.to_vec(), weigh(&self.weight, key.len(), &record))
        }))
    }
}

struct Sink<'k> {
    key: &'k KeySchema,
    options: &'k Options<'k>,
    reservoir: Reservoir<'k, Weighed>,
    bytes: Vec<u8>,
}

impl BatchSink<(BatchPlace, u64, Lots<Weighed>)> for Sink<'_> {
    fn made(&mut self, made: (BatchPlace, u64, Lots<Weighed>), _after: Position) -> std::io::Result<()> {
        self.reservoir.join(made);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.bytes.clear();
        let mut draws = Draws::new(self.options.seed, self.reservoir.total);
        self.key.encode_with(values, &mut draws, &mut self.bytes)?;
        let Self { bytes, options, .. } = self;
        self.reservoir.offer(|| (bytes.clone(), weigh(&options.weight, bytes.len(), values)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(key: &str, csv: String, keep: usize, weight: Weight<'_>) -> KeySample {
        let key = KeySchema::parse(key).unwrap();
        let options = Options { weight, keep, seed: 1, threads: 2 };
        let source = Source::stream(std::io::Cursor::new(csv.into_bytes()));
        KeySample::read(source, Format::Csv, "data", &key, &options, &mut |_| {}).unwrap()
    }

    fn numbers(count: u32) -> String {
        let lines: Vec<String> = (0..count).map(|number| format!("{number:06}")).collect();
        format!("id\n{}\n", lines.join("\n"))
    }

    #[test]
    fn a_short_file_is_kept_whole_and_a_long_one_evenly() {
        let whole = sample("[id]", numbers(500), 1000, Weight::KeyBytes);
        assert_eq!(
            (whole.records, whole.keys.len(), whole.keys[7].clone()),
            (500, 500, (b"000007".to_vec(), 6))
        );
        let some = sample("[id]", numbers(50_000), 2000, Weight::Rows);
        assert_eq!((some.records, some.keys.len()), (50_000, 2000));
        let first_half = some.keys.iter().filter(|(key, _)| key.as_slice() < &b"025000"[..]).count();
        // Six standard deviations around a half.
        assert!((866..=1134).contains(&first_half), "{first_half}");
        let again = sample("[id]", numbers(50_000), 2000, Weight::Rows);
        assert_eq!(some.keys, again.keys);
        let drawn = sample("[random(4)][id]", numbers(100), 1000, Weight::Rows);
        assert_eq!(drawn.keys.len(), 100);
    }

    #[test]
    fn rows_weigh_what_they_store_or_what_a_field_counts() {
        let table = "[table]\nname = \"t\"\nkey = \"[id]\"\n[fields]\nid = \"text\"\nnote = \"text?\"\nhits = \"u32\"\n\
                     [families.d]\ncolumns = { n = \"note\", h = \"hits\" }\n";
        let table = Table::parse("t.toml", table).unwrap();
        let read = |weight: Weight<'_>| {
            let csv = "id,note,hits\na,,5\nbb,hello,7\n";
            let options = Options { weight, keep: 10, seed: 1, threads: 1 };
            let source = Source::stream(std::io::Cursor::new(csv.as_bytes().to_vec()));
            let found =
                KeySample::read(source, Format::Csv, "data", &table.key, &options, &mut |_| {}).unwrap();
            found.keys.into_iter().map(|(_, weight)| weight).collect::<Vec<_>>()
        };
        // 20 + row + family + qualifier + value, for each cell.
        assert_eq!(read(Weight::RowBytes(&table)), [20 + 1 + 2 + 4, (20 + 2 + 2 + 5) + (20 + 2 + 2 + 4)]);
        assert_eq!(read(Weight::Field(table.key.fields().id("hits").unwrap())), [5, 7]);
    }
}
