//! Random writes through index tables, with clocks that disagree, processes that die in the middle of a call, and
//! strangers that change one table alone: reads agree with a scan as long as only writers write, verify counts exactly what
//! a comparison by brute force counts, and repair leaves nothing.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::index_place::*;
use proptest::prelude::*;
use rowkey_core::Table;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create::OpenTable;
use rowkey_ops::index::{BuildOptions, IndexedWriter, build};
use rowkey_store::conformance::model::Model;
use rowkey_store::{Delete, Put, RowBatch, Store};

/// What happens to the tables.
#[derive(Debug, Clone)]
enum Event {
    /// A batch of orders, perhaps with a cell time, by a writer with this clock.
    Put {
        orders: Vec<Pick>,
        cell_time: Option<i64>,
        clock: i64,
    },
    Delete {
        orders: Vec<Pick>,
        clock: i64,
    },
    Build,
    Compact {
        nth: usize,
    },
    /// The next of the above dies at this call, with so many of its items done.
    Dies {
        call: usize,
        done: usize,
    },
}

/// What a stranger does to one table alone.
#[derive(Debug, Clone)]
enum Damage {
    RemoveEntry { index: usize, nth: usize },
    ChangeCopy { nth: usize },
    ChangeRow { nth: usize, seller: u8 },
    RemoveRow { nth: usize },
    InventEntry { seller: u8, user: u8 },
}

/// One order of a small world: 3 users, 2 numbers, 3 sellers, 3 amounts or none, 2 notes or none.
#[derive(Debug, Clone)]
struct Pick(u8, u8, u8, u8, u8);

impl Pick {
    fn record(&self) -> Record {
        let Self(user, number, seller, amount, note) = *self;
        let amount = (amount % 4 > 0).then_some(i128::from(amount % 4) - 2);
        let note = ["x", "y"].get(usize::from(note % 3)).copied();
        order((user % 3).into(), ["a", "a\0"][usize::from(number % 2)], seller_name(seller), amount, note)
    }
}

fn seller_name(seller: u8) -> &'static str {
    ["s1", "s12", "s\0"][usize::from(seller % 3)]
}

fn pick() -> impl Strategy<Value = Pick> {
    any::<(u8, u8, u8, u8, u8)>().prop_map(|(a, b, c, d, e)| Pick(a, b, c, d, e))
}

fn event() -> impl Strategy<Value = Event> {
    let orders = || prop::collection::vec(pick(), 1..4);
    let cell_time = prop::option::weighted(0.4, 95..105i64);
    prop_oneof![
        8 => (orders(), cell_time, 90..120i64).prop_map(|(orders, cell_time, clock)| Event::Put { orders, cell_time, clock }),
        3 => (orders(), 90..120i64).prop_map(|(orders, clock)| Event::Delete { orders, clock }),
        1 => Just(Event::Build),
        2 => (0..3usize).prop_map(|nth| Event::Compact { nth }),
        6 => (0..12usize, 0..4usize).prop_map(|(call, done)| Event::Dies { call, done }),
    ]
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0..2usize, 0..8usize).prop_map(|(index, nth)| Damage::RemoveEntry { index, nth }),
        (0..8usize).prop_map(|nth| Damage::ChangeCopy { nth }),
        (0..8usize, 0..3u8).prop_map(|(nth, seller)| Damage::ChangeRow { nth, seller }),
        (0..8usize).prop_map(|nth| Damage::RemoveRow { nth }),
        (0..3u8, 0..9u8).prop_map(|(seller, user)| Damage::InventEntry { seller, user }),
    ]
}

/// Does one event; a process that dies leaves what it had done.
fn happen(store: &dyn Store, table: &Table, open: &OpenTable, event: &Event, dies: Option<(usize, usize)>) {
    // Both ways of writing, one after the other: an older version wrote by the steps.
    let together = matches!(event, Event::Put { clock, .. } | Event::Delete { clock, .. } if clock % 2 == 0);
    let calls = AtomicUsize::new(0);
    let ask = |_call: Call| match dies {
        Some((call, done)) if calls.fetch_add(1, Ordering::Relaxed) >= call => {
            // Only the first call in which it is dead is half done.
            if calls.load(Ordering::Relaxed) == call + 1 { Turn::Die(done) } else { Turn::Die(0) }
        }
        _ => Turn::Go,
    };
    let store = Asking { store, ask, together, gets_are_quick: true };
    let writer = |clock: i64| IndexedWriter::new(&store, table, open).with_clock(Arc::new(move || clock));
    let outcome = match event {
        Event::Put { orders, cell_time, clock } => {
            let records: Vec<Record> = orders.iter().map(Pick::record).collect();
            writer(*clock).put(&rows(table, &records, *cell_time)).map(drop)
        }
        Event::Delete { orders, clock } => {
            let keys: Vec<Vec<u8>> = orders.iter().map(|pick| key(table, &pick.record())).collect();
            writer(*clock).delete(&keys).map(drop)
        }
        Event::Build => {
            build(&store, table, open, &every(table), &BuildOptions::default(), &mut |_| {}).map(drop)
        }
        Event::Compact { .. } | Event::Dies { .. } => Ok(()),
    };
    assert!(dies.is_some() || outcome.is_ok(), "{outcome:?}");
}

fn all_events(store: &dyn Store, table: &Table, open: &OpenTable, events: &[Event]) {
    let mut dies = None;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Dies { call, done } => dies = Some((*call, *done)),
            Event::Compact { nth } => {
                let names = [&open.name, &open.indexes[0].name, &open.indexes[1].name];
                store.major_compact(names[*nth]).unwrap();
            }
            event => happen(store, table, open, event, dies.take()),
        }
        if let Err(difference) = reads_agree(store, table, open) {
            panic!("after event {at}, {event:?}: {difference}");
        }
    }
}

/// Puts that were acknowledged show in a scan, deletes that were acknowledged too.
fn last_write_wins(store: &dyn Store, table: &Table, open: &OpenTable) {
    for (clock, pick) in [(300, Pick(0, 0, 0, 1, 1)), (5, Pick(0, 0, 1, 2, 2)), (300, Pick(0, 0, 2, 0, 0))] {
        let (record, writer) = (pick.record(), IndexedWriter::new(store, table, open));
        let writer = writer.with_clock(Arc::new(move || clock));
        assert_eq!(writer.put(&rows(table, std::slice::from_ref(&record), None)).unwrap().rows, 1);
        let found = scanned(store, table, open);
        assert!(found.iter().any(|(_, found)| *found == record), "{record:?} is not in {found:?}");
        if clock == 5 {
            assert_eq!(writer.delete(&[key(table, &record)]).unwrap().rows, 1);
            assert!(scanned(store, table, open).iter().all(|(found, _)| *found != key(table, &record)));
        }
    }
}

/// A stranger's change of one table; whether there was something to change.
fn harm(store: &dyn Store, table: &Table, open: &OpenTable, damage: &Damage) {
    let nth_row = |name, nth: usize| {
        let all = scan(store, name);
        let mut one = RowBatch::new();
        all.row(nth % all.len().max(1)).into_iter().for_each(|row| one.push_row(row));
        one
    };
    let newest = |row: rowkey_store::RowView<'_>| row.cells().map(|cell| cell.timestamp).max().unwrap();
    match damage {
        Damage::RemoveEntry { index, nth } => {
            let name = &open.indexes[*index].name;
            for row in nth_row(name, *nth).rows() {
                store.mutate(name, Delete::row_at(row.key(), newest(row)).into()).unwrap();
            }
        }
        Damage::ChangeCopy { nth } => {
            let name = &open.indexes[1].name;
            for row in nth_row(name, *nth).rows() {
                store
                    .mutate(name, Put::new(row.key()).cell_at("d", "s", newest(row), "other").into())
                    .unwrap();
            }
        }
        Damage::ChangeRow { nth, seller } => {
            for row in nth_row(&open.name, *nth).rows() {
                let put = Put::new(row.key()).cell_at("d", "s", newest(row) + 1, seller_name(*seller));
                store.mutate(&open.name, put.into()).unwrap();
            }
        }
        Damage::RemoveRow { nth } => {
            for row in nth_row(&open.name, *nth).rows() {
                store.mutate(&open.name, Delete::row_at(row.key(), newest(row)).into()).unwrap();
            }
        }
        Damage::InventEntry { seller, user } => {
            let record = order((*user).into(), "invented", seller_name(*seller), None, None);
            let mut key = Vec::new();
            table.indexes[0].key.encode(&record, &mut key).unwrap();
            store.mutate(&open.indexes[0].name, Put::new(key).cell_at("d", "_", 7, "U").into()).unwrap();
        }
    }
}

/// Missing and surplus entries of an index by brute force.
fn by_brute_force(store: &dyn Store, table: &Table, open: &OpenTable, nth: usize) -> (u64, u64) {
    let expected: BTreeMap<Vec<u8>, Record> = scanned(store, table, open)
        .into_iter()
        .map(|(_, record)| {
            let mut key = Vec::new();
            table.indexes[nth].key.encode(&record, &mut key).unwrap();
            (key, record)
        })
        .collect();
    let found: BTreeSet<Vec<u8>> =
        scan(store, &open.indexes[nth].name).rows().map(|row| row.key().to_vec()).collect();
    let missing = expected.keys().filter(|key| !found.contains(*key)).count();
    let surplus = found.iter().filter(|key| !expected.contains_key(*key)).count();
    (u64::try_from(missing).unwrap(), u64::try_from(surplus).unwrap())
}

/// Verify counts what is there, repair mends it, and nothing of the data changes.
fn verify_and_repair(store: &dyn Store, table: &Table, open: &OpenTable) {
    let before = scanned(store, table, open);
    let reports = verify(store, table, open);
    for (nth, report) in reports.iter().enumerate() {
        let (missing, surplus) = by_brute_force(store, table, open, nth);
        assert_eq!((report.missing, report.dangling + report.stale), (missing, surplus), "{report:?}");
        let named = u64::try_from(report.first.len()).unwrap();
        assert_eq!(named, report.differences(), "every difference is named");
    }
    let found = repair(store, table, open);
    assert_eq!(differences(&found), differences(&reports), "repair finds what verify finds");
    let left = verify(store, table, open);
    assert!(is_clean(&left), "{left:?}");
    reads_agree(store, table, open).unwrap();
    assert_eq!(scanned(store, table, open), before, "a repair changes no record");
}

/// As many cases as `PROPTEST_CASES` asks for.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), ..ProptestConfig::default() })]

    #[test]
    fn reads_through_an_index_are_reads_of_the_table(
        events in prop::collection::vec(event(), 1..20),
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let (model, table) = (Model::default(), table());
        let open = create(&model, &table);
        all_events(&model, &table, &open, &events);
        let found = verify(&model, &table, &open);
        prop_assert!(found.iter().all(|report| report.missing + report.wrong_copies == 0), "{found:?}");
        damages.iter().for_each(|damage| harm(&model, &table, &open, damage));
        verify_and_repair(&model, &table, &open);
        last_write_wins(&model, &table, &open);
        reads_agree(&model, &table, &open).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200) / 5, ..ProptestConfig::default() })]

    #[test]
    fn the_same_on_the_embedded_store(
        events in prop::collection::vec(event(), 1..20),
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let folder = rowkey_testing::folder::without_waiting();
        let store = EmbeddedStore::open(folder.path(), Options::default().durability(Durability::Buffered)).unwrap();
        let table = table();
        let open = create(&store, &table);
        all_events(&store, &table, &open, &events);
        damages.iter().for_each(|damage| harm(&store, &table, &open, damage));
        verify_and_repair(&store, &table, &open);
    }
}
