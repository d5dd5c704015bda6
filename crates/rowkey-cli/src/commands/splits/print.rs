//! Writes split points for people, for HBase's shell and for programs.

use std::fmt::Write;

use rowkey_core::Table;
use rowkey_core::escape::{escape, to_hex};
use rowkey_core::table::FamilySpec;

use crate::args::KeyForm;
use crate::output::{Output, key_json};

pub(super) fn points(
    points: &[Vec<u8>],
    form: KeyForm,
    table: Option<&Table>,
    output: &mut Output,
) -> anyhow::Result<()> {
    points.iter().try_for_each(|point| output.object(|| key_json(point)))?;
    let lines: Vec<String> = match form {
        KeyForm::Hex => points.iter().map(|point| to_hex(point)).collect(),
        KeyForm::Shell => vec![shell(points, table)],
        // HBase's shell reads both forms with the same function, `Bytes.toBytesBinary`.
        KeyForm::Escaped | KeyForm::File => points.iter().map(|point| escape(point).to_string()).collect(),
        KeyForm::Json => points.iter().map(|point| key_json(point).to_string()).collect(),
    };
    if !lines.is_empty() {
        output.text(&lines.join("\n"))?;
    }
    Ok(())
}

/// The command that creates the table, for HBase's shell.
fn shell(points: &[Vec<u8>], table: Option<&Table>) -> String {
    let name = table.map_or("t", |table| table.name.as_str());
    let families: Vec<String> = match table {
        Some(table) => table.families.iter().map(family).collect(),
        None => vec!["'d'".to_owned()],
    };
    let keys: Vec<String> = points.iter().map(|point| quoted(&escape(point).to_string())).collect();
    let splits = if keys.is_empty() { String::new() } else { format!(", SPLITS => [{}]", keys.join(", ")) };
    format!("create {}, {}{splits}", quoted(name), families.join(", "))
}

fn family(spec: &FamilySpec) -> String {
    let mut text = format!("{{NAME => {}, VERSIONS => {}", quoted(&spec.name), spec.versions);
    if spec.min_versions > 0 {
        let _ = write!(text, ", MIN_VERSIONS => {}", spec.min_versions);
    }
    if let Some(ttl) = spec.ttl_seconds {
        let _ = write!(text, ", TTL => {ttl}");
    }
    for (name, value) in &spec.attributes {
        let _ = write!(text, ", {name} => {}", quoted(value));
    }
    text.push('}');
    text
}

/// Single quotes keep `\x01` as it is for HBase to read; a quote inside is written as a byte.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "\\x27"))
}
