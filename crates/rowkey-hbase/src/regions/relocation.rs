//! Reads and writes while regions move, split and merge under them (tests).
//!
//! Tests on a real cluster. They stand here and not in `tests/` because they count relocations, which only the client
//! itself knows, and move `hbase:meta`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;
use rowkey_store::{Direction, Family, Get, RowBatch, Scan, StoreError, TableDescriptor, TableName};
use tokio::runtime::Runtime;

use crate::client::HBaseClient;
use crate::client::options::Options;
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::registry::url::ClusterUrl;
use crate::request::cursor::Cursor;
use crate::request::region_scanner::{RegionScanner, ScanSettings};
use crate::wire::messages::client;
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::master::MoveRegionRequest;
use crate::wire::messages::registry::Empty;

struct Table {
    runtime: Runtime,
    client: Arc<HBaseClient>,
    /// Another client, which moves regions without `client` knowing.
    admin: Arc<HBaseClient>,
    name: TableName,
}

impl Table {
    fn create(name: &str, splits: &[&str]) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let url: ClusterUrl = rowkey_testing::cluster::shared().zookeeper_url.parse().unwrap();
        let connect = || runtime.block_on(HBaseClient::connect_with(&url, Options::from_url(&url))).unwrap();
        let (client, admin) = (connect(), connect());
        let name: TableName = format!("relocation_{name}_{}", std::process::id()).parse().unwrap();
        let families = vec![Family::new("d")];
        let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
        let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
        runtime.block_on(client.create_table(&table, &splits)).unwrap();
        Self { runtime, client, admin, name }
    }

    fn regions(&self) -> Vec<Arc<RegionLocation>> {
        self.runtime.block_on(async {
            let mut attempts = self.client.attempts();
            loop {
                // Another test may be moving `hbase:meta`.
                match self.admin.read_regions(&self.name).await {
                    Ok(regions) => return regions,
                    Err(failure) => attempts.again(failure).await.unwrap(),
                }
            }
        })
    }

    fn name_of(&self, index: usize) -> String {
        escape(&self.regions()[index].name).to_string()
    }

    fn move_region(&self, index: usize) {
        // Without a destination the master may choose the server that has it; that is no failure.
        let _ = self.runtime.block_on(self.admin.move_region(&self.name, &self.name_of(index), None));
    }

    /// Moves `hbase:meta` itself.
    fn move_meta(&self) {
        let region = RegionSpecifier::encoded(b"1588230740");
        let request = MoveRegionRequest { region, dest_server_name: None };
        let mut attempts = self.client.attempts();
        self.runtime.block_on(self.admin.ask_master::<Empty>("MoveRegion", &request, &mut attempts)).unwrap();
    }

    fn split_region(&self, index: usize, at: &[u8]) {
        let before = self.regions().len();
        self.runtime.block_on(self.admin.split_region(&self.name, &self.name_of(index), Some(at))).unwrap();
        assert_eq!(self.regions().len(), before + 1);
    }

    fn merge_regions(&self, index: usize) {
        let before = self.regions().len();
        let merged = [self.name_of(index), self.name_of(index + 1)];
        self.runtime.block_on(self.admin.merge_regions(&self.name, &merged)).unwrap();
        assert_eq!(self.regions().len() + 1, before);
    }

    fn put(&self, rows: std::ops::Range<usize>) {
        let mut batch = RowBatch::new();
        for number in rows {
            batch.begin_row(&key(number));
            batch.cell(b"d", b"q", 1, &key(number));
        }
        self.runtime.block_on(self.client.put_batch(&self.name, &batch)).unwrap();
    }

    /// All row keys of a scan, with something done to the table after every few batches.
    fn scan_while(&self, direction: Direction, mut meanwhile: impl FnMut(usize)) -> Vec<Vec<u8>> {
        let scan = Scan { batch_rows: 50, direction, ..Scan::new(KeyRange::all()) };
        let mut rows = {
            let _inside = self.runtime.enter();
            self.client.start_scans(&self.name, &[scan]).pop().unwrap()
        };
        let (mut found, mut batch, mut batches) = (Vec::new(), RowBatch::new(), 0);
        while rows.blocking_next(&mut batch).unwrap() {
            found.extend(batch.rows().map(|row| row.key().to_vec()));
            batches += 1;
            meanwhile(batches);
        }
        found
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.client.drop_table(&self.name));
    }
}

fn key(number: usize) -> Vec<u8> {
    format!("r{number:05}").into_bytes()
}

/// Eight regions of 500 rows. HBase merges only regions that are not fresh halves of a split.
#[test]
fn scans_lose_and_double_nothing_while_regions_move_split_and_merge() {
    let splits = ["r00500", "r01000", "r01500", "r02000", "r02500", "r03000", "r03500"];
    let table = Table::create("scan", &splits);
    table.put(0..4000);
    let all: Vec<Vec<u8>> = (0..4000).map(key).collect();
    // A batch is 50 rows, and up to three are read ahead: the scan is in the middle of what changes.
    let found = table.scan_while(Direction::Forward, |batches| match batches {
        2 => table.move_region(0),
        4 => table.split_region(0, b"r00400"),
        12 => table.merge_regions(2),
        35 => table.move_region(3),
        _ => {}
    });
    assert!(found == all, "{} rows", found.len());
    let mut backwards = table.scan_while(Direction::Reverse, |batches| match batches {
        2 => table.move_region(7),
        4 => table.split_region(7, b"r03600"),
        12 => table.merge_regions(5),
        35 => table.move_region(4),
        _ => {}
    });
    backwards.reverse();
    assert!(backwards == all, "{} rows backwards", backwards.len());
    // Both splits and both merges; a move may have been to the same place.
    assert!(table.client.figures().relocations >= 4, "{} relocations", table.client.figures().relocations);
}

#[test]
fn writes_and_reads_follow_their_regions() {
    let table = Table::create("put", &["r01000", "r01500"]);
    table.put(0..2000);
    table.split_region(0, b"r00500");
    table.put(2000..2100);
    table.put(0..2000);
    table.move_region(0);
    table.merge_regions(2);
    table.put(500..2500);
    let found = table.scan_while(Direction::Forward, |_| {});
    assert_eq!(found, (0..2500).map(key).collect::<Vec<_>>());
    table.move_region(0);
    table.move_meta();
    let mut batch = RowBatch::new();
    assert!(table.runtime.block_on(table.client.get(&table.name, &Get::new(key(7)), &mut batch)).unwrap());
    assert!(table.client.figures().relocations >= 2, "{} relocations", table.client.figures().relocations);
}

#[test]
fn a_disabled_table_says_so_and_can_be_dropped() {
    let table = Table::create("disabled", &[]);
    table.put(0..10);
    table.runtime.block_on(table.admin.disable_table(&table.name)).unwrap();
    let started = Instant::now();
    let read = table.runtime.block_on(table.client.get(&table.name, &Get::new("r"), &mut RowBatch::new()));
    assert!(matches!(read, Err(HBaseError::Rule(StoreError::TableDisabled { .. }))), "{read:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
    table.runtime.block_on(table.client.drop_table(&table.name)).unwrap();
    let gone = table.runtime.block_on(table.client.describe(&table.name));
    assert!(matches!(gone, Err(HBaseError::Rule(StoreError::TableNotFound { .. }))), "{gone:?}");
}

/// A server takes a renewal without counting it as a request for rows.
#[test]
fn a_renewed_scanner_goes_on_where_it_was() {
    let table = Table::create("renew", &[]);
    table.put(0..100);
    let cursor = Cursor::new(&KeyRange::all(), Direction::Forward).unwrap();
    let scan = client::Scan { max_versions: Some(1), ..client::Scan::default() };
    let settings = ScanSettings { scan, batch_rows: 30, in_pieces: false, counts: false };
    let timeout = Duration::from_secs(20);
    let read = table.runtime.block_on(async {
        let region = table.client.locate(&table.name, &cursor.place()).await.unwrap();
        let connection = table.client.connection_to(&region).await.unwrap();
        let mut scanner = RegionScanner::new(connection, region);
        let mut counts = Vec::new();
        loop {
            let piece = scanner.next(&settings, &cursor, None, timeout).await.unwrap();
            counts.push(piece.response.cells_per_result.len());
            if !piece.more_in_region() {
                return (counts, scanner.renew_after());
            }
            assert!(scanner.renew(timeout).await.is_ok());
            assert!(scanner.renew(timeout).await.is_ok());
        }
    });
    assert_eq!(read.0.iter().sum::<usize>(), 100, "{:?}", read.0);
    assert_eq!(read.1, Duration::from_secs(20), "a third of HBase's default lease");
}
