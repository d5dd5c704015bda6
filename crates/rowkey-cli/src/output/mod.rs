//! Output of the program.
//!
//! Answers go to standard output, as text or, with `--json`, as one object per line; notes, progress and errors go to
//! standard error, so that a pipe gets nothing but answers. Both streams are in [`screen`], which escapes what a terminal would obey.

mod cells;
mod format;
mod heat;
mod keys;
mod layout;
mod pages;
mod progress;
mod records;
mod report;
mod rows;
mod screen;

use std::io::{self, Write};

use anyhow::bail;
use rowkey_core::disclosure::Disclosure;
use rowkey_core::escape::{escape, to_hex};
use rowkey_core::query::Figure;
use serde_json::{Value, json};

use self::format::{Csv, Format, Json, Text};
use self::layout::Layout;
use crate::key_text::KeyText;

pub(crate) use cells::CellPrinter;
pub(crate) use heat::Paint;
pub(crate) use keys::{key_record_json, key_start_json, show_key};
pub(crate) use progress::{Bar, Spinner};
pub(crate) use records::{RecordPrinter, named, read_record, selected, value_json_as};
pub(crate) use report::{Annotated, report};
pub(crate) use rows::{Cell, Column, Rows, cell, number};
pub(crate) use screen::{Painted, Screen, is_redacted, is_terminal, tell, tell_panic};

/// Where answers go. A command gives it all of its answer, for people and for programs; the [`Format`] that was chosen takes its part.
pub(crate) struct Output {
    format: &'static dyn Format,
    /// How much of keys and values is shown.
    pub(crate) shown: Disclosure,
    out: Screen,
}

impl Output {
    pub(crate) fn new(json: bool, shown: Disclosure) -> Self {
        let format: &'static dyn Format = if json { &Json } else { &Text };
        Self { format, shown, out: Screen::new(format.visible()) }
    }

    /// Goes over to CSV if that was asked for.
    pub(crate) fn csv(&mut self, asked: bool) -> anyhow::Result<()> {
        if asked {
            self.excludes("--csv")?;
            self.format = &Csv;
        }
        Ok(())
    }

    /// The option that chose the format, if it is not the one for people.
    pub(crate) fn chosen(&self) -> Option<&'static str> {
        self.format.option()
    }

    /// Refuses an option that belongs to another format.
    fn excludes(&self, option: &str) -> anyhow::Result<()> {
        match self.chosen() {
            Some(chosen) => bail!("choose either {option} or {chosen}"),
            None => Ok(()),
        }
    }

    /// The form of keys on the screen.
    pub(crate) fn key_text(&self, hex: bool) -> KeyText {
        if self.shown.hides() { KeyText::Hidden } else { KeyText::new(hex) }
    }

    /// Standard output, for what is the same in every format.
    pub(crate) fn screen(&mut self) -> &mut Screen {
        &mut self.out
    }

    /// An answer in one line, or its object.
    pub(crate) fn line(&mut self, text: &str, object: impl FnOnce() -> Value) -> io::Result<()> {
        self.text(text)?;
        self.object(object)
    }

    /// How lines are written that threads make, each of them an answer.
    pub(crate) fn lines(&self) -> Lines {
        if self.format.rows_at_once().is_some() { Lines::Texts } else { Lines::Objects }
    }

    /// Text for people, ended by a line end.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.format.text(&mut self.out, text)?;
        self.out.flush()
    }

    /// Text for people in colours, ended by a line end.
    pub(crate) fn painted(&mut self, text: &Painted) -> io::Result<()> {
        self.format.painted(&mut self.out, text)?;
        self.out.flush()
    }

    /// Rows for people.
    pub(crate) fn rows(&mut self, rows: &Rows) -> io::Result<()> {
        self.laid_out(rows, &mut Layout::default())
    }

    fn laid_out(&mut self, rows: &Rows, layout: &mut Layout) -> io::Result<()> {
        self.format.rows(&mut self.out, rows, layout)?;
        self.out.flush()
    }

    /// An object for programs.
    pub(crate) fn object(&mut self, object: impl FnOnce() -> Value) -> io::Result<()> {
        let mut object = Some(object);
        self.format.object(&mut self.out, &mut || object.take().map_or(Value::Null, |object| object()))?;
        self.out.flush()
    }

    /// Text that is the answer in every format: a file, a page, a graph.
    pub(crate) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    /// A remark beside the answer.
    pub(crate) fn note(&self, text: &str) {
        if self.format.has_notes() {
            tell(&format!("{text}\n"));
        }
    }
}

/// What a line of an answer has.
#[derive(Clone, Copy)]
pub(crate) enum Lines {
    Texts,
    Objects,
}

impl Lines {
    /// Adds a line.
    pub(crate) fn append(
        self,
        out: &mut Vec<u8>,
        text: impl FnOnce(&mut Vec<u8>),
        object: impl FnOnce() -> Value,
    ) {
        match self {
            Self::Texts => text(out),
            Self::Objects => out.extend(object().to_string().into_bytes()),
        }
        out.push(b'\n');
    }
}

/// A key as every command shows it to programs.
pub(crate) fn key_json(key: &[u8]) -> Value {
    json!({ "hex": to_hex(key), "text": escape(key).to_string() })
}

/// A key for programs, or its length if they may not see it.
pub(crate) fn key_or_length(key: &[u8], shown: Disclosure) -> Value {
    if shown.hides() { json!({ "length": key.len() }) } else { key_json(key) }
}

/// `1,234,567`
pub(crate) fn grouped(number: u64) -> String {
    Figure::Count(number).to_string()
}

/// `1 row`, `2,000 rows`
pub(crate) fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// `1 row`, `1,234 rows`
pub(crate) fn counted_rows(rows: u64) -> String {
    counted(rows, "row")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_nouns_counted() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!((counted(1, "row"), counted(0, "row")), ("1 row".to_owned(), "0 rows".to_owned()));
    }
}
