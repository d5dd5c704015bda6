//! From text to a value: the one reader for CSV cells, JSON strings, `field=value` and literals of queries.

use crate::disclosure::said;
use crate::remedy::Remedy;
use std::borrow::Cow;

use super::Value;
use super::time_format::{TimeUnit, likely_unit};
use crate::calendar;
use crate::escape::{UnescapeError, unescape};
use crate::ordered::{Decimal, DecimalError};
use crate::types::{Kind, Octets, OctetsType, Type};

/// A text that is no value of the type asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not a whole number.
    #[error("`{text}` is not a whole number; write digits with an optional minus", text = said(text))]
    NotAnInteger {
        /// The text as given.
        text: String,
    },
    /// A number outside the type's range.
    #[error("{text} does not fit {ty}, which holds {min} to {max}", text = said(text))]
    OutOfRange {
        /// The number as written.
        text: String,
        /// The type, which holds `min` to `max`.
        ty: Type,
        /// Its smallest number.
        min: i128,
        /// Its largest number.
        max: i128,
    },
    /// Not a number.
    #[error("`{text}` is not a number; write it as 12, -0.5 or 1e9", text = said(text))]
    NotANumber {
        /// The text as given.
        text: String,
    },
    /// A number that no floating-point number of the type is near.
    #[error(
        "{text} does not fit {ty}, whose numbers are 0 and from ±{least} to ±{most}; use {}ordered(numeric)",
        if .ty.is_single() { "f64 or " } else { "" },
        text = said(text)
    )]
    FloatRange {
        /// The number as written.
        text: String,
        /// `f32` or `f64`.
        ty: Type,
        /// Its smallest number above 0, in decimal.
        least: &'static str,
        /// Its largest finite number, in decimal.
        most: &'static str,
    },
    /// A whole number that the nearest floating-point number is not.
    #[error(
        "{text} is not exact in {ty}, whose nearest number is {nearest}; use an integer type or ordered(numeric), or write \
         {text}.0 if it may be rounded",
        text = said(text),
        nearest = said(nearest)
    )]
    NotExact {
        /// The number as written.
        text: String,
        /// The floating-point type.
        ty: Type,
        /// The nearest number of the type, in decimal.
        nearest: String,
    },
    /// Not an exact decimal number.
    #[error("`{text}` is not a decimal number: {problem}", text = said(text))]
    NotADecimal {
        /// The text as given.
        text: String,
        /// What is wrong with it.
        problem: DecimalError,
    },
    /// Not a time.
    #[error(
        "`{text}` is not a time; write milliseconds since 1970, `2024-05-24T00:23:00Z`, or `2024-05-24 00:23:00` \
         (UTC), or say with {} how the data writes times", Remedy::TimeFormat, text = said(text))]
    NotATime {
        /// The text as given.
        text: String,
    },
    /// A number that would be a day of 1970, and is a likely time in another unit.
    #[error(
        "{text} is a likely time in {}, and would be {as_millis} in milliseconds; write a date or milliseconds, or say with \
         {} {} or ms what the numbers of the data are",
        unit.words(),
        Remedy::TimeFormat,
        unit.name(),
        text = said(text)
    )]
    OtherTimeUnit {
        /// The number as given.
        text: String,
        /// The unit in which the number is a likely time, by `likely_unit`.
        unit: TimeUnit,
        /// The time that it is in milliseconds.
        as_millis: String,
    },
    /// A time that is finer than a millisecond.
    #[error(
        "`{text}` is not a whole millisecond, which times are kept in; write at most three digits of a second, or read data with {}",
        Remedy::TruncateTimes,
        text = said(text)
    )]
    FineTime {
        /// The text as given.
        text: String,
    },
    /// A time that is written in another way than was said.
    #[error("`{text}` is not a time as {} `{format}` says", Remedy::TimeFormat, text = said(text))]
    NotInTimeFormat {
        /// The text as given.
        text: String,
        /// The format, in the form that [`TimeFormat`](super::TimeFormat) is read from.
        format: String,
    },
    /// Not true or false.
    #[error("`{text}` is not true or false; write true, false, 1 or 0", text = said(text))]
    NotABool {
        /// The text as given.
        text: String,
    },
    /// No value of a type of a fixed number of bytes.
    #[error("`{text}` is not {}; write it as {}", ty.words(), ty.example(), text = said(text))]
    NotOctets {
        /// The text as given.
        text: String,
        /// The type that the value was to have.
        ty: OctetsType,
    },
    /// Not bytes in HBase's escaped form.
    #[error(transparent)]
    NotBytes(#[from] UnescapeError),
}

impl ReadError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NotATime { .. } | Self::OtherTimeUnit { .. } | Self::NotInTimeFormat { .. } => {
                Some(Remedy::TimeFormat)
            }
            Self::FineTime { .. } => Some(Remedy::TruncateTimes),
            _ => None,
        }
    }
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
        Kind::Float if ty.is_single() => float(text, ty).map(Value::Float32),
        Kind::Float => float(text, ty).map(Value::Float),
        Kind::Numeric => {
            let number: Result<Decimal, _> = text.parse();
            number.map(Value::Numeric).map_err(|problem| ReadError::NotADecimal { text: owned(), problem })
        }
        Kind::Octets(ty) => Octets::read(text, ty)
            .map(Value::Octets)
            .ok_or_else(|| ReadError::NotOctets { text: owned(), ty }),
        Kind::Time => time(text).map(Value::Time),
    }
}

/// `None` if it is not a number, `Some(None)` if it is one that even 128 bits cannot hold.
pub(super) fn integer(text: &str) -> Option<Option<i128>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    Some(small_integer(text).map(i128::from).or_else(|| text.parse().ok()))
}

/// A whole number of at most 18 digits, which fit 64 bits, whose arithmetic is quicker.
#[inline]
pub(crate) fn small_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number = 0_i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    Some(if digits.len() < text.len() { -number } else { number })
}

/// A date, `2024-05-24`, or one with a time, `2024-05-24 00:23:00` or `2024-05-24T00:23:00.120Z`, in whole seconds or with
/// three digits behind the point, in milliseconds since 1970. Everything else that is a time, and everything that is none, is for [`read`].
#[inline]
pub(crate) fn plain_time(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, ref rest @ ..] = *bytes else { return None };
    let clock = match rest {
        [] => None,
        [b' ', clock @ ..] | [b'T', clock @ .., b'Z'] => Some(clock),
        _ => return None,
    };
    let year = two_digits(y0, y1)? * 100 + two_digits(y2, y3)?;
    let (month, day) = (two_digits(m0, m1)?, two_digits(d0, d1)?);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => return None,
    };
    if day == 0 || day > last {
        return None;
    }
    let (seconds, millis) = match clock {
        None => (0, 0),
        Some(&[h0, h1, b':', m0, m1, b':', s0, s1, ref rest @ ..]) => {
            let millis = match *rest {
                [] => 0,
                [b'.', hundreds, tens, ones] => two_digits(b'0', hundreds)? * 100 + two_digits(tens, ones)?,
                _ => return None,
            };
            let (hour, minute, second) = (two_digits(h0, h1)?, two_digits(m0, m1)?, two_digits(s0, s1)?);
            if hour > 23 || minute > 59 || second > 59 {
                return None;
            }
            (hour * 3600 + minute * 60 + second, millis)
        }
        Some(_) => return None,
    };
    // Days in a calendar whose year begins in March, so that the leap day is its last; it repeats every 400 years, and
    // 400 more keep the year before the first one from being negative.
    let (year, month) = if month > 2 { (year + 400, month - 3) } else { (year + 399, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = i64::from(days) - (719_468 + 146_097);
    Some((days * 86_400 + i64::from(seconds)) * 1000 + i64::from(millis))
}

#[inline]
fn two_digits(tens: u8, ones: u8) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u32::from(tens) * 10 + u32::from(ones))
}

/// Digits with sign, point and exponent; not the words `inf` and `nan`, which the standard library would take.
///
/// The nearest number of the type, straight from the text. A whole number in digits alone counts or names something, so it must
/// not change: it is the number exactly, or the shortest text of it.
fn float<F: Float>(text: &str, ty: Type) -> Result<F, ReadError> {
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
    let number: Option<F> = if is_number { text.parse().ok() } else { None };
    let number = number.ok_or_else(|| ReadError::NotANumber { text: text.to_owned() })?;
    let value: f64 = number.into();
    let is_zero =
        || !text.split(['e', 'E']).take(1).any(|mantissa| mantissa.contains(|c| matches!(c, '1'..='9')));
    if !value.is_finite() || (value == 0.0 && !is_zero()) {
        return Err(ReadError::FloatRange { text: text.to_owned(), ty, least: F::LEAST, most: F::MOST });
    }
    let digits = text.trim_start_matches(['-', '+']).trim_start_matches('0');
    let is_whole = digits.len() > F::EXACT_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole {
        let magnitude = value.abs();
        // The decimal digits of a floating-point number end; `{:.0}` has them all, `{}` the fewest that tell it from its neighbours.
        let (exact, shortest) = (format!("{magnitude:.0}"), number.to_string());
        if digits != exact && digits != shortest.trim_start_matches('-') {
            return Err(ReadError::NotExact { text: text.to_owned(), ty, nearest: format!("{value:.0}") });
        }
    }
    Ok(number)
}

/// What reading asks of a width of floating-point numbers.
trait Float: Copy + Into<f64> + std::str::FromStr + std::fmt::Display {
    /// Whole numbers of so many digits are all exact.
    const EXACT_DIGITS: usize;
    /// The smallest number above 0, as text.
    const LEAST: &'static str;
    /// The largest number, as text.
    const MOST: &'static str;
}

impl Float for f32 {
    const EXACT_DIGITS: usize = 7;
    const LEAST: &'static str = "1e-45";
    const MOST: &'static str = "3.4028235e38";
}

impl Float for f64 {
    const EXACT_DIGITS: usize = 15;
    const LEAST: &'static str = "5e-324";
    const MOST: &'static str = "1.7976931348623157e308";
}

/// A whole number that is a time in milliseconds; `None` if it is more likely one in another unit.
#[inline]
pub(crate) fn number_time(text: &str) -> Option<i64> {
    small_integer(text).filter(|number| likely_unit(*number).is_none())
}

fn time(text: &str) -> Result<i64, ReadError> {
    let no_time = || ReadError::NotATime { text: text.to_owned() };
    if let Some(number) = integer(text) {
        let number = number.and_then(|number| i64::try_from(number).ok()).ok_or_else(no_time)?;
        return match likely_unit(number) {
            None => Ok(number),
            Some(unit) => {
                let as_millis = Value::Time(number).to_string();
                Err(ReadError::OtherTimeUnit { text: text.to_owned(), unit, as_millis })
            }
        };
    }
    let whole = |civil| calendar::millis(civil).ok_or_else(|| ReadError::FineTime { text: text.to_owned() });
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return whole(jiff::tz::Offset::UTC.to_datetime(time));
    }
    if let Some(millis) = last_hours(text) {
        return Ok(millis);
    }
    // A civil date or date and time, in UTC; jiff would take more (zones, weeks), the notation says no more.
    let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).collect::<Vec<_>>();
    if !(shape == b"0000-00-00" || shape.starts_with(b"0000-00-00 00:00:00")) {
        return Err(no_time());
    }
    whole(text.parse().map_err(|_| no_time())?)
}

/// A date, time and offset in the hours of the year 9999 that are past the last [`jiff::Timestamp`].
fn last_hours(text: &str) -> Option<i64> {
    let pieces = jiff::fmt::temporal::Pieces::parse(text).ok()?;
    let offset = i64::from(pieces.to_numeric_offset()?.seconds()) * 1000;
    let millis = calendar::millis(pieces.date().to_datetime(pieces.time()?))? - offset;
    calendar::civil(millis).map(|_| millis)
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
        for bad in ["", "yesterday", "2015-13-01", "2015-05-24T00:23:00", "2015-05-24 00:23"] {
            assert!(matches!(read_as(bad, "timestamp"), Err(ReadError::NotATime { .. })), "{bad}");
        }
        for fine in ["2015-05-24T00:23:00.0001Z", "2015-05-24 00:23:00.123456789"] {
            assert!(matches!(read_as(fine, "timestamp"), Err(ReadError::FineTime { .. })), "{fine}");
        }
        for other in ["1432426980", "1432426980000000", "20150524"] {
            assert!(matches!(read_as(other, "timestamp"), Err(ReadError::OtherTimeUnit { .. })), "{other}");
        }
    }

    #[test]
    fn the_years_0001_to_9999_are_whole() {
        let last = 253_402_300_799_999;
        for (text, millis) in [
            ("9999-12-31", 253_402_214_400_000),
            ("9999-12-30 22:00:01", 253_402_207_201_000),
            ("9999-12-31 23:59:59.999", last),
            ("9999-12-31T23:59:59.999Z", last),
            ("9999-12-31T22:59:59.999-01:00", last),
            ("9999-12-31T23:59:59+01:00", 253_402_297_199_000),
            ("0001-01-01", -62_135_596_800_000),
            ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
        ] {
            assert_eq!(read_as(text, "timestamp"), Ok(Value::Time(millis)), "{text}");
            let printed = Value::Time(millis).to_string();
            assert_eq!(read_as(&printed, "timestamp"), Ok(Value::Time(millis)), "{printed}");
            assert!(printed.ends_with('Z'), "{printed}");
        }
        for bad in ["9999-12-31T23:59:59-01:00", "9999-12-32", "10000-01-01"] {
            assert!(matches!(read_as(bad, "timestamp"), Err(ReadError::NotATime { .. })), "{bad}");
        }
        assert_eq!(Value::Time(last + 1).to_string(), (last + 1).to_string());
    }

    #[test]
    fn a_float_is_the_nearest_number_of_its_type_and_prints_the_shortest_text() {
        for (text, ty, printed) in [
            ("0.1", "f32", "0.1"),
            ("0.1", "ordered(f32)", "0.1"),
            ("0.1", "f64", "0.1"),
            // Between two numbers of 32 bits, a hair above the middle: by way of 64 bits it would be 1.
            ("1.00000005960464477540", "f32", "1.0000001"),
            ("-1.4718583457250971e-07", "f64", "-0.00000014718583457250971"),
            ("16777217.0", "f32", "16777216"),
            ("9007199254740993.0", "f64", "9007199254740992"),
            ("3.4028235e38", "f32", "340282350000000000000000000000000000000"),
            ("1e-45", "f32", "0.000000000000000000000000000000000000000000001"),
            ("-0", "f32", "-0"),
            ("0e99", "f64", "0"),
        ] {
            let value = read_as(text, ty).unwrap();
            assert_eq!(value.to_string(), printed, "{text} {ty}");
            assert_eq!(read_as(printed, ty), Ok(value), "{text} {ty}");
        }
        for (text, ty) in
            [("1e39", "f32"), ("-1e39", "f32"), ("1e-46", "f32"), ("1e309", "f64"), ("1e-400", "f64")]
        {
            assert!(matches!(read_as(text, ty), Err(ReadError::FloatRange { .. })), "{text} {ty}");
        }
    }

    #[test]
    fn a_whole_number_in_digits_is_not_changed() {
        for (text, ty) in [
            ("16777216", "f32"),
            ("0000016777216", "f32"),
            ("-16777218", "f32"),
            // Exact, and the shortest text of the same number.
            ("123456792", "f32"),
            ("123456790", "f32"),
            ("9007199254740992", "f64"),
            ("100000000000000000000000", "f64"),
            ("18446744073709551616", "f64"),
            ("18446744073709552000", "f64"),
        ] {
            assert!(read_as(text, ty).is_ok(), "{text} {ty}");
        }
        for (text, ty, nearest) in [
            ("16777217", "f32", "16777216"),
            ("-16777217", "ordered(f32)", "-16777216"),
            ("123456789", "f32", "123456792"),
            ("9007199254740993", "f64", "9007199254740992"),
            ("18446744073709551615", "f64", "18446744073709551616"),
        ] {
            match read_as(text, ty) {
                Err(ReadError::NotExact { nearest: found, .. }) => assert_eq!(found, nearest),
                other => panic!("{text} {ty}: {other:?}"),
            }
        }
    }

    #[test]
    fn plain_times_are_those_of_the_calendar() {
        // Every day of 800 years, as the calendar library counts them.
        let mut day = jiff::civil::date(1599, 12, 1);
        while day.year() < 2401 {
            let text = day.to_string();
            let expected = day.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_millisecond();
            assert_eq!(plain_time(&text), Some(expected), "{text}");
            assert_eq!(plain_time(&format!("{text} 23:59:58")), Some(expected + 86_398_000));
            assert_eq!(plain_time(&format!("{text}T00:00:01Z")), Some(expected + 1000));
            assert_eq!(plain_time(&format!("{text}T00:00:01.020Z")), Some(expected + 1020));
            assert_eq!(plain_time(&format!("{text} 00:00:00.999")), Some(expected + 999));
            day = day.tomorrow().unwrap();
        }
        for other in [
            "2023-02-29",
            "2100-02-29",
            "2024-04-31",
            "2024-00-01",
            "2024-13-01",
            "2024-01-00",
            "2024-1-010",
            "2024-01-01 24:00:00",
            "2024-01-01 00:60:00",
            "2024-01-01 00:00:60",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00.5",
            "2024-01-01t00:00:00z",
            "2024-01-0x",
            "x024-01-01",
        ] {
            assert_eq!(plain_time(other), None, "{other}");
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
