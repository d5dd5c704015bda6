//! The rows that a scan returns, and their order.

use std::ops::Bound;

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;

use super::byte_rows::Table;
use super::rows::{Rows, keys, only};
use crate::filter::{Comparator, CompareOp};
use crate::{Columns, Direction, Filter, RowBatch, Scan, Store};

/// Keys that a signed or a text comparison would put elsewhere, and keys that begin alike.
fn awkward_keys() -> Vec<Vec<u8>> {
    let mut rows: Vec<Vec<u8>> = vec![
        vec![0],
        vec![0, 0],
        vec![0, 0, 0],
        vec![0, 0, 1],
        vec![0, 1],
        vec![0, 0xFF],
        vec![1],
        vec![1, 0],
        b"a".to_vec(),
        b"a\0".to_vec(),
        b"a\0\0b".to_vec(),
        b"a\0b".to_vec(),
        b"a\x01".to_vec(),
        b"aa".to_vec(),
        vec![0x7F],
        vec![0x80],
        vec![0xFF],
        vec![0xFF, 0],
        vec![0xFF, 0xFF],
        vec![0xFF, 0xFF, 0xFF],
    ];
    rows.extend([126, 127, 128, 254, 255, 256, 300].iter().flat_map(|&zeros| {
        let run = [b"z".as_slice(), &vec![0; zeros]].concat();
        [run.clone(), [run.as_slice(), b"z"].concat()]
    }));
    rows
}

const LETTERS: [&str; 9] = ["a", "b", "c", "ca", "d", "e", "f", "g", "h"];

fn letters(store: &dyn Store) -> Table<'_> {
    let made = Table::create(store, &["d"], &["c", "e", "ea"]);
    made.put_rows(&keys(&LETTERS));
    made
}

fn check_all_bounds(made: &Table<'_>, direction: Direction) {
    let ends = |text: &'static str| [Bound::Included(text), Bound::Excluded(text)];
    let bounds: Vec<Bound<&str>> =
        ["b", "c", "cc", "e", "g"].into_iter().flat_map(ends).chain([Bound::Unbounded]).collect();
    for &start in &bounds {
        for &end in &bounds {
            let above = |key: &str| match start {
                Bound::Included(start) => key >= start,
                Bound::Excluded(start) => key > start,
                Bound::Unbounded => true,
            };
            let below = |key: &str| match end {
                Bound::Included(end) => key <= end,
                Bound::Excluded(end) => key < end,
                Bound::Unbounded => true,
            };
            let mut expected: Vec<&str> =
                LETTERS.into_iter().filter(|key| above(key) && below(key)).collect();
            if direction == Direction::Reverse {
                expected.reverse();
            }
            assert_eq!(made.scan_range(start, end, direction), expected, "{start:?} {end:?} {direction:?}");
        }
    }
}

/// Row order is the order of unsigned bytes, over region borders too.
pub(crate) fn rows_sort_as_unsigned_bytes_across_regions(store: &dyn Store) {
    let made = Table::create(store, &["d"], &["\x01", "a\0", "aa", "z"]);
    let mut rows = awkward_keys();
    rows.reverse();
    made.put_rows(&rows);
    rows.sort();
    assert_eq!(made.scan(&Scan::new(KeyRange::all())), rows);
    for row in &rows {
        assert_ne!(made.get(row), "[]", "{}", escape(row));
    }
}

/// Every pair of bounds over a table of four regions, against a filter by hand.
pub(crate) fn scan_bounds_are_inclusive_or_exclusive_as_asked(store: &dyn Store) {
    let made = letters(store);
    check_all_bounds(&made, Direction::Forward);
}

/// The same pairs, read backwards.
pub(crate) fn reverse_scan_is_the_forward_scan_backwards(store: &dyn Store) {
    let made = letters(store);
    check_all_bounds(&made, Direction::Reverse);

    let rows = {
        let mut rows = awkward_keys();
        made.put_rows(&rows);
        rows.extend(keys(&LETTERS));
        rows.sort();
        rows.dedup();
        rows.reverse();
        rows
    };
    let found = made.scan(&Scan { direction: Direction::Reverse, ..Scan::new(KeyRange::all()) });
    assert_eq!(found, rows);
}

/// A limit counts rows over all regions.
pub(crate) fn a_limit_stops_a_scan_in_both_directions(store: &dyn Store) {
    let made = letters(store);
    for limit in [0, 1, 2, 5, LETTERS.len(), 100] {
        let forward = made.scan(&Scan { limit: Some(limit), ..Scan::new(KeyRange::all()) });
        assert_eq!(forward, keys(&LETTERS[..limit.min(LETTERS.len())]), "limit {limit}");
        let scan = Scan { limit: Some(limit), direction: Direction::Reverse, ..Scan::new(KeyRange::all()) };
        let mut expected = keys(&LETTERS);
        expected.reverse();
        expected.truncate(limit);
        assert_eq!(made.scan(&scan), expected, "limit {limit}, reverse");
    }
}

/// A row without a matching cell does not exist for the scan, nor for its limit.
pub(crate) fn a_scan_skips_rows_without_the_columns_asked_for(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &["m"]);
    for (row, family, qualifier) in
        [("b", "a", "x"), ("c", "d", "x"), ("k", "d", "y"), ("n", "a", "x"), ("p", "d", "x"), ("q", "d", "x")]
    {
        made.put(row.as_bytes(), &[(family, qualifier, 1, row)]).expect("a good row");
    }
    let only = |family: &str, qualifier: Option<&str>| {
        Columns::Only(vec![(family.as_bytes().to_vec(), qualifier.map(|q| q.as_bytes().to_vec()))])
    };
    let scan = |columns, limit| made.scan(&Scan { columns, limit, ..Scan::new(KeyRange::all()) });
    assert_eq!(scan(only("d", Some("x")), None), keys(&["c", "p", "q"]));
    assert_eq!(scan(only("d", None), None), keys(&["c", "k", "p", "q"]));
    assert_eq!(scan(only("d", Some("x")), Some(2)), keys(&["c", "p"]));
}

/// Batches are a matter of transport only.
pub(crate) fn small_batches_lose_and_double_nothing(store: &dyn Store) {
    let made = Table::create(store, &["d"], &["row-0100", "row-0333"]);
    let rows: Vec<Vec<u8>> = (0..500).map(|i| format!("row-{i:04}").into_bytes()).collect();
    made.put_rows(&rows);
    for batch_rows in [1, 7, 499, 500, 501] {
        let found = made.scan(&Scan { batch_rows, ..Scan::new(KeyRange::all()) });
        assert_eq!(found, rows, "batches of {batch_rows}");
    }
    let reverse = Scan { batch_rows: 7, direction: Direction::Reverse, ..Scan::new(KeyRange::all()) };
    assert!(made.scan(&reverse).iter().eq(rows.iter().rev()));
}

/// Scanners opened together are independent.
pub(crate) fn many_scans_at_once_read_their_own_ranges(store: &dyn Store) {
    let made = letters(store);
    let scans: Vec<Scan> =
        ["a", "c", "x", "h"].iter().map(|p| Scan::new(KeyRange::prefix(p.as_bytes()))).collect();
    let scanners = store.scan_many(&made.name, &scans).expect("good scans open");
    let mut found = Vec::new();
    for mut scanner in scanners {
        let mut batch = RowBatch::new();
        let mut rows = Vec::new();
        while scanner.next_batch(&mut batch).expect("good scans go on") {
            rows.extend(batch.rows().map(|row| row.key().to_vec()));
        }
        found.push(rows);
    }
    assert_eq!(found, [keys(&["a"]), keys(&["c", "ca"]), keys(&[]), keys(&["h"])]);
}

/// Bounds the wrong way round are an empty range, not an error.
pub(crate) fn an_empty_range_holds_no_rows(store: &dyn Store) {
    let made = letters(store);
    for direction in [Direction::Forward, Direction::Reverse] {
        for (start, end) in [
            (Bound::Included("e"), Bound::Excluded("c")),
            (Bound::Included("c"), Bound::Excluded("c")),
            (Bound::Excluded("c"), Bound::Included("c")),
            (Bound::Excluded("c"), Bound::Excluded("c")),
        ] {
            assert_eq!(made.scan_range(start, end, direction), Vec::<String>::new(), "{start:?} {end:?}");
        }
    }
}

pub(crate) fn a_row_is_cut_into_pieces_of_so_many_cells(t: &Rows<'_>) {
    t.put("r", "a:q@5=1 d:a@5=2 d:b@5=3 d:c@5=4 d:d@5=5");
    t.put("s", "d:q@5=6");
    let pieces = |cells| t.scan_with(|scan| Scan { cells_per_result: Some(cells), ..scan });
    assert_eq!(pieces(2), "r a:q@5=1 d:a@5=2 | r d:b@5=3 d:c@5=4 | r d:d@5=5 | s d:q@5=6");
    assert_eq!(pieces(9), "r a:q@5=1 d:a@5=2 d:b@5=3 d:c@5=4 d:d@5=5 | s d:q@5=6");
}

pub(crate) fn pieces_of_a_row_count_as_one_row(t: &Rows<'_>) {
    for row in ["a", "b", "c"] {
        t.put(row, "d:p@5=1 d:q@5=2 d:r@5=3");
    }
    let limited = t.rows_of(|scan| Scan { cells_per_result: Some(2), limit: Some(2), ..scan });
    assert_eq!(limited, "a a b b");
}

pub(crate) fn pieces_come_in_a_reverse_scan_too(t: &Rows<'_>) {
    t.put("a", "d:p@5=1 d:q@5=2 d:r@5=3");
    t.put("b", "d:p@5=4");
    let back = t.scan_with(|scan| Scan { cells_per_result: Some(2), direction: Direction::Reverse, ..scan });
    assert_eq!(back, "b d:p@5=4 | a d:p@5=1 d:q@5=2 | a d:r@5=3");
}

pub(crate) fn pieces_and_a_filter_on_cells(t: &Rows<'_>) {
    t.put("a", "d:a@5=1 d:b@5=0 d:c@5=2 d:d@5=3");
    let filter = Some(Filter::Value(CompareOp::NotEqual, Comparator::Binary(b"0".to_vec())));
    let pieces = t.scan_with(|scan| Scan { cells_per_result: Some(2), filter, ..scan });
    assert_eq!(pieces, "a d:a@5=1 d:c@5=2 | a d:d@5=3");
}

pub(crate) fn pieces_of_no_cell_are_refused(t: &Rows<'_>) {
    refused!(t.scan_rows(&Scan { cells_per_result: Some(0), ..Scan::prefix(b"x") }), ZeroInRead);
}

pub(crate) fn a_prefix_is_a_range_of_rows(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["ab"]);
    for row in ["a", "aa", "ab", "abc", "b"] {
        t.put(row, "d:q@5=v");
    }
    let rows = |prefix: &str| t.rows_of(|_| Scan::prefix(prefix.as_bytes()));
    assert_eq!(
        (rows("ab"), rows("a"), rows("")),
        ("ab abc".into(), "a aa ab abc".into(), "a aa ab abc b".into())
    );
}

pub(crate) fn a_raw_scan_takes_families_but_no_columns(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=y");
    t.delete("r", "d:q@5/Delete");
    let families = t.scan_with(|scan| Scan { raw: true, columns: only("d"), ..scan });
    assert_eq!(families, "r d:q@5/Delete d:q@5=y");
    refused!(t.scan_rows(&Scan { raw: true, columns: only("d:q"), ..Scan::prefix(b"x") }), ColumnsInRawScan);
}

pub(crate) fn a_raw_scan_works_backwards(t: &Rows<'_>) {
    t.put("a", "d:q@5=x");
    t.delete("b", "d:q@6/DeleteColumn");
    t.put("b", "d:q@5=y");
    let back = t.scan_with(|scan| Scan { raw: true, versions: 9, direction: Direction::Reverse, ..scan });
    assert_eq!(back, "b d:q@6/DeleteColumn d:q@5=y | a d:q@5=x");
}

pub(crate) fn a_raw_scan_with_a_filter_shows_what_the_filter_leaves(t: &Rows<'_>) {
    t.put("r", "d:p@5=no d:q@5=yes d:q@6=yes");
    t.delete("r", "d:q@9/DeleteColumn");
    let filter = Some(Filter::Value(CompareOp::Equal, Comparator::Binary(b"yes".to_vec())));
    let raw = t.scan_with(|scan| Scan { raw: true, versions: 9, filter, ..scan });
    assert_eq!(raw, "r d:q@6=yes d:q@5=yes");
}

pub(crate) fn a_scan_skips_hidden_rows_in_both_directions(t: &Rows<'_>) {
    for row in ["a", "b", "c", "d"] {
        t.put(row, "d:q@5=v a:q@5=w");
    }
    t.delete_row("a", 9);
    t.delete("c", "d:@9/DeleteFamily a:q@9/DeleteColumn");
    t.delete("d", "a:q@9/DeleteColumn");
    assert_eq!(t.scan(), "b a:q@5=w d:q@5=v | d d:q@5=v");
    let back = t.scan_with(|scan| Scan { direction: Direction::Reverse, limit: Some(2), ..scan });
    assert_eq!(back, "d d:q@5=v | b a:q@5=w d:q@5=v");
}
