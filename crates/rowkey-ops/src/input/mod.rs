//! How do records come out of a file?
//!
//! CSV (the first line names the fields) or JSON Lines (an object a line), typed by the fields they are for. A record
//! that does not fit is told with its line and everything that is wrong with it. Positions are byte offsets, so that a
//! load can be resumed in the middle.
//!
//! An empty CSV cell is null for a nullable field, empty text for a text field, and an error for any other.

mod csv;
mod error;
mod json_lines;

use std::io::Read;
use std::path::Path;

use rowkey::Value;
use rowkey::key::{EncodeError, Fields};
use serde::{Deserialize, Serialize};

pub use error::{InputError, LineProblem};

use csv::CsvInput;
use json_lines::JsonLinesInput;

/// Bytes to read records from.
pub type Source = Box<dyn Read + Send>;

/// The format of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a first line of names.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

impl Format {
    /// The format that a file's name tells; CSV if it tells none.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" | "json" => Self::JsonLines,
            _ => Self::Csv,
        }
    }
}

/// A place between two records of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Bytes before it.
    pub byte: u64,
    /// The line, from 1, of the next record.
    pub line: u64,
    /// Records before it.
    pub rows: u64,
}

/// Records, one after another.
pub struct Records {
    reader: Reader,
    after: Position,
    label: String,
}

enum Reader {
    Csv(CsvInput),
    JsonLines(JsonLinesInput),
}

impl Records {
    /// Begins to read; `label` names the data in messages.
    ///
    /// # Errors
    /// When the first line of CSV does not name the fields, each once.
    pub fn open(source: Source, format: Format, fields: &Fields, label: &str) -> Result<Self, InputError> {
        let reader = match format {
            Format::Csv => Reader::Csv(CsvInput::open(source, fields, label)?),
            Format::JsonLines => Reader::JsonLines(JsonLinesInput::open(source, fields)),
        };
        let after = match &reader {
            Reader::Csv(csv) => csv.position(),
            Reader::JsonLines(_) => Position { line: 1, ..Position::default() },
        };
        Ok(Self { reader, after, label: label.to_owned() })
    }

    /// Goes on at `at`, with a source that begins there.
    pub fn resume(&mut self, source: Source, at: Position) {
        match &mut self.reader {
            Reader::Csv(csv) => csv.resume(source, at),
            Reader::JsonLines(lines) => lines.resume(source, at),
        }
        self.after = at;
    }

    /// The position behind the last record that was taken.
    pub fn position(&self) -> Position {
        self.after
    }

    /// Hands the next record, with its number from 0, to `take`; `false` at the end.
    ///
    /// # Errors
    /// When the line is no record, or `take` refuses it.
    pub fn next(
        &mut self,
        mut take: impl FnMut(u64, &[Value<'_>]) -> Result<(), EncodeError>,
    ) -> Result<bool, InputError> {
        let number = self.after.rows;
        let mut take = |values: &[Value<'_>]| take(number, values);
        let read = match &mut self.reader {
            Reader::Csv(csv) => csv.next(&mut take),
            Reader::JsonLines(lines) => lines.next(&mut take),
        };
        match read {
            Ok(None) => Ok(false),
            Ok(Some(after)) => {
                self.after = Position { rows: number + 1, ..after };
                Ok(true)
            }
            Err((line, problems)) => Err(InputError::Line { data: self.label.clone(), line, problems }),
        }
    }
}

/// A line that is no record: its number and what is wrong with it.
type BadLine = (u64, Vec<LineProblem>);

/// What takes a record's values.
type Take<'a> = dyn FnMut(&[Value<'_>]) -> Result<(), EncodeError> + 'a;
