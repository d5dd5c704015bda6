//! `rowkey export TABLE [QUERY] --out FILE`

use std::path::Path;

use anyhow::bail;
use rowkey_core::FieldId;
use rowkey_ops::export::{self, ExportError, ExportFormat, ExportOptions, Folder, InFolder, Progress};
use rowkey_ops::index::tables;
use rowkey_ops::input::Compression;
use rowkey_ops::output_file::{self, Existing};
use rowkey_ops::query::QueryError;
use serde_json::json;

use crate::args::{Export, OutputFormat, QueryArguments};
use crate::output::{Output, Spinner, counted, counted_rows, is_terminal, selected};
use crate::public::public;
use crate::table_argument::{LiveTable, replacing, with_force};
use crate::{Answer, interrupt, planned, settings};

pub(crate) fn run(arguments: &Export, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let (format, compression) = form(arguments)?;
    let to_stream = arguments.out == Path::new("-");
    let existing = replacing(arguments.force, Existing::Refuse);
    let files = [Path::new(&arguments.of.table), arguments.of.file.as_deref().unwrap_or(Path::new(""))];
    match (to_stream, arguments.per_region) {
        (true, true) => return Err(public("--per-region writes to a folder; name one with --out FOLDER")),
        (true, false) if output.chosen().is_some() => {
            bail!("rows and the answer of --json would both go to standard output; name a file")
        }
        (true, false)
            if is_terminal() && (format == ExportFormat::Parquet || compression != Compression::None) =>
        {
            bail!("this is nothing to read on a terminal; name a file with --out FILE")
        }
        // Before an hour of work.
        (false, false) => with_force(output_file::check(&arguments.out, existing, &files))?,
        _ => {}
    }
    let live = LiveTable::open(&arguments.of, store)?;
    let prices = settings::prices(store, Some(&*live.store))?.prices;
    let table = tables::readable(live.table, live.own.as_ref());
    let mut fields = selected(&table, &arguments.columns)?;
    let query = planned::parse(&arguments.asked, &table)?;
    // A whole table is what an export is for; a condition that no key helps with may be a mistake.
    let is_everything = query.condition.is_true();
    let asked =
        QueryArguments { full_scan: arguments.asked.full_scan || is_everything, ..arguments.asked.clone() };
    // What is divided by regions is read by the table itself, today and when it goes on.
    let by = arguments.per_region.then(|| table.name.clone());
    let choice = planned::choose(&query, &asked, &table, fields.clone(), (by, prices))?;
    if !is_everything {
        planned::begin(&query, &table, output);
    }
    if fields.is_empty() {
        fields = table.key.fields().iter().map(|(id, _)| id).collect::<Vec<FieldId>>();
    }
    let options = ExportOptions {
        compression,
        in_order: !query.order_by.is_empty(),
        skip_undecodable: arguments.skip_undecodable,
        empty_cells: arguments.empty_cells,
        cancel: interrupt::cancels(),
        ..ExportOptions::new(format, fields)
    };
    // Rows and a spinner would share a line of the terminal.
    let spinner = (!to_stream).then(|| Spinner::new("exporting"));
    let tell = |Progress { rows, regions, of, .. }: Progress| match (&spinner, of) {
        (None, _) => {}
        (Some(spinner), 0 | 1) => spinner.show(rows),
        (Some(spinner), _) => {
            spinner.tell(&format!("{}, {regions} of {}", counted_rows(rows), counted(of, "region")));
        }
    };
    let export = export::Export::new(&*live.store, &live.name, (&table, &choice.plan), &options, &tell)?;
    let command = arguments.words(store);
    if arguments.per_region {
        let id = live.own.as_ref().map_or("", |own| &own.id);
        let folder = Folder { path: &arguments.out, command: &command, table: id, anew: arguments.force };
        let whole = std::sync::Mutex::new((0, 0));
        let seen = |done: usize, of: usize| {
            let mut whole = whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *whole = (whole.0.max(done), of);
        };
        let exported = export.to_folder(folder, &seen);
        spinner.iter().for_each(Spinner::clear);
        let (done, of) = whole.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let exported = exported.map_err(|error| {
            interrupted(error, || {
                format!(
                    "the export was interrupted; {done} of {} are whole. Go on with: {command}",
                    counted(of, "file")
                )
            })
        })?;
        return told_of_folder(arguments, &live.name.to_string(), exported, output);
    }
    let exported = match to_stream {
        true => export.to_writer(output.screen()),
        false => export.to_file(&arguments.out, existing, &files),
    };
    spinner.iter().for_each(Spinner::clear);
    let exported = exported.map_err(|error| {
        interrupted(error, || match to_stream {
            true => "the export was interrupted; what was printed is not all of it".to_owned(),
            false => format!(
                "the export was interrupted; {} was not written. Begin anew with: {command}",
                arguments.out.display()
            ),
        })
    });
    let Progress { rows, undecodable, .. } = exported?;
    let left_out = left_out(undecodable);
    if to_stream {
        output.note(&format!("{}{left_out}", counted_rows(rows)));
        return Ok(Answer::Yes);
    }
    let file = arguments.out.display().to_string();
    let text = format!("exported {} of {} to {file}{left_out}", counted_rows(rows), live.name);
    output.line(
        &text,
        || json!({ "table": live.name.to_string(), "rows": rows, "undecodable": undecodable, "file": file }),
    )?;
    Ok(Answer::Yes)
}

fn told_of_folder(
    arguments: &Export,
    table: &str,
    exported: InFolder,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let InFolder { progress: Progress { rows, undecodable, .. }, written, kept } = exported;
    let folder = arguments.out.display().to_string();
    let text = match (written, kept) {
        (0, 1..) => format!(
            "{table} is exported already: {} in {folder}; --force exports it anew",
            counted(kept, "file")
        ),
        _ => {
            let before = if kept == 0 {
                String::new()
            } else {
                format!("; {} were there already", counted(kept, "file"))
            };
            let (rows, files) = (counted_rows(rows), counted(written, "file"));
            format!("exported {rows} of {table} to {files} in {folder}{before}{}", left_out(undecodable))
        }
    };
    output.line(&text, || {
        json!({
            "table": table, "rows": rows, "undecodable": undecodable, "folder": folder, "written": written, "kept": kept,
        })
    })?;
    Ok(Answer::Yes)
}

fn left_out(undecodable: u64) -> String {
    match undecodable {
        0 => String::new(),
        rows => format!(", {} left out that do not decode", counted_rows(rows)),
    }
}

/// An error of an export with its remedy; a cancelled one says `words`.
fn interrupted(error: ExportError, words: impl FnOnce() -> String) -> anyhow::Error {
    match error {
        ExportError::Query(QueryError::Cancelled) => public(words()),
        ExportError::Query(QueryError::Row(error)) => anyhow::Error::from(error)
            .context("a row is not of this table file; --skip-undecodable leaves such rows out"),
        ExportError::Output(error) => {
            with_force(Err(error)).err().unwrap_or_else(|| public("nothing was written"))
        }
        error => error.into(),
    }
}

/// The format and packing that the options or the name of the file say.
fn form(arguments: &Export) -> anyhow::Result<(ExportFormat, Compression)> {
    let ending = |path: &Path| {
        path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
    };
    // A folder is called anything.
    let name = if arguments.per_region { Path::new("") } else { arguments.out.as_path() };
    let (by_name, name) = match ending(name).as_str() {
        "gz" => (Compression::Gzip, name.with_extension("")),
        "zst" | "zstd" => (Compression::Zstd, name.with_extension("")),
        _ => (Compression::None, name.to_owned()),
    };
    let compression = arguments.pack.map_or(by_name, Into::into);
    let format = match (arguments.format, ending(&name).as_str()) {
        (Some(OutputFormat::Csv), _) | (None, "csv") => ExportFormat::Csv,
        (Some(OutputFormat::Jsonl), _) | (None, "jsonl" | "ndjson" | "json") => ExportFormat::JsonLines,
        (Some(OutputFormat::Parquet), _) | (None, "parquet") => ExportFormat::Parquet,
        (None, _) => {
            let out = arguments.out.display();
            let text = format!(
                "the name {out} does not say what to write; add --format csv, --format jsonl or --format parquet"
            );
            return Err(public(text));
        }
    };
    Ok((format, compression))
}
