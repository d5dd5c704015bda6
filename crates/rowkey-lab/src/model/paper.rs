//! The keys of a sample in order, and where ranges and regions begin among them.

use std::ops::{Bound, Range};

use rowkey_core::batch::KeyBatch;
use rowkey_core::query::{Seek, SeekStep};
use rowkey_core::range::KeyRange;
use rowkey_core::types::Order;
use rowkey_store::Scan;

use super::part::{CutTable, Encoded};
use super::{Data, Reading, Scale};
use crate::route::head;
use crate::workload::Drawn;

/// A skip scan is followed for so many steps; the rest of its range is taken to be like that.
const FOLLOWED: usize = 20_000;

/// A table, or index table, with the keys of a sample.
pub(crate) struct Paper<'p> {
    pub(crate) part: &'p CutTable<'p>,
    pub(super) scale: Scale,
    /// Whether only the first half of the records is here.
    is_early: bool,
    /// In order.
    keys: KeyBatch,
    /// The record of each key.
    records: Vec<u32>,
    /// How many keys lie before each region.
    before: Vec<usize>,
}

impl<'p> Paper<'p> {
    /// The table with all records of the data.
    pub(crate) fn of(part: &'p CutTable<'p>, data: &Data<'_>, seed: u64, scale: Scale) -> Self {
        Self::new(part, &Encoded::of(part.key, &part.columns, data, seed).keys, scale)
    }

    /// The same table when it had the first half of its records; `None` if it is not going to grow.
    pub(crate) fn early(&self) -> Option<Self> {
        let half = self.records.len().div_ceil(2) as u32;
        let early = |(_, record): &(&[u8], &u32)| **record < half;
        let early = || self.keys.iter().zip(&self.records).filter(early);
        (self.scale.growth > 1.0)
            .then(|| Self { is_early: true, ..Self::sorted(self.part, early(), self.scale) })
    }

    /// Rows that a query finds here.
    pub(super) fn matching(&self, drawn: &Drawn) -> f64 {
        let found = if self.is_early { drawn.early.unwrap_or(0) } else { drawn.matching };
        self.rows_of(found, drawn)
    }

    /// Rows of something that was found so often among the keys. A value that was given stands for no record of the sample.
    pub(super) fn rows_of(&self, found: usize, drawn: &Drawn) -> f64 {
        match drawn.parameters.is_empty() {
            true => found as f64 * self.scale.rows_per_record,
            false => self.scale.rows_of(found),
        }
    }

    pub(crate) fn new(part: &'p CutTable<'p>, keys: &KeyBatch, scale: Scale) -> Self {
        let mut heads: Vec<(u64, u32)> =
            (0u32..).zip(keys.iter()).map(|(row, key)| (head(key), row)).collect();
        let key = |row: u32| keys.get(row as usize).unwrap_or_default();
        heads.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| key(*x).cmp(key(*y))));
        Self::sorted(part, heads.iter().map(|(_, row)| (key(*row), row)), scale)
    }

    fn sorted<'k>(
        part: &'p CutTable<'p>,
        keys: impl Iterator<Item = (&'k [u8], &'k u32)>,
        scale: Scale,
    ) -> Self {
        let mut paper = Self {
            part,
            scale,
            is_early: false,
            keys: KeyBatch::new(),
            records: Vec::new(),
            before: Vec::new(),
        };
        for (key, record) in keys {
            // They were in a batch already.
            if paper.keys.push(key).is_ok() {
                paper.records.push(*record);
            }
        }
        let before = |region| paper.place(0..paper.len(), |key| key < part.regions.start(region));
        paper.before = (0..part.regions.regions()).map(before).collect();
        paper
    }

    /// The first place whose key is not before what is looked for; most often that is near the first of the places.
    fn place(&self, places: Range<usize>, is_before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut stride) = (places.start, 1);
        while low + stride <= places.end && is_before(self.key(low + stride - 1)) {
            low += stride;
            stride *= 2;
        }
        let mut high = (low + stride - 1).min(places.end);
        while low < high {
            let middle = low.midpoint(high);
            if is_before(self.key(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// How many times its rows it will have.
    pub(crate) fn growth(&self) -> f64 {
        self.scale.growth
    }

    /// Bytes of a key, on average.
    pub(crate) fn mean_key(&self) -> f64 {
        self.keys.byte_len() as f64 / self.keys.len().max(1) as f64
    }

    fn key(&self, place: usize) -> &[u8] {
        self.keys.get(place).unwrap_or_default()
    }

    /// Records that have the key of another.
    pub(crate) fn duplicates(&self) -> usize {
        (1..self.keys.len()).filter(|place| self.key(place - 1) == self.key(*place)).count()
    }

    /// What a query reads that no plan narrows.
    pub(crate) fn all(&self, drawn: &Drawn) -> Reading {
        let rows = self.len() as f64 * self.scale.rows_per_record;
        let returned = self.matching(drawn);
        Reading { rows, ranges: 1.0, returned, lookups: rows, whole_table: 1.0, ..Reading::default() }
    }

    /// The places of the keys in a range.
    pub(super) fn inside(&self, range: &KeyRange) -> Range<usize> {
        let start = self.place(0..self.len(), |key| range.is_after(key));
        start..self.place(start..self.len(), |key| !range.is_before(key))
    }

    /// The places of the keys of a region.
    pub(super) fn of_region(&self, region: usize) -> Range<usize> {
        let start = self.before.get(region).copied().unwrap_or(0);
        start..self.before.get(region + 1).copied().unwrap_or(self.keys.len()).max(start)
    }

    /// The regions that a range touches, the last included.
    pub(super) fn regions(&self, range: &KeyRange) -> (usize, usize) {
        let regions = &self.part.regions;
        let first = regions.region(&range.first_key());
        let last = match &range.end {
            Bound::Unbounded => regions.regions() - 1,
            Bound::Included(end) => regions.region(end),
            Bound::Excluded(end) => {
                let region = regions.region(end);
                if region > 0 && regions.start(region) == end.as_slice() { region - 1 } else { region }
            }
        };
        (first, last.max(first))
    }

    /// Goes through the keys as a skip scan does that jumps at the server: it reads what matches and each key that it jumps from. A jump ends at the
    /// first key of the next region, whose server knows of no jump. Backward it is about the same.
    pub(super) fn follow(&self, inside: Range<usize>, seek: &Seek) -> Followed {
        let (mut walk, mut place) = (Followed::default(), inside.start);
        let mut looked = 0;
        while place < inside.end && looked < FOLLOWED {
            looked += 1;
            place = match self.step(place, &inside, seek) {
                None => {
                    walk.matches += 1.0;
                    place + 1
                }
                Some(next) => {
                    walk.jumps += 1.0;
                    next.min(self.of_region(self.region_at(place)).end)
                }
            };
        }
        walk.passed = walk.jumps;
        walk.as_far_as(place, &inside)
    }

    /// The same where the reader jumps (`rowkey-ops`, `skip.rs`): it reads batches that begin with so many keys, and opens another scanner where
    /// the next key that can match is in none at hand, unless such keys lie close together.
    pub(super) fn follow_in_batches(&self, inside: Range<usize>, seek: &Seek, first: usize) -> Followed {
        let (mut walk, mut place) = (Followed::default(), inside.start);
        let (mut batch, mut end, mut is_open, mut is_dense) = (first, place, false, false);
        let (mut looked, mut opened, mut read, mut region) = (0, 0usize, 0usize, 0);
        while place < inside.end && looked < FOLLOWED {
            if place >= end {
                batch = if is_open { (batch * 4).min(Scan::DEFAULT_BATCH_ROWS) } else { first };
                opened += usize::from(!is_open);
                end = (place + batch).min(inside.end);
                read += end - place;
                // A scanner that reads on over a border is opened again behind it.
                region = if is_open { region } else { self.region_at(place) };
                let last = self.region_at(end - 1);
                (walk.crossed, region) = (walk.crossed + (last - region) as f64, last);
                (is_open, is_dense) = (true, false);
            }
            looked += 1;
            place = match self.step(place, &inside, seek) {
                None => {
                    walk.matches += 1.0;
                    place + 1
                }
                Some(next) if next < end => {
                    is_dense = true;
                    next
                }
                Some(_) if is_dense => end,
                Some(next) => {
                    (is_open, end) = (false, next);
                    next
                }
            };
        }
        walk.jumps = opened.saturating_sub(1) as f64;
        walk.passed = (read as f64 - walk.matches).max(0.0);
        walk.as_far_as(place, &inside)
    }

    /// The region of the key at a place.
    fn region_at(&self, place: usize) -> usize {
        self.before.partition_point(|before| *before <= place).saturating_sub(1)
    }

    /// The place of the next key that can match; `None` if this one does.
    fn step(&self, place: usize, inside: &Range<usize>, seek: &Seek) -> Option<usize> {
        match seek.next(self.key(place), Order::Ascending) {
            SeekStep::Match => None,
            SeekStep::Done => Some(inside.end),
            SeekStep::To(target) => Some(self.place(place + 1..inside.end, |key| key < target.as_slice())),
        }
    }
}

/// What a skip scan finds among keys.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Followed {
    pub(super) matches: f64,
    /// How often it goes on elsewhere.
    pub(super) jumps: f64,
    /// Keys read beside those that match.
    pub(super) passed: f64,
    /// Borders of regions that scanners of the reader read on over.
    pub(super) crossed: f64,
}

impl Followed {
    /// If it was not followed to the end, the rest is taken to be like the beginning.
    fn as_far_as(self, place: usize, inside: &Range<usize>) -> Self {
        let seen = (place - inside.start) as f64 / inside.len().max(1) as f64;
        let part = if place >= inside.end || seen <= 0.0 { 1.0 } else { seen };
        let [matches, jumps, passed, crossed] =
            [self.matches, self.jumps, self.passed, self.crossed].map(|figure| figure / part);
        Self { matches, jumps, passed, crossed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fineness;
    use crate::simulate::{Cut, Design};
    use rowkey_core::KeySchema;
    use rowkey_core::batch::{Column, Values};

    #[test]
    fn a_range_has_the_keys_and_regions_up_to_its_end() {
        let key = KeySchema::parse("[a: u64]").unwrap();
        let numbers: Vec<u64> = (0..200).rev().collect();
        let columns = [Column::new(Values::U64(&numbers))];
        let data = Data { fields: key.fields(), columns: &columns, rows: 200 };
        let design = Design::of_schema(key.clone(), Cut::Keys(vec![100u64.to_be_bytes().to_vec()]));
        let fine = Fineness { ranges: 0, folded: false, servers: 2, seed: 0 };
        let parts = CutTable::of(&design, &data, fine).unwrap();
        let paper = Paper::of(&parts[0], &data, 0, Scale::new(200, 200, None));
        for (from, to, regions) in [(0u64, 100u64, (0, 0)), (0, 101, (0, 1)), (100, 150, (1, 1))] {
            let bytes = |number: u64| Some(number.to_be_bytes().to_vec());
            let range = KeyRange::half_open(bytes(from), bytes(to));
            assert_eq!(paper.regions(&range), regions, "{from} to {to}");
            assert_eq!(paper.inside(&range), from as usize..to as usize);
        }
        assert_eq!((paper.of_region(0), paper.of_region(1)), (0..100, 100..200));
    }
}
