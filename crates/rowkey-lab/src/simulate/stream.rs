//! Simulating data of any size.
//!
//! Every thread counts for itself what it reads; the counts are added when it is done. Nothing grows with the data: the grids
//! are bounded, and records come and go in batches.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rowkey_core::Value;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::EncodeError;
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, InputError, Position, Refused};

use super::count::{Counter, Tally};
use super::design::Design;
use crate::model::{CutTable, by_key};
use crate::workload::Workload;

use super::{Cut, Data, Options, Outcome, SimulateError, outcome, reads, time_column};
use crate::sample::lots::{BatchPlace, Lots, buffers, columns, push};
use crate::sample::refusals::{Refusals, input_error};
use crate::traffic::Traffic;

/// So many generated records are made at once.
const MADE_AT_ONCE: u64 = 4096;

/// Where records come from.
pub enum Feed<'t> {
    /// A file or a pipe, typed by the fields.
    Records(Box<Batches>),
    /// Made up.
    Traffic(&'t Traffic),
}

/// Why a stream ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A design that cannot be simulated.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// Data that cannot be read on.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// The figures of all designs, and what could not be read.
#[derive(Debug)]
pub struct Streamed {
    /// One for each design.
    pub outcomes: Vec<Outcome>,
    /// Records read.
    pub records: u64,
    /// Records that could not be read.
    pub refused: Refusals,
    /// Some of the records, in their order: what the queries were asked of.
    pub sample: Vec<ColumnBuffer>,
    /// How many these are.
    pub sampled: usize,
}

/// Whether a sample must be there before, because regions or ranges are cut by it.
pub fn needs_sample(designs: &[Design], options: &Options) -> bool {
    let by_sample = |design: &Design| match design.cut {
        Cut::Regions(regions) => {
            let indexes = design.table.indexes.iter().map(|index| &index.key);
            let mut keys = indexes.chain([&design.table.key]);
            keys.any(|key| by_key(key, regions).is_none())
        }
        Cut::Own | Cut::Keys(_) => false,
    };
    options.ranges > 0 || options.folded || designs.iter().any(by_sample)
}

/// Simulates designs over a stream of records. Regions are cut by `sample`, which may be without records unless
/// [`needs_sample`]; queries are asked of a sample of the stream itself.
///
/// # Errors
/// As [`super::in_memory`], and when the data cannot be read on. Records that do not fit their fields are left out and
/// counted.
pub fn stream(
    designs: &[Design],
    feed: Feed<'_>,
    sample: &Data<'_>,
    workload: Option<&Workload>,
    options: &Options,
    threads: usize,
    progress: &mut dyn FnMut(Position),
) -> Result<Streamed, StreamError> {
    let time = time_column(sample.fields, options)?;
    let fine = options.fineness()?;
    let parts = designs.iter().map(|design| CutTable::of(design, sample, fine));
    let by_design: Vec<Vec<CutTable<'_>>> = parts.collect::<Result<_, _>>()?;
    let parts = by_design.concat();
    let threads = threads.max(1);
    let shared = Shared { counted: Mutex::new(None), records: AtomicU64::new(0) };
    // One counter for each thread, and one for records that come alone.
    let worker = || Worker {
        counted: Some((Counter::new(&parts, options, threads + 1), Lots::new(options.sample, options.seed))),
        time,
        first: 0,
        place: BatchPlace::alone(0),
        shared: &shared,
    };
    let mut refused = Refusals::default();
    match feed {
        Feed::Records(batches) => {
            let pending = buffers(sample.fields);
            let mut alone = Alone { worker: worker(), pending, number: 0, refused };
            batches.run_watched(threads, worker, &mut alone, progress).map_err(input_error)?;
            alone.flush();
            refused = alone.refused;
        }
        Feed::Traffic(traffic) => make(traffic, worker, threads),
    }
    let counted = shared.counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    let nothing =
        || (Counter::new(&parts, options, 1).into_tallies(), Lots::new(options.sample, options.seed));
    let (tallies, kept) = counted.unwrap_or_else(nothing);
    let mut tallies = tallies.into_iter();
    let kept = kept.finish(time);
    let (buffers, sampled) = (columns(&kept, sample.fields), kept.len());
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let seen = Data { fields: sample.fields, columns: &columns, rows: sampled };
    let records = shared.records.load(Ordering::Relaxed);
    let scale = options.scale(&seen, records, time)?;
    let asked = workload
        .map(|workload| workload.draw(&seen, options.seed).map_err(SimulateError::from))
        .transpose()?;
    let mut outcomes = Vec::with_capacity(designs.len());
    for (design, own) in designs.iter().zip(&by_design) {
        let counted: Vec<Tally> = tallies.by_ref().take(own.len()).collect();
        let reads =
            asked.as_ref().map(|asked| reads::read(design, own, &seen, asked, scale, options)).transpose()?;
        outcomes.push(outcome::finish(design, own, counted, reads, options));
    }
    Ok(Streamed { outcomes, records, refused, sample: buffers, sampled })
}

/// What all threads add to.
struct Shared {
    counted: Mutex<Option<(Vec<Tally>, Lots)>>,
    records: AtomicU64,
}

/// A thread that counts.
struct Worker<'p> {
    /// There until it is added to the others.
    counted: Option<(Counter<'p>, Lots)>,
    time: Option<usize>,
    /// What random parts of the next records are drawn by.
    first: u64,
    place: BatchPlace,
    shared: &'p Shared,
}

impl Worker<'_> {
    fn count(&mut self, columns: &[Column<'_>]) -> usize {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        if let Some((counter, kept)) = &mut self.counted {
            counter.add(columns, self.time, rows, self.first);
            kept.batch(self.place, columns, rows);
        }
        self.shared.records.fetch_add(rows as u64, Ordering::Relaxed);
        rows
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let Some((counter, kept)) = self.counted.take() else { return };
        let own = counter.into_tallies();
        let mut shared = self.shared.counted.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.as_mut() {
            Some((sums, all)) => {
                sums.iter_mut().zip(own).for_each(|(sum, tally)| sum.merge(tally));
                all.merge(kept);
            }
            None => *shared = Some((own, kept)),
        }
    }
}

impl BatchWork for Worker<'_> {
    type Made = ();

    fn begin(&mut self, at: Position) {
        // The same for the same data, however many threads there are.
        self.first = at.byte.rotate_left(20) ^ at.line;
        self.place = BatchPlace::of(at);
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<()> {
        self.count(columns);
        Some(())
    }
}

/// Counts records that come one by one.
struct Alone<'p> {
    worker: Worker<'p>,
    pending: Vec<ColumnBuffer>,
    number: u64,
    refused: Refusals,
}

impl Alone<'_> {
    fn flush(&mut self) {
        let columns: Vec<Column<'_>> = self.pending.iter().map(ColumnBuffer::column).collect();
        self.worker.first = self.number;
        self.worker.place = BatchPlace::alone(self.number);
        self.number += self.worker.count(&columns) as u64;
        self.pending.iter_mut().for_each(ColumnBuffer::clear);
    }
}

impl BatchSink<()> for Alone<'_> {
    fn made(&mut self, (): (), _after: Position) -> io::Result<()> {
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        push(&mut self.pending, values);
        if self.pending.first().is_some_and(|column| column.len() >= MADE_AT_ONCE as usize) {
            self.flush();
        }
        Ok(())
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.refused.add(&record.error);
        Ok(())
    }
}

/// Makes traffic and counts it, by all threads.
fn make<'p>(traffic: &Traffic, worker: impl Fn() -> Worker<'p> + Sync, threads: usize) {
    let next = AtomicU64::new(0);
    let work = || {
        let mut worker = worker();
        let mut buffers = traffic.columns();
        loop {
            let first = next.fetch_add(MADE_AT_ONCE, Ordering::Relaxed);
            let count = MADE_AT_ONCE.min(traffic.records.saturating_sub(first));
            if count == 0 {
                return;
            }
            traffic.fill(first, count, &mut buffers);
            let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
            worker.first = first;
            worker.place = BatchPlace::alone(first);
            worker.count(&columns);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // This thread works too, so fewer others will do.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}
