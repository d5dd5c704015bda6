//! From CSV to rows.
//!
//! The first line names the fields, in any order. An empty cell is empty text for a text field and an error for any
//! other.

use std::io::Read;

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use rowkey::value::read;
use rowkey::{FieldId, Table, Type, Value};
use rowkey_store::RowBatch;

use super::checkpoint::Position;
use super::error::{LineProblem, LoadError};
use crate::record::RowWriter;

type Source = Box<dyn Read + Send>;

pub(super) struct CsvInput {
    reader: Reader<Source>,
    record: StringRecord,
    /// For each cell of a line, its field.
    cells: Vec<Cell>,
    /// Where the reader began; its own counts start at zero there.
    base: Position,
    after: Position,
    label: String,
}

struct Cell {
    field: FieldId,
    name: String,
    ty: Type,
}

impl CsvInput {
    /// Reads the first line and finds the field of each column.
    pub(super) fn open(source: Source, table: &Table, label: &str) -> Result<Self, LoadError> {
        let mut reader = ReaderBuilder::new().from_reader(with_last_line_ended(source));
        let header = reader.headers().cloned().map_err(|error| line_error(label, 1, &error))?;
        let cells = columns(&header, table, label)?;
        let after = position(&reader, Position::default());
        Ok(Self {
            reader,
            record: StringRecord::new(),
            cells,
            base: Position::default(),
            after,
            label: label.to_owned(),
        })
    }

    /// Goes on at `at`, with a source that begins there.
    pub(super) fn resume(&mut self, source: Source, at: Position) {
        self.reader = ReaderBuilder::new().has_headers(false).from_reader(with_last_line_ended(source));
        self.base = Position { line: at.line.saturating_sub(1), ..at };
        self.after = at;
    }

    /// The position behind the last record returned.
    pub(super) fn position(&self) -> Position {
        self.after
    }

    /// Adds the row of the next record; `false` at the end.
    pub(super) fn next_row(
        &mut self,
        writer: &mut RowWriter<'_>,
        cell_time: i64,
        rows: &mut RowBatch,
    ) -> Result<bool, LoadError> {
        let line = position(&self.reader, self.base).line;
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(error) => return Err(line_error(&self.label, line, &error)),
        }
        // The reader skips blank lines before a record, so its first line is counted back from its end.
        let line_ends = self.record.as_slice().bytes().filter(|&byte| byte == b'\n').count();
        let lines = 1 + u64::try_from(line_ends).unwrap_or(0);
        let line = position(&self.reader, self.base).line.saturating_sub(lines).max(line);
        let bad = |problems| LoadError::Line { data: self.label.clone(), line, problems };
        if self.record.len() != self.cells.len() {
            let counts = (self.cells.len(), self.record.len());
            let (expected, found) = (counts.0.try_into().unwrap_or(0), counts.1.try_into().unwrap_or(0));
            return Err(bad(vec![LineProblem::CellCount { expected, found }]));
        }
        let mut values = vec![Value::Null; self.cells.len()];
        let mut problems = Vec::new();
        for (cell, text) in self.cells.iter().zip(self.record.iter()) {
            match (read(text, cell.ty), values.get_mut(cell.field.0)) {
                (Ok(value), Some(slot)) => *slot = value,
                (Err(problem), _) => problems.push(LineProblem::Cell { field: cell.name.clone(), problem }),
                (Ok(_), None) => {}
            }
        }
        if problems.is_empty()
            && let Err(problem) = writer.write(&values, cell_time, rows)
        {
            problems.push(problem.into());
        }
        if !problems.is_empty() {
            return Err(bad(problems));
        }
        let rows_before = self.after.rows;
        self.after = Position { rows: rows_before + 1, ..position(&self.reader, self.base) };
        Ok(true)
    }
}

/// Lines are counted by their ends, so the last one gets one too; a blank line more is skipped.
fn with_last_line_ended(source: Source) -> Source {
    Box::new(source.chain(&b"\n"[..]))
}

fn columns(header: &StringRecord, table: &Table, label: &str) -> Result<Vec<Cell>, LoadError> {
    let fields = table.key.fields();
    let (mut cells, mut unknown, mut twice) = (Vec::<Cell>::new(), Vec::new(), Vec::new());
    for name in header {
        match fields.id(name) {
            None => unknown.push(name.to_owned()),
            Some(field) if cells.iter().any(|cell| cell.field == field) => twice.push(name.to_owned()),
            Some(field) => cells.push(Cell { field, name: name.to_owned(), ty: fields.get(field).ty }),
        }
    }
    let has = |name: &&str| cells.iter().any(|cell| cell.name == *name);
    let missing: Vec<String> = fields.names().filter(|name| !has(name)).map(str::to_owned).collect();
    if unknown.is_empty() && missing.is_empty() && twice.is_empty() {
        return Ok(cells);
    }
    let fields = fields.names().map(str::to_owned).collect();
    Err(LoadError::Header { data: label.to_owned(), unknown, missing, twice, fields })
}

/// Where the reader is, counted from the beginning of the data.
fn position(reader: &Reader<Source>, base: Position) -> Position {
    let own = reader.position();
    Position { byte: base.byte + own.byte(), line: base.line + own.line(), rows: 0 }
}

fn line_error(label: &str, line: u64, error: &csv::Error) -> LoadError {
    let problem = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            LineProblem::CellCount { expected: *expected_len, found: *len }
        }
        ErrorKind::Utf8 { err, .. } => LineProblem::Csv { message: format!("the text is not UTF-8: {err}") },
        _ => LineProblem::Csv { message: error.to_string() },
    };
    LoadError::Line { data: label.to_owned(), line, problems: vec![problem] }
}
