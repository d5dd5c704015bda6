//! The record that `field=value` arguments name.

use std::fmt;

use rowkey_core::disclosure::said;
use rowkey_core::internal::nearest;
use rowkey_core::value::{ReadError, read};
use rowkey_core::{KeySchema, Value};

/// What is wrong with `field=value` arguments: all mistakes.
#[derive(Debug)]
pub(crate) struct RecordError(Vec<Mistake>);

#[derive(Debug)]
enum Mistake {
    NotAssigned { argument: String },
    UnknownField { name: String, known: String, hint: String },
    Twice { field: String },
    Value { field: String, problem: ReadError },
    Missing { field: String, ty: String },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAssigned { argument } => write!(f, "`{}` is not field=value", said(argument)),
            Self::UnknownField { name, known, hint } => {
                write!(f, "there is no field `{}`; the fields are {known}{hint}", said(name))
            }
            Self::Twice { field } => write!(f, "field `{field}` is given twice"),
            Self::Value { field, problem } => write!(f, "field `{field}`: {problem}"),
            Self::Missing { field, ty } => {
                write!(f, "field `{field}` ({ty}) has no value; add {field}=…")
            }
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mistake) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "\nerror: " };
            write!(f, "{between}{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

/// A record with every field that the key names; all mistakes at once.
pub(crate) fn record<'a>(key: &KeySchema, arguments: &'a [String]) -> Result<Vec<Value<'a>>, RecordError> {
    let fields = key.fields();
    let mut values = vec![Value::Null; fields.len()];
    let mut given = vec![false; fields.len()];
    let mut mistakes = Vec::new();
    for argument in arguments {
        let Some((name, text)) = argument.split_once('=') else {
            mistakes.push(Mistake::NotAssigned { argument: argument.clone() });
            continue;
        };
        let field = name.to_owned();
        let Some(id) = fields.id(name) else {
            let hint = nearest(name, fields.names())
                .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let known = fields.names().collect::<Vec<_>>().join(", ");
            mistakes.push(Mistake::UnknownField { name: field, known, hint });
            continue;
        };
        match read(text, fields.get(id).ty) {
            Ok(value) => {
                if let (Some(slot), Some(flag)) = (values.get_mut(id.0), given.get_mut(id.0)) {
                    if *flag {
                        mistakes.push(Mistake::Twice { field });
                    }
                    (*slot, *flag) = (value, true);
                }
            }
            Err(problem) => mistakes.push(Mistake::Value { field, problem }),
        }
    }
    // Only the fields that the key names are needed; a table has others.
    for id in key.named_fields() {
        let field = fields.get(id);
        let mentioned = arguments.iter().any(|argument| argument.starts_with(&format!("{}=", field.name)));
        if given.get(id.0) != Some(&true) && !field.nullable && !mentioned {
            mistakes.push(Mistake::Missing { field: field.name.clone(), ty: field.ty.to_string() });
        }
    }
    if mistakes.is_empty() { Ok(values) } else { Err(RecordError(mistakes)) }
}
