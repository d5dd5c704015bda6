//! Does it all work on an HBase whose data lies in HDFS, as in production?
//!
//! The other tests run on a plain folder, which starts quicker; there HBase promises less, and no region is near its data.

use std::time::{Duration, Instant};

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Family, RowBatch, RowStore, Scan, TableDescriptor, TableName};
use rowkey_testing::cluster::{Cluster, Options};

#[test]
fn rows_come_back_and_regions_are_where_their_data_is() {
    let options = Options { region_servers: 1, heap_mb: 1024, on_hdfs: true, ..Options::default() };
    let cluster = Cluster::start(&options).unwrap_or_else(|error| panic!("{error}"));
    let store = HBaseStore::connect(&cluster.zookeeper_url).expect("it is ready");
    let name: TableName = "on_disk".parse().expect("a valid name");
    let mut table = TableDescriptor {
        name: name.clone(),
        families: vec![Family::new("d")],
        attributes: Default::default(),
    };
    table.attributes.insert("DURABILITY".to_owned(), "FSYNC_WAL".to_owned());
    store.create_table(&table, &[]).expect("a good table");
    let described = store.describe(&name).expect("it is there");
    assert_eq!(described.attributes.get("DURABILITY").map(String::as_str), Some("FSYNC_WAL"));

    let mut rows = RowBatch::new();
    for number in 0..1_000_u32 {
        rows.begin_row(&number.to_be_bytes());
        rows.cell(b"d", b"q", 5, &[7; 100]);
    }
    store.put_batch(&name, &rows).expect("good rows");
    store.flush(&name).expect("a flush");
    let mut scanner = store.scan(&name, &Scan::new(KeyRange::all())).expect("a good scan");
    let (mut batch, mut seen) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch).expect("rows") {
        seen += batch.len();
    }
    assert_eq!(seen, rows.len());

    // The server tells the master twice a second how near its files are; they lie on the only data node, which is here.
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let regions = store.regions(&name).expect("regions");
        let near: Vec<_> = regions.iter().map(|region| region.locality_percent).collect();
        if near == [Some(100)] {
            break;
        }
        assert!(Instant::now() < deadline, "{near:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
    drop((scanner, store));
    cluster.stop().expect("it stops");
}
