//! Evaluates the conditions of a query on a record, in SQL's three-valued logic.
//!
//! A [`Predicate`] is true, false or unknown of a record; a query returns the records of which it is true. A comparison
//! with a null is unknown, `not` of unknown is unknown, and `or` is true if one side is, whatever the other.
//!
//! **Laws** (tests below): [`Predicate::pushed_down`] says of every record what the predicate says; the text of a
//! predicate reads back as one that says the same.

use super::like::LikePattern;
use crate::disclosure::Disclosure;
use crate::key::{FieldId, Fields};
use crate::types::Kind;
use crate::value::Value;

/// A condition over the fields of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Predicate {
    /// All of these; none of them is true.
    And(Vec<Predicate>),
    /// At least one of these; none of them is false.
    Or(Vec<Predicate>),
    /// True where the condition is false; unknown where it is unknown.
    Not(Box<Predicate>),
    /// A comparison of a field with a value.
    Compare {
        /// The field on the left side.
        field: FieldId,
        /// How it must compare.
        comparison: Comparison,
        /// The value on the right side; never null.
        value: Value<'static>,
    },
    /// One of these values.
    In {
        /// The field whose value is looked for.
        field: FieldId,
        /// The values; none is null.
        values: Vec<Value<'static>>,
        /// Whether the list also held a null: what is not in it is then unknown instead of false.
        or_null: bool,
    },
    /// A text of this form.
    Like {
        /// A field of kind text.
        field: FieldId,
        /// The pattern, with `%` and `_` already told from characters.
        pattern: LikePattern,
    },
    /// No value.
    IsNull {
        /// The field that is tested.
        field: FieldId,
    },
    /// A comparison with null: never true.
    Unknown,
}

/// How a field must compare with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that holds when both sides change places.
    pub(super) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// The comparison that is false where this one is true.
    fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl Default for Predicate {
    fn default() -> Self {
        Self::TRUE
    }
}

impl Predicate {
    /// What every record meets.
    pub const TRUE: Self = Self::And(Vec::new());

    /// Whether every record meets it, by its form.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::And(all) if all.is_empty())
    }

    /// Whether a record meets it: `None` is SQL's unknown.
    pub fn matches(&self, record: &[Value<'_>]) -> Option<bool> {
        let value = |field: &FieldId| record.get(field.0).unwrap_or(&Value::Null);
        match self {
            Self::And(all) => joined(all, record, false),
            Self::Or(any) => joined(any, record, true),
            Self::Not(inner) => inner.matches(record).map(|holds| !holds),
            Self::Compare { field, comparison, value: other } => {
                value(field).compare(other).map(|order| comparison.holds(order))
            }
            Self::In { field, values, or_null } => {
                let value = value(field);
                if value.is_null() {
                    return None;
                }
                let found =
                    values.iter().any(|one| value.compare(one).is_some_and(std::cmp::Ordering::is_eq));
                if found || !or_null { Some(found) } else { None }
            }
            Self::Like { field, pattern } => match value(field) {
                Value::Text(text) => Some(pattern.matches(text)),
                _ => None,
            },
            Self::IsNull { field } => Some(value(field).is_null()),
            Self::Unknown => None,
        }
    }

    /// The same predicate with `not` only before `like`, `in` and `is null`, and without `and` in `and` or `or` in `or`.
    #[must_use]
    pub fn pushed_down(&self) -> Self {
        self.with_sign(false)
    }

    fn with_sign(&self, negated: bool) -> Self {
        match self {
            Self::And(parts) | Self::Or(parts) => {
                let and = matches!(self, Self::And(_)) != negated;
                let mut flat = Vec::with_capacity(parts.len());
                for part in parts.iter().map(|part| part.with_sign(negated)) {
                    match part {
                        Self::And(inner) if and => flat.extend(inner),
                        Self::Or(inner) if !and => flat.extend(inner),
                        other => flat.push(other),
                    }
                }
                match (flat.len(), flat.pop()) {
                    (1, Some(only)) => only,
                    (_, last) => {
                        flat.extend(last);
                        if and { Self::And(flat) } else { Self::Or(flat) }
                    }
                }
            }
            Self::Not(inner) => inner.with_sign(!negated),
            Self::Compare { field, comparison, value } if negated => {
                Self::Compare { field: *field, comparison: comparison.opposite(), value: value.clone() }
            }
            Self::Unknown => Self::Unknown,
            leaf if negated => Self::Not(Box::new(leaf.clone())),
            leaf => leaf.clone(),
        }
    }

    /// Calls `visit` for each field it names.
    pub fn visit_fields(&self, visit: &mut impl FnMut(FieldId)) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.visit_fields(visit)),
            Self::Not(inner) => inner.visit_fields(visit),
            Self::Compare { field, .. }
            | Self::In { field, .. }
            | Self::Like { field, .. }
            | Self::IsNull { field } => visit(*field),
            Self::Unknown => {}
        }
    }

    /// The fields it names, each once.
    pub fn fields(&self) -> Vec<FieldId> {
        let mut fields = Vec::new();
        self.visit_fields(&mut |field| {
            if !fields.contains(&field) {
                fields.push(field);
            }
        });
        fields
    }

    /// As SQL, in the form that a query takes.
    pub fn to_sql(&self, fields: &Fields) -> String {
        self.to_sql_as(fields, Disclosure::Whole)
    }

    /// The same, with as much of its values as may be seen.
    pub fn to_sql_as(&self, fields: &Fields, shown: Disclosure) -> String {
        self.print(fields, &mut |given| match given {
            Given::Value(value) => literal(value, shown),
            Given::Pattern(_) if shown.hides() => "‹pattern›".to_owned(),
            Given::Pattern(pattern) => pattern.to_string(),
        })
    }

    /// As SQL, with what `put` makes of its values.
    pub(super) fn print(&self, fields: &Fields, put: &mut dyn FnMut(Given<'_>) -> String) -> String {
        let name = |field: &FieldId| quoted_name(&fields.get(*field).name);
        match self {
            Self::And(parts) => join(parts, (" and ", "true"), fields, put),
            Self::Or(parts) => join(parts, (" or ", "false"), fields, put),
            Self::Not(inner) => match &**inner {
                Self::IsNull { field } => format!("{} is not null", name(field)),
                Self::Like { field, pattern } => {
                    format!("{} not like {}", name(field), put(Given::Pattern(pattern)))
                }
                Self::In { field, values, or_null } => {
                    format!("{} not in ({})", name(field), list(values, *or_null, put))
                }
                other => format!("not ({})", other.print(fields, put)),
            },
            Self::Compare { field, comparison, value } => {
                format!("{} {} {}", name(field), comparison.sign(), put(Given::Value(value)))
            }
            Self::In { field, values, or_null } => {
                format!("{} in ({})", name(field), list(values, *or_null, put))
            }
            Self::Like { field, pattern } => format!("{} like {}", name(field), put(Given::Pattern(pattern))),
            Self::IsNull { field } => format!("{} is null", name(field)),
            Self::Unknown => "null".to_owned(),
        }
    }
}

/// Conditions of which one with the answer `decides` decides for all.
fn joined(all: &[Predicate], record: &[Value<'_>], decides: bool) -> Option<bool> {
    let mut result = Some(!decides);
    for one in all {
        match one.matches(record) {
            Some(holds) if holds == decides => return Some(decides),
            None => result = None,
            Some(_) => {}
        }
    }
    result
}

/// What a condition compares with.
pub(super) enum Given<'a> {
    Value(&'a Value<'static>),
    Pattern(&'a LikePattern),
}

fn join(
    parts: &[Predicate],
    (word, nothing): (&str, &str),
    fields: &Fields,
    put: &mut dyn FnMut(Given<'_>) -> String,
) -> String {
    if parts.is_empty() {
        return nothing.to_owned();
    }
    let one = |part: &Predicate| match part {
        Predicate::And(_) | Predicate::Or(_) => format!("({})", part.print(fields, put)),
        other => other.print(fields, put),
    };
    parts.iter().map(one).collect::<Vec<_>>().join(word)
}

fn list(values: &[Value<'static>], or_null: bool, put: &mut dyn FnMut(Given<'_>) -> String) -> String {
    let null = or_null.then(|| "null".to_owned());
    values.iter().map(|value| put(Given::Value(value))).chain(null).collect::<Vec<_>>().join(", ")
}

/// A value as a query takes it.
pub(super) fn literal(value: &Value<'_>, shown: Disclosure) -> String {
    match value.kind() {
        None => "null".to_owned(),
        Some(_) if shown.hides() => shown.value(value),
        Some(Kind::Integer | Kind::Numeric | Kind::Bool) => value.to_string(),
        Some(_) => format!("'{}'", value.to_string().replace('\'', "''")),
    }
}

/// A name that SQL would take for something else, in its quotes.
pub(super) fn quoted_name(name: &str) -> String {
    let plain = name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if plain && !super::parse::is_grammar(name) { name.to_owned() } else { format!("\"{name}\"") }
}
