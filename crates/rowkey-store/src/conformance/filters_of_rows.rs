//! Filters that look at rows.

use rowkey_core::range::KeyRange;

use super::rows::{Rows, range};
use crate::filter::{Comparator, CompareOp, FuzzyKey};
use crate::{Direction, Filter, Scan, Store};

/// A table of its own: filters on keys see whole keys.
fn letters<'a>(store: &'a dyn Store, splits: &[&str]) -> Rows<'a> {
    let t = Rows::own(store, &["d"], splits);
    for row in ["a", "ab", "abc", "b", "ba", "c"] {
        t.put(row, &format!("d:q@5={row}"));
    }
    t
}

fn binary(text: &str) -> Comparator {
    Comparator::Binary(text.as_bytes().to_vec())
}

pub(crate) fn a_prefix_filter_returns_rows_with_the_prefix(store: &dyn Store) {
    let t = letters(store, &[]);
    assert_eq!(t.rows_with(Filter::Prefix(b"ab".to_vec())), "ab abc");
    assert_eq!(t.rows_with(Filter::Prefix(b"x".to_vec())), "");
}

pub(crate) fn a_prefix_filter_works_backwards_and_over_regions(store: &dyn Store) {
    let t = letters(store, &["ab", "abb"]);
    let filter = || Some(Filter::Prefix(b"ab".to_vec()));
    assert_eq!(t.rows_of(|scan| Scan { filter: filter(), ..scan }), "ab abc");
    let back = t.rows_of(|scan| Scan { filter: filter(), direction: Direction::Reverse, ..scan });
    assert_eq!(back, "abc ab");
}

pub(crate) fn a_row_filter_compares_keys_by_every_operator(store: &dyn Store) {
    let t = letters(store, &["b"]);
    for (op, expected) in [
        (CompareOp::Less, "a ab abc"),
        (CompareOp::LessOrEqual, "a ab abc b"),
        (CompareOp::Equal, "b"),
        (CompareOp::NotEqual, "a ab abc ba c"),
        (CompareOp::GreaterOrEqual, "b ba c"),
        (CompareOp::Greater, "ba c"),
        (CompareOp::NoOp, ""),
    ] {
        assert_eq!(t.rows_with(Filter::Row(op, binary("b"))), expected, "{op:?}");
    }
}

pub(crate) fn a_row_filter_with_a_prefix_comparator(store: &dyn Store) {
    let t = letters(store, &[]);
    let prefix = |op| t.rows_with(Filter::Row(op, Comparator::BinaryPrefix(b"ab".to_vec())));
    assert_eq!(prefix(CompareOp::Equal), "ab abc");
    assert_eq!(prefix(CompareOp::Greater), "b ba c");
}

pub(crate) fn a_row_filter_with_a_substring_or_a_regex(store: &dyn Store) {
    let t = letters(store, &[]);
    let substring = Comparator::Substring("B".to_owned());
    assert_eq!(t.rows_with(Filter::Row(CompareOp::Equal, substring.clone())), "ab abc b ba");
    assert_eq!(t.rows_with(Filter::Row(CompareOp::NotEqual, substring)), "a c");
    let regex = |pattern: &str, ignore_case| Comparator::Regex { pattern: pattern.to_owned(), ignore_case };
    assert_eq!(t.rows_with(Filter::Row(CompareOp::Equal, regex("^.b", false))), "ab abc");
    assert_eq!(t.rows_with(Filter::Row(CompareOp::Equal, regex("C$", true))), "abc c");
}

pub(crate) fn an_inclusive_stop_filter_ends_after_its_row(store: &dyn Store) {
    let t = letters(store, &["abb"]);
    assert_eq!(t.rows_with(Filter::InclusiveStop(b"abc".to_vec())), "a ab abc");
    assert_eq!(t.rows_with(Filter::InclusiveStop(b"aa".to_vec())), "a");
}

pub(crate) fn an_inclusive_stop_filter_works_backwards(store: &dyn Store) {
    let t = letters(store, &[]);
    let filter = Some(Filter::InclusiveStop(b"b".to_vec()));
    assert_eq!(t.rows_of(|scan| Scan { filter, direction: Direction::Reverse, ..scan }), "c ba b");
}

pub(crate) fn a_page_filter_ends_after_its_number_of_rows(store: &dyn Store) {
    let t = letters(store, &[]);
    assert_eq!(t.rows_with(Filter::Page(2)), "a ab");
    assert_eq!(
        t.rows_of(|scan| Scan { filter: Some(Filter::Page(2)), direction: Direction::Reverse, ..scan }),
        "c ba"
    );
}

pub(crate) fn a_page_filter_does_not_count_rows_that_others_leave_out(store: &dyn Store) {
    let t = letters(store, &[]);
    let long = Comparator::Regex { pattern: "^..".to_owned(), ignore_case: false };
    let list = Filter::All(vec![Filter::Row(CompareOp::Equal, long), Filter::Page(2)]);
    assert_eq!(t.rows_with(list), "ab abc");
}

pub(crate) fn a_fuzzy_row_filter_matches_the_middle_of_keys(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["2"]);
    for row in ["1_a_x", "1_b_x", "2_a_y", "2_c_z", "3_a_x"] {
        t.put(row, "d:q@5=v");
    }
    let pattern = |key: &str| FuzzyKey {
        key: key.as_bytes().to_vec(),
        any: key.bytes().map(|byte| byte == b'?').collect(),
    };
    assert_eq!(t.rows_with(Filter::FuzzyRow(vec![pattern("?_a")])), "1_a_x 2_a_y 3_a_x");
    assert_eq!(t.rows_with(Filter::FuzzyRow(vec![pattern("?_a_x"), pattern("2_c")])), "1_a_x 2_c_z 3_a_x");
    let uneven = Filter::FuzzyRow(vec![FuzzyKey { key: b"ab".to_vec(), any: vec![true] }]);
    refused!(t.scan_rows(&Scan { filter: Some(uneven), ..Scan::new(KeyRange::all()) }), InvalidFilter);
}

pub(crate) fn a_multi_row_range_filter_returns_the_rows_of_its_ranges(store: &dyn Store) {
    let t = letters(store, &["b"]);
    let ranges = vec![range("b", "bz"), range("ab", "abc")];
    assert_eq!(t.rows_with(Filter::MultiRowRange(ranges.clone())), "ab b ba");
    let back = Scan {
        filter: Some(Filter::MultiRowRange(ranges)),
        direction: Direction::Reverse,
        ..Scan::new(KeyRange::all())
    };
    assert_eq!(t.rows_of(|_| back), "ba b ab");
    // Ranges that overlap, or lie in one another, are one: no row comes twice.
    let overlapping = vec![range("ab", "ba"), range("a", "b"), range("aba", "abd")];
    assert_eq!(t.rows_with(Filter::MultiRowRange(overlapping)), "a ab abc b");
}

pub(crate) fn a_multi_row_range_filter_without_a_range_is_refused(store: &dyn Store) {
    let t = letters(store, &[]);
    for ranges in [vec![], vec![range("b", "a")]] {
        let scan = Scan { filter: Some(Filter::MultiRowRange(ranges)), ..Scan::new(KeyRange::all()) };
        refused!(t.scan_rows(&scan), InvalidFilter);
    }
}

pub(crate) fn a_random_row_filter_keeps_none_all_or_some(t: &Rows<'_>) {
    for row in 0..200 {
        t.put(&format!("{row:03}"), "d:q@5=v");
    }
    let count = |chance| t.rows_with(Filter::RandomRow(chance)).split_whitespace().count();
    assert_eq!((count(0.0), count(1.0)), (0, 200));
    assert!((40..160).contains(&count(0.5)), "{}", count(0.5));
}

pub(crate) fn a_while_filter_ends_the_scan_with_the_first_row_left_out(store: &dyn Store) {
    let t = letters(store, &[]);
    let not_abc = Filter::Row(CompareOp::NotEqual, binary("abc"));
    assert_eq!(t.rows_with(not_abc.clone()), "a ab b ba c");
    assert_eq!(t.rows_with(Filter::WhileMatch(Box::new(not_abc))), "a ab");
}

pub(crate) fn a_key_filter_and_a_range_meet(store: &dyn Store) {
    let t = letters(store, &["b"]);
    let found = t.rows_of(|scan| Scan {
        filter: Some(Filter::Row(CompareOp::NotEqual, binary("b"))),
        range: range("ab", "c"),
        ..scan
    });
    assert_eq!(found, "ab abc ba");
}

pub(crate) fn a_limit_counts_rows_that_the_filter_lets_through(store: &dyn Store) {
    let t = letters(store, &["b"]);
    let filter = || Some(Filter::Row(CompareOp::NotEqual, binary("ab")));
    assert_eq!(t.rows_of(|scan| Scan { filter: filter(), limit: Some(3), ..scan }), "a abc b");
    let back =
        t.rows_of(|scan| Scan { filter: filter(), limit: Some(4), direction: Direction::Reverse, ..scan });
    assert_eq!(back, "c ba b abc");
}
