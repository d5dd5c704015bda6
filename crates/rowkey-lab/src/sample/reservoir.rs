//! Reservoir sampling: N of many records, each as likely as the others.
//!
//! By their [`Lots`]. A thread leaves out records whose lot has lost already.
//!
//! **Law** (`tests/sample.rs`): the same seed chooses the same records whatever the number of threads; all records if
//! there are no more than N; every record about equally often over many seeds.

use std::sync::atomic::{AtomicU64, Ordering};

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::{EncodeError, Fields};
use rowkey_core::{FieldId, Value};
use rowkey_ops::input::{
    BatchError, BatchSink, BatchWork, Batches, Format, InputError, Position, Refused, Source,
};

use super::lots::{BatchPlace, Lots, Row, columns};
use super::refusals::{Refusals, input_error};

/// How to sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleOptions {
    /// How many records at most.
    pub records: usize,
    /// What the lots are drawn from.
    pub seed: u64,
    /// How many threads read; it changes nothing but the time.
    pub threads: usize,
    /// The fields to read, the others stay null; `None` for all.
    pub only: Option<Vec<FieldId>>,
}

impl Default for SampleOptions {
    /// 100,000 records of seed 0, by two threads.
    fn default() -> Self {
        Self { records: 100_000, seed: 0, threads: 2, only: None }
    }
}

/// Some records of the data, in the order of the data.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The fields of the records.
    pub fields: Fields,
    /// How many records the data has, those left out and the refused ones not counted.
    pub total: u64,
    /// What could not be read.
    pub refused: Refusals,
    columns: Vec<ColumnBuffer>,
    rows: usize,
}

impl Sample {
    /// Reads all of the data, and keeps some.
    ///
    /// # Errors
    /// When the data cannot be read on. Records that do not fit their fields are left out and counted.
    pub fn read(
        source: Source,
        format: Format,
        fields: &Fields,
        label: &str,
        options: &SampleOptions,
    ) -> Result<Self, InputError> {
        let batches = match &options.only {
            None => Batches::open(source, format, fields, label)?,
            Some(only) => Batches::open_only(source, format, fields, only, label)?,
        };
        let bar = AtomicU64::new(u64::MAX);
        let mut reservoir: Reservoir<'_> = Reservoir::new(options.records, options.seed, &bar);
        let work = || Drawer::new(options.records, options.seed, &bar);
        batches.run(options.threads, work, &mut reservoir).map_err(input_error)?;
        Ok(reservoir.finish(fields))
    }

    /// The values of each field, one for each record; empty for a field that was not to be read.
    pub fn columns(&self) -> Vec<Column<'_>> {
        self.columns.iter().map(ColumnBuffer::column).collect()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }
}

/// A thread that draws lots.
pub(crate) struct Drawer<'b> {
    records: usize,
    seed: u64,
    place: BatchPlace,
    bar: &'b AtomicU64,
}

impl<'b> Drawer<'b> {
    /// Lots from `bar` on have lost already.
    pub(crate) fn new(records: usize, seed: u64, bar: &'b AtomicU64) -> Self {
        Self { records, seed, place: BatchPlace::of(Position::default()), bar }
    }

    /// What stands for those of so many records whose lot may win.
    pub(crate) fn draw<T>(&self, rows: usize, what: impl Fn(usize) -> T) -> (BatchPlace, u64, Lots<T>) {
        let mut lots = Lots::below(self.bar.load(Ordering::Relaxed), self.records, self.seed);
        (0..rows).for_each(|row| lots.offer(self.place, row, || what(row)));
        (self.place, rows as u64, lots)
    }
}

impl BatchWork for Drawer<'_> {
    /// Where a batch begins, how many records it has, and those whose lot may win.
    type Made = (BatchPlace, u64, Lots);

    fn begin(&mut self, at: Position) {
        self.place = BatchPlace::of(at);
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<(BatchPlace, u64, Lots)> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        Some(self.draw(rows, |row| columns.iter().map(|column| column.value(row).into_owned()).collect()))
    }
}

/// Records with the smallest lots so far, or what stands for them.
pub(crate) struct Reservoir<'b, T = Row> {
    lots: Lots<T>,
    bar: &'b AtomicU64,
    /// The batch that came last.
    last: BatchPlace,
    pub(crate) total: u64,
    alone: u64,
    refused: Refusals,
}

impl<'b, T> Reservoir<'b, T> {
    pub(crate) fn new(records: usize, seed: u64, bar: &'b AtomicU64) -> Self {
        let (lots, last) = (Lots::new(records, seed), BatchPlace::of(Position::default()));
        Self { lots, bar, last, total: 0, alone: 0, refused: Refusals::default() }
    }

    /// What was drawn of a batch.
    pub(crate) fn join(&mut self, (place, records, lots): (BatchPlace, u64, Lots<T>)) {
        self.last = place;
        self.total += records;
        self.lots.merge(lots);
        self.bar.store(self.lots.bar(), Ordering::Relaxed);
    }

    /// A record by itself.
    pub(crate) fn offer(&mut self, what: impl FnOnce() -> T) {
        // Such records are told apart by their number; which they are depends on the data only.
        self.lots.offer(self.last.behind(self.alone), 0, what);
        self.alone += 1;
        self.total += 1;
    }

    /// The winners, in the order of the data.
    pub(crate) fn winners(self) -> Vec<T> {
        self.lots.winners()
    }
}

impl Reservoir<'_> {
    pub(super) fn finish(self, fields: &Fields) -> Sample {
        let kept = self.lots.winners();
        let (columns, rows) = (columns(&kept, fields), kept.len());
        Sample { fields: fields.clone(), total: self.total, refused: self.refused, columns, rows }
    }
}

/// A record of its own.
pub(crate) fn owned(values: &[Value<'_>]) -> Row {
    values.iter().cloned().map(Value::into_owned).collect()
}

impl BatchSink<(BatchPlace, u64, Lots)> for Reservoir<'_> {
    fn made(&mut self, made: (BatchPlace, u64, Lots), _after: Position) -> std::io::Result<()> {
        self.join(made);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.offer(|| owned(values));
        Ok(())
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.refused.add(&record.error);
        Ok(())
    }
}
