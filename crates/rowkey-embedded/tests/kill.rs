//! Is every acknowledged row there after `kill -9`, and no batch torn?
//!
//! A child process writes batches, each of ten rows over two families, and prints a line when a batch is
//! acknowledged. It is killed after a number of lines that differs from round to round, in the middle of whatever it
//! was writing. Then the folder is opened and every acknowledged batch must be whole, and every other one whole or
//! absent. Rounds go on with the same folder.

mod tables;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use rowkey::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{RowBatch, Scan, Store, StoreError};
use tables::{create, name, scan};

const FOLDER: &str = "ROWKEY_TEST_KILL_FOLDER";
const FIRST_BATCH: &str = "ROWKEY_TEST_KILL_FIRST_BATCH";
const DURABILITY: &str = "ROWKEY_TEST_KILL_DURABILITY";
const ROWS: usize = 10;

fn batch(number: usize) -> RowBatch {
    let mut batch = RowBatch::new();
    for row in 0..ROWS {
        batch.begin_row(format!("{number:08}-{row}").as_bytes());
        let value = vec![b'x'; 1 + (number * 37 + row) % 3000];
        batch.cell(b"a", b"q", 1, &value);
        batch.cell(b"d", b"q", 1, &value);
    }
    batch
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let durability = match std::env::var(DURABILITY).as_deref() {
        Ok("buffered") => Durability::Buffered,
        _ => Durability::Sync,
    };
    let store = EmbeddedStore::open(Path::new(&folder), Options::default().durability(durability)).unwrap();
    let first: usize = std::env::var(FIRST_BATCH).unwrap().parse().unwrap();
    match store.describe(&name("t")) {
        Err(StoreError::TableNotFound { .. }) => {
            drop(create(&store, "t", &["a", "d"], &["00000100", "00000500"]))
        }
        found => drop(found.unwrap()),
    }
    let mut out = std::io::stdout();
    writeln!(out).unwrap();
    for number in first.. {
        store.put_batch(&name("t"), &batch(number)).unwrap();
        writeln!(out, "ack {number}").unwrap();
    }
}

/// Starts the child, kills it after `kill_after` acknowledgements, and returns the last one.
fn write_and_kill(folder: &Path, first: usize, durability: &str, kill_after: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().expect("the test's own program"))
        .args(["--exact", "child_that_writes_until_it_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST_BATCH, first.to_string())
        .env(DURABILITY, durability)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test's own program starts");
    let stdout = BufReader::new(child.stdout.take().expect("piped above"));
    let (mut last, mut seen) = (None, 0);
    // Lines that were on their way when the kill came are acknowledgements too.
    for line in stdout.lines() {
        let line = line.expect("the child prints text");
        if let Some(number) = line.strip_prefix("ack ") {
            last = number.parse().ok();
            seen += 1;
            if seen == kill_after {
                child.kill().expect("the child runs until it is killed");
            }
        }
    }
    child.wait().expect("the child was started");
    last.expect("the child acknowledged at least one batch")
}

/// Checks the folder and returns the first batch that is not there.
fn check(folder: &Path, acknowledged: usize) -> usize {
    let store = tables::open(folder);
    let found = scan(&store, &name("t"), &Scan::new(KeyRange::all())).expect("the store is whole");
    let mut rows_of: BTreeMap<usize, RowBatch> = BTreeMap::new();
    for row in found.rows() {
        let key = String::from_utf8(row.key().to_vec()).expect("keys are text");
        let number =
            key.split('-').next().and_then(|number| number.parse().ok()).expect("keys are as written");
        rows_of.entry(number).or_default().push_row(row);
    }
    for (number, rows) in &rows_of {
        assert!(*rows == batch(*number), "batch {number} is torn");
    }
    for number in 0..=acknowledged {
        assert!(rows_of.contains_key(&number), "batch {number} was acknowledged and is lost");
    }
    rows_of.last_key_value().map_or(0, |(last, _)| last + 1)
}

fn rounds(durability: &str, kills: &[usize]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut first = 0;
    for &kill_after in kills {
        let acknowledged = write_and_kill(folder.path(), first, durability, kill_after);
        first = check(folder.path(), acknowledged);
    }
}

#[test]
fn synced_batches_survive_kills() {
    rounds("sync", &[1, 7, 40, 2, 113, 19]);
}

#[test]
fn buffered_batches_survive_kills() {
    rounds("buffered", &[3, 250, 1, 901, 60, 333]);
}
