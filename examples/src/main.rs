//! How are stories run from the command line? `cargo xtask stories` builds the program and calls this.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the keyboard is its work"
)]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_stories::{Figure, Run, STORIES, Scale, Setting, Story};

const HELP: &str = "\
usage: rowkey-stories --program PATH [NAME…] [--store URL] [--full] [--keep]

  NAME         stories to run, by their folder under examples/; all of them if left out
  --store URL  a cluster, hbase://… or hbase+rpc://…; a folder of its own for each story if left out
  --full       enough data for rates to mean something
  --keep       leave the folders, with data, table files and store, for tries of your own
  --list       only the names";

struct Asked {
    setting: Setting,
    stories: Vec<Story>,
    keep: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        STORIES.iter().for_each(|story| println!("{}", story.name));
        return ExitCode::SUCCESS;
    }
    match asked(&arguments) {
        Ok(asked) => tell(&asked),
        Err(message) => {
            eprintln!("stories: {message}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn asked(arguments: &[String]) -> Result<Asked, String> {
    let (mut program, mut cluster, mut scale, mut keep) = (None, None, Scale::Small, false);
    let mut stories = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--program" => program = words.next().map(PathBuf::from),
            "--store" => cluster = Some(words.next().ok_or("--store needs a URL")?.clone()),
            "--full" => scale = Scale::Full,
            "--keep" => keep = true,
            option if option.starts_with('-') => return Err(format!("there is no option {option}")),
            name => stories.push(
                Story::named(name).ok_or_else(|| format!("there is no story {name}; --list names all"))?,
            ),
        }
    }
    if let Some(url) = cluster.as_ref().filter(|url| !url.contains("://")) {
        return Err(format!("`{url}` is no cluster; without --store every story has a folder of its own"));
    }
    if stories.is_empty() {
        stories = STORIES.to_vec();
    }
    let program = program.ok_or("say where the program is: --program target/debug/rowkey")?;
    Ok(Asked { setting: Setting { program, cluster, scale }, stories, keep })
}

/// Runs them all, whatever becomes of one, and shows all figures in the end.
fn tell(asked: &Asked) -> ExitCode {
    let mut told = Vec::new();
    for story in &asked.stories {
        println!("\n=== {} ===\n", story.name);
        let figures = match story.run(&asked.setting, |line| println!("{line}")) {
            Ok(Run { stage, ended }) => {
                let failure = ended.err().map(|error| chain(&error));
                let figures = stage.figures().to_vec();
                if asked.keep {
                    println!("\nkept: cd {}", stage.keep().display());
                }
                (figures, failure)
            }
            Err(error) => (Vec::new(), Some(chain(&error))),
        };
        if let (_, Some(failure)) = &figures {
            println!("\nFAILED: {failure}");
        }
        told.push((story.name, figures));
    }
    println!("\n{}", table(&told));
    let failed: Vec<&str> =
        told.iter().filter(|(_, (_, failure))| failure.is_some()).map(|(name, _)| *name).collect();
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nfailed: {}", failed.join(", "));
    ExitCode::from(1)
}

type Outcome = (Vec<Figure>, Option<String>);

fn table(told: &[(&'static str, Outcome)]) -> String {
    let mut lines = vec!["figures".to_owned()];
    let width =
        told.iter().flat_map(|(_, (figures, _))| figures).map(|figure| figure.what.chars().count()).max();
    for (name, (figures, failure)) in told {
        lines.push(format!("\n{name}{}", if failure.is_some() { "  FAILED" } else { "" }));
        for figure in figures {
            lines.push(format!("  {:<width$}  {}", figure.what, figure.measured, width = width.unwrap_or(0)));
        }
    }
    lines.join("\n")
}

fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
