//! HBase's own split algorithms.
//!
//! `RegionSplitter`'s three (hex text, decimal text, raw bytes), `Bytes.split`, and the book's `getHexSplits`. They know
//! nothing of the key: whether a key can have the bytes between two points is the question of [`super::shares`].
//!
//! **Law** (`tests/splits.rs`): every line of `testdata/vectors/splits.jsonl`, which HBase's own code printed.
//!
//! Quirk, as in HBase: steps are rounded down, so the last region gets what is left.

use super::error::{SplitError, check_regions};
use super::natural::Natural;

const HEX_DIGITS: usize = 8;
/// `getHexSplits` prints so many digits, whatever the range.
const BOOK_DIGITS: usize = 16;

/// An algorithm that needs to know no more than the number of regions.
#[derive(Debug)]
pub struct Algorithm {
    /// What table files and `--splits` call it.
    pub word: &'static str,
    /// What HBase calls it.
    pub class: &'static str,
    /// A usual number of regions, for examples: `hex 16`.
    pub usual: u32,
    points: fn(u32) -> Result<Vec<Vec<u8>>, SplitError>,
}

/// All of them.
pub static ALGORITHMS: [Algorithm; 3] = [
    Algorithm { word: "hex", class: "HexStringSplit", usual: 16, points: hex },
    Algorithm { word: "decimal", class: "DecimalStringSplit", usual: 10, points: decimal },
    Algorithm { word: "uniform", class: "UniformSplit", usual: 8, points: uniform },
];

impl Algorithm {
    /// The one of this word.
    pub fn named(word: &str) -> Option<&'static Self> {
        ALGORITHMS.iter().find(|algorithm| algorithm.word == word)
    }

    /// The keys at which a table of so many regions is cut.
    ///
    /// # Errors
    /// When no table has so many regions.
    pub fn points(&self, regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
        (self.points)(regions)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Algorithm {}

/// `HexStringSplit`: eight hex digits in lower case, over all of them.
///
/// # Errors
/// When no table has so many regions.
pub fn hex(regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    digits_between("00000000", "ffffffff", 16, regions)
}

/// `DecimalStringSplit`: eight decimal digits, over all of them.
///
/// # Errors
/// When no table has so many regions.
pub fn decimal(regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    digits_between("00000000", "99999999", 10, regions)
}

/// The same over a range of one's own, both ends included; points have as many digits as the end.
///
/// # Errors
/// When the bounds are no numbers of this base, the end is not above the start, or there are fewer numbers than regions.
pub fn digits_between(start: &str, end: &str, radix: u8, regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    check_regions(regions)?;
    let (first, last) = (number(start, radix)?, number(end, radix)?);
    let range = difference(&first, &last, start, end)?.multiply_add(1, 1);
    if range.is_below(regions.into()) {
        return Err(SplitError::TooNarrow { start: start.to_owned(), end: end.to_owned(), regions });
    }
    let (step, _) = range.divide(regions.into());
    let point = |index: u32| first.add(&step.multiply_add(index.into(), 0));
    Ok((1..regions).map(|index| point(index).to_digits(radix, end.len()).into_bytes()).collect())
}

/// `UniformSplit`: eight bytes, over all of them.
///
/// # Errors
/// When no table has so many regions.
pub fn uniform(regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    check_regions(regions)?;
    if regions == 1 {
        return Ok(Vec::new());
    }
    Ok(inner(between(&[], &[0xFF; HEX_DIGITS], regions - 1, End::Included)?))
}

/// `Bytes.split`: the bounds themselves and `count` keys between them, at equal distances as numbers.
///
/// # Errors
/// When the end is not after the start.
pub fn bytes_split(start: &[u8], end: &[u8], count: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    check_regions(count.saturating_add(1))?;
    if count == 0 {
        return Ok(vec![start.to_vec(), end.to_vec()]);
    }
    between(start, end, count, End::Excluded)
}

/// The HBase book's `getHexSplits`: sixteen hex digits over a range, whose end is left out.
///
/// # Errors
/// As [`digits_between`].
pub fn book_hex(start: &str, end: &str, regions: u32) -> Result<Vec<Vec<u8>>, SplitError> {
    check_regions(regions)?;
    let (first, last) = (number(start, 16)?, number(end, 16)?);
    let (step, _) = difference(&first, &last, start, end)?.divide(regions.into());
    let point = |index: u32| first.add(&step.multiply_add(index.into(), 0));
    Ok((1..regions).map(|index| point(index).to_digits(16, BOOK_DIGITS).into_bytes()).collect())
}

fn number(text: &str, radix: u8) -> Result<Natural, SplitError> {
    Natural::from_digits(text, radix).ok_or_else(|| SplitError::NotDigits { text: text.to_owned(), radix })
}

fn difference(first: &Natural, last: &Natural, start: &str, end: &str) -> Result<Natural, SplitError> {
    let positive = last.subtract(first).filter(|range| !range.is_zero());
    positive.ok_or_else(|| SplitError::Backwards { start: start.into(), end: end.into() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Included,
    Excluded,
}

fn inner(mut keys: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    keys.pop();
    keys.drain(..keys.len().min(1));
    keys
}

/// The bounds and `count` keys between them, as numbers of as many bytes as the longer bound has, or one more for as long
/// as there are too few numbers.
fn between(start: &[u8], end: &[u8], count: u32, included: End) -> Result<Vec<Vec<u8>>, SplitError> {
    let backwards = || SplitError::Backwards { start: start.to_vec(), end: end.to_vec() };
    let padded = |key: &[u8], width: usize| {
        let mut key = key.to_vec();
        key.resize(width, 0);
        key
    };
    let parts = u64::from(count) + 1;
    let shortest = start.len().max(end.len());
    let mut width = shortest;
    loop {
        let (low, high) = (padded(start, width), padded(end, width));
        let first = Natural::from_bytes(&low);
        let range = Natural::from_bytes(&high).subtract(&first).filter(|range| !range.is_zero());
        let range = range.ok_or_else(backwards)?;
        let range = if included == End::Included { range.multiply_add(1, 1) } else { range };
        if range.is_below(parts) {
            width += 1;
            continue;
        }
        let (step, _) = range.divide(parts);
        let point = |index: u64| first.add(&step.multiply_add(index, 0)).to_bytes(width);
        // HBase shows its bounds padded only where it had to add a byte.
        let (low, high) = if width == shortest { (start.to_vec(), end.to_vec()) } else { (low, high) };
        let points = (1..parts).map(point);
        return Ok(std::iter::once(low).chain(points).chain(std::iter::once(high)).collect());
    }
}
