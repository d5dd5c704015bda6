//! Filters that look at families, columns, values and timestamps.

use std::ops::Bound;

use super::rows::{Rows, only};
use crate::filter::{BitOp, Comparator, CompareOp, PageStart, SingleColumn};
use crate::{Filter, Get, Scan, Store};

fn binary(text: &str) -> Comparator {
    Comparator::Binary(text.as_bytes().to_vec())
}

fn prefix(text: &str) -> Filter {
    Filter::ColumnPrefix(text.as_bytes().to_vec())
}

/// Two rows with columns of two families.
fn wide(store: &dyn Store) -> Rows<'_> {
    let t = Rows::shared(store);
    t.put("r", "a:x@5=1 a:y@5=2 d:p@5=3 d:pp@5=4 d:q@5=5");
    t.put("s", "a:y@5=6 d:q@5=7");
    t
}

pub(crate) fn a_family_filter_leaves_families_out(store: &dyn Store) {
    let t = wide(store);
    assert_eq!(
        t.filtered(Filter::Family(CompareOp::Equal, binary("d"))),
        "r d:p@5=3 d:pp@5=4 d:q@5=5 | s d:q@5=7"
    );
    assert_eq!(t.filtered(Filter::Family(CompareOp::Less, binary("d"))), "r a:x@5=1 a:y@5=2 | s a:y@5=6");
}

pub(crate) fn a_qualifier_filter_compares_columns(store: &dyn Store) {
    let t = wide(store);
    let at_least_q = Filter::Qualifier(CompareOp::GreaterOrEqual, binary("q"));
    assert_eq!(t.filtered(at_least_q), "r a:x@5=1 a:y@5=2 d:q@5=5 | s a:y@5=6 d:q@5=7");
    let p = Filter::Qualifier(CompareOp::Equal, Comparator::BinaryPrefix(b"p".to_vec()));
    assert_eq!(t.filtered(p), "r d:p@5=3 d:pp@5=4");
}

pub(crate) fn a_value_filter_compares_values_by_every_operator(t: &Rows<'_>) {
    t.put("r", "d:a@5=1 d:b@5=2 d:c@5=3");
    for (op, expected) in [
        (CompareOp::Less, "d:a@5=1"),
        (CompareOp::LessOrEqual, "d:a@5=1 d:b@5=2"),
        (CompareOp::Equal, "d:b@5=2"),
        (CompareOp::NotEqual, "d:a@5=1 d:c@5=3"),
        (CompareOp::GreaterOrEqual, "d:b@5=2 d:c@5=3"),
        (CompareOp::Greater, "d:c@5=3"),
    ] {
        let filter = Some(Filter::Value(op, binary("2")));
        assert_eq!(t.get_with("r", |get| Get { filter, ..get }), expected, "{op:?}");
    }
}

pub(crate) fn values_compare_as_text_bits_or_numbers(t: &Rows<'_>) {
    t.put("text", "d:q@5=Hello");
    let number = |value: i64| crate::Put::new(t.key("number")).cell_at("d", "n", 5, value.to_be_bytes());
    t.run(number(-7)).expect("a good put");
    let found = |op, comparator| {
        t.rows_with(Filter::All(vec![
            Filter::Qualifier(CompareOp::Equal, binary("q")),
            Filter::Value(op, comparator),
        ]))
    };
    assert_eq!(found(CompareOp::Equal, Comparator::Substring("ELL".to_owned())), "text");
    let regex = |pattern: &str| Comparator::Regex { pattern: pattern.to_owned(), ignore_case: false };
    assert_eq!(found(CompareOp::Equal, regex("l+o$")), "text");
    assert_eq!(found(CompareOp::NotEqual, regex("l+o$")), "");
    let bits = |op| Comparator::Bit { value: vec![0x20; 5], op };
    assert_eq!(found(CompareOp::Equal, bits(BitOp::And)), "text");
    assert_eq!(found(CompareOp::Equal, bits(BitOp::Xor)), "text");
    assert_eq!(found(CompareOp::NotEqual, bits(BitOp::Or)), "");
    let long = |op, value| {
        let column = Filter::Qualifier(CompareOp::Equal, binary("n"));
        t.rows_with(Filter::All(vec![column, Filter::Value(op, Comparator::Long(value))]))
    };
    assert_eq!((long(CompareOp::Less, 0), long(CompareOp::Greater, 0)), ("number".to_owned(), String::new()));
    assert_eq!(found(CompareOp::Equal, Comparator::Null), "");
    assert_eq!(found(CompareOp::NotEqual, Comparator::Null), "text");
}

pub(crate) fn a_regex_that_is_none_is_refused(store: &dyn Store) {
    let t = wide(store);
    let regex = Comparator::Regex { pattern: "(".to_owned(), ignore_case: false };
    let get = Get { filter: Some(Filter::Value(CompareOp::Equal, regex)), ..Get::new(t.key("r")) };
    refused!(store.get(&t.table, &get, &mut crate::RowBatch::new()), InvalidFilter);
}

fn single(op: CompareOp, value: &str) -> SingleColumn {
    SingleColumn::new("d", "q", op, binary(value))
}

/// Rows with and without the column, in order.
fn states(store: &dyn Store) -> Rows<'_> {
    let t = Rows::shared(store);
    t.put("a", "d:p@5=x d:q@5=on d:z@5=y");
    t.put("b", "d:p@5=x d:q@5=off d:z@5=y");
    t.put("c", "d:p@5=x");
    t.put("d", "d:q@4=on d:q@6=off");
    t
}

pub(crate) fn a_single_column_value_filter_returns_whole_rows(store: &dyn Store) {
    let t = states(store);
    let on = Filter::SingleColumnValue(single(CompareOp::Equal, "on"));
    assert_eq!(t.filtered(on), "a d:p@5=x d:q@5=on d:z@5=y | c d:p@5=x");
}

pub(crate) fn rows_without_the_column_pass_unless_told_otherwise(store: &dyn Store) {
    let t = states(store);
    let on = || single(CompareOp::Equal, "on");
    assert_eq!(t.rows_with(Filter::SingleColumnValue(on())), "a c");
    let strict = SingleColumn { filter_if_missing: true, ..on() };
    assert_eq!(t.rows_with(Filter::SingleColumnValue(strict)), "a");
}

pub(crate) fn older_versions_of_the_single_column_count_if_asked_for(store: &dyn Store) {
    let t = states(store);
    let any = SingleColumn {
        latest_version_only: false,
        filter_if_missing: true,
        ..single(CompareOp::Equal, "on")
    };
    let scan = |versions| {
        let filter = Some(Filter::SingleColumnValue(any.clone()));
        t.rows_of(|scan| Scan { filter, versions, ..scan })
    };
    assert_eq!(scan(3), "a d");
}

pub(crate) fn a_single_column_must_be_read_to_be_seen(store: &dyn Store) {
    let t = states(store);
    let strict = SingleColumn { filter_if_missing: true, ..single(CompareOp::Equal, "on") };
    let filter = || Some(Filter::SingleColumnValue(strict.clone()));
    let without = t.rows_of(|scan| Scan { filter: filter(), columns: only("d:p"), ..scan });
    assert_eq!(without, "");
    let with = t.scan_with(|scan| Scan { filter: filter(), columns: only("d:p d:q"), ..scan });
    assert_eq!(with, "a d:p@5=x d:q@5=on");
}

pub(crate) fn a_deleted_single_column_is_a_missing_one(store: &dyn Store) {
    let t = states(store);
    t.delete("a", "d:q@5/DeleteColumn");
    let strict = SingleColumn { filter_if_missing: true, ..single(CompareOp::NotEqual, "none") };
    assert_eq!(t.rows_with(Filter::SingleColumnValue(strict)), "b d");
}

pub(crate) fn an_exclude_filter_leaves_the_column_itself_out(store: &dyn Store) {
    let t = states(store);
    t.put("e", "d:q@5=on");
    let on = Filter::SingleColumnValueExclude(single(CompareOp::Equal, "on"));
    assert_eq!(t.filtered(on), "a d:p@5=x d:z@5=y | c d:p@5=x");
}

pub(crate) fn a_column_value_filter_returns_only_the_column(store: &dyn Store) {
    let t = states(store);
    let filter = Filter::ColumnValue {
        family: b"d".to_vec(),
        qualifier: b"q".to_vec(),
        op: CompareOp::Equal,
        comparator: binary("on"),
    };
    assert_eq!(t.filtered(filter), "a d:q@5=on | d d:q@4=on");
}

pub(crate) fn a_column_prefix_filter_returns_columns_with_the_prefix(store: &dyn Store) {
    let t = wide(store);
    assert_eq!(t.filtered(prefix("p")), "r d:p@5=3 d:pp@5=4");
    assert_eq!(t.filtered(prefix("y")), "r a:y@5=2 | s a:y@5=6");
    assert_eq!(t.filtered_back(prefix("q")), "s d:q@5=7 | r d:q@5=5");
}

pub(crate) fn several_column_prefixes_at_once(store: &dyn Store) {
    let t = wide(store);
    let filter = Filter::MultipleColumnPrefix(vec![b"x".to_vec(), b"pp".to_vec()]);
    assert_eq!(t.filtered(filter), "r a:x@5=1 d:pp@5=4");
}

pub(crate) fn a_column_range_filter_has_bounds_of_either_kind(t: &Rows<'_>) {
    t.put("r", "d:a@5=1 d:b@5=2 d:c@5=3 d:d@5=4");
    let (b, d) = (b"b".to_vec(), b"d".to_vec());
    for (min, max, expected) in [
        (Bound::Included(b.clone()), Bound::Included(d.clone()), "d:b@5=2 d:c@5=3 d:d@5=4"),
        (Bound::Excluded(b.clone()), Bound::Excluded(d.clone()), "d:c@5=3"),
        (Bound::Unbounded, Bound::Excluded(b.clone()), "d:a@5=1"),
        (Bound::Included(d), Bound::Unbounded, "d:d@5=4"),
    ] {
        let filter = Some(Filter::ColumnRange { min, max });
        assert_eq!(t.get_with("r", |get| Get { filter, ..get }), expected);
    }
}

pub(crate) fn a_column_page_starts_at_an_offset_and_counts_columns(t: &Rows<'_>) {
    t.put("r", "d:a@5=1 d:a@4=0 d:b@5=2 d:c@5=3 d:d@5=4");
    t.put("s", "d:z@5=9");
    let page = |limit, offset| Filter::ColumnPagination { limit, start: PageStart::Offset(offset) };
    assert_eq!(t.filtered(page(2, 1)), "r d:b@5=2 d:c@5=3");
    assert_eq!(t.filtered(page(1, 0)), "r d:a@5=1 | s d:z@5=9");
    let all_versions = t.get_with("r", |get| Get { filter: Some(page(2, 0)), versions: 9, ..get });
    assert_eq!(all_versions, "d:a@5=1 d:b@5=2", "one version of each column");
}

pub(crate) fn a_column_page_starts_at_a_qualifier(t: &Rows<'_>) {
    t.put("r", "d:a@5=1 d:b@5=2 d:c@5=3 d:d@5=4");
    let start = PageStart::Qualifier(b"bb".to_vec());
    assert_eq!(t.filtered(Filter::ColumnPagination { limit: 1, start }), "r d:c@5=3");
}

pub(crate) fn a_column_count_filter_cuts_a_get(store: &dyn Store) {
    let t = wide(store);
    let filter = Some(Filter::ColumnCountGet(3));
    assert_eq!(t.get_with("r", |get| Get { filter, ..get }), "a:x@5=1 a:y@5=2 d:p@5=3");
}

pub(crate) fn a_first_key_only_filter_returns_one_cell_of_each_row(store: &dyn Store) {
    let t = wide(store);
    assert_eq!(t.filtered(Filter::FirstKeyOnly), "r a:x@5=1 | s a:y@5=6");
    assert_eq!(t.filtered_back(Filter::FirstKeyOnly), "s a:y@5=6 | r a:x@5=1");
}

pub(crate) fn a_key_only_filter_returns_no_values(t: &Rows<'_>) {
    t.put("r", "d:p@5=abc d:q@5=");
    assert_eq!(t.filtered(Filter::KeyOnly { length_as_value: false }), "r d:p@5= d:q@5=");
    let lengths = t.filtered(Filter::KeyOnly { length_as_value: true });
    assert_eq!(lengths, r"r d:p@5=\x00\x00\x00\x03 d:q@5=\x00\x00\x00\x00");
}

pub(crate) fn a_timestamps_filter_returns_versions_with_exactly_these_times(t: &Rows<'_>) {
    t.put("r", "d:p@4=a d:q@3=b d:q@5=c d:q@7=d");
    for can_hint in [false, true] {
        let filter = Some(Filter::Timestamps { timestamps: vec![7, 3, 4], can_hint });
        let found = t.get_with("r", |get| Get { filter, versions: 9, ..get });
        assert_eq!(found, "d:p@4=a d:q@7=d d:q@3=b");
    }
}

pub(crate) fn a_timestamps_filter_sees_no_deleted_version(t: &Rows<'_>) {
    t.put("r", "d:q@3=b d:q@5=c d:q@7=d");
    t.delete("r", "d:q@5/DeleteColumn");
    let filter = Some(Filter::Timestamps { timestamps: vec![3, 5, 7], can_hint: false });
    assert_eq!(t.get_with("r", |get| Get { filter, versions: 9, ..get }), "d:q@7=d");
}

pub(crate) fn next_row_in_one_family_does_not_end_the_other(store: &dyn Store) {
    let t = wide(store);
    // In family `a` the prefix is passed at the first column; family `d` is looked at all the same.
    assert_eq!(t.filtered(prefix("p")), "r d:p@5=3 d:pp@5=4");
    assert_eq!(
        t.filtered(Filter::Family(CompareOp::Greater, binary("a"))),
        "r d:p@5=3 d:pp@5=4 d:q@5=5 | s d:q@5=7"
    );
}

pub(crate) fn a_filter_begins_every_row_afresh(t: &Rows<'_>) {
    for row in ["a", "b", "c"] {
        t.put(row, "d:p@5=1 d:q@5=2");
    }
    assert_eq!(t.filtered(Filter::FirstKeyOnly), "a d:p@5=1 | b d:p@5=1 | c d:p@5=1");
    let page = Filter::ColumnPagination { limit: 1, start: PageStart::Offset(1) };
    assert_eq!(t.filtered(page), "a d:q@5=2 | b d:q@5=2 | c d:q@5=2");
}
