//! Which commands and options has the program, by its own help?

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Every command with its options.
pub(crate) struct Commands {
    /// `split key` to `--from`, `--regions` …; the program itself is the empty name.
    options: BTreeMap<String, BTreeSet<String>>,
}

impl Commands {
    /// Asks `--help` of every command.
    pub(crate) fn ask() -> Self {
        let mut commands = Self { options: BTreeMap::new() };
        commands.add("");
        commands
    }

    fn add(&mut self, name: &str) {
        let help = help(name);
        let is_option = |line: &&str| line.starts_with("  ") && line.trim_start().starts_with('-');
        let options = help.lines().filter(is_option).flat_map(options_of);
        self.options.insert(name.to_owned(), options.collect());
        for line in help.lines().skip_while(|line| *line != "Commands:").skip(1) {
            // A long line goes on deeper.
            if line.starts_with("   ") {
                continue;
            }
            let Some(command) = line.strip_prefix("  ").and_then(|line| line.split_whitespace().next())
            else {
                break;
            };
            if command != "help" {
                self.add(format!("{name} {command}").trim_start());
            }
        }
    }

    pub(crate) fn has(&self, command: &str) -> bool {
        self.options.contains_key(command)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.options.keys().map(String::as_str)
    }

    /// What is wrong with the words behind `rowkey`.
    pub(crate) fn faults(&self, words: &[&str]) -> Vec<String> {
        let mut name = String::new();
        for word in words.iter().filter(|word| !word.starts_with("--")) {
            let longer = format!("{name} {word}").trim_start().to_owned();
            if !self.has(&longer) {
                break;
            }
            name = longer;
        }
        let first = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
        };
        if name.is_empty() && is_word(first) && words.first() == Some(&first) {
            return vec![format!("there is no command `rowkey {first}`")];
        }
        // `rowkey split … --regions`: an option of one of its commands.
        let below = format!("{name} ");
        let of = |command: &&String| **command == name || command.starts_with(&below) || name.is_empty();
        let known: BTreeSet<&String> =
            self.options.keys().filter(of).flat_map(|command| &self.options[command]).collect();
        let options = options_of(&until_pipe(words).join(" "));
        options
            .filter(|option| !known.contains(option))
            .map(|option| format!("`rowkey {name}` has no option {option}"))
            .collect()
    }

    /// Options that no command has.
    pub(crate) fn unknown_options(&self, words: &[&str]) -> impl Iterator<Item = String> {
        let known = |option: &String| self.options.values().any(|options| options.contains(option));
        options_of(&words.join(" ")).filter(move |option| !known(option)).collect::<Vec<_>>().into_iter()
    }
}

/// Other programs behind a pipe have options of their own, and so has what stands behind `#`.
fn until_pipe<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().take_while(|word| !["|", "#", "&&", ">"].contains(word)).collect()
}

/// The `--options` of a text, those in quotes left out.
fn options_of(text: &str) -> impl Iterator<Item = String> + use<> {
    let words = text.split([' ', '[', '(', ',', '`']).filter(|word| word.starts_with("--"));
    let names = words.map(|word| {
        word.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect::<String>()
    });
    names.filter(|name| name.len() > 2).collect::<Vec<_>>().into_iter()
}

pub(crate) fn help(command: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    let output = program.args(command.split_whitespace()).arg("--help").output().expect("the program starts");
    assert!(output.status.success(), "rowkey {command} --help: {output:?}");
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

#[test]
fn commands_and_options_are_known() {
    let commands = Commands::ask();
    assert!(
        commands.has("split key") && commands.has("index build"),
        "{:?}",
        commands.names().collect::<Vec<_>>()
    );
    assert!(commands.faults(&["query", "orders", "--json"]).is_empty());
    assert!(commands.faults(&["split", "…", "--regions", "4"]).is_empty());
    assert_eq!(commands.faults(&["querry", "orders"]), ["there is no command `rowkey querry`"]);
    assert_eq!(
        commands.faults(&["query", "--srot", "|", "head", "--x"]),
        ["`rowkey query` has no option --srot"]
    );
}
