//! Does the store answer as a plain sorted map would, whatever is done in whatever order?
//!
//! Random puts, gets, scans, reopens and steps of a test clock, on a table of two families and three regions. The
//! model keeps every cell in a map and works out each answer from the rules alone.

mod tables;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use rowkey::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{
    Columns, Direction, Family, Get, LATEST_TIMESTAMP, RowBatch, Scan, Store, TableDescriptor,
};
use tables::{descriptor, name, scan};

/// Family, qualifier, timestamp (`None`: the store's clock), value.
type Cell = (Vec<u8>, Vec<u8>, Option<i64>, u16);

#[derive(Debug, Clone)]
enum Operation {
    Put(Vec<(Vec<u8>, Vec<Cell>)>),
    Get(Vec<u8>, Columns),
    Scan(Scan),
    Tick(i64),
    Reopen,
}

fn few(values: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> + Clone {
    prop::sample::select(values).prop_map(<[u8]>::to_vec)
}

fn row() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[
        b"\0",
        b"\0\0",
        b"a",
        b"a\0",
        b"a\0\0b",
        b"a\0b",
        b"aa",
        b"b",
        b"m",
        b"m\0",
        b"x",
        b"\xFF",
        b"\xFF\xFF",
    ])
}

fn qualifier() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[b"", b"\0", b"p", b"p\0", b"pp", b"q"])
}

fn family() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[b"a", b"d"])
}

fn columns() -> impl Strategy<Value = Columns> {
    let column = (family(), prop::option::weighted(0.8, qualifier()));
    prop_oneof![
        2 => Just(Columns::All),
        2 => prop::collection::vec(column, 0..7).prop_map(Columns::Only),
    ]
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![Just(Bound::Unbounded), row().prop_map(Bound::Included), row().prop_map(Bound::Excluded)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let timestamp =
        prop_oneof![Just(None), prop::sample::select(&[0i64, 5000, 7000, 8000, 9000][..]).prop_map(Some)];
    let cells = prop::collection::vec((family(), qualifier(), timestamp, any::<u16>()), 1..5);
    let scan = (bound(), bound(), any::<bool>(), columns(), prop::option::of(0usize..6), 1usize..5).prop_map(
        |(start, end, reverse, columns, limit, batch_rows)| Scan {
            direction: if reverse { Direction::Reverse } else { Direction::Forward },
            columns,
            limit,
            batch_rows,
            ..Scan::new(KeyRange { start, end })
        },
    );
    prop_oneof![
        8 => prop::collection::vec((row(), cells), 1..5).prop_map(Operation::Put),
        4 => (row(), columns()).prop_map(|(row, columns)| Operation::Get(row, columns)),
        6 => scan.prop_map(Operation::Scan),
        2 => prop::sample::select(&[1i64, 999, 1000][..]).prop_map(Operation::Tick),
        1 => Just(Operation::Reopen),
    ]
}

/// Family `a`: one version, 3 seconds to live. Family `d`: three versions, 2 seconds, and the newest outlives them.
fn table() -> TableDescriptor {
    let mut table = descriptor("t", &["d", "a"]);
    table.families[1] = Family { ttl_seconds: Some(3), ..Family::new("a") };
    table.families[0] = Family { versions: 3, min_versions: 1, ttl_seconds: Some(2), ..Family::new("d") };
    table
}

/// Row, family, qualifier, falling timestamp.
type Coordinates = (Vec<u8>, Vec<u8>, Vec<u8>, Reverse<i64>);

#[derive(Default)]
struct Model {
    cells: BTreeMap<Coordinates, Vec<u8>>,
}

impl Model {
    /// All rows that a read at `now` sees, restricted to the columns asked for.
    fn rows(&self, now: i64, columns: &Columns) -> Vec<RowBatch> {
        let mut rows: Vec<RowBatch> = Vec::new();
        let mut last_column = None;
        for ((row, family, qualifier, Reverse(timestamp)), value) in &self.cells {
            let is_newest = last_column.replace((row, family, qualifier)) != Some((row, family, qualifier));
            let lives = if family == b"a" { *timestamp >= now - 3000 } else { true };
            if !is_newest || !lives || !columns.contains(family, qualifier) {
                continue;
            }
            if rows.last().and_then(|batch| batch.row(0)).is_none_or(|last| last.key() != row) {
                let mut batch = RowBatch::new();
                batch.begin_row(row);
                rows.push(batch);
            }
            if let Some(batch) = rows.last_mut() {
                batch.cell(family, qualifier, *timestamp, value);
            }
        }
        rows
    }

    fn scan(&self, now: i64, scan: &Scan) -> RowBatch {
        let mut rows = self.rows(now, &scan.columns);
        rows.retain(|batch| batch.row(0).is_some_and(|row| scan.range.contains(row.key())));
        if scan.direction == Direction::Reverse {
            rows.reverse();
        }
        rows.truncate(scan.limit.unwrap_or(usize::MAX));
        join(&rows)
    }
}

fn join(rows: &[RowBatch]) -> RowBatch {
    let mut all = RowBatch::new();
    rows.iter().flat_map(RowBatch::rows).for_each(|row| all.push_row(row));
    all
}

fn open(folder: &Path, clock: &Arc<AtomicI64>) -> EmbeddedStore {
    let clock = Arc::clone(clock);
    let options =
        Options::default().durability(Durability::Buffered).clock(move || clock.load(Ordering::Relaxed));
    EmbeddedStore::open(folder, options).expect("the folder is good")
}

fn run(operations: &[Operation]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clock = Arc::new(AtomicI64::new(10_000));
    let mut store = open(folder.path(), &clock);
    store.create_table(&table(), &[b"a\0".to_vec(), b"m".to_vec()]).expect("a new table");
    let table = name("t");
    let mut model = Model::default();
    for operation in operations {
        let now = clock.load(Ordering::Relaxed);
        match operation {
            Operation::Put(rows) => {
                let mut batch = RowBatch::new();
                for (row, cells) in rows {
                    batch.begin_row(row);
                    for (family, qualifier, timestamp, value) in cells {
                        let value = value.to_be_bytes();
                        batch.cell(family, qualifier, timestamp.unwrap_or(LATEST_TIMESTAMP), &value);
                        let coordinates = (
                            row.clone(),
                            family.clone(),
                            qualifier.clone(),
                            Reverse(timestamp.unwrap_or(now)),
                        );
                        model.cells.insert(coordinates, value.to_vec());
                    }
                }
                store.put_batch(&table, &batch).expect("good rows");
            }
            Operation::Get(row, columns) => {
                let mut found = RowBatch::new();
                let get = Get { columns: columns.clone(), ..Get::new(row.clone()) };
                let there = store.get(&table, &get, &mut found).expect("a good get");
                let mut expected = model.rows(now, columns);
                expected.retain(|batch| batch.row(0).is_some_and(|found| found.key() == row));
                prop_assert_eq!(there, !expected.is_empty());
                prop_assert_eq!(found, join(&expected));
            }
            Operation::Scan(asked) => {
                let found = scan(&store, &table, asked).expect("a good scan");
                prop_assert_eq!(found, model.scan(now, asked), "{:?}", asked);
            }
            Operation::Tick(milliseconds) => drop(clock.fetch_add(*milliseconds, Ordering::Relaxed)),
            Operation::Reopen => {
                drop(store);
                store = open(folder.path(), &clock);
            }
        }
    }
    Ok(())
}

/// A few seconds' worth; `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 48 };
    ProptestConfig { cases, ..default }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_store_answers_as_the_model(operations in prop::collection::vec(operation(), 1..60)) {
        run(&operations)?;
    }
}
