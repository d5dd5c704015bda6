//! What each condition of a query says about each field.
//!
//! A predicate is taken apart into conjuncts, which must all be true. A conjunct about one field is a set of its values,
//! exactly or at least; one about several fields (an `or` across fields) still says something about each, and may be
//! taken apart into alternatives, each of which is a row of conjuncts again.

use std::ops::Bound;

use super::like::LikePattern;
use super::predicate::{Comparison, Predicate};
use super::values::ValueSet;
use crate::key::FieldId;
use crate::value::Value;

/// More alternatives than this are not planned one by one.
const MAX_ALTERNATIVES: usize = 32;

/// One of the conditions that must all be true.
#[derive(Debug, Clone)]
pub(super) struct Conjunct {
    /// In the form of [`Predicate::pushed_down`].
    pub(super) predicate: Predicate,
    /// The only field it is about.
    pub(super) field: Option<FieldId>,
    /// Whether its set of values is all that it says.
    pub(super) exact: bool,
}

impl Conjunct {
    pub(super) fn new(predicate: Predicate) -> Self {
        let field = match predicate.fields().as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        let exact = field.is_some_and(|field| values(&predicate, field).1);
        Self { predicate, field, exact }
    }

    /// The text with which the field must begin, and whether that is all that the conjunct says.
    pub(super) fn prefix(&self, field: FieldId) -> Option<(&str, bool)> {
        match &self.predicate {
            Predicate::Like { field: own, pattern } if *own == field => {
                Some(pattern.prefix()).filter(|(prefix, _)| !prefix.is_empty())
            }
            _ => None,
        }
    }

    /// The text with which the field must end, and whether that is all that the conjunct says.
    pub(super) fn suffix(&self, field: FieldId) -> Option<(&str, bool)> {
        match &self.predicate {
            Predicate::Like { field: own, pattern } if *own == field => {
                Some(pattern.suffix()).filter(|(suffix, _)| !suffix.is_empty())
            }
            _ => None,
        }
    }
}

/// The conjuncts of a predicate.
pub(super) fn conjuncts(predicate: &Predicate) -> Vec<Conjunct> {
    match predicate.pushed_down() {
        Predicate::And(all) => all.into_iter().map(Conjunct::new).collect(),
        one => vec![Conjunct::new(one)],
    }
}

/// The values that a row may have in `field`, by all conjuncts.
pub(super) fn field_values(conjuncts: &[Conjunct], field: FieldId) -> ValueSet {
    let sets = conjuncts.iter().map(|conjunct| values(&conjunct.predicate, field).0);
    sets.fold(ValueSet::ALL(), |all, set| all.intersect(&set))
}

/// One way in which all conjuncts can be true, where one with an `or` across fields is replaced by one side of it.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    pub(super) conjuncts: Vec<Conjunct>,
    /// For each, the place of the conjunct that it came from.
    pub(super) origins: Vec<usize>,
}

/// All alternatives; `None` if there is only one, or too many.
pub(super) fn alternatives(conjuncts: &[Conjunct]) -> Option<Vec<Alternative>> {
    let mut all = vec![Alternative { conjuncts: Vec::new(), origins: Vec::new() }];
    let mut split = false;
    for (origin, conjunct) in conjuncts.iter().enumerate() {
        let sides: Vec<Vec<Conjunct>> = match &conjunct.predicate {
            Predicate::Or(any) if conjunct.field.is_none() => {
                split = true;
                any.iter().map(self::conjuncts).collect()
            }
            _ => vec![vec![conjunct.clone()]],
        };
        if all.len() * sides.len() > MAX_ALTERNATIVES {
            return None;
        }
        let joined = |before: &Alternative, side: &Vec<Conjunct>| {
            let mut next = before.clone();
            next.origins.extend(side.iter().map(|_| origin));
            next.conjuncts.extend(side.iter().cloned());
            next
        };
        all = all.iter().flat_map(|before| sides.iter().map(move |side| joined(before, side))).collect();
    }
    split.then_some(all)
}

/// The values of `field` of which the predicate can be true, and whether it is true of all of them whatever the other
/// fields are.
fn values(predicate: &Predicate, field: FieldId) -> (ValueSet, bool) {
    match predicate {
        Predicate::And(all) => all
            .iter()
            .map(|one| values(one, field))
            .fold((ValueSet::ALL(), true), |(all, exact), (set, own)| (all.intersect(&set), exact && own)),
        Predicate::Or(any) => any
            .iter()
            .map(|one| values(one, field))
            .fold((ValueSet::none(), true), |(all, exact), (set, own)| (all.union(&set), exact && own)),
        Predicate::Compare { field: own, comparison, value } if *own == field => {
            (compared(*comparison, value), true)
        }
        Predicate::In { field: own, values, .. } if *own == field => (points(values), true),
        Predicate::Like { field: own, pattern } if *own == field => like(pattern),
        Predicate::IsNull { field: own } if *own == field => (ValueSet::only_null(), true),
        Predicate::Not(inner) => match &**inner {
            Predicate::IsNull { field: own } if *own == field => (not_null(), true),
            Predicate::In { field: own, values, or_null } if *own == field => {
                let none_of = |all: ValueSet, value| all.intersect(&ValueSet::except(value));
                let values: Vec<Value<'static>> = values.iter().map(|v| v.clone().with_one_zero()).collect();
                let left = if *or_null { ValueSet::none() } else { values.iter().fold(not_null(), none_of) };
                (left, true)
            }
            Predicate::Like { field: own, .. } if *own == field => (not_null(), false),
            _ => (ValueSet::ALL(), false),
        },
        Predicate::Unknown => (ValueSet::none(), true),
        _ => (ValueSet::ALL(), false),
    }
}

fn not_null() -> ValueSet {
    ValueSet::between(Bound::Unbounded, Bound::Unbounded)
}

/// Listed values, in the form that a key has them.
fn points(values: &[Value<'static>]) -> ValueSet {
    ValueSet::points(&values.iter().map(|value| value.clone().with_one_zero()).collect::<Vec<_>>())
}

fn compared(comparison: Comparison, value: &Value<'static>) -> ValueSet {
    let value = match value {
        // Nothing compares with it.
        number if number.float().is_some_and(f64::is_nan) => return ValueSet::none(),
        // The same number, in the form that a key has it.
        value => value.clone().with_one_zero(),
    };
    match comparison {
        Comparison::Equal => ValueSet::point(&value),
        Comparison::NotEqual => ValueSet::except(&value),
        Comparison::Less => ValueSet::between(Bound::Unbounded, Bound::Excluded(value)),
        Comparison::LessOrEqual => ValueSet::between(Bound::Unbounded, Bound::Included(value)),
        Comparison::Greater => ValueSet::between(Bound::Excluded(value), Bound::Unbounded),
        Comparison::GreaterOrEqual => ValueSet::between(Bound::Included(value), Bound::Unbounded),
    }
}

fn like(pattern: &LikePattern) -> (ValueSet, bool) {
    if let Some(text) = pattern.exact() {
        return (ValueSet::point(&Value::Text(text.to_owned().into())), true);
    }
    let (prefix, exact) = pattern.prefix();
    (with_prefix(prefix), exact)
}

/// The texts with this prefix.
pub(super) fn with_prefix(prefix: &str) -> ValueSet {
    if prefix.is_empty() {
        return not_null();
    }
    let end = text_end(prefix).map_or(Bound::Unbounded, |end| Bound::Excluded(Value::Text(end.into())));
    ValueSet::between(Bound::Included(Value::Text(prefix.to_owned().into())), end)
}

/// The first text behind all texts that begin so: UTF-8 sorts as code points do.
fn text_end(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        // Behind the last code point before the surrogates comes the first behind them.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_behind_a_prefix() {
        assert_eq!(text_end("ab"), Some("ac".to_owned()));
        assert_eq!(text_end("a\u{D7FF}"), Some("a\u{E000}".to_owned()));
        assert_eq!(text_end("a\u{10FFFF}"), Some("b".to_owned()));
        assert_eq!(text_end("\u{10FFFF}"), None);
    }
}
