//! Lists of filters, and filters around filters.

use super::rows::{Rows, only};
use crate::filter::{Comparator, CompareOp, SingleColumn};
use crate::{Filter, Get, Scan, Store};

fn value(op: CompareOp, text: &str) -> Filter {
    Filter::Value(op, Comparator::Binary(text.as_bytes().to_vec()))
}

fn qualifier(text: &str) -> Filter {
    Filter::Qualifier(CompareOp::Equal, Comparator::Binary(text.as_bytes().to_vec()))
}

fn column(qualifier: &str, text: &str) -> Filter {
    let comparator = Comparator::Binary(text.as_bytes().to_vec());
    let column = SingleColumn::new("d", qualifier, CompareOp::Equal, comparator);
    Filter::SingleColumnValue(SingleColumn { filter_if_missing: true, ..column })
}

fn table(store: &dyn Store) -> Rows<'_> {
    let t = Rows::shared(store);
    t.put("a", "d:p@5=1 d:q@5=1");
    t.put("b", "d:p@5=1 d:q@5=2");
    t.put("c", "d:p@5=2 d:q@5=1");
    t.put("d", "d:p@5=2 d:q@5=2");
    t
}

pub(crate) fn all_of_a_list_must_let_a_cell_through(store: &dyn Store) {
    let t = table(store);
    let list = Filter::All(vec![qualifier("q"), value(CompareOp::Equal, "2")]);
    assert_eq!(t.filtered(list), "b d:q@5=2 | d d:q@5=2");
}

pub(crate) fn one_of_a_list_is_enough(store: &dyn Store) {
    let t = table(store);
    let list = Filter::One(vec![qualifier("q"), value(CompareOp::Equal, "2")]);
    assert_eq!(t.filtered(list), "a d:q@5=1 | b d:q@5=2 | c d:p@5=2 d:q@5=1 | d d:p@5=2 d:q@5=2");
}

pub(crate) fn all_of_two_columns(store: &dyn Store) {
    let t = table(store);
    assert_eq!(t.rows_with(Filter::All(vec![column("p", "1"), column("q", "2")])), "b");
}

pub(crate) fn one_of_two_columns(store: &dyn Store) {
    let t = table(store);
    assert_eq!(t.rows_with(Filter::One(vec![column("p", "1"), column("q", "2")])), "a b d");
}

pub(crate) fn an_empty_list_lets_everything_through(store: &dyn Store) {
    let t = table(store);
    assert_eq!(t.rows_with(Filter::All(vec![])), "a b c d");
    assert_eq!(t.rows_with(Filter::One(vec![])), "a b c d");
    assert_eq!(t.rows_with(Filter::All(vec![value(CompareOp::Equal, "none"), Filter::One(vec![])])), "");
}

pub(crate) fn lists_inside_lists(store: &dyn Store) {
    let t = table(store);
    let either = Filter::One(vec![column("p", "2"), column("q", "2")]);
    let list = Filter::All(vec![either, column("q", "1")]);
    assert_eq!(t.rows_with(list), "c");
}

pub(crate) fn a_list_of_row_and_cell_filters(store: &dyn Store) {
    let t = table(store);
    let not_a =
        Filter::Row(CompareOp::Equal, Comparator::Regex { pattern: "[bc]$".to_owned(), ignore_case: false });
    assert_eq!(t.filtered(Filter::All(vec![not_a, qualifier("p")])), "b d:p@5=1 | c d:p@5=2");
}

pub(crate) fn key_only_applies_to_what_its_own_filter_includes(store: &dyn Store) {
    let t = table(store);
    let list = Filter::All(vec![qualifier("p"), Filter::KeyOnly { length_as_value: false }]);
    assert_eq!(t.filtered(list), "a d:p@5= | b d:p@5= | c d:p@5= | d d:p@5=");
}

pub(crate) fn two_key_only_filters_apply_one_after_the_other(t: &Rows<'_>) {
    t.put("a", "d:p@5=seven77");
    let length = || Filter::KeyOnly { length_as_value: true };
    let empty = || Filter::KeyOnly { length_as_value: false };
    // A length takes four bytes, and a value that was taken away has none.
    for (filters, expected) in [
        (vec![length()], r"\x00\x00\x00\x07"),
        (vec![length(), length()], r"\x00\x00\x00\x04"),
        (vec![empty(), length()], r"\x00\x00\x00\x00"),
        (vec![length(), empty()], ""),
        (vec![length(), Filter::All(vec![length(), length()])], r"\x00\x00\x00\x04"),
    ] {
        for list in [Filter::All(filters.clone()), Filter::One(filters)] {
            assert_eq!(t.filtered(list.clone()), format!("a d:p@5={expected}"), "{list:?}");
        }
    }
}

fn page(limit: u32, offset: u32) -> Filter {
    Filter::ColumnPagination { limit, start: crate::filter::PageStart::Offset(offset) }
}

fn prefix(text: &str) -> Filter {
    Filter::ColumnPrefix(text.into())
}

pub(crate) fn a_page_of_columns_in_a_list_counts_what_hints_let_it_see(t: &Rows<'_>) {
    t.put("a", "d:m@5=1 d:n@5=2 d:o@5=3 d:q@5=4 d:qq@5=5 d:qqq@5=6");
    // The page leaves out its first column, and then the prefix is asked where to go on.
    assert_eq!(t.filtered(Filter::All(vec![page(2, 3), prefix("q")])), "a d:qqq@5=6");
    assert_eq!(t.filtered(Filter::All(vec![page(2, 1), prefix("q")])), "a d:q@5=4 d:qq@5=5");
    // A list inside the list is not asked.
    let inner = Filter::All(vec![prefix("q")]);
    assert_eq!(t.filtered(Filter::All(vec![page(2, 3), inner])), "a d:q@5=4 d:qq@5=5");
}

pub(crate) fn a_page_of_columns_behind_another_filter_counts_what_that_leaves(t: &Rows<'_>) {
    t.put("a", "d:m@5=no d:n@5=yes d:o@5=no d:p@5=yes d:q@5=yes");
    let yes = || value(CompareOp::Equal, "yes");
    assert_eq!(t.filtered(Filter::All(vec![yes(), page(2, 1)])), "a d:p@5=yes d:q@5=yes");
    assert_eq!(t.filtered(Filter::All(vec![prefix("p"), page(2, 1)])), "");
    assert_eq!(t.filtered(Filter::All(vec![prefix("p"), page(2, 0)])), "a d:p@5=yes");
}

pub(crate) fn a_page_of_columns_in_a_reverse_scan_counts_cells_that_no_hint_jumps_over(t: &Rows<'_>) {
    t.put("a", "d:m@5=1 d:n@5=2 d:o@5=3 d:q@5=4 d:qq@5=5 d:qqq@5=6");
    assert_eq!(t.filtered_back(Filter::All(vec![page(2, 3), prefix("q")])), "a d:q@5=4 d:qq@5=5");
}

pub(crate) fn a_skip_filter_leaves_out_rows_of_which_one_cell_is_left_out(store: &dyn Store) {
    let t = table(store);
    let not_2 = value(CompareOp::NotEqual, "2");
    assert_eq!(t.filtered(not_2.clone()), "a d:p@5=1 d:q@5=1 | b d:p@5=1 | c d:q@5=1");
    assert_eq!(t.filtered(Filter::Skip(Box::new(not_2))), "a d:p@5=1 d:q@5=1");
}

pub(crate) fn a_while_filter_ends_the_scan_with_the_first_cell_left_out(store: &dyn Store) {
    let t = table(store);
    let not_2 = value(CompareOp::NotEqual, "2");
    assert_eq!(t.filtered(Filter::WhileMatch(Box::new(not_2))), "a d:p@5=1 d:q@5=1 | b d:p@5=1");
}

pub(crate) fn a_while_filter_works_backwards(store: &dyn Store) {
    let t = table(store);
    let not_1 = value(CompareOp::NotEqual, "1");
    assert_eq!(t.filtered_back(Filter::WhileMatch(Box::new(not_1))), "d d:p@5=2 d:q@5=2 | c d:p@5=2");
}

pub(crate) fn a_filter_that_judges_rows_refuses_pieces(store: &dyn Store) {
    let t = table(store);
    for filter in [
        column("p", "1"),
        Filter::Page(1),
        Filter::Skip(Box::new(qualifier("p"))),
        Filter::All(vec![Filter::Page(1)]),
    ] {
        let scan = Scan { filter: Some(filter), cells_per_result: Some(1), ..Scan::prefix(b"x") };
        refused!(t.scan_rows(&scan), PiecesWithRowFilter);
    }
}

pub(crate) fn a_filter_and_columns_meet(store: &dyn Store) {
    let t = table(store);
    let two = Some(value(CompareOp::Equal, "2"));
    assert_eq!(
        t.scan_with(|scan| Scan { filter: two, columns: only("d:p"), ..scan }),
        "c d:p@5=2 | d d:p@5=2"
    );
}

pub(crate) fn a_filter_on_values_sees_no_hidden_cells(store: &dyn Store) {
    let t = table(store);
    t.delete("a", "d:p@5/Delete d:q@5/DeleteColumn");
    t.delete("c", "d:@9/DeleteFamily");
    assert_eq!(t.rows_with(value(CompareOp::Equal, "1")), "b");
}

pub(crate) fn a_filter_leaves_a_row_out_of_a_get(store: &dyn Store) {
    let t = table(store);
    assert_eq!(t.get_with("a", |get| Get { filter: Some(column("p", "2")), ..get }), "");
    assert_eq!(t.get_with("c", |get| Get { filter: Some(column("p", "2")), ..get }), "d:p@5=2 d:q@5=1");
}
