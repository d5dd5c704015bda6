//! Creates, loads, scans and drops a table: the least that a store needs.
//!
//! `cargo xtask versions` runs it on other versions of HBase too.

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Family, RowBatch, RowStore, Scan, TableDescriptor, TableName};
use rowkey_testing::cluster;

const ROWS: u32 = 10_000;

fn smoke(url: &str, name: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let store = HBaseStore::connect(url)?;
    let name: TableName = format!("{name}_{}", std::process::id()).parse().expect("a valid name");
    let table = TableDescriptor {
        name: name.clone(),
        families: vec![Family::new("d")],
        attributes: Default::default(),
    };
    let splits = [1, 2, 3].map(|part: u32| (part * ROWS / 4).to_be_bytes().to_vec());
    store.create_table(&table, &splits)?;
    let mut batch = RowBatch::new();
    for number in 0..ROWS {
        batch.begin_row(&number.to_be_bytes());
        batch.cell(b"d", b"q", 5, format!("value {number}").as_bytes());
    }
    store.put_batch(&name, &batch)?;

    let mut scanner = store.scan(&name, &Scan::new(KeyRange::all()))?;
    let (mut found, mut seen) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut found)? {
        for row in found.rows() {
            assert_eq!(Some(row.key()), batch.row(seen).map(|expected| expected.key()), "row {seen}");
            assert!(row.cells().eq(batch.row(seen).expect("as above").cells()), "row {seen}");
            seen += 1;
        }
    }
    drop(scanner);
    assert_eq!(store.regions(&name)?.len(), 4);
    store.drop_table(&name)?;
    assert!(!store.list_tables()?.contains(&name));
    Ok(seen)
}

#[test]
fn create_load_scan_and_drop_by_both_registries() {
    let cluster::Endpoints { zookeeper_url, rpc_url } = cluster::shared();
    for (url, name) in [(zookeeper_url, "smoke_zk"), (rpc_url, "smoke_rpc")] {
        let seen = smoke(url, name).unwrap_or_else(|error| panic!("{url}: {error}"));
        println!("{url}: {seen} rows created, scanned and dropped");
        assert_eq!(seen, 10_000);
    }
}
