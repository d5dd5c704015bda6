//! Opens the records of DATA, `--data DATA` or `--from FILE|-`.
//!
//! The one place that opens data for commands: files, patterns, folders, standard input. What was guessed is told here, once.

use std::io::Read;
use std::path::{Path, PathBuf};

use rowkey_lab::sample::{Guess, guess_fields};
use rowkey_ops::input::{Input, Source};

use crate::args::{Reading, RecordLimit};
use crate::output::tell;
use crate::public::Publicly;

/// Looks at data and tells what was guessed.
pub(crate) fn data(paths: &[PathBuf], reading: &Reading) -> anyhow::Result<Input> {
    let input = Input::open(paths, &reading.asked())?;
    if let Some(said) = input.said() {
        tell(&format!("{said}\n"));
    }
    Ok(input)
}

/// The fields of data, and its records; what was guessed of how they are written is told.
pub(crate) fn guessed(input: &mut Input) -> anyhow::Result<(Guess, Source)> {
    let (guess, source) = guess_fields(input.source()?, input.format, &input.label)?;
    for said in &guess.said {
        tell(&format!("{said}\n"));
    }
    input.set_dialect(guess.dialect.clone());
    Ok((guess, source))
}

/// The paths, if there are any.
pub(crate) fn some(paths: &[PathBuf]) -> Option<&[PathBuf]> {
    (!paths.is_empty()).then_some(paths)
}

/// The paths as one would write them behind an option.
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" --data ")
}

/// Opens lines of text, or standard input for `-`; also the name that messages give it.
pub(crate) fn lines(path: &Path, limit: RecordLimit) -> anyhow::Result<(Source, String)> {
    if path == Path::new("-") {
        return Ok((limit.of(Source::stream(std::io::stdin())), "standard input".to_owned()));
    }
    let file = std::fs::File::open(path).publicly(|| format!("could not read {}", path.display()))?;
    Ok((limit.of(Source::file(file)), path.display().to_string()))
}

/// The whole text of a file, or of standard input for `-`.
pub(crate) fn text(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().read_to_string(&mut text),
        false => std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.publicly(|| format!("could not read {}", path.display()))?;
    Ok(text)
}
