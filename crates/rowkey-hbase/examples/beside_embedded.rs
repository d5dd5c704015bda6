//! How fast is the embedded store beside a real HBase, for one program that does the same to both?
//!
//! `ROWKEY_TEST_HBASE=hbase://… cargo run --release -p rowkey-hbase --example beside_embedded [rows]` writes, gets and scans a table
//! of one family, twice in the cluster and in two folders, with the same promise on both sides:
//!
//! - handed to the operating system: HBase's default `SYNC_WAL` beside `buffered`;
//! - on disk: a table with `DURABILITY => FSYNC_WAL` beside `group`. Only on HDFS does HBase keep that promise (`cargo xtask cluster
//!   --hdfs`); with its log in a plain folder it hands writes to the system and no more.
//!
//! They take turns, ten batches each, in one run; a ratio is the median over the turns. Beside them the bare engine of the folders
//! takes the same batches, buffered: no store on it can be quicker. The tables in the cluster are dropped at the end.
//!
//! What is compared is what a program sees: HBase is reached through this crate's client, with its network, the embedded
//! store by calls.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::time::Instant;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Family, Get, Put, RowBatch, Scan, Store, TableDescriptor, TableName};

const BATCH: usize = 1000;
/// Each store writes so many before it is the next one's turn: a single one would mostly measure what HBase, which goes on working
/// after its answer, leaves of the processors and their caches.
const BATCHES_OF_A_TURN: usize = 10;

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

/// A table in one of the stores.
#[derive(Clone, Copy)]
struct StoreTable<'a> {
    store: &'a dyn Store,
    table: &'a TableName,
}

/// Rates in four places, turn by turn: HBase and `buffered`, HBase with every write on disk and `group`.
#[derive(Default)]
struct Turns(Vec<[f64; 4]>);

impl Turns {
    /// Does the same in each place, and notes how much of it was done in a second.
    fn take(&mut self, places: [StoreTable<'_>; 4], mut work: impl FnMut(StoreTable<'_>) -> usize) {
        self.0.push(places.map(|place| {
            let start = Instant::now();
            let count = work(place);
            count as f64 / start.elapsed().as_secs_f64()
        }));
    }

    fn show(&self, what: &str, goal: &str) {
        let median = |of: &dyn Fn(&[f64; 4]) -> f64| median(self.0.iter().map(of).collect());
        for (first, promise, durability) in [(0, "SYNC_WAL", "buffered"), (2, "FSYNC_WAL", "group")] {
            println!(
                "{what:24} hbase, {promise:9} {:>8.0} /s   {durability:8} {:>8.0} /s   ratio {:>6.1}{goal}",
                median(&|turn| turn[first]),
                median(&|turn| turn[first + 1]),
                median(&|turn| turn[first + 1] / turn[first]),
            );
        }
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let Ok(url) = std::env::var("ROWKEY_TEST_HBASE") else {
        println!("ROWKEY_TEST_HBASE is not set; `cargo xtask cluster --hdfs` starts a cluster and prints it");
        return;
    };
    let rows: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, durability| {
        EmbeddedStore::open(&folder.path().join(name), Options::default().durability(durability)).unwrap()
    };
    let hbase = HBaseStore::connect(&url).unwrap();
    let buffered = open("buffered", Durability::Buffered);
    let group = open("group", Durability::Group);
    let [name, on_disk] = ["bench", "bench_on_disk"]
        .map(|name| format!("rowkey_{name}_{}", std::process::id()).parse::<TableName>().unwrap());
    let places = [
        StoreTable { store: &hbase, table: &name },
        StoreTable { store: &buffered, table: &name },
        StoreTable { store: &hbase, table: &on_disk },
        StoreTable { store: &group, table: &on_disk },
    ];
    for StoreTable { store, table } in places {
        let families = vec![Family::new("d")];
        let mut described = TableDescriptor { name: table.clone(), families, attributes: Default::default() };
        if *table == on_disk {
            // HBase heeds it; a folder has its durability from its options.
            described.attributes.insert("DURABILITY".to_owned(), "FSYNC_WAL".to_owned());
        }
        store.create_table(&described, &[]).unwrap();
    }
    println!("{rows} rows of one cell, key 16, value 100 bytes; one thread; medians over the turns");

    let bare = Bare::open(&folder.path().join("bare"));
    let (mut puts, mut ceiling) = (Turns::default(), Vec::new());
    let mut batch = RowBatch::new();
    let batch_of = |rows: std::ops::Range<usize>| {
        let mut batch = RowBatch::new();
        for at in rows {
            batch.begin_row(key(at).as_bytes());
            batch.cell(b"d", b"q", 1, value(at).as_bytes());
        }
        batch
    };
    for first in (0..rows).step_by(BATCH * BATCHES_OF_A_TURN) {
        let end = (first + BATCH * BATCHES_OF_A_TURN).min(rows);
        let batches: Vec<RowBatch> =
            (first..end).step_by(BATCH).map(|at| batch_of(at..(at + BATCH).min(end))).collect();
        puts.take(places, |StoreTable { store, table }| {
            batches.iter().for_each(|batch| store.put_batch(table, batch).unwrap());
            end - first
        });
        let start = Instant::now();
        batches.iter().for_each(|batch| bare.put(batch));
        let (rate, hbase) = ((end - first) as f64 / start.elapsed().as_secs_f64(), puts.0.last().unwrap()[0]);
        ceiling.push((rate, rate / hbase));
    }
    puts.show("puts in batches of 1,000", "   goal 10");
    println!(
        "    the bare engine, buffered, {:>8.0} /s, ratio {:>6.1}",
        median(ceiling.iter().map(|(rate, _)| *rate).collect()),
        median(ceiling.iter().map(|(_, ratio)| *ratio).collect()),
    );

    let mut single = Turns::default();
    for turn in 0..20 {
        single.take(places, |StoreTable { store, table }| {
            for at in 0..50 {
                let put = Put::new(key(rows + turn * 50 + at)).cell("d", "q", value(at));
                store.mutate(table, put.into()).unwrap();
            }
            50
        });
    }
    single.show("puts, one by one", "");

    let mut gets = Turns::default();
    let mut found = RowBatch::new();
    for turn in 0..20 {
        gets.take(places, |StoreTable { store, table }| {
            for at in 0..50 {
                found.clear();
                let row = key((turn * 50 + at) * 7919 % rows);
                assert!(store.get(table, &Get::new(row), &mut found).unwrap());
            }
            50
        });
    }
    gets.show("gets, one by one", "");

    let mut scans = Turns::default();
    for _ in 0..9 {
        scans.take(places, |StoreTable { store, table }| {
            let mut scanner = store.scan(table, &Scan::new(KeyRange::all())).unwrap();
            let mut count = 0;
            while scanner.next_batch(&mut batch).unwrap() {
                count += batch.len();
            }
            assert_eq!(count, rows + 20 * 50);
            count
        });
    }
    scans.show("scan of all rows", "");

    [&name, &on_disk].iter().for_each(|table| hbase.drop_table(table).unwrap());
    buffered.close().unwrap();
    group.close().unwrap();
}
