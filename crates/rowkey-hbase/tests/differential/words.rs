//! The rows, columns, times and values that operations are made of: few, so that they meet.

use rowkey_core::range::KeyRange;
use rowkey_store::{Family, TableDescriptor, TableName};
use std::ops::Bound;

use crate::random::Random;

pub(crate) const SPLITS: [&[u8]; 3] = [b"d", b"m\x00", b"s"];
/// `a` keeps one version, `b` three; `n` has counters and texts that grow.
pub(crate) const FAMILIES: [&str; 3] = ["a", "b", "n"];
pub(crate) const QUALIFIERS: [&[u8]; 6] = [b"\x00", b"p", b"p\x00", b"q", b"qq", b"\xFF"];
pub(crate) const COUNTERS: [&[u8]; 2] = [b"i", b"j"];
pub(crate) const TEXTS: [&[u8]; 2] = [b"s", b"t"];
const VALUES: [&[u8]; 8] = [
    b"",
    b"1",
    b"22",
    b"abc",
    b"aBc",
    b"\x00\x00\x00\x00\x00\x00\x00\x05",
    b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFB",
    b"zz\nz",
];

/// Two hundred rows, some of them the beginning of others, over all regions.
pub(crate) fn rows() -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    for letter in b"abcdefghklmnopqrstuv" {
        for end in [&b""[..], b"\x00", b"\x00\x00", b"1", b"12", b"2", b"_x", b"_y", b"\x7F", b"\xFF"] {
            rows.push([&[*letter], end].concat());
        }
    }
    rows
}

pub(crate) fn table(name: TableName) -> TableDescriptor {
    let families =
        FAMILIES.iter().zip([1, 3, 4]).map(|(name, versions)| Family { versions, ..Family::new(*name) });
    TableDescriptor { name, families: families.collect(), attributes: Default::default() }
}

/// Small times, so that they meet; the clock's are all larger.
pub(crate) fn time(random: &mut Random) -> i64 {
    i64::try_from(random.below(12)).expect("a small number")
}

pub(crate) fn value(random: &mut Random) -> Vec<u8> {
    random.pick(&VALUES).to_vec()
}

/// A family of plain columns.
pub(crate) fn family(random: &mut Random) -> Vec<u8> {
    random.pick(&FAMILIES[..2]).as_bytes().to_vec()
}

pub(crate) fn qualifier(random: &mut Random) -> Vec<u8> {
    random.pick(&QUALIFIERS).to_vec()
}

/// Any row, or something near one.
pub(crate) fn key(random: &mut Random, rows: &[Vec<u8>]) -> Vec<u8> {
    let mut key = random.pick(rows).clone();
    match random.below(6) {
        0 => key.push(0),
        1 if key.len() > 1 => drop(key.pop()),
        2 => key.push(b'z'),
        _ => {}
    }
    key
}

fn bound(random: &mut Random, rows: &[Vec<u8>]) -> Bound<Vec<u8>> {
    match random.below(4) {
        0 => Bound::Unbounded,
        1 => Bound::Excluded(key(random, rows)),
        _ => Bound::Included(key(random, rows)),
    }
}

pub(crate) fn range(random: &mut Random, rows: &[Vec<u8>]) -> KeyRange {
    KeyRange { start: bound(random, rows), end: bound(random, rows) }
}

/// The keys of one region.
pub(crate) fn region(random: &mut Random) -> KeyRange {
    let at = random.below(SPLITS.len() + 1);
    let split = |index: Option<usize>| index.and_then(|index| SPLITS.get(index)).map(|split| split.to_vec());
    KeyRange::half_open(split(at.checked_sub(1)), split(Some(at)))
}
