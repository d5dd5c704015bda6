//! The bytes of a value in a column.
//!
//! The layout of HBase's `Bytes`, so that Java programs and HBase's increments understand the cells: integers in
//! two's complement, big-endian, with the width of their type (a `decimal(n)` as 8 bytes); times as 8-byte
//! milliseconds; floats as IEEE 754; bool as FF or 00; text as UTF-8; UUIDs, their like and bytes as they are; an exact decimal as
//! its text.

use crate::codec::{self, BytesError, ValueError};
use crate::types::{IntForm, IntType, Kind, Order, Type};
use crate::value::{ReadError, Value, read};

/// The type with the same values whose key bytes are the column's bytes.
fn layout(ty: Type) -> Type {
    let twos = |bytes| Type::int(bytes, IntForm::TwosComplement);
    match ty {
        // Unsigned numbers keep their bits: Java reads a `u64` above its `Long.MAX_VALUE` as negative.
        Type::Int(IntType { form: IntForm::SignFlipped, bytes }) => twos(bytes),
        Type::Timestamp | Type::TimestampS | Type::Decimal(_) => twos(8),
        Type::Escaped | Type::Fixed(_) => Type::Text,
        Type::Ordered(ty) => ty.plain().map_or(Type::Text, layout),
        Type::Int(_) | Type::Text | Type::Bytes | Type::Bool | Type::F32 | Type::F64 | Type::Octets(_) => ty,
    }
}

/// How many bytes every value of a type has, if that is always the same.
pub fn width(ty: Type) -> Option<usize> {
    if let Type::Fixed(width) = ty { Some(width.into()) } else { layout(ty).width() }
}

/// Whether equal values have equal bytes: not 0.0 and -0.0, nor the many forms of true.
pub fn has_one_form(ty: Type) -> bool {
    !matches!(ty.kind(), Kind::Float | Kind::Bool | Kind::Numeric)
}

/// Whether the order of the bytes is the order of the values: not of signed numbers, whose sign bit is as in Java.
pub fn sorts_by_bytes(ty: Type) -> bool {
    match ty {
        Type::Int(int) => int.form == IntForm::Unsigned,
        _ => matches!(ty.kind(), Kind::Text | Kind::Bytes | Kind::Octets(_)),
    }
}

/// Adds the bytes of a value to `out`; a null has none and is the caller's to leave out.
///
/// # Errors
/// When the value does not fit the type.
pub fn encode(value: &Value<'_>, ty: Type, out: &mut Vec<u8>) -> Result<(), ValueError> {
    match (value, layout(ty)) {
        (Value::Bool(bool), Type::Bool) => out.push(if *bool { 0xFF } else { 0x00 }),
        (Value::Float(number), Type::F64) => out.extend_from_slice(&number.to_be_bytes()),
        (Value::Float32(number), Type::F64) => out.extend_from_slice(&f64::from(*number).to_be_bytes()),
        (Value::Float(_) | Value::Float32(_), Type::F32) => {
            out.extend_from_slice(&codec::single(value, ty)?.to_be_bytes());
        }
        (Value::Numeric(number), Type::Text) => out.extend_from_slice(number.to_string().as_bytes()),
        (value, layout) => codec::encode(value, layout, Order::Ascending, out)?,
    }
    Ok(())
}

/// The value that a column's bytes stand for.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn decode(bytes: &[u8], ty: Type) -> Result<Value<'_>, ColumnError> {
    let layout = layout(ty);
    let length = |needed| ColumnError::Length { ty, needed, length: bytes.len() };
    match layout {
        // HBase's `Bytes.toBoolean` takes every byte but 0 for true.
        Type::Bool => match bytes {
            [byte] => Ok(Value::Bool(*byte != 0)),
            _ => Err(length(1)),
        },
        Type::F64 => bytes.try_into().map(|raw| Value::Float(f64::from_be_bytes(raw))).map_err(|_| length(8)),
        Type::F32 => {
            bytes.try_into().map(|raw| Value::Float32(f32::from_be_bytes(raw))).map_err(|_| length(4))
        }
        _ => {
            let (value, used) = codec::decode(bytes, layout, ty, Order::Ascending)?;
            if used != bytes.len() {
                return Err(length(used));
            }
            match (&value, ty.kind()) {
                (Value::Text(text), Kind::Numeric) => Ok(read(text, ty)?.into_owned()),
                _ => Ok(value),
            }
        }
    }
}

/// Bytes that are no value of a column's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// Another number of bytes than the type has.
    #[error("a column of type {ty} has {needed} bytes, not {length}")]
    Length {
        /// The type of the column.
        ty: Type,
        /// The width of the type in bytes.
        needed: usize,
        /// The length of the cell's value in bytes.
        length: usize,
    },
    /// Bytes that are no such value.
    #[error(transparent)]
    Bytes(#[from] BytesError),
    /// A text that is no such number.
    #[error(transparent)]
    Text(#[from] ReadError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_layout_of_hbase_bytes() {
        let table: [(Value<'_>, &str, &[u8]); 11] = [
            (Value::Int(-2), "i64", &[255, 255, 255, 255, 255, 255, 255, 254]),
            (Value::Int(1), "u32", &[0, 0, 0, 1]),
            (Value::Int(7), "decimal(3)", &[0, 0, 0, 0, 0, 0, 0, 7]),
            (Value::Int(-1), "ordered(i16)", &[255, 255]),
            (Value::Time(1), "timestamp", &[0, 0, 0, 0, 0, 0, 0, 1]),
            (Value::Bool(true), "bool", &[0xFF]),
            (Value::Float(1.5), "f64", &[0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (Value::Float(-2.0), "f32", &[0xC0, 0, 0, 0]),
            (Value::Text("é\0".into()), "text", &[0xC3, 0xA9, 0]),
            (Value::Text("x".into()), "escaped", b"x"),
            (Value::Numeric("-12.5".parse().unwrap()), "ordered(numeric)", b"-12.5"),
        ];
        for (value, ty, expected) in table {
            let ty = Type::from_name(ty).unwrap();
            let mut out = Vec::new();
            encode(&value, ty, &mut out).unwrap();
            assert_eq!(out, expected, "{ty}");
            assert_eq!(decode(&out, ty), Ok(value), "{ty}");
        }
    }

    #[test]
    fn a_column_of_the_wrong_length_is_an_error() {
        let ty = Type::from_name("i64").unwrap();
        assert!(matches!(decode(&[0; 9], ty), Err(ColumnError::Length { length: 9, needed: 8, .. })));
        assert!(matches!(decode(&[0; 4], ty), Err(ColumnError::Bytes(BytesError::TooShort { left: 4, .. }))));
        assert!(matches!(decode(&[], Type::Bool), Err(ColumnError::Length { .. })));
        assert!(matches!(decode(&[0; 3], Type::F32), Err(ColumnError::Length { .. })));
    }
}
