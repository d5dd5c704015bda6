//! Names of Go.

use crate::names;

/// Words of names that Go writes in capitals.
const INITIALS: [&str; 17] = [
    "api", "cpu", "db", "html", "http", "https", "id", "ip", "json", "sql", "ttl", "uid", "uri", "url",
    "utc", "uuid", "xml",
];

/// Words that a package cannot be named.
const KEYWORDS: [&str; 25] = [
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];

/// The name of a field or a part of a function's name, which other packages see: `UserID`.
pub(super) fn exported(name: &str) -> String {
    let capital = |word: &String| {
        if INITIALS.contains(&word.as_str()) {
            return word.to_ascii_uppercase();
        }
        let mut characters = word.chars();
        characters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
    };
    names::words(name).iter().map(capital).collect()
}

/// The name of a table's package: `orders`.
pub(super) fn package(table: &str) -> String {
    let name = names::words(names::without_namespace(table)).concat();
    // `main` is a program, and files whose names end so are left out of the package.
    if KEYWORDS.contains(&name.as_str())
        || matches!(name.as_str(), "main" | "internal" | "vendor" | "conform")
    {
        return name + "table";
    }
    name
}

/// The names of the fields of `Record`, which has methods with names of their own.
pub(super) fn fields<'n>(names_of_fields: impl Iterator<Item = &'n str>, taken: &[String]) -> Vec<String> {
    names::unique(names_of_fields.map(exported), |name| taken.iter().any(|taken| taken == name))
}
