//! What delete markers hide.

use super::rows::{Rows, only};
use crate::Get;

pub(crate) fn a_column_marker_hides_all_versions_up_to_its_time(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q@5/DeleteColumn");
    assert_eq!(t.versions("r"), "d:q@7=c");
}

pub(crate) fn a_version_marker_hides_exactly_its_time(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q@5/Delete");
    assert_eq!(t.versions("r"), "d:q@7=c d:q@3=a");
}

pub(crate) fn a_version_marker_of_the_newest_lets_the_one_before_appear(t: &Rows<'_>) {
    t.put("r", "d:q@3=old d:q@5=new");
    t.delete("r", "d:q@5/Delete");
    assert_eq!(t.get("r"), "d:q@3=old");
}

pub(crate) fn a_family_marker_hides_all_columns_up_to_its_time(t: &Rows<'_>) {
    t.put("r", "d:p@5=a d:q@4=b d:q@6=c d:z@1=d");
    t.delete("r", "d:@5/DeleteFamily");
    assert_eq!(t.versions("r"), "d:q@6=c");
}

pub(crate) fn a_family_version_marker_hides_exactly_its_time_in_every_column(t: &Rows<'_>) {
    t.put("r", "d:p@5=a d:p@4=b d:q@5=c d:q@6=d");
    t.delete("r", "d:@5/DeleteFamilyVersion");
    assert_eq!(t.versions("r"), "d:p@4=b d:q@6=d");
}

pub(crate) fn a_row_delete_hides_every_family(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=y");
    t.put("s", "d:q@5=z");
    t.delete_row("r", 9);
    assert_eq!(t.scan(), "s d:q@5=z");
    assert_eq!(t.get("r"), "");
}

pub(crate) fn a_row_delete_at_a_time_keeps_newer_cells(t: &Rows<'_>) {
    t.put("r", "a:q@9=x d:q@5=y d:q@8=z");
    t.delete_row("r", 7);
    assert_eq!(t.versions("r"), "a:q@9=x d:q@8=z");
}

pub(crate) fn a_row_delete_without_a_time_hides_what_was_written_before(t: &Rows<'_>) {
    t.put("r", "a:q=x d:q=y d:old@5=z");
    t.delete("r", "");
    assert_eq!(t.get("r"), "");
}

pub(crate) fn a_marker_hides_a_put_that_comes_after_it(t: &Rows<'_>) {
    t.delete("r", "d:q@5/DeleteColumn");
    t.put("r", "d:q@4=late d:q@5=same");
    assert_eq!(t.get("r"), "");
    t.put("r", "d:q@6=newer");
    assert_eq!(t.versions("r"), "d:q@6=newer");
}

pub(crate) fn a_put_with_the_markers_time_stays_hidden_whatever_came_first(t: &Rows<'_>) {
    t.put("r", "d:q@5=before");
    t.delete("r", "d:q@5/Delete");
    t.put("r", "d:q@5=after");
    assert_eq!(t.get("r"), "");
}

pub(crate) fn a_family_marker_leaves_other_families_alone(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=y");
    t.delete("r", "d:@9/DeleteFamily");
    assert_eq!(t.get("r"), "a:q@5=x");
}

pub(crate) fn a_column_marker_leaves_other_columns_alone(t: &Rows<'_>) {
    t.put("r", "d:@5=empty d:p@5=x d:q@5=y d:qq@5=z");
    t.delete("r", "d:q@9/DeleteColumn");
    assert_eq!(t.get("r"), "d:@5=empty d:p@5=x d:qq@5=z");
}

pub(crate) fn markers_leave_rows_alone_whose_keys_begin_alike(t: &Rows<'_>) {
    for row in ["r", "r\0", "rr", "q"] {
        t.put(row, "d:q@5=v");
    }
    t.delete_row("r", 9);
    assert_eq!(t.rows_of(|scan| scan), r"q r\x00 rr");
}

pub(crate) fn the_newest_version_is_looked_up_when_a_version_delete_has_no_time(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q/Delete");
    assert_eq!(t.versions("r"), "d:q@5=b d:q@3=a");
}

pub(crate) fn the_same_column_twice_deletes_the_two_newest_versions(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q/Delete d:q/Delete");
    assert_eq!(t.versions("r"), "d:q@3=a");
}

pub(crate) fn a_version_delete_of_nothing_hides_nothing_older_or_later(t: &Rows<'_>) {
    t.delete("r", "d:q/Delete");
    t.put("r", "d:q@5=v");
    assert_eq!(t.get("r"), "d:q@5=v");
    t.delete("r", "d:other/Delete");
    assert_eq!(t.get("r"), "d:q@5=v");
    t.delete("r", "d:q/Delete");
    assert_eq!(t.get("r"), "");
}

pub(crate) fn a_marker_of_the_empty_qualifier_is_not_one_of_the_family(t: &Rows<'_>) {
    t.put("r", "d:@5=empty d:q@5=v");
    t.delete("r", "d:@9/DeleteColumn");
    assert_eq!(t.get("r"), "d:q@5=v");
}

pub(crate) fn a_family_marker_hides_the_empty_qualifier_too(t: &Rows<'_>) {
    t.put("r", "d:@3=old d:@7=new d:q@3=v");
    t.delete("r", "d:@5/DeleteFamily");
    assert_eq!(t.versions("r"), "d:@7=new");
}

pub(crate) fn several_markers_hide_what_any_of_them_hides(t: &Rows<'_>) {
    t.put("r", "d:p@2=a d:p@4=b d:p@6=c d:q@2=d d:q@4=e d:q@6=f");
    t.delete("r", "d:p@6/Delete d:p@2/DeleteColumn d:@4/DeleteFamilyVersion");
    assert_eq!(t.versions("r"), "d:q@6=f d:q@2=d");
}

pub(crate) fn an_older_marker_beside_a_newer_one_changes_nothing(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q@6/DeleteColumn");
    t.delete("r", "d:q@4/DeleteColumn d:q@5/Delete");
    assert_eq!(t.versions("r"), "d:q@7=c");
}

pub(crate) fn a_deleted_column_asked_for_by_name_is_hidden_by_a_family_marker(t: &Rows<'_>) {
    t.put("r", "d:p@5=a d:q@5=b d:q@8=c d:z@8=d");
    t.delete("r", "d:@6/DeleteFamily");
    assert_eq!(t.get_with("r", |get| Get { columns: only("d:p d:q"), versions: 9, ..get }), "d:q@8=c");
}

pub(crate) fn one_row_in_two_families_has_independent_deletes(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=y d:q@3=z");
    t.delete("r", "a:q@5/DeleteColumn d:q@5/Delete");
    assert_eq!(t.versions("r"), "d:q@3=z");
}

pub(crate) fn a_row_is_renamed_by_put_and_delete(t: &Rows<'_>) {
    t.put("old", "a:q@5=x d:q@6=y");
    t.put("new", "a:q@5=x d:q@6=y");
    t.delete_row("old", 6);
    assert_eq!(t.scan(), "new a:q@5=x d:q@6=y");
}

pub(crate) fn a_delete_changes_nothing_of_a_row_that_is_not_there(t: &Rows<'_>) {
    t.put("s", "d:q@5=v");
    t.delete("r", "");
    assert_eq!(t.scan(), "s d:q@5=v");
}

pub(crate) fn a_raw_scan_shows_markers_and_what_they_hide(t: &Rows<'_>) {
    t.put("r", "d:p@5=a d:q@5=b");
    t.delete("r", "d:q@5/Delete d:q@7/DeleteColumn d:@6/DeleteFamily d:@5/DeleteFamilyVersion");
    assert_eq!(
        t.raw(),
        "r d:@6/DeleteFamily d:@5/DeleteFamilyVersion d:p@5=a d:q@7/DeleteColumn d:q@5/Delete d:q@5=b"
    );
    assert_eq!(t.scan(), "");
}

pub(crate) fn a_raw_scan_counts_versions_of_puts_only(t: &Rows<'_>) {
    t.put("r", "d:q@3=a d:q@5=b d:q@7=c");
    t.delete("r", "d:q@6/Delete d:q@5/Delete");
    let raw = t.scan_with(|scan| crate::Scan { raw: true, versions: 2, ..scan });
    assert_eq!(raw, "r d:q@7=c d:q@6/Delete d:q@5/Delete d:q@5=b");
}

pub(crate) fn a_row_of_markers_alone_is_no_row(t: &Rows<'_>) {
    t.delete("r", "d:q@5/DeleteColumn a:@5/DeleteFamily");
    t.put("s", "d:q@5=v");
    assert_eq!(t.scan(), "s d:q@5=v");
    assert_eq!(t.raw(), "r a:@5/DeleteFamily d:q@5/DeleteColumn | s d:q@5=v");
}

pub(crate) fn a_put_without_a_time_after_a_delete_of_the_past_is_seen(t: &Rows<'_>) {
    t.put("r", "d:q@5=old");
    t.delete_row("r", 1000);
    t.put("r", "d:q=new");
    assert_eq!(t.values("r"), "d:q=new");
}
