//! Jumps over keys that cannot match.
//!
//! At each row the plan's [`Seek`] says whether the row can match, or the next key that can. If that key is in the batch at
//! hand, the rows before it are passed over; otherwise the scanner is closed and another one opened there. Batches begin small,
//! because most of a large one would be thrown away, and grow while nothing is jumped over. Where the keys to go on at lie close
//! together, several in a batch, reading on costs less than opening scanners, so the scanner reads on.

use std::ops::Bound;

use rowkey_core::query::{Seek, SeekStep};
use rowkey_core::{KeyRange, Order};
use rowkey_store::{RegionCounts, RowBatch, RowView, Scan, Scanner, Store, StoreError, TableName};

use super::counters::StepCounters;
use super::ordered;
use crate::merge::{Merge, Source};

/// Rows in the first batch behind a jump, and in any.
const ROWS: (usize, usize) = (16, Scan::DEFAULT_BATCH_ROWS);

/// Rows of several ranges that can match.
pub(super) struct SkipScan<'a>(Merge<SkipRun<'a>>);

/// One range of it.
struct SkipRun<'a> {
    store: &'a dyn Store,
    table: TableName,
    scan: Scan,
    seek: Seek,
    direction: Order,
    scanner: Option<Box<dyn Scanner>>,
    batch: RowBatch,
    at: usize,
    /// Whether a key to go on at was in this batch.
    is_dense: bool,
    ended: bool,
    read: StepCounters,
    /// What the store read for scanners that are closed, if it counts.
    counts: Vec<RegionCounts>,
}

impl<'a> SkipScan<'a> {
    pub(super) fn open(
        store: &'a dyn Store,
        table: &TableName,
        scans: Vec<Scan>,
        seek: &Seek,
        (direction, merge_from): (Order, usize),
    ) -> Self {
        let run = |scan| SkipRun {
            store,
            table: table.clone(),
            scan: Scan { direction: ordered::direction(direction), batch_rows: ROWS.0, ahead: false, ..scan },
            seek: seek.clone(),
            direction,
            scanner: None,
            batch: RowBatch::new(),
            at: 0,
            is_dense: false,
            ended: false,
            read: StepCounters::default(),
            counts: Vec::new(),
        };
        Self(Merge::new(scans.into_iter().map(run).collect(), direction, merge_from, merge_from))
    }

    /// Goes to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, StoreError> {
        Ok(self.0.next()?.is_some())
    }

    pub(super) fn row(&self) -> Option<RowView<'_>> {
        self.0.current().and_then(|run| run.batch.row(run.at))
    }

    pub(super) fn ranges(&self) -> usize {
        self.0.sources().len()
    }

    /// What the store read so far, if it counts.
    pub(super) fn count(&self, into: &mut Vec<RegionCounts>) {
        for run in self.0.sources() {
            let open = run.scanner.as_ref().map(|scanner| scanner.counts()).unwrap_or_default();
            run.counts.iter().chain(&open).for_each(|counts| RegionCounts::add(into, counts));
        }
    }

    pub(super) fn read(&self) -> StepCounters {
        let mut all = StepCounters::default();
        self.0.sources().iter().for_each(|run| all.add(run.read));
        all
    }
}

impl Source for SkipRun<'_> {
    type Error = StoreError;

    fn key(&self) -> Option<&[u8]> {
        self.batch.row(self.at).map(|row| row.key())
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        self.at += 1;
        loop {
            if self.at >= self.batch.len() && !self.refill()? {
                return Ok(());
            }
            let Some(key) = self.key() else { return Ok(()) };
            match self.seek.next(key, self.direction) {
                SeekStep::Match => return Ok(()),
                SeekStep::Done => {
                    self.end();
                    return Ok(());
                }
                SeekStep::To(target) => self.jump(&target),
            }
        }
    }
}

impl SkipRun<'_> {
    /// The next batch; `false` at the end.
    fn refill(&mut self) -> Result<bool, StoreError> {
        self.at = 0;
        self.is_dense = false;
        self.batch.clear();
        if self.ended {
            return Ok(false);
        }
        let scanner = match &mut self.scanner {
            Some(scanner) => {
                self.scan.batch_rows = (self.scan.batch_rows * 4).min(ROWS.1);
                scanner
            }
            none => {
                self.scan.batch_rows = ROWS.0;
                none.insert(self.store.scan(&self.table, &self.scan)?)
            }
        };
        scanner.set_batch_rows(self.scan.batch_rows);
        let found = scanner.next_batch(&mut self.batch)?;
        self.read.add(StepCounters::of(&self.batch));
        if !found {
            self.end();
        }
        Ok(found)
    }

    /// Passes over rows before `target`, or leaves the batch for a scanner that begins there.
    fn jump(&mut self, target: &[u8]) {
        let is_before = |row: RowView<'_>| match self.direction {
            Order::Ascending => row.key() < target,
            Order::Descending => row.key() >= target,
        };
        let (mut low, mut high) = (self.at + 1, self.batch.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.batch.row(middle).is_some_and(is_before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.at = low;
        if low < self.batch.len() {
            self.is_dense = true;
            return;
        }
        if self.is_dense {
            return;
        }
        let rest = match self.direction {
            Order::Ascending => KeyRange { start: Bound::Included(target.to_vec()), end: Bound::Unbounded },
            Order::Descending => KeyRange { start: Bound::Unbounded, end: Bound::Excluded(target.to_vec()) },
        };
        self.scan.range = self.scan.range.intersect(&rest);
        self.close();
        if self.scan.range.is_empty() {
            self.end();
        }
    }

    fn end(&mut self) {
        self.ended = true;
        self.close();
        self.batch.clear();
    }

    fn close(&mut self) {
        if let Some(scanner) = self.scanner.take() {
            scanner.counts().iter().for_each(|counts| RegionCounts::add(&mut self.counts, counts));
        }
    }
}
