//! Does a reader ever see half a row, or a writer lose a count, while many write?

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::tables::{self, create, name, open};
use rowkey_core::range::KeyRange;
use rowkey_embedded::EmbeddedStore;
use rowkey_store::filter::{Comparator, CompareOp};
use rowkey_store::{
    Admin, CheckAndMutate, Condition, Delete, Direction, Get, Increment, LATEST_TIMESTAMP, Mutation,
    Operation, Put, RowBatch, RowMutations, RowStore, RowView, Scan, TableName,
};

const WRITERS: usize = 8;
const SCANNERS: usize = 4;
const ROWS: usize = 20;

/// So many increments; the issue's million is asked for by `ROWKEY_TEST_INCREMENTS=1000000`.
fn increments() -> usize {
    std::env::var("ROWKEY_TEST_INCREMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(16_000)
}

/// All four cells of a row are always written together with one value.
fn assert_whole(row: RowView<'_>) {
    let values: Vec<&[u8]> = row.cells().map(|cell| cell.value).collect();
    assert!(values.len() == 4 && values.iter().all(|value| *value == values[0]), "{row:?}");
}

const CELLS: [(&str, &str); 4] = [("a", "x"), ("d", "x"), ("a", "y"), ("d", "y")];

/// One of the ways to write a row whole: in a batch of rows, alone, together with a delete of what was there, or if a
/// check holds.
fn write(store: &EmbeddedStore, table: &TableName, writer: usize, number: usize) {
    let value = format!("{writer}-{number}");
    let put = |row: usize| {
        let put = Put::new(format!("row-{row:02}"));
        CELLS.iter().fold(put, |put, (family, qualifier)| put.cell(*family, *qualifier, value.as_bytes()))
    };
    let row = (writer * 7 + number) % ROWS;
    match number % 4 {
        0 => {
            let mut batch = RowBatch::new();
            for row in 0..ROWS {
                batch.begin_row(format!("row-{row:02}").as_bytes());
                for (family, qualifier) in CELLS {
                    batch.cell(family.as_bytes(), qualifier.as_bytes(), LATEST_TIMESTAMP, value.as_bytes());
                }
            }
            store.put_batch(table, &batch).expect("a good change");
        }
        1 => drop(store.mutate(table, put(row).into()).expect("a good change")),
        2 => {
            let put = put(row);
            // What is hidden is in the past, so concurrent readers see the row whole.
            let delete = Delete::row_at(put.row.clone(), 1000);
            let mutations = vec![Mutation::Delete(delete), Mutation::Put(put.clone())];
            store.mutate_row(table, RowMutations { row: put.row, mutations }).expect("a good change");
        }
        _ => {
            let not_empty = Condition::Value {
                family: b"a".to_vec(),
                qualifier: b"x".to_vec(),
                op: CompareOp::NotEqual,
                comparator: Comparator::Binary(Vec::new()),
            };
            store.check_and_mutate(table, CheckAndMutate::new(not_empty, put(row))).expect("a good change");
        }
    }
}

#[test]
fn rows_over_two_families_are_never_seen_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["a", "d"], &["row-05", "row-10"]);
    let (running, reads) = (AtomicBool::new(true), AtomicUsize::new(0));
    write(&store, &table, 0, 0);

    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, table) = (&store, &table);
                scope.spawn(move || (0..120).for_each(|number| write(store, table, writer, number)))
            })
            .collect();
        for scanner in 0..SCANNERS {
            let (store, table, running, reads) = (&store, &table, &running, &reads);
            let direction = if scanner % 2 == 0 { Direction::Forward } else { Direction::Reverse };
            scope.spawn(move || {
                let scan = Scan { direction, batch_rows: 3, ..Scan::new(KeyRange::all()) };
                let mut batch = RowBatch::new();
                while running.load(Ordering::Relaxed) {
                    let mut scanner = store.scan(table, &scan).unwrap();
                    let mut rows = 0;
                    while scanner.next_batch(&mut batch).unwrap() {
                        batch.rows().for_each(assert_whole);
                        rows += batch.len();
                    }
                    assert_eq!(rows, ROWS);
                    reads.fetch_add(rows, Ordering::Relaxed);
                    let mut found = RowBatch::new();
                    assert!(store.get(table, &Get::new("row-07"), &mut found).unwrap());
                    assert_whole(found.row(0).unwrap());
                }
            });
        }
        // Compactions, splits and merges meanwhile lose and halve nothing.
        for round in 0..6 {
            store.major_compact(&table).unwrap();
            let regions = store.regions(&table).unwrap();
            if round % 2 == 0 {
                let last = &regions.last().unwrap().name;
                store.split_region(&table, last, Some(b"row-15")).unwrap();
            } else {
                let names: Vec<String> = regions[2..].iter().map(|region| region.name.clone()).collect();
                store.merge_regions(&table, &names).unwrap();
            }
        }
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        running.store(false, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    assert!(reads.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_batch_of_rows_is_seen_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["a", "d"], &["row-05"]);
    let running = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (store, table) = (&store, &table);
                scope.spawn(move || (0..60).for_each(|number| write(store, table, writer, 4 * number)))
            })
            .collect();
        scope.spawn(|| {
            let mut batch = RowBatch::new();
            while running.load(Ordering::Relaxed) {
                let mut scanner = store.scan(&table, &Scan::new(KeyRange::all())).unwrap();
                let mut of_this_scan: Option<Vec<u8>> = None;
                while scanner.next_batch(&mut batch).unwrap() {
                    for row in batch.rows() {
                        let value = row.value(b"a", b"x").unwrap();
                        assert_eq!(of_this_scan.get_or_insert_with(|| value.to_vec()), value);
                    }
                }
            }
        });
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        running.store(false, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    let writes: u64 = store.regions(&table).unwrap().iter().map(|region| region.writes).sum();
    assert_eq!(writes, (4 * 60 * ROWS) as u64);
}

#[test]
fn no_increment_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["a", "d"], &["m"]);
    let (each, running) = (increments() / WRITERS, AtomicBool::new(true));
    let counter = |bytes: &[u8]| i64::from_be_bytes(bytes.try_into().unwrap());
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, table) = (&store, &table);
                scope.spawn(move || {
                    let mut left = each;
                    while left > 0 {
                        let batch = left.min(50);
                        let one = |at: usize| -> Operation {
                            let row = if (writer + at).is_multiple_of(2) { "b" } else { "z" };
                            Increment::new(row).add("a", "n", 1).add("d", "n", 1).into()
                        };
                        let operations: Vec<Operation> = (0..batch).map(one).collect();
                        let results = store.batch(table, &operations).unwrap();
                        results.into_iter().for_each(|result| drop(result.unwrap()));
                        left -= batch;
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            // Both families of a row always tell the same number, and numbers never fall.
            let (mut batch, mut last) = (RowBatch::new(), 0);
            while running.load(Ordering::Relaxed) {
                batch.clear();
                if store.get(&table, &Get::new("b"), &mut batch).unwrap() {
                    let row = batch.row(0).unwrap();
                    let (a, d) =
                        (counter(row.value(b"a", b"n").unwrap()), counter(row.value(b"d", b"n").unwrap()));
                    assert!(a == d && a >= last, "{a} {d} {last}");
                    last = a;
                }
            }
        });
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        running.store(false, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    let found = tables::scan(&store, &table, &Scan::new(KeyRange::all())).unwrap();
    let sum: i64 = found.rows().map(|row| counter(row.value(b"d", b"n").unwrap())).sum();
    assert_eq!(sum, (each * WRITERS) as i64);
}

/// Eight threads take numbered tickets from one cell by check-and-mutate; each number is taken once.
#[test]
fn a_check_is_not_overtaken() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    store.mutate(&table, Put::new("r").cell("d", "n", "0").into()).unwrap();
    let taken: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    loop {
                        let mut found = RowBatch::new();
                        store.get(&table, &Get::new("r"), &mut found).unwrap();
                        let present = found.row(0).unwrap().value(b"d", b"n").unwrap().to_vec();
                        let number: u32 = String::from_utf8(present.clone()).unwrap().parse().unwrap();
                        if number >= 400 {
                            return mine;
                        }
                        let is_still = Condition::Value {
                            family: b"d".to_vec(),
                            qualifier: b"n".to_vec(),
                            op: CompareOp::Equal,
                            comparator: Comparator::Binary(present),
                        };
                        let next = Put::new("r").cell("d", "n", (number + 1).to_string());
                        if store.check_and_mutate(&table, CheckAndMutate::new(is_still, next)).unwrap() {
                            mine.push(number);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut all: Vec<u32> = taken.into_iter().flatten().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..400));
}

#[test]
fn tables_come_and_go_and_change_while_others_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let stays = create(&store, "stays", &["d"], &[]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..10 {
                let table = create(&store, "comes_and_goes", &["d"], &["m"]);
                store.drop_table(&table).unwrap();
            }
        });
        scope.spawn(|| {
            for _ in 0..10 {
                let mut table = store.describe(&stays).unwrap();
                match table.families.len() {
                    1 => table.families.push(rowkey_store::Family::new("e")),
                    _ => drop(table.families.pop()),
                }
                store.alter_table(&table).unwrap();
            }
        });
        scope.spawn(|| {
            for number in 0..300 {
                let key = format!("{number:03}");
                store.put_batch(&stays, &tables::rows(&[(&key, &[("d", "q", 1, "v")])])).unwrap();
            }
        });
    });
    drop(store);
    let store = open(folder.path());
    assert!(store.describe(&name("comes_and_goes")).is_err());
    assert_eq!(tables::scan(&store, &stays, &Scan::new(KeyRange::all())).unwrap().len(), 300);
}
