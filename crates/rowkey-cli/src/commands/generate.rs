//! `rowkey generate java|go|python FILE [--out FOLDER]`

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rowkey_core::internal::nearest;
use rowkey_generate::{Design, File, LANGUAGES, Origin, generate, generate_conform, is_untouched, language};
use rowkey_ops::output_file::Existing;
use serde_json::json;

use crate::args::Generate;
use crate::output::{Output, counted};
use crate::public::{Publicly, public};
use crate::{Answer, table_argument};

/// What became of a file, or of what is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    /// It is what the table file gives.
    Same,
    /// It is what another table file or version gave.
    Older,
    /// Changed since it was generated, or never generated.
    Touched,
}

pub(crate) fn run(arguments: &Generate, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let Some(language) = language(&arguments.language) else {
        return Err(unknown(&arguments.language));
    };
    let table = table_argument::table(&arguments.table, store)?;
    let name = Path::new(&arguments.table).file_name().map(|name| name.to_string_lossy().into_owned());
    let origin = Origin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        file: name.unwrap_or_else(|| arguments.table.clone()),
    };
    let design = Design::of(&table, origin);
    let mut files = generate(language, &design).map_err(public)?;
    if arguments.conform {
        files.extend(generate_conform(language, &[&design]).map_err(public)?);
    }
    for query in &design.queries {
        if let Some(why) = language.query_refusal(&design, query) {
            output.note(&format!("no function for the query \"{}\": {why}", query.name));
        }
    }
    let folder = &arguments.out;
    let found: Vec<(PathBuf, File, State)> = files
        .into_iter()
        .map(|file| {
            let path = folder.join(&file.name);
            let state = state(&path, &file.text)?;
            Ok((path, file, state))
        })
        .collect::<anyhow::Result<_>>()?;
    if arguments.check {
        return check(&found, arguments, output);
    }
    let touched: Vec<String> = found
        .iter()
        .filter(|(.., state)| *state == State::Touched && !arguments.force)
        .map(|(path, ..)| path.display().to_string())
        .collect();
    if !touched.is_empty() {
        return Err(public(format!(
            "nothing was written: {} was changed since it was generated, or is something else; write to another \
             folder with --out, or replace it with --force",
            touched.join(", ")
        )));
    }
    for (path, file, state) in &found {
        if *state != State::Same {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            parent
                .map_or(Ok(()), std::fs::create_dir_all)
                .publicly(|| format!("could not make the folder of {}", path.display()))?;
            table_argument::with_force(rowkey_ops::output_file::write(
                path,
                Existing::Replace,
                &[],
                |out| out.write_all(file.text.as_bytes()),
            ))?;
        }
        let told = if *state == State::Same { "unchanged" } else { "wrote" };
        output.line(
            &format!("{told} {}", path.display()),
            || json!({ "file": path, "written": *state != State::Same }),
        )?;
    }
    Ok(Answer::Yes)
}

fn unknown(name: &str) -> anyhow::Error {
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name()).collect();
    let meant =
        nearest(name, names.iter().copied()).map_or(String::new(), |name| format!("did you mean `{name}`? "));
    public(format!(
        "no code can be generated in `{name}`, only in {}; {meant}another language can be held to the same bytes by \
         `rowkey conform`",
        names.join(", ")
    ))
}

fn state(path: &Path, text: &str) -> anyhow::Result<State> {
    Ok(match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => State::Missing,
        Err(error) => return Err(error).publicly(|| format!("could not read {}", path.display())),
        Ok(found) if found == text.as_bytes() => State::Same,
        Ok(found) if std::str::from_utf8(&found).is_ok_and(is_untouched) => State::Older,
        Ok(_) => State::Touched,
    })
}

fn check(
    found: &[(PathBuf, File, State)],
    arguments: &Generate,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let mut answer = Answer::Yes;
    for (path, _, state) in found {
        let told = match state {
            State::Same => continue,
            State::Missing => "is not there",
            State::Older => "is not what the table file gives now",
            State::Touched => "was changed since it was generated",
        };
        answer = Answer::No;
        output.line(&format!("{} {told}", path.display()), || json!({ "file": path, "problem": told }))?;
    }
    let command = format!(
        "rowkey generate {} {} --out {}",
        arguments.language,
        arguments.table,
        arguments.out.display()
    );
    output.note(&match answer {
        Answer::Yes => format!("{} as {} gives them", counted(found.len(), "file"), arguments.table),
        Answer::No => format!("write what is missing or older with: {command}"),
    });
    Ok(answer)
}
