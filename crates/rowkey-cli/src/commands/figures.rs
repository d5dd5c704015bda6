//! `rowkey count TABLE [CONDITION] --group-by FIELDS --sum FIELDS …`
//!
//! All figures come from one pass over the rows, region by region; where one field is asked for and nothing is grouped, from
//! the store's endpoint if it has one.

use rowkey_core::key::Field;
use rowkey_core::query::Query;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Table, Value};
use rowkey_ops::aggregate::{self, AggregateOptions, By, Figures};
use rowkey_ops::index::tables;
use serde_json::{Map, Value as Json, json};

use crate::args::Count;
use crate::output::{Output, Rows, Spinner, counted, named, number, value_json_as};
use crate::public::public;
use crate::table_argument::LiveTable;
use crate::{Answer, interrupt, planned, settings};

/// A figure of a field.
#[derive(Debug, Clone, Copy)]
struct AskedFigure {
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

/// Rows and figures of one group, which has no values where all rows are one.
struct Line {
    group: Vec<Value<'static>>,
    rows: u64,
    values: Vec<Value<'static>>,
}

/// Whether more is asked for than a number of rows.
pub(crate) fn are_asked_for(arguments: &Count) -> bool {
    let Count { group_by, sum, avg, min, max, csv, .. } = arguments;
    !group_by.is_empty() || *csv || [sum, avg, min, max].iter().any(|fields| !fields.is_empty())
}

pub(crate) fn run(arguments: &Count, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    output.csv(arguments.csv)?;
    let live = LiveTable::open(&arguments.of, store)?;
    let prices = settings::prices(store, Some(&*live.store))?.prices;
    let LiveTable { store, name, table, own } = live;
    let table = tables::readable(table, own.as_ref());
    let asked = asked(arguments, &table)?;
    let groups = named(&table, "--group-by", &arguments.group_by)?;
    let mut of: Vec<FieldId> = asked.iter().map(|asked| asked.field).collect();
    of.sort_unstable();
    of.dedup();
    let fields: Vec<FieldId> = groups.iter().chain(&of).copied().collect();
    let plan = match &arguments.condition {
        Some(condition) => {
            let query = Query::parse(condition, table.key.fields())?;
            planned::begin(&query, &table, output);
            planned::any_order(&query, &table, arguments.full_scan, Some(fields), prices)?
        }
        None => planned::everything(&table)?,
    };
    let options = AggregateOptions {
        cancel: interrupt::cancels(),
        max_groups: arguments.max_groups,
        ..AggregateOptions::default()
    };
    let line = |group, rows, figures: &[Figures]| {
        let of_field =
            |asked: &AskedFigure| of.binary_search(&asked.field).ok().and_then(|at| figures.get(at));
        let value =
            |asked: &AskedFigure| of_field(asked).map_or(Value::Null, |figures| asked.what.of(figures));
        Line { group, rows, values: asked.iter().map(value).collect() }
    };
    let (lines, by) = Spinner::during("counting", |_| match (groups.as_slice(), of.as_slice()) {
        ([], [field]) => aggregate::of_field(&*store, &name, &table, &plan, *field, &options)
            .map(|(figures, by)| (vec![line(Vec::new(), figures.rows, &[figures])], by)),
        _ => aggregate::group_by(&*store, &name, &table, &plan, (&groups, &of), &options).map(|found| {
            let one = (found.is_empty() && groups.is_empty()).then(|| line(Vec::new(), 0, &[]));
            let lines = found.into_iter().map(|found| line(found.group, found.rows, &found.figures));
            (lines.chain(one).collect(), By::Rows)
        }),
    })?;
    print(&lines, &asked, (&groups, by), &table, output)?;
    let how = match &arguments.condition {
        Some(_) => planned::access(&plan),
        None => "the whole table".to_owned(),
    };
    match groups.as_slice() {
        [] => output.note(&format!("{how}{}", by_endpoint(by))),
        _ => output.note(&format!("{} ({how})", counted(lines.len(), "group"))),
    }
    Ok(Answer::Yes)
}

/// Words for an answer that no row was read for.
pub(super) fn by_endpoint(by: By) -> &'static str {
    if by == By::Endpoint { ", by the endpoint of each region" } else { "" }
}

/// The figures that the options name, in the order of the options in `--help`; all mistakes of one option at once.
fn asked(arguments: &Count, table: &Table) -> anyhow::Result<Vec<AskedFigure>> {
    let Count { sum, avg, min, max, .. } = arguments;
    let mut asked = Vec::new();
    for (what, names) in [(What::Sum, sum), (What::Avg, avg), (What::Min, min), (What::Max, max)] {
        for field in named(table, &format!("--{}", what.name()), names)? {
            let declared = table.key.fields().get(field);
            let is_number = matches!(declared.ty.kind(), Kind::Integer | Kind::Float);
            if matches!(what, What::Sum | What::Avg) && !is_number {
                return Err(public(no_sum(what, declared)));
            }
            asked.push(AskedFigure { what, field });
        }
    }
    Ok(asked)
}

/// Why a field has no sum, and what there is instead.
fn no_sum(what: What, field: &Field) -> String {
    let Field { name, ty, .. } = field;
    let numbers = match ty.kind() {
        Kind::Text | Kind::Bytes => format!(
            "; if it holds numbers, declare it as one (`{name} = \"i64\"` in [fields]) and load the data into a table with that file"
        ),
        _ => String::new(),
    };
    format!(
        "--{}: `{name}` is {ty}, and only numbers can be added up; --min and --max take any field, --group-by {name} counts the rows \
         of each value{numbers}",
        what.name()
    )
}

fn print(
    lines: &[Line],
    asked: &[AskedFigure],
    (groups, by): (&[FieldId], By),
    of: &Table,
    output: &mut Output,
) -> anyhow::Result<()> {
    let (name, shown) = (|field: FieldId| of.key.fields().get(field).name.clone(), output.shown);
    let object = |line: &Line| {
        let mut object = Map::new();
        let values = line.group.iter().map(|value| value_json_as(value, shown));
        let group: Map<String, Json> = groups.iter().map(|field| name(*field)).zip(values).collect();
        if !group.is_empty() {
            object.insert("group".to_owned(), group.into());
        }
        object.insert("rows".to_owned(), line.rows.into());
        object.insert("by".to_owned(), by.to_string().into());
        for (asked, value) in asked.iter().zip(&line.values) {
            let of_kind = object.entry(asked.what.name()).or_insert_with(|| json!({}));
            if let Some(of_kind) = of_kind.as_object_mut() {
                of_kind.insert(name(asked.field), value_json_as(value, shown));
            }
        }
        Json::Object(object)
    };
    let figures = asked.iter().map(|asked| format!("{}({})", asked.what.name(), name(asked.field)));
    let grouped = groups.iter().map(|field| name(*field));
    let mut rows = Rows::new(grouped.chain(["rows".to_owned()]).chain(figures));
    for line in lines {
        output.object(|| object(line))?;
        let values = line.values.iter().map(|value| shown.value(value));
        let group = line.group.iter().map(|value| shown.value(value));
        rows.add(group.chain([line.rows.to_string()]).chain(values).map(number));
    }
    Ok(output.rows(&rows)?)
}
