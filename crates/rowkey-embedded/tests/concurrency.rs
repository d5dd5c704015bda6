//! Does a reader ever see half a row while many write?

mod tables;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rowkey::range::KeyRange;
use rowkey_store::{Direction, Get, LATEST_TIMESTAMP, RowBatch, RowView, Scan, Store};
use tables::{create, name, open};

const WRITERS: usize = 4;
const BATCHES: usize = 150;
const ROWS: usize = 20;

/// All four cells of a row are always written together with one value.
fn assert_whole(row: RowView<'_>) {
    let values: Vec<&[u8]> = row.cells().map(|cell| cell.value).collect();
    assert!(values.len() == 4 && values.iter().all(|value| *value == values[0]), "{row:?}");
}

#[test]
fn rows_over_two_families_are_never_seen_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["a", "d"], &["row-05", "row-10"]);
    let (running, reads) = (AtomicBool::new(true), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, table) = (&store, &table);
                scope.spawn(move || {
                    for number in 0..BATCHES {
                        let value = format!("{writer}-{number}");
                        let mut batch = RowBatch::new();
                        for row in 0..ROWS {
                            batch.begin_row(format!("row-{row:02}").as_bytes());
                            for (family, qualifier) in [("a", "x"), ("d", "x"), ("a", "y"), ("d", "y")] {
                                let (family, qualifier) = (family.as_bytes(), qualifier.as_bytes());
                                batch.cell(family, qualifier, LATEST_TIMESTAMP, value.as_bytes());
                            }
                        }
                        store.put_batch(table, &batch).unwrap();
                    }
                })
            })
            .collect();
        for direction in [Direction::Forward, Direction::Reverse] {
            let (store, table, running, reads) = (&store, &table, &running, &reads);
            scope.spawn(move || {
                let scan = Scan { direction, batch_rows: 3, ..Scan::new(KeyRange::all()) };
                let mut batch = RowBatch::new();
                while running.load(Ordering::Relaxed) {
                    let mut scanner = store.scan(table, &scan).unwrap();
                    let mut of_this_scan: Option<Vec<u8>> = None;
                    while scanner.next_batch(&mut batch).unwrap() {
                        for row in batch.rows() {
                            assert_whole(row);
                            // One snapshot: all rows are those of one batch.
                            let value = row.value(b"a", b"x").unwrap();
                            assert_eq!(of_this_scan.get_or_insert_with(|| value.to_vec()), value);
                            reads.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    let mut found = RowBatch::new();
                    if store.get(table, &Get::new("row-07"), &mut found).unwrap() {
                        assert_whole(found.row(0).unwrap());
                    }
                }
            });
        }
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        running.store(false, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });

    assert!(reads.load(Ordering::Relaxed) > 0);
    let writes: u64 = store.regions(&table).unwrap().iter().map(|region| region.writes).sum();
    assert_eq!(writes, (WRITERS * BATCHES * ROWS) as u64);
}

#[test]
fn tables_come_and_go_while_others_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    create(&store, "stays", &["d"], &[]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..10 {
                let table = create(&store, "comes_and_goes", &["d"], &["m"]);
                store.drop_table(&table).unwrap();
            }
        });
        scope.spawn(|| {
            for number in 0..300 {
                let key = format!("{number:03}");
                store.put_batch(&name("stays"), &tables::rows(&[(&key, &[("d", "q", 1, "v")])])).unwrap();
            }
        });
    });
    drop(store);
    let store = open(folder.path());
    assert!(store.describe(&name("comes_and_goes")).is_err());
    assert_eq!(tables::scan(&store, &name("stays"), &Scan::new(KeyRange::all())).unwrap().len(), 300);
}
