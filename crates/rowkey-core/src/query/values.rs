//! The values of a field that a condition leaves.
//!
//! A [`ValueSet`] is null or not, and intervals of values that are sorted and do not touch. Numbers, times and truth are
//! counted one by one, so `a > 3 and a < 5` is the single value 4.

use std::cmp::Ordering;
use std::ops::Bound;

use crate::value::Value;

/// The values between two bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lower: Bound<Value<'static>>,
    pub(super) upper: Bound<Value<'static>>,
}

/// A set of values of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueSet {
    /// Whether null is one of them.
    pub(super) null: bool,
    /// The others: sorted, apart from each other, none empty.
    pub(super) intervals: Vec<Interval>,
}

impl Interval {
    pub(super) const ALL: Self = Self { lower: Bound::Unbounded, upper: Bound::Unbounded };

    /// The interval with bounds as tight as they can be written; `None` if no value is in it.
    pub(super) fn new(lower: Bound<Value<'static>>, upper: Bound<Value<'static>>) -> Option<Self> {
        let lower = match lower {
            Bound::Excluded(value) => match next(&value, 1) {
                Counted::Next(value) => Bound::Included(value),
                Counted::NoMore => return None,
                Counted::Dense => Bound::Excluded(value),
            },
            bound => bound,
        };
        let upper = match upper {
            Bound::Excluded(value) => match next(&value, -1) {
                Counted::Next(value) => Bound::Included(value),
                Counted::NoMore => return None,
                Counted::Dense => Bound::Excluded(value),
            },
            bound => bound,
        };
        let (lower, upper) = match (lower, upper) {
            (Bound::Included(Value::Bool(true)), Bound::Unbounded) => {
                (Bound::Included(Value::Bool(true)), Bound::Included(Value::Bool(true)))
            }
            (Bound::Unbounded, Bound::Included(Value::Bool(false))) => {
                (Bound::Included(Value::Bool(false)), Bound::Included(Value::Bool(false)))
            }
            both => both,
        };
        let interval = Self { lower, upper };
        (!interval.is_empty()).then_some(interval)
    }

    /// The only value in it, if it is one.
    pub(super) fn single(&self) -> Option<&Value<'static>> {
        match (&self.lower, &self.upper) {
            (Bound::Included(a), Bound::Included(b)) if a == b => Some(a),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        let (Bound::Included(low) | Bound::Excluded(low)) = &self.lower else { return false };
        let (Bound::Included(high) | Bound::Excluded(high)) = &self.upper else { return false };
        let closed = matches!((&self.lower, &self.upper), (Bound::Included(_), Bound::Included(_)));
        match low.compare(high) {
            Some(order) => order.is_gt() || (order.is_eq() && !closed),
            None => true,
        }
    }

    fn intersect(&self, other: &Self) -> Option<Self> {
        let lower = if compare_lower(&self.lower, &other.lower).is_lt() { &other.lower } else { &self.lower };
        let upper = if compare_upper(&self.upper, &other.upper).is_gt() { &other.upper } else { &self.upper };
        Self::new(lower.clone(), upper.clone())
    }

    /// Whether no value lies between this one's end and the start of `next`, which starts no earlier.
    fn reaches(&self, next: &Self) -> bool {
        let (Bound::Included(end) | Bound::Excluded(end)) = &self.upper else { return true };
        let (Bound::Included(start) | Bound::Excluded(start)) = &next.lower else { return true };
        let open = matches!((&self.upper, &next.lower), (Bound::Excluded(_), Bound::Excluded(_)));
        match end.compare(start) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !open,
            Some(Ordering::Less) => matches!(self::next(end, 1), Counted::Next(after) if after == *start),
            None => false,
        }
    }
}

impl ValueSet {
    pub(super) const ALL: fn() -> Self = || Self { null: true, intervals: vec![Interval::ALL] };

    pub(super) fn none() -> Self {
        Self { null: false, intervals: Vec::new() }
    }

    pub(super) fn only_null() -> Self {
        Self { null: true, intervals: Vec::new() }
    }

    pub(super) fn between(lower: Bound<Value<'static>>, upper: Bound<Value<'static>>) -> Self {
        Self { null: false, intervals: Interval::new(lower, upper).into_iter().collect() }
    }

    pub(super) fn point(value: &Value<'static>) -> Self {
        Self::between(Bound::Included(value.clone()), Bound::Included(value.clone()))
    }

    /// Everything but one value and null.
    pub(super) fn except(value: &Value<'static>) -> Self {
        let below = Interval::new(Bound::Unbounded, Bound::Excluded(value.clone()));
        let above = Interval::new(Bound::Excluded(value.clone()), Bound::Unbounded);
        Self { null: false, intervals: below.into_iter().chain(above).collect() }
    }

    pub(super) fn points(values: &[Value<'static>]) -> Self {
        let one = |value: &Value<'static>| {
            Interval::new(Bound::Included(value.clone()), Bound::Included(value.clone()))
        };
        Self { null: false, intervals: joined(values.iter().filter_map(one).collect()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.null && self.intervals.is_empty()
    }

    /// Whether it leaves out nothing.
    pub(super) fn is_all(&self) -> bool {
        self.null && self.has_all_values()
    }

    /// Whether it leaves out nothing but null.
    pub(super) fn has_all_values(&self) -> bool {
        self.intervals == [Interval::ALL]
    }

    pub(super) fn intersect(&self, other: &Self) -> Self {
        // Both are sorted: walk them side by side.
        let (mut a, mut b) = (self.intervals.iter().peekable(), other.intervals.iter().peekable());
        let mut intervals = Vec::new();
        while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
            intervals.extend(left.intersect(right));
            if compare_upper(&left.upper, &right.upper).is_lt() {
                a.next()
            } else {
                b.next()
            };
        }
        Self { null: self.null && other.null, intervals }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let all = self.intervals.iter().chain(&other.intervals).cloned().collect();
        Self { null: self.null || other.null, intervals: joined(all) }
    }

    /// All values of it, null first, if they are single ones.
    pub(super) fn listed(&self) -> Option<Vec<Value<'static>>> {
        let null = self.null.then_some(Value::Null).into_iter().map(Some);
        null.chain(self.intervals.iter().map(|interval| interval.single().cloned())).collect()
    }

    /// All values of it, null first, if they are listed or can be counted and are not more than `most`.
    pub(super) fn counted(&self, most: usize) -> Option<Vec<Value<'static>>> {
        let mut all: Vec<Value<'static>> = self.null.then_some(Value::Null).into_iter().collect();
        for interval in &self.intervals {
            if let Some(only) = interval.single() {
                all.push(only.clone());
            } else {
                let (Bound::Included(low), Bound::Included(high)) = (&interval.lower, &interval.upper) else {
                    return None;
                };
                let count = match (low, high) {
                    (Value::Int(low), Value::Int(high)) => high.checked_sub(*low)?,
                    (Value::Time(low), Value::Time(high)) => i128::from(*high) - i128::from(*low),
                    _ => return None,
                };
                if count >= i128::try_from(most).ok()? {
                    return None;
                }
                let mut value = low.clone();
                while value != *high {
                    let Counted::Next(after) = next(&value, 1) else { return None };
                    all.push(std::mem::replace(&mut value, after));
                }
                all.push(value);
            }
            if all.len() > most {
                return None;
            }
        }
        Some(all)
    }

    /// The only value of it, which may be null.
    pub(super) fn single(&self) -> Option<Value<'static>> {
        match (self.null, self.intervals.as_slice()) {
            (true, []) => Some(Value::Null),
            (false, [only]) => only.single().cloned(),
            _ => None,
        }
    }
}

/// Sorted, and those that touch made one.
fn joined(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by(|a, b| compare_lower(&a.lower, &b.lower));
    let mut out: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        // Two listed numbers stay two: a list of keys to get is better than a range to scan.
        let both_single =
            interval.single().is_some() && out.last().is_some_and(|last| last.single().is_some());
        match out.last_mut() {
            Some(last) if both_single && last.upper == interval.upper => {}
            Some(last) if !both_single && last.reaches(&interval) => {
                if compare_upper(&last.upper, &interval.upper).is_lt() {
                    last.upper = interval.upper;
                }
            }
            _ => out.push(interval),
        }
    }
    out
}

fn compare_lower(a: &Bound<Value<'_>>, b: &Bound<Value<'_>>) -> Ordering {
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Less,
        (_, Bound::Unbounded) => Ordering::Greater,
        (Bound::Included(x) | Bound::Excluded(x), Bound::Included(y) | Bound::Excluded(y)) => {
            let open = |bound: &Bound<Value<'_>>| matches!(bound, Bound::Excluded(_));
            x.compare(y).unwrap_or(Ordering::Equal).then(open(a).cmp(&open(b)))
        }
    }
}

fn compare_upper(a: &Bound<Value<'_>>, b: &Bound<Value<'_>>) -> Ordering {
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Greater,
        (_, Bound::Unbounded) => Ordering::Less,
        (Bound::Included(x) | Bound::Excluded(x), Bound::Included(y) | Bound::Excluded(y)) => {
            let closed = |bound: &Bound<Value<'_>>| matches!(bound, Bound::Included(_));
            x.compare(y).unwrap_or(Ordering::Equal).then(closed(a).cmp(&closed(b)))
        }
    }
}

enum Counted {
    /// The next value in that direction.
    Next(Value<'static>),
    /// The value is the last of its kind.
    NoMore,
    /// There is always another between two of this kind.
    Dense,
}

/// The value one step up or down, of kinds that can be counted.
fn next(value: &Value<'static>, step: i8) -> Counted {
    match value {
        Value::Int(number) => number
            .checked_add(step.into())
            .map_or(Counted::NoMore, |number| Counted::Next(Value::Int(number))),
        Value::Time(millis) => millis
            .checked_add(step.into())
            .map_or(Counted::NoMore, |millis| Counted::Next(Value::Time(millis))),
        Value::Bool(truth) if *truth == (step < 0) => Counted::Next(Value::Bool(!truth)),
        Value::Bool(_) => Counted::NoMore,
        _ => Counted::Dense,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bound() -> impl Strategy<Value = Bound<Value<'static>>> {
        let int = || (0i128..5).prop_map(Value::Int);
        prop_oneof![Just(Bound::Unbounded), int().prop_map(Bound::Included), int().prop_map(Bound::Excluded)]
    }

    fn set() -> impl Strategy<Value = ValueSet> {
        let part = prop_oneof![
            (bound(), bound()).prop_map(|(low, high)| ValueSet::between(low, high)),
            (0i128..5).prop_map(|number| ValueSet::except(&Value::Int(number))),
            prop::collection::vec((0i128..5).prop_map(Value::Int), 0..4)
                .prop_map(|values| ValueSet::points(&values)),
            Just(ValueSet::only_null()),
            Just(ValueSet::ALL()),
        ];
        prop::collection::vec(part, 0..4)
            .prop_map(|parts| parts.iter().fold(ValueSet::none(), |all, part| all.union(part)))
    }

    fn holds(set: &ValueSet, value: &Value<'static>) -> bool {
        if value.is_null() {
            return set.null;
        }
        let point = ValueSet::point(value);
        set.intervals.iter().any(|interval| interval.intersect(&point.intervals[0]).is_some())
    }

    proptest! {
        #[test]
        fn sets_hold_what_their_parts_hold(a in set(), b in set()) {
            for value in (-1i128..7).map(Value::Int).chain([Value::Null]) {
                prop_assert_eq!(holds(&a.union(&b), &value), holds(&a, &value) || holds(&b, &value));
                prop_assert_eq!(holds(&a.intersect(&b), &value), holds(&a, &value) && holds(&b, &value));
                if let Some(listed) = a.listed() {
                    prop_assert_eq!(listed.contains(&value), holds(&a, &value));
                }
            }
        }
    }

    #[test]
    fn what_can_be_counted_is_counted() {
        let one = |low, high| ValueSet::between(Bound::Excluded(low), Bound::Excluded(high)).single();
        assert_eq!(one(Value::Int(3), Value::Int(5)), Some(Value::Int(4)));
        assert_eq!(one(Value::Time(3), Value::Time(5)), Some(Value::Time(4)));
        assert_eq!(one(Value::Float(3.0), Value::Float(5.0)), None);
        assert_eq!(ValueSet::except(&Value::Bool(true)).single(), Some(Value::Bool(false)));
        assert!(ValueSet::between(Bound::Excluded(Value::Time(i64::MAX)), Bound::Unbounded).is_empty());
    }
}
