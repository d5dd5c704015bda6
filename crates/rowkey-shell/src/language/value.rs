//! The values of the language, written as Ruby does.

use std::fmt::Write;

use rowkey_store::TableName;

/// Keys, which are texts or constants, with their values in the order given.
pub type Hash = Vec<(String, Value)>;

/// A value of the language.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text, which may hold any bytes.
    Text(Vec<u8>),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name.
    Hash(Hash),
    /// A table, as `create` and `get_table` give it.
    Table(TableName),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }
}

impl Value {
    /// The bytes that stand for it where a text is needed: Ruby's `to_s`.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Nil => Vec::new(),
            Self::Text(bytes) => bytes.clone(),
            Self::Table(name) => format!("Hbase::Table - {name}").into_bytes(),
            other => other.inspect().into_bytes(),
        }
    }

    /// As [`Value::bytes`], for people.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Ruby's `inspect`.
    pub fn inspect(&self) -> String {
        match self {
            Self::Nil => "nil".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e16 => format!("{value:.1}"),
            Self::Float(value) => value.to_string(),
            Self::Text(bytes) => quoted(bytes),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::inspect).collect::<Vec<_>>().join(", "))
            }
            Self::Hash(pairs) => {
                let pair = |(key, value): &(String, Self)| {
                    format!("{}=>{}", quoted(key.as_bytes()), value.inspect())
                };
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Table(name) => format!("Hbase::Table - {name}"),
        }
    }

    /// Ruby's name for its class.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Nil => "NilClass",
            Self::Bool(true) => "TrueClass",
            Self::Bool(false) => "FalseClass",
            Self::Int(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Text(_) => "String",
            Self::List(_) => "Array",
            Self::Hash(_) => "Hash",
            Self::Table(_) => "Hbase::Table",
        }
    }

    /// Values without their lists and without nils: Ruby's `flatten` and `compact`.
    pub fn flat(values: &[Self]) -> Vec<Self> {
        let mut all = Vec::new();
        for value in values {
            match value {
                Self::List(inner) => all.extend(Self::flat(inner)),
                Self::Nil => {}
                other => all.push(other.clone()),
            }
        }
        all
    }

    /// How deep lists and hashes stand in each other; 0 for anything else.
    pub fn depth(&self) -> usize {
        match self {
            Self::List(values) => 1 + values.iter().map(Self::depth).max().unwrap_or(0),
            Self::Hash(pairs) => 1 + pairs.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Whether a condition on it holds: everything but nothing and false.
    pub fn is_true(&self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }
}

/// A text in double quotes, with Ruby's escapes.
fn quoted(bytes: &[u8]) -> String {
    let mut shown = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => shown.push_str("\\\""),
                '\\' => shown.push_str("\\\\"),
                '\n' => shown.push_str("\\n"),
                '\t' => shown.push_str("\\t"),
                '\r' => shown.push_str("\\r"),
                '\u{1b}' => shown.push_str("\\e"),
                c if c.is_control() => {
                    let _ = write!(shown, "\\x{:02X}", u32::from(c));
                }
                c => shown.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02X}");
        }
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_ruby_writes_them() {
        let hash = Value::Hash(vec![
            ("COLUMN".to_owned(), Value::List(vec![Value::from("f:a"), Value::Int(-3)])),
            ("x".to_owned(), Value::Nil),
        ]);
        assert_eq!(hash.inspect(), r#"{"COLUMN"=>["f:a", -3], "x"=>nil}"#);
        assert_eq!(Value::Text(b"a\"\x00\xff\n".to_vec()).inspect(), r#""a\"\x00\xFF\n""#);
        assert_eq!(
            (Value::Float(1.0).inspect(), Value::Float(0.25).inspect()),
            ("1.0".into(), "0.25".into())
        );
        assert_eq!((Value::Int(7).bytes(), Value::Nil.bytes()), (b"7".to_vec(), Vec::new()));
    }
}
