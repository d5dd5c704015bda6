//! What is a field's value while it is in no byte form?
//!
//! A [`Value`] borrows text where it can. Values of one kind compare as people expect ([`Value::compare`]); the
//! bytes that the key gives them must sort the same way, which is the law of [`crate::codec`].

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::types::{Kind, Type};

/// The value of one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Value<'a> {
    /// No value.
    #[default]
    Null,
    /// A whole number; wide enough for every integer type.
    Int(i128),
    /// Text.
    Text(Cow<'a, str>),
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Time(i64),
    /// True or false.
    Bool(bool),
}

impl Value<'_> {
    /// What the value is; `None` for null.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Null => None,
            Self::Int(_) => Some(Kind::Integer),
            Self::Text(_) => Some(Kind::Text),
            Self::Time(_) => Some(Kind::Time),
            Self::Bool(_) => Some(Kind::Bool),
        }
    }

    /// The same value, owning its text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Int(number) => Value::Int(number),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Time(millis) => Value::Time(millis),
            Self::Bool(bool) => Value::Bool(bool),
        }
    }

    /// How two values of one kind compare: numbers by size, text by bytes, times by time, false before true.
    /// `None` if either is null or the kinds differ, as in SQL.
    pub fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Self::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Self::Time(a), Value::Time(b)) => Some(a.cmp(b)),
            (Self::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

impl fmt::Display for Value<'_> {
    /// The form that [`read`] takes back, except that null prints as nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Time(millis) => match jiff::Timestamp::from_millisecond(*millis) {
                Ok(time) => write!(f, "{time:.3}"),
                // Past the year 9999 there is no calendar form; the number is still exact.
                Err(_) => write!(f, "{millis}"),
            },
        }
    }
}

/// A text that is no value of the type asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not a number.
    #[error("`{text}` is not a whole number; write digits with an optional minus")]
    NotAnInteger {
        /// The text.
        text: String,
    },
    /// A number outside the type's range.
    #[error("{text} does not fit {ty}, which holds {min} to {max}")]
    OutOfRange {
        /// The number as written.
        text: String,
        /// The type.
        ty: Type,
        /// Its smallest number.
        min: i128,
        /// Its largest number.
        max: i128,
    },
    /// Not a time.
    #[error(
        "`{text}` is not a time; write milliseconds since 1970, `2024-05-24T00:23:00Z`, or `2024-05-24 00:23:00` \
         (UTC)"
    )]
    NotATime {
        /// The text.
        text: String,
    },
    /// Not true or false.
    #[error("`{text}` is not true or false; write true, false, 1 or 0")]
    NotABool {
        /// The text.
        text: String,
    },
}

/// Reads a value of type `ty` from text: the one reader for CSV cells, JSON strings, `field=value` and literals
/// of queries.
///
/// # Errors
/// When the text is no value of the type.
pub fn read(text: &str, ty: Type) -> Result<Value<'_>, ReadError> {
    match ty {
        Type::Text | Type::Escaped => Ok(Value::Text(Cow::Borrowed(text))),
        Type::Bool => match text {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(ReadError::NotABool { text: text.to_owned() }),
        },
        Type::Int(int) => {
            let (min, max) = int.range();
            let number = integer(text).ok_or_else(|| ReadError::NotAnInteger { text: text.to_owned() })?;
            match number {
                Some(number) if (min..=max).contains(&number) => Ok(Value::Int(number)),
                _ => Err(ReadError::OutOfRange { text: text.to_owned(), ty, min, max }),
            }
        }
        Type::Timestamp => {
            time(text).map(Value::Time).ok_or_else(|| ReadError::NotATime { text: text.to_owned() })
        }
    }
}

/// `None` if it is not a number, `Some(None)` if it is one that even 128 bits cannot hold.
fn integer(text: &str) -> Option<Option<i128>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())
}

fn time(text: &str) -> Option<i64> {
    if let Some(number) = integer(text) {
        return i64::try_from(number?).ok();
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return whole_milliseconds(time);
    }
    // A civil date or date and time, in UTC; jiff would take more (zones, weeks), the notation says no more.
    let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).collect::<Vec<_>>();
    if !(shape == b"0000-00-00" || shape.starts_with(b"0000-00-00 00:00:00")) {
        return None;
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    whole_milliseconds(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

/// Times are kept in milliseconds; a finer one would not come back, so it is refused.
fn whole_milliseconds(time: jiff::Timestamp) -> Option<i64> {
    (time.subsec_nanosecond() % 1_000_000 == 0).then(|| time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str, ty: &str) -> Result<Value<'static>, ReadError> {
        read(text, Type::from_name(ty).unwrap()).map(Value::into_owned)
    }

    #[test]
    fn integers_are_digits_with_an_optional_minus() {
        assert_eq!(read_as("-5", "i8"), Ok(Value::Int(-5)));
        assert_eq!(read_as("18446744073709551615", "u64"), Ok(Value::Int(u64::MAX.into())));
        for bad in ["", "-", "+5", " 5", "5.0", "0x10", "五"] {
            assert!(matches!(read_as(bad, "u64"), Err(ReadError::NotAnInteger { .. })), "{bad}");
        }
        for (big, ty) in [("-1", "u64"), ("256", "u8"), ("128", "i8"), (&"9".repeat(60), "long")] {
            assert!(matches!(read_as(big, ty), Err(ReadError::OutOfRange { .. })), "{big} {ty}");
        }
    }

    #[test]
    fn a_time_has_three_forms() {
        let same = Value::Time(1_432_426_980_000);
        for text in [
            "1432426980000",
            "2015-05-24T00:23:00Z",
            "2015-05-24T02:23:00+02:00",
            "2015-05-24 00:23:00",
            "2015-05-24 00:23:00.000",
        ] {
            assert_eq!(read_as(text, "timestamp").as_ref(), Ok(&same), "{text}");
        }
        assert_eq!(read_as("2015-05-24", "timestamp"), Ok(Value::Time(1_432_425_600_000)));
        assert_eq!(read_as("-1", "timestamp"), Ok(Value::Time(-1)));
        for bad in [
            "",
            "yesterday",
            "2015-13-01",
            "2015-05-24T00:23:00",
            "2015-05-24 00:23",
            "2015-05-24T00:23:00.0001Z",
        ] {
            assert!(matches!(read_as(bad, "timestamp"), Err(ReadError::NotATime { .. })), "{bad}");
        }
    }

    #[test]
    fn a_value_prints_as_it_is_read() {
        for (text, ty) in
            [("-7", "long"), ("2015-05-24T00:23:00.120Z", "timestamp"), ("a b", "text"), ("true", "bool")]
        {
            assert_eq!(read_as(text, ty).unwrap().to_string(), text);
        }
    }
}
