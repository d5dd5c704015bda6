//! Rows that come one by one, printed as many at once as the format takes.

use std::io;

use serde_json::Value;

use super::Output;
use super::layout::Layout;
use super::rows::{Cell, Column, Rows};
use crate::args::Shown;

pub(super) struct Pages<'a> {
    pub(super) output: &'a mut Output,
    rows: Rows,
    layout: Layout,
}

impl<'a> Pages<'a> {
    /// As the command line says.
    pub(super) fn new(
        columns: impl IntoIterator<Item = impl Into<Column>>,
        shown: &Shown,
        output: &'a mut Output,
    ) -> anyhow::Result<Self> {
        output.csv(shown.csv)?;
        let layout = Layout::of(shown, output)?;
        Ok(Self { output, rows: Rows::new(columns), layout })
    }

    /// One more row: its cells, and its object.
    pub(super) fn add(
        &mut self,
        cells: impl FnOnce() -> Vec<Cell>,
        object: impl FnOnce() -> Value,
    ) -> io::Result<()> {
        match self.output.format.rows_at_once() {
            None => self.output.object(object),
            Some(most) => {
                self.rows.add(cells());
                if self.rows.len() < most { Ok(()) } else { self.print() }
            }
        }
    }

    /// The rows that are left, or the names of the columns where there was none at all.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if !(self.rows.is_empty() && self.rows.is_continued()) {
            self.print()?;
        }
        self.layout.finish(self.output);
        Ok(())
    }

    fn print(&mut self) -> io::Result<()> {
        self.output.laid_out(&self.rows, &mut self.layout)?;
        self.rows.go_on();
        Ok(())
    }
}
