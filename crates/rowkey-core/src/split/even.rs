//! Cuts a table so that every region gets the same.
//!
//! The share below a cut is a fraction; part by part it is turned into the rung of a ladder and what is left of the
//! fraction inside that rung, until what is left does not matter. So 64 regions of `[salt(4, u)][md5(u)]` go on from the
//! four salts into the digest, and every point consists of bytes that keys have. Points are as short as they can be
//! within a thousandth of a region.
//!
//! **Laws** (`tests/splits.rs`): points rise; [`super::shares`] finds every region reachable and even; random records
//! fill every region to within 15%.

use super::domain::{self, KeyStretch, Ranges};
use super::error::{SplitError, check_regions};
use super::share::{is_even, shares_within};
use crate::key::{KeySchema, ValueStep};

/// A point may miss its place by this part of a region.
const TOLERANCE: u128 = 1000;

/// A region of a few values may have this much more than its fair share.
pub(super) const UNEVEN: f64 = 1.25;

/// Split points for regions of one size, by what the key says about its bytes.
///
/// # Errors
/// When the key does not say enough, or its known values are too few for so many regions.
///
/// # Examples
/// ```
/// use rowkey_core::{KeySchema, split};
/// let key = KeySchema::parse("[md5(id).subStr(0,4)]-[id]").unwrap();
/// assert_eq!(split::for_key(&key, 4).unwrap(), [b"4", b"8", b"c"]);
/// ```
pub fn for_key(key: &KeySchema, regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    for_key_within(key, &Ranges::new(), regions)
}

/// As [`for_key`], where more is known of number and time fields than their types say.
///
/// # Errors
/// As [`for_key`].
pub fn for_key_within(key: &KeySchema, ranges: &Ranges, regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    check_regions(regions)?;
    if regions == 1 {
        return Ok(Vec::new());
    }
    let parts = domain::parts(key, ranges);
    let known = Known::of(&parts);
    let n = u128::from(regions);
    if known.distinct < known.values {
        // Values come as often as those of their fields do: cuts lie where they can, and are measured.
        let points: Vec<Vec<u8>> = (1..n).map(|index| cut(known.parts, index, n, n)).collect();
        let shares = shares_within(key, ranges, &points);
        let largest = shares.iter().filter_map(|share| share.known()).fold(0.0, f64::max);
        return match is_even(&shares) {
            Some(false) => Err(refusal(key, &known, regions, largest * 100.0)),
            _ => Ok(points),
        };
    }
    if known.values >= n.saturating_mul(TOLERANCE) {
        return Ok((1..n).map(|index| cut(known.parts, index, n, n)).collect());
    }
    // So few values that a cut must lie between two of them.
    let gap = (1..=n).map(|index| place(index, known.values, n) - place(index - 1, known.values, n)).max();
    let gap = gap.unwrap_or(0) as f64;
    let largest = gap / known.values as f64;
    let fewest = (1..=n).all(|index| place(index, known.values, n) > place(index - 1, known.values, n));
    if !fewest || largest > UNEVEN / f64::from(regions) {
        return Err(refusal(key, &known, regions, largest * 100.0));
    }
    Ok((1..n).map(|index| cut(known.parts, place(index, known.values, n), known.values, n)).collect())
}

/// The value, of all, that is nearest to a fraction.
fn place(index: u128, values: u128, regions: u128) -> u128 {
    (2 * index * values + regions) / (2 * regions)
}

/// The parts whose values are known and come equally often.
struct Known<'p, 'k> {
    parts: &'p [KeyStretch<'k>],
    /// How many values they have together, and how many of these differ.
    values: u128,
    distinct: u128,
    /// The part where knowledge ends.
    end: Option<&'k ValueStep>,
}

impl<'p, 'k> Known<'p, 'k> {
    fn of(parts: &'p [KeyStretch<'k>]) -> Self {
        let (mut values, mut distinct): (u128, u128) = (1, 1);
        for (index, part) in parts.iter().enumerate() {
            match part {
                KeyStretch::Literal(_) => {}
                KeyStretch::Ladder(ladder, _) if ladder.spread.is_even() => {
                    values = values.saturating_mul(ladder.count);
                    distinct = distinct.saturating_mul(ladder.distinct);
                }
                KeyStretch::Ladder(_, step) | KeyStretch::Unknown(step) => {
                    let parts = parts.get(..index).unwrap_or(parts);
                    return Self { parts, values, distinct, end: Some(step) };
                }
            }
        }
        Self { parts, values, distinct, end: None }
    }
}

fn refusal(key: &KeySchema, known: &Known<'_, '_>, regions: u32, largest: f64) -> SplitError {
    let source = key.source().to_owned();
    match known.end {
        Some(step) if known.distinct < u128::from(regions) => {
            let known = match known.distinct {
                1 => "it begins with a part of unknown values".to_owned(),
                values => format!("the parts before have {values} values"),
            };
            let (part, field) = (step.label().to_owned(), domain::ranged_field(key, step));
            SplitError::UnknownValues { key: source, part, field, known, regions }
        }
        _ => SplitError::TooFewValues { key: source, values: known.distinct, regions, largest },
    }
}

/// The shortest key below which a fraction `part / whole` of all keys lies, to within a thousandth of a region.
fn cut(parts: &[KeyStretch<'_>], part: u128, whole: u128, regions: u128) -> Vec<u8> {
    let mut key = Vec::new();
    let (mut part, mut whole) = (part, whole);
    // How many stretches as long as the one that is left make up all keys.
    let mut of_all: u128 = 1;
    // The value behind the one that was taken last, and where that begins in the key.
    let mut next: Option<(usize, Vec<u8>)> = None;
    for stretch in parts {
        let ladder = match stretch {
            KeyStretch::Literal(bytes) => {
                key.extend_from_slice(bytes);
                continue;
            }
            KeyStretch::Ladder(ladder, _) => ladder,
            KeyStretch::Unknown(_) => break,
        };
        // Below 2^64 rungs times a fraction whose parts are kept below 2^62.
        let exact = ladder.count * part;
        let value = ladder.value(exact / whole);
        let accepted = (1..value.len()).filter_map(|length| value.get(..length)).find(|start| {
            let missed = exact - ladder.first_from(start) * whole;
            is_near(missed, ladder.count * whole, of_all, regions)
        });
        if let Some(start) = accepted {
            key.extend_from_slice(start);
            return key;
        }
        let begins = key.len();
        key.extend_from_slice(&value);
        let (low, high) = (ladder.first_from(&value), ladder.first_past(&value));
        let missed = exact - low * whole;
        if is_near(missed, ladder.count * whole, of_all, regions) {
            return key;
        }
        of_all = of_all.saturating_mul(ladder.count / (high - low).max(1));
        (part, whole) = reduced(missed, whole * (high - low).max(1));
        next = (high < ladder.count).then(|| (begins, ladder.value(high)));
    }
    // Nothing more is known: the nearer one of the two values around the place.
    if let Some((begins, value)) = next
        && 2 * part >= whole
    {
        key.truncate(begins);
        key.extend_from_slice(&value);
    }
    key
}

/// Whether `missed / of`, in a stretch that is one of `of_all`, is less than a thousandth of a region.
fn is_near(missed: u128, of: u128, of_all: u128, regions: u128) -> bool {
    let share = missed as f64 / of as f64 / of_all as f64;
    missed == 0 || share * regions as f64 * TOLERANCE as f64 <= 1.0
}

fn reduced(mut part: u128, mut whole: u128) -> (u128, u128) {
    while whole >= 1 << 62 {
        part >>= 1;
        whole >>= 1;
    }
    (part, whole)
}
