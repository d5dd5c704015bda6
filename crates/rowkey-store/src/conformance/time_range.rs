//! What a time range leaves.

use super::rows::{Rows, only, time};
use crate::filter::{Comparator, CompareOp};
use crate::{Direction, Filter, Get, Scan, StoreError, TimeRange};

pub(crate) fn a_time_range_includes_its_start_and_excludes_its_end(t: &Rows<'_>) {
    t.put("r", "d:a@4=w d:b@5=x d:c@8=y d:d@9=z");
    assert_eq!(t.get_with("r", |get| Get { time_range: time(5, 9), ..get }), "d:b@5=x d:c@8=y");
}

pub(crate) fn a_time_range_is_looked_at_before_versions_are_counted(t: &Rows<'_>) {
    t.put("r", "a:q@3=x d:q@3=a d:q@5=b d:q@7=c d:q@9=d");
    t.put("r", "a:q@9=y");
    let past = t.get_with("r", |get| Get { time_range: time(0, 6), ..get });
    // The family keeps one version, but its older one is still stored, and nothing newer lies in the range.
    assert_eq!(past, "a:q@3=x d:q@5=b");
}

pub(crate) fn several_versions_of_a_time_range(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c d:q@9=d");
    let middle = t.get_with("r", |get| Get { time_range: time(4, 9), versions: 9, ..get });
    assert_eq!(middle, "d:q@7=c d:q@5=b");
}

pub(crate) fn a_marker_after_the_time_range_still_hides(t: &Rows<'_>) {
    t.put("r", "d:p@3=a d:q@3=b");
    t.delete("r", "d:q@9/DeleteColumn");
    t.put("s", "d:q@3=c");
    t.delete("s", "d:@9/DeleteFamily");
    assert_eq!(t.scan_with(|scan| Scan { time_range: time(0, 5), ..scan }), "r d:p@3=a");
}

pub(crate) fn a_time_range_applies_to_named_columns(t: &Rows<'_>) {
    t.put("r", "d:p@3=a d:q@3=b d:q@7=c");
    let named = t.get_with("r", |get| Get { time_range: time(0, 5), columns: only("d:q"), ..get });
    assert_eq!(named, "d:q@3=b");
}

pub(crate) fn a_scan_skips_rows_without_a_cell_in_the_time_range(t: &Rows<'_>) {
    t.put("a", "d:q@3=x");
    t.put("b", "d:q@7=y");
    t.put("c", "d:q@5=z");
    assert_eq!(t.rows_of(|scan| Scan { time_range: time(3, 6), ..scan }), "a c");
    let back = t.rows_of(|scan| Scan { time_range: time(3, 6), direction: Direction::Reverse, ..scan });
    assert_eq!(back, "c a");
}

pub(crate) fn a_single_timestamp_is_a_time_range(t: &Rows<'_>) {
    t.put("r", "d:p@5=a d:q@4=b d:q@5=c d:q@6=d");
    let at = TimeRange::at(5).expect("a good timestamp");
    assert_eq!(t.get_with("r", |get| Get { time_range: at, ..get }), "d:p@5=a d:q@5=c");
}

pub(crate) fn a_filter_sees_only_the_time_range(t: &Rows<'_>) {
    t.put("r", "d:q@3=yes d:q@7=no");
    t.put("s", "d:q@3=no d:q@7=yes");
    let yes = Filter::Value(CompareOp::Equal, Comparator::Binary(b"yes".to_vec()));
    assert_eq!(t.scan_with(|scan| Scan { time_range: time(0, 5), filter: Some(yes), ..scan }), "r d:q@3=yes");
}

pub(crate) fn a_raw_scan_of_a_time_range_shows_its_markers_only(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@8=c");
    t.delete("r", "d:q@4/DeleteColumn d:q@9/Delete");
    let raw = t.scan_with(|scan| Scan { raw: true, versions: 9, time_range: time(4, 9), ..scan });
    assert_eq!(raw, "r d:q@8=c d:q@5=b d:q@4/DeleteColumn");
}

pub(crate) fn an_empty_time_range_holds_nothing(t: &Rows<'_>) {
    t.put("r", "d:q@5=a");
    assert_eq!(t.get_with("r", |get| Get { time_range: time(5, 5), ..get }), "");
    let refused = TimeRange::new(6, 5);
    assert!(matches!(refused, Err(StoreError::InvalidTimeRange { .. })));
}

pub(crate) fn a_version_delete_and_a_time_range_meet(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q@5/Delete");
    assert_eq!(t.get_with("r", |get| Get { time_range: time(0, 7), ..get }), "d:q@3=a");
}
