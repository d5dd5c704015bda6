//! How many versions of a cell there are.

use super::rows::{Rows, only};
use crate::filter::{Comparator, CompareOp};
use crate::{ALL_VERSIONS, Direction, Filter, Get, Scan};

pub(crate) fn the_newest_version_wins_whatever_the_order_of_writes(t: &Rows<'_>) {
    for cell in ["d:q@5=five", "d:q@9=nine", "d:q@7=seven"] {
        t.put("r", cell);
    }
    assert_eq!(t.get("r"), "d:q@9=nine");
}

pub(crate) fn the_last_write_wins_at_the_same_timestamp(t: &Rows<'_>) {
    t.put("r", "d:q@5=first");
    t.put("r", "d:q@5=second");
    assert_eq!(t.versions("r"), "d:q@5=second");
    t.put("r", "d:q@5=third d:q@5=fourth");
    assert_eq!(t.versions("r"), "d:q@5=fourth");
}

pub(crate) fn versions_come_from_the_newest_to_the_oldest(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@7=c d:q@5=b");
    assert_eq!(t.versions("r"), "d:q@7=c d:q@5=b d:q@3=a");
}

pub(crate) fn a_read_returns_as_many_versions_as_asked_for(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    assert_eq!(t.get_with("r", |get| Get { versions: 2, ..get }), "d:q@7=c d:q@5=b");
    assert_eq!(t.get("r"), "d:q@7=c");
}

pub(crate) fn a_family_limits_the_versions_of_every_read(t: &Rows<'_>) {
    t.put("r", "a:q@1=u a:q@2=v d:q@1=a d:q@2=b d:q@3=c d:q@4=d d:q@5=e");
    let all = t.get_with("r", |get| Get { versions: ALL_VERSIONS, ..get });
    assert_eq!(all, "a:q@2=v d:q@5=e d:q@4=d d:q@3=c");
}

pub(crate) fn versions_are_counted_column_by_column(t: &Rows<'_>) {
    t.put("r", "d:p@1=a d:p@2=b d:p@3=c d:q@1=d d:q@2=e d:q@3=f");
    let two = t.get_with("r", |get| Get { versions: 2, ..get });
    assert_eq!(two, "d:p@3=c d:p@2=b d:q@3=f d:q@2=e");
}

pub(crate) fn hidden_versions_do_not_count(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c d:q@9=d");
    t.delete("r", "d:q@9/Delete d:q@7/Delete");
    assert_eq!(t.get_with("r", |get| Get { versions: 2, ..get }), "d:q@5=b d:q@3=a");
    assert_eq!(t.get("r"), "d:q@5=b");
}

pub(crate) fn a_deleted_version_lets_one_appear_that_the_family_no_longer_kept(t: &Rows<'_>) {
    t.put("r", "d:q@1=a d:q@2=b d:q@3=c d:q@4=d");
    assert_eq!(t.versions("r"), "d:q@4=d d:q@3=c d:q@2=b");
    t.delete("r", "d:q@4/Delete");
    assert_eq!(t.versions("r"), "d:q@3=c d:q@2=b d:q@1=a");
}

pub(crate) fn versions_of_named_columns_are_those_of_all_columns(t: &Rows<'_>) {
    t.put("r", "d:p@1=a d:q@1=b d:q@2=c d:q@3=d d:z@1=e");
    assert_eq!(t.get_with("r", |get| Get { versions: 2, columns: only("d:q"), ..get }), "d:q@3=d d:q@2=c");
    assert_eq!(t.get_with("r", |get| Get { columns: only("d:q d:z"), ..get }), "d:q@3=d d:z@1=e");
}

pub(crate) fn versions_are_returned_by_a_scan_too(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b");
    t.put("s", "d:q@4=c");
    assert_eq!(t.scan_with(|scan| Scan { versions: 2, ..scan }), "r d:q@5=b d:q@3=a | s d:q@4=c");
}

pub(crate) fn versions_keep_their_order_in_a_reverse_scan(t: &Rows<'_>) {
    t.put("r", "d:p@1=x d:q@3=a d:q@5=b");
    t.put("s", "d:q@4=c d:q@6=d");
    let back = t.scan_with(|scan| Scan { versions: 3, direction: Direction::Reverse, ..scan });
    assert_eq!(back, "s d:q@6=d d:q@4=c | r d:p@1=x d:q@5=b d:q@3=a");
}

pub(crate) fn a_value_filter_may_return_an_older_version(t: &Rows<'_>) {
    t.put("r", "d:q@3=yes d:q@5=no d:q@7=no");
    let yes = Filter::Value(CompareOp::Equal, Comparator::Binary(b"yes".to_vec()));
    assert_eq!(t.get_with("r", |get| Get { filter: Some(yes), ..get }), "d:q@3=yes");
}

pub(crate) fn a_filter_sees_only_the_versions_that_the_family_keeps(t: &Rows<'_>) {
    t.put("r", "a:q@3=yes a:q@5=no");
    t.put("s", "d:q@1=yes d:q@2=no d:q@3=no d:q@4=no");
    let yes = Filter::Value(CompareOp::Equal, Comparator::Binary(b"yes".to_vec()));
    assert_eq!(t.filtered(yes), "");
}

pub(crate) fn the_versions_asked_for_are_counted_after_the_filter(t: &Rows<'_>) {
    t.put("r", "d:q@3=yes1 d:q@5=no d:q@7=yes2 d:p@1=yes3");
    let yes = || Some(Filter::Value(CompareOp::Equal, Comparator::BinaryPrefix(b"yes".to_vec())));
    let one = t.get_with("r", |get| Get { filter: yes(), ..get });
    assert_eq!(one, "d:p@1=yes3 d:q@7=yes2");
    let two = t.get_with("r", |get| Get { filter: yes(), versions: 2, ..get });
    assert_eq!(two, "d:p@1=yes3 d:q@7=yes2 d:q@3=yes1");
}

pub(crate) fn zero_versions_are_refused(t: &Rows<'_>) {
    t.put("r", "d:q@3=a");
    let get = Get { versions: 0, ..Get::new(t.key("r")) };
    let refused = t.store.get(&t.table, &get, &mut crate::RowBatch::new());
    assert!(matches!(refused, Err(crate::StoreError::ZeroInRead { .. })), "{refused:?}");
}
