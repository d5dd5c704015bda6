//! `rowkey explain TABLE QUERY`

mod analyze;

use std::ops::Bound;
use std::path::PathBuf;

use rowkey_core::disclosure::Disclosure;
use rowkey_core::query::{Explanation, Figure, PlanError, PlanStep, RegionRows, Sample, Via, explain_as};
use rowkey_core::{KeyRange, KeySchema, Table};
use rowkey_ops::index::tables;
use rowkey_ops::input::Records;
use serde_json::{Map, Value, json};

use self::analyze::Run;
use super::splits::sampled_points;
use crate::args::{Asked, Explain, Reading};
use crate::output::{Output, key_start_json, selected};
use crate::table_argument::{LiveTable, file};
use crate::{Answer, input_argument, planned, settings};

/// So many records stand for a table.
const SAMPLE: usize = 10_000;

pub(crate) fn run(arguments: &Explain, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let from_file = file(&arguments.of.table)?.filter(|_| !arguments.analyze);
    let (live, table) = match from_file {
        Some(table) => (None, table),
        None => {
            let LiveTable { store, name, table, own } = LiveTable::open(&arguments.of, store)?;
            (Some((store, name)), tables::readable(table, own.as_ref()))
        }
    };
    let priced = settings::prices(store, live.as_ref().map(|(store, _)| &**store))?;
    let regions: Vec<KeyRange> = match &live {
        None => of_splits(&splits(&table, arguments)?),
        Some((store, name)) => store.regions(name)?.into_iter().map(|region| region.range).collect(),
    };
    let sample = input_argument::some(&arguments.data);
    let sample = sample.map(|paths| self::sample(paths, &arguments.reading, &table)).transpose()?;
    let columns = selected(&table, &arguments.columns)?;
    // A count takes rows in any order.
    let asked = Asked { sort: arguments.asked.sort || arguments.count, ..arguments.asked.clone() };
    let (query, choice, refused) =
        planned::choose_anyway(&asked, &table, columns, sample.as_ref(), priced.prices)?;
    planned::remark(&arguments.asked.query, &arguments.asked.parameters, &table, output)?;
    let mut explanation = explain_as(&table, &query, &choice, &regions, output.shown);
    if let Some(error) = refused.as_ref().filter(|_| arguments.analyze) {
        return Err(error.clone().into());
    }
    if let Some((store, name)) = live.as_ref().filter(|_| arguments.analyze) {
        let run = Run { store: &**store, name, table: &table, plan: &choice.plan };
        let root = &mut explanation.root;
        if arguments.count { run.count(root)? } else { run.query(root, output.shown)? }
    }
    if arguments.dot {
        output.text(explanation.to_dot().trim_end())?;
    } else {
        let needs = refused.as_ref().map(|error| format!("\nrefused: {error}")).unwrap_or_default();
        let told = priced.told().map(|told| format!("\n{told}")).unwrap_or_default();
        let text = format!("{}{told}{needs}", explanation.to_string().trim_end());
        let key = match choice.plan.via {
            Via::Primary => &table.key,
            Via::Index { index, .. } => table.indexes.get(index).map_or(&table.key, |index| &index.key),
        };
        let disclosed = output.shown;
        output.line(&text, || {
            let mut object = as_json(&explanation, key, refused.as_ref(), disclosed);
            object["measured_prices"] = json!(priced.measured);
            object
        })?;
    }
    Ok(if refused.is_some() { Answer::No } else { Answer::Yes })
}

/// Where the file's table is cut; by the data if a sample decides, and into one region if there is none.
fn splits(table: &Table, arguments: &Explain) -> anyhow::Result<Vec<Vec<u8>>> {
    match (table.sampled_regions(), input_argument::some(&arguments.data)) {
        (Some(regions), Some(data)) => Ok(sampled_points(table, regions, data, &arguments.reading)?.points),
        _ => Ok(table.split_points()),
    }
}

/// The regions of a table that is cut so.
fn of_splits(splits: &[Vec<u8>]) -> Vec<KeyRange> {
    let starts = std::iter::once(None).chain(splits.iter().cloned().map(Some));
    let ends = splits.iter().cloned().map(Some).chain(std::iter::once(None));
    starts.zip(ends).map(|(start, end)| KeyRange::half_open(start, end)).collect()
}

/// The first records of a file, and how many it has by its size.
fn sample(paths: &[PathBuf], reading: &Reading, table: &Table) -> anyhow::Result<Sample> {
    let input = input_argument::data(paths, reading)?;
    let bytes = input.bytes().unwrap_or(0);
    let mut records = Records::open(input.source()?, input.format, table.key.fields(), &input.label)?;
    let mut sample = Sample::default();
    while sample.records.len() < SAMPLE
        && records.next(|_, record| {
            sample.records.push(record.iter().cloned().map(rowkey_core::Value::into_owned).collect());
            Ok(())
        })?
    {}
    let taken = u64::try_from(sample.records.len()).unwrap_or(u64::MAX);
    let read = records.position().byte.max(1);
    let whole = sample.records.len() < SAMPLE;
    sample.rows = if whole { taken } else { taken.saturating_mul(bytes / read).max(taken) };
    Ok(sample)
}

fn as_json(
    explanation: &Explanation,
    key: &KeySchema,
    refused: Option<&PlanError>,
    disclosed: Disclosure,
) -> Value {
    let conditions: Vec<Value> = explanation
        .conditions
        .iter()
        .map(|condition| {
            json!({
                "condition": condition.condition,
                "by_key": condition.by_key,
                "why": condition.why,
                "cure": condition.cure,
            })
        })
        .collect();
    let considered: Vec<Value> = explanation
        .considered
        .iter()
        .map(|considered| match &considered.outcome {
            Ok(estimate) => json!({ "table": considered.name, "rows": estimate.rows, "cost": estimate.cost }),
            Err(why) => json!({ "table": considered.name, "refused": why }),
        })
        .collect();
    json!({
        "version": 2,
        "refused": refused.map(ToString::to_string),
        "shape": explanation.shape,
        "plan": step_json(&explanation.root, key, disclosed),
        "order": explanation.order,
        "conditions": conditions,
        "considered": considered,
        "estimated_rows": explanation.estimate,
        "estimate_from_sample": explanation.counted,
    })
}

/// A step with all that it reads: of each range the first and the last key, as bytes, as text and as fields.
fn step_json(step: &PlanStep, key: &KeySchema, disclosed: Disclosure) -> Value {
    let map = |pairs: &[(&'static str, Figure)]| -> Map<String, Value> {
        pairs.iter().map(|(name, figure)| figure_json(name, figure)).collect()
    };
    let inputs: Vec<Value> = step.inputs.iter().map(|input| step_json(input, key, disclosed)).collect();
    let mut shown = json!({
        "step": step.kind,
        "text": step.text,
        "facts": map(&step.facts),
        "figures": map(&step.figures),
        "inputs": inputs,
    });
    if let (Some(keys), Some(shown)) = (&step.keys, shown.as_object_mut()) {
        if step.kind == "get" {
            shown.insert("key".to_owned(), bound_json(&keys.start, key, disclosed));
        } else {
            shown.insert("start".to_owned(), bound_json(&keys.start, key, disclosed));
            shown.insert("stop".to_owned(), bound_json(&keys.end, key, disclosed));
        }
    }
    shown
}

/// Null where a range is open.
fn bound_json(bound: &Bound<Vec<u8>>, key: &KeySchema, disclosed: Disclosure) -> Value {
    let (bytes, included) = match bound {
        Bound::Unbounded => return Value::Null,
        Bound::Included(bytes) => (bytes, true),
        Bound::Excluded(bytes) => (bytes, false),
    };
    let mut shown = key_start_json(key, bytes, disclosed);
    shown.insert("included".to_owned(), included.into());
    shown.into()
}

/// Figures are numbers for programs, times in milliseconds.
fn figure_json(name: &str, figure: &Figure) -> (String, Value) {
    let name = name.replace(' ', "_");
    match figure {
        Figure::Text(text) => (name, json!(text)),
        Figure::Count(number) => (name, json!(number)),
        Figure::Part { count, of } => (name, json!({ "count": count, "of": of })),
        Figure::Ratio(ratio) => (name, json!(ratio)),
        Figure::Time(time) => (format!("{name}_ms"), json!(time.as_secs_f64() * 1000.0)),
        Figure::Regions(regions) => {
            let region = |region: &RegionRows| json!({ "start": region.start, "rows_read": region.read, "rows_received": region.received });
            (name, regions.iter().map(region).collect())
        }
    }
}
