//! What does a query say that was hardly meant?
//!
//! A whole number for a time is milliseconds since 1970, whatever it looks like. `ts > 1997` asks for rows from the second
//! second of 1970 on, `ts > 20250101` from its first morning, `ts > 1735689600` from its first weeks: all rows, mostly.
//! Such a number is read as it stands; a remark says how it was read and what may have been meant.

use super::parse::Query;
use super::predicate::Predicate;
use crate::key::{FieldId, Fields};
use crate::value::Value;

impl Query {
    /// Remarks about times that look like years, days or seconds, each once.
    ///
    /// ```
    /// use rowkey::{KeySchema, query::Query};
    /// let key = KeySchema::parse("[ts: timestamp][id]")?;
    /// let query = Query::parse("ts > 1997", key.fields())?;
    /// assert_eq!(
    ///     query.slips(key.fields()),
    ///     ["1997 for `ts` is read as milliseconds since 1970; for the year write '1997-01-01'"]
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slips(&self, fields: &Fields) -> Vec<String> {
        let mut slips = Vec::new();
        visit(&self.condition, &mut |field, value| {
            if let Value::Time(millis) = value
                && let Some(meant) = meant(*millis)
            {
                let name = &fields.get(field).name;
                let slip = format!("{millis} for `{name}` is read as milliseconds since 1970; {meant}");
                if !slips.contains(&slip) {
                    slips.push(slip);
                }
            }
        });
        slips
    }
}

fn visit(condition: &Predicate, see: &mut impl FnMut(FieldId, &Value<'static>)) {
    match condition {
        Predicate::And(all) | Predicate::Or(all) => all.iter().for_each(|part| visit(part, see)),
        Predicate::Not(part) => visit(part, see),
        Predicate::Compare { field, value, .. } => see(*field, value),
        Predicate::In { field, values, .. } => values.iter().for_each(|value| see(*field, value)),
        Predicate::Like { .. } | Predicate::IsNull { .. } | Predicate::Unknown => {}
    }
}

/// Years that people have data of.
const YEARS: std::ops::RangeInclusive<i64> = 1900..=2199;
/// Seconds from 2001 to 2096.
const SECONDS: std::ops::Range<i64> = 1_000_000_000..4_000_000_000;

fn meant(millis: i64) -> Option<String> {
    let (year, month, day) = (millis / 10_000, millis / 100 % 100, millis % 100);
    if YEARS.contains(&millis) {
        Some(format!("for the year write '{millis}-01-01'"))
    } else if YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day) {
        Some(format!("for the day write '{year}-{month:02}-{day:02}'"))
    } else if SECONDS.contains(&millis) {
        Some(format!("for seconds write {millis}000"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::key::KeySchema;
    use crate::query::Query;

    fn slips(text: &str) -> Vec<String> {
        let key = KeySchema::parse("[n: u64][ts: timestamp][id]").unwrap();
        Query::parse(text, key.fields()).unwrap().slips(key.fields())
    }

    #[test]
    fn years_days_and_seconds_are_remarked_upon_wherever_they_stand() {
        let read = |digits: &str, meant: &str| {
            format!("{digits} for `ts` is read as milliseconds since 1970; for {meant}")
        };
        assert_eq!(slips("ts >= 20250131"), [read("20250131", "the day write '2025-01-31'")]);
        assert_eq!(slips("not ts in (1735689600)"), [read("1735689600", "seconds write 1735689600000")]);
        let both = slips("n = 1 and (ts between 1997 and 1998 or ts = 1997)");
        assert_eq!(
            both,
            [read("1997", "the year write '1997-01-01'"), read("1998", "the year write '1998-01-01'")]
        );
    }

    #[test]
    fn times_and_other_numbers_are_not() {
        for text in [
            "",
            "n = 1997 and id = '1997'",
            "ts > '1997-01-01'",
            "ts > 0 and ts < 1735689600000",
            "ts > 20251301 or ts > 20250100",
            "ts is null",
        ] {
            assert_eq!(slips(text), [""; 0], "{text}");
        }
    }
}
