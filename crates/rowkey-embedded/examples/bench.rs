//! How fast is the store beside its bare engine, with the same bytes and the same durability?
//!
//! `cargo run --release -p rowkey-embedded --example bench [rows]` prints a table with the ratio of each pair. Both sides
//! write the same keys and values to fjall with the same settings; the bare side knows no rows, families or versions.
//!
//! `bench scan ROWS` compares scans alone, `bench durable` one durable writer with 64 of them, and `bench batches [ROWS]`
//! batches under `group` with the same ones under `buffered`.
//!
//! `bench limits [ROWS]` measures memory and reopening in processes of their own, of 5 million rows unless told otherwise, and
//! fails if a goal is missed. It starts `bench large ROWS FOLDER [hold]`, which loads the store alone and scans it, with the
//! most memory it took, and closes it or waits to be killed, `bench open FOLDER`, which says how long the opening takes, and
//! `bench read FOLDER`, which scans what is there.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::io::{BufRead, BufReader};
use std::ops::{Bound, Range};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use fjall::config::{CompressionPolicy, FilterPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{
    Admin, Direction, Family, Get, Increment, Operation, Put, RowBatch, RowStore, Scan, TableDescriptor,
    TableName, per_region,
};

const BATCH: usize = 1000;

fn splitmix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// 16 hex digits: spread or rising.
fn key(at: usize, random: bool) -> [u8; 16] {
    let number = if random { splitmix(at as u64) } else { at as u64 };
    let mut key = [0; 16];
    for (nth, byte) in key.iter_mut().enumerate() {
        *byte = b"0123456789abcdef"[(number >> (60 - 4 * nth)) as usize & 15];
    }
    key
}

/// 100 bytes, half of which compress.
fn value(at: usize) -> [u8; 100] {
    let mut value = [b'v'; 100];
    for (nth, chunk) in value[..48].chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&splitmix((at * 7 + nth) as u64).to_be_bytes());
    }
    value
}

/// The key that the store makes of row and qualifier `q` at time 1.
fn cell_key(row: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(row.len() + 14);
    key.extend_from_slice(row);
    key.extend_from_slice(&[0, 1, b'q', 0, 1]);
    key.extend_from_slice(&(!1i64).to_be_bytes());
    key.push(0xFB);
    key
}

struct Bare {
    db: Database,
    keyspace: Keyspace,
}

impl Bare {
    fn open(folder: &Path) -> Self {
        let db =
            Database::builder(folder).max_journaling_size(128 << 20).cache_size(64 << 20).open().unwrap();
        let options = || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(8 << 20)
                .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
                .filter_policy(FilterPolicy::disabled())
        };
        let keyspace = db.keyspace("cells", options).unwrap();
        Self { db, keyspace }
    }

    fn load(&self, rows: Range<usize>, random: bool) {
        for first in rows.clone().step_by(BATCH) {
            let mut batch = self.db.batch().durability(Some(PersistMode::Buffer));
            for at in first..(first + BATCH).min(rows.end) {
                batch.insert(&self.keyspace, cell_key(&key(at, random)), value(at));
            }
            batch.commit().unwrap();
        }
    }

    fn visit(&self, keys: Range<Vec<u8>>, direction: Direction, visit: impl FnMut(fjall::Guard)) {
        let cells = self.db.snapshot().range(&self.keyspace, keys);
        match direction {
            Direction::Forward => cells.for_each(visit),
            Direction::Reverse => cells.rev().for_each(visit),
        }
    }

    /// The least that a reader of the cells must do: look at both parts and keep them in a batch.
    fn keep(&self, keys: Range<Vec<u8>>, direction: Direction) -> usize {
        let (mut batch, mut read) = (RowBatch::new(), 0);
        self.visit(keys, direction, |cell| {
            let (key, value) = cell.into_inner().unwrap();
            if batch.len() == Scan::DEFAULT_BATCH_ROWS {
                batch.clear();
            }
            batch.begin_row(&key[..16]);
            batch.cell(b"d", &key[18..19], 1, &value);
            read += 1;
        });
        read
    }

    /// The bytes of all values.
    fn look_at(&self, keys: Range<Vec<u8>>, direction: Direction) -> usize {
        let mut bytes = 0;
        self.visit(keys, direction, |cell| bytes += cell.into_inner().unwrap().1.len());
        bytes
    }
}

fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn show(what: &str, ours: f64, bare: f64, ratio: f64, goal: &str) {
    println!("{what:32} {ours:>10.0} /s   bare {bare:>10.0} /s   ratio {ratio:.2}{goal}");
}

fn load(store: &EmbeddedStore, table: &TableName, rows: Range<usize>, random: bool) {
    let mut batch = RowBatch::new();
    for first in rows.clone().step_by(BATCH) {
        batch.clear();
        for at in first..(first + BATCH).min(rows.end) {
            batch.begin_row(&key(at, random));
            batch.cell(b"d", b"q", 1, &value(at));
        }
        store.put_batch(table, &batch).unwrap();
    }
}

fn count(store: &EmbeddedStore, table: &TableName, range: KeyRange, direction: Direction) -> usize {
    let mut scanner = store.scan(table, &Scan { direction, ..Scan::new(range) }).unwrap();
    let (mut batch, mut rows) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch).unwrap() {
        rows += batch.len();
    }
    rows
}

fn create(store: &EmbeddedStore, name: &str, splits: &[&str]) -> TableName {
    let mut table = TableDescriptor {
        name: name.parse().unwrap(),
        families: vec![Family::new("d")],
        attributes: Default::default(),
    };
    table.attributes.insert("SPLIT_ENABLED".to_owned(), "false".to_owned());
    let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
    store.create_table(&table, &splits).unwrap();
    table.name
}

/// The most memory that this process has had, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn large(rows: usize, folder: &Path, hold: bool) {
    let store = EmbeddedStore::open(folder, Options::default().durability(Durability::Buffered)).unwrap();
    let table = create(&store, "large", &["4", "8", "c"]);
    let time = timed(|| load(&store, &table, 0..rows, true));
    println!("{rows} rows loaded at {:.0} /s, peak memory {} MiB", rate(rows, time), peak_memory());
    let time = timed(|| assert_eq!(count(&store, &table, KeyRange::all(), Direction::Forward), rows));
    println!("scanned at {:.0} /s, peak memory {} MiB", rate(rows, time), peak_memory());
    if hold {
        println!("waits to be killed");
        std::io::stdin().read_line(&mut String::new()).unwrap();
    }
    let time = timed(|| store.close().unwrap());
    println!("closed in {:.2} s", time.as_secs_f64());
}

/// Scans all rows of the table that [`large`] has made.
fn read(folder: &Path) {
    let store = EmbeddedStore::open(folder, Options::default().durability(Durability::Buffered)).unwrap();
    let mut rows = 0;
    let time = timed(|| rows = count(&store, &"large".parse().unwrap(), KeyRange::all(), Direction::Forward));
    println!("{rows} rows scanned at {:.0} /s, peak memory {} MiB", rate(rows, time), peak_memory());
}

/// Memory and reopening, each in a process of its own.
fn limits(rows: usize) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let (clean, killed) = (folder.path().join("clean"), folder.path().join("killed"));
    let program = |words: &[&str], folder: &Path| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(words).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    };
    let run = |words: &[&str], folder: &Path| {
        let output = program(words, folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        print!("{text}");
        text
    };
    let number = |text: &str, before: &str| -> f64 {
        let (_, rest) = text.rsplit_once(before).unwrap();
        rest.split_whitespace().next().unwrap().parse().unwrap()
    };
    let mut missed = 0;
    let mut judge = |what: &str, value: f64, limit: f64| {
        println!("{what:48} {value:>8.2}   goal {limit}");
        missed += usize::from(value > limit);
    };

    let cells = (2 * rows).to_string();
    let text = run(&["large", &cells], &folder.path().join("twice"));
    println!("{:48} {:>8.2}", "peak memory of the load, MiB", number(&text, "peak memory "));
    let text = run(&["read"], &folder.path().join("twice"));
    judge(&format!("peak memory of a scan of {cells} cells, MiB"), number(&text, "peak memory "), 286.0);
    std::fs::remove_dir_all(folder.path().join("twice")).unwrap();

    let rows = rows.to_string();
    run(&["large", &rows], &clean);
    let text = run(&["open"], &clean);
    judge(&format!("reopen of {rows} rows after a close, s"), number(&text, "opened in "), 0.5);
    std::fs::remove_dir_all(&clean).unwrap();

    let mut command = program(&["large", &rows], &killed);
    let mut child = command.arg("hold").spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map(Result::unwrap).find(|line| line == "waits to be killed").unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let text = run(&["open"], &killed);
    judge(&format!("reopen of {rows} rows after kill -9, s"), number(&text, "opened in "), 1.5);
    missed == 0
}

/// A piece of the keys, by the first digit.
fn piece(digit: usize) -> (KeyRange, Vec<u8>, Vec<u8>) {
    let (start, end) = (&key(digit << 60, false)[..1], &key((digit + 1) << 60, false)[..1]);
    let end = if digit == 15 { b"g" } else { end };
    let range = KeyRange { start: Bound::Included(start.to_vec()), end: Bound::Excluded(end.to_vec()) };
    (range, start.to_vec(), end.to_vec())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Scans of one sixteenth of the rows, by turns, so that whatever else the machine does concerns all sides; what is shown
/// is the median.
///
/// Both sides have their cells in one sorted run first. After a load each would have some number of runs, which depends on
/// when its workers came to merge them, and a scan of eight runs takes twice as long as one of four on either side.
fn scans(store: &EmbeddedStore, table: &TableName, bare: &Bare, rows: usize) {
    store.major_compact(table).unwrap();
    bare.keyspace.rotate_memtable_and_wait().unwrap();
    bare.keyspace.major_compact().unwrap();
    for (what, direction) in [("scan, forward", Direction::Forward), ("scan, reverse", Direction::Reverse)] {
        let (mut ours, mut kept, mut looked_at) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = 0;
        for turn in 0..64 {
            let (range, start, end) = piece(turn % 16);
            let mut found = 0;
            let time = timed(|| found = count(store, table, range, direction));
            ours.push(rate(found, time));
            let time = timed(|| assert_eq!(bare.keep(start.clone()..end.clone(), direction), found));
            kept.push(rate(found, time));
            let time = timed(|| assert_eq!(bare.look_at(start..end, direction), found * 100));
            looked_at.push(rate(found, time));
            seen += found;
        }
        assert_eq!(seen, rows * 4);
        let beside = |bare: &[f64]| median(ours.iter().zip(bare).map(|(ours, bare)| ours / bare).collect());
        let (ratio, ratio_looked_at) = (beside(&kept), beside(&looked_at));
        let (ours, kept, looked_at) = (median(ours), median(kept), median(looked_at));
        show(what, ours, kept, ratio, "   goal 0.75");
        show("    beside cells only looked at", ours, looked_at, ratio_looked_at, "");
    }
    let (mut ours, mut theirs, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..9 {
        let time = timed(|| {
            let counts = per_region(store, table, &KeyRange::all(), 4, |_, range| {
                Ok::<_, rowkey_store::StoreError>(count(store, table, range, Direction::Forward))
            });
            assert_eq!(counts.unwrap().iter().sum::<usize>(), rows);
        });
        ours.push(rate(rows, time));
        let time = timed(|| {
            let bounds = [&b"0"[..], b"4", b"8", b"c", b"g"];
            let counts: usize = std::thread::scope(|scope| {
                let part = |ends: &[&[u8]]| {
                    let keys = ends[0].to_vec()..ends[1].to_vec();
                    scope.spawn(move || bare.keep(keys, Direction::Forward))
                };
                let parts: Vec<_> = bounds.windows(2).map(part).collect();
                parts.into_iter().map(|part| part.join().unwrap()).sum()
            });
            assert_eq!(counts, rows);
        });
        theirs.push(rate(rows, time));
        let time = timed(|| assert_eq!(count(store, table, KeyRange::all(), Direction::Forward), rows));
        alone.push(rate(rows, time));
    }
    let beside = |other: &[f64]| median(ours.iter().zip(other).map(|(ours, other)| ours / other).collect());
    let (ratio, by_one) = (beside(&theirs), beside(&alone));
    let (ours, theirs) = (median(ours), median(theirs));
    show(
        "scan, 4 regions in parallel",
        ours,
        theirs,
        ratio,
        &format!("   goal 0.75; {by_one:.2} of one thread's"),
    );
}

/// Loads both sides and scans them.
fn only_scans(rows: usize) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(&folder.path().join("ours"), options).unwrap();
    let table = create(&store, "random", &["4", "8", "c"]);
    let bare = Bare::open(&folder.path().join("bare"));
    load(&store, &table, 0..rows, true);
    bare.load(0..rows, true);
    scans(&store, &table, &bare, rows);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["large", rows, folder] => return large(rows.parse().unwrap(), Path::new(folder), false),
        ["limits"] => std::process::exit(i32::from(!limits(5_000_000))),
        ["limits", rows] => std::process::exit(i32::from(!limits(rows.parse().unwrap()))),
        ["large", rows, folder, "hold"] => return large(rows.parse().unwrap(), Path::new(folder), true),
        ["read", folder] => return read(Path::new(folder)),
        ["scan", rows] => return only_scans(rows.parse().unwrap()),
        ["durable"] => return durable(&tempfile::tempdir().unwrap().path().join("ours")),
        ["batches"] => return batches(200_000),
        ["batches", rows] => return batches(rows.parse().unwrap()),
        ["open", folder] => {
            let mut store = None;
            let time =
                timed(|| store = Some(EmbeddedStore::open(Path::new(folder), Options::default()).unwrap()));
            return println!("opened in {:.2} s", time.as_secs_f64());
        }
        _ => {}
    }
    let rows: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let store =
        EmbeddedStore::open(&folder.path().join("ours"), Options::default().durability(Durability::Buffered))
            .unwrap();
    let random = create(&store, "random", &["4", "8", "c"]);
    let rising = create(&store, "rising", &[]);
    println!("{rows} rows of one cell, key 16, value 100 bytes; batches of {BATCH}, buffered on both sides");

    let bare = Bare::open(&folder.path().join("bare"));
    let sequential = Bare::open(&folder.path().join("bare-sequential"));
    for (what, bare, table, is_random) in
        [("puts, random keys", &bare, &random, true), ("puts, rising keys", &sequential, &rising, false)]
    {
        // By turns, so that whatever else the machine does concerns both.
        let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
        let piece = rows.div_ceil(20);
        for first in (0..rows).step_by(piece) {
            let part = first..(first + piece).min(rows);
            theirs += timed(|| bare.load(part.clone(), is_random));
            ours += timed(|| load(&store, table, part, is_random));
        }
        let (ours, theirs) = (rate(rows, ours), rate(rows, theirs));
        show(what, ours, theirs, ours / theirs, "   goal 0.85");
    }
    drop(sequential);

    let gets = (rows / 5).min(200_000);
    let mut found = RowBatch::new();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for first in (0..gets).step_by(1000) {
        let rows_to_read =
            || (first..first + 1000).map(|at| key(splitmix(at as u64 + 1) as usize % rows, true));
        theirs += timed(|| {
            for row in rows_to_read() {
                // As the store must: the cells of a row, not one key that is known whole.
                let snapshot = bare.db.snapshot();
                let cell = snapshot.prefix(&bare.keyspace, &cell_key(&row)[..18]).next();
                assert_eq!(cell.unwrap().into_inner().unwrap().1.len(), 100);
            }
        });
        ours += timed(|| {
            for row in rows_to_read() {
                found.clear();
                assert!(store.get(&random, &Get::new(row), &mut found).unwrap());
            }
        });
    }
    let (ours, theirs) = (rate(gets, ours), rate(gets, theirs));
    show("gets, random keys", ours, theirs, ours / theirs, "   goal 0.85");

    scans(&store, &random, &bare, rows);

    let increments = 50_000;
    let ours = timed(|| {
        for at in 0..increments / 50 {
            let one = |nth: usize| -> Operation {
                Increment::new(key(at * 50 + nth, true)).add("d", "n", 1).into()
            };
            let operations: Vec<Operation> = (0..50).map(one).collect();
            store.batch(&random, &operations).unwrap().into_iter().for_each(|result| drop(result.unwrap()));
        }
    });
    println!("{:32} {:>10.0} /s", "increments, one thread", rate(increments, ours));

    let region = store.regions(&random).unwrap().remove(0).name;
    let split = timed(|| store.split_region(&random, &region, Some(b"2")).unwrap());
    println!("{:32} {:>10.2} ms   goal 20", "a split", split.as_secs_f64() * 1000.0);
    let compact = timed(|| store.major_compact(&random).unwrap());
    println!("{:32} {:>10.2} s", "a major compaction", compact.as_secs_f64());
    let close = timed(|| store.close().unwrap());
    let ours = folder.path().join("ours");
    let open = timed(|| drop(EmbeddedStore::open(&ours, Options::default()).unwrap()));
    println!("{:32} {:>10.2} s, reopen {:.2} s", "close", close.as_secs_f64(), open.as_secs_f64());

    durable(&ours);
}

/// Batches by one thread, with and without the wait for the disk, by turns.
fn batches(rows: usize) {
    let folder = tempfile::tempdir().unwrap();
    let [buffered, group] =
        [("buffered", Durability::Buffered), ("group", Durability::Group)].map(|(name, durability)| {
            let options = Options::default().durability(durability);
            let store = EmbeddedStore::open(&folder.path().join(name), options).unwrap();
            let table = create(&store, "random", &[]);
            (store, table)
        });
    let mut rates = [Vec::new(), Vec::new()];
    for first in (0..rows).step_by(BATCH) {
        for ((store, table), rates) in [&buffered, &group].into_iter().zip(&mut rates) {
            rates.push(rate(BATCH, timed(|| load(store, table, first..first + BATCH, true))));
        }
    }
    let ratio = median(rates[1].iter().zip(&rates[0]).map(|(group, buffered)| group / buffered).collect());
    let [buffered, group] = rates.map(median);
    println!(
        "{:32} {group:>10.0} /s   buffered {buffered:>10.0} /s   ratio {ratio:.2}",
        format!("batches of {BATCH}, group")
    );
}

/// One durable writer, and 64 of them, by turns; what is shown is the median.
fn durable(folder: &Path) {
    for (name, durability) in [("group", Durability::Group), ("sync", Durability::Sync)] {
        let store = EmbeddedStore::open(folder, Options::default().durability(durability)).unwrap();
        let table = create(&store, name, &[]);
        let (mut by_one, mut by_64) = (Vec::new(), Vec::new());
        for turn in 0..9 {
            by_one.push(durable_puts(&store, &table, 1, 300, turn));
            by_64.push(durable_puts(&store, &table, 64, 60, turn));
        }
        let ratio = median(by_64.iter().zip(&by_one).map(|(many, one)| many / one).collect());
        println!(
            "{:32} {:>10.0} /s by one, {:>8.0} /s by 64 writers, ratio {ratio:.1}{}",
            format!("single durable puts, {name}"),
            median(by_one),
            median(by_64),
            if durability == Durability::Group { "   goal 10" } else { "" }
        );
    }
}

/// The rate of writers that put rows one by one. The clock starts when all of them are there.
fn durable_puts(store: &EmbeddedStore, table: &TableName, writers: usize, each: usize, turn: usize) -> f64 {
    let start = Barrier::new(writers + 1);
    let time = std::thread::scope(|scope| {
        for writer in 0..writers {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                for at in 0..each {
                    let row = key((turn * writers + writer) * 10_000 + at, true);
                    store.mutate(table, Put::new(row).cell("d", "q", value(at)).into()).unwrap();
                }
                start.wait();
            });
        }
        start.wait();
        timed(|| _ = start.wait())
    });
    rate(writers * each, time)
}
