//! How do records come out of a file?
//!
//! CSV (the first line names the fields), JSON Lines (an object a line) or, with the feature `parquet`, Parquet, typed by
//! the fields they are for. A record that does not fit is told with its line or row and everything that is wrong with it.
//! Positions are byte offsets, or rows of Parquet, so that a load can be resumed in the middle.
//!
//! **Law** (`tests/parquet.rs`): the same records give the same keys, whatever they are written in.
//!
//! A record is bounded ([`Source::max_record`]), and so is what is kept of it in memory.
//!
//! An empty CSV cell is null for a nullable field, empty text for a text field, and an error for any other.

mod batches;
mod csv;
mod cut;
mod declared;
mod delimiters;
mod error;
mod fields;
mod json_columns;
mod json_lines;
mod left_out;
#[cfg(feature = "parquet")]
mod parquet;
mod record_ends;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rowkey::key::{EncodeError, Fields};
use rowkey::{FieldId, Value};
use serde::{Deserialize, Serialize};

pub use batches::{BatchError, BatchSink, BatchWork, Batches, Refused};
pub use declared::{DeclaredField, DeclaredNulls, parquet_fields};
pub use error::{ColumnProblem, InputError, LineProblem};
pub use left_out::LeftOut;

use csv::CsvInput;
use cut::{CutText, Cutter};
use fields::Wanted;
use json_lines::JsonLinesInput;
#[cfg(feature = "parquet")]
use parquet::ParquetInput;

/// Bytes to read records from.
pub struct Source {
    /// The bytes.
    pub bytes: SourceBytes,
    /// A line of CSV or JSON Lines, or a record of CSV that has several, may have so many bytes; a longer one ends the
    /// reading. What is kept in memory is bounded by a few times that.
    pub max_record: usize,
}

/// Where bytes come from.
pub enum SourceBytes {
    /// A file, which can be read at any place.
    File(File),
    /// Bytes that come once and in order.
    Stream(Stream),
}

/// Bytes that come once and in order.
pub type Stream = Box<dyn Read + Send>;

impl Source {
    /// The longest record if nothing else is said: 16 MiB.
    pub const MAX_RECORD: usize = 16 << 20;

    /// A file, which can be read at any place.
    pub fn file(file: File) -> Self {
        Self { bytes: SourceBytes::File(file), max_record: Self::MAX_RECORD }
    }

    /// Bytes that come once and in order.
    pub fn stream(bytes: impl Read + Send + 'static) -> Self {
        Self { bytes: SourceBytes::Stream(Box::new(bytes)), max_record: Self::MAX_RECORD }
    }

    /// Allows records of so many bytes.
    #[must_use]
    pub fn max_record(self, max_record: usize) -> Self {
        Self { max_record, ..self }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.bytes {
            SourceBytes::File(file) => file.read(buffer),
            SourceBytes::Stream(stream) => stream.read(buffer),
        }
    }
}

/// The text of a source, of which no line is longer than allowed.
pub fn bounded_lines(source: Source) -> impl Read {
    CutText::new(Cutter::new(source, Format::JsonLines))
}

/// The format of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a first line of names.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// Columns in a file; needs the feature `parquet`.
    Parquet,
}

impl Format {
    /// The format that a file's name tells; CSV if it tells none.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" | "json" => Self::JsonLines,
            "parquet" => Self::Parquet,
            _ => Self::Csv,
        }
    }
}

/// A place between two records of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Bytes before it; in Parquet, where records have no place of their own, about so many.
    pub byte: u64,
    /// The line, from 1, of the next record; in Parquet the row.
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
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetInput>),
}

impl Records {
    /// Begins to read; `label` names the data in messages.
    ///
    /// # Errors
    /// When the first line of CSV, or the columns of Parquet, do not name the fields, each once; when Parquet cannot be
    /// read, or holds what the fields cannot have.
    pub fn open(source: Source, format: Format, fields: &Fields, label: &str) -> Result<Self, InputError> {
        Self::open_wanted(source, format, (fields, &Wanted::ALL), label)
    }

    fn open_wanted(
        source: Source,
        format: Format,
        fields: (&Fields, &Wanted),
        label: &str,
    ) -> Result<Self, InputError> {
        let reader = match format {
            Format::Csv => Reader::Csv(CsvInput::open(source, fields, label)?),
            Format::JsonLines => Reader::JsonLines(JsonLinesInput::open(source, fields)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Reader::Parquet(Box::new(ParquetInput::open(source, fields, label)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(InputError::NoParquet { data: label.to_owned() }),
        };
        let after = match &reader {
            Reader::Csv(csv) => csv.position(),
            Reader::JsonLines(_) => Position { line: 1, ..Position::default() },
            #[cfg(feature = "parquet")]
            Reader::Parquet(parquet) => parquet.position(),
        };
        Ok(Self { reader, after, label: label.to_owned() })
    }

    /// Goes on at `at`, with a source that begins there; Parquet goes on in the file that it has.
    pub fn resume(&mut self, source: Source, at: Position) {
        match &mut self.reader {
            Reader::Csv(csv) => csv.resume(source, at),
            Reader::JsonLines(lines) => lines.resume(source, at),
            #[cfg(feature = "parquet")]
            Reader::Parquet(parquet) => parquet.resume(at),
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
        self.next_with(|number, values, _| take(number, values))
    }

    /// As [`Records::next`], and with the fields that the record leaves out, which are null among its values.
    ///
    /// # Errors
    /// As [`Records::next`].
    pub fn next_with(
        &mut self,
        mut take: impl FnMut(u64, &[Value<'_>], &[FieldId]) -> Result<(), EncodeError>,
    ) -> Result<bool, InputError> {
        let number = self.after.rows;
        let mut take = |values: &[Value<'_>], left_out: &[FieldId]| take(number, values, left_out);
        let read = match &mut self.reader {
            Reader::Csv(csv) => csv.next(&mut take),
            Reader::JsonLines(lines) => lines.next(&mut take),
            #[cfg(feature = "parquet")]
            Reader::Parquet(parquet) => parquet.next(&mut take),
        };
        match read {
            Ok(None) => Ok(false),
            Ok(Some(after)) => {
                self.after = Position { rows: number + 1, ..after };
                Ok(true)
            }
            Err((place, problems)) => Err(self.refused(place, problems)),
        }
    }

    /// Goes on behind the record that was just refused.
    pub fn skip(&mut self) {
        let behind = match &self.reader {
            Reader::Csv(csv) => csv.position(),
            Reader::JsonLines(lines) => lines.position(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(parquet) => parquet.position(),
        };
        self.after = Position { rows: self.after.rows, ..behind };
    }

    /// The record that was just refused, where it is text.
    pub fn refused_text(&self) -> Option<String> {
        match &self.reader {
            Reader::Csv(csv) => csv.text(),
            Reader::JsonLines(lines) => Some(lines.text()),
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => None,
        }
    }

    fn refused(&self, place: u64, problems: Vec<LineProblem>) -> InputError {
        let data = self.label.clone();
        match &self.reader {
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => InputError::Row { data, row: place, problems },
            Reader::Csv(_) | Reader::JsonLines(_) => InputError::Line { data, line: place, problems },
        }
    }
}

/// A line or row that is no record: its number and what is wrong with it.
type BadLine = (u64, Vec<LineProblem>);

/// What takes a record's values, and the fields that it leaves out.
type Take<'a> = dyn FnMut(&[Value<'_>], &[FieldId]) -> Result<(), EncodeError> + 'a;
