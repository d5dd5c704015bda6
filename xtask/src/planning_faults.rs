//! Mistakes in planning queries, for `cargo xtask faults planning`.

use crate::faults::{Fault, fault};

pub(crate) const PLANNING_FAULTS: [Fault; 28] = [
    fault(
        "a filter lets signed numbers sort by their bytes",
        "column.rs",
        "Type::Int(int) => int.form == IntForm::Unsigned,",
        "Type::Int(int) => int.form == IntForm::Unsigned || int.bytes == 8,",
    ),
    fault(
        "bounds not swapped under desc",
        "query/bounds.rs",
        "let last_step = finer.last().copied().unwrap_or(step);",
        "let (first, last) = if falling { (last, first) } else { (first, last) };\n            let last_step = finer.last().copied().unwrap_or(step);",
    ),
    fault(
        "last bucket skipped",
        "query/walk.rs",
        "let all = (0..count).filter_map(|number| step.bucket_bytes(number));",
        "let all = (0..count - 1).filter_map(|number| step.bucket_bytes(number));",
    ),
    fault(
        "residual dropped",
        "query/plan.rs",
        "let left = |place: &usize| !ways.used.contains(place);",
        "let left = |place: &usize| !ways.used.contains(place) && *place == 0;",
    ),
    fault(
        "prefix end off by one",
        "query/piece.rs",
        "Bound::Included(prefix) => prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded),",
        "Bound::Included(prefix) => Bound::Excluded(prefix),",
    ),
    fault(
        "open start taken for closed",
        "query/piece.rs",
        "Some(end) => Bound::Included(end),",
        "Some(_) => Bound::Included(prefix),",
    ),
    fault(
        "steps taken for exact",
        "query/bounds.rs",
        "let included = matches!(bound, Bound::Included(_)) || !strict;",
        "let included = matches!(bound, Bound::Included(_));",
    ),
    fault(
        "rounding forgotten",
        "query/bounds.rs",
        "Some(side) if side == inside => Bound::Included(Value::Float32(nearest)),",
        "Some(_) if nearest.is_finite() => Bound::Included(Value::Float32(nearest)),",
    ),
    fault(
        "a text of unclear end taken for exact",
        "query/walk.rs",
        "// Longer texts share this prefix: the conditions stay as residuals.",
        "self.exact.extend(step.field());",
    ),
    fault(
        "null left in the values",
        "query/bounds.rs",
        ".within(&value_area(step)));\n        }\n        bounds.retain",
        ");\n        }\n        bounds.retain",
    ),
    fault(
        "null not looked for",
        "query/bounds.rs",
        "if set.null && step.may_be_null() {",
        "if set.null && step.may_be_null() && set.intervals.is_empty() {",
    ),
    fault(
        "salt kept in the order",
        "query/walk.rs",
        "if !(step.sorting() == Sorting::Lost && step.width.is_some()) {",
        "if !step.is_random() {",
    ),
    fault(
        "fan-outs in the wrong order",
        "query/plan.rs",
        "if direction == Order::Descending {\n        groups.reverse();",
        "if direction == Order::Ascending {\n        groups.reverse();",
    ),
    fault(
        "gets of a reverse plan forwards",
        "query/plan.rs",
        "            if direction == Order::Descending {\n                group.reverse();",
        "            if direction == Order::Ascending {\n                group.reverse();",
    ),
    fault(
        "overlapping ranges read twice",
        "query/piece.rs",
        "Some(last) if !last.range.intersect(&piece.range).is_empty() => {",
        "Some(last) if last.range == piece.range => {",
    ),
    fault(
        "a skip scan skips too far",
        "query/seek.rs",
        "match targets.get(targets.partition_point(|target| target.is_before(rest))) {",
        "match targets.last().filter(|target| !target.is_before(rest)) {",
    ),
    fault(
        "a falling skip scan skips too far",
        "query/seek.rs",
        "Bound::Included(end) => Some(successor(end)),",
        "Bound::Included(end) => Some(end.clone()),",
    ),
    fault(
        "the last value of a part forgotten",
        "query/seek.rs",
        "value.resize(width, 0);",
        "value.resize(width, 0);\n                        decrement(&mut value);",
    ),
    fault(
        "a padded text that ends early forgotten",
        "query/bounds.rs",
        "if early >= low.as_slice() {",
        "if early > low.as_slice() && early.len() > 9 {",
    ),
    fault(
        "a page repeats its last row",
        "query/page.rs",
        "Order::Ascending => KeyRange { start: Bound::Excluded(own), end: Bound::Unbounded },",
        "Order::Ascending => KeyRange { start: Bound::Included(own), end: Bound::Unbounded },",
    ),
    fault(
        "a page loses the other buckets' equal rows",
        "query/page.rs",
        "Order::Ascending if prefix_order.is_gt() => {",
        "Order::Ascending if prefix_order.is_gt() && behind.is_empty() => {",
    ),
    fault(
        "unknown negated to true",
        "query/predicate.rs",
        "Self::Not(inner) => inner.matches(record).map(|holds| !holds),",
        "Self::Not(inner) => Some(inner.matches(record) != Some(true)),",
    ),
    fault(
        "not pushed into and",
        "query/predicate.rs",
        "let and = matches!(self, Self::And(_)) != negated;",
        "let and = matches!(self, Self::And(_));",
    ),
    fault(
        "not in with null taken for false",
        "query/conjunct.rs",
        "if *or_null { ValueSet::none() }",
        "if *or_null && values.is_empty() { ValueSet::none() }",
    ),
    fault(
        "a prefix ends too early",
        "query/conjunct.rs",
        "char::from_u32(u32::from(last) + 1)",
        "char::from_u32(u32::from(last))",
    ),
    fault(
        "one side of an or forgotten",
        "query/plan.rs",
        "    for side in sides {",
        "    for side in sides.iter().take(1) {",
    ),
    fault(
        "nulls in the wrong place",
        "query/order.rs",
        "(Nulls::First, _) => order == Order::Ascending,",
        "(Nulls::First, _) => order == Order::Descending,",
    ),
    fault(
        "signs mixed up",
        "query/bounds.rs",
        "for (from, to) in [(least, -1), (0, greatest)] {",
        "for (from, to) in [(least, 0), (1, greatest)] {",
    ),
];
