//! Does the store work through the masters alone, and do its figures and bytes agree with HBase's own?

use std::ops::Bound;

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{
    Admin, Direction, Family, Get, RowBatch, RowStore, Scan, StoreError, TableDescriptor, TableName,
};
use rowkey_testing::cluster;

/// A table of its own for a test, dropped at the end.
struct Table {
    store: HBaseStore,
    name: TableName,
}

impl Table {
    fn create(name: &str, splits: &[&str]) -> Self {
        let store = HBaseStore::connect(&cluster::shared().rpc_url).expect("the masters answer");
        let name: TableName = format!("{name}_{}", std::process::id()).parse().expect("a valid name");
        let table = TableDescriptor {
            name: name.clone(),
            families: vec![Family::new("d")],
            attributes: Default::default(),
        };
        let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
        store.create_table(&table, &splits).expect("a new table");
        Self { store, name }
    }

    fn put(&self, rows: impl Iterator<Item = (Vec<u8>, Vec<u8>)>) {
        let mut batch = RowBatch::new();
        for (row, value) in rows {
            batch.begin_row(&row);
            batch.cell(b"d", b"q", 7, &value);
        }
        self.store.put_batch(&self.name, &batch).expect("good rows");
    }

    fn scan(&self, scan: &Scan) -> RowBatch {
        let mut scanner = self.store.scan(&self.name, scan).expect("a good scan");
        let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
        while scanner.next_batch(&mut batch).expect("a good scan") {
            batch.rows().for_each(|row| all.push_row(row));
        }
        all
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = self.store.drop_table(&self.name);
    }
}

fn key(number: u32) -> Vec<u8> {
    format!("row-{number:05}").into_bytes()
}

#[test]
fn create_put_scan_and_drop_without_zookeeper() {
    let table = Table::create("registry_rpc", &["row-01000", "row-02500"]);
    table.put((0..5000).map(|number| (key(number), key(number))));

    let mut found = RowBatch::new();
    assert!(table.store.get(&table.name, &Get::new(key(4999)), &mut found).expect("a good get"));
    let backwards = table.scan(&Scan { direction: Direction::Reverse, ..Scan::new(KeyRange::all()) });
    assert!(backwards.rows().map(|row| row.key().to_vec()).eq((0..5000).rev().map(key)));
    let range = KeyRange { start: Bound::Excluded(key(999)), end: Bound::Included(key(2500)) };
    assert_eq!(table.scan(&Scan::new(range)).len(), 1501);

    let regions = table.store.regions(&table.name).expect("the table exists");
    let writes: Vec<u64> = regions.iter().map(|region| region.writes).collect();
    assert_eq!(writes, [1000, 1500, 2500], "one write a row, at once");
    assert!(regions.iter().all(|region| region.server.is_some() && region.size.is_some()));

    table.store.drop_table(&table.name).expect("the table exists");
    let gone = table.store.get(&table.name, &Get::new("row"), &mut found);
    assert!(matches!(gone, Err(StoreError::TableNotFound { .. })), "{gone:?}");
}

/// Answers are cut at 2 MiB, in the middle of these rows.
#[test]
fn rows_larger_than_an_answer_come_back_whole() {
    let table = Table::create("registry_large", &["r2"]);
    let mut written = RowBatch::new();
    for row in 0..4u8 {
        written.begin_row(&[b'r', b'0' + row]);
        for column in 0..9u8 {
            written.cell(b"d", &[b'a' + column], 7, &vec![row * 16 + column; 700_000]);
        }
    }
    table.store.put_batch(&table.name, &written).expect("good rows");
    for batch_rows in [1, 1000] {
        let scan = Scan { batch_rows, ..Scan::new(KeyRange::all()) };
        assert!(table.scan(&scan) == written, "{batch_rows} rows a batch");
    }
    let backwards = table.scan(&Scan { direction: Direction::Reverse, ..Scan::new(KeyRange::all()) });
    assert!(
        backwards.rows().rev().map(|row| format!("{row:?}")).eq(written.rows().map(|row| format!("{row:?}")))
    );
    let two = table.scan(&Scan { limit: Some(2), ..Scan::new(KeyRange::all()) });
    assert_eq!((two.len(), two.cell_count()), (2, 18));
}

/// More scans than a server's queue holds calls.
#[test]
fn a_thousand_scans_at_once_find_their_rows() {
    let table = Table::create("registry_many", &["row-00300", "row-00700"]);
    table.put((0..1000).map(|number| (key(number), vec![1])));
    let scans: Vec<Scan> = (0..1000).map(|number| Scan::new(KeyRange::point(&key(number)))).collect();
    let scanners = table.store.scan_many(&table.name, &scans).expect("good scans");
    let mut batch = RowBatch::new();
    for (number, mut scanner) in (0..).zip(scanners) {
        assert!(scanner.next_batch(&mut batch).expect("a good scan"));
        assert_eq!(batch.row(0).map(|row| row.key().to_vec()), Some(key(number)));
        assert!(!scanner.next_batch(&mut batch).expect("a good scan"));
    }
}

/// A caller may stop reading at any time, and a scanner may outlive its store.
#[test]
fn scans_can_be_left_early_and_outlive_their_store() {
    let table = Table::create("registry_early", &[]);
    table.put((0..3000).map(|number| (key(number), vec![0; 100])));
    let mut batch = RowBatch::new();
    for _ in 0..50 {
        let mut scanner = table
            .store
            .scan(&table.name, &Scan { batch_rows: 10, ..Scan::new(KeyRange::all()) })
            .expect("a good scan");
        assert!(scanner.next_batch(&mut batch).expect("a good scan"));
    }
    let other = HBaseStore::connect(&cluster::shared().rpc_url).expect("the masters answer");
    let mut scanner = other
        .scan(&table.name, &Scan { batch_rows: 100, ..Scan::new(KeyRange::all()) })
        .expect("a good scan");
    drop(other);
    let mut rows = 0;
    while scanner.next_batch(&mut batch).expect("the threads are still there") {
        rows += batch.len();
    }
    assert_eq!(rows, 3000);
}
