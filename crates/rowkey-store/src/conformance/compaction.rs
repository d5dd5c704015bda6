//! What a major compaction removes, and what it keeps.

use super::rows::{DAY, Rows, now, time};
use crate::{Get, Scan, Store};

/// Makes HBase write files and compact them.
fn compact(t: &Rows<'_>) {
    t.store.flush(&t.table).expect("a good table");
    t.store.major_compact(&t.table).expect("a good table");
}

pub(crate) fn a_compaction_removes_markers_and_what_they_hide(store: &dyn Store) {
    let t = Rows::own(store, &["a", "d"], &[]);
    t.put("r", "a:q@5=x d:p@5=y d:q@5=z");
    t.put("s", "d:q@5=gone");
    t.delete("r", "a:@5/DeleteFamily d:p@7/DeleteColumn d:q@4/Delete");
    t.delete("s", "d:@9/DeleteFamily");
    compact(&t);
    assert_eq!(t.raw(), "r d:q@5=z");
}

pub(crate) fn a_compaction_removes_versions_that_the_family_does_not_keep(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m"]);
    t.put("r", "d:q@1=a d:q@2=b d:q@3=c d:q@4=d");
    t.put("a", "d:q@1=e d:q@2=f");
    compact(&t);
    assert_eq!(t.raw(), "a d:q@2=f d:q@1=e | r d:q@4=d d:q@3=c d:q@2=b");
}

pub(crate) fn after_a_compaction_an_old_time_can_be_written_again(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    t.put("r", "d:q@5=first d:p@1=keep");
    t.delete("r", "d:q@5/DeleteColumn");
    t.put("r", "d:q@5=hidden");
    assert_eq!(t.get("r"), "d:p@1=keep");
    compact(&t);
    t.put("r", "d:q@5=again");
    assert_eq!(t.get("r"), "d:p@1=keep d:q@5=again");
}

pub(crate) fn a_compaction_removes_expired_cells_but_the_min_versions(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    let mut table = store.describe(&t.table).expect("the table exists");
    let ttl = crate::Family { versions: 3, ttl_seconds: Some(86_400), ..crate::Family::new("t") };
    let min =
        crate::Family { versions: 3, ttl_seconds: Some(86_400), min_versions: 1, ..crate::Family::new("m") };
    table.families.extend([ttl, min]);
    store.alter_table(&table).expect("a good change");
    let (young, old, older) = (now() - DAY / 24, now() - 2 * DAY, now() - 3 * DAY);
    t.put("r", &format!("t:q@{young}=a t:q@{old}=b m:q@{old}=c m:q@{older}=d"));
    compact(&t);
    assert_eq!(t.raw(), format!("r m:q@{old}=c t:q@{young}=a"));
}

pub(crate) fn a_compaction_changes_no_answer_of_a_plain_read(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["b"]);
    t.put("a", "d:p@5=x d:q@3=y d:q@5=z");
    t.put("b", "d:q@5=z");
    t.put("c", "d:q@7=v d:q@8=w");
    t.delete("a", "d:q@5/Delete");
    t.delete("b", "");
    let before = t.scan_with(|scan| Scan { versions: 3, ..scan });
    compact(&t);
    assert_eq!(t.scan_with(|scan| Scan { versions: 3, ..scan }), before);
    assert_eq!(before, "a d:p@5=x d:q@3=y | c d:q@8=w d:q@7=v");
}

pub(crate) fn a_compaction_ends_what_a_time_range_could_still_see(store: &dyn Store) {
    let t = Rows::of(store, &super::rows::descriptor(&["d"]), &[]);
    t.put("r", "d:q@3=old d:q@9=new");
    let past = || t.get_with("r", |get| Get { time_range: time(0, 5), ..get });
    assert_eq!(past(), "d:q@3=old");
    compact(&t);
    assert_eq!(past(), "");
    assert_eq!(t.get("r"), "d:q@9=new");
}

pub(crate) fn a_flush_changes_nothing(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    t.put("r", "d:p@5=x d:q@5=y");
    t.delete("r", "d:q@5/DeleteColumn");
    store.flush(&t.table).expect("a good table");
    assert_eq!(t.get("r"), "d:p@5=x");
    t.put("r", "d:q@4=hidden d:q@6=seen");
    assert_eq!(t.get("r"), "d:p@5=x d:q@6=seen");
}
