//! What does it cost to read a salted table as if it were not?
//!
//! `cargo run --release -p rowkey-ops --example ordered_scan_bench [--rows N] [--rounds N] [--store URL] [--folder PATH]`
//! keeps the same rows of 100 bytes four times, unsalted and in 16, 64 and 256 buckets, and prints
//!
//! - the ordered scan of all rows against the plain scan of the unsalted ones;
//! - the same against a serial merge that looks at the head of every bucket for every row; on a cluster also against one whose
//!   scanners do not read ahead, as HBaseWD's do not: our own scanners would do a part of the work for it;
//! - the first 20 rows with a limit, against the plain scan's; on a cluster also against 16 single gets at once, in a folder
//!   also what the bare engine takes for the same: one range opened and 20 entries, 16 ranges and the first 20 entries of all;
//! - the query `… limit 20` of both tables, from its text to decoded records.
//!
//! All candidates take turns in one run, and a ratio is the median over the rounds. Every scan proves that it saw
//! every row, in order. With `--folder` the tables stay there and the next run finds them.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use fjall::Readable;
use rowkey_core::query::{PlanOptions, Query, plan};
use rowkey_core::{KeyRange, Order, Table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_ops::query::{self, OrderedOptions, OrderedScan};
use rowkey_store::{Family, Get, RowBatch, Scan, Scanner, Store, TableDescriptor, TableName};

/// As in the program.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BUCKETS: [usize; 3] = [16, 64, 256];
const BATCH: usize = 2000;

struct Settings {
    rows: usize,
    rounds: usize,
    store: Option<String>,
    folder: Option<String>,
    threads: Option<usize>,
    memory: Option<usize>,
    first_only: bool,
}

fn settings() -> Settings {
    let mut settings = Settings {
        rows: 2_000_000,
        rounds: 7,
        store: None,
        folder: None,
        threads: None,
        memory: None,
        first_only: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--rows" => settings.rows = value.parse().unwrap(),
            "--rounds" => settings.rounds = value.parse().unwrap(),
            "--store" => settings.store = Some(value),
            "--folder" => settings.folder = Some(value),
            "--threads" => settings.threads = Some(value.parse().unwrap()),
            "--first-only" => settings.first_only = value == "yes",
            "--memory" => settings.memory = Some(value.parse().unwrap()),
            other => panic!("{other} is not an option; see the top of this file"),
        }
    }
    settings
}

fn splitmix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The unsalted key: a rising time and four bytes of an id.
fn key(at: usize) -> [u8; 12] {
    let mut key = [0; 12];
    key[..8].copy_from_slice(&(1_700_000_000_000 + at as u64).to_be_bytes());
    key[8..].copy_from_slice(&splitmix(at as u64).to_be_bytes()[..4]);
    key
}

/// 88 bytes, half of which compress: with the key, 100.
fn value(at: usize) -> [u8; 88] {
    let mut value = [b'v'; 88];
    for (nth, chunk) in value[..40].chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&splitmix((at * 7 + nth) as u64).to_be_bytes());
    }
    value
}

fn bucket(at: usize, buckets: usize) -> Option<u8> {
    (buckets > 0).then(|| (splitmix(at as u64 ^ 0x5A17) % buckets as u64) as u8)
}

fn table_name(prefix: &str, buckets: usize) -> TableName {
    format!("{prefix}_{buckets}").parse().unwrap()
}

/// Creates and fills the table with so many buckets; 0 is the unsalted one.
fn load(store: &dyn Store, name: &TableName, buckets: usize, rows: usize) {
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    let splits: Vec<Vec<u8>> = match buckets {
        // As many regions as the table of 16 buckets: what is compared is the order, not the number of servers.
        0 => (1..16).map(|nth| key(rows * nth / 16).to_vec()).collect(),
        _ => (1..buckets).map(|nth| vec![nth as u8]).collect(),
    };
    store.create_table(&table, &splits).unwrap();
    let mut batch = RowBatch::new();
    for at in 0..rows {
        let mut row = Vec::from_iter(bucket(at, buckets));
        row.extend_from_slice(&key(at));
        batch.begin_row(&row);
        batch.cell(b"d", b"q", 1, &value(at));
        if batch.len() == BATCH || at + 1 == rows {
            store.put_batch(name, &batch).unwrap();
            batch.clear();
        }
    }
    store.flush(name).unwrap();
    store.major_compact(name).unwrap();
}

/// Sees every row: counts, looks at the value and checks the order.
#[derive(Default)]
struct Seen {
    rows: usize,
    bytes: usize,
    last: u64,
}

impl Seen {
    #[inline]
    fn see(&mut self, row: rowkey_store::RowView<'_>, from: usize) {
        let time = u64::from_be_bytes(row.key()[from..from + 8].try_into().unwrap());
        assert!(time > self.last, "rows out of order");
        self.last = time;
        self.rows += 1;
        self.bytes += row.value(b"d", b"q").unwrap().len();
    }
}

fn plain(store: &dyn Store, name: &TableName, limit: Option<usize>) -> Seen {
    let batch_rows = limit.unwrap_or(Scan::DEFAULT_BATCH_ROWS);
    let scan = Scan { limit, batch_rows, ..Scan::new(KeyRange::all()) };
    let mut scanner = store.scan(name, &scan).unwrap();
    let (mut batch, mut seen) = (RowBatch::new(), Seen::default());
    while scanner.next_batch(&mut batch).unwrap() {
        batch.rows().for_each(|row| seen.see(row, 0));
    }
    seen
}

fn ranges(buckets: usize) -> Vec<KeyRange> {
    (0..buckets).map(|bucket| KeyRange::prefix(&[bucket as u8])).collect()
}

fn ordered(
    store: &dyn Store,
    name: &TableName,
    buckets: usize,
    limit: Option<usize>,
    set: &Settings,
) -> Seen {
    let scans = ranges(buckets).into_iter().map(|range| Scan { limit, ..Scan::new(range) }).collect();
    let mut options = OrderedOptions { limit, ..OrderedOptions::new(Order::Ascending, 1) };
    options.threads = set.threads.unwrap_or(options.threads);
    options.memory = set.memory.unwrap_or(options.memory);
    let mut scan = OrderedScan::open(store, name, scans, &options).unwrap();
    let mut seen = Seen::default();
    while seen.rows < limit.unwrap_or(usize::MAX)
        && let Some(row) = scan.next_row().unwrap()
    {
        seen.see(row, 1);
    }
    seen
}

/// The table file of the rows, with a salt before the key or without.
fn described(buckets: usize) -> Table {
    let salt = if buckets > 0 { format!("[random({buckets})]") } else { String::new() };
    let text = format!(
        "[table]\nname = \"rows\"\nkey = \"{salt}[ts][id]\"\n[fields]\nts = \"u64\"\nid = \"u32\"\nv = \"bytes\"\n\
         [families.d]\ncolumns = {{ q = \"v\" }}\n"
    );
    Table::parse("rows.toml", &text).unwrap()
}

/// What a person asks: the text is read, planned and run, and each record is decoded.
fn asked(store: &dyn Store, name: &TableName, table: &Table) -> usize {
    let query = Query::parse("ts >= 1700000000000 order by ts limit 20", table.key.fields()).unwrap();
    let plan = plan(&table.key, &query, &PlanOptions::default()).unwrap();
    query::run(store, name, table, &plan).unwrap().map(|record| record.unwrap().values.len()).sum()
}

/// One bucket of the serial merge.
struct Bucket<'a> {
    scanner: Box<dyn Scanner + 'a>,
    batch: RowBatch,
    at: usize,
}

/// For every row the heads of all buckets are compared, one after the other, and batches are fetched when they are needed.
fn serial(store: &dyn Store, name: &TableName, buckets: usize) -> Seen {
    let scans: Vec<Scan> = ranges(buckets).into_iter().map(Scan::new).collect();
    let scanners = store.scan_many(name, &scans).unwrap();
    merge_serially(scanners.into_iter().map(|scanner| scanner as Box<dyn Scanner>).collect())
}

/// The same with scanners that do not read ahead.
fn serial_when_needed(store: &dyn Store, name: &TableName, buckets: usize) -> Seen {
    let open = |range| Box::new(WhenNeeded { store, name, rest: Some(range) }) as Box<dyn Scanner + '_>;
    merge_serially(ranges(buckets).into_iter().map(open).collect())
}

fn merge_serially<'a>(scanners: Vec<Box<dyn Scanner + 'a>>) -> Seen {
    let open = |scanner| Bucket { scanner, batch: RowBatch::new(), at: 0 };
    let mut heads: Vec<Bucket<'a>> = scanners.into_iter().map(open).collect();
    let mut seen = Seen::default();
    loop {
        heads.retain_mut(|bucket| {
            if bucket.at == bucket.batch.len() {
                bucket.at = 0;
                return bucket.scanner.next_batch(&mut bucket.batch).unwrap();
            }
            true
        });
        let smallest = heads.iter_mut().min_by(|a, b| {
            let (a, b) = (a.batch.row(a.at).unwrap(), b.batch.row(b.at).unwrap());
            a.key()[1..].cmp(&b.key()[1..])
        });
        let Some(bucket) = smallest else { return seen };
        seen.see(bucket.batch.row(bucket.at).unwrap(), 1);
        bucket.at += 1;
    }
}

/// A scanner that asks for the next rows when they are needed and not before, one call for a batch.
struct WhenNeeded<'a> {
    store: &'a dyn Store,
    name: &'a TableName,
    rest: Option<KeyRange>,
}

impl Scanner for WhenNeeded<'_> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, rowkey_store::StoreError> {
        batch.clear();
        let Some(range) = self.rest.take() else { return Ok(false) };
        let rows = Scan::DEFAULT_BATCH_ROWS;
        let scan = Scan { limit: Some(rows), batch_rows: rows, ..Scan::new(range.clone()) };
        let found = self.store.scan(self.name, &scan)?.next_batch(batch)?;
        if let Some(last) = batch.rows().next_back() {
            let last = last.key().to_vec();
            self.rest = Some(KeyRange { start: std::ops::Bound::Excluded(last), ..range });
        }
        Ok(found)
    }
}

/// 16 gets of one row each, each on a thread that waits for its turn: the time of the slowest.
fn concurrent_gets(store: &dyn Store, name: &TableName, rows: usize, round: usize) -> Duration {
    let barrier = std::sync::Barrier::new(17);
    std::thread::scope(|scope| {
        for nth in 0..16 {
            let barrier = &barrier;
            scope.spawn(move || {
                let at = splitmix((round * 16 + nth) as u64) as usize % rows;
                let mut row = Vec::from_iter(bucket(at, 16));
                row.extend_from_slice(&key(at));
                let mut batch = RowBatch::new();
                barrier.wait();
                assert!(store.get(name, &Get::new(row), &mut batch).unwrap());
                barrier.wait();
            });
        }
        barrier.wait();
        let start = Instant::now();
        barrier.wait();
        start.elapsed()
    })
}

/// Times of one candidate, round by round.
struct Candidate {
    what: String,
    times: Vec<f64>,
}

/// Candidates take turns; the first is what the others are compared with.
struct Turns(Vec<Candidate>);

impl Turns {
    fn note(&mut self, what: &str, time: Duration) {
        let time = time.as_secs_f64();
        match self.0.iter_mut().find(|candidate| candidate.what == what) {
            Some(candidate) => candidate.times.push(time),
            None => self.0.push(Candidate { what: what.to_owned(), times: vec![time] }),
        }
    }

    fn time(&mut self, what: &str, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        self.note(what, start.elapsed());
    }

    /// The median over the rounds of `a`'s time divided by `b`'s.
    fn ratio(&self, a: &str, b: &str) -> f64 {
        let times = |what: &str| &self.0.iter().find(|candidate| candidate.what == what).unwrap().times;
        median(times(a).iter().zip(times(b)).map(|(a, b)| a / b).collect())
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let set = settings();
    let temporary = tempfile::tempdir().unwrap();
    let is_cluster = set.store.is_some();
    let (store, prefix): (Box<dyn Store>, String) = match &set.store {
        Some(url) => {
            (Box::new(HBaseStore::connect(url).unwrap()), format!("ordered_bench_{}", std::process::id()))
        }
        None => {
            let folder = set.folder.as_ref().map_or(temporary.path().to_owned(), std::path::PathBuf::from);
            let options = Options::default().durability(Durability::Buffered);
            (Box::new(EmbeddedStore::open(&folder, options).unwrap()), "ordered".to_owned())
        }
    };
    let store = &*store;
    let name = |buckets| table_name(&prefix, buckets);
    for buckets in [0].into_iter().chain(BUCKETS) {
        let start = Instant::now();
        if !store.table_exists(&name(buckets)).unwrap() {
            load(store, &name(buckets), buckets, set.rows);
            println!("loaded {} rows in {buckets} buckets in {:.1?}", set.rows, start.elapsed());
        }
    }

    let rows = plain(store, &name(0), None).rows;
    if !set.first_only {
        scans(store, &name, rows, &set);
    }
    first_rows(store, &name, rows, &set);
    if is_cluster {
        [0].into_iter().chain(BUCKETS).for_each(|buckets| store.drop_table(&name(buckets)).unwrap());
    }
}

fn scans(store: &dyn Store, name: &dyn Fn(usize) -> TableName, rows: usize, set: &Settings) {
    let whole = |seen: Seen| assert_eq!((seen.rows, seen.bytes), (rows, rows * 88));
    let mut turns = Turns(Vec::new());
    for _ in 0..set.rounds {
        turns.time("plain", || whole(plain(store, &name(0), None)));
        for buckets in BUCKETS {
            let what = format!("ordered {buckets}");
            turns.time(&what, || whole(ordered(store, &name(buckets), buckets, None, set)));
        }
        for buckets in [16, 256] {
            turns.time(&format!("serial {buckets}"), || whole(serial(store, &name(buckets), buckets)));
            if set.store.is_some() {
                let what = format!("as HBaseWD {buckets}");
                turns.time(&what, || whole(serial_when_needed(store, &name(buckets), buckets)));
            }
        }
    }
    println!("\n{rows} rows of 100 bytes, {} rounds; speed as a part of the plain scan's", set.rounds);
    let goals = if set.store.is_some() { [0.8, 0.7, 0.5] } else { [0.9, 0.8, 0.6] };
    let goal_of = |what: &str| {
        let goal = BUCKETS.iter().zip(goals).find(|(buckets, _)| what == format!("ordered {buckets}"));
        goal.map_or(String::new(), |(_, goal)| format!("   goal {goal}"))
    };
    for Candidate { what, times } in &turns.0 {
        let rate = rows as f64 / median(times.clone()) / 1e6;
        let (ratio, goal) = (turns.ratio("plain", what), goal_of(what));
        println!("{what:14} {rate:>7.2} M rows/s   {ratio:>5.2}{goal}");
    }
    for (buckets, goal) in [(16, 2), (256, 5)] {
        let times_as_fast =
            |rival: &str| turns.ratio(&format!("{rival} {buckets}"), &format!("ordered {buckets}"));
        let serial = times_as_fast("serial");
        if set.store.is_none() {
            println!("ordered {buckets:<3} is {serial:.1} times as fast as the serial merge   goal {goal}");
            continue;
        }
        println!("ordered {buckets:<3} is {serial:.1} times as fast as the serial merge of our scanners");
        let when_needed = times_as_fast("as HBaseWD");
        println!("ordered {buckets:<3} is {when_needed:.1} times as fast as HBaseWD's way   goal {goal}");
    }
}

/// The same rows in the engine without anything of ours, for the floor under the first 20 rows.
struct Bare {
    db: fjall::Database,
    plain: fjall::Keyspace,
    salted: fjall::Keyspace,
}

impl Bare {
    fn load(folder: &std::path::Path, rows: usize) -> Self {
        let db = fjall::Database::builder(folder).cache_size(64 << 20).open().unwrap();
        let lz4 = fjall::config::CompressionPolicy::all(fjall::CompressionType::Lz4);
        let options = || {
            let options = fjall::KeyspaceCreateOptions::default();
            options
                .data_block_compression_policy(lz4.clone())
                .filter_policy(fjall::config::FilterPolicy::disabled())
        };
        let (plain, salted) =
            (db.keyspace("plain", options).unwrap(), db.keyspace("salted", options).unwrap());
        let mut all = plain.start_ingestion().unwrap();
        (0..rows).for_each(|at| all.write(key(at), value(at)).unwrap());
        all.finish().unwrap();
        let mut all = salted.start_ingestion().unwrap();
        for own in 0..16 {
            for at in (0..rows).filter(|at| bucket(*at, 16) == Some(own)) {
                all.write([&[own], key(at).as_slice()].concat(), value(at)).unwrap();
            }
        }
        all.finish().unwrap();
        Self { db, plain, salted }
    }

    fn first(&self, limit: usize) -> usize {
        self.db
            .snapshot()
            .iter(&self.plain)
            .take(limit)
            .map(|entry| entry.into_inner().unwrap().1.len())
            .sum()
    }

    fn first_of_16(&self, limit: usize) -> usize {
        let snapshot = self.db.snapshot();
        let open = |bucket: u8| snapshot.prefix(&self.salted, [bucket]);
        let mut ranges: Vec<fjall::Iter> = (0..16).map(open).collect();
        let head = |ranges: &mut [fjall::Iter], nth: usize| {
            let (key, value) = ranges[nth].next()?.into_inner().unwrap();
            Some(Reverse((<[u8; 12]>::try_from(&key[1..]).unwrap(), nth, value)))
        };
        let mut heads: BinaryHeap<_> = (0..16).filter_map(|nth| head(&mut ranges, nth)).collect();
        let (mut bytes, mut rows) = (0, 0);
        while rows < limit
            && let Some(Reverse((_, nth, value))) = heads.pop()
        {
            (bytes, rows) = (bytes + value.len(), rows + 1);
            heads.extend(head(&mut ranges, nth));
        }
        bytes
    }
}

fn first_rows(store: &dyn Store, name: &dyn Fn(usize) -> TableName, rows: usize, set: &Settings) {
    let is_cluster = set.store.is_some();
    let mut first = Turns(Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let bare = (!is_cluster).then(|| Bare::load(folder.path(), rows));
    let (unsalted, salted) = (described(0), described(16));
    for round in 0..set.rounds * 50 {
        first.time("plain", || assert_eq!(plain(store, &name(0), Some(20)).rows, 20));
        first.time("ordered 16", || assert_eq!(ordered(store, &name(16), 16, Some(20), set).rows, 20));
        first.time("query, plain", || assert_eq!(asked(store, &name(0), &unsalted), 20 * 3));
        first.time("query, 16", || assert_eq!(asked(store, &name(16), &salted), 20 * 3));
        if is_cluster {
            first.note("16 gets", concurrent_gets(store, &name(16), rows, round));
        }
        if let Some(bare) = &bare {
            first.time("bare plain", || assert_eq!(bare.first(20), 20 * 88));
            first.time("bare 16", || assert_eq!(bare.first_of_16(20), 20 * 88));
        }
    }
    println!("\nthe first 20 rows");
    for Candidate { what, times } in &first.0 {
        let micros = median(times.clone()) * 1e6;
        let goal = if what == "ordered 16" && !is_cluster { "   goal at most 3" } else { "" };
        let ratio = first.ratio(what, "plain");
        println!("{what:12} {micros:>7.0} µs   {ratio:>5.2} times the plain scan's{goal}");
    }
    println!(
        "the query of 16 buckets takes {:.2} times as long as the plain one",
        first.ratio("query, 16", "query, plain")
    );
    if bare.is_some() {
        println!(
            "the bare engine's 16 ranges take {:.2} times its one",
            first.ratio("bare 16", "bare plain")
        );
    }
    if is_cluster {
        println!(
            "ordered 16 takes {:.2} times as long as 16 gets at once   goal at most 1.3",
            first.ratio("ordered 16", "16 gets")
        );
    }
}
