//! `rowkey query TABLE QUERY`

use rowkey::query::{Access, Plan, PlanOptions, Query as ParsedQuery, plan};
use rowkey_ops::{create, query};

use crate::args::Query;
use crate::output::{Output, RecordPrinter, counted};
use crate::{Answer, open_store, table_argument};

pub(crate) fn run(arguments: &Query, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    // What can be refused without a store is refused before one is opened.
    let file = table_argument::file(&arguments.table)?;
    let planned = file.as_ref().map(|table| make_plan(arguments, table)).transpose()?;
    let opened = open_store::open(store)?;
    let table = table_argument::table(file, &arguments.table, &*opened)?;
    let plan = match planned {
        Some(plan) => plan,
        None => make_plan(arguments, &table)?,
    };
    let open = create::open(&*opened, &table)?;

    let mut rows = query::run(&*opened, &open.name, &table, &plan)?;
    let mut printer = RecordPrinter::new(&table, output);
    let mut returned = 0;
    for record in rows.by_ref() {
        printer.record(&record?)?;
        returned += 1;
    }
    printer.finish()?;
    let read = usize::try_from(rows.rows_read()).unwrap_or(usize::MAX);
    output.note(&format!("{} ({} read, {})", counted(returned, "row"), counted(read, "row"), access(&plan)));
    Ok(if returned == 0 { Answer::No } else { Answer::Yes })
}

fn make_plan(arguments: &Query, table: &rowkey::Table) -> anyhow::Result<Plan> {
    let parsed = ParsedQuery::parse(&arguments.query, table.key.fields())?;
    let options = PlanOptions { full_scan: arguments.full_scan, ..PlanOptions::default() };
    Ok(plan(&table.key, &parsed, &options)?)
}

fn access(plan: &Plan) -> String {
    match &plan.access {
        Access::Nothing => "the conditions contradict each other".to_owned(),
        Access::Gets(keys) => counted(keys.len(), "get"),
        Access::Ranges(_) => counted(plan.access.len(), "key range"),
    }
}
