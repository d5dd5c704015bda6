//! How are cells shown as they are stored?

use anyhow::bail;
use rowkey_core::escape::escape;
use rowkey_store::{CellKind, CellView, RowView};
use serde_json::json;

use super::layout::Layout;
use super::{Output, csv_line, key_json, key_or_length, text_cell};
use crate::args::Shown;
use crate::key_text::KeyText;

/// Cells of a printed table; more would be laid out only after the last one has come.
const PAGE: usize = 1000;

const HEADER: [&str; 5] = ["row", "column", "timestamp", "kind", "value"];

/// Prints cells: as JSON and CSV one by one, as a table in pages.
pub(crate) struct CellPrinter<'a> {
    output: &'a mut Output,
    csv: bool,
    layout: Layout,
    text: KeyText,
    page: Vec<[String; 5]>,
    pages: usize,
}

impl<'a> CellPrinter<'a> {
    pub(crate) fn new(output: &'a mut Output, shown: &Shown) -> anyhow::Result<Self> {
        if !shown.columns.is_empty() {
            bail!(
                "--columns chooses fields of a table file, and --raw-cells shows cells without one; leave one out"
            );
        }
        let layout = Layout::of(shown, output)?;
        if shown.csv {
            output.text(&csv_line(HEADER))?;
        }
        let text = output.key_text(shown.hex);
        Ok(Self { output, csv: shown.csv, layout, text, page: Vec::new(), pages: 0 })
    }

    pub(crate) fn row(&mut self, row: RowView<'_>) -> std::io::Result<()> {
        row.cells().try_for_each(|cell| self.cell(row.key(), &cell))
    }

    fn cell(&mut self, row: &[u8], cell: &CellView<'_>) -> std::io::Result<()> {
        if self.output.json {
            let bytes = |bytes: &[u8]| key_or_length(bytes, self.output.shown);
            let line = json!({
                "key": bytes(row),
                "family": String::from_utf8_lossy(cell.family),
                "qualifier": key_json(cell.qualifier),
                "timestamp": cell.timestamp,
                "kind": cell.kind.to_string(),
                "value": bytes(cell.value),
            });
            return self.output.json_line(&line);
        }
        let qualifier = KeyText::new(self.text == KeyText::Hex).show(cell.qualifier);
        let column = format!("{}:{qualifier}", escape(cell.family));
        let kind = if cell.kind == CellKind::Put { String::new() } else { cell.kind.to_string() };
        let cells =
            [self.text.show(row), column, cell.timestamp.to_string(), kind, self.text.show(cell.value)];
        if self.csv {
            return self.output.text(&csv_line(cells));
        }
        self.page.push(cells);
        if self.page.len() == PAGE { self.print_page() } else { Ok(()) }
    }

    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        if self.output.json || self.csv {
            return Ok(());
        }
        if !(self.page.is_empty() && self.pages > 0) {
            self.print_page()?;
        }
        self.layout.finish(self.output);
        Ok(())
    }

    fn print_page(&mut self) -> std::io::Result<()> {
        // Most tables have no marker to show.
        let with_kinds = self.page.iter().any(|[_, _, _, kind, _]| !kind.is_empty());
        let shown = |at: &usize| with_kinds || *at != 3;
        let header: Vec<&str> =
            HEADER.iter().enumerate().filter(|(at, _)| shown(at)).map(|(_, name)| *name).collect();
        let cells = |cells: [String; 5]| {
            cells
                .into_iter()
                .enumerate()
                .filter(|(at, _)| shown(at))
                .map(|(_, text)| text_cell(text))
                .collect()
        };
        let rows = std::mem::take(&mut self.page).into_iter().map(cells).collect();
        self.pages += 1;
        self.layout.print(&header, rows, self.output)
    }
}
