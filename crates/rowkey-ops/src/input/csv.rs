//! Records from CSV.

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use rowkey_core::batch::ColumnBuffer;
use rowkey_core::key::Fields;
use rowkey_core::value::read;
use rowkey_core::{FieldId, Value};
use std::io::Read;

use super::cut::{CutText, Cutter, bad_record};
use super::delimiters::Delimiters;
use super::error::{InputError, LineProblem, USUAL_NULLS};
use super::fields::{FieldColumn, Wanted, field_columns};
use super::{BadLine, Format, LeftOut, Position, RecordReader, Source, Stream, Take};

pub(super) struct CsvInput {
    reader: Reader<Stream>,
    record: StringRecord,
    /// For each cell of a line, its field.
    cells: Vec<FieldColumn>,
    /// Fields without a cell.
    absent: Vec<FieldId>,
    /// How many fields there are.
    fields: usize,
    delimiter: u8,
    /// Where the reader began; its own counts start at zero there.
    base: Position,
}

impl CsvInput {
    /// Reads the first line and finds the field of each column.
    pub(super) fn open(source: Source, fields: (&Fields, &Wanted), label: &str) -> Result<Self, InputError> {
        let dialect = source.dialect.clone();
        let delimiter = dialect.delimiter();
        let mut reader = reader(delimiter).from_reader(records(Cutter::new(source, Format::Csv)));
        let header = reader.headers().cloned().map_err(|error| {
            let (line, problems) = bad_line(&error, 1);
            InputError::Line { data: label.to_owned(), line, problems }
        })?;
        let (cells, absent) = field_columns(header.iter(), fields, &dialect, label, "line 1")?;
        let (record, base, fields) = (StringRecord::new(), Position::default(), fields.0.len());
        Ok(Self { reader, record, cells, absent, fields, delimiter, base })
    }
}

impl RecordReader for CsvInput {
    fn absent(&self) -> &[FieldId] {
        &self.absent
    }

    fn fill(&self, lines: &[u8], columns: &mut [ColumnBuffer], _: &mut LeftOut) -> Option<()> {
        fill(&self.cells, self.delimiter, lines, columns)
    }

    fn resume(&mut self, source: Source, at: Position) {
        let records = records(Cutter::at(source, Format::Csv, at));
        self.reader = reader(self.delimiter).has_headers(false).from_reader(records);
        self.base = Position { line: at.line.saturating_sub(1), ..at };
    }

    fn position(&self) -> Position {
        let own = self.reader.position();
        Position { byte: self.base.byte + own.byte(), line: self.base.line + own.line(), rows: 0 }
    }

    fn text(&self) -> Option<String> {
        let mut writer = csv::WriterBuilder::new().delimiter(self.delimiter).from_writer(Vec::new());
        writer.write_record(&self.record).ok()?;
        let text = String::from_utf8(writer.into_inner().ok()?).ok()?;
        Some(text.trim_end_matches('\n').to_owned())
    }

    fn next(&mut self, take: &mut Take<'_>) -> Result<Option<Position>, BadLine> {
        let line = self.position().line;
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => {
                self.record.clear();
                return Err(bad_line(&error, line));
            }
        }
        // The reader skips blank lines before a record, so its first line is counted back from its end.
        let line_ends = self.record.as_slice().bytes().filter(|&byte| byte == b'\n').count();
        let lines = 1 + u64::try_from(line_ends).unwrap_or(0);
        let line = self.position().line.saturating_sub(lines).max(line);
        if self.record.len() != self.cells.len() {
            let counts = (self.cells.len(), self.record.len());
            let (expected, found) = (counts.0.try_into().unwrap_or(0), counts.1.try_into().unwrap_or(0));
            return Err((line, vec![LineProblem::CellCount { expected, found }]));
        }
        let mut values = vec![Value::Null; self.fields];
        let mut problems = Vec::new();
        for (cell, text) in self.cells.iter().zip(self.record.iter()).filter(|(cell, _)| cell.wanted) {
            match (cell.read(text), values.get_mut(cell.field.0)) {
                (Ok(value), Some(slot)) => *slot = value,
                (Err(problem), _) => problems.push(problem),
                (Ok(_), None) => {}
            }
        }
        if problems.is_empty()
            && let Err(problem) = take(&values, &self.absent)
        {
            problems.push(problem.into());
        }
        if problems.is_empty() { Ok(Some(self.position())) } else { Err((line, problems)) }
    }
}

fn fill(cells: &[FieldColumn], delimiter: u8, lines: &[u8], columns: &mut [ColumnBuffer]) -> Option<()> {
    if memchr::memchr2(b'"', b'\r', lines).is_none() {
        return fill_plain(cells, delimiter, std::str::from_utf8(lines).ok()?, columns);
    }
    let mut builder = ReaderBuilder::new();
    let mut reader =
        builder.delimiter(delimiter).has_headers(false).buffer_capacity(1 << 16).from_reader(lines);
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).ok()? {
        if record.len() != cells.len() {
            return None;
        }
        for (cell, text) in cells.iter().zip(&record) {
            cell.add(text, columns)?;
        }
    }
    Some(())
}

/// The same for lines without quotes, where every delimiter ends a cell and every line end a record.
fn fill_plain(cells: &[FieldColumn], delimiter: u8, lines: &str, columns: &mut [ColumnBuffer]) -> Option<()> {
    let (mut cell, mut from) = (0, 0);
    let mut add = |cell: usize, text: &str| cells.get(cell)?.add(text, columns);
    for end in Delimiters::of(lines.as_bytes(), delimiter) {
        let text = lines.get(from..end)?;
        let ends_record = lines.as_bytes().get(end) == Some(&b'\n');
        from = end + 1;
        if ends_record && cell == 0 && text.is_empty() {
            // A blank line is no record.
            continue;
        }
        add(cell, text)?;
        cell += 1;
        if ends_record {
            if cell != cells.len() {
                return None;
            }
            cell = 0;
        }
    }
    // The last line may have no end.
    let rest = lines.get(from..)?;
    if cell > 0 || !rest.is_empty() {
        add(cell, rest)?;
        return (cell + 1 == cells.len()).then_some(());
    }
    Some(())
}

impl FieldColumn {
    /// Whether a cell means null, for a field that can be or cannot.
    #[inline]
    fn is_null(&self, text: &str) -> bool {
        (text.is_empty() && self.nullable)
            || (!self.nulls.is_empty() && self.nulls.iter().any(|null| null == text))
    }

    /// Adds a cell to the field's column; `None` if it does not fit.
    #[inline]
    fn add(&self, text: &str, columns: &mut [ColumnBuffer]) -> Option<()> {
        if self.is_usual && !text.is_empty() {
            return columns.get_mut(self.field.0)?.push_read(text);
        }
        if !self.wanted {
            return Some(());
        }
        let column = columns.get_mut(self.field.0)?;
        if self.is_null(text) {
            return column.push(&Value::Null).ok().filter(|()| self.nullable);
        }
        self.add_text(text, column)
    }

    /// Adds a text that is no null; `None` if it does not fit.
    #[inline]
    pub(super) fn add_text(&self, text: &str, column: &mut ColumnBuffer) -> Option<()> {
        match &self.time {
            None => column.push_read(text),
            Some(format) => column.push(&Value::Time(format.read(text).ok()?)).ok(),
        }
    }

    fn read<'t>(&self, text: &'t str) -> Result<Value<'t>, LineProblem> {
        if self.is_null(text) {
            let null = || LineProblem::Null { field: self.name.clone(), ty: self.ty };
            return if self.nullable { Ok(Value::Null) } else { Err(null()) };
        }
        self.read_text(text).map_err(|problem| {
            match (problem, USUAL_NULLS.iter().find(|null| **null == text)) {
                (LineProblem::Cell { field, problem }, Some(null)) => {
                    LineProblem::LikelyNull { field, problem, null }
                }
                (problem, _) => problem,
            }
        })
    }

    /// A text that is no null, as the field's value.
    pub(super) fn read_text<'t>(&self, text: &'t str) -> Result<Value<'t>, LineProblem> {
        let read = match &self.time {
            None => read(text, self.ty),
            Some(format) => format.read(text).map(Value::Time),
        };
        read.map_err(|problem| LineProblem::Cell { field: self.name.clone(), problem })
    }
}

/// The number of cells is checked here: by itself the reader would measure all by the first line that it sees, which may
/// be a bad one where a load goes on.
fn reader(delimiter: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.flexible(true).delimiter(delimiter);
    builder
}

/// The records that a cutter lets through. Lines are counted by their ends, so the last one gets one too; a blank line
/// more is skipped.
fn records(cutter: Cutter) -> Stream {
    Box::new(CutText::new(cutter).chain(&b"\n"[..]))
}

fn bad_line(error: &csv::Error, line: u64) -> BadLine {
    let (line, problem) = match error.kind() {
        ErrorKind::Io(error) => bad_record(error, line),
        ErrorKind::Utf8 { err, .. } => (
            line,
            LineProblem::Syntax {
                message: format!(
                    "the text is not UTF-8: {err}; convert it first, as with `iconv -f LATIN1 -t UTF-8`"
                ),
            },
        ),
        _ => (line, LineProblem::Unreadable { message: error.to_string() }),
    };
    (line, vec![problem])
}
