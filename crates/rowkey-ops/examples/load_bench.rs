//! How fast is a load beside the bare engine, which writes the same cells on the same path?
//!
//! `cargo run --release -p rowkey-ops --example load_bench [rows] [rounds] [puts|bulk]` prints rows a second and the ratio
//! of each pair, the median of rounds in which both take turns. A load reads CSV, types it, encodes keys and cells, and in bulk sorts
//! them; the bare engine gets cells that are ready in memory: in the order of the file for puts, sorted for bulk. Both are
//! on disk at the end of the clock.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use fjall::config::{CompressionPolicy, FilterPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};
use rowkey_core::Table;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::load::{self, Data, LoadOptions};

const TABLE: &str = r#"
[table]
name = "t"
key = "[id]"

[fields]
id = "text"
v = "text"

[families.d]
columns = { q = "v" }
"#;

/// Rows of a batch of puts: about as many as a load has in one.
const BATCH: usize = 2200;

fn splitmix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A key of 16 digits, spread, and a value of 84 characters, so that a row has 100 bytes.
fn record(at: u64) -> (String, String) {
    let mut value = String::with_capacity(84);
    for nth in 0..3 {
        let _ = write!(value, "{:016x}", splitmix(at * 7 + nth));
    }
    value.push_str("the rest of a value compresses a bit");
    (format!("{:016x}", splitmix(at)), value)
}

/// The key that the store makes of row and qualifier `q`.
fn cell_key(row: &str) -> Vec<u8> {
    let mut key = row.as_bytes().to_vec();
    key.extend_from_slice(&[0, 1, b'q', 0, 1]);
    key.extend_from_slice(&(!1i64).to_be_bytes());
    key.push(0xFB);
    key
}

fn bare(folder: &Path) -> (Database, Keyspace) {
    let db = Database::builder(folder).max_journaling_size(128 << 20).cache_size(64 << 20).open().unwrap();
    let options = || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(8 << 20)
            .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
            .filter_policy(FilterPolicy::disabled())
    };
    let keyspace = db.keyspace("cells", options).unwrap();
    (db, keyspace)
}

fn bare_puts(cells: &[(Vec<u8>, String)], folder: &Path) -> f64 {
    let (db, keyspace) = bare(folder);
    let start = Instant::now();
    for chunk in cells.chunks(BATCH) {
        let mut batch =
            OwnedWriteBatch::with_capacity(db.clone(), BATCH).durability(Some(PersistMode::SyncData));
        for (key, value) in chunk {
            batch.insert(&keyspace, key.as_slice(), value.as_bytes());
        }
        batch.commit().unwrap();
    }
    start.elapsed().as_secs_f64()
}

fn bare_bulk(sorted: &[(Vec<u8>, String)], folder: &Path) -> f64 {
    let (db, keyspace) = bare(folder);
    let start = Instant::now();
    let mut ingestion = keyspace.start_ingestion().unwrap();
    for (key, value) in sorted {
        ingestion.write(key.as_slice(), value.as_bytes()).unwrap();
    }
    ingestion.finish().unwrap();
    db.persist(PersistMode::SyncAll).unwrap();
    start.elapsed().as_secs_f64()
}

fn load(data: &Path, rows: u64, in_bulk: bool, folder: &Path) -> f64 {
    let store = EmbeddedStore::open(folder, Options::default()).unwrap();
    let table = Table::parse("bench.toml", TABLE).unwrap();
    create::create(&store, &table).unwrap();
    let open = create::open(&store, &table).unwrap();
    let options = LoadOptions {
        bulk_from_bytes: if in_bulk { 0 } else { u64::MAX },
        restart: true,
        ..LoadOptions::new("bench")
    };
    let start = Instant::now();
    let report =
        load::run(&store, &table, &open, &Data::File(data.to_owned()), &options, &mut |_| {}).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!((report.rows, report.in_bulk), (rows, in_bulk));
    seconds
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments.next().map_or(1_000_000, |rows| rows.parse().unwrap());
    let rounds: usize = arguments.next().map_or(3, |rounds| rounds.parse().unwrap());
    let only = arguments.next();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("rows.csv");
    let mut csv = String::from("id,v\n");
    let cells: Vec<(Vec<u8>, String)> = (0..rows)
        .map(|at| {
            let (id, value) = record(at);
            let _ = writeln!(csv, "{id},{value}");
            (cell_key(&id), value)
        })
        .collect();
    std::fs::write(&data, csv).unwrap();
    let mut sorted = cells.clone();
    sorted.sort();

    println!("{rows} rows of 100 bytes, {rounds} rounds\n");
    println!("| path | bare engine, rows/s | load, rows/s | ratio | goal |\n| --- | --- | --- | --- | --- |");
    // One path after the other, because the engine goes on compacting what was put.
    for (path, in_bulk) in [("bulk", true), ("puts", false)] {
        if only.as_deref().is_some_and(|only| only != path) {
            continue;
        }
        let (mut bare_seconds, mut load_seconds) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let place = |name: &str| folder.path().join(format!("{path}-{name}-{round}"));
            for turn in 0..2 {
                if (turn + round) % 2 == 1 {
                    load_seconds.push(load(&data, rows, in_bulk, &place("load")));
                } else if in_bulk {
                    bare_seconds.push(bare_bulk(&sorted, &place("bare")));
                } else {
                    bare_seconds.push(bare_puts(&cells, &place("bare")));
                }
            }
            ["bare", "load"].iter().for_each(|name| drop(std::fs::remove_dir_all(place(name))));
        }
        let ratios = bare_seconds.iter().zip(&load_seconds).map(|(bare, own)| bare / own).collect();
        let rate = |seconds: &[f64]| rows as f64 / median(seconds.to_vec());
        let (bare, own) = (rate(&bare_seconds), rate(&load_seconds));
        println!("| {path} | {bare:.0} | {own:.0} | {:.2} | 0.60 |", median(ratios));
    }
}
