//! The same records in every format.

use std::fs::File;
use std::sync::Arc;

use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use rowkey_core::Value;
use rowkey_core::ordered::Decimal;
use rowkey_core::types::{Kind, OctetsType, Type};
use rowkey_core::value::read;
use tempfile::NamedTempFile;

use super::Texts;
use super::texts::is_json_number;

type Chosen<'r> = [(usize, &'r Texts)];

/// A mistake to plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plant {
    Nothing,
    /// Numbers of JSON become doubles.
    Doubles,
}

pub(crate) fn csv(records: &Chosen<'_>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let lines =
        records.iter().map(|(id, texts)| format!("{id},{},{}\n", quoted(&texts.key), quoted(&texts.cell)));
    std::iter::once("id,k,c\n".to_owned()).chain(lines).collect()
}

pub(crate) fn json_strings(records: &Chosen<'_>) -> String {
    let string = |text: &str| serde_json::Value::from(text).to_string();
    let line = |(id, texts): &(usize, &Texts)| {
        format!("{{\"id\":{id},\"k\":{},\"c\":{}}}\n", string(&texts.key), string(&texts.cell))
    };
    records.iter().map(line).collect()
}

/// Numbers where JSON has them, and how many there are.
pub(crate) fn json_numbers(records: &Chosen<'_>, types: (Type, Type), plant: Plant) -> (String, u64) {
    let mut count = 0;
    let mut cell = |text: &str, ty: Type| match text {
        "true" | "false" if ty.kind() == Kind::Bool => text.to_owned(),
        number if is_json_number(number) && ty.kind().takes_numbers() => {
            count += 1;
            match number.parse::<f64>() {
                Ok(double)
                    if plant == Plant::Doubles && double.is_finite() && number.contains(['.', 'e', 'E']) =>
                {
                    format!("{double:?}")
                }
                _ => number.to_owned(),
            }
        }
        other => serde_json::Value::from(other).to_string(),
    };
    let line = |(id, texts): &(usize, &Texts)| {
        format!(
            "{{\"id\":{id}, \"k\" :{},\"c\": {} }}\n",
            cell(&texts.key, types.0),
            cell(&texts.cell, types.1)
        )
    };
    let lines: String = records.iter().map(line).collect();
    (lines, count)
}

pub(crate) fn parquet_texts(records: &Chosen<'_>) -> NamedTempFile {
    write("binary k (utf8)", records, |group| {
        column::<ByteArrayType>(
            group,
            records.iter().map(|(_, texts)| ByteArray::from(texts.key.as_str())).collect(),
        );
    })
}

/// A type of Parquet that holds a field's values without text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    Bool,
    Int64,
    Int32,
    Unsigned64,
    Double,
    Float,
    Decimal,
    Millis,
    Micros,
    Date,
    Uuid,
    Bytes,
}

/// Places behind the point of the decimal column.
const SCALE: i32 = 9;

impl Native {
    pub(crate) const ALL: [Self; 12] = [
        Self::Bool,
        Self::Int64,
        Self::Int32,
        Self::Unsigned64,
        Self::Double,
        Self::Float,
        Self::Decimal,
        Self::Millis,
        Self::Micros,
        Self::Date,
        Self::Uuid,
        Self::Bytes,
    ];

    /// Those that a field of this type takes.
    pub(crate) fn of(ty: Type) -> &'static [Self] {
        match ty.kind() {
            Kind::Bool => &[Self::Bool],
            Kind::Integer => &[Self::Int64, Self::Int32, Self::Unsigned64, Self::Decimal],
            Kind::Float => &[Self::Int64, Self::Int32, Self::Unsigned64, Self::Double, Self::Float],
            Kind::Numeric => &[Self::Int64, Self::Unsigned64, Self::Decimal],
            Kind::Time => &[Self::Int64, Self::Millis, Self::Micros, Self::Date],
            Kind::Octets(OctetsType::Uuid) => &[Self::Uuid],
            Kind::Bytes => &[Self::Bytes],
            Kind::Text | Kind::Octets(_) => &[],
        }
    }

    /// Whether a column can say what the text says.
    pub(crate) fn has(self, text: &str, ty: Type) -> bool {
        match self {
            Self::Bool => matches!(text, "true" | "false"),
            Self::Int64 => is_printed::<i64>(text),
            Self::Int32 => is_printed::<i32>(text),
            Self::Unsigned64 => is_printed::<u64>(text),
            Self::Double => text.parse::<f64>().is_ok_and(|number| format!("{number:?}") == text),
            // In a field of 64 bits it is another number than its text.
            Self::Float => {
                ty.is_single() && text.parse::<f32>().is_ok_and(|number| format!("{number:?}") == text)
            }
            Self::Decimal => {
                scaled(text).is_some() && (ty.kind() == Kind::Numeric || is_printed::<i128>(text))
            }
            Self::Millis => time(text, ty).is_some(),
            Self::Micros => time(text, ty).is_some_and(|millis| millis.checked_mul(1000).is_some()),
            Self::Date => time(text, ty)
                .is_some_and(|millis| millis % 86_400_000 == 0 && i32::try_from(millis / 86_400_000).is_ok()),
            Self::Uuid => matches!(read(text, ty), Ok(Value::Octets(_))),
            Self::Bytes => matches!(read(text, ty), Ok(Value::Bytes(_))),
        }
    }

    /// A file of records that it has.
    pub(crate) fn write(self, records: &Chosen<'_>, ty: Type) -> NamedTempFile {
        let texts = || records.iter().map(|(_, texts)| texts.key.as_str());
        let schema = match self {
            Self::Bool => "boolean k",
            Self::Int64 => "int64 k",
            Self::Int32 => "int32 k",
            Self::Unsigned64 => "int64 k (integer(64, false))",
            Self::Double => "double k",
            Self::Float => "float k",
            Self::Decimal => "fixed_len_byte_array(16) k (decimal(38, 9))",
            Self::Millis => "int64 k (timestamp(millis, true))",
            Self::Micros => "int64 k (timestamp(micros, true))",
            Self::Date => "int32 k (date)",
            Self::Uuid => "fixed_len_byte_array(16) k (uuid)",
            Self::Bytes => "binary k",
        };
        write(schema, records, |group| match self {
            Self::Bool => column::<BoolType>(group, texts().map(|text| text == "true").collect()),
            Self::Int64 => column::<Int64Type>(group, texts().map(|text| text.parse().unwrap()).collect()),
            Self::Int32 => column::<Int32Type>(group, texts().map(|text| text.parse().unwrap()).collect()),
            Self::Unsigned64 => {
                column::<Int64Type>(
                    group,
                    texts().map(|text| text.parse::<u64>().unwrap().cast_signed()).collect(),
                );
            }
            Self::Double => column::<DoubleType>(group, texts().map(|text| text.parse().unwrap()).collect()),
            Self::Float => column::<FloatType>(group, texts().map(|text| text.parse().unwrap()).collect()),
            Self::Decimal => {
                let bytes = |text| ByteArray::from(scaled(text).unwrap().to_be_bytes().to_vec()).into();
                column::<FixedLenByteArrayType>(group, texts().map(bytes).collect());
            }
            Self::Millis => column::<Int64Type>(group, texts().map(|text| time(text, ty).unwrap()).collect()),
            Self::Micros => {
                column::<Int64Type>(group, texts().map(|text| time(text, ty).unwrap() * 1000).collect())
            }
            Self::Date => {
                let day = |text| i32::try_from(time(text, ty).unwrap() / 86_400_000).unwrap();
                column::<Int32Type>(group, texts().map(day).collect());
            }
            Self::Uuid => {
                let bytes = |text| match read(text, ty) {
                    Ok(Value::Octets(octets)) => ByteArray::from(octets.as_bytes().to_vec()).into(),
                    other => panic!("{other:?}"),
                };
                column::<FixedLenByteArrayType>(group, texts().map(bytes).collect());
            }
            Self::Bytes => {
                let bytes = |text| match read(text, ty) {
                    Ok(Value::Bytes(bytes)) => ByteArray::from(bytes.to_vec()),
                    other => panic!("{other:?}"),
                };
                column::<ByteArrayType>(group, texts().map(bytes).collect());
            }
        })
    }
}

/// Whether a number prints as it is written.
fn is_printed<N: std::str::FromStr + ToString>(text: &str) -> bool {
    text.parse::<N>().is_ok_and(|number| number.to_string() == text)
}

/// The number without its point, if it has no more places than the column.
fn scaled(text: &str) -> Option<i128> {
    let decimal: Decimal = text.parse().ok()?;
    let power = u32::try_from(decimal.exponent() + SCALE).ok()?;
    let number = decimal.coefficient().checked_mul(10_i128.checked_pow(power)?)?;
    (number.unsigned_abs() < 10_u128.pow(38)).then_some(number)
}

fn time(text: &str, ty: Type) -> Option<i64> {
    match read(text, ty) {
        Ok(Value::Time(millis)) => Some(millis),
        _ => None,
    }
}

/// A file with the column `k` that `fill` writes.
fn write(
    schema: &str,
    records: &Chosen<'_>,
    fill: impl FnOnce(&mut SerializedRowGroupWriter<'_, File>),
) -> NamedTempFile {
    let schema =
        format!("message rows {{ required int64 id; required {schema}; required binary c (utf8); }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let file = NamedTempFile::new().unwrap();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file.reopen().unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<Int64Type>(&mut group, records.iter().map(|(id, _)| *id as i64).collect());
    fill(&mut group);
    column::<ByteArrayType>(
        &mut group,
        records.iter().map(|(_, texts)| ByteArray::from(texts.cell.as_str())).collect(),
    );
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, values: Vec<T::T>) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
}
