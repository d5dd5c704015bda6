//! Confirmation of what cannot be undone.

use std::io::{BufRead, IsTerminal};

use crate::output::tell;
use crate::public::public;

/// Asks at the terminal. Where there is none, nothing is `done` silently.
pub(crate) fn said_yes(question: &str, done: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(public(format!(
            "nothing was {done}, because there is no terminal to ask at: {question} Say so with --yes"
        )));
    }
    tell(&format!("{question} [y/N] "));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
