//! How answers are written: one [`Format`] for people, one for each kind of program.
//!
//! A command hands its whole answer to [`super::Output`], for people and for programs, and never asks which format was chosen: a format
//! takes what it is for and leaves out the rest. A new one is an implementation here and the option that chooses it.

use std::borrow::Cow;
use std::io::{self, Write};

use rowkey_core::visible::{visible_json, visible_lines};
use serde_json::Value;

use super::layout::Layout;
use super::rows::Rows;
use super::screen::{Painted, Screen};

/// Rows of a printed table; more would be laid out only after the last one has come.
const PAGE: usize = 1000;

/// A way to write answers.
pub(super) trait Format: Sync {
    /// The option that asks for it; `None` for what is printed without one.
    fn option(&self) -> Option<&'static str>;

    /// What is put in place of characters that a terminal would obey.
    fn visible(&self) -> fn(&str) -> Cow<'_, str> {
        visible_lines
    }

    /// Words for people, ended by a line end.
    fn text(&self, _out: &mut Screen, _text: &str) -> io::Result<()> {
        Ok(())
    }

    /// Words for people, with colours.
    fn painted(&self, _out: &mut Screen, _text: &Painted) -> io::Result<()> {
        Ok(())
    }

    /// An object for programs.
    fn object(&self, _out: &mut Screen, _object: &mut dyn FnMut() -> Value) -> io::Result<()> {
        Ok(())
    }

    /// After how many rows some are printed; `None` for a format of objects, where each row is one.
    fn rows_at_once(&self) -> Option<usize> {
        None
    }

    /// Rows, as they are laid out for people.
    fn rows(&self, _out: &mut Screen, _rows: &Rows, _layout: &mut Layout) -> io::Result<()> {
        Ok(())
    }

    /// Whether remarks beside the answer are told.
    fn has_notes(&self) -> bool {
        true
    }
}

/// Text and tables for people.
pub(super) struct Text;

impl Format for Text {
    fn option(&self) -> Option<&'static str> {
        None
    }

    fn text(&self, out: &mut Screen, text: &str) -> io::Result<()> {
        writeln!(out, "{text}")
    }

    fn painted(&self, out: &mut Screen, text: &Painted) -> io::Result<()> {
        out.painted(text)?;
        writeln!(out)
    }

    fn rows_at_once(&self) -> Option<usize> {
        Some(PAGE)
    }

    fn rows(&self, out: &mut Screen, rows: &Rows, layout: &mut Layout) -> io::Result<()> {
        let (names, cells) = rows.laid_out();
        layout.print(&names, cells, out)
    }
}

/// One JSON object per line.
pub(super) struct Json;

impl Format for Json {
    fn option(&self) -> Option<&'static str> {
        Some("--json")
    }

    fn visible(&self) -> fn(&str) -> Cow<'_, str> {
        visible_json
    }

    fn object(&self, out: &mut Screen, object: &mut dyn FnMut() -> Value) -> io::Result<()> {
        writeln!(out, "{}", object())
    }

    /// A program that reads JSON does not want them.
    fn has_notes(&self) -> bool {
        false
    }
}

/// Comma-separated values, the names in the first line.
pub(super) struct Csv;

impl Format for Csv {
    fn option(&self) -> Option<&'static str> {
        Some("--csv")
    }

    fn rows_at_once(&self) -> Option<usize> {
        Some(1)
    }

    fn rows(&self, out: &mut Screen, rows: &Rows, _layout: &mut Layout) -> io::Result<()> {
        rows.lines().try_for_each(|line| writeln!(out, "{}", csv_line(line)))
    }
}

/// The values in one line, without its end. As spreadsheets and RFC 4180 have it: a value with a comma, a quote or a line end stands in
/// quotes, and a quote in it twice.
fn csv_line<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    let mut line = String::new();
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        let value = value.as_ref();
        if value.contains([',', '"', '\n', '\r']) {
            line.push('"');
            line.push_str(&value.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(value);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        assert_eq!(csv_line(["a", "", "b c"]), "a,,b c");
        assert_eq!(csv_line(["a,b", "say \"x\"", "two\nlines"]), "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"");
    }
}
