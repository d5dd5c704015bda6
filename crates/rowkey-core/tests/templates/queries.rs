//! Random queries with parameters, and values for them.

use rowkey_core::key::Field;
use rowkey_core::query::{Parameter, Query, QueryTemplate};
use rowkey_core::types::{IntForm, Kind};
use rowkey_core::{KeySchema, Type, Value};

use crate::plans::dice::{Dice, Record};

/// The text of a query, and what its parameters are.
pub(crate) struct Made {
    pub(crate) text: String,
    roles: Vec<Parameter>,
}

impl Made {
    /// A query of which `likely` is mostly an answer.
    pub(crate) fn new(dice: &mut Dice, key: &KeySchema, likely: Option<&Record>) -> Self {
        let named = key.named_fields();
        let mut left: Vec<usize> = (0..key.fields().len()).collect();
        let mut conditions = Vec::new();
        for _ in 0..=dice.index(3) {
            if left.is_empty() {
                break;
            }
            // Mostly a field at the front of the key, and mostly one that has no condition yet.
            let place = match dice.roll(10) {
                0..5 => left.iter().position(|field| {
                    named.iter().find(|one| left.contains(&one.0)).is_some_and(|one| one.0 == *field)
                }),
                _ => None,
            };
            let place = place.unwrap_or_else(|| dice.index(left.len()));
            let field = if dice.roll(12) > 0 { left.remove(place) } else { left[place] };
            let (_, declared) = key.fields().iter().nth(field).expect("there is one");
            conditions.push(condition(dice, declared, likely.map(|record| &record[field])));
        }
        let mut text = conditions.join(" and ");
        if dice.roll(12) == 0 {
            let (first, second) = (dice.one_of(&conditions).clone(), dice.one_of(&conditions).clone());
            text = format!("({first} or {second}) and {text}");
        }
        let names: Vec<&str> = key.fields().names().collect();
        if dice.roll(3) > 0 {
            let order: Vec<String> = (0..=dice.index(2))
                .map(|_| format!("\"{}\" {}", dice.one_of(&names), dice.one_of(&["asc", "desc"])))
                .collect();
            text = format!("{text} order by {}", order.join(", "));
        }
        match dice.roll(4) {
            0 => text += " limit 5",
            1 => text += " limit ?",
            _ => {}
        }
        let roles = Query::parameters(&text, key.fields()).unwrap_or_else(|error| panic!("{text}: {error}"));
        Self { text, roles }
    }

    pub(crate) fn values(&self, dice: &mut Dice, key: &KeySchema, all: &[&Record]) -> Vec<Value<'static>> {
        let record = if all.is_empty() { None } else { Some(*dice.one_of(all)) };
        let mut values: Vec<Value<'static>> = Vec::new();
        let mut before: Option<(Type, Value<'static>)> = None;
        for role in &self.roles {
            let last = before.as_ref();
            let value = match role {
                Parameter::Limit => Value::Int(dice.roll(5).into()),
                Parameter::Pattern(_) => Value::Text((*dice.one_of(&["a%", "%b", "ab", "%"])).into()),
                Parameter::Value(field) | Parameter::Lower(field) | Parameter::Upper(field) => {
                    let own = record.map(|record| record[field.0].clone()).filter(|own| !own.is_null());
                    let last = last.filter(|(ty, _)| *ty == key.fields().get(*field).ty && dice.roll(8) == 0);
                    match (last, own) {
                        (Some((_, last)), _) => last.clone(),
                        (None, Some(own)) if dice.roll(3) > 0 => own,
                        _ => any(dice, key.fields().get(*field)),
                    }
                }
            };
            before = match role {
                Parameter::Value(field) | Parameter::Lower(field) | Parameter::Upper(field) => {
                    Some((key.fields().get(*field).ty, value.clone()))
                }
                Parameter::Pattern(_) | Parameter::Limit => None,
            };
            values.push(value);
        }
        values
    }
}

/// A value, sometimes at the end of its type.
fn any(dice: &mut Dice, field: &Field) -> Value<'static> {
    if dice.roll(5) > 0 {
        return dice.value(field);
    }
    match field.ty {
        Type::Int(int) => {
            let (min, max) = int.range();
            let zero = if int.form == IntForm::Unsigned { 0 } else { -1 };
            Value::Int(*dice.one_of(&[min, max, zero, min + 1, max - 1]))
        }
        Type::Decimal(digits) => Value::Int(10i128.pow(digits.into()) - 1),
        Type::Timestamp => Value::Time(*dice.one_of(&[i64::MIN, i64::MAX, 0, -1])),
        Type::F64 => Value::Float(*dice.one_of(&[-0.0, f64::MAX, -1e300, f64::MIN_POSITIVE])),
        Type::Text => Value::Text((*dice.one_of(&["", "\0", "\u{10ffff}", "a_", "~"])).into()),
        _ => dice.value(field),
    }
}

fn literal(value: &Value<'_>) -> String {
    match value.kind() {
        Some(Kind::Integer | Kind::Numeric | Kind::Bool) => value.to_string(),
        _ => format!("'{}'", value.to_string().replace('\'', "''")),
    }
}

fn condition(dice: &mut Dice, field: &Field, likely: Option<&Value<'static>>) -> String {
    let name = format!("\"{}\"", field.name);
    let value = |dice: &mut Dice| {
        if dice.roll(4) > 0 {
            return "?".to_owned();
        }
        let own = likely.filter(|own| !own.is_null()).cloned();
        let own = own.filter(|_| dice.roll(3) > 0).unwrap_or_else(|| dice.value(field));
        literal(&own)
    };
    let sign = |dice: &mut Dice, all: &[&str]| (*dice.one_of(all)).to_owned();
    let is_bool = field.ty.kind() == Kind::Bool && dice.roll(10) > 0;
    match dice.roll(100) {
        0..40 => format!("{name} = {}", value(dice)),
        40..60 if !is_bool => {
            let (low, high) = (value(dice), value(dice));
            format!(
                "{name} {} {low} and {name} {} {high}",
                sign(dice, &[">=", ">"]),
                sign(dice, &["<", "<="])
            )
        }
        60..72 if !is_bool => format!("{name} {} {}", sign(dice, &[">=", ">", "<", "<="]), value(dice)),
        72..84 => {
            let values: Vec<String> = (0..=dice.index(3)).map(|_| value(dice)).collect();
            format!("{name} in ({})", values.join(", "))
        }
        84..88 => format!("{name} <> {}", value(dice)),
        88..93 if field.ty.kind() == Kind::Text => {
            format!("{name} like {}", dice.one_of(&["'a%'", "'%b'", "'a%b'", "'ab'", "?"]))
        }
        93..96 => format!("{name} is {}", dice.one_of(&["null", "not null"])),
        96..98 => format!("{name} not in ({})", value(dice)),
        _ => format!("{name} = {}", value(dice)),
    }
}

/// A residual with values for its `:name`.
pub(crate) fn filled(residual: &str, template: &QueryTemplate, values: &[Value<'static>]) -> String {
    let mut out = String::new();
    let (mut quoted, mut rest) = (false, residual.chars().peekable());
    while let Some(character) = rest.next() {
        quoted ^= character == '\'';
        if character != ':' || quoted {
            out.push(character);
            continue;
        }
        let mut name = String::new();
        while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
            name.push(next);
        }
        let place = template.parameters.iter().position(|one| one.name == name).expect("a parameter");
        let value = &values[place];
        match template.parameters[place].role {
            Parameter::Pattern(_) => out.push_str(&format!("'{value}'")),
            _ => out.push_str(&literal(value)),
        }
    }
    out
}
