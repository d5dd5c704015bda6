//! Commands about regions, files, and what a store does with them by itself.

use rowkey_core::escape::escape;
use rowkey_core::range::bound_key;
use rowkey_store::{Chore, Region, StoreError, TableName};

use super::data::hash;
use super::{Command, answer, explain, matches};
use crate::error::ShellError;
use crate::language::Value;
use crate::options::Options;
use crate::screen::Screen;
use crate::session::Session;

commands! {
    balance_switch(1 to 1) "Switches the balancer on or off, and says how it was."
        ["balance_switch true", "balance_switch false"] => |session, arguments, screen| {
            let was = session.store.switch(Chore::Balancer, says_on(arguments))?;
            screen.cell(&format!("Previous balancer state : {was}"))?;
            Ok(Value::Bool(was))
        };

    balancer(0 to 1) "Has the balancer run once, and says whether it ran; 'force' also while regions are in transition."
        ["balancer", "balancer 'force'"] => |session, arguments, screen| match arguments.first() {
            Some(force) if force.bytes() != b"force" => {
                ShellError::argument(format!("Invalid argument {}.", force.text()))
            }
            force => answer(session.store.balance(force.is_some())?, screen),
        };

    balancer_enabled(0 to 0) "Says whether the balancer is on."
        ["balancer_enabled"] => |session, _, screen| answer(session.store.is_on(Chore::Balancer)?, screen);

    compact(1 to 3) "Does nothing here: both stores compact by themselves. major_compact rewrites a table."
        ["compact 't1'"] => |session, arguments, _| {
            session.store.describe(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        };

    explain(2 to 3) "Says what a scan would read, without reading it. Not in HBase's shell."
        ["explain scan 't1', {STARTROW => 'a', STOPROW => 'b'}"] => explain::run;

    flush(1 to 2) "Writes what waits in memory to files."
        ["flush 't1'"] => |session, arguments, _| {
            session.store.flush(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        };

    get_splits(1 to 1) "Prints where a table is cut."
        ["get_splits 't1'"] => get_splits;

    list_regions(1 to 3) "Prints a table's regions with their servers, sizes and requests; all columns or some."
        [
            "list_regions 't1'",
            "list_regions 't1', 'server1'",
            "list_regions 't1', nil, ['START_KEY', 'END_KEY', 'REQ']",
        ] => list_regions;

    locate_region(2 to 2) "Says in which region a row lies."
        ["locate_region 't1', 'row1'"] => locate_region;

    major_compact(1 to 3) "Removes what no read can see from a table's files."
        ["major_compact 't1'"] => |session, arguments, _| {
            session.store.major_compact(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        };

    merge_region(0 to any) "Makes one region of neighbours, given by their names or the 32 digits in them."
        ["merge_region 'REGION_1', 'REGION_2'"] => merge_region;

    move(1 to 2) "Moves a region to a server, or to one that the store chooses; the region by its name or the 32 digits in it."
        ["move 'REGION'", "move 'REGION', 'host,port,start'", "move 'REGION', 'host:port'"] => move_region;

    normalize(0 to 1) "Has the normalizer run once, over some tables or all, and says whether it ran."
        [
            "normalize",
            "normalize TABLE_NAME => 't1'",
            "normalize TABLE_NAMES => ['t1', 't2']",
            "normalize REGEX => 'abc.*'",
            "normalize NAMESPACE => 'ns1'",
        ] => normalize;

    normalizer_enabled(0 to 0) "Says whether the normalizer is on."
        ["normalizer_enabled"] => |session, _, screen| answer(session.store.is_on(Chore::Normalizer)?, screen);

    normalizer_switch(1 to 1) "Switches the normalizer on or off, and says how it was."
        ["normalizer_switch true", "normalizer_switch false"] => |session, arguments, screen| {
            answer(session.store.switch(Chore::Normalizer, says_on(arguments))?, screen)
        };

    split(1 to 2) "Cuts a region, or every region of a table, in the middle or at a key."
        ["split 't1'", "split 't1', 'row5'"] => split;
}

fn move_region(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let wanted = arguments.first().map(Value::text).unwrap_or_default();
    let to = arguments.get(1).filter(|server| **server != Value::Nil).map(Value::text);
    let (table, region) = known_region(session, &wanted)?;
    session.store.move_region(&table, &region, to.as_deref())?;
    Ok(Value::Nil)
}

/// Whether a switch is to be on: a text is so only if it says "true".
fn says_on(arguments: &[Value]) -> bool {
    arguments.first().is_some_and(|value| match value {
        Value::Text(_) => value.text().eq_ignore_ascii_case("true"),
        other => other.is_true(),
    })
}

fn normalize(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    // Every option leaves fewer tables.
    let mut chosen: Option<Vec<TableName>> = None;
    for (option, value) in hash(arguments)? {
        let tables: Vec<TableName> = match option.as_str() {
            "TABLE_NAME" | "TABLE_NAMES" => Value::flat(&[value])
                .iter()
                .map(|name| Session::table(Some(name)))
                .collect::<Result<_, _>>()?,
            "NAMESPACE" => session.store.tables_of_namespace(&value.text())?,
            "REGEX" => {
                let matches = matches(Some(&value))?;
                let known = session.store.list_tables()?;
                known.into_iter().filter(|table| matches(&table.to_string())).collect()
            }
            other => return ShellError::argument(format!("Unrecognized argument {other}")),
        };
        chosen = Some(match chosen {
            None => tables,
            Some(others) => others.into_iter().filter(|table| tables.contains(table)).collect(),
        });
    }
    let tables = chosen.unwrap_or_default();
    if tables.is_empty() && !arguments.is_empty() {
        return ShellError::argument("there is no such table, so there is nothing to normalize");
    }
    answer(session.store.normalize(&tables)?, screen)
}

fn start(region: &Region) -> String {
    escape(bound_key(&region.range.start).unwrap_or_default()).to_string()
}

fn end(region: &Region) -> String {
    escape(bound_key(&region.range.end).unwrap_or_default()).to_string()
}

fn get_splits(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let regions = session.store.regions(&Session::table(arguments.first())?)?;
    screen.line(&format!("Total number of splits = {}", regions.len()))?;
    let points: Vec<String> = regions.iter().skip(1).map(start).collect();
    for point in &points {
        screen.line(point)?;
    }
    Ok(Value::List(points.iter().map(|point| Value::from(point.as_str())).collect()))
}

/// The columns of `list_regions`: name, least width, and what stands in it.
type Figure = (&'static str, usize, fn(&Region) -> String);

const FIGURES: [Figure; 7] = [
    ("SERVER_NAME", 12, |region| region.server.clone().unwrap_or_else(|| "embedded".to_owned())),
    ("REGION_NAME", 12, |region| region.name.clone()),
    ("START_KEY", 10, start),
    ("END_KEY", 10, end),
    ("SIZE", 5, |region| region.size.map(|bytes| (bytes >> 20).to_string()).unwrap_or_default()),
    ("REQ", 5, |region| (region.reads + region.writes).to_string()),
    ("LOCALITY", 10, |region| {
        region
            .locality_percent
            .map_or("0.0".to_owned(), |percent| format!("{:?}", f64::from(percent) / 100.0))
    }),
];

fn list_regions(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let table = Session::table(arguments.first())?;
    if !session.store.is_enabled(&table)? {
        return ShellError::argument(format!("Table {table} must be enabled."));
    }
    let server = match arguments.get(1) {
        None | Some(Value::Nil) => None,
        Some(Value::Hash(options)) => Options(options).get("SERVER_NAME").map(Value::text),
        Some(name) => Some(name.text()),
    };
    let figures = chosen(arguments.get(2))?;
    let regions = session.store.regions(&table)?;
    let shown: Vec<Vec<String>> = regions
        .iter()
        .filter(|region| {
            server
                .as_ref()
                .is_none_or(|wanted| region.server.as_ref().is_some_and(|name| name.starts_with(wanted)))
        })
        .map(|region| figures.iter().map(|(_, _, figure)| figure(region)).collect())
        .collect();
    let width = |column: usize, (_, least, _): &Figure| {
        let longest = shown.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        longest.unwrap_or(0).max(*least)
    };
    let widths: Vec<usize> =
        figures.iter().enumerate().map(|(column, figure)| width(column, figure)).collect();
    let mut print = |cells: &mut dyn Iterator<Item = String>| {
        let cells = cells.zip(&widths).map(|(cell, width)| format!(" {cell:>width$} |", width = *width));
        screen.line(&cells.collect::<String>())
    };
    print(&mut figures.iter().map(|(name, _, _)| (*name).to_owned()))?;
    print(&mut widths.iter().map(|width| "-".repeat(*width)))?;
    for row in &shown {
        print(&mut row.iter().cloned())?;
    }
    screen.line(&format!(" {} rows", shown.len()))?;
    Ok(Value::Nil)
}

fn chosen(columns: Option<&Value>) -> Result<Vec<Figure>, ShellError> {
    const POSSIBLE: &str =
        "Possible values are SERVER_NAME, REGION_NAME, START_KEY, END_KEY, SIZE, REQ, LOCALITY.";
    match columns {
        None | Some(Value::Nil) => Ok(FIGURES.to_vec()),
        Some(Value::List(names)) => {
            let find = |name: &Value| {
                let name = name.text();
                let figure = FIGURES.iter().find(|(known, _, _)| known.eq_ignore_ascii_case(&name));
                let wrong = || ShellError::Argument(format!("{name} is not a valid column. {POSSIBLE}"));
                figure.copied().ok_or_else(wrong)
            };
            names.iter().map(find).collect()
        }
        Some(other) => {
            ShellError::argument(format!("{} must be an array of strings. {POSSIBLE}", other.text()))
        }
    }
}

fn locate_region(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let [table, row] = arguments else { return Ok(Value::Nil) };
    let table = Session::table(Some(table))?;
    let key = rowkey_core::escape::unescape(&row.text()).unwrap_or_else(|_| row.bytes());
    let regions = session.store.regions(&table)?;
    screen.heads("HOST", "REGION")?;
    if let Some(region) = regions.iter().find(|region| region.range.contains(&key)) {
        let encoded = region.encoded_name();
        let described = format!(
            "{{ENCODED => {encoded}, NAME => '{}', STARTKEY => '{}', ENDKEY => '{}'}}",
            region.name,
            start(region),
            end(region)
        );
        screen.row(region.server.as_deref().unwrap_or("embedded"), &described)?;
    }
    screen.footer(1)?;
    Ok(Value::Nil)
}

/// The table that holds a region, and the region's whole name; the region by its name or its digits.
fn region_of(session: &Session, wanted: &str) -> Result<Option<(TableName, String)>, ShellError> {
    let tables = match wanted.split_once(',') {
        Some((table, _)) => table.parse().map(|table| vec![table])?,
        None => session.store.list_tables()?,
    };
    for table in tables {
        let regions = match session.store.regions(&table) {
            Ok(regions) => regions,
            Err(StoreError::TableNotFound { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let found =
            regions.into_iter().find(|region| region.name == wanted || region.encoded_name() == wanted);
        if let Some(region) = found {
            return Ok(Some((table, region.name)));
        }
    }
    Ok(None)
}

/// The same for a region that must be there.
fn known_region(session: &Session, wanted: &str) -> Result<(TableName, String), ShellError> {
    let missing =
        || ShellError::Argument(format!("there is no region `{wanted}`; list_regions has their names"));
    region_of(session, wanted)?.ok_or_else(missing)
}

fn split(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let wanted = arguments.first().map(Value::text).unwrap_or_default();
    let at = arguments.get(1).filter(|point| **point != Value::Nil).map(Value::bytes);
    if let Some((table, region)) = region_of(session, &wanted).ok().flatten() {
        session.store.split_region(&table, &region, at.as_deref())?;
        return Ok(Value::Nil);
    }
    let table = Session::table(arguments.first())?;
    for region in session.store.regions(&table)? {
        match &at {
            Some(key) if !region.range.contains(key) => continue,
            _ => {}
        }
        match session.store.split_region(&table, &region.name, at.as_deref()) {
            // A table is split where it can be.
            Ok(()) => {}
            Err(StoreError::NoSplitPoint { .. }) if at.is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Value::Nil)
}

fn merge_region(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let mut names = Value::flat(arguments);
    if names.len() < 2 {
        return ShellError::argument("Must pass at least 2 regions to merge");
    }
    if names.len() > 2 && matches!(names.last(), Some(Value::Bool(_))) {
        names.pop();
    }
    let mut of_table: Option<TableName> = None;
    let mut regions = Vec::new();
    for name in names {
        let (table, region) = known_region(session, &name.text())?;
        if of_table.as_ref().is_some_and(|known| *known != table) {
            return ShellError::argument("regions of one table can be merged, and these are of several");
        }
        of_table = Some(table);
        regions.push(region);
    }
    if let Some(table) = of_table {
        session.store.merge_regions(&table, &regions)?;
    }
    Ok(Value::Nil)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_on_for_true_and_for_a_text_that_says_so() {
        let text = |text: &str| Value::Text(text.into());
        let on = [Value::Bool(true), text("true"), text("TRUE")];
        let off = [Value::Bool(false), Value::Nil, text("false"), text("off"), text("")];
        assert!(on.into_iter().all(|value| says_on(&[value])));
        assert!(!off.into_iter().any(|value| says_on(&[value])) && !says_on(&[]));
    }
}
