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
//! | `bytes` | `37`, HBase's blob-var: seven bits a byte |
//!
//! Descending bytes are the complement of every byte, for all types ([`decode_descending`] reads them in place).
//!
//! **Laws** (tests below): HBase 2.6.4's own bytes hold in both orders (`testdata/vectors/ordered_bytes.jsonl`); what
//! decodes encodes to the same bytes; the order of the bytes is that of the values, except for `bytes`; arbitrary
//! bytes never panic and never take more memory than they have.
//!
//! ```
//! use rowkey_core::Value;
//! use rowkey_core::ordered::{OrderedType, decode, encode};
//! let (host, mut key) = (Value::Text("host1".into()), Vec::new());
//! encode(&host, OrderedType::Text, &mut key)?;
//! assert_eq!(key, b"\x34host1\0");
//! assert_eq!(decode(&key, OrderedType::Text)?, (host, 7));
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
pub use numeric::encode_numeric;

use crate::codec::{self, ValueError};
use crate::types::{IntForm, Type};
use crate::value::Value;

/// The byte of null.
pub(crate) const NULL: u8 = 0x05;
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

    /// The type of the notation with the same values, if there is one without `ordered`.
    pub(crate) fn plain(self) -> Option<Type> {
        let int = |bytes| Type::int(bytes, IntForm::SignFlipped);
        match self {
            Self::I8 => Some(int(1)),
            Self::I16 => Some(int(2)),
            Self::I32 => Some(int(4)),
            Self::I64 => Some(int(8)),
            Self::F32 => Some(Type::F32),
            Self::F64 => Some(Type::F64),
            Self::Numeric => None,
            Self::Text => Some(Type::Text),
            Self::Bytes => Some(Type::Bytes),
        }
    }

    /// The name that the notation has for it, inside `ordered(…)`.
    pub fn name(self) -> String {
        self.plain().map_or("numeric".to_owned(), |plain| plain.to_string())
    }

    /// The type of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// How many bytes every value but null has, if they all have the same number: those of the plain type behind the header.
    pub fn fixed_len(self) -> Option<usize> {
        Some(1 + self.plain()?.width()?)
    }

    /// The smallest and largest number of an integer type.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        self.plain()?.integer_range()
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

/// A value that has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderedValueError {
    /// NaN, which has no place among numbers.
    #[error("NaN has no place in the order of {ty}; leave it out or write null")]
    NotANumber {
        /// The type that was to be written.
        ty: OrderedType,
    },
    /// -0.0, which equals 0.0 but would sort before it.
    #[error("-0.0 equals 0.0 but {ty} would sort it before; write 0.0")]
    NegativeZero {
        /// The type that was to be written.
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
        /// The type that was read.
        ty: OrderedType,
    },
    /// The first byte belongs to another type.
    #[error("{ty} cannot start with {got}{}", expected.map_or(String::new(), |byte| format!(", only with {byte:02x} or, if null, 05")), got = said(format!("{got:02x}")))]
    WrongHeader {
        /// The type that was read.
        ty: OrderedType,
        /// The byte it starts with, if there is only one.
        expected: Option<u8>,
        /// The byte found, after undoing a descending order.
        got: u8,
    },
    /// Bytes that HBase would have written otherwise.
    #[error("byte {offset} of {ty} is {byte}, which HBase does not write there", byte = said(format!("{byte:02x}")))]
    NotCanonical {
        /// The type that was read.
        ty: OrderedType,
        /// The offset of the byte in the value, from 0.
        offset: usize,
        /// The byte, after undoing a descending or negative order.
        byte: u8,
    },
    /// NaN, or an infinite `numeric`.
    #[error("the bytes are HBase's NaN or infinity, which {ty} does not take")]
    NotANumber {
        /// The type that was read.
        ty: OrderedType,
    },
    /// -0.0.
    #[error("the bytes are -0.0, which {ty} does not take")]
    NegativeZero {
        /// The type that was read.
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

/// Appends the ascending bytes of a value; null has bytes, too.
///
/// # Errors
/// When the type holds no such value; `out` is unchanged then.
pub fn encode(value: &Value<'_>, ty: OrderedType, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let own = Type::Ordered(ty);
    let wrong_kind = || ValueError::WrongKind { value: value.to_string(), ty: own };
    match (ty, value) {
        (_, Value::Null) => out.push(NULL),
        (OrderedType::I8 | OrderedType::I16 | OrderedType::I32 | OrderedType::I64, Value::Int(number)) => {
            encode_int(*number, ty, out)?;
        }
        (OrderedType::I64, Value::Time(millis)) => encode_int((*millis).into(), ty, out)?,
        (OrderedType::F64, Value::Float(_) | Value::Float32(_)) => {
            let number = value.float().ok_or_else(wrong_kind)?;
            refuse_odd_floats(number, ty)?;
            out.push(0x31);
            out.extend_from_slice(&codec::sortable(number).to_be_bytes());
        }
        (OrderedType::F32, Value::Float(_) | Value::Float32(_)) => {
            let number = codec::single(value, own)?;
            refuse_odd_floats(number.into(), ty)?;
            out.push(0x30);
            out.extend_from_slice(&codec::sortable_single(number).to_be_bytes());
        }
        (OrderedType::Numeric, Value::Numeric(number)) => encode_numeric(number, out),
        (OrderedType::Numeric, Value::Int(number)) => {
            encode_numeric(&Decimal::new(*number, 0).map_err(|_| wrong_kind())?, out);
        }
        (OrderedType::Text, Value::Text(text)) => {
            if let Some(offset) = text.bytes().position(|byte| byte == END_OF_TEXT) {
                return Err(OrderedValueError::ZeroInText { offset }.into());
            }
            out.reserve(text.len() + 2);
            out.push(0x34);
            out.extend_from_slice(text.as_bytes());
            out.push(END_OF_TEXT);
        }
        (OrderedType::Bytes, Value::Bytes(bytes)) => {
            out.reserve(1 + blob::encoded_len(bytes.len()));
            out.push(0x37);
            blob::encode(bytes, out);
        }
        _ => return Err(wrong_kind()),
    }
    Ok(())
}

/// How many bytes [`encode`] appends for a value that fits.
pub fn encoded_len(value: &Value<'_>, ty: OrderedType) -> usize {
    match (ty, value) {
        (_, Value::Null) => 1,
        (OrderedType::Text, Value::Text(text)) => text.len() + 2,
        (OrderedType::Bytes, Value::Bytes(bytes)) => 1 + blob::encoded_len(bytes.len()),
        (OrderedType::Numeric, Value::Numeric(number)) => numeric::numeric_len(number),
        (OrderedType::Numeric, Value::Int(number)) => {
            Decimal::new(*number, 0).map_or(0, |number| numeric::numeric_len(&number))
        }
        _ => ty.fixed_len().unwrap_or(0),
    }
}

/// The header, and the bytes of the type without `ordered`.
fn encode_int(number: i128, ty: OrderedType, out: &mut Vec<u8>) -> Result<(), ValueError> {
    codec::in_range(number, Type::Ordered(ty))?;
    out.extend(ty.header());
    ty.plain().map_or(Ok(()), |plain| codec::plain(&Value::Int(number), plain, out))
}

fn refuse_odd_floats(number: f64, ty: OrderedType) -> Result<(), OrderedValueError> {
    if number.is_nan() {
        return Err(OrderedValueError::NotANumber { ty });
    }
    if number == 0.0 && number.is_sign_negative() {
        return Err(OrderedValueError::NegativeZero { ty });
    }
    Ok(())
}

/// Reads one value from the front of ascending bytes and says how many bytes it took. Text is borrowed.
///
/// # Errors
/// When the bytes are not exactly those that [`encode`] gives a value of the type.
pub fn decode(bytes: &[u8], ty: OrderedType) -> Result<(Value<'_>, usize), OrderedError> {
    decode_masked(Source { bytes, at: 0, mask: 0x00 }, ty)
}

/// As [`decode`], for descending bytes: the complement of every ascending one.
///
/// # Errors
/// When their complement is an error to [`decode`].
pub fn decode_descending(bytes: &[u8], ty: OrderedType) -> Result<(Value<'_>, usize), OrderedError> {
    decode_masked(Source { bytes, at: 0, mask: 0xFF }, ty)
}

fn decode_masked(mut source: Source<'_>, ty: OrderedType) -> Result<(Value<'_>, usize), OrderedError> {
    let header = source.peek(ty)?;
    if header == NULL {
        return Ok((Value::Null, 1));
    }
    if let Some(expected) = ty.header() {
        if header != expected {
            return Err(OrderedError::WrongHeader { ty, expected: Some(expected), got: header });
        }
        source.next(ty)?;
    }
    let value = match ty {
        OrderedType::I8 => Value::Int((i8::from_be_bytes(source.array(ty)?) ^ i8::MIN).into()),
        OrderedType::I16 => Value::Int((i16::from_be_bytes(source.array(ty)?) ^ i16::MIN).into()),
        OrderedType::I32 => Value::Int((i32::from_be_bytes(source.array(ty)?) ^ i32::MIN).into()),
        OrderedType::I64 => Value::Int((i64::from_be_bytes(source.array(ty)?) ^ i64::MIN).into()),
        OrderedType::F32 => {
            let raw = u32::from_be_bytes(source.array(ty)?);
            // A positive number has the flipped sign bit set; a negative one is wholly complemented.
            let value = f32::from_bits(if raw >> 31 == 1 { raw ^ 1 << 31 } else { !raw });
            check_float(value.into(), ty)?;
            Value::Float32(value)
        }
        OrderedType::F64 => {
            let raw = u64::from_be_bytes(source.array(ty)?);
            let value = f64::from_bits(if raw >> 63 == 1 { raw ^ 1 << 63 } else { !raw });
            check_float(value, ty)?;
            Value::Float(value)
        }
        OrderedType::Numeric => Value::Numeric(numeric::decode(&mut source)?),
        OrderedType::Text => Value::Text(decode_text(&mut source)?),
        OrderedType::Bytes => Value::Bytes(Cow::Owned(blob::decode(&mut source)?)),
    };
    Ok((value, source.offset()))
}

fn check_float(number: f64, ty: OrderedType) -> Result<(), OrderedError> {
    refuse_odd_floats(number, ty).map_err(|problem| match problem {
        OrderedValueError::NotANumber { .. } => OrderedError::NotANumber { ty },
        _ => OrderedError::NegativeZero { ty },
    })
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
