//! Rules on the families, columns and versions of a table.

use crate::check::rule::{Example, Rule};
use crate::check::subject::{Draft, Subject};
use crate::check::{Issue, Place, Severity};
use crate::table::{Column, NamedQuery};

/// Names up to these lengths are short.
const SHORT_FAMILY: usize = 3;
const SHORT_QUALIFIER: usize = 8;
/// HBase works well up to so many families.
const FAMILIES: usize = 2;
/// From so many on, versions are a table inside a cell.
const MANY_VERSIONS: u32 = 100;

pub(crate) const LONG_NAME: Rule = Rule {
    id: "long-name",
    summary: "Long names of families and columns: every cell repeats them.",
    story: "\
HBase stores the family and the column with every cell, beside the row key. A family is best one letter, a column a
few; the table file maps short columns to fields with readable names, so nothing is lost.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[id]"
[fields]
id = "uuid"
amount = "i64"
[families.information]
columns = { amount = "amount" }
"#,
    ),
    check: long_name,
};

fn long_name(subject: &Subject<'_>) -> Vec<Issue> {
    let per_cells = |bytes: usize| format!("{bytes} bytes in every cell, {} MB in 10 million", bytes * 10);
    let families = subject.context.families.iter().filter(|family| family.name.len() > SHORT_FAMILY);
    let families = families.map(|family| {
        let message = format!("the family `{}` takes {}", family.name, per_cells(family.name.len()));
        at(&["families", &family.name], &LONG_NAME, Severity::Hint)
            .because(message)
            .cure("call it by one letter, such as d", None)
    });
    let columns = subject.context.columns.iter().filter(|column| column.qualifier.len() > SHORT_QUALIFIER);
    let columns = columns.map(|column| {
        let message =
            format!("the column `{}` takes {}", column.qualifier, per_cells(column.qualifier.len()));
        at(&["families", &column.family, "columns", &column.qualifier], &LONG_NAME, Severity::Hint)
            .because(message)
            .cure(
                format!("give it a short name; the field is still called `{}`", subject.name(column.field)),
                None,
            )
    });
    families.chain(columns).collect()
}

fn at(path: &[&str], rule: &'static Rule, severity: Severity) -> Draft {
    Draft::new(Place::Setting(path.iter().map(|&name| name.to_owned()).collect()), rule, severity)
}

pub(crate) const FAMILY_COUNT: Rule = Rule {
    id: "family-count",
    summary: "Many column families: each is a store of its own in every region.",
    story: "\
Every family of a region has its own memory store and files, and regions are split by the largest of them. A family with few
rows is then cut into as many regions as one with many, and its scans visit all of them. One family is the rule, a second
is for columns that are read apart from the rest.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[id]"
[fields]
id = "uuid"
[families.a]
[families.b]
[families.c]
[families.d]
"#,
    ),
    check: family_count,
};

fn family_count(subject: &Subject<'_>) -> Vec<Issue> {
    let count = subject.context.families.len();
    if count <= FAMILIES {
        return Vec::new();
    }
    let severity = if count == FAMILIES + 1 { Severity::Hint } else { Severity::Warning };
    let message = format!(
        "{count} column families are {count} stores in every region; more than {FAMILIES} rarely pay"
    );
    let draft = at(&["families"], &FAMILY_COUNT, severity).because(message);
    vec![draft.cure("keep columns that are read together in one family", None)]
}

pub(crate) const FAMILIES_TOGETHER: Rule = Rule {
    id: "families-together",
    summary: "Families that every query reads together: they could be one.",
    story: "\
A family is a store of its own in every region, with its own memory and files. A read of columns of two families asks both and puts
their cells together, so a second family pays only where some reads leave it alone. A `[[query]]` reads the families of the
fields in its `columns` and its condition, and all families if it has no `columns`.",
    example: Example::File(
        r#"
[table]
name = "users"
key = "[id]"
[fields]
id = "uuid"
name = "text"
last_seen = "timestamp"
[families.a]
columns = { n = "name" }
[families.b]
columns = { s = "last_seen" }
[[query]]
name = "a user"
where = "id = ?"
"#,
    ),
    check: families_together,
};

fn families_together(subject: &Subject<'_>) -> Vec<Issue> {
    let (columns, queries) = (subject.context.columns, subject.context.queries);
    let reads = |query: &NamedQuery, family: &str| {
        let Some(returned) = &query.columns else { return true };
        let outside_quotes = query.condition.split('\'').step_by(2).flat_map(super::query::tokens);
        let named: Vec<&str> = returned.iter().map(String::as_str).chain(outside_quotes).collect();
        let own = columns.iter().filter(|column| column.family == family);
        own.into_iter().any(|column| named.contains(&subject.name(column.field)))
    };
    let holds_columns = |family: &str| columns.iter().any(|column| column.family == family);
    let names = subject.context.families.iter().map(|family| family.name.as_str());
    let together: Vec<&str> = names
        .filter(|family| holds_columns(family) && queries.iter().all(|query| reads(query, family)))
        .collect();
    let [first, others @ .., last] = together.as_slice() else { return Vec::new() };
    if queries.is_empty() {
        return Vec::new();
    }
    let before: String = others.iter().map(|family| format!(", `{family}`")).collect();
    let message = match queries.len() {
        1 => format!("the query \"{}\" reads", queries.first().map_or("", |query| query.name.as_str())),
        count => format!("all {count} queries read"),
    };
    let message = format!(
        "{message} the families `{first}`{before} and `{last}`: each read asks both stores of a region"
    );
    let cure = "put their columns into one family, or say with `columns` in [[query]] which queries need only one of them";
    vec![at(&["families", last], &FAMILIES_TOGETHER, Severity::Hint).because(message).cure(cure, None)]
}

pub(crate) const STORED_TWICE: Rule = Rule {
    id: "stored-twice",
    summary: "A column for a field that comes back from the key.",
    story: "\
Many tables that exist keep the fields of their key in columns as well, because the programs that read them do not take keys apart. Each is a cell
more in every row, and every cell repeats the key. rowkey reads the field from the key, writes the column beside it, and compares
both whenever it reads a row: two answers to one question are an error with the row's name.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[user][ts desc]"
[fields]
user = "u64"
ts = "timestamp"
[families.d]
columns = { u = "user" }
"#,
    ),
    check: stored_twice,
};

fn stored_twice(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |column: &Column| {
        let message = format!(
            "the column `{}` repeats `{}`, which comes back from the key: a cell more in every row",
            column.label(),
            subject.name(column.field)
        );
        at(&["families", &column.family, "columns", &column.qualifier], &STORED_TWICE, Severity::Hint)
            .because(message)
            .cure("remove the column, unless another program reads it", None)
    };
    subject.context.copies.iter().map(issue).collect()
}

pub(crate) const VERSIONS: Rule = Rule {
    id: "versions",
    summary: "Settings of versions that contradict each other or cost too much.",
    story: "\
`min_versions` says how many versions survive their time to live, so it means something only with a `ttl`, and cannot
be above `versions`. Hundreds of versions make rows that a Get must read through and that cannot be split; history
is better kept as rows, with the time in the key.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[id]"
[fields]
id = "uuid"
[families.d]
versions = 500
"#,
    ),
    check: versions,
};

fn versions(subject: &Subject<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    for family in subject.context.families {
        let name = family.name.as_str();
        if family.min_versions > family.versions {
            let message =
                format!("min_versions {} is above versions {}", family.min_versions, family.versions);
            let draft = at(&["families", name, "min_versions"], &VERSIONS, Severity::Error).because(message);
            issues.push(draft.cure("raise versions, or lower min_versions", None));
        }
        if family.min_versions > 0 && family.ttl_seconds.is_none() {
            let message =
                format!("min_versions {} does nothing without a ttl: nothing expires", family.min_versions);
            let draft =
                at(&["families", name, "min_versions"], &VERSIONS, Severity::Warning).because(message);
            issues.push(draft.cure("set ttl, or leave min_versions away", None));
        }
        if family.versions >= MANY_VERSIONS {
            let message = format!(
                "{} versions of a cell stay in one row, which a read goes through and no split divides",
                family.versions
            );
            let draft = at(&["families", name, "versions"], &VERSIONS, Severity::Warning).because(message);
            issues.push(draft.cure("keep history as rows of its own, with the time in the key", None));
        }
    }
    issues
}
