//! Reads the queries that advice is asked for.
//!
//! From a table file, whose key is then compared with the others; from a file of `[[query]]` alone, with
//! optional `[fields]`; or from lines:
//!
//! ```text
//! # a weight, if there is one, then the query
//! 80 user_id = ? order by ts desc limit 20
//! 20 seller = ?
//! ```

use rowkey_core::key::Fields;
use rowkey_core::table::{NamedQuery, QueryFile};
use rowkey_core::{Findings, Table};

/// What a file of queries says.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The table, if it is a table file.
    pub table: Option<Table>,
    /// The types of fields, if the file says them.
    pub fields: Option<Fields>,
    /// The queries, each with its weight.
    pub queries: Vec<NamedQuery>,
}

impl Asking {
    /// Reads a file in any of the three forms; `origin` is its name in messages.
    ///
    /// # Errors
    /// All findings about the file.
    pub fn parse(origin: &str, source: &str) -> Result<Self, Findings> {
        let begins = |start: &str| source.lines().any(|line| line.trim_start().starts_with(start));
        if begins("[table]") {
            let table = Table::parse(origin, source)?;
            let (fields, queries) = (Some(table.key.fields().clone()), table.queries.clone());
            return Ok(Self { table: Some(table), fields, queries });
        }
        if begins("[[query]]") || begins("[fields]") {
            let QueryFile { fields, queries } = QueryFile::parse(origin, source)?;
            return Ok(Self { table: None, fields, queries });
        }
        let lines = source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Self { table: None, fields: None, queries: lines.map(of_line).collect() })
    }
}

/// A weight before a query is a number that no sign follows: `7 = user_id` is a query.
fn of_line(line: &str) -> NamedQuery {
    let weighted = line.split_once(char::is_whitespace).and_then(|(number, rest)| {
        let weight: u32 = number.parse().ok().filter(|weight| *weight > 0)?;
        let rest = rest.trim_start();
        rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '"' | '('))
            .then_some((weight, rest))
    });
    let (weight, text) = weighted.unwrap_or((1, line));
    named_by_itself(text, weight)
}

/// A query without a name of its own.
pub(super) fn named_by_itself(text: &str, weight: u32) -> NamedQuery {
    let (name, condition) = (text.to_owned(), text.to_owned());
    NamedQuery { name, condition, weight, columns: None, window: None, limit: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_weights_or_not() {
        let asking = Asking::parse("q", "# mine\n80 user = ?\n\nts > ? limit 5\n7 = user\n").unwrap();
        let seen: Vec<(u32, &str)> =
            asking.queries.iter().map(|query| (query.weight, query.condition.as_str())).collect();
        assert_eq!(seen, [(80, "user = ?"), (1, "ts > ? limit 5"), (1, "7 = user")]);
        assert!(Asking::parse("q", "\n# nothing\n").unwrap().queries.is_empty());
    }
}
