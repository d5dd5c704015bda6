//! Does the store answer as the model does, whatever is done in whatever order?
//!
//! Random changes of all kinds, reads with all settings and filters, splits, merges, compactions, the engine's merges of files,
//! flushes, truncations, reopens and steps of a test clock, on a table of three families, done to the store and to the
//! model of the conformance suite, which works out each answer from the rules alone. The run counts only if enough operations
//! meet cells that are there, and if merges of files have dropped cells that were past their time.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::operations::{self, RunStep};
use crate::tables::{descriptor, name, scan};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::conformance::model::Model;
use rowkey_store::{
    Admin, CellKind, Family, Region, RowBatch, RowStore, Scan, Store, StoreError, TableDescriptor,
    TruncateSplits,
};

/// `a`: one version, 3 seconds to live. `d`: three versions, 2 seconds, and the newest outlives them. `e`: two versions.
fn table() -> TableDescriptor {
    let mut table = descriptor("t", &["e", "d", "a"]);
    table.families[0].versions = 2;
    table.families[1] = Family { versions: 3, min_versions: 1, ttl_seconds: Some(2), ..Family::new("d") };
    table.families[2] = Family { ttl_seconds: Some(3), ..Family::new("a") };
    table
}

fn open(folder: &Path, clock: &Arc<AtomicI64>) -> EmbeddedStore {
    let clock = Arc::clone(clock);
    let options =
        Options::default().durability(Durability::Buffered).clock(move || clock.load(Ordering::Relaxed));
    EmbeddedStore::open(folder, options).expect("the folder is good")
}

/// An answer in a form that can be compared: errors by their words.
fn shown<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("refused: {error}"),
    }
}

fn ranges(store: &dyn Store) -> Vec<KeyRange> {
    store.regions(&name("t")).expect("the table exists").into_iter().map(|region| region.range).collect()
}

fn region(store: &dyn Store, nth: usize) -> Region {
    let mut regions = store.regions(&name("t")).expect("the table exists");
    let nth = nth % regions.len();
    regions.swap_remove(nth)
}

/// How many operations met a cell, and how many did not; what merges of files have dropped.
#[derive(Default)]
struct Coverage {
    met: AtomicUsize,
    missed: AtomicUsize,
    merges_that_dropped: AtomicUsize,
    dropped: AtomicUsize,
}

/// How long the store keeps a cell past its time.
const GRACE: i64 = 3_600_000;

/// All cells that are stored, seen or not.
fn raw() -> Scan {
    Scan { raw: true, versions: 100, ..Scan::new(KeyRange::all()) }
}

fn cells(store: &dyn Store) -> usize {
    let found = scan(store, &name("t"), &raw()).expect("a good scan");
    found.rows().map(|row| row.cells().count()).sum()
}

/// Whether there is a put that a merge of files may drop. The store may have one that the model has not: dropped, and read from
/// the journal again when the store was opened.
fn have_expired(stores: [&dyn Store; 2], now: i64) -> bool {
    stores.into_iter().any(|store| {
        let found = scan(store, &name("t"), &raw()).expect("a good scan");
        found.rows().flat_map(|row| row.cells()).any(|cell| {
            cell.family == b"a" && cell.kind == CellKind::Put && cell.timestamp < now - 3000 - GRACE
        })
    })
}

/// Has the engine merge all files of the store, and takes what that drops from the model: puts of `a` long past their time. Behind
/// it raw scans agree again; without it they would depend on what the engine's workers have merged by themselves.
fn merge_files(
    store: &EmbeddedStore,
    model: &Model,
    now: i64,
    coverage: &Coverage,
) -> Result<(), TestCaseError> {
    let before = cells(model);
    let dropped = model.drop_puts_before(&name("t"), "a", now - 3000 - GRACE).expect("the table exists");
    store.merge_files(&name("t")).expect("a good table");
    prop_assert_eq!(cells(store), before - dropped);
    coverage.merges_that_dropped.fetch_add(usize::from(dropped > 0), Ordering::Relaxed);
    coverage.dropped.fetch_add(dropped, Ordering::Relaxed);
    Ok(())
}

fn run(steps: &[RunStep], coverage: &Coverage) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clock = Arc::new(AtomicI64::new(10_000));
    let mut store = open(folder.path(), &clock);
    let model = {
        let clock = Arc::clone(&clock);
        Model::new(move || clock.load(Ordering::Relaxed))
    };
    let splits = [b"a\0".to_vec(), b"m".to_vec()];
    store.create_table(&table(), &splits).expect("a new table");
    model.create_table(&table(), &splits).expect("a new table");
    let t = name("t");
    let now = || clock.load(Ordering::Relaxed);
    let meets = |is_met: bool| {
        let counter = if is_met { &coverage.met } else { &coverage.missed };
        counter.fetch_add(1, Ordering::Relaxed);
    };
    for step in steps {
        match step {
            RunStep::Put(rows) => {
                meets(rows.rows().any(|row| operations::is_there(&model, &t, row.key())));
                prop_assert_eq!(shown(store.put_batch(&t, rows)), shown(model.put_batch(&t, rows)));
            }
            RunStep::Batch(operations) => {
                for operation in operations {
                    meets(operations::is_there(&model, &t, operation.row()));
                }
                let of = |store: &dyn Store| -> Vec<String> {
                    store
                        .batch(&t, operations)
                        .expect("the table is enabled")
                        .into_iter()
                        .map(shown)
                        .collect()
                };
                prop_assert_eq!(of(&store), of(&model), "{:?}", operations);
            }
            RunStep::Get(gets) => {
                let of = |store: &dyn Store| {
                    let mut found = RowBatch::new();
                    let there = store.get_many(&t, gets, &mut found);
                    (shown(there), found)
                };
                let expected = of(&model);
                meets(!expected.1.is_empty());
                prop_assert_eq!(of(&store), expected, "{:?}", gets);
            }
            RunStep::Scan(asked) => {
                if asked.raw && have_expired([&store, &model], now()) {
                    merge_files(&store, &model, now(), coverage)?;
                }
                let expected = scan(&model, &t, asked);
                meets(expected.as_ref().is_ok_and(|found| !found.is_empty()));
                prop_assert_eq!(shown(scan(&store, &t, asked)), shown(expected), "{:?}", asked);
            }
            RunStep::Tick(milliseconds) => drop(clock.fetch_add(*milliseconds, Ordering::Relaxed)),
            RunStep::Split(nth, at) => {
                let of =
                    |store: &dyn Store| store.split_region(&t, &region(store, *nth).name, Some(at)).is_ok();
                prop_assert_eq!(of(&store), of(&model));
                prop_assert_eq!(ranges(&store), ranges(&model));
            }
            RunStep::Merge(nth, other) => {
                let of = |store: &dyn Store| {
                    let regions = [region(store, *nth).name, region(store, *other).name];
                    store.merge_regions(&t, &regions).is_ok()
                };
                prop_assert_eq!(of(&store), of(&model));
                prop_assert_eq!(ranges(&store), ranges(&model));
            }
            RunStep::MergeFilesLater => {
                clock.fetch_add(GRACE + 3001, Ordering::Relaxed);
                merge_files(&store, &model, now(), coverage)?;
            }
            RunStep::Compact => {
                if have_expired([&store, &model], now()) {
                    merge_files(&store, &model, now(), coverage)?;
                }
                // A scan that is open across a compaction reads what it would have read before.
                let all = Scan { raw: true, versions: 9, batch_rows: 2, ..Scan::new(KeyRange::all()) };
                let mut scanner = store.scan(&t, &all).expect("a good scan");
                let expected = scan(&model, &t, &all).expect("a good scan");
                store.major_compact(&t).expect("a good table");
                model.major_compact(&t).expect("a good table");
                let (mut found, mut batch) = (RowBatch::new(), RowBatch::new());
                while scanner.next_batch(&mut batch).expect("the scan goes on") {
                    batch.rows().for_each(|row| found.push_row(row));
                }
                prop_assert_eq!(found, expected);
            }
            RunStep::Flush => store.flush(&t).expect("a good table"),
            RunStep::Truncate(splits) => {
                let splits = if *splits { TruncateSplits::Keep } else { TruncateSplits::Drop };
                store.truncate_table(&t, splits).expect("the table exists");
                model.truncate_table(&t, splits).expect("the table exists");
            }
            RunStep::Reopen => {
                drop(store);
                store = open(folder.path(), &clock);
                prop_assert_eq!(ranges(&store), ranges(&model));
            }
        }
    }
    if have_expired([&store, &model], now()) {
        merge_files(&store, &model, now(), coverage)?;
    }
    prop_assert_eq!(scan(&store, &t, &raw()).expect("good"), scan(&model, &t, &raw()).expect("good"));
    Ok(())
}

/// A few seconds' worth; `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 30 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

#[test]
fn the_store_answers_as_the_model() {
    let coverage = Coverage::default();
    let mut runner = TestRunner::new(cases());
    let outcome =
        runner.run(&prop::collection::vec(operations::step(), 1..80), |steps| run(&steps, &coverage));
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let (met, missed) = (coverage.met.load(Ordering::Relaxed), coverage.missed.load(Ordering::Relaxed));
    assert!(10 * met >= 3 * (met + missed), "only {met} of {} operations met a cell", met + missed);
    let (merges, dropped) = (coverage.merges_that_dropped.into_inner(), coverage.dropped.into_inner());
    assert!(merges >= 5 && dropped >= 20, "{merges} merges of files have dropped {dropped} cells");
    println!("{met} of {} operations met a cell; {merges} merges dropped {dropped} cells", met + missed);
}
