//! What the data alone says, for people and programs.

use rowkey_core::disclosure::Disclosure;
use rowkey_lab::advise::identity::Basis;
use rowkey_lab::advise::{Options, Outline, Study};
use serde_json::{Value, json};

use super::json;
use super::print::plain;
use crate::commands::profile::{distinct, most_often};
use crate::output::{Output, Rows, cell, grouped, number};

pub(super) fn tell(
    outline: &Outline,
    study: &Study,
    remarks: &[String],
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<()> {
    let shown = output.shown;
    output.object(|| outline_json(outline, study, remarks, shown))?;
    output.text(&format!("{} records. What is in their fields:", grouped(study.profile.records)))?;
    let mut rows = Rows::new(["field", "type", "distinct", "most often", "order"]);
    for field in &study.profile.fields {
        rows.add([
            cell(&field.name),
            cell(field.ty),
            number(distinct(field)),
            cell(most_often(field, shown)),
            cell(field.trend.name()),
        ]);
    }
    output.rows(&rows)?;
    output
        .text(&format!("\nKeys that tell records apart, on {} servers, by simulation:", options.servers))?;
    let mut rows = Rows::new(["key", "busiest", "worst", "key bytes"]);
    for key in &outline.keys {
        rows.add([
            cell(&key.key),
            number(format!("{:.1}×", key.figures.hot.usual)),
            number(format!("{:.1}×", key.figures.hot.worst)),
            number(plain(key.figures.key_bytes)),
        ]);
    }
    output.rows(&rows)?;
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

fn outline_json(outline: &Outline, study: &Study, remarks: &[String], shown: Disclosure) -> Value {
    let fields = study.profile.fields.iter().map(|field| {
        json!({
            "name": field.name,
            "type": field.ty.to_string(),
            "distinct": field.distinct.count,
            "distinct_is_exact": field.distinct.exact,
            "most_often": json::most_often(field, shown),
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
    let basis = match study.basis {
        Basis::Declared => "declared",
        Basis::Numbered => "numbered",
        Basis::Assumed => "assumed",
    };
    json!({
        "version": 1,
        "records": study.profile.records,
        "identity": study.names(&study.identity),
        "identity_is": basis,
        "fields": fields.collect::<Vec<_>>(),
        "keys": keys.collect::<Vec<_>>(),
        "notes": remarks.iter().chain(&study.notes).collect::<Vec<_>>(),
        "example_queries": outline.examples,
    })
}
