//! The members of a JSON object, with numbers as they are written.
//!
//! A JSON parser makes a number of 64 bits of `-1.4718583457250971e-07` or `1234567890123.456789`, and digits are lost. Here a number
//! stays its text until the field's type is known, and then [`rowkey_core::value::read`] reads it, as a cell of CSV.

use rowkey_core::remedy::Remedy;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonValue<'j> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is written.
    Number(&'j str),
    /// A string, without its escapes.
    Text(Cow<'j, str>),
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'j> JsonValue<'j> {
    /// The value that a text is, of which the parser has seen that it is one; its first character says which.
    pub(super) fn of(raw: &'j RawValue) -> serde_json::Result<Self> {
        let text = raw.get();
        Ok(match text.as_bytes() {
            [b'"', ..] => match text.get(1..text.len() - 1) {
                Some(plain) if !plain.contains('\\') => Self::Text(Cow::Borrowed(plain)),
                _ => Self::Text(serde_json::from_str::<String>(text)?.into()),
            },
            [b'n', ..] => Self::Null,
            [b't', ..] => Self::Bool(true),
            [b'f', ..] => Self::Bool(false),
            [b'[', ..] => Self::Array,
            [b'{', ..] => Self::Object,
            _ => Self::Number(text),
        })
    }
}

/// The members of an object, in their order; a name may come twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObject<'j>(pub Vec<(String, JsonValue<'j>)>);

impl<'j> JsonObject<'j> {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is no object; the words say what is wrong and where.
    pub fn read(line: &'j [u8]) -> Result<Self, String> {
        let line = std::str::from_utf8(line).map_err(|error| format!("not a JSON object: {error}"))?;
        let mut members = Vec::new();
        let read = each_member(line, |name, value| {
            members.push((name.into_owned(), JsonValue::of(value).map_err(|error| error.to_string())?));
            Ok(())
        });
        read.map(|()| Self(members)).map_err(|error| {
            // One of several lines, or all in one array.
            let layout = error.is_eof() || line.trim_ascii_start().starts_with('[');
            let cure = match layout {
                true => format!("; is it an array, or over several lines? Then say {} json", Remedy::Format),
                false => String::new(),
            };
            format!("not a JSON object: {error}{cure}")
        })
    }

    /// The first name that comes twice.
    pub(super) fn twice(&self) -> Option<&str> {
        let mut names = HashSet::with_capacity(self.0.len());
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| !names.insert(*name))
    }
}

/// Hands the members of an object to `take`, in their order, up to the first that it refuses. What a value is, is left to [`JsonValue::of`]:
/// many are not wanted.
pub(super) fn each_member<'j>(
    object: &'j str,
    take: impl FnMut(Cow<'j, str>, &'j RawValue) -> Result<(), String>,
) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_str(object);
    parser.deserialize_map(Members(take))?;
    parser.end()
}

struct Members<T>(T);

impl<'de, T: FnMut(Cow<'de, str>, &'de RawValue) -> Result<(), String>> Visitor<'de> for Members<T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        while let Some((Name(name), value)) = object.next_entry()? {
            (self.0)(name, value).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// The name of a member, copied only where it has escapes.
#[derive(Deserialize)]
struct Name<'j>(#[serde(borrow)] Cow<'j, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_asked_for_is_not_read() {
        let half = r#"{"a": "\ud83d", "b": 1}"#;
        assert!(each_member(half, |_, _| Ok(())).is_ok());
        let error = JsonObject::read(half.as_bytes()).unwrap_err();
        assert!(error.contains("surrogate") || error.contains("hex escape"), "{error}");
        let refused = each_member(half, |name, _| if name == "b" { Err("no b".to_owned()) } else { Ok(()) });
        assert!(refused.unwrap_err().to_string().starts_with("no b"));
    }

    #[test]
    fn numbers_keep_their_text_and_strings_lose_their_escapes() {
        let line = r#"{"n": -1.4718583457250971e-07 ,"s":"a\u00e9\n\\","t":"é","l":[1,{}],"o":{"a":2},"b":true,"z":null}"#;
        let JsonObject(members) = JsonObject::read(line.as_bytes()).unwrap();
        let values: Vec<JsonValue<'_>> = members.into_iter().map(|(_, value)| value).collect();
        let expected = [
            JsonValue::Number("-1.4718583457250971e-07"),
            JsonValue::Text("aé\n\\".into()),
            JsonValue::Text("é".into()),
            JsonValue::Array,
            JsonValue::Object,
            JsonValue::Bool(true),
            JsonValue::Null,
        ];
        assert_eq!(values, expected);
        for bad in [
            "",
            "[1]",
            "7",
            r#"{"a":01}"#,
            r#"{"a":1"#,
            r#"{"a":1} x"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":"\ud800"}"#,
            r#"{"a":.5}"#,
        ] {
            assert!(JsonObject::read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(JsonObject::read(b"{\"a\":\"\xFF\"}").is_err());
    }

    #[test]
    fn a_name_that_comes_twice_is_told() {
        let twice = |line: &str| JsonObject::read(line.as_bytes()).unwrap().twice().map(str::to_owned);
        assert_eq!(twice(r#"{"a":1,"b":2,"\u0061":3}"#), Some("a".to_owned()));
        assert_eq!(twice(r#"{"a":1,"b":2}"#), None);
    }
}
