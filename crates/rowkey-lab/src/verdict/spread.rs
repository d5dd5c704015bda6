//! How keys spread over buckets and regions, and where the newest go.
//!
//! A sample of the keys, with their places in the data, answers it. For fewer records than the sample holds, it is all of
//! them.

use std::collections::BTreeMap;

use rowkey_core::KeySchema;
use rowkey_core::check::DataFacts;

use super::Shared;
use crate::model::{first_step, quantiles};
use crate::route::Router;
use crate::sample::reservoir::Reservoir;

/// Regions that a table without split points is thought to have.
const REGIONS: usize = 16;
/// Sampled keys that the last hundredth must have; otherwise it is taken to be the last so many, up to a tenth of all.
const LAST: usize = 100;

/// A sampled key: its bytes, and its buckets by the salts that are measured.
pub(super) type SampledKey = (Vec<u8>, Vec<u8>);

/// How many keys are sampled.
pub(super) const KEYS: usize = 1 << 16;

pub(super) struct Spread<'k> {
    of: &'k Shared<'k>,
    pub(super) sample: Reservoir<'k, SampledKey>,
}

impl<'k> Spread<'k> {
    pub(super) fn new(of: &'k Shared<'k>) -> Self {
        Self { of, sample: Reservoir::new(KEYS, 0, &of.bar) }
    }

    pub(super) fn finish(self, facts: &mut DataFacts) {
        let (Shared { key, splits, salts, .. }, kept) = (self.of, self.sample.winners());
        facts.buckets = buckets(key, &kept);
        facts.salts = salts.spread(kept.iter().map(|(_, salted)| salted.as_slice()));
        let all = kept.len();
        let (before, last) = kept.split_at(all - (all / 100).max(LAST).min(all));
        facts.own_regions = !splits.is_empty();
        let cut = match facts.own_regions {
            true => Router::new(splits),
            false => Router::new(&quantiles(keys(before), REGIONS)),
        };
        facts.regions = cut.counts(keys(&kept));
        if last.len() >= LAST && last.len() * 10 <= all {
            facts.last = cut.counts(keys(last));
        }
    }
}

/// Keys of each bucket of the first part; empty if that is none.
fn buckets(key: &KeySchema, kept: &[SampledKey]) -> Vec<u64> {
    let Some((before, step)) = first_step(key) else { return Vec::new() };
    let Some(count) = step.bucket_count().filter(|count| step.is_bucket() && *count <= 1 << 16) else {
        return Vec::new();
    };
    let numbers = (0..count).filter_map(|number| Some((step.bucket_bytes(number)?, number as usize)));
    let numbers: BTreeMap<Vec<u8>, usize> = numbers.collect();
    let width = numbers.keys().next().map_or(0, Vec::len);
    let mut buckets = vec![0; count as usize];
    for (key, _) in kept {
        let bucket = key.get(before..before + width).and_then(|bytes| numbers.get(bytes));
        if let Some(slot) = bucket.and_then(|number| buckets.get_mut(*number)) {
            *slot += 1;
        }
    }
    buckets
}

fn keys(kept: &[SampledKey]) -> impl Iterator<Item = &[u8]> {
    kept.iter().map(|(key, _)| key.as_slice())
}
