//! The prompt of the shell: editing, history, completion, and statements of several lines.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::bail;
use rowkey_core::visible::is_hidden;
use rowkey_shell::language::{ParseError, parse};
use rowkey_shell::{Ended, Session};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, Config, Context, Editor, Helper};

use crate::output::Output;
use crate::{Answer, interrupt};

const PROMPT: &str = "rowkey> ";
const HISTORY: usize = 10_000;

pub(super) fn run(session: Session, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let session = Rc::new(RefCell::new(session));
    let plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    let colours = if plain { ColorMode::Disabled } else { ColorMode::Enabled };
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_dups(true)?
        .auto_add_history(true)
        .color_mode(colours);
    let mut editor: Editor<Line, FileHistory> = Editor::with_config(config.build())?;
    editor.set_helper(Some(Line { session: session.clone() }));
    let history = history_file();
    if let Some(path) = &history {
        // None yet, or not readable: then there is no past.
        let _ = editor.load_history(path);
    }
    let out = output.screen();
    writeln!(out, "rowkey shell on {store}: HBase's commands; help lists them, Tab completes, exit ends\n")?;
    out.flush()?;
    let mut code = 0;
    loop {
        match editor.readline(PROMPT) {
            Ok(text) => {
                interrupt::cancels();
                let exit = statements(&session, &text, out)?;
                out.flush()?;
                if !interrupt::back_to_the_prompt() {
                    bail!("interrupted; what was done before stays");
                }
                if let Some(exit) = exit {
                    code = exit;
                    break;
                }
            }
            // Ctrl-C gives up the line, Ctrl-D the shell.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(path) = &history {
        // A history that cannot be kept is no reason to fail at the end of a session.
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = editor.append_history(path);
    }
    match code {
        0 => Ok(Answer::Yes),
        code => std::process::exit(code.into()),
    }
}

/// Runs what was typed; the exit code if that ends the shell.
fn statements(session: &RefCell<Session>, text: &str, out: &mut dyn Write) -> anyhow::Result<Option<u8>> {
    let parsed = match parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            writeln!(out, "ERROR: {error}\n")?;
            return Ok(None);
        }
    };
    for statement in &parsed {
        let mut session = session.borrow_mut();
        session.set_width(super::width());
        match session.run(statement, out)? {
            Ended::Done => {}
            Ended::Failed => break,
            Ended::Exit(code) => return Ok(Some(code)),
        }
    }
    Ok(None)
}

/// `$XDG_STATE_HOME/rowkey/shell_history`, else below `$HOME/.local/state`.
fn history_file() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local").join("state")))?;
    Some(state.join("rowkey").join("shell_history"))
}

/// What helps to type a line.
struct Line {
    session: Rc<RefCell<Session>>,
}

impl Helper for Line {}

impl Hinter for Line {
    type Hint = String;
}

impl Completer for Line {
    type Candidate = Pair;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, mut candidates) = rowkey_shell::complete(&self.session.borrow(), line, cursor);
        // A name that a terminal would obey is not offered: the editor shows what it inserts.
        candidates.retain(|text| !text.contains(is_hidden));
        let pair = |text: String| Pair { display: text.trim_end().to_owned(), replacement: text };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

impl Validator for Line {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match parse(context.input()) {
            Err(ParseError::Incomplete) => ValidationResult::Incomplete,
            _ => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Line {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(format!("\x1b[1;36m{prompt}\x1b[0m"))
    }

    /// Texts in green.
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        let mut shown = String::with_capacity(line.len() + 16);
        let (mut open, mut escaped) = (None, false);
        for c in line.chars() {
            let starts = open.is_none() && matches!(c, '\'' | '"');
            if starts {
                shown.push_str("\x1b[32m");
                open = Some(c);
            }
            // A line of the history or a paste; of the same width for the editor.
            shown.push(if is_hidden(c) && c != '\n' { '\u{fffd}' } else { c });
            if !starts && !escaped && open == Some(c) {
                shown.push_str("\x1b[0m");
                open = None;
            }
            escaped = !escaped && c == '\\';
        }
        if open.is_some() {
            shown.push_str("\x1b[0m");
        }
        Cow::Owned(shown)
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}
