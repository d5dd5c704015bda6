//! `rowkey delete TABLE CONDITION`
//!
//! First what would be deleted is found and counted, then somebody says yes, then the rows go in batches. A row that comes
//! or goes in between is deleted or not as it is when its turn comes.

use std::io::{BufRead, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use rowkey::query::Plan;
use rowkey::{Table, Value};
use rowkey_ops::create::OpenTable;
use rowkey_ops::index::{IndexedWriter, tables};
use rowkey_ops::query::{self, Record};
use rowkey_store::{LATEST_TIMESTAMP, Mutation, Operation, RowBatch};
use serde_json::json;

use crate::args::Delete;
use crate::key_text::KeyText;
use crate::output::{Output, Spinner, counted, counted_rows};
use crate::planned;
use crate::table_argument::LiveTable;
use crate::{Answer, open_store};

/// Rows of one call to the store.
const BATCH: usize = 1000;

/// Which rows.
enum Which {
    Keys(Vec<Vec<u8>>),
    /// With the table as reads may take it.
    Planned(Box<(Plan, Table)>),
}

pub(crate) fn run(arguments: &Delete, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let text = KeyText::new(arguments.hex);
    let keys: Vec<Vec<u8>> = arguments.key.iter().map(|key| text.read_row(key)).collect::<Result<_, _>>()?;
    let live = LiveTable::open(&arguments.of, store)?;
    let which = match &arguments.condition {
        Some(condition) => {
            let readable = tables::readable(live.table.clone(), live.own.as_ref());
            let prices = open_store::prices(store);
            let plan = planned::any_order(condition, &readable, arguments.full_scan, prices)?;
            planned::remark(condition, &[], &readable, output)?;
            Which::Planned(Box::new((plan, readable)))
        }
        None => Which::Keys(keys),
    };
    let reads = which.reads(text);
    let spinner = Spinner::new("counting");
    let counted = which.each(&live, |_| Ok(()));
    spinner.clear();
    let rows = counted?;
    output.note(&format!("delete {} of {}, found by:", counted_rows(rows), live.name));
    reads.iter().for_each(|line| output.note(&format!("  {line}")));

    let answer = |deleted: Option<u64>| json!({ "table": live.name.to_string(), "rows": rows, "deleted": deleted, "reads": reads });
    if rows == 0 || arguments.dry_run {
        let text = format!("would delete {} of {}", counted_rows(rows), live.name);
        output.line(&text, || answer(None))?;
        return Ok(if rows == 0 { Answer::No } else { Answer::Yes });
    }
    if !arguments.yes && !said_yes(&format!("delete {} of {}?", counted_rows(rows), live.name))? {
        output.line("nothing was deleted", || answer(Some(0)))?;
        return Ok(Answer::No);
    }
    let spinner = Spinner::new("deleting");
    let deleted = delete_all(&which, &live, &spinner);
    spinner.clear();
    let deleted = deleted?;
    output.line(&format!("deleted {} of {}", counted_rows(deleted), live.name), || answer(Some(deleted)))?;
    Ok(Answer::Yes)
}

/// Asks a person; where there is none, nothing is deleted silently.
fn said_yes(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("nothing was deleted, because nobody is there to ask: {question} Say so with --yes");
    }
    let _ = write!(std::io::stderr(), "{question} [y/N] ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn delete_all(which: &Which, live: &LiveTable, spinner: &Spinner) -> anyhow::Result<u64> {
    match &live.own {
        Some(own) if !own.indexes.is_empty() => delete_indexed(which, live, own, spinner),
        _ => delete_plain(which, live, spinner),
    }
}

/// Rows with their index rows.
fn delete_indexed(
    which: &Which,
    live: &LiveTable,
    own: &OpenTable,
    spinner: &Spinner,
) -> anyhow::Result<u64> {
    let writer = IndexedWriter::new(&*live.store, &live.table, own);
    let (mut keys, mut deleted) = (Vec::with_capacity(BATCH), 0);
    let mut flush = |keys: &mut Vec<Vec<u8>>| -> anyhow::Result<()> {
        deleted += writer.delete(keys)?.rows;
        spinner.show(deleted);
        keys.clear();
        Ok(())
    };
    which.each(live, |record| {
        keys.push(record.key.clone());
        if keys.len() == BATCH { flush(&mut keys) } else { Ok(()) }
    })?;
    if !keys.is_empty() {
        flush(&mut keys)?;
    }
    Ok(deleted)
}

fn delete_plain(which: &Which, live: &LiveTable, spinner: &Spinner) -> anyhow::Result<u64> {
    let (mut batch, mut deleted) = (Vec::with_capacity(BATCH), 0);
    let mut flush = |batch: &mut Vec<Operation>| -> anyhow::Result<()> {
        for result in live.store.batch(&live.name, batch)? {
            result?;
            deleted += 1;
        }
        spinner.show(deleted);
        batch.clear();
        Ok(())
    };
    which.each(live, |record| {
        let delete = rowkey_store::Delete::row_at(record.key.as_slice(), time_of(record, live));
        batch.push(Operation::Mutate(Mutation::Delete(delete)));
        if batch.len() == BATCH { flush(&mut batch) } else { Ok(()) }
    })?;
    if !batch.is_empty() {
        flush(&mut batch)?;
    }
    Ok(deleted)
}

/// The time of the delete, which hides cells up to it: now, or that of a row whose own time is still to come.
fn time_of(record: &Record, live: &LiveTable) -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX);
    match live.table.cell_time.and_then(|field| record.values.get(field.0)) {
        Some(Value::Time(millis)) if *millis > now => *millis,
        _ => LATEST_TIMESTAMP,
    }
}

impl Which {
    fn reads(&self, text: KeyText) -> Vec<String> {
        match self {
            Self::Planned(planned) => planned::reads(&planned.0, text),
            Self::Keys(keys) => vec![format!("get of {}", counted(keys.len(), "key"))],
        }
    }

    /// Hands on every row that is there; returns how many.
    fn each(
        &self,
        live: &LiveTable,
        mut take: impl FnMut(&Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let mut rows = 0;
        match self {
            Self::Planned(planned) => {
                let (plan, readable) = &**planned;
                for record in query::run(&*live.store, &live.name, readable, plan)? {
                    take(&record?)?;
                    rows += 1;
                }
            }
            Self::Keys(keys) => {
                let gets: Vec<rowkey_store::Get> =
                    keys.iter().map(|key| rowkey_store::Get::new(key.as_slice())).collect();
                let mut batch = RowBatch::new();
                live.store.get_many(&live.name, &gets, &mut batch)?;
                for row in batch.rows() {
                    // A row that does not decode can be deleted by its key all the same.
                    let values = rowkey_ops::record::read(&live.table, row).unwrap_or_default();
                    let values = values.into_iter().map(Value::into_owned).collect();
                    take(&Record { key: row.key().to_vec(), values })?;
                    rows += 1;
                }
            }
        }
        Ok(rows)
    }
}
