//! Some rows of one column in memory.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96, Int96Type,
};
use ::parquet::errors::ParquetError;

/// A value as the file has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Raw<'c> {
    Null,
    Bool(bool),
    /// 32 or 64 bits; how many is needed to know an unsigned number.
    Int32(i32),
    Int64(i64),
    Int96(&'c Int96),
    Float(f32),
    Double(f64),
    Bytes(&'c [u8]),
}

/// A column of the group that is being read.
pub(super) enum Chunk {
    Bool(Typed<BoolType>),
    Int32(Typed<Int32Type>),
    Int64(Typed<Int64Type>),
    Int96(Typed<Int96Type>),
    Float(Typed<FloatType>),
    Double(Typed<DoubleType>),
    Bytes(Typed<ByteArrayType>),
    Fixed(Typed<FixedLenByteArrayType>),
}

/// Does the same with a chunk of any type.
macro_rules! each {
    ($chunk:expr, $typed:ident => $work:expr) => {
        match $chunk {
            Chunk::Bool($typed) => $work,
            Chunk::Int32($typed) => $work,
            Chunk::Int64($typed) => $work,
            Chunk::Int96($typed) => $work,
            Chunk::Float($typed) => $work,
            Chunk::Double($typed) => $work,
            Chunk::Bytes($typed) => $work,
            Chunk::Fixed($typed) => $work,
        }
    };
}

impl Chunk {
    pub(super) fn new(reader: ColumnReader) -> Self {
        match reader {
            ColumnReader::BoolColumnReader(reader) => Self::Bool(Typed::new(reader)),
            ColumnReader::Int32ColumnReader(reader) => Self::Int32(Typed::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Self::Int64(Typed::new(reader)),
            ColumnReader::Int96ColumnReader(reader) => Self::Int96(Typed::new(reader)),
            ColumnReader::FloatColumnReader(reader) => Self::Float(Typed::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Self::Double(Typed::new(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Self::Bytes(Typed::new(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Self::Fixed(Typed::new(reader)),
        }
    }

    /// Passes over rows.
    pub(super) fn skip(&mut self, rows: u64) -> Result<(), ParquetError> {
        each!(self, typed => typed.skip(rows))
    }

    /// Brings so many rows into memory, in place of those that were there.
    pub(super) fn read(&mut self, rows: u64) -> Result<(), ParquetError> {
        each!(self, typed => typed.read(rows))
    }

    /// How many rows are in memory.
    pub(super) fn rows(&self) -> usize {
        each!(self, typed => typed.rows)
    }

    /// Whether no row in memory is null.
    pub(super) fn is_complete(&self) -> bool {
        each!(self, typed => typed.values.len() == typed.rows)
    }

    /// The value of the next row in memory; null behind the last.
    pub(super) fn next(&mut self) -> Raw<'_> {
        let raw = match self {
            Self::Bool(typed) => typed.next().map(|value| Raw::Bool(*value)),
            Self::Int32(typed) => typed.next().map(|value| Raw::Int32(*value)),
            Self::Int64(typed) => typed.next().map(|value| Raw::Int64(*value)),
            Self::Int96(typed) => typed.next().map(Raw::Int96),
            Self::Float(typed) => typed.next().map(|value| Raw::Float(*value)),
            Self::Double(typed) => typed.next().map(|value| Raw::Double(*value)),
            Self::Bytes(typed) => typed.next().map(|value| Raw::Bytes(value.data())),
            Self::Fixed(typed) => typed.next().map(|value| Raw::Bytes(value.data())),
        };
        raw.unwrap_or(Raw::Null)
    }
}

/// The reader of a column, and rows that it read.
pub(super) struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// For each row 1 if it has a value, 0 if it is null; nothing if the column has no nulls at all.
    present: Vec<i16>,
    /// The values that are there, without gaps.
    values: Vec<T::T>,
    /// How many rows were read.
    rows: usize,
    next_row: usize,
    next_value: usize,
}

impl<T: DataType> Typed<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, present: Vec::new(), values: Vec::new(), rows: 0, next_row: 0, next_value: 0 }
    }

    fn skip(&mut self, rows: u64) -> Result<(), ParquetError> {
        let wanted = usize::try_from(rows).unwrap_or(usize::MAX);
        let found = self.reader.skip_records(wanted)?;
        complete(wanted, found)
    }

    fn read(&mut self, rows: u64) -> Result<(), ParquetError> {
        self.present.clear();
        self.values.clear();
        (self.next_row, self.next_value) = (0, 0);
        let wanted = usize::try_from(rows).unwrap_or(usize::MAX);
        let (found, _, _) =
            self.reader.read_records(wanted, Some(&mut self.present), None, &mut self.values)?;
        self.rows = found;
        complete(wanted, found)
    }

    /// The values that are there, without gaps.
    pub(super) fn values(&self) -> &[T::T] {
        &self.values
    }

    fn next(&mut self) -> Option<&T::T> {
        let present = self.present.get(self.next_row).is_none_or(|&level| level > 0);
        self.next_row += 1;
        if !present {
            return None;
        }
        self.next_value += 1;
        self.values.get(self.next_value - 1)
    }
}

/// Every column of a group has the group's rows, unless the file is broken.
fn complete(wanted: usize, found: usize) -> Result<(), ParquetError> {
    if wanted == found {
        return Ok(());
    }
    Err(ParquetError::EOF(format!("a column ends {} rows early", wanted - found.min(wanted))))
}
