//! `rowkey load TABLE DATA`

use std::path::Path;

use rowkey_ops::create;
use rowkey_ops::input::InputError;
use rowkey_ops::load::{self, Data, LoadError, LoadOptions};
use serde_json::json;

use crate::args::Load;
use crate::output::{Bar, Output, counted, counted_rows, grouped};
use crate::public::Publicly;
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
        restart: arguments.restart,
        format: arguments.format.map(Into::into),
        max_record: arguments.limit.bytes(),
        skip_bad: arguments.skip_bad.clone(),
        inputs: vec![arguments.table.clone().into()],
        seed: arguments.seed,
        ..LoadOptions::new(open_store::name(store))
    };

    let bar = Bar::new(&arguments.data);
    let loaded =
        load::run(&*opened, &table, &open, &data, &options, &mut |progress| bar.show(progress.position));
    bar.clear();
    let report = match loaded {
        Ok(report) => report,
        Err(LoadError::Input(error)) if error.is_of_one_record() && matches!(data, Data::File(_)) => {
            let hint = resume_hint(arguments, store, &error, bar.rows());
            return Err(error).publicly(|| hint);
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(at) = report.resumed_at {
        let note =
            format!("resumed at line {}, {} were loaded before", grouped(at.line), counted_rows(at.rows));
        output.note(&note);
    }
    if let Some(reason) = report.begun_anew {
        output.note(&format!("began anew: {reason}"));
    }
    if let (Some(file), 1..) = (&arguments.skip_bad, report.skipped) {
        let left_out = counted(usize::try_from(report.skipped).unwrap_or(usize::MAX), "bad record");
        output.note(&format!("{left_out} left out, see {}", file.display()));
    }
    let text = format!("loaded {} into {}", counted_rows(report.rows), table.name);
    output.line(&text, || {
        json!({
            "table": table.name,
            "rows": report.rows,
            "skipped": report.skipped,
            "resumed_at_line": report.resumed_at.map(|at| at.line),
            "begun_anew": report.begun_anew.map(|reason| reason.to_string()),
            "in_bulk": report.in_bulk,
        })
    })?;
    Ok(Answer::Yes)
}

/// The load can go on once the record is mended: the rows before it are in the table, and the checkpoint knows.
fn resume_hint(arguments: &Load, store: &str, error: &InputError, rows: u64) -> String {
    let (place, mend) = match error {
        InputError::Row { .. } => ("row", "Write a file without it"),
        _ => ("line", "Mend the line"),
    };
    format!(
        "the load stopped at a bad {place}; {} before it are in the table. {mend}, or leave bad records out with \
         --skip-bad FILE, then go on with: rowkey --store {store} load {} {}",
        counted_rows(rows),
        arguments.table,
        arguments.data.display()
    )
}
