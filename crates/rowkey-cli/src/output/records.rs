//! How is a record shown?

use comfy_table::{Cell, CellAlignment};
use rowkey_core::disclosure::Disclosure;
use rowkey_core::internal::nearest;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Table, Value};
use rowkey_ops::export::json_value;
use rowkey_ops::query::Record;
use serde_json::{Map, Value as Json, json};

use super::layout::Layout;
use super::{Output, csv_line, key_or_length, text_cell};
use crate::args::Shown;
use crate::key_text::KeyText;
use crate::public::public;

/// Rows of a printed table; more would be laid out only after the last one has come.
const PAGE: usize = 1000;

/// Prints records: as JSON and CSV one by one, as a table in pages.
pub(crate) struct RecordPrinter<'a> {
    table: &'a Table,
    output: &'a mut Output,
    fields: Vec<FieldId>,
    csv: bool,
    layout: Layout,
    text: KeyText,
    with_keys: bool,
    page: Vec<Vec<Cell>>,
    printed: bool,
}

impl<'a> RecordPrinter<'a> {
    /// All fields, without the keys where people read.
    pub(crate) fn new(table: &'a Table, output: &'a mut Output) -> Self {
        let fields = table.key.fields().iter().map(|(id, _)| id).collect();
        let (csv, text, with_keys) = (false, output.key_text(false), false);
        let layout = Layout::new();
        Self { table, output, fields, csv, layout, text, with_keys, page: Vec::new(), printed: false }
    }

    /// As the command line says.
    pub(crate) fn shown(mut self, shown: &Shown) -> anyhow::Result<Self> {
        self.layout = Layout::of(shown, self.output)?;
        (self.csv, self.text) = (shown.csv, self.output.key_text(shown.hex));
        if !shown.columns.is_empty() {
            self.fields = selected(self.table, &shown.columns)?;
        }
        Ok(self)
    }

    /// With the row keys in a column of their own.
    pub(crate) fn with_keys(self) -> Self {
        Self { with_keys: true, ..self }
    }

    pub(crate) fn record(&mut self, record: &Record) -> std::io::Result<()> {
        if self.output.json {
            return self.output.json_line(&self.json(record));
        }
        if self.csv {
            self.csv_header()?;
            let key = self.with_keys.then(|| self.text.show(&record.key));
            let values = self.fields.iter().map(|id| self.output.shown.value(value(record, *id)));
            return self.output.text(&csv_line(key.into_iter().chain(values)));
        }
        let fields = self.table.key.fields();
        let cell = |id: &FieldId| {
            let cell = text_cell(self.output.shown.value(value(record, *id)));
            let is_number = fields.get(*id).ty.kind() == Kind::Integer;
            if is_number { cell.set_alignment(CellAlignment::Right) } else { cell }
        };
        let key = self.with_keys.then(|| text_cell(self.text.show(&record.key)));
        self.page.push(key.into_iter().chain(self.fields.iter().map(cell)).collect());
        if self.page.len() == PAGE { self.print_page() } else { Ok(()) }
    }

    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        match (self.output.json, self.csv) {
            (true, _) => Ok(()),
            (false, true) => self.csv_header(),
            (false, false) => {
                if !(self.page.is_empty() && self.printed) {
                    self.print_page()?;
                }
                self.layout.finish(self.output);
                Ok(())
            }
        }
    }

    fn names(&self) -> Vec<&'a str> {
        let fields = self.fields.iter().map(|id| self.table.key.fields().get(*id).name.as_str());
        self.with_keys.then_some("key").into_iter().chain(fields).collect()
    }

    fn csv_header(&mut self) -> std::io::Result<()> {
        if std::mem::replace(&mut self.printed, true) {
            return Ok(());
        }
        let header = csv_line(self.names());
        self.output.text(&header)
    }

    fn print_page(&mut self) -> std::io::Result<()> {
        self.printed = true;
        self.layout.print(&self.names(), std::mem::take(&mut self.page), self.output)
    }

    fn json(&self, record: &Record) -> Json {
        let name = |id: &FieldId| self.table.key.fields().get(*id).name.clone();
        let values: Map<String, Json> = self
            .fields
            .iter()
            .map(|id| (name(id), value_json_as(value(record, *id), self.output.shown)))
            .collect();
        json!({ "key": key_or_length(&record.key, self.output.shown), "record": values })
    }
}

fn value(record: &Record, id: FieldId) -> &Value<'static> {
    record.values.get(id.0).unwrap_or(&Value::Null)
}

/// The fields of `--columns`.
pub(crate) fn selected(table: &Table, names: &[String]) -> anyhow::Result<Vec<FieldId>> {
    named(table, "--columns", names)
}

/// The fields that an option names; all mistakes at once.
pub(crate) fn named(table: &Table, option: &str, names: &[String]) -> anyhow::Result<Vec<FieldId>> {
    let known = table.key.fields();
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match known.id(name) {
            Some(id) => found.push(id),
            None => {
                let hint = nearest(name, known.names())
                    .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
                problems.push(format!("there is no field `{name}`{hint}"));
            }
        }
    }
    match problems.as_slice() {
        [] => Ok(found),
        _ => Err(public(format!(
            "{option}: {}; the fields are {}",
            problems.join("; "),
            known.names().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// A value for programs, or its kind and length if they may not see it.
pub(crate) fn value_json_as(value: &Value<'_>, shown: Disclosure) -> Json {
    if shown.hides() && !value.is_null() { shown.value(value).into() } else { json_value(value) }
}
