//! How do sorted runs become one?
//!
//! A heap of the runs' heads, by the first eight bytes of their keys as a number; only where those are equal the rest is
//! looked at, and only where the keys are equal the runs' order. So a record costs O(log runs) comparisons of numbers.

use super::run::{Run, RunReader, RunWriter};
use super::{Record, SortError, prefix};

/// The records of several runs in one order.
pub(super) struct Merge {
    readers: Vec<RunReader>,
    /// The smallest is first, and none is larger than the two that it stands over.
    heap: Vec<Head>,
    /// Whether the first of the heap was handed out.
    taken: bool,
}

#[derive(Clone, Copy)]
struct Head {
    prefix: u64,
    run: usize,
}

impl Merge {
    /// Reads each run with a buffer of that many bytes. Of equal keys, that of the earlier run comes first.
    pub(super) fn open(runs: impl IntoIterator<Item = Run>, buffer: usize) -> Result<Self, SortError> {
        let mut merge = Self { readers: Vec::new(), heap: Vec::new(), taken: false };
        for (number, run) in runs.into_iter().enumerate() {
            let mut reader = run.read(buffer);
            if reader.advance()? {
                merge.heap.push(Head { prefix: prefix(reader.key()), run: number });
            }
            merge.readers.push(reader);
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sink(at);
        }
        Ok(merge)
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, SortError> {
        if self.taken {
            self.replace_first()?;
        }
        self.taken = true;
        let first = self.heap.first().and_then(|head| self.readers.get(head.run));
        Ok(first.map(RunReader::record))
    }

    /// Writes everything to one run.
    pub(super) fn write(mut self, mut out: RunWriter) -> Result<Run, SortError> {
        while let Some((key, payload)) = self.next()? {
            out.push(key, payload)?;
        }
        out.finish()
    }

    fn replace_first(&mut self) -> Result<(), SortError> {
        let Some(head) = self.heap.first_mut() else { return Ok(()) };
        let Some(reader) = self.readers.get_mut(head.run) else { return Ok(()) };
        if reader.advance()? {
            head.prefix = prefix(reader.key());
        } else {
            let last = self.heap.len() - 1;
            self.heap.swap(0, last);
            self.heap.pop();
        }
        self.sink(0);
        Ok(())
    }

    /// Moves what is at `at` down until nothing below it is smaller.
    fn sink(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < self.heap.len() && self.is_less(below, least) {
                    least = below;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn is_less(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.heap.get(a), self.heap.get(b)) else { return false };
        if a.prefix != b.prefix {
            return a.prefix < b.prefix;
        }
        let key = |head: &Head| self.readers.get(head.run).map(RunReader::key);
        (key(a), a.run) < (key(b), b.run)
    }
}
