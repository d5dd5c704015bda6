//! JSON in every layout.

use rowkey_core::Value;
use rowkey_ops::input::{Format, InputOptions};

use super::csv_files::pack;
use super::draw::Draw;
use super::{Table, files, holds};

fn object(table: &Table, record: &[Value<'_>], draw: &mut Draw, pretty: bool, end: &str) -> String {
    let mut members: Vec<String> = Vec::new();
    let as_text = draw.chance(3);
    for ((_, field), value) in table.fields.iter().zip(record) {
        let name = serde_json::to_string(&field.name).unwrap();
        let value = match value {
            // A member that is not there is null, too.
            Value::Null if draw.chance(2) => continue,
            Value::Null => "null".to_owned(),
            Value::Bool(own) if !as_text => own.to_string(),
            Value::Int(_) | Value::Float(_) | Value::Numeric(_) if !as_text => value.to_string(),
            Value::Text(text) if draw.chance(2) => escaped(text),
            other => serde_json::to_string(&other.to_string()).unwrap(),
        };
        members.push(if pretty { format!("{name} : {value}") } else { format!("{name}:{value}") });
    }
    let turned = usize::try_from(draw.below(members.len().max(1) as u64)).unwrap();
    members.rotate_left(turned);
    match pretty {
        true => format!("{{{end}  {}{end}}}", members.join(&format!(",{end}\t "))),
        false => format!("{{{}}}", members.join(",")),
    }
}

/// A string whose characters are all escapes.
fn escaped(text: &str) -> String {
    let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    format!("\"{units}\"")
}

#[test]
fn json_is_read_exactly_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut exactly, mut guessed, mut refused) = (0, 0, 0);
    for seed in 0..files() {
        let draw = &mut Draw::new(seed ^ 0x5EED);
        let mut table = Table::draw(draw);
        if table.records.is_empty() {
            table.records.push(table.fields.iter().map(|(_, field)| draw.value(field)).collect());
        }
        let (layout, end) =
            (draw.pick(&["lines", "array", "pretty array", "pretty"]), draw.pick(&["\n", "\r\n"]));
        let pretty = layout.starts_with("pretty");
        let objects: Vec<String> =
            table.records.iter().map(|record| object(&table, record, draw, pretty, end)).collect();
        let text = match layout {
            "lines" | "pretty" => objects.join(draw.pick(&[end, "\n\n"])),
            _ => format!("[{end}{}{end}]{end}", objects.join(draw.pick(&[",", " , ", ",\n"]))),
        };
        let mark = if draw.chance(4) { "\u{feff}" } else { "" };
        let bytes = format!("{mark}{text}").into_bytes();
        let path = folder.path().join(format!("{seed}.{}", draw.pick(&["json", "jsonl", "csv", "data"])));
        std::fs::write(&path, pack(&bytes, draw.pick(&["", "gzip", "zstd"]))).unwrap();
        let format = Some(if layout == "lines" { Format::JsonLines } else { Format::Json });
        let told = InputOptions { format, ..InputOptions::default() };
        let exact = holds(&path, &told, &table).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        assert!(exact, "seed {seed}: {:?}\n{text}", super::one_by_one(&[&path], &told, &table.fields));
        exactly += 1;
        match holds(&path, &InputOptions::default(), &table)
            .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"))
        {
            true => guessed += 1,
            false => refused += 1,
        }
        // A file that is cut off is refused, or its last record is.
        let cut = usize::try_from(draw.below(bytes.len() as u64)).unwrap();
        std::fs::write(&path, &bytes[..cut]).unwrap();
        if let Ok(found) = super::one_by_one(&[&path], &told, &table.fields) {
            let may_end = layout == "lines" || layout == "pretty" || found.len() == table.records.len();
            assert!(may_end, "seed {seed}: an array that is not closed");
            assert!(super::same(&found, &table.records[..found.len()]), "seed {seed}");
        }
    }
    assert!(guessed * 100 >= exactly * 95, "{guessed} of {exactly} were guessed");
    println!("JSON: {exactly} read exactly as told, {guessed} as guessed, {refused} refused, 0 changed");
}
