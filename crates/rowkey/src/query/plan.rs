//! From conditions to keys.
//!
//! The key is walked from left to right. A part whose field is bound to one value adds its bytes; a salt whose
//! fields are bound adds its bucket, otherwise every bucket begins a range of its own; the first part with a range
//! of values, or without a condition, ends the walk. What the walk used up is exact; every other condition stays as
//! a residual and is checked on each row.

use std::ops::Bound;

use super::condition::{Condition, Query};
use super::interval::Interval;
use crate::key::{Boundary, FieldId, KeySchema, Step, push_salt};
use crate::range::{KeyRange, prefix_end};
use crate::types::{IntForm, IntType, Order, Type};
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
        "the query needs {ranges} ranges, one for each value of the salt; the limit is {MAX_FAN_OUT}: bind {fields}"
    )]
    FanOut {
        /// How many it needs.
        ranges: u64,
        /// What the salt hashes.
        fields: String,
    },
}

/// Plans a query over a key.
///
/// # Errors
/// When it would read the whole table without leave, needs too many ranges, or asks for an order that the key does
/// not give.
pub fn plan(key: &KeySchema, query: &Query, options: PlanOptions) -> Result<Plan, PlanError> {
    let mut walk = Walk::new(key, query);
    let outcome = walk.run()?;
    let left = |condition: &&Condition| outcome.is_some() && !walk.used.contains(&condition.field);
    let residual: Vec<Condition> = query.conditions.iter().filter(left).cloned().collect();
    let direction = walk.direction(query)?;
    let bounded = query.limit.is_some() && residual.is_empty();
    if walk.used.is_empty() && outcome.is_some() && !bounded && !options.full_scan {
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
    intervals: Vec<Option<Interval>>,
    /// The value of each field that the conditions bind to one.
    bound: Vec<Value<'static>>,
    /// The bytes so far, one entry for each bucket; all have the same length.
    prefixes: Vec<Vec<u8>>,
    merge_from: usize,
    /// Fields whose conditions the ranges fulfil exactly.
    used: Vec<FieldId>,
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
    fn new(key: &'a KeySchema, query: &Query) -> Self {
        let intervals: Vec<Option<Interval>> =
            key.fields().iter().map(|(id, _)| Interval::of(id, &query.conditions)).collect();
        let single = |interval: &Option<Interval>| interval.as_ref().and_then(Interval::single).cloned();
        let bound = intervals.iter().map(|interval| single(interval).unwrap_or_default()).collect();
        Self {
            key,
            intervals,
            bound,
            prefixes: vec![Vec::new()],
            merge_from: 0,
            used: Vec::new(),
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
            match self.step(step)? {
                Next::On => {}
                Next::Stop(ranges) => return Ok(Some(ranges)),
                Next::Nothing => return Ok(None),
            }
        }
        self.stopped_at = steps.len();
        Ok(Some(self.prefixes.iter().map(|key| KeyRange::point(key)).collect()))
    }

    fn step(&mut self, step: &Step) -> Result<Next, PlanError> {
        match step {
            Step::Literal(bytes) => {
                self.prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(bytes))
            }
            Step::Salt { buckets, width, fields } => return self.salt(*buckets, *width, fields),
            Step::Field { field, ty, boundary, .. } => {
                if self.is_bound(*field) {
                    return Ok(self.bound_field(step, *field, boundary));
                }
                let interval = self.intervals.get(field.0).cloned().flatten();
                let ranges =
                    interval.filter(|_| is_ordered(*ty, boundary)).and_then(|i| self.field_ranges(step, &i));
                return Ok(Next::Stop(match ranges {
                    Some(ranges) => {
                        self.used.push(*field);
                        ranges
                    }
                    None => self.prefix_ranges(),
                }));
            }
        }
        Ok(Next::On)
    }

    fn salt(&mut self, buckets: u32, width: usize, fields: &[FieldId]) -> Result<Next, PlanError> {
        let all_bound = fields.iter().all(|field| self.is_bound(*field));
        let chosen: Vec<u32> = if all_bound {
            match self.key.salt(buckets, fields, &self.bound) {
                Ok(bucket) => vec![bucket],
                // A value that its field cannot have is in no row.
                Err(_) => return Ok(Next::Nothing),
            }
        } else {
            (0..buckets).collect()
        };
        let ranges = self.prefixes.len() * chosen.len();
        if ranges > MAX_FAN_OUT {
            let names: Vec<&str> = fields.iter().map(|id| self.key.fields().get(*id).name.as_str()).collect();
            let ranges = u64::try_from(ranges).unwrap_or(u64::MAX);
            return Err(PlanError::FanOut { ranges, fields: names.join(", ") });
        }
        let old = std::mem::take(&mut self.prefixes);
        for prefix in &old {
            for &bucket in &chosen {
                let mut longer = prefix.clone();
                push_salt(bucket, width, &mut longer);
                self.prefixes.push(longer);
            }
        }
        if !all_bound {
            self.merge_from = self.prefixes.first().map_or(0, Vec::len);
        }
        Ok(Next::On)
    }

    fn bound_field(&mut self, step: &Step, field: FieldId, boundary: &Boundary) -> Next {
        let mut bytes = Vec::new();
        // A value that has no bytes here (out of range, its delimiter inside) is in no row.
        if self.key.encode_step(step, &self.bound, &mut bytes).is_err() {
            return Next::Nothing;
        }
        self.prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(&bytes));
        if *boundary == Boundary::Unclear {
            // Longer texts share this prefix: the condition stays as a residual.
            return Next::Stop(self.prefix_ranges());
        }
        if !self.used.contains(&field) {
            self.used.push(field);
        }
        Next::On
    }

    fn prefix_ranges(&self) -> Vec<KeyRange> {
        self.prefixes.iter().map(|prefix| KeyRange::prefix(prefix)).collect()
    }

    /// `None` if a bound has no bytes under the part's type; the condition is then a residual.
    fn field_ranges(&self, step: &Step, interval: &Interval) -> Option<Vec<KeyRange>> {
        let Step::Field { field, order, boundary, .. } = step else { return None };
        let encode = |bound: &Bound<Value<'static>>| -> Option<Bound<Vec<u8>>> {
            let (Bound::Included(value) | Bound::Excluded(value)) = bound else {
                return Some(Bound::Unbounded);
            };
            let mut record = self.bound.clone();
            *record.get_mut(field.0)? = value.clone();
            let mut bytes = Vec::new();
            self.key.encode_step(step, &record, &mut bytes).ok()?;
            Some(if matches!(bound, Bound::Included(_)) {
                Bound::Included(bytes)
            } else {
                Bound::Excluded(bytes)
            })
        };
        let (lower, upper) = (encode(&interval.lower)?, encode(&interval.upper)?);
        let (first, last) = if *order == Order::Descending { (upper, lower) } else { (lower, upper) };
        let whole_key = *boundary == Boundary::KeyEnd;
        let ranges = self.prefixes.iter().map(|prefix| {
            let join = |bytes: &Vec<u8>| [prefix.as_slice(), bytes].concat();
            let (first, last) = (first.as_ref().map(join), last.as_ref().map(join));
            let range =
                if whole_key { KeyRange { start: first, end: last } } else { prefix_bounds(first, last) };
            range.intersect(&KeyRange::prefix(prefix))
        });
        Some(ranges.collect())
    }

    fn is_bound(&self, field: FieldId) -> bool {
        self.bound.get(field.0).is_some_and(|value| *value != Value::Null)
    }

    /// The order in which the ranges give rows once they are merged, and whether it is total.
    fn given_order(&self) -> (Vec<(FieldId, Order)>, bool) {
        let mut given: Vec<(FieldId, Order)> = Vec::new();
        for step in self.key.steps().iter().skip(self.stopped_at) {
            match step {
                Step::Literal(_) => {}
                Step::Salt { fields, .. } => {
                    let constant =
                        |id: &FieldId| self.is_bound(*id) || given.iter().any(|(known, _)| known == id);
                    if !fields.iter().all(constant) {
                        return (given, false);
                    }
                }
                Step::Field { field, ty, order, boundary } => {
                    if self.is_bound(*field) && *boundary != Boundary::Unclear {
                        continue;
                    }
                    if !is_ordered(*ty, boundary) {
                        return (given, false);
                    }
                    if !given.iter().any(|(known, _)| known == field) {
                        given.push((*field, *order));
                    }
                }
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

    fn leading_field(&self) -> String {
        let first = self.key.steps().iter().find_map(|step| match step {
            Step::Field { field, .. } => Some(self.key.fields().get(*field).name.clone()),
            Step::Literal(_) | Step::Salt { .. } => None,
        });
        first.unwrap_or_else(|| "a field".to_owned())
    }
}

/// Whether the bytes of a part sort as its values do.
fn is_ordered(ty: Type, boundary: &Boundary) -> bool {
    match ty {
        Type::Text => *boundary == Boundary::KeyEnd,
        Type::Int(IntType { form: IntForm::TwosComplement, .. }) => false,
        Type::Int(_) | Type::Escaped | Type::Timestamp | Type::Bool => true,
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
