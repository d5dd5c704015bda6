//! From text to a value: the one reader for CSV cells, JSON strings, `field=value` and literals of queries.

use std::borrow::Cow;

use super::Value;
use crate::escape::{UnescapeError, from_hex, unescape};
use crate::ordered::{Decimal, DecimalError};
use crate::types::{Kind, Type};

/// A text that is no value of the type asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not a whole number.
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
    /// Not a number.
    #[error("`{text}` is not a number; write it as 12, -0.5 or 1e9")]
    NotANumber {
        /// The text.
        text: String,
    },
    /// Not an exact decimal number.
    #[error("`{text}` is not a decimal number: {problem}")]
    NotADecimal {
        /// The text.
        text: String,
        /// Why.
        problem: DecimalError,
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
    /// Not a UUID.
    #[error("`{text}` is not a UUID; write it as 123e4567-e89b-12d3-a456-426614174000")]
    NotAUuid {
        /// The text.
        text: String,
    },
    /// Not bytes in HBase's escaped form.
    #[error(transparent)]
    NotBytes(#[from] UnescapeError),
}

/// Reads a value of type `ty` from text.
///
/// # Errors
/// When the text is no value of the type.
pub fn read(text: &str, ty: Type) -> Result<Value<'_>, ReadError> {
    let owned = || text.to_owned();
    match ty.kind() {
        Kind::Text => Ok(Value::Text(Cow::Borrowed(text))),
        Kind::Bytes if text.contains('\\') => Ok(Value::Bytes(Cow::Owned(unescape(text)?))),
        Kind::Bytes => Ok(Value::Bytes(Cow::Borrowed(text.as_bytes()))),
        Kind::Bool => match text {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(ReadError::NotABool { text: owned() }),
        },
        Kind::Integer => {
            let (min, max) = ty.integer_range().unwrap_or((i128::MIN, i128::MAX));
            let number = integer(text).ok_or_else(|| ReadError::NotAnInteger { text: owned() })?;
            match number {
                Some(number) if (min..=max).contains(&number) => Ok(Value::Int(number)),
                _ => Err(ReadError::OutOfRange { text: owned(), ty, min, max }),
            }
        }
        Kind::Float => float(text).map(Value::Float).ok_or_else(|| ReadError::NotANumber { text: owned() }),
        Kind::Numeric => {
            let number: Result<Decimal, _> = text.parse();
            number.map(Value::Numeric).map_err(|problem| ReadError::NotADecimal { text: owned(), problem })
        }
        Kind::Uuid => uuid(text).map(Value::Uuid).ok_or_else(|| ReadError::NotAUuid { text: owned() }),
        Kind::Time => time(text).map(Value::Time).ok_or_else(|| ReadError::NotATime { text: owned() }),
    }
}

/// `None` if it is not a number, `Some(None)` if it is one that even 128 bits cannot hold.
fn integer(text: &str) -> Option<Option<i128>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    if digits.len() > 18 {
        return Some(text.parse().ok());
    }
    // So many digits fit 64 bits, whose arithmetic is quicker.
    let number = digits.bytes().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'));
    Some(Some(if digits.len() < text.len() { -number } else { number }.into()))
}

/// Digits with sign, point and exponent; not the words `inf` and `nan`, which the standard library would take.
fn float(text: &str) -> Option<f64> {
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
    if is_number { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let bytes = text.as_bytes();
    let dashes = [8, 13, 18, 23].iter().all(|&at| bytes.get(at) == Some(&b'-'));
    let hex = if bytes.len() == 36 && dashes { text.replace('-', "") } else { text.to_owned() };
    from_hex(&hex)?.try_into().ok()
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
        for (big, ty) in
            [("-1", "u64"), ("256", "u8"), ("128", "i8"), ("1000", "decimal(3)"), (&"9".repeat(60), "long")]
        {
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
        assert_eq!(read_as("-1", "timestamp_s"), Ok(Value::Time(-1)));
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
        for (text, ty) in [
            ("-7", "long"),
            ("2015-05-24T00:23:00.120Z", "timestamp"),
            ("a b", "text"),
            ("true", "bool"),
            ("-0.5", "f64"),
            ("12.5", "ordered(numeric)"),
            (r"\x00ab\xFF", "bytes"),
            ("123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ] {
            assert_eq!(read_as(text, ty).unwrap().to_string(), text);
        }
        for (bad, ty) in [
            ("nan", "f64"),
            ("inf", "f32"),
            ("1e999", "f64"),
            ("x", "ordered(numeric)"),
            ("12", "uuid"),
            (r"\x0", "bytes"),
        ] {
            assert!(read_as(bad, ty).is_err(), "{bad} {ty}");
        }
    }
}
