//! Plans how the rows of a condition are read, and says it in a few words.

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

/// The query of the arguments: read once, for its plan, for the remarks about it and for the record of queries.
pub(crate) fn parse(asked: &QueryArguments, table: &Table) -> anyhow::Result<Query> {
    let parameters: Vec<&str> = asked.parameters.iter().map(String::as_str).collect();
    Ok(Query::parse_with(&asked.query, table.key.fields(), &parameters)?)
}

/// What there is to say of a query that is about to run; it is recorded if `ROWKEY_RECORD` names a file. That can neither fail nor hold up
/// the query.
pub(crate) fn begin(query: &Query, table: &Table, output: &Output) {
    remark(query, table, output);
    let Some(file) = std::env::var_os("ROWKEY_RECORD").filter(|file| !file.is_empty()) else { return };
    let started = Instant::now();
    let clock: Clock = Box::new(move || started.elapsed());
    let recorded = open_store::refuse_inside(Path::new(&file)).and_then(|()| {
        let recording = Recording::open(Path::new(&file), output.shown, clock)?;
        Ok(recording.add(&table.name, query, table.key.fields())?)
    });
    if let Err(error) = recorded {
        tell(&format!("warning: the query is not recorded, see ROWKEY_RECORD: {error:#}\n"));
    }
}

/// Remarks about what a query says and hardly means. They hold values, so `--redact` leaves them out.
pub(crate) fn remark(query: &Query, table: &Table, output: &Output) {
    if !output.shown.hides() {
        query.slips(table.key.fields()).iter().for_each(|slip| output.note(slip));
    }
}

/// The best plan of a query whose rows may come in any order, by the table or an index table; `columns` are the fields that are asked for,
/// none for all.
pub(crate) fn any_order(
    query: &Query,
    table: &Table,
    full_scan: bool,
    columns: Option<Vec<FieldId>>,
    prices: Prices,
) -> Result<Plan, PlanError> {
    let options = PlanOptions { full_scan, sort: true, columns, by: None, prices };
    Ok(plan_table(table, query, &options)?.plan)
}

/// The plan of the whole table.
pub(crate) fn everything(table: &Table) -> Result<Plan, PlanError> {
    plan(&table.key, &Query::default(), &PlanOptions { full_scan: true, ..PlanOptions::default() })
}

/// The best plan of a query, by the table or an index table, or by the one that is named; `columns` are the fields to show, none for all.
pub(crate) fn choose(
    query: &Query,
    asked: &QueryArguments,
    table: &Table,
    columns: Vec<FieldId>,
    (by, prices): (Option<String>, Prices),
) -> Result<Choice, PlanError> {
    let columns = Some(columns).filter(|columns| !columns.is_empty());
    let options = PlanOptions { full_scan: asked.full_scan, sort: asked.sort, columns, by, prices };
    plan_table(table, query, &options)
}

/// As [`choose`]; a query that would be refused is planned as if it were allowed, with the refusal beside it.
pub(crate) fn choose_anyway(
    query: &Query,
    asked: &QueryArguments,
    table: &Table,
    columns: Vec<FieldId>,
    prices: Prices,
) -> Result<(Choice, Option<PlanError>), PlanError> {
    match choose(query, asked, table, columns.clone(), (None, prices)) {
        Ok(choice) => Ok((choice, None)),
        Err(refused) => {
            let allowed = QueryArguments { full_scan: true, sort: true, ..asked.clone() };
            Ok((choose(query, &allowed, table, columns, (None, prices))?, Some(refused)))
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
