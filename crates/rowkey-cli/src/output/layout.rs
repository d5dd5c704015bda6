//! Lays out the rows of an answer for people.
//!
//! On a terminal a table has the first columns that fit at a readable width, and says below how many are left out, as DuckDB
//! does; `--wide` has all of them on long lines, `--vertical` a line for each field. A pipe or a file gets all columns: it has no
//! width, and notes beside the answer have no reader.

use std::io::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{Cell, ContentArrangement, Table};
use rowkey_core::visible::visible;

use super::screen::Screen;
use super::{Output, counted};
use crate::args::Shown;

/// A column is left out rather than made narrower than this: a time is as wide.
const READABLE: usize = 24;

/// What a column takes beside its text: a blank on both sides and what is between it and the next, or the border. There is one more border.
const PADDING: usize = 3;
const BORDER: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    /// All columns, with their texts on several lines where they are wide.
    #[default]
    Whole,
    Fitted,
    Wide,
    Vertical,
}

/// Lays pages of rows out, all in the same way.
#[derive(Default)]
pub(super) struct Layout {
    form: Form,
    /// Rows before the next page.
    rows: usize,
    columns: usize,
    /// How many of the columns are shown, once the first page is laid out.
    fitting: Option<usize>,
}

impl Layout {
    /// As the command line says.
    pub(super) fn of(shown: &Shown, output: &Output) -> anyhow::Result<Self> {
        let given = [("--wide", shown.wide), ("--vertical", shown.vertical)];
        given.into_iter().filter(|(_, given)| *given).try_for_each(|(option, _)| output.excludes(option))?;
        let form = match (shown.wide, shown.vertical) {
            (true, _) => Form::Wide,
            (false, true) => Form::Vertical,
            (false, false) => Form::Fitted,
        };
        Ok(Self { form, ..Self::default() })
    }

    pub(super) fn print(
        &mut self,
        names: &[&str],
        rows: Vec<Vec<Cell>>,
        out: &mut Screen,
    ) -> std::io::Result<()> {
        if self.form == Form::Vertical {
            return self.print_blocks(names, &rows, out);
        }
        let mut printed = table(names);
        printed.add_rows(rows);
        match self.form {
            Form::Wide => drop(printed.set_content_arrangement(ContentArrangement::Disabled)),
            Form::Fitted => self.fit(names, &mut printed),
            Form::Whole | Form::Vertical => {}
        }
        writeln!(out, "{printed}")
    }

    /// Leaves out the last columns if they do not fit.
    fn fit(&mut self, names: &[&str], printed: &mut Table) {
        let fitting = *self.fitting.get_or_insert_with(|| match printed.width() {
            Some(width) => fitting(&printed.column_max_content_widths(), width.into()),
            // A pipe or a file gets all columns, those of later pages too.
            None => usize::MAX,
        });
        self.columns = self.columns.max(names.len());
        if fitting < names.len() {
            let shown = |cells: Vec<Cell>| cells.into_iter().take(fitting);
            let mut narrower = table(names.get(..fitting).unwrap_or(names));
            narrower.add_rows(printed.row_iter().map(|row| shown(row.cell_iter().cloned().collect())));
            *printed = narrower;
        }
    }

    /// A line for each field of a row, below a line for the row.
    fn print_blocks(&mut self, names: &[&str], rows: &[Vec<Cell>], out: &mut Screen) -> std::io::Result<()> {
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for cells in rows {
            self.rows += 1;
            writeln!(out, "── row {} ──", self.rows)?;
            for (name, cell) in names.iter().zip(cells) {
                writeln!(out, "{}", format!("{name:width$}  {}", cell.content()).trim_end())?;
            }
        }
        Ok(())
    }

    /// Tells what was left out.
    pub(super) fn finish(&self, output: &Output) {
        let left_out = self.fitting.map_or(0, |fitting| self.columns.saturating_sub(fitting));
        if left_out > 0 {
            let are = if left_out == 1 { "is" } else { "are" };
            output.note(&format!(
                "{left_out} of {} {are} not shown; --wide shows all, --vertical shows each row as a block, --columns chooses",
                counted(self.columns, "column"),
            ));
        }
    }
}

/// A table that fits the terminal; where there is none, it is as wide as it needs to be.
fn table(names: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(names.iter().map(|name| visible(name)));
    table
}

/// How many of the first columns fit, if each is as wide as its text or wide enough to be read; always one.
fn fitting(widths: &[u16], terminal: usize) -> usize {
    let needed = widths.iter().scan(BORDER, |used, width| {
        *used += usize::from(*width).min(READABLE) + PADDING;
        Some(*used)
    });
    needed.take_while(|needed| *needed <= terminal).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_while_each_can_be_read() {
        assert_eq!(fitting(&[10, 10, 10], 40), 3);
        assert_eq!(fitting(&[10, 10, 10], 39), 2);
        // A long text is wrapped, but not into a column of letters.
        assert_eq!(fitting(&[3, 500, 3], 40), 3);
        assert_eq!(fitting(&[3, 500, 3], 39), 2);
        assert_eq!(fitting(&[500, 3], 5), 1);
    }
}
