//! Does what a page names exist?
//!
//! Commands and options of rowkey, by its own `--help`; packages, tests, examples and features of `cargo` lines; commands of
//! `cargo xtask`; environment variables; links, their headings and the paths of files.

mod cargo;
pub(crate) mod help;

use crate::blocks::{Block, blocks, code_spans};
use crate::repository::Repository;
use help::Commands;

/// Options of other programs that pages mention alone.
const FOREIGN_OPTIONS: [&str; 6] = ["--nocapture", "--no-java", "--no-go", "--rounds", "--full", "--hbase"];

/// What there is to be named.
pub(crate) struct Known {
    commands: Commands,
    /// Every source text, to look words up in.
    sources: Vec<String>,
}

impl Known {
    pub(crate) fn of(repository: &Repository) -> Self {
        let is_source = |file: &&String| file.ends_with(".rs") || file.ends_with(".java");
        // This test names what it looks for, and the list of commands is looked through by it.
        let names = |file: &&String| file.contains("tests/pages/names") || *file == "xtask/src/recipes.rs";
        let sources = repository.files.iter().filter(is_source).filter(|file| !names(file));
        Self { commands: Commands::ask(), sources: sources.map(|file| repository.text(file)).collect() }
    }

    /// The first words of commands.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.names().filter_map(|name| name.split(' ').find(|word| !word.is_empty()))
    }

    fn in_some_source(&self, word: &str) -> bool {
        self.sources.iter().any(|source| source.contains(word))
    }
}

/// What a page names that is not there.
pub(crate) fn faults(repository: &Repository, known: &Known, path: &str) -> Vec<String> {
    let page = repository.text(path);
    let mut faults = Vec::new();
    for (first, block) in blocks(&page) {
        let mut tell = |line: usize, fault: String| faults.push(format!("{path}:{line}: {fault}"));
        match block {
            Block::Prose(lines) => {
                for (line, span) in code_spans(first, &lines) {
                    in_code(repository, known, &span).into_iter().for_each(|fault| tell(line, fault));
                }
                for (number, line) in (first..).zip(&lines) {
                    links(repository, path, line).into_iter().for_each(|fault| tell(number, fault));
                }
            }
            Block::Fenced { info: "console" | "sh" | "bash", lines } => {
                for (number, line) in (first..).zip(&lines) {
                    let command = line.trim_start_matches("$ ");
                    if command.starts_with("cargo ") || line.starts_with("$ ") {
                        in_code(repository, known, command).into_iter().for_each(|fault| tell(number, fault));
                    }
                }
            }
            Block::Fenced { .. } => {}
        }
    }
    faults
}

/// What is not there of what the cargo lines of `cargo xtask` name.
pub(crate) fn faults_of_recipes(repository: &Repository, known: &Known) -> Vec<String> {
    let recipes = repository.text("xtask/src/recipes.rs");
    let lines = recipes.lines().take_while(|line| !line.contains("#[cfg(test)]"));
    let is_command = |text: &&str| match text.split_once("cargo ") {
        Some((before, _)) => before.is_empty() || before.contains('='),
        None => false,
    };
    let commands: Vec<&str> = lines.flat_map(|line| line.split('"').skip(1)).filter(is_command).collect();
    assert!(commands.len() > 60, "{commands:?}");
    commands.into_iter().flat_map(|line| in_code(repository, known, line)).collect()
}

/// The faults of a command, an option or a path that stands in a text.
fn in_code(repository: &Repository, known: &Known, code: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for variable in variables(code) {
        if !known.in_some_source(variable) {
            faults.push(format!("no source reads the variable `{variable}`"));
        }
    }
    let is_setting = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| variables(name).next().is_some() || name == "PROPTEST_CASES")
    };
    let words: Vec<&str> = code.split_whitespace().skip_while(|word| is_setting(word)).collect();
    match words.as_slice() {
        ["rowkey", words @ ..] => faults.extend(known.commands.faults(words)),
        ["cargo", words @ ..] => faults.extend(cargo::faults(repository, known, words)),
        [first, ..] if first.starts_with("--") => {
            faults.extend(
                known
                    .commands
                    .unknown_options(&words)
                    .filter(|option| !FOREIGN_OPTIONS.contains(&option.as_str()))
                    .map(|option| format!("no command has the option {option}")),
            );
        }
        [first, rest @ ..] if known.commands.has(first) && rest.iter().any(|word| word.starts_with("--")) => {
            faults.extend(known.commands.faults(&words));
        }
        [path] => faults.extend(missing_file(repository, path)),
        _ => {}
    }
    faults
}

/// `ROWKEY_…` and `PLAN_…` in a text.
fn variables(code: &str) -> impl Iterator<Item = &str> {
    let words =
        code.split(|letter: char| !(letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_'));
    words.filter(|word| {
        ["ROWKEY_", "PLAN_"].iter().any(|begin| word.len() > begin.len() && word.starts_with(begin))
    })
}

/// A path of this repository that is not there; other paths are the reader's own.
fn missing_file(repository: &Repository, path: &str) -> Option<String> {
    let of_root = ["crates/", "docs/", "testdata/", "testing/", "xtask/", "bench/", "examples/"];
    let plain = path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
    let missing = if !plain {
        false
    } else if of_root.iter().any(|root| path.starts_with(root)) {
        !repository.has(path)
    } else {
        let source = [".rs", ".java", ".py"].iter().any(|end| path.len() > end.len() && path.ends_with(end));
        source && !repository.has_some(path)
    };
    missing.then(|| format!("there is no file {path}"))
}

/// Links of a line that lead nowhere.
fn links(repository: &Repository, page: &str, line: &str) -> Vec<String> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter_map(|target| dead_link(repository, page, target)).collect()
}

fn dead_link(repository: &Repository, page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.contains(' ') {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let mut path: Vec<&str> = page.split('/').collect();
    if !file.is_empty() {
        path.pop();
        for step in file.trim_end_matches('/').split('/') {
            match step {
                ".." => drop(path.pop()),
                "." => {}
                step => path.push(step),
            }
        }
    }
    let path = path.join("/");
    if !repository.has(&path) {
        return Some(format!("the link {target} leads nowhere"));
    }
    let has_heading = || {
        let page = repository.text(&path);
        let prose = blocks(&page).into_iter().filter_map(|(_, block)| match block {
            Block::Prose(lines) => Some(lines),
            Block::Fenced { .. } => None,
        });
        prose.flatten().any(|line| line.starts_with('#') && slug(line) == heading)
    };
    (!heading.is_empty() && !has_heading()).then(|| format!("the link {target} names no heading of {path}"))
}

/// A heading as it is linked to.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[test]
fn headings_and_variables_are_found() {
    assert_eq!(slug("## `doctor`: is it all there?"), "doctor-is-it-all-there");
    assert_eq!(variables("ROWKEY_BLESS=1 cargo test ROWKEY").collect::<Vec<_>>(), ["ROWKEY_BLESS"]);
}
