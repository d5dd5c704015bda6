//! Puts, read back as they were written.

use rowkey_core::range::KeyRange;

use super::byte_rows::{Table, first_batch};
use super::rows::{Rows, keys, only};
use crate::{
    CellKind, CellView, Columns, Delete, Get, Increment, LATEST_TIMESTAMP, MAX_ROW_LENGTH, Put, RowBatch,
    Scan, Scanner, Store, StoreError,
};

/// Cells come by family, then qualifier, in byte order, whatever the order of writing.
pub(crate) fn a_row_comes_back_with_its_cells_in_order(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &[]);
    let cells =
        [("d", "z", 5, "1"), ("a", "b", 4, "2"), ("d", "", 3, "3"), ("d", "y", 2, ""), ("d", "ya", 2, "4")];
    made.put(b"r\x00\xff", &cells).expect("a good row");
    assert_eq!(made.get(b"r\x00\xff"), r"[r\x00\xFF [a:b@4=2, d:@3=3, d:y@2=, d:ya@2=4, d:z@5=1]]");
}

/// A row that does not exist is an answer.
pub(crate) fn a_missing_row_is_not_an_error(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    made.put_rows(&keys(&["b"]));
    for missing in ["a", "b\0", "bb", "c"] {
        assert_eq!(made.get(missing.as_bytes()), "[]");
    }
}

/// Columns and whole families can be chosen.
pub(crate) fn a_get_returns_only_the_columns_asked_for(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &[]);
    made.put(b"r", &[("a", "x", 1, "1"), ("a", "y", 1, "2"), ("d", "x", 1, "3"), ("d", "y", 1, "4")])
        .expect("a good row");
    let column = |family: &str, qualifier: Option<&str>| {
        (family.as_bytes().to_vec(), qualifier.map(|q| q.as_bytes().to_vec()))
    };
    let only = |columns: &[_]| made.get_columns(b"r", Columns::Only(columns.to_vec()));
    assert_eq!(only(&[column("a", Some("y"))]), "[r [a:y@1=2]]");
    assert_eq!(only(&[column("d", None), column("a", Some("x"))]), "[r [a:x@1=1, d:x@1=3, d:y@1=4]]");
    assert_eq!(only(&[column("a", Some("nothing"))]), "[]");
}

/// All rows of the batch are refused together.
pub(crate) fn an_unknown_family_is_refused_and_nothing_is_written(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let mut batch = RowBatch::new();
    batch.begin_row(b"good");
    batch.cell(b"d", b"q", 1, b"v");
    batch.begin_row(b"bad");
    batch.cell(b"e", b"q", 1, b"v");
    let refused = store.put_batch(&made.name, &batch);
    assert!(
        matches!(&refused, Err(StoreError::UnknownFamily { family, known, .. }) if family == "e" && known == &["d"]),
        "{refused:?}"
    );
    assert_eq!(made.get(b"good"), "[]");
    let columns = Columns::Only(vec![(b"e".to_vec(), None)]);
    let get = store.get(&made.name, &Get { columns: columns.clone(), ..Get::new("r") }, &mut RowBatch::new());
    assert!(matches!(get, Err(StoreError::UnknownFamily { .. })), "{get:?}");
    let scan = first_batch(store, &made.name, &Scan { columns, ..Scan::new(KeyRange::all()) });
    assert!(matches!(scan, Err(StoreError::UnknownFamily { .. })), "{scan:?}");
}

/// HBase keeps the length of a row key in a signed 16-bit number.
pub(crate) fn row_keys_have_1_to_32767_bytes(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    for length in [0, MAX_ROW_LENGTH + 1] {
        let refused = made.put(&vec![b'x'; length], &[("d", "q", 1, "v")]);
        assert!(
            matches!(refused, Err(StoreError::RowKeyLength { length: l, .. }) if l == length),
            "{length}: {refused:?}"
        );
    }
    let zero_one: Vec<u8> = (0..MAX_ROW_LENGTH).map(|at| u8::from(at % 2 == 1)).collect();
    for longest in [vec![b'x'; MAX_ROW_LENGTH], vec![0; MAX_ROW_LENGTH], vec![0xFF; MAX_ROW_LENGTH], zero_one]
    {
        made.put(&longest, &[("d", "q", 1, "v")]).expect("the longest row key is fine");
        assert!(made.get(&longest).ends_with("[d:q@1=v]]"));
    }
}

/// A row exists only through its cells.
pub(crate) fn a_row_without_cells_is_refused(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    refused!(made.put(b"r", &[]), EmptyRow);
}

/// Timestamps start at 0.
pub(crate) fn a_negative_timestamp_is_refused(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let refused = made.put(b"r", &[("d", "q", -1, "v")]);
    assert!(matches!(refused, Err(StoreError::NegativeTimestamp { timestamp: -1, .. })), "{refused:?}");
    made.put(b"r", &[("d", "q", 0, "v")]).expect("0 is a timestamp");
    assert_eq!(made.get(b"r"), "[r [d:q@0=v]]");
}

/// A write without a timestamp gets the store's clock.
pub(crate) fn the_latest_timestamp_becomes_the_time_of_the_write(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    made.put(b"r", &[("d", "q", 5, "old")]).expect("a good row");
    made.put(b"r", &[("d", "q", LATEST_TIMESTAMP, "new")]).expect("a good row");
    let mut batch = RowBatch::new();
    assert!(store.get(&made.name, &Get::new("r"), &mut batch).expect("a good get"));
    let row = batch.row(0).expect("the row was found");
    let cells: Vec<_> = row.cells().collect();
    let year_2020 = 1_577_836_800_000;
    assert!(
        matches!(&cells[..], [cell] if cell.value == b"new" && cell.timestamp > year_2020
        && cell.timestamp != LATEST_TIMESTAMP),
        "{cells:?}"
    );
}

/// From no byte to a megabyte.
pub(crate) fn values_may_be_empty_or_large(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let large: Vec<u8> = (0..1 << 20).map(|i: u32| i.to_be_bytes()[3]).collect();
    let mut batch = RowBatch::new();
    batch.begin_row(b"r");
    batch.cell(b"d", b"empty", 1, b"");
    batch.cell(b"d", b"large", 1, &large);
    store.put_batch(&made.name, &batch).expect("a good row");
    let mut found = RowBatch::new();
    assert!(store.get(&made.name, &Get::new("r"), &mut found).expect("a good get"));
    assert!(found == batch, "the value came back changed");
}

pub(crate) fn every_kind_of_mutation_keeps_the_rules(t: &Rows<'_>) {
    let row_too_long = vec![b'x'; MAX_ROW_LENGTH + 1];
    let refused = |result: Result<crate::Outcome, StoreError>| result.expect_err("refused");
    for row in [Vec::new(), row_too_long] {
        let error = refused(t.run(Put::new(row.clone()).cell("d", "q", "v")));
        assert!(matches!(error, StoreError::RowKeyLength { .. }), "{error}");
        let error = refused(t.run(Delete::row(row.clone())));
        assert!(matches!(error, StoreError::RowKeyLength { .. }), "{error}");
        let error = refused(t.run(Increment::new(row).add("d", "q", 1)));
        assert!(matches!(error, StoreError::RowKeyLength { .. }), "{error}");
    }
    let error = refused(t.run(Put::new(t.key("r"))));
    assert!(matches!(error, StoreError::EmptyRow { .. }), "{error}");
    let error = refused(t.run(Increment::new(t.key("r"))));
    assert!(matches!(error, StoreError::EmptyRow { .. }), "{error}");
    let error = refused(t.run(Delete::row_at(t.key("r"), -1)));
    assert!(matches!(error, StoreError::NegativeTimestamp { .. }), "{error}");
    let error = refused(t.run(Delete::row(t.key("r")).column_at("none", "q", 5)));
    assert!(matches!(error, StoreError::UnknownFamily { .. }), "{error}");
    assert_eq!(t.raw(), "");
}

pub(crate) fn markers_are_not_put(t: &Rows<'_>) {
    let mut batch = RowBatch::new();
    batch.begin_row(&t.key("r"));
    let kind = CellKind::Delete;
    batch.push_cell(CellView { family: b"d", qualifier: b"q", timestamp: 5, kind, value: b"" });
    refused!(t.store.put_batch(&t.table, &batch), MarkerInPut);
    assert_eq!(t.raw(), "");
}

pub(crate) fn rows_of_a_batch_may_delete_columns(t: &Rows<'_>) {
    t.put("r", "d:p@5=x d:q@5=x d:q@7=y");
    let mut batch = RowBatch::new();
    let kind = CellKind::DeleteColumn;
    batch.begin_row(&t.key("r"));
    batch.cell(b"d", b"o", 6, b"z");
    batch.push_cell(CellView { family: b"d", qualifier: b"p", timestamp: 6, kind, value: b"" });
    batch.push_cell(CellView { family: b"d", qualifier: b"q", timestamp: 6, kind, value: b"" });
    batch.begin_row(&t.key("s"));
    batch.push_cell(CellView { family: b"d", qualifier: b"p", timestamp: 6, kind, value: b"" });
    t.store.put_batch(&t.table, &batch).expect("columns can be deleted");
    assert_eq!(t.versions("r"), "d:o@6=z d:q@7=y");
    t.put("r", "d:p@6=hidden");
    assert_eq!(t.versions("r"), "d:o@6=z d:q@7=y");
    t.put("r", "d:p@8=seen");
    assert_eq!(t.versions("r"), "d:o@6=z d:p@8=seen d:q@7=y");
}

pub(crate) fn one_row_key_in_two_families_holds_independent_cells(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@7=y");
    t.put("r", "a:q@6=z");
    assert_eq!(t.versions("r"), "a:q@6=z d:q@7=y");
    assert_eq!(t.get_with("r", |get| Get { columns: only("a"), ..get }), "a:q@6=z");
}

pub(crate) fn a_put_of_several_cells_writes_them_all(t: &Rows<'_>) {
    t.put("r", "d:c@5=3 a:a@5=1 d:b@5=2");
    assert_eq!(t.get("r"), "a:a@5=1 d:b@5=2 d:c@5=3");
}

pub(crate) fn many_gets_at_once_answer_in_order(t: &Rows<'_>) {
    t.put("a", "d:q@5=x");
    t.put("b", "d:q@5=y");
    let gets: Vec<Get> = ["b", "none", "a", "b", "b"].map(|row| Get::new(t.key(row))).into();
    let mut found = RowBatch::new();
    found.begin_row(b"before");
    let there = t.store.get_many(&t.table, &gets, &mut found).expect("good gets");
    assert_eq!(there, [true, false, true, true, true]);
    let rows: Vec<Vec<u8>> = found.rows().map(|row| row.key().to_vec()).collect();
    assert_eq!(rows, [b"before".to_vec(), t.key("b"), t.key("a"), t.key("b"), t.key("b")]);
    let bad = [Get::new(t.key("a")), Get { columns: only("none"), ..Get::new(t.key("a")) }];
    assert!(t.store.get_many(&t.table, &bad, &mut found).is_err());
    assert_eq!(found.len(), 5, "a refused read adds nothing");
}

/// Batches that are ready, as a source of rows.
struct Batches(std::vec::IntoIter<RowBatch>);

impl Scanner for Batches {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        let next = self.0.next();
        *batch = next.clone().unwrap_or_default();
        Ok(next.is_some())
    }
}

/// A row with one cell: key, family, qualifier, time and value.
type OneCell<'a> = (&'a str, &'a str, &'a str, i64, &'a str);

/// Rows of one cell each, in batches.
fn bulk(batches: &[&[OneCell<'_>]]) -> Batches {
    let batch = |rows: &&[OneCell<'_>]| {
        let mut batch = RowBatch::new();
        for (row, family, qualifier, time, value) in *rows {
            batch.begin_row(row.as_bytes());
            batch.cell(family.as_bytes(), qualifier.as_bytes(), *time, value.as_bytes());
        }
        batch
    };
    Batches(batches.iter().map(batch).collect::<Vec<_>>().into_iter())
}

/// Rows with equal keys are put one after the other, also over batches.
pub(crate) fn sorted_rows_are_loaded_in_bulk(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &["m"]);
    let loaded = store.bulk_load(
        &made.name,
        &mut bulk(&[
            &[("b", "d", "z", 5, "1"), ("b", "a", "y", 5, "2"), ("b", "d", "z", 5, "3")],
            &[],
            &[
                ("b", "d", "x", 4, "4"),
                ("b\0", "d", "x", 4, "5"),
                ("m", "a", "", 3, ""),
                ("z", "d", "q", 1, "6"),
            ],
        ]),
    );
    assert_eq!(loaded.expect("the rows are sorted"), 7);
    assert_eq!(made.get(b"b"), "[b [a:y@5=2, d:x@4=4, d:z@5=3]]");
    assert_eq!(made.get(b"b\0"), r"[b\x00 [d:x@4=5]]");
    assert_eq!(made.scan(&Scan::new(KeyRange::all())), keys(&["b", "b\0", "m", "z"]));
    made.put(b"b", &[("d", "z", 6, "later")]).expect("the table takes writes");
    assert_eq!(made.get(b"b"), "[b [a:y@5=2, d:x@4=4, d:z@6=later]]");
}

/// A table that is not empty, or that has markers only, takes them too.
pub(crate) fn rows_loaded_in_bulk_join_those_that_are_there(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    store.mutate(&made.name, Delete::row_at("c", 5).into()).expect("a good delete");
    let load =
        |rows: &[OneCell<'_>]| store.bulk_load(&made.name, &mut bulk(&[rows])).expect("the rows are sorted");
    load(&[("b", "d", "q", 5, "1"), ("c", "d", "old", 4, "hidden"), ("c", "d", "q", 7, "2")]);
    assert_eq!(made.get(b"c"), "[c [d:q@7=2]]");
    load(&[("a", "d", "q", 5, "3"), ("b", "d", "q", 4, "older"), ("b", "d", "r", 4, "4")]);
    assert_eq!(made.get(b"b"), "[b [d:q@5=1, d:r@4=4]]");
    assert_eq!(made.scan(&Scan::new(KeyRange::all())), keys(&["a", "b", "c"]));
}

/// Nothing of the batch with the smaller key is written; neither is anything else that breaks a rule.
pub(crate) fn unsorted_rows_are_not_loaded_in_bulk(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let rows: &[OneCell<'_>] = &[("b", "d", "q", 1, "1"), ("a", "d", "q", 1, "2")];
    let refused = store.bulk_load(&made.name, &mut bulk(&[rows]));
    assert!(
        matches!(&refused, Err(StoreError::UnsortedRows { row, before }) if row == b"a" && before == b"b"),
        "{refused:?}"
    );
    let refused = store.bulk_load(&made.name, &mut bulk(&[&[("b", "e", "q", 1, "1")]]));
    assert!(matches!(&refused, Err(StoreError::UnknownFamily { .. })), "{refused:?}");
    assert_eq!((made.get(b"a"), made.get(b"b")), ("[]".to_owned(), "[]".to_owned()));
}
