//! What the data alone says, for people and programs.

use comfy_table::CellAlignment;
use rowkey_lab::advise::identity::Basis;
use rowkey_lab::advise::{Options, Outline, Study};
use serde_json::{Value, json};

use super::json;
use super::print::plain;
use crate::commands::profile::{distinct, most_often};
use crate::output::{Output, grouped, table, text_cell};

pub(super) fn tell(
    outline: &Outline,
    study: &Study,
    remarks: &[String],
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<()> {
    if output.json {
        let object = outline_json(outline, study, remarks, output);
        return Ok(output.json_line(&object)?);
    }
    let right = |text: String| text_cell(text).set_alignment(CellAlignment::Right);
    output.text(&format!("{} records. What is in their fields:", grouped(study.profile.records)))?;
    let mut rows = table(&["field", "type", "distinct", "most often", "order"]);
    for field in &study.profile.fields {
        rows.add_row([
            text_cell(&field.name),
            text_cell(field.ty),
            right(distinct(field)),
            text_cell(most_often(field, output.shown)),
            text_cell(field.trend.name()),
        ]);
    }
    output.text(&rows.to_string())?;
    output
        .text(&format!("\nKeys that tell records apart, on {} servers, by simulation:", options.servers))?;
    let mut rows = table(&["key", "busiest", "worst", "key bytes"]);
    for key in &outline.keys {
        rows.add_row([
            text_cell(&key.key),
            right(format!("{:.1}×", key.figures.hot.usual)),
            right(format!("{:.1}×", key.figures.hot.worst)),
            right(plain(key.figures.key_bytes)),
        ]);
    }
    output.text(&rows.to_string())?;
    output
        .text("busiest: the busiest server over the mean of the writes, and in the worst step\n\nTo know:")?;
    for note in remarks.iter().chain(&study.notes) {
        output.text(&format!("- {note}"))?;
    }
    output.text(
        "\nWhich of them is best depends on the queries. What will be asked, and how often? Write it into a file, one query per line with its \
         weight, and run again with --queries FILE; for example:\n",
    )?;
    for example in &outline.examples {
        output.text(&format!("  10 {example}"))?;
    }
    Ok(())
}

fn outline_json(outline: &Outline, study: &Study, remarks: &[String], output: &Output) -> Value {
    let fields = study.profile.fields.iter().map(|field| {
        json!({
            "name": field.name,
            "type": field.ty.to_string(),
            "distinct": field.distinct.count,
            "distinct_is_exact": field.distinct.exact,
            "most_often": json::most_often(field, output.shown),
            "order": field.trend.name(),
        })
    });
    let keys = outline.keys.iter().map(|key| {
        json!({
            "key": key.key,
            "hot_spot": key.figures.hot.usual,
            "hot_spot_worst": key.figures.hot.worst,
            "key_bytes": key.figures.key_bytes,
        })
    });
    let identity: Vec<&str> =
        study.identity.iter().map(|field| study.fields.get(*field).name.as_str()).collect();
    let basis = match study.basis {
        Basis::Declared => "declared",
        Basis::Numbered => "numbered",
        Basis::Assumed => "assumed",
    };
    json!({
        "version": 1,
        "records": study.profile.records,
        "identity": identity,
        "identity_is": basis,
        "fields": fields.collect::<Vec<_>>(),
        "keys": keys.collect::<Vec<_>>(),
        "notes": remarks.iter().chain(&study.notes).collect::<Vec<_>>(),
        "example_queries": outline.examples,
    })
}
