//! What happens when the bytes on disk are not what was written?

use std::path::Path;

use crate::tables::{chain, create, name, open, rows, scan};
use fjall::{Database, KeyspaceCreateOptions};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Direction, Get, RowBatch, RowStore, Scan};

/// A store with table `t`, one family and the rows `a` and `z`.
fn store(folder: &Path) {
    let store = open(folder);
    let table = create(&store, "t", &["d"], &[]);
    store
        .put_batch(&table, &rows(&[("a", &[("d", "q", 1, "v")]), ("z", &[("d", "q", 1, "v")])]))
        .expect("good rows");
    store.close().expect("a clean close");
}

fn with_engine(folder: &Path, change: impl FnOnce(&Database)) {
    let db = Database::builder(folder.join("data")).open().expect("the engine opens");
    change(&db);
    // A journal without the notes of rowkey would be damage; so nothing stays in it.
    for name in db.list_keyspace_names() {
        let keyspace = db.keyspace(&name, KeyspaceCreateOptions::default).expect("exists");
        keyspace.rotate_memtable_and_wait().expect("flushed");
    }
    drop(db);
    let journal = std::fs::File::options().write(true).open(folder.join("data/0.jnl"));
    journal.and_then(|file| file.set_len(0)).expect("there");
}

fn write_raw(folder: &Path, keyspace: &str, key: &[u8], value: &[u8]) {
    with_engine(folder, |db| {
        let keyspace = db.keyspace(keyspace, KeyspaceCreateOptions::default).expect("exists");
        keyspace.insert(key, value).expect("written");
    });
}

#[test]
fn a_damaged_cell_key_is_an_error_that_names_keyspace_and_key() {
    let damaged: [(&[u8], &str); 5] = [
        (b"b", "the row does not decode: no END token follows byte 1"),
        (b"b\x00\x00", r"the row does not decode: byte 1 is no token: 00 00"),
        (b"b\x00\x01q", "the qualifier does not decode"),
        (b"b\x00\x01q\x00\x01abc", "3 bytes follow the qualifier where timestamp and kind take 9"),
        (b"b\x00\x01q\x00\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE\xF2", "kind 13 is not known"),
    ];
    for (key, why) in damaged {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path());
        write_raw(folder.path(), "table-1.d", key, b"v");
        let store = open(folder.path());
        for direction in [Direction::Forward, Direction::Reverse] {
            let all = Scan { direction, ..Scan::new(KeyRange::all()) };
            let message = chain(&scan(&store, &name("t"), &all).unwrap_err());
            assert!(
                message.starts_with("could not scan table `t`: the store is damaged: key b"),
                "{message}"
            );
            assert!(
                message.contains("in keyspace table-1.d names no cell") && message.contains(why),
                "{message}"
            );
        }
        // The rows beside it are still there.
        assert!(store.get(&name("t"), &Get::new("a"), &mut RowBatch::new()).unwrap());
    }
}

#[test]
fn a_get_of_a_damaged_row_is_an_error_and_leaves_the_batch_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    write_raw(folder.path(), "table-1.d", b"a\x00\x01zz", b"v");
    let store = open(folder.path());
    let mut batch = rows(&[("before", &[("d", "q", 1, "v")])]);
    let message = chain(&store.get(&name("t"), &Get::new("a"), &mut batch).unwrap_err());
    assert!(message.contains("could not read table `t`: the store is damaged"), "{message}");
    assert_eq!(batch.len(), 1);
}

fn refusal(folder: &Path) -> String {
    chain(&EmbeddedStore::open(folder, Options::default()).expect_err("refused"))
}

#[test]
fn a_damaged_catalogue_is_refused_with_the_record() {
    let table: &[u8] = b"table:\0\0\0\0\0\0\0\x01";
    let records: [(&[u8], &[u8]); 5] = [
        (table, b"{"),
        (table, br#"{"name":"a b","families":[],"attributes":{}}"#),
        (table, br#"{"name":"t","families":[],"attributes":{},"from_the_future":1}"#),
        (b"table:7", b"{}"),
        (b"region:\0\0\0\0\0\0\0\x01", b"7"),
    ];
    for (key, value) in records {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path());
        write_raw(folder.path(), "catalogue", key, value);
        let message = refusal(folder.path());
        assert!(message.contains("the store is damaged: catalogue record"), "{message}");
    }
}

#[test]
fn a_lost_keyspace_is_refused_and_nothing_is_made_in_its_place() {
    for (lost, number) in [("table-1.d", 2), ("catalogue", 1)] {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path());
        with_engine(folder.path(), |db| {
            let keyspace = db.keyspace(lost, KeyspaceCreateOptions::default).expect("exists");
            db.delete_keyspace(keyspace).expect("deleted");
        });
        for _ in 0..2 {
            let message = refusal(folder.path());
            assert!(
                message.contains(&format!("the store is damaged: file data/keyspaces/{number} is missing")),
                "{message}"
            );
        }
    }
}

#[test]
fn a_lost_version_file_of_the_engine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    std::fs::remove_file(folder.path().join("data").join("version")).unwrap();
    let message = refusal(folder.path());
    assert!(message.contains("the store is damaged: file data/version is missing"), "{message}");
}

#[test]
fn keyspaces_of_a_table_that_was_never_finished_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    write_raw(folder.path(), "table-2.d", b"x", b"y");
    open(folder.path()).close().unwrap();
    with_engine(folder.path(), |db| {
        assert!(!db.keyspace_exists("table-2.d") && db.keyspace_exists("table-1.d"))
    });
}
