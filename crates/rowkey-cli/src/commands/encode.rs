//! `rowkey encode KEY|FILE [field=value…]`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::key::{Draws, EncodeError};
use rowkey_core::{KeySchema, Value};
use rowkey_ops::input::{BatchSink, BatchWork, Batches, Position, Records};
use rowkey_ops::processors;

use crate::args::Encode;
use crate::key_argument::Named;
use crate::key_text::KeyText;
use crate::output::{Bar, Lines, Output, Screen, is_terminal, key_record_json, show_key};
use crate::{Answer, input_argument, record_argument};

pub(crate) fn run(arguments: &Encode, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let named = Named::of(&arguments.key, store)?;
    let key = named.key();
    match input_argument::some(&arguments.from) {
        Some(paths) if arguments.values.is_empty() => encode_all(key, arguments, paths, output),
        Some(_) => bail!("give either field=value or --from, not both"),
        None => encode_one(key, arguments, output),
    }
}

fn encode_one(key: &KeySchema, arguments: &Encode, output: &mut Output) -> anyhow::Result<Answer> {
    let record = record_argument::record(key, &arguments.values)?;
    let mut bytes = Vec::new();
    key.encode_with(&record, &mut Draws::new(arguments.seed, 0), &mut bytes)?;
    output.object(|| key_record_json(key, &bytes, &record))?;
    if arguments.parts || (is_terminal() && !arguments.hex) {
        show_key(key, &bytes, output)?;
    } else {
        output.text(&KeyText::new(arguments.hex).show(&bytes))?;
    }
    Ok(Answer::Yes)
}

/// How keys are printed.
#[derive(Clone, Copy)]
struct Form {
    lines: Lines,
    text: KeyText,
}

impl Form {
    /// Adds a key, and its record where that is shown, as one line.
    fn append(
        self,
        schema: &KeySchema,
        key: &[u8],
        record: impl Fn() -> Vec<Value<'static>>,
        out: &mut Vec<u8>,
    ) {
        let object = || key_record_json(schema, key, &record());
        self.lines.append(out, |out| self.text.show_into(key, out), object);
    }
}

fn encode_all(
    key: &KeySchema,
    arguments: &Encode,
    paths: &[PathBuf],
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let input = input_argument::data(paths, &arguments.reading)?;
    let (source, format, label) = (input.source()?, input.format, &input.label);
    let form = Form { lines: output.lines(), text: KeyText::new(arguments.hex) };
    Bar::during(input.bytes(), |bar| {
        let (bytes, line) = (Vec::new(), Vec::new());
        let mut printer = Printer { key, form, out: output.screen(), bytes, line, written: Ok(()), bar };
        let printed = if key.value_steps().any(|step| step.is_random()) {
            let records = Records::open(source, format, key.fields(), label)?;
            printer.drawn(records, arguments.seed)
        } else {
            let batches = Batches::open(source, format, key.fields(), label)?;
            let work = || Encoder { encoder: BatchEncoder::new(key), keys: KeyBatch::new(), key, form };
            batches.run(processors(), work, &mut printer).map_err(anyhow::Error::from)
        };
        // What came before an error was printed, and is not lost.
        let flushed = printer.finish();
        printed?;
        Ok(flushed?)
    })
    .map(|()| Answer::Yes)
}

/// A thread that turns columns of records into lines.
struct Encoder<'k> {
    encoder: BatchEncoder<'k>,
    keys: KeyBatch,
    key: &'k KeySchema,
    form: Form,
}

impl BatchWork for Encoder<'_> {
    type Made = Vec<u8>;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Vec<u8>> {
        self.encoder.encode(columns, &mut self.keys).ok()?;
        let mut lines = Vec::with_capacity(self.keys.byte_len() * 5 / 2);
        for (row, bytes) in self.keys.iter().enumerate() {
            let record = || columns.iter().map(|column| column.value(row).into_owned()).collect();
            self.form.append(self.key, bytes, record, &mut lines);
        }
        Some(lines)
    }
}

/// Prints lines in the order of the records.
struct Printer<'p> {
    key: &'p KeySchema,
    form: Form,
    out: &'p mut Screen,
    bytes: Vec<u8>,
    line: Vec<u8>,
    /// What printing a single record came to; told with the next batch, or at the end.
    written: std::io::Result<()>,
    bar: &'p Bar,
}

impl Printer<'_> {
    /// Record by record, with random parts drawn by the record's number.
    fn drawn(&mut self, mut records: Records, seed: u64) -> anyhow::Result<()> {
        while records.next(|number, record| self.print(record, Draws::new(seed, number)))? {
            std::mem::replace(&mut self.written, Ok(()))?;
            self.bar.show(records.position());
        }
        Ok(())
    }

    fn print(&mut self, record: &[Value<'_>], mut draws: Draws) -> Result<(), EncodeError> {
        self.bytes.clear();
        self.key.encode_with(record, &mut draws, &mut self.bytes)?;
        self.line.clear();
        let owned = || record.iter().cloned().map(Value::into_owned).collect();
        self.form.append(self.key, &self.bytes, owned, &mut self.line);
        if self.written.is_ok() {
            self.written = self.out.write_all(&self.line);
        }
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))?;
        self.out.flush()
    }
}

impl BatchSink<Vec<u8>> for Printer<'_> {
    fn made(&mut self, lines: Vec<u8>, after: Position) -> std::io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))?;
        self.bar.show(after);
        self.out.write_all(&lines)
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        // No part is random here, so nothing is drawn.
        self.print(values, Draws::new(0, 0))
    }
}
