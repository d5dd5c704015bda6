//! Cuts a key's text into its parts.
//!
//! A first pass over the text, before any expression is parsed: brackets, the text between them, and what follows
//! `where`. Quotes hide everything inside.

use crate::finding::{Finding, Problem};
use crate::span::Span;

/// A stretch of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePiece {
    /// Text between brackets, without outer blanks.
    Literal(Span),
    /// A bracket, with its brackets.
    Bracket(Span),
}

/// The parts, and the text behind `where` if there is one.
pub(super) struct Cut {
    pub(super) pieces: Vec<Result<SourcePiece, Finding>>,
    pub(super) names: Option<Span>,
    pub(super) has_brackets: bool,
    /// Where the parts end and `where` begins.
    pub(super) parts_end: usize,
}

pub(super) fn cut(source: &str) -> Cut {
    let where_at = find_where(source);
    let parts_end = where_at.map_or(source.len(), |at| at);
    let parts = source.get(..parts_end).unwrap_or_default();
    Cut {
        pieces: pieces(parts),
        names: where_at.map(|at| Span::new(at + "where".len(), source.len())),
        has_brackets: parts.contains(['[', ']']),
        parts_end,
    }
}

/// The word `where` with blanks around it, outside quotes and brackets.
fn find_where(source: &str) -> Option<usize> {
    let (mut quoted, mut depth) = (false, 0i32);
    for (at, character) in source.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            'w' if !quoted && depth <= 0 => {
                let before = source.get(..at).and_then(|text| text.chars().next_back());
                let after = source.get(at..).and_then(|text| text.strip_prefix("where"));
                let ends = after.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
                if ends && before.is_some_and(|c| c.is_whitespace() || c == ']') {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn pieces(source: &str) -> Vec<Result<SourcePiece, Finding>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with('[') {
            let (len, closed) = bracket_len(rest);
            let span = Span::new(at, at + len);
            pieces.push(closed.map(|()| SourcePiece::Bracket(span)).map_err(|problem| match problem {
                Problem::UnclosedQuote => Finding::new(span, problem),
                _ => Finding::new(Span::new(at, at + 1), problem),
            }));
            at += len;
        } else if rest.starts_with(']') {
            pieces.push(Err(Finding::new(Span::new(at, at + 1), Problem::StrayBracket)));
            at += 1;
        } else {
            let len = literal_len(rest);
            let text = rest.get(..len).unwrap_or_default();
            if !text.trim().is_empty() {
                let start = at + (text.len() - text.trim_start().len());
                pieces.push(Ok(SourcePiece::Literal(Span::new(start, start + text.trim().len()))));
            }
            at += len;
        }
    }
    pieces
}

/// The length up to and including the closing bracket, which does not count inside quotes.
fn bracket_len(text: &str) -> (usize, Result<(), Problem>) {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            ']' if !quoted => return (at + 1, Ok(())),
            // A second opening bracket: the first one was forgotten, the second may be fine.
            '[' if !quoted && at > 0 => return (at, Err(Problem::UnclosedBracket)),
            _ => {}
        }
    }
    (text.len(), Err(if quoted { Problem::UnclosedQuote } else { Problem::UnclosedBracket }))
}

fn literal_len(text: &str) -> usize {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '[' | ']' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}
