//! Which region holds a row, and how busy is it?
//!
//! Regions are ranges of row keys without gap or overlap: each starts where the one before ends. They have names as
//! HBase gives them, `table,start,id.<md5>.`, where the md5 is that of `table,start,id` and the id the time of the
//! region's making in milliseconds.
//!
//! A write counts one for each row of a batch; a get counts one, whether there is such a row or not; a scan counts one
//! for each row that it returns. Counts are kept from one opening to the next, because a program that loads a table and
//! one that asks how the load was spread are often two processes; they are figures, not data, so those since the last
//! close are lost in a crash.
//!
//! Sizes are estimates: a keyspace knows its size but not that of a part of it, so a region has that share of its table
//! which it has of all bytes written.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use md5::{Digest, Md5};
use rowkey::escape::{escape, to_hex};
use rowkey::range::KeyRange;
use rowkey_store::{Region, RowView, TableName};
use serde::{Deserialize, Serialize};

/// What happened in a region since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counts {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    /// Bytes of the rows written: keys, names and values.
    pub(crate) bytes: u64,
}

/// A region as the catalogue keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionEntry {
    pub(crate) start: Vec<u8>,
    pub(crate) id: i64,
    pub(crate) counts: Counts,
}

/// The regions of a table in key order; the first one starts at the empty key.
pub(crate) struct RegionMap {
    regions: Vec<Entry>,
    /// Whether something was counted since the counts were last kept.
    counted: AtomicBool,
}

struct Entry {
    start: Vec<u8>,
    id: i64,
    reads: AtomicU64,
    writes: AtomicU64,
    bytes: AtomicU64,
}

impl Entry {
    fn counts(&self) -> Counts {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts { reads: load(&self.reads), writes: load(&self.writes), bytes: load(&self.bytes) }
    }

    fn add(&self, more: Counts) {
        for (counter, more) in
            [(&self.reads, more.reads), (&self.writes, more.writes), (&self.bytes, more.bytes)]
        {
            if more > 0 {
                counter.fetch_add(more, Ordering::Relaxed);
            }
        }
    }
}

impl RegionMap {
    /// The starts must be sorted, and the first one empty.
    pub(crate) fn new(regions: impl IntoIterator<Item = RegionEntry>) -> Self {
        let entry = |RegionEntry { start, id, counts }| Entry {
            start,
            id,
            reads: AtomicU64::new(counts.reads),
            writes: AtomicU64::new(counts.writes),
            bytes: AtomicU64::new(counts.bytes),
        };
        Self { regions: regions.into_iter().map(entry).collect(), counted: AtomicBool::new(false) }
    }

    /// Start and counts of each region, if anything was counted since the last call.
    pub(crate) fn take_counts(&self) -> Vec<(Vec<u8>, Counts)> {
        if !self.counted.swap(false, Ordering::Relaxed) {
            return Vec::new();
        }
        self.regions.iter().map(|region| (region.start.clone(), region.counts())).collect()
    }

    fn locate(&self, row: &[u8]) -> usize {
        self.regions.partition_point(|region| region.start.as_slice() <= row).saturating_sub(1)
    }

    fn holds(&self, index: usize, row: &[u8]) -> bool {
        let starts_before =
            |index: usize| self.regions.get(index).map(|region| region.start.as_slice() <= row);
        starts_before(index) == Some(true) && starts_before(index + 1) != Some(true)
    }

    /// Counts a write of each row.
    pub(crate) fn count_writes<'a>(&self, rows: impl IntoIterator<Item = RowView<'a>>) {
        self.count(rows.into_iter().map(|row| {
            let cell_bytes =
                row.cells().map(|cell| cell.family.len() + cell.qualifier.len() + cell.value.len());
            let bytes = row.key().len() + cell_bytes.sum::<usize>();
            (row.key(), Counts { writes: 1, bytes: bytes.try_into().unwrap_or(u64::MAX), reads: 0 })
        }));
    }

    /// Counts a read of each row.
    pub(crate) fn count_reads<'a>(&self, rows: impl IntoIterator<Item = &'a [u8]>) {
        self.count(rows.into_iter().map(|row| (row, Counts { reads: 1, ..Counts::default() })));
    }

    /// Rows that follow one another mostly lie in one region, so the last one is tried first, and neighbours are
    /// counted together.
    fn count<'a>(&self, rows: impl IntoIterator<Item = (&'a [u8], Counts)>) {
        let add = |index: usize, more: Counts| {
            if let Some(entry) = self.regions.get(index) {
                entry.add(more);
            }
        };
        let (mut current, mut pending) = (0, Counts::default());
        for (row, Counts { reads, writes, bytes }) in rows {
            if !self.holds(current, row) {
                add(current, pending);
                (current, pending) = (self.locate(row), Counts::default());
            }
            pending.reads += reads;
            pending.writes += writes;
            pending.bytes += bytes;
        }
        add(current, pending);
        self.counted.store(true, Ordering::Relaxed);
    }

    /// The regions as everyone sees them; `size` is that of the whole table.
    pub(crate) fn list(&self, table: &TableName, size: u64) -> Vec<Region> {
        let ends = self.regions.iter().skip(1).map(|region| Some(region.start.clone())).chain([None]);
        let counts: Vec<Counts> = self.regions.iter().map(Entry::counts).collect();
        let all_bytes: u128 = counts.iter().map(|counts| u128::from(counts.bytes)).sum();
        let share = |counts: &Counts| match all_bytes {
            // Nothing counted: the size is the whole of a single region, and unknown for several.
            0 => (self.regions.len() == 1).then_some(size),
            all => u64::try_from(u128::from(size) * u128::from(counts.bytes) / all).ok(),
        };
        self.regions
            .iter()
            .zip(ends)
            .zip(&counts)
            .map(|((region, end), counts)| Region {
                name: name(table, &region.start, region.id),
                range: KeyRange::half_open((!region.start.is_empty()).then(|| region.start.clone()), end),
                server: None,
                size: share(counts),
                reads: counts.reads,
                writes: counts.writes,
            })
            .collect()
    }
}

/// HBase's name for a region, escaped.
fn name(table: &TableName, start: &[u8], id: i64) -> String {
    let mut plain = format!("{table},").into_bytes();
    plain.extend_from_slice(start);
    plain.extend_from_slice(format!(",{id}").as_bytes());
    let encoded = to_hex(&Md5::digest(&plain));
    format!("{}.{encoded}.", escape(&plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_store::RowBatch;

    fn map(starts: &[&str]) -> RegionMap {
        let entry =
            |start: &&str| RegionEntry { start: start.as_bytes().to_vec(), id: 7, counts: Counts::default() };
        RegionMap::new(starts.iter().map(entry))
    }

    fn batch(rows: &[&[u8]]) -> RowBatch {
        let mut batch = RowBatch::new();
        for row in rows {
            batch.begin_row(row);
            batch.cell(b"d", b"q", 1, b"value");
        }
        batch
    }

    /// Names that real clusters printed, as quoted in comments of HBase's own sources.
    #[test]
    fn names_are_hbases() {
        for (table, start, id, expected) in [
            ("test", "", 1_355_943_549_657, "test,,1355943549657.c65d4822d8bdecc033a96451f3a0f55d."),
            ("test", "bbb", 1_355_943_549_661, "test,bbb,1355943549661.110393b070dd1ed93441e0bc9b3ffb7e."),
            (
                "TestTable",
                "0094429456",
                1_289_497_600_452,
                "TestTable,0094429456,1289497600452.527db22f95c8a9e0116f0cc13c680396.",
            ),
        ] {
            assert_eq!(name(&table.parse().unwrap(), start.as_bytes(), id), expected);
        }
        assert!(name(&"t".parse().unwrap(), b"a\x00", 1).starts_with(r"t,a\x00,1."));
    }

    #[test]
    fn rows_are_counted_where_they_lie() {
        let regions = map(&["", "c", "m"]);
        let rows: Vec<&[u8]> = vec![b"", b"a", b"c", b"b\xFF", b"m\0", b"lz", b"z", b"zz"];
        regions.count_writes(batch(&rows).rows());
        regions.count_reads(rows.iter().rev().copied().take(2));
        let found: Vec<(u64, u64)> =
            regions.list(&"t".parse().unwrap(), 5).iter().map(|r| (r.writes, r.reads)).collect();
        assert_eq!(found, [(3, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn a_region_has_its_share_of_the_bytes_written() {
        let table = "t".parse().unwrap();
        let sizes =
            |regions: &RegionMap| regions.list(&table, 1000).iter().map(|r| r.size).collect::<Vec<_>>();
        assert_eq!(sizes(&map(&[""])), [Some(1000)], "a single region is the table");
        let regions = map(&["", "m"]);
        assert_eq!(sizes(&regions), [None, None], "before the first write nobody knows");
        regions.count_writes(batch(&[b"a", b"b", b"c", b"z"]).rows());
        assert_eq!(sizes(&regions), [Some(750), Some(250)]);
    }

    #[test]
    fn counts_are_taken_once() {
        let regions = map(&["", "m"]);
        assert_eq!(regions.take_counts(), []);
        regions.count_reads([b"z".as_slice()]);
        let reads: Vec<u64> = regions.take_counts().iter().map(|(_, counts)| counts.reads).collect();
        assert_eq!(reads, [0, 1]);
        assert_eq!(regions.take_counts(), []);
    }
}
