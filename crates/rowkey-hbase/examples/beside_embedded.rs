//! How fast is the embedded store beside a real HBase, for one program that does the same to both?
//!
//! `ROWKEY_TEST_HBASE=hbase://… cargo run --release -p rowkey-hbase --example beside_embedded [rows]` writes, gets and scans a table
//! of one family in the cluster and in two folders (durability `buffered` and `group`). They take turns, batch by
//! batch, in one run; a ratio is the median over the turns. Beside them the bare engine of the folders takes the same batches,
//! buffered: no store on it can be quicker. The table in the cluster is dropped at the end.
//!
//! What is compared is what a program sees: HBase is reached through this crate's client, with its network and its
//! default durability (`SYNC_WAL`, which hands a write to the file system of its log), the embedded store by calls.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::time::Instant;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use rowkey::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_store::{Family, Get, Put, RowBatch, Scan, Store, TableDescriptor, TableName};

const BATCH: usize = 1000;

/// 16 hex digits, spread over the table.
fn key(at: usize) -> String {
    format!("{:016x}", (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// 100 bytes.
fn value(at: usize) -> String {
    format!("{at:0100}")
}

/// The engine without anything of ours, and the settings of the store.
struct Bare {
    db: Database,
    cells: Keyspace,
}

impl Bare {
    fn open(folder: &std::path::Path) -> Self {
        let db = Database::builder(folder).max_journaling_size(128 << 20).open().unwrap();
        let cells =
            db.keyspace("cells", || KeyspaceCreateOptions::default().max_memtable_size(8 << 20)).unwrap();
        Self { db, cells }
    }

    fn put(&self, rows: &RowBatch) {
        let mut batch = self.db.batch().durability(Some(PersistMode::Buffer));
        for row in rows.rows() {
            row.cells().for_each(|cell| batch.insert(&self.cells, row.key(), cell.value));
        }
        batch.commit().unwrap();
    }
}

/// Rates of the three stores, turn by turn: HBase, buffered, group.
#[derive(Default)]
struct Turns(Vec<[f64; 3]>);

impl Turns {
    /// Lets each store do the same, and notes how much of it each did in a second.
    fn take(&mut self, stores: [&dyn Store; 3], mut work: impl FnMut(&dyn Store) -> usize) {
        self.0.push(stores.map(|store| {
            let start = Instant::now();
            let count = work(store);
            count as f64 / start.elapsed().as_secs_f64()
        }));
    }

    fn show(&self, what: &str) {
        let median = |of: &dyn Fn(&[f64; 3]) -> f64| median(self.0.iter().map(of).collect());
        println!(
            "{what:24} hbase {:>8.0} /s   buffered {:>8.0} /s, ratio {:>6.1}   group {:>8.0} /s, ratio {:>6.1}",
            median(&|turn| turn[0]),
            median(&|turn| turn[1]),
            median(&|turn| turn[1] / turn[0]),
            median(&|turn| turn[2]),
            median(&|turn| turn[2] / turn[0]),
        );
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let Ok(url) = std::env::var("ROWKEY_TEST_HBASE") else {
        println!("ROWKEY_TEST_HBASE is not set; `cargo xtask cluster` starts a cluster and prints it");
        return;
    };
    let rows: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(50_000);
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, durability| {
        EmbeddedStore::open(&folder.path().join(name), Options::default().durability(durability)).unwrap()
    };
    let hbase = HBaseStore::connect(&url).unwrap();
    let buffered = open("buffered", Durability::Buffered);
    let group = open("group", Durability::Group);
    let stores: [&dyn Store; 3] = [&hbase, &buffered, &group];

    let name: TableName = format!("rowkey_bench_{}", std::process::id()).parse().unwrap();
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    stores.iter().for_each(|store| store.create_table(&table, &[]).unwrap());
    println!("{rows} rows of one cell, key 16, value 100 bytes; one thread; medians over the turns");

    let bare = Bare::open(&folder.path().join("bare"));
    let (mut puts, mut ceiling) = (Turns::default(), Vec::new());
    let mut batch = RowBatch::new();
    for first in (0..rows).step_by(BATCH) {
        batch.clear();
        for at in first..(first + BATCH).min(rows) {
            batch.begin_row(key(at).as_bytes());
            batch.cell(b"d", b"q", 1, value(at).as_bytes());
        }
        puts.take(stores, |store| {
            store.put_batch(&name, &batch).unwrap();
            batch.len()
        });
        let start = Instant::now();
        bare.put(&batch);
        let (rate, hbase) = (batch.len() as f64 / start.elapsed().as_secs_f64(), puts.0.last().unwrap()[0]);
        ceiling.push((rate, rate / hbase));
    }
    puts.show("puts in batches of 1,000");
    println!(
        "    the bare engine, buffered, {:>8.0} /s, ratio {:>6.1}",
        median(ceiling.iter().map(|(rate, _)| *rate).collect()),
        median(ceiling.iter().map(|(_, ratio)| *ratio).collect()),
    );

    let mut single = Turns::default();
    for turn in 0..20 {
        single.take(stores, |store| {
            for at in 0..50 {
                let put = Put::new(key(rows + turn * 50 + at)).cell("d", "q", value(at));
                store.mutate(&name, put.into()).unwrap();
            }
            50
        });
    }
    single.show("puts, one by one");

    let mut gets = Turns::default();
    let mut found = RowBatch::new();
    for turn in 0..20 {
        gets.take(stores, |store| {
            for at in 0..50 {
                found.clear();
                let row = key((turn * 50 + at) * 7919 % rows);
                assert!(store.get(&name, &Get::new(row), &mut found).unwrap());
            }
            50
        });
    }
    gets.show("gets, one by one");

    let mut scans = Turns::default();
    for _ in 0..9 {
        scans.take(stores, |store| {
            let mut scanner = store.scan(&name, &Scan::new(KeyRange::all())).unwrap();
            let mut count = 0;
            while scanner.next_batch(&mut batch).unwrap() {
                count += batch.len();
            }
            assert_eq!(count, rows + 20 * 50);
            count
        });
    }
    scans.show("scan of all rows");

    hbase.drop_table(&name).unwrap();
    buffered.close().unwrap();
    group.close().unwrap();
}
