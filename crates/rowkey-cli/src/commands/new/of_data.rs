//! The table file that data alone suggests, with what it cannot know as questions.
//!
//! Types and names are guessed, nulls counted over all of the data; what tells records apart, and the key that spreads writes best, come from
//! `advise` without queries.

use std::path::Path;

use anyhow::bail;
use rowkey_core::key::{Field, Fields};
use rowkey_lab::advise::identity::Basis;
use rowkey_lab::advise::{Data, Options, Study};
use rowkey_lab::profile::{self, Profile};
use rowkey_lab::sample::{Guess, Sure};
use rowkey_ops::input::{Dialect, Ignored, Input};
use rowkey_ops::processors;
use serde_json::json;

use crate::args::New;
use crate::output::{Bar, Output, counted, grouped};
use crate::table_argument::write_file;
use crate::{Answer, input_argument};

pub(super) fn run(arguments: &New, output: &mut Output) -> anyhow::Result<Answer> {
    let mut input = input_argument::data(&arguments.from, &arguments.reading)?;
    if !input.is_files() {
        bail!(
            "new --from reads the data three times, which standard input cannot be; write it to a file first"
        );
    }
    let (guess, _) = input_argument::guessed(&mut input)?;
    let nested = nested(&guess);
    if !nested.is_empty() {
        input.set_dialect(Dialect { ignored: Ignored::These(nested.clone()), ..guess.dialect.clone() });
    }
    let profile = profiled(&input, &guess, &nested)?;
    let fields = fields(&guess, &profile, &nested);
    let options = Options { table: name(&arguments.from), threads: processors(), ..Options::default() };
    let open = || input.source().map_err(std::io::Error::other);
    let data = Data { open: &open, format: input.format, label: &input.label, threads: options.threads };
    let study =
        Bar::during(input.bytes(), |_| Study::read(&data, &fields, &[], None, &options, &mut |_| true))?;
    let outline = study.outline(&options, &mut |_| true)?;
    let Some(best) = outline.keys.first() else {
        bail!("no key tells the records apart; write the file by hand")
    };
    let file = arguments.write.as_deref();
    let mut text = header(arguments, &guess, &study, &profile, (&nested, file));
    for example in &outline.examples {
        text.push_str(&format!("#       10 {example}\n"));
    }
    // The proposal's own remarks are about servers.
    let body = best.file.lines().skip_while(|line| line.starts_with('#') || line.is_empty());
    text.push('\n');
    body.for_each(|line| text.push_str(&format!("{line}\n")));
    let Some(path) = file else {
        output.line(text.trim_end(), || json!({ "file": text }))?;
        return Ok(Answer::Yes);
    };
    let inputs = input.files();
    let inputs: Vec<&Path> = inputs.iter().map(|path| path.as_path()).collect();
    write_file(path, arguments.force, &inputs, |out| out.write_all(text.as_bytes()))?;
    let shown = path.display();
    let next = format!(
        "wrote {shown}; read its questions, then: rowkey check {shown} --data {}",
        loaded(arguments, &guess, &nested)
    );
    output.line(&next, || json!({ "written": path }))?;
    Ok(Answer::Yes)
}

/// Columns that hold lists or objects.
fn nested(guess: &Guess) -> Vec<String> {
    let fields = guess.fields.iter().zip(&guess.evidence);
    fields.filter(|(_, evidence)| !evidence.readable).map(|((_, field), _)| field.name.clone()).collect()
}

/// All of the data, with every field taken for nullable.
fn profiled(input: &Input, guess: &Guess, nested: &[String]) -> anyhow::Result<Profile> {
    let fields = guess.fields.iter().map(|(_, field)| Field { nullable: true, ..field.clone() });
    let fields = Fields::new(fields.filter(|field| !nested.contains(&field.name)).collect());
    let (source, of) = (input.source()?, (input.format, input.label.as_str()));
    Ok(Bar::watching(input.bytes(), |watch| {
        profile::profile(source, of, &fields, None, processors(), watch)
    })?)
}

/// The fields, nullable where the data has nulls.
fn fields(guess: &Guess, profile: &Profile, nested: &[String]) -> Fields {
    let own = guess.fields.iter().map(|(_, field)| field).filter(|field| !nested.contains(&field.name));
    let fields = own.zip(&profile.fields);
    Fields::new(fields.map(|(field, seen)| Field { nullable: seen.nulls > 0, ..field.clone() }).collect())
}

/// The name of the table: the data's, without what a table's name cannot have.
fn name(from: &[std::path::PathBuf]) -> String {
    let name =
        from.first().and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("data");
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The data, and the options that it is read with.
fn loaded(arguments: &New, guess: &Guess, nested: &[String]) -> String {
    let asked = arguments.reading.asked().dialect;
    let times = &guess.dialect.times.guessed;
    let data: Vec<String> = arguments.from.iter().map(|path| path.display().to_string()).collect();
    let mut text = format!("{}{}", data.join(" "), arguments.reading.words());
    if asked.nulls.is_none() {
        guess.dialect.nulls().iter().for_each(|null| text.push_str(&format!(" --null '{null}'")));
    }
    for (field, format) in times {
        text.push_str(&format!(" --time-format {field}={}", format.name()));
    }
    if !nested.is_empty() {
        text.push_str(&format!(" --ignore-columns={}", nested.join(",")));
    }
    text
}

/// What the file is made of, and what it does not know.
fn header(
    arguments: &New,
    guess: &Guess,
    study: &Study,
    profile: &Profile,
    (nested, file): (&[String], Option<&Path>),
) -> String {
    let load = loaded(arguments, guess, nested);
    let file = file.map_or("FILE".to_owned(), |file| file.display().to_string());
    let mut text = format!(
        "# Made of {} by rowkey new --from. Load them with:\n#   rowkey create {file}\n#   rowkey load {file} {load}\n#\n\
         # What the data cannot say:\n",
        counted(profile.records, "record")
    );
    let mut ask = |question: String| text.push_str(&format!("# - {question}\n"));
    let identity = study.names(&study.identity);
    match study.basis {
        Basis::Assumed => ask(format!(
            "Do {} tell records apart, also those that come? Nothing in the data shows it; of two records with one key the later replaces \
             the earlier. If others do, say so in `identity` and in the key.",
            identity.join(", ")
        )),
        _ => ask(format!("Will {} always tell records apart? It does in this data.", identity.join(", "))),
    }
    let mut of = |sure: Sure, words: &str| {
        let found = guess
            .fields
            .iter()
            .zip(&guess.evidence)
            .filter(|(_, evidence)| evidence.sure == sure && evidence.readable);
        let names: Vec<&str> = found.map(|((_, field), _)| field.name.as_str()).collect();
        if !names.is_empty() {
            text.push_str(&format!("# - {}: {words}\n", names.join(", ")));
        }
    };
    of(Sure::Likely, "are these times? Their numbers look like it. If not, give them the type u64.");
    of(Sure::NoValue, "what do these hold? They had no value; text takes everything.");
    if !nested.is_empty() {
        text.push_str(&format!(
            "# - {}: lists or objects, which have no column here; they are left out.\n",
            nested.join(", ")
        ));
    }
    if profile.refused.count > 0 {
        text.push_str(&format!(
            "# - {} did not fit the guessed types; rowkey profile shows the first.\n",
            grouped(profile.refused.count)
        ));
    }
    text.push_str(
        "# - Can a field without nulls be null later? Then write a ? behind its type.\n# - Which queries will be asked, and how often? \
         Write them into a file, and ask rowkey advise --queries FILE for a\n#   key that serves them, for example:\n",
    );
    text
}
