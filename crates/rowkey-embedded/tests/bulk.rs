//! Does a bulk load leave what puts of the same rows would leave, and all or nothing when it is cut short?

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::tables::{self, create, name};
use proptest::prelude::*;
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::conformance::model::Model;
use rowkey_store::{
    Admin, Delete, Mutation, RowBatch, RowStore, Scan, Scanner, Store, StoreError, TruncateSplits,
};

/// Batches that are ready; something may happen before each, by its number.
struct Ready<F> {
    batches: Vec<RowBatch>,
    next: usize,
    before: F,
}

impl<F: FnMut(usize) -> Result<(), StoreError> + Send> Scanner for Ready<F> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        (self.before)(self.next)?;
        let next = self.batches.get(self.next).cloned();
        self.next += 1;
        let more = next.is_some();
        *batch = next.unwrap_or_default();
        Ok(more)
    }
}

fn ready(batches: &[RowBatch]) -> impl Scanner {
    Ready { batches: batches.to_vec(), next: 0, before: |_| Ok(()) }
}

/// A row's key, and its cells as family, qualifier, time and value.
type Row = (Vec<u8>, Vec<(usize, u8, i64, u8)>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let key = prop::collection::vec(prop::sample::select(vec![0u8, 1, b'a', b'm', 0xFF]), 1..4);
    let cells = prop::collection::vec((0usize..3, 0u8..3, 1i64..4, 0u8..9), 1..5);
    prop::collection::vec((key, cells), 0..60)
}

/// Sorted by key, in batches of so many rows.
fn batches(rows: &[Row], size: usize) -> Vec<RowBatch> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let batch = |rows: &[Row]| {
        let mut batch = RowBatch::new();
        for (key, cells) in rows {
            batch.begin_row(key);
            for (family, qualifier, time, value) in cells {
                let family = ["a", "b", "d"].get(*family).copied().unwrap_or_default();
                batch.cell(family.as_bytes(), &[b'q', *qualifier], *time, &[*value]);
            }
        }
        batch
    };
    rows.chunks(size).map(batch).collect()
}

fn all(store: &dyn Store) -> String {
    let everything = Scan { raw: true, versions: rowkey_store::ALL_VERSIONS, ..Scan::new(KeyRange::all()) };
    let mut scanner = store.scan(&name("t"), &everything).expect("the table can be read");
    let (mut batch, mut found) = (RowBatch::new(), String::new());
    while scanner.next_batch(&mut batch).expect("the table can be read") {
        batch.rows().for_each(|row| found.push_str(&format!("{row:?}\n")));
    }
    found
}

/// The keys of all rows.
fn keys(store: &dyn Store) -> Vec<Vec<u8>> {
    let rows = tables::scan(store, &name("t"), &Scan::new(KeyRange::all())).expect("the table can be read");
    rows.rows().map(|row| row.key().to_vec()).collect()
}

fn counts(store: &dyn Store) -> Vec<(KeyRange, u64)> {
    let regions = store.regions(&name("t")).expect("the table is there");
    regions.into_iter().map(|region| (region.range, region.writes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_bulk_load_leaves_what_puts_leave(rows in rows(), size in 1usize..20) {
        let batches = batches(&rows, size);
        let (put, bulk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open = |folder: &Path| EmbeddedStore::open(folder, Options::default()).unwrap();
        let (put, bulk_store) = (open(put.path()), open(bulk.path()));
        let model = Model::default();
        for store in [&put as &dyn Store, &bulk_store, &model] {
            drop(create(store, "t", &["d", "a", "b"], &["a", "m"]));
        }
        batches.iter().for_each(|batch| put.put_batch(&name("t"), batch).unwrap());
        prop_assert!(bulk_store.bulk_load_pays(&name("t")).unwrap());
        let loaded = bulk_store.bulk_load(&name("t"), &mut ready(&batches)).unwrap();
        prop_assert_eq!(loaded, rows.len() as u64);
        prop_assert_eq!(model.bulk_load(&name("t"), &mut ready(&batches)).unwrap(), loaded);
        let expected = all(&put);
        prop_assert_eq!(all(&bulk_store), &*expected);
        prop_assert_eq!(all(&model), &*expected);
        prop_assert_eq!(counts(&bulk_store), counts(&put));
        prop_assert_eq!(bulk_store.bulk_load_pays(&name("t")).unwrap(), rows.is_empty());
        let counted = counts(&bulk_store);
        drop(bulk_store);
        let again = open(bulk.path());
        prop_assert_eq!(all(&again), expected);
        prop_assert_eq!(counts(&again), counted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Into a table of one family, whatever it has: rows, and marks of deletes that hide some of those to come.
    #[test]
    fn rows_join_those_of_a_table_of_one_family(
        there in rows(),
        deleted in prop::collection::vec(0usize..60, 0..6),
        rows in rows(),
        size in 1usize..20,
    ) {
        let of_one_family = |rows: Vec<Row>| -> Vec<Row> {
            let one = |(key, cells): Row| (key, cells.into_iter().map(|cell| (0, cell.1, cell.2, cell.3)).collect());
            rows.into_iter().map(one).collect()
        };
        let (there, rows) = (of_one_family(there), of_one_family(rows));
        let (put, bulk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (put, bulk_store) = (open(put.path()), open(bulk.path()));
        for store in [&put as &dyn Store, &bulk_store] {
            drop(create(store, "t", &["a"], &["a", "m"]));
            batches(&there, 60).iter().for_each(|batch| store.put_batch(&name("t"), batch).unwrap());
            for (key, _) in deleted.iter().filter_map(|at| rows.get(*at)) {
                store.mutate(&name("t"), Mutation::Delete(Delete::row_at(key.clone(), 2))).unwrap();
            }
        }
        let batches = batches(&rows, size);
        batches.iter().for_each(|batch| put.put_batch(&name("t"), batch).unwrap());
        prop_assert!(bulk_store.bulk_load_pays(&name("t")).unwrap());
        let everything = Scan::new(KeyRange::all());
        let before = tables::scan(&bulk_store, &name("t"), &everything).unwrap();
        let mut begun_before = bulk_store.scan(&name("t"), &everything).unwrap();
        prop_assert_eq!(bulk_store.bulk_load(&name("t"), &mut ready(&batches)).unwrap(), rows.len() as u64);
        let (expected, seen) = (all(&put), tables::scan(&put, &name("t"), &everything).unwrap());
        prop_assert_eq!(all(&bulk_store), &*expected);
        prop_assert_eq!(tables::scan(&bulk_store, &name("t"), &everything).unwrap(), seen);
        prop_assert_eq!(counts(&bulk_store), counts(&put));
        let mut batch = RowBatch::new();
        prop_assert_eq!(begun_before.next_batch(&mut batch).unwrap(), !before.is_empty());
        prop_assert_eq!(batch, before, "a scan sees what was there when it began");
        drop(begun_before);
        let counted = counts(&bulk_store);
        drop(bulk_store);
        let again = open(bulk.path());
        prop_assert_eq!(all(&again), expected);
        prop_assert_eq!(counts(&again), counted);
    }
}

fn some_batches() -> Vec<RowBatch> {
    let row = |at: u32| ((at * 7).to_be_bytes().to_vec(), vec![(0, 1, 5, 1), (2, 0, 5, (at % 9) as u8)]);
    batches(&(0..400).map(row).collect::<Vec<_>>(), 100)
}

fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, Options::default()).expect("the folder is a store")
}

#[test]
fn a_load_that_fails_leaves_nothing_and_the_table_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    drop(create(&store, "t", &["a", "b", "d"], &[]));
    let before = |at| match at {
        3 => Err(StoreError::backend("read the source", "no more")),
        _ => Ok(()),
    };
    let failed = store.bulk_load(&name("t"), &mut Ready { batches: some_batches(), next: 0, before });
    assert!(matches!(failed, Err(StoreError::Backend { .. })), "{failed:?}");
    assert_eq!(all(&store), "");
    assert_eq!(counts(&store), [(KeyRange::all(), 0)]);
    assert_eq!(store.bulk_load(&name("t"), &mut ready(&some_batches())).unwrap(), 400);
    assert_eq!(keys(&store).len(), 400);
}

/// A row that is put while the table is loaded is not lost: the load is given up.
#[test]
fn a_write_in_between_is_kept_and_the_load_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    drop(create(&store, "t", &["a", "b", "d"], &[]));
    let between = |at| {
        if at == 2 {
            let mut row = RowBatch::new();
            row.begin_row(b"other");
            row.cell(b"d", b"q", 1, b"v");
            store.put_batch(&name("t"), &row)?;
            // Tables come and go meanwhile.
            drop(create(&store, "u", &["d"], &[]));
        }
        Ok(())
    };
    let failed =
        store.bulk_load(&name("t"), &mut Ready { batches: some_batches(), next: 0, before: between });
    assert!(matches!(failed, Err(StoreError::ChangedMeanwhile { .. })), "{failed:?}");
    assert_eq!(keys(&store), [b"other"]);
    assert_eq!(store.bulk_load(&name("t"), &mut ready(&some_batches())).unwrap(), 400, "by puts now");
    assert_eq!(keys(&store).len(), 401);
    assert_eq!(store.bulk_load(&name("u"), &mut ready(&[])).unwrap(), 0);
}

/// Rows of one family are loaded beside what is written meanwhile, unless the table is not the same any more.
#[test]
fn writers_go_on_while_a_table_of_one_family_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let rows = |families: &str| {
        let row = |at: u32| ((at * 7).to_be_bytes().to_vec(), vec![(0, 1, 5, (at % 9) as u8)]);
        drop(create(&store, families, &["a"], &[]));
        batches(&(0..400).map(row).collect::<Vec<_>>(), 100)
    };
    let put = |table: &str| {
        let mut row = RowBatch::new();
        row.begin_row(b"other");
        row.cell(b"a", b"q", 1, b"v");
        store.put_batch(&name(table), &row)
    };
    let between = |at| if at == 2 { put("t") } else { Ok(()) };
    let load = Ready { batches: rows("t"), next: 0, before: between };
    assert_eq!(store.bulk_load(&name("t"), &mut { load }).unwrap(), 400);
    assert_eq!(keys(&store).len(), 401);
    assert_eq!(counts(&store), [(KeyRange::all(), 401)]);

    let batches = rows("u");
    let failing =
        |at| if at == 3 { Err(StoreError::backend("read the source", "no more")) } else { put("u") };
    store
        .bulk_load(&name("u"), &mut Ready { batches: batches.clone(), next: 0, before: failing })
        .unwrap_err();
    let writes =
        |table: &str| store.regions(&name(table)).unwrap().iter().map(|region| region.writes).sum::<u64>();
    assert_eq!(writes("u"), 3, "the puts, and nothing of the load");
    let dropped = |at| {
        if at == 3 {
            store.truncate_table(&name("u"), TruncateSplits::Keep)?;
        }
        Ok(())
    };
    let failed = store.bulk_load(&name("u"), &mut Ready { batches, next: 0, before: dropped });
    assert!(matches!(failed, Err(StoreError::ChangedMeanwhile { .. })), "{failed:?}");
    let left = tables::scan(&store, &name("u"), &Scan::new(KeyRange::all())).unwrap();
    assert!(left.is_empty());
}

/// One region of a large table is cut in the middle of its keys, not at its end.
#[test]
fn regions_that_are_too_large_are_split_evenly() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut table = tables::descriptor("t", &["a", "b", "d"]);
    table.attributes.insert("MEMSTORE_FLUSHSIZE".to_owned(), "1000".to_owned());
    table.attributes.insert("MAX_FILESIZE".to_owned(), "4000".to_owned());
    store.create_table(&table, &[]).unwrap();
    let row = |at: u32| (at.to_be_bytes().to_vec(), vec![(0, 1, 5, (at % 251) as u8)]);
    let rows = batches(&(0..4096).map(row).collect::<Vec<_>>(), 1000);
    assert_eq!(store.bulk_load(&name("t"), &mut ready(&rows)).unwrap(), 4096);
    let regions = store.regions(&name("t")).unwrap();
    assert!(regions.len() >= 4, "{}", regions.len());
    assert_eq!(keys(&store).len(), 4096);
    let all = keys(&store);
    let held = |region: &rowkey_store::Region| all.iter().filter(|row| region.range.contains(row)).count();
    let (least, most) = (regions.iter().map(held).min().unwrap(), regions.iter().map(held).max().unwrap());
    assert!(most <= 2 * least + 32, "{least} to {most} rows of {} regions", regions.len());
}

const FOLDER: &str = "ROWKEY_TEST_BULK_FOLDER";
const ABORT: &str = "ROWKEY_TEST_BULK_ABORT";

/// Not a test of its own: the process that dies before the batch of that number, or right after the load.
#[test]
fn child_that_dies_while_it_loads() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let dies: usize = std::env::var(ABORT).unwrap().parse().unwrap();
    let store = open(Path::new(&folder));
    let before = move |at| {
        if at == dies {
            std::process::abort();
        }
        Ok(())
    };
    let batches = if is_of_one_family(&store) { one_family(some_batches()) } else { some_batches() };
    store.bulk_load(&name("t"), &mut Ready { batches, next: 0, before }).unwrap();
    std::process::abort();
}

fn is_of_one_family(store: &dyn Store) -> bool {
    store.describe(&name("t")).expect("the table is there").families.len() == 1
}

/// The same rows with the cells of the first family alone.
fn one_family(batches: Vec<RowBatch>) -> Vec<RowBatch> {
    let only = |batch: RowBatch| {
        let mut one = RowBatch::new();
        for row in batch.rows() {
            one.begin_row(row.key());
            for cell in row.cells().filter(|cell| cell.family == b"a") {
                one.cell(cell.family, cell.qualifier, cell.timestamp, cell.value);
            }
        }
        one
    };
    batches.into_iter().map(only).collect()
}

#[test]
fn a_load_beside_other_rows_that_is_killed_leaves_all_or_nothing() {
    for dies in [0, 2, 4, 9] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        drop(create(&store, "t", &["a"], &["\x10"]));
        let mut there = RowBatch::new();
        for row in ["\0", "\x20", "zz"] {
            there.begin_row(row.as_bytes());
            there.cell(b"a", b"q", 1, b"v");
        }
        store.put_batch(&name("t"), &there).unwrap();
        drop(store);
        let status = die(folder.path(), dies);
        assert!(!status.success(), "{status:?}");
        let store = open(folder.path());
        assert_eq!(keys(&store).len(), if dies <= 4 { 3 } else { 403 }, "killed before batch {dies}");
        store.bulk_load(&name("t"), &mut ready(&one_family(some_batches()))).unwrap();
        assert_eq!(keys(&store).len(), 403);
    }
}

/// Lets another process load the store, and die.
fn die(folder: &Path, dies: usize) -> ExitStatus {
    Command::new(std::env::current_exe().expect("the test runs"))
        .args(["bulk::child_that_dies_while_it_loads", "--exact"])
        .env(FOLDER, folder)
        .env(ABORT, dies.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("a process can be started")
}

#[test]
fn a_load_that_is_killed_leaves_all_or_nothing() {
    for dies in [0, 1, 2, 4, 9] {
        let folder = tempfile::tempdir().unwrap();
        drop(create(&open(folder.path()), "t", &["a", "b", "d"], &["\x10"]));
        let status = die(folder.path(), dies);
        assert!(!status.success(), "{status:?}");
        let store = open(folder.path());
        let expected = if dies <= 4 { 0 } else { 400 };
        assert_eq!(keys(&store).len(), expected, "killed before batch {dies}");
        // Begun again, it ends right.
        if expected == 0 {
            assert!(store.bulk_load_pays(&name("t")).unwrap());
            store.bulk_load(&name("t"), &mut ready(&some_batches())).unwrap();
        }
        assert_eq!(keys(&store).len(), 400);
        assert_eq!(counts(&store).iter().map(|(_, writes)| writes).sum::<u64>(), 400);
    }
}
