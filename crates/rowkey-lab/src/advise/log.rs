//! Which queries are in a log of them?
//!
//! One query per line, with the values that were asked for. Values become `?`, equal queries are counted, and the counts are the weights. A limit
//! stays as it is, and the median width of a time range becomes the window of its query.
//!
//! **Law**: a query with its values put back in is the query of the line.

use std::collections::BTreeMap;
use std::fmt::Write;

use rowkey::key::{FieldId, Fields};
use rowkey::query::{Comparison, Predicate, Query};
use rowkey::table::NamedQuery;
use rowkey::types::Order;
use rowkey::{Findings, Value};

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

/// A line of a log that is no query.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of {origin} is no query over these fields")]
pub struct LogError {
    /// The name of the log.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub cause: Findings,
}

impl QueryLog {
    /// Reads a log; empty lines and those that begin with `#` are left out.
    ///
    /// # Errors
    /// The first line that is no query over the fields.
    pub fn parse(origin: &str, source: &str, fields: &Fields) -> Result<Self, LogError> {
        let mut counted: BTreeMap<String, (u64, Vec<i64>)> = BTreeMap::new();
        let mut lines = 0;
        for (place, line) in source.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (text, window) = match Query::parse(line, fields) {
                Ok(query) => (General::of(&query, fields).text, window(&query.condition)),
                // A log of prepared queries has no values.
                Err(_) if Query::parameters(line, fields).is_ok() => (line.to_owned(), None),
                Err(cause) => return Err(LogError { origin: origin.to_owned(), line: place + 1, cause }),
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
            NamedQuery {
                name: text.clone(),
                condition: text,
                weight: u32::try_from(count).unwrap_or(u32::MAX),
                columns: None,
                window: windows.get(windows.len() / 2).copied(),
                limit: None,
            }
        };
        Ok(Self { queries: all.into_iter().take(MOST).map(query).collect(), lines, left_out })
    }
}

/// A query with `?` for its values.
struct General<'a> {
    fields: &'a Fields,
    text: String,
    values: Vec<String>,
}

impl<'a> General<'a> {
    fn of(query: &Query, fields: &'a Fields) -> Self {
        let mut general = Self { fields, text: String::new(), values: Vec::new() };
        if !query.condition.is_true() {
            general.condition(&query.condition, false);
        }
        for (place, (field, order)) in query.order_by.iter().enumerate() {
            general.text.push_str(if place == 0 { " order by " } else { ", " });
            general.field(*field);
            general.text.push_str(if *order == Order::Descending { " desc" } else { "" });
        }
        if let Some(limit) = query.limit {
            // Writing to a text cannot fail.
            let _ = write!(general.text, " limit {limit}");
        }
        general.text = general.text.trim_start().to_owned();
        general
    }

    fn field(&mut self, field: FieldId) {
        let name = &self.fields.get(field).name;
        if Query::parse(&format!("{name} is null"), self.fields).is_ok() {
            self.text.push_str(name);
        } else {
            let _ = write!(self.text, "\"{name}\"");
        }
    }

    fn value(&mut self, value: &Value<'static>) {
        self.text.push('?');
        self.values.push(value.to_string());
    }

    fn condition(&mut self, condition: &Predicate, within: bool) {
        match condition {
            Predicate::And(all) => self.list(all, (" and ", "true"), within),
            Predicate::Or(all) => self.list(all, (" or ", "false"), within),
            Predicate::Not(inner) => {
                self.text.push_str("not (");
                self.condition(inner, false);
                self.text.push(')');
            }
            Predicate::Compare { field, comparison, value } => {
                self.field(*field);
                self.text.push_str(match comparison {
                    Comparison::Equal => " = ",
                    Comparison::NotEqual => " <> ",
                    Comparison::Less => " < ",
                    Comparison::LessOrEqual => " <= ",
                    Comparison::Greater => " > ",
                    Comparison::GreaterOrEqual => " >= ",
                });
                self.value(value);
            }
            Predicate::In { field, values, or_null } => {
                self.field(*field);
                self.text.push_str(" in (");
                for (place, value) in values.iter().enumerate() {
                    self.text.push_str(if place > 0 { ", " } else { "" });
                    self.value(value);
                }
                if *or_null {
                    self.text.push_str(if values.is_empty() { "null" } else { ", null" });
                }
                self.text.push(')');
            }
            Predicate::Like { field, pattern } => {
                self.field(*field);
                let shown = pattern.to_string();
                let inner = shown.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                match inner.filter(|_| !shown.ends_with(" escape '!'")) {
                    Some(text) => {
                        self.text.push_str(" like ?");
                        self.values.push(text.replace("''", "'"));
                    }
                    // A parameter has no escape character of its own.
                    None => {
                        let _ = write!(self.text, " like {shown}");
                    }
                }
            }
            Predicate::IsNull { field } => {
                self.field(*field);
                self.text.push_str(" is null");
            }
            Predicate::Unknown => self.text.push_str("null"),
        }
    }

    fn list(&mut self, all: &[Predicate], (word, none): (&str, &str), within: bool) {
        let brackets = within && all.len() > 1;
        self.text.push_str(if brackets { "(" } else { "" });
        for (place, one) in all.iter().enumerate() {
            self.text.push_str(if place > 0 { word } else { "" });
            self.condition(one, true);
        }
        self.text.push_str(if all.is_empty() { none } else { "" });
        self.text.push_str(if brackets { ")" } else { "" });
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
    use rowkey::key::Field;

    fn fields() -> Fields {
        let field = |(name, ty): (&str, &str)| Field {
            name: name.to_owned(),
            ty: rowkey::Type::from_name(ty).expect("a type"),
            nullable: false,
        };
        let fields = [("user", "u64"), ("ts", "timestamp"), ("name", "text"), ("order", "i64")];
        Fields::new(fields.map(field).to_vec())
    }

    const LINES: [(&str, &str); 10] = [
        ("name like 'a!_b%' escape '!'", "name like 'a!_b%' escape '!'"),
        ("user = 7", "user = ?"),
        ("user=7 AND name  = 'O''Hara' limit 5", "user = ? and name = ? limit 5"),
        ("7 < user order by ts desc, user", "user > ? order by ts desc, user"),
        ("name like 'a%' or (user = 1 and \"order\" <> -3)", "name like ? or (user = ? and \"order\" <> ?)"),
        ("ts between '2024-01-01T00:00:00Z' and '2024-01-01T01:00:00Z'", "ts >= ? and ts <= ?"),
        ("not user in (1, 2, 3)", "not (user in (?, ?, ?))"),
        ("user in (1, null) and name is not null", "user in (?, null) and not (name is null)"),
        ("", ""),
        ("order by ts limit 10", "order by ts limit 10"),
    ];

    #[test]
    fn a_query_with_its_values_put_back_is_the_query_of_the_line() {
        let fields = fields();
        for (line, text) in LINES {
            let query = Query::parse(line, &fields).unwrap_or_else(|findings| panic!("{line}: {findings}"));
            let general = General::of(&query, &fields);
            assert_eq!(general.text, text);
            let values: Vec<&str> = general.values.iter().map(String::as_str).collect();
            assert_eq!(Query::parse_with(&general.text, &fields, &values).expect(text), query, "{text}");
        }
    }

    #[test]
    fn equal_queries_are_counted_and_the_first_that_is_none_is_named() {
        let log = "# today\nuser = 1\n\nname = 'x'\nuser = 2\n user = 3\nuser = ?\n\
                   ts >= '2024-01-01T00:00:00Z' and ts < '2024-01-01T00:01:00Z'\n";
        let log = QueryLog::parse("log", log, &fields()).expect("a log");
        let seen: Vec<(u32, &str, Option<i64>)> =
            log.queries.iter().map(|query| (query.weight, query.condition.as_str(), query.window)).collect();
        let window = (1, "ts >= ? and ts < ?", Some(60_000));
        assert_eq!(seen, [(4, "user = ?", None), (1, "name = ?", None), window]);
        assert_eq!((log.lines, log.left_out), (6, 0));
        let many: String = (0..30).map(|limit| format!("user = 1 limit {}\n", limit + 1)).collect();
        let log = QueryLog::parse("log", &many, &fields()).expect("a log");
        assert_eq!((log.queries.len(), log.lines, log.left_out), (20, 30, 10));
        let error = QueryLog::parse("q.log", "user = 1\n\nbuyer = 2\n", &fields()).expect_err("no field");
        assert_eq!(error.to_string(), "line 3 of q.log is no query over these fields");
    }
}
