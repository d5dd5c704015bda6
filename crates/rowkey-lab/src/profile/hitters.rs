//! Heavy hitters: the most frequent values.
//!
//! A batch is counted exactly, in a table of hashes; what comes often in it is added up over the batches, in their order,
//! so that the answer does not depend on threads. Where a field has few values the counts are exact. Where it has many, a
//! batch hands on what has at least a thousandth of its records, so a count may be too small by a thousandth of all
//! records, and by what was forgotten to stay within memory ([`Hitters::error`]).

use std::collections::BTreeMap;

use rowkey_core::Value;

/// A batch with so few different values hands on all of them.
const FEW: usize = 1024;
/// Otherwise those with this share of its records.
const SHARE: usize = 1024;
/// Different values that are added up; past it the rare half is forgotten.
const KEPT: usize = 4096;

/// A value and how often it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hitter {
    /// The value of the field.
    pub value: Value<'static>,
    /// How often; at least so often, if the counts are not exact.
    pub count: u64,
}

/// The table of one batch, used again.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Hash, how often, and the first row that has it; nothing where it is 0 times.
    slots: Vec<(u64, u32, u32)>,
    used: usize,
}

impl Table {
    pub(super) fn clear(&mut self, rows: usize) {
        self.slots.clear();
        self.slots.resize((rows * 2).next_power_of_two().max(2), (0, 0, 0));
        self.used = 0;
    }

    /// Counts a value; whether it is new.
    #[inline]
    pub(super) fn add(&mut self, hash: u64, row: u32) -> bool {
        let last = self.slots.len() - 1;
        let mut at = hash as usize & last;
        loop {
            match self.slots.get_mut(at) {
                Some(slot) if slot.1 == 0 => {
                    *slot = (hash, 1, row);
                    self.used += 1;
                    return true;
                }
                Some(slot) if slot.0 == hash => {
                    slot.1 += 1;
                    return false;
                }
                _ => at = (at + 1) & last,
            }
        }
    }

    /// What came often among so many rows, in a fixed order; `value` is the value of a row.
    pub(super) fn often(&self, rows: usize, value: impl Fn(usize) -> Value<'static>) -> BatchHitters {
        let exact = self.used <= FEW;
        let least = if exact { 1 } else { (rows / SHARE).max(2) as u32 };
        let mut found: Vec<_> = self.slots.iter().filter(|slot| slot.1 >= least).collect();
        found.sort_unstable_by_key(|slot| slot.2);
        let found = found.iter().map(|slot| (slot.0, slot.1, value(slot.2 as usize))).collect();
        let error = if exact { 0 } else { u64::from(least) - 1 };
        BatchHitters { found, error }
    }
}

/// What came often in a batch.
#[derive(Debug, Default)]
pub(super) struct BatchHitters {
    found: Vec<(u64, u32, Value<'static>)>,
    /// What was not handed on came at most so often.
    error: u64,
}

/// What came often so far.
#[derive(Debug, Default)]
pub(super) struct Hitters {
    counts: BTreeMap<u64, Hitter>,
    /// A count may be too small by this much.
    pub(super) error: u64,
}

impl Hitters {
    pub(super) fn add(&mut self, batch: BatchHitters) {
        self.error += batch.error;
        for (hash, count, value) in batch.found {
            let slot = self.counts.entry(hash).or_insert_with(|| Hitter { value, count: 0 });
            slot.count += u64::from(count);
        }
        if self.counts.len() > KEPT {
            // Everything loses as much as the middle one has; half of them are gone then.
            let mut counts: Vec<u64> = self.counts.values().map(|hitter| hitter.count).collect();
            let middle = counts.len() / 2;
            let (_, loss, _) = counts.select_nth_unstable(middle);
            let loss = *loss;
            self.error += loss;
            self.counts.retain(|_, hitter| {
                hitter.count = hitter.count.saturating_sub(loss);
                hitter.count > 0
            });
        }
    }

    /// All values, where none was left out.
    pub(super) fn all(&self) -> Vec<Hitter> {
        self.counts.values().cloned().collect()
    }

    /// The values that came most often, those with more than the error and at least twice.
    pub(super) fn top(&self, most: usize) -> Vec<Hitter> {
        let sure = self.counts.values().filter(|hitter| hitter.count > self.error.max(1));
        let mut found: Vec<Hitter> = sure.cloned().collect();
        found.sort_by_cached_key(|hitter| (std::cmp::Reverse(hitter.count), hitter.value.to_string()));
        found.truncate(most);
        found
    }
}
