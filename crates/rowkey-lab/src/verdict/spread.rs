//! How do keys spread over buckets and regions, and where do the newest go?
//!
//! A sample of the keys, with their places in the data, answers it. For fewer records than the sample holds, it is all of
//! them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::KeySchema;
use rowkey::check::DataFacts;
use rowkey::key::Step;

use super::salts::Salts;

/// Regions that a table without split points is thought to have.
const REGIONS: usize = 16;
/// Sampled keys that the last hundredth must have; otherwise it is taken to be the last so many, up to a tenth of all.
const LAST: usize = 100;

/// A sampled key: its lot, the number of its record, its bytes, its buckets by the salts that are measured.
type SampledKey = (u64, u64, Vec<u8>, Vec<u8>);

pub(super) struct Spread<'k> {
    key: &'k KeySchema,
    splits: &'k [Vec<u8>],
    salts: &'k Salts,
    kept: Vec<SampledKey>,
    /// No lot from here on can win any more.
    bar: &'k AtomicU64,
}

impl<'k> Spread<'k> {
    /// How many keys are sampled.
    pub(super) const KEYS: usize = 1 << 16;

    pub(super) fn new(
        key: &'k KeySchema,
        splits: &'k [Vec<u8>],
        salts: &'k Salts,
        bar: &'k AtomicU64,
    ) -> Self {
        Self { key, splits, salts, kept: Vec::new(), bar }
    }

    pub(super) fn offer(&mut self, lot: u64, number: u64, key: &[u8], salted: &[u8]) {
        if lot < self.bar.load(Ordering::Relaxed) {
            self.kept.push((lot, number, key.to_vec(), salted.to_vec()));
            if self.kept.len() > 2 * Self::KEYS {
                self.thin();
            }
        }
    }

    fn thin(&mut self) {
        if self.kept.len() > Self::KEYS {
            let (_, first_loser, _) = self.kept.select_nth_unstable(Self::KEYS);
            self.bar.store(first_loser.0, Ordering::Relaxed);
            self.kept.truncate(Self::KEYS);
        }
    }

    pub(super) fn finish(mut self, facts: &mut DataFacts) {
        self.thin();
        self.kept.sort_unstable_by_key(|(_, number, ..)| *number);
        facts.buckets = self.buckets();
        facts.salts = self.salts.spread(self.kept.iter().map(|(_, _, _, salted)| salted.as_slice()));
        let all = self.kept.len();
        let hundredth = facts.records - facts.records / 100;
        let last = self.kept.partition_point(|(_, number, ..)| *number < hundredth);
        let last = if all - last < LAST { all.saturating_sub(LAST) } else { last };
        let (before, last) = self.kept.split_at(last);
        facts.own_regions = !self.splits.is_empty();
        let cut = if facts.own_regions { self.splits.to_vec() } else { even_splits(before) };
        facts.regions = counts(&self.kept, &cut);
        if last.len() >= LAST && last.len() * 10 <= all {
            facts.last = counts(last, &cut);
        }
    }

    /// Keys of each bucket of the first part; empty if that is none.
    fn buckets(&self) -> Vec<u64> {
        let (before, step) = match self.key.steps() {
            [Step::Value(step), ..] => (0, step),
            [Step::Literal(before), Step::Value(step), ..] => (before.len(), step),
            _ => return Vec::new(),
        };
        let Some(count) = step.bucket_count().filter(|count| step.is_bucket() && *count <= 1 << 16) else {
            return Vec::new();
        };
        let numbers = (0..count).filter_map(|number| Some((step.bucket_bytes(number)?, number as usize)));
        let numbers: BTreeMap<Vec<u8>, usize> = numbers.collect();
        let width = numbers.keys().next().map_or(0, Vec::len);
        let mut buckets = vec![0; count as usize];
        for (_, _, key, _) in &self.kept {
            let bucket = key.get(before..before + width).and_then(|bytes| numbers.get(bytes));
            if let Some(slot) = bucket.and_then(|number| buckets.get_mut(*number)) {
                *slot += 1;
            }
        }
        buckets
    }
}

/// Split points between as many keys each.
fn even_splits(keys: &[SampledKey]) -> Vec<Vec<u8>> {
    let mut keys: Vec<&Vec<u8>> = keys.iter().map(|(_, _, key, _)| key).collect();
    keys.sort_unstable();
    let mut splits: Vec<Vec<u8>> = (1..REGIONS)
        .filter_map(|number| keys.get(number * keys.len() / REGIONS).map(|key| (*key).clone()))
        .collect();
    splits.dedup();
    splits
}

fn counts(keys: &[SampledKey], splits: &[Vec<u8>]) -> Vec<u64> {
    let mut counts = vec![0; splits.len() + 1];
    for (_, _, key, _) in keys {
        if let Some(count) = counts.get_mut(splits.partition_point(|split| split <= key)) {
            *count += 1;
        }
    }
    counts
}
