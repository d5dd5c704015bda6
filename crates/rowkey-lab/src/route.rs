//! The region that a row key belongs to.
//!
//! ```text
//!  key  07 3a 11 …   first two bytes ──► table of 65,536: the splits that begin so ──► none: the region is known
//!                                                                 └─ some: compare eight bytes, then the whole keys
//! ```
//!
//! Most keys are told apart by their first two bytes, so the usual answer is two loads from a table. A key shorter than
//! two (or eight) bytes counts as if zeros followed; where that makes it equal to a split, whole keys decide.
//!
//! **Law** (the property below): the region of a key is what a binary search over the split points gives: as many as
//! there are splits at or before the key.
//!
//! ```
//! let router = rowkey_lab::route::Router::new(&[b"b".to_vec(), b"c".to_vec()]);
//! assert_eq!([&b"a"[..], b"b", b"bz", b"z"].map(|key| router.region(key)), [0, 1, 1, 2]);
//! ```

/// Finds the region of a key among split points.
#[derive(Debug, Clone)]
pub struct Router {
    splits: Vec<Vec<u8>>,
    /// The first eight bytes of each split.
    heads: Vec<u64>,
    /// How many splits begin with less than these two bytes; one entry more than there are such beginnings.
    below: Vec<u32>,
}

impl Router {
    /// A router over split points, in any order; one that is there twice, or empty, cuts nothing.
    pub fn new(splits: &[Vec<u8>]) -> Self {
        let mut splits: Vec<Vec<u8>> = splits.iter().filter(|split| !split.is_empty()).cloned().collect();
        splits.sort();
        splits.dedup();
        let heads: Vec<u64> = splits.iter().map(|split| head(split)).collect();
        let mut below = Vec::with_capacity(1 << 16);
        let mut passed = 0u32;
        let mut rest = heads.iter().map(|head| head >> 48).peekable();
        for beginning in 0..=1u64 << 16 {
            while rest.next_if(|of_split| *of_split < beginning).is_some() {
                passed += 1;
            }
            below.push(passed);
        }
        Self { splits, heads, below }
    }

    /// The split points, sorted; region `n` begins at split `n - 1`.
    pub fn splits(&self) -> &[Vec<u8>] {
        &self.splits
    }

    /// How many regions there are.
    pub fn regions(&self) -> usize {
        self.splits.len() + 1
    }

    /// Where a region begins; empty for the first.
    pub fn start(&self, region: usize) -> &[u8] {
        region.checked_sub(1).and_then(|split| self.splits.get(split)).map_or(&[], Vec::as_slice)
    }

    /// The number of the region that holds a key.
    #[inline]
    pub fn region(&self, key: &[u8]) -> usize {
        let of_key = head(key);
        let beginning = (of_key >> 48) as usize;
        let (low, high) = (self.below[beginning] as usize, self.below[beginning + 1] as usize);
        if low == high { low } else { self.among(key, of_key, low, high) }
    }

    /// How many of some keys each region holds.
    pub fn counts<K: AsRef<[u8]>>(&self, keys: impl IntoIterator<Item = K>) -> Vec<u64> {
        let mut counts = vec![0; self.regions()];
        keys.into_iter().for_each(|key| counts[self.region(key.as_ref())] += 1);
        counts
    }

    /// As many splits as are at or before the key, if all below `low` are and none from `high` on is.
    fn among(&self, key: &[u8], of_key: u64, low: usize, high: usize) -> usize {
        let mut found = low + self.heads[low..high].partition_point(|head| *head < of_key);
        // Equal in eight bytes, or by zeros that are not there.
        while let (Some(split), true) = (self.splits.get(found), self.heads.get(found) == Some(&of_key)) {
            if split.as_slice() > key {
                break;
            }
            found += 1;
        }
        found
    }
}

/// The first eight bytes as a number that compares like them; zeros where there are fewer.
#[inline]
pub(crate) fn head(key: &[u8]) -> u64 {
    if let Some(eight) = key.first_chunk() {
        return u64::from_be_bytes(*eight);
    }
    let mut eight = [0; 8];
    eight.iter_mut().zip(key).for_each(|(slot, byte)| *slot = *byte);
    u64::from_be_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Keys over few byte values, often with a long common beginning, so that every way through the router is taken.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop::sample::select(vec![0u8, 1, 0x61, 0xFE, 0xFF]);
        prop_oneof![
            prop::collection::vec(byte.clone(), 0..4),
            prop::collection::vec(byte, 0..4).prop_map(|tail| [
                b"\x61\x61\x00\x00\x00\x00\x00".as_slice(),
                &tail
            ]
            .concat()),
            prop::collection::vec(any::<u8>(), 0..12),
        ]
    }

    proptest! {
        #[test]
        fn a_region_is_what_a_binary_search_finds(
            splits in prop::collection::vec(key(), 0..40),
            keys in prop::collection::vec(key(), 1..40),
        ) {
            let router = Router::new(&splits);
            let mut sorted = splits;
            sorted.retain(|split| !split.is_empty());
            sorted.sort();
            sorted.dedup();
            prop_assert_eq!(router.splits(), &sorted);
            for key in &keys {
                let expected = sorted.partition_point(|split| split <= key);
                prop_assert_eq!(router.region(key), expected);
                prop_assert!(router.start(expected) <= key.as_slice());
            }
        }
    }

    #[test]
    fn every_split_begins_its_own_region() {
        let splits: Vec<Vec<u8>> = (1..=300u16).map(|number| number.to_be_bytes().to_vec()).collect();
        let router = Router::new(&splits);
        assert_eq!(router.regions(), 301);
        for (place, split) in splits.iter().enumerate() {
            assert_eq!((router.region(split), router.start(place + 1)), (place + 1, split.as_slice()));
        }
    }
}
