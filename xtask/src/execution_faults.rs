//! Mistakes in running queries, for `cargo xtask faults execution`.

use crate::faults::{Fault, fault};

pub(crate) const EXECUTION_FAULTS: [Fault; 15] = [
    fault(
        "ties broken wrongly",
        "merge.rs",
        "tails.0.cmp(tails.1).then_with(|| a.cmp(b))",
        "tails.0.cmp(tails.1).then_with(|| b.cmp(a))",
    ),
    fault(
        "the last source is dropped",
        "query/ordered.rs",
        "let runs = feed.ranges().into_iter().map(run).collect();",
        "let runs = feed.ranges().into_iter().map(run).rev().skip(1).rev().collect();",
    ),
    fault(
        "a long run goes past the next source",
        "merge.rs",
        "if self.is_before(head, runner_up) {",
        "if self.is_before(head, runner_up) || self.wins > LONG_RUN - 1 && head.first_bytes < u128::MAX {",
    ),
    fault(
        "backwards compares as forwards",
        "merge.rs",
        "Order::Descending => !first,",
        "Order::Descending => first,",
    ),
    fault(
        "bytes taken for equal that are not",
        "query/ordered.rs",
        "let same = common_bytes(start, end);",
        "let same = common_bytes(start, end) + 1;",
    ),
    fault(
        "limit pushed through a filter",
        "query/rows.rs",
        "plan.limit.filter(|_| plan.residual.is_true() && !sorts)",
        "plan.limit.filter(|_| !sorts)",
    ),
    fault(
        "limit pushed below a sort",
        "query/rows.rs",
        "plan.limit.filter(|_| plan.residual.is_true() && !sorts)",
        "plan.limit.filter(|_| plan.residual.is_true())",
    ),
    fault(
        "unknown taken for true",
        "query/rows.rs",
        "if self.plan.residual.matches(&found.values) == Some(true) {",
        "if self.plan.residual.matches(&found.values) != Some(false) {",
    ),
    fault(
        "a page begins with the last row of the one before",
        "query/rows.rs",
        "is_none_or(|after| place > *after)",
        "is_none_or(|after| place >= *after)",
    ),
    fault(
        "a page token remembers the row before",
        "query/rows.rs",
        "        self.last = place;\n",
        "        if self.left != Some(1) {\n            self.last = place;\n        }\n",
    ),
    fault(
        "a token of another query taken",
        "query/page.rs",
        "let query = format!(\"{access:?} {direction:?} {residual:?} {sort:?}\");",
        "let query = format!(\"{direction:?} {sort:?}\").replace(&format!(\"{access:?} {residual:?}\"), \"\");",
    ),
    fault(
        "a skip goes one row too far",
        "query/skip.rs",
        "let (mut low, mut high) = (self.at + 1, self.batch.len());",
        "let (mut low, mut high) = (self.at + 2, self.batch.len());",
    ),
    fault("nulls sort last", "query/sort_key.rs", "const NULL: u8 = 0;", "const NULL: u8 = 2;"),
    fault(
        "a moved row is still found by its old entry",
        "query/lookup.rs",
        "table.indexes.get(index).filter(|_| covered);",
        "table.indexes.get(index).filter(|_| covered || table.indexes.len() > index);",
    ),
    fault(
        "the borders of regions are counted twice",
        "query/divided.rs",
        "ranges.iter().map(|range| range.intersect(part))",
        "ranges.iter().map(|range| range.intersect(&KeyRange { end: Bound::Unbounded, ..part.clone() }))",
    ),
];
