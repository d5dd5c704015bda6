//! `rowkey remember`

use std::path::Path;

use anyhow::Context;
use rowkey_core::Table;
use rowkey_core::range::KeyRange;
use rowkey_ops::create::{self, TableError};
use rowkey_ops::output_file::{self, Existing, Readers};
use rowkey_ops::record;
use rowkey_store::{RowBatch, Scan, Store, TableName};
use serde_json::json;

use crate::args::Remember;
use crate::output::{Output, counted};
use crate::public::{Publicly, public};
use crate::table_argument::{self, with_nearest};
use crate::{Answer, open_store, settings};

/// So many rows are looked at before a file is kept.
const LOOKED_AT: usize = 1000;

pub(crate) fn run(arguments: &Remember, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if settings::are_ignored() {
        return Err(public("--no-config leaves kept table files alone; leave it out with remember"));
    }
    let name: TableName = arguments.table.parse()?;
    let file = arguments.file.as_deref().map(|path| anyhow::Ok((path, table_argument::read_file(path)?)));
    let file = file.transpose()?;
    let opened = open_store::open(store)?;
    let place = settings::table_file(store, &*opened, &name)?;
    let Some((path, table)) = file else { return forget(&name, &place, output) };
    match create::stored(&*opened, &name) {
        Err(TableError::Foreign { .. }) => {}
        Err(error) => return Err(with_nearest(error, &arguments.table, &*opened)),
        Ok(_) => {
            return Err(public(format!(
                "rowkey made table {name}, and its table file is stored with it; `rowkey alter FILE` changes that"
            )));
        }
    }
    let table = Table { name: arguments.table.clone(), ..table };
    let (rows, wrong) = look(&*opened, &name, &table)?;
    if let (Some(error), false) = (wrong, arguments.force) {
        let told = format!(
            "the rows of table {name} are not what {} says; mend the file, or keep it as it is with --force",
            path.display()
        );
        return Err(error).publicly(|| told);
    }
    let text =
        std::fs::read(path).publicly(|| format!("could not read the table file {}", path.display()))?;
    settings::make_folder(&place)?;
    // The copy is rowkey's own, wherever it came from.
    output_file::write_for(Readers::Owner, &place, Existing::Replace, &[path], |out| out.write_all(&text))?;
    let told = format!(
        "remembered {} for table {name}, {} looked at; rowkey remember {name} --forget goes back",
        path.display(),
        counted(rows, "row")
    );
    output.line(&told, || {
        json!({ "table": name.to_string(), "file": path.display().to_string(), "kept": place.display().to_string(), "rows": rows })
    })?;
    Ok(Answer::Yes)
}

/// How many rows were looked at, and what is wrong with the first that the file does not describe.
fn look(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
) -> anyhow::Result<(usize, Option<record::RowError>)> {
    let mut scanner = store.scan(name, &Scan { limit: Some(LOOKED_AT), ..Scan::new(KeyRange::all()) })?;
    let (mut batch, mut rows) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch)? {
        for row in batch.rows() {
            rows += 1;
            if let Err(error) = record::read(table, row) {
                return Ok((rows, Some(error)));
            }
        }
    }
    Ok((rows, None))
}

fn forget(name: &TableName, place: &Path, output: &mut Output) -> anyhow::Result<Answer> {
    let is_there = place.is_file();
    if is_there {
        std::fs::remove_file(place).with_context(|| format!("could not remove {}", place.display()))?;
    }
    let told = if is_there {
        format!("removed {}: table {name} is read with --file again", place.display())
    } else {
        format!("no table file was kept for {name}")
    };
    output.line(&told, || json!({ "table": name.to_string(), "forgotten": is_there }))?;
    Ok(if is_there { Answer::Yes } else { Answer::No })
}
