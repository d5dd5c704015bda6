//! Commands that read and write rows.

use rowkey_core::KeyRange;
use rowkey_store::filter::Filter;
use rowkey_store::{
    Append, Delete, Deletion, Get, Increment, LATEST_TIMESTAMP, Mutation, Put, RowBatch, Scan, TableName,
    TruncateSplits,
};

use super::Command;
use crate::cells::{ColumnName, exactly};
use crate::error::ShellError;
use crate::language::{Hash, Value};
use crate::options::{self, Options};
use crate::screen::Screen;
use crate::session::Session;

commands! {
    append(4 to 5) "Adds bytes to the end of a cell's value and prints what it is now."
        ["append 't1', 'r1', 'f:a', 'more'"] => append;

    count(1 to 2) "Counts rows; says where it is every INTERVAL rows (1000). Takes the options of scan."
        [
            "count 't1'",
            "count 't1', INTERVAL => 100000",
            "count 't1', {STARTROW => 'a', STOPROW => 'b'}",
        ] => count;

    delete(3 to 5) "Deletes the newest version of a cell, or the one with a timestamp."
        ["delete 't1', 'r1', 'f:a'", "delete 't1', 'r1', 'f:a', 1700000000000"] => delete;

    deleteall(2 to 5) "Deletes a row, all versions of a column or family, or all rows with a prefix."
        [
            "deleteall 't1', 'r1'",
            "deleteall 't1', 'r1', 'f:a'",
            "deleteall 't1', {ROWPREFIXFILTER => 'prefix'}",
        ] => deleteall;

    get(2 to any) "Prints a row, or some of its columns and versions."
        [
            "get 't1', 'r1'",
            "get 't1', 'r1', 'f:a', 'f:b'",
            "get 't1', 'r1', {COLUMN => 'f:a', VERSIONS => 4}",
            "get 't1', 'r1', {COLUMN => 'f:n:toLong'}",
            "get 't1', 'r1', {FILTER => \"ValueFilter(=, 'binary:abc')\"}",
        ] => get;

    get_counter(3 to 3) "Prints a counter that incr counts."
        ["get_counter 't1', 'r1', 'f:hits'"] => get_counter;

    incr(3 to 5) "Adds 1, or a number, to a counter and prints it."
        ["incr 't1', 'r1', 'f:hits'", "incr 't1', 'r1', 'f:hits', 10"] => incr;

    put(4 to 6) "Writes a cell, with a timestamp if one is given."
        [
            "put 't1', 'r1', 'f:a', 'value'",
            "put 't1', \"\\x00\\x01\", 'f:a', 'value', 1700000000000",
        ] => put;

    scan(1 to 2) "Prints rows. With DECODE, keys and values as the fields of the table file that the table carries."
        [
            "scan 't1'",
            "scan 't1', {STARTROW => 'a', STOPROW => 'b', LIMIT => 10}",
            "scan 't1', {ROWPREFIXFILTER => 'user7', REVERSED => true, COLUMNS => ['f:a', 'g']}",
            "scan 't1', {FILTER => \"PrefixFilter('a') AND ValueFilter(>=, 'binary:5')\"}",
            "scan 't1', {RAW => true, VERSIONS => 10}",
            "scan 'orders', {DECODE => true, LIMIT => 5}",
        ] => scan;

    truncate(1 to 1) "Removes all rows; the table becomes one region."
        ["truncate 't1'"] => |session, arguments, screen| truncate(session, arguments, screen, TruncateSplits::Drop);

    truncate_preserve(1 to 1) "Removes all rows; the table stays cut where it is."
        ["truncate_preserve 't1'"] => |session, arguments, screen| truncate(session, arguments, screen, TruncateSplits::Keep);
}

/// Row, family and qualifier, which is empty where none is given.
type CellName = (Vec<u8>, Vec<u8>, Vec<u8>);

/// The cell that a command is about.
fn cell(row: &Value, column: &Value) -> Result<CellName, ShellError> {
    let ColumnName { family, qualifier, .. } = ColumnName::parse(&column.bytes())?;
    Ok((row.bytes(), family, qualifier.unwrap_or_default()))
}

/// Options that HBase's cells can have and this shell's cannot.
fn refuse_attributes(arguments: &[Value]) -> Result<(), ShellError> {
    for argument in arguments {
        let Value::Hash(hash) = argument else { continue };
        if let Some((key, _)) = hash.first() {
            return ShellError::argument(format!("{key} of a single cell cannot be set here; leave it out"));
        }
    }
    Ok(())
}

fn timestamp(argument: Option<&Value>) -> Result<i64, ShellError> {
    match argument {
        None | Some(Value::Nil | Value::Hash(_)) => Ok(LATEST_TIMESTAMP),
        Some(Value::Int(timestamp)) => Ok(*timestamp),
        Some(other) => ShellError::argument(format!("the timestamp {} is no whole number", other.inspect())),
    }
}

fn put(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, column, value, rest @ ..] = arguments else { return Ok(Value::Nil) };
    refuse_attributes(rest)?;
    let table = Session::table(Some(table))?;
    let (row, family, qualifier) = cell(row, column)?;
    let put = Put::new(row).cell_at(family, qualifier, timestamp(rest.first())?, value.bytes());
    session.store.mutate(&table, Mutation::Put(put))?;
    Ok(Value::Nil)
}

fn append(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, column, value, rest @ ..] = arguments else { return Ok(Value::Nil) };
    refuse_attributes(rest)?;
    let table = Session::table(Some(table))?;
    let (row, family, qualifier) = cell(row, column)?;
    let append = Append::new(row).add(family.as_slice(), qualifier.as_slice(), value.bytes());
    if let Some(value) = changed(session, &table, Mutation::Append(append))? {
        screen.line(&format!("CURRENT VALUE = {}", rowkey_core::escape::escape(&value)))?;
    }
    Ok(Value::Nil)
}

fn incr(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, column, rest @ ..] = arguments else { return Ok(Value::Nil) };
    refuse_attributes(rest)?;
    let amount = match rest.first() {
        None | Some(Value::Nil) => 1,
        Some(Value::Int(amount)) => *amount,
        Some(other) => {
            return ShellError::argument(format!(
                "a counter is incremented by a whole number, not {}",
                other.inspect()
            ));
        }
    };
    let table = Session::table(Some(table))?;
    let (row, family, qualifier) = cell(row, column)?;
    let increment = Increment::new(row).add(family.as_slice(), qualifier.as_slice(), amount);
    let value = changed(session, &table, Mutation::Increment(increment))?;
    counter(value, screen)
}

/// The new value of the one cell that a mutation changes.
fn changed(session: &Session, table: &TableName, mutation: Mutation) -> Result<Option<Vec<u8>>, ShellError> {
    let outcome = session.store.mutate(table, mutation)?;
    Ok(outcome.rows.row(0).and_then(|row| row.cells().next().map(|cell| cell.value.to_vec())))
}

fn counter(value: Option<Vec<u8>>, screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    match value {
        Some(value) => {
            screen.line(&format!("COUNTER VALUE = {}", i64::from_be_bytes(exactly(&value)?)))?;
        }
        None => screen.line("No counter found at specified coordinates")?,
    }
    Ok(Value::Nil)
}

fn get_counter(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, column] = arguments else { return Ok(Value::Nil) };
    let (found, _) = options::get(row, std::slice::from_ref(column))?;
    let mut rows = RowBatch::new();
    session.store.get(&Session::table(Some(table))?, &found, &mut rows)?;
    let value = rows.row(0).and_then(|row| row.cells().next().map(|cell| cell.value.to_vec()));
    counter(value, screen)
}

fn get(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, rest @ ..] = arguments else { return Ok(Value::Nil) };
    let table = Session::table(Some(table))?;
    screen.heads("COLUMN", "CELL")?;
    let (get, hash): (Get, Hash) = options::get(row, rest)?;
    let style = Options(&hash).style(session.settings.epoch)?;
    let mut rows = RowBatch::new();
    session.store.get(&table, &get, &mut rows)?;
    if let Some(row) = rows.row(0) {
        for cell in row.cells() {
            screen.row(&style.column(&cell)?, &style.cell(&cell)?)?;
        }
    }
    screen.footer(rows.len())?;
    Ok(Value::Nil)
}

fn scan(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, rest @ ..] = arguments else { return Ok(Value::Nil) };
    let table = Session::table(Some(table))?;
    let hash = hash(rest)?;
    let options = Options(&hash);
    if options.is_true("DECODE") {
        return super::explain::decoded_scan(session, &table, &options.scan()?, screen);
    }
    screen.heads("ROW", "COLUMN+CELL")?;
    let scan = options.scan()?;
    let style = options.style(session.settings.epoch)?;
    let mut rows = 0;
    each_row(session, &table, &scan, |row| {
        let key = style.format.show(row.key())?;
        for cell in row.cells() {
            screen.row(&key, &format!("column={}, {}", style.column(&cell)?, style.cell(&cell)?))?;
        }
        rows += 1;
        Ok(())
    })?;
    screen.footer(rows)?;
    Ok(Value::Nil)
}

/// The one hash that may follow.
pub(super) fn hash(rest: &[Value]) -> Result<Hash, ShellError> {
    match rest {
        [] => Ok(Hash::new()),
        [Value::Hash(hash)] => Ok(hash.clone()),
        [other, ..] => {
            ShellError::argument(format!("{} is no hash of options; write {{LIMIT => 10}}", other.inspect()))
        }
    }
}

/// Hands every row of a scan to `take`.
pub(super) fn each_row(
    session: &Session,
    table: &TableName,
    scan: &Scan,
    mut take: impl FnMut(rowkey_store::RowView<'_>) -> Result<(), ShellError>,
) -> Result<(), ShellError> {
    let mut scanner = session.store.scan(table, scan)?;
    let mut batch = RowBatch::new();
    while scanner.next_batch(&mut batch)? {
        for row in batch.rows() {
            if session.settings.cancel.is_cancelled() {
                return Err(ShellError::Interrupted);
            }
            take(row)?;
        }
    }
    Ok(())
}

fn count(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, rest @ ..] = arguments else { return Ok(Value::Nil) };
    let table = Session::table(Some(table))?;
    let hash = match rest {
        [Value::Int(interval)] => vec![("INTERVAL".to_owned(), Value::Int(*interval))],
        rest => hash(rest)?,
    };
    let options = Options(&hash);
    let interval = options.count("INTERVAL")?.unwrap_or(1_000);
    let mut scan = options.scan()?;
    scan.filter = Some(match scan.filter.take() {
        Some(filter) => Filter::All(vec![filter, Filter::FirstKeyOnly]),
        None => Filter::FirstKeyOnly,
    });
    let mut rows = 0usize;
    each_row(session, &table, &scan, |row| {
        rows += 1;
        if rows.is_multiple_of(interval) {
            let key = rowkey_core::escape::escape(row.key());
            screen.cell(&format!("Current count: {rows}, row: {key}"))?;
        }
        Ok(())
    })?;
    screen.footer(rows)?;
    Ok(Value::Int(i64::try_from(rows).unwrap_or(i64::MAX)))
}

fn delete(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, column, rest @ ..] = arguments else { return Ok(Value::Nil) };
    remove(session, &Session::table(Some(table))?, row, Some(column), rest, Versions::One)
}

fn deleteall(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let [table, row, rest @ ..] = arguments else { return Ok(Value::Nil) };
    let (column, rest) = rest.split_first().map_or((None, rest), |(column, rest)| (Some(column), rest));
    remove(session, &Session::table(Some(table))?, row, column, rest, Versions::All)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Versions {
    One,
    All,
}

fn remove(
    session: &Session,
    table: &TableName,
    row: &Value,
    column: Option<&Value>,
    rest: &[Value],
    versions: Versions,
) -> Result<Value, ShellError> {
    refuse_attributes(rest)?;
    let timestamp = timestamp(rest.first())?;
    let column = column.filter(|column| **column != Value::Nil && !column.bytes().is_empty());
    let column = column.map(|column| ColumnName::parse(&column.bytes())).transpose()?;
    let delete = |row: Vec<u8>| {
        let mut delete = Delete::row_at(row, timestamp);
        delete.deletions.extend(column.clone().map(|column| deletion(column, timestamp, versions)));
        delete
    };
    let Value::Hash(hash) = row else {
        session.store.mutate(table, Mutation::Delete(delete(row.bytes())))?;
        return Ok(Value::Nil);
    };
    let Some(prefix) = Options(hash).bytes("ROWPREFIXFILTER") else {
        return ShellError::argument("rows are deleted by a hash only with ROWPREFIXFILTER in it");
    };
    let scan = Scan { filter: Some(Filter::FirstKeyOnly), ..Scan::new(KeyRange::prefix(&prefix)) };
    each_row(session, table, &scan, |row| {
        session.store.mutate(table, Mutation::Delete(delete(row.key().to_vec())))?;
        Ok(())
    })?;
    Ok(Value::Nil)
}

fn deletion(column: ColumnName, timestamp: i64, versions: Versions) -> Deletion {
    let family = column.family;
    match (column.qualifier, versions) {
        (Some(qualifier), Versions::All) => Deletion::Column { family, qualifier, timestamp },
        (Some(qualifier), Versions::One) => Deletion::Version { family, qualifier, timestamp },
        (None, Versions::All) => Deletion::Family { family, timestamp },
        (None, Versions::One) => Deletion::FamilyVersion { family, timestamp },
    }
}

fn truncate(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
    splits: TruncateSplits,
) -> Result<Value, ShellError> {
    let table = Session::table(arguments.first())?;
    screen.line(&format!("Truncating '{table}' table (it may take a while):"))?;
    if session.store.is_enabled(&table)? {
        screen.line("Disabling table...")?;
    }
    screen.line("Truncating table...")?;
    session.store.truncate_table(&table, splits)?;
    Ok(Value::Nil)
}
