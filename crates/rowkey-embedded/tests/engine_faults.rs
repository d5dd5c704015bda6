//! Are the faults of the bare engine still there that this crate works around?
//!
//! Each test is a minimal reproduction that could be sent upstream (`docs/hbase-faults.md` lists them). A test that fails after a new
//! version of fjall says that what was worked around may go.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::fs;
use std::path::{Path, PathBuf};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

fn open(folder: &Path) -> (Database, Keyspace) {
    let db = Database::builder(folder).open().unwrap();
    let keyspace = db.keyspace("k", KeyspaceCreateOptions::default).unwrap();
    (db, keyspace)
}

/// Rows 0 to 99, each of them synced, and the store closed.
fn hundred_rows(folder: &Path) -> PathBuf {
    let (db, keyspace) = open(folder);
    for row in 0u8..100 {
        keyspace.insert([row], [row; 40]).unwrap();
        db.persist(PersistMode::SyncAll).unwrap();
    }
    keyspace.path().to_owned()
}

fn change(file: &Path, at: usize, to: impl FnOnce(u8) -> u8) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] = to(bytes[at]);
    fs::write(file, bytes).unwrap();
}

/// One changed bit in the tag of an old batch, and it and every acknowledged write behind it are cut off without an error.
#[test]
fn a_journal_is_cut_at_the_first_damage() {
    let folder = tempfile::tempdir().unwrap();
    hundred_rows(folder.path());
    assert_eq!(open(folder.path()).1.len().unwrap(), 100);
    change(&folder.path().join("0.jnl"), 0, |byte| byte ^ 0x40);
    assert_eq!(open(folder.path()).1.len().unwrap(), 0);
}

/// The checksum of a batch does not cover its number, by which the latest value of a key is found.
#[test]
fn the_number_of_a_batch_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (db, keyspace) = open(folder.path());
    keyspace.insert("key", "old").unwrap();
    keyspace.insert("key", "new").unwrap();
    db.persist(PersistMode::SyncAll).unwrap();
    drop((db, keyspace));
    // The start of the first batch: a tag, how many items as a u32, and the number as a little-endian u64.
    change(&folder.path().join("0.jnl"), 1 + 4 + 1, |_| 1);
    assert_eq!(open(folder.path()).1.get("key").unwrap().unwrap(), "old");
}

/// A keyspace whose file `current` is lost is taken for one that was being removed, and all of its files go.
#[test]
fn a_keyspace_without_its_list_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let files = hundred_rows(folder.path());
    let (db, keyspace) = open(folder.path());
    keyspace.rotate_memtable_and_wait().unwrap();
    drop((db, keyspace));
    let tables = fs::read_dir(files.join("tables")).unwrap().count();
    assert!(tables > 0);
    fs::remove_file(files.join("current")).unwrap();
    drop(open(folder.path()));
    assert!(!files.join("tables").exists() || fs::read_dir(files.join("tables")).unwrap().count() < tables);
}

/// Neither the list of tables nor what names it is compared with its checksum.
#[test]
fn the_checksum_of_a_list_of_tables_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let files = hundred_rows(folder.path());
    let (db, keyspace) = open(folder.path());
    keyspace.rotate_memtable_and_wait().unwrap();
    drop((db, keyspace));
    // The number of the list as a u64, then its checksum.
    change(&files.join("current"), 8, |byte| byte ^ 1);
    assert_eq!(open(folder.path()).1.len().unwrap(), 100);
}

/// Without a journal numbers begin again, below those of the tables, and what is written then is not found.
#[test]
fn without_a_journal_numbers_begin_anew() {
    let folder = tempfile::tempdir().unwrap();
    hundred_rows(folder.path());
    let (db, keyspace) = open(folder.path());
    keyspace.rotate_memtable_and_wait().unwrap();
    let before = db.seqno();
    drop((db, keyspace));
    for file in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "jnl") {
            fs::remove_file(file).unwrap();
        }
    }
    let (db, _) = open(folder.path());
    assert!(db.seqno() < before, "{} after {before}", db.seqno());
}
