//! What happens when the disk takes no more?
//!
//! A child writes under a limit on the size of files, set by the shell, so that the operating system itself refuses a
//! write of the engine in the middle of the work. The child must get an error, not a panic, and everything that was
//! acknowledged before it must be there when the folder is opened again without the limit.

#![cfg(unix)]

mod tables;

use std::path::Path;
use std::process::Command;

use rowkey::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{RowBatch, Scan, Store};
use tables::{chain, create, name, open, scan};

const FOLDER: &str = "ROWKEY_TEST_FULL_FOLDER";

fn batch(number: usize) -> RowBatch {
    let mut batch = RowBatch::new();
    for row in 0..10 {
        batch.begin_row(format!("{number:06}-{row}").as_bytes());
        // Bytes that do not compress.
        let byte = |at: usize| (at.wrapping_mul(2_654_435_761).wrapping_add(number * 7919) >> 11) as u8;
        let value: Vec<u8> = (row * 10_000..row * 10_000 + 10_000).map(byte).collect();
        batch.cell(b"a", b"q", 1, &value);
        batch.cell(b"d", b"q", 1, &value);
    }
    batch
}

/// Not a test of its own: the process that runs out of space. It prints how far it got, and the error.
#[test]
fn child_that_fills_its_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let options = Options::default().durability(Durability::Group);
    let store = EmbeddedStore::open(Path::new(&folder), options).unwrap();
    for number in 0..2000 {
        if let Err(error) = store.put_batch(&name("t"), &batch(number)) {
            let message = chain(&error).replace('\n', " ");
            // The store stays refusing, and says so.
            let again = chain(&store.put_batch(&name("t"), &batch(number)).unwrap_err()).replace('\n', " ");
            println!("\nrefused {number} {message}\nagain {again}");
            return;
        }
    }
    println!("\nnever refused");
}

#[test]
fn a_full_disk_is_an_error_and_what_was_acknowledged_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    create(&store, "t", &["a", "d"], &["000100"]);
    store.close().unwrap();

    let program = std::env::current_exe().unwrap();
    // 20 MiB: the journal has 64 set aside already, and writes behind the limit fail. They fail instead of ending the
    // process, because the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 40960; exec \"$0\" --exact child_that_fills_its_disk --nocapture";
    let output =
        Command::new("sh").args(["-c", script]).arg(program).env(FOLDER, folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.starts_with("refused "))
        .unwrap_or_else(|| panic!("{text} {}", String::from_utf8_lossy(&output.stderr)));
    let (number, message) = line.strip_prefix("refused ").unwrap().split_once(' ').unwrap();
    assert!(message.starts_with("could not write to table `t`: the storage engine failed"), "{message}");
    let again = text.lines().find_map(|line| line.strip_prefix("again ")).unwrap();
    assert!(again.contains("could not write to table `t`"), "{again}");

    let written: usize = number.parse().unwrap();
    let store = open(folder.path());
    let found = scan(&store, &name("t"), &Scan::new(KeyRange::all())).unwrap();
    let mut expected = RowBatch::new();
    (0..written).for_each(|number| batch(number).rows().for_each(|row| expected.push_row(row)));
    assert!(written > 0 && found.len() >= expected.len(), "{written} batches, {} rows", found.len());
    assert!(expected.rows().zip(found.rows()).all(|(a, b)| a.key() == b.key() && a.cells().eq(b.cells())));
    // The batch that was refused is there whole or not at all.
    assert!([expected.len(), expected.len() + 10].contains(&found.len()), "{} rows", found.len());
    store.put_batch(&name("t"), &batch(written)).unwrap();
}
