//! Draws values for the `?` of a query.
//!
//! | what a `?` stands for | drawn |
//! | --- | --- |
//! | `field = ?` | the value of a record drawn by lot, the same record for the whole query; a second `?` of a field is another record's |
//! | both ends of a range | from the record's value on: `window` if the query says one, otherwise a hundredth of the records |
//! | one end | up to the last (or first) `window`, or up to the last (or first) tenth of the records |
//! | `like ?` | the first three characters of the record's text, and `%` |
//! | `limit ?` | `limit` of the query, or 20 |

use std::cmp::Ordering;

use rowkey_core::key::{Draw, Draws};
use rowkey_core::query::{Parameter, Query};
use rowkey_core::table::NamedQuery;
use rowkey_core::{FieldId, Value};

use super::PAGE;
use crate::simulate::Data;

/// A range with two ends has one in so many records between them.
const WINDOW: usize = 100;
/// A range with one end has up to one in so many records.
const TAIL: usize = 10;
/// So often another record is drawn where one has no value.
const TRIES: usize = 50;

/// Where values are drawn from.
pub(super) struct Lots<'a> {
    data: &'a Data<'a>,
    /// The values of a field in order, once they were asked for.
    sorted: Vec<Option<Vec<Value<'a>>>>,
}

impl<'a> Lots<'a> {
    pub(super) fn new(data: &'a Data<'a>) -> Self {
        Self { data, sorted: vec![None; data.fields.len()] }
    }

    /// Values for a query, so many times; fewer if the data has no value for one of them.
    pub(super) fn draw(
        &mut self,
        query: &NamedQuery,
        roles: &[Parameter],
        times: usize,
        (seed, number): (u64, u64),
    ) -> Vec<(usize, Vec<String>)> {
        let mut draws = Draws::new(seed, number);
        (0..times).filter_map(|_| self.one(query, roles, &mut draws)).collect()
    }

    /// The record that values are drawn from, and the values.
    fn one(
        &mut self,
        query: &NamedQuery,
        roles: &[Parameter],
        draws: &mut Draws,
    ) -> Option<(usize, Vec<String>)> {
        let anchor = if roles.is_empty() { 0 } else { self.record(draws)? };
        let mut used: Vec<FieldId> = Vec::new();
        let mut out = Vec::with_capacity(roles.len());
        for role in roles {
            out.push(match *role {
                Parameter::Limit => query.limit.unwrap_or(PAGE).to_string(),
                Parameter::Value(field) => {
                    let row = if used.contains(&field) { self.record(draws)? } else { anchor };
                    used.push(field);
                    self.value(field, row, draws)?.to_string()
                }
                Parameter::Pattern(field) => {
                    let text = self.value(field, anchor, draws)?.to_string();
                    format!("{}%", text.chars().take(3).collect::<String>())
                }
                Parameter::Lower(field) | Parameter::Upper(field) => {
                    let is_lower = *role == Parameter::Lower(field);
                    let two =
                        roles.contains(&Parameter::Lower(field)) && roles.contains(&Parameter::Upper(field));
                    let own = self.value(field, anchor, draws)?;
                    self.bound(field, &own, query.window, (two, is_lower), draws)?.to_string()
                }
            });
        }
        Some((anchor, out))
    }

    fn record(&self, draws: &mut Draws) -> Option<usize> {
        let rows = u32::try_from(self.data.rows).unwrap_or(u32::MAX);
        (rows > 0).then(|| draws.draw(rows) as usize)
    }

    /// The value of a record, or of another one if it has none.
    fn value(&self, field: FieldId, row: usize, draws: &mut Draws) -> Option<Value<'a>> {
        let column = self.data.columns.get(field.0)?;
        let mut row = row;
        for _ in 0..TRIES {
            let value = column.value(row);
            if !value.is_null() {
                return Some(value);
            }
            row = self.record(draws)?;
        }
        None
    }

    /// One end of a range.
    fn bound(
        &mut self,
        field: FieldId,
        own: &Value<'a>,
        window: Option<i64>,
        (two_ends, is_lower): (bool, bool),
        draws: &mut Draws,
    ) -> Option<Value<'a>> {
        if two_ends && is_lower {
            return Some(own.clone());
        }
        let values = self.sorted(field)?;
        let (first, last) = (values.first()?, values.last()?);
        if let Some(window) = window
            && let (Value::Time(own), Value::Time(first), Value::Time(last)) = (own, first, last)
        {
            let part = |whole: i64, draws: &mut Draws| whole / 100 * i64::from(draws.draw(101));
            return Some(Value::Time(match (two_ends, is_lower) {
                (true, _) => own.saturating_add(window),
                (false, true) => last.saturating_sub(part(window, draws)),
                (false, false) => first.saturating_add(part(window, draws)),
            }));
        }
        let end = values.len() - 1;
        let tail = u32::try_from(values.len() / TAIL + 1).unwrap_or(u32::MAX);
        let place = match (two_ends, is_lower) {
            (true, _) => {
                // Past all that are equal, so that a range without its upper end holds the record that it was drawn from.
                let before = |order: fn(Ordering) -> bool| {
                    values.partition_point(|value| value.compare(own).is_some_and(order))
                };
                (before(Ordering::is_lt) + values.len() / WINDOW).max(before(Ordering::is_le))
            }
            (false, true) => end - (draws.draw(tail) as usize).min(end),
            (false, false) => draws.draw(tail) as usize,
        };
        let value = values.get(place.min(end))?.clone();
        Some(if two_ends { above(value, own) } else { value })
    }

    fn sorted(&mut self, field: FieldId) -> Option<&[Value<'a>]> {
        let column = self.data.columns.get(field.0)?;
        let slot = self.sorted.get_mut(field.0)?;
        Some(slot.get_or_insert_with(|| {
            let mut values: Vec<Value<'a>> =
                (0..self.data.rows).map(|row| column.value(row)).filter(|value| !value.is_null()).collect();
            values.sort_by(|a, b| a.compare(b).unwrap_or(Ordering::Equal));
            values
        }))
    }
}

/// The end of a range that begins with the largest value there is.
fn above<'a>(high: Value<'a>, low: &Value<'_>) -> Value<'a> {
    match high {
        Value::Int(number) if high == *low => Value::Int(number.saturating_add(1)),
        Value::Time(millis) if high == *low => Value::Time(millis.saturating_add(1)),
        other => other,
    }
}

/// How many records fulfil the condition, and how many of the first half.
pub(super) fn matching(query: &Query, data: &Data<'_>) -> (usize, usize) {
    let fields = query.condition.fields();
    let mut record = vec![Value::Null; data.fields.len()];
    let (mut found, mut early) = (0, 0);
    for row in 0..data.rows {
        if row == data.early() {
            early = found;
        }
        for field in &fields {
            if let (Some(slot), Some(column)) = (record.get_mut(field.0), data.columns.get(field.0)) {
                *slot = column.value(row);
            }
        }
        found += usize::from(query.condition.matches(&record) == Some(true));
    }
    (found, early)
}
