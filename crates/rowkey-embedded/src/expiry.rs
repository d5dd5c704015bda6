//! The cells that the engine may drop by itself when it merges files.
//!
//! Puts that are past their family's time to live, and an hour more. No read sees them but a raw scan, so no other answer changes,
//! and the disk gets its room back without a `major_compact`. Everything else waits for that: a merge sees some of a row's cells,
//! not all, so it cannot count versions or tell what a marker still hides.
//!
//! - Markers stay, and so does everything in a family with `min_versions`, whose newest cells outlive their time.
//! - An open scan loses nothing: the engine reads the files of the scan's snapshot until the last such scan is gone.
//! - What was dropped may be read from the journal again when the store is opened, until the next merge: still past its time.
//! - The hour is for a clock that is set back and a time to live that is made longer: what is dropped cannot come back.
//!
//! **Law** (`no_answer_changes`): reads that are not raw find the same before and after. `tests/model.rs` has merges between all
//! other operations.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError, RwLock};

use fjall::compaction::filter::{
    CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor, Verdict,
};
use rowkey_store::{CellKind, Family};

use crate::layout::cell;
use crate::options::Clock;
use crate::visible;

/// How long a cell stays past its time, in milliseconds.
const GRACE: i64 = 3_600_000;

/// What is known of the time to live of every keyspace's cells.
pub(crate) struct Expiry {
    clock: Clock,
    /// The time to live by the keyspace's name, in milliseconds; a keyspace that is not here loses nothing.
    times: RwLock<HashMap<String, i64>>,
}

impl Expiry {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self { clock, times: RwLock::default() })
    }

    /// Takes note of the family whose cells are in a keyspace.
    pub(crate) fn note(&self, keyspace: &str, family: &Family) {
        let mut times = self.times.write().unwrap_or_else(PoisonError::into_inner);
        match visible::time_to_live(family).filter(|_| family.min_versions == 0) {
            Some(time) => drop(times.insert(keyspace.to_owned(), time)),
            None => drop(times.remove(keyspace)),
        }
    }

    /// Cells of a keyspace that are older than this may go now.
    fn oldest_kept(&self, keyspace: &str) -> Option<i64> {
        let time = *self.times.read().unwrap_or_else(PoisonError::into_inner).get(keyspace)?;
        Some((self.clock)().saturating_sub(time).saturating_sub(GRACE))
    }

    /// The filter of a keyspace's merges, by its name.
    pub(crate) fn of_keyspace(self: &Arc<Self>, keyspace: &str) -> Arc<dyn Factory> {
        Arc::new(OfKeyspace { keyspace: keyspace.to_owned(), expiry: AssertUnwindSafe(Arc::clone(self)) })
    }
}

/// Makes a filter for each merge.
struct OfKeyspace {
    keyspace: String,
    /// The clock is the only thing that could break in a panic, and it belongs to the caller.
    expiry: AssertUnwindSafe<Arc<Expiry>>,
}

impl Factory for OfKeyspace {
    fn name(&self) -> &str {
        "cells past their time to live"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        Box::new(DropExpired { oldest_kept: self.expiry.oldest_kept(&self.keyspace) })
    }
}

struct DropExpired {
    oldest_kept: Option<i64>,
}

impl CompactionFilter for DropExpired {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _: &Context) -> CompactionFilterResult {
        let is_expired = self.oldest_kept.is_some_and(|oldest| {
            // A damaged key stays where it is, for a read to tell of it.
            let key = cell::row_end(item.key()).and_then(|row_end| cell::parse(item.key(), row_end));
            key.is_ok_and(|key| key.kind == CellKind::Put && key.timestamp < oldest)
        });
        // A tombstone, because an older file that is not merged now may hold the same cell.
        Ok(if is_expired { Verdict::Remove } else { Verdict::Keep })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use proptest::prelude::*;
    use rowkey_core::range::KeyRange;
    use rowkey_store::{
        Admin, Delete, Deletion, Mutation, Put, RowBatch, RowStore, Scan, TableDescriptor, TableName,
        TimeRange,
    };

    use super::*;
    use crate::{Durability, EmbeddedStore, Options};

    const NOW: i64 = 100 * GRACE;

    fn table() -> TableDescriptor {
        let name: TableName = "t".parse().unwrap();
        let of = |name: &str, versions, min_versions, ttl_seconds| Family {
            versions,
            min_versions,
            ttl_seconds,
            ..Family::new(name)
        };
        // `a` and `b` lose what is past its time, `k` keeps its newest, `z` keeps all.
        let families = vec![
            of("a", 1, 0, Some(10)),
            of("b", 3, 0, Some(10)),
            of("k", 3, 1, Some(10)),
            of("z", 3, 0, None),
        ];
        TableDescriptor { name, families, attributes: Default::default() }
    }

    fn open(folder: &std::path::Path, clock: &Arc<AtomicI64>) -> EmbeddedStore {
        let clock = Arc::clone(clock);
        let clock = move || clock.load(Ordering::Relaxed);
        let options = Options::default().durability(Durability::Buffered).clock(clock);
        EmbeddedStore::open(folder, options).unwrap()
    }

    fn merge(store: &EmbeddedStore) {
        store.merge_files(&table().name).unwrap();
    }

    fn read(store: &EmbeddedStore, scan: &Scan) -> RowBatch {
        let mut scanner = store.scan(&table().name, scan).unwrap();
        let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
        while scanner.next_batch(&mut batch).unwrap() {
            batch.rows().for_each(|row| all.push_row(row));
        }
        all
    }

    fn raw() -> Scan {
        Scan { raw: true, versions: 9, ..Scan::new(KeyRange::all()) }
    }

    #[test]
    fn only_puts_long_past_their_time_go() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicI64::new(NOW));
        let store = open(folder.path(), &clock);
        store.create_table(&table(), &[]).unwrap();
        let mut rows = RowBatch::new();
        rows.begin_row(b"r");
        let edge = NOW - 10_000 - GRACE;
        for family in ["a", "b", "k", "z"] {
            rows.cell(family.as_bytes(), b"new", NOW, b"");
            rows.cell(family.as_bytes(), b"edge", edge, b"");
            rows.cell(family.as_bytes(), b"old", edge - 1, b"");
        }
        store.put_batch(&table().name, &rows).unwrap();
        let marker = Delete { row: b"m".to_vec(), timestamp: 5, deletions: Vec::new() };
        store.mutate(&table().name, marker.into()).unwrap();

        let mut open_scan = store.scan(&table().name, &raw()).unwrap();
        merge(&store);
        let after = format!("{:?}", read(&store, &raw()));
        for family in ["a", "b"] {
            assert!(!after.contains(&format!("{family}:old")), "{after}");
            assert!(after.contains(&format!("{family}:edge@{edge}")), "{after}");
        }
        assert!(after.contains("k:old") && after.contains("z:old"), "{after}");
        assert_eq!(after.matches("DeleteFamily").count(), 4, "{after}");
        let mut batch = RowBatch::new();
        assert!(open_scan.next_batch(&mut batch).unwrap());
        assert!(format!("{batch:?}").contains("a:old"), "a scan that was open loses nothing: {batch:?}");
        drop(open_scan);

        // A longer time to live counts from the next merge on, also after the store was opened again.
        let mut longer = table();
        longer.families[1].ttl_seconds = Some(1_000_000);
        store.alter_table(&longer).unwrap();
        store.close().unwrap();
        let store = open(folder.path(), &clock);
        clock.fetch_add(1, Ordering::Relaxed);
        merge(&store);
        let after = format!("{:?}", read(&store, &raw()));
        assert!(!after.contains("a:edge") && after.contains("b:edge"), "{after}");
    }

    fn time() -> impl Strategy<Value = i64> + Clone {
        // Around the two limits, and far from them.
        prop_oneof![
            prop::sample::select(vec![NOW, NOW - 9_999, NOW - 10_000, NOW - 10_001, NOW - 10_000 - GRACE]),
            prop::sample::select(vec![0, 7, NOW - 10_001 - GRACE, NOW - 20_000 - GRACE]),
        ]
    }

    fn change() -> impl Strategy<Value = Mutation> {
        let (row, family, qualifier) =
            (prop::sample::select(vec!["r", "s"]), prop::sample::select(vec!["a", "b", "k", "z"]), 0..2);
        (row, family, qualifier, time(), 0..7).prop_map(|(row, family, qualifier, timestamp, kind)| {
            let (row, family) = (row.as_bytes().to_vec(), family.as_bytes().to_vec());
            let qualifier = format!("q{qualifier}").into_bytes();
            let deletion = match kind {
                0 => Deletion::Family { family, timestamp },
                1 => Deletion::FamilyVersion { family, timestamp },
                2 => Deletion::Column { family, qualifier, timestamp },
                3 => Deletion::Version { family, qualifier, timestamp },
                _ => return Put::new(row).cell_at(family, qualifier, timestamp, "value").into(),
            };
            Delete { row, timestamp, deletions: vec![deletion] }.into()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

        #[test]
        fn no_answer_changes(changes in prop::collection::vec((change(), prop::bool::weighted(0.1)), 1..40)) {
            let folder = tempfile::tempdir().unwrap();
            let clock = Arc::new(AtomicI64::new(NOW));
            let store = open(folder.path(), &clock);
            store.create_table(&table(), &[]).unwrap();
            for (change, is_merged) in &changes {
                store.mutate(&table().name, change.clone()).unwrap();
                let reads = || -> Vec<RowBatch> {
                    let ranges = [TimeRange::ALL, TimeRange::new(0, NOW - 10_000).unwrap()];
                    let scan = |versions, time_range| Scan { versions, time_range, ..Scan::new(KeyRange::all()) };
                    [1, 9].into_iter().flat_map(|versions| ranges.map(|range| read(&store, &scan(versions, range)))).collect()
                };
                let before = reads();
                if *is_merged {
                    merge(&store);
                }
                prop_assert_eq!(reads(), before);
            }
        }
    }
}
