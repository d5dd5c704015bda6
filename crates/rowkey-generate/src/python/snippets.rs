//! The runtime that modules carry: texts in `runtime/`, cut into definitions, of which a module gets what it needs.

use std::collections::BTreeSet;

/// In the order in which they stand in a module.
const TEXTS: [&str; 9] = [
    include_str!("runtime/errors.py"),
    include_str!("runtime/rows.py"),
    include_str!("runtime/encode.py"),
    include_str!("runtime/decode.py"),
    include_str!("runtime/ordered.py"),
    include_str!("runtime/text.py"),
    include_str!("runtime/hashes.py"),
    include_str!("runtime/queries.py"),
    include_str!("runtime/merge.py"),
];

/// Modules of Python's library, in the order of their imports.
const MODULES: [&str; 14] = [
    "datetime",
    "decimal",
    "hashlib",
    "heapq",
    "ipaddress",
    "json",
    "math",
    "operator",
    "re",
    "secrets",
    "struct",
    "sys",
    "uuid",
    "zlib",
];

/// Names of `typing`, in the order of their import.
const TYPING: [&str; 15] = [
    "Any",
    "BinaryIO",
    "Callable",
    "Dict",
    "Iterable",
    "Iterator",
    "List",
    "Mapping",
    "NamedTuple",
    "Optional",
    "Sequence",
    "Set",
    "Tuple",
    "TypeVar",
    "Union",
];

/// The definitions that a text needs, and those that they need.
pub(super) fn needed_by(text: &str) -> Vec<&'static str> {
    let cut = |text: &'static str| text.trim_end().split("\n\n\n").map(|text| text.trim_matches('\n'));
    let definitions: Vec<&'static str> = TEXTS.into_iter().flat_map(cut).collect();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut open = vec![words(text)];
    while let Some(wanted) = open.pop() {
        for (index, definition) in definitions.iter().enumerate() {
            if !taken.contains(&index) && names(definition).iter().any(|name| wanted.contains(name)) {
                taken.insert(index);
                open.push(words(definition));
            }
        }
    }
    taken.into_iter().filter_map(|index| definitions.get(index).copied()).collect()
}

/// The imports of a module of this text.
pub(super) fn imports(text: &str) -> String {
    let found = words(text);
    let mut imports: String = MODULES
        .iter()
        .filter(|module| text.contains(&format!("{module}.")) && found.contains(**module))
        .map(|module| format!("import {module}\n"))
        .collect();
    if found.contains("dataclass") {
        imports.push_str("from dataclasses import dataclass\n");
    }
    let typing: Vec<&str> = TYPING.into_iter().filter(|name| found.contains(*name)).collect();
    if !typing.is_empty() {
        let all = super::layout::Py::Brackets {
            open: "(".to_owned(),
            inner: typing.iter().map(|name| super::layout::atom(*name)).collect(),
            close: ')',
        };
        let line = format!("from typing import {}", typing.join(", "));
        if line.len() <= 88 {
            imports.push_str(&line);
            imports.push('\n');
        } else {
            super::layout::statement(&mut imports, 0, "from typing import ", &all, "");
        }
    }
    imports
}

/// The names that a definition makes.
fn names(definition: &str) -> Vec<&str> {
    definition
        .lines()
        .filter_map(|line| {
            let line = line.strip_prefix("def ").or_else(|| line.strip_prefix("class ")).unwrap_or(line);
            let end = line.find(|character: char| !character.is_ascii_alphanumeric() && character != '_')?;
            let (name, rest) = line.split_at(end);
            let is_definition = rest.starts_with(['(', ':']) || rest.starts_with(" =");
            (is_definition && !name.is_empty()).then_some(name)
        })
        .collect()
}

/// All words of a text that may be names.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
        .collect()
}
