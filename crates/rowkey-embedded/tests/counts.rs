//! What do the regions of a table tell about its load?

use crate::tables::{self, create, rows, scan};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, Direction, Get, RowBatch, RowStore, Scan};

#[test]
fn requests_are_counted_in_the_region_of_their_row_and_kept_over_a_close() {
    let folder = tempfile::tempdir().unwrap();
    let open = || EmbeddedStore::open(folder.path(), Options::default().clock(|| 1_700_000_000_000)).unwrap();
    let store = open();
    let table = create(&store, "t", &["d"], &["c", "m"]);
    let counts = |store: &EmbeddedStore| -> Vec<(u64, u64)> {
        store.regions(&table).unwrap().iter().map(|region| (region.reads, region.writes)).collect()
    };
    let cell: &[tables::Cell<'_>] = &[("d", "q", 1, "v"), ("d", "r", 1, "v")];
    store.put_batch(&table, &rows(&[("a", cell), ("b", cell), ("c", cell), ("z", cell)])).unwrap();
    assert_eq!(counts(&store), [(0, 2), (0, 1), (0, 1)]);

    // A refused batch is no write.
    assert!(store.put_batch(&table, &rows(&[("a", cell), ("b", &[])])).is_err());
    // A get is a read whether the row is there or not; a scan reads the rows that it returns.
    store.get(&table, &Get::new("b"), &mut RowBatch::new()).unwrap();
    store.get(&table, &Get::new("nobody"), &mut RowBatch::new()).unwrap();
    assert_eq!(counts(&store), [(1, 2), (0, 1), (1, 1)]);
    for direction in [Direction::Forward, Direction::Reverse] {
        let limited = Scan { direction, limit: Some(3), batch_rows: 2, ..Scan::new(KeyRange::all()) };
        scan(&store, &table, &limited).unwrap();
    }
    assert_eq!(counts(&store), [(4, 2), (2, 1), (2, 1)]);
    let names: Vec<String> = store.regions(&table).unwrap().into_iter().map(|region| region.name).collect();
    assert_eq!(names[1], "t,c,1700000000000.7d35be7ca17a142eb9d33d814dce4118.");
    drop(store);
    let store = open();
    assert_eq!(counts(&store), [(4, 2), (2, 1), (2, 1)]);

    store.drop_table(&table).unwrap();
    create(&store, "t", &["d"], &["c", "m"]);
    assert_eq!(counts(&store), [(0, 0), (0, 0), (0, 0)], "a new table of the same name has its own counts");
}

#[test]
fn regions_share_the_size_of_their_table_by_the_bytes_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = tables::open(folder.path());
    let one = create(&store, "one", &["d"], &[]);
    let two = create(&store, "two", &["d"], &["m"]);
    let value = "v".repeat(10_000);
    let size = || store.regions(&one).unwrap()[0].size.unwrap();
    let before = size();
    store.put_batch(&one, &rows(&[("a", &[("d", "q", 1, &value)])])).unwrap();
    assert!(size() >= before + 10_000);
    assert!(store.regions(&two).unwrap().iter().all(|region| region.size.is_none()));
    store.put_batch(&two, &rows(&[("a", &[("d", "q", 1, &value)]), ("z", &[("d", "q", 1, "v")])])).unwrap();
    let sizes: Vec<u64> = store.regions(&two).unwrap().iter().filter_map(|region| region.size).collect();
    assert!(matches!(sizes[..], [large, small] if large > 100 * small), "{sizes:?}");
}
