//! Ranges of keys.
//!
//! A [`KeyRange`] is a start and an end bound over unsigned bytes. Unbounded is a variant of its own; that HBase
//! writes it as empty bytes is known only to the wire layer.
//!
//! **Laws**: `successor(k)` is the smallest key above `k`; `prefix_end(p)` is the smallest key above every key
//! that starts with `p`. Both are held by the tests below and by HBase's own figures (`tests/vectors.rs`).

use std::ops::Bound;

use crate::escape::escape;
use crate::key::MAX_KEY_LENGTH;

/// The smallest key above `key`: the key and a zero byte.
pub fn successor(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// The first key past all keys that start with `prefix`; `None` if there is none (the prefix is empty or all FF).
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix.get(..=last)?.to_vec();
    if let Some(byte) = end.last_mut() {
        *byte += 1;
    }
    Some(end)
}

/// The key of a bound; `None` if it is unbounded.
pub fn bound_key(bound: &Bound<Vec<u8>>) -> Option<&[u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

/// A range of row keys in byte order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyRange {
    /// Where it starts.
    pub start: Bound<Vec<u8>>,
    /// Where it ends.
    pub end: Bound<Vec<u8>>,
}

impl KeyRange {
    /// Every key.
    pub fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// Exactly one key.
    pub fn point(key: &[u8]) -> Self {
        Self { start: Bound::Included(key.to_vec()), end: Bound::Included(key.to_vec()) }
    }

    /// Every key that starts with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self {
            start: if prefix.is_empty() { Bound::Unbounded } else { Bound::Included(prefix.to_vec()) },
            end: prefix_end(prefix).map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// From `start` (inclusive) to `end` (exclusive), where `None` is unbounded: the shape of a region.
    pub fn half_open(start: Option<Vec<u8>>, end: Option<Vec<u8>>) -> Self {
        Self {
            start: start.map_or(Bound::Unbounded, Bound::Included),
            end: end.map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// Whether `key` lies in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        !self.is_after(key) && !self.is_before(key)
    }

    /// Whether the whole range lies after `key`.
    pub fn is_after(&self, key: &[u8]) -> bool {
        match &self.start {
            Bound::Unbounded => false,
            Bound::Included(start) => key < start.as_slice(),
            Bound::Excluded(start) => key <= start.as_slice(),
        }
    }

    /// Whether the whole range lies before `key`.
    pub fn is_before(&self, key: &[u8]) -> bool {
        match &self.end {
            Bound::Unbounded => false,
            Bound::Included(end) => key > end.as_slice(),
            Bound::Excluded(end) => key >= end.as_slice(),
        }
    }

    /// Whether no key at all can lie in the range.
    pub fn is_empty(&self) -> bool {
        self.is_before(&self.first_key())
    }

    /// The same rows, by bounds that a row can have: a row key has at least one byte and not more than HBase's limit.
    #[must_use]
    pub fn of_rows(self) -> Self {
        let longest = |mut key: Vec<u8>| {
            key.truncate(MAX_KEY_LENGTH);
            key
        };
        let start = match self.start {
            // Nothing is as long as the bound, so what equals its beginning lies before it.
            Bound::Included(key) | Bound::Excluded(key) if key.len() > MAX_KEY_LENGTH => {
                Bound::Excluded(longest(key))
            }
            bound => bound,
        };
        let end = match self.end {
            Bound::Included(key) | Bound::Excluded(key) if key.len() > MAX_KEY_LENGTH => {
                Bound::Included(longest(key))
            }
            // No row is empty, so none is up to nothing.
            Bound::Included(key) if key.is_empty() => Bound::Excluded(key),
            bound => bound,
        };
        Self { start, end }
    }

    /// The smallest key that can lie in it.
    pub fn first_key(&self) -> Vec<u8> {
        match &self.start {
            Bound::Unbounded => Vec::new(),
            Bound::Included(start) => start.clone(),
            Bound::Excluded(start) => successor(start),
        }
    }

    /// Which range starts earlier.
    pub fn compare_starts(&self, other: &Self) -> std::cmp::Ordering {
        self.first_key().cmp(&other.first_key())
    }

    /// The range from the earlier start to the later end.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        // The first key behind the range; nothing is behind one without an end.
        let behind = |range: &Self| match &range.end {
            Bound::Unbounded => None,
            Bound::Included(end) => Some(successor(end)),
            Bound::Excluded(end) => Some(end.clone()),
        };
        let start = if self.compare_starts(other).is_le() { &self.start } else { &other.start };
        let end = match (behind(self), behind(other)) {
            (None, _) => &self.end,
            (_, None) => &other.end,
            (Some(own), Some(others)) => {
                if own >= others {
                    &self.end
                } else {
                    &other.end
                }
            }
        };
        Self { start: start.clone(), end: end.clone() }
    }

    /// Ranges in order, those that share a key made one.
    pub fn disjoint(mut ranges: Vec<Self>) -> Vec<Self> {
        ranges.sort_by(Self::compare_starts);
        let mut out: Vec<Self> = Vec::with_capacity(ranges.len());
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            match out.last_mut() {
                Some(last) if !last.intersect(&range).is_empty() => *last = last.hull(&range),
                _ => out.push(range),
            }
        }
        out
    }

    /// The keys that lie in both ranges.
    pub fn intersect(&self, other: &Self) -> Self {
        let start =
            match (&self.start, &other.start) {
                (Bound::Unbounded, bound) | (bound, Bound::Unbounded) => bound.clone(),
                (Bound::Included(a), Bound::Included(b)) => Bound::Included(a.max(b).clone()),
                (Bound::Excluded(a), Bound::Excluded(b)) => Bound::Excluded(a.max(b).clone()),
                (Bound::Included(a), Bound::Excluded(b)) | (Bound::Excluded(b), Bound::Included(a)) => {
                    if a > b { Bound::Included(a.clone()) } else { Bound::Excluded(b.clone()) }
                }
            };
        let end =
            match (&self.end, &other.end) {
                (Bound::Unbounded, bound) | (bound, Bound::Unbounded) => bound.clone(),
                (Bound::Included(a), Bound::Included(b)) => Bound::Included(a.min(b).clone()),
                (Bound::Excluded(a), Bound::Excluded(b)) => Bound::Excluded(a.min(b).clone()),
                (Bound::Included(a), Bound::Excluded(b)) | (Bound::Excluded(b), Bound::Included(a)) => {
                    if a < b { Bound::Included(a.clone()) } else { Bound::Excluded(b.clone()) }
                }
            };
        Self { start, end }
    }
}

impl std::fmt::Display for KeyRange {
    /// Interval notation with escaped keys: `[a, b)`, `(-∞, b]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.start {
            Bound::Unbounded => write!(f, "(-∞")?,
            Bound::Included(key) => write!(f, "[{}", escape(key))?,
            Bound::Excluded(key) => write!(f, "({}", escape(key))?,
        }
        match &self.end {
            Bound::Unbounded => write!(f, ", ∞)"),
            Bound::Included(key) => write!(f, ", {}]", escape(key)),
            Bound::Excluded(key) => write!(f, ", {})", escape(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Short keys over few byte values, so that equal, adjacent and prefix keys come up all the time.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0u8, 1, 0x61, 0xFE, 0xFF]), 0..4)
    }

    fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
        prop_oneof![Just(Bound::Unbounded), key().prop_map(Bound::Included), key().prop_map(Bound::Excluded)]
    }

    proptest! {
        #[test]
        fn prefix_range_holds_exactly_the_keys_with_the_prefix(prefix in key(), other in key()) {
            prop_assert_eq!(KeyRange::prefix(&prefix).contains(&other), other.starts_with(&prefix));
        }

        #[test]
        fn successor_is_the_next_key(a in key(), b in key()) {
            prop_assert_eq!(a < b, successor(&a) <= b);
        }

        #[test]
        fn intersection_holds_what_both_hold(
            (s1, e1, s2, e2) in (bound(), bound(), bound(), bound()), probe in key()
        ) {
            let (a, b) = (KeyRange { start: s1, end: e1 }, KeyRange { start: s2, end: e2 });
            prop_assert_eq!(a.intersect(&b).contains(&probe), a.contains(&probe) && b.contains(&probe));
        }

        #[test]
        fn disjoint_ranges_hold_what_all_hold_and_no_key_twice(
            bounds in prop::collection::vec((bound(), bound()), 0..5), probe in key()
        ) {
            let ranges: Vec<KeyRange> = bounds.into_iter().map(|(start, end)| KeyRange { start, end }).collect();
            let apart = KeyRange::disjoint(ranges.clone());
            let holding = apart.iter().filter(|range| range.contains(&probe)).count();
            prop_assert_eq!(holding, usize::from(ranges.iter().any(|range| range.contains(&probe))));
        }

        #[test]
        fn an_empty_range_holds_nothing(s in bound(), e in bound(), probe in key()) {
            let range = KeyRange { start: s, end: e };
            prop_assert!(!(range.is_empty() && range.contains(&probe)));
        }
    }

    #[test]
    fn bounds_that_no_row_has_become_bounds_that_rows_have() {
        let long = vec![b'a'; MAX_KEY_LENGTH + 5];
        let row = vec![b'a'; MAX_KEY_LENGTH];
        assert!(KeyRange::point(&long).of_rows().is_empty());
        assert!(KeyRange::point(b"").of_rows().is_empty());
        let from = KeyRange { start: Bound::Included(long.clone()), end: Bound::Unbounded }.of_rows();
        assert_eq!((from.contains(&row), from.contains(b"b")), (false, true));
        let to = KeyRange { start: Bound::Unbounded, end: Bound::Excluded(long) }.of_rows();
        assert_eq!((to.contains(&row), to.contains(b"b")), (true, false));
    }
}
