//! `rowkey scan TABLE`

use std::ops::Bound;

use anyhow::anyhow;
use rowkey_core::range::{prefix_end, successor};
use rowkey_core::{KeyRange, Table};
use rowkey_store::{Direction, RowBatch, RowView, Scanner};

use crate::args::{Scan, quoted};
use crate::key_text::KeyText;
use crate::output::{CellPrinter, Output, RecordPrinter, counted, read_record};
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
    let mut printer = RecordPrinter::with_keys(table, &arguments.shown, output)?;
    let (mut rows, mut skipped) = (0, 0);
    let read = each(scanner, |row| {
        match read_record(table, row) {
            Ok(record) => {
                printer.record(&record)?;
                rows += 1;
            }
            Err(_) if arguments.skip_undecodable => skipped += 1,
            Err(error) => {
                return Err(anyhow::Error::from(error).context(
                    "a row is not of this table file; --skip-undecodable leaves such rows out, --raw-cells shows them",
                ));
            }
        }
        Ok(())
    });
    // Rows that came are shown, whatever came after them.
    printer.finish()?;
    if let Some(last) = read? {
        return Err(interrupted(rows, &last, arguments, output));
    }
    match skipped {
        0 => output.note(&counted(rows, "row")),
        _ => output.note(&format!("{}, and {} left out", counted(rows, "row"), counted(skipped, "row"))),
    }
    Ok(if rows == 0 { Answer::No } else { Answer::Yes })
}

fn print_cells(scanner: &mut dyn Scanner, arguments: &Scan, output: &mut Output) -> anyhow::Result<Answer> {
    let (mut printer, mut rows) = (CellPrinter::new(output, &arguments.shown)?, 0);
    let read = each(scanner, |row| {
        rows += 1;
        Ok(printer.row(row)?)
    });
    printer.finish()?;
    if let Some(last) = read? {
        return Err(interrupted(rows, &last, arguments, output));
    }
    output.note(&counted(rows, "row"));
    Ok(if rows == 0 { Answer::No } else { Answer::Yes })
}

/// Hands on row by row; where a signal ends that, the last key that came.
fn each(
    scanner: &mut dyn Scanner,
    mut take: impl FnMut(RowView<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Option<Vec<u8>>> {
    let (mut batch, mut last, cancel) = (RowBatch::new(), Vec::new(), interrupt::cancels());
    while scanner.next_batch(&mut batch)? {
        if cancel.is_cancelled() {
            return Ok(Some(last));
        }
        for row in batch.rows() {
            row.key().clone_into(&mut last);
            take(row)?;
        }
    }
    Ok(None)
}

/// How many rows came before a signal, up to the last key, and what reads the rest.
fn interrupted(rows: usize, last: &[u8], arguments: &Scan, output: &Output) -> anyhow::Error {
    let told = format!("the scan was interrupted; {} came", counted(rows, "row"));
    let text = output.key_text(arguments.shown.hex);
    let key = |key: &[u8]| quoted(&text.show(key));
    let prefix = arguments.prefix.as_deref().map(|prefix| text.read(prefix).unwrap_or_default());
    match (prefix, arguments.reverse) {
        // Both hold no key, and both read less.
        _ if last.is_empty() || output.shown.hides() => public(format!("{told}; --limit N reads fewer")),
        (None, false) => anyhow!("{told}. The rest: the same command with --start {}", key(&successor(last))),
        (None, true) => {
            anyhow!("{told}. The rest, and the last row again: the same command with --start {}", key(last))
        }
        (Some(prefix), false) => {
            let stop = prefix_end(&prefix).map_or(String::new(), |end| format!(" --stop {}", key(&end)));
            let start = key(&successor(last));
            anyhow!("{told}. The rest: the same command with --start {start}{stop} in place of --prefix")
        }
        (Some(_), true) => anyhow!("{told}, the last of them {}; --limit N reads fewer", key(last)),
    }
}
