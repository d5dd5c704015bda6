//! Lays out output as HBase's shell does.
//!
//! On a terminal, two columns of a quarter and the rest of its width, filled with blanks and cut where they are too
//! long; into a pipe (width 0), as they are.

use std::io::{self, Write};

/// Where a command prints.
pub(crate) struct Screen<'o> {
    out: &'o mut dyn Write,
    width: usize,
}

impl<'o> Screen<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, width: usize) -> Self {
        Self { out, width }
    }

    /// A line as it is.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// The heads of two columns.
    pub(crate) fn heads(&mut self, first: &str, second: &str) -> io::Result<()> {
        self.columns(first, second, false)
    }

    /// A row of two columns.
    pub(crate) fn row(&mut self, first: &str, second: &str) -> io::Result<()> {
        self.columns(first, second, true)
    }

    /// A row of one column.
    pub(crate) fn cell(&mut self, text: &str) -> io::Result<()> {
        for piece in pieces(text, self.width) {
            writeln!(self.out, "{piece:<width$}", width = self.width)?;
        }
        Ok(())
    }

    /// How many rows there were.
    pub(crate) fn footer(&mut self, rows: usize) -> io::Result<()> {
        self.line(&format!("{rows} row(s)"))
    }

    fn columns(&mut self, first: &str, second: &str, inset: bool) -> io::Result<()> {
        let left = self.width / 4;
        let right = if self.width == 0 { 0 } else { self.width.saturating_sub(left + 2) };
        let (firsts, seconds) = (pieces(first, left), pieces(second, right));
        for line in 0..firsts.len().max(seconds.len()) {
            let piece = |pieces: &[String]| pieces.get(line).cloned().unwrap_or_default();
            let (before, between) = if inset { (" ", " ") } else { ("", "  ") };
            let (first, second) = (piece(&firsts), piece(&seconds));
            writeln!(self.out, "{before}{first:<left$}{between}{second:<right$}")?;
        }
        Ok(())
    }
}

/// A text cut into pieces of a width; whole for 0.
fn pieces(text: &str, width: usize) -> Vec<String> {
    if width == 0 {
        return vec![text.to_owned()];
    }
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: usize, print: impl Fn(&mut Screen<'_>)) -> String {
        let mut out = Vec::new();
        print(&mut Screen::new(&mut out, width));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_pipe_gets_columns_as_they_are() {
        let text = shown(0, |screen| {
            screen.heads("ROW", "COLUMN+CELL").unwrap();
            screen.row("r1", "column=f:a").unwrap();
        });
        assert_eq!(text, "ROW  COLUMN+CELL\n r1 column=f:a\n");
    }

    #[test]
    fn a_terminal_gets_a_quarter_and_the_rest_cut_and_filled() {
        let text = shown(20, |screen| {
            screen.heads("ROW", "CELL").unwrap();
            screen.row("row-one", "0123456789abcdef").unwrap();
        });
        assert_eq!(text, "ROW    CELL         \n row-o 0123456789abc\n ne    def          \n");
    }
}
