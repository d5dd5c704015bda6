//! Python text as the formatter black leaves it: literals, and calls that are broken where a line is full.

/// The longest line.
const WIDTH: usize = 88;

/// An expression, whose brackets are a call's if a name stands before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Py {
    /// Text that is never broken.
    Atom(String),
    /// Two operands and the operator between them.
    Binary(Box<Py>, &'static str, Box<Py>),
    /// What stands before brackets with the opening one, between them, and the closing one: `f(a, b)`, `lambda: f(a)`.
    Brackets { open: String, inner: Vec<Py>, close: char },
}

/// A text that is never broken.
pub(super) fn atom(text: impl Into<String>) -> Py {
    Py::Atom(text.into())
}

/// A call.
pub(super) fn call(function: &str, arguments: impl IntoIterator<Item = Py>) -> Py {
    Py::Brackets { open: format!("{function}("), inner: arguments.into_iter().collect(), close: ')' }
}

/// Two operands and the operator between them, in parentheses where they have operators themselves.
pub(super) fn binary(left: Py, operator: &'static str, right: Py) -> Py {
    let operand = |py: Py| match py {
        Py::Binary(..) => Py::Brackets { open: "(".to_owned(), inner: vec![py], close: ')' },
        Py::Atom(text) if text.starts_with('-') => Py::Atom(format!("({text})")),
        py => py,
    };
    Py::Binary(Box::new(operand(left)), operator, Box::new(operand(right)))
}

/// A text in quotes.
pub(super) fn text(text: &str) -> Py {
    Py::Atom(quoted(text))
}

/// Bytes in quotes.
pub(super) fn bytes(bytes: &[u8]) -> Py {
    Py::Atom(quoted_bytes(bytes))
}

/// A number.
pub(super) fn number(number: impl std::fmt::Display) -> Py {
    Py::Atom(number.to_string())
}

impl Py {
    /// In one line.
    pub(super) fn flat(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::Binary(left, operator, right) => format!("{} {operator} {}", left.flat(), right.flat()),
            Self::Brackets { open, inner, close } => format!("{open}{}{close}", joined(inner)),
        }
    }

    /// With `lambda: ` in front.
    pub(super) fn lambda(self) -> Self {
        match self {
            Self::Atom(text) => Self::Atom(format!("lambda: {text}")),
            Self::Binary(left, operator, right) => Self::Binary(Box::new(left.lambda()), operator, right),
            Self::Brackets { open, inner, close } => {
                Self::Brackets { open: format!("lambda: {open}"), inner, close }
            }
        }
    }
}

fn joined(inner: &[Py]) -> String {
    inner.iter().map(Py::flat).collect::<Vec<_>>().join(", ")
}

/// Adds a statement: text before an expression, the expression, and what follows it, `indent` blanks from the left.
pub(super) fn statement(out: &mut String, indent: usize, before: &str, py: &Py, after: &str) {
    let mut line = |indent: usize, text: &str| {
        out.push_str(&" ".repeat(indent));
        out.push_str(text);
        out.push('\n');
    };
    let flat = format!("{before}{}{after}", py.flat());
    match py {
        Py::Brackets { open, inner, close } if indent + flat.chars().count() > WIDTH && !inner.is_empty() => {
            line(indent, &format!("{before}{open}"));
            let all = joined(inner);
            // Tuples, lists and sets have a line for each of several; so have imports.
            let is_call = open.ends_with('(') && open.len() > 1 && !open.ends_with("=(");
            match inner.as_slice() {
                [one] if *close != '}' => statement(out, indent + 4, "", one, ""),
                _ if is_call && indent + 4 + all.chars().count() <= WIDTH => line(indent + 4, &all),
                several => several.iter().for_each(|one| statement(out, indent + 4, "", one, ",")),
            }
            out.push_str(&" ".repeat(indent));
            out.push(*close);
            out.push_str(after);
            out.push('\n');
        }
        Py::Binary(left, operator, right) if indent + flat.chars().count() > WIDTH => {
            statement(out, indent, before, left, "");
            statement(out, indent, &format!("{operator} "), right, after);
        }
        _ => line(indent, &flat),
    }
}

/// Python's literal of a text: double quotes, unless it has such and no single ones.
pub(super) fn quoted(text: &str) -> String {
    let quote = if text.contains('"') && !text.contains('\'') { '\'' } else { '"' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            character if character == quote => out.extend(['\\', quote]),
            ' '..='~' => out.push(character),
            character => match u32::from(character) {
                point @ ..=0xFF => out.push_str(&format!("\\x{point:02x}")),
                point @ ..=0xFFFF => out.push_str(&format!("\\u{point:04x}")),
                point => out.push_str(&format!("\\U{point:08x}")),
            },
        }
    }
    out.push(quote);
    out
}

/// Python's literal of bytes.
pub(super) fn quoted_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'"') && !bytes.contains(&b'\'') { '\'' } else { '"' };
    let mut out = format!("b{quote}");
    for &byte in bytes {
        match char::from(byte) {
            '\\' => out.push_str("\\\\"),
            character if character == quote => out.extend(['\\', quote]),
            character @ ' '..='~' => out.push(character),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(py: &Py) -> String {
        let mut out = String::new();
        statement(&mut out, 4, "key += ", py, "");
        out
    }

    #[test]
    fn calls_are_broken_as_black_breaks_them() {
        let long = |length: usize| atom("x".repeat(length));
        assert_eq!(laid(&call("f", [long(10), long(10)])), "    key += f(xxxxxxxxxx, xxxxxxxxxx)\n");
        let [a, b] = ["x".repeat(40), "x".repeat(36)];
        assert_eq!(
            laid(&call("f", [long(40), long(36)])),
            format!("    key += f(\n        {a}, {b}\n    )\n")
        );
        let b = "x".repeat(50);
        assert_eq!(
            laid(&call("f", [long(40), long(50)])),
            format!("    key += f(\n        {a},\n        {b},\n    )\n")
        );
        assert_eq!(
            laid(&call("f", [call("g", [long(40), long(50)])])),
            format!("    key += f(\n        g(\n            {a},\n            {b},\n        )\n    )\n")
        );
    }

    #[test]
    fn literals_are_pythons() {
        assert_eq!(quoted("a'b"), "\"a'b\"");
        assert_eq!(quoted("a\"b"), "'a\"b'");
        assert_eq!(quoted("a\"'\\\n\u{0}é字😀"), "\"a\\\"'\\\\\\n\\x00\\xe9\\u5b57\\U0001f600\"");
        assert_eq!(quoted_bytes(b"a\"\0\xff"), "b'a\"\\x00\\xff'");
    }
}
