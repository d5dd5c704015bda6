//! Whether keys and values are shown, or only their lengths (`--redact`).
//!
//! Row keys hold phone numbers and names. A plan, a region table or a profile that is sent to others shall show its
//! shape: names of fields and lengths, no values. One place decides what that looks like.
//!
//! Errors name values too. Their text is made when it is printed, so that is where it is decided: every key in the text of an
//! error is [escaped](crate::escape::escape) and every other value is [`said`], and both print as lengths within
//! [`Disclosure::for_messages`]. The value stays in the error as data; a program that reads it decides for itself.
//!
//! **Law** (below): redacted text depends on the kind of a value and its length alone.

use crate::escape::escape;
use crate::key::{KeySchema, KeyStart};
use crate::range::KeyRange;
use crate::value::Value;
use std::cell::Cell;
use std::fmt;
use std::ops::Bound;

/// How much is shown of keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disclosure {
    /// All of them.
    #[default]
    Whole,
    /// Names of fields and lengths.
    Lengths,
}

impl Disclosure {
    /// Whether values are hidden.
    pub fn hides(self) -> bool {
        self == Self::Lengths
    }

    /// A key or other bytes, as HBase prints them.
    pub fn bytes(self, bytes: &[u8]) -> String {
        match self {
            Self::Whole => escape(bytes).to_string(),
            Self::Lengths => length(bytes.len(), "byte"),
        }
    }

    /// A value; null is shown, since it is none.
    pub fn value(self, value: &Value<'_>) -> String {
        match (self, value) {
            (Self::Whole, _) | (_, Value::Null) => value.to_string(),
            (_, Value::Text(text)) => length(text.chars().count(), "character"),
            (_, Value::Bytes(bytes)) => length(bytes.len(), "byte"),
            (_, Value::Int(_) | Value::Float(_) | Value::Float32(_) | Value::Numeric(_)) => {
                "‹number›".to_owned()
            }
            (_, Value::Time(_)) => "‹time›".to_owned(),
            (_, Value::Bool(_)) => "‹bool›".to_owned(),
            (_, Value::Octets(octets)) => format!("‹{}›", octets.ty().name()),
        }
    }

    /// The fields at the beginning of a key, as [`KeyStart`] prints them.
    pub fn start(self, key: &KeySchema, bytes: &[u8]) -> String {
        let start = key.decode_start(bytes);
        if self == Self::Whole {
            return start.to_string();
        }
        let KeyStart { parts, rest, bound } = start;
        let mut shown: Vec<String> =
            parts.iter().map(|(name, value)| format!("{name}={}", self.value(value))).collect();
        match bound {
            Some(bound) => shown.push(format!("{} from {}", bound.field, self.value(&bound.value))),
            None if rest.is_empty() || shown.is_empty() => {}
            None => shown.push(self.bytes(rest)),
        }
        shown.join(" ")
    }

    /// A range of keys.
    pub fn range(self, range: &KeyRange) -> String {
        let bound = |bound: &Bound<Vec<u8>>| match bound {
            Bound::Unbounded => String::new(),
            Bound::Included(bytes) | Bound::Excluded(bytes) => self.bytes(bytes),
        };
        match self {
            Self::Whole => range.to_string(),
            Self::Lengths => format!("{} to {}", bound(&range.start), bound(&range.end)).trim().to_owned(),
        }
    }
}

thread_local! {
    /// How much messages of this thread show. Only [`Disclosure::for_messages`] changes it, for as long as it runs.
    static IN_MESSAGES: Cell<Disclosure> = const { Cell::new(Disclosure::Whole) };
}

/// How much a message may show that is printed now.
pub(crate) fn in_messages() -> Disclosure {
    IN_MESSAGES.get()
}

impl Disclosure {
    /// Runs `print` while texts of errors show this much of keys and values.
    pub fn for_messages<R>(self, print: impl FnOnce() -> R) -> R {
        let before = IN_MESSAGES.replace(self);
        let printed = print();
        IN_MESSAGES.set(before);
        printed
    }
}

/// A value in the text of an error.
pub fn said<T: fmt::Display>(value: T) -> Said<T> {
    Said(value)
}

/// A value that is hidden where [`Disclosure::for_messages`] hides; made by [`said`].
#[derive(Debug, Clone, Copy)]
pub struct Said<T>(T);

impl<T: fmt::Display> fmt::Display for Said<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if in_messages().hides() {
            f.write_str(&length(self.0.to_string().chars().count(), "character"))
        } else {
            self.0.fmt(f)
        }
    }
}

/// `‹11 characters›`
fn length(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("‹{count} {noun}{plural}›")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_tells_kind_and_length_alone() {
        let hidden = |value: Value<'_>| Disclosure::Lengths.value(&value);
        assert_eq!(hidden(Value::Text("Łódź".into())), "‹4 characters›");
        assert_eq!(hidden(Value::Text("Oslo".into())), hidden(Value::Text("Bonn".into())));
        assert_eq!(hidden(Value::Int(7)), hidden(Value::Int(-123_456)));
        assert_eq!(hidden(Value::Time(0)), "‹time›");
        assert_eq!(hidden(Value::Null), "");
        assert_eq!(Disclosure::Lengths.bytes(b"x"), "‹1 byte›");
        assert_eq!(Disclosure::Whole.value(&Value::Int(7)), "7");
    }

    #[test]
    fn messages_hide_values_only_while_they_are_told_to() {
        let error = crate::value::read("Oslo", crate::types::Type::from_text("u64").unwrap()).unwrap_err();
        let shown = error.to_string();
        assert!(shown.contains("`Oslo`"), "{shown}");
        let hidden = Disclosure::Lengths.for_messages(|| error.to_string());
        assert_eq!(hidden, shown.replace("Oslo", "‹4 characters›"));
        assert_eq!(Disclosure::Lengths.for_messages(|| escape(b"Oslo").to_string()), "‹4 bytes›");
        assert_eq!(error.to_string(), shown);
    }

    #[test]
    fn the_beginning_of_a_key_keeps_its_names() {
        let key = KeySchema::parse("[salt(16, user)][user: u64][ts: timestamp]").unwrap();
        let mut bytes = Vec::new();
        key.encode(&[Value::Int(4711), Value::Time(1_735_689_600_000)], &mut bytes).unwrap();
        let start = |cut: usize| Disclosure::Lengths.start(&key, &bytes[..cut]);
        assert_eq!(start(bytes.len()), "salt(16, user)=‹1 character› user=‹number› ts=‹time›");
        assert_eq!(start(12), "salt(16, user)=‹1 character› user=‹number› ts from ‹time›");
        assert!(!start(12).contains("4711") && !start(bytes.len()).contains("2025"));
        let range = KeyRange::prefix(&bytes[..9]);
        assert_eq!(Disclosure::Lengths.range(&range), "‹9 bytes› to ‹9 bytes›");
    }
}
