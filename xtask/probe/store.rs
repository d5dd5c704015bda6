//! How long do puts, gets and openings of the embedded store take? One measurement a process, printed in nanoseconds per call.
//!
//! `cargo xtask bench against` builds this file against two revisions of rowkey, so it uses only what both have.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use rowkey_embedded::{Durability, EmbeddedStore, Options};
// All of it, because the traits of a store have other names in older revisions.
use rowkey_store::*;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["put", folder, durability, rows, calls] => put(folder, durability, rows.parse()?, calls.parse()?),
        ["fill", folder, rows, end] => fill(folder, rows.parse()?, end),
        ["get", folder, rows, calls] => get(folder, rows.parse()?, calls.parse()?),
        ["open", folder] => {
            let begin = Instant::now();
            let store = open(folder, "buffered")?;
            println!("{}", begin.elapsed().as_nanos());
            Ok(store.close()?)
        }
        _ => Err("which measurement?".into()),
    }
}

fn open(folder: &str, durability: &str) -> Result<EmbeddedStore, Failure> {
    let durability = if durability == "group" { Durability::Group } else { Durability::Buffered };
    Ok(EmbeddedStore::open(Path::new(folder), Options::default().durability(durability))?)
}

fn table(store: &EmbeddedStore) -> Result<TableName, Failure> {
    let name: TableName = "t".parse()?;
    if store.describe(&name).is_err() {
        let (families, attributes) = (vec![Family::new("d")], Default::default());
        store.create_table(&TableDescriptor { name: name.clone(), families, attributes }, &[])?;
    }
    Ok(name)
}

/// A key that is not in order, as of a hash.
fn key(at: u64) -> [u8; 8] {
    at.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()
}

fn batch(from: u64, rows: u64) -> RowBatch {
    let mut batch = RowBatch::new();
    for at in from..from + rows {
        batch.begin_row(&key(at));
        batch.cell(b"d", b"q", LATEST_TIMESTAMP, &[b'v'; 100]);
    }
    batch
}

fn put(folder: &str, durability: &str, rows: u64, calls: u64) -> Result<(), Failure> {
    let store = open(folder, durability)?;
    let table = table(&store)?;
    store.put_batch(&table, &batch(u64::MAX / 2, rows))?;
    let batches: Vec<RowBatch> = (0..calls).map(|call| batch(call * rows, rows)).collect();
    let begin = Instant::now();
    for batch in &batches {
        store.put_batch(&table, batch)?;
    }
    println!("{}", begin.elapsed().as_nanos() / u128::from(calls));
    Ok(store.close()?)
}

fn fill(folder: &str, rows: u64, end: &str) -> Result<(), Failure> {
    let store = open(folder, "buffered")?;
    let table = table(&store)?;
    for from in (0..rows).step_by(100) {
        store.put_batch(&table, &batch(from, 100.min(rows - from)))?;
    }
    if end == "kill" {
        std::process::exit(0);
    }
    Ok(store.close()?)
}

fn get(folder: &str, rows: u64, calls: u64) -> Result<(), Failure> {
    let store = open(folder, "buffered")?;
    let table = table(&store)?;
    let gets: Vec<Get> = (0..calls).map(|call| Get::new(key(call * 7919 % rows))).collect();
    let mut found = RowBatch::new();
    // Once for the cache.
    for get in &gets {
        found.clear();
        store.get(&table, get, &mut found)?;
    }
    let begin = Instant::now();
    for get in &gets {
        found.clear();
        black_box(store.get(&table, get, &mut found)?);
    }
    println!("{}", begin.elapsed().as_nanos() / u128::from(calls));
    Ok(store.close()?)
}
