//! Warnings about a query that parses but hardly means what it says.
//!
//! A whole number for a time is milliseconds since 1970. One that is a likely time in another unit is refused where it is read
//! ([`crate::value`]); `ts > 1997` is not, and asks for rows from the second second of 1970 on: all rows, mostly. It is read as it
//! stands, and a remark says how, and what may have been meant.

use super::parse::Query;
use super::predicate::Predicate;
use crate::key::{FieldId, Fields};
use crate::value::Value;

impl Query {
    /// Remarks about times that look like years, each once.
    ///
    /// ```
    /// use rowkey_core::{KeySchema, query::Query};
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
                && YEARS.contains(millis)
            {
                let name = &fields.get(field).name;
                let slip = format!(
                    "{millis} for `{name}` is read as milliseconds since 1970; for the year write '{millis}-01-01'"
                );
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

#[cfg(test)]
mod tests {
    use crate::key::KeySchema;
    use crate::query::Query;

    fn slips(text: &str) -> Vec<String> {
        let key = KeySchema::parse("[n: u64][ts: timestamp][id]").unwrap();
        Query::parse(text, key.fields()).unwrap().slips(key.fields())
    }

    #[test]
    fn years_are_remarked_upon_wherever_they_stand() {
        let read = |year: u16| {
            format!("{year} for `ts` is read as milliseconds since 1970; for the year write '{year}-01-01'")
        };
        assert_eq!(
            slips("n = 1 and (ts between 1997 and 1998 or not ts in (1997))"),
            [read(1997), read(1998)]
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
