//! Which values of a field do all its conditions leave?

use std::ops::Bound;

use super::condition::{Comparison, Condition};
use crate::key::FieldId;
use crate::value::Value;

/// The values between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lower: Bound<Value<'static>>,
    pub(super) upper: Bound<Value<'static>>,
}

impl Interval {
    /// What the conditions on `field` leave; `None` if there are none.
    pub(super) fn of(field: FieldId, conditions: &[Condition]) -> Option<Self> {
        let mut own = conditions.iter().filter(|condition| condition.field == field).peekable();
        own.peek()?;
        let mut interval = Self { lower: Bound::Unbounded, upper: Bound::Unbounded };
        for Condition { comparison, value, .. } in own {
            let value = value.clone();
            match comparison {
                Comparison::Equal => {
                    interval.raise(Bound::Included(value.clone()));
                    interval.lower(Bound::Included(value));
                }
                Comparison::Greater => interval.raise(Bound::Excluded(value)),
                Comparison::GreaterOrEqual => interval.raise(Bound::Included(value)),
                Comparison::Less => interval.lower(Bound::Excluded(value)),
                Comparison::LessOrEqual => interval.lower(Bound::Included(value)),
            }
        }
        Some(interval)
    }

    /// The only value left, if it is one.
    pub(super) fn single(&self) -> Option<&Value<'static>> {
        match (&self.lower, &self.upper) {
            (Bound::Included(a), Bound::Included(b)) if a == b => Some(a),
            _ => None,
        }
    }

    /// Whether no value is left, as in `a > 5 and a < 3`.
    pub(super) fn is_empty(&self) -> bool {
        let (Bound::Included(low) | Bound::Excluded(low)) = &self.lower else { return false };
        let (Bound::Included(high) | Bound::Excluded(high)) = &self.upper else { return false };
        let closed = matches!((&self.lower, &self.upper), (Bound::Included(_), Bound::Included(_)));
        match low.compare(high) {
            Some(order) => order.is_gt() || (order.is_eq() && !closed),
            None => true,
        }
    }

    fn raise(&mut self, bound: Bound<Value<'static>>) {
        if tighter(&bound, &self.lower, std::cmp::Ordering::Greater) {
            self.lower = bound;
        }
    }

    fn lower(&mut self, bound: Bound<Value<'static>>) {
        if tighter(&bound, &self.upper, std::cmp::Ordering::Less) {
            self.upper = bound;
        }
    }
}

/// Whether `new` leaves fewer values than `old`, where `side` is the direction that is tighter.
fn tighter(new: &Bound<Value<'_>>, old: &Bound<Value<'_>>, side: std::cmp::Ordering) -> bool {
    let (Bound::Included(value) | Bound::Excluded(value)) = new else { return false };
    let (Bound::Included(known) | Bound::Excluded(known)) = old else { return true };
    match value.compare(known) {
        Some(order) if order.is_eq() => matches!(new, Bound::Excluded(_)),
        Some(order) => order == side,
        None => false,
    }
}
