//! From a template and the values of its parameters to ranges, as generated programs do it.

use std::cmp::Ordering;
use std::ops::Bound;

use super::{
    Fit, Operand, QueryTemplate, TemplateBetween, TemplateBound, TemplateEnd, TemplatePiece, TemplateSpan,
};
use crate::key::{EncodeError, FieldId, KeySchema, MAX_KEY_LENGTH, Step};
use crate::range::{KeyRange, prefix_end, successor};
use crate::types::Order;
use crate::value::Value;

/// Ranges that are read at the same time and merged; each from its first key on, before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateGroup {
    /// The ranges, in the order of their keys; they do not overlap. `None` for no end.
    pub ranges: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// Rows of several ranges are merged by their key bytes from here on; ties by the whole key.
    pub merge_from: usize,
}

/// A query that has no ranges for these values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// Not as many values as parameters.
    #[error("the query has {expected} parameters, and {found} values are given")]
    Count {
        /// The number of parameters.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// A bound that the part has no bytes for.
    #[error("a bound of `{field}` has no bytes in the key: {problem}")]
    Bound {
        /// The field.
        field: String,
        /// What is wrong with it.
        problem: EncodeError,
    },
}

/// A bound once its value is known.
type Known = Bound<Value<'static>>;

/// The keys between, from the first on, before the second.
type Between = (Vec<u8>, Option<Vec<u8>>);

impl QueryTemplate {
    /// The ranges for these values, one for each parameter, over the key that the template is of; one group is read after
    /// another.
    ///
    /// # Errors
    /// When there are too few or too many values, or one is a bound that has no bytes in the key.
    pub fn ranges(&self, key: &KeySchema, values: &[Value<'_>]) -> Result<Vec<TemplateGroup>, TemplateError> {
        if values.len() != self.parameters.len() {
            return Err(TemplateError::Count { expected: self.parameters.len(), found: values.len() });
        }
        let values: Vec<Value<'static>> =
            values.iter().map(|value| value.clone().into_owned().with_one_zero()).collect();
        let run = Run { template: self, key, values };
        if self.spans.iter().any(|span| run.span(span).is_none()) {
            return Ok(Vec::new());
        }
        let mut record = vec![Value::Null; key.fields().len()];
        for (field, operand) in &self.bound {
            let Some(value) = run.value(operand) else { return Ok(Vec::new()) };
            set(&mut record, *field, value);
        }
        let ends = run.ends()?;
        let mut pieces = Vec::new();
        run.combinations(&mut record, &self.lists, &mut |record| run.pieces(record, &ends, &mut pieces));
        Ok(run.groups(pieces))
    }
}

fn set(record: &mut [Value<'static>], field: FieldId, value: Value<'static>) {
    if let Some(slot) = record.get_mut(field.0) {
        *slot = value;
    }
}

/// A range, and where it stands among the others.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    /// Where it begins, without the bytes that only spread rows.
    rank: Vec<u8>,
    start: Vec<u8>,
    stop: Option<Vec<u8>>,
    /// How many bytes all its keys have in common.
    fixed: usize,
}

struct Run<'t> {
    template: &'t QueryTemplate,
    key: &'t KeySchema,
    values: Vec<Value<'static>>,
}

impl Run<'_> {
    /// `None` for a parameter that is null, and for NaN.
    fn value(&self, operand: &Operand) -> Option<Value<'static>> {
        match operand {
            Operand::Constant(value) => Some(value.clone()),
            Operand::Parameter(number) => self.values.get(*number).filter(|value| !value.is_null()).cloned(),
        }
        .filter(|value| !value.float().is_some_and(f64::is_nan))
    }

    /// Goes through every combination of the listed values, each value once.
    fn combinations(
        &self,
        record: &mut [Value<'static>],
        lists: &[(FieldId, Vec<Operand>)],
        each: &mut dyn FnMut(&[Value<'static>]),
    ) {
        let Some(((field, operands), rest)) = lists.split_first() else { return each(record) };
        let mut done: Vec<Value<'static>> = Vec::new();
        for value in operands.iter().filter_map(|operand| self.value(operand)) {
            if !done.contains(&value) {
                set(record, *field, value.clone());
                self.combinations(record, rest, each);
                done.push(value);
            }
        }
    }

    fn bound(&self, field: FieldId, bound: &Option<TemplateBound>, step: i8) -> Option<Known> {
        let Some(bound) = bound else { return Some(Bound::Unbounded) };
        let value = self.value(&bound.operand).filter(|value| !value.is_null())?;
        Some(match value {
            value if bound.inclusive => Bound::Included(value),
            Value::Int(number) => {
                let next = number.checked_add(step.into())?;
                let range = self.key.fields().get(field).ty.integer_range();
                let is_past = range.is_some_and(|(min, max)| next < min || next > max);
                Bound::Included(Some(Value::Int(next)).filter(|_| !is_past)?)
            }
            Value::Time(millis) => Bound::Included(Value::Time(millis.checked_add(step.into())?)),
            value => Bound::Excluded(value),
        })
    }

    /// The bounds of a span; `None` if no value lies between them.
    fn span(&self, span: &TemplateSpan) -> Option<(Known, Known)> {
        let (lower, upper) =
            (self.bound(span.field, &span.lower, 1)?, self.bound(span.field, &span.upper, -1)?);
        let is_empty = match (&lower, &upper) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(low), Bound::Included(high)) => low.compare(high).is_none_or(Ordering::is_gt),
            (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
                low.compare(high).is_none_or(Ordering::is_ge)
            }
        };
        (!is_empty).then_some((lower, upper))
    }

    /// What follows the pieces.
    fn ends(&self) -> Result<Vec<Between>, TemplateError> {
        let whole = || (Vec::new(), None);
        Ok(match &self.template.end {
            // The key, and what is before it and a zero byte.
            TemplateEnd::Row => vec![(Vec::new(), Some(vec![0]))],
            TemplateEnd::Prefix => vec![whole()],
            TemplateEnd::Constant(ranges) => ranges.iter().map(ends).collect(),
            TemplateEnd::Between(between) => {
                let mut all = Vec::with_capacity(between.spans.len());
                for span in &between.spans {
                    let Some((lower, upper)) = self.span(span) else { continue };
                    let (lower, upper) = match between.fit {
                        Some(fit) => match fitted(lower, upper, fit) {
                            Some(both) => both,
                            None => continue,
                        },
                        None => (lower, upper),
                    };
                    let (lower, upper) = match span.half {
                        Some(_) if (&lower, &upper) == (&Bound::Unbounded, &Bound::Unbounded) => {
                            return Ok(vec![ends(&between.area)]);
                        }
                        Some(numbers) => match self.half(between.field, (lower, upper), numbers) {
                            Some(both) => both,
                            None => continue,
                        },
                        None => (lower, upper),
                    };
                    let (lower, upper) = (self.encoded(between, lower)?, self.encoded(between, upper)?);
                    let (first, last) = if between.falling { (upper, lower) } else { (lower, upper) };
                    all.extend(range(between, first, last));
                }
                all
            }
        })
    }

    /// The bounds within the numbers of one sign; `None` for nothing.
    fn half(
        &self,
        field: FieldId,
        (lower, upper): (Known, Known),
        (from, to): (i128, i128),
    ) -> Option<(Known, Known)> {
        let low = number(&lower).map_or(from, |low| low.max(from));
        let high = number(&upper).map_or(to, |high| high.min(to));
        let kind = self.key.fields().get(field).ty.kind();
        let bound = |number| Value::of_number(number, kind).map(Bound::Included);
        bound(low).zip(bound(high)).filter(|_| low <= high)
    }

    fn encoded(&self, between: &TemplateBetween, bound: Known) -> Result<Bound<Vec<u8>>, TemplateError> {
        let (included, value) = match bound {
            Bound::Unbounded => return Ok(Bound::Unbounded),
            Bound::Included(value) => (true, value),
            Bound::Excluded(value) => (!between.strict, value),
        };
        let mut record = vec![Value::Null; self.key.fields().len()];
        set(&mut record, between.field, value);
        let mut bytes = Vec::new();
        for step in self.key.steps().get(between.steps.clone()).unwrap_or_default() {
            if let Step::Value(step) = step {
                self.key.encode_step(step, &record, &mut bytes).map_err(|problem| TemplateError::Bound {
                    field: self.key.fields().get(between.field).name.clone(),
                    problem,
                })?;
            }
        }
        bytes.extend_from_slice(&between.delimiter);
        Ok(if included { Bound::Included(bytes) } else { Bound::Excluded(bytes) })
    }

    /// Adds the ranges of one combination of values.
    fn pieces(&self, record: &[Value<'static>], ends: &[Between], out: &mut Vec<Piece>) {
        let (mut prefixes, mut rank) = (vec![Vec::new()], Vec::new());
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Literal(bytes) => {
                    prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(bytes));
                    rank.extend_from_slice(bytes);
                }
                TemplatePiece::Step { step, ranked } => {
                    let mut bytes = Vec::new();
                    if let Some(Step::Value(step)) = self.key.steps().get(*step)
                        && self.key.encode_step(step, record, &mut bytes).is_err()
                    {
                        // Values that have no bytes here are in no row.
                        return;
                    }
                    prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(&bytes));
                    if *ranked {
                        rank.extend_from_slice(&bytes);
                    }
                }
                TemplatePiece::Buckets { values, .. } => {
                    let all = |prefix: &Vec<u8>| {
                        values.iter().map(|bytes| [prefix.as_slice(), bytes].concat()).collect::<Vec<_>>()
                    };
                    prefixes = prefixes.iter().flat_map(all).collect();
                }
            }
        }
        for (from, to) in ends {
            for prefix in &prefixes {
                let start = longest([prefix.as_slice(), from].concat());
                let stop = match to {
                    Some(to) => Some([prefix.as_slice(), to].concat()),
                    None => prefix_end(prefix),
                };
                let stop = stop.map(longest);
                // The empty key is no row.
                let first = if start.is_empty() { &[0][..] } else { &start };
                if stop.as_ref().is_none_or(|stop| first < stop.as_slice()) {
                    let rank = [rank.as_slice(), from].concat();
                    out.push(Piece { rank, start, stop, fixed: prefix.len() });
                }
            }
        }
    }

    /// Ranges of one rank are read at the same time.
    fn groups(&self, mut pieces: Vec<Piece>) -> Vec<TemplateGroup> {
        pieces.sort();
        pieces.dedup();
        let is_row = self.template.end == TemplateEnd::Row;
        let falling = self.template.direction == Order::Descending;
        let mut groups: Vec<(Vec<u8>, TemplateGroup)> = Vec::new();
        for Piece { rank, start, stop, fixed } in pieces {
            match groups.last_mut().filter(|(own, _)| *own == rank && !is_row) {
                Some((_, group)) => group.ranges.push((start, stop)),
                None => {
                    groups.push((rank, TemplateGroup { ranges: vec![(start, stop)], merge_from: fixed }));
                }
            }
        }
        if falling {
            groups.reverse();
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

fn ends(range: &KeyRange) -> Between {
    let end = match &range.end {
        Bound::Unbounded => None,
        Bound::Excluded(end) | Bound::Included(end) => Some(end.clone()),
    };
    (range.first_key(), end)
}

/// A bound that no row can have, as one that rows have.
fn longest(mut key: Vec<u8>) -> Vec<u8> {
    if key.len() > MAX_KEY_LENGTH {
        key.truncate(MAX_KEY_LENGTH);
        key.push(0);
    }
    key
}

fn number(bound: &Known) -> Option<i128> {
    match bound {
        Bound::Included(Value::Int(number)) => Some(*number),
        Bound::Included(Value::Time(millis)) => Some((*millis).into()),
        _ => None,
    }
}

/// The bounds of what a part can hold; `None` for nothing.
fn fitted(lower: Known, upper: Known, fit: Fit) -> Option<(Known, Known)> {
    let apart = i128::from(fit.apart);
    let up = |millis: i128| (millis + apart - 1).div_euclid(apart) * apart;
    let down = |millis: i128| millis.div_euclid(apart) * apart;
    let (low, high) = (number(&lower).map(up), number(&upper).map(down));
    if low.is_some_and(|low| low > fit.max) || high.is_some_and(|high| high < fit.min) {
        return None;
    }
    let again = |bound: Known, number: Option<i128>, is_past: bool| match (bound, number) {
        _ if is_past => Bound::Unbounded,
        (Bound::Included(Value::Time(millis)), Some(number)) => {
            Bound::Included(Value::Time(i64::try_from(number).unwrap_or(millis)))
        }
        (bound, _) => bound,
    };
    if low.zip(high).is_some_and(|(low, high)| low > high) {
        return None;
    }
    let (below, above) = (low.is_some_and(|low| low <= fit.min), high.is_some_and(|high| high >= fit.max));
    Some((again(lower, low, below), again(upper, high, above)))
}

/// What lies between two encoded bounds; `None` for nothing.
fn range(between: &TemplateBetween, first: Bound<Vec<u8>>, last: Bound<Vec<u8>>) -> Option<Between> {
    let (from, to) = ends(&between.area);
    let start = match first {
        Bound::Unbounded => from.clone(),
        Bound::Included(bytes) => bytes,
        Bound::Excluded(bytes) if between.whole_key => successor(&bytes),
        Bound::Excluded(bytes) => prefix_end(&bytes)?,
    };
    let stop = match last {
        Bound::Unbounded => to.clone(),
        Bound::Included(bytes) if between.whole_key => Some(successor(&bytes)),
        Bound::Included(bytes) => prefix_end(&bytes),
        Bound::Excluded(bytes) => Some(bytes),
    };
    let stop = match (stop, to) {
        (Some(stop), Some(to)) => Some(stop.min(to)),
        (one, other) => one.or(other),
    };
    let start = start.max(from);
    stop.as_ref().is_none_or(|stop| start < *stop).then_some((start, stop))
}

/// All that the ranges of a group hold, to look for keys in.
impl TemplateGroup {
    /// The ranges as the planner has them.
    pub fn key_ranges(&self) -> impl Iterator<Item = KeyRange> {
        self.ranges.iter().map(|(start, stop)| {
            KeyRange::half_open(Some(start.clone()).filter(|start| !start.is_empty()), stop.clone())
        })
    }
}
