//! How is a record shown?

use comfy_table::{Cell, CellAlignment};
use rowkey::escape::{escape, to_hex};
use rowkey::types::Kind;
use rowkey::{Table, Value};
use rowkey_ops::query::Record;
use serde_json::{Map, Value as Json, json};

use super::{Output, key_json, table};

/// Rows of a printed table; more would be laid out only after the last one has come.
const PAGE: usize = 1000;

/// Prints records: as JSON one by one, as a table in pages.
pub(crate) struct RecordPrinter<'a> {
    table: &'a Table,
    output: &'a mut Output,
    page: Vec<Vec<Cell>>,
    pages: usize,
}

impl<'a> RecordPrinter<'a> {
    pub(crate) fn new(table: &'a Table, output: &'a mut Output) -> Self {
        Self { table, output, page: Vec::new(), pages: 0 }
    }

    pub(crate) fn record(&mut self, record: &Record) -> std::io::Result<()> {
        if self.output.json {
            return self.output.json_line(&self.json(record));
        }
        let fields = self.table.key.fields();
        let cell = |(id, field): (rowkey::FieldId, &rowkey::key::Field)| {
            let value = record.values.get(id.0).map_or_else(String::new, |value| visible(&value.to_string()));
            let cell = Cell::new(value);
            if field.ty.kind() == Kind::Integer { cell.set_alignment(CellAlignment::Right) } else { cell }
        };
        self.page.push(fields.iter().map(cell).collect());
        if self.page.len() == PAGE { self.print_page() } else { Ok(()) }
    }

    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        if self.output.json || (self.page.is_empty() && self.pages > 0) {
            return Ok(());
        }
        self.print_page()
    }

    fn print_page(&mut self) -> std::io::Result<()> {
        let names: Vec<&str> = self.table.key.fields().names().collect();
        let mut printed = table(&names);
        printed.add_rows(self.page.drain(..));
        self.pages += 1;
        self.output.text(&printed.to_string())
    }

    fn json(&self, record: &Record) -> Json {
        let fields = self.table.key.fields().iter();
        let values: Map<String, Json> = fields
            .map(|(id, field)| (field.name.clone(), record.values.get(id.0).map_or(Json::Null, value_json)))
            .collect();
        json!({ "key": key_json(&to_hex(&record.key), &escape(&record.key).to_string()), "record": values })
    }
}

/// Control characters would move the cursor about; they are shown as HBase would show them in a key.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            let mut bytes = [0; 4];
            out.push_str(&escape(character.encode_utf8(&mut bytes).as_bytes()).to_string());
        } else {
            out.push(character);
        }
    }
    out
}

/// Numbers, booleans and null as JSON has them; everything else as the text that rowkey reads back.
pub(crate) fn value_json(value: &Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            _ => number.to_string().into(),
        },
        Value::Float(number) if number.is_finite() => (*number).into(),
        other => other.to_string().into(),
    }
}
