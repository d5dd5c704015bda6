//! Columns of Parquet: what each type of a field becomes, and how groups of rows are written.
//!
//! Types are those that other programs have, so that a reader without rowkey gets numbers, times and UUIDs: unsigned numbers up to 32 bits
//! are wider signed ones. Exact decimals of any place of the point have no type there and are texts. Every column may have nulls.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::{
    Compression, DecimalType, IntType, LogicalType, Repetition, TimeUnit, TimestampType, Type as Physical,
};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type as Schema;
use rowkey_core::types::{IntForm, Kind};
use rowkey_core::{Type, Value};

use super::ExportError;
use super::blocks::Column;

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        Self::Parquet { message: error.to_string() }
    }
}

/// Values of the columns of some rows.
pub(super) struct Columns {
    columns: Vec<Values>,
    bytes: usize,
}

/// Values that are there, and for each row 1 if it has one.
struct Values {
    present: Vec<i16>,
    own: Typed,
}

enum Typed {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

/// What a value of bytes takes besides them.
const BYTES_OVERHEAD: usize = 64;

/// The largest number of digits that 64 bits hold.
const DIGITS_OF_64_BITS: u16 = 18;

/// What a type becomes: the column's physical type and what it means.
fn physical(ty: Type) -> (Physical, Option<LogicalType>) {
    match (ty.kind(), ty) {
        (Kind::Bool, _) => (Physical::BOOLEAN, None),
        (Kind::Integer, Type::Decimal(digits)) if digits > DIGITS_OF_64_BITS => {
            let decimal = DecimalType { scale: 0, precision: digits.into() };
            (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Decimal(decimal)))
        }
        (Kind::Integer, Type::Int(int)) if int.form == IntForm::Unsigned && int.bytes == 8 => {
            let unsigned = IntType { bit_width: 64, is_signed: false };
            (Physical::INT64, Some(LogicalType::Integer(unsigned)))
        }
        (Kind::Integer, _) => match ty.integer_range() {
            Some((min, max)) if i32::try_from(min).is_ok() && i32::try_from(max).is_ok() => {
                (Physical::INT32, None)
            }
            _ => (Physical::INT64, None),
        },
        (Kind::Float, _) if ty.is_single() => (Physical::FLOAT, None),
        (Kind::Float, _) => (Physical::DOUBLE, None),
        (_, Type::UUID) => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid)),
        (Kind::Text | Kind::Numeric | Kind::Octets(_), _) => {
            (Physical::BYTE_ARRAY, Some(LogicalType::String))
        }
        (Kind::Bytes, _) => (Physical::BYTE_ARRAY, None),
        (Kind::Time, _) => {
            let millis = TimestampType { is_adjusted_to_u_t_c: true, unit: TimeUnit::MILLIS };
            (Physical::INT64, Some(LogicalType::Timestamp(millis)))
        }
    }
}

fn schema(column: &Column) -> Result<Schema, ParquetError> {
    let (physical, logical) = physical(column.ty);
    let builder =
        Schema::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
    let builder = match &logical {
        Some(LogicalType::Decimal(decimal)) => {
            builder.with_precision(decimal.precision).with_scale(decimal.scale)
        }
        _ => builder,
    };
    let length = if physical == Physical::FIXED_LEN_BYTE_ARRAY { 16 } else { -1 };
    builder.with_length(length).with_logical_type(logical).build()
}

impl Columns {
    pub(super) fn new(columns: &[Column]) -> Self {
        let values = |column: &Column| {
            let own = match physical(column.ty).0 {
                Physical::BOOLEAN => Typed::Bool(Vec::new()),
                Physical::INT32 => Typed::Int32(Vec::new()),
                Physical::INT64 | Physical::INT96 => Typed::Int64(Vec::new()),
                Physical::FLOAT => Typed::Float(Vec::new()),
                Physical::DOUBLE => Typed::Double(Vec::new()),
                Physical::BYTE_ARRAY => Typed::Bytes(Vec::new()),
                Physical::FIXED_LEN_BYTE_ARRAY => Typed::Fixed(Vec::new()),
            };
            Values { present: Vec::new(), own }
        };
        Self { columns: columns.iter().map(values).collect(), bytes: 0 }
    }

    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the next value of a column; `None` if it is of another type.
    pub(super) fn add(&mut self, column: usize, value: &Value<'_>) -> Option<()> {
        let Values { present, own } = self.columns.get_mut(column)?;
        self.bytes += 2;
        if value.is_null() {
            present.push(0);
            return Some(());
        }
        self.bytes += 8;
        match (own, value) {
            (Typed::Bool(own), Value::Bool(value)) => own.push(*value),
            (Typed::Int32(own), Value::Int(value)) => own.push(i32::try_from(*value).ok()?),
            (Typed::Int64(own), Value::Int(value)) => {
                let unsigned = || u64::try_from(*value).ok().map(u64::cast_signed);
                own.push(i64::try_from(*value).ok().or_else(unsigned)?);
            }
            (Typed::Int64(own), Value::Time(value)) => own.push(*value),
            (Typed::Float(own), Value::Float32(value)) => own.push(*value),
            (Typed::Double(own), value) => own.push(value.float()?),
            (Typed::Bytes(own), value) => {
                let bytes = match value {
                    Value::Text(text) => text.as_bytes().to_vec(),
                    Value::Bytes(bytes) => bytes.to_vec(),
                    Value::Numeric(_) | Value::Octets(_) => value.to_string().into_bytes(),
                    _ => return None,
                };
                self.bytes += bytes.len() + BYTES_OVERHEAD;
                own.push(bytes.into());
            }
            (Typed::Fixed(own), value) => {
                let bytes = match value {
                    Value::Octets(octets) => octets.as_bytes().to_vec(),
                    Value::Int(number) => number.to_be_bytes().to_vec(),
                    _ => return None,
                };
                self.bytes += bytes.len() + BYTES_OVERHEAD;
                own.push(bytes.into());
            }
            _ => return None,
        }
        present.push(1);
        Some(())
    }
}

/// A file on its way. Groups are made in memory, and go to the file whole.
pub(super) struct ParquetFile {
    writer: SerializedFileWriter<Vec<u8>>,
    waiting: Vec<Columns>,
    /// A group is written with so many bytes.
    group: usize,
}

impl ParquetFile {
    pub(super) fn new(columns: &[Column], group: usize) -> Result<Self, ExportError> {
        let fields = columns.iter().map(|column| schema(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Schema::group_type_builder("rows").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("rowkey ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, waiting: Vec::new(), group })
    }

    pub(super) fn write(&mut self, columns: Columns, out: &mut dyn Write) -> Result<(), ExportError> {
        self.waiting.push(columns);
        if self.waiting.iter().map(Columns::bytes).sum::<usize>() < self.group {
            return Ok(());
        }
        self.write_group(out)
    }

    fn write_group(&mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        let blocks = std::mem::take(&mut self.waiting);
        if !blocks.is_empty() {
            let mut group = self.writer.next_row_group()?;
            let columns = blocks.first().map_or(0, |block| block.columns.len());
            for at in 0..columns {
                let values: Vec<&Values> = blocks.iter().filter_map(|block| block.columns.get(at)).collect();
                write_column(&mut group, &values)?;
            }
            group.close()?;
        }
        self.hand_on(out)
    }

    /// Hands on what was made. The writer counts bytes by itself and does not look back.
    fn hand_on(&mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        self.writer.flush()?;
        let made = std::mem::take(self.writer.inner_mut());
        Ok(out.write_all(&made)?)
    }

    pub(super) fn finish(mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        self.write_group(out)?;
        self.writer.finish()?;
        self.hand_on(out)
    }
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    blocks: &[&Values],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    for Values { present, own } in blocks.iter().copied() {
        macro_rules! write {
            ($ty:ty, $values:expr) => {{
                let values: &[<$ty as DataType>::T] = $values;
                column.typed::<$ty>().write_batch(values, Some(present), None)?;
            }};
        }
        match own {
            Typed::Bool(own) => write!(BoolType, own),
            Typed::Int32(own) => write!(Int32Type, own),
            Typed::Int64(own) => write!(Int64Type, own),
            Typed::Float(own) => write!(FloatType, own),
            Typed::Double(own) => write!(DoubleType, own),
            Typed::Bytes(own) => write!(ByteArrayType, own),
            Typed::Fixed(own) => write!(FixedLenByteArrayType, own),
        }
    }
    column.close()
}
