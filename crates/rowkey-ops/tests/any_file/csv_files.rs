//! CSV in every dialect.

use std::io::Write;

use rowkey_core::Value;
use rowkey_core::value::TimeFormat;
use rowkey_ops::input::{Dialect, Format, Ignored, InputOptions, Times};

use super::draw::Draw;
use super::{Table, files, holds};

/// How a file is written.
struct Written {
    delimiter: char,
    always_quoted: bool,
    line_end: &'static str,
    mark: bool,
    null: &'static str,
    last_end: bool,
    latin1: bool,
    packing: &'static str,
    /// A column that the table does not have.
    extra: bool,
    /// A blank before each name, which is no part of it.
    blanks: bool,
    times: &'static str,
}

fn written(draw: &mut Draw) -> Written {
    Written {
        delimiter: draw.pick(&[',', ';', '\t', '|']),
        always_quoted: draw.chance(3),
        line_end: draw.pick(&["\n", "\r\n"]),
        mark: draw.chance(3),
        null: draw.pick(&["", "NA", "\\N", "NULL"]),
        last_end: !draw.chance(4),
        latin1: draw.chance(12),
        packing: draw.pick(&["", "", "gzip", "zstd"]),
        extra: draw.chance(4),
        blanks: draw.chance(6),
        times: draw.pick(&["", "", "ms", "%d/%m/%Y %H:%M:%S.%3f"]),
    }
}

fn text(table: &Table, way: &Written) -> Vec<u8> {
    let mut out = String::new();
    let cell = |text: &str, null: bool, alone: bool| {
        let special = |c: char| c == way.delimiter || matches!(c, '"' | '\n' | '\r');
        let quoted = (way.always_quoted && !null) || text.contains(special) || (alone && text.is_empty());
        if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let mut line = |cells: Vec<(String, bool)>| {
        let alone = cells.len() == 1;
        let cells: Vec<String> = cells.iter().map(|(text, null)| cell(text, *null, alone)).collect();
        out.push_str(&cells.join(&way.delimiter.to_string()));
        out.push_str(way.line_end);
    };
    let blank = if way.blanks { " " } else { "" };
    let mut names: Vec<(String, bool)> =
        table.fields.names().map(|name| (format!("{blank}{name}"), false)).collect();
    if way.extra {
        names.push(("not a field".to_owned(), false));
    }
    line(names);
    for record in &table.records {
        let mut cells: Vec<(String, bool)> = record
            .iter()
            .map(|value| match value {
                Value::Null => (way.null.to_owned(), true),
                Value::Time(time) if way.times == "ms" => (time.to_string(), false),
                Value::Time(time) if !way.times.is_empty() => (day_first(*time), false),
                value => (value.to_string(), false),
            })
            .collect();
        if way.extra {
            cells.push(("x".to_owned(), false));
        }
        line(cells);
    }
    if !way.last_end && !table.records.is_empty() {
        out.truncate(out.len() - way.line_end.len());
    }
    let mut bytes = if way.mark { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    if way.latin1 {
        // What Latin 1 does not have is written as `?`: such files are compared only if they have none.
        bytes.clear();
        bytes.extend(out.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')));
    } else {
        bytes.extend_from_slice(out.as_bytes());
    }
    bytes
}

/// `24/05/2024 00:23:00.120`, from the text that a time prints.
fn day_first(time: i64) -> String {
    let text = Value::Time(time).to_string();
    format!("{}/{}/{} {}", &text[8..10], &text[5..7], &text[..4], text[11..].trim_end_matches('Z'))
}

pub(crate) fn pack(bytes: &[u8], packing: &str) -> Vec<u8> {
    match packing {
        "gzip" => {
            // Two members, as files that were joined have.
            let (first, second) = bytes.split_at(bytes.len() / 2);
            let mut out = Vec::new();
            for part in [first, second] {
                let mut packer = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
                packer.write_all(part).unwrap();
                packer.finish().unwrap();
            }
            out
        }
        "zstd" => zstd::encode_all(bytes, 1).unwrap(),
        _ => bytes.to_vec(),
    }
}

#[test]
fn csv_is_read_exactly_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut told_exactly, mut guessed_exactly, mut refused) = (0, 0, 0);
    for seed in 0..files() {
        let draw = &mut Draw::new(seed);
        let (mut table, way) = (Table::draw(draw), written(draw));
        // What is said to mean null cannot be a text.
        for record in &mut table.records {
            for value in record.iter_mut() {
                if matches!(value, Value::Text(text) if *text == way.null && !way.null.is_empty()) {
                    *value = Value::Text("other".into());
                }
            }
        }
        let bytes = text(&table, &way);
        let path = folder.path().join(format!("{seed}.csv"));
        std::fs::write(&path, pack(&bytes, way.packing)).unwrap();
        let times = Times {
            usual: (!way.times.is_empty()).then(|| TimeFormat::parse(way.times).unwrap()),
            ..Times::default()
        };
        let ignored = if way.extra { Ignored::NoFields } else { Ignored::Nothing };
        let dialect =
            Dialect { ignored, times, nulls: Some(vec![way.null.to_owned()]), ..Dialect::default() };
        let nulls =
            dialect.nulls.clone().map(|nulls| nulls.into_iter().filter(|null| !null.is_empty()).collect());
        let dialect = Dialect { nulls, ..dialect };
        let guess = InputOptions { dialect: dialect.clone(), ..InputOptions::default() };
        let delimiter = u8::try_from(way.delimiter).ok();
        let told = InputOptions {
            format: Some(Format::Csv),
            dialect: Dialect { delimiter, ..dialect },
            ..InputOptions::default()
        };
        let is_ascii = std::str::from_utf8(&bytes).is_ok_and(str::is_ascii);
        let readable = !way.latin1 || (is_ascii && !bytes.contains(&b'?'));
        if !readable && std::str::from_utf8(&bytes).is_ok() {
            // All that is left of it is ASCII, with `?` for what was lost before the file was read.
            continue;
        }
        let exact = holds(&path, &told, &table).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        assert_eq!(exact, readable, "seed {seed}: {:?}", super::one_by_one(&[&path], &told, &table.fields));
        told_exactly += u64::from(exact);
        match holds(&path, &guess, &table).unwrap_or_else(|wrong| panic!("guessed, seed {seed}: {wrong}")) {
            true => guessed_exactly += 1,
            false => refused += 1,
        }
    }
    let all = told_exactly.max(1);
    assert!(guessed_exactly * 100 >= all * 90, "{guessed_exactly} of {all} were guessed, {refused} refused");
    println!(
        "CSV: {told_exactly} read exactly as told, {guessed_exactly} as guessed, {refused} refused, 0 changed"
    );
}
