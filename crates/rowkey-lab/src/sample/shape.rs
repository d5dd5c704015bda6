//! The type that the values of a column look like.
//!
//! A column begins as anything and loses what a value contradicts. Types must give every value back as it was written, so
//! `007` is a text, and so is a UUID in capital letters.

use rowkey_core::ordered::OrderedType;
use rowkey_core::types::{IntForm, Type};
use rowkey_core::value::{TimeFormat, TimeUnit, likely_unit, read};

/// Milliseconds of 2000-01-01 and 2100-01-01: whole numbers that all lie between are likely times.
const LIKELY_TIMES: std::ops::Range<i128> = 946_684_800_000..4_102_444_800_000;

const DECIMAL: Type = Type::Ordered(OrderedType::Numeric);

/// How sure is a guess?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// The data declares it.
    Declared,
    /// Every value that was looked at is written so.
    Written,
    /// Every value is a number that would be a likely time, which may be chance.
    Likely,
    /// There was no value to look at.
    NoValue,
}

impl Sure {
    /// The word for it: `declared`, `written`, `likely`, `no-value`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Written => "written",
            Self::Likely => "likely",
            Self::NoValue => "no-value",
        }
    }
}

/// What a column may be until a value contradicts it.
const INTEGER: u8 = 1;
const FLOAT: u8 = 2;
const TIME: u8 = 4;
const UUID: u8 = 8;
const BOOL: u8 = 16;
const NUMERIC: u8 = 32;

/// What is known of a column's values.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    pub(super) values: u64,
    pub(super) nulls: u64,
    /// Values that no field can have: lists and objects of JSON.
    pub(super) nested: u64,
    /// What it cannot be any more.
    contradicted: u8,
    /// Whether there are numbers of JSON, which no text field takes.
    json_numbers: bool,
    /// The smallest and the largest whole number.
    bounds: Option<(i128, i128)>,
    /// The unit that all whole numbers are likely times in; `None` without one.
    unit: Option<TimeUnit>,
    /// How times are written, if `--time-format` says.
    format: Option<TimeFormat>,
}

impl Shape {
    /// A column whose times are written so, if it has any.
    pub(super) fn with_times(format: Option<TimeFormat>) -> Self {
        Self { format, ..Self::default() }
    }

    /// The unit, other than milliseconds, in which the column's whole numbers are likely times: because the caller said so, or its name speaks
    /// for it. Ids and phone numbers have as many digits.
    pub(super) fn likely_unit(&self, name: &str) -> Option<TimeUnit> {
        let said = self.format.as_ref().and_then(TimeFormat::unit);
        let unit = self.unit.filter(|_| self.may_be(INTEGER) && self.values > 0)?;
        (said == Some(unit) || (said.is_none() && is_name_of_time(name))).then_some(unit)
    }

    /// A text, as a cell of CSV or a string of JSON.
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            self.nulls += 1;
            return;
        }
        self.values += 1;
        self.number(text);
        self.check(BOOL, |_| text == "true" || text == "false");
        // Digits alone would be read as milliseconds, `007` too; a date has more than digits.
        self.check(TIME, |shape| match &shape.format {
            // Only a pattern may have digits alone.
            Some(format) => {
                let usual = format.name().is_empty();
                format.unit().is_none() && !(usual && is_digits(text)) && format.read(text).is_ok()
            }
            None => !is_digits(text) && reads(text, Type::Timestamp),
        });
        let is_small = || !text.bytes().any(|b| b.is_ascii_uppercase());
        self.check(UUID, |_| text.len() == 36 && reads(text, Type::UUID) && is_small());
    }

    fn may_be(&self, kind: u8) -> bool {
        self.contradicted & kind == 0
    }

    fn check(&mut self, kind: u8, fits: impl Fn(&Self) -> bool) {
        if self.may_be(kind) && !fits(self) {
            self.contradicted |= kind;
        }
    }

    pub(super) fn json_number(&mut self, text: &str) {
        self.values += 1;
        self.json_numbers = true;
        self.number(text);
        self.contradicted |= BOOL | TIME | UUID;
    }

    /// True or false of JSON.
    pub(super) fn json_bool(&mut self) {
        self.values += 1;
        self.contradicted |= !BOOL;
    }

    /// An empty string of JSON, which is a text and not null.
    pub(super) fn json_empty(&mut self) {
        self.values += 1;
        self.contradicted = !0;
    }

    fn number(&mut self, text: &str) {
        let integer = integer(text);
        self.check(INTEGER, |_| integer.is_some());
        if let Some(number) = integer {
            let unit = i64::try_from(number).ok().and_then(likely_unit);
            self.unit = unit.filter(|_| self.bounds.is_none() || self.unit == unit);
            let (min, max) = self.bounds.unwrap_or((number, number));
            self.bounds = Some((min.min(number), max.max(number)));
        }
        // Small numbers are both.
        if integer.is_none_or(|number| number.unsigned_abs() > 1 << 53) {
            self.check(FLOAT, |_| is_float(text));
            self.check(NUMERIC, |_| reads(text, DECIMAL));
        }
    }

    /// The narrowest type that fits them all.
    pub(super) fn ty(&self) -> (Type, Sure) {
        if self.values == 0 {
            return (Type::Text, Sure::NoValue);
        }
        let plain = [(BOOL, Type::Bool), (UUID, Type::UUID), (TIME, Type::Timestamp)];
        let ty = match (plain.into_iter().find(|(kind, _)| self.may_be(*kind)), self.bounds) {
            (Some((_, ty)), _) => ty,
            (None, Some((min, max))) if self.may_be(INTEGER) => {
                if LIKELY_TIMES.contains(&min) && LIKELY_TIMES.contains(&max) {
                    return (Type::Timestamp, Sure::Likely);
                } else if min >= 0 && u64::try_from(max).is_ok() {
                    Type::int(8, IntForm::Unsigned)
                } else if i64::try_from(min).is_ok() && i64::try_from(max).is_ok() {
                    Type::int(8, IntForm::SignFlipped)
                } else {
                    self.any_number()
                }
            }
            _ if self.may_be(FLOAT) => Type::F64,
            _ => self.any_number(),
        };
        (ty, Sure::Written)
    }

    /// The type for numbers that fit no narrower one: text, unless they are JSON's.
    fn any_number(&self) -> Type {
        if self.json_numbers && self.may_be(NUMERIC) { DECIMAL } else { Type::Text }
    }
}

/// Whether a column is called as times are.
fn is_name_of_time(name: &str) -> bool {
    let name = name.to_lowercase();
    let parts = ["time", "date", "day", "stamp", "epoch", "created", "updated", "modified"];
    ["ts", "t", "at", "dt", "when"].contains(&name.as_str())
        || name.ends_with("_ts")
        || name.ends_with("_at")
        || parts.iter().any(|part| name.contains(part))
}

fn reads(text: &str, ty: Type) -> bool {
    read(text, ty).is_ok()
}

fn is_digits(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number that is written as it would be printed.
fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 38 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if plain { text.parse().ok() } else { None }
}

/// A number with a point or an exponent, or a whole one; not `007`.
fn is_float(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let code = matches!(digits, [b'0', b'0'..=b'9', ..]);
    !code && reads(text, Type::F64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[&str]) -> (String, Sure) {
        let mut shape = Shape::default();
        values.iter().for_each(|value| shape.text(value));
        let (ty, sure) = shape.ty();
        (ty.to_string(), sure)
    }

    #[test]
    fn the_narrowest_type_is_taken() {
        for (values, ty) in [
            (&["0", "1", "18446744073709551615"][..], "u64"),
            (&["0", "-1", "9223372036854775807"], "i64"),
            (&["-1", "9223372036854775808"], "text"),
            (&["99999999999999999999999"], "text"),
            (&["007", "8"], "text"),
            (&["007"], "text"),
            (&["-0"], "f64"),
            (&["1", "2.5", "1e9"], "f64"),
            (&["9007199254740993", "2.5"], "text"),
            (&["00.5"], "text"),
            (&["1e999"], "text"),
            (&["true", "false"], "bool"),
            (&["true", "0"], "text"),
            (&["2024-05-24", "2024-05-24 10:00:00"], "timestamp"),
            (&["2024-05-24T10:00:00Z"], "timestamp"),
            (&["2024-05-24", "7"], "text"),
            (&["123e4567-e89b-12d3-a456-426614174000"], "uuid"),
            (&["123E4567-e89b-12d3-a456-426614174000"], "text"),
            (&["123e4567e89b12d3a456426614174000"], "text"),
            (&["13800138000", "13900139000"], "u64"),
            (&["a", "", "b"], "text"),
            (&["\0\u{1}"], "text"),
        ] {
            assert_eq!(guess(values), (ty.to_owned(), Sure::Written), "{values:?}");
        }
        assert_eq!(guess(&["1700000000000", "1700000001000"]), ("timestamp".to_owned(), Sure::Likely));
        assert_eq!(guess(&["", ""]), ("text".to_owned(), Sure::NoValue));
    }

    #[test]
    fn times_in_other_units_are_noticed_where_the_name_speaks_for_them() {
        let unit = |name: &str, values: &[&str]| {
            let mut shape = Shape::default();
            values.iter().for_each(|value| shape.text(value));
            shape.likely_unit(name)
        };
        assert_eq!(unit("ts", &["1700000000", "1700000060"]), Some(TimeUnit::Seconds));
        assert_eq!(unit("phone", &["2125551234"]), None);
        assert_eq!(unit("created_at", &["1700000000000000"]), Some(TimeUnit::Microseconds));
        assert_eq!(unit("day", &["20130101", "20131231"]), Some(TimeUnit::Date));
        assert_eq!(unit("day", &["20130101", "20131301"]), None);
        assert_eq!(unit("day", &["20130101", "7"]), None);
        assert_eq!(unit("ts", &["1700000000", "x"]), None);
        assert_eq!(unit("ts", &[""]), None);
        let mut said = Shape::with_times(Some(TimeFormat::of(TimeUnit::Seconds)));
        said.text("1700000000");
        assert_eq!(said.likely_unit("x"), Some(TimeUnit::Seconds));
    }

    #[test]
    fn numbers_of_json_have_a_type_that_takes_them() {
        for (values, ty) in [
            (&["9007199254740993", "2.5"][..], "ordered(numeric)"),
            (&["99999999999999999999999"], "ordered(numeric)"),
            (&["1.5", "1e-7"], "f64"),
            (&["-1", "7"], "i64"),
        ] {
            let mut shape = Shape::default();
            values.iter().for_each(|value| shape.json_number(value));
            assert_eq!(shape.ty().0.to_string(), ty, "{values:?}");
        }
    }
}
