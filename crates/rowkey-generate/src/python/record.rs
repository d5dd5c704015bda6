//! Names, types and values of a record in Python.

use rowkey_core::lowered::CodecField;
use rowkey_core::types::{Kind, OctetsType};
use rowkey_core::{FieldId, Value};

use super::layout::{self, Py, atom, call, quoted, quoted_bytes};
use crate::{Design, names};

/// Words that no field can have for a name: Python's own, and those that a record's types are written with.
const TAKEN: [&str; 50] = [
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "int",
    "float",
    "str",
    "bytes",
    "bool",
    "decimal",
    "uuid",
    "ipaddress",
    "Optional",
    "self",
    "match",
    "case",
    "type",
    "dataclass",
    "Record",
];

/// Words that a variable of a field cannot be called: those of the functions that it stands in.
fn is_local(name: &str) -> bool {
    const WORDS: [&str; 19] = [
        "key", "at", "end", "flipped", "found", "record", "start", "value", "cells", "digits", "is_null",
        "draw", "cell", "_", "entries", "expected", "len", "struct", "tuple",
    ];
    // `found1`, `value2`: what a part has, and what comes back a second time.
    let number = name.strip_prefix("found").or_else(|| name.strip_prefix("value"));
    let is_numbered = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    WORDS.contains(&name) || is_numbered
}

/// Fields under their names in Python.
#[derive(Debug, Clone)]
pub(super) struct Names {
    attributes: Vec<String>,
    locals: Vec<String>,
}

impl Names {
    pub(super) fn of(design: &Design) -> Self {
        let snake = design.fields().iter().map(|field| names::snake(&field.name));
        let attributes = names::unique(snake, |name| TAKEN.contains(&name));
        let locals =
            names::unique(attributes.iter().cloned(), |name| is_local(name) || TAKEN.contains(&name));
        Self { attributes, locals }
    }

    /// The attribute of a record.
    pub(super) fn attribute(&self, id: FieldId) -> &str {
        self.attributes.get(id.0).map_or("", String::as_str)
    }

    /// A variable of a function that reads keys.
    pub(super) fn local(&self, id: FieldId) -> &str {
        self.locals.get(id.0).map_or("", String::as_str)
    }

    /// `record.user_id`
    pub(super) fn of_record(&self, id: FieldId) -> String {
        format!("record.{}", self.attribute(id))
    }
}

/// Whether a variable cannot have a name.
pub(super) fn is_taken(name: &str) -> bool {
    is_local(name) || TAKEN.contains(&name)
}

/// A field, its place known.
pub(super) fn fields(design: &Design) -> impl Iterator<Item = (FieldId, &CodecField)> {
    design.fields().iter().enumerate().map(|(index, field)| (FieldId(index), field))
}

/// Whether every record has a value of the field, one that was decoded from a key too.
pub(super) fn is_required(field: &CodecField) -> bool {
    field.comes_back && !field.nullable
}

/// The type of a field's values.
pub(super) fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer | Kind::Time => "int",
        Kind::Float => "float",
        Kind::Numeric => "decimal.Decimal",
        Kind::Text => "str",
        Kind::Bytes => "bytes",
        Kind::Bool => "bool",
        Kind::Octets(own) => octets(own).1,
    }
}

/// What the functions of the runtime for a type of octets end in, and its class.
pub(super) fn octets(own: OctetsType) -> (&'static str, &'static str) {
    match own {
        OctetsType::Ipv4 => ("ipv4", "ipaddress.IPv4Address"),
        OctetsType::Ipv6 => ("ipv6", "ipaddress.IPv6Address"),
        _ => ("uuid", "uuid.UUID"),
    }
}

/// The class of records.
pub(super) fn class(design: &Design, names: &Names) -> String {
    let mut out = format!(
        "@dataclass\nclass Record:\n    {}\n",
        docstring(&format!("A row of the table {}.", design.table))
    );
    let mut all: Vec<(FieldId, &CodecField)> = fields(design).collect();
    // Those with a default come last: Python wants it so.
    all.sort_by_key(|(_, field)| !is_required(field));
    for (id, field) in all {
        let unit = if field.ty.kind() == Kind::Time { ", in milliseconds since 1970" } else { "" };
        let renamed =
            if names.attribute(id) == field.name { String::new() } else { format!("{}: ", field.name) };
        let (name, ty) = (names.attribute(id), type_name(field.ty.kind()));
        out.push_str(&format!("\n    #: {}\n", one_line(&format!("{renamed}{}{unit}", field.ty))));
        out.push_str(&if is_required(field) {
            format!("    {name}: {ty}\n")
        } else {
            format!("    {name}: Optional[{ty}] = None\n")
        });
    }
    out
}

/// A docstring of one line or several.
pub(super) fn docstring(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    // A quote before the closing ones would be one too many.
    let end = if escaped.ends_with('"') { " " } else { "" };
    format!("\"\"\"{escaped}{end}\"\"\"")
}

/// A docstring of a function: a line, and more behind an empty one.
pub(super) fn long_docstring(first: &str, rest: &[&str]) -> String {
    let rest: String = rest
        .iter()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect();
    docstring(&format!("{first}\n\n{rest}    "))
}

/// A text without line ends, as a comment may hold it.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// A record with these values, null ones left out; `None` if a value cannot be written.
pub(super) fn literal(design: &Design, names: &Names, values: &[Value<'_>]) -> Py {
    let given =
        fields(design).zip(values).filter(|((_, field), value)| is_required(field) || !value.is_null());
    call("Record", given.map(|((id, _), value)| with_name(names.attribute(id), self::value(value))))
}

fn with_name(name: &str, value: Py) -> Py {
    match value {
        Py::Atom(text) => Py::Atom(format!("{name}={text}")),
        Py::Binary(left, operator, right) => Py::Binary(Box::new(with_name(name, *left)), operator, right),
        Py::Brackets { open, inner, close } => Py::Brackets { open: format!("{name}={open}"), inner, close },
    }
}

/// A value as Python writes it.
pub(super) fn value(value: &Value<'_>) -> Py {
    match value {
        Value::Null => atom("None"),
        Value::Int(number) => layout::number(number),
        Value::Time(millis) => layout::number(millis),
        Value::Float(_) | Value::Float32(_) => atom(float(value.float().unwrap_or(f64::NAN))),
        Value::Numeric(number) => call("decimal.Decimal", [layout::text(&number.to_string())]),
        Value::Text(text) => atom(quoted(text)),
        Value::Bytes(bytes) => atom(quoted_bytes(bytes)),
        Value::Bool(true) => atom("True"),
        Value::Bool(false) => atom("False"),
        Value::Octets(octets) => call(self::octets(octets.ty()).1, [layout::text(&octets.to_string())]),
    }
}

fn float(number: f64) -> String {
    if number.is_nan() {
        "math.nan".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "math.inf" } else { "-math.inf" }.to_owned()
    } else {
        format!("{number:?}")
    }
}
