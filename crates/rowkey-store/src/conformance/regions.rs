//! Split tables: where they are cut, and that it shows in no answer.

use rowkey_core::range::KeyRange;

use super::rows::{Rows, keys, only, range, time};
use crate::filter::{Comparator, CompareOp, SingleColumn};
use crate::{Columns, Direction, Filter, Get, RowBatch, Scan, Store, StoreError, per_region};

fn letters<'a>(store: &'a dyn Store, splits: &[&str]) -> Rows<'a> {
    let t = Rows::own(store, &["a", "d"], splits);
    for row in ["a", "b", "c", "d", "e", "f"] {
        t.put(row, &format!("d:q@5={row}"));
    }
    t
}

pub(crate) fn unsorted_split_points_make_sorted_regions(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m", "c", "x"]);
    assert_eq!(t.ranges(), "(-∞, c) [c, m) [m, x) [x, ∞)");
    let regions = store.regions(&t.table).expect("the table exists");
    let mut names: Vec<&str> = regions.iter().map(|region| region.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 4, "every region has a name of its own");
    assert!(names.iter().all(|name| name.starts_with(&format!("{},", t.table)) && name.ends_with('.')));
}

pub(crate) fn a_region_is_split_at_a_key(store: &dyn Store) {
    let t = letters(store, &["c"]);
    store.split_region(&t.table, &t.region("c"), Some(b"e")).expect("a good split");
    assert_eq!(t.ranges(), "(-∞, c) [c, e) [e, ∞)");
    assert_eq!(t.rows_of(|scan| scan), "a b c d e f");
}

pub(crate) fn the_daughters_of_a_split_have_names_of_their_own(store: &dyn Store) {
    let t = letters(store, &["c"]);
    let (first, parent) = (t.region(""), t.region("c"));
    store.split_region(&t.table, &parent, Some(b"e")).expect("a good split");
    assert_eq!(t.region(""), first, "the others keep theirs");
    assert!(t.region("c") != parent && t.region("e") != parent && t.region("c") != t.region("e"));
    refused!(store.split_region(&t.table, &parent, Some(b"d")), RegionNotFound);
}

pub(crate) fn a_region_is_split_in_the_middle_of_its_keys(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    let rows: Vec<Vec<u8>> = (0..1000).map(|row| format!("{row:04}").into_bytes()).collect();
    let mut batch = RowBatch::new();
    for row in &rows {
        batch.begin_row(row);
        batch.cell(b"d", b"q", 5, &[b'v'; 200]);
    }
    store.put_batch(&t.table, &batch).expect("good rows");
    store.flush(&t.table).expect("a good table");
    store.split_region(&t.table, &t.region(""), None).expect("a good split");
    let regions = store.regions(&t.table).expect("the table exists");
    let counts: Vec<usize> =
        regions.iter().map(|region| rows.iter().filter(|row| region.range.contains(row)).count()).collect();
    assert!(counts.len() == 2 && counts.iter().all(|count| (250..=750).contains(count)), "{counts:?}");
}

pub(crate) fn a_split_point_must_lie_inside_its_region(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    for at in ["a", "c", "e", "z"] {
        let refused = store.split_region(&t.table, &t.region("c"), Some(at.as_bytes()));
        assert!(matches!(refused, Err(StoreError::SplitOutside { .. })), "{at}: {refused:?}");
    }
    assert_eq!(t.ranges(), "(-∞, c) [c, e) [e, ∞)");
}

pub(crate) fn neighbours_are_merged(store: &dyn Store) {
    let t = letters(store, &["b", "d", "f"]);
    store.merge_regions(&t.table, &[t.region("d"), t.region("b")]).expect("a good merge");
    assert_eq!(t.ranges(), "(-∞, b) [b, f) [f, ∞)");
    assert_eq!(t.rows_of(|scan| scan), "a b c d e f");
}

pub(crate) fn regions_that_are_no_neighbours_are_not_merged(store: &dyn Store) {
    let t = letters(store, &["b", "d", "f"]);
    for regions in [vec![t.region(""), t.region("d")], vec![t.region("b")]] {
        refused!(store.merge_regions(&t.table, &regions), NotNeighbours);
    }
    assert_eq!(t.ranges(), "(-∞, b) [b, d) [d, f) [f, ∞)");
}

/// Which hidden cells are left is not told: HBase flushes and compacts regions that it splits or merges.
pub(crate) fn splits_and_merges_keep_markers_and_versions(store: &dyn Store) {
    let t = letters(store, &[]);
    t.put("e", "d:q@7=new a:q@3=x");
    t.delete("e", "d:q@5/Delete");
    t.delete("b", "d:@9/DeleteFamily");
    let before = t.scan_with(|scan| Scan { versions: 3, ..scan });
    store.split_region(&t.table, &t.region(""), Some(b"d")).expect("a good split");
    assert_eq!(t.scan_with(|scan| Scan { versions: 3, ..scan }), before);
    store.merge_regions(&t.table, &[t.region(""), t.region("d")]).expect("a good merge");
    assert_eq!(t.ranges(), "(-∞, ∞)");
    assert_eq!(t.scan_with(|scan| Scan { versions: 3, ..scan }), before);
    assert_eq!(before, "a d:q@5=a | c d:q@5=c | d d:q@5=d | e a:q@3=x d:q@7=new | f d:q@5=f");
}

pub(crate) fn writes_and_reads_go_on_after_a_split(store: &dyn Store) {
    let t = letters(store, &[]);
    store.split_region(&t.table, &t.region(""), Some(b"c")).expect("a good split");
    t.put("bb", "d:q@5=new");
    t.put("c", "d:q@6=new");
    t.delete("e", "");
    assert_eq!(t.rows_of(|scan| scan), "a b bb c d f");
    assert_eq!(t.get("c"), "d:q@6=new");
    assert_eq!(t.get("e"), "");
}

pub(crate) fn requests_are_counted_by_region(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m"]);
    for row in ["a", "b", "c", "x"] {
        t.put(row, "d:q@5=v");
    }
    t.get("a");
    t.get("x");
    t.get("nobody");
    // A cluster tells its figures from time to time only.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(15);
    loop {
        let regions = store.regions(&t.table).expect("the table exists");
        let figures: Vec<(u64, u64)> = regions.iter().map(|region| (region.writes, region.reads)).collect();
        if matches!(figures[..], [(3, first), (1, second)] if first >= 1 && second >= 1) {
            return;
        }
        assert!(store.regions(&t.table).is_ok() && std::time::Instant::now() < deadline, "{figures:?}");
        if regions.iter().all(|region| region.server.is_none()) {
            panic!("{figures:?}");
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

pub(crate) fn work_goes_to_every_region_and_comes_back_in_order(store: &dyn Store) {
    let t = letters(store, &["c", "e", "x"]);
    let rows = |range: KeyRange| -> Result<String, StoreError> {
        let found = t.scan_rows(&Scan::new(range))?;
        Ok(found.rows().map(|row| String::from_utf8_lossy(row.key()).into_owned()).collect())
    };
    let all = per_region(store, &t.table, &KeyRange::all(), 4, |_, range| rows(range)).expect("good work");
    assert_eq!(all, ["ab", "cd", "ef", ""]);
    let some = per_region(store, &t.table, &range("b", "d"), 4, |_, range| rows(range)).expect("good work");
    assert_eq!(some, ["b", "c"]);
    let failing = per_region(store, &t.table, &KeyRange::all(), 2, |region, _| match &region.range.start {
        std::ops::Bound::Included(start) if start == b"e" => Err(StoreError::EmptySplit),
        _ => Ok(()),
    });
    assert!(matches!(failing, Err(StoreError::EmptySplit)), "{failing:?}");
}

pub(crate) fn a_filter_starts_afresh_in_every_region(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    assert_eq!(t.rows_with(Filter::Page(1)), "a c e");
}

pub(crate) fn deletes_over_regions_are_seen_in_both_directions(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    for row in ["b", "c", "d"] {
        t.delete_row(row, 9);
    }
    assert_eq!(t.rows_of(|scan| scan), "a e f");
    assert_eq!(t.rows_of(|scan| Scan { direction: Direction::Reverse, ..scan }), "f e a");
    assert_eq!(t.rows_of(|scan| Scan { direction: Direction::Reverse, limit: Some(3), ..scan }), "f e a");
}

pub(crate) fn a_reverse_scan_starts_at_the_border_of_a_region(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    let back = |range| t.rows_of(|scan| Scan { range, direction: Direction::Reverse, ..scan });
    assert_eq!(back(range("a", "c")), "b a");
    let inclusive = KeyRange { end: std::ops::Bound::Included(b"c".to_vec()), ..KeyRange::all() };
    assert_eq!(back(inclusive), "c b a");
    let from = KeyRange { start: std::ops::Bound::Excluded(b"c".to_vec()), ..KeyRange::all() };
    assert_eq!(back(from), "f e d");
}

pub(crate) fn columns_versions_and_time_ranges_over_regions(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    for row in ["b", "d", "f"] {
        t.put(row, "d:q@7=x d:p@6=y a:q@6=z");
    }
    let asked = |direction| {
        t.scan_with(|scan| Scan {
            columns: only("d:q"),
            versions: 2,
            time_range: time(5, 9),
            direction,
            limit: Some(3),
            ..scan
        })
    };
    assert_eq!(asked(Direction::Forward), "a d:q@5=a | b d:q@7=x d:q@5=b | c d:q@5=c");
    assert_eq!(asked(Direction::Reverse), "f d:q@7=x d:q@5=f | e d:q@5=e | d d:q@7=x d:q@5=d");
}

pub(crate) fn a_filter_on_a_column_over_regions_in_both_directions(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    let column = SingleColumn::new("d", "q", CompareOp::Greater, Comparator::Binary(b"b".to_vec()));
    let filter = || Filter::SingleColumnValue(SingleColumn { filter_if_missing: true, ..column.clone() });
    t.delete("e", "d:q@5/Delete");
    assert_eq!(t.rows_with(filter()), "c d f");
    let back = t.rows_of(|scan| Scan { filter: Some(filter()), direction: Direction::Reverse, ..scan });
    assert_eq!(back, "f d c");
}

pub(crate) fn an_expired_cell_in_one_region_and_a_living_one_in_another(store: &dyn Store) {
    let mut table = super::rows::descriptor(&["d"]);
    table.families[0].ttl_seconds = Some(86_400);
    let t = Rows::of(store, &table, &["m"]);
    let young = super::rows::now() - 1000;
    t.put("a", "d:q@1000=gone");
    t.put("b", &format!("d:q@{young}=here"));
    t.put("x", &format!("d:q@{young}=here d:p@1000=gone"));
    t.put("z", "d:q@1000=gone");
    assert_eq!(t.scan(), format!("b d:q@{young}=here | x d:q@{young}=here"));
    let back = t.rows_of(|scan| Scan { direction: Direction::Reverse, limit: Some(1), ..scan });
    assert_eq!(back, "x");
}

pub(crate) fn many_gets_over_regions_keep_their_order(store: &dyn Store) {
    let t = letters(store, &["c", "e"]);
    let gets: Vec<Get> = ["f", "a", "nobody", "d", "a"].map(|row| Get::new(row.as_bytes())).into();
    let mut found = RowBatch::new();
    let there = store.get_many(&t.table, &gets, &mut found).expect("good gets");
    assert_eq!(there, [true, true, false, true, true]);
    let rows: Vec<&[u8]> = found.rows().map(|row| row.key()).collect();
    assert_eq!(rows, [b"f", b"a", b"d", b"a"]);
}

pub(crate) fn split_points_that_cannot_be_leave_no_table(store: &dyn Store) {
    let table = super::rows::descriptor(&["d"]);
    refused!(store.create_table(&table, &keys(&["a", "b", "a"])), DuplicateSplit);
    let empty = store.create_table(&table, &keys(&["", "b"]));
    assert!(matches!(empty, Err(StoreError::EmptySplit)), "{empty:?}");
    assert!(matches!(store.describe(&table.name), Err(StoreError::TableNotFound { .. })));
}

pub(crate) fn a_scan_that_is_open_reads_on_over_a_split(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    let rows: Vec<String> = (0..60).map(|row| format!("{row:02}")).collect();
    rows.iter().for_each(|row| t.put(row, "d:q@5=v"));
    let scan = Scan { batch_rows: 7, columns: Columns::All, ..Scan::new(KeyRange::all()) };
    let mut scanner = store.scan(&t.table, &scan).expect("a good scan");
    let (mut batch, mut found) = (RowBatch::new(), Vec::new());
    while scanner.next_batch(&mut batch).expect("the scan goes on") {
        if found.is_empty() {
            store.split_region(&t.table, &t.region(""), Some(b"30")).expect("a good split");
        }
        found.extend(batch.rows().map(|row| String::from_utf8_lossy(row.key()).into_owned()));
    }
    assert_eq!(found, rows);
    assert_eq!(t.ranges(), "(-∞, 30) [30, ∞)");
}
