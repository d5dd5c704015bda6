//! Times as other programs write them.
//!
//! A time is kept in milliseconds. Without a word about it, a whole number is read as milliseconds; one that is a likely time in
//! another unit is refused ([`likely_unit`]), because it would silently be a day of 1970. A [`TimeFormat`] says what numbers or texts mean.
//!
//! **Rule**: what is finer than a millisecond is refused, unless the format was asked to truncate.

use jiff::fmt::strtime::BrokenDownTime;

use super::reading::{ReadError, integer, read};
use crate::calendar;
use crate::types::Type;

/// A unit of whole numbers that are times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Microseconds since 1970.
    Microseconds,
    /// Nanoseconds since 1970.
    Nanoseconds,
    /// A date as a number, `20240524`.
    Date,
}

impl TimeUnit {
    /// The word for it in `--time-format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
            Self::Date => "yyyyMMdd",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Seconds => "seconds since 1970",
            Self::Milliseconds => "milliseconds since 1970",
            Self::Microseconds => "microseconds since 1970",
            Self::Nanoseconds => "nanoseconds since 1970",
            Self::Date => "a date as a number",
        }
    }

    /// The milliseconds of a number in this unit, as a fraction of two whole numbers; `None` for dates.
    fn millis(self) -> Option<(i128, i128)> {
        match self {
            Self::Seconds => Some((1000, 1)),
            Self::Milliseconds => Some((1, 1)),
            Self::Microseconds => Some((1, 1_000)),
            Self::Nanoseconds => Some((1, 1_000_000)),
            Self::Date => None,
        }
    }
}

/// The unit, other than milliseconds, in which a number is a likely time: seconds of the years 1973 to 5138, micro- and nanoseconds of
/// 2001 to 2128, and dates of 1900 to 2100. As milliseconds these are days of 1970 to 1973, or tens of thousands of years away.
pub fn likely_unit(number: i64) -> Option<TimeUnit> {
    const SECONDS: std::ops::Range<u64> = 100_000_000..100_000_000_000;
    const MICROSECONDS: std::ops::Range<i64> = 1_000_000_000_000_000..5_000_000_000_000_000;
    const NANOSECONDS: std::ops::Range<i64> = 1_000_000_000_000_000_000..5_000_000_000_000_000_000;
    if SECONDS.contains(&number.unsigned_abs()) {
        Some(TimeUnit::Seconds)
    } else if MICROSECONDS.contains(&number) {
        Some(TimeUnit::Microseconds)
    } else if NANOSECONDS.contains(&number) {
        Some(TimeUnit::Nanoseconds)
    } else {
        date_of_number(number).map(|_| TimeUnit::Date)
    }
}

/// Midnight of a date as a number, `20240524`.
fn date_of_number(number: i64) -> Option<i64> {
    if !(19_000_101..=21_001_231).contains(&number) {
        return None;
    }
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let date =
        jiff::civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    calendar::millis(date.ok()?.to_datetime(jiff::civil::Time::midnight()))
}

/// How times are written in data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeFormat {
    form: Form,
    /// As it was asked for.
    text: String,
    /// Milliseconds that a time without an offset of its own is ahead of UTC.
    ahead: i64,
    truncate: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// As the notation has it.
    Usual,
    Number(TimeUnit),
    /// As `strftime` has it.
    Pattern(String),
}

impl Default for TimeFormat {
    fn default() -> Self {
        Self { form: Form::Usual, text: String::new(), ahead: 0, truncate: false }
    }
}

impl TimeFormat {
    /// `s`, `ms`, `us` or `ns` for numbers, a pattern of `strftime` (`%d/%m/%Y %H:%M`), or one of Java (`yyyyMMdd`).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = match text {
            "s" => Form::Number(TimeUnit::Seconds),
            "ms" => Form::Number(TimeUnit::Milliseconds),
            "us" => Form::Number(TimeUnit::Microseconds),
            "ns" => Form::Number(TimeUnit::Nanoseconds),
            "yyyyMMdd" | "%Y%m%d" => Form::Number(TimeUnit::Date),
            _ => {
                let pattern = if text.contains('%') { text.to_owned() } else { of_java(text)? };
                // A time printed by the pattern can be read by it; if not, it names no whole date.
                let example = jiff::civil::date(2024, 5, 24).at(13, 23, 59, 0);
                let printed = example
                    .to_zoned(jiff::tz::TimeZone::UTC)
                    .and_then(|example| BrokenDownTime::from(&example).to_string(&pattern));
                let read = printed.and_then(|text| BrokenDownTime::parse(&pattern, text)?.to_datetime());
                read.map_err(|error| format!("`{text}` does not describe a date and time: {error}"))?;
                Form::Pattern(pattern)
            }
        };
        Ok(Self { form, text: text.to_owned(), ..Self::default() })
    }

    /// The format for numbers of a unit.
    pub fn of(unit: TimeUnit) -> Self {
        Self { form: Form::Number(unit), text: unit.name().to_owned(), ..Self::default() }
    }

    /// Takes times without an offset of their own for those of a zone that is so far ahead of UTC: `+02:00`, `-0530`, `Z`.
    ///
    /// # Errors
    /// When it is no offset.
    pub fn zone(self, offset: &str) -> Result<Self, String> {
        let found = match offset {
            "Z" | "UTC" => Some(0),
            _ => BrokenDownTime::parse(if offset.contains(':') { "%:z" } else { "%z" }, offset)
                .ok()
                .and_then(|parsed| parsed.offset().map(|offset| i64::from(offset.seconds()) * 1000)),
        };
        let cure = "write how far it is ahead of UTC, as +02:00; names of zones are not known here, because their hours change";
        found.map(|ahead| Self { ahead, ..self }).ok_or_else(|| format!("`{offset}` is no offset; {cure}"))
    }

    /// Cuts what is finer than a millisecond off instead of refusing it.
    #[must_use]
    pub fn truncating(self) -> Self {
        Self { truncate: true, ..self }
    }

    /// The unit of numbers, if times are numbers.
    pub fn unit(&self) -> Option<TimeUnit> {
        match self.form {
            Form::Number(unit) => Some(unit),
            Form::Usual | Form::Pattern(_) => None,
        }
    }

    /// Whether finer times are cut off.
    pub fn truncates(&self) -> bool {
        self.truncate
    }

    /// As it was asked for; empty if nothing was said.
    pub fn name(&self) -> &str {
        &self.text
    }

    /// The milliseconds since 1970 of a text.
    ///
    /// # Errors
    /// When it is not written so, or not a whole millisecond.
    pub fn read(&self, text: &str) -> Result<i64, ReadError> {
        let other = || ReadError::NotInTimeFormat { text: text.to_owned(), format: self.text.clone() };
        match &self.form {
            Form::Usual => self.usual(text),
            Form::Number(unit) => match integer(text) {
                Some(number) => self.number(*unit, number.ok_or_else(other)?, text),
                None => self.fraction(*unit, text).unwrap_or_else(|| Err(other())),
            },
            Form::Pattern(pattern) => {
                let parsed = BrokenDownTime::parse(pattern, text).map_err(|_| other())?;
                let civil = parsed.to_datetime().map_err(|_| other())?;
                let ahead = parsed.offset().map_or(self.ahead, |offset| i64::from(offset.seconds()) * 1000);
                Ok(self.whole(civil, text)? - ahead)
            }
        }
    }

    /// The milliseconds since 1970 of a whole number.
    ///
    /// # Errors
    /// As [`TimeFormat::read`].
    pub fn read_number(&self, number: i128) -> Result<i64, ReadError> {
        match &self.form {
            Form::Number(unit) => self.number(*unit, number, &number.to_string()),
            _ => self.read(&number.to_string()),
        }
    }

    fn usual(&self, text: &str) -> Result<i64, ReadError> {
        let read = match read(text, Type::Timestamp) {
            Ok(super::Value::Time(millis)) => Ok(millis),
            Err(ReadError::FineTime { .. }) if self.truncate => {
                let civil: Option<jiff::civil::DateTime> = match text.parse::<jiff::Timestamp>() {
                    Ok(time) => Some(jiff::tz::Offset::UTC.to_datetime(time)),
                    Err(_) => text.parse().ok(),
                };
                let other = || ReadError::NotATime { text: text.to_owned() };
                calendar::floor_millis(civil.ok_or_else(other)?).ok_or_else(other)
            }
            Err(error) => Err(error),
            Ok(_) => Err(ReadError::NotATime { text: text.to_owned() }),
        }?;
        // A date, or a date and a time with a blank, has no offset; a number is one of UTC.
        let is_local = self.ahead != 0 && integer(text).is_none() && text.parse::<jiff::Timestamp>().is_err();
        Ok(if is_local { read - self.ahead } else { read })
    }

    fn number(&self, unit: TimeUnit, number: i128, text: &str) -> Result<i64, ReadError> {
        let other = || ReadError::NotInTimeFormat { text: text.to_owned(), format: self.text.clone() };
        let Some((times, over)) = unit.millis() else {
            let date = i64::try_from(number).ok().filter(|_| text.len() == 8).and_then(date_of_number);
            return date.map(|midnight| midnight - self.ahead).ok_or_else(other);
        };
        if number % over != 0 && !self.truncate {
            return Err(ReadError::FineTime { text: text.to_owned() });
        }
        let millis = number.checked_mul(times).map(|number| number.div_euclid(over));
        millis.and_then(|millis| i64::try_from(millis).ok()).ok_or_else(other)
    }

    /// Seconds with a point, `1735776000.25`; `None` if it is no such number.
    fn fraction(&self, unit: TimeUnit, text: &str) -> Option<Result<i64, ReadError>> {
        let (whole, fraction) = text.split_once('.').filter(|_| unit == TimeUnit::Seconds)?;
        let digits = fraction.bytes().all(|byte| byte.is_ascii_digit()) && !fraction.is_empty();
        let whole = integer(whole)??.checked_mul(1000)?;
        if !digits {
            return None;
        }
        if fraction.bytes().skip(3).any(|byte| byte != b'0') && !self.truncate {
            return Some(Err(ReadError::FineTime { text: text.to_owned() }));
        }
        let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
        let millis: i128 = millis.parse().ok()?;
        let finer = fraction.bytes().skip(3).any(|byte| byte != b'0');
        let is_negative = text.starts_with('-');
        // Cut towards the past, as everywhere.
        let number = if is_negative { whole - millis - i128::from(finer) } else { whole + millis };
        Some(i64::try_from(number).map_err(|_| ReadError::NotATime { text: text.to_owned() }))
    }

    fn whole(&self, civil: jiff::civil::DateTime, text: &str) -> Result<i64, ReadError> {
        let found = if self.truncate { calendar::floor_millis(civil) } else { calendar::millis(civil) };
        found.ok_or_else(|| ReadError::FineTime { text: text.to_owned() })
    }
}

/// A pattern of Java's `DateTimeFormatter`, in the letters of `strftime`.
fn of_java(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.chars().take_while(|c| *c == first).map(char::len_utf8).sum();
        let (run, behind) = rest.split_at(length);
        rest = behind;
        let letters = match run {
            "yyyy" | "uuuu" => "%Y",
            "yy" => "%y",
            "MM" => "%m",
            "MMM" => "%b",
            "dd" => "%d",
            "d" => "%-d",
            "M" => "%-m",
            "HH" => "%H",
            "H" => "%-H",
            "hh" => "%I",
            "a" => "%p",
            "mm" => "%M",
            "ss" => "%S",
            "SSS" => "%3f",
            "SSSSSS" => "%6f",
            "SSSSSSSSS" => "%9f",
            "XXX" => "%:z",
            "Z" | "XX" => "%z",
            "'" => {
                let end = rest.find('\'').unwrap_or(rest.len());
                let quoted = rest.get(..end).unwrap_or_default();
                rest = rest.get(end + 1..).unwrap_or_default();
                quoted
            }
            _ if !first.is_alphabetic() || run == "T" => run,
            _ => {
                return Err(format!(
                    "`{run}` of `{text}` is not known; write s, ms, us, ns, a pattern such as %d/%m/%Y %H:%M, or one such as \
                     yyyyMMdd"
                ));
            }
        };
        out.push_str(letters);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(format: &str, text: &str) -> Result<i64, String> {
        TimeFormat::parse(format)?.read(text).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_are_read_in_their_unit_and_nothing_is_cut() {
        assert_eq!(millis("s", "1735776000"), Ok(1_735_776_000_000));
        assert_eq!(millis("s", "-1"), Ok(-1000));
        assert_eq!(millis("s", "1735776000.25"), Ok(1_735_776_000_250));
        assert_eq!(millis("s", "-0.25"), Ok(-250));
        assert_eq!(millis("s", "1.2500"), Ok(1250));
        assert!(millis("s", "1.0001").unwrap_err().contains("whole millisecond"));
        assert_eq!(millis("ms", "1735776000"), Ok(1_735_776_000));
        assert_eq!(millis("us", "1735776000000000"), Ok(1_735_776_000_000));
        assert!(millis("us", "1735776000000001").unwrap_err().contains("whole millisecond"));
        assert_eq!(millis("ns", "-1000000"), Ok(-1));
        assert_eq!(millis("yyyyMMdd", "20240229"), Ok(1_709_164_800_000));
        for (format, text) in [
            ("yyyyMMdd", "20230229"),
            ("yyyyMMdd", "2024-02-29"),
            ("s", "x"),
            ("s", "1e9"),
            ("s", "1."),
            ("ms", "1.5"),
        ] {
            assert!(millis(format, text).unwrap_err().contains(format), "{format} {text}");
        }
        let cut =
            |format: &str, text: &str| TimeFormat::parse(format).unwrap().truncating().read(text).unwrap();
        assert_eq!(cut("us", "1999"), 1);
        assert_eq!(cut("us", "-1"), -1, "towards the past");
        assert_eq!(cut("s", "-0.0001"), -1);
        assert_eq!(TimeFormat::default().truncating().read("1969-12-31T23:59:59.9999Z").unwrap(), -1);
        assert_eq!(
            TimeFormat::default().truncating().read("2024-05-24 00:00:00.123456").unwrap() % 1000,
            123
        );
    }

    #[test]
    fn patterns_are_those_of_strftime_or_java() {
        let same = Ok(1_716_510_180_000);
        for (format, text) in [
            ("%d/%m/%Y %H:%M", "24/05/2024 00:23"),
            ("%Y-%m-%dT%H:%M:%S", "2024-05-24T00:23:00"),
            ("yyyy-MM-dd'T'HH:mm:ss", "2024-05-24T00:23:00"),
            ("dd.MM.yyyy HH:mm", "24.05.2024 00:23"),
            ("%Y-%m-%d %H:%M:%S %z", "2024-05-24 02:23:00 +0200"),
            ("%Y%m%d%H%M%S", "20240524002300"),
            ("%b %d %Y %I:%M %p", "May 24 2024 12:23 AM"),
        ] {
            assert_eq!(millis(format, text), same, "{format}");
            assert!(millis(format, "x").unwrap_err().contains("is not a time as"), "{format}");
            assert!(millis(format, &format!("{text}x")).is_err(), "{format}");
        }
        let zoned = TimeFormat::parse("%d/%m/%Y %H:%M").unwrap().zone("+02:00").unwrap();
        assert_eq!(zoned.read("24/05/2024 02:23").unwrap(), 1_716_510_180_000);
        let usual = TimeFormat::default().zone("-0130").unwrap();
        assert_eq!(usual.read("2024-05-23 22:53:00").unwrap(), 1_716_510_180_000);
        assert_eq!(usual.read("2024-05-24T00:23:00Z").unwrap(), 1_716_510_180_000);
        assert_eq!(usual.read("1716510180000").unwrap(), 1_716_510_180_000);
        for bad in ["", "%H:%M", "seconds", "%Q", "%Y", "hello"] {
            assert!(TimeFormat::parse(bad).is_err(), "{bad}");
        }
        assert!(TimeFormat::default().zone("Europe/Berlin").unwrap_err().contains("+02:00"));
        // Midnight at the end of the calendar, with an offset.
        assert!(TimeFormat::parse("%Y-%m-%d %:z").unwrap().read("2024-02-30 +00:00").is_err());
    }

    #[test]
    fn a_number_that_is_a_time_in_another_unit_is_noticed() {
        for (number, unit) in [
            (1_735_776_000, Some(TimeUnit::Seconds)),
            (-300_000_000, Some(TimeUnit::Seconds)),
            (1_735_776_000_000, None),
            (1_735_776_000_000_000, Some(TimeUnit::Microseconds)),
            (1_735_776_000_000_000_000, Some(TimeUnit::Nanoseconds)),
            (20_240_229, Some(TimeUnit::Date)),
            (20_230_229, None),
            (0, None),
            (86_400_000, None),
            (i64::MAX, None),
            (i64::MIN, None),
        ] {
            assert_eq!(likely_unit(number), unit, "{number}");
        }
    }
}
