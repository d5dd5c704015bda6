//! Reads queries from a log.
//!
//! One query per line, with the values that were asked for. Values become `?`, equal queries are counted, and the counts are the weights. A limit
//! stays as it is, and the median width of a time range becomes the window of its query. A line may end in the table that was asked, as
//! ` -- orders`: a recording of `ROWKEY_RECORD` has that on every line.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::key::{FieldId, Fields};
use rowkey_core::query::{Comparison, Predicate, Query};
use rowkey_core::remedy::Remedy;
use rowkey_core::table::NamedQuery;
use rowkey_core::{Findings, Value};

use super::questions::named_by_itself;

/// So many different queries are kept, the most frequent ones: each of them is planned for every key.
const MOST: usize = 20;

/// The queries of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryLog {
    /// With counts for weights, the most frequent first.
    pub queries: Vec<NamedQuery>,
    /// How many queries the log has.
    pub lines: u64,
    /// How many of them are not among the kept ones.
    pub left_out: u64,
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A line is no query.
    #[error("line {line} of {origin} is no query over these fields")]
    NoQuery {
        /// The name of the log.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        cause: Findings,
    },
    /// It is about several tables, and none of them is named.
    #[error("{origin} has queries of the tables {}; name one of them with {}", tables.join(", "), Remedy::Table)]
    SeveralTables {
        /// The name of the log.
        origin: String,
        /// The names of the tables, sorted.
        tables: Vec<String>,
    },
}

impl QueryLog {
    /// Reads a log; empty lines and those that begin with `#` are left out. Of a log of several tables, the queries of `table` are read.
    ///
    /// # Errors
    /// Several tables without that one, or the first line that is no query over the fields.
    pub fn parse(origin: &str, source: &str, fields: &Fields, table: Option<&str>) -> Result<Self, LogError> {
        let mut counted: BTreeMap<String, (u64, Vec<i64>)> = BTreeMap::new();
        let mut lines = 0;
        let asked = || {
            let numbered = source.lines().enumerate().map(|(place, line)| (place, line.trim()));
            let is_query = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#');
            numbered.filter(is_query).map(|(place, line)| (place, of_table(line)))
        };
        let tables: BTreeSet<&str> = asked().filter_map(|(_, (_, of))| of).collect();
        if tables.len() > 1 && !table.is_some_and(|table| tables.contains(table)) {
            let tables = tables.into_iter().map(str::to_owned).collect();
            return Err(LogError::SeveralTables { origin: origin.to_owned(), tables });
        }
        let is_meant = |of: Option<&str>| tables.len() < 2 || of.is_none() || of == table;
        for (place, (line, _)) in asked().filter(|(_, (_, of))| is_meant(*of)) {
            let (text, window) = match Query::parse(line, fields) {
                Ok(query) => (query.to_parameters(fields).0, window(&query.condition)),
                // A log of prepared queries has no values.
                Err(_) if Query::parameters(line, fields).is_ok() => (line.to_owned(), None),
                Err(cause) => {
                    return Err(LogError::NoQuery { origin: origin.to_owned(), line: place + 1, cause });
                }
            };
            let (count, windows) = counted.entry(text).or_default();
            *count += 1;
            windows.extend(window);
            lines += 1;
        }
        let mut all: Vec<(String, (u64, Vec<i64>))> = counted.into_iter().collect();
        all.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        let left_out = all.iter().skip(MOST).map(|(_, (count, _))| count).sum();
        let query = |(text, (count, mut windows)): (String, (u64, Vec<i64>))| {
            windows.sort_unstable();
            let window = windows.get(windows.len() / 2).copied();
            NamedQuery { window, ..named_by_itself(&text, u32::try_from(count).unwrap_or(u32::MAX)) }
        };
        Ok(Self { queries: all.into_iter().take(MOST).map(query).collect(), lines, left_out })
    }
}

/// The query of a line, and the table behind its last ` -- `. Within a text or a quoted name these signs are followed by a quote, which no
/// table has in its name.
fn of_table(line: &str) -> (&str, Option<&str>) {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    match line.rsplit_once(" -- ") {
        Some((query, table)) if !table.is_empty() && table.chars().all(is_name) => {
            (query.trim_end(), Some(table))
        }
        _ => (line, None),
    }
}

/// The width in milliseconds of a range of times with two ends.
fn window(condition: &Predicate) -> Option<i64> {
    let one = std::slice::from_ref(condition);
    let all = if let Predicate::And(all) = condition { all.as_slice() } else { one };
    let end = |of: FieldId, is_lower: bool| {
        all.iter().find_map(|one| match one {
            Predicate::Compare { field, comparison, value: Value::Time(at) } if *field == of => {
                let lower = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
                let upper = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
                (if is_lower { lower } else { upper }).then_some(*at)
            }
            _ => None,
        })
    };
    let fields = condition.fields();
    fields
        .into_iter()
        .find_map(|field| end(field, false)?.checked_sub(end(field, true)?).filter(|width| *width > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::key::Field;

    fn fields() -> Fields {
        let field = |(name, ty): (&str, &str)| Field {
            name: name.to_owned(),
            ty: rowkey_core::Type::from_name(ty).expect("a type"),
            nullable: false,
        };
        let fields = [("user", "u64"), ("ts", "timestamp"), ("name", "text"), ("order", "i64")];
        Fields::new(fields.map(field).to_vec())
    }

    #[test]
    fn equal_queries_are_counted_and_the_first_that_is_none_is_named() {
        let log = "# today\nuser = 1\n\nname = 'x'\nuser = 2\n user = 3\nuser = ?\n\
                   ts >= '2024-01-01T00:00:00Z' and ts < '2024-01-01T00:01:00Z'\n";
        let log = QueryLog::parse("log", log, &fields(), None).expect("a log");
        let seen: Vec<(u32, &str, Option<i64>)> =
            log.queries.iter().map(|query| (query.weight, query.condition.as_str(), query.window)).collect();
        let window = (1, "ts >= ? and ts < ?", Some(60_000));
        assert_eq!(seen, [(4, "user = ?", None), (1, "name = ?", None), window]);
        assert_eq!((log.lines, log.left_out), (6, 0));
        let many: String = (0..30).map(|limit| format!("user = 1 limit {}\n", limit + 1)).collect();
        let log = QueryLog::parse("log", &many, &fields(), None).expect("a log");
        assert_eq!((log.queries.len(), log.lines, log.left_out), (20, 30, 10));
        let error =
            QueryLog::parse("q.log", "user = 1\n\nbuyer = 2\n", &fields(), None).expect_err("no field");
        assert_eq!(error.to_string(), "line 3 of q.log is no query over these fields");
    }

    #[test]
    fn of_several_tables_one_must_be_named() {
        let log = "user = 1 -- orders\nname = 'a -- b' -- orders\nbuyer = 2 -- shop:sales\nuser = 3\n";
        let parse = |log: &str, table| QueryLog::parse("r.log", log, &fields(), table);
        let of_orders = parse(log, Some("orders")).expect("a log");
        let seen: Vec<(u32, &str)> =
            of_orders.queries.iter().map(|query| (query.weight, query.condition.as_str())).collect();
        assert_eq!(seen, [(2, "user = ?"), (1, "name = ?")]);
        for table in [None, Some("users")] {
            let error = parse(log, table).expect_err("two tables");
            let told = "r.log has queries of the tables orders, shop:sales; name one of them with `table`";
            assert_eq!(error.to_string(), told);
        }
        // A design of one table's queries may be called otherwise; what is in quotes is no table.
        let one = parse("user = 1 -- orders\nname = 'x -- y'\n", Some("orders_new")).expect("a log");
        assert_eq!((one.lines, one.queries.len()), (2, 2));
        assert!(parse("buyer = 2 -- shop:sales\n", None).is_err());
    }
}
