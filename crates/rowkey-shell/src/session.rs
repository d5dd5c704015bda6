//! What a shell remembers between statements, and what it prints around a command.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use rowkey_ops::query::Cancel;
use rowkey_store::{Store, TableName};

use crate::commands::{self, Command};
use crate::error::ShellError;
use crate::language::{Argument, Call, MAX_DEPTH, Statement, Value};
use crate::screen::Screen;

/// How a shell prints.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Times as milliseconds since 1970, as older shells printed them.
    pub epoch: bool,
    /// The width of the terminal; 0 for a pipe.
    pub width: usize,
    /// Ends the statement that is running.
    pub cancel: Cancel,
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It did what it said.
    Done,
    /// It failed, and the reason was printed.
    Failed,
    /// The shell is to end with this exit code.
    Exit(u8),
}

/// A shell on a store.
pub struct Session {
    pub(crate) store: Box<dyn Store>,
    pub(crate) settings: Settings,
    variables: BTreeMap<String, Value>,
}

impl Session {
    /// A shell that remembers nothing yet.
    pub fn new(store: Box<dyn Store>, settings: Settings) -> Self {
        Self { store, settings, variables: BTreeMap::new() }
    }

    /// The store that it works on.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// How it prints from now on.
    pub fn set_width(&mut self, width: usize) {
        self.settings.width = width;
    }

    /// Does what a statement says and prints it to `out`.
    ///
    /// # Errors
    /// Only of `out`: what a command refuses is printed.
    pub fn run(&mut self, statement: &Statement, out: &mut dyn Write) -> io::Result<Ended> {
        let call = match statement {
            Statement::Assign(name, argument) => {
                return match self.value(argument) {
                    // `x = [x]` again and again: commands walk through a value, so that it may not become deeper and deeper.
                    Ok(value) if value.depth() > MAX_DEPTH => {
                        writeln!(
                            out,
                            "\nERROR: `{name}` would hold lists and hashes nested more than {MAX_DEPTH} deep\n"
                        )?;
                        Ok(Ended::Failed)
                    }
                    Ok(value) => {
                        self.variables.insert(name.clone(), value);
                        Ok(Ended::Done)
                    }
                    Err(error) => {
                        writeln!(out, "\nERROR: {error}\n")?;
                        Ok(Ended::Failed)
                    }
                };
            }
            Statement::Call(call) => call,
        };
        if matches!(call.command.as_str(), "exit" | "quit") {
            return Ok(Ended::Exit(self.exit_code(call)));
        }
        let Some(command) = commands::find(&call.command) else {
            return self.unknown(call, out);
        };
        let begin = Instant::now();
        let done = self.call(command, call, &mut Screen::new(out, self.settings.width));
        let step = match done {
            Ok(value) => {
                if let Some(name) = &call.assign {
                    self.variables.insert(name.clone(), value);
                }
                Ended::Done
            }
            Err(ShellError::Output(error)) => return Err(error),
            Err(error) => {
                writeln!(out, "\nERROR: {error}\n\nFor usage try 'help \"{}\"'\n", command.name)?;
                Ended::Failed
            }
        };
        if command.name != "help" {
            let took = format!("Took {:.4} seconds", begin.elapsed().as_secs_f64());
            Screen::new(out, self.settings.width).cell(&took)?;
        }
        Ok(step)
    }

    fn call(&self, command: &Command, call: &Call, screen: &mut Screen<'_>) -> Result<Value, ShellError> {
        let mut arguments = Vec::with_capacity(call.arguments.len() + 1);
        if let Some(receiver) = &call.receiver {
            match self.variables.get(receiver) {
                Some(Value::Table(name)) => arguments.push(Value::from(name.to_string().as_str())),
                Some(other) => {
                    return ShellError::argument(format!(
                        "`{receiver}` holds {}, and commands are called on tables; write {receiver} = get_table 'name'",
                        other.inspect()
                    ));
                }
                None => return Err(unknown_variable(receiver)),
            }
        }
        for argument in &call.arguments {
            arguments.push(self.value(argument)?);
        }
        command.check(arguments.len())?;
        (command.run)(self, &arguments, screen)
    }

    fn value(&self, argument: &Argument) -> Result<Value, ShellError> {
        Ok(match argument {
            Argument::Value(value) => value.clone(),
            Argument::Variable(name) => {
                self.variables.get(name).cloned().ok_or_else(|| unknown_variable(name))?
            }
            Argument::List(list) => {
                Value::List(list.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?)
            }
            Argument::Hash(pairs) => {
                let pair = |(key, value): &(Argument, Argument)| -> Result<(String, Value), ShellError> {
                    Ok((self.value(key)?.text(), self.value(value)?))
                };
                Value::Hash(pairs.iter().map(pair).collect::<Result<_, _>>()?)
            }
        })
    }

    fn exit_code(&self, call: &Call) -> u8 {
        match call.arguments.first().map(|argument| self.value(argument)) {
            Some(Ok(Value::Int(code))) => u8::try_from(code).unwrap_or(1),
            _ => 0,
        }
    }

    fn unknown(&self, call: &Call, out: &mut dyn Write) -> io::Result<Ended> {
        let name = &call.command;
        if call.arguments.is_empty()
            && let Some(value) = self.variables.get(name)
        {
            writeln!(out, "=> {}", value.inspect())?;
            return Ok(Ended::Done);
        }
        let near = rowkey_core::internal::nearest(name, commands::names());
        let mean = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        writeln!(out, "\nERROR: there is no command `{name}`{mean}\n\nFor all commands try 'help'\n")?;
        Ok(Ended::Failed)
    }

    /// The table that an argument names.
    pub(crate) fn table(argument: Option<&Value>) -> Result<TableName, ShellError> {
        match argument {
            Some(Value::Table(name)) => Ok(name.clone()),
            Some(Value::Text(name)) => Ok(String::from_utf8_lossy(name).parse()?),
            Some(other) => ShellError::argument(format!(
                "{} is no table's name; names are texts in quotes",
                other.inspect()
            )),
            None => ShellError::argument("a table's name is missing"),
        }
    }

    /// The same, for commands that look first whether it is there.
    pub(crate) fn existing(&self, argument: Option<&Value>) -> Result<TableName, ShellError> {
        let name = Self::table(argument)?;
        if self.store.table_exists(&name)? { Ok(name) } else { Err(ShellError::NoTable(name.to_string())) }
    }
}

fn unknown_variable(name: &str) -> ShellError {
    ShellError::Argument(format!("there is no variable `{name}`; texts need quotes: '{name}'"))
}
