//! Compares a table with its file.
//!
//! The file is the one that was given, otherwise the one that is stored with the table. More regions than the file has split
//! points are how a table grows; fewer mean that some were merged, or that the table was made by other means.

use rowkey_core::Table;
use rowkey_core::escape::escape;
use rowkey_core::range::bound_key;
use rowkey_ops::create::{self, TableError};
use rowkey_store::{Store, StoreError, TableName};

use super::verdict::Verdicts;
use crate::output::counted;

pub(crate) fn examine(
    store: &dyn Store,
    argument: &str,
    file: Option<Table>,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let name: TableName = file.as_ref().map_or(argument, |table| &table.name).parse()?;
    match store.is_enabled(&name) {
        Ok(true) => verdicts.ok("table", format!("{name} is there and enabled")),
        Ok(false) => {
            let cure = format!("rowkey shell -e \"enable '{name}'\"");
            verdicts.bad("table", format!("{name} is disabled: it takes no reads and writes"), cure);
        }
        Err(error) => {
            verdicts.fault("table", &error);
            return Ok(());
        }
    }
    let stored = match file {
        Some(table) => create::as_made(store, table),
        None => create::stored(store, &name),
    };
    match stored {
        Ok(table) => agree(store, &name, &table, verdicts)?,
        Err(TableError::Foreign { table }) => {
            let seen = format!("no file is stored with {table}: rowkey did not make it");
            verdicts.warn("file", seen, "describe its rows in a table file, and name that with --file");
        }
        Err(error) => verdicts.fault("file", &error),
    }
    Ok(())
}

fn agree(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    verdicts: &mut Verdicts,
) -> Result<(), StoreError> {
    match create::open(store, table) {
        Ok(open) => {
            verdicts.ok(
                "file",
                format!("the key is {}, of order {}", table.key.source(), table.key.fingerprint()),
            );
            for index in open.indexes {
                if index.ready {
                    verdicts.ok("index", format!("{} is complete", index.name));
                } else {
                    let seen = format!("{} is not complete, so no query uses it", index.name);
                    verdicts.warn("index", seen, format!("rowkey index build {name}"));
                }
            }
        }
        Err(error) => {
            verdicts.fault("file", &error);
            return Ok(());
        }
    }
    families(store, name, table, verdicts)?;
    splits(store, name, table, verdicts)
}

fn families(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    verdicts: &mut Verdicts,
) -> Result<(), StoreError> {
    let there = store.describe(name)?.families;
    let mut differ = Vec::new();
    for family in &table.families {
        match there.iter().find(|found| found.name == family.name) {
            None => differ.push(format!("`{}` is missing", family.name)),
            Some(found) => {
                let pairs = [
                    ("versions", found.versions.to_string(), family.versions.to_string()),
                    ("min_versions", found.min_versions.to_string(), family.min_versions.to_string()),
                    ("ttl", seconds(found.ttl_seconds), seconds(family.ttl_seconds)),
                ];
                let other = pairs.into_iter().filter(|(_, found, said)| found != said);
                differ.extend(other.map(|(what, found, said)| {
                    format!("`{}` has {what} {found}, the file says {said}", family.name)
                }));
            }
        }
    }
    if differ.is_empty() {
        verdicts.ok(
            "families",
            format!(
                "{}, as the file says",
                counted(table.families.len(), "family").replace("familys", "families")
            ),
        );
    } else {
        let cure = format!("rowkey shell -e \"alter '{name}', …\", or write the file as the table is");
        verdicts.bad("families", differ.join("; "), cure);
    }
    Ok(())
}

fn seconds(ttl: Option<u32>) -> String {
    ttl.map_or("forever".to_owned(), |seconds| format!("{seconds} s"))
}

fn splits(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    verdicts: &mut Verdicts,
) -> Result<(), StoreError> {
    let regions = store.regions(name)?;
    let homeless = regions.iter().filter(|region| region.server.is_none()).count();
    if homeless > 0 && homeless < regions.len() {
        let seen = format!("{homeless} of {} are on no server", counted(regions.len(), "region"));
        verdicts.bad("regions", seen, "look again in a minute; if it stays, read the master's log");
    }
    let starts: Vec<&[u8]> = regions.iter().filter_map(|region| bound_key(&region.range.start)).collect();
    let points = table.split_points();
    let missing: Vec<&Vec<u8>> = points.iter().filter(|point| !starts.contains(&point.as_slice())).collect();
    let of =
        format!("{}, {} in the file", counted(regions.len(), "region"), counted(points.len(), "split point"));
    match missing.first() {
        None => verdicts.ok("splits", of),
        Some(first) => {
            let seen = format!("{of}, of which {} are no borders", missing.len());
            verdicts.warn("splits", seen, format!("rowkey split {name} --at '{}'", escape(first)));
        }
    }
    Ok(())
}
