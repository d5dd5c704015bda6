//! Completes the word at the cursor.
//!
//! At the start of a statement, a command; in capital letters, a constant; in the first quotes, a table; in later ones, a
//! family of that table.

use crate::commands;
use crate::constants::CONSTANTS;
use crate::session::Session;

/// Where the word at the cursor starts, and what it could become.
pub fn complete(session: &Session, line: &str, cursor: usize) -> (usize, Vec<String>) {
    let before = line.get(..cursor).unwrap_or(line);
    let statement_start = before.rfind([';', '\n']).map_or(0, |at| at + 1);
    let statement = before.get(statement_start..).unwrap_or_default();
    if let Some((quote_at, quote)) = open_quote(statement) {
        let start = statement_start + quote_at + 1;
        let word = before.get(start..).unwrap_or_default();
        return (start, in_quotes(session, statement.get(..quote_at).unwrap_or_default(), word, quote));
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = before
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + before.get(at..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
    let word = before.get(start..).unwrap_or_default();
    let is_first = before.get(statement_start..start).is_some_and(|rest| {
        let rest = rest.trim();
        rest.is_empty() || rest.ends_with('=') || rest == "explain"
    });
    if word.starts_with(|c: char| c.is_uppercase()) {
        return (start, beginning(CONSTANTS.iter().copied(), word, ""));
    }
    let candidates =
        if is_first && !word.is_empty() { beginning(commands::names(), word, " ") } else { Vec::new() };
    (start, candidates)
}

fn beginning<'c>(candidates: impl Iterator<Item = &'c str>, word: &str, behind: &str) -> Vec<String> {
    candidates.filter(|name| name.starts_with(word)).map(|name| format!("{name}{behind}")).collect()
}

/// The quote that is open at the end of a text.
fn open_quote(text: &str) -> Option<(usize, char)> {
    let mut open = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (open, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (None, '\'' | '"') => open = Some((at, c)),
            (Some((_, quote)), c) if c == quote => open = None,
            _ => {}
        }
    }
    open
}

fn in_quotes(session: &Session, before: &str, word: &str, quote: char) -> Vec<String> {
    let close = quote.to_string();
    match before.split(['\'', '"']).nth(1) {
        // The first text of a statement names a table.
        None => {
            let tables = session.store().list_tables().unwrap_or_default();
            let names: Vec<String> = tables.iter().map(ToString::to_string).collect();
            beginning(names.iter().map(String::as_str), word, &close)
        }
        Some(table) => {
            let described = table.parse().ok().and_then(|name| session.store().describe(&name).ok());
            let families: Vec<String> = described
                .iter()
                .flat_map(|table| &table.families)
                .map(|family| family.name.clone())
                .collect();
            beginning(families.iter().map(String::as_str), word, ":")
        }
    }
}
