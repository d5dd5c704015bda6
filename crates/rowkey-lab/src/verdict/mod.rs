//! The verdict on a table: whether its key, and those of its index tables, hold on the data.
//!
//! One pass: every record is read and encoded, by all cores. The hash of its key in the table goes to a sort outside of memory, which finds
//! every key that comes twice; a sample of 65,536 keys shows how they spread over buckets and regions, where the last
//! hundredth of the data goes, and how salts over the key's fields would spread it. The keys of index tables are sampled likewise. The figures are [`DataFacts`]; the rules that judge them are in [`rowkey_core::check`].
//!
//! **Laws** (`tests/verdict.rs`): duplicates, lengths, refusals and families are those of a plain loop over the records;
//! every fact is the same whatever the number of threads.
//!
//! Not here: whether the facts are bad.

mod keys;
mod salts;
mod spread;

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use rowkey_core::batch::Column;
use rowkey_core::check::DataFacts;
use rowkey_core::{FieldId, KeySchema, Table};
use rowkey_ops::external_sort::SortError;
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, Format, InputError, Position, Source};

use crate::unique;
use keys::{Encoder, Keys};
use salts::Salts;

/// What is judged.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// The key of the table, then those of its index tables, each with its split points; none if they are unknown.
    pub keys: Vec<(&'a KeySchema, Vec<Vec<u8>>)>,
    /// The fields of each family's columns.
    pub families: Vec<Vec<FieldId>>,
}

impl<'a> Judged<'a> {
    /// A key by itself.
    pub fn of_key(key: &'a KeySchema) -> Self {
        Self { keys: vec![(key, Vec::new())], families: Vec::new() }
    }

    /// A table with its index tables.
    pub fn of_table(table: &'a Table) -> Self {
        let indexes = table.indexes.iter().map(|index| (&index.key, index.split_points()));
        let keys = std::iter::once((&table.key, table.split_points())).chain(indexes).collect();
        Self { keys, families: table.family_fields() }
    }
}

/// A key, and what the threads that look at it share.
struct Shared<'k> {
    key: &'k KeySchema,
    splits: &'k [Vec<u8>],
    salts: Salts,
    /// Lots from here on have lost.
    bar: AtomicU64,
}

impl<'k> Shared<'k> {
    fn each(judged: &'k Judged<'_>) -> Vec<Self> {
        let of = |(key, splits): &'k (&KeySchema, Vec<Vec<u8>>)| {
            let salts = Salts::of(key, splits);
            Self { key, splits, salts, bar: AtomicU64::new(u64::MAX) }
        };
        judged.keys.iter().map(of).collect()
    }
}

/// How to read the data.
#[derive(Debug, Clone)]
pub struct Reading {
    /// How many threads; it changes nothing but the time.
    pub threads: usize,
    /// Memory for the sort, in bytes.
    pub memory: usize,
    /// Where its temporary files go.
    pub folder: PathBuf,
}

impl Default for Reading {
    /// Two threads, 32 MiB, and the folder for temporary files.
    fn default() -> Self {
        Self { threads: 2, memory: 32 << 20, folder: std::env::temp_dir() }
    }
}

/// Data that could not be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FactsError {
    /// The data cannot be read on.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Keys could not be sorted.
    #[error("the keys of the data could not be sorted for duplicates")]
    Sort(#[from] SortError),
}

/// The facts of a table over records in memory, one column for each of its fields.
pub(crate) fn facts_of(table: &Table, columns: &[Column<'_>]) -> Option<DataFacts> {
    let judged = Judged::of_table(table);
    let shared = Shared::each(&judged);
    let mut keys = Keys::new(&judged, &shared, Format::Parquet, &Reading::default());
    keys.made(Encoder::new(&judged, &shared).batch(columns)?, Position::default()).ok()?;
    keys.finish().ok()
}

/// The facts of keys over data.
///
/// # Errors
/// When the data cannot be read on, or temporary files cannot be written. Records that do not fit are counted.
pub fn facts(
    source: Source,
    (format, label): (Format, &str),
    judged: &Judged<'_>,
    reading: &Reading,
    progress: &mut dyn FnMut(Position),
) -> Result<DataFacts, FactsError> {
    let shared = Shared::each(judged);
    let Some(Shared { key, .. }) = shared.first() else { return Ok(DataFacts::default()) };
    let mut wanted: Vec<FieldId> = shared.iter().flat_map(|own| own.key.named_fields()).collect();
    wanted.extend(judged.families.iter().flatten().copied());
    let random = shared.iter().any(|own| own.key.value_steps().any(|step| step.is_random()));
    let batches = match random {
        // Random parts are drawn by the record's number, which batches do not know.
        true => Batches::one_by_one(source, format, key.fields(), label)?,
        false => Batches::open_only(source, format, key.fields(), &unique(wanted), label)?,
    };
    let mut keys = Keys::new(judged, &shared, format, reading);
    let work = || Encoder::new(judged, &shared);
    match batches.run_watched(reading.threads, work, &mut keys, progress) {
        Ok(()) => {}
        Err(BatchError::Input(error)) => return Err(error.into()),
        Err(error) => match keys.failed.take() {
            Some(failed) => return Err(failed.into()),
            None => unreachable!("only the sort writes: {error}"),
        },
    }
    Ok(keys.finish()?)
}
