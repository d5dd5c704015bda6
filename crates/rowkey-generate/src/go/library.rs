//! The parts of the runtime that a generated file needs.
//!
//! `runtime/` is Go that compiles by itself. It is cut into declarations, and a generated file gets those whose
//! names it uses, those that they use, and so on; so nobody keeps a list of what needs what.

use std::collections::BTreeSet;

use super::code::{names_of, without_strings};

/// The files of the runtime, in the order in which their declarations are printed.
const FILES: [&str; 11] = [
    include_str!("runtime/errors.go"),
    include_str!("runtime/ranges.go"),
    include_str!("runtime/queries.go"),
    include_str!("runtime/merge.go"),
    include_str!("runtime/columns.go"),
    include_str!("runtime/numbers.go"),
    include_str!("runtime/text.go"),
    include_str!("runtime/hashes.go"),
    include_str!("runtime/octets.go"),
    include_str!("runtime/decimals.go"),
    include_str!("runtime/ordered.go"),
];
const READING: &str = include_str!("runtime/reader.go");

/// The packages of Go's library that are used, by the names they are used under.
const PACKAGES: [(&str, &str); 24] = [
    ("binary", "encoding/binary"),
    ("big", "math/big"),
    ("bits", "math/bits"),
    ("bufio", "bufio"),
    ("bytes", "bytes"),
    ("context", "context"),
    ("crc32", "hash/crc32"),
    ("errors", "errors"),
    ("fmt", "fmt"),
    ("hex", "encoding/hex"),
    ("io", "io"),
    ("json", "encoding/json"),
    ("math", "math"),
    ("md5", "crypto/md5"),
    ("netip", "net/netip"),
    ("reflect", "reflect"),
    ("sha1", "crypto/sha1"),
    ("sha256", "crypto/sha256"),
    ("sort", "sort"),
    ("strconv", "strconv"),
    ("strings", "strings"),
    ("testing", "testing"),
    ("time", "time"),
    ("utf16", "unicode/utf16"),
];
const UTF8: (&str, &str) = ("utf8", "unicode/utf8");

/// A declaration of the runtime, with the comment above it.
struct Declaration {
    /// The names it declares; the type of a method.
    names: Vec<String>,
    kind: Kind,
    text: String,
}

enum Kind {
    Function,
    /// A method of this name.
    Method(String),
    /// A type, constants or a variable.
    Other,
}

/// The declarations that a text needs and does not have, in the order of the runtime. `own` are files of the
/// runtime that are made for this text.
pub(super) fn needed_by(text: &str, own: &[String]) -> String {
    let files: Vec<&str> = FILES.into_iter().chain([READING]).chain(own.iter().map(String::as_str)).collect();
    needed_from(text, &files)
}

/// As [`needed_by`], of these files alone.
pub(super) fn needed_from(text: &str, files: &[&str]) -> String {
    let declarations: Vec<Declaration> = files.iter().flat_map(|file| declarations(file)).collect();
    let mut uses = Uses::default();
    uses.note(text);
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    loop {
        let before = taken.len();
        for (place, declaration) in declarations.iter().enumerate() {
            if declaration.is_used(&uses) && taken.insert(place) {
                uses.note(&declaration.text);
            }
        }
        if taken.len() == before {
            break;
        }
    }
    let texts = taken.iter().filter_map(|place| declarations.get(*place)).map(|found| found.text.trim_end());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The names that a text uses.
#[derive(Default)]
struct Uses {
    /// Before a parenthesis or a bracket, as functions are.
    called: BTreeSet<String>,
    /// Behind a point, as methods are.
    dotted: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Uses {
    fn note(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let code = without_strings(line);
            for name in names_of(&code) {
                let start = name.as_ptr() as usize - code.as_ptr() as usize;
                let is_dotted = code.get(..start).is_some_and(|before| before.ends_with('.'));
                let is_called =
                    code.get(start + name.len()..).is_some_and(|rest| rest.starts_with(['(', '[']));
                let names = if is_dotted {
                    &mut self.dotted
                } else if is_called {
                    &mut self.called
                } else {
                    &mut self.others
                };
                names.insert(name.to_owned());
            }
        }
    }
}

impl Declaration {
    fn is_used(&self, uses: &Uses) -> bool {
        let is_named = |name: &String| uses.called.contains(name) || uses.others.contains(name);
        match &self.kind {
            Kind::Method(method) => {
                self.names.iter().any(is_named) && (uses.dotted.contains(method) || is_called_unseen(method))
            }
            Kind::Function => self.names.iter().any(|name| uses.called.contains(name)),
            Kind::Other => self.names.iter().any(is_named),
        }
    }
}

/// Methods that make a type one of an interface, and so are called without their names.
fn is_called_unseen(method: &str) -> bool {
    matches!(method, "Error" | "String")
}

/// The imports of a file.
pub(super) fn imports(text: &str) -> String {
    let used: BTreeSet<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(packages_of).collect();
    let mut paths: Vec<&str> = PACKAGES
        .iter()
        .chain([&UTF8])
        .filter(|(name, _)| used.contains(name))
        .map(|(_, path)| *path)
        .collect();
    paths.sort_unstable();
    match paths.as_slice() {
        [] => String::new(),
        [path] => format!("import \"{path}\"\n\n"),
        paths => {
            let lines: String = paths.iter().map(|path| format!("\t\"{path}\"\n")).collect();
            format!("import (\n{lines})\n\n")
        }
    }
}

/// The names before a point and a name with a capital: `utf8` of `utf8.Valid`.
fn packages_of(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('.').filter_map(move |(at, _)| {
        let (before, after) = (line.get(..at)?, line.get(at + 1..)?);
        after.starts_with(|next: char| next.is_ascii_uppercase()).then_some(())?;
        let start = before.rfind(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let name = before.get(start.map_or(0, |start| start + 1)..)?;
        // A field of something is no package.
        let is_field = start.is_some_and(|start| before.get(start..=start) == Some("."));
        (!is_field).then_some(name)
    })
}

/// Cuts a file of Go into its declarations.
fn declarations(file: &str) -> Vec<Declaration> {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut is_open = false;
    for line in file.lines().skip_while(|line| !line.starts_with("package ")).skip(1) {
        if text.is_empty() && line.is_empty() {
            continue;
        }
        text.push_str(line);
        text.push('\n');
        let begins = ["func ", "type ", "const ", "var "].iter().any(|word| line.starts_with(word));
        is_open |= begins && (line.ends_with('{') || line.ends_with('(') || line.ends_with('+'));
        let ends = if is_open {
            line == "}" || line == ")" || (!begins && text_is_joined(&text) && !line.ends_with('+'))
        } else {
            begins
        };
        if line.is_empty() && !is_open {
            // A comment that belongs to nothing.
            text.clear();
        } else if ends {
            found.extend(declaration(std::mem::take(&mut text)));
            is_open = false;
        }
    }
    found
}

/// Whether it is a string over several lines.
fn text_is_joined(text: &str) -> bool {
    text.lines().find(|line| !line.starts_with("//")).is_some_and(|first| first.ends_with('+'))
}

fn declaration(text: String) -> Option<Declaration> {
    let head = text.lines().find(|line| !line.starts_with("//"))?;
    let first = |text: &str| names_of(text).next().map(str::to_owned);
    if let Some(method) = head.strip_prefix("func (") {
        let (receiver, rest) = method.split_once(')')?;
        let ty = names_of(receiver).nth(1)?.to_owned();
        return Some(Declaration { names: vec![ty], kind: Kind::Method(first(rest)?), text });
    }
    if head.ends_with('(') {
        // A group of constants: the first name of each line.
        let inner =
            text.lines().filter(|line| line.starts_with('\t') && !line.trim_start().starts_with("//"));
        let names = inner.filter_map(first).collect();
        return Some(Declaration { names, kind: Kind::Other, text });
    }
    let names = head.split_once(' ').and_then(|(_, rest)| first(rest)).into_iter().collect();
    let kind = if head.starts_with("func ") { Kind::Function } else { Kind::Other };
    Some(Declaration { names, kind, text })
}
