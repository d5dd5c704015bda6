//! How are the rows of a condition found, and how is that said in a few words?

use std::path::Path;
use std::time::Instant;

use rowkey_core::query::{
    Access, Choice, Plan, PlanError, PlanOptions, Prices, Query, Via, plan, plan_table,
};
use rowkey_core::{FieldId, Table};
use rowkey_ops::recording::{Clock, Recording};

use crate::args::QueryArguments;
use crate::key_text::KeyText;
use crate::open_store;
use crate::output::{Output, counted, tell};

/// So many gets or ranges are shown; more are counted.
const READS: usize = 4;

/// What there is to say of a query that is about to run; it is recorded if `ROWKEY_RECORD` names a file. That can neither fail nor hold up
/// the query.
pub(crate) fn begin(
    query: &str,
    parameters: &[String],
    table: &Table,
    output: &Output,
) -> anyhow::Result<()> {
    let query = remark(query, parameters, table, output)?;
    let Some(file) = std::env::var_os("ROWKEY_RECORD").filter(|file| !file.is_empty()) else { return Ok(()) };
    let started = Instant::now();
    let clock: Clock = Box::new(move || started.elapsed());
    let recorded = open_store::refuse_inside(Path::new(&file)).and_then(|()| {
        let recording = Recording::open(Path::new(&file), output.shown, clock)?;
        Ok(recording.add(&table.name, &query, table.key.fields())?)
    });
    if let Err(error) = recorded {
        tell(&format!("warning: the query is not recorded, see ROWKEY_RECORD: {error:#}\n"));
    }
    Ok(())
}

/// Remarks about what a query says and hardly means. They hold values, so `--redact` leaves them out.
pub(crate) fn remark(
    query: &str,
    parameters: &[String],
    table: &Table,
    output: &Output,
) -> anyhow::Result<Query> {
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let query = Query::parse_with(query, table.key.fields(), &parameters)?;
    if !output.shown.hides() {
        query.slips(table.key.fields()).iter().for_each(|slip| output.note(slip));
    }
    Ok(query)
}

/// The best plan of a condition whose rows may come in any order, by the table or an index table; `columns` are the fields that are asked
/// for, none for all.
pub(crate) fn any_order(
    condition: &str,
    table: &Table,
    full_scan: bool,
    columns: Option<Vec<FieldId>>,
    prices: Prices,
) -> anyhow::Result<Plan> {
    let parsed = Query::parse(condition, table.key.fields())?;
    let options = PlanOptions { full_scan, sort: true, columns, by: None, prices };
    Ok(plan_table(table, &parsed, &options)?.plan)
}

/// The plan of the whole table.
pub(crate) fn everything(table: &Table) -> anyhow::Result<Plan> {
    let all = Query::parse("", table.key.fields())?;
    Ok(plan(&table.key, &all, &PlanOptions { full_scan: true, ..PlanOptions::default() })?)
}

/// The best plan of a query, by the table or an index table, or by the one that is named; `columns` are the fields to show, none for all.
pub(crate) fn choose(
    asked: &QueryArguments,
    table: &Table,
    columns: Vec<FieldId>,
    (by, prices): (Option<String>, Prices),
) -> anyhow::Result<(Query, Choice)> {
    let parameters: Vec<&str> = asked.parameters.iter().map(String::as_str).collect();
    let query = Query::parse_with(&asked.query, table.key.fields(), &parameters)?;
    let columns = Some(columns).filter(|columns| !columns.is_empty());
    let options = PlanOptions { full_scan: asked.full_scan, sort: asked.sort, columns, by, prices };
    let choice = plan_table(table, &query, &options)?;
    Ok((query, choice))
}

/// As [`choose`]; a query that would be refused is planned as if it were allowed, with the refusal beside it.
pub(crate) fn choose_anyway(
    asked: &QueryArguments,
    table: &Table,
    columns: Vec<FieldId>,
    prices: Prices,
) -> anyhow::Result<(Query, Choice, Option<PlanError>)> {
    match choose(asked, table, columns.clone(), (None, prices)) {
        Ok((query, choice)) => Ok((query, choice, None)),
        Err(error) => {
            let refused = error.downcast::<PlanError>()?;
            let allowed = QueryArguments { full_scan: true, sort: true, ..asked.clone() };
            let (query, choice) = choose(&allowed, table, columns, (None, prices))?;
            Ok((query, choice, Some(refused)))
        }
    }
}

/// In a few words.
pub(crate) fn access(plan: &Plan) -> String {
    let how = match &plan.access {
        Access::Nothing => "the conditions contradict each other".to_owned(),
        Access::Gets(keys) => counted(keys.len(), "get"),
        Access::Ranges(_) => counted(plan.access.len(), "key range"),
    };
    match plan.via {
        Via::Primary => how,
        Via::Index { .. } => format!("{how} of an index table"),
    }
}

/// What is read, line by line.
pub(crate) fn reads(plan: &Plan, keys: KeyText) -> Vec<String> {
    let mut lines: Vec<String> = match &plan.access {
        Access::Nothing => Vec::new(),
        Access::Gets(rows) => rows.iter().take(READS).map(|key| format!("get {}", keys.show(key))).collect(),
        Access::Ranges(fan_outs) => {
            let ranges = fan_outs.iter().flat_map(|fan_out| &fan_out.ranges);
            ranges.take(READS).map(|range| format!("scan {range}")).collect()
        }
    };
    let all = plan.access.len();
    if all > READS {
        lines.push(format!("and {} more", all - READS));
    }
    lines
}
