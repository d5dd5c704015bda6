//! Is everything true that the pages say about the program?
//!
//! A page is any Markdown file of the repository: README.md, docs/, CONTRIBUTING.md, the pages of examples/. What is run, and what
//! is only looked up:
//!
//! | on a page | here |
//! | --- | --- |
//! | ```` ```console ```` | every `$ command` is run by `sh`, in a folder of the page's own; the lines below it are its answer ([`answers`]) |
//! | ```` ```sh ```` | every line is run; what it prints is not shown |
//! | ```` ```toml NAME ````, `csv`, `text` … | the file is written to that folder |
//! | `<!-- data: 20000 orders in orders.csv -->` | data that a page needs and need not show ([`place`]) |
//! | other blocks | may hold no command of rowkey and nothing that it prints |
//! | `` `rowkey query --sort` ``, `` `--json` ``, `` `cargo test -p …` `` | commands, options, packages, tests and variables exist ([`names`]) |
//! | links, `` `path/of/a/file.rs` `` | the file exists, and the heading in it |
//!
//! `ROWKEY_BLESS=1` writes the answers anew; read the change. `ROWKEY_PAGE=docs/size.md` looks at one page only.

#[path = "../program/mod.rs"]
mod program;

mod answers;
mod blocks;
mod help_examples;
mod library_words;
mod names;
mod place;
mod repository;

use std::collections::VecDeque;
use std::sync::Mutex;

use repository::Repository;

/// Pages that tell what was, not what is.
const HISTORY: &str = "CHANGELOG.md";

/// The figures of one run, which `cargo xtask bench all` writes: no answers to compare.
const FIGURES: &str = "docs/benchmarks.md";

#[test]
fn every_command_answers_what_its_page_says() {
    let repository = Repository::read();
    let pages = Mutex::new(repository.pages(&[HISTORY, FIGURES]).collect::<VecDeque<_>>());
    let (faults, commands) = (Mutex::new(Vec::new()), Mutex::new(0));
    let next = || pages.lock().expect("no page panics while it holds the list").pop_front();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(page) = next() {
                    let found = answers::compare(&repository, page);
                    *commands.lock().expect("counting does not panic") += found.commands;
                    faults.lock().expect("pushing does not panic").extend(found.faults);
                }
            });
        }
    });
    let (faults, commands) = (faults.into_inner().expect("joined"), commands.into_inner().expect("joined"));
    println!("{commands} commands run");
    assert!(
        faults.is_empty(),
        "{}\n\nROWKEY_BLESS=1 writes answers anew; read the change",
        faults.join("\n\n")
    );
    assert!(commands > 0 || std::env::var_os("ROWKEY_PAGE").is_some(), "no page has a command");
}

#[test]
fn whatever_a_page_names_exists() {
    let repository = Repository::read();
    let known = names::Known::of(&repository);
    let of_pages = repository.pages(&[HISTORY]).flat_map(|page| names::faults(&repository, &known, page));
    let of_recipes = names::faults_of_recipes(&repository, &known);
    let faults: Vec<String> = of_pages.chain(of_recipes).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_text_of_a_library_speaks_of_the_program() {
    let repository = Repository::read();
    let known = names::Known::of(&repository);
    let commands: Vec<&str> = known.commands().collect();
    let faults = library_words::faults(&repository, &commands);
    assert!(faults.is_empty(), "name a Remedy instead:\n{}", faults.join("\n"));
}

/// The wrong ways of a first hour with files, stores and tables of others, each of which
/// [`every_command_answers_what_its_page_says`] runs.
#[test]
fn the_page_of_errors_has_forty_wrong_ways_of_a_first_hour() {
    let text = Repository::read().text("docs/errors.md");
    let of_a_first_hour = [
        "A key as articles write it",
        "Files",
        "Times and nulls of a file",
        "Half a URL",
        "A table that rowkey did not make",
        "Exports",
    ];
    let sections = text
        .split("\n## ")
        .filter(|section| section.lines().next().is_some_and(|heading| of_a_first_hour.contains(&heading)));
    let wrong_ways: Vec<usize> = sections
        .map(|section| {
            let commands = section.lines().filter(|line| line.starts_with("$ ") && line.contains("rowkey"));
            commands.filter(|line| line.ends_with("# exit code 2")).count()
        })
        .collect();
    assert_eq!(wrong_ways.len(), of_a_first_hour.len(), "every section is there");
    assert!(wrong_ways.iter().sum::<usize>() >= 40, "{wrong_ways:?}");
}
