//! Commands about regions and files.

use std::ops::Bound;

use rowkey_core::escape::escape;
use rowkey_store::{Region, StoreError, TableName};

use super::{Command, explain};
use crate::error::ShellError;
use crate::language::Value;
use crate::options::Options;
use crate::screen::Screen;
use crate::session::Session;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "compact",
        least: 1,
        most: Some(3),
        summary: "Does nothing here: both stores compact by themselves. major_compact rewrites a table.",
        examples: &["compact 't1'"],
        run: |session, arguments, _| {
            session.store.describe(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        },
    },
    Command {
        name: "explain",
        least: 2,
        most: Some(3),
        summary: "Says what a scan would read, without reading it. Not in HBase's shell.",
        examples: &["explain scan 't1', {STARTROW => 'a', STOPROW => 'b'}"],
        run: explain::run,
    },
    Command {
        name: "flush",
        least: 1,
        most: Some(2),
        summary: "Writes what waits in memory to files.",
        examples: &["flush 't1'"],
        run: |session, arguments, _| {
            session.store.flush(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        },
    },
    Command {
        name: "get_splits",
        least: 1,
        most: Some(1),
        summary: "Prints where a table is cut.",
        examples: &["get_splits 't1'"],
        run: get_splits,
    },
    Command {
        name: "list_regions",
        least: 1,
        most: Some(3),
        summary: "Prints a table's regions with their servers, sizes and requests; all columns or some.",
        examples: &[
            "list_regions 't1'",
            "list_regions 't1', 'server1'",
            "list_regions 't1', nil, ['START_KEY', 'END_KEY', 'REQ']",
        ],
        run: list_regions,
    },
    Command {
        name: "locate_region",
        least: 2,
        most: Some(2),
        summary: "Says in which region a row lies.",
        examples: &["locate_region 't1', 'row1'"],
        run: locate_region,
    },
    Command {
        name: "major_compact",
        least: 1,
        most: Some(3),
        summary: "Removes what no read can see from a table's files.",
        examples: &["major_compact 't1'"],
        run: |session, arguments, _| {
            session.store.major_compact(&Session::table(arguments.first())?)?;
            Ok(Value::Nil)
        },
    },
    Command {
        name: "merge_region",
        least: 0,
        most: None,
        summary: "Makes one region of neighbours, given by their names or the 32 digits in them.",
        examples: &["merge_region 'REGION_1', 'REGION_2'"],
        run: merge_region,
    },
    Command {
        name: "split",
        least: 1,
        most: Some(2),
        summary: "Cuts a region, or every region of a table, in the middle or at a key.",
        examples: &["split 't1'", "split 't1', 'row5'"],
        run: split,
    },
];

/// The key of a region's border; empty where it has none.
fn key_of(border: &Bound<Vec<u8>>) -> &[u8] {
    match border {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => &[],
    }
}

fn start(region: &Region) -> String {
    escape(key_of(&region.range.start)).to_string()
}

fn end(region: &Region) -> String {
    escape(key_of(&region.range.end)).to_string()
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
        let wanted = name.text();
        let Some((table, region)) = region_of(session, &wanted)? else {
            return ShellError::argument(format!(
                "there is no region `{wanted}`; list_regions has their names"
            ));
        };
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
