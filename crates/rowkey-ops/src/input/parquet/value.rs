//! From a value of a file to one of a field.

use ::parquet::data_type::Int96;
use rowkey_core::Value;
use rowkey_core::escape::escape;
use rowkey_core::ordered::Decimal;
use rowkey_core::remedy::Remedy;
use rowkey_core::types::{Kind, Octets};
use rowkey_core::value::{ReadError, TimeFormat, read};

use super::Column;
use super::chunk::Raw;
use super::holds::{Holds, Unit};
use crate::input::error::LineProblem;

const MILLISECONDS_IN_A_DAY: i64 = 86_400_000;
/// The day of the Julian calendar that 1970-01-01 is.
const JULIAN_DAY_OF_1970: i64 = 2_440_588;

impl Column {
    /// The field's value.
    pub(super) fn value<'c>(&self, raw: Raw<'c>) -> Result<Value<'c>, LineProblem> {
        match (raw, &self.holds) {
            (Raw::Null, _) if self.field.nullable => Ok(Value::Null),
            (Raw::Null, _) => Err(LineProblem::Null { field: self.field.name.clone(), ty: self.field.ty }),
            (Raw::Bool(bool), _) => Ok(Value::Bool(bool)),
            (Raw::Float(number), _) => self.float(Value::Float32(number)),
            (Raw::Double(number), _) => self.float(Value::Float(number)),
            (Raw::Int32(days), Holds::Date) => Ok(Value::Time(i64::from(days) * MILLISECONDS_IN_A_DAY)),
            (Raw::Int64(number), Holds::Time(unit)) => self.time(number.into(), *unit),
            (Raw::Int96(time), _) => self.time(nanoseconds(time), Unit::Nanoseconds),
            (Raw::Int32(number), Holds::Decimal(places)) => self.decimal(number.into(), *places),
            (Raw::Int64(number), Holds::Decimal(places)) => self.decimal(number.into(), *places),
            (Raw::Bytes(bytes), Holds::Decimal(places)) => match big_endian(bytes) {
                Some(number) => self.decimal(number, *places),
                None => {
                    Err(self.misfit(format!("{}", escape(bytes)), "is a decimal number of over 38 digits"))
                }
            },
            (Raw::Int32(number), Holds::Unsigned) => self.integer(number.cast_unsigned().into()),
            (Raw::Int64(number), Holds::Unsigned) => self.integer(number.cast_unsigned().into()),
            (Raw::Int32(number), _) => self.integer(number.into()),
            (Raw::Int64(number), _) => self.integer(number.into()),
            (Raw::Bytes(bytes), Holds::Text) => self.text(bytes),
            (Raw::Bytes(bytes), _) => self.bytes(bytes),
        }
    }

    fn integer(&self, number: i128) -> Result<Value<'static>, LineProblem> {
        let ty = self.field.ty;
        match ty.kind() {
            Kind::Time => {
                let usual = TimeFormat::default();
                let format = self.field.time.as_ref().unwrap_or(&usual);
                format.read_number(number).map(Value::Time).map_err(|problem| self.unread(problem))
            }
            Kind::Numeric => self.decimal(number, 0),
            Kind::Float => {
                read(&number.to_string(), ty).map(Value::into_owned).map_err(|problem| self.unread(problem))
            }
            _ => {
                let (min, max) = ty.integer_range().unwrap_or((i128::MIN, i128::MAX));
                if (min..=max).contains(&number) {
                    return Ok(Value::Int(number));
                }
                Err(self.unread(ReadError::OutOfRange { text: number.to_string(), ty, min, max }))
            }
        }
    }

    /// A floating-point number in the width of the field; what does not fit 32 bits is rounded as its text would be.
    fn float(&self, value: Value<'static>) -> Result<Value<'static>, LineProblem> {
        match value {
            _ if !value.float().is_some_and(f64::is_finite) => {
                let reason = "is no number that a field can have; write null, or leave the record out";
                Err(self.misfit(value.to_string(), reason))
            }
            Value::Float32(number) if !self.field.ty.is_single() => Ok(Value::Float(number.into())),
            // With a point or an exponent, always: it was not written as a whole number.
            Value::Float(number) if self.field.ty.is_single() => {
                let read = read(&format!("{number:?}"), self.field.ty).map(Value::into_owned);
                read.map_err(|problem| self.unread(problem))
            }
            value => Ok(value),
        }
    }

    /// A decimal number without its point, which stands before the last `places` digits.
    fn decimal(&self, number: i128, places: u32) -> Result<Value<'static>, LineProblem> {
        let exponent = -i32::try_from(places).unwrap_or(i32::MAX);
        let decimal = Decimal::new(number, exponent);
        let text = || match &decimal {
            Ok(decimal) => decimal.to_string(),
            Err(_) => format!("{number}e{exponent}"),
        };
        if self.field.ty.kind() == Kind::Numeric {
            let text = text();
            return decimal
                .map(Value::Numeric)
                .map_err(|problem| self.unread(ReadError::NotADecimal { text, problem }));
        }
        match 10_i128.checked_pow(places) {
            Some(one) if number % one == 0 => self.integer(number / one),
            _ => Err(self.misfit(
                text(),
                "is not a whole number; round the column, or give the field the type \
                                          ordered(numeric)",
            )),
        }
    }

    fn time(&self, number: i128, unit: Unit) -> Result<Value<'static>, LineProblem> {
        let one = i128::from(unit.in_a_millisecond());
        let told = || format!("{number} {}", unit.name());
        if number % one != 0 && !self.field.time.as_ref().is_some_and(TimeFormat::truncates) {
            let reason = format!(
                "are not whole milliseconds, which times are kept in; truncate the column, or read it with {}",
                Remedy::TruncateTimes
            );
            return Err(self.misfit(told(), reason));
        }
        i64::try_from(number.div_euclid(one))
            .map(Value::Time)
            .map_err(|_| self.misfit(told(), "are past the last millisecond that there is"))
    }

    fn text<'c>(&self, bytes: &'c [u8]) -> Result<Value<'c>, LineProblem> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            let reason = "is not UTF-8; give the field the type bytes";
            return Err(self.misfit(format!("`{}`", escape(bytes)), reason));
        };
        self.field.read_text(text)
    }

    fn bytes<'c>(&self, bytes: &'c [u8]) -> Result<Value<'c>, LineProblem> {
        match self.field.ty.kind() {
            Kind::Text => self.text(bytes),
            Kind::Octets(ty) => match Octets::new(ty, bytes) {
                Some(uuid) => Ok(Value::Octets(uuid)),
                None => Err(self.misfit(format!("`{}`", escape(bytes)), "has not the 16 bytes of a UUID")),
            },
            _ => Ok(Value::Bytes(bytes.into())),
        }
    }

    fn unread(&self, problem: ReadError) -> LineProblem {
        LineProblem::Cell { field: self.field.name.clone(), problem }
    }

    fn misfit(&self, value: String, reason: impl Into<String>) -> LineProblem {
        LineProblem::Misfit { field: self.field.name.clone(), value, reason: reason.into() }
    }
}

/// Nanoseconds since 1970: a day of the Julian calendar, and nanoseconds since its midnight.
fn nanoseconds(time: &Int96) -> i128 {
    let [low, high, day] = *time.data() else { return 0 };
    let nanoseconds = i128::from(u64::from(high) << 32 | u64::from(low));
    let days = i64::from(day.cast_signed()) - JULIAN_DAY_OF_1970;
    i128::from(days) * i128::from(MILLISECONDS_IN_A_DAY) * 1_000_000 + nanoseconds
}

/// A number of any length in two's complement; `None` if 128 bits cannot hold it.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { 0xFF } else { 0x00 };
    let (front, tail) = bytes.split_at(bytes.len().saturating_sub(16));
    let mut wide = [sign; 16];
    wide.get_mut(16 - tail.len()..)?.copy_from_slice(tail);
    let number = i128::from_be_bytes(wide);
    let same_sign = (number < 0) == (sign == 0xFF);
    (same_sign && front.iter().all(|&byte| byte == sign)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_read() {
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&[0xFF]), Some(-1));
        assert_eq!(big_endian(&[0x00, 0xFF]), Some(255));
        assert_eq!(big_endian(&[0x80, 0x00]), Some(-32_768));
        assert_eq!(big_endian(&i128::MIN.to_be_bytes()), Some(i128::MIN));
        assert_eq!(big_endian(&[[0xFF; 4].as_slice(), &[0x80], &[0; 15]].concat()), Some(i128::MIN));
        assert_eq!(big_endian(&[[0; 4].as_slice(), &[0x80], &[0; 15]].concat()), None);
        assert_eq!(big_endian(&[[1].as_slice(), &[0; 16]].concat()), None);
    }

    #[test]
    fn old_times_count_days_of_the_julian_calendar() {
        let mut time = Int96::new();
        time.set_data(1_000_000, 0, 2_440_589);
        assert_eq!(nanoseconds(&time), 86_400_001_000_000);
        time.set_data(0, 0, 2_440_587);
        assert_eq!(nanoseconds(&time), -86_400_000_000_000);
    }
}
