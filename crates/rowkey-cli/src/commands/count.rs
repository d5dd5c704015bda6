//! `rowkey count TABLE [CONDITION]`

use rowkey_core::KeyRange;
use rowkey_core::query::Query;
use rowkey_ops::aggregate::{self, AggregateOptions, By};
use rowkey_ops::index::tables;
use rowkey_store::{Aggregate, Aggregated, Filter, RowBatch, Scan, Store, StoreError, TableName, per_region};
use serde_json::json;

use super::figures;
use crate::args::Count;
use crate::output::{Output, Spinner, counted_rows};
use crate::planned;
use crate::table_argument::{AnyTable, LiveTable};
use crate::{Answer, interrupt, settings};

pub(crate) fn run(arguments: &Count, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if figures::are_asked_for(arguments) {
        return figures::run(arguments, store, output);
    }
    let options = AggregateOptions { cancel: interrupt::cancels(), ..AggregateOptions::default() };
    let (name, counted, how) = match &arguments.condition {
        Some(condition) => {
            let live = LiveTable::open(&arguments.of, store)?;
            let prices = settings::prices(store, Some(&*live.store))?.prices;
            let LiveTable { store, name, table, own } = live;
            let table = tables::readable(table, own.as_ref());
            let query = Query::parse(condition, table.key.fields())?;
            let plan = planned::any_order(&query, &table, arguments.full_scan, None, prices)?;
            planned::begin(&query, &table, output);
            let count = |_: &Spinner| aggregate::count(&*store, &name, &table, &plan, &options);
            let counted = Spinner::during("counting", count)?;
            (name, counted, planned::access(&plan))
        }
        None => {
            let AnyTable { store, name, table, .. } = AnyTable::open(&arguments.of, store)?;
            let counted = Spinner::during("counting", |_| match &table {
                Some(table) => {
                    let plan = planned::everything(table)?;
                    Ok::<_, anyhow::Error>(aggregate::count(&*store, &name, table, &plan, &options)?)
                }
                None => Ok(count_keys(&*store, &name)?),
            })?;
            (name, counted, "the whole table".to_owned())
        }
    };
    let (rows, by) = counted;
    output.note(&format!("{} ({how}{})", counted_rows(rows), figures::by_endpoint(by)));
    output.line(
        &rows.to_string(),
        || json!({ "table": name.to_string(), "rows": rows, "by": by.to_string() }),
    )?;
    Ok(Answer::Yes)
}

/// The rows of a table that nothing is known of.
fn count_keys(store: &dyn Store, name: &TableName) -> Result<(u64, By), StoreError> {
    if let Aggregated::Number(rows) = store.aggregate(name, &Scan::new(KeyRange::all()), Aggregate::Rows)? {
        return Ok((u64::try_from(rows).unwrap_or(u64::MAX), By::Endpoint));
    }
    let threads = AggregateOptions::default().threads;
    let counts = per_region(store, name, &KeyRange::all(), threads, |_, range| {
        let scan = Scan { filter: Some(Filter::FirstKeyOnly), ..Scan::new(range) };
        let (mut scanner, mut batch, mut rows) = (store.scan(name, &scan)?, RowBatch::new(), 0u64);
        while scanner.next_batch(&mut batch)? {
            rows += batch.len() as u64;
        }
        Ok(rows)
    })?;
    Ok((counts.into_iter().sum(), By::Keys))
}
