//! The commands of the shell.
//!
//! One line each in a table of its group: name, how many arguments, what it does, examples, and the function. The order of
//! groups is that of HBase's `help`.

/// The commands of a group, one after the other: name and how many arguments it takes, what it does, examples, the function.
macro_rules! commands {
    (@most any) => { None };
    (@most $most:literal) => { Some($most) };
    ($($name:ident($least:literal to $most:tt) $summary:literal [$($example:literal),+ $(,)?] => $run:expr;)+) => {
        pub(super) const COMMANDS: &[Command] = &[$(Command {
            name: stringify!($name),
            least: $least,
            most: commands!(@most $most),
            summary: $summary,
            examples: &[$($example),+],
            run: $run,
        }),+];
    };
}

mod data;
mod definition;
mod explain;
mod general;
mod namespaces;
mod regions;
mod snapshots;

use regex::Regex;
use rowkey_store::StoreError;

use crate::error::ShellError;
use crate::language::Value;
use crate::screen::Screen;
use crate::session::Session;

/// A command of the shell.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// The fewest arguments that it takes.
    least: usize,
    /// The most; `None` takes any number.
    most: Option<usize>,
    pub(crate) summary: &'static str,
    pub(crate) examples: &'static [&'static str],
    pub(crate) run: fn(&Session, &[Value], &mut Screen<'_>) -> Result<Value, ShellError>,
}

impl Command {
    /// Refuses a number of arguments that it does not take.
    pub(crate) fn check(&self, given: usize) -> Result<(), ShellError> {
        if given >= self.least && self.most.is_none_or(|most| given <= most) {
            return Ok(());
        }
        let expected = match self.most {
            None => format!("{}+", self.least),
            Some(most) if most == self.least => most.to_string(),
            Some(most) => format!("{}..{most}", self.least),
        };
        Err(ShellError::Arguments { given, expected })
    }
}

/// A group of commands, as `help` shows it.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) commands: &'static [Command],
}

pub(crate) const ALL: &[Group] = &[
    Group { name: "general", commands: general::COMMANDS },
    Group { name: "ddl", commands: definition::COMMANDS },
    Group { name: "namespace", commands: namespaces::COMMANDS },
    Group { name: "dml", commands: data::COMMANDS },
    Group { name: "tools", commands: regions::COMMANDS },
    Group { name: "snapshots", commands: snapshots::COMMANDS },
];

fn all() -> impl Iterator<Item = &'static Command> {
    ALL.iter().flat_map(|group| group.commands)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|command| command.name)
}

/// The command of a name; `desc` is short for `describe`.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    let name = if name == "desc" { "describe" } else { name };
    all().find(|command| command.name == name)
}

/// Prints and returns the answer to a question.
fn answer(yes: bool, screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    screen.cell(if yes { "true" } else { "false" })?;
    Ok(Value::Bool(yes))
}

/// Whether a regular expression, if one is given, matches a whole name.
fn matches(pattern: Option<&Value>) -> Result<impl Fn(&str) -> bool, ShellError> {
    let pattern = pattern.map_or_else(|| ".*".to_owned(), Value::text);
    let whole = Regex::new(&format!("^(?:{pattern})$"))
        .map_err(|error| ShellError::Argument(format!("`{pattern}` is no regular expression: {error}")))?;
    Ok(move |name: &str| whole.is_match(name))
}

/// Prints the names that a regular expression matches, all without one, and returns them. The head stands above an error too.
fn list_names(
    head: &str,
    names: impl FnOnce() -> Result<Vec<String>, StoreError>,
    pattern: Option<&Value>,
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    screen.cell(head)?;
    let matches = matches(pattern)?;
    let names: Vec<String> = names()?.into_iter().filter(|name| matches(name)).collect();
    for name in &names {
        screen.cell(name)?;
    }
    screen.footer(names.len())?;
    Ok(Value::List(names.iter().map(|name| Value::from(name.as_str())).collect()))
}

/// A text that names something other than a table.
fn name(argument: Option<&Value>, what: &str) -> Result<String, ShellError> {
    match argument {
        Some(Value::Text(name)) => Ok(String::from_utf8_lossy(name).into_owned()),
        _ => ShellError::argument(format!("{what} name must be of type String")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Statement, parse};

    #[test]
    fn every_command_is_there_once_and_its_examples_can_be_read() {
        let names: Vec<&str> = names().collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len());
        assert!(ALL.iter().map(|group| group.name).eq([
            "general",
            "ddl",
            "namespace",
            "dml",
            "tools",
            "snapshots"
        ]));
        for command in all() {
            assert!(!command.examples.is_empty(), "{}", command.name);
            for example in command.examples {
                let parsed = parse(example).unwrap_or_else(|error| panic!("{example}: {error}"));
                let uses = |statement: &Statement| {
                    matches!(statement, Statement::Call(call) if call.command == command.name
                        && command.check(call.arguments.len() + usize::from(call.receiver.is_some())).is_ok())
                };
                assert!(parsed.iter().any(uses), "{example}");
            }
        }
    }
}
