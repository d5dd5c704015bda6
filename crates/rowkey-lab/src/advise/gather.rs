//! Reads everything that advice needs from a file of any size.
//!
//! Two passes by all cores. The first counts what is in every record ([`crate::profile`]) and keeps a sample; the second, when it
//! is known what to look for, looks whether records that a key would tell apart by some fields are told apart by them.
//!
//! Quirk: duplicates are looked for among one in so many values when there are very many: always the same values, so
//! that all records of one are seen.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use rowkey_core::Value;
use rowkey_core::batch::Column;
use rowkey_core::key::{EncodeError, FieldId, Fields};
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, Format, Position, Source};

use super::AdviseError;
use super::facts::hash_into;
use super::identity::Basis;
use crate::profile::{BatchFacts, Profile, Profiler, Worker};
use crate::sample::lots::{BatchPlace, Lots, Row};
use crate::sample::reservoir::{Drawer, Reservoir};

/// Data that can be read more than once.
pub struct Data<'a> {
    /// Opens it at its beginning.
    pub open: &'a (dyn Fn() -> io::Result<Source> + Sync),
    /// Its format.
    pub format: Format,
    /// Its name in messages.
    pub label: &'a str,
    /// How many threads read it.
    pub threads: usize,
}

impl Data<'_> {
    fn batches(&self, fields: &Fields) -> Result<Batches, AdviseError> {
        let unreadable = |cause| AdviseError::Open { data: self.label.to_owned(), cause };
        let source = (self.open)().map_err(unreadable)?;
        Ok(Batches::open(source, self.format, fields, self.label)?)
    }
}

/// What is in every record, and `most` of them in the order of the file.
pub(super) fn first_pass(
    data: &Data<'_>,
    fields: &Fields,
    most: usize,
    seed: u64,
    progress: &mut dyn FnMut(Position),
) -> Result<(Profile, Vec<Row>), AdviseError> {
    let (bar, done) = (AtomicU64::new(u64::MAX), Mutex::new(Vec::new()));
    let mut sink = First { profiler: Profiler::new(fields), reservoir: Reservoir::new(most, seed, &bar) };
    let work = || Both(Worker::new(fields, &done), Drawer::new(most, seed, &bar));
    data.batches(fields)?.run_watched(data.threads, work, &mut sink, progress)?;
    Ok((sink.profiler.finish_with(done), sink.reservoir.winners()))
}

/// A thread that counts and draws lots.
struct Both<'d>(Worker<'d>, Drawer<'d>);

impl BatchWork for Both<'_> {
    type Made = (BatchFacts, (BatchPlace, u64, Lots));

    fn begin(&mut self, at: Position) {
        self.1.begin(at);
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Self::Made> {
        Some((self.0.batch(columns)?, self.1.batch(columns)?))
    }
}

struct First<'a> {
    profiler: Profiler,
    reservoir: Reservoir<'a>,
}

impl BatchSink<(BatchFacts, (BatchPlace, u64, Lots))> for First<'_> {
    fn made(&mut self, made: (BatchFacts, (BatchPlace, u64, Lots)), _after: Position) -> io::Result<()> {
        self.profiler.join(made.0);
        self.reservoir.join(made.1);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.profiler.record(values);
        self.reservoir.record(values)
    }
}

/// Up to so many values are remembered for each set.
const REMEMBERED: u64 = 2_000_000;

/// For each set of fields, about how many records are like one before.
pub(super) fn second_pass(
    data: &Data<'_>,
    fields: &Fields,
    sets: &[(Vec<FieldId>, Basis)],
    rows: u64,
    progress: &mut dyn FnMut(Position),
) -> Result<Vec<u64>, AdviseError> {
    let one_in = (rows / REMEMBERED + 1).next_power_of_two();
    let work = || Hashing { sets, mask: one_in - 1 };
    let mut sink = Second { work: work(), seen: vec![(HashSet::new(), 0); sets.len()] };
    data.batches(fields)?.run_watched(data.threads, work, &mut sink, progress)?;
    Ok(sink.seen.into_iter().map(|(_, duplicates)| duplicates * one_in).collect())
}

struct Hashing<'a> {
    sets: &'a [(Vec<FieldId>, Basis)],
    mask: u64,
}

impl Hashing<'_> {
    /// For each set, the hash of its values if it is one of those looked at.
    fn look<'v>(&self, value: impl Fn(FieldId) -> Value<'v>) -> impl Iterator<Item = Option<u64>> {
        self.sets.iter().map(move |(set, _)| {
            let mut hasher = DefaultHasher::new();
            set.iter().for_each(|field| hash_into(&value(*field), &mut hasher));
            Some(hasher.finish()).filter(|hash| hash & self.mask == 0)
        })
    }
}

impl BatchWork for Hashing<'_> {
    /// Hashes of each set.
    type Made = Vec<Vec<u64>>;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Vec<Vec<u64>>> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let mut made = vec![Vec::new(); self.sets.len()];
        for row in 0..rows {
            let value =
                |field: FieldId| columns.get(field.0).map(|column| column.value(row)).unwrap_or_default();
            made.iter_mut().zip(self.look(value)).for_each(|(hashes, hash)| hashes.extend(hash));
        }
        Some(made)
    }
}

struct Second<'a> {
    work: Hashing<'a>,
    /// For each set what was seen, and how often something was seen again.
    seen: Vec<(HashSet<u64>, u64)>,
}

impl BatchSink<Vec<Vec<u64>>> for Second<'_> {
    fn made(&mut self, made: Vec<Vec<u64>>, _after: Position) -> io::Result<()> {
        for ((seen, again), hashes) in self.seen.iter_mut().zip(made) {
            *again += hashes.into_iter().filter(|hash| !seen.insert(*hash)).count() as u64;
        }
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        let hashes = self.work.look(|field| values.get(field.0).cloned().unwrap_or_default());
        for ((seen, again), hash) in self.seen.iter_mut().zip(hashes) {
            *again += u64::from(hash.is_some_and(|hash| !seen.insert(hash)));
        }
        Ok(())
    }
}

impl From<BatchError> for AdviseError {
    fn from(error: BatchError) -> Self {
        Self::Read(Box::new(error))
    }
}
