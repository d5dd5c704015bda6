//! Beyond HBase: keys and values as the fields of the table's file, and what a scan would read.

use std::ops::Bound;

use rowkey_core::escape::escape;
use rowkey_core::{KeyRange, Table};
use rowkey_ops::create::{self, TableError};
use rowkey_ops::record;
use rowkey_store::{Columns, Direction, Scan, TableName};

use super::data::{each_row, hash};
use crate::error::ShellError;
use crate::language::Value;
use crate::options::Options;
use crate::screen::Screen;
use crate::session::Session;

/// The file that a table carries.
fn file_of(session: &Session, table: &TableName) -> Result<Table, ShellError> {
    create::stored(&*session.store, table).map_err(|error| match error {
        TableError::Store(error) => ShellError::Store(error),
        other => ShellError::Argument(other.to_string()),
    })
}

/// `scan 't', {DECODE => true}`.
pub(super) fn decoded_scan(
    session: &Session,
    name: &TableName,
    scan: &Scan,
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let table = file_of(session, name)?;
    let fields = table.key.fields();
    screen.heads("ROW", "FIELDS")?;
    // A record needs all its columns, whatever is asked for.
    let scan =
        Scan { columns: Columns::All, versions: 1, raw: false, cells_per_result: None, ..scan.clone() };
    let mut rows = 0;
    each_row(session, name, &scan, |row| {
        let shown = match record::read(&table, row) {
            Ok(values) => {
                let pair = |((_, field), value): ((_, &rowkey_core::key::Field), &rowkey_core::Value<'_>)| {
                    format!("{}={value}", field.name)
                };
                fields.iter().zip(&values).map(pair).collect::<Vec<_>>().join(", ")
            }
            Err(error) => format!("does not decode: {error}"),
        };
        screen.row(&escape(row.key()).to_string(), &shown)?;
        rows += 1;
        Ok(())
    })?;
    screen.footer(rows)?;
    Ok(Value::Nil)
}

/// `explain scan 't', {…}`: reads the list of regions and no row.
pub(super) fn run(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let [command, table, rest @ ..] = arguments else { return Ok(Value::Nil) };
    if command.bytes() != b"scan" {
        return ShellError::argument(format!("only a scan can be explained, not {}", command.text()));
    }
    let name = Session::table(Some(table))?;
    let options = hash(rest)?;
    let scan = Options(&options).scan()?;
    let regions = session.store.regions(&name)?;
    let touched = regions.iter().filter(|region| !region.range.intersect(&scan.range).is_empty()).count();
    let table = file_of(session, &name).ok();
    for line in plan(&scan, table.as_ref()) {
        screen.line(&line)?;
    }
    screen.line(&format!("regions: {touched} of {}", regions.len()))?;
    Ok(Value::Nil)
}

fn plan(scan: &Scan, table: Option<&Table>) -> Vec<String> {
    let KeyRange { start, end } = &scan.range;
    let whole = *start == Bound::Unbounded && *end == Bound::Unbounded;
    let direction = if scan.direction == Direction::Reverse { ", from its end" } else { "" };
    let shape = if whole { "a full scan" } else { "a scan of one range" };
    let limit = scan.limit.map(|rows| format!(", the first {rows} rows")).unwrap_or_default();
    let mut lines = vec![format!("{shape}{direction}{limit}: {}", scan.range)];
    for (word, bound) in [("from", start), ("to", end)] {
        if let (Bound::Included(key) | Bound::Excluded(key), Some(table)) = (bound, table) {
            lines.push(format!("{word}: {}", table.key.decode_start(key)));
        }
    }
    if scan.filter.is_some() {
        lines.push(
            "filter: looked at row by row where the rows lie; it does not make the range smaller".to_owned(),
        );
    }
    if whole {
        lines.push(
            "why: neither STARTROW, STOPROW nor ROWPREFIXFILTER is given, so every row is read".to_owned(),
        );
    }
    if let Some(table) = table
        && table.key.value_steps().next().is_some_and(|step| step.is_bucket())
    {
        lines.push(format!(
            "salted: rows come bucket by bucket; in order, and by fields: rowkey query {} \"…\"",
            table.name
        ));
    }
    lines
}
