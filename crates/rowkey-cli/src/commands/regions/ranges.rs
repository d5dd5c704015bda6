//! `rowkey regions TABLE --ranges`: what each worker of a job reads.

use std::ops::Bound;

use rowkey_core::disclosure::Disclosure;
use rowkey_core::range::bound_key;
use rowkey_core::split::{self, FieldRange, Input, LastValue};
use rowkey_core::{KeyRange, Table};
use rowkey_store::Region;
use serde_json::{Map, Value, json};

use super::region_name;
use crate::args::Regions;
use crate::output::{Column, Output, Rows, cell, counted, key_or_length, value_json_as};

/// Prints the ranges of the regions, in logical order.
pub(super) fn print(
    regions: &[Region],
    file: Option<&Table>,
    arguments: &Regions,
    output: &mut Output,
) -> anyhow::Result<()> {
    let ranges: Vec<KeyRange> = regions.iter().map(|region| region.range.clone()).collect();
    let inputs = match file {
        Some(file) => split::inputs(&file.key, &ranges),
        None => ranges.into_iter().enumerate().map(|(region, range)| unknown(range, region)).collect(),
    };
    let shown = output.shown;
    let told = inputs.iter().filter_map(|input| Some((input, regions.get(input.region)?)));
    let text = output.key_text(arguments.hex);
    let key = |bound: &Bound<Vec<u8>>| cell(bound_key(bound).map_or(String::new(), |key| text.show(key)));
    // An embedded store has no servers.
    let server = Column::optional("server");
    let mut rows = Rows::new(["start".into(), "end".into(), server, "region".into(), "fields".into()]);
    for (input, region) in told {
        output.object(|| as_json(input, region, shown))?;
        let server = cell(region.server.as_deref().unwrap_or_default());
        let (start, end) = (key(&input.range.start), key(&input.range.end));
        rows.add([start, end, server, cell(region.encoded_name()), cell(in_words(input, shown))]);
    }
    output.rows(&rows)?;
    output.note(&format!("{} of {}", counted(inputs.len(), "range"), counted(regions.len(), "region")));
    Ok(())
}

/// A range of a table without a key schema.
fn unknown(range: KeyRange, region: usize) -> Input {
    Input { range, region, same: Vec::new(), rising: None }
}

fn as_json(input: &Input, region: &Region, shown: Disclosure) -> Value {
    let key = |bound: &Bound<Vec<u8>>| bound_key(bound).map_or(Value::Null, |key| key_or_length(key, shown));
    let same: Map<String, Value> =
        input.same.iter().map(|(name, value)| (name.clone(), value_json_as(value, shown))).collect();
    let rising = input.rising.as_ref().map(|FieldRange { field, from, to }| {
        let mut object = json!({ "field": field });
        if let Some(from) = from {
            object["from"] = value_json_as(from, shown);
        }
        match to {
            Some(LastValue::Included(value)) => object["to"] = value_json_as(value, shown),
            Some(LastValue::Excluded(value)) => object["before"] = value_json_as(value, shown),
            None => {}
        }
        object
    });
    json!({
        "start": key(&input.range.start),
        "end": key(&input.range.end),
        "server": region.server,
        "region": region_name(region, shown),
        "same": same,
        "range": rising,
    })
}

/// `salt(16, user_id)=7 user_id from 5 to 900`
fn in_words(input: &Input, shown: Disclosure) -> String {
    let mut words: Vec<String> =
        input.same.iter().map(|(name, value)| format!("{name}={}", shown.value(value))).collect();
    if let Some(FieldRange { field, from, to }) = &input.rising {
        words.push(field.clone());
        words.extend(from.as_ref().map(|from| format!("from {}", shown.value(from))));
        words.extend(to.as_ref().map(|to| match to {
            LastValue::Included(value) => format!("to {}", shown.value(value)),
            LastValue::Excluded(value) => format!("before {}", shown.value(value)),
        }));
    }
    words.join(" ")
}
