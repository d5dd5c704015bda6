//! HBase's `OrderedBytes`: the bytes of a value, and the value of bytes.
//!
//! `OrderedBytes` is HBase's own order-preserving form. Every value starts with a byte that tells its type, and so
//! ends where it says it ends:
//!
//! | type | bytes |
//! | --- | --- |
//! | null, of any type | `05` |
//! | `i8 i16 i32 i64` | `29 2a 2b 2c`, big-endian with the sign bit flipped |
//! | `f32 f64` | `30 31`, IEEE 754 made order-preserving |
//! | `numeric` | `08` to `22`: an exact [`Decimal`] ([`encode_numeric`]) |
//! | `text` | `34`, UTF-8, `00` |
//! | `bytes` | `37`, HBase's blob-var: seven bits a byte ([`encode_bytes`]) |
//!
//! Descending bytes are the complement of every byte, for all types ([`decode_descending`] reads them in place).
//!
//! **Laws** (tests below): HBase 2.6.4's own bytes hold in both orders (`testdata/vectors/ordered_bytes.jsonl`); what
//! decodes encodes to the same bytes; the order of the bytes is that of the values, except for `bytes`; arbitrary
//! bytes never panic and never take more memory than they have.
//!
//! ```
//! use rowkey_core::ordered::{OrderedType, OrderedValue, decode, encode_text};
//! let mut key = Vec::new();
//! encode_text("host1", &mut key)?;
//! assert_eq!(key, b"\x34host1\0");
//! let (value, used) = decode(&key, OrderedType::Text)?;
//! assert_eq!((value, used), (OrderedValue::Text("host1".into()), 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Quirks:
//! - **`bytes` do not sort as bytes** unless they have one length: HBase puts `ff` before `fe ff`.
//! - HBase writes NaN and -0.0 as floats; here both are refused, in and out. Infinity is a value.
//! - HBase rounds a `numeric` to 31 digits; here more are refused. Its infinities and NaN are refused too.
//! - HBase's text cannot hold a zero byte.

mod blob;
mod decimal;
mod numeric;

use crate::disclosure::said;
use std::borrow::Cow;
use std::fmt;

pub use decimal::{Decimal, DecimalError};
pub use numeric::{encode_numeric, numeric_len};

/// The byte of null.
pub(crate) const NULL: u8 = 0x05;
/// Ends a text.
const END_OF_TEXT: u8 = 0x00;
const TOO_FAR: OrderedError = OrderedError::Decimal(DecimalError::TooFar { limit: Decimal::MAX_PLACES });

/// A type of HBase's `OrderedBytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderedType {
    /// One byte, signed.
    I8,
    /// Two bytes, signed.
    I16,
    /// Four bytes, signed.
    I32,
    /// Eight bytes, signed.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// An exact decimal number.
    Numeric,
    /// Text without zero bytes.
    Text,
    /// Any bytes; HBase's blob-var.
    Bytes,
}

impl OrderedType {
    /// All types.
    pub const ALL: [Self; 9] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Numeric,
        Self::Text,
        Self::Bytes,
    ];

    /// The name that the notation has for it, inside `ordered(…)`.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Numeric => "numeric",
            Self::Text => "text",
            Self::Bytes => "bytes",
        }
    }

    /// The type of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// How many bytes every value but null has, if they all have the same number.
    pub fn fixed_len(self) -> Option<usize> {
        match self {
            Self::I8 => Some(2),
            Self::I16 => Some(3),
            Self::I32 | Self::F32 => Some(5),
            Self::I64 | Self::F64 => Some(9),
            Self::Numeric | Self::Text | Self::Bytes => None,
        }
    }

    /// The smallest and largest number of an integer type.
    pub fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Self::I8 => Some((i8::MIN.into(), i8::MAX.into())),
            Self::I16 => Some((i16::MIN.into(), i16::MAX.into())),
            Self::I32 => Some((i32::MIN.into(), i32::MAX.into())),
            Self::I64 => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }

    /// The first byte of a value; a number's tells its size as well.
    fn header(self) -> Option<u8> {
        match self {
            Self::I8 => Some(0x29),
            Self::I16 => Some(0x2A),
            Self::I32 => Some(0x2B),
            Self::I64 => Some(0x2C),
            Self::F32 => Some(0x30),
            Self::F64 => Some(0x31),
            Self::Numeric => None,
            Self::Text => Some(0x34),
            Self::Bytes => Some(0x37),
        }
    }
}

impl fmt::Display for OrderedType {
    /// As in the notation: `ordered(i32)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ordered({})", self.name())
    }
}

/// A value of HBase's `OrderedBytes`.
#[derive(Debug, Clone, PartialEq)]
pub enum OrderedValue<'a> {
    /// No value, of any type.
    Null,
    /// A whole number of an integer type.
    Int(i64),
    /// Of [`OrderedType::F32`].
    F32(f32),
    /// Of [`OrderedType::F64`].
    F64(f64),
    /// Of [`OrderedType::Numeric`].
    Numeric(Decimal),
    /// Of [`OrderedType::Text`].
    Text(Cow<'a, str>),
    /// Of [`OrderedType::Bytes`].
    Bytes(Cow<'a, [u8]>),
}

/// A value that has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderedValueError {
    /// A number outside the type's range.
    #[error("{value} does not fit {ty}, which holds {min} to {max}", value = said(value))]
    OutOfRange {
        /// The number that was given.
        value: i128,
        /// The integer type, which holds `min` to `max`.
        ty: OrderedType,
        /// Its smallest number.
        min: i64,
        /// Its largest number.
        max: i64,
    },
    /// A value of another kind.
    #[error("the value is not of type {ty}")]
    WrongKind {
        /// The type of the part.
        ty: OrderedType,
    },
    /// NaN, which has no place among numbers.
    #[error("NaN has no place in the order of {ty}; leave it out or write null")]
    NotANumber {
        /// The type.
        ty: OrderedType,
    },
    /// -0.0, which equals 0.0 but would sort before it.
    #[error("-0.0 equals 0.0 but {ty} would sort it before; write 0.0")]
    NegativeZero {
        /// The type.
        ty: OrderedType,
    },
    /// A text with a zero byte.
    #[error(
        "the text has a zero byte at {offset}, where HBase's ordered text would end; use ordered(bytes) or escaped"
    )]
    ZeroInText {
        /// Where, in bytes.
        offset: usize,
    },
}

/// Bytes that are no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderedError {
    /// The bytes end inside the value.
    #[error("{ty} ends after {len} bytes, inside a value")]
    TooShort {
        /// The type that was read.
        ty: OrderedType,
        /// The number of bytes before the end.
        len: usize,
    },
    /// A text or bytes without their end.
    #[error("{ty} has no end mark")]
    NoEnd {
        /// The type.
        ty: OrderedType,
    },
    /// The first byte belongs to another type.
    #[error("{ty} cannot start with {got}{}", expected.map_or(String::new(), |byte| format!(", only with {byte:02x} or, if null, 05")), got = said(format!("{got:02x}")))]
    WrongHeader {
        /// The type.
        ty: OrderedType,
        /// The byte it starts with, if there is only one.
        expected: Option<u8>,
        /// The byte found, after undoing a descending order.
        got: u8,
    },
    /// Bytes that HBase would have written otherwise.
    #[error("byte {offset} of {ty} is {byte}, which HBase does not write there", byte = said(format!("{byte:02x}")))]
    NotCanonical {
        /// The type.
        ty: OrderedType,
        /// The offset of the byte in the value, from 0.
        offset: usize,
        /// The byte, after undoing a descending or negative order.
        byte: u8,
    },
    /// NaN, or an infinite `numeric`.
    #[error("the bytes are HBase's NaN or infinity, which {ty} does not take")]
    NotANumber {
        /// The type.
        ty: OrderedType,
    },
    /// -0.0.
    #[error("the bytes are -0.0, which {ty} does not take")]
    NegativeZero {
        /// The type.
        ty: OrderedType,
    },
    /// Not UTF-8.
    #[error("the text is not UTF-8 from its byte {valid_up_to} on")]
    NotUtf8 {
        /// How many bytes are.
        valid_up_to: usize,
    },
    /// A number that is no [`Decimal`].
    #[error(transparent)]
    Decimal(#[from] DecimalError),
}

/// Appends the byte of null.
pub fn encode_null(out: &mut Vec<u8>) {
    out.push(NULL);
}

/// Appends the ascending bytes of a whole number of an integer type.
///
/// # Errors
/// When the type holds no such number; `out` is unchanged then, as it is with all errors here.
pub fn encode_int(value: i128, ty: OrderedType, out: &mut Vec<u8>) -> Result<(), OrderedValueError> {
    let (Some((min, max)), Some(header), Some(len)) = (ty.integer_range(), ty.header(), ty.fixed_len())
    else {
        return Err(OrderedValueError::WrongKind { ty });
    };
    if !(i128::from(min)..=i128::from(max)).contains(&value) {
        return Err(OrderedValueError::OutOfRange { value, ty, min, max });
    }
    // Counting from the smallest number on is flipping the sign bit; the difference fits 64 bits.
    let mut bytes = [0; 9];
    let from_min = ((value - i128::from(min)) as u64).to_be_bytes();
    let size = len - 1;
    if let Some((first, rest)) = bytes.split_first_mut() {
        *first = header;
        rest.iter_mut().zip(from_min.iter().skip(8 - size)).for_each(|(slot, byte)| *slot = *byte);
    }
    out.extend_from_slice(bytes.get(..len).unwrap_or_default());
    Ok(())
}

/// Appends the ascending bytes of a 32-bit float.
///
/// # Errors
/// When it is NaN or -0.0.
pub fn encode_f32(value: f32, out: &mut Vec<u8>) -> Result<(), OrderedValueError> {
    let ty = OrderedType::F32;
    refuse_odd_floats(value.is_nan(), value == 0.0 && value.is_sign_negative(), ty)?;
    let bits = value.to_bits();
    let [a, b, c, d] = (bits ^ (((bits.cast_signed() >> 31).cast_unsigned()) | 1 << 31)).to_be_bytes();
    out.extend_from_slice(&[0x30, a, b, c, d]);
    Ok(())
}

/// Appends the ascending bytes of a 64-bit float.
///
/// # Errors
/// When it is NaN or -0.0.
pub fn encode_f64(value: f64, out: &mut Vec<u8>) -> Result<(), OrderedValueError> {
    let ty = OrderedType::F64;
    refuse_odd_floats(value.is_nan(), value == 0.0 && value.is_sign_negative(), ty)?;
    let bits = value.to_bits();
    let [a, b, c, d, e, f, g, h] =
        (bits ^ (((bits.cast_signed() >> 63).cast_unsigned()) | 1 << 63)).to_be_bytes();
    out.extend_from_slice(&[0x31, a, b, c, d, e, f, g, h]);
    Ok(())
}

fn refuse_odd_floats(is_nan: bool, is_negative_zero: bool, ty: OrderedType) -> Result<(), OrderedValueError> {
    match (is_nan, is_negative_zero) {
        (true, _) => Err(OrderedValueError::NotANumber { ty }),
        (_, true) => Err(OrderedValueError::NegativeZero { ty }),
        _ => Ok(()),
    }
}

/// Appends the ascending bytes of a text.
///
/// # Errors
/// When it holds a zero byte.
pub fn encode_text(text: &str, out: &mut Vec<u8>) -> Result<(), OrderedValueError> {
    if let Some(offset) = text.bytes().position(|byte| byte == END_OF_TEXT) {
        return Err(OrderedValueError::ZeroInText { offset });
    }
    out.reserve(text_len(text));
    out.push(0x34);
    out.extend_from_slice(text.as_bytes());
    out.push(END_OF_TEXT);
    Ok(())
}

/// How many bytes [`encode_text`] appends.
pub fn text_len(text: &str) -> usize {
    text.len() + 2
}

/// Appends the ascending bytes of any bytes. They sort like the bytes only among bytes of one length.
pub fn encode_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes_len(bytes.len()));
    out.push(0x37);
    blob::encode(bytes, out);
}

/// How many bytes [`encode_bytes`] appends for so many bytes.
pub fn bytes_len(len: usize) -> usize {
    1 + blob::encoded_len(len)
}

/// Appends the ascending bytes of a value.
///
/// # Errors
/// When the type holds no such value.
pub fn encode(value: &OrderedValue<'_>, ty: OrderedType, out: &mut Vec<u8>) -> Result<(), OrderedValueError> {
    match (value, ty) {
        (OrderedValue::Null, _) => encode_null(out),
        (OrderedValue::Int(number), _) => encode_int((*number).into(), ty, out)?,
        (OrderedValue::F32(number), OrderedType::F32) => encode_f32(*number, out)?,
        (OrderedValue::F64(number), OrderedType::F64) => encode_f64(*number, out)?,
        (OrderedValue::Numeric(number), OrderedType::Numeric) => encode_numeric(number, out),
        (OrderedValue::Text(text), OrderedType::Text) => encode_text(text, out)?,
        (OrderedValue::Bytes(bytes), OrderedType::Bytes) => encode_bytes(bytes, out),
        _ => return Err(OrderedValueError::WrongKind { ty }),
    }
    Ok(())
}

/// How many bytes [`encode`] appends for a value that fits.
pub fn encoded_len(value: &OrderedValue<'_>, ty: OrderedType) -> usize {
    match value {
        OrderedValue::Null => 1,
        OrderedValue::Int(_) => ty.fixed_len().unwrap_or(0),
        OrderedValue::F32(_) => 5,
        OrderedValue::F64(_) => 9,
        OrderedValue::Numeric(number) => numeric_len(number),
        OrderedValue::Text(text) => text_len(text),
        OrderedValue::Bytes(bytes) => bytes_len(bytes.len()),
    }
}

/// Reads one value from the front of ascending bytes and says how many bytes it took. Text is borrowed.
///
/// # Errors
/// When the bytes are not exactly those that [`encode`] gives a value of the type.
pub fn decode(bytes: &[u8], ty: OrderedType) -> Result<(OrderedValue<'_>, usize), OrderedError> {
    decode_masked(Source { bytes, at: 0, mask: 0x00 }, ty)
}

/// As [`decode`], for descending bytes: the complement of every ascending one.
///
/// # Errors
/// When their complement is an error to [`decode`].
pub fn decode_descending(bytes: &[u8], ty: OrderedType) -> Result<(OrderedValue<'_>, usize), OrderedError> {
    decode_masked(Source { bytes, at: 0, mask: 0xFF }, ty)
}

fn decode_masked(mut source: Source<'_>, ty: OrderedType) -> Result<(OrderedValue<'_>, usize), OrderedError> {
    let header = source.peek(ty)?;
    if header == NULL {
        return Ok((OrderedValue::Null, 1));
    }
    if let Some(expected) = ty.header() {
        if header != expected {
            return Err(OrderedError::WrongHeader { ty, expected: Some(expected), got: header });
        }
        source.next(ty)?;
    }
    let value = match ty {
        OrderedType::I8 => OrderedValue::Int((i8::from_be_bytes(source.array(ty)?) ^ i8::MIN).into()),
        OrderedType::I16 => OrderedValue::Int((i16::from_be_bytes(source.array(ty)?) ^ i16::MIN).into()),
        OrderedType::I32 => OrderedValue::Int((i32::from_be_bytes(source.array(ty)?) ^ i32::MIN).into()),
        OrderedType::I64 => OrderedValue::Int(i64::from_be_bytes(source.array(ty)?) ^ i64::MIN),
        OrderedType::F32 => {
            let raw = u32::from_be_bytes(source.array(ty)?);
            // A positive number has the flipped sign bit set; a negative one is wholly complemented.
            let value = f32::from_bits(if raw >> 31 == 1 { raw ^ 1 << 31 } else { !raw });
            check_float(value.is_nan(), value == 0.0 && value.is_sign_negative(), ty)?;
            OrderedValue::F32(value)
        }
        OrderedType::F64 => {
            let raw = u64::from_be_bytes(source.array(ty)?);
            let value = f64::from_bits(if raw >> 63 == 1 { raw ^ 1 << 63 } else { !raw });
            check_float(value.is_nan(), value == 0.0 && value.is_sign_negative(), ty)?;
            OrderedValue::F64(value)
        }
        OrderedType::Numeric => OrderedValue::Numeric(numeric::decode(&mut source)?),
        OrderedType::Text => OrderedValue::Text(decode_text(&mut source)?),
        OrderedType::Bytes => OrderedValue::Bytes(Cow::Owned(blob::decode(&mut source)?)),
    };
    Ok((value, source.offset()))
}

fn check_float(is_nan: bool, is_negative_zero: bool, ty: OrderedType) -> Result<(), OrderedError> {
    match (is_nan, is_negative_zero) {
        (true, _) => Err(OrderedError::NotANumber { ty }),
        (_, true) => Err(OrderedError::NegativeZero { ty }),
        _ => Ok(()),
    }
}

fn decode_text<'a>(source: &mut Source<'a>) -> Result<Cow<'a, str>, OrderedError> {
    let ended = source.take_until(zero_bytes).ok_or(OrderedError::NoEnd { ty: OrderedType::Text })?;
    let raw = ended.split_last().map_or(ended, |(_, text)| text);
    let not_utf8 = |error: std::str::Utf8Error| OrderedError::NotUtf8 { valid_up_to: error.valid_up_to() };
    if source.mask() == 0 {
        return Ok(Cow::Borrowed(std::str::from_utf8(raw).map_err(not_utf8)?));
    }
    let plain = raw.iter().map(|byte| byte ^ source.mask()).collect();
    Ok(Cow::Owned(String::from_utf8(plain).map_err(|error| not_utf8(error.utf8_error()))?))
}

/// Bytes being read, each of them complemented or not.
struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    /// 00, or FF to read the complement.
    mask: u8,
}

impl<'a> Source<'a> {
    fn offset(&self) -> usize {
        self.at
    }

    fn mask(&self) -> u8 {
        self.mask
    }

    /// From here on, reads the complement of what it read before.
    fn flip(&mut self) {
        self.mask = !self.mask;
    }

    fn peek(&self, ty: OrderedType) -> Result<u8, OrderedError> {
        let byte = self.bytes.get(self.at).ok_or(OrderedError::TooShort { ty, len: self.bytes.len() })?;
        Ok(byte ^ self.mask)
    }

    fn next(&mut self, ty: OrderedType) -> Result<u8, OrderedError> {
        let byte = self.peek(ty)?;
        self.at += 1;
        Ok(byte)
    }

    fn array<const N: usize>(&mut self, ty: OrderedType) -> Result<[u8; N], OrderedError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let raw = rest.first_chunk::<N>().ok_or(OrderedError::TooShort { ty, len: self.bytes.len() })?;
        self.at += N;
        Ok(raw.map(|byte| byte ^ self.mask))
    }

    /// The raw bytes up to and with the first that is a last one; `None` if there is none. It looks at eight bytes at a
    /// time: `last` sets the top bit of every byte that is a last one, and no other bit.
    fn take_until(&mut self, last: impl Fn(u64) -> u64) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let mask = u64::from_be_bytes([self.mask; 8]);
        let first_last = |eight: [u8; 8]| {
            let marks = last(u64::from_be_bytes(eight) ^ mask);
            (marks != 0).then(|| marks.leading_zeros() as usize / 8)
        };
        let mut eights = rest.as_chunks::<8>().0.iter().zip((0..).step_by(8));
        let index = match rest.last_chunk::<8>() {
            // The last eight overlap what was looked at before.
            Some(back) => eights
                .find_map(|(eight, at)| Some(at + first_last(*eight)?))
                .or_else(|| Some(rest.len() - 8 + first_last(*back)?))?,
            None => {
                let mut eight = [0; 8];
                eight.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
                // What fills up the eight may look like a last byte.
                first_last(eight).filter(|&at| at < rest.len())?
            }
        };
        self.at += index + 1;
        rest.get(..=index)
    }
}

/// The top bit of every byte.
const TOP_BITS: u64 = 0x8080_8080_8080_8080;

/// Marks the zero bytes of eight.
fn zero_bytes(eight: u64) -> u64 {
    // A byte is zero if neither its top bit is set nor adding 7F to the others sets it.
    !((eight & !TOP_BITS).wrapping_add(!TOP_BITS) | eight) & TOP_BITS
}

#[cfg(test)]
mod tests;
