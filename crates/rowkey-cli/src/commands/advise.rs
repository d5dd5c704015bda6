//! `rowkey advise --data DATA [--queries FILE]`

mod json;
mod notes;
mod outline;
mod print;
mod whole;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rowkey_core::Table;
use rowkey_core::key::Fields;
use rowkey_lab::advise::{
    Advice, AdviseError, Asking, Data, Options, Progress, Proposal, QueryLog, Study, Watched,
};
use rowkey_ops::output_file::{self, Existing};
use rowkey_ops::processors;

use self::json::advice_json;
use self::print::print;
use crate::args::Advise;
use crate::output::{Bar, Output, Spinner, counted, grouped};
use crate::table_argument::{replacing, with_force, write_file};
use crate::{Answer, input_argument, settings};

pub(crate) fn run(arguments: &Advise, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let started = Instant::now();
    if arguments.data.iter().any(|path| path == Path::new("-")) {
        bail!("advise reads the data twice, which standard input cannot be; write it to a file first");
    }
    let queries = arguments.queries.as_deref().or(arguments.query_log.as_deref());
    let inputs: Vec<&Path> = arguments.data.iter().map(PathBuf::as_path).chain(queries).collect();
    if let Some(file) = &arguments.write {
        // Before a minute of work, and again when the file is written.
        with_force(output_file::check(file, replacing(arguments.force, Existing::Refuse), &inputs))?;
    }
    let priced = settings::prices_or(arguments.prices, store)?;
    let mut asking = asking(arguments)?;
    let mut input = input_argument::data(&arguments.data, &arguments.reading)?;
    let mut remarks: Vec<String> = priced.told().into_iter().collect();
    let fields = match &asking.fields {
        Some(fields) => fields.clone(),
        None => {
            let (guess, _) = input_argument::guessed(&mut input)?;
            remarks.push(format!("types guessed from the data: {}", types(&guess.fields)));
            guess.fields
        }
    };
    if let Some(file) = &arguments.query_log {
        let log = query_log(file, &fields, arguments.table.as_deref())?;
        remarks.extend(log_remark(&log));
        asking.queries = log.queries;
    }
    let options = Options { prices: priced.prices, ..options(arguments, asking.table.as_ref()) };
    let open = || input.source().map_err(std::io::Error::other);
    let data = Data { open: &open, format: input.format, label: &input.label, threads: options.threads };

    let given = asking.table.as_ref();
    let study = Bar::during(input.bytes(), |bar| {
        Study::read(&data, &fields, &asking.queries, given, &options, &mut |watched| {
            if let Watched::Reading(at) = watched {
                bar.show(at);
            }
            true
        })
    })?;
    if asking.queries.is_empty() {
        outline::tell(&study.outline(&options, &mut |_| true)?, &study, &remarks, &options, output)?;
        return Ok(Answer::Yes);
    }
    let limit = Duration::from_secs(arguments.time_limit);
    let mut advice = Spinner::during("trying keys", |spinner| {
        study.advise(&options, &mut |watched| {
            if let Watched::Measuring(Progress { stage, done, of }) = watched {
                spinner.tell(&format!("stage {stage}: {done} of {}", counted(of, "key")));
            }
            started.elapsed() < limit
        })
    })?;
    whole::count(&mut advice, &study, &input, arguments)?;
    remarks.append(&mut advice.notes);
    remarks.extend(notes::notes(&advice, &study, &options));
    advice.notes = remarks;

    let written = match &arguments.write {
        None => None,
        Some(file) => Some((file.as_path(), write(&advice, arguments, file, &inputs)?)),
    };
    let (shown, file) = (output.shown, written.as_ref().map(|(file, _)| *file));
    output.object(|| advice_json(&advice, &study, arguments, file, shown))?;
    print(&advice, &study, arguments, output)?;
    next(&advice, arguments, written, output)?;
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

fn query_log(path: &Path, fields: &Fields, table: Option<&str>) -> anyhow::Result<QueryLog> {
    let origin = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {origin}"))?;
    let log = QueryLog::parse(&origin, &text, fields, table)?;
    if log.queries.is_empty() {
        return Err(AdviseError::NoQueries.into());
    }
    Ok(log)
}

/// What of a log is not advised on.
fn log_remark(log: &QueryLog) -> Option<String> {
    (log.left_out > 0).then(|| {
        format!(
            "the {} most frequent queries stand for the log: {} of its {} lines",
            log.queries.len(),
            grouped(log.lines - log.left_out),
            grouped(log.lines)
        )
    })
}

fn options(arguments: &Advise, given: Option<&Table>) -> Options {
    let name = arguments.data.first().and_then(|path| path.file_name());
    let stem = name.map(|name| name.to_string_lossy().split('.').next().unwrap_or_default().to_owned());
    let name = arguments.table.clone().or_else(|| given.map(|given| given.name.clone())).or(stem);
    let letters = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':') { c } else { '_' };
    let name: String = name.unwrap_or_else(|| "advised".to_owned()).chars().map(letters).collect();
    Options {
        table: name,
        servers: arguments.servers as usize,
        regions: arguments.regions.map(|regions| regions as usize),
        writes: f64::from(arguments.writes) / 100.0,
        sample: arguments.sample as usize,
        seed: arguments.seed,
        threads: processors(),
        time: arguments.time.clone(),
        rows: arguments.rows,
        years: arguments.years.map(f64::from),
        identity: (!arguments.identity.is_empty()).then(|| arguments.identity.clone()),
        closed: arguments.closed.clone(),
        indexes: !arguments.no_index,
        max_buckets: arguments.max_buckets,
        exhaustive: arguments.exhaustive,
        ..Options::default()
    }
}

fn types(fields: &Fields) -> String {
    let one = |field: &rowkey_core::key::Field| {
        format!("{} {}{}", field.name, field.ty, if field.nullable { "?" } else { "" })
    };
    fields.iter().map(|(_, field)| one(field)).collect::<Vec<_>>().join(", ")
}

fn chosen<'a>(advice: &'a Advice, letter: &str) -> anyhow::Result<&'a Proposal> {
    let letters: Vec<&str> = advice.proposals.iter().map(|proposal| proposal.name.as_str()).collect();
    let found = advice.proposals.iter().find(|proposal| proposal.name.eq_ignore_ascii_case(letter));
    found.with_context(|| format!("there is no design `{letter}`; the designs are {}", letters.join(", ")))
}

/// Writes the chosen design; what `rowkey check` and `simulate` still have to say about it.
fn write(advice: &Advice, arguments: &Advise, file: &Path, inputs: &[&Path]) -> anyhow::Result<Vec<String>> {
    let proposal = chosen(advice, &arguments.design)?;
    write_file(file, arguments.force, inputs, |out| out.write_all(proposal.file.as_bytes()))?;
    Ok(proposal.warnings.iter().map(|warning| warning.text.clone()).collect())
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
        output.text(&format!(
            "- rowkey check and simulate will still say: {issue}; that is a price of this design"
        ))?;
    }
    Ok(())
}
