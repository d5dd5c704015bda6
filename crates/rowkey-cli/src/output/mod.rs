//! Output of the program.
//!
//! Answers go to standard output, as text or, with `--json`, as one object per line; notes, progress and errors go to
//! standard error, so that a pipe gets nothing but answers. Both streams are in [`screen`], which escapes what a terminal would obey.

mod cells;
mod csv;
mod heat;
mod keys;
mod layout;
mod progress;
mod records;
mod report;
mod screen;

use std::io::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{Cell, ContentArrangement, Table};
use rowkey_core::disclosure::Disclosure;
use rowkey_core::escape::{escape, to_hex};
use rowkey_core::query::Figure;
use rowkey_core::visible::visible;
use serde_json::{Value, json};

use crate::key_text::KeyText;

pub(crate) use cells::CellPrinter;
pub(crate) use csv::csv_line;
pub(crate) use heat::Paint;
pub(crate) use keys::{key_record_json, key_start_json, show_key};
pub(crate) use progress::{Bar, Spinner};
pub(crate) use records::{RecordPrinter, named, selected, value_json_as};
pub(crate) use report::{Annotated, report};
pub(crate) use screen::{Painted, Screen, is_redacted, is_terminal, tell, tell_panic};

/// Where answers go.
pub(crate) struct Output {
    pub(crate) json: bool,
    /// How much of keys and values is shown.
    pub(crate) shown: Disclosure,
    out: Screen,
}

impl Output {
    pub(crate) fn new(json: bool, shown: Disclosure) -> Self {
        Self { json, shown, out: Screen::new(json) }
    }

    /// The form of keys on the screen.
    pub(crate) fn key_text(&self, hex: bool) -> KeyText {
        if self.shown.hides() { KeyText::Hidden } else { KeyText::new(hex) }
    }

    /// Standard output, for answers of many lines.
    pub(crate) fn screen(&mut self) -> &mut Screen {
        &mut self.out
    }

    /// An answer in one line, or its object.
    pub(crate) fn line(&mut self, text: &str, object: impl FnOnce() -> Value) -> std::io::Result<()> {
        if self.json { self.json_line(&object()) } else { self.text(text) }
    }

    /// Text, ended by a line end.
    pub(crate) fn text(&mut self, text: &str) -> std::io::Result<()> {
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    /// Text in colours, ended by a line end.
    pub(crate) fn painted(&mut self, text: &Painted) -> std::io::Result<()> {
        self.out.painted(text)?;
        writeln!(self.out)?;
        self.out.flush()
    }

    /// An object in a line of its own.
    pub(crate) fn json_line(&mut self, object: &Value) -> std::io::Result<()> {
        writeln!(self.out, "{object}")?;
        self.out.flush()
    }

    /// A remark beside the answer; a program that reads JSON does not want it.
    pub(crate) fn note(&self, text: &str) {
        if !self.json {
            tell(&format!("{text}\n"));
        }
    }
}

/// A table that fits the terminal; where there is none, it is as wide as it needs to be.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header.iter().map(text_cell));
    table
}

/// A cell of a table, laid out by what is seen; a line end in it is data.
pub(crate) fn text_cell(text: impl std::fmt::Display) -> Cell {
    Cell::new(visible(&text.to_string()))
}

/// A cell of several lines.
pub(crate) fn lines_cell<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Cell {
    let lines: Vec<String> = lines.into_iter().map(|line| visible(line.as_ref()).into_owned()).collect();
    Cell::new(lines.join("\n"))
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
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count.try_into().unwrap_or(u64::MAX)))
}

/// `1 row`, `1,234 rows`
pub(crate) fn counted_rows(rows: u64) -> String {
    counted(usize::try_from(rows).unwrap_or(usize::MAX), "row")
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
