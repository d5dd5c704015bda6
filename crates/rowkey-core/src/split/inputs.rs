//! The ranges of keys that the workers of a job read, and what is known of the records in each.
//!
//! A job of MapReduce or Spark has a worker for each region. In a salted table one region may hold several buckets, and rows are in
//! order within a bucket only, so ranges are cut at buckets too. They come in logical order: by what is behind the bucket, so
//! that ranges with the same records of all buckets follow one another.
//!
//! **Law** (the tests here): the ranges of all inputs are the regions, each key in exactly one.

use std::ops::Bound;

use crate::key::{Boundary, KeySchema, Sorting, Step, ValueStep};
use crate::range::KeyRange;
use crate::types::Kind;
use crate::value::Value;

/// Buckets past this number are not cut apart, as queries do not read them apart.
const MAX_BUCKETS: u32 = 1024;

/// The range of keys that one worker reads, and what is known of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The keys, all of one region and one bucket.
    pub range: KeyRange,
    /// The index of the region in the given list.
    pub region: usize,
    /// The first parts of the key, as far as all keys of the range have the same.
    pub same: Vec<(String, Value<'static>)>,
    /// The field of the next part, if rows are in its order and a border names a value.
    pub rising: Option<FieldRange>,
}

/// The values of a field along a range, in the order of keys: a `desc` field falls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRange {
    /// The field's name.
    pub field: String,
    /// The first value; `None` if the range begins where the field begins.
    pub from: Option<Value<'static>>,
    /// Where it ends; `None` if the range ends where the field ends.
    pub to: Option<LastValue>,
}

/// The end of a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastValue {
    /// This value, with all records or some of them.
    Included(Value<'static>),
    /// Values before this one; a text has none right before it.
    Excluded(Value<'static>),
}

/// The inputs of a job over regions, in logical order.
pub fn inputs(key: &KeySchema, regions: &[KeyRange]) -> Vec<Input> {
    let buckets = bucket_starts(key);
    let mut found: Vec<(Vec<u8>, Input)> = Vec::new();
    for (region, whole) in regions.iter().enumerate() {
        let inside = |point: &&Vec<u8>| whole.contains(point) && whole.first_key() != **point;
        let mut start = whole.start.clone();
        // What is below the first bucket, where no key is, goes with it.
        for point in buckets.iter().skip(1).filter(inside) {
            let range = KeyRange { start, end: Bound::Excluded(point.clone()) };
            found.push(input(key, &buckets, range, region));
            start = Bound::Included(point.clone());
        }
        found.push(input(key, &buckets, KeyRange { start, end: whole.end.clone() }, region));
    }
    // Stable: of ranges that begin alike, the buckets come in order.
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.into_iter().map(|(_, input)| input).collect()
}

/// The first bytes of all buckets that a key begins with, sorted; none if it begins with something else.
fn bucket_starts(key: &KeySchema) -> Vec<Vec<u8>> {
    let mut lead = Vec::new();
    for step in key.steps() {
        match step {
            Step::Literal(bytes) => lead.extend_from_slice(bytes),
            Step::Value(step) => {
                let count = step.bucket_count().filter(|count| step.is_bucket() && *count <= MAX_BUCKETS);
                let bytes = (0..count.unwrap_or(0)).filter_map(|number| step.bucket_bytes(number));
                let mut starts: Vec<Vec<u8>> =
                    bytes.map(|bytes| [lead.as_slice(), &bytes].concat()).collect();
                starts.sort();
                return starts;
            }
        }
    }
    Vec::new()
}

/// With the bytes behind its bucket, which it is sorted by.
fn input(key: &KeySchema, buckets: &[Vec<u8>], range: KeyRange, region: usize) -> (Vec<u8>, Input) {
    let start = range.first_key();
    let bucket = buckets.iter().find(|bucket| start.starts_with(bucket));
    let logical = start.get(bucket.map_or(0, Vec::len)..).unwrap_or_default().to_vec();
    // No key is below the first bucket, and none past the last.
    let start = if start.is_empty() { buckets.first().cloned().unwrap_or_default() } else { start };
    let end = match &range.end {
        Bound::Unbounded => None,
        Bound::Included(end) | Bound::Excluded(end) => Some(end.as_slice()),
    };
    let last = end.map_or_else(|| buckets.last().cloned().unwrap_or_default(), before);
    let (same, rising) = fields(key, &start, &last, end);
    (logical, Input { range, region, same, rising })
}

type Known = (Vec<(String, Value<'static>)>, Option<FieldRange>);

/// What is known of the keys from `start` to those that begin with `last_key`, which is right before `end`.
fn fields(key: &KeySchema, start: &[u8], last_key: &[u8], end: Option<&[u8]>) -> Known {
    let first = key.decode_start(start);
    let last = key.decode_start(last_key);
    let steps: Vec<&ValueStep> = key.value_steps().collect();
    let is_whole = |at: usize| steps.get(at).is_some_and(|step| *step.boundary() != Boundary::KeyEnd);
    let equal = first.parts.iter().zip(&last.parts).enumerate();
    let same: Vec<_> = equal
        .take_while(|(at, (first, last))| first == last && is_whole(*at))
        .map(|(_, (first, _))| (first.0.clone(), first.1.clone().into_owned()))
        .collect();
    let at = same.len();
    let Some(Sorting::Ordered(field, _)) = steps.get(at).map(|step| step.sorting()) else {
        return (same, None);
    };
    let value_in = |bytes: &[u8]| {
        let part = key.decode_start(bytes).parts.into_iter().nth(at);
        part.map(|(_, value)| value.into_owned())
    };
    let first_bound = first.bound.filter(|_| first.parts.len() == at).map(|bound| bound.value);
    let from = value_in(start).or(first_bound);
    let declared = key.fields().get(field);
    let to = match declared.ty.kind() {
        Kind::Text | Kind::Bytes => end.and_then(value_in).map(LastValue::Excluded),
        _ => {
            // What is not written of the last value is as large as can be.
            let filled = || [last_key, &[0xFF; 16]].concat();
            let begun = last.parts.len() > at || !last.rest.is_empty();
            let last = value_in(last_key).or_else(|| begun.then(filled).and_then(|key| value_in(&key)));
            last.map(LastValue::Included)
        }
    };
    let known = from.is_some() || to.is_some();
    (same, known.then(|| FieldRange { field: declared.name.clone(), from, to }))
}

/// The key right before another among those of its length.
fn before(key: &[u8]) -> Vec<u8> {
    let mut before = key.to_vec();
    for byte in before.iter_mut().rev() {
        let (less, borrows) = byte.overflowing_sub(1);
        *byte = less;
        if !borrows {
            break;
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: &str) -> KeySchema {
        KeySchema::parse(source).unwrap_or_else(|findings| panic!("{source}: {findings}"))
    }

    fn regions(points: &[&[u8]]) -> Vec<KeyRange> {
        let bounds: Vec<Option<Vec<u8>>> =
            [None].into_iter().chain(points.iter().map(|point| Some(point.to_vec()))).chain([None]).collect();
        bounds.windows(2).map(|pair| KeyRange::half_open(pair[0].clone(), pair[1].clone())).collect()
    }

    /// `2: salt(3, id)=1 id 5..7`
    fn shown(input: &Input) -> String {
        let same: Vec<String> = input.same.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let rising = input.rising.as_ref().map_or(String::new(), |rising| {
            let from = rising.from.as_ref().map_or(String::new(), ToString::to_string);
            let to = match &rising.to {
                None => String::new(),
                Some(LastValue::Included(value)) => format!("={value}"),
                Some(LastValue::Excluded(value)) => value.to_string(),
            };
            format!(" {} {from}..{to}", rising.field)
        });
        format!("{}:{}{rising}", input.region, same.concat())
    }

    fn all(source: &str, points: &[&[u8]]) -> Vec<String> {
        inputs(&key(source), &regions(points)).iter().map(shown).collect()
    }

    #[test]
    fn regions_are_cut_at_buckets_and_come_in_logical_order() {
        // The first region has two buckets and the beginning of the third.
        let points: [&[u8]; 1] = [&[2, 0, 0, 0, 9]];
        assert_eq!(
            all("[salt(3, id)][id: u32]", &points),
            ["0: salt(3, id)=0", "0: salt(3, id)=1", "0: salt(3, id)=2 id ..=8", "1: salt(3, id)=2 id 9.."]
        );
        // A border in each bucket: the ranges of small ids come first.
        let borders: [&[u8]; 5] = [&[0, 0, 0, 1], &[1], &[1, 0, 0, 1], &[2], &[2, 0, 0, 1]];
        assert_eq!(
            all("[salt(3, id)][id: u32]", &borders),
            [
                "0: salt(3, id)=0 id ..=255",
                "2: salt(3, id)=1 id ..=255",
                "4: salt(3, id)=2 id ..=255",
                "1: salt(3, id)=0 id 256..",
                "3: salt(3, id)=1 id 256..",
                "5: salt(3, id)=2 id 256..",
            ]
        );
    }

    #[test]
    fn borders_name_the_values_between_them() {
        let hosts: [&[u8]; 2] = [b"g", b"n"];
        assert_eq!(all("[name]", &hosts), ["0: name ..g", "1: name g..n", "2: name n.."]);
        // A time that falls along the keys, within one user.
        let key = key("[user: u16][ts: timestamp_s desc]");
        let ends: [&[u8]; 2] = [&[0, 7, 0xFF, 0xFF, 0xFF, 0x00], &[0, 7, 0xFF, 0xFF, 0xFF, 0xF0]];
        let found: Vec<String> = inputs(&key, &regions(&ends)).iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "0: user ..=7",
                "1: user=7 ts 1970-01-01T00:04:15.000Z..=1970-01-01T00:00:16.000Z",
                "2: user 7.."
            ]
        );
        // Nothing can be told of a hash, nor of a text whose bytes are not in its order.
        assert_eq!(all("[md5(id).subStr(0,4)][id]", &[b"8"]), ["0:", "1:"]);
        assert_eq!(all("[host][_][id: u32]", &[b"h_"]), ["0:", "1:"]);
    }

    #[test]
    fn every_key_is_in_one_range() {
        let points: [&[u8]; 5] = [&[0, 5], &[1], &[1, 0, 0, 0, 9], &[1, 0, 0, 0, 10], &[4]];
        for source in
            ["[salt(5, id)][id: u32]", "[id: u32]", "[salt(5000, id)][id: u32]", "['x'][random(4)][id]"]
        {
            let found = inputs(&key(source), &regions(&points));
            for probe in (0..=6u8).flat_map(|a| (0..=11u8).map(move |b| [a, 0, 0, 0, b])) {
                let holders: Vec<&Input> =
                    found.iter().filter(|input| input.range.contains(&probe)).collect();
                let [holder] = holders[..] else { panic!("{source}: {probe:?} is in {holders:?}") };
                assert!(regions(&points)[holder.region].contains(&probe), "{source}");
            }
        }
    }
}
