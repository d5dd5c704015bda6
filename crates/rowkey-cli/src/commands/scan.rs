//! `rowkey scan TABLE`

use std::ops::Bound;

use rowkey_core::{KeyRange, Table, Value};
use rowkey_ops::query::{QueryError, Record};
use rowkey_ops::record;
use rowkey_store::{Direction, RowBatch, Scanner};

use crate::args::Scan;
use crate::key_text::KeyText;
use crate::output::{CellPrinter, Output, RecordPrinter, counted};
use crate::public::public;
use crate::table_argument::{AnyTable, LiveTable};
use crate::{Answer, interrupt};

pub(crate) fn run(arguments: &Scan, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let text = KeyText::new(arguments.shown.hex);
    let range = range(arguments, text)?;
    if range.is_empty() {
        let range = output.shown.range(&range);
        let order = if arguments.reverse {
            "with --reverse, --start is the larger key, where reading begins"
        } else {
            "--start is the smaller key"
        };
        return Err(public(format!("the range {range} holds no key; {order}")));
    }
    let scan = rowkey_store::Scan {
        direction: if arguments.reverse { Direction::Reverse } else { Direction::Forward },
        limit: arguments.limit,
        batch_rows: arguments.limit.unwrap_or(usize::MAX).clamp(1, rowkey_store::Scan::DEFAULT_BATCH_ROWS),
        versions: if arguments.raw_cells { arguments.versions } else { 1 },
        raw: arguments.deleted,
        ..rowkey_store::Scan::new(range)
    };
    if arguments.raw_cells {
        let AnyTable { store, name, .. } = AnyTable::open(&arguments.of, store)?;
        return print_cells(&mut *store.scan(&name, &scan)?, arguments, output);
    }
    let LiveTable { store, name, table, .. } = LiveTable::open(&arguments.of, store)?;
    print_records(&mut *store.scan(&name, &scan)?, &table, arguments, output)
}

fn range(arguments: &Scan, text: KeyText) -> anyhow::Result<KeyRange> {
    if let Some(prefix) = &arguments.prefix {
        return Ok(KeyRange::prefix(&text.read(prefix)?));
    }
    let bound = |key: &Option<String>| key.as_deref().map(|key| text.read(key)).transpose();
    let first = bound(&arguments.start)?.map_or(Bound::Unbounded, Bound::Included);
    let last = bound(&arguments.stop)?.map_or(Bound::Unbounded, Bound::Excluded);
    let (start, end) = if arguments.reverse { (last, first) } else { (first, last) };
    Ok(KeyRange { start, end })
}

fn print_records(
    scanner: &mut dyn Scanner,
    table: &Table,
    arguments: &Scan,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let mut printer = RecordPrinter::new(table, output).shown(&arguments.shown)?.with_keys();
    let (mut batch, mut rows, mut skipped) = (RowBatch::new(), 0, 0);
    let cancel = interrupt::cancels();
    while scanner.next_batch(&mut batch)? {
        if cancel.is_cancelled() {
            printer.finish()?;
            return Err(QueryError::Cancelled.into());
        }
        for row in batch.rows() {
            match record::read(table, row) {
                Ok(values) => {
                    let values = values.into_iter().map(Value::into_owned).collect();
                    printer.record(&Record { key: row.key().to_vec(), values })?;
                    rows += 1;
                }
                Err(_) if arguments.skip_undecodable => skipped += 1,
                Err(error) => {
                    printer.finish()?;
                    return Err(anyhow::Error::from(error).context(
                        "a row is not of this table file; --skip-undecodable leaves such rows out, --raw-cells shows them",
                    ));
                }
            }
        }
    }
    printer.finish()?;
    match skipped {
        0 => output.note(&counted(rows, "row")),
        _ => output.note(&format!("{}, and {} left out", counted(rows, "row"), counted(skipped, "row"))),
    }
    Ok(if rows == 0 { Answer::No } else { Answer::Yes })
}

fn print_cells(scanner: &mut dyn Scanner, arguments: &Scan, output: &mut Output) -> anyhow::Result<Answer> {
    let mut printer = CellPrinter::new(output, &arguments.shown)?;
    let (mut batch, mut rows) = (RowBatch::new(), 0);
    let cancel = interrupt::cancels();
    while scanner.next_batch(&mut batch)? {
        if cancel.is_cancelled() {
            printer.finish()?;
            return Err(QueryError::Cancelled.into());
        }
        for row in batch.rows() {
            printer.row(row)?;
            rows += 1;
        }
    }
    printer.finish()?;
    output.note(&counted(rows, "row"));
    Ok(if rows == 0 { Answer::No } else { Answer::Yes })
}
