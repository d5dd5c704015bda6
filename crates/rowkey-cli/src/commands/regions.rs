//! `rowkey regions TABLE`

mod ranges;

use std::ops::Bound;

use indicatif::BinaryBytes;
use rowkey_core::Table;
use rowkey_core::disclosure::Disclosure;
use rowkey_core::range::bound_key;
use rowkey_store::Region;
use serde_json::{Value, json};

use crate::Answer;
use crate::args::Regions;
use crate::key_text::KeyText;
use crate::output::{
    Cell, Column, Output, Rows, cell, counted, grouped, key_or_length, key_start_json, number,
};
use crate::table_argument::AnyTable;

pub(crate) fn run(arguments: &Regions, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    output.csv(arguments.csv)?;
    let AnyTable { store, name, table: file, .. } = AnyTable::open(&arguments.of, store)?;
    let regions = store.regions(&name)?;
    let (file, text) = (file.as_ref(), output.key_text(arguments.hex));
    if arguments.ranges {
        ranges::print(&regions, file, arguments, output)?;
        return Ok(Answer::Yes);
    }
    print(&regions, file, text, output)?;
    output.note(&counted(regions.len(), "region"));
    Ok(Answer::Yes)
}

fn print(regions: &[Region], file: Option<&Table>, text: KeyText, output: &mut Output) -> anyhow::Result<()> {
    let mut rows = Rows::new([
        "region".into(),
        Column::optional("server"),
        "start".into(),
        Column::only_csv("start_fields"),
        "end".into(),
        Column::only_csv("end_fields"),
        "size".into(),
        Column::optional("locality").in_csv("locality_percent"),
        "reads".into(),
        "writes".into(),
    ]);
    let shown = output.shown;
    for region in regions {
        output.object(|| region_json(region, file, shown))?;
        let key = |bound: &Bound<Vec<u8>>| {
            let key = bound_key(bound).map(|key| text.show(key));
            let fields =
                bound_key(bound).and_then(|key| Some(fields_text(file?, key, shown))).unwrap_or_default();
            let lines = key.clone().into_iter().chain(Some(fields.clone()).filter(|own| !own.is_empty()));
            [Cell::lines(lines).exact_if(key), cell(fields)]
        };
        let locality = region.locality_percent.map_or_else(|| "?".to_owned(), |share| format!("{share} %"));
        let ([start, start_fields], [end, end_fields]) = (key(&region.range.start), key(&region.range.end));
        rows.add([
            cell(region.encoded_name()).exact(region_name(region, shown)),
            cell(region.server.as_deref().unwrap_or("none")).exact_if(region.server.as_deref()),
            start,
            start_fields,
            end,
            end_fields,
            size_of(region),
            number(locality).exact_if(region.locality_percent),
            number(grouped(region.reads)).exact(region.reads),
            number(grouped(region.writes)).exact(region.writes),
        ]);
    }
    Ok(output.rows(&rows)?)
}

/// What the files of a region take.
pub(super) fn size_of(region: &Region) -> Cell {
    let shown = region.size.map_or_else(|| "?".to_owned(), |size| BinaryBytes(size).to_string());
    number(shown).exact_if(region.size)
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
        let Some(key) = bound_key(bound) else { return Value::Null };
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
