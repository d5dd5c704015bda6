//! Rules on whether the key answers the queries that the table is made for.

use crate::check::expr::{call, constant, name, walk};
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Draft, Subject};
use crate::check::{Issue, Place, Severity};
use crate::finding::Problem;
use crate::key::{Field, FieldId};
use crate::notation::{Expr, ExprKind};
use crate::query::{Access, Comparison, PlanError, PlanOptions, Predicate, Query, describe, plan};
use crate::types::{Kind, Octets, Type};

pub(crate) const ORDER: Rule = Rule {
    id: "order",
    summary: "A query of the table file that the key cannot answer by reading only its rows, in order.",
    story: "\
A key has one order. A query is cheap if it fixes the parts of the key from the left and then takes a range or the
order of the next one; every other query reads the whole table, reads rows to throw them away, or has to sort. A scan takes any
range, not prefixes only, as is often written, and a skip scan (HBase's `FuzzyRowFilter`) finds values in the middle of a key; both
read less the more of the left is fixed. Each `[[query]]` of the file is planned with values in place of its `?`.",
    example: Example::File(
        r#"
[table]
name = "orders"
key = "[user][id][ts desc]"
[fields]
user = "u64"
id = "u64"
ts = "timestamp"
[families.d]
[[query]]
name = "a user's latest orders"
where = "user = ? order by ts desc limit 20"
"#,
    ),
    check: order,
};

fn order(subject: &Subject<'_>) -> Vec<Issue> {
    let queries = subject.context.queries.iter().enumerate();
    queries
        .filter_map(|(index, query)| {
            let place = Place::Query(index, query.name.clone());
            let (severity, message, cure) = planned(subject, &query.condition)?;
            let message = format!("\"{}\": {message}", query.name);
            Some(Draft::new(place, &ORDER, severity).because(message).cure(cure, None))
        })
        .collect()
}

/// What is wrong with a query: how badly, why, and what to do.
fn planned(subject: &Subject<'_>, condition: &str) -> Option<(Severity, String, String)> {
    let key = subject.key;
    let query = match Query::parse(&with_values(condition, subject), key.fields()) {
        Ok(query) => query,
        Err(findings) => {
            // What this version cannot read yet is no mistake of the table.
            let wrong = findings
                .findings
                .iter()
                .find(|finding| !matches!(finding.problem, Problem::NotYet { .. }))?;
            let help = wrong.problem.help().unwrap_or_else(|| "correct the query".to_owned());
            return Some((Severity::Error, wrong.problem.to_string(), help));
        }
    };
    // An index table that answers it, in order, is what index tables are for.
    let by_index =
        subject.context.indexes.iter().map(|index| plan(&index.key, &query, &PlanOptions::default()));
    if by_index.flatten().any(|plan| plan.sort.is_empty() && first_range(&plan.residual).is_none()) {
        return None;
    }
    let sorted = |asked: &str, given: &str| {
        (
            Severity::Warning,
            format!("rows do not come ordered by {asked}: the key gives {given}, so all are read and sorted"),
            format!("put {asked} right behind the fields that the query fixes"),
        )
    };
    match plan(key, &query, &PlanOptions::default()) {
        Ok(plan) if plan.access == Access::Nothing => None,
        Ok(plan) if !plan.sort.is_empty() => {
            Some(sorted(&describe(key, &query.order_by), &describe(key, &plan.given)))
        }
        Ok(plan) => {
            let field = subject.name(first_range(&plan.residual)?);
            let message =
                format!("the range of `{field}` narrows no scan: rows outside it are read and dropped");
            Some((
                Severity::Hint,
                message,
                format!("put `{field}` right behind the fields that the query fixes"),
            ))
        }
        Err(PlanError::Order { asked, given, .. }) => Some(sorted(&asked, &given)),
        Err(PlanError::FullScan { why, .. }) => Some((
            Severity::Warning,
            format!("it reads the whole table: {why}"),
            "begin the key with a field that the query fixes, or make another table for it".to_owned(),
        )),
        Err(PlanError::FanOut { ranges, part, fields }) => Some((
            Severity::Warning,
            format!("it needs {ranges} ranges, one for each value of {part}"),
            format!("use a salt with few buckets, or fix {fields} in the query"),
        )),
    }
}

/// The first field of which only a range is left.
fn first_range(residual: &Predicate) -> Option<FieldId> {
    match residual {
        Predicate::And(all) => all.iter().find_map(first_range),
        Predicate::Compare { field, comparison, .. }
            if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) =>
        {
            Some(*field)
        }
        _ => None,
    }
}

/// The query with a fitting value for each `?`: small ones for lower bounds and large ones for upper bounds.
fn with_values(condition: &str, subject: &Subject<'_>) -> String {
    let mut out = String::with_capacity(condition.len());
    let mut quoted = false;
    for (at, character) in condition.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '?' if !quoted => {
                let (before, after) =
                    (condition.get(..at).unwrap_or_default(), condition.get(at + 1..).unwrap_or_default());
                out.push_str(&value_for(before, after, subject));
                continue;
            }
            _ => {}
        }
        out.push(character);
    }
    out
}

fn value_for(before: &str, after: &str, subject: &Subject<'_>) -> String {
    let tokens = tokens(before);
    let last = tokens.last().copied().unwrap_or_default();
    if last.eq_ignore_ascii_case("limit") {
        return "10".to_owned();
    }
    let is_field = |word: &&str| subject.field(word.trim_matches('"')).is_some();
    let own = tokens.iter().rev().take(5).find(|word| is_field(word)).copied();
    let comparison = matches!(last, "=" | "<" | "<=" | ">" | ">=");
    let following = self::tokens(after);
    // `ts >= ?`, `ts between ? and ?`, or `? <= ts`.
    let mirrored =
        !comparison && following.first().is_some_and(|next| matches!(*next, "=" | "<" | "<=" | ">" | ">="));
    let (field, rank) = if mirrored {
        let sign = following.first().copied().unwrap_or_default();
        (following.get(1).copied().filter(|word| is_field(word)), if sign.starts_with('<') { 1 } else { 3 })
    } else {
        let rank = match last.chars().next() {
            Some('>') => 1,
            Some('<') => 3,
            Some('=') => 2,
            _ if last.eq_ignore_ascii_case("between") => 1,
            _ => 3,
        };
        (own, rank)
    };
    let known = field.and_then(|word| subject.field(word.trim_matches('"')));
    known.map_or_else(
        || "'1'".to_owned(),
        |(_, field)| format!("'{}'", sample(subject, field, rank).replace('\'', "''")),
    )
}

/// Words and comparisons.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        '<' | '>' | '=' => 1,
        c if c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '?') => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start: Option<(usize, i32)> = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let now = kind(character);
        if let Some((from, class)) = start
            && class != now
        {
            tokens.extend(text.get(from..at));
            start = None;
        }
        if start.is_none() && now != 0 {
            start = Some((at, now));
        }
    }
    tokens
}

/// A value that the field can have and the key can hold; a higher rank is a larger value.
fn sample(subject: &Subject<'_>, field: &Field, rank: usize) -> String {
    match field.ty.kind() {
        Kind::Integer | Kind::Float | Kind::Numeric => rank.to_string(),
        Kind::Time => format!("2025-01-0{rank}"),
        Kind::Octets(ty) => Octets::of_number(ty, rank as u128).to_string(),
        Kind::Bool => (rank > 2).to_string(),
        Kind::Text | Kind::Bytes => {
            let letter = ["a", "k", "p", "t"].get(rank).copied().unwrap_or("k");
            let length = match field.ty {
                Type::Fixed(width) => width.into(),
                _ => text_length(subject, &field.name),
            };
            coded(subject, &field.name).unwrap_or_else(|| letter.repeat(length))
        }
    }
}

/// Long enough for every `subStr` and short enough for every pad of the field.
fn text_length(subject: &Subject<'_>, field: &str) -> usize {
    let (mut least, mut most) = (1, usize::MAX);
    for_calls(subject, field, |function, arguments| {
        let number = arguments.last().and_then(constant).and_then(|number| usize::try_from(number).ok());
        match (function, number) {
            ("subStr", Some(end)) => least = least.max(end),
            ("lpad" | "rpad", Some(width)) => most = most.min(width),
            _ => {}
        }
    });
    least.min(most)
}

/// A text that has a code, if only such texts have a key.
fn coded(subject: &Subject<'_>, field: &str) -> Option<String> {
    let mut found = None;
    for_calls(subject, field, |function, arguments| {
        if let ("code", [_, Expr { kind: ExprKind::Mapping(text, _), .. }, ..]) = (function, arguments) {
            found = Some(text.clone());
        }
    });
    found
}

/// Every call whose first argument is the field itself.
fn for_calls<'s>(subject: &'s Subject<'_>, field: &str, mut visit: impl FnMut(&'s str, &'s [Expr])) {
    for part in &subject.parts {
        walk(&part.expr, &mut |expr| {
            if let ExprKind::Call(found) = &expr.kind
                && found.arguments.first().and_then(name) == Some(field)
                && let Some(arguments) = call(expr, &found.function)
            {
                visit(&found.function, arguments);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeySchema;
    use crate::check::Context;

    #[test]
    fn question_marks_become_values_that_leave_something_between_them() {
        let key = KeySchema::parse("[user: u64][ts: timestamp][code(site, 'x'='y')][name]").expect("a key");
        let context = Context::default();
        let subject = Subject::new(&key, &context);
        for (query, expected) in [
            ("user = ? limit ?", "user = '2' limit 10"),
            ("ts >= ? and ts<?", "ts >= '2025-01-01' and ts<'2025-01-03'"),
            ("ts between ? and ?", "ts between '2025-01-01' and '2025-01-03'"),
            ("? <= ts and ? = user", "'2025-01-01' <= ts and '3' = user"),
            ("name = '?' and site = ?", "name = '?' and site = 'x'"),
        ] {
            assert_eq!(with_values(query, &subject), expected);
        }
    }
}
