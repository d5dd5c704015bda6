//! Reads the rows of a plan's access, one after another.
//!
//! Single rows come by multi-gets, many at a time; fan-outs come one after another, each an [`OrderedScan`] over its ranges or, where
//! a part of the key is skipped, a [`SkipScan`]. Nothing is read before it is needed, but on a store whose scanners read ahead the
//! next fan-outs are opened while the first is read, because waiting for each would take longer than reading it.

use std::collections::VecDeque;

use rowkey_core::Order;
use rowkey_core::query::{Access, FanOut};
use rowkey_store::filter::FuzzyKey;
use rowkey_store::{Filter, Get, RegionCounts, RowBatch, RowView, Scan, Store, StoreError, TableName};

use super::counters::StepCounters;
use super::ordered::{OrderedOptions, OrderedScan};
use super::skip::SkipScan;
use crate::cancel::Cancel;

/// Rows in one multi-get.
const GETS: usize = 256;
/// Ranges that may be open at a time, before they are needed.
const RANGES_AHEAD: usize = 32;

/// How an access is read.
pub(super) struct ReadOptions {
    pub(super) direction: Order,
    /// No more rows than this are needed, and every row counts.
    pub(super) limit: Option<usize>,
    /// About so many rows are needed, but some may turn out not to count.
    pub(super) expected: Option<usize>,
    /// What the server checks.
    pub(super) filters: Vec<Filter>,
    pub(super) memory: usize,
    pub(super) threads: Option<usize>,
    /// Whether the store counts what it reads.
    pub(super) counts: bool,
    pub(super) cancel: Cancel,
}

/// The rows of an access.
pub(super) struct Reader<'a> {
    store: &'a dyn Store,
    table: TableName,
    options: ReadOptions,
    work: Work<'a>,
    /// What was read by scans that are over, and what the store read for them, if it counts.
    read: StepCounters,
    counts: Vec<RegionCounts>,
    /// Whether the store leaves out rows that it reads.
    is_filtered: bool,
}

enum Work<'a> {
    Gets { keys: std::vec::IntoIter<Vec<u8>>, batch: RowBatch, at: usize },
    FanOuts { waiting: VecDeque<FanOut>, open: VecDeque<Opened<'a>> },
}

enum Opened<'a> {
    Ordered(Box<OrderedScan>),
    Skip(Box<SkipScan<'a>>),
}

impl<'a> Reader<'a> {
    pub(super) fn new(store: &'a dyn Store, table: TableName, access: Access, options: ReadOptions) -> Self {
        let skips =
            matches!(&access, Access::Ranges(all) if all.iter().any(|fan_out| fan_out.seek.is_some()));
        let is_filtered = !options.filters.is_empty() || (skips && store.reads_ahead());
        let work = match access {
            Access::Nothing => Work::FanOuts { waiting: VecDeque::new(), open: VecDeque::new() },
            Access::Gets(keys) => Work::Gets { keys: keys.into_iter(), batch: RowBatch::new(), at: 0 },
            Access::Ranges(fan_outs) => Work::FanOuts { waiting: fan_outs.into(), open: VecDeque::new() },
        };
        Self { store, table, options, work, read: StepCounters::default(), counts: Vec::new(), is_filtered }
    }

    /// Goes to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, StoreError> {
        match &mut self.work {
            Work::Gets { keys, batch, at } => {
                *at += 1;
                while *at >= batch.len() {
                    let most = self.options.limit.map_or(GETS, |limit| limit.clamp(1, GETS));
                    let gets: Vec<Get> = keys.by_ref().take(most).map(Get::new).collect();
                    batch.clear();
                    *at = 0;
                    if gets.is_empty() {
                        return Ok(false);
                    }
                    self.store.get_many(&self.table, &gets, batch)?;
                    self.read.add(StepCounters::of(batch));
                }
                Ok(true)
            }
            Work::FanOuts { waiting, open } => loop {
                let ahead =
                    if self.store.reads_ahead() && self.options.limit.is_none() { RANGES_AHEAD } else { 1 };
                while open.iter().map(Opened::ranges).sum::<usize>() < ahead
                    && let Some(fan_out) = waiting.pop_front()
                {
                    open.push_back(Opened::open(self.store, &self.table, &fan_out, &self.options)?);
                }
                let Some(first) = open.front_mut() else { return Ok(false) };
                if first.advance()? {
                    return Ok(true);
                }
                self.read.add(first.read());
                first.count(&mut self.counts);
                open.pop_front();
            },
        }
    }

    /// The row that the reader stands on.
    pub(super) fn row(&self) -> Option<RowView<'_>> {
        match &self.work {
            Work::Gets { batch, at, .. } => batch.row(*at),
            Work::FanOuts { open, .. } => match open.front()? {
                Opened::Ordered(scan) => scan.row(),
                Opened::Skip(scan) => scan.row(),
            },
        }
    }

    /// Whether the store may have read more rows than came.
    pub(super) fn is_filtered(&self) -> bool {
        self.is_filtered
    }

    /// What was read so far, ahead of the row at hand included.
    pub(super) fn read(&self) -> StepCounters {
        let mut all = self.read;
        if let Work::FanOuts { open, .. } = &self.work {
            open.iter().for_each(|scan| all.add(scan.read()));
        }
        all
    }

    /// What the store read for it so far, region by region; nothing of gets, or if it was not asked to count.
    pub(super) fn counts(&self) -> Vec<RegionCounts> {
        let mut all = self.counts.clone();
        if let Work::FanOuts { open, .. } = &self.work {
            open.iter().for_each(|scan| scan.count(&mut all));
        }
        all
    }

    /// Ends everything that is under way.
    pub(super) fn close(&mut self) {
        (self.read, self.counts) = (self.read(), self.counts());
        self.work = Work::FanOuts { waiting: VecDeque::new(), open: VecDeque::new() };
    }
}

impl ReadOptions {
    fn scan(&self, range: &rowkey_core::KeyRange, fuzzy: Option<Vec<FuzzyKey>>) -> Scan {
        let mut filters: Vec<Filter> = fuzzy.map(Filter::FuzzyRow).into_iter().collect();
        filters.extend(self.filters.iter().cloned());
        let filter = if filters.len() > 1 { Some(Filter::All(filters)) } else { filters.pop() };
        Scan { limit: self.limit, filter, counts: self.counts, ..Scan::new(range.clone()) }
    }
}

impl<'a> Opened<'a> {
    fn open(
        store: &'a dyn Store,
        table: &TableName,
        fan_out: &FanOut,
        options: &ReadOptions,
    ) -> Result<Self, StoreError> {
        let place = (options.direction, fan_out.merge_from);
        let fuzzy = fuzzy_scans(store, fan_out, options);
        if let (Some(seek), None) = (&fan_out.seek, &fuzzy) {
            let scans = fan_out.ranges.iter().map(|range| options.scan(range, None)).collect();
            return Ok(Self::Skip(Box::new(SkipScan::open(store, table, scans, seek, place))));
        }
        let plain = || fan_out.ranges.iter().map(|range| options.scan(range, None)).collect();
        let ordered = OrderedOptions::new(options.direction, fan_out.merge_from);
        let ordered = OrderedOptions {
            limit: options.limit,
            expected: options.expected,
            memory: options.memory,
            threads: options.threads.unwrap_or(ordered.threads),
            cancel: options.cancel.clone(),
            ..ordered
        };
        let scans = fuzzy.unwrap_or_else(plain);
        Ok(Self::Ordered(Box::new(OrderedScan::open(store, table, scans, &ordered)?)))
    }

    fn advance(&mut self) -> Result<bool, StoreError> {
        match self {
            Self::Ordered(scan) => Ok(scan.next_row()?.is_some()),
            Self::Skip(scan) => scan.advance(),
        }
    }

    fn ranges(&self) -> usize {
        match self {
            Self::Ordered(scan) => scan.ranges(),
            Self::Skip(scan) => scan.ranges(),
        }
    }

    fn count(&self, into: &mut Vec<RegionCounts>) {
        match self {
            Self::Ordered(scan) => scan.count(into),
            Self::Skip(scan) => scan.count(into),
        }
    }

    fn read(&self) -> StepCounters {
        match self {
            Self::Ordered(scan) => scan.read(),
            Self::Skip(scan) => scan.read(),
        }
    }
}

/// A skip as a filter that jumps at the server, where each jump of ours would be a call. Backwards HBase's is known to be
/// wrong (docs/hbase-faults.md).
fn fuzzy_scans(store: &dyn Store, fan_out: &FanOut, options: &ReadOptions) -> Option<Vec<Scan>> {
    let seek = fan_out.seek.as_ref()?;
    if !store.reads_ahead() || options.direction == Order::Descending {
        return None;
    }
    let scan = |range| {
        let keys = seek.fuzzy(range)?.into_iter();
        let keys = keys.map(|pattern| FuzzyKey { key: pattern.bytes, any: pattern.open }).collect();
        Some(options.scan(range, Some(keys)))
    };
    fan_out.ranges.iter().map(scan).collect()
}
