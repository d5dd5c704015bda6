//! How are N of many records chosen, each as likely as the others?
//!
//! Every record has a lot, a number drawn from the seed and its place in the data; the N smallest lots win. So the choice
//! is the same however many threads read, and a thread can leave out records whose lot has lost already.
//!
//! **Law** (`tests/sample.rs`): the same seed chooses the same records whatever the number of threads; all records if
//! there are no more than N; every record about equally often over many seeds.

use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::batch::{Column, ColumnBuffer};
use rowkey::key::{EncodeError, Fields};
use rowkey::{FieldId, Value};
use rowkey_ops::input::{
    BatchError, BatchSink, BatchWork, Batches, Format, InputError, Position, Refused, Source,
};

use super::refusals::Refusals;

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
        let mut reservoir = Reservoir::new(options.records, options.seed, &bar);
        let work = || Drawer { seed: options.seed, at: Position::default(), bar: &bar };
        match batches.run(options.threads, work, &mut reservoir) {
            Ok(()) => Ok(reservoir.finish(fields)),
            Err(BatchError::Input(error)) => Err(error),
            Err(BatchError::Output(_)) => unreachable!("nothing is written"),
            Err(_) => unreachable!("there is no other error"),
        }
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

type Row = Vec<Value<'static>>;

/// A record's lot: large numbers lose.
fn lot(seed: u64, place: u64, row: u64) -> u64 {
    // splitmix64 over what makes a record itself: any bit of seed, place and row changes half of the lot.
    let mix = |mut word: u64| {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    mix(mix(mix(seed) ^ place).wrapping_add(row))
}

/// A thread that draws lots.
struct Drawer<'b> {
    seed: u64,
    at: Position,
    bar: &'b AtomicU64,
}

/// What a batch gives: how many records it has, and those whose lot may win.
struct Drawn {
    records: u64,
    winners: Vec<(u64, Row)>,
}

impl BatchWork for Drawer<'_> {
    type Made = Drawn;

    fn begin(&mut self, at: Position) {
        self.at = at;
    }

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Drawn> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let bar = self.bar.load(Ordering::Relaxed);
        let mut winners = Vec::new();
        for row in 0..rows {
            let lot = lot(self.seed, self.at.byte ^ self.at.line.rotate_left(32), row as u64);
            if lot < bar {
                winners.push((lot, columns.iter().map(|column| column.value(row).into_owned()).collect()));
            }
        }
        Some(Drawn { records: rows as u64, winners })
    }
}

/// Records with the smallest lots so far.
pub(super) struct Reservoir<'b> {
    records: usize,
    seed: u64,
    /// No lot from here on can win any more.
    bar: &'b AtomicU64,
    kept: Vec<Kept>,
    total: u64,
    alone: u64,
    refused: Refusals,
}

struct Kept {
    lot: u64,
    /// Its place among all that were kept for a while: the order of the data.
    order: u64,
    row: Row,
}

impl<'b> Reservoir<'b> {
    pub(super) fn new(records: usize, seed: u64, bar: &'b AtomicU64) -> Self {
        Self { records, seed, bar, kept: Vec::new(), total: 0, alone: 0, refused: Refusals::default() }
    }

    /// A record by itself.
    pub(super) fn offer(&mut self, values: &[Value<'_>]) {
        // Such records are told apart by their number; which they are depends on the data only.
        let lot = lot(self.seed, u64::MAX, self.alone);
        self.alone += 1;
        self.total += 1;
        if lot < self.bar.load(Ordering::Relaxed) {
            self.keep(lot, values.iter().cloned().map(Value::into_owned).collect());
        }
    }

    fn keep(&mut self, lot: u64, row: Row) {
        // Lots that tie would make the choice depend on when they come; by their order they do not.
        let order = self.kept.last().map_or(0, |kept| kept.order + 1);
        self.kept.push(Kept { lot, order, row });
        if self.kept.len() > 2 * self.records + 1024 {
            self.thin();
        }
    }

    /// Keeps the winners so far, in the order of the data.
    fn thin(&mut self) {
        if self.kept.len() > self.records {
            self.kept.sort_unstable_by_key(|kept| (kept.lot, kept.order));
            if let Some(first) = self.kept.get(self.records) {
                self.bar.store(first.lot, Ordering::Relaxed);
            }
            self.kept.truncate(self.records);
            self.kept.sort_unstable_by_key(|kept| kept.order);
        }
    }

    pub(super) fn finish(mut self, fields: &Fields) -> Sample {
        self.thin();
        let mut columns: Vec<ColumnBuffer> =
            fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for kept in &self.kept {
            for (column, value) in columns.iter_mut().zip(&kept.row) {
                let pushed = column.push(value);
                debug_assert!(pushed.is_ok(), "the value came from such a column");
            }
        }
        let rows = self.kept.len();
        Sample { fields: fields.clone(), total: self.total, refused: self.refused, columns, rows }
    }
}

impl BatchSink<Drawn> for Reservoir<'_> {
    fn made(&mut self, drawn: Drawn, _after: Position) -> std::io::Result<()> {
        self.total += drawn.records;
        for (lot, row) in drawn.winners {
            if lot < self.bar.load(Ordering::Relaxed) {
                self.keep(lot, row);
            }
        }
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.offer(values);
        Ok(())
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.refused.add(&record.error);
        Ok(())
    }
}
