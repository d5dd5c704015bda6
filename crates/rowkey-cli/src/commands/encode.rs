//! `rowkey encode KEY|FILE [field=value…]`

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::bail;
use rowkey::escape::{escape, to_hex};
use rowkey::key::Draws;
use rowkey::span::nearest;
use rowkey::value::read;
use rowkey::{KeySchema, Value};
use rowkey_ops::input::{Format, Records};

use crate::args::Encode;
use crate::output::{Output, key_record_json, show_key};
use crate::{Answer, input_argument, key_argument};

pub(crate) fn run(arguments: &Encode, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let key = key_argument::key(&arguments.key, store)?;
    match &arguments.from {
        Some(path) if arguments.values.is_empty() => encode_all(&key, arguments, path, output),
        Some(_) => bail!("give either field=value or --from, not both"),
        None => encode_one(&key, arguments, output),
    }
}

fn encode_one(key: &KeySchema, arguments: &Encode, output: &mut Output) -> anyhow::Result<Answer> {
    let record = record(key, &arguments.values)?;
    let mut bytes = Vec::new();
    key.encode_with(&record, &mut Draws::new(arguments.seed, 0), &mut bytes)?;
    if output.json {
        output.json_line(&key_record_json(key, &bytes, &record))?;
    } else if output.is_terminal() && !arguments.hex {
        show_key(key, &bytes, output)?;
    } else {
        output.text(&printed(&bytes, arguments.hex))?;
    }
    Ok(Answer::Yes)
}

fn printed(key: &[u8], hex: bool) -> String {
    if hex { to_hex(key) } else { escape(key).to_string() }
}

/// A record from `field=value` arguments; all mistakes at once.
fn record<'a>(key: &KeySchema, arguments: &'a [String]) -> anyhow::Result<Vec<Value<'a>>> {
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

fn encode_all(
    key: &KeySchema,
    arguments: &Encode,
    path: &Path,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let (source, label) = input_argument::open(path)?;
    let format = Format::of(path);
    let mut records =
        Records::open(source, arguments.format.map_or(format, Into::into), key.fields(), &label)?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let (mut bytes, mut written) = (Vec::new(), Ok(()));
    let mut more = true;
    while more {
        more = records.next(|number, record| {
            bytes.clear();
            key.encode_with(record, &mut Draws::new(arguments.seed, number), &mut bytes)?;
            written = if output.json {
                writeln!(out, "{}", key_record_json(key, &bytes, record))
            } else if arguments.hex {
                writeln!(out, "{}", to_hex(&bytes))
            } else {
                writeln!(out, "{}", escape(&bytes))
            };
            Ok(())
        })?;
        std::mem::replace(&mut written, Ok(()))?;
    }
    out.flush()?;
    Ok(Answer::Yes)
}
