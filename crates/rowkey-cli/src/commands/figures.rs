//! `rowkey count TABLE [CONDITION] --group-by FIELD --sum FIELD …`
//!
//! All figures come from one pass over the rows, region by region; where one field is asked for and nothing is grouped, from
//! the store's endpoint if it has one.

use anyhow::bail;
use comfy_table::CellAlignment;
use rowkey::types::Kind;
use rowkey::{FieldId, Table, Value};
use rowkey_ops::aggregate::{self, AggregateOptions, Figures, GroupLimit, Groups};
use rowkey_ops::index::tables;
use serde_json::{Map, Value as Json, json};

use crate::args::Count;
use crate::output::{Output, Spinner, counted, csv_line, named, table, text_cell, value_json_as};
use crate::public::public;
use crate::table_argument::LiveTable;
use crate::{Answer, interrupt, planned, settings};

/// A figure of a field.
#[derive(Debug, Clone, Copy)]
struct Asked {
    what: What,
    field: FieldId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Sum,
    Avg,
    Min,
    Max,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    fn of(self, figures: &Figures) -> Value<'static> {
        match self {
            Self::Sum => figures.sum.clone(),
            Self::Avg => figures.mean().map_or(Value::Null, Value::Float),
            Self::Min => figures.min.clone(),
            Self::Max => figures.max.clone(),
        }
    }
}

/// Rows and figures of one group; the group is missing where all rows are one.
struct Line {
    group: Option<Value<'static>>,
    rows: u64,
    values: Vec<Value<'static>>,
}

/// Whether more is asked for than a number of rows.
pub(crate) fn are_asked_for(arguments: &Count) -> bool {
    let Count { group_by, sum, avg, min, max, csv, .. } = arguments;
    group_by.is_some() || *csv || [sum, avg, min, max].iter().any(|fields| !fields.is_empty())
}

pub(crate) fn run(arguments: &Count, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if arguments.csv && output.json {
        bail!("choose either --csv or --json");
    }
    let live = LiveTable::open(&arguments.of, store)?;
    let prices = settings::prices(store, Some(&*live.store))?.prices;
    let LiveTable { store, name, table, own } = live;
    let table = tables::readable(table, own.as_ref());
    let asked = asked(arguments, &table)?;
    let group = match &arguments.group_by {
        Some(field) => named(&table, "--group-by", std::slice::from_ref(field))?.first().copied(),
        None => None,
    };
    let fields: Vec<FieldId> = group.into_iter().chain(asked.iter().map(|asked| asked.field)).collect();
    let plan = match &arguments.condition {
        Some(condition) => {
            planned::begin(condition, &[], &table, output)?;
            planned::any_order_of(condition, &table, arguments.full_scan, Some(fields), prices)?
        }
        None => planned::everything(&table)?,
    };
    let options = AggregateOptions { cancel: interrupt::cancels(), ..AggregateOptions::default() };
    let spinner = Spinner::new("counting");
    let lines = match (group, asked.as_slice()) {
        (None, [first, others @ ..]) if others.iter().all(|other| other.field == first.field) => {
            let figures = aggregate::of_field(&*store, &name, &table, &plan, first.field, &options);
            figures.map(|figures| {
                let values = asked.iter().map(|asked| asked.what.of(&figures)).collect();
                vec![Line { group: None, rows: figures.rows, values }]
            })
        }
        _ => {
            let limit = GroupLimit::new(arguments.max_groups, options.cancel.clone());
            let start = || vec![Groups::default(); asked.len().max(1)];
            let see = |groups: &mut Vec<Groups>, record: &[Value<'_>]| {
                let value = |field: FieldId| record.get(field.0).unwrap_or(&Value::Null);
                let group = group.map_or(&Value::Null, value);
                for (nth, groups) in groups.iter_mut().enumerate() {
                    let value = asked.get(nth).map_or(&Value::Null, |asked| value(asked.field));
                    if groups.add(group, value) && nth == 0 {
                        limit.add();
                    }
                }
            };
            limit
                .judge(aggregate::fold(&*store, &name, &table, &plan, &options, start, see))
                .map(|found| joined(found, &asked, group.is_some()))
        }
    };
    spinner.clear();
    let lines = lines?;
    print(&lines, &asked, group, &table, arguments, output)?;
    let how = match &arguments.condition {
        Some(_) => planned::access(&plan),
        None => "the whole table".to_owned(),
    };
    match group {
        Some(_) => output.note(&format!("{} ({how})", counted(lines.len(), "group"))),
        None => output.note(&how),
    }
    Ok(Answer::Yes)
}

/// The figures that the options name, in the order of the options in `--help`; all mistakes of one option at once.
fn asked(arguments: &Count, table: &Table) -> anyhow::Result<Vec<Asked>> {
    let Count { sum, avg, min, max, .. } = arguments;
    let mut asked = Vec::new();
    for (what, names) in [(What::Sum, sum), (What::Avg, avg), (What::Min, min), (What::Max, max)] {
        for field in named(table, &format!("--{}", what.name()), names)? {
            let declared = table.key.fields().get(field);
            let is_number = matches!(declared.ty.kind(), Kind::Integer | Kind::Float);
            if matches!(what, What::Sum | What::Avg) && !is_number {
                return Err(public(format!(
                    "--{}: `{}` is {} and cannot be added up; --min and --max take any field",
                    what.name(),
                    declared.name,
                    declared.ty
                )));
            }
            asked.push(Asked { what, field });
        }
    }
    Ok(asked)
}

/// The groups of all regions together, a line each.
fn joined(found: Vec<Vec<Groups>>, asked: &[Asked], is_grouped: bool) -> Vec<Line> {
    let mut whole = vec![Groups::default(); asked.len().max(1)];
    for groups in found {
        whole = whole.into_iter().zip(groups).map(|(all, more)| all.join(more)).collect();
    }
    let mut lines: Vec<Line> = Vec::new();
    for (nth, groups) in whole.into_iter().enumerate() {
        for (at, (group, figures)) in groups.into_sorted().into_iter().enumerate() {
            if nth == 0 {
                let group = is_grouped.then_some(group);
                lines.push(Line { group, rows: figures.rows, values: Vec::new() });
            }
            // Every list saw the same groups, so they are at the same places.
            if let (Some(line), Some(asked)) = (lines.get_mut(at), asked.get(nth)) {
                line.values.push(asked.what.of(&figures));
            }
        }
    }
    if lines.is_empty() && !is_grouped {
        lines.push(Line { group: None, rows: 0, values: vec![Value::Null; asked.len()] });
    }
    lines
}

fn print(
    lines: &[Line],
    asked: &[Asked],
    group: Option<FieldId>,
    of: &Table,
    arguments: &Count,
    output: &mut Output,
) -> anyhow::Result<()> {
    let name = |field: FieldId| of.key.fields().get(field).name.clone();
    if output.json {
        for line in lines {
            let mut object = Map::new();
            if let (Some(field), Some(value)) = (group, &line.group) {
                object.insert("group".to_owned(), json!({ name(field): value_json_as(value, output.shown) }));
            }
            object.insert("rows".to_owned(), line.rows.into());
            for (asked, value) in asked.iter().zip(&line.values) {
                let of_kind = object.entry(asked.what.name()).or_insert_with(|| json!({}));
                if let Some(of_kind) = of_kind.as_object_mut() {
                    of_kind.insert(name(asked.field), value_json_as(value, output.shown));
                }
            }
            output.json_line(&Json::Object(object))?;
        }
        return Ok(());
    }
    let figures = asked.iter().map(|asked| format!("{}({})", asked.what.name(), name(asked.field)));
    let header: Vec<String> = group.map(name).into_iter().chain(["rows".to_owned()]).chain(figures).collect();
    let shown = output.shown;
    let texts = |line: &Line| -> Vec<String> {
        let values = line.values.iter().map(|value| shown.value(value));
        let group = line.group.iter().map(|value| shown.value(value));
        group.chain([line.rows.to_string()]).chain(values).collect()
    };
    if arguments.csv {
        output.text(&csv_line(header))?;
        return Ok(lines.iter().try_for_each(|line| output.text(&csv_line(texts(line))))?);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut printed = table(&header);
    for line in lines {
        let right = |text: String| text_cell(text).set_alignment(CellAlignment::Right);
        printed.add_row(texts(line).into_iter().map(right));
    }
    Ok(output.text(&printed.to_string())?)
}
