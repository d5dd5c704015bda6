//! From conditions to keys.
//!
//! The key is walked from left to right. A part whose fields are all bound to one value adds its bytes, be it a field, a
//! salt or a hash; of a salt, bucket or hash prefix whose fields are not bound, every value begins a range of its own;
//! the first part with a range of values, or without a condition, ends the walk. What the walk used up is exact; every
//! other condition stays as a residual and is checked on each row.

use std::ops::Bound;

use super::condition::{Condition, Query};
use super::interval::Interval;
use crate::key::{Boundary, FieldId, KeySchema, Sorting, Step, ValueStep};
use crate::range::{KeyRange, prefix_end};
use crate::types::{Order, Type};
use crate::value::Value;

/// More ranges than this are not opened for one query.
pub const MAX_FAN_OUT: usize = 1024;

/// How to read the rows of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which keys to read.
    pub access: Access,
    /// Rising keys, or falling ones.
    pub direction: Order,
    /// Rows of several ranges are merged by their key bytes from here on.
    pub merge_from: usize,
    /// What must still be checked on each row.
    pub residual: Vec<Condition>,
    /// At most so many rows.
    pub limit: Option<usize>,
}

/// Which keys to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// None: the conditions contradict each other.
    Nothing,
    /// One row.
    Get(Vec<u8>),
    /// These ranges, which do not overlap.
    Ranges(Vec<KeyRange>),
}

/// What a plan may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanOptions {
    /// Whether reading the whole table is fine.
    pub full_scan: bool,
}

/// A query that cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It would read the whole table.
    #[error(
        "the query would read the whole table: no condition is on `{leading}`, with which the key {key} begins; add \
         one, add a limit, or allow it with --full-scan"
    )]
    FullScan {
        /// The first field of the key that a condition could use.
        leading: String,
        /// The key.
        key: String,
    },
    /// Rows do not come in that order.
    #[error(
        "rows cannot come ordered by {asked}: with these conditions the key {key} gives {given}; order by that, or \
         bind more fields"
    )]
    Order {
        /// What was asked for.
        asked: String,
        /// What the key gives.
        given: String,
        /// The key.
        key: String,
    },
    /// Too many ranges.
    #[error(
        "the query needs {ranges} ranges, one for each value of {part}; the limit is {MAX_FAN_OUT}: bind {fields}, or \
         allow a full scan with --full-scan"
    )]
    FanOut {
        /// How many it needs.
        ranges: u64,
        /// The part.
        part: String,
        /// What it is computed from.
        fields: String,
    },
}

/// Plans a query over a key.
///
/// # Errors
/// When it would read the whole table without leave, needs too many ranges, or asks for an order that the key does
/// not give.
pub fn plan(key: &KeySchema, query: &Query, options: PlanOptions) -> Result<Plan, PlanError> {
    let mut walk = Walk::new(key, query, options);
    let outcome = walk.run()?;
    let left = |condition: &&Condition| outcome.is_some() && !walk.used.contains(&condition.field);
    let residual: Vec<Condition> = query.conditions.iter().filter(left).cloned().collect();
    // Rows that cannot be need no order.
    let direction = if outcome.is_some() { walk.direction(query)? } else { Order::Ascending };
    let bounded = query.limit.is_some() && residual.is_empty();
    if !walk.narrowed && outcome.is_some() && !bounded && !options.full_scan {
        let leading = walk.leading_field();
        return Err(PlanError::FullScan { leading, key: key.source().to_owned() });
    }
    let access = match outcome {
        None => Access::Nothing,
        Some(ranges) => access(ranges),
    };
    Ok(Plan { access, direction, merge_from: walk.merge_from, residual, limit: query.limit })
}

fn access(mut ranges: Vec<KeyRange>) -> Access {
    ranges.retain(|range| !range.is_empty());
    match ranges.as_slice() {
        [] => Access::Nothing,
        [KeyRange { start: Bound::Included(start), end: Bound::Included(end) }] if start == end => {
            Access::Get(start.clone())
        }
        _ => Access::Ranges(ranges),
    }
}

struct Walk<'a> {
    key: &'a KeySchema,
    options: PlanOptions,
    intervals: Vec<Option<Interval>>,
    /// The value of each field that the conditions bind to one.
    bound: Vec<Value<'static>>,
    /// The bytes so far, one entry for each bucket; all have the same length.
    prefixes: Vec<Vec<u8>>,
    merge_from: usize,
    /// Fields whose conditions the ranges fulfil exactly.
    used: Vec<FieldId>,
    /// Whether any condition made the ranges smaller.
    narrowed: bool,
    /// The step that ended the walk.
    stopped_at: usize,
}

/// Why a walk goes on or not.
enum Next {
    On,
    /// These ranges are all.
    Stop(Vec<KeyRange>),
    /// No key can match.
    Nothing,
}

impl<'a> Walk<'a> {
    fn new(key: &'a KeySchema, query: &Query, options: PlanOptions) -> Self {
        let intervals: Vec<Option<Interval>> =
            key.fields().iter().map(|(id, _)| Interval::of(id, &query.conditions)).collect();
        let single = |interval: &Option<Interval>| interval.as_ref().and_then(Interval::single).cloned();
        let bound = intervals.iter().map(|interval| single(interval).unwrap_or_default()).collect();
        Self {
            key,
            options,
            intervals,
            bound,
            prefixes: vec![Vec::new()],
            merge_from: 0,
            used: Vec::new(),
            narrowed: false,
            stopped_at: 0,
        }
    }

    /// The ranges, or `None` if no key can match.
    fn run(&mut self) -> Result<Option<Vec<KeyRange>>, PlanError> {
        if self.intervals.iter().flatten().any(Interval::is_empty) {
            return Ok(None);
        }
        let steps = self.key.steps();
        for (index, step) in steps.iter().enumerate() {
            self.stopped_at = index;
            let next = match step {
                Step::Literal(bytes) => {
                    self.append(bytes);
                    Next::On
                }
                Step::Value(step) => self.value(step)?,
            };
            match next {
                Next::On => {}
                Next::Stop(ranges) => return Ok(Some(ranges)),
                Next::Nothing => return Ok(None),
            }
        }
        self.stopped_at = steps.len();
        Ok(Some(self.prefixes.iter().map(|key| KeyRange::point(key)).collect()))
    }

    fn append(&mut self, bytes: &[u8]) {
        self.prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(bytes));
    }

    fn value(&mut self, step: &ValueStep) -> Result<Next, PlanError> {
        if !step.is_random() && step.fields().iter().all(|field| self.is_bound(*field)) {
            return Ok(self.bound_step(step));
        }
        if let Some(ranges) = self.step_ranges(step) {
            self.narrowed = true;
            return Ok(Next::Stop(ranges));
        }
        match step.bucket_count() {
            Some(count) => self.fan_out(step, count),
            None => Ok(Next::Stop(self.prefix_ranges())),
        }
    }

    /// A part of which every field is bound: its bytes are known.
    fn bound_step(&mut self, step: &ValueStep) -> Next {
        let mut bytes = Vec::new();
        // Values that have no bytes here (out of range, a delimiter inside) are in no row.
        if self.key.encode_step(step, &self.bound, &mut bytes).is_err() {
            return Next::Nothing;
        }
        self.append(&bytes);
        self.narrowed = true;
        if *step.boundary() == Boundary::Unclear {
            // Longer texts share this prefix: the conditions stay as residuals.
            return Next::Stop(self.prefix_ranges());
        }
        if let Some(field) = step.recovers()
            && !self.used.contains(&field)
        {
            self.used.push(field);
        }
        Next::On
    }

    /// Every value of a salt, bucket or hash prefix begins a range of its own.
    fn fan_out(&mut self, step: &ValueStep, count: u32) -> Result<Next, PlanError> {
        let ranges = u64::from(count) * u64::try_from(self.prefixes.len()).unwrap_or(u64::MAX);
        if ranges > u64::try_from(MAX_FAN_OUT).unwrap_or(u64::MAX) {
            if self.options.full_scan {
                return Ok(Next::Stop(self.prefix_ranges()));
            }
            let fields = step.fields();
            let names: Vec<&str> = fields.iter().map(|id| self.key.fields().get(*id).name.as_str()).collect();
            let part = step.label().to_owned();
            return Err(PlanError::FanOut { ranges, part, fields: names.join(", ") });
        }
        let old = std::mem::take(&mut self.prefixes);
        for prefix in &old {
            let all = (0..count).filter_map(|number| step.bucket_bytes(number));
            self.prefixes.extend(all.map(|bytes| [prefix.as_slice(), &bytes].concat()));
        }
        self.merge_from = self.prefixes.first().map_or(0, Vec::len);
        Ok(Next::On)
    }

    fn prefix_ranges(&self) -> Vec<KeyRange> {
        self.prefixes.iter().map(|prefix| KeyRange::prefix(prefix)).collect()
    }

    /// The ranges of a part that follows its field, between the bounds of the field's conditions; `None` if there are
    /// none, or if a bound has no bytes under the part's type: the condition is then a residual.
    fn step_ranges(&mut self, step: &ValueStep) -> Option<Vec<KeyRange>> {
        let (field, field_order, strict) = step.monotone()?;
        let interval = self.intervals.get(field.0).cloned().flatten()?;
        let encode = |bound: &Bound<Value<'static>>| -> Option<Bound<Vec<u8>>> {
            let (Bound::Included(value) | Bound::Excluded(value)) = bound else {
                return Some(Bound::Unbounded);
            };
            let mut record = self.bound.clone();
            *record.get_mut(field.0)? = value.clone();
            let mut bytes = Vec::new();
            self.key.encode_step(step, &record, &mut bytes).ok()?;
            if let Boundary::Literal(end) = step.boundary() {
                // With its end, so that longer texts are no longer behind it.
                bytes.extend_from_slice(end);
            }
            // In steps, values beside the bound share its bytes.
            let included = matches!(bound, Bound::Included(_)) || !strict;
            Some(if included { Bound::Included(bytes) } else { Bound::Excluded(bytes) })
        };
        let (lower, upper) = (encode(&interval.lower)?, encode(&interval.upper)?);
        let falling = (field_order == Order::Descending) != (step.order() == Order::Descending);
        let (first, last) = if falling { (upper, lower) } else { (lower, upper) };
        let whole_key = *step.boundary() == Boundary::KeyEnd;
        let value_mark: &[u8] = step.value_mark();
        let ranges = self.prefixes.iter().map(|prefix| {
            let join = |bytes: &Vec<u8>| [prefix.as_slice(), bytes].concat();
            let (first, last) = (first.as_ref().map(join), last.as_ref().map(join));
            let range =
                if whole_key { KeyRange { start: first, end: last } } else { prefix_bounds(first, last) };
            range.intersect(&KeyRange::prefix(&[prefix.as_slice(), value_mark].concat()))
        });
        let ranges = ranges.collect();
        // HBase's own null has no mark: an open end of the range may hold it, so the condition is still checked.
        if strict && !matches!(step.ty(), Type::Ordered(_)) && step.recovers() == Some(field) {
            self.used.push(field);
        }
        Some(ranges)
    }

    fn is_bound(&self, field: FieldId) -> bool {
        self.bound.get(field.0).is_some_and(|value| !value.is_null())
    }

    /// The order in which the ranges give rows once they are merged, and whether it is total.
    fn given_order(&self) -> (Vec<(FieldId, Order)>, bool) {
        let mut given: Vec<(FieldId, Order)> = Vec::new();
        let rest: Vec<&ValueStep> = self
            .key
            .steps()
            .iter()
            .skip(self.stopped_at)
            .filter_map(|step| match step {
                Step::Literal(_) => None,
                Step::Value(step) => Some(step),
            })
            .collect();
        for (index, step) in rest.iter().enumerate() {
            let settled = |id: &FieldId| self.is_bound(*id) || given.iter().any(|(known, _)| known == id);
            if !step.is_random() && *step.boundary() != Boundary::Unclear && step.fields().iter().all(settled)
            {
                continue;
            }
            match step.sorting() {
                // Nulls come first or last whatever the direction, which no order by asks for.
                Sorting::Ordered(field, order) if !step.may_be_null() => given.push((field, order)),
                // In steps of a field that the next part has in full: the next part says it all.
                Sorting::Coarse(field, order)
                    if rest.get(index + 1).map(|next| next.sorting())
                        == Some(Sorting::Ordered(field, order)) => {}
                _ => return (given, false),
            }
        }
        (given, true)
    }

    fn direction(&self, query: &Query) -> Result<Order, PlanError> {
        let mut asked: Vec<(FieldId, Order)> = Vec::new();
        for &(field, order) in &query.order_by {
            if !self.is_bound(field) && !asked.iter().any(|(known, _)| *known == field) {
                asked.push((field, order));
            }
        }
        let (given, total) = self.given_order();
        if total {
            // Once every field of the key is fixed there is one row left, and nothing to order.
            asked.truncate(given.len());
        }
        for direction in [Order::Ascending, Order::Descending] {
            let turned = |order: Order| if direction == Order::Descending { order.reversed() } else { order };
            let fits = asked.len() <= given.len()
                && asked.iter().zip(&given).all(|(a, g)| a.0 == g.0 && a.1 == turned(g.1));
            if fits {
                return Ok(direction);
            }
        }
        Err(PlanError::Order {
            asked: self.describe(&query.order_by),
            given: self.describe(&given),
            key: self.key.source().to_owned(),
        })
    }

    fn describe(&self, order: &[(FieldId, Order)]) -> String {
        let one = |(field, order): &(FieldId, Order)| {
            let name = &self.key.fields().get(*field).name;
            if *order == Order::Descending { format!("{name} desc") } else { name.clone() }
        };
        let all: Vec<String> = order.iter().map(one).collect();
        if all.is_empty() { "no order".to_owned() } else { all.join(", ") }
    }

    /// The first field with which a range could begin.
    fn leading_field(&self) -> String {
        let first = self.key.value_steps().find_map(ValueStep::recovers);
        let first = first.or_else(|| self.key.named_fields().first().copied());
        first.map_or_else(|| "a field".to_owned(), |id| self.key.fields().get(id).name.clone())
    }
}

/// The keys that begin with a value between two encoded ones: more parts follow, so a bound is a prefix.
fn prefix_bounds(first: Bound<Vec<u8>>, last: Bound<Vec<u8>>) -> KeyRange {
    let start = match first {
        Bound::Excluded(prefix) => match prefix_end(&prefix) {
            Some(end) => Bound::Included(end),
            // Nothing comes after a prefix of FF bytes: an empty range.
            None => return KeyRange { start: Bound::Excluded(prefix.clone()), end: Bound::Included(prefix) },
        },
        bound => bound,
    };
    let end = match last {
        Bound::Included(prefix) => prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded),
        bound => bound,
    };
    KeyRange { start, end }
}
