//! What a time to live hides.
//!
//! On a real cluster the clock cannot be moved, so cells carry timestamps relative to now: an hour ago is well within
//! the day that the shared families live, two days ago is well past it.

use super::rows::{DAY, Rows, now, only, time};
use crate::filter::{Comparator, CompareOp};
use crate::{ALL_VERSIONS, Direction, Filter, Get, Scan};

const HOUR: i64 = DAY / 24;

pub(crate) fn cells_past_their_time_to_live_are_hidden(t: &Rows<'_>) {
    let (young, old) = (now() - HOUR, now() - 2 * DAY);
    t.put("r", &format!("t:p@{young}=here t:q@{old}=gone t:z@1000=gone"));
    t.put("s", &format!("t:q@{old}=gone"));
    assert_eq!(t.scan(), format!("r t:p@{young}=here"));
    assert_eq!(t.get("s"), "");
}

pub(crate) fn a_family_has_its_own_time_to_live(t: &Rows<'_>) {
    let old = now() - 2 * DAY;
    t.put("r", &format!("a:q@{old}=kept d:q@{old}=kept t:q@{old}=gone"));
    assert_eq!(t.get("r"), format!("a:q@{old}=kept d:q@{old}=kept"));
}

pub(crate) fn expired_versions_do_not_come_back_when_the_newest_is_deleted(t: &Rows<'_>) {
    let (young, old) = (now() - HOUR, now() - 2 * DAY);
    t.put("r", &format!("t:q@{young}=new t:q@{old}=old"));
    t.delete("r", &format!("t:q@{young}/Delete"));
    assert_eq!(t.versions("r"), "");
}

pub(crate) fn of_several_versions_the_unexpired_are_seen(t: &Rows<'_>) {
    let (one, two, old) = (now() - HOUR, now() - 2 * HOUR, now() - 2 * DAY);
    t.put("r", &format!("t:q@{one}=a t:q@{two}=b t:q@{old}=c"));
    assert_eq!(t.versions("r"), format!("t:q@{one}=a t:q@{two}=b"));
}

pub(crate) fn min_versions_outlive_their_time(t: &Rows<'_>) {
    let (old, older) = (now() - 2 * DAY, now() - 3 * DAY);
    t.put("r", &format!("m:q@{old}=newest m:q@{older}=next t:q@{old}=gone"));
    assert_eq!(t.versions("r"), format!("m:q@{old}=newest"));
}

pub(crate) fn min_versions_add_nothing_to_versions_that_live(t: &Rows<'_>) {
    let (one, two, old) = (now() - HOUR, now() - 2 * HOUR, now() - 2 * DAY);
    t.put("r", &format!("m:q@{one}=a m:q@{two}=b m:q@{old}=c"));
    assert_eq!(t.versions("r"), format!("m:q@{one}=a m:q@{two}=b"));
}

pub(crate) fn named_columns_return_one_expired_version_behind_those_that_live(t: &Rows<'_>) {
    let (one, old, older) = (now() - HOUR, now() - 2 * DAY, now() - 3 * DAY);
    t.put("r", &format!("m:q@{one}=a m:q@{old}=b m:q@{older}=c"));
    let named = t.get_with("r", |get| Get { columns: only("m:q"), versions: ALL_VERSIONS, ..get });
    assert_eq!(named, format!("m:q@{one}=a m:q@{old}=b"));
    assert_eq!(t.versions("r"), format!("m:q@{one}=a"));
}

pub(crate) fn a_deleted_version_is_not_among_the_min_versions(t: &Rows<'_>) {
    let (old, older) = (now() - 2 * DAY, now() - 3 * DAY);
    t.put("r", &format!("m:q@{old}=newest m:q@{older}=next"));
    t.delete("r", &format!("m:q@{old}/Delete"));
    assert_eq!(t.versions("r"), format!("m:q@{older}=next"));
}

pub(crate) fn a_time_range_in_the_past_does_not_bring_expired_cells_back(t: &Rows<'_>) {
    let old = now() - 2 * DAY;
    t.put("r", &format!("t:q@{old}=gone d:q@{old}=kept"));
    let past = t.get_with("r", |get| Get { time_range: time(old - 10, old + 10), ..get });
    assert_eq!(past, format!("d:q@{old}=kept"));
}

pub(crate) fn a_filter_does_not_see_expired_cells(t: &Rows<'_>) {
    let (young, old) = (now() - HOUR, now() - 2 * DAY);
    t.put("r", &format!("t:q@{young}=no t:q@{old}=yes"));
    t.put("s", &format!("t:q@{young}=yes"));
    let yes = Filter::Value(CompareOp::Equal, Comparator::Binary(b"yes".to_vec()));
    assert_eq!(t.rows_with(yes), "s");
}

pub(crate) fn a_reverse_scan_hides_expired_cells_too(t: &Rows<'_>) {
    let (young, old) = (now() - HOUR, now() - 2 * DAY);
    t.put("a", &format!("t:q@{young}=here"));
    t.put("b", &format!("t:q@{old}=gone"));
    t.put("c", &format!("t:p@{old}=gone t:q@{young}=here"));
    let back = t.scan_with(|scan| Scan { direction: Direction::Reverse, ..scan });
    assert_eq!(back, format!("c t:q@{young}=here | a t:q@{young}=here"));
}

pub(crate) fn a_raw_scan_shows_expired_cells(t: &Rows<'_>) {
    let old = now() - 2 * DAY;
    t.put("r", &format!("t:q@{old}=old"));
    assert_eq!(t.raw(), format!("r t:q@{old}=old"));
}

pub(crate) fn a_write_without_a_time_lives_from_now_on(t: &Rows<'_>) {
    t.put("r", "t:p=here t:q@1000=gone");
    assert_eq!(t.values("r"), "t:p=here");
}

pub(crate) fn a_limit_counts_rows_that_live(t: &Rows<'_>) {
    let (young, old) = (now() - HOUR, now() - 2 * DAY);
    for (row, at) in [("a", old), ("b", young), ("c", old), ("d", young), ("e", young)] {
        t.put(row, &format!("t:q@{at}=v"));
    }
    assert_eq!(t.rows_of(|scan| Scan { limit: Some(2), ..scan }), "b d");
}
