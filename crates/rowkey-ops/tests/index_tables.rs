//! Index tables come and go with their table, are built over rows that are there, and follow rows with cell times and an end.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::index_place::*;
use rowkey_core::{Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create::{self, TableError};
use rowkey_ops::index::{self, BuildOptions, IndexError, IndexedWriter, tables};
use rowkey_store::conformance::model::Model;
use rowkey_store::{Admin, Put, RowStore, Store, StoreError, TableName, TruncateSplits};

fn names(store: &dyn Store) -> Vec<String> {
    store.list_tables().unwrap().iter().map(ToString::to_string).collect()
}

/// The table file without its index tables.
fn plain() -> Table {
    Table::parse("orders.toml", ORDERS.split_once("[[index]]").unwrap().0).unwrap()
}

#[test]
fn all_tables_are_made_or_none() {
    let (model, table) = (Model::default(), table());
    // Whichever of the three cannot be made, the others are not there either.
    for fails in 0..3 {
        let calls = AtomicUsize::new(0);
        let ask = |_| if calls.fetch_add(1, Ordering::Relaxed) == fails { Turn::Die(0) } else { Turn::Go };
        let broken = Asking { store: &model, ask, together: false, gets_are_quick: true };
        assert!(matches!(
            create::create(&broken, &table),
            Err(TableError::Store(StoreError::Backend { .. }))
        ));
        assert_eq!(names(&model), Vec::<String>::new(), "the {fails}. creation fails");
    }
    // A process that dies cannot clean up; the next creation does.
    for dies in 1..3 {
        let calls = AtomicUsize::new(0);
        let ask = |_| if calls.fetch_add(1, Ordering::Relaxed) >= dies { Turn::Die(0) } else { Turn::Go };
        create::create(&Asking { store: &model, ask, together: false, gets_are_quick: true }, &table)
            .unwrap_err();
        assert_eq!(names(&model).len(), dies);
        create::create(&model, &table).unwrap();
        assert_eq!(names(&model), ["orders", "orders_by_amount", "orders_by_seller"]);
        let exists = create::create(&model, &table).unwrap_err();
        assert!(matches!(exists, TableError::Store(StoreError::TableExists { .. })), "{exists}");
        create::drop(&model, &table).unwrap();
        assert_eq!(names(&model), Vec::<String>::new());
    }
    let open = create(&model, &table);
    assert_eq!(open.indexes.iter().map(|index| index.ready).collect::<Vec<_>>(), [true, true]);
    assert_eq!(
        model.regions(&open.indexes[0].name).unwrap().len(),
        2,
        "one region for each bucket of the salt"
    );
    assert_eq!(model.regions(&open.indexes[1].name).unwrap().len(), 1);
}

#[test]
fn a_table_is_not_written_by_a_file_with_other_indexes() {
    let (model, table) = (Model::default(), table());
    create(&model, &table);
    for other in [plain(), table_with_one_index()] {
        let error = create::open(&model, &other).unwrap_err();
        assert!(matches!(error, TableError::OtherIndexes { .. }), "{error}");
        assert!(error.to_string().contains("orders_by_seller"), "{error}");
    }
    let name: TableName = "orders_by_seller".parse().unwrap();
    let error = create::stored(&model, &name).unwrap_err();
    assert!(error.to_string().contains("`orders_by_seller` is an index table of table `orders`"), "{error}");
    let stored = create::stored(&model, &"orders".parse().unwrap()).unwrap();
    create::open(&model, &stored).unwrap();
}

#[test]
fn an_index_that_cannot_be_kept_right_is_refused() {
    let model = Model::default();
    let refused = |from: &str, to: &str| {
        let file = ORDERS.replace(from, to);
        assert_ne!(file, ORDERS, "{from}");
        let error = create::create(&model, &Table::parse("t", &file).unwrap()).unwrap_err();
        assert_eq!(names(&model), Vec::<String>::new());
        error.to_string()
    };
    let lost = refused("[amount][user][number: escaped]", "[amount][number: escaped]");
    assert!(lost.contains("`orders_by_amount`") && lost.contains("does not bring back user"), "{lost}");
    let hashed = refused("[amount][user][number: escaped]", "[amount][md5(number)][user]");
    assert!(hashed.contains("does not bring back number"), "{hashed}");
    let ends = refused("[families.n]\n", "[families.n]\nttl = \"1d\"\n");
    assert!(ends.contains("family `d` and family `n` differ"), "{ends}");
    // An index table is not put over a table of another kind.
    let other = Table { name: "orders_by_seller".to_owned(), ..plain() };
    create::create(&model, &other).unwrap();
    create::create(&model, &table()).unwrap_err();
    assert_eq!(names(&model), ["orders_by_seller"]);
}

#[test]
fn a_record_that_has_no_key_in_the_index_is_refused_whole() {
    let file = ORDERS.replace("key = \"[amount][user]", "key = \"[amount: i64][user]");
    let Ok(table) = Table::parse("t", &file) else { return };
    let model = Model::default();
    let open = create(&model, &table);
    let writer = IndexedWriter::new(&model, &table, &open);
    let records = [order(1, "a", "s", Some(1), None), order(2, "b", "s", None, None)];
    if table.indexes[1].key.encode(&records[1], &mut Vec::new()).is_ok() {
        return; // the part is nullable after all
    }
    let error = writer.put(&rows(&table, &records, None)).unwrap_err();
    assert!(matches!(&error, IndexError::Key { index, .. } if index == "orders_by_amount"), "{error}");
    assert!(scan(&model, &open.name).is_empty() && scan(&model, &open.indexes[0].name).is_empty());
}

#[test]
fn an_index_is_built_over_rows_that_are_there_and_a_build_goes_on() {
    let (place, plain, table) = (tempfile::tempdir().unwrap(), plain(), table());
    let store =
        EmbeddedStore::open(place.path(), Options::default().durability(Durability::Buffered)).unwrap();
    create::create(&store, &plain).unwrap();
    let name: TableName = "orders".parse().unwrap();
    let record = |n: i128| order(n, "o", ["s", "t"][usize::from(n % 2 == 0)], Some(n % 5), None);
    let records: Vec<Record> = (0..3000).map(record).collect();
    store.put_batch(&name, &rows(&plain, &records, Some(1000))).unwrap();
    let before = scan(&store, &name);

    assert!(matches!(create::open(&store, &table), Err(TableError::OtherIndexes { .. })));
    let made = tables::add(&store, &table).unwrap();
    assert_eq!(
        made.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["orders_by_seller", "orders_by_amount"]
    );
    assert_eq!(tables::add(&store, &table).unwrap(), [], "nothing more to add");
    let open = create::open(&store, &table).unwrap();
    assert!(open.indexes.iter().all(|index| !index.ready), "no plan may take them yet");
    assert!(tables::readable(table.clone(), Some(&open)).indexes.is_empty());
    assert!(tables::readable(table.clone(), None).indexes.is_empty());
    assert_eq!(
        verify(&store, &table, &open).iter().map(|report| report.missing).collect::<Vec<_>>(),
        [3000; 2]
    );

    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions { checkpoint: Some(folder.path().join("b")), ..BuildOptions::default() };
    let writes = AtomicUsize::new(0);
    let ask = |call: Call| {
        let dead = call.writes && writes.fetch_add(1, Ordering::Relaxed) >= 7;
        if dead { Turn::Die(3) } else { Turn::Go }
    };
    let broken = Asking { store: &store, ask, together: false, gets_are_quick: true };
    index::build(&broken, &table, &open, &every(&table), &options, &mut |_| {}).unwrap_err();
    // An index table that was truncated since has none of the entries that the checkpoint counts.
    let kept = std::fs::read(folder.path().join("b")).unwrap();
    store.truncate_table(&open.indexes[1].name, TruncateSplits::Keep).unwrap();
    let anew = index::build(&store, &table, &open, &every(&table), &options, &mut |_| {}).unwrap();
    assert_eq!((anew.rows, anew.resumed, anew.begun_anew), (3000, None, true));
    assert_eq!(differences(&verify(&store, &table, &open)), 0);
    // The same for what is left of it, and for one that an older version wrote.
    std::fs::write(folder.path().join("b"), kept).unwrap();
    let again = index::build(&store, &table, &open, &every(&table), &options, &mut |_| {}).unwrap();
    assert_eq!((again.rows, again.resumed, again.begun_anew), (3000, None, true));
    let old = include_str!("../../../testdata/checkpoints/build-form-1.json").replace("TABLE_ID", &open.id);
    std::fs::write(folder.path().join("b"), old).unwrap();
    let again = index::build(&store, &table, &open, &every(&table), &options, &mut |_| {}).unwrap();
    assert_eq!((again.rows, again.resumed, again.begun_anew), (3000, None, true));
    // And now without a truncation.
    open.indexes.iter().for_each(|index| store.truncate_table(&index.name, TruncateSplits::Keep).unwrap());
    writes.store(0, Ordering::Relaxed);
    index::build(&broken, &table, &open, &every(&table), &options, &mut |_| {}).unwrap_err();
    // A writer that knows the file goes on meanwhile.
    let newer = order(2999, "o", "newer", None, Some("n"));
    IndexedWriter::new(&store, &table, &open).put(&rows(&table, &[newer], None)).unwrap();
    let mut steps = Vec::new();
    let built =
        index::build(&store, &table, &open, &every(&table), &options, &mut |done| steps.push(done.rows));
    let built = built.unwrap();
    assert_eq!((built.rows, built.resumed), (3000, Some(1024)), "{steps:?}");
    assert!(!folder.path().join("b").exists());
    let open = create::open(&store, &table).unwrap();
    assert!(open.indexes.iter().all(|index| index.ready));
    assert_eq!(tables::readable(table.clone(), Some(&open)), table);
    let found = verify(&store, &table, &open);
    assert_eq!(differences(&found), 0, "{found:?}");
    reads_agree(&store, &table, &open).unwrap();
    // The cells of rows are as they were, but for the stamp.
    let after = scan(&store, &name);
    for (before, after) in
        before.rows().zip(after.rows()).filter(|(row, _)| !row.key().ends_with(b"\x0b\xb7o\0\x01"))
    {
        assert!(
            after.cells().filter(|cell| cell.qualifier != b"_").eq(before.cells()),
            "{before:?} {after:?}"
        );
    }
    assert!(
        matches!(tables::add(&store, &plain), Err(TableError::OtherIndexes { .. })),
        "an index is not lost silently"
    );
}

#[test]
fn a_batch_that_is_written_again_leaves_the_same_cells() {
    let (model, table) = (Model::default(), table());
    let open = create(&model, &table);
    let writer = IndexedWriter::new(&model, &table, &open);
    let batch =
        rows(&table, &[order(1, "a", "s", Some(1), None), order(1, "b", "t", None, Some("n"))], Some(1000));
    let cells = || {
        let all = scan(&model, &open.name);
        let of = |row: rowkey_store::RowView<'_>| {
            let cells = row.cells().filter(|cell| cell.qualifier != b"_").map(|cell| format!("{cell:?}"));
            (row.key().to_vec(), cells.collect::<Vec<_>>())
        };
        all.rows().map(of).collect::<Vec<_>>()
    };
    assert_eq!(writer.put(&batch).unwrap().rows, 2);
    let first = cells();
    assert_eq!(writer.put(&batch).unwrap().rows, 2);
    assert_eq!(cells(), first);
    // A put of an earlier time does not show, with or without an index.
    let earlier = rows(&table, &[order(1, "a", "u", Some(9), None)], Some(999));
    let written = writer.put(&earlier).unwrap();
    assert_eq!((written.rows, written.superseded), (0, 1));
    assert_eq!(cells(), first);
    assert!(is_clean(&verify(&model, &table, &open)));
    // Of two in a batch the later one counts.
    let twice = [order(1, "a", "u", Some(9), None), order(1, "a", "v", None, None)];
    assert_eq!(writer.put(&rows(&table, &twice, Some(1000))).unwrap().rows, 1);
    let found = scanned(&model, &table, &open);
    assert!(found.iter().any(|(_, record)| *record == twice[1]), "{found:?}");
    assert!(is_clean(&verify(&model, &table, &open)));
    reads_agree(&model, &table, &open).unwrap();
}

#[test]
fn rows_at_an_end_are_looked_up() {
    static NOW: AtomicI64 = AtomicI64::new(0);
    let real = i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    NOW.store(real, Ordering::Relaxed);
    let file = ORDERS
        .replace("[families.d]\n", "[families.d]\nttl = \"1d\"\n")
        .replace("[families.n]\n", "[families.n]\nttl = \"1d\"\n");
    let (model, table) = (Model::new(|| NOW.load(Ordering::Relaxed)), Table::parse("t", &file).unwrap());
    let open = create(&model, &table);
    let writer = IndexedWriter::new(&model, &table, &open);
    // One that has the whole day before it, one that has a minute, one that is past its end.
    let day = 86_400_000;
    for (user, time) in [(1, real), (2, real - day + 60_000), (3, real - 2 * day)] {
        let record = order(user, "a", "s", Some(1), None);
        let written = writer.put(&rows(&table, &[record], Some(time))).unwrap();
        assert_eq!((written.rows, written.superseded), if user == 3 { (0, 1) } else { (1, 0) });
    }
    let entries = scan(&model, &open.indexes[1].name);
    let covered: Vec<_> = table.indexes[1].key.recoverable();
    let read =
        || index::resolve(&model, &table, &open, 1, &entries, index::Needed::Fields(&covered)).unwrap();
    let users = |found: &index::Resolved| {
        found.records.iter().map(|found| found.values[0].clone()).collect::<Vec<_>>()
    };
    let found = read();
    assert_eq!(users(&found), [Value::Int(1), Value::Int(2)]);
    assert!(found.lookups < u64::try_from(entries.len()).unwrap(), "the first is known to be right");
    NOW.store(real + 60_001, Ordering::Relaxed);
    assert_eq!(users(&read()), [Value::Int(1)]);
}

#[test]
fn strangers_are_noticed() {
    let (model, table) = (Model::default(), table());
    let open = create(&model, &table);
    let writer = IndexedWriter::new(&model, &table, &open);
    let record = order(1, "a", "s", Some(1), None);
    writer.put(&rows(&table, std::slice::from_ref(&record), Some(10))).unwrap();
    // A program that knows nothing of index tables writes over the row, and another row.
    let row = key(&table, &record);
    model.mutate(&open.name, Put::new(row).cell_at("d", "s", 2_000_000_000_000, "other").into()).unwrap();
    model.put_batch(&open.name, &rows(&table, &[order(2, "b", "t", None, None)], Some(10))).unwrap();
    let found = verify(&model, &table, &open);
    assert_eq!((found[0].missing, found[0].stale, found[0].dangling), (2, 1, 0), "{found:?}");
    assert_eq!((found[1].missing, found[1].wrong_copies), (1, 1), "{found:?}");
    repair(&model, &table, &open);
    assert!(is_clean(&verify(&model, &table, &open)));
    reads_agree(&model, &table, &open).unwrap();
    // What the stranger wrote can be changed and deleted as anything else.
    writer.put(&rows(&table, &[order(2, "b", "u", Some(4), Some("n"))], None)).unwrap();
    writer.delete(&[key(&table, &record)]).unwrap();
    assert_eq!(scanned(&model, &table, &open).len(), 1);
    assert!(is_clean(&verify(&model, &table, &open)));
}
