//! The parts of the runtime that a program uses, and what these use.
//!
//! The files of `runtime/` are members of a Java class, each behind a line `// ---- NAME`. A member is taken if the
//! code that is printed, or a member that is taken, calls its method or names its class or constant; so are imports.

use std::collections::BTreeSet;

use super::names::IMPORTED;

const FILES: [&str; 8] = [
    include_str!("runtime/bytes.java"),
    include_str!("runtime/numbers.java"),
    include_str!("runtime/hash.java"),
    include_str!("runtime/ordered.java"),
    include_str!("runtime/read.java"),
    include_str!("runtime/rows.java"),
    include_str!("runtime/queries.java"),
    include_str!("runtime/merge.java"),
];

/// The line that begins a member.
const MARK: &str = "  // ---- ";

/// The members that some code needs, in the order of the files. `extra` has members that are made at print time.
pub(super) fn members(code: &str, extra: &[(&'static str, String)]) -> String {
    let all: Vec<(&str, &str)> = FILES
        .iter()
        .flat_map(|file| file.split(MARK).skip(1))
        .filter_map(|member| member.split_once('\n'))
        .chain(extra.iter().map(|(name, text)| (*name, text.as_str())))
        .collect();
    let mut taken = vec![false; all.len()];
    // A method is wanted where it is called, a class or constant where it is named.
    let is_method = |name: &str| name.starts_with(|first: char| first.is_ascii_lowercase());
    let mut unread = vec![code];
    while let Some(text) = unread.pop() {
        let (words, calls) = (words(text), calls(text));
        for (slot, (name, member)) in taken.iter_mut().zip(&all) {
            let is_wanted = if is_method(name) { calls.contains(*name) } else { words.contains(*name) };
            if !*slot && is_wanted {
                *slot = true;
                unread.push(member);
            }
        }
    }
    let members =
        all.iter().zip(&taken).filter(|(_, taken)| **taken).map(|((_, member), _)| member.trim_end());
    members.collect::<Vec<_>>().join("\n\n")
}

/// The imports of some code.
pub(super) fn imports(code: &str, more: &[(&str, &str)]) -> String {
    let words = words(code);
    let mut lines: Vec<String> = IMPORTED
        .iter()
        .chain(more)
        .filter(|(class, _)| words.contains(*class))
        .map(|(class, package)| format!("import {package}.{class};\n"))
        .collect();
    lines.sort();
    lines.concat()
}

/// The lines of some code that are no comments.
fn statements(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter(|line| {
        let line = line.trim_start();
        !(line.starts_with("//") || line.starts_with("/**") || line.starts_with("* ") || line == "*")
    })
}

/// The names in some code; not those in texts and comments.
fn words(code: &str) -> BTreeSet<&str> {
    // Escaped quotes leave a text too early, which only takes more.
    let plain = statements(code).flat_map(|line| line.split('"').step_by(2));
    plain.flat_map(|text| text.split(|character: char| !is_of_name(character))).collect()
}

/// The methods of its own class that some code calls, and those that it declares.
fn calls(code: &str) -> BTreeSet<&str> {
    let plain = statements(code).flat_map(|line| line.split('"').step_by(2));
    let before_parentheses =
        plain.flat_map(|text| text.match_indices('(').filter_map(|(at, _)| text.get(..at)));
    let names = before_parentheses.filter_map(|before| {
        let rest = before.trim_end_matches(is_of_name);
        before.get(rest.len()..).filter(|_| !rest.ends_with('.'))
    });
    names.collect()
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
