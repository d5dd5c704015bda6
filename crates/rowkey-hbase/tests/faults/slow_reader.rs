//! Does a server keep the scanner of a reader who is slower than its lease?
//!
//! The client renews the lease while the reader takes no rows. Were it lost, the scan would still return every row, with another
//! scanner; so what is checked is that there was no other.

use std::thread;
use std::time::Duration;

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{RowBatch, RowStore, Scan};

use crate::pace::Pace;
use crate::scene::Scene;

/// How long a server of this run keeps a scanner without requests.
pub(crate) const LEASE: Duration = Duration::from_secs(6);
const ROWS: usize = 1000;

pub(crate) fn run(scene: &Scene, pace: &Pace) {
    let _alarm = pace.alarm();
    let mut batch = RowBatch::new();
    for row in 0..ROWS {
        batch.begin_row(format!("{row:04}").as_bytes());
        batch.cell(b"d", b"v", 1, b"still");
    }
    scene.admin.put_batch(&scene.still, &batch).expect("good rows");
    // Without a proxy: what is lost here is lost by silence.
    let store = HBaseStore::connect(&scene.cluster.zookeeper_url).expect("the cluster answers");
    let scan = Scan { batch_rows: 50, ..Scan::new(KeyRange::all()) };
    let mut scanner = store.scan_many(&scene.still, &[scan]).expect("a good scan").remove(0);
    let mut read = 0;
    while scanner.next_batch(&mut batch).expect("a good scan") {
        read += batch.len();
        if read == 100 {
            thread::sleep(LEASE + LEASE / 2);
        }
    }
    assert_eq!((read, store.figures().scanners_reopened), (ROWS, 0));
}
