//! `rowkey get TABLE FIELD=VALUE…`

use anyhow::bail;
use rowkey_core::Table;
use rowkey_core::key::EncodeError;
use rowkey_store::RowBatch;

use crate::Answer;
use crate::args::Get;
use crate::key_text::KeyText;
use crate::output::{Output, RecordPrinter, counted, read_record};
use crate::public::{Publicly, public};
use crate::record_argument;
use crate::table_argument::LiveTable;

pub(crate) fn run(arguments: &Get, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let text = KeyText::new(arguments.shown.hex);
    let live = LiveTable::open(&arguments.of, store)?;
    let keys = keys(arguments, text, &live.table)?;
    let gets: Vec<rowkey_store::Get> =
        keys.iter().map(|key| rowkey_store::Get::new(key.as_slice())).collect();
    let mut batch = RowBatch::new();
    let found = live.store.get_many(&live.name, &gets, &mut batch)?;
    let shown = output.key_text(arguments.shown.hex);
    let mut printer = RecordPrinter::with_keys(&live.table, &arguments.shown, output)?;
    for row in batch.rows() {
        printer.record(&read_record(&live.table, row)?)?;
    }
    printer.finish()?;
    for (key, _) in keys.iter().zip(&found).filter(|(_, found)| !**found) {
        output.note(&format!("there is no row {} in {}", shown.show(key), live.name));
    }
    output.note(&format!("{} of {}", counted(batch.len(), "row"), keys.len()));
    Ok(if batch.is_empty() { Answer::No } else { Answer::Yes })
}

/// The keys that the arguments name.
fn keys(arguments: &Get, text: KeyText, table: &Table) -> anyhow::Result<Vec<Vec<u8>>> {
    let (values, keys): (Vec<&String>, Vec<&String>) =
        arguments.row.iter().partition(|argument| argument.contains('='));
    let keys: Vec<&String> = keys.into_iter().chain(&arguments.key).collect();
    match (values.is_empty(), keys.is_empty()) {
        (true, true) => {
            let fields: Vec<String> = table
                .key
                .named_fields()
                .into_iter()
                .map(|id| format!("{}=…", table.key.fields().get(id).name))
                .collect();
            Err(public(format!("say which row: {}, or its key", fields.join(" "))))
        }
        (false, false) => {
            bail!("name a row by its fields or by its key, not both; a key with = in it goes behind --key")
        }
        (true, false) => keys.into_iter().map(|key| text.read_row(key)).collect(),
        (false, true) => Ok(vec![key_of_fields(&arguments.row, table)?]),
    }
}

fn key_of_fields(values: &[String], table: &Table) -> anyhow::Result<Vec<u8>> {
    let record = record_argument::record(&table.key, values).publicly(|| {
        format!(
            "a get needs every field of the key {}; use `rowkey query` with what you know",
            table.key.source()
        )
    })?;
    let mut key = Vec::new();
    let encoded: Result<(), EncodeError> = table.key.encode(&record, &mut key);
    encoded.publicly(|| {
        format!("the key {} cannot be computed from these fields; use `rowkey query`", table.key.source())
    })?;
    Ok(key)
}
