//! How is everything that advice needs read from a file of any size?
//!
//! Two passes by all cores. The first counts facts of every record and keeps a sample; the second, when it is known what
//! to look for, counts the values with the most records exactly, and looks whether records that a key would tell apart by some
//! fields are told apart by them.
//!
//! Quirk: duplicates are looked for among one in so many values when there are very many: always the same values, so
//! that all records of one are seen.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::Value;
use rowkey::batch::Column;
use rowkey::key::{EncodeError, FieldId, Fields};
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, Format, Position, Source};

use super::AdviseError;
use super::facts::{FieldFacts, hash_into, hash_of};
use crate::sample::lots::{Lots, Place};

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

/// What the first pass found.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) rows: u64,
    pub(super) facts: Vec<FieldFacts>,
    /// In the order of the file.
    pub(super) records: Vec<Vec<Value<'static>>>,
}

/// Counts facts of every record and keeps `most` of them.
pub(super) fn first_pass(
    data: &Data<'_>,
    fields: &Fields,
    most: usize,
    seed: u64,
    progress: &mut dyn FnMut(Position),
) -> Result<Gathered, AdviseError> {
    let source = (data.open)().map_err(|cause| AdviseError::open(data.label, cause))?;
    let batches = Batches::open(source, data.format, fields, data.label)?;
    let bar = AtomicU64::new(u64::MAX);
    let mut sink = FirstSink {
        facts: vec![FieldFacts::default(); fields.len()],
        lots: Lots::new(most, seed),
        last: Place::of(Position::default()),
        rows: 0,
        alone: 0,
        bar: &bar,
        progress,
    };
    let place = Place::of(Position::default());
    batches.run(
        data.threads,
        || FirstWork { fields: fields.len(), most, seed, place, bar: &bar },
        &mut sink,
    )?;
    let FirstSink { facts, lots, rows, .. } = sink;
    Ok(Gathered { rows, facts, records: lots.finish(None) })
}

struct FirstWork<'a> {
    fields: usize,
    most: usize,
    seed: u64,
    place: Place,
    /// Lots from here on have lost already.
    bar: &'a AtomicU64,
}

struct FirstMade {
    place: Place,
    rows: u64,
    facts: Vec<FieldFacts>,
    lots: Lots,
}

impl BatchWork for FirstWork<'_> {
    type Made = FirstMade;

    fn begin(&mut self, at: Position) {
        self.place = Place::of(at);
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<FirstMade> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let mut facts = vec![FieldFacts::default(); self.fields];
        facts.iter_mut().zip(columns).for_each(|(facts, column)| facts.observe(column));
        let mut lots = Lots::below(self.bar.load(Ordering::Relaxed), self.most, self.seed);
        lots.batch(self.place, columns, rows);
        Some(FirstMade { place: self.place, rows: rows as u64, facts, lots })
    }
}

struct FirstSink<'a> {
    facts: Vec<FieldFacts>,
    lots: Lots,
    /// The batch that came last.
    last: Place,
    rows: u64,
    alone: u64,
    bar: &'a AtomicU64,
    progress: &'a mut dyn FnMut(Position),
}

impl BatchSink<FirstMade> for FirstSink<'_> {
    fn made(&mut self, made: FirstMade, after: Position) -> io::Result<()> {
        self.facts.iter_mut().zip(&made.facts).for_each(|(own, next)| own.append(next));
        self.lots.merge(made.lots);
        self.last = made.place;
        self.bar.store(self.lots.bar(), Ordering::Relaxed);
        self.rows += made.rows;
        (self.progress)(after);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.facts.iter_mut().zip(values).for_each(|(facts, value)| facts.observe_value(value));
        let owned = || values.iter().cloned().map(Value::into_owned).collect();
        self.lots.offer(self.last.behind(self.alone), 0, owned);
        self.alone += 1;
        self.rows += 1;
        Ok(())
    }

    fn passed(&mut self, after: Position) -> io::Result<()> {
        (self.progress)(after);
        Ok(())
    }
}

/// What the second pass looks for.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// Sets of fields that may tell records apart.
    pub(super) sets: Vec<Vec<FieldId>>,
    /// Values to count.
    pub(super) values: Vec<(FieldId, Value<'static>)>,
}

/// What it found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// For each set: records that are like one before, among those looked at.
    pub(super) duplicates: Vec<u64>,
    /// One in so many values was looked at.
    pub(super) one_in: u64,
    /// How many records have each value.
    pub(super) counts: Vec<u64>,
}

/// Up to so many values are remembered for each set.
const REMEMBERED: u64 = 2_000_000;

/// Looks for duplicates and counts values.
pub(super) fn second_pass(
    data: &Data<'_>,
    fields: &Fields,
    wanted: &Wanted,
    rows: u64,
    progress: &mut dyn FnMut(Position),
) -> Result<Found, AdviseError> {
    let source = (data.open)().map_err(|cause| AdviseError::open(data.label, cause))?;
    let batches = Batches::open(source, data.format, fields, data.label)?;
    let one_in = (rows / REMEMBERED + 1).next_power_of_two();
    let values: Vec<(FieldId, u64)> =
        wanted.values.iter().map(|(field, value)| (*field, hash_of(value))).collect();
    let work = || SecondWork { sets: &wanted.sets, values: &values, mask: one_in - 1 };
    let mut sink = SecondSink {
        work: work(),
        seen: vec![HashSet::new(); wanted.sets.len()],
        duplicates: vec![0; wanted.sets.len()],
        counts: vec![0; values.len()],
        progress,
    };
    batches.run(data.threads, work, &mut sink)?;
    Ok(Found { duplicates: sink.duplicates, one_in, counts: sink.counts })
}

struct SecondWork<'a> {
    sets: &'a [Vec<FieldId>],
    values: &'a [(FieldId, u64)],
    mask: u64,
}

#[derive(Default)]
struct SecondMade {
    /// For each set, the hashes of its values.
    hashes: Vec<Vec<u64>>,
    counts: Vec<u64>,
}

impl SecondWork<'_> {
    fn look<'v>(&self, value: impl Fn(FieldId) -> Value<'v>, made: &mut SecondMade) {
        made.hashes.resize_with(self.sets.len(), Vec::new);
        made.counts.resize(self.values.len(), 0);
        for (set, hashes) in self.sets.iter().zip(&mut made.hashes) {
            let mut hasher = DefaultHasher::new();
            set.iter().for_each(|field| hash_into(&value(*field), &mut hasher));
            let hash = hasher.finish();
            if hash & self.mask == 0 {
                hashes.push(hash);
            }
        }
        let mut last: Option<(FieldId, u64)> = None;
        for ((field, wanted), count) in self.values.iter().zip(&mut made.counts) {
            // The values of a field stand together, so that each is hashed once.
            let hash = match last {
                Some((own, hash)) if own == *field => hash,
                _ => hash_of(&value(*field)),
            };
            last = Some((*field, hash));
            *count += u64::from(hash == *wanted);
        }
    }
}

impl BatchWork for SecondWork<'_> {
    type Made = SecondMade;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<SecondMade> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let mut made = SecondMade::default();
        for row in 0..rows {
            let value =
                |field: FieldId| columns.get(field.0).map(|column| column.value(row)).unwrap_or_default();
            self.look(value, &mut made);
        }
        Some(made)
    }
}

struct SecondSink<'a> {
    work: SecondWork<'a>,
    seen: Vec<HashSet<u64>>,
    duplicates: Vec<u64>,
    counts: Vec<u64>,
    progress: &'a mut dyn FnMut(Position),
}

impl SecondSink<'_> {
    fn add(&mut self, made: SecondMade) {
        for ((seen, duplicates), hashes) in self.seen.iter_mut().zip(&mut self.duplicates).zip(made.hashes) {
            for hash in hashes {
                *duplicates += u64::from(!seen.insert(hash));
            }
        }
        self.counts.iter_mut().zip(made.counts).for_each(|(own, next)| *own += next);
    }
}

impl BatchSink<SecondMade> for SecondSink<'_> {
    fn made(&mut self, made: SecondMade, after: Position) -> io::Result<()> {
        self.add(made);
        (self.progress)(after);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        let mut made = SecondMade::default();
        self.work.look(|field| values.get(field.0).cloned().unwrap_or_default(), &mut made);
        self.add(made);
        Ok(())
    }

    fn passed(&mut self, after: Position) -> io::Result<()> {
        (self.progress)(after);
        Ok(())
    }
}

impl From<BatchError> for AdviseError {
    fn from(error: BatchError) -> Self {
        Self::Read(Box::new(error))
    }
}
