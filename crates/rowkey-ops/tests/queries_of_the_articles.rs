//! The queries of the five articles (`docs/sources.md`) on the embedded store; `tests/hbase.rs` has them on a real HBase.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::articles;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::Store;

fn with_store(story: impl FnOnce(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    story(&EmbeddedStore::open(folder.path(), options).unwrap());
}

#[test]
fn a_time_range_over_1000_salted_regions() {
    with_store(|store| articles::a_time_range_over_salted_regions(store, "log", 1000, 20_000));
}

#[test]
fn a_users_newest_actions() {
    with_store(|store| articles::a_users_newest_actions(store, "actions"));
}

#[test]
fn hosts_between() {
    with_store(|store| articles::hosts_between(store, "hosts"));
}

#[test]
fn words_by_their_ends() {
    with_store(|store| articles::words_by_their_ends(store, "words"));
}

#[test]
fn orders_three_ways() {
    with_store(|store| articles::orders_three_ways(store, "orders"));
}
