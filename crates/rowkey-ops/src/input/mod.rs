//! Reads records from files.
//!
//! CSV (the first line names the fields), JSON or, with the feature `parquet`, Parquet, typed by the fields they are for; one file or
//! several, packed or not ([`Input`]), written in one way or another ([`Dialect`]). A record that does not fit is told with its line or row and everything that is wrong with it.
//! Positions are byte offsets, or rows of Parquet, so that a load can be resumed in the middle.
//!
//! **Law** (`tests/same_record.rs`): the same record gives the same key and the same cells, or the same refusal, whatever it is
//! written in. The text of a value goes to one reader, [`rowkey_core::value::read`].
//!
//! A record is bounded ([`Source::max_record`]), and so is what is kept of it in memory.
//!
//! An empty CSV cell is null for a nullable field, empty text for a text field, and an error for any other. A cell that somebody
//! said means null is null, or an error for a field that cannot be.

mod batches;
mod compressed;
mod csv;
mod cut;
mod declared;
mod delimiters;
mod dialect;
mod error;
mod fields;
mod files;
mod json_columns;
mod json_lines;
mod json_objects;
mod json_value;
mod left_out;
mod look;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod record_ends;

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rowkey_core::batch::ColumnBuffer;
use rowkey_core::key::{EncodeError, Fields};
use rowkey_core::{FieldId, Value};
use serde::{Deserialize, Serialize};

pub use batches::{BatchError, BatchSink, BatchWork, Batches, Refused};
pub use compressed::Compression;
pub use declared::{DeclaredField, DeclaredNulls, parquet_fields};
pub use dialect::{Dialect, Ignored, InputOptions, Times};
pub use error::{ColumnProblem, InputError, LineProblem, USUAL_NULLS};
pub(crate) use files::look_at_file;
pub use files::{Input, expand};
pub use json_value::{JsonObject, JsonValue};
pub use left_out::LeftOut;
pub(crate) use look::Look;
pub use names::{field_name, field_names};

use csv::CsvInput;
use cut::{CutText, Cutter};
use fields::Wanted;
use files::DataPart;
use json_lines::JsonLinesInput;
use json_objects::JsonObjects;
#[cfg(feature = "parquet")]
use parquet::ParquetInput;

/// Bytes to read records from.
pub struct Source {
    /// Where they come from: a file that can be read again, or a stream.
    pub bytes: SourceBytes,
    /// A line of CSV or JSON Lines, or a record of CSV that has several, may have so many bytes; a longer one ends the
    /// reading. What is kept in memory is bounded by a few times that.
    pub max_record: usize,
    /// How the records are written.
    pub dialect: Arc<Dialect>,
    /// Whether its JSON has one object per line.
    is_lines: bool,
    /// Files that follow.
    then: VecDeque<DataPart>,
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

    fn new(bytes: SourceBytes) -> Self {
        let (max_record, dialect) = (Self::MAX_RECORD, Arc::default());
        Self { bytes, max_record, dialect, is_lines: false, then: VecDeque::new() }
    }

    /// A file, which can be read at any place.
    pub fn file(file: File) -> Self {
        Self::new(SourceBytes::File(file))
    }

    /// Bytes that come once and in order.
    pub fn stream(bytes: impl Read + Send + 'static) -> Self {
        Self::new(SourceBytes::Stream(Box::new(bytes)))
    }

    /// Allows records of so many bytes.
    #[must_use]
    pub fn max_record(self, max_record: usize) -> Self {
        Self { max_record, ..self }
    }

    /// Reads records that are written so.
    #[must_use]
    pub fn dialect(self, dialect: impl Into<Arc<Dialect>>) -> Self {
        Self { dialect: dialect.into(), ..self }
    }

    /// The same data, of which some was read, as these bytes from its beginning.
    #[must_use]
    pub fn again(self, bytes: SourceBytes) -> Self {
        Self { bytes, ..self }
    }

    /// Takes the bytes for what they are, with JSON of any layout as an object per line.
    #[must_use]
    pub fn as_lines(self, format: Format) -> Self {
        if format != Format::Json || self.is_lines {
            return self;
        }
        let bytes: Stream = match self.bytes {
            SourceBytes::File(file) => Box::new(file),
            SourceBytes::Stream(stream) => stream,
        };
        Self { bytes: SourceBytes::Stream(Box::new(JsonObjects::new(bytes))), is_lines: true, ..self }
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
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a first line of names.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// JSON objects in any layout: in an array or one behind another, over any number of lines.
    Json,
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

    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::JsonLines => "JSON Lines",
            Self::Json => "JSON objects in any layout",
            Self::Parquet => "Parquet",
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
    reader: Box<dyn RecordReader>,
    after: Position,
    label: String,
    /// Whether a line is an object of JSON in another layout.
    objects: bool,
    then: Then,
}

/// Files that follow, and what they are read for.
struct Then {
    parts: VecDeque<DataPart>,
    fields: Fields,
    wanted: Wanted,
    dialect: Arc<Dialect>,
    max_record: usize,
}

/// How records come out of one format.
trait RecordReader: Send {
    /// Where the reader is, counted from the beginning of the data.
    fn position(&self) -> Position;

    /// Goes on at `at`, with a source that begins there; Parquet goes on in the file that it has.
    fn resume(&mut self, source: Source, at: Position);

    /// The position behind the next record, which `take` takes; `None` at the end.
    fn next(&mut self, take: &mut Take<'_>) -> Result<Option<Position>, BadLine>;

    /// The record that was read last, where it is text.
    fn text(&self) -> Option<String>;

    /// The fields that no record has.
    fn absent(&self) -> &[FieldId];

    /// Adds the records of whole lines to columns, one for each field; `None` if there is anything wrong with one, or the format has no lines.
    fn fill(&self, lines: &[u8], columns: &mut [ColumnBuffer], left_out: &mut LeftOut) -> Option<()>;

    /// The error of a record that was refused at a place.
    fn refused(&self, data: String, place: u64, problems: Vec<LineProblem>) -> InputError {
        InputError::Line { data, line: place, problems }
    }

    /// The rows in steps, for many readers, where the format is read so.
    #[cfg(feature = "parquet")]
    fn steps(&self) -> Option<parquet::Steps> {
        None
    }

    /// Goes on with the rows of a step, and no others.
    #[cfg(feature = "parquet")]
    fn resume_for(&mut self, _: &parquet::RowStep) {}
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
        let mut source = source.as_lines(format);
        let (wanted, dialect, max_record) = (fields.1.clone(), source.dialect.clone(), source.max_record);
        let parts = std::mem::take(&mut source.then);
        let then = Then { parts, fields: fields.0.clone(), wanted, dialect, max_record };
        let reader: Box<dyn RecordReader> = match format {
            Format::Csv => Box::new(CsvInput::open(source, fields, label)?),
            Format::JsonLines | Format::Json => Box::new(JsonLinesInput::open(source, fields, label)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Box::new(ParquetInput::open(source, fields, label)?),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(InputError::NoParquet { data: label.to_owned() }),
        };
        let after = reader.position();
        Ok(Self { reader, after, label: label.to_owned(), objects: format == Format::Json, then })
    }

    /// Goes on with the next file; `false` if there is none.
    fn next_file(&mut self) -> Result<bool, InputError> {
        let Some(part) = self.then.parts.pop_front() else { return Ok(false) };
        let Then { parts, fields, wanted, dialect, max_record } = &mut self.then;
        let source = part.source(dialect, *max_record)?;
        let mut next = Self::open_wanted(source, part.look.format, (fields, wanted), &part.label)?;
        next.then.parts = std::mem::take(parts);
        next.after.rows = self.after.rows;
        *self = next;
        Ok(true)
    }

    /// Goes on at `at`, with a source that begins there; Parquet goes on in the file that it has.
    pub fn resume(&mut self, source: Source, at: Position) {
        self.reader.resume(source, at);
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
        loop {
            match self.reader.next(&mut take) {
                Ok(None) if self.next_file()? => {}
                Ok(None) => return Ok(false),
                Ok(Some(after)) => {
                    self.after = Position { rows: number + 1, ..after };
                    return Ok(true);
                }
                Err((place, problems)) => return Err(self.refused(place, problems)),
            }
        }
    }

    /// Goes on behind the record that was just refused.
    pub fn skip(&mut self) {
        self.after = Position { rows: self.after.rows, ..self.reader.position() };
    }

    /// The record that was just refused, where it is text.
    pub fn refused_text(&self) -> Option<String> {
        self.reader.text()
    }

    fn refused(&self, place: u64, problems: Vec<LineProblem>) -> InputError {
        let data = self.label.clone();
        match self.objects {
            true => InputError::Object { data, object: place, problems },
            false => self.reader.refused(data, place, problems),
        }
    }
}

/// A line or row that is no record: its number and what is wrong with it.
type BadLine = (u64, Vec<LineProblem>);

/// What takes a record's values, and the fields that it leaves out.
type Take<'a> = dyn FnMut(&[Value<'_>], &[FieldId]) -> Result<(), EncodeError> + 'a;
