//! Writes a small store of the present format, to be kept for compatibility tests.
//!
//! `cargo run -p rowkey-embedded --example make_fixture FOLDER`. What is in it is what `tests/fixtures.rs` expects. The
//! engine's journal is zeros behind its content and can be cut there.

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use std::path::Path;

use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, Delete, Family, Increment, Put, RowStore, TableDescriptor};

fn main() {
    let folder = std::env::args().nth(1).expect("a folder to write to");
    let store =
        EmbeddedStore::open(Path::new(&folder), Options::default().clock(|| 1_700_000_000_000)).unwrap();
    let families = vec![Family::new("a"), Family { versions: 3, min_versions: 1, ..Family::new("d") }];
    let attributes = [("ROWKEY".to_owned(), "größe".to_owned())].into();
    let table = TableDescriptor { name: "ns:orders".parse().unwrap(), families, attributes };
    store.create_table(&table, &[b"m".to_vec()]).unwrap();
    let name = &table.name;
    store
        .mutate(name, Put::new("a\0b").cell_at("d", "q", 5, "old").cell_at("d", "q", 7, "new").into())
        .unwrap();
    store.mutate(name, Put::new("gone").cell_at("a", "q", 5, "x").cell_at("d", "", 5, "y").into()).unwrap();
    store.mutate(name, Delete::row_at("gone", 9).into()).unwrap();
    store.mutate(name, Delete::row("a\0b").version("d", "q", 7).column_at("d", "z", 3).into()).unwrap();
    store.mutate(name, Increment::new("x").add("a", "n", 42).into()).unwrap();
    let last = store.regions(name).unwrap().pop().unwrap().name;
    store.split_region(name, &last, Some(b"t")).unwrap();
    let off = TableDescriptor {
        name: "off".parse().unwrap(),
        families: vec![Family::new("d")],
        attributes: [].into(),
    };
    store.create_table(&off, &[]).unwrap();
    store.mutate(&off.name, Put::new("r").cell_at("d", "q", 5, "v").into()).unwrap();
    store.disable_table(&off.name).unwrap();
    store.close().unwrap();
}
