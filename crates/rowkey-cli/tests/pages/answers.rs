//! Do the commands of a page answer what the page says?
//!
//! In ```` ```console ````, the lines below `$ command` are everything that a terminal shows; `…` stands for anything within a
//! line with the blanks around it, and for any number of lines where it is alone. In ```` ```sh ```` every line is a command, and what it prints is not shown.
//! `# exit code 1` (or `0 or 1`) behind a command says how it ends, if not with 0. A command ends with its line, unless that ends in a
//! backslash. `cargo` is looked up by [`names`](crate::names), not run.

use crate::blocks::{Block, blocks};
use crate::place::PageFolder;
use crate::repository::Repository;

/// What was found on a page.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) commands: usize,
    pub(crate) faults: Vec<String>,
}

/// Runs the commands of a page; `ROWKEY_BLESS` writes it anew.
pub(crate) fn compare(repository: &Repository, path: &str) -> Found {
    let page = repository.text(path);
    let mut found = Found::default();
    // A story writes its page itself, and its own test compares.
    if path.strip_suffix("README.md").is_some_and(|folder| repository.has(&format!("{folder}story.rs"))) {
        return found;
    }
    let blocks = blocks(&page);
    let runs = blocks.iter().any(|(_, block)| matches!(block, Block::Fenced { info: "console" | "sh", .. }));
    let place = runs.then(|| PageFolder::new(repository, path, &page));
    // Where in the page which lines are replaced.
    let mut replaced: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for (first, block) in &blocks {
        match (block, &place) {
            (Block::Prose(lines), Some(place)) => {
                for (number, line) in (*first..).zip(lines) {
                    let Some(what) = line.strip_prefix("<!-- data: ") else { continue };
                    if let Err(told) = place.provide(what.trim_end_matches("-->").trim()) {
                        found.faults.push(format!("{path}:{number}: {told}"));
                    }
                }
            }
            (Block::Fenced { info: "console", lines }, Some(place)) => {
                for step in steps(*first, lines) {
                    run(path, place, &step, &mut found, &mut replaced);
                }
            }
            (Block::Fenced { info: "sh", lines }, Some(place)) => {
                for step in commands(*first, lines) {
                    run(path, place, &step, &mut found, &mut replaced);
                }
            }
            (Block::Fenced { lines, .. }, Some(place)) if block.file().is_some() => {
                place.write(block.file().unwrap_or_default(), lines);
            }
            (Block::Fenced { info, lines }, _) => found.faults.extend(not_run(path, *first, info, lines)),
            (Block::Prose(_), None) => {}
        }
    }
    if std::env::var_os("ROWKEY_BLESS").is_some() && !replaced.is_empty() {
        std::fs::write(repository.root.join(path), with(&page, &replaced)).expect("the page can be written");
    }
    found
}

/// A command of a page.
struct PageCommand<'a> {
    line: usize,
    command: String,
    /// The line of the first line of its answer.
    below: usize,
    answer: Vec<&'a str>,
}

fn steps<'a>(first: usize, lines: &[&'a str]) -> Vec<PageCommand<'a>> {
    let mut steps: Vec<PageCommand<'_>> = Vec::new();
    let mut continued = false;
    for (number, line) in (first..).zip(lines) {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (None, Some(step)) if continued => {
                step.command.push('\n');
                step.command.push_str(line);
                step.below = number + 1;
                continued = line.ends_with('\\');
            }
            (Some(command), _) => {
                continued = command.ends_with('\\');
                steps.push(PageCommand {
                    line: number,
                    command: command.to_owned(),
                    below: number + 1,
                    answer: Vec::new(),
                });
            }
            (None, Some(step)) => step.answer.push(line),
            // Without a command the answer is that of no command.
            (None, None) => steps.push(PageCommand {
                line: number,
                command: "true".to_owned(),
                below: number,
                answer: vec![line],
            }),
        }
    }
    steps
}

/// The commands of a block without answers.
fn commands<'a>(first: usize, lines: &[&str]) -> Vec<PageCommand<'a>> {
    let numbered = (first..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    numbered
        .map(|(line, command)| PageCommand {
            line,
            command: (*command).to_owned(),
            below: line + 1,
            answer: vec!["…"],
        })
        .collect()
}

fn run(
    path: &str,
    place: &PageFolder,
    step: &PageCommand<'_>,
    found: &mut Found,
    replaced: &mut Vec<(std::ops::Range<usize>, String)>,
) {
    let PageCommand { line, command, below, answer } = step;
    if command.starts_with("cargo ") {
        if answer.iter().any(|line| !(line.is_empty() || *line == "…")) {
            found.faults.push(format!("{path}:{line}: {command} is not run, so its answer is not compared"));
        }
        return;
    }
    found.commands += 1;
    let codes = command.split_once("# exit code ").map_or("0", |(_, codes)| codes.trim());
    let (ended, shown) = place.run(command);
    if !codes.split(" or ").any(|code| code == ended.to_string()) {
        found.faults.push(format!("{path}:{line}: {command}\nended with exit code {ended}:\n{shown}"));
    }
    // An empty line may set two commands apart.
    let said = &answer[..answer.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1)];
    let shown: Vec<&str> = shown.trim_end().lines().map(str::trim_end).collect();
    if !fits(said, &shown) {
        found.faults.push(format!(
            "{path}:{line}: {command}\nsays\n{}\nnot\n{}",
            shown.join("\n"),
            said.join("\n")
        ));
        let anew = shown.iter().map(|line| format!("{line}\n")).collect();
        replaced.push((*below..*below + said.len(), anew));
    }
}

/// The page with some lines replaced.
fn with(page: &str, replaced: &[(std::ops::Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut replaced = replaced.iter().peekable();
    for (number, line) in (1..).zip(page.lines()) {
        while let Some((_, anew)) = replaced.next_if(|(lines, _)| lines.start <= number && lines.is_empty()) {
            out.push_str(anew);
        }
        if let Some((lines, anew)) = replaced.peek()
            && lines.contains(&number)
        {
            if number + 1 == lines.end {
                out.push_str(anew);
                replaced.next();
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Whether lines are as said; `…` alone in a line is any number of lines.
fn fits(said: &[&str], shown: &[&str]) -> bool {
    match said.split_first() {
        None => shown.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=shown.len()).any(|skipped| fits(rest, &shown[skipped..]))
        }
        Some((first, rest)) => {
            shown.split_first().is_some_and(|(line, others)| line_fits(first, line) && fits(rest, others))
        }
    }
}

/// Whether a line is as said; `…` in it is anything, with the blanks around it, so that tables can stay straight.
fn line_fits(said: &str, shown: &str) -> bool {
    match said.split_once('…') {
        None => said == shown,
        Some((begin, rest)) => shown.strip_prefix(begin.trim_end()).is_some_and(|shown| {
            let rest = rest.trim_start();
            let ends = shown.char_indices().map(|(at, _)| at).chain([shown.len()]);
            ends.into_iter().any(|at| line_fits(rest, &shown[at..]))
        }),
    }
}

/// Its commands want Kerberos: `tests/secured_clusters.rs` runs them.
const SECURED: &str = "docs/secured-clusters.md";

/// What a block that is not run may not hold: commands of rowkey, and what only rowkey prints.
fn not_run(path: &str, first: usize, info: &str, lines: &[&str]) -> Vec<String> {
    if path == SECURED {
        return Vec::new();
    }
    let is_command = |line: &str| {
        let line = line.trim_start().trim_start_matches("$ ");
        line.starts_with("rowkey ") || line.contains("| rowkey ")
    };
    let is_answer =
        |line: &str| ["error: ", "error[", "warning[", "╞", " --> "].iter().any(|sign| line.contains(sign));
    (first..)
        .zip(lines)
        .filter(|(_, line)| is_command(line) || is_answer(line))
        .map(|(number, line)| {
            format!("{path}:{number}: no test runs this; make it ```console, not ```{info}: {line}")
        })
        .collect()
}

#[test]
fn three_dots_are_anything() {
    assert!(line_fits("a …    c", "a bb c") && line_fits("…", "") && !line_fits("a … c", "a bb d"));
    assert!(fits(&["a", "  …", "d"], &["a", "b", "c", "d"]) && fits(&["…"], &[]));
    assert!(!fits(&["a", "…", "e"], &["a", "b"]) && !fits(&["a"], &["a", "b"]) && !fits(&[], &["a"]));
}

#[test]
fn lines_are_replaced_where_they_stand() {
    let page = "1\n2\n3\n4\n5\n";
    assert_eq!(with(page, &[(2..4, "x\n".to_owned()), (5..5, "y\n".to_owned())]), "1\nx\n4\ny\n5\n");
}
