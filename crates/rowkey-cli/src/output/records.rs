//! Prints a record.

use rowkey_core::disclosure::Disclosure;
use rowkey_core::internal::nearest;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Table, Value};
use rowkey_ops::export::json_value;
use rowkey_ops::query::Record;
use rowkey_ops::record::{self, RowError};
use rowkey_store::RowView;
use serde_json::{Map, Value as Json, json};

use super::pages::Pages;
use super::rows::{Cell, cell, number};
use super::{Output, key_or_length};
use crate::args::Shown;
use crate::key_text::KeyText;
use crate::public::public;

/// Prints records: as JSON and CSV one by one, as a table in pages.
pub(crate) struct RecordPrinter<'a> {
    table: &'a Table,
    fields: Vec<FieldId>,
    text: KeyText,
    with_keys: bool,
    pages: Pages<'a>,
}

impl<'a> RecordPrinter<'a> {
    /// As the command line says, without the keys where people read.
    pub(crate) fn new(table: &'a Table, shown: &Shown, output: &'a mut Output) -> anyhow::Result<Self> {
        Self::open(table, shown, output, false)
    }

    /// With the row keys in a column of their own.
    pub(crate) fn with_keys(table: &'a Table, shown: &Shown, output: &'a mut Output) -> anyhow::Result<Self> {
        Self::open(table, shown, output, true)
    }

    fn open(
        table: &'a Table,
        shown: &Shown,
        output: &'a mut Output,
        with_keys: bool,
    ) -> anyhow::Result<Self> {
        let all = table.key.fields();
        let fields = match shown.columns.as_slice() {
            [] => all.iter().map(|(id, _)| id).collect(),
            names => selected(table, names)?,
        };
        let names = fields.iter().map(|id| all.get(*id).name.as_str());
        let names: Vec<&str> = with_keys.then_some("key").into_iter().chain(names).collect();
        let text = output.key_text(shown.hex);
        Ok(Self { table, fields, text, with_keys, pages: Pages::new(names, shown, output)? })
    }

    pub(crate) fn record(&mut self, record: &Record) -> std::io::Result<()> {
        let Self { table, fields, text, with_keys, pages } = self;
        let (all, shown) = (table.key.fields(), pages.output.shown);
        let cells = || {
            let own = |id: &FieldId| -> Cell {
                let text = shown.value(value(record, *id));
                if all.get(*id).ty.kind() == Kind::Integer { number(text) } else { cell(text) }
            };
            let key = with_keys.then(|| cell(text.show(&record.key)));
            key.into_iter().chain(fields.iter().map(own)).collect()
        };
        let object = || {
            let own = |id: &FieldId| (all.get(*id).name.clone(), value_json_as(value(record, *id), shown));
            let values: Map<String, Json> = fields.iter().map(own).collect();
            json!({ "key": key_or_length(&record.key, shown), "record": values })
        };
        pages.add(cells, object)
    }

    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.pages.finish()
    }
}

/// A row of a store as a record.
pub(crate) fn read_record(table: &Table, row: RowView<'_>) -> Result<Record, RowError> {
    let values = record::read(table, row)?.into_iter().map(Value::into_owned).collect();
    Ok(Record { key: row.key().to_vec(), values })
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
