//! Which bytes does a value have in a column?
//!
//! The layout of HBase's `Bytes`, so that Java programs and HBase's increments understand the cells: integers in
//! two's complement, big-endian, with the width of their type; times as 8-byte milliseconds; bool as FF or 00;
//! text as UTF-8.

use crate::codec::{self, BytesError, ValueError};
use crate::types::{IntForm, IntType, Order, Type};
use crate::value::Value;

/// The type with the same values whose key bytes are the column's bytes.
fn layout(ty: Type) -> Type {
    let long = IntType { bytes: 8, form: IntForm::TwosComplement };
    match ty {
        // Unsigned numbers keep their bits: Java reads a `u64` above its `Long.MAX_VALUE` as negative.
        Type::Int(IntType { form: IntForm::SignFlipped, bytes }) => {
            Type::Int(IntType { bytes, form: IntForm::TwosComplement })
        }
        Type::Timestamp => Type::Int(long),
        Type::Escaped => Type::Text,
        Type::Int(_) | Type::Text | Type::Bool => ty,
    }
}

/// Adds the bytes of a value to `out`; a null has none and is the caller's to leave out.
///
/// # Errors
/// When the value does not fit the type.
pub fn encode(value: &Value<'_>, ty: Type, out: &mut Vec<u8>) -> Result<(), ValueError> {
    match value {
        Value::Bool(bool) if ty == Type::Bool => {
            out.push(if *bool { 0xFF } else { 0x00 });
            Ok(())
        }
        _ => codec::encode(value, layout(ty), Order::Ascending, out),
    }
}

/// The value that a column's bytes stand for.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn decode(bytes: &[u8], ty: Type) -> Result<Value<'_>, ColumnError> {
    if ty == Type::Bool {
        // HBase's `Bytes.toBoolean` takes every byte but 0 for true.
        let [byte] = bytes else { return Err(ColumnError::Length { ty, needed: 1, length: bytes.len() }) };
        return Ok(Value::Bool(*byte != 0));
    }
    let (value, used) = codec::decode(bytes, layout(ty), ty, Order::Ascending)?;
    if used != bytes.len() {
        return Err(ColumnError::Length { ty, needed: used, length: bytes.len() });
    }
    Ok(value)
}

/// Bytes that are no value of a column's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// Too many bytes for the type.
    #[error("a column of type {ty} has {needed} bytes, not {length}")]
    Length {
        /// The type.
        ty: Type,
        /// Its width.
        needed: usize,
        /// What is there.
        length: usize,
    },
    /// Bytes that are no such value.
    #[error(transparent)]
    Bytes(#[from] BytesError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_layout_of_hbase_bytes() {
        let table: [(Value<'_>, &str, &[u8]); 6] = [
            (Value::Int(-2), "i64", &[255, 255, 255, 255, 255, 255, 255, 254]),
            (Value::Int(1), "u32", &[0, 0, 0, 1]),
            (Value::Time(1), "timestamp", &[0, 0, 0, 0, 0, 0, 0, 1]),
            (Value::Bool(true), "bool", &[0xFF]),
            (Value::Text("é\0".into()), "text", &[0xC3, 0xA9, 0]),
            (Value::Text("x".into()), "escaped", b"x"),
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
    }
}
