//! `rowkey load TABLE DATA`

use std::path::Path;

use anyhow::Context;
use rowkey_ops::create;
use rowkey_ops::input::InputError;
use rowkey_ops::load::{self, Data, LoadError, LoadOptions};
use serde_json::json;

use crate::args::Load;
use crate::output::{Bar, Output, counted_rows, grouped};
use crate::{Answer, open_store, table_argument};

pub(crate) fn run(arguments: &Load, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let file = table_argument::file(&arguments.table)?;
    let opened = open_store::open(store)?;
    let table = table_argument::table(file, &arguments.table, &*opened)?;
    let open = create::open(&*opened, &table)?;
    let data = match arguments.data.as_path() {
        path if path == Path::new("-") => Data::StandardInput,
        path => Data::File(path.to_owned()),
    };
    let options = LoadOptions {
        store_name: open_store::name(store),
        restart: arguments.restart,
        format: arguments.format.map(Into::into),
    };

    let bar = Bar::new(&arguments.data);
    let loaded =
        load::run(&*opened, &table, &open, &data, &options, &mut |progress| bar.show(progress.position));
    bar.clear();
    let report = match loaded {
        Ok(report) => report,
        Err(error @ LoadError::Input(InputError::Line { .. } | InputError::Row { .. }))
            if matches!(data, Data::File(_)) =>
        {
            return Err(error).with_context(|| resume_hint(arguments, store, bar.rows()));
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(at) = report.resumed_at {
        let note =
            format!("resumed at line {}, {} were loaded before", grouped(at.line), counted_rows(at.rows));
        output.note(&note);
    }
    let text = format!("loaded {} into {}", counted_rows(report.rows), table.name);
    output.line(&text, || {
        let resumed = report.resumed_at.map(|at| at.line);
        json!({ "table": table.name, "rows": report.rows, "resumed_at_line": resumed })
    })?;
    Ok(Answer::Yes)
}

/// The load can go on once the line is mended: the rows before it are in the table, and the checkpoint knows.
fn resume_hint(arguments: &Load, store: &str, rows: u64) -> String {
    format!(
        "the load stopped at a bad line; {} before it are in the table. Mend the line, then go on with: \
         rowkey --store {store} load {} {}",
        counted_rows(rows),
        arguments.table,
        arguments.data.display()
    )
}
