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

/// A value of a member that is handed on: many are not wanted.
pub(super) enum Seen<'j> {
    Read(JsonValue<'j>),
    /// Its text, of which the parser has seen that it is a value.
    Text(&'j str),
}

impl<'j> Seen<'j> {
    fn value(self) -> serde_json::Result<JsonValue<'j>> {
        match self {
            Self::Read(value) => Ok(value),
            Self::Text(text) => JsonValue::of(text),
        }
    }
}

impl<'j> JsonValue<'j> {
    /// The value that a text is, of which the parser has seen that it is one; its first character says which.
    pub(super) fn of(text: &'j str) -> serde_json::Result<Self> {
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
            members.push((name.into_owned(), value.value().map_err(|error| error.to_string())?));
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

/// Hands the members of an object to `take`, in their order, up to the first that it refuses.
#[inline]
pub(super) fn each_member<'j>(
    object: &'j str,
    mut take: impl FnMut(Cow<'j, str>, Seen<'j>) -> Result<(), String>,
) -> serde_json::Result<()> {
    let mut handed_on = 0;
    // The usual object first, in one pass; the parser has the words for what is wrong.
    let plain = Plain { text: object, at: 0 }.object(|name, value| {
        handed_on += 1;
        take(Cow::Borrowed(name), Seen::Read(value))
    });
    match plain {
        Some(taken) => taken.map_err(serde_json::Error::custom),
        None => {
            let mut seen = 0;
            parse(object, |name, value| {
                seen += 1;
                if seen > handed_on { take(name, Seen::Text(value)) } else { Ok(()) }
            })
        }
    }
}

/// Any object.
#[inline(never)]
fn parse<'j>(
    object: &'j str,
    mut take: impl FnMut(Cow<'j, str>, &'j str) -> Result<(), String>,
) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_str(object);
    parser.deserialize_map(Members(|name, value: &'j RawValue| take(name, value.get())))?;
    parser.end()
}

/// A reader of plain objects: without escapes, and without arrays and objects inside. It takes nothing that is no JSON.
struct Plain<'j> {
    text: &'j str,
    at: usize,
}

/// Where the plain part of a string ends: at a quote, a backslash or a control character. Eight bytes at a time.
#[inline]
fn plain_end(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let is = |word: u64, byte: u8| {
        let other = word ^ (ONES * u64::from(byte));
        other.wrapping_sub(ONES) & !other
    };
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = eight.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let control = word.wrapping_sub(ONES * u64::from(b' ')) & !word;
        // What is carried from one byte into the next can only be behind the first that ends it.
        let found = (is(word, b'"') | is(word, b'\\') | control) & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let left = bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..b' '))?;
    Some(at + left)
}

impl<'j> Plain<'j> {
    /// Hands on members; `None` where the object is not plain, with those before handed on.
    #[inline]
    fn object(
        &mut self,
        mut take: impl FnMut(&'j str, JsonValue<'j>) -> Result<(), String>,
    ) -> Option<Result<(), String>> {
        self.blanks();
        self.byte(b'{')?;
        loop {
            self.blanks();
            self.byte(b'"')?;
            let name = self.string()?;
            self.blanks();
            self.byte(b':')?;
            self.blanks();
            let value = self.value()?;
            self.blanks();
            // Looked at before the value is handed on, so that a number is known to be whole.
            let is_last = match self.next()? {
                b',' => false,
                b'}' => {
                    self.blanks();
                    if self.at < self.text.len() {
                        return None;
                    }
                    true
                }
                _ => return None,
            };
            let taken = take(name, value);
            if is_last || taken.is_err() {
                return Some(taken);
            }
        }
    }

    #[inline]
    fn value(&mut self) -> Option<JsonValue<'j>> {
        let begin = self.at;
        Some(match self.next()? {
            b'"' => JsonValue::Text(Cow::Borrowed(self.string()?)),
            b't' => self.word("rue", JsonValue::Bool(true))?,
            b'f' => self.word("alse", JsonValue::Bool(false))?,
            b'n' => self.word("ull", JsonValue::Null)?,
            first => {
                self.number(first)?;
                JsonValue::Number(self.text.get(begin..self.at)?)
            }
        })
    }

    /// A string behind its first quote.
    #[inline]
    fn string(&mut self) -> Option<&'j str> {
        let begin = self.at;
        let rest = self.text.as_bytes().get(begin..)?;
        let end = begin + plain_end(rest)?;
        self.at = end;
        self.byte(b'"')?;
        self.text.get(begin..end)
    }

    #[inline]
    fn number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.next()? } else { first };
        match first {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digit()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digit()?;
        }
        Some(())
    }

    /// At least one digit.
    #[inline]
    fn digit(&mut self) -> Option<()> {
        let is_digit = self.next()?.is_ascii_digit();
        self.digits();
        is_digit.then_some(())
    }

    #[inline]
    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn word(&mut self, rest: &str, value: JsonValue<'j>) -> Option<JsonValue<'j>> {
        let found = self.text.get(self.at..)?.starts_with(rest);
        self.at += rest.len();
        found.then_some(value)
    }

    #[inline]
    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn byte(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
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
    fn plain_objects_are_what_the_parser_says() {
        let lines = [
            r#"{"a":1,"b":"x","c":null}"#,
            r#" { "a" : -0.5e+7 , "bé" : "é" , "c" : true } "#,
            r#"{"a":12345678901234567890,"b":false,"a":0.25}"#,
            r#"{"a":"x\"y","b":[1,{"c":2}],"d":1E5}"#,
            "{\"a name of many bytes\":\"more than sixteen bytes, é among them\",\"b\":\"seventeen \u{7f}\u{80} end\"}",
            "{}",
        ];
        fn all<'j>(
            read: impl FnOnce(
                &mut dyn FnMut(Cow<'j, str>, Seen<'j>) -> Result<(), String>,
            ) -> serde_json::Result<()>,
        ) -> Result<Vec<(String, JsonValue<'j>)>, String> {
            let mut members = Vec::new();
            let read = read(&mut |name, value| {
                members.push((name.into_owned(), value.value().map_err(|_| "no value".to_owned())?));
                Ok(())
            });
            read.map(|()| members).map_err(|error| error.to_string())
        }
        let mut plain = 0;
        for line in lines {
            let places = (0..=line.len()).filter(|at| line.is_char_boundary(*at));
            let bytes = [
                "", "0", "1", "-", ".", "e", "\"", "\\", "{", "}", "[", ",", ":", " ", "x", "\n", "\u{1}",
                "é",
            ];
            for (at, byte) in places.flat_map(|at| bytes.map(|byte| (at, byte))) {
                let (before, behind) = line.split_at(at);
                let cut = behind.char_indices().nth(1).map_or("", |(next, _)| &behind[next..]);
                for changed in [format!("{before}{byte}{behind}"), format!("{before}{byte}{cut}")] {
                    let one = all(|take| each_member(&changed, take));
                    let other = all(|take| parse(&changed, |name, value| take(name, Seen::Text(value))));
                    assert_eq!(one, other, "{changed}");
                    plain += usize::from(Plain { text: &changed, at: 0 }.object(|_, _| Ok(())).is_some());
                }
            }
        }
        assert!(plain > 500, "{plain}");
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
