//! Which record do `field=value` arguments name?

use anyhow::bail;
use rowkey::span::nearest;
use rowkey::value::read;
use rowkey::{KeySchema, Value};

/// A record with every field that the key names; all mistakes at once.
pub(crate) fn record<'a>(key: &KeySchema, arguments: &'a [String]) -> anyhow::Result<Vec<Value<'a>>> {
    let fields = key.fields();
    let mut values = vec![Value::Null; fields.len()];
    let mut given = vec![false; fields.len()];
    let mut problems = Vec::new();
    for argument in arguments {
        let Some((name, text)) = argument.split_once('=') else {
            problems.push(format!("`{argument}` is not field=value"));
            continue;
        };
        let Some(id) = fields.id(name) else {
            let hint = nearest(name, fields.names())
                .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let known = fields.names().collect::<Vec<_>>().join(", ");
            problems.push(format!("there is no field `{name}`; the fields are {known}{hint}"));
            continue;
        };
        match read(text, fields.get(id).ty) {
            Ok(value) => {
                if let (Some(slot), Some(flag)) = (values.get_mut(id.0), given.get_mut(id.0)) {
                    if *flag {
                        problems.push(format!("field `{name}` is given twice"));
                    }
                    (*slot, *flag) = (value, true);
                }
            }
            Err(problem) => problems.push(format!("field `{name}`: {problem}")),
        }
    }
    // Only the fields that the key names are needed; a table has others.
    for id in key.named_fields() {
        let field = fields.get(id);
        let mentioned = arguments.iter().any(|argument| argument.starts_with(&format!("{}=", field.name)));
        if given.get(id.0) != Some(&true) && !field.nullable && !mentioned {
            problems
                .push(format!("field `{}` ({}) has no value; add {}=…", field.name, field.ty, field.name));
        }
    }
    if problems.is_empty() { Ok(values) } else { bail!("{}", problems.join("\nerror: ")) }
}
