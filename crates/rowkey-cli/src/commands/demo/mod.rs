//! `rowkey demo [SET]`
//!
//! With a set: its data and table file, and what to type next. Without: the [`tour`].

mod logs;
mod orders;
mod tour;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;

use crate::Answer;
use crate::args::{Demo, DemoSet};
use crate::output::{Output, grouped};
use crate::table_argument::write_file;

pub(crate) fn run(arguments: &Demo, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let Some(set) = arguments.set else {
        return tour::run(arguments, store, output);
    };
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    let made = Made::write(set, &folder, arguments)?;
    let (data, table) = (shown(&made.data), shown(&made.table));
    let text = format!(
        "made {data}: {} {}, and {table}: a table for them with the key {}\n\
         next: rowkey check {table} --data {data}",
        grouped(made.rows.into()),
        set.name(),
        made.key,
    );
    output.line(&text, || json!({ "data": data, "table": table, "rows": made.rows, "key": made.key }))?;
    Ok(Answer::Yes)
}

/// The data and table file of a set.
struct Made {
    data: PathBuf,
    table: PathBuf,
    rows: u32,
    key: String,
}

impl Made {
    fn write(set: DemoSet, folder: &Path, arguments: &Demo) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not create the folder {}", folder.display()))?;
        let (rows, force) = (arguments.rows, arguments.force);
        let data = folder.join(format!("{}.csv", set.name()));
        let table = folder.join(format!("{}.toml", set.name()));
        let text = match set {
            DemoSet::Orders => include_str!("../../../demo/orders.toml"),
            DemoSet::Logs => include_str!("../../../demo/logs.toml"),
        };
        let key = rowkey_core::Table::parse(&table.display().to_string(), text)?.key.source().to_owned();
        write_file(&table, force, &[], |out| out.write_all(text.as_bytes()))?;
        write_file(&data, force, &[], |mut out| match set {
            DemoSet::Orders => orders::write(&mut out, rows, arguments.seed),
            DemoSet::Logs => logs::write(&mut out, rows, arguments.seed),
        })?;
        Ok(Self { data, table, rows, key })
    }
}

/// A path as a person would type it.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}
