//! Which commands are there?
//!
//! One line each in a table of its group: name, how many arguments, what it does, examples, and the function. The order of
//! groups is that of HBase's `help`.

mod data;
mod definition;
mod explain;
mod general;
mod regions;

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
    Group { name: "dml", commands: data::COMMANDS },
    Group { name: "tools", commands: regions::COMMANDS },
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
        assert!(ALL.iter().map(|group| group.name).eq(["general", "ddl", "dml", "tools"]));
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
