//! The verdict on a key: whether it holds on the data.
//!
//! One pass: every record is read and encoded, by all cores. Its key's hash goes to a sort outside of memory, which finds
//! every key that comes twice; a sample of 65,536 keys shows how they spread over buckets and regions, where the last
//! hundredth of the data goes, and how salts over the key's fields would spread it. The figures are [`DataFacts`]; the rules that judge them are in [`rowkey_core::check`].
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

use keys::{Encoder, Keys};
use salts::Salts;

/// What is judged.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The key whose facts are gathered.
    pub key: &'a KeySchema,
    /// The table's split points; empty if they are unknown.
    pub splits: &'a [Vec<u8>],
    /// The fields of each family's columns.
    pub families: &'a [Vec<FieldId>],
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
    let (splits, families) = (table.split_points(), table.family_fields());
    let judged = Judged { key: &table.key, splits: &splits, families: &families };
    let (bar, salts) = (AtomicU64::new(u64::MAX), Salts::of(&judged));
    let mut keys = Keys::new(judged, Format::Parquet, &Reading::default(), (&bar, &salts));
    keys.made(Encoder::new(judged, (&bar, &salts)).batch(columns)?, Position::default()).ok()?;
    keys.finish().ok()
}

/// The facts of a key over data.
///
/// # Errors
/// When the data cannot be read on, or temporary files cannot be written. Records that do not fit are counted.
pub fn facts(
    source: Source,
    (format, label): (Format, &str),
    judged: Judged<'_>,
    reading: &Reading,
    progress: &mut dyn FnMut(Position),
) -> Result<DataFacts, FactsError> {
    let Judged { key, families, .. } = judged;
    let mut wanted = key.named_fields();
    wanted.extend(families.iter().flatten().copied());
    let random = key.value_steps().any(|step| step.is_random());
    let batches = match random {
        // Random parts are drawn by the record's number, which batches do not know.
        true => Batches::one_by_one(source, format, key.fields(), label)?,
        false => Batches::open_only(source, format, key.fields(), &wanted, label)?,
    };
    let bar = AtomicU64::new(u64::MAX);
    let salts = Salts::of(&judged);
    let mut keys = Keys::new(judged, format, reading, (&bar, &salts));
    let work = || Encoder::new(judged, (&bar, &salts));
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
