//! Prefetches the rows of many ranges within a bound.
//!
//! Each range has a scanner and at most two batches: the one being read and one fetched ahead. A few threads (not one for each
//! range) fetch ahead, in the order in which batches were used up; a batch that no thread has begun is fetched by the
//! reader itself, so nothing ever waits for a thread that has other things to do. Threads start only once a query turns out
//! to be long, and not at all on a store whose scanners read ahead by themselves.
//!
//! **Bound**: together the batches hold at most [`FeedOptions::memory`] bytes, give or take a batch whose rows are larger
//! than those before it; a range's first batch has few rows, because their size is not known yet, and each may have a few
//! times the rows of the one before. A batch has at least one row, whatever its size.
//!
//! Dropping a feed ends its threads; that takes as long as the batches that they are fetching.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rowkey_store::{RegionCounts, RowBatch, Scanner, StoreError};

use super::counters::StepCounters;
use crate::cancel::Cancel;

/// How much a feed may hold and use.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeedOptions {
    /// Bytes of all batches together.
    pub(super) memory: usize,
    /// Threads that fetch ahead, at most.
    pub(super) threads: usize,
    /// Rows in a range's first batch.
    pub(super) first_rows: usize,
    /// Rows in its second batch.
    pub(super) second_rows: usize,
    /// How many times the rows of the batch before each further batch may have.
    pub(super) growth: usize,
    /// Rows in any batch.
    pub(super) most_rows: usize,
}

/// What a batch takes besides the bytes of its rows, for each row: where its key and its cells are.
const BYTES_BESIDE_A_ROW: usize = 72;
/// Batches of a range: one being read, one fetched ahead.
const BATCHES_OF_A_RANGE: usize = 2;

/// Batches of many ranges. Dropping it ends the scanners and the threads.
pub(super) struct Feed(Arc<Shared>);

/// The batches of one range.
pub(super) struct RangeFeed {
    shared: Arc<Shared>,
    range: usize,
}

struct Shared {
    state: Mutex<State>,
    /// There is something in the queue, or the feed ends.
    work: Condvar,
    /// A batch was fetched, or a thread ended.
    batch_came: Condvar,
    cancel: Cancel,
    bytes_of_a_batch: usize,
    second_rows: usize,
    growth: usize,
    most_rows: usize,
}

struct State {
    ranges: Vec<Range>,
    /// Ranges to fetch ahead for, those first that were used up first.
    queue: VecDeque<usize>,
    threads: Vec<JoinHandle<()>>,
    /// Threads yet to be started, once so many batches were asked for.
    threads_to_start: usize,
    batches_until_start: usize,
    closed: bool,
    /// A thread panicked; what it was to fetch will not come.
    broken: bool,
    fetched: StepCounters,
}

/// One range. Its scanner is taken out while a thread fetches.
struct Range {
    scanner: Option<Box<dyn Scanner>>,
    ready: Option<RowBatch>,
    spare: RowBatch,
    rows: usize,
    /// Nothing was fetched yet.
    is_first: bool,
    is_queued: bool,
    ended: bool,
    failure: Option<StoreError>,
    /// What the store read for it so far, if it counts.
    counts: Vec<RegionCounts>,
}

impl Feed {
    pub(super) fn new(scanners: Vec<Box<dyn Scanner>>, options: FeedOptions, cancel: Cancel) -> Self {
        let ranges = scanners.len().max(1);
        let rows = options.first_rows.clamp(1, options.most_rows.max(1));
        let range = |scanner| Range {
            scanner: Some(scanner),
            ready: None,
            spare: RowBatch::new(),
            rows,
            is_first: true,
            is_queued: false,
            ended: false,
            failure: None,
            counts: Vec::new(),
        };
        let state = State {
            ranges: scanners.into_iter().map(range).collect(),
            queue: VecDeque::new(),
            threads: Vec::new(),
            threads_to_start: options.threads,
            // The first round is the opening; a caller that asks for three more is going to read for a while.
            batches_until_start: 4 * ranges,
            closed: false,
            broken: false,
            fetched: StepCounters::default(),
        };
        let shared = Shared {
            state: Mutex::new(state),
            work: Condvar::new(),
            batch_came: Condvar::new(),
            cancel,
            bytes_of_a_batch: options.memory / ranges / BATCHES_OF_A_RANGE,
            second_rows: options.second_rows,
            growth: options.growth,
            most_rows: options.most_rows,
        };
        Self(Arc::new(shared))
    }

    /// One for each scanner, in their order.
    pub(super) fn ranges(&self) -> Vec<RangeFeed> {
        let range = |range| RangeFeed { shared: Arc::clone(&self.0), range };
        (0..self.0.lock().ranges.len()).map(range).collect()
    }

    pub(super) fn fetched(&self) -> StepCounters {
        self.0.lock().fetched
    }

    /// What the store read, if it counts.
    pub(super) fn count(&self, into: &mut Vec<RegionCounts>) {
        let state = self.0.lock();
        let all = state.ranges.iter().flat_map(|range| &range.counts);
        all.for_each(|counts| RegionCounts::add(into, counts));
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        self.0.work.notify_all();
        for thread in threads {
            // A thread that panicked has told its own story.
            drop(thread.join());
        }
        self.0.lock().ranges.clear();
    }
}

impl RangeFeed {
    /// Clears `batch` and fills it with the next rows; `false`, and an empty batch, at the end.
    pub(super) fn next_batch(&self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        self.shared.next_batch(self.range, batch)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_batch(self: &Arc<Self>, at: usize, batch: &mut RowBatch) -> Result<bool, StoreError> {
        batch.clear();
        let mut state = self.lock();
        state.batches_until_start = state.batches_until_start.saturating_sub(1);
        if state.batches_until_start == 0 && state.threads_to_start > 0 {
            self.start_threads(&mut state);
        }
        loop {
            let Some(range) = state.ranges.get_mut(at) else { return Ok(false) };
            if let Some(mut ready) = range.ready.take() {
                std::mem::swap(batch, &mut ready);
                range.spare = ready;
                self.ask_for_more(&mut state, at);
                return Ok(true);
            }
            if let Some(failure) = range.failure.take() {
                return Err(failure);
            }
            if range.ended {
                return Ok(false);
            }
            if let Some(scanner) = range.scanner.take() {
                let rows = range.rows;
                drop(state);
                let (scanner, found) = fetch(scanner, rows, batch);
                state = self.lock();
                state.note(at, scanner, &found, batch, self);
                if matches!(found, Ok(true)) {
                    self.ask_for_more(&mut state, at);
                }
                return found;
            }
            assert!(!state.broken, "a thread that was fetching rows has panicked");
            state = self.batch_came.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn start_threads(self: &Arc<Self>, state: &mut State) {
        for at in 0..state.ranges.len() {
            state.enqueue(at);
        }
        for _ in 0..std::mem::take(&mut state.threads_to_start) {
            let shared = Arc::clone(self);
            let thread = std::thread::Builder::new().name("rowkey-fetch".to_owned());
            // Without threads the reader fetches everything by itself.
            state.threads.extend(thread.spawn(move || shared.fetch_ahead()));
        }
    }

    fn ask_for_more(&self, state: &mut State, at: usize) {
        if !state.threads.is_empty() && state.enqueue(at) {
            self.work.notify_one();
        }
    }

    /// What a thread does until the feed ends.
    fn fetch_ahead(&self) {
        let _watch = Watch(self);
        let mut state = self.lock();
        while !state.closed && !self.cancel.is_cancelled() {
            let Some(at) = state.queue.pop_front() else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(range) = state.ranges.get_mut(at) else { continue };
            range.is_queued = false;
            if range.ended || range.ready.is_some() {
                continue;
            }
            // The reader was quicker and is fetching; it asks again afterwards.
            let Some(scanner) = range.scanner.take() else { continue };
            let (mut batch, rows) = (std::mem::take(&mut range.spare), range.rows);
            drop(state);
            let (scanner, found) = fetch(scanner, rows, &mut batch);
            state = self.lock();
            state.note(at, scanner, &found, &batch, self);
            if let Some(range) = state.ranges.get_mut(at) {
                match found {
                    Ok(true) => range.ready = Some(batch),
                    Ok(false) => {}
                    Err(failure) => range.failure = Some(failure),
                }
            }
            self.batch_came.notify_one();
        }
    }

    /// How many rows the next batch of a range may have.
    fn next_rows(&self, last_rows: usize, was_first: bool, batch: &RowBatch) -> usize {
        let bytes_of_a_row = batch.byte_len() / batch.len().max(1) + BYTES_BESIDE_A_ROW;
        let by_memory = self.bytes_of_a_batch / bytes_of_a_row;
        let wanted = if was_first { self.second_rows } else { last_rows.saturating_mul(self.growth) };
        wanted.min(by_memory).clamp(1, self.most_rows.max(1))
    }
}

/// Tells the reader if a thread ends by a panic, so that it does not wait for ever.
struct Watch<'a>(&'a Shared);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().broken = true;
            self.0.batch_came.notify_all();
        }
    }
}

type Scanned = (Box<dyn Scanner>, Result<bool, StoreError>);

fn fetch(mut scanner: Box<dyn Scanner>, rows: usize, batch: &mut RowBatch) -> Scanned {
    scanner.set_batch_rows(rows);
    let found = scanner.next_batch(batch);
    (scanner, found)
}

impl State {
    /// Whether it was not queued yet.
    fn enqueue(&mut self, at: usize) -> bool {
        let Some(range) = self.ranges.get_mut(at) else { return false };
        let is_new = !range.is_queued && !range.ended;
        if is_new {
            range.is_queued = true;
            self.queue.push_back(at);
        }
        is_new
    }

    /// Notes what came of a fetch, and closes a scanner that is at its end.
    fn note(
        &mut self,
        at: usize,
        scanner: Box<dyn Scanner>,
        found: &Result<bool, StoreError>,
        batch: &RowBatch,
        shared: &Shared,
    ) {
        self.fetched.add(StepCounters::of(batch));
        let Some(range) = self.ranges.get_mut(at) else { return };
        range.counts = scanner.counts();
        if matches!(found, Ok(true)) {
            range.rows = shared.next_rows(range.rows, range.is_first, batch);
            range.is_first = false;
            range.scanner = Some(scanner);
        } else {
            range.ended = true;
        }
    }
}
