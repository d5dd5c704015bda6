//! Guesses from a field's name: a time, a counter, the id of an event or of a thing.
//!
//! Names prove nothing: whatever is decided here is marked as a guess.

use crate::types::{Kind, Type};

const TIMES: [&str; 12] = [
    "ts",
    "time",
    "timestamp",
    "date",
    "datetime",
    "day",
    "hour",
    "millis",
    "epoch",
    "when",
    "at",
    "created",
];
const COUNTERS: [&str; 9] =
    ["seq", "sequence", "number", "no", "num", "counter", "offset", "serial", "autoincrement"];
const EVENTS: [&str; 13] = [
    "order",
    "message",
    "msg",
    "event",
    "transaction",
    "tx",
    "trade",
    "payment",
    "invoice",
    "request",
    "log",
    "record",
    "row",
];

/// What a name is likely to stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likely {
    /// A moment: `ts`, `created_at`.
    Time,
    /// A number that is counted up.
    Counter,
    /// The number of something that happens, such as an order.
    Event,
    /// The number of something that exists, such as a user.
    Thing,
}

/// What a name suggests, if anything.
pub(super) fn likely(name: &str) -> Option<Likely> {
    let words = words(name);
    let last = words.last()?.as_str();
    let before = words.iter().rev().nth(1).map(String::as_str);
    if TIMES.contains(&last) {
        return Some(Likely::Time);
    }
    if COUNTERS.contains(&last) {
        return Some(Likely::Counter);
    }
    match (before, last) {
        (Some(before), "id") if EVENTS.contains(&before) => Some(Likely::Event),
        (_, "id") => Some(Likely::Thing),
        _ => None,
    }
}

/// Whether a field of this type can be a time that only its name tells.
pub(super) fn may_be_time(ty: Type) -> bool {
    matches!(ty.kind(), Kind::Integer | Kind::Text | Kind::Numeric)
}

/// `eventTime` and `event_time` are two words each.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if character == '_' || character == '-' {
            words.push(String::new());
        } else {
            if character.is_uppercase() && was_lower {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(character.to_lowercase());
            }
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suggest_what_they_end_with() {
        for (name, expected) in [
            ("ts", Some(Likely::Time)),
            ("event_timestamp", Some(Likely::Time)),
            ("eventTime", Some(Likely::Time)),
            ("created-at", Some(Likely::Time)),
            ("order_number", Some(Likely::Counter)),
            ("SEQ", Some(Likely::Counter)),
            ("message_id", Some(Likely::Event)),
            ("userId", Some(Likely::Thing)),
            ("id", Some(Likely::Thing)),
            ("f1", None),
            ("host", None),
            ("paid", None),
            ("_", None),
        ] {
            assert_eq!(likely(name), expected, "{name}");
        }
    }
}
