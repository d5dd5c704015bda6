//! `rowkey split TABLE --at KEY`
//!
//! Everything is looked at before anything is cut: a key outside, twice, or where a region starts already is refused.

use std::ops::Bound;

use anyhow::{Context, bail};
use rowkey_store::{Region, Store, TableName};
use serde_json::json;

use crate::Answer;
use crate::args::{Cut, OfTable};
use crate::key_text::KeyText;
use crate::output::{Output, counted};
use crate::table_argument::AnyTable;

pub(crate) fn run(arguments: &Cut, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let text = KeyText::new(arguments.hex);
    let mut keys: Vec<Vec<u8>> =
        arguments.at.iter().map(|key| text.read_row(key)).collect::<Result<_, _>>()?;
    keys.sort();
    if let Some(twice) = keys.iter().zip(keys.iter().skip(1)).find_map(|(a, b)| (a == b).then_some(a)) {
        bail!("--at {} is given twice", text.show(twice));
    }
    let table = arguments.table.clone().context("which table? `rowkey split --help` shows how to name it")?;
    let of = OfTable { table, file: arguments.file.clone() };
    let AnyTable { store, name, .. } = AnyTable::open(&of, store)?;
    let regions = store.regions(&name)?;
    let mut cuts: Vec<(&Region, Option<&[u8]>)> = Vec::new();
    for key in &keys {
        let region = holding(&regions, key)?;
        if starts_at(region, key) {
            bail!("a region of {name} starts at {} already; choose a key inside a region", text.show(key));
        }
        cuts.push((region, Some(key)));
    }
    for wanted in &arguments.region {
        cuts.push((named(&regions, wanted, &name)?, None));
    }

    let done = if arguments.dry_run { "would cut" } else { "cut" };
    for (region, at) in &cuts {
        if !arguments.dry_run {
            cut(&*store, &name, region, *at)?;
        }
        let place =
            at.map_or_else(|| "in the middle of its rows".to_owned(), |at| format!("at {}", text.show(at)));
        let line = format!("{done} region {} {place}", region.encoded_name());
        output.line(&line, || {
            json!({ "table": name.to_string(), "region": region.name, "at": at.map(|at| text.show(at)),
                    "split": !arguments.dry_run })
        })?;
    }
    let regions = store.regions(&name)?.len();
    output.note(&format!("{name} has {}", counted(regions, "region")));
    Ok(Answer::Yes)
}

/// Cuts the region, or what an earlier cut of this command has left of it around the key.
pub(crate) fn cut(
    store: &dyn Store,
    name: &TableName,
    region: &Region,
    at: Option<&[u8]>,
) -> anyhow::Result<()> {
    let now = match at {
        Some(at) => holding(&store.regions(name)?, at)?.name.clone(),
        None => region.name.clone(),
    };
    Ok(store.split_region(name, &now, at)?)
}

pub(crate) fn holding<'r>(regions: &'r [Region], key: &[u8]) -> anyhow::Result<&'r Region> {
    match regions.iter().find(|region| region.range.contains(key)) {
        Some(region) => Ok(region),
        None => bail!("no region holds the key; the regions are changing, try again"),
    }
}

pub(crate) fn starts_at(region: &Region, key: &[u8]) -> bool {
    matches!(&region.range.start, Bound::Included(start) if start == key)
}

/// The region of this name: the whole one, or the part that `regions` shows.
pub(crate) fn named<'r>(
    regions: &'r [Region],
    wanted: &str,
    table: &TableName,
) -> anyhow::Result<&'r Region> {
    match regions.iter().find(|region| region.name == wanted || region.encoded_name() == wanted) {
        Some(region) => Ok(region),
        None => bail!("table {table} has no region {wanted}; `rowkey regions {table}` lists them"),
    }
}
