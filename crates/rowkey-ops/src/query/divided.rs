//! Divides a plan into pieces that can be read by themselves.
//!
//! The keys of a plan without a limit and an order of its own lie in ranges. Each region has its part of them, and a reader of all rows
//! in any order reads the parts at the same time.

use std::ops::Bound;

use rowkey_core::query::{Access, Plan, Via};
use rowkey_core::range::bound_key;
use rowkey_core::{KeyRange, Table};
use rowkey_store::{Filter, RowBatch, RowView, Scan, Store, TableName};

use super::{QueryError, server_filter};
use crate::cancel::Cancel;

/// The keys that a plan reads, or `None` if it can only be run as a whole.
pub(crate) fn ranges(plan: &Plan) -> Option<Vec<KeyRange>> {
    match &plan.access {
        // Which rows are among the first depends on their order; index rows are looked up many at a time.
        _ if plan.limit.is_some() || plan.via != Via::Primary => None,
        Access::Ranges(fan_outs) if fan_outs.iter().all(|fan_out| fan_out.seek.is_none()) => {
            Some(joined(fan_outs.iter().flat_map(|fan_out| &fan_out.ranges)))
        }
        Access::Nothing => Some(Vec::new()),
        Access::Gets(_) | Access::Ranges(_) => None,
    }
}

/// What of the ranges lies in a part of the table.
pub(crate) fn inside(ranges: &[KeyRange], part: &KeyRange) -> Vec<KeyRange> {
    ranges.iter().map(|range| range.intersect(part)).filter(|range| !range.is_empty()).collect()
}

/// What a server may leave out of a plan's rows, where rows would have to travel otherwise.
pub(crate) fn filter(store: &dyn Store, table: &Table, plan: &Plan) -> Option<Filter> {
    let pushed: &[_] = if store.reads_ahead() { &plan.pushed } else { &[] };
    let mut filters = server_filter::filters(table, pushed);
    if filters.len() > 1 { Some(Filter::All(filters)) } else { filters.pop() }
}

/// Hands on every row of some ranges, one after another; `template` says the rest of each scan.
pub(crate) fn rows<E: From<QueryError>>(
    store: &dyn Store,
    name: &TableName,
    template: &Scan,
    ranges: Vec<KeyRange>,
    cancel: &Cancel,
    mut take: impl FnMut(RowView<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut batch = RowBatch::new();
    for range in ranges {
        let scan = Scan { range, ..template.clone() };
        let mut scanner = store.scan(name, &scan).map_err(QueryError::from)?;
        while scanner.next_batch(&mut batch).map_err(QueryError::from)? {
            if cancel.is_cancelled() {
                return Err(QueryError::Cancelled.into());
            }
            batch.rows().try_for_each(&mut take)?;
        }
    }
    Ok(())
}

/// Ranges that touch become one: all buckets of a salt are one range when order does not matter.
fn joined<'r>(ranges: impl IntoIterator<Item = &'r KeyRange>) -> Vec<KeyRange> {
    let mut sorted: Vec<&KeyRange> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
    sorted.sort_by(|a, b| bound_key(&a.start).cmp(&bound_key(&b.start)));
    let mut joined: Vec<KeyRange> = Vec::with_capacity(sorted.len());
    for range in sorted {
        let touches = |last: &&mut KeyRange| match (&last.end, &range.start) {
            (Bound::Excluded(end), Bound::Included(start)) => end == start,
            _ => false,
        };
        match joined.last_mut().filter(touches) {
            Some(last) => last.end.clone_from(&range.end),
            None => joined.push(range.clone()),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one_and_others_stay() {
        let buckets: Vec<KeyRange> = [2u8, 0, 1].iter().map(|bucket| KeyRange::prefix(&[*bucket])).collect();
        assert_eq!(joined(&buckets), [KeyRange::half_open(Some(vec![0]), Some(vec![3]))]);
        let apart = [KeyRange::prefix(b"a"), KeyRange::prefix(b"c"), KeyRange::point(b"d")];
        assert_eq!(
            joined(&apart),
            [
                KeyRange::prefix(b"a"),
                KeyRange { start: Bound::Included(b"c".to_vec()), end: Bound::Included(b"d".to_vec()) }
            ]
        );
    }
}
