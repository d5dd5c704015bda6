//! The laws of index tables on a real HBase: several writers, some of which die on the way, a build and a repair beside
//! them; reads agree with a scan, verify counts what differs, repair leaves nothing.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::index_place::*;
use rowkey_core::Table;
use rowkey_hbase::HBaseStore;
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{BuildOptions, IndexedWriter, build};
use rowkey_store::{Admin, Delete, RowStore, Store};
use rowkey_testing::cluster;

/// The table with names of its own.
fn own_table() -> Table {
    let own = format!("index_laws_{}", std::process::id());
    Table::parse("orders.toml", &ORDERS.replace("\"orders", &format!("\"{own}"))).unwrap()
}

/// SplitMix64.
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap()
}

/// Puts, moves and deletes of a few orders that all writers share; dies at a random call.
fn write(store: &dyn Store, table: &Table, open: &OpenTable, seed: u64) {
    let mut state = seed;
    let (left, dead) = (AtomicUsize::new(random(&mut state) % 60 + 10), AtomicUsize::new(0));
    let ask = |_| match left.load(Ordering::Relaxed) {
        0 => Turn::Die(if dead.fetch_add(1, Ordering::Relaxed) == 0 { 1 } else { 0 }),
        calls => {
            left.store(calls - 1, Ordering::Relaxed);
            Turn::Go
        }
    };
    let store = Asking { store, ask, together: false, gets_are_quick: false };
    let writer = IndexedWriter::new(&store, table, open);
    loop {
        let mut record = || {
            let seller = format!("s{}", random(&mut state) % 3);
            let amount = [None, Some(1), Some(2)][random(&mut state) % 3];
            let note = ["x", "y"].get(random(&mut state) % 3).copied();
            order(i128::try_from(random(&mut state) % 4).unwrap(), "o", &seller, amount, note)
        };
        let records: Vec<Record> = (0..3).map(|_| record()).collect();
        let done = match random(&mut state) % 4 {
            0 => writer.delete(&records.iter().map(|record| key(table, record)).collect::<Vec<_>>()),
            _ => writer.put(&rows(table, &records, None)),
        };
        if done.is_err() {
            assert!(dead.load(Ordering::Relaxed) > 0, "{done:?}");
            return;
        }
    }
}

#[test]
fn the_laws_of_index_tables_hold_on_hbase() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let table = own_table();
    let open = create(&store, &table);
    let mut found_differences = 0;
    for round in 0..6u64 {
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let (store, table, open) = (&store, &table, &open);
                scope.spawn(move || write(store, table, open, round * 10 + writer));
            }
            scope.spawn(|| {
                build(&store, &table, &open, &every(&table), &BuildOptions::default(), &mut |_| {}).unwrap();
            });
        });
        reads_agree(&store, &table, &open).unwrap();
        if round % 2 == 1
            && let Some(row) = scan(&store, &open.indexes[0].name).row(0)
        {
            let newest = row.cells().map(|cell| cell.timestamp).max().unwrap();
            store.mutate(&open.indexes[0].name, Delete::row_at(row.key(), newest).into()).unwrap();
        }
        let found = verify(&store, &table, &open);
        found_differences += differences(&found);
        repair(&store, &table, &open);
        let left = verify(&store, &table, &open);
        assert!(is_clean(&left), "round {round}: {left:?}");
        reads_agree(&store, &table, &open).unwrap();
        if round == 3 {
            // What a compaction takes away changes nothing.
            store.major_compact(&open.name).unwrap();
            store.major_compact(&open.indexes[1].name).unwrap();
            assert!(is_clean(&verify(&store, &table, &open)));
        }
    }
    assert!(found_differences > 0, "something was there to be found");
    create::drop(&store, &table).unwrap();
    assert!(!store.table_exists(&open.indexes[0].name).unwrap());
}
