//! Does a major compaction give the disk back what no read can see any more?
//!
//! What counts is the size of the table's files, not of the journal, of which the engine sets 64 MiB aside. The engine may still
//! be merging by itself when the call returns, and then a file goes a moment later; so the size is looked at again for a while.

use std::path::Path;

use crate::tables::{create, name, open, scan};
use rowkey_core::range::KeyRange;
use rowkey_embedded::EmbeddedStore;
use rowkey_store::{Admin, Delete, Operation, RowBatch, RowStore, Scan, TableName};

const ROWS: usize = 4000;

/// Bytes of all files below `folder` but journals.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let of = |entry: std::io::Result<std::fs::DirEntry>| {
        let Ok(entry) = entry else { return 0 };
        let path = entry.path();
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&path),
            Ok(metadata) if path.extension().is_none_or(|extension| extension != "jnl") => metadata.len(),
            _ => 0,
        }
    };
    entries.map(of).sum()
}

/// Rows whose values do not compress, 4 MB together.
fn rows(turn: usize) -> RowBatch {
    let mut batch = RowBatch::new();
    for at in 0..ROWS {
        batch.begin_row(format!("{at:06}").as_bytes());
        let mut state = (at * 10 + turn) as u64 + 1;
        let byte = |_| {
            // xorshift
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        let value: Vec<u8> = (0..1000).map(byte).collect();
        batch.cell(b"d", b"q", i64::try_from(turn).expect("few turns"), &value);
    }
    batch
}

/// A table with all rows once, in files.
fn filled(folder: &Path) -> (EmbeddedStore, TableName) {
    let store = open(folder);
    let table = create(&store, "t", &["d"], &[]);
    store.put_batch(&table, &rows(0)).expect("good rows");
    store.flush(&table).expect("room on the disk");
    (store, table)
}

fn delete(store: &EmbeddedStore, table: &TableName, rows: impl Iterator<Item = usize>) {
    let delete = |at: usize| -> Operation { Delete::row(format!("{at:06}")).into() };
    let deletes: Vec<Operation> = rows.map(delete).collect();
    let results = store.batch(table, &deletes).expect("the table is there");
    results.into_iter().for_each(|result| drop(result.expect("a good delete")));
}

/// Whether the files become smaller than `limit`, now or when the engine's workers have come to rest.
fn shrinks_below(folder: &Path, limit: u64) -> bool {
    (0..300).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        size(folder) < limit
    })
}

#[test]
fn overwritten_and_deleted_rows_leave_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let (store, t) = filled(folder.path());
    let once = size(folder.path());
    assert!(once > 3_500_000, "{once} bytes");

    // Versions that the family does not keep.
    for turn in 1..6 {
        store.put_batch(&t, &rows(turn)).unwrap();
        store.flush(&t).unwrap();
    }
    let full = size(folder.path());
    assert!(full > 5 * once, "{full} bytes after five more versions, {once} before");
    store.major_compact(&t).unwrap();
    assert!(shrinks_below(folder.path(), 2 * once), "{} of {full} bytes are left", size(folder.path()));

    // Nine rows of ten deleted.
    delete(&store, &t, (0..ROWS).filter(|at| at % 10 != 0));
    store.major_compact(&t).unwrap();
    assert!(shrinks_below(folder.path(), once / 4), "{} of {once} bytes are left", size(folder.path()));
    assert_eq!(scan(&store, &name("t"), &Scan::new(KeyRange::all())).unwrap().len(), ROWS / 10);
}

#[test]
fn what_an_open_scan_reads_stays_until_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (store, t) = filled(folder.path());
    let once = size(folder.path());
    let mut scanner = store.scan(&t, &Scan::new(KeyRange::all())).unwrap();
    delete(&store, &t, 0..ROWS);
    store.major_compact(&t).unwrap();
    assert!(size(folder.path()) > once / 2, "the scan's files are there");
    let (mut batch, mut found) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch).unwrap() {
        found += batch.len();
    }
    assert_eq!(found, ROWS);
    drop(scanner);
    store.major_compact(&t).unwrap();
    assert!(shrinks_below(folder.path(), once / 4), "{} of {once} bytes are left", size(folder.path()));
}
