//! The share of each region of a cut table.
//!
//! Every split point has a place among the rungs of the key's ladders ([`super::domain`]): so many first parts below it,
//! and within one of them so many second parts, and so on. Two points at the same place have no key between them: that
//! region is proved empty, whatever is written. Where all values before a place come equally often, the place is also a
//! share.
//!
//! **Laws** (`tests/splits.rs`): shares of reachable regions sum up to one; random records fall into no region that is
//! called unreachable, and into the others by their shares.
//!
//! Quirk: the values of a `decimal(n)` are taken to use all digits, and a range that was given is believed. So
//! "unreachable" means: by the types and by what was given.

use super::domain::{self, KeyStretch, Ranges};
use super::even::UNEVEN;
use crate::key::KeySchema;

/// What a region is expected to get.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// No key can have these bytes.
    Unreachable,
    /// This part of all rows, from 0 to 1.
    Known(f64),
    /// Keys can lie in it; how many is not known, but not more than this part.
    AtMost(f64),
}

impl Share {
    /// The share, if it is known; nothing is known to go to a region that no key reaches.
    pub fn known(self) -> Option<f64> {
        match self {
            Self::Unreachable => Some(0.0),
            Self::Known(share) => Some(share),
            Self::AtMost(_) => None,
        }
    }
}

/// What each region of a table gets that is cut at `splits`, which are sorted: one more than there are splits.
///
/// # Examples
/// The points of the reference guide's example, which leave seven of ten regions empty:
/// ```
/// use rowkey_core::split::{Share, bytes_split, shares};
/// let key = rowkey_core::KeySchema::parse("[md5(id)]").unwrap();
/// let splits = bytes_split(b"0000000000000000", b"ffffffffffffffff", 7).unwrap();
/// let percent: Vec<f64> = shares(&key, &splits).iter().map(|share| share.known().unwrap() * 100.0).collect();
/// assert_eq!(percent, [0.0, 43.75, 18.75, 0.0, 0.0, 0.0, 0.0, 0.0, 37.5, 0.0]);
/// ```
pub fn shares(key: &KeySchema, splits: &[Vec<u8>]) -> Vec<Share> {
    shares_within(key, &Ranges::new(), splits)
}

/// As [`shares`], where more is known of number and time fields than their types say.
pub fn shares_within(key: &KeySchema, ranges: &Ranges, splits: &[Vec<u8>]) -> Vec<Share> {
    let parts = domain::parts(key, ranges);
    let mut places: Vec<Standing> = splits.iter().map(|split| Standing::of(&parts, split)).collect();
    places.push(Standing::End);
    let mut before = Standing::Start;
    let mut shares = Vec::with_capacity(places.len());
    for place in places {
        shares.push(between(&before, &place));
        before = place;
    }
    shares
}

/// Whether every region gets something, and none more than a quarter above its fair share; `None` if that is not known.
pub fn is_even(shares: &[Share]) -> Option<bool> {
    let fair = 1.0 / f64::from(u32::try_from(shares.len()).unwrap_or(u32::MAX));
    let fits = |share: &Share| match share {
        Share::Unreachable => Some(false),
        Share::Known(share) => Some(*share > 0.0 && *share <= UNEVEN * fair),
        Share::AtMost(_) => None,
    };
    let all: Vec<Option<bool>> = shares.iter().map(fits).collect();
    if all.contains(&Some(false)) {
        return Some(false);
    }
    all.into_iter().collect::<Option<Vec<bool>>>().map(|_| true)
}

/// Where a key lies among all that can be.
#[derive(Debug, Clone, PartialEq)]
enum Standing {
    /// No key lies below.
    Start,
    Inside(Inside),
    /// Every key lies below.
    End,
}

#[derive(Debug, Clone, PartialEq)]
struct Inside {
    /// The rung of each ladder, from the first on.
    rungs: Vec<u128>,
    /// What is left of the split point where nothing is known of the key any more.
    rest: Vec<u8>,
    /// The share of keys below, at least and at most.
    low: f64,
    high: f64,
}

impl Standing {
    fn of(parts: &[KeyStretch<'_>], split: &[u8]) -> Self {
        let Some((part, rest)) = parts.split_first() else {
            return if split.is_empty() { Self::Start } else { Self::End };
        };
        if split.is_empty() {
            return Self::Start;
        }
        match part {
            KeyStretch::Literal(literal) => match split.strip_prefix(literal.as_slice()) {
                Some(split) => Self::of(rest, split),
                // The literal itself, or more of it, is not below.
                None if split <= literal.as_slice() => Self::Start,
                None => Self::End,
            },
            KeyStretch::Unknown(_) => {
                Self::Inside(Inside { rungs: Vec::new(), rest: split.to_vec(), low: 0.0, high: 1.0 })
            }
            KeyStretch::Ladder(ladder, _) => {
                let (count, even) = (ladder.count, ladder.spread.is_even());
                let share = |rung: f64| rung / count as f64;
                let at = |rung: u128| match rung {
                    0 => Self::Start,
                    rung if rung >= count => Self::End,
                    rung => {
                        let (low, high) =
                            if even { (share(rung as f64), share(rung as f64)) } else { (0.0, 1.0) };
                        Self::Inside(Inside { rungs: vec![rung], rest: Vec::new(), low, high })
                    }
                };
                let Some((head, tail)) =
                    split.split_at_checked(ladder.width).filter(|(_, tail)| !tail.is_empty())
                else {
                    return at(ladder.first_from(split));
                };
                let (from, past) = (ladder.first_from(head), ladder.first_past(head));
                if from == past {
                    return at(from);
                }
                match Self::of(rest, tail) {
                    Self::Start => at(from),
                    Self::End => at(past),
                    Self::Inside(mut inner) => {
                        inner.rungs.insert(0, from);
                        let scaled = |inner: f64| share(from as f64 + (past - from) as f64 * inner);
                        (inner.low, inner.high) =
                            if even { (scaled(inner.low), scaled(inner.high)) } else { (0.0, 1.0) };
                        Self::Inside(inner)
                    }
                }
            }
        }
    }

    /// The share of keys below, at least and at most.
    fn below(&self) -> (f64, f64) {
        match self {
            Self::Start => (0.0, 0.0),
            Self::End => (1.0, 1.0),
            Self::Inside(inside) => (inside.low, inside.high),
        }
    }
}

fn between(start: &Standing, end: &Standing) -> Share {
    if start == end {
        return Share::Unreachable;
    }
    let ((low, high), (end_low, end_high)) = (start.below(), end.below());
    if low == high && end_low == end_high {
        Share::Known(end_low - low)
    } else {
        Share::AtMost(end_high - low)
    }
}
