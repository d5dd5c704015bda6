//! `rowkey shell`

mod prompt;

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use rowkey_shell::language::{Statement, parse};
use rowkey_shell::{Ended, Session, Settings};

use crate::args::Shell;
use crate::output::{Output, counted, is_terminal};
use crate::{Answer, interrupt, open_store};

pub(crate) fn run(arguments: &Shell, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if output.chosen().is_some() {
        bail!(
            "the shell prints what HBase's shell prints, which is no JSON; for JSON take rowkey scan, get or query"
        );
    }
    let script = arguments.script.as_deref();
    // A script that cannot be read is refused before a store is opened.
    let text = match (script, arguments.execute.as_slice()) {
        (Some(path), _) if path == Path::new("-") => Some(standard_input()?),
        (Some(path), _) => Some(
            fs::read_to_string(path)
                .with_context(|| format!("could not read the script {}", path.display()))?,
        ),
        (None, []) if io::stdin().is_terminal() => None,
        (None, []) => Some(standard_input()?),
        (None, commands) => Some(commands.join("\n")),
    };
    let label = match script {
        Some(path) if path != Path::new("-") => path.display().to_string(),
        _ if !arguments.execute.is_empty() => "-e".to_owned(),
        _ => "standard input".to_owned(),
    };
    let statements =
        text.map(|text| parse(&text).map_err(|error| anyhow!("{label}: {error}"))).transpose()?;
    let settings = Settings { epoch: arguments.epoch, width: width(), cancel: interrupt::cancels() };
    // Opening a store, and waiting at the prompt, are no safe points.
    interrupt::back_to_the_prompt();
    let mut session = Session::new(open_store::open_or_make(store)?, settings);
    match statements {
        None => prompt::run(session, store, output),
        Some(statements) => run_script(&mut session, &statements, &label, arguments.keep_going, output),
    }
}

fn standard_input() -> anyhow::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).context("could not read commands from standard input")?;
    Ok(text)
}

/// The width of the terminal that rows are laid out for; 0 for a pipe.
fn width() -> usize {
    if !is_terminal() {
        return 0;
    }
    comfy_table::Table::new().width().map_or(0, usize::from)
}

fn run_script(
    session: &mut Session,
    statements: &[Statement],
    label: &str,
    keep_going: bool,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let mut failed = 0;
    let cancel = interrupt::cancels();
    for (done, statement) in statements.iter().enumerate() {
        let out = output.screen();
        let step = session.run(statement, out)?;
        out.flush()?;
        if cancel.is_cancelled() {
            let line = line_of(statement).map(|line| format!(", line {line}")).unwrap_or_default();
            let rest = counted(statements.len() - done - 1, "command");
            bail!("{label}{line}: interrupted; what was done before stays, and {rest} behind it did not run");
        }
        match step {
            Ended::Done => {}
            Ended::Failed => {
                failed += 1;
                if !keep_going {
                    let line = line_of(statement).map(|line| format!(", line {line}")).unwrap_or_default();
                    bail!(
                        "{label}{line}: the command failed, and the rest was not run; --keep-going goes on"
                    );
                }
            }
            Ended::Exit(0) => break,
            Ended::Exit(code) => std::process::exit(code.into()),
        }
    }
    if failed > 0 {
        bail!("{label}: {failed} of {} commands failed", statements.len());
    }
    Ok(Answer::Yes)
}

fn line_of(statement: &Statement) -> Option<usize> {
    match statement {
        Statement::Call(call) => Some(call.line),
        Statement::Assign(..) => None,
    }
}
