//! A query as text: with its values, or with `?` in their places.
//!
//! **Laws** (below): the text with the values reads back as the query, and so does the text with `?` and the values put back in.

use super::parse::Query;
use super::predicate::{Given, literal, quoted_name};
use crate::disclosure::Disclosure;
use crate::key::Fields;
use crate::types::Order;

impl Query {
    /// In the form that [`Query::parse`] takes; nothing for every row.
    pub fn to_sql(&self, fields: &Fields) -> String {
        self.print(fields, &mut |given| match given {
            Given::Value(value) => literal(value, Disclosure::Whole),
            Given::Pattern(pattern) => pattern.to_string(),
        })
    }

    /// With `?` for every value, and the values in the form that [`Query::parse_with`] takes. A pattern with an escape character stays in the
    /// text: a parameter has none of its own. So does the limit.
    pub fn to_parameters(&self, fields: &Fields) -> (String, Vec<String>) {
        let mut values = Vec::new();
        let text = self.print(fields, &mut |given| {
            let value = match given {
                Given::Value(value) => value.to_string(),
                Given::Pattern(pattern) => {
                    let shown = pattern.to_string();
                    let inner = shown.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                    match inner.filter(|_| !shown.ends_with(" escape '!'")) {
                        Some(text) => text.replace("''", "'"),
                        None => return shown,
                    }
                }
            };
            values.push(value);
            "?".to_owned()
        });
        (text, values)
    }

    fn print(&self, fields: &Fields, put: &mut dyn FnMut(Given<'_>) -> String) -> String {
        let mut parts = Vec::new();
        if !self.condition.is_true() {
            parts.push(self.condition.print(fields, put));
        }
        if !self.order_by.is_empty() {
            let one = |(field, order): &(_, Order)| {
                let name = quoted_name(&fields.get(*field).name);
                if *order == Order::Descending { format!("{name} desc") } else { name }
            };
            let by: Vec<String> = self.order_by.iter().map(one).collect();
            parts.push(format!("order by {}", by.join(", ")));
        }
        parts.extend(self.limit.map(|limit| format!("limit {limit}")));
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Field;
    use crate::types::Type;

    const LINES: [(&str, &str); 10] = [
        ("name like 'a!_b%' escape '!'", "name like 'a!_b%' escape '!'"),
        ("user = 7", "user = ?"),
        ("user=7 AND name  = 'O''Hara' limit 5", "user = ? and name = ? limit 5"),
        ("7 < user order by ts desc, user", "user > ? order by ts desc, user"),
        ("name like 'a%' or (user = 1 and \"order\" <> -3)", "name like ? or (user = ? and \"order\" <> ?)"),
        ("ts between '2024-01-01T00:00:00Z' and '2024-01-01T01:00:00Z'", "ts >= ? and ts <= ?"),
        ("not user in (1, 2, 3)", "user not in (?, ?, ?)"),
        ("user in (1, null) and name is not null", "user in (?, null) and name is not null"),
        ("", ""),
        ("order by ts limit 10", "order by ts limit 10"),
    ];

    #[test]
    fn a_query_is_its_text_and_its_values_put_back() {
        let field = |(name, ty): (&str, &str)| Field {
            name: name.to_owned(),
            ty: Type::from_name(ty).expect("a type"),
            nullable: false,
        };
        let fields = [("user", "u64"), ("ts", "timestamp"), ("name", "text"), ("order", "i64")];
        let fields = Fields::new(fields.map(field).to_vec());
        for (line, general) in LINES {
            let query = Query::parse(line, &fields).unwrap_or_else(|findings| panic!("{line}: {findings}"));
            let text = query.to_sql(&fields);
            assert_eq!(Query::parse(&text, &fields).expect(&text), query, "{text}");
            let (text, values) = query.to_parameters(&fields);
            assert_eq!(text, general);
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            assert_eq!(Query::parse_with(&text, &fields, &values).expect(general), query, "{text}");
        }
    }
}
