//! Sorts more records than fit into memory.
//!
//! Records are pushed, a key and a payload each, into one arena. They are sorted by the first eight bytes of their keys as
//! a number; those with equal numbers by the next eight, and so on: 15 times quicker than comparing slices. When the arena
//! is full it goes to a temporary file as a sorted run; in the end the runs are merged.
//!
//! ```text
//! push ──▶ arena ──full──▶ run 1, run 2, … ──▶ merge ──▶ next, next, …
//!             └──────── all fits: no file at all ────────▲
//! ```
//!
//! **Law** (`sorts_as_a_stable_sort_does`): records come in the byte order of their keys, those with equal keys in the order
//! they were pushed, however small the memory.
//!
//! Memory is what was allowed, plus one record; at most `FAN_IN` runs are read at once, more are merged in between. No
//! temporary file outlives the sort: on Unix not even a `kill -9`.
//!
//! ```
//! # let folder = std::env::temp_dir();
//! let mut sort = rowkey_ops::external_sort::ExternalSort::new(64 << 20, folder);
//! sort.push(b"b", b"second")?;
//! sort.push(b"a", b"first")?;
//! let mut sorted = sort.finish()?;
//! assert_eq!(sorted.next()?, Some((&b"a"[..], &b"first"[..])));
//! assert_eq!(sorted.next()?, Some((&b"b"[..], &b"second"[..])));
//! assert_eq!(sorted.next()?, None);
//! # Ok::<(), rowkey_ops::external_sort::SortError>(())
//! ```

mod error;
mod run;

use std::path::PathBuf;

pub use error::SortError;

use rowkey_core::Order;

use crate::merge::Merge;
use run::{Run, RunReader, RunWriter, length};

/// So many runs are read at once at most.
const FAN_IN: usize = 64;
/// So many records are looked at together before they are used.
const AHEAD: usize = 32;
const CACHE_LINE: usize = 64;
/// Keys that are equal for so many bytes are compared as slices from there on.
const MOST_WORD_BYTES: usize = 64;
/// So few keys are compared as slices at once.
const FEW: usize = 16;
/// An arena that holds so much gets the room for all that is allowed, up to a limit, so that it is not moved again and again.
const LARGE: usize = 4 << 20;
const MOST_ROOM: usize = 1 << 30;
/// What a run is read with, at least and at most.
const READ_BUFFER: (usize, usize) = (8 << 10, 1 << 20);

/// A key and its payload.
pub type Record<'a> = (&'a [u8], &'a [u8]);

/// Records to be sorted by the bytes of their keys.
pub struct ExternalSort {
    memory_limit: usize,
    folder: PathBuf,
    arena: Arena,
    /// In the order of their records, each with how often it was merged.
    runs: Vec<(u32, Run)>,
    spilled_bytes: u64,
}

#[derive(Default)]
struct Arena {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// A record: its key and then its payload begin at `start`.
#[derive(Clone, Copy)]
struct Entry {
    /// Of the eight bytes of the key that are looked at now.
    word: u64,
    start: usize,
    key_length: u32,
    payload_length: u32,
}

/// The first eight bytes of a key as a number. Keys with a smaller number are smaller; of equal ones nothing is known.
fn prefix(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(first)
        }
    }
}

impl Arena {
    fn memory(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    fn record(&self, entry: &Entry) -> Record<'_> {
        let length = entry.key_length as usize + entry.payload_length as usize;
        let record = self.bytes.get(entry.start..entry.start + length).unwrap_or_default();
        record.split_at_checked(entry.key_length as usize).unwrap_or_default()
    }

    fn push(&mut self, key: &[u8], payload: &[u8], memory_limit: usize) -> Result<(), SortError> {
        let (key_length, payload_length) = (length(key, "key")?, length(payload, "payload")?);
        let start = self.bytes.len();
        if start + key.len() + payload.len() > self.bytes.capacity() && start > LARGE {
            self.grow_to(memory_limit);
        }
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
        self.entries.push(Entry { word: prefix(key), start, key_length, payload_length });
        Ok(())
    }

    /// Makes room for what the limit allows, shared as so far between entries and bytes. Memory that is never written to is
    /// never taken.
    fn grow_to(&mut self, memory_limit: usize) {
        let room = memory_limit.min(MOST_ROOM);
        let entries = room / (self.memory() / self.entries.len().max(1)).max(1);
        let bytes = room.saturating_sub(entries * size_of::<Entry>());
        // Without the room it grows as it can.
        let _ = self.entries.try_reserve(entries.saturating_sub(self.entries.len()));
        let _ = self.bytes.try_reserve(bytes.saturating_sub(self.bytes.len()));
    }

    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        self.sort_from(&mut entries, 0);
        self.entries = entries;
    }

    /// Sorts records whose keys have the same bytes before `at`, and there the bytes of their word. A key that has ended counts
    /// as going on with zeros; where others really do, they are longer and come later.
    fn sort_from(&self, entries: &mut [Entry], at: usize) {
        let next = at + size_of::<u64>();
        entries.sort_unstable_by_key(|entry| entry.word);
        for equal in entries.chunk_by_mut(|a, b| a.word == b.word) {
            if equal.len() <= FEW || next >= MOST_WORD_BYTES {
                let rest = |entry: &Entry| self.record(entry).0.get(next..).unwrap_or_default();
                // The start rises with each push, so it keeps equal keys in their order.
                equal.sort_unstable_by(|a, b| {
                    let by_rest = rest(a).cmp(rest(b));
                    by_rest.then(a.key_length.cmp(&b.key_length)).then(a.start.cmp(&b.start))
                });
            } else if equal.iter().all(|entry| entry.key_length as usize <= next) {
                equal.sort_unstable_by_key(|entry| (entry.key_length, entry.start));
            } else {
                for entry in &mut *equal {
                    entry.word = prefix(self.record(entry).0.get(next..).unwrap_or_default());
                }
                self.sort_from(equal, next);
            }
        }
    }

    /// Looks at the records of the next entries. In the order of keys they lie all over memory; looked at together they come
    /// into the cache together, where one after the other each would be waited for.
    fn look_ahead(&self, from: usize) {
        let mut seen = 0u8;
        for entry in self.entries.iter().skip(from).take(AHEAD) {
            let length = entry.key_length as usize + entry.payload_length as usize;
            for line in (0..length.min(4 * CACHE_LINE)).step_by(CACHE_LINE) {
                seen ^= self.bytes.get(entry.start + line).copied().unwrap_or(0);
            }
        }
        std::hint::black_box(seen);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }
}

impl ExternalSort {
    /// A sort that keeps about `memory_limit` bytes in memory, and the rest in temporary files of `folder`.
    pub fn new(memory_limit: usize, folder: impl Into<PathBuf>) -> Self {
        let arena = Arena::default();
        Self { memory_limit, folder: folder.into(), arena, runs: Vec::new(), spilled_bytes: 0 }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When a temporary file cannot be made or written, or a key or payload has 4 GiB or more.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<(), SortError> {
        let record = key.len() + payload.len() + size_of::<Entry>();
        if self.arena.memory() + record > self.memory_limit && !self.arena.entries.is_empty() {
            self.spill()?;
        }
        self.arena.push(key, payload, self.memory_limit)
    }

    /// How many bytes went to temporary files so far.
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// Sorts what is still in memory and hands out the records in order.
    ///
    /// # Errors
    /// When a temporary file cannot be made, written or read.
    pub fn finish(mut self) -> Result<Sorted, SortError> {
        if self.runs.is_empty() {
            self.arena.sort();
            return Ok(Sorted { from: From::Memory { arena: self.arena, next: 0 } });
        }
        if !self.arena.entries.is_empty() {
            self.spill()?;
        }
        self.arena = Arena::default();
        while self.runs.len() > FAN_IN {
            // The last ones are the smallest.
            self.merge_last((self.runs.len() - FAN_IN + 1).min(FAN_IN))?;
        }
        let buffer = self.read_buffer(self.runs.len());
        Ok(Sorted { from: From::Runs(merged(self.runs.drain(..), buffer)) })
    }

    fn spill(&mut self) -> Result<(), SortError> {
        self.arena.sort();
        let mut out = RunWriter::create(&self.folder)?;
        for (at, entry) in self.arena.entries.iter().enumerate() {
            if at.is_multiple_of(AHEAD) {
                self.arena.look_ahead(at);
            }
            let (key, payload) = self.arena.record(entry);
            out.push(key, payload)?;
        }
        self.spilled_bytes += self.arena.bytes.len() as u64;
        self.arena.clear();
        self.runs.push((0, out.finish()?));
        while let Some((merged, _)) = self.runs.len().checked_sub(FAN_IN).and_then(|at| self.runs.get(at))
            && self.runs.last().is_some_and(|(last, _)| last == merged)
        {
            self.merge_last(FAN_IN)?;
        }
        Ok(())
    }

    /// Makes one run of the last ones, so that few files are open.
    fn merge_last(&mut self, runs: usize) -> Result<(), SortError> {
        let last = self.runs.split_off(self.runs.len().saturating_sub(runs));
        let times = last.iter().map(|(times, _)| *times).max().unwrap_or(0) + 1;
        // Called with an empty arena only, whose memory the buffers take.
        let mut merge = merged(last, self.read_buffer(runs));
        let mut out = RunWriter::create(&self.folder)?;
        while let Some(run) = merge.next()? {
            let (key, payload) = run.record();
            out.push(key, payload)?;
        }
        self.runs.push((times, out.finish()?));
        Ok(())
    }

    fn read_buffer(&self, runs: usize) -> usize {
        (self.memory_limit / runs.max(1)).clamp(READ_BUFFER.0, READ_BUFFER.1)
    }
}

/// The records of runs in one order, each run read with a buffer of so many bytes.
fn merged(runs: impl IntoIterator<Item = (u32, Run)>, buffer: usize) -> Merge<RunReader> {
    let readers = runs.into_iter().map(|(_, run)| run.read(buffer)).collect();
    Merge::new(readers, Order::Ascending, 0, 0)
}

/// Sorted records.
pub struct Sorted {
    from: From,
}

enum From {
    Memory { arena: Arena, next: usize },
    Runs(Merge<RunReader>),
}

impl Sorted {
    /// Key and payload of the next record; `None` at the end.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "it lends its bytes, which no iterator can")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, SortError> {
        match &mut self.from {
            From::Memory { arena, next } => {
                if next.is_multiple_of(AHEAD) {
                    arena.look_ahead(*next);
                }
                let entry = arena.entries.get(*next).copied();
                *next += 1;
                Ok(entry.map(|entry| arena.record(&entry)))
            }
            From::Runs(merge) => Ok(merge.next()?.map(RunReader::record)),
        }
    }
}
