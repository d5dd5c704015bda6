//! Cuts a table so that a sample of its keys is spread evenly.
//!
//! At quantiles of the sample, weighted by whatever shall be even: rows, bytes or requests. A point is the shortest
//! beginning of a key that tells it from the key before, and of the places within a fiftieth of a region around the
//! quantile the one with the shortest point is taken.
//!
//! **Laws** (`tests/splits.rs`, below): points rise and are beginnings of sampled keys; no region is empty.
//! A key heavier than a region cannot be cut and is reported; what is left is spread over what is left.

use super::error::{SplitError, check_regions};

/// Places within this part of a region around a quantile are as good as the quantile.
const SLACK: u128 = 50;

/// Split points from sampled keys.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSplits {
    /// The points: one less than regions, or fewer if the sample has fewer different keys.
    pub points: Vec<Vec<u8>>,
    /// The share of each region in the sample.
    pub shares: Vec<f64>,
    /// Keys that by themselves have more than a region's fair share, the heaviest first. No split can help there.
    pub heavy: Vec<HeavyKey>,
    /// How many different keys the sample has.
    pub distinct: usize,
    /// How many keys it has.
    pub keys: usize,
}

/// A key that is more than a region.
#[derive(Debug, Clone, PartialEq)]
pub struct HeavyKey {
    /// The key, which no split point can divide.
    pub key: Vec<u8>,
    /// Its share of the sample, from 0 to 1.
    pub share: f64,
}

/// Split points at quantiles of keys with their weights.
///
/// # Errors
/// When no table has so many regions, or the sample is empty.
///
/// # Examples
/// ```
/// use rowkey_core::split::from_sample;
/// let names = ["anna", "bea", "bert", "carl", "cleo", "dora", "emil", "fritz"];
/// let splits = from_sample(names.map(|name| (name, 1)), 4).unwrap();
/// assert_eq!(splits.points, [&b"ber"[..], b"cl", b"e"]);
/// ```
pub fn from_sample<K: AsRef<[u8]>>(
    keys: impl IntoIterator<Item = (K, u64)>,
    regions: u32,
) -> Result<SampleSplits, SplitError> {
    check_regions(regions)?;
    let mut sorted: Vec<(K, u64)> = keys.into_iter().filter(|(_, weight)| *weight > 0).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
    let keys = sorted.len();
    let distinct = merged(&sorted);
    let total: u128 = distinct.iter().map(|(_, weight)| weight).sum();
    if total == 0 {
        return Err(SplitError::NoSample);
    }
    // The weight before each key: a cut before key i leaves below[i] in front of it.
    let below: Vec<u128> = distinct
        .iter()
        .scan(0, |sum, (_, weight)| {
            let before = *sum;
            *sum += weight;
            Some(before)
        })
        .collect();
    let cuts = choose(&distinct, &below, total, regions);
    let points = cuts.iter().map(|&at| separator(&distinct, at).to_vec()).collect();
    let starts = std::iter::once(0).chain(cuts.iter().filter_map(|&at| below.get(at).copied()));
    let ends = cuts.iter().filter_map(|&at| below.get(at).copied()).chain(std::iter::once(total));
    let shares = starts.zip(ends).map(|(start, end)| (end - start) as f64 / total as f64).collect();
    let mut heavy: Vec<HeavyKey> = distinct
        .iter()
        .filter(|(_, weight)| weight * u128::from(regions) > total)
        .map(|(key, weight)| HeavyKey { key: key.to_vec(), share: *weight as f64 / total as f64 })
        .collect();
    heavy.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.key.cmp(&b.key)));
    Ok(SampleSplits { points, shares, heavy, distinct: distinct.len(), keys })
}

/// Each key once, with all of its weight.
fn merged<K: AsRef<[u8]>>(sorted: &[(K, u64)]) -> Vec<(&[u8], u128)> {
    let mut distinct: Vec<(&[u8], u128)> = Vec::with_capacity(sorted.len());
    for (key, weight) in sorted {
        match distinct.last_mut() {
            Some((last, sum)) if *last == key.as_ref() => *sum += u128::from(*weight),
            _ => distinct.push((key.as_ref(), u128::from(*weight))),
        }
    }
    distinct
}

/// Before which keys to cut. Each cut takes its fair part of what is left, so that a key that is more than a region does
/// not starve the regions after it.
fn choose(distinct: &[(&[u8], u128)], below: &[u128], total: u128, regions: u32) -> Vec<usize> {
    let wanted = usize::try_from(regions).unwrap_or(usize::MAX).min(distinct.len());
    let mut cuts = Vec::with_capacity(wanted.saturating_sub(1));
    let mut start = 0;
    for left in (2..=wanted).rev() {
        let done = below.get(start).copied().unwrap_or(0);
        let fair = (total - done) / left as u128;
        let target = done + fair;
        // Every region has a key, those to come too.
        let (first, last) = (start + 1, distinct.len() - left + 1);
        let near = below.partition_point(|weight| *weight < target).clamp(first, last);
        let distance = |at: usize| below.get(at).map_or(u128::MAX, |weight| weight.abs_diff(target));
        let nearest = if near > first && distance(near - 1) < distance(near) { near - 1 } else { near };
        let slack = (fair / SLACK).max(distance(nearest));
        let lowest = below.partition_point(|weight| *weight + slack < target).clamp(first, last);
        let highest = below.partition_point(|weight| *weight <= target + slack).saturating_sub(1);
        let candidates = lowest..=highest.clamp(lowest, last);
        let best = candidates.min_by_key(|&at| (separator(distinct, at).len(), distance(at)));
        start = best.unwrap_or(nearest);
        cuts.push(start);
    }
    cuts
}

/// The shortest beginning of a key that lies above the key before it.
fn separator<'k>(distinct: &[(&'k [u8], u128)], at: usize) -> &'k [u8] {
    let key = distinct.get(at).map_or(&[][..], |(key, _)| key);
    let before = at.checked_sub(1).and_then(|at| distinct.get(at)).map_or(&[][..], |(key, _)| key);
    let common = key.iter().zip(before).take_while(|(a, b)| a == b).count();
    key.get(..=common).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_heavy_key_is_told_and_the_rest_is_even() {
        let mut keys: Vec<(Vec<u8>, u64)> = (0..100u8).map(|key| (vec![key, 7], 1)).collect();
        keys.push((vec![10, 7], 99));
        let splits = from_sample(keys, 4).unwrap();
        assert_eq!(splits.heavy.len(), 1);
        assert_eq!((splits.heavy[0].key.as_slice(), splits.heavy[0].share), (&[10u8, 7][..], 100.0 / 199.0));
        assert_eq!(splits.points.len(), 3);
        let percent: Vec<f64> = splits.shares.iter().map(|share| (share * 100.0).round()).collect();
        assert_eq!(percent, [5.0, 50.0, 22.0, 23.0]);
    }

    #[test]
    fn fewer_keys_than_regions_give_fewer_points() {
        let splits = from_sample([("a", 5), ("b", 5), ("a", 1)], 8).unwrap();
        assert_eq!((splits.points, splits.distinct, splits.keys), (vec![b"b".to_vec()], 2, 3));
        assert_eq!(from_sample([("a", 0)], 8), Err(SplitError::NoSample));
        assert_eq!(from_sample([("a", 1)], 0), Err(SplitError::Regions { regions: 0 }));
    }

    proptest! {
        #[test]
        fn points_separate_and_no_region_is_empty(
            keys in prop::collection::vec((prop::collection::vec(0u8..4, 1..5), 1u64..9), 1..60), regions in 1u32..12
        ) {
            let splits = from_sample(keys.iter().map(|(key, weight)| (key, *weight)), regions).unwrap();
            prop_assert!(splits.points.is_sorted() && splits.points.iter().all(|point| !point.is_empty()));
            prop_assert_eq!(splits.points.len() + 1, splits.distinct.min(regions as usize));
            let mut weights = vec![0u64; splits.points.len() + 1];
            for (key, weight) in &keys {
                weights[splits.points.partition_point(|point| point <= key)] += weight;
            }
            let total: u64 = weights.iter().sum();
            for (weight, share) in weights.iter().zip(&splits.shares) {
                prop_assert!(*weight > 0);
                prop_assert!((*weight as f64 / total as f64 - share).abs() < 1e-9);
            }
        }
    }
}
