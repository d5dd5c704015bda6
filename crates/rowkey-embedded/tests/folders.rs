//! Which folders are refused, and are they left as they were?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::tables::{self, chain, create, dump, open};
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, RowStore};

/// Every file below a folder with its content.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

fn refusal(folder: &Path) -> String {
    chain(&EmbeddedStore::open(folder, Options::default()).expect_err("refused"))
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    create(&store, "t", &["d"], &[]);
    store.close().unwrap();
    fs::write(folder.path().join("FORMAT"), "rowkey store format 4\n").unwrap();
    let before = contents(folder.path());

    let message = refusal(folder.path());
    assert!(
        message.contains("has format 4, and this rowkey reads formats up to 3; use the newer rowkey"),
        "{message}"
    );
    assert_eq!(contents(folder.path()), before);
}

/// Format 1 knew puts only, and every table was enabled.
#[test]
fn a_folder_of_the_first_format_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    store.put_batch(&table, &tables::rows(&[("a", &[("d", "q", 1, "v")])])).unwrap();
    store.close().unwrap();
    fs::write(folder.path().join("FORMAT"), "rowkey store format 1\n").unwrap();
    let message = refusal(folder.path());
    assert!(message.contains("file FORMAT names an older format than MANIFEST"), "{message}");
    fs::remove_file(folder.path().join("MANIFEST")).unwrap();
    let db = fjall::Database::builder(folder.path().join("data")).open().unwrap();
    let catalogue = db.keyspace("catalogue", fjall::KeyspaceCreateOptions::default).unwrap();
    let key = b"table:\0\0\0\0\0\0\0\x01";
    let record = String::from_utf8(catalogue.get(key).unwrap().unwrap().to_vec()).unwrap();
    let first = record.replace(",\"enabled\":true", "");
    assert_ne!(first, record);
    catalogue.insert(key, first).unwrap();
    drop((catalogue, db));

    let store = open(folder.path());
    assert_eq!(dump(&store, &table), "[a [d:q@1=v]]");
    assert!(store.is_enabled(&table).unwrap());
    assert_eq!(fs::read_to_string(folder.path().join("FORMAT")).unwrap(), "rowkey store format 3\n");
    store.close().unwrap();
    // Killed between the two renames of the upgrade.
    fs::rename(folder.path().join("MANIFEST"), folder.path().join("MANIFEST.tmp")).unwrap();
    assert_eq!(dump(&open(folder.path()), &table), "[a [d:q@1=v]]");
    fs::remove_file(folder.path().join("MANIFEST")).unwrap();
    assert!(refusal(folder.path()).contains("the store is damaged: file MANIFEST is missing"));
}

/// Other users of the machine cannot look into a new store, whatever the umask is; an owner's later choice is respected.
#[cfg(unix)]
#[test]
fn a_new_store_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("store");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let store = open(&folder);
    assert!(!store.is_open_to_others() && !store.opening().tightened);
    store.close().unwrap();
    assert_eq!(mode(&folder), 0o700);
    for file in ["FORMAT", "MANIFEST", "LOCK"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
    let store = open(&folder);
    assert!(store.is_open_to_others() && !store.opening().tightened);
    store.close().unwrap();
    assert_eq!(mode(&folder), 0o750);
}

#[test]
fn an_unreadable_format_is_refused() {
    for content in
        ["", "rowkey store format 0\n", "rowkey store format x\n", "rowkey store format 3", "something else"]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("FORMAT"), content).unwrap();
        let message = refusal(folder.path());
        assert!(message.contains("does not state a store format"), "{message}");
        assert_eq!(contents(folder.path()).len(), 1);
    }
}

#[test]
fn a_folder_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "years of work").unwrap();
    let before = contents(folder.path());
    let message = refusal(folder.path());
    assert!(
        message
            .contains("holds other files (thesis.tex) and is not a rowkey store; use an empty or new folder"),
        "{message}"
    );
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn a_new_folder_is_made_with_its_parents_and_an_empty_one_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).close().unwrap();
    let deeper = tempfile::tempdir().unwrap();
    let deeper = deeper.path().join("a").join("b");
    open(&deeper).close().unwrap();
    assert_eq!(fs::read_to_string(deeper.join("FORMAT")).unwrap(), "rowkey store format 3\n");
    assert_eq!(fs::read_to_string(deeper.join("LOCK")).unwrap(), "\n");
}

#[test]
fn a_making_that_was_cut_short_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("FORMAT"), "rowkey store format 1\n").unwrap();
    fs::create_dir_all(folder.path().join("data").join("keyspaces")).unwrap();
    fs::write(folder.path().join("data").join("0.jnl"), "").unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    assert_eq!(dump(&store, &table), "[]");
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let message = refusal(&file);
    assert!(message.contains("cannot read") && message.contains("Not a directory"), "{message}");
}

/// As root nothing is read-only by its mode bits, and there is nothing to test.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.path().join("probe"), "").is_ok() {
        return;
    }
    let message = refusal(folder.path());
    assert!(
        message.contains("LOCK; make the folder writable, or use another folder: Permission denied"),
        "{message}"
    );
}
