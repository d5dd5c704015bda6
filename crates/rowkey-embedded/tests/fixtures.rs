//! Can stores that earlier versions wrote still be read and written?
//!
//! `testdata/stores/format-N` was written by `examples/make_fixture.rs` when N was the present format, and is never written
//! again.

mod tables;

use std::fs;
use std::path::Path;

use rowkey::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Put, Scan, Store};
use tables::{dump, name, scan};

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
