//! Which of many scanners has the next row?
//!
//! A heap holds one entry for each scanner that still has rows, ordered by the key bytes behind the salt and then by
//! the whole key; O(log n) comparisons a row.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rowkey::Order;
use rowkey_store::{RowBatch, Scanner, StoreError};

pub(super) struct Merge {
    sources: Vec<Source>,
    heap: BinaryHeap<Head>,
    /// The scanner whose row was returned last; it moves on when the next row is asked for.
    returned: Option<Head>,
    direction: Order,
    merge_from: usize,
    started: bool,
}

struct Source {
    scanner: Box<dyn Scanner>,
    batch: RowBatch,
    at: usize,
}

/// The key of a scanner's next row.
struct Head {
    key: Vec<u8>,
    source: usize,
    direction: Order,
    merge_from: usize,
}

impl Merge {
    pub(super) fn new(scanners: Vec<Box<dyn Scanner>>, direction: Order, merge_from: usize) -> Self {
        let source = |scanner| Source { scanner, batch: RowBatch::new(), at: 0 };
        Self {
            sources: scanners.into_iter().map(source).collect(),
            heap: BinaryHeap::new(),
            returned: None,
            direction,
            merge_from,
            started: false,
        }
    }

    /// The next row, as a batch and an index into it.
    pub(super) fn next(&mut self) -> Result<Option<(&RowBatch, usize)>, StoreError> {
        if !self.started {
            self.started = true;
            for source in 0..self.sources.len() {
                let head =
                    Head { key: Vec::new(), source, direction: self.direction, merge_from: self.merge_from };
                self.push(head)?;
            }
        }
        if let Some(head) = self.returned.take() {
            if let Some(source) = self.sources.get_mut(head.source) {
                source.at += 1;
            }
            self.push(head)?;
        }
        self.returned = self.heap.pop();
        let Some(head) = &self.returned else { return Ok(None) };
        Ok(self.sources.get(head.source).map(|source| (&source.batch, source.at)))
    }

    /// Puts a scanner's head into the heap again, with its next key, or drops it at the end.
    fn push(&mut self, mut head: Head) -> Result<(), StoreError> {
        let Some(source) = self.sources.get_mut(head.source) else { return Ok(()) };
        if source.at >= source.batch.len() {
            source.at = 0;
            if !source.scanner.next_batch(&mut source.batch)? {
                return Ok(());
            }
        }
        if let Some(row) = source.batch.row(source.at) {
            head.key.clear();
            head.key.extend_from_slice(row.key());
            self.heap.push(head);
        }
        Ok(())
    }
}

impl Head {
    fn behind_salt(&self) -> &[u8] {
        self.key.get(self.merge_from..).unwrap_or_default()
    }
}

impl Ord for Head {
    /// The greatest is what the heap gives first, so rising keys compare the other way round.
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.behind_salt().cmp(other.behind_salt()).then_with(|| self.key.cmp(&other.key));
        if self.direction == Order::Ascending { order.reverse() } else { order }
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}
