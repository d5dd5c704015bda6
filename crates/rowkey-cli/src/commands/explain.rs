//! `rowkey explain TABLE QUERY`

mod analyze;

use std::ops::Bound;
use std::path::PathBuf;

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::disclosure::Disclosure;
use rowkey_core::query::{
    Choice, Estimate, Explanation, Figure, Plan, PlanError, PlanStep, Prices, Query, RegionRows, StepKind,
    Via, explain_as,
};
use rowkey_core::{KeyRange, KeySchema, Table};
use rowkey_lab::simulate::{Cut, Data, Design, Feed, Options, cost_of_plans, stream};
use rowkey_ops::index::tables;
use rowkey_ops::input::Batches;
use rowkey_ops::processors;
use serde_json::{Map, Value, json};

use self::analyze::Run;
use super::simulate::cut_indexes;
use super::splits::sampled_points;
use crate::args::{Explain, QueryArguments};
use crate::output::{Bar, Output, key_start_json, selected, tell};
use crate::table_argument::{LiveTable, file};
use crate::{Answer, input_argument, planned, settings};

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
    let columns = selected(&table, &arguments.columns)?;
    // A count takes rows in any order.
    let asked = QueryArguments { sort: arguments.asked.sort || arguments.count, ..arguments.asked.clone() };
    let query = planned::parse(&asked, &table)?;
    let (mut choice, refused) =
        planned::choose_anyway(&query, &asked, &table, columns.clone(), priced.prices)?;
    planned::remark(&query, &table, output);
    if let Some(paths) = input_argument::some(&arguments.data) {
        let starts = regions.iter().map(KeyRange::first_key).filter(|start| !start.is_empty()).collect();
        let mut design = Design::of_table(table.clone(), Cut::Keys(starts));
        if let Some((store, _)) = &live {
            cut_indexes(&mut design.table, &**store)?;
        }
        let allowed = QueryArguments {
            full_scan: asked.full_scan || refused.is_some(),
            sort: asked.sort || refused.is_some(),
            ..asked
        };
        let plans = |name: &str| {
            let by = (Some(name.to_owned()), priced.prices);
            Ok(planned::choose(&query, &allowed, &table, columns.clone(), by)?.plan)
        };
        by_data(paths, arguments, &design, (&query, &mut choice), plans, priced.prices)?;
    }
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
        output.verbatim(explanation.to_dot().trim_end())?;
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

/// What a simulation over the data says of the plan, and of each other one that was considered.
fn by_data(
    paths: &[PathBuf],
    arguments: &Explain,
    design: &Design,
    (query, choice): (&Query, &mut Choice),
    plans: impl Fn(&str) -> anyhow::Result<Plan>,
    prices: Prices,
) -> anyhow::Result<()> {
    let mut input = input_argument::data(paths, &arguments.reading)?;
    let (_, looked_at) = input_argument::guessed(&mut input)?;
    let source = if input.is_files() { input.source()? } else { looked_at };
    let fields = design.table.key.fields();
    let batches = Batches::open(source, input.format, fields, &input.label)?;
    let none = Data { fields, columns: &[], rows: 0 };
    let options = Options { seed: arguments.seed, prices, ..Options::default() };
    // The sample of a simulation, of no design.
    let feed = Feed::Records(Box::new(batches));
    let streamed =
        Bar::watching(input.bytes(), |watch| stream(&[], feed, &none, None, &options, processors(), watch))?;
    streamed.refused.first.iter().for_each(|reason| tell(&format!("left out: {reason}\n")));
    let columns: Vec<Column<'_>> = streamed.sample.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields, columns: &columns, rows: streamed.sampled };
    let mut all = vec![choice.plan.clone()];
    for considered in choice.considered.iter().filter(|considered| considered.outcome.is_ok()) {
        all.push(plans(&considered.name)?);
    }
    let options = Options { records: Some(streamed.records), ..options };
    let costs = cost_of_plans(design, &data, query, &all, &options)?;
    let outcomes = choice.considered.iter_mut().filter_map(|considered| considered.outcome.as_mut().ok());
    for (estimate, cost) in std::iter::once(&mut choice.estimate).chain(outcomes).zip(costs) {
        *estimate = Estimate { rows: cost.reading.rows, cost: cost.cost, counted: true };
    }
    Ok(())
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
        "estimated_rows": explanation.estimate.rows,
        "estimated_cost": explanation.estimate.cost,
        "estimate_from_sample": explanation.estimate.counted,
    })
}

/// A step with all that it reads: of each range the first and the last key, as bytes, as text and as fields.
fn step_json(step: &PlanStep, key: &KeySchema, disclosed: Disclosure) -> Value {
    let map = |pairs: &[(&'static str, Figure)]| -> Map<String, Value> {
        pairs.iter().map(|(name, figure)| figure_json(name, figure)).collect()
    };
    let inputs: Vec<Value> = step.inputs.iter().map(|input| step_json(input, key, disclosed)).collect();
    let mut shown = json!({
        "step": step.kind.name(),
        "text": step.text,
        "facts": map(&step.facts),
        "figures": map(&step.figures),
        "inputs": inputs,
    });
    if let (Some(keys), Some(shown)) = (&step.keys, shown.as_object_mut()) {
        if step.kind == StepKind::Get {
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
