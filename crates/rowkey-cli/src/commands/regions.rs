//! `rowkey regions TABLE`

mod ranges;

use std::ops::Bound;

use anyhow::bail;
use comfy_table::{Cell, CellAlignment};
use rowkey_core::Table;
use rowkey_core::disclosure::Disclosure;
use rowkey_store::Region;
use serde_json::{Value, json};

use crate::Answer;
use crate::args::Regions;
use crate::key_text::KeyText;
use crate::output::{
    Output, counted, csv_line, grouped, key_or_length, key_start_json, lines_cell, table, text_cell,
};
use crate::table_argument::AnyTable;

pub(crate) fn run(arguments: &Regions, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if arguments.csv && output.json {
        bail!("choose either --csv or --json");
    }
    let AnyTable { store, name, table: file, .. } = AnyTable::open(&arguments.of, store)?;
    let regions = store.regions(&name)?;
    let (file, text) = (file.as_ref(), output.key_text(arguments.hex));
    if arguments.ranges {
        ranges::print(&regions, file, arguments, output)?;
        return Ok(Answer::Yes);
    }
    if output.json {
        for region in &regions {
            output.json_line(&region_json(region, file, output.shown))?;
        }
    } else if arguments.csv {
        print_csv(&regions, file, text, output)?;
    } else {
        print_table(&regions, file, text, output)?;
    }
    output.note(&counted(regions.len(), "region"));
    Ok(Answer::Yes)
}

fn print_table(
    regions: &[Region],
    file: Option<&Table>,
    text: KeyText,
    output: &mut Output,
) -> anyhow::Result<()> {
    let with_servers = regions.iter().any(|region| region.server.is_some());
    let with_locality = regions.iter().any(|region| region.locality_percent.is_some());
    let mut header = vec!["region", "start", "end", "size", "reads", "writes"];
    if with_locality {
        header.insert(4, "locality");
    }
    if with_servers {
        header.insert(1, "server");
    }
    let mut rows = table(&header);
    for region in regions {
        let size =
            region.size.map_or_else(|| "?".to_owned(), |size| indicatif::BinaryBytes(size).to_string());
        let mut cells = vec![
            text_cell(region.encoded_name()),
            lines_cell(bound(&region.range.start, file, text, output.shown)),
            lines_cell(bound(&region.range.end, file, text, output.shown)),
            number(size),
            number(grouped(region.reads)),
            number(grouped(region.writes)),
        ];
        if with_locality {
            let percent =
                region.locality_percent.map_or_else(|| "?".to_owned(), |share| format!("{share} %"));
            cells.insert(4, number(percent));
        }
        if with_servers {
            cells.insert(1, text_cell(region.server.as_deref().unwrap_or("none")));
        }
        rows.add_row(cells);
    }
    Ok(output.text(&rows.to_string())?)
}

fn print_csv(
    regions: &[Region],
    file: Option<&Table>,
    text: KeyText,
    output: &mut Output,
) -> anyhow::Result<()> {
    let header =
        "region,server,start,start_fields,end,end_fields,size,locality_percent,reads,writes".split(',');
    output.text(&csv_line(header))?;
    for region in regions {
        let key = |bound: &Bound<Vec<u8>>| key_of(bound).map_or(String::new(), |key| text.show(key));
        let fields = |bound: &Bound<Vec<u8>>| {
            key_of(bound).and_then(|key| Some(fields_text(file?, key, output.shown))).unwrap_or_default()
        };
        let optional = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        let (start, end) = (&region.range.start, &region.range.end);
        let line = csv_line([
            region_name(region, output.shown).to_owned(),
            region.server.clone().unwrap_or_default(),
            key(start),
            fields(start),
            key(end),
            fields(end),
            optional(region.size),
            optional(region.locality_percent.map(u64::from)),
            region.reads.to_string(),
            region.writes.to_string(),
        ]);
        output.text(&line)?;
    }
    Ok(())
}

fn number(text: String) -> Cell {
    text_cell(text).set_alignment(CellAlignment::Right)
}

fn key_of(bound: &Bound<Vec<u8>>) -> Option<&[u8]> {
    match bound {
        Bound::Unbounded => None,
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
    }
}

/// The key, and below it what it says.
fn bound(bound: &Bound<Vec<u8>>, file: Option<&Table>, text: KeyText, shown: Disclosure) -> Vec<String> {
    let Some(key) = key_of(bound) else { return Vec::new() };
    let fields = file.map(|file| fields_text(file, key, shown)).filter(|fields| !fields.is_empty());
    std::iter::once(text.show(key)).chain(fields).collect()
}

/// `salt(16, user_id)=7 user_id=5 …`, as far as the key goes.
fn fields_text(file: &Table, key: &[u8], shown: Disclosure) -> String {
    shown.start(&file.key, key)
}

/// The region's name. The whole one has its start key in it.
fn region_name(region: &Region, shown: Disclosure) -> &str {
    if shown.hides() { region.encoded_name() } else { &region.name }
}

fn region_json(region: &Region, file: Option<&Table>, shown: Disclosure) -> Value {
    let key = |bound: &Bound<Vec<u8>>| {
        let Some(key) = key_of(bound) else { return Value::Null };
        match file {
            Some(file) => key_start_json(&file.key, key, shown).into(),
            None => key_or_length(key, shown),
        }
    };
    json!({
        "name": region_name(region, shown),
        "start": key(&region.range.start),
        "end": key(&region.range.end),
        "server": region.server,
        "size": region.size,
        "locality_percent": region.locality_percent,
        "reads": region.reads,
        "writes": region.writes,
    })
}
