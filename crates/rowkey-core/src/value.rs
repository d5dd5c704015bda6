//! A field's value, independent of its bytes.
//!
//! A [`Value`] borrows text and bytes where it can. Values of one kind compare as people expect ([`Value::compare`]);
//! the bytes that the key gives them must sort the same way, which is the law of [`crate::codec`].

pub(crate) mod reading;
mod time_format;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

pub use reading::{ReadError, read};
pub use time_format::{TimeFormat, TimeUnit, likely_unit};

use crate::calendar;
use crate::escape::escape;
use crate::ordered::Decimal;
use crate::types::{Kind, Octets, OctetsType};

/// The value of one field.
// One byte says which, instead of a bit pattern inside a text: every encoded and decoded value asks.
#[derive(Debug, Clone, Default)]
#[repr(u8)]
pub enum Value<'a> {
    /// No value.
    #[default]
    Null,
    /// A whole number; wide enough for every integer type.
    Int(i128),
    /// A floating-point number of 64 bits.
    Float(f64),
    /// A floating-point number of 32 bits, which is another number than the one of 64 bits with the same text.
    Float32(f32),
    /// An exact decimal number.
    Numeric(Decimal),
    /// Text.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Time(i64),
    /// A fixed number of bytes with a text form of their own, such as a UUID.
    Octets(Octets),
    /// True or false.
    Bool(bool),
}

impl Value<'_> {
    /// A UUID.
    pub fn uuid(bytes: [u8; 16]) -> Self {
        Self::Octets(Octets::of_number(OctetsType::Uuid, u128::from_be_bytes(bytes)))
    }

    /// A whole number as a value of a kind: of times, in milliseconds. `None` if no time is so far away.
    pub(crate) fn of_number(number: i128, kind: Kind) -> Option<Self> {
        match kind {
            Kind::Time => i64::try_from(number).ok().map(Self::Time),
            _ => Some(Self::Int(number)),
        }
    }

    /// What the value is; `None` for null.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Null => return None,
            Self::Int(_) => Kind::Integer,
            Self::Float(_) | Self::Float32(_) => Kind::Float,
            Self::Numeric(_) => Kind::Numeric,
            Self::Text(_) => Kind::Text,
            Self::Bytes(_) => Kind::Bytes,
            Self::Time(_) => Kind::Time,
            Self::Octets(octets) => Kind::Octets(octets.ty()),
            Self::Bool(_) => Kind::Bool,
        })
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The same value, owning its text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Int(number) => Value::Int(number),
            Self::Float(number) => Value::Float(number),
            Self::Float32(number) => Value::Float32(number),
            Self::Numeric(number) => Value::Numeric(number),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => Value::Bytes(Cow::Owned(bytes.into_owned())),
            Self::Time(millis) => Value::Time(millis),
            Self::Octets(octets) => Value::Octets(octets),
            Self::Bool(bool) => Value::Bool(bool),
        }
    }

    /// The same value, borrowing its text.
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::Bytes(bytes) => Value::Bytes(Cow::Borrowed(bytes)),
            other => other.clone().into_owned(),
        }
    }

    /// The number that a floating-point value of either width is.
    pub fn float(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            Self::Float32(number) => Some((*number).into()),
            _ => None,
        }
    }

    /// The same value, with 0 for -0, which is the same number.
    #[must_use]
    pub fn with_one_zero(self) -> Self {
        match self {
            Self::Float(number) => Self::Float(number + 0.0),
            Self::Float32(number) => Self::Float32(number + 0.0),
            other => other,
        }
    }

    /// As [`Value::compare`], with NaN behind all numbers: an order of the values of one field, without null.
    pub fn total_cmp(&self, other: &Value<'_>) -> Ordering {
        match (self.float(), other.float()) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
            _ => self.compare(other).unwrap_or(Ordering::Equal),
        }
    }

    /// How two values of one kind compare: numbers by size, text and bytes by bytes, times by time, false before
    /// true. `None` if either is null or the kinds differ, as in SQL.
    pub fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Int(a), Value::Int(b)) => a.cmp(b),
            (Self::Float(_) | Self::Float32(_), Value::Float(_) | Value::Float32(_)) => {
                self.float()?.partial_cmp(&other.float()?)?
            }
            (Self::Numeric(a), Value::Numeric(b)) => a.cmp(b),
            (Self::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            (Self::Time(a), Value::Time(b)) => a.cmp(b),
            (Self::Octets(a), Value::Octets(b)) if a.ty() == b.ty() => a.cmp(b),
            (Self::Bool(a), Value::Bool(b)) => a.cmp(b),
            _ => return None,
        })
    }
}

impl PartialEq for Value<'_> {
    /// The same value; null is itself, and so is NaN, which no key can hold.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            _ => match (self.float(), other.float()) {
                (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
                _ => self.compare(other) == Some(Ordering::Equal),
            },
        }
    }
}

impl Eq for Value<'_> {}

impl fmt::Display for Value<'_> {
    /// The form that [`read`] takes back, except that null prints as nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Float32(number) => write!(f, "{number}"),
            Self::Numeric(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => write!(f, "{}", escape(bytes)),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Octets(octets) => write!(f, "{octets}"),
            Self::Time(millis) => match calendar::civil(*millis) {
                Some(time) => write!(f, "{time:.3}Z"),
                // Past the year 9999 there is no calendar form; the number is still exact.
                None => write!(f, "{millis}"),
            },
        }
    }
}
