//! Sorts rows into an order that the key does not give.
//!
//! With a limit a heap keeps the first rows so far and forgets the rest. Without one, or with one that is too large for that, rows go
//! through [`ExternalSort`], which writes to temporary files what does not fit the memory it may use.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::Path;

use super::Record;
use super::stored_record;
use crate::external_sort::{ExternalSort, SortError, Sorted};

/// Rows that a heap may keep.
const MOST_IN_HEAP: usize = 65_536;

/// Rows on their way into an order.
pub(super) enum Sorting {
    First { heap: BinaryHeap<Placed>, most: usize },
    All(ExternalSort),
}

/// Rows in order.
pub(super) enum InOrder {
    First(std::vec::IntoIter<Placed>),
    All(Box<Sorted>),
}

/// A row and its place, as bytes that compare.
pub(super) struct Placed {
    pub(super) place: Vec<u8>,
    pub(super) record: Record,
}

impl Sorting {
    pub(super) fn new(limit: Option<usize>, memory: usize, folder: &Path) -> Self {
        match limit.filter(|limit| *limit <= MOST_IN_HEAP) {
            Some(most) => Self::First { heap: BinaryHeap::new(), most },
            None => Self::All(ExternalSort::new(memory, folder)),
        }
    }

    pub(super) fn push(&mut self, placed: Placed) -> Result<(), SortError> {
        match self {
            Self::First { heap, most } => {
                if heap.len() < *most {
                    heap.push(placed);
                } else if let Some(mut last) = heap.peek_mut()
                    && placed.place < last.place
                {
                    *last = placed;
                }
                Ok(())
            }
            Self::All(sort) => {
                let mut payload = Vec::new();
                stored_record::write(&placed.record, &mut payload);
                sort.push(&placed.place, &payload)
            }
        }
    }

    pub(super) fn spilled_bytes(&self) -> u64 {
        match self {
            Self::First { .. } => 0,
            Self::All(sort) => sort.spilled_bytes(),
        }
    }

    pub(super) fn finish(self) -> Result<InOrder, SortError> {
        Ok(match self {
            Self::First { heap, .. } => InOrder::First(heap.into_sorted_vec().into_iter()),
            Self::All(sort) => InOrder::All(Box::new(sort.finish()?)),
        })
    }
}

impl InOrder {
    pub(super) fn next(&mut self) -> Result<Option<Placed>, SortError> {
        match self {
            Self::First(rows) => Ok(rows.next()),
            Self::All(sorted) => {
                let Some((place, payload)) = sorted.next()? else { return Ok(None) };
                let record = stored_record::read(payload);
                Ok(Some(Placed { place: place.to_vec(), record }))
            }
        }
    }
}

impl Ord for Placed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }
}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for Placed {}
