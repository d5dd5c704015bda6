//! Commands about the shell and the cluster.

use super::{ALL, Command, Group, find};
use crate::error::ShellError;
use crate::language::Value;
use crate::screen::Screen;
use crate::session::Session;

commands! {
    help(0 to 1) "Lists all commands, or explains a command or a group of them."
        ["help", "help 'scan'", "help 'ddl'"] => help;

    status(0 to 2) "Says how many servers and regions there are."
        ["status"] => status;

    version(0 to 0) "Prints the version of this shell."
        ["version"] => |_, _, screen| {
            screen.line(concat!("rowkey ", env!("CARGO_PKG_VERSION")))?;
            Ok(Value::Nil)
        };
}

fn status(session: &Session, _: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let status = session.store.status()?;
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let load = status.regions as f64 / status.servers.len().max(1) as f64;
    screen.line(&format!(
        "1 active master, {} backup masters, {} servers, {} dead, {load:.4} average load",
        status.backup_masters.len(),
        status.servers.len(),
        status.dead_servers.len(),
    ))?;
    Ok(Value::Nil)
}

fn help(_: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let wanted = arguments.first().map(Value::text);
    if let Some(name) = &wanted {
        if let Some(command) = find(name) {
            page(command, screen)?;
            return Ok(Value::Nil);
        }
        if let Some(group) = ALL.iter().find(|group| group.name == name) {
            for command in group.commands {
                screen.line(&format!("Command: {}", command.name))?;
                page(command, screen)?;
                screen.line("")?;
            }
            return Ok(Value::Nil);
        }
        let near = rowkey_core::internal::nearest(name, super::names());
        let mean = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        screen.line(&format!("ERROR: Invalid command or command group name: {name}{mean}\n"))?;
    }
    screen.line("Type help 'COMMAND' or help 'GROUP' for more. Names and texts stand in quotes, a comma between arguments;\n\
        options are {NAME => value, …}; bytes stand in double quotes: \"\\x00\\xff\". exit ends the shell.\n\nCOMMAND GROUPS:")?;
    for Group { name, commands } in ALL {
        let names: Vec<&str> = commands.iter().map(|command| command.name).collect();
        screen.line(&format!("  Group name: {name}\n  Commands: {}\n", names.join(", ")))?;
    }
    Ok(Value::Nil)
}

fn page(command: &Command, screen: &mut Screen<'_>) -> Result<(), ShellError> {
    screen.line(&format!("{}\n\nExamples:", command.summary))?;
    for example in command.examples {
        screen.line(&format!("  {example}"))?;
    }
    Ok(())
}
