//! Which region holds a row, and how busy is it?
//!
//! Regions are ranges of row keys without gap or overlap: each starts where the one before ends. They have names as
//! HBase gives them, `table,start,id.<md5>.`, where the md5 is that of `table,start,id` and the id the time of the
//! region's making in milliseconds.
//!
//! Counts start at 0 when the store is opened, as HBase's do when a region is. A write counts one for each row of a
//! batch; a get counts one, whether there is such a row or not; a scan counts one for each row that it returns.
//!
//! Sizes: a keyspace knows its size but not that of a part of it, so only a table of one region knows the size of
//! its region. A share by guess would hide the very hot spots that people look for here.

use std::sync::atomic::{AtomicU64, Ordering};

use md5::{Digest, Md5};
use rowkey::escape::{escape, to_hex};
use rowkey::range::KeyRange;
use rowkey_store::{Region, TableName};

/// The regions of a table in key order; the first one starts at the empty key.
pub(crate) struct RegionMap {
    regions: Vec<Entry>,
}

struct Entry {
    start: Vec<u8>,
    id: i64,
    reads: AtomicU64,
    writes: AtomicU64,
}

impl RegionMap {
    /// Regions by start and id. The starts must be sorted, and the first one empty.
    pub(crate) fn new(regions: impl IntoIterator<Item = (Vec<u8>, i64)>) -> Self {
        let entry = |(start, id)| Entry { start, id, reads: AtomicU64::new(0), writes: AtomicU64::new(0) };
        Self { regions: regions.into_iter().map(entry).collect() }
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
    pub(crate) fn count_writes<'a>(&self, rows: impl IntoIterator<Item = &'a [u8]>) {
        self.count(rows, |entry| &entry.writes);
    }

    /// Counts a read of each row.
    pub(crate) fn count_reads<'a>(&self, rows: impl IntoIterator<Item = &'a [u8]>) {
        self.count(rows, |entry| &entry.reads);
    }

    /// Rows that follow one another mostly lie in one region, so the last one is tried first, and neighbours are
    /// counted together.
    fn count<'a>(&self, rows: impl IntoIterator<Item = &'a [u8]>, counter: impl Fn(&Entry) -> &AtomicU64) {
        let add = |index: usize, rows: u64| {
            if let Some(entry) = self.regions.get(index) {
                counter(entry).fetch_add(rows, Ordering::Relaxed);
            }
        };
        let (mut current, mut pending) = (0, 0);
        for row in rows {
            if !self.holds(current, row) {
                add(current, pending);
                (current, pending) = (self.locate(row), 0);
            }
            pending += 1;
        }
        add(current, pending);
    }

    /// The regions as everyone sees them; `size` is that of the whole table.
    pub(crate) fn list(&self, table: &TableName, size: u64) -> Vec<Region> {
        let ends = self.regions.iter().skip(1).map(|region| Some(region.start.clone())).chain([None]);
        let only_one = self.regions.len() == 1;
        self.regions
            .iter()
            .zip(ends)
            .map(|(region, end)| Region {
                name: name(table, &region.start, region.id),
                range: KeyRange::half_open((!region.start.is_empty()).then(|| region.start.clone()), end),
                server: None,
                size: only_one.then_some(size),
                reads: region.reads.load(Ordering::Relaxed),
                writes: region.writes.load(Ordering::Relaxed),
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

    fn map(starts: &[&str]) -> RegionMap {
        RegionMap::new(starts.iter().map(|start| (start.as_bytes().to_vec(), 7)))
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
        regions.count_writes(rows.iter().copied());
        regions.count_reads(rows.iter().rev().copied().take(2));
        let found: Vec<(u64, u64)> =
            regions.list(&"t".parse().unwrap(), 5).iter().map(|r| (r.writes, r.reads)).collect();
        assert_eq!(found, [(3, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn only_a_single_region_knows_its_size() {
        let size = |regions: RegionMap| regions.list(&"t".parse().unwrap(), 5).first().and_then(|r| r.size);
        assert_eq!(size(map(&[""])), Some(5));
        assert_eq!(size(map(&["", "m"])), None);
    }
}
