//! The field name of a column.
//!
//! By its own name, if that is one of the notation: letters, digits, `_`, and `-` inside. Otherwise everything else becomes `_`
//! (`Airport Name` is the field `Airport_Name`), a blank name becomes `column_3`, and the second of one name gets `_2`. What is renamed is
//! called as somebody said.

use std::collections::HashSet;

use rowkey_core::key::Fields;

use super::Dialect;

/// The names of columns as fields, in their order. A name that `known` has as a field stays as it is.
pub fn field_names<'n>(
    columns: impl Iterator<Item = &'n str>,
    dialect: &Dialect,
    known: Option<&Fields>,
) -> Vec<String> {
    let columns: Vec<&str> = columns.collect();
    let own = |column: &str| -> Option<String> {
        let renamed = dialect.renames.iter().find(|(old, _)| old == column).map(|(_, new)| new.clone());
        let stays = is_name(column) || known.is_some_and(|known| known.id(column).is_some());
        renamed.or_else(|| stays.then(|| column.to_owned()))
    };
    // Columns that have a name of their own come first, wherever they stand.
    let mut taken = HashSet::new();
    let mut names: Vec<Option<String>> =
        columns.iter().map(|column| own(column).filter(|name| taken.insert(name.clone()))).collect();
    for (at, (name, column)) in names.iter_mut().zip(&columns).enumerate() {
        if name.is_none() {
            let wanted = own(column).unwrap_or_else(|| stated(column, at + 1));
            let numbered = (2_u64..).map(|number| format!("{wanted}_{number}"));
            *name = std::iter::once(wanted.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        }
    }
    names.into_iter().flatten().collect()
}

/// The name that a member of a JSON object has as a field.
pub fn field_name(member: &str, dialect: &Dialect) -> String {
    let renamed = dialect.renames.iter().find(|(old, _)| old == member).map(|(_, new)| new.clone());
    renamed.unwrap_or_else(|| if is_name(member) { member.to_owned() } else { stated(member, 0) })
}

fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text.chars().peekable();
    let begins = rest.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    let mut goes_on = || {
        while let Some(next) = rest.next() {
            let belongs = if next == '-' { rest.peek().is_some_and(|c| inner(*c)) } else { inner(next) };
            if !belongs {
                return false;
            }
        }
        true
    };
    begins && goes_on()
}

fn stated(column: &str, number: usize) -> String {
    let column = column.trim();
    if is_name(column) {
        return column.to_owned();
    }
    let mut name = String::new();
    for character in column.chars() {
        match character {
            c if c.is_alphanumeric() || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_end_matches('_');
    match name.chars().next() {
        None => format!("column_{number}"),
        Some(first) if first.is_alphabetic() || first == '_' => name.to_owned(),
        Some(_) => format!("_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &[&str], renames: &[(&str, &str)]) -> Vec<String> {
        let renames = renames.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        field_names(columns.iter().copied(), &Dialect { renames, ..Dialect::default() }, None)
    }

    #[test]
    fn a_column_has_a_name_that_keys_can_use() {
        for (columns, fields) in [
            (&["a", "b-c", "_d", "价格"][..], &["a", "b-c", "_d", "价格"][..]),
            (&[" x-1", "x-2 "], &["x-1", "x-2"]),
            (
                &["Airport Name", " b ", "% of total", "2013 sales"],
                &["Airport_Name", "b", "of_total", "_2013_sales"],
            ),
            (&["a", "a", "a"], &["a", "a_2", "a_3"]),
            (&["", "x", ""], &["column_1", "x", "column_3"]),
            (&["a b", "a_b", "a b"], &["a_b_2", "a_b", "a_b_3"]),
            (&["a", "a_2", "a"], &["a", "a_2", "a_3"]),
            (&["--", "a-", "(x)"], &["column_1", "a", "x"]),
        ] {
            assert_eq!(names(columns, &[]), fields, "{columns:?}");
        }
        assert_eq!(names(&["a b", "c"], &[("a b", "c"), ("c", "d")]), ["c", "d"]);
        assert_eq!(names(&["id", "key"], &[("key", "id")]), ["id", "id_2"]);
    }
}
