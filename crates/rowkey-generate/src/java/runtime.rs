//! The parts of the runtime that a program uses, and what these use.
//!
//! The files of `runtime/` are members of a Java class, each behind a line `// ---- NAME`. A member is taken if its
//! name stands in
//! the code that is printed, or in a member that is taken; so are imports.

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
    let mut unread = vec![code];
    while let Some(text) = unread.pop() {
        let words = words(text);
        for (slot, (name, member)) in taken.iter_mut().zip(&all) {
            if !*slot && words.contains(*name) {
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

/// The names in some code; not those in texts and comments.
fn words(code: &str) -> BTreeSet<&str> {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("//") || line.starts_with("/**") || line.starts_with("* ") || line == "*"
    };
    let mut words = BTreeSet::new();
    for line in code.lines().filter(|line| !is_comment(line)) {
        // Escaped quotes leave a text too early, which only takes more.
        for plain in line.split('"').step_by(2) {
            words.extend(
                plain.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_')),
            );
        }
    }
    words
}
