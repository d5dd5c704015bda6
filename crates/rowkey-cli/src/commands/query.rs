//! `rowkey query TABLE QUERY`

use anyhow::bail;
use rowkey_ops::index::tables;
use rowkey_ops::query::{self, QueryError, QueryOptions, page_by};
use serde_json::json;

use crate::args::Query;
use crate::output::{Output, RecordPrinter, counted_rows, selected};
use crate::planned;
use crate::public::public;
use crate::table_argument::{LiveTable, file};
use crate::{Answer, interrupt, settings};

pub(crate) fn run(arguments: &Query, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let Query { of, asked, shown, .. } = arguments;
    // What can be refused without a store is refused before one is opened.
    let mut early = None;
    if let Some(table) = file(&of.table)? {
        let prices = settings::prices(store, None)?.prices;
        let query = early.insert(planned::parse(asked, &table)?);
        planned::choose(query, asked, &table, selected(&table, &shown.columns)?, (None, prices))?;
    }
    let live = LiveTable::open(of, store)?;
    let prices = settings::prices(store, Some(&*live.store))?.prices;
    let LiveTable { store, name, table, own } = live;
    let table = tables::readable(table, own.as_ref());
    let columns = selected(&table, &shown.columns)?;
    if arguments.page.is_some() && output.shown.hides() {
        bail!("a page token holds the key of a row; leave out either --page or --redact");
    }
    let page = arguments.page.clone().filter(|token| !token.is_empty());
    // By the table or index table that the page before was read by.
    let by = page.as_deref().map(|token| page_by(&table, token)).transpose()?;
    let query = early.map_or_else(|| planned::parse(asked, &table), Ok)?;
    let choice = planned::choose(&query, asked, &table, columns, (by, prices))?;
    planned::begin(&query, &table, output);
    let options = QueryOptions {
        skip_undecodable: arguments.skip_undecodable,
        page,
        cancel: interrupt::cancels(),
        ..QueryOptions::default()
    };

    let mut rows = query::run_with(&*store, &name, &table, &choice.plan, &options)?;
    let mut printer = RecordPrinter::new(&table, shown, output)?;
    let mut returned: u64 = 0;
    let mut failure = None;
    for record in rows.by_ref() {
        match record {
            Ok(record) => printer.record(&record)?,
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        returned += 1;
    }
    // Rows that came are shown, whatever came after them.
    printer.finish()?;
    match failure {
        None => {}
        Some(QueryError::Cancelled) => {
            return Err(public(format!(
                "the query was interrupted; {} of its answer came. A limit or a narrower condition reads less; `limit N` with \
                 --page reads page by page, and says how to go on",
                counted_rows(returned)
            )));
        }
        Some(error) => return Err(error.into()),
    }
    if let Some(token) = rows.next_page().filter(|_| arguments.page.is_some()) {
        output.object(|| json!({ "next_page": token }))?;
        output.note(&format!("next page: --page {token}"));
    }
    let counters = rows.counters();
    let left_out = match counters.undecodable {
        0 => String::new(),
        skipped => format!(", {skipped} left out that do not decode"),
    };
    // How many a server reads that checks rows itself, only `explain --analyze` asks.
    let came = if rows.filtered_by_store() { "received" } else { "read" };
    output.note(&format!(
        "{} ({} {came}, {}{left_out})",
        counted_rows(returned),
        counted_rows(rows.rows_read()),
        planned::access(&choice.plan)
    ));
    Ok(if returned == 0 { Answer::No } else { Answer::Yes })
}
