//! `rowkey load TABLE DATA`

use std::path::Path;

use rowkey_ops::create;
use rowkey_ops::input::InputError;
use rowkey_ops::load::{self, Data, LoadError, LoadOptions, LoadProgress};
use serde_json::json;

use super::remember;
use crate::args::{Load, quoted};
use crate::output::{Bar, Output, counted, counted_rows, grouped, tell};
use crate::public::{Publicly, public};
use crate::table_argument::LiveTable;
use crate::{Answer, input_argument, interrupt, open_store};

pub(crate) fn run(arguments: &Load, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let LiveTable { store: opened, name, table, own } = LiveTable::open(&arguments.of, store)?;
    let open = match own {
        Some(open) => open,
        None => {
            let open = create::open_foreign(&*opened, &table)?;
            if let Some(file) = &arguments.of.file {
                // Nothing else tells that these keys are the table's; a file that is remembered was looked at then.
                remember::refuse_other_rows(&*opened, &name, (&table, file))?;
            }
            open
        }
    };
    let (data, bytes) = match &arguments.data[..] {
        [path] if path == Path::new("-") => (Data::StandardInput, None),
        // What can be refused without a look, as a pipe with a name, is for the load to refuse.
        [path] if !path.is_file() && path.exists() && !path.is_dir() => (Data::File(path.clone()), None),
        paths => {
            let input = input_argument::data(paths, &arguments.reading)?;
            let data = match &input.files()[..] {
                [path] => Data::File(path.clone()),
                several => Data::Files(several.to_vec()),
            };
            (data, input.bytes())
        }
    };
    let options = LoadOptions {
        restart: arguments.restart,
        asked: arguments.reading.asked(),
        said: Some(|said| tell(&format!("{said}\n"))),
        skip_bad: arguments.skip_bad.clone(),
        inputs: std::iter::once(arguments.of.table.clone().into()).chain(arguments.of.file.clone()).collect(),
        seed: arguments.seed,
        cancel: interrupt::cancels(),
        ..LoadOptions::new(open_store::name(store))
    };

    let (loaded, shown) = Bar::during(bytes, |bar| {
        let mut watch = |progress: LoadProgress| match progress.resumed {
            true => bar.begin_at(progress.position),
            false => bar.show(progress.position),
        };
        (load::run(&*opened, &table, &open, &data, &options, &mut watch), bar.rows())
    });
    let report = match loaded {
        Ok(report) => report,
        Err(LoadError::Input(error)) if error.is_of_one_record() && data != Data::StandardInput => {
            let hint = resume_hint(arguments, store, &error, shown);
            return Err(error).publicly(|| hint);
        }
        Err(LoadError::Interrupted { rows }) => {
            return Err(public(interrupted(arguments, store, rows, &data)));
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
        let left_out = counted(report.skipped, "bad record");
        output.note(&format!("{left_out} left out, see {}", file.display()));
    }
    let mut text = format!("loaded {} into {}", counted_rows(report.rows), table.name);
    match (report.replaced, report.repeated) {
        (Some(replaced @ 1..), _) => {
            text.push_str(&format!("; {} of them replaced a row with the same key", grouped(replaced)));
        }
        (None, Some(repeated @ 1..)) => text.push_str(&format!(
            "; {} of them replaced an earlier record with the same key, and rows of the table that others replaced are not \
             counted",
            grouped(repeated)
        )),
        _ => {}
    }
    output.line(&text, || {
        json!({
            "table": table.name,
            "rows": report.rows,
            "replaced": report.replaced,
            "repeated": report.repeated,
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
        InputError::Row { .. } => ("row", "Write a file without it and load that with --restart"),
        InputError::Object { .. } => ("object", "Write a file without it and load that with --restart"),
        _ => ("line", "Mend the line"),
    };
    format!(
        "the load stopped at a bad {place}; {} before it are in the table. {mend}, or leave bad records out with \
         --skip-bad FILE, then go on with: {}",
        counted_rows(rows),
        again(arguments, store)
    )
}

fn interrupted(arguments: &Load, store: &str, rows: u64, data: &Data) -> String {
    let what = match rows {
        0 => "nothing was loaded".to_owned(),
        rows => format!("{} of the data are in the table", counted_rows(rows)),
    };
    match data {
        Data::File(_) | Data::Files(_) => {
            format!("the load was interrupted; {what}. Go on with: {}", again(arguments, store))
        }
        Data::StandardInput => {
            format!(
                "the load was interrupted; {what}. Load all of the data again: what is there is written again"
            )
        }
    }
}

/// The command that goes on.
fn again(arguments: &Load, store: &str) -> String {
    let path = |path: &Path| quoted(&path.display().to_string());
    let mut command = format!("rowkey --store {} load {}", quoted(store), quoted(&arguments.of.table));
    arguments.data.iter().for_each(|data| command.push_str(&format!(" {}", path(data))));
    if let Some(file) = &arguments.of.file {
        command.push_str(&format!(" --file {}", path(file)));
    }
    command.push_str(&arguments.reading.words());
    if let Some(file) = &arguments.skip_bad {
        command.push_str(&format!(" --skip-bad {}", path(file)));
    }
    if let Some(seed) = arguments.seed {
        command.push_str(&format!(" --seed {seed}"));
    }
    command
}
