//! `rowkey regions TABLE`

use std::ops::Bound;

use comfy_table::{Cell, CellAlignment};
use rowkey::escape::{escape, to_hex};
use rowkey_ops::create;
use rowkey_store::Region;
use serde_json::{Value, json};

use crate::args::Regions;
use crate::output::{Output, counted, grouped, key_json, table};
use crate::{Answer, open_store, table_argument};

pub(crate) fn run(arguments: &Regions, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let file = table_argument::file(&arguments.table)?;
    let opened = open_store::open(store)?;
    let of_table = table_argument::table(file, &arguments.table, &*opened)?;
    let open = create::open(&*opened, &of_table)?;
    let regions = opened.regions(&open.name)?;
    if output.json {
        for region in &regions {
            output.json_line(&region_json(region))?;
        }
        return Ok(Answer::Yes);
    }
    let with_servers = regions.iter().any(|region| region.server.is_some());
    let mut header = vec!["region", "start", "end", "size", "reads", "writes"];
    if with_servers {
        header.insert(1, "server");
    }
    let mut rows = table(&header);
    for region in &regions {
        let mut cells = vec![
            Cell::new(short_name(region)),
            Cell::new(bound(&region.range.start)),
            Cell::new(bound(&region.range.end)),
            number(
                region.size.map_or_else(|| "?".to_owned(), |size| indicatif::BinaryBytes(size).to_string()),
            ),
            number(grouped(region.reads)),
            number(grouped(region.writes)),
        ];
        if with_servers {
            cells.insert(1, Cell::new(region.server.as_deref().unwrap_or("none")));
        }
        rows.add_row(cells);
    }
    output.text(&rows.to_string())?;
    output.note(&counted(regions.len(), "region"));
    Ok(Answer::Yes)
}

fn number(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn bound(bound: &Bound<Vec<u8>>) -> String {
    match bound {
        Bound::Unbounded => String::new(),
        Bound::Included(key) | Bound::Excluded(key) => escape(key).to_string(),
    }
}

/// The encoded part of `table,start,id.encoded.`: what HBase's logs call the region.
fn short_name(region: &Region) -> &str {
    region.name.trim_end_matches('.').rsplit('.').next().unwrap_or(&region.name)
}

fn region_json(region: &Region) -> Value {
    let key = |bound: &Bound<Vec<u8>>| match bound {
        Bound::Unbounded => Value::Null,
        Bound::Included(key) | Bound::Excluded(key) => key_json(&to_hex(key), &escape(key).to_string()),
    };
    json!({
        "name": region.name,
        "start": key(&region.range.start),
        "end": key(&region.range.end),
        "server": region.server,
        "size": region.size,
        "reads": region.reads,
        "writes": region.writes,
    })
}
