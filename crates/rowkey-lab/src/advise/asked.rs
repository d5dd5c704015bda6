//! What is asked of the table, how often, and with which values?
//!
//! A query has `?` where a value is given later. Values are drawn from the records: those of one record for `=`, so
//! that somebody with many rows is asked for as often as he has rows; a hundredth of the records for a range with two ends; the
//! last (or first) tenth at most for a range with one. Each query is drawn several times, the same for every design.

use rowkey::key::{FieldId, Fields};
use rowkey::query::{Comparison, Predicate, Query};
use rowkey::types::Order;
use rowkey::{Problem, Value};

use super::AdviseError;
use super::dice::Dice;
use super::placeholder::{Role, roles};
use super::sample::Sample;

/// A query as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is for.
    pub name: String,
    /// Condition, order and limit, with `?` for what is given later.
    pub text: String,
    /// Its share among the queries.
    pub weight: u32,
    /// The fields that it returns; `None` for all.
    pub columns: Option<Vec<FieldId>>,
}

/// A query with values in it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) name: String,
    /// Its share of all queries, from 0 to 1.
    pub(super) share: f64,
    pub(super) columns: Option<Vec<FieldId>>,
    pub(super) shape: Shape,
    pub(super) draws: Vec<Draw>,
}

/// One set of values.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    pub(super) query: Query,
    /// How many rows of the table it returns.
    pub(super) returned: f64,
}

/// What a query says of fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) equal: Vec<FieldId>,
    pub(super) range: Vec<FieldId>,
    pub(super) order: Vec<(FieldId, Order)>,
}

/// The rows of a query without a number of its own.
const PAGE: &str = "20";
/// A range with two ends has one in so many records between them.
const WINDOW: usize = 100;
/// A range with one end has up to one in so many records.
const TAIL: usize = 10;

/// Draws the values of all queries.
pub(super) fn draw(
    questions: &[Question],
    sample: &Sample,
    fields: &Fields,
    draws: usize,
    seed: u64,
) -> Result<Vec<Asked>, AdviseError> {
    let total: f64 = questions.iter().map(|question| f64::from(question.weight)).sum();
    let sorted = sorted_values(sample, fields);
    let mut all = Vec::with_capacity(questions.len());
    for (number, question) in questions.iter().enumerate() {
        let unreadable = |findings| AdviseError::Query { name: question.name.clone(), findings };
        let roles = match roles(&question.text, fields) {
            Ok(roles) => roles,
            Err(place) => {
                // A field that is not there is the better thing to say.
                let text = question.text.replace('?', "null");
                if let Err(findings) = Query::parse(&text, fields)
                    && findings
                        .findings
                        .iter()
                        .any(|finding| matches!(finding.problem, Problem::UnknownField { .. }))
                {
                    return Err(unreadable(findings));
                }
                let (query, text) = (question.name.clone(), question.text.clone());
                return Err(AdviseError::Placeholder { query, text, place });
            }
        };
        let mut dice = Dice::new(seed ^ (number as u64).wrapping_mul(0x9e37_79b9));
        let times = if roles.is_empty() { 1 } else { draws };
        let mut made = Vec::with_capacity(times);
        for _ in 0..times {
            let values = values(&roles, sample, &sorted, &mut dice);
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let query = Query::parse_with(&question.text, fields, &values).map_err(unreadable)?;
            let returned = returned(&query, sample);
            made.push(Draw { query, returned });
        }
        let shape = made.first().map(|draw| Shape::of(&draw.query)).unwrap_or_default();
        let share = if total > 0.0 { f64::from(question.weight) / total } else { 0.0 };
        let (name, columns) = (question.name.clone(), question.columns.clone());
        all.push(Asked { name, share, columns, shape, draws: made });
    }
    Ok(all)
}

/// How many rows of the table match, by the sample and up to the limit.
fn returned(query: &Query, sample: &Sample) -> f64 {
    let matches = sample.records.iter().filter(|record| query.condition.matches(record) == Some(true));
    let all = sample.rows_of(matches.count());
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    query.limit.map_or(all, |limit| all.min(limit as f64))
}

/// The values of each field, in order; empty for a field that cannot be sorted.
fn sorted_values(sample: &Sample, fields: &Fields) -> Vec<Vec<Value<'static>>> {
    let column = |(id, _): (FieldId, _)| {
        let mut values: Vec<Value<'static>> = sample
            .records
            .iter()
            .filter_map(|record| record.get(id.0).filter(|value| !value.is_null()).cloned())
            .collect();
        values.sort_by(|a, b| a.compare(b).unwrap_or(std::cmp::Ordering::Equal));
        values
    };
    fields.iter().map(column).collect()
}

fn values(roles: &[Role], sample: &Sample, sorted: &[Vec<Value<'static>>], dice: &mut Dice) -> Vec<String> {
    let anchor = dice.below(sample.records.len());
    let of = |record: usize, field: FieldId| {
        let value = sample.records.get(record).and_then(|record| record.get(field.0));
        value.filter(|value| !value.is_null()).cloned()
    };
    let mut used: Vec<FieldId> = Vec::new();
    let mut out = Vec::with_capacity(roles.len());
    for role in roles {
        let text = match role {
            Role::Limit => PAGE.to_owned(),
            Role::Value(field) | Role::Pattern(field) => {
                // The fields of one record go together; a second value of a field is another record's.
                let record = if used.contains(field) { dice.below(sample.records.len()) } else { anchor };
                used.push(*field);
                let mut value = of(record, *field);
                for _ in 0..50 {
                    value = value.or_else(|| of(dice.below(sample.records.len()), *field));
                }
                let value = value.unwrap_or(Value::Int(0));
                match role {
                    Role::Pattern(_) => format!("{}%", value.to_string().chars().take(3).collect::<String>()),
                    _ => value.to_string(),
                }
            }
            Role::Lower(field) | Role::Upper(field) => {
                let values = sorted.get(field.0).map(Vec::as_slice).unwrap_or_default();
                let two_ends = roles.contains(&Role::Lower(*field)) && roles.contains(&Role::Upper(*field));
                let is_lower = matches!(role, Role::Lower(_));
                bound(values, of(anchor, *field), two_ends, is_lower, dice)
            }
        };
        out.push(text);
    }
    out
}

/// One end of a range.
fn bound(
    values: &[Value<'static>],
    own: Option<Value<'static>>,
    two_ends: bool,
    is_lower: bool,
    dice: &mut Dice,
) -> String {
    let own = own.or_else(|| values.first().cloned()).unwrap_or(Value::Int(0));
    let last = values.len().saturating_sub(1);
    let below = |value: &Value<'static>| value.compare(&own).is_some_and(std::cmp::Ordering::is_lt);
    let rank = values.partition_point(below);
    let place = match (two_ends, is_lower) {
        (true, true) => rank,
        (true, false) => {
            // Past all that are equal, so that a range without its upper end holds the record that it was drawn from.
            let equal = |value: &Value<'static>| !value.compare(&own).is_some_and(std::cmp::Ordering::is_gt);
            (rank + values.len() / WINDOW).max(values.partition_point(equal))
        }
        (false, true) => last - dice.below(values.len() / TAIL + 1).min(last),
        (false, false) => dice.below(values.len() / TAIL + 1),
    };
    values.get(place.min(last)).unwrap_or(&own).to_string()
}

impl Shape {
    fn of(query: &Query) -> Self {
        let mut shape = Self { order: query.order_by.clone(), ..Self::default() };
        shape.add(&query.condition.pushed_down());
        shape
    }

    fn add(&mut self, predicate: &Predicate) {
        let push = |list: &mut Vec<FieldId>, field: FieldId| {
            if !list.contains(&field) {
                list.push(field);
            }
        };
        match predicate {
            Predicate::And(all) | Predicate::Or(all) => all.iter().for_each(|one| self.add(one)),
            Predicate::Compare { field, comparison: Comparison::Equal, .. } => push(&mut self.equal, *field),
            Predicate::Compare { field, comparison, .. } if *comparison != Comparison::NotEqual => {
                push(&mut self.range, *field);
            }
            other => {
                let list =
                    if matches!(other, Predicate::In { .. }) { &mut self.equal } else { &mut self.range };
                other.fields().into_iter().for_each(|field| push(list, field));
            }
        }
    }

    /// All fields that it names.
    pub(super) fn fields(&self) -> Vec<FieldId> {
        let mut all = Vec::new();
        let named = self.equal.iter().chain(&self.range).chain(self.order.iter().map(|(field, _)| field));
        for field in named {
            if !all.contains(field) {
                all.push(*field);
            }
        }
        all
    }
}
