//! Prints a single key.
//!
//! Three forms at once: escaped as HBase prints it, hex with a ruler of its parts, and each part decoded.

use rowkey_core::disclosure::Disclosure;
use rowkey_core::escape::{escape, to_hex};
use rowkey_core::key::Step;
use rowkey_core::{KeySchema, Value};
use rowkey_ops::export::json_value;
use serde_json::{Map, Value as Json, json};

use super::records::value_json_as;
use super::{Output, key_json, key_or_length};

/// Prints a key with its parts.
pub(crate) fn show_key(key: &KeySchema, bytes: &[u8], output: &mut Output) -> anyhow::Result<()> {
    let decoded = key.decode(bytes)?;
    let mut parts: Vec<(String, &[u8])> = Vec::new();
    let mut end = 0;
    for (step, span) in key.steps().iter().zip(&decoded.spans) {
        let label = match step {
            Step::Literal(literal) => format!("literal {}", escape(literal)),
            Step::Value(value) => value.label().to_owned(),
        };
        parts.push((label, bytes.get(span.start..span.end).unwrap_or_default()));
        end = span.end;
    }
    if end < bytes.len() {
        parts.push(("cannot be told apart".to_owned(), bytes.get(end..).unwrap_or_default()));
    }
    let (mut hex, mut ruler, mut list) = (String::new(), String::new(), Vec::new());
    for (index, (label, part)) in parts.iter().enumerate() {
        let (digits, number) = (to_hex(part), (index + 1).to_string());
        let width = digits.len().max(number.len());
        hex.push_str(&format!("{digits:width$} "));
        ruler.push_str(&format!("{number:─<width$} "));
        list.push(format!("{number:>2}  {label}  {}", escape(part)));
    }
    output.text(&escape(bytes).to_string())?;
    output.text(&format!("{}\n{}", hex.trim_end(), ruler.trim_end()))?;
    output.text(&list.join("\n"))?;
    for id in key.recoverable() {
        let value = decoded.values.get(id.0).cloned().unwrap_or_default();
        output.text(&format!("{} = {value}", key.fields().get(id).name))?;
    }
    let lost: Vec<&str> =
        key.not_recoverable().iter().map(|id| key.fields().get(*id).name.as_str()).collect();
    if !lost.is_empty() {
        output.note(&format!("does not come back from the key: {}", lost.join(", ")));
    }
    Ok(())
}

/// A key and the fields that it names, for programs.
pub(crate) fn key_record_json(key: &KeySchema, bytes: &[u8], values: &[Value<'_>]) -> Json {
    let named = key.named_fields().into_iter();
    let record: Map<String, Json> = named
        .map(|id| (key.fields().get(id).name.clone(), values.get(id.0).map_or(Json::Null, json_value)))
        .collect();
    json!({ "key": key_json(bytes), "record": record })
}

/// The beginning of a key, or all of it, with the fields that it stands for as far as it goes, for programs.
pub(crate) fn key_start_json(key: &KeySchema, bytes: &[u8], disclosed: Disclosure) -> Map<String, Json> {
    let parts = key.decode_start(bytes).parts;
    let fields: Map<String, Json> =
        parts.iter().map(|(name, value)| (name.clone(), value_json_as(value, disclosed))).collect();
    let mut shown = match key_or_length(bytes, disclosed) {
        Json::Object(shown) => shown,
        _ => Map::new(),
    };
    shown.insert("fields".to_owned(), fields.into());
    shown
}
