//! Fragments of a plan: key ranges, and how they are merged into rows in order.
//!
//! A walk leaves pieces: ranges of keys, each with its rank, which is the key without the bytes that only spread rows (a
//! salt, a bucket, a hash). Pieces of equal rank are read at the same time and merged behind their fixed bytes; pieces of
//! different ranks follow one another. That is the order in which people see the rows.

use std::cmp::Ordering;
use std::ops::Bound;

use super::seek::Seek;
use crate::range::{KeyRange, prefix_end};

/// Ranges that are read at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FanOut {
    /// The ranges, which do not overlap.
    pub ranges: Vec<KeyRange>,
    /// Rows of several ranges are merged by their key bytes from here on; ties by the whole key.
    pub merge_from: usize,
    /// How to skip keys that cannot match.
    pub seek: Option<Seek>,
}

/// A range of keys and its place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankedRange {
    pub(super) range: KeyRange,
    /// The bytes with which all its keys begin, without those that only spread rows.
    pub(super) rank: Vec<u8>,
    /// The range, without those bytes.
    pub(super) ranks: KeyRange,
    /// How many bytes all its keys have in common by their parts.
    pub(super) fixed: usize,
    pub(super) seek: Option<Seek>,
}

impl RankedRange {
    /// The only key of it.
    pub(super) fn point(&self) -> Option<&[u8]> {
        match (&self.range.start, &self.range.end) {
            (Bound::Included(start), Bound::Included(end)) if start == end => Some(start),
            _ => None,
        }
    }
}

/// What follows a prefix: bytes between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relative(KeyRange);

impl Relative {
    /// Exactly these bytes.
    pub(super) fn point(bytes: Vec<u8>) -> Self {
        Self(KeyRange { start: Bound::Included(bytes.clone()), end: Bound::Included(bytes) })
    }

    /// Everything that begins so.
    pub(super) fn prefix(bytes: Vec<u8>) -> Self {
        Self(KeyRange::prefix(&bytes))
    }

    /// Everything between two encoded values; if more parts follow, a bound is a prefix.
    pub(super) fn between(first: Bound<Vec<u8>>, last: Bound<Vec<u8>>, whole_key: bool) -> Self {
        Self(if whole_key { KeyRange { start: first, end: last } } else { prefix_bounds(first, last) })
    }

    /// Whether it is exactly some bytes.
    pub(super) fn is_point(&self) -> bool {
        matches!((&self.0.start, &self.0.end), (Bound::Included(start), Bound::Included(end)) if start == end)
    }

    /// From the first to the last; `None` without any.
    pub(super) fn hull(all: &[Self]) -> Option<Self> {
        all.iter().map(|one| one.0.clone()).reduce(|all, one| all.hull(&one)).map(Self)
    }

    /// In order, those that overlap made one.
    pub(super) fn disjoint(all: Vec<Self>) -> Vec<Self> {
        KeyRange::disjoint(all.into_iter().map(|one| one.0).collect()).into_iter().map(Self).collect()
    }

    pub(super) fn within(&self, area: &KeyRange) -> Self {
        Self(self.0.intersect(area))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.0.compare_starts(&other.0)
    }

    /// The keys that begin with `prefix` and go on so.
    pub(super) fn behind(&self, prefix: &[u8]) -> KeyRange {
        let join = |bytes: &Vec<u8>| [prefix, bytes].concat();
        let range = KeyRange { start: self.0.start.as_ref().map(join), end: self.0.end.as_ref().map(join) };
        range.intersect(&KeyRange::prefix(prefix))
    }
}

/// The keys that begin with a value between two encoded ones.
fn prefix_bounds(first: Bound<Vec<u8>>, last: Bound<Vec<u8>>) -> KeyRange {
    let start = match first {
        Bound::Excluded(prefix) => match prefix_end(&prefix) {
            Some(end) => Bound::Included(end),
            // Nothing comes after a prefix of FF bytes: an empty range.
            None => return KeyRange { start: Bound::Excluded(prefix.clone()), end: Bound::Included(prefix) },
        },
        bound => bound,
    };
    let end = match last {
        Bound::Included(prefix) => prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded),
        bound => bound,
    };
    KeyRange { start, end }
}

/// Pieces put in order: fan-outs one after another, and whether that is the order of their ranks.
#[derive(Clone)]
pub(super) struct Arranged {
    pub(super) groups: Vec<Vec<RankedRange>>,
    pub(super) by_rank: bool,
}

impl Arranged {
    /// The same, skipping by so many slots.
    pub(super) fn skipping(&self, slots: usize) -> Self {
        let mut same = self.clone();
        for piece in same.groups.iter_mut().flatten() {
            piece.seek = piece.seek.take().and_then(|seek| seek.first_slots(slots.min(seek.slots().len())));
        }
        same
    }
}

/// Puts pieces in order, each key in one piece only.
pub(super) fn arrange(pieces: Vec<RankedRange>) -> Arranged {
    let mut pieces = without_overlaps(pieces);
    pieces.sort_by(|a, b| a.ranks.compare_starts(&b.ranks).then_with(|| a.range.compare_starts(&b.range)));
    let mut groups: Vec<Vec<RankedRange>> = Vec::new();
    let mut reached: Option<KeyRange> = None;
    for piece in pieces {
        match (&mut reached, groups.last_mut()) {
            (Some(ranks), Some(group)) if !ranks.intersect(&piece.ranks).is_empty() => {
                *ranks = ranks.hull(&piece.ranks);
                group.push(piece);
            }
            _ => {
                reached = Some(piece.ranks.clone());
                groups.push(vec![piece]);
            }
        }
    }
    // Rows of one group compare by what is behind the fixed bytes, so these must mean the same.
    let by_rank = groups.iter().all(|group| {
        let same = |piece: &RankedRange| {
            group.first().is_some_and(|first| (&first.rank, first.fixed) == (&piece.rank, piece.fixed))
        };
        group.len() == 1 || group.iter().all(same)
    });
    Arranged { groups, by_rank }
}

/// Pieces that share keys made one.
fn without_overlaps(mut pieces: Vec<RankedRange>) -> Vec<RankedRange> {
    pieces.sort_by(|a, b| a.range.compare_starts(&b.range));
    let mut out: Vec<RankedRange> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(last) if !last.range.intersect(&piece.range).is_empty() => {
                last.seek = match (last.seek.take(), piece.seek) {
                    (Some(a), Some(b)) if last.range == piece.range => a.or(&b),
                    _ => None,
                };
                last.range = last.range.hull(&piece.range);
                last.ranks = last.ranks.hull(&piece.ranks);
                if piece.fixed < last.fixed {
                    (last.fixed, last.rank) = (piece.fixed, piece.rank);
                }
            }
            _ => out.push(piece),
        }
    }
    out
}
