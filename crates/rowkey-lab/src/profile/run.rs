//! Profiles all of the data in one pass, on all cores.

use std::sync::Mutex;

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::{EncodeError, Fields};
use rowkey_core::{FieldId, Value};
use rowkey_ops::input::{
    BatchError, BatchSink, BatchWork, Batches, Format, InputError, Position, Refused, Source,
};

use super::hitters::Hitters;
use super::look::{BatchFacts, Look, pairs};
use super::order::Order;
use super::{FieldProfile, Identifies, Profile};
use crate::sample::lots::{buffers, push};
use crate::sample::refusals::{Refusals, input_error};

/// Records that come one by one are looked at so many at a time.
const ALONE: usize = 8192;
/// Values that come most often, for each field.
const HITTERS: usize = 5;
/// Up to so many values are given whole.
const ALL: u64 = 64;
/// An estimated number of different values from this share of the records on may be all of them.
const NEARLY_ALL: f64 = 0.97;

/// Looks at all records of a file or stream. `only` names the fields to look at; the others have no values.
///
/// # Errors
/// When the data cannot be read on. Records that do not fit their fields are left out and counted.
pub fn profile(
    source: Source,
    (format, label): (Format, &str),
    fields: &Fields,
    only: Option<&[FieldId]>,
    threads: usize,
    progress: &mut dyn FnMut(Position),
) -> Result<Profile, InputError> {
    let batches = match only {
        None => Batches::open(source, format, fields, label)?,
        Some(only) => Batches::open_only(source, format, fields, only, label)?,
    };
    let done = Mutex::new(Vec::new());
    let mut profiler = Profiler::new(fields);
    batches
        .run_watched(threads, || Worker::new(fields, &done), &mut profiler, progress)
        .map_err(input_error)?;
    Ok(profiler.finish_with(done))
}

/// A thread that counts.
pub(crate) struct Worker<'d> {
    look: Option<Look>,
    done: &'d Mutex<Vec<Look>>,
}

impl<'d> Worker<'d> {
    /// What it counted is in `done` when it ends.
    pub(crate) fn new(fields: &Fields, done: &'d Mutex<Vec<Look>>) -> Self {
        Self { look: Some(Look::new(fields)), done }
    }
}

impl BatchWork for Worker<'_> {
    type Made = BatchFacts;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<BatchFacts> {
        Some(self.look.as_mut()?.batch(columns))
    }
}

impl Drop for Worker<'_> {
    /// The thread ends: what it counted is kept.
    fn drop(&mut self) {
        if let (Some(look), Ok(mut done)) = (self.look.take(), self.done.lock()) {
            done.push(look);
        }
    }
}

impl BatchSink<BatchFacts> for Profiler {
    fn made(&mut self, facts: BatchFacts, _after: Position) -> std::io::Result<()> {
        self.join(facts);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        Self::record(self, values);
        Ok(())
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.refused.add(&record.error);
        Ok(())
    }
}

/// A profile in the making, for records that come one by one, as those of a live table.
#[derive(Debug)]
pub struct Profiler {
    fields: Fields,
    look: Look,
    orders: Vec<Order>,
    hitters: Vec<Hitters>,
    records: u64,
    /// What could not be read.
    pub refused: Refusals,
    alone: Vec<ColumnBuffer>,
}

impl Profiler {
    /// Nothing yet.
    pub fn new(fields: &Fields) -> Self {
        Self {
            fields: fields.clone(),
            look: Look::new(fields),
            orders: fields.iter().map(|_| Order::default()).collect(),
            hitters: fields.iter().map(|_| Hitters::default()).collect(),
            records: 0,
            refused: Refusals::default(),
            alone: buffers(fields),
        }
    }

    /// One more record, a value for each field.
    pub fn record(&mut self, values: &[Value<'_>]) {
        push(&mut self.alone, values);
        if self.alone.first().is_some_and(|column| column.len() >= ALONE) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.alone.first().is_some_and(|column| !column.is_empty()) {
            let columns: Vec<Column<'_>> = self.alone.iter().map(ColumnBuffer::column).collect();
            let facts = self.look.batch(&columns);
            self.append(facts);
            self.alone.iter_mut().for_each(ColumnBuffer::clear);
        }
    }

    /// What a [`Worker`] made of a batch, in the order of the data.
    pub(crate) fn join(&mut self, facts: BatchFacts) {
        self.flush();
        self.append(facts);
    }

    fn append(&mut self, facts: BatchFacts) {
        self.records += facts.records;
        let own = self.orders.iter_mut().zip(&mut self.hitters);
        for ((own_order, own_hitters), (order, hitters)) in own.zip(facts.fields) {
            own_order.join(&order);
            own_hitters.add(hitters);
        }
    }

    /// The profile of all records, with what the workers counted.
    pub(crate) fn finish_with(mut self, done: Mutex<Vec<Look>>) -> Profile {
        done.into_inner().unwrap_or_default().iter().for_each(|look| self.look.merge(look));
        self.finish()
    }

    /// The profile of all records so far.
    pub fn finish(mut self) -> Profile {
        self.flush();
        let tallies = self.look.tallies.iter();
        let fields = tallies.zip(&self.orders).zip(&self.hitters).zip(self.fields.iter());
        let fields: Vec<FieldProfile> = fields
            .map(|(((tally, order), hitters), (_, field))| {
                let (distinct, top) = (tally.distinct.count(), hitters.top(HITTERS));
                let twice = top.iter().any(|hitter| hitter.count > 1);
                let identifies = match () {
                    () if tally.values < self.records || self.records == 0 || twice => Identifies::No,
                    () if distinct.exact && distinct.count == self.records => Identifies::Yes,
                    () if distinct.exact => Identifies::No,
                    () if order.is_strict() => Identifies::Yes,
                    () if distinct.count as f64 >= NEARLY_ALL * self.records as f64 => Identifies::Likely,
                    () => Identifies::No,
                };
                FieldProfile {
                    name: field.name.clone(),
                    ty: field.ty,
                    values: tally.values,
                    nulls: tally.nulls,
                    distinct,
                    lengths: tally.lengths(),
                    hitters: top,
                    all: (distinct.exact && distinct.count <= ALL).then(|| hitters.all()),
                    hitters_error: hitters.error,
                    entropy: tally.entropy(),
                    bounds: order.bounds(),
                    trend: order.trend(),
                    rising: order.rising(),
                    is_digest: tally.is_digest(),
                    is_whole_number: tally.is_whole_number(),
                    step: tally.step(),
                    multiple_of: tally.multiple(),
                    identifies,
                }
            })
            .collect();
        let single =
            |field: usize| fields.get(field).is_some_and(|f| f.identifies != Identifies::No || f.values == 0);
        let identifying = pairs(fields.len()).zip(&self.look.pairs).filter_map(|((first, second), seen)| {
            let distinct = seen.count();
            let of = |field: usize| fields.get(field).map_or(0.0, |field| field.distinct.count as f64);
            let enough = match distinct.exact {
                true => distinct.count == self.records,
                // Where two fields that have nothing to do with each other would hardly ever meet twice, an estimate
                // says nothing about these two.
                false => {
                    let records = self.records as f64;
                    let by_chance = different_by_chance(records, of(first) * of(second));
                    by_chance < NEARLY_ALL * records && distinct.count as f64 >= NEARLY_ALL * records
                }
            };
            let sure = if distinct.exact { Identifies::Yes } else { Identifies::Likely };
            (enough && self.records > 1 && !single(first) && !single(second)).then_some((first, second, sure))
        });
        let identifying = identifying.collect();
        Profile { records: self.records, refused: self.refused, fields, identifying_pairs: identifying }
    }
}

/// How many different pairs so many records would have if each pair of values were as likely as any other.
fn different_by_chance(records: f64, pairs: f64) -> f64 {
    if pairs > 0.0 { -pairs * (-records / pairs).exp_m1() } else { 0.0 }
}
