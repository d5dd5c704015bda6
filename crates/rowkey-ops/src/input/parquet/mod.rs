//! Records from Parquet.
//!
//! A Parquet file is cut into groups of rows, a group into columns, a column into pages. Some rows of every column are
//! read at a time ([`chunk`]), so memory is that of a page of each column, whatever the size of the file. What a
//! column holds is told by the file ([`holds`]); it must fit the field of its name, and then each value is made one of
//! the field's ([`value`]).
//!
//! Text, numbers, times and so on become the same values as the same text in CSV would. Times in micro- or
//! nanoseconds must be whole milliseconds, decimal numbers for a field of whole numbers must be whole: nothing is rounded.
//!
//! Not here: nested columns (lists, maps, groups), which are refused with their names.
//!
//! Quirk: a place in the data is a row. Its byte is a share of the file's length, which is right only for showing how
//! far a load is.

mod chunk;
mod declared;
mod fill;
mod holds;
mod place;
mod plain;
mod steps;
mod value;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use rowkey_core::batch::ColumnBuffer;
use rowkey_core::key::Fields;
use rowkey_core::{FieldId, Value};

use super::error::{ColumnProblem, InputError, LineProblem};
use super::fields::{FieldColumn, Wanted, field_columns};
use super::{BadLine, LeftOut, Position, RecordReader, Source, SourceBytes, Take};

use chunk::Chunk;
pub(super) use declared::declared_fields;
use holds::Holds;
use place::PlacedFile;
pub(super) use steps::{RowReader, RowStep, STEPS_OF_A_PART, Steps};

/// Rows of each column in memory: enough that a turn of reading costs little for each.
const ROWS_AT_ONCE: u64 = 1024;

/// A file and what is to be read of it; any number of readers share it.
struct OpenFile {
    /// Fields without a column.
    absent: Vec<FieldId>,
    /// How many fields there are.
    fields: usize,
    file: SerializedFileReader<PlacedFile>,
    columns: Vec<Column>,
    bytes: u64,
    rows: u64,
}

impl OpenFile {
    /// The place behind so many rows.
    fn position(&self, row: u64) -> Position {
        let share = u128::from(self.bytes) * u128::from(row) / u128::from(self.rows.max(1));
        let byte = u64::try_from(share).unwrap_or(self.bytes).min(self.bytes);
        Position { byte, line: row + 1, rows: 0 }
    }

    /// The columns of a group, behind so many of its rows; nothing for one that is not wanted.
    fn chunks(&self, group: usize, skip: u64) -> Result<Vec<Option<Chunk>>, ParquetError> {
        let chunks = self.columns.iter().map(|column| {
            if !column.field.wanted {
                return Ok(None);
            }
            let mut chunk = self.chunk(column, group)?;
            chunk.skip(skip)?;
            Ok(Some(chunk))
        });
        chunks.collect()
    }

    /// A column of a group, from its first row on.
    fn chunk(&self, column: &Column, group: usize) -> Result<Chunk, ParquetError> {
        Ok(Chunk::new(self.file.get_row_group(group)?.get_column_reader(column.leaf)?))
    }

    /// How many rows a group has.
    fn rows_of(&self, group: usize) -> u64 {
        u64::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or(0)
    }
}

pub(super) struct ParquetInput {
    open: Arc<OpenFile>,
    /// The columns of the group that is being read; nothing for one that is not wanted.
    chunks: Vec<Option<Chunk>>,
    next_group: usize,
    /// Rows of the group that are not in memory yet.
    rows_left: u64,
    /// Rows in memory that were not taken yet.
    rows_here: u64,
    /// Rows before the next one.
    row: u64,
    /// Rows to pass over, as an earlier load took them.
    skip: u64,
    /// Rows before the end, which may be before that of the file.
    end: u64,
}

struct Column {
    field: FieldColumn,
    holds: Holds,
    /// Its place among the columns that have no columns inside.
    leaf: usize,
}

impl ParquetInput {
    /// Reads the file's own description and finds the field of each column.
    pub(super) fn open(source: Source, fields: (&Fields, &Wanted), label: &str) -> Result<Self, InputError> {
        let dialect = source.dialect;
        let SourceBytes::File(file) = source.bytes else {
            return Err(InputError::NotAFile { data: label.to_owned() });
        };
        let unreadable = |message| InputError::Parquet { data: label.to_owned(), message };
        let bytes = file.metadata().map_err(|error| unreadable(error.to_string()))?.len();
        let file = PlacedFile::new(file, bytes);
        let file = guarded(|| SerializedFileReader::new(file)).map_err(|error| unreadable(said(&error)))?;
        let metadata = file.metadata();
        let (schema, rows) = (metadata.file_metadata().schema_descr(), metadata.file_metadata().num_rows());
        let named = schema.root_schema().get_fields();
        let (found, absent) =
            field_columns(named.iter().map(|column| column.name()), fields, &dialect, label, "the columns")?;
        let leaf = |root| (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
        let columns: Vec<Column> = found
            .into_iter()
            .zip(named)
            .enumerate()
            .map(|(root, (field, column))| Column {
                field,
                holds: Holds::of(column),
                leaf: leaf(root).unwrap_or(usize::MAX),
            })
            .collect();
        let wanted = columns.iter().filter(|column| column.field.wanted);
        let problems: Vec<ColumnProblem> = wanted.filter_map(Column::problem).collect();
        if !problems.is_empty() {
            return Err(InputError::Columns { data: label.to_owned(), problems });
        }
        if let Some(message) = contradiction(metadata, &columns, bytes) {
            return Err(unreadable(message));
        }
        let rows = u64::try_from(rows).unwrap_or(0);
        let open = Arc::new(OpenFile { columns, fields: fields.0.len(), absent, bytes, rows, file });
        let chunks = Vec::new();
        Ok(Self { open, chunks, next_group: 0, rows_left: 0, rows_here: 0, row: 0, skip: 0, end: u64::MAX })
    }

    fn go_on_at(&mut self, at: Position) {
        (self.next_group, self.rows_left, self.rows_here) = (0, 0, 0);
        let rows = at.line.saturating_sub(1);
        (self.row, self.skip, self.end) = (rows, rows, u64::MAX);
    }

    /// Brings the next rows into memory; false at the end.
    fn read_rows(&mut self) -> Result<bool, ParquetError> {
        while self.rows_left == 0 {
            if self.next_group == self.open.file.metadata().num_row_groups() {
                return Ok(false);
            }
            let rows = self.open.rows_of(self.next_group);
            if rows <= self.skip {
                self.skip -= rows;
            } else {
                self.chunks = self.open.chunks(self.next_group, self.skip)?;
                self.rows_left = rows - self.skip;
                self.skip = 0;
            }
            self.next_group += 1;
        }
        let rows = self.rows_left.min(ROWS_AT_ONCE);
        for chunk in self.chunks.iter_mut().flatten() {
            chunk.read(rows)?;
        }
        self.rows_left -= rows;
        self.rows_here = rows;
        Ok(true)
    }
}

impl RecordReader for ParquetInput {
    fn absent(&self) -> &[FieldId] {
        &self.open.absent
    }

    fn steps(&self) -> Option<Steps> {
        Some(Steps::new(self.open.clone()))
    }

    /// Goes on behind the rows before `at`, also those that were no records.
    fn resume(&mut self, _: Source, at: Position) {
        self.go_on_at(at);
    }

    fn resume_for(&mut self, step: &RowStep) {
        self.go_on_at(self.open.position(step.row));
        self.end = self.row.saturating_add(step.rows);
    }

    fn position(&self) -> Position {
        self.open.position(self.row)
    }

    fn next(&mut self, take: &mut Take<'_>) -> Result<Option<Position>, BadLine> {
        let number = self.row + 1;
        let unreadable = |error| (number, vec![LineProblem::Unreadable { message: said(&error) }]);
        if self.row >= self.end {
            return Ok(None);
        }
        if self.rows_here == 0 && !guarded(|| self.read_rows()).map_err(unreadable)? {
            return Ok(None);
        }
        let mut values = vec![Value::Null; self.open.fields];
        let mut problems = Vec::new();
        for (column, chunk) in self.open.columns.iter().zip(&mut self.chunks) {
            let Some(chunk) = chunk else { continue };
            match (column.value(chunk.next()), values.get_mut(column.field.field.0)) {
                (Ok(value), Some(slot)) => *slot = value,
                (Err(problem), _) => problems.push(problem),
                (Ok(_), None) => {}
            }
        }
        if problems.is_empty()
            && let Err(problem) = take(&values, &self.open.absent)
        {
            problems.push(problem.into());
        }
        self.rows_here -= 1;
        self.row += 1;
        if problems.is_empty() { Ok(Some(self.position())) } else { Err((number, problems)) }
    }

    /// A row is no text.
    fn text(&self) -> Option<String> {
        None
    }

    /// Columns are read by steps, not by lines.
    fn fill(&self, _: &[u8], _: &mut [ColumnBuffer], _: &mut LeftOut) -> Option<()> {
        None
    }

    fn refused(&self, data: String, row: u64, problems: Vec<LineProblem>) -> InputError {
        InputError::Row { data, row, problems }
    }
}

impl Column {
    /// Why the field cannot have what the column holds.
    fn problem(&self) -> Option<ColumnProblem> {
        let ty = self.field.ty;
        let cure = self.holds.misfit(ty.kind())?;
        Some(ColumnProblem { column: self.field.name.clone(), holds: self.holds.to_string(), ty, cure })
    }
}

/// Runs the reader. It panics on some damaged files, and bad data must not end a program: that is an error like any
/// other. Nothing is read after it, so it does not matter what state the reader is in.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let panicked = |_| Err(ParquetError::General("the reader cannot make sense of damaged data".to_owned()));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(panicked)
}

/// What the file says about itself that cannot be: columns outside the file, which the reader would panic over, or
/// rows that do not add up, which would be lost.
fn contradiction(metadata: &ParquetMetaData, columns: &[Column], bytes: u64) -> Option<String> {
    let mut rows = 0_i64;
    for (number, group) in (1..).zip(metadata.row_groups()) {
        let wanted = columns.iter().filter(|column| column.field.wanted);
        for column in wanted.filter_map(|column| group.columns().get(column.leaf)) {
            let name = || column.column_path().string();
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let length = column.compressed_size();
            let end = start.checked_add(length).and_then(|end| u64::try_from(end).ok());
            if start < 0 || length < 0 || end.is_none_or(|end| end > bytes) {
                return Some(format!("column `{}` of group {number} is not inside the file", name()));
            }
            if column.num_values() != group.num_rows() {
                let (values, rows) = (column.num_values(), group.num_rows());
                return Some(format!(
                    "column `{}` of group {number} has {values} values for {rows} rows",
                    name()
                ));
            }
        }
        rows = rows.saturating_add(group.num_rows());
    }
    let all = metadata.file_metadata().num_rows();
    (rows != all || all < 0).then(|| format!("it has {all} rows, but its groups have {rows}"))
}

/// What the reader says, without the names of its error classes.
fn said(error: &ParquetError) -> String {
    match error {
        ParquetError::General(message) | ParquetError::NYI(message) | ParquetError::EOF(message) => {
            message.clone()
        }
        ParquetError::External(cause) => cause.to_string(),
        other => other.to_string(),
    }
}
