//! `rowkey advise --data DATA [--queries FILE]`

mod outline;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use comfy_table::CellAlignment;
use rowkey::Table;
use rowkey::check::{Severity, check_table};
use rowkey::key::Fields;
use rowkey_lab::advise::{Advice, AdviseError, Asking, Data, Options, Proposal, Study, Watched};
use rowkey_lab::profile::profile;
use rowkey_lab::sample::guess_fields;
use rowkey_ops::input::{Format, Source};
use rowkey_ops::output_file::{self, Existing};
use serde_json::{Value, json};

use crate::Answer;
use crate::args::Advise;
use crate::output::{Bar, Output, Spinner, counted, grouped, lines_cell, table, text_cell};
use crate::table_argument::{replacing, with_force, write_file};

pub(crate) fn run(arguments: &Advise, output: &mut Output) -> anyhow::Result<Answer> {
    let started = Instant::now();
    let path = &arguments.data;
    if path == Path::new("-") {
        bail!("advise reads the data twice, which standard input cannot be; write it to a file first");
    }
    let inputs: Vec<&Path> = std::iter::once(path.as_path()).chain(arguments.queries.as_deref()).collect();
    if let Some(file) = &arguments.write {
        // Before a minute of work, and again when the file is written.
        with_force(output_file::check(file, replacing(arguments.force, Existing::Refuse), &inputs))?;
    }
    let asking = asking(arguments)?;
    let label = path.display().to_string();
    let format = arguments.format.map_or_else(|| Format::of(path), Into::into);
    let open = || std::fs::File::open(path).map(|file| arguments.limit.of(Source::file(file)));
    let mut remarks = Vec::new();
    let fields = match &asking.fields {
        Some(fields) => fields.clone(),
        None => {
            let source = open().with_context(|| format!("could not read {label}"))?;
            let (guess, _) = guess_fields(source, format, &label)?;
            remarks.push(format!("types guessed from the data: {}", types(&guess.fields)));
            guess.fields
        }
    };
    let options = options(arguments, asking.table.as_ref());
    let data = Data { open: &open, format, label: &label, threads: options.threads };

    let bar = Bar::new(path);
    let study = Study::read(&data, &fields, &asking.queries, asking.table.as_ref(), &options, &mut |watched| {
        if let Watched::Reading(at) = watched {
            bar.show(at);
        }
        true
    });
    bar.clear();
    let study = study?;
    if asking.queries.is_empty() {
        let source = open().with_context(|| format!("could not read {label}"))?;
        let found = profile(source, (format, &label), &fields, None, options.threads, &mut |_| {})?;
        outline::tell(&study.outline(&options, &mut |_| true)?, &study, &found, &remarks, &options, output)?;
        return Ok(Answer::Yes);
    }
    let spinner = Spinner::new("trying keys");
    let limit = Duration::from_secs(arguments.time_limit);
    let advice = study.advise(&options, &mut |watched| {
        if let Watched::Measuring(progress) = watched {
            spinner.tell(&format!(
                "stage {}: {} of {}",
                progress.stage,
                progress.done,
                counted(progress.of, "key")
            ));
        }
        started.elapsed() < limit
    });
    spinner.clear();
    let mut advice = advice?;
    remarks.append(&mut advice.notes);
    advice.notes = remarks;

    let written = match &arguments.write {
        None => None,
        Some(file) => Some((file.as_path(), write(&advice, arguments, file, &inputs)?)),
    };
    if output.json {
        output.json_line(&advice_json(&advice, &study, written.map(|(file, _)| file)))?;
    } else {
        print(&advice, &study, output)?;
        next(&advice, arguments, written, output)?;
    }
    Ok(Answer::Yes)
}

/// What is asked; nothing without `--queries`.
fn asking(arguments: &Advise) -> anyhow::Result<Asking> {
    let Some(path) = &arguments.queries else {
        return Ok(Asking { table: None, fields: None, queries: Vec::new() });
    };
    let origin = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {origin}"))?;
    let asking = Asking::parse(&origin, &text)?;
    if asking.queries.is_empty() {
        return Err(AdviseError::NoQueries.into());
    }
    Ok(asking)
}

fn options(arguments: &Advise, given: Option<&Table>) -> Options {
    let stem = arguments.data.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = arguments.table.clone().or_else(|| given.map(|given| given.name.clone())).or(stem);
    let letters = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':') { c } else { '_' };
    let name: String = name.unwrap_or_else(|| "advised".to_owned()).chars().map(letters).collect();
    let regions = arguments.regions.unwrap_or_else(|| arguments.servers.saturating_mul(4));
    Options {
        table: name,
        servers: arguments.servers as usize,
        regions: regions as usize,
        writes: f64::from(arguments.writes) / 100.0,
        sample: arguments.sample as usize,
        seed: arguments.seed,
        threads: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
        time: arguments.time.clone(),
        rows: arguments.rows,
        identity: (!arguments.identity.is_empty()).then(|| arguments.identity.clone()),
        closed: arguments.closed.clone(),
        indexes: !arguments.no_index,
        max_buckets: arguments.max_buckets,
        exhaustive: arguments.exhaustive,
        ..Options::default()
    }
}

fn types(fields: &Fields) -> String {
    let one = |field: &rowkey::key::Field| {
        format!("{} {}{}", field.name, field.ty, if field.nullable { "?" } else { "" })
    };
    fields.iter().map(|(_, field)| one(field)).collect::<Vec<_>>().join(", ")
}

fn chosen<'a>(advice: &'a Advice, letter: &str) -> anyhow::Result<&'a Proposal> {
    let letters: Vec<&str> = advice.proposals.iter().map(|proposal| proposal.name.as_str()).collect();
    let found = advice.proposals.iter().find(|proposal| proposal.name.eq_ignore_ascii_case(letter));
    found.with_context(|| format!("there is no design `{letter}`; the designs are {}", letters.join(", ")))
}

/// Writes the chosen design; what `rowkey check` still has to say about it.
fn write(advice: &Advice, arguments: &Advise, file: &Path, inputs: &[&Path]) -> anyhow::Result<Vec<String>> {
    let proposal = chosen(advice, &arguments.design)?;
    write_file(file, arguments.force, inputs, |out| out.write_all(proposal.file.as_bytes()))?;
    let table = Table::parse(&file.display().to_string(), &proposal.file)?;
    let issues = check_table(&table).into_iter().filter(|issue| issue.severity >= Severity::Warning);
    Ok(issues.map(|issue| format!("{} ({})", issue.message, issue.rule.id)).collect())
}

fn print(advice: &Advice, study: &Study, output: &mut Output) -> anyhow::Result<()> {
    let number = |text: String| text_cell(text).set_alignment(CellAlignment::Right);
    let mut rows = table(&["", "key and index tables", "busiest", "a read", "key", "written", "cost"]);
    for proposal in &advice.proposals {
        let mut keys = vec![proposal.key.clone()];
        for index in &proposal.indexes {
            let copies = if index.columns.is_empty() { "" } else { " with copies" };
            keys.push(format!("  {}{copies}: {}", index.name, index.key));
        }
        let figures = &proposal.figures;
        rows.add_row(vec![
            text_cell(format!("{}{}", proposal.name, if proposal.given { " (yours)" } else { "" })),
            lines_cell(keys),
            number(format!("{:.1}×", figures.hot.usual)),
            number(plain(figures.read)),
            number(format!("{} B", plain(figures.key_bytes))),
            number(format!("{}×", plain(figures.writes))),
            number(plain(figures.total)),
        ]);
    }
    output.text(&rows.to_string())?;
    output.text(
        "busiest: the busiest server over the mean of the writes; a read and cost (of an operation): in rows of a scan; written: rows \
         for each record\n",
    )?;
    for proposal in &advice.proposals {
        output.text(&format!("{}: {}", proposal.name, proposal.trade_off))?;
    }
    if let Some(best) = advice.proposals.first() {
        output.text("\nA is recommended. Its queries:")?;
        let mut rows = table(&["query", "share", "by", "ranges", "rows read", "returned"]);
        for (query, (name, share)) in best.queries.iter().zip(&advice.queries) {
            let by = match query.by.checked_sub(1).and_then(|place| best.indexes.get(place)) {
                Some(index) => index.name.clone(),
                None => "the table".to_owned(),
            };
            let read = if query.whole_table { "all".to_owned() } else { plain(query.rows) };
            let sorted = if query.sorted { ", sorted" } else { "" };
            rows.add_row(vec![
                text_cell(name),
                number(format!("{:.0}%", share * 100.0)),
                text_cell(by),
                number(plain(query.ranges)),
                number(format!("{read}{sorted}")),
                number(plain(query.returned)),
            ]);
        }
        output.text(&rows.to_string())?;
        let families = &best.families;
        if families.groups.len() > 1 {
            let names = |group: &Vec<rowkey::FieldId>| {
                group
                    .iter()
                    .map(|field| study.fields.get(*field).name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let groups: Vec<String> = families.groups.iter().map(names).collect();
            output.text(&format!(
                "\nTwo families, {}: queries read {:.0}% fewer bytes.",
                groups.join(" and "),
                families.saved * 100.0
            ))?;
        }
    }
    if !advice.changes.is_empty() {
        output.text("\nWhat would change that:")?;
        for change in &advice.changes {
            output.text(&format!("- {}", change.text))?;
        }
    }
    output.text("\nTo know:")?;
    let tried = counted(advice.looked_at, "key");
    let sample = if advice.rows > advice.sample as u64 {
        format!("{} of ", grouped(advice.sample as u64))
    } else {
        String::new()
    };
    output.text(&format!("- {tried} tried with {sample}{} records", grouped(advice.rows)))?;
    if !advice.discarded.is_empty() {
        let reasons: Vec<String> =
            advice.discarded.iter().map(|(why, count)| format!("{count} by: {why}")).collect();
        output.text(&format!("- discarded as wrong: {}", reasons.join("; ")))?;
    }
    if advice.stopped {
        output.text("- the time was up before all were tried; more with --time-limit")?;
    }
    for note in &advice.notes {
        output.text(&format!("- {note}"))?;
    }
    Ok(())
}

fn next(
    advice: &Advice,
    arguments: &Advise,
    written: Option<(&Path, Vec<String>)>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let Some((file, issues)) = written else {
        let again = "add --write FILE to have the table file of A, and --design LETTER for another";
        output.note(again);
        return Ok(());
    };
    let proposal = chosen(advice, &arguments.design)?;
    output.text(&format!(
        "\nwrote {} ({}); next: rowkey create {}",
        file.display(),
        proposal.name,
        file.display()
    ))?;
    for issue in &issues {
        output.text(&format!("- rowkey check will still say: {issue}; that is a price of this design"))?;
    }
    Ok(())
}

fn advice_json(advice: &Advice, study: &Study, written: Option<&Path>) -> Value {
    let names = |fields: &[rowkey::FieldId]| -> Vec<&str> {
        fields.iter().map(|field| study.fields.get(*field).name.as_str()).collect()
    };
    let proposals: Vec<Value> = advice
        .proposals
        .iter()
        .map(|proposal| {
            let indexes: Vec<Value> = proposal
                .indexes
                .iter()
                .map(|index| {
                    json!({ "name": index.name, "key": index.key, "columns": names(&index.columns), "key_bytes": index.bytes })
                })
                .collect();
            let queries: Vec<Value> = proposal
                .queries
                .iter()
                .zip(&advice.queries)
                .map(|(query, (name, share))| {
                    json!({
                        "name": name,
                        "share": share,
                        "table": query.by,
                        "ranges": query.ranges,
                        "rows_read": query.rows,
                        "rows_returned": query.returned,
                        "whole_table": query.whole_table,
                        "sorted": query.sorted,
                        "cost": query.cost,
                    })
                })
                .collect();
            json!({
                "design": proposal.name,
                "yours": proposal.given,
                "key": proposal.key,
                "indexes": indexes,
                "hot_spot": proposal.figures.hot.usual,
                "hot_spot_worst": proposal.figures.hot.worst,
                "read_cost": proposal.figures.read,
                "write_cost": proposal.cost.write,
                "key_bytes": proposal.figures.key_bytes,
                "rows_written": proposal.figures.writes,
                "cost": proposal.figures.total,
                "queries": queries,
                "families": proposal.families.groups.iter().map(|group| names(group)).collect::<Vec<_>>(),
                "trade_off": proposal.trade_off,
                "file": proposal.file,
            })
        })
        .collect();
    let changes: Vec<Value> = advice
        .changes
        .iter()
        .map(|change| json!({ "design": change.proposal, "share_now": change.now, "share": change.at, "text": change.text }))
        .collect();
    let discarded: Vec<Value> =
        advice.discarded.iter().map(|(why, count)| json!({ "why": why, "keys": count })).collect();
    json!({
        "version": 1,
        "recommended": advice.proposals.first().map(|proposal| &proposal.name),
        "designs": proposals,
        "changes": changes,
        "notes": advice.notes,
        "records": advice.rows,
        "sample": advice.sample,
        "keys_tried": advice.looked_at,
        "discarded": discarded,
        "time_was_up": advice.stopped,
        "written": written,
    })
}

/// A number for people: one digit behind the point when it is small, thousands apart when it is large.
fn plain(number: f64) -> String {
    if number < 9.95 {
        let text = format!("{number:.1}");
        return text.strip_suffix(".0").map_or(text.clone(), str::to_owned);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded, positive, far from the limits"
    )]
    grouped(number.round() as u64)
}
