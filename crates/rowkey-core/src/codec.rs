//! The bytes of a value inside a key, and the value of those bytes.
//!
//! | type | bytes |
//! | --- | --- |
//! | `u8 … u64`, `timestamp_s` | big-endian |
//! | `i8 … i64`, `timestamp` | big-endian, sign bit flipped |
//! | `short int long` | two's complement, big-endian |
//! | `f32 f64` | IEEE 754; all bits of a negative number flipped, the sign bit of a positive one |
//! | `decimal(n)` | n digits |
//! | `bool`, [`OctetsType`](crate::types::OctetsType) | 00 or 01; as they are |
//! | `text`, `bytes`, `fixed(n)` | as they are; the key or the width says where they end |
//! | `escaped` | UTF-8, 00 written as 00 FF, then 00 01 |
//! | `ordered(T)` | HBase's `OrderedBytes` ([`crate::ordered`]) |
//!
//! A descending part holds the complement of every byte.
//!
//! **Laws** (tests below): `decode(encode(v)) == v`; for all ordered types ([`Type::is_ordered`]) the order of the
//! bytes is the order of the values, reversed for descending.

mod number;

use crate::disclosure::said;
use std::borrow::Cow;

pub(crate) use number::NumberForm;

use crate::ordered::{self, Decimal, OrderedError, OrderedType, OrderedValueError};
use crate::types::{Kind, Octets, Order, Type};
use crate::value::Value;

/// Ends an `escaped` value.
pub(crate) const TERMINATOR: [u8; 2] = [0x00, 0x01];
/// Stands for a zero byte inside an `escaped` value.
const ESCAPED_ZERO: [u8; 2] = [0x00, 0xFF];

/// A value that has no bytes under a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Null where a value is needed.
    #[error(
        "the value is null, and this part of the key cannot be; give it a value, or write the type with `?`"
    )]
    Null,
    /// A value of another kind.
    #[error("the value `{value}` is not of type {ty}", value = said(value))]
    WrongKind {
        /// The value as text.
        value: String,
        /// The type of the part or column.
        ty: Type,
    },
    /// A number outside the type's range.
    #[error("{value} does not fit {ty}, which holds {min} to {max}", value = said(value))]
    OutOfRange {
        /// The number that was given.
        value: i128,
        /// The type, which holds `min` to `max`.
        ty: Type,
        /// Its smallest number.
        min: i128,
        /// Its largest number.
        max: i128,
    },
    /// A text of another length than `fixed(n)`.
    #[error("`{value}` has {length} bytes where {ty} needs exactly {needed}; pad it with lpad or rpad", value = said(value))]
    Width {
        /// The value, as text.
        value: String,
        /// The type, `fixed(n)`.
        ty: Type,
        /// The length of the value in bytes.
        length: usize,
        /// The only length allowed: the n of `fixed(n)`.
        needed: usize,
    },
    /// NaN.
    #[error("NaN has no place in any order; leave the record out")]
    NotANumber,
    /// A number of 64 bits that 32 bits would change.
    #[error("{value} is not exact in {ty}; give this part the type f64, or the field the type f32", value = said(value))]
    NotExact {
        /// The number in decimal.
        value: String,
        /// The type, which has 32 bits.
        ty: Type,
    },
    /// A time between two seconds.
    #[error("the time {millis} ms is not a whole number of seconds from 0 to {max}, as timestamp_s needs", millis = said(millis))]
    NotWholeSeconds {
        /// Milliseconds since 1970.
        millis: i64,
        /// The latest time allowed, in seconds since 1970.
        max: u32,
    },
    /// A value that HBase's ordered bytes cannot hold.
    #[error(transparent)]
    Ordered(#[from] OrderedValueError),
}

/// Bytes that are no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The key ends inside the value.
    #[error("{ty} needs {needed} bytes but {left} remain")]
    TooShort {
        /// The type that was read.
        ty: Type,
        /// How many bytes it needs.
        needed: usize,
        /// How many the key has left.
        left: usize,
    },
    /// An `escaped` value without its end mark.
    #[error("the escaped text has no end mark")]
    NoTerminator,
    /// A zero byte of an `escaped` value is followed by something else than FF or 01.
    #[error("byte {offset} of the escaped text is neither an escape nor the end mark")]
    BadEscape {
        /// Where in the value.
        offset: usize,
    },
    /// Not UTF-8.
    #[error("the text is not UTF-8 from its byte {valid_up_to} on")]
    NotUtf8 {
        /// The number of bytes before the first that is not UTF-8.
        valid_up_to: usize,
    },
    /// A bool that is neither 00 nor 01.
    #[error("a bool is 00 or 01, not {byte}", byte = said(format!("{byte:02x}")))]
    NotABool {
        /// The byte, after undoing a descending order.
        byte: u8,
    },
    /// A byte of a decimal that is no digit.
    #[error("a decimal holds digits, not {byte}", byte = said(format!("{byte:02x}")))]
    NotADigit {
        /// The byte, after undoing a descending order.
        byte: u8,
    },
    /// The bytes of NaN or -0.0.
    #[error("the bytes are NaN or -0.0, which rowkey does not write")]
    OddFloat,
    /// A null mark that is neither null nor value.
    #[error("{byte} is no null mark", byte = said(format!("{byte:02x}")))]
    NotANullMark {
        /// The byte where a null mark is expected.
        byte: u8,
    },
    /// Bytes that HBase's ordered bytes do not have.
    #[error(transparent)]
    Ordered(#[from] OrderedError),
}

/// Adds the plain ascending bytes of a value, without escapes or end mark: what a hash hashes. On an error `out` may
/// have grown; the caller truncates it.
///
/// # Errors
/// When the value does not fit the type; null is the caller's to skip.
pub fn plain(value: &Value<'_>, ty: Type, out: &mut Vec<u8>) -> Result<(), ValueError> {
    match (ty, value) {
        (_, Value::Null) => return Err(ValueError::Null),
        (Type::Text | Type::Escaped, Value::Text(text)) => out.extend_from_slice(text.as_bytes()),
        (Type::Fixed(width), Value::Text(text)) => {
            fixed_width(text.as_bytes(), value, width.into(), ty, out)?
        }
        (Type::Fixed(width), Value::Bytes(bytes)) => fixed_width(bytes, value, width.into(), ty, out)?,
        (Type::Bytes, Value::Bytes(bytes)) => out.extend_from_slice(bytes),
        (Type::Bool, Value::Bool(bool)) => out.push(u8::from(*bool)),
        (Type::Octets(own), Value::Octets(octets)) if octets.ty() == own => {
            out.extend_from_slice(octets.as_bytes())
        }
        (Type::Timestamp, Value::Time(millis)) => integer((*millis).into(), ty, out)?,
        (Type::TimestampS, Value::Time(millis)) => {
            out.extend_from_slice(&whole_seconds(*millis)?.to_be_bytes())
        }
        (Type::Int(_), Value::Int(number)) => integer(*number, ty, out)?,
        (Type::Int(_), Value::Time(millis)) => integer((*millis).into(), ty, out)?,
        (Type::Decimal(width), Value::Int(number)) => decimal(*number, width.into(), ty, out)?,
        (Type::F64, Value::Float(_) | Value::Float32(_)) => {
            let number = positive_zero(value.float().unwrap_or(f64::NAN))?;
            out.extend_from_slice(&sortable(number).to_be_bytes());
        }
        (Type::F32, Value::Float(_) | Value::Float32(_)) => {
            out.extend_from_slice(&sortable_single(single(value, ty)? + 0.0).to_be_bytes());
        }
        (Type::Ordered(inner), value) => ordered::encode(value, inner, out)?,
        _ => return Err(ValueError::WrongKind { value: value.to_string(), ty }),
    }
    Ok(())
}

/// Whether a value is one of a type, without rounding or cutting it.
pub(crate) fn holds(value: &Value<'_>, ty: Type) -> bool {
    match (ty, value) {
        (Type::Text | Type::Escaped, Value::Text(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Timestamp, Value::Time(_)) => true,
        (Type::Int(_), Value::Int(number)) => in_range(*number, ty).is_ok(),
        _ => plain(value, ty, &mut Vec::new()).is_ok(),
    }
}

fn fixed_width(
    bytes: &[u8],
    value: &Value<'_>,
    needed: usize,
    ty: Type,
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    if bytes.len() != needed {
        return Err(ValueError::Width { value: value.to_string(), ty, length: bytes.len(), needed });
    }
    out.extend_from_slice(bytes);
    Ok(())
}

fn whole_seconds(millis: i64) -> Result<u32, ValueError> {
    let seconds = if millis % 1000 == 0 { u32::try_from(millis / 1000).ok() } else { None };
    seconds.ok_or(ValueError::NotWholeSeconds { millis, max: u32::MAX })
}

fn positive_zero(number: f64) -> Result<f64, ValueError> {
    if number.is_nan() {
        return Err(ValueError::NotANumber);
    }
    Ok(if number == 0.0 { 0.0 } else { number })
}

/// The bits of a number, changed so that they sort as numbers do: all of a negative one flipped, the sign of another.
pub(crate) fn sortable(number: f64) -> u64 {
    let bits = number.to_bits();
    bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | 1 << 63)
}

/// As [`sortable`], of 32 bits.
pub(crate) fn sortable_single(number: f32) -> u32 {
    let bits = number.to_bits();
    bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31)
}

/// A floating-point number in 32 bits, if they hold it exactly: what a field of 64 bits has must come back.
pub(crate) fn single(value: &Value<'_>, ty: Type) -> Result<f32, ValueError> {
    let number = match value {
        Value::Float32(number) => *number,
        Value::Float(number) => {
            narrow(*number).ok_or_else(|| ValueError::NotExact { value: value.to_string(), ty })?
        }
        _ => return Err(ValueError::WrongKind { value: value.to_string(), ty }),
    };
    if number.is_nan() { Err(ValueError::NotANumber) } else { Ok(number) }
}

/// The number in 32 bits, if they hold it exactly.
#[expect(clippy::cast_possible_truncation, reason = "whether the cast rounds is the question")]
pub(crate) fn narrow(number: f64) -> Option<f32> {
    let narrow = number as f32;
    (f64::from(narrow) == number || number.is_nan()).then_some(narrow)
}

pub(crate) fn in_range(number: i128, ty: Type) -> Result<(), ValueError> {
    let (min, max) = ty.integer_range().unwrap_or((i128::MIN, i128::MAX));
    if (min..=max).contains(&number) {
        Ok(())
    } else {
        Err(ValueError::OutOfRange { value: number, ty, min, max })
    }
}

fn integer(number: i128, ty: Type, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let form = NumberForm::of(ty, Order::Ascending).expect("an integer type or timestamp");
    match form.bytes(number) {
        Some(bytes) => out.extend_from_slice(bytes.get(..form.width()).unwrap_or_default()),
        None => in_range(number, ty)?,
    }
    Ok(())
}

fn decimal(number: i128, width: usize, ty: Type, out: &mut Vec<u8>) -> Result<(), ValueError> {
    in_range(number, ty)?;
    let start = out.len();
    out.resize(start + width, b'0');
    let mut rest = number.unsigned_abs();
    for slot in out.iter_mut().skip(start).rev() {
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    Ok(())
}

/// Adds the bytes of a value to `out`. On an error `out` may have grown; the caller truncates it.
///
/// # Errors
/// When the value does not fit the type.
pub fn encode(value: &Value<'_>, ty: Type, order: Order, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let start = out.len();
    match (ty, value) {
        (Type::Escaped, Value::Text(text)) => escape_zeros(text.as_bytes(), out),
        // The one type that has bytes for null.
        (Type::Ordered(inner), Value::Null) => ordered::encode(value, inner, out)?,
        _ => plain(value, ty, out)?,
    }
    if order == Order::Descending {
        complement(out, start);
    }
    Ok(())
}

/// Copies bytes to a place of the same length; few of them as the first and the last ones, which may overlap, because
/// asking the standard library for a copy of unknown length costs more than such a copy.
#[inline(always)]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
    if from.len() > 16 || from.len() < 4 {
        to.copy_from_slice(from);
    } else if let (Some(first), Some(last)) = (from.first_chunk::<8>(), from.last_chunk::<8>()) {
        to.first_chunk_mut::<8>().into_iter().for_each(|to| *to = *first);
        to.last_chunk_mut::<8>().into_iter().for_each(|to| *to = *last);
    } else if let (Some(first), Some(last)) = (from.first_chunk::<4>(), from.last_chunk::<4>()) {
        to.first_chunk_mut::<4>().into_iter().for_each(|to| *to = *first);
        to.last_chunk_mut::<4>().into_iter().for_each(|to| *to = *last);
    }
}

/// Appends bytes; few of them as [`copy_short`] copies them.
#[inline(always)]
pub(crate) fn append_short(to: &mut Vec<u8>, from: &[u8]) {
    if from.len() > 16 || from.len() < 4 {
        return to.extend_from_slice(from);
    }
    let start = to.len();
    // Sixteen bytes are one store, and those too many are taken back.
    to.extend_from_slice(&[0; 16]);
    to.truncate(start + from.len());
    if let Some(slot) = to.get_mut(start..) {
        copy_short(slot, from);
    }
}

/// Turns the bytes from `start` on into their complement.
pub(crate) fn complement(out: &mut [u8], start: usize) {
    out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
}

/// Adds text with its zeros escaped and its end mark.
pub(crate) fn escape_zeros(text: &[u8], out: &mut Vec<u8>) {
    for (index, piece) in text.split(|&byte| byte == 0).enumerate() {
        if index > 0 {
            out.extend_from_slice(&ESCAPED_ZERO);
        }
        out.extend_from_slice(piece);
    }
    out.extend_from_slice(&TERMINATOR);
}

/// The text before the end mark, if it has no zero that was escaped.
pub(crate) fn unescaped(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    bytes.get(end..)?.starts_with(&TERMINATOR).then(|| bytes.get(..end)).flatten()
}

/// How many bytes [`encode`] adds for a value that fits.
pub fn encoded_len(value: &Value<'_>, ty: Type) -> usize {
    if let Some(width) = ty.width() {
        return width;
    }
    match (ty, value) {
        (Type::Escaped, Value::Text(text)) => {
            text.len() + text.bytes().filter(|&byte| byte == 0).count() + TERMINATOR.len()
        }
        (Type::Ordered(inner), value) => ordered::encoded_len(value, inner),
        (_, Value::Text(text)) => text.len(),
        (_, Value::Bytes(bytes)) => bytes.len(),
        _ => 0,
    }
}

/// Reads one value from the front of `bytes` and says how many bytes it took. `field` is the declared type, which
/// decides what the value is; plain text and bytes take all of `bytes`.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn decode(bytes: &[u8], ty: Type, field: Type, order: Order) -> Result<(Value<'_>, usize), BytesError> {
    match ty {
        Type::Text => Ok((utf8(plain_order(bytes, order))?, bytes.len())),
        Type::Bytes => Ok((Value::Bytes(plain_order(bytes, order)), bytes.len())),
        Type::Fixed(width) => {
            let width = width.into();
            let found = plain_order(first(bytes, width, ty)?, order);
            Ok((if field.kind() == Kind::Bytes { Value::Bytes(found) } else { utf8(found)? }, width))
        }
        Type::Escaped => decode_escaped(bytes, order),
        Type::Bool => match fixed::<1>(bytes, ty, order)? {
            [0] => Ok((Value::Bool(false), 1)),
            [1] => Ok((Value::Bool(true), 1)),
            [byte] => Err(BytesError::NotABool { byte }),
        },
        Type::Octets(own) => {
            let (found, width) = (first(bytes, own.width(), ty)?, own.width());
            let octets =
                Octets::new(own, &plain_order(found, order)).expect("bytes of the width of the type");
            Ok((Value::Octets(octets), width))
        }
        Type::Timestamp | Type::Int(_) => decode_integer(bytes, ty, field, order),
        Type::TimestampS => {
            let seconds = u32::from_be_bytes(fixed(bytes, ty, order)?);
            Ok((Value::Time(i64::from(seconds) * 1000), 4))
        }
        Type::F64 => {
            let raw = u64::from_be_bytes(fixed(bytes, ty, order)?);
            let flip = if raw >> 63 == 1 { 1 << 63 } else { u64::MAX };
            Ok((float_as_field(plain_float(f64::from_bits(raw ^ flip))?, field), 8))
        }
        Type::F32 => {
            let raw = u32::from_be_bytes(fixed(bytes, ty, order)?);
            let flip = if raw >> 31 == 1 { 1 << 31 } else { u32::MAX };
            Ok((float_as_field(plain_float(f64::from(f32::from_bits(raw ^ flip)))?, field), 4))
        }
        Type::Decimal(width) => decode_decimal(bytes, width.into(), ty, order),
        Type::Ordered(inner) => decode_ordered(bytes, inner, field, order),
    }
}

/// A number is a time again if the field is one.
fn as_field(number: i128, field: Type) -> Value<'static> {
    Value::of_number(number, field.kind()).unwrap_or(Value::Int(number))
}

/// A number has the width of its field, unless that does not hold it.
fn float_as_field(number: f64, field: Type) -> Value<'static> {
    match narrow(number) {
        Some(narrow) if field.is_single() => Value::Float32(narrow),
        _ => Value::Float(number),
    }
}

fn plain_float(number: f64) -> Result<f64, BytesError> {
    let odd = number.is_nan() || (number == 0.0 && number.is_sign_negative());
    if odd { Err(BytesError::OddFloat) } else { Ok(number) }
}

fn decode_integer(
    bytes: &[u8],
    ty: Type,
    field: Type,
    order: Order,
) -> Result<(Value<'_>, usize), BytesError> {
    let form = NumberForm::of(ty, order).expect("an integer type or timestamp");
    let width = form.width();
    let found = first(bytes, width, ty)?;
    let mut word = [0; 8];
    word.iter_mut().zip(found).for_each(|(slot, byte)| *slot = *byte);
    let field = if form.is_time() { ty } else { field };
    Ok((as_field(form.number(word), field), width))
}

fn decode_decimal(
    bytes: &[u8],
    width: usize,
    ty: Type,
    order: Order,
) -> Result<(Value<'_>, usize), BytesError> {
    let mut number = 0i128;
    for &byte in first(bytes, width, ty)? {
        let byte = if order == Order::Descending { !byte } else { byte };
        if !byte.is_ascii_digit() {
            return Err(BytesError::NotADigit { byte });
        }
        // 38 digits at most, which 128 bits hold.
        number = number.wrapping_mul(10).wrapping_add(i128::from(byte - b'0'));
    }
    Ok((Value::Int(number), width))
}

fn decode_ordered(
    bytes: &[u8],
    inner: OrderedType,
    field: Type,
    order: Order,
) -> Result<(Value<'_>, usize), BytesError> {
    let (value, used) = match order {
        Order::Ascending => ordered::decode(bytes, inner)?,
        Order::Descending => ordered::decode_descending(bytes, inner)?,
    };
    let value = match value {
        Value::Int(number) => as_field(number, field),
        Value::Float32(number) => float_as_field(number.into(), field),
        Value::Float(number) => float_as_field(number, field),
        Value::Numeric(number) if field.kind() == Kind::Integer => {
            whole(&number).map_or(Value::Numeric(number), Value::Int)
        }
        value => value,
    };
    Ok((value, used))
}

/// A decimal as a whole number, if it is one.
fn whole(number: &Decimal) -> Option<i128> {
    let factor = 10i128.checked_pow(u32::try_from(number.exponent()).ok()?)?;
    number.coefficient().checked_mul(factor)
}

/// The bytes of a value of a fixed width.
fn first(bytes: &[u8], width: usize, ty: Type) -> Result<&[u8], BytesError> {
    bytes.get(..width).ok_or(BytesError::TooShort { ty, needed: width, left: bytes.len() })
}

fn fixed<const N: usize>(bytes: &[u8], ty: Type, order: Order) -> Result<[u8; N], BytesError> {
    let raw = bytes.first_chunk::<N>().ok_or(BytesError::TooShort { ty, needed: N, left: bytes.len() })?;
    Ok(if order == Order::Descending { raw.map(|byte| !byte) } else { *raw })
}

fn plain_order(bytes: &[u8], order: Order) -> Cow<'_, [u8]> {
    match order {
        Order::Ascending => Cow::Borrowed(bytes),
        Order::Descending => Cow::Owned(bytes.iter().map(|byte| !byte).collect()),
    }
}

fn utf8(bytes: Cow<'_, [u8]>) -> Result<Value<'_>, BytesError> {
    let not_utf8 = |error: std::str::Utf8Error| BytesError::NotUtf8 { valid_up_to: error.valid_up_to() };
    Ok(Value::Text(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(std::str::from_utf8(bytes).map_err(not_utf8)?),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).map_err(|e| not_utf8(e.utf8_error()))?),
    }))
}

fn decode_escaped(bytes: &[u8], order: Order) -> Result<(Value<'_>, usize), BytesError> {
    let flip = if order == Order::Descending { 0xFF } else { 0x00 };
    let mut text: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut piece_start = 0;
    loop {
        let rest = bytes.get(piece_start..).unwrap_or_default();
        let zero = rest.iter().position(|&byte| byte ^ flip == 0).ok_or(BytesError::NoTerminator)?;
        let zero_at = piece_start + zero;
        let piece = plain_order(rest.get(..zero).unwrap_or_default(), order);
        if text.is_empty() {
            text = piece;
        } else {
            text.to_mut().extend_from_slice(&piece);
        }
        match bytes.get(zero_at + 1).map(|byte| byte ^ flip) {
            Some(0x01) => return Ok((utf8(text)?, zero_at + 2)),
            Some(0xFF) => text.to_mut().push(0),
            Some(_) => return Err(BytesError::BadEscape { offset: zero_at }),
            None => return Err(BytesError::NoTerminator),
        }
        piece_start = zero_at + 2;
    }
}

#[cfg(test)]
mod tests;
