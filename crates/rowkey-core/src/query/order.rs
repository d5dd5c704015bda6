//! The order in which the ranges of a plan give rows, compared with the one asked for.
//!
//! Rows come by rank: by the parts of the key from left to right, without the parts that only spread rows. A field that
//! has one value in all rows is in every order. Null is smaller than every value, as in `order by`.

use std::ops::Bound;

use super::values::{Interval, ValueSet};
use crate::key::{Boundary, FieldId, KeySchema, Sorting, Step, ValueStep};
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

/// An order of rows by fields.
pub(super) type FieldOrder = Vec<(FieldId, Order)>;

/// The order that a walk gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) by: FieldOrder,
    /// Whether rows that are equal in all of it are one row.
    pub(super) total: bool,
}

impl Given {
    /// No order at all.
    pub(super) const NONE: Self = Self { by: Vec::new(), total: false };

    /// The order of rows by rank, where the ranges fix the steps before `stopped_at`.
    pub(super) fn by_rank(key: &KeySchema, sets: &[ValueSet], stopped_at: usize) -> Self {
        let set = |field: &FieldId| sets.get(field.0);
        let mut by: FieldOrder = Vec::new();
        let steps: Vec<(usize, &ValueStep)> = key
            .steps()
            .iter()
            .enumerate()
            .filter_map(|(index, step)| match step {
                Step::Literal(_) => None,
                Step::Value(step) => Some((index, step)),
            })
            .collect();
        let mut taken_out: Vec<&ValueStep> = Vec::new();
        for (place, (index, step)) in steps.iter().enumerate() {
            if *index < stopped_at && step.sorting() == Sorting::Lost && step.width.is_some() {
                // Taken out of the rank: rows are merged as if it were not there.
                taken_out.push(*step);
                continue;
            }
            let one_value = |field: &FieldId| set(field).is_some_and(|set| set.single().is_some());
            let settled = |field: &FieldId| one_value(field) || by.iter().any(|(known, _)| known == field);
            if !step.is_random() && *step.boundary() != Boundary::Unclear && step.fields().iter().all(settled)
            {
                continue;
            }
            let next = steps.get(place + 1).map(|(_, next)| next.sorting());
            if let Some(field) = step.twos_complement_field().filter(|field| set(field).is_some_and(one_sign))
            {
                by.push((field, step.order()));
                continue;
            }
            match step.sorting() {
                Sorting::Ordered(field, order) if nulls_fit(step, set(&field)) => by.push((field, order)),
                // In steps of a field that the next part has in full: the next part says it all.
                Sorting::Coarse(field, order)
                    if next == Some(Sorting::Ordered(field, order)) && nulls_fit(step, set(&field)) => {}
                _ => return Self { by, total: false },
            }
        }
        // Rows of equal rank are one row if what was taken out follows from the rest.
        let known = |field: &FieldId| {
            by.iter().any(|(own, _)| own == field) || set(field).is_some_and(|set| set.single().is_some())
        };
        let follows = |step: &&ValueStep| !step.is_random() && step.fields().iter().all(known);
        let total = taken_out.iter().all(follows);
        Self { by, total }
    }

    /// What both orders are.
    pub(super) fn common(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let same = self.by.iter().zip(&other.by).take_while(|(a, b)| a == b);
        Self { by: same.map(|(a, _)| *a).collect(), total: false }
    }

    /// The direction in which rows come as asked for; `None` if they come so in neither.
    pub(super) fn direction(&self, asked: &FieldOrder) -> Option<Order> {
        let mut asked = asked.clone();
        if self.total {
            // Once every field of the key is fixed there is one row left, and nothing to order.
            asked.truncate(self.by.len());
        }
        [Order::Ascending, Order::Descending].into_iter().find(|direction| {
            let turned =
                |order: Order| if *direction == Order::Descending { order.reversed() } else { order };
            asked.len() <= self.by.len()
                && asked
                    .iter()
                    .zip(&self.by)
                    .all(|(asked, given)| (asked.0, asked.1) == (given.0, turned(given.1)))
        })
    }
}

/// Whether all values are below zero, or none is: in two's complement they are then in order.
fn one_sign(set: &ValueSet) -> bool {
    let negative = |value: &Value<'_>| match value {
        Value::Int(number) => *number < 0,
        Value::Time(millis) => *millis < 0,
        _ => false,
    };
    let signs = |interval: &Interval| match (&interval.lower, &interval.upper) {
        (Bound::Included(low), _) if !negative(low) => Some(false),
        (_, Bound::Included(high)) if negative(high) => Some(true),
        _ => None,
    };
    let mut all = set.intervals.iter().map(signs);
    let first = all.next().flatten();
    !set.null && first.is_some() && all.all(|sign| sign == first)
}

/// What of an `order by` is left to do: each field once, and none that has one value in all rows.
pub(super) fn asked(order_by: &[(FieldId, Order)], sets: &[ValueSet]) -> FieldOrder {
    let mut asked: FieldOrder = Vec::new();
    for &(field, order) in order_by {
        let settled = sets.get(field.0).is_some_and(|set| set.single().is_some());
        if !settled && !asked.iter().any(|(known, _)| *known == field) {
            asked.push((field, order));
        }
    }
    asked
}

/// Whether nulls come where `order by` wants them: before all values, or behind them in falling order.
fn nulls_fit(step: &ValueStep, set: Option<&ValueSet>) -> bool {
    if !step.may_be_null() || set.is_some_and(|set| !set.null) {
        return true;
    }
    // By the direction of the field, not of the part: `[100 - a: i64? desc]` rises with `a`.
    let (Sorting::Ordered(_, order) | Sorting::Coarse(_, order)) = step.sorting() else { return false };
    match (step.nulls, step.ty()) {
        (Nulls::Refused, Type::Ordered(_)) => order == step.order(),
        (Nulls::First, _) => order == Order::Ascending,
        (Nulls::Last, _) => order == Order::Descending,
        (Nulls::Refused, _) => true,
    }
}

/// As people write it.
pub(crate) fn describe(key: &KeySchema, order: &[(FieldId, Order)]) -> String {
    let one = |(field, order): &(FieldId, Order)| {
        let name = &key.fields().get(*field).name;
        if *order == Order::Descending { format!("{name} desc") } else { name.clone() }
    };
    let all: Vec<String> = order.iter().map(one).collect();
    if all.is_empty() { "no order".to_owned() } else { all.join(", ") }
}
