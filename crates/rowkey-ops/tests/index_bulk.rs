//! A load or build of index tables in bulk leaves what puts would leave, and all of it or nothing when it is killed.
//!
//! `ROWKEY_TEST_BULK_KILLS=100 cargo test -p rowkey-ops --test it index_bulk:: -- --nocapture` is the long run.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::index_place::*;
use proptest::prelude::*;
use rowkey_core::{Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{self, BuildOptions, IndexedWriter, tables};
use rowkey_ops::load::{self, Data, LoadOptions, LoadReport};
use rowkey_store::conformance::model::Model;
use rowkey_store::{Admin, RowStore, Store, TruncateSplits};

const FOLDER: &str = "ROWKEY_TEST_BULK_KILL_FOLDER";
const KILLS: &str = "ROWKEY_TEST_BULK_KILLS";

fn open_store(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, Options::default().durability(Durability::Buffered)).unwrap()
}

/// One line of data: 4 users, 3 numbers, 3 sellers, 3 amounts or none, 2 notes or none.
#[derive(Debug, Clone)]
struct Line(u8, u8, u8, u8, u8);

impl Line {
    fn record(&self) -> Record {
        let Self(user, number, seller, amount, note) = *self;
        let amount = (amount % 4 > 0).then_some(i128::from(amount % 4));
        let note = ["x", "y"].get(usize::from(note % 3)).copied();
        let number = ["a", "b", "c"][usize::from(number % 3)];
        order((user % 4).into(), number, ["s1", "s2", "s12"][usize::from(seller % 3)], amount, note)
    }
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = any::<(u8, u8, u8, u8, u8)>().prop_map(|(a, b, c, d, e)| Line(a, b, c, d, e));
    prop::collection::vec(line, 0..40)
}

fn csv(records: impl IntoIterator<Item = Record>) -> String {
    let mut text = "user,number,seller,amount,note\n".to_owned();
    for record in records {
        let value = |value: &Value<'_>| if *value == Value::Null { String::new() } else { value.to_string() };
        let values: Vec<String> = record.iter().map(value).collect();
        writeln!(text, "{}", values.join(",")).unwrap();
    }
    text
}

fn load(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    file: &Path,
    text: &str,
    in_bulk: bool,
) -> LoadReport {
    std::fs::write(file, text).unwrap();
    let bulk_from_bytes = if in_bulk { 0 } else { u64::MAX };
    // Little enough that sorting spills.
    let options = LoadOptions { bulk_from_bytes, sort_memory: text.len() / 3, ..LoadOptions::new("here") };
    load::run(store, table, open, &Data::File(file.to_owned()), &options, &mut |_| {}).unwrap()
}

/// A store with the table, and a place for data.
struct Fixture {
    folder: tempfile::TempDir,
    store: EmbeddedStore,
    table: Table,
    open: OpenTable,
}

impl Fixture {
    fn new() -> Self {
        let folder = rowkey_testing::folder::without_waiting();
        let (store, table) = (open_store(&folder.path().join("store")), table());
        let open = create(&store, &table);
        Self { folder, store, table, open }
    }

    fn load(&self, lines: &[Line], in_bulk: bool) -> LoadReport {
        let text = csv(lines.iter().map(Line::record));
        load(&self.store, &self.table, &self.open, &self.folder.path().join("data.csv"), &text, in_bulk)
    }

    fn records(&self) -> BTreeMap<Vec<u8>, Record> {
        scanned(&self.store, &self.table, &self.open).into_iter().collect()
    }

    fn is_right(&self) {
        reads_agree(&self.store, &self.table, &self.open).unwrap();
        let found = verify(&self.store, &self.table, &self.open);
        assert!(is_clean(&found), "{found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_bulk_load_leaves_what_puts_leave(first in lines(), second in lines(), deleted in 0..8usize) {
        let (bulk, puts) = (Fixture::new(), Fixture::new());
        let mut expected: BTreeMap<Vec<u8>, Record> = BTreeMap::new();
        for (place, in_bulk) in [(&bulk, true), (&puts, false)] {
            let report = place.load(&first, in_bulk);
            prop_assert_eq!(report.in_bulk, in_bulk);
            let (all, keys) = (first.len(), first.iter().map(|line| key(&place.table, &line.record())));
            let different = keys.collect::<std::collections::BTreeSet<_>>().len();
            prop_assert_eq!(report.replaced, Some((all - different) as u64));
            place.is_right();
        }
        expected.extend(first.iter().map(|line| (key(&bulk.table, &line.record()), line.record())));
        prop_assert_eq!(&bulk.records(), &expected);
        prop_assert_eq!(&puts.records(), &expected);
        // What was deleted between two loads stays away.
        let gone: Vec<Vec<u8>> = expected.keys().take(deleted).cloned().collect();
        for place in [&bulk, &puts] {
            IndexedWriter::new(&place.store, &place.table, &place.open).delete(&gone).unwrap();
        }
        gone.iter().for_each(|key| drop(expected.remove(key)));
        let reports = [bulk.load(&second, true), puts.load(&second, false)];
        prop_assert_eq!(reports[0].replaced, reports[1].replaced);
        expected.extend(second.iter().map(|line| (key(&bulk.table, &line.record()), line.record())));
        for place in [&bulk, &puts] {
            prop_assert_eq!(&place.records(), &expected);
            place.is_right();
        }
    }
}

/// A row that is there with a later cell time hides the one that is loaded, either way.
#[test]
fn an_earlier_row_does_not_win() {
    let place = Fixture::new();
    let later = order(1, "a", "s1", Some(1), None);
    let far = i64::MAX / 4;
    let writer = IndexedWriter::new(&place.store, &place.table, &place.open);
    writer.put(&rows(&place.table, std::slice::from_ref(&later), Some(far))).unwrap();
    for in_bulk in [true, false] {
        place.load(&[Line(1, 0, 1, 2, 0), Line(2, 0, 1, 2, 0)], in_bulk);
        let records = place.records();
        assert_eq!(records.get(&key(&place.table, &later)), Some(&later));
        assert_eq!(records.len(), 2);
        place.is_right();
    }
}

/// A build in bulk gives way to writers, and finds what they wrote.
#[test]
fn a_build_in_bulk_and_a_writer() {
    let place = Fixture::new();
    place.load(&(0..200u8).map(|n| Line(n, n / 4, n, n, n)).collect::<Vec<_>>(), true);
    let open = create::open(&place.store, &place.table).unwrap();
    for index in &open.indexes {
        place.store.truncate_table(&index.name, TruncateSplits::Keep).unwrap();
    }
    let newer = order(3, "c", "newer", Some(9), None);
    let mut written = false;
    let built = index::build(
        &place.store,
        &place.table,
        &open,
        &every(&place.table),
        &BuildOptions::default(),
        &mut |done| {
            if done.rows > 0 && !std::mem::replace(&mut written, true) {
                let writer = IndexedWriter::new(&place.store, &place.table, &open);
                writer.put(&rows(&place.table, std::slice::from_ref(&newer), None)).unwrap();
            }
        },
    );
    assert_eq!(built.unwrap().rows, 12);
    assert!(written);
    assert_eq!(place.records().get(&key(&place.table, &newer)), Some(&newer));
    place.is_right();
}

/// A bulk load writes the entries of all rows, so that an index table that was new is complete.
#[test]
fn a_bulk_load_completes_new_index_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (store, table) = (open_store(&folder.path().join("store")), table());
    let (start, _) = ORDERS.split_once("[[index]]").unwrap();
    let plain = Table::parse("orders.toml", start).unwrap();
    create::create(&store, &plain).unwrap();
    let old = order(77, "old", "s1", Some(1), None);
    store.put_batch(&"orders".parse().unwrap(), &rows(&plain, std::slice::from_ref(&old), Some(5))).unwrap();
    tables::add(&store, &table).unwrap();
    let open = create::open(&store, &table).unwrap();
    assert!(open.indexes.iter().all(|index| !index.ready));
    let text = csv((0..30u8).map(|n| Line(n, n, n, n, n).record()));
    assert!(load(&store, &table, &open, &folder.path().join("data.csv"), &text, true).in_bulk);
    let open = create::open(&store, &table).unwrap();
    assert!(open.indexes.iter().all(|index| index.ready));
    assert!(is_clean(&verify(&store, &table, &open)));
    assert!(scanned(&store, &table, &open).iter().any(|(_, record)| *record == old));
}

/// Where tables do not change in one moment, index tables are out of use during a first load, and right after it; also when the
/// load dies on the way and is begun again, and when somebody else writes meanwhile.
#[test]
fn a_first_load_takes_index_tables_out_of_use() {
    let lines: Vec<Line> = (0..200u8).map(|n| Line(n, n / 4, n / 7, n / 3, n / 5)).collect();
    let text = csv(lines.iter().map(Line::record));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.csv");
    let mut died = 0;
    for writes in 0..20 {
        let (model, table) = (Model::default(), table());
        let open = create(&model, &table);
        let calls = AtomicUsize::new(0);
        let ask = |call: Call| {
            let dead = call.writes && calls.fetch_add(1, Ordering::Relaxed) >= writes;
            if dead { Turn::Die(2) } else { Turn::Go }
        };
        let broken = Asking { store: &model, ask, together: false, gets_are_quick: false };
        std::fs::write(&file, &text).unwrap();
        let options = LoadOptions { bulk_from_bytes: 0, ..LoadOptions::new("here") };
        let data = Data::File(file.clone());
        let mut other = Some(order(1, "b", "somebody else", Some(3), None));
        let loaded = load::run(&broken, &table, &open, &data, &options, &mut |_| {
            let in_use = create::open(&model, &table).unwrap().indexes.iter().any(|index| index.ready);
            assert!(!in_use || calls.load(Ordering::Relaxed) == 0, "reads may take what is not right yet");
            if calls.load(Ordering::Relaxed) > 0
                && let Some(record) = other.take()
            {
                IndexedWriter::new(&model, &table, &open).put(&rows(&table, &[record], None)).unwrap();
            }
        });
        if loaded.is_err() {
            died += 1;
            let open = create::open(&model, &table).unwrap();
            load::run(&model, &table, &open, &data, &options, &mut |_| {}).unwrap();
        }
        let open = create::open(&model, &table).unwrap();
        assert!(open.indexes.iter().all(|index| index.ready), "{writes} writes");
        let found = verify(&model, &table, &open);
        assert!(is_clean(&found), "{writes} writes: {found:?}");
        reads_agree(&model, &table, &open).unwrap();
        let expected: BTreeMap<Vec<u8>, Record> =
            lines.iter().map(|line| (key(&table, &line.record()), line.record())).collect();
        let records: BTreeMap<Vec<u8>, Record> = scanned(&model, &table, &open).into_iter().collect();
        assert_eq!(records.len(), expected.len());
        assert!(records.iter().filter(|(key, record)| expected.get(*key) != Some(record)).count() <= 1);
    }
    assert!((3..20).contains(&died), "{died} loads died");
}

/// The rows of the load that is killed.
fn many() -> Vec<Record> {
    let record = |n: i128| {
        let note = format!("note {n}");
        order(n % 997, &format!("n{n}"), &format!("s{}", n % 50), Some(n % 7), Some(&note))
    };
    (0..20_000).map(record).collect()
}

/// Not a test of its own: loads in bulk, builds in bulk, and begins again until it is killed.
#[test]
fn child_that_loads_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let (store, table) = (open_store(&folder.join("store")), table());
    let text = csv(many());
    writeln!(std::io::stdout(), "\nready").unwrap();
    loop {
        if !store.table_exists(&"orders".parse().unwrap()).unwrap() {
            create::create(&store, &table).unwrap();
        }
        let open = create::open(&store, &table).unwrap();
        let report = load(&store, &table, &open, &folder.join("data.csv"), &text, true);
        assert!(report.in_bulk);
        let options = BuildOptions { sort_memory: 200_000, ..BuildOptions::default() };
        index::build(&store, &table, &open, &every(&table), &options, &mut |_| {}).unwrap();
        create::drop(&store, &table).unwrap();
    }
}

#[test]
fn a_bulk_load_that_is_killed_leaves_all_or_nothing() {
    let kills = std::env::var(KILLS).ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(6);
    let (table, all) = (table(), many());
    let (mut full, mut empty, mut absent) = (0, 0, 0);
    let folder = tempfile::tempdir().unwrap();
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "index_bulk::child_that_loads_until_it_is_killed", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "ready"), "the child opens the store");
        std::thread::sleep(Duration::from_millis(u64::try_from(kill * 7919 % 1500).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = open_store(&folder.path().join("store"));
        if !store.table_exists(&"orders".parse().unwrap()).unwrap() {
            absent += 1;
            continue;
        }
        let open = create::open(&store, &table).unwrap();
        let rows = scan(&store, &open.name).len();
        assert!([0, all.len()].contains(&rows), "{rows} rows after kill {kill}");
        assert!(is_clean(&verify(&store, &table, &open)), "after kill {kill}");
        for index in &open.indexes {
            assert_eq!(scan(&store, &index.name).len(), rows, "kill {kill}, {}", index.name);
        }
        if rows == 0 {
            empty += 1
        } else {
            full += 1
        }
        assert!(tables::readable(table.clone(), Some(&open)) == table, "all index tables are ready");
    }
    println!(
        "{kills} kills: {full} times all rows with all entries, {empty} times none, {absent} times no table"
    );
    assert_eq!(full + empty + absent, kills);
}
