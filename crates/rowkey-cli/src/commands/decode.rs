//! `rowkey decode KEY|FILE [key…]`

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, bail};
use rowkey_core::{KeySchema, Value};
use rowkey_ops::input::{Position, bounded_lines};

use crate::args::Decode;
use crate::key_argument::Named;
use crate::key_text::KeyText;
use crate::output::{Bar, Output, is_terminal, key_record_json, show_key};
use crate::{Answer, input_argument};

pub(crate) fn run(arguments: &Decode, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let named = Named::of(&arguments.key, store)?;
    let key = named.key();
    match (&arguments.from, arguments.keys.as_slice()) {
        (Some(path), []) => decode_all(key, arguments, path, output),
        (Some(_), _) => bail!("give either keys or --from, not both"),
        (None, []) => bail!("give at least one key to decode, or --from FILE"),
        (None, texts) => {
            let parts = arguments.parts || (is_terminal() && texts.len() == 1);
            for text in texts {
                let bytes = KeyText::new(arguments.hex).read(text)?;
                let decoded = key.decode(&bytes)?;
                output.object(|| key_record_json(key, &bytes, &decoded.values))?;
                match parts {
                    true => show_key(key, &bytes, output)?,
                    false => output.text(&plain(key, &decoded.values))?,
                }
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
    // What cannot be measured, as standard input, shows no share.
    let bytes = std::fs::metadata(path).ok().map(|file| file.len());
    let lines = BufReader::new(bounded_lines(source));
    Bar::during(bytes, |bar| decode_lines(key, arguments, lines, &label, output, bar))?;
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
    let (lines, mut out) = (output.lines(), Vec::new());
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
        let text = |out: &mut Vec<u8>| out.extend_from_slice(plain(key, &decoded.values).as_bytes());
        out.clear();
        lines.append(&mut out, text, || key_record_json(key, &bytes, &decoded.values));
        output.screen().write_all(&out)?;
    }
    Ok(output.screen().flush()?)
}
