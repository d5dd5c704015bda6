//! When is a table cut by itself, and is it still cut so after a restart?

use crate::tables::{self, chain, create, descriptor, dump, name, open};
use rowkey_core::range::KeyRange;
use rowkey_embedded::EmbeddedStore;
use rowkey_store::{
    Admin, Delete, Increment, RowBatch, RowStore, Scan, Store, StoreError, TableName, per_region,
};

fn ranges(store: &dyn Store, table: &TableName) -> Vec<String> {
    store.regions(table).expect("the table exists").iter().map(|region| region.range.to_string()).collect()
}

fn names(store: &dyn Store, table: &TableName) -> Vec<String> {
    store.regions(table).expect("the table exists").into_iter().map(|region| region.name).collect()
}

/// Rows of 1,000 bytes in a scattered order, a hundred a batch.
fn fill(store: &dyn Store, table: &TableName, rows: usize) {
    for first in (0..rows).step_by(100) {
        let mut batch = RowBatch::new();
        for at in first..first + 100 {
            batch.begin_row(format!("{:05}", at * 7919 % 10_007).as_bytes());
            // Bytes that do not compress away.
            let value: Vec<u8> =
                (0..1000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> (at % 24)) as u8).collect();
            batch.cell(b"d", b"q", 1, &value);
        }
        store.put_batch(table, &batch).expect("good rows");
    }
}

#[test]
fn a_region_past_its_limit_splits_near_the_middle_of_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut table = descriptor("t", &["d"]);
    // The first region splits at twice this size, the others never in this test.
    table.attributes.insert("MEMSTORE_FLUSHSIZE".to_owned(), "200000".to_owned());
    store.create_table(&table, &[]).unwrap();
    fill(&store, &table.name, 3000);
    let regions = store.regions(&table.name).unwrap();
    assert_eq!(regions.len(), 2, "{:?}", ranges(&store, &table.name));
    let counts = per_region(&store, &table.name, &KeyRange::all(), 2, |_, range| {
        tables::scan(&store, &table.name, &Scan::new(range)).map(|rows| rows.len())
    });
    let counts = counts.unwrap();
    assert_eq!(counts.iter().sum::<usize>(), 3000);
    assert!(counts.iter().all(|count| (600..=2400).contains(count)), "{counts:?}");
}

#[test]
fn a_table_that_must_not_split_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut table = descriptor("t", &["d"]);
    table.attributes.insert("MEMSTORE_FLUSHSIZE".to_owned(), "200000".to_owned());
    table.attributes.insert("SPLIT_ENABLED".to_owned(), "false".to_owned());
    store.create_table(&table, &[]).unwrap();
    fill(&store, &table.name, 1000);
    assert_eq!(ranges(&store, &table.name), ["(-∞, ∞)"]);
}

#[test]
fn splits_merges_and_states_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["a", "d"], &["c", "m"]);
    let off = create(&store, "off", &["d"], &[]);
    store
        .put_batch(&table, &tables::rows(&[("a", &[("d", "q", 5, "v")]), ("x", &[("a", "q", 5, "w")])]))
        .unwrap();
    store.mutate(&table, Delete::row_at("a", 9).into()).unwrap();
    store.split_region(&table, &names(&store, &table)[2], Some(b"t")).unwrap();
    let first_two = names(&store, &table)[..2].to_vec();
    store.merge_regions(&table, &first_two).unwrap();
    store.disable_table(&off).unwrap();
    let before = (names(&store, &table), ranges(&store, &table), dump(&store, &table));
    assert_eq!(before.1, ["(-∞, m)", "[m, t)", "[t, ∞)"]);
    drop(store);

    let store = open(folder.path());
    assert_eq!((names(&store, &table), ranges(&store, &table), dump(&store, &table)), before);
    assert_eq!(before.2, "[x [a:q@5=w]]");
    assert!(!store.is_enabled(&off).unwrap() && store.is_enabled(&table).unwrap());
    // A get by name still sees the marker of the family.
    let columns = rowkey_store::Columns::Only(vec![(b"d".to_vec(), Some(b"q".to_vec()))]);
    let get = rowkey_store::Get { columns, ..rowkey_store::Get::new("a") };
    assert!(!store.get(&table, &get, &mut RowBatch::new()).unwrap());
}

#[test]
fn a_region_without_two_rows_has_no_middle() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &["m"]);
    store.put_batch(&table, &tables::rows(&[("a", &[("d", "q", 5, "v")])])).unwrap();
    for region in names(&store, &table) {
        let refused = store.split_region(&table, &region, None).unwrap_err();
        assert!(matches!(refused, StoreError::NoSplitPoint { .. }), "{}", chain(&refused));
    }
}

#[test]
fn a_split_takes_a_moment_and_rewrites_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    fill(&store, &table, 2000);
    let size =
        |store: &EmbeddedStore| -> u64 { store.regions(&table).unwrap().iter().filter_map(|r| r.size).sum() };
    let before = size(&store);
    store.split_region(&table, &names(&store, &table)[0], Some(b"05000")).unwrap();
    // Shares are rounded down.
    assert!(size(&store).abs_diff(before) <= 2, "{before} {}", size(&store));
    let counters: Vec<u64> = store.regions(&table).unwrap().iter().map(|region| region.writes).collect();
    assert_eq!(counters, [0, 0], "daughters count from the beginning, as in HBase");
    store.mutate(&table, Increment::new("09999").add("d", "n", 1).into()).unwrap();
    let counters: Vec<u64> = store.regions(&table).unwrap().iter().map(|region| region.writes).collect();
    assert_eq!(counters, [0, 1]);
    assert_eq!(name("t"), table);
}
