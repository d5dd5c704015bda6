//! Dates and times of day of milliseconds since 1970, in UTC.
//!
//! The years 0001 to 9999 are whole. `jiff::Timestamp` ends 26 hours before the last of them does, so that every zone has a date for
//! it; civil dates reach to its end.
//!
//! **Law** (the test below): a date and its milliseconds give each other back.

use jiff::civil::{DateTime, date};
use jiff::{SignedDuration, Timestamp, tz::Offset};

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The date and time of day; `None` past the year 9999, and as far before the year 1.
pub(crate) fn civil(millis: i64) -> Option<DateTime> {
    match Timestamp::from_millisecond(millis) {
        Ok(time) => Some(Offset::UTC.to_datetime(time)),
        Err(_) => EPOCH.checked_add(SignedDuration::from_millis(millis)).ok(),
    }
}

/// The milliseconds of a date and time; `None` if they are not whole. Times are kept in milliseconds, and a finer one would not come
/// back.
pub(crate) fn millis(civil: DateTime) -> Option<i64> {
    let since = civil.duration_since(EPOCH);
    let is_whole = since.subsec_nanos() % 1_000_000 == 0;
    i64::try_from(since.as_millis()).ok().filter(|_| is_whole)
}

/// The last whole millisecond that is not after a date and time.
pub(crate) fn floor_millis(civil: DateTime) -> Option<i64> {
    i64::try_from(civil.duration_since(EPOCH).as_nanos().div_euclid(1_000_000)).ok()
}

/// The milliseconds of a length of time: `500ms`, `10s`, `1m`, `1h` or `1d`.
///
/// # Errors
/// What is wrong with the text.
pub fn length(text: &str) -> Result<i64, String> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => {
            return Err(format!("`{other}` is no unit of time; write a number and ms, s, m, h or d, as 10s"));
        }
    };
    let number: i64 =
        digits.parse().map_err(|_| format!("`{digits}` is no whole number; write 10s or 1m"))?;
    let millis = number.checked_mul(unit).filter(|millis| *millis > 0);
    millis.ok_or_else(|| format!("{text} cannot be used; write a length of time from 1ms on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_milliseconds_give_each_other_back() {
        let last = 253_402_300_799_999;
        assert_eq!(civil(last), Some(date(9999, 12, 31).at(23, 59, 59, 999_000_000)));
        assert_eq!(civil(last + 1), None);
        assert_eq!(civil(i64::MAX), None);
        let first = -62_135_596_800_000;
        assert_eq!(civil(first), Some(date(1, 1, 1).at(0, 0, 0, 0)));
        // Every 19th hour and some milliseconds, over all years and their ends.
        let all = (first..=last).step_by(19 * 3_600_000 * 101 + 977);
        let mut seen = 0;
        for time in all.chain(last - 30 * 3_600_000..last - 30 * 3_600_000 + 2000).chain([first, last]) {
            assert_eq!(civil(time).and_then(millis), Some(time));
            seen += 1;
        }
        assert!(seen > 40_000, "{seen}");
        assert_eq!(millis(date(2000, 1, 1).at(0, 0, 0, 1)), None);
    }
}
