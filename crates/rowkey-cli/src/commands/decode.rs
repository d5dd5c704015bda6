//! `rowkey decode KEY|FILE [key…]`

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, bail};
use rowkey_core::{KeySchema, Value};
use rowkey_ops::input::{Position, bounded_lines};

use crate::args::Decode;
use crate::key_text::KeyText;
use crate::output::{Bar, Output, is_terminal, key_record_json, show_key};
use crate::{Answer, input_argument, key_argument};

pub(crate) fn run(arguments: &Decode, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let key = key_argument::key(&arguments.key, store)?;
    match (&arguments.from, arguments.keys.as_slice()) {
        (Some(path), []) => decode_all(&key, arguments, path, output),
        (Some(_), _) => bail!("give either keys or --from, not both"),
        (None, []) => bail!("give at least one key to decode, or --from FILE"),
        (None, texts) if !output.json && (arguments.parts || (is_terminal() && texts.len() == 1)) => {
            for text in texts {
                show_key(&key, &KeyText::new(arguments.hex).read(text)?, output)?;
            }
            Ok(Answer::Yes)
        }
        (None, texts) => {
            for text in texts {
                let bytes = KeyText::new(arguments.hex).read(text)?;
                let decoded = key.decode(&bytes)?;
                output
                    .line(&plain(&key, &decoded.values), || key_record_json(&key, &bytes, &decoded.values))?;
            }
            Ok(Answer::Yes)
        }
    }
}

/// `user_id=7 ts=2025-01-01T00:00:00.000Z`: the fields that come back.
fn plain(key: &KeySchema, values: &[Value<'_>]) -> String {
    let back = key.recoverable();
    let shown =
        back.iter().filter_map(|id| Some(format!("{}={}", key.fields().get(*id).name, values.get(id.0)?)));
    shown.collect::<Vec<_>>().join(" ")
}

fn decode_all(
    key: &KeySchema,
    arguments: &Decode,
    path: &Path,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let (source, label) = input_argument::lines(path, arguments.limit)?;
    let bar = Bar::new(path);
    let decoded = decode_lines(key, arguments, BufReader::new(bounded_lines(source)), &label, output, &bar);
    bar.clear();
    decoded?;
    Ok(Answer::Yes)
}

fn decode_lines(
    key: &KeySchema,
    arguments: &Decode,
    source: impl BufRead,
    label: &str,
    output: &mut Output,
    bar: &Bar,
) -> anyhow::Result<()> {
    let (json, out) = (output.json, output.screen());
    let mut at = Position::default();
    for (index, line) in source.lines().enumerate() {
        let place = || format!("{label}, line {}", index + 1);
        let line = line.with_context(place)?;
        at.byte += line.len() as u64 + 1;
        if index % 1024 == 0 {
            bar.show(at);
        }
        if line.is_empty() {
            continue;
        }
        let bytes = KeyText::new(arguments.hex).read(&line).with_context(place)?;
        let decoded = key.decode(&bytes).with_context(place)?;
        if json {
            writeln!(out, "{}", key_record_json(key, &bytes, &decoded.values))?;
        } else {
            writeln!(out, "{}", plain(key, &decoded.values))?;
        }
    }
    Ok(out.flush()?)
}
