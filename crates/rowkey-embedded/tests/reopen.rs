//! What is still there after a store was closed and opened again?

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::path::Path;

use crate::tables::{create, descriptor, dump, name, open, rows};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{
    Admin, Columns, Delete, Family, Get, Increment, LATEST_TIMESTAMP, RowBatch, RowMutations, RowStore,
    StoreError,
};

#[test]
fn tables_regions_and_rows_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = descriptor("ns:orders", &["d", "a"]);
    table.attributes.insert("ROWKEY".to_owned(), "[table]\nname = \"größe\"\n".to_owned());
    table.families[0] =
        Family { versions: 3, min_versions: 1, ttl_seconds: Some(86_400), ..Family::new("d") };
    table.families[0].attributes.insert("BLOCKSIZE".to_owned(), "32768".to_owned());

    let store = open(folder.path());
    store.create_table(&table, &[b"m".to_vec(), b"c\x00".to_vec()]).unwrap();
    let batch =
        rows(&[("b", &[("d", "q", i64::MAX - 1, "v"), ("a", "", 1, "")]), ("z", &[("a", "x", 2, "y")])]);
    store.put_batch(&table.name, &batch).unwrap();
    let names = |regions: Vec<rowkey_store::Region>| {
        regions.into_iter().map(|r| (r.name, r.range)).collect::<Vec<_>>()
    };
    let regions = names(store.regions(&table.name).unwrap());
    let before = dump(&store, &table.name);
    store.close().unwrap();

    let store = open(folder.path());
    assert_eq!(store.describe(&table.name).unwrap(), table);
    assert_eq!(names(store.regions(&table.name).unwrap()), regions);
    assert_eq!(dump(&store, &table.name), before);
    assert_eq!(before, "[b [a:@1=, d:q@9223372036854775806=v], z [a:x@2=y]]");
}

#[test]
fn a_dropped_table_stays_dropped_and_its_name_gets_fresh_keyspaces() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    store.put_batch(&table, &rows(&[("old", &[("d", "q", 1, "v")])])).unwrap();
    store.drop_table(&table).unwrap();
    drop(store);

    let store = open(folder.path());
    assert!(store.describe(&table).is_err());
    create(&store, "t", &["d"], &[]);
    assert_eq!(dump(&store, &table), "[]");
    store.put_batch(&table, &rows(&[("new", &[("d", "q", 1, "v")])])).unwrap();
    drop(store);
    assert_eq!(dump(&open(folder.path()), &table), "[new [d:q@1=v]]");
    let data = folder.path().join("data").join("keyspaces");
    // The engine's own, the catalogue and the one family.
    assert_eq!(std::fs::read_dir(data).unwrap().count(), 3);
}

#[test]
fn a_scanner_reads_on_after_its_table_was_dropped_and_keeps_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    let keys: Vec<String> = (0..100).map(|i| format!("{i:03}")).collect();
    for key in &keys {
        store.put_batch(&table, &rows(&[(key, &[("d", "q", 1, key)])])).unwrap();
    }
    let scan =
        rowkey_store::Scan { batch_rows: 7, ..rowkey_store::Scan::new(rowkey_core::range::KeyRange::all()) };
    let mut scanner = store.scan(&table, &scan).unwrap();
    store.drop_table(&table).unwrap();
    drop(store);

    let mut batch = RowBatch::new();
    let mut found = Vec::new();
    while scanner.next_batch(&mut batch).unwrap() {
        found.extend(batch.rows().map(|row| String::from_utf8(row.key().to_vec()).unwrap()));
    }
    assert_eq!(found, keys);
    assert!(EmbeddedStore::open(folder.path(), Options::default()).is_err());
    drop(scanner);
    assert!(open(folder.path()).describe(&name("t")).is_err());
}

/// A get of a named column looks for markers of the family only where the catalogue says that there may be some.
#[test]
fn a_family_marker_counts_after_a_restart_even_if_a_change_before_it_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    store.put_batch(&table, &rows(&[("r", &[("d", "q", 5, "text")])])).unwrap();
    let mutations = vec![Delete::row_at("r", 9).into(), Increment::new("r").add("d", "q", 1).into()];
    let refused = store.mutate_row(&table, RowMutations { row: b"r".to_vec(), mutations });
    assert!(matches!(refused, Err(StoreError::NotACounter { .. })), "{refused:?}");
    let columns = Columns::Only(vec![(b"d".to_vec(), Some(b"q".to_vec()))]);
    let get = Get { columns, ..Get::new("r") };
    assert!(store.get(&table, &get, &mut RowBatch::new()).unwrap(), "nothing was deleted");
    store.mutate(&table, Delete::row_at("r", 9).into()).unwrap();
    assert!(!store.get(&table, &get, &mut RowBatch::new()).unwrap());
    drop(store);
    assert!(!open(folder.path()).get(&table, &get, &mut RowBatch::new()).unwrap());
}

const NOW: i64 = 1_700_000_000_000;
const HOUR: i64 = 3_600_000;

fn open_at(folder: &Path, now: i64) -> EmbeddedStore {
    let options = Options::default().durability(Durability::Buffered).clock(move || now);
    EmbeddedStore::open(folder, options).unwrap()
}

/// What a process that was killed would have left.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_clock_that_went_back_hides_no_update_and_no_delete() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(folder.path(), NOW);
    let table = create(&store, "t", &["d"], &[]);
    let row = |time, value| rows(&[("a", &[("d", "q", time, value)]), ("b", &[("d", "q", time, value)])]);
    store.put_batch(&table, &row(LATEST_TIMESTAMP, "first")).unwrap();
    let killed = tempfile::tempdir().unwrap();
    copy(folder.path(), killed.path());
    store.close().unwrap();

    // After a clean close the time goes on exactly, after a crash a little ahead.
    for (folder, last) in [(folder.path(), NOW), (killed.path(), NOW + 100)] {
        let (store, first) = (open_at(folder, NOW - 2 * HOUR), last + 1);
        assert_eq!(store.opening().clock_ahead, Some(last - NOW + 2 * HOUR));
        assert_eq!(store.write_time(), Some(first));
        store.put_batch(&table, &row(LATEST_TIMESTAMP, "second")).unwrap();
        assert_eq!(dump(&store, &table), format!("[a [d:q@{first}=second], b [d:q@{first}=second]]"));
        store.mutate(&table, Delete::row("a").into()).unwrap();
        assert_eq!(dump(&store, &table), format!("[b [d:q@{first}=second]]"));
        // The machine's clock is right again.
        drop(store);
        let store = open_at(folder, NOW + 7);
        assert_eq!(store.opening().clock_ahead, None);
        assert_eq!(store.write_time(), Some((NOW + 7).max(first + 1)));
    }
}

#[test]
fn timestamps_that_writes_bring_along_do_not_move_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(folder.path(), NOW);
    let table = create(&store, "t", &["d"], &[]);
    store.put_batch(&table, &rows(&[("a", &[("d", "q", NOW + 100 * HOUR, "v")])])).unwrap();
    store.close().unwrap();
    let store = open_at(folder.path(), NOW + 1);
    assert_eq!((store.opening().clock_ahead, store.write_time()), (None, Some(NOW + 1)));
}
