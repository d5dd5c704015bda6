//! Can stores that earlier versions wrote still be read and written?
//!
//! `testdata/stores/format-N` was written by `examples/make_fixture.rs` when N was the present format, and is never written
//! again.

use std::fs;
use std::path::Path;

use crate::tables::{self, dump, name, scan};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, Put, RowStore, Scan};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("the fixture is there") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a free place");
        }
    }
}

/// A process of today's rowkey before format 3 was killed: its rows are in the journal, behind it the zeros that the engine makes first.
#[test]
fn a_killed_store_of_format_2_is_read_and_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/format-2-killed"), folder.path());
    let table = name("t");
    let raw = Scan { raw: true, versions: 9, ..Scan::new(KeyRange::all()) };
    let expected = "[a [d:q@1003=v3, d:q@1002=v2, d:q@1001=v1], z1 [e:x@1001=w1], z2 [e:x@1002=w2]]";
    for _ in 0..2 {
        let store = EmbeddedStore::open(folder.path(), Options::default()).unwrap();
        assert!(store.opening().torn.is_empty());
        assert_eq!(format!("{:?}", scan(&store, &table, &raw).unwrap()), expected);
        assert!(store.verify(&mut |_| {}).unwrap().damage.is_empty());
        assert_eq!(EmbeddedStore::format_of(folder.path()).unwrap(), Some(3));
        store.close().unwrap();
    }
}

/// Stores before format 3 could be read by every user of the machine.
#[cfg(unix)]
#[test]
fn an_upgrade_takes_the_folder_from_other_users_once() {
    use std::os::unix::fs::PermissionsExt;

    for fixture in ["format-2", "format-2-killed"] {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores").join(fixture), &folder);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        for tightened in [true, false] {
            let store = EmbeddedStore::open(&folder, Options::default()).unwrap();
            assert_eq!(store.opening().tightened, tightened, "{fixture}");
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700, "{fixture}");
            store.close().unwrap();
        }
    }
}

/// The engine deletes a keyspace without this file.
#[test]
fn a_lost_file_of_a_keyspace_of_format_2_is_refused_and_nothing_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/format-2"), folder.path());
    let keyspace = folder.path().join("data/keyspaces/2");
    fs::remove_file(keyspace.join("current")).unwrap();
    let files = || fs::read_dir(keyspace.join("tables")).unwrap().count();
    let before = files();
    for _ in 0..2 {
        let message = tables::chain(&EmbeddedStore::open(folder.path(), Options::default()).unwrap_err());
        assert!(message.contains("the store is damaged: keyspace table-"), "{message}");
        assert_eq!(files(), before);
    }
}

/// Numbers of batches only rise in its journal; a bit flipped in anything else is found, and nothing is cut.
#[test]
fn damage_in_the_journal_of_a_killed_store_of_format_2_is_refused() {
    for byte in [0, 1, 5 * 84 + 2, 9_000] {
        let folder = tempfile::tempdir().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/format-2-killed"),
            folder.path(),
        );
        let journal = folder.path().join("data/0.jnl");
        let mut bytes = fs::read(&journal).unwrap();
        bytes[byte] ^= 0x10;
        fs::write(&journal, &bytes).unwrap();
        let message = tables::chain(&EmbeddedStore::open(folder.path(), Options::default()).unwrap_err());
        assert!(message.contains("the store is damaged: file data/0.jnl at byte"), "{message}");
        assert!(message.contains("a whole batch follows at byte"), "{message}");
        assert_eq!(fs::read(&journal).unwrap(), bytes);
        assert_eq!(EmbeddedStore::format_of(folder.path()).unwrap(), Some(2));
    }
}

#[test]
fn a_store_of_format_2_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/format-2"), folder.path());
    let store = EmbeddedStore::open(folder.path(), Options::default().clock(|| 1_700_000_000_001)).unwrap();
    let table = name("ns:orders");
    assert_eq!(
        dump(&store, &table),
        r"[a\x00b [d:q@5=old], x [a:n@1700000000000=\x00\x00\x00\x00\x00\x00\x00*]]"
    );
    let raw = Scan { raw: true, versions: 9, ..Scan::new(KeyRange::prefix(b"gone")) };
    let raw = format!("{:?}", scan(&store, &table, &raw).unwrap());
    assert_eq!(raw, "[gone [a:@9/DeleteFamily, a:q@5=x, d:@9/DeleteFamily, d:@5=y]]");
    let regions: Vec<String> = store.regions(&table).unwrap().into_iter().map(|region| region.name).collect();
    assert_eq!(
        regions,
        [
            "ns:orders,,1700000000000.59770f4bc66e5d86a00f2243a5f8b52c.",
            "ns:orders,m,1700000000001.7763a5e80377fe5c000b14e26f032b19.",
            "ns:orders,t,1700000000001.12db6fb405958efbec2eb7f072539a38.",
        ]
    );
    let described = store.describe(&table).unwrap();
    assert_eq!((described.families[1].versions, described.families[1].min_versions), (3, 1));
    assert_eq!(described.attributes.get("ROWKEY").map(String::as_str), Some("größe"));
    assert!(!store.is_enabled(&name("off")).unwrap());
    store.mutate(&table, Put::new("x").cell("d", "q", "new").into()).unwrap();
    store.major_compact(&table).unwrap();
    assert!(dump(&store, &table).ends_with("d:q@1700000000001=new]]"));
}
