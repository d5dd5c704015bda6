//! `rowkey delete TABLE CONDITION`
//!
//! First what would be deleted is found and counted, then the user confirms, then the rows are deleted in batches. A row that comes
//! or goes in between is deleted or not as it is when its turn comes.

use anyhow::bail;
use rowkey_core::query::{Plan, Query};
use rowkey_core::{Table, Value};
use rowkey_ops::create::OpenTable;
use rowkey_ops::index::tables;
use rowkey_ops::put::RecordWriter;
use rowkey_ops::query::{self, Cancel, Record};
use rowkey_store::RowBatch;
use serde_json::json;

use crate::args::Delete;
use crate::consent::said_yes;
use crate::key_text::KeyText;
use crate::output::{Output, Spinner, counted, counted_rows};
use crate::planned;
use crate::table_argument::LiveTable;
use crate::{Answer, interrupt, settings};

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
            let prices = settings::prices(store, Some(&*live.store))?.prices;
            let query = Query::parse(condition, readable.key.fields())?;
            let plan = planned::any_order(&query, &readable, arguments.full_scan, None, prices)?;
            planned::begin(&query, &readable, output);
            Which::Planned(Box::new((plan, readable)))
        }
        None => Which::Keys(keys),
    };
    let reads = which.reads(text);
    let cancel = interrupt::cancels();
    let rows = Spinner::during("counting", |_| {
        which.each(&live, |_| match cancel.is_cancelled() {
            true => bail!("interrupted while rows were counted; nothing was deleted"),
            false => Ok(()),
        })
    })?;
    output.note(&format!("delete {} of {}, found by:", counted_rows(rows), live.name));
    reads.iter().for_each(|line| output.note(&format!("  {line}")));

    let answer = |deleted: Option<u64>| json!({ "table": live.name.to_string(), "rows": rows, "deleted": deleted, "reads": reads });
    if rows == 0 || arguments.dry_run {
        let text = format!("would delete {} of {}", counted_rows(rows), live.name);
        output.line(&text, || answer(None))?;
        return Ok(if rows == 0 { Answer::No } else { Answer::Yes });
    }
    if !arguments.yes && !said_yes(&format!("delete {} of {}?", counted_rows(rows), live.name), "deleted")? {
        output.line("nothing was deleted", || answer(Some(0)))?;
        return Ok(Answer::No);
    }
    let deleted = Spinner::during("deleting", |spinner| delete_all(&which, &live, spinner, &cancel))?;
    if deleted.interrupted {
        bail!(
            "interrupted; {} of {} were deleted, and {} stay. The same command deletes the rest",
            counted_rows(deleted.rows),
            live.name,
            counted_rows(rows.saturating_sub(deleted.rows))
        );
    }
    let deleted = deleted.rows;
    output.line(&format!("deleted {} of {}", counted_rows(deleted), live.name), || answer(Some(deleted)))?;
    Ok(Answer::Yes)
}

/// What was deleted.
struct Deleted {
    rows: u64,
    /// Whether a signal came before the last batch.
    interrupted: bool,
}

/// Deletes batch by batch, until a signal comes.
fn delete_all(
    which: &Which,
    live: &LiveTable,
    spinner: &Spinner,
    cancel: &Cancel,
) -> anyhow::Result<Deleted> {
    let foreign = OpenTable { name: live.name.clone(), id: String::new(), indexes: Vec::new() };
    let open = live.own.as_ref().unwrap_or(&foreign);
    let writer = RecordWriter::new(&*live.store, &live.table, open);
    let (mut batch, mut rows, mut interrupted) = (Vec::with_capacity(BATCH), 0, false);
    let ended = which.each(live, |record| {
        interrupted = cancel.is_cancelled();
        if interrupted {
            bail!("interrupted");
        }
        batch.push(record);
        if batch.len() == BATCH {
            rows += writer.delete(&batch)?;
            batch.clear();
            spinner.show(rows);
        }
        Ok(())
    });
    if !interrupted {
        ended?;
        rows += writer.delete(&batch)?;
    }
    Ok(Deleted { rows, interrupted })
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
        mut take: impl FnMut(Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let mut rows = 0;
        match self {
            Self::Planned(planned) => {
                let (plan, readable) = &**planned;
                for record in query::run(&*live.store, &live.name, readable, plan)? {
                    take(record?)?;
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
                    take(Record { key: row.key().to_vec(), values })?;
                    rows += 1;
                }
            }
        }
        Ok(rows)
    }
}
