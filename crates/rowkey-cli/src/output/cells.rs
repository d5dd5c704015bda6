//! Prints cells as they are stored.

use anyhow::bail;
use rowkey_core::escape::escape;
use rowkey_store::{CellKind, CellView, RowView};
use serde_json::json;

use super::pages::Pages;
use super::rows::{Column, cell};
use super::{Output, key_json, key_or_length};
use crate::args::Shown;
use crate::key_text::KeyText;

/// Prints cells: as JSON and CSV one by one, as a table in pages.
pub(crate) struct CellPrinter<'a> {
    pages: Pages<'a>,
    text: KeyText,
}

impl<'a> CellPrinter<'a> {
    pub(crate) fn new(output: &'a mut Output, shown: &Shown) -> anyhow::Result<Self> {
        if !shown.columns.is_empty() {
            bail!(
                "--columns chooses fields of a table file, and --raw-cells shows cells without one; leave one out"
            );
        }
        let text = output.key_text(shown.hex);
        // Most tables have no marker to show.
        let kind = Column::optional("kind");
        let columns = ["row".into(), "column".into(), "timestamp".into(), kind, "value".into()];
        Ok(Self { pages: Pages::new(columns, shown, output)?, text })
    }

    pub(crate) fn row(&mut self, row: RowView<'_>) -> std::io::Result<()> {
        row.cells().try_for_each(|cell| self.cell(row.key(), &cell))
    }

    fn cell(&mut self, row: &[u8], own: &CellView<'_>) -> std::io::Result<()> {
        let (text, shown) = (self.text, self.pages.output.shown);
        let bytes = |bytes: &[u8]| key_or_length(bytes, shown);
        let object = || {
            json!({
                "key": bytes(row),
                "family": String::from_utf8_lossy(own.family),
                "qualifier": key_json(own.qualifier),
                "timestamp": own.timestamp,
                "kind": own.kind.to_string(),
                "value": bytes(own.value),
            })
        };
        let cells = || {
            let qualifier = KeyText::new(text == KeyText::Hex).show(own.qualifier);
            let column = format!("{}:{qualifier}", escape(own.family));
            let kind = if own.kind == CellKind::Put { String::new() } else { own.kind.to_string() };
            let (row, value) = (text.show(row), text.show(own.value));
            vec![cell(row), cell(column), cell(own.timestamp), cell(kind), cell(value)]
        };
        self.pages.add(cells, object)
    }

    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.pages.finish()
    }
}
