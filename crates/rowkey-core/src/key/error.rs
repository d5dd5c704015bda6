//! Why a record has no key, or a key no record.

use crate::codec::{BytesError, ValueError};
use crate::disclosure::said;
use crate::escape::escape;

/// A record that cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A value that does not fit.
    #[error("field `{field}`: {problem}")]
    Value {
        /// The field's name.
        field: String,
        /// What is wrong with its value.
        problem: ValueError,
    },
    /// An expression without a result for this record.
    #[error("part {part}: {problem}")]
    Part {
        /// The part as written.
        part: String,
        /// What is wrong.
        problem: PartError,
    },
    /// The literal that ends a text occurs in it.
    #[error(
        "part {part}: the text `{value}` contains the delimiter `{}` that ends it in the key; use the type escaped, or \
         another delimiter",
        escape(delimiter), value = said(value))]
    DelimiterInText {
        /// The part as written.
        part: String,
        /// The text, escaped.
        value: String,
        /// The bytes of the literal that ends the part.
        delimiter: Vec<u8>,
    },
    /// All parts are empty.
    #[error("the key of this record is empty; a row key has at least one byte")]
    EmptyKey,
    /// More than a row key can hold.
    #[error("the key of this record has {length} bytes; a row key has at most {limit}")]
    TooLong {
        /// The length of the key in bytes.
        length: usize,
        /// The longest row key, in bytes.
        limit: usize,
    },
    /// The keys of one batch are too much for it.
    #[error("the keys of one batch have more than 4 GiB together; use smaller batches")]
    BatchFull,
}

/// An expression without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// A result that does not fit the part's type.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// `Long.MAX_VALUE - x` outside 0 to `Long.MAX_VALUE`.
    #[error("Long.MAX_VALUE - {value} is not between 0 and Long.MAX_VALUE; is it a time in milliseconds?", value = said(value))]
    ReverseRange {
        /// The value taken from `Long.MAX_VALUE`.
        value: i128,
    },
    /// More than 128 bits.
    #[error("the arithmetic overflows")]
    Overflow,
    /// A text without a code.
    #[error("`{value}` has no code; the texts with one are {}", known.join(", "), value = said(value))]
    UnknownCode {
        /// The value without a code.
        value: String,
        /// The values that have one, as written in the key.
        known: Vec<String>,
    },
    /// Fewer characters than `subStr` asks for.
    #[error("`{value}` has fewer than {needed} characters", value = said(value))]
    TooShort {
        /// The value that is cut.
        value: String,
        /// The number of characters that `subStr` needs.
        needed: usize,
    },
    /// A text that is longer than its pad.
    #[error("`{value}` has {length} bytes and cannot be padded to {width}", value = said(value))]
    TooLongToPad {
        /// The value to be padded.
        value: String,
        /// Its length in bytes.
        length: usize,
        /// The length to pad it to, in bytes.
        width: usize,
    },
    /// A text that would not come back from its padded form.
    #[error(
        "`{value}` already has the pad character `{pad}` at the padded end, so it would collide with a shorter text", value = said(value))]
    PadInText {
        /// The value to be padded.
        value: String,
        /// The character that it is padded with.
        pad: char,
    },
    /// A time outside the years 0001 to 9999.
    #[error("the time {millis} ms is not in the years 0001 to 9999", millis = said(millis))]
    DateRange {
        /// Milliseconds since 1970.
        millis: i128,
    },
    /// A random part and no generator.
    #[error("the part is random: it cannot be computed from fields, so no Get finds its row")]
    NoGenerator,
}

/// A key that this schema did not write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No bytes at all.
    #[error("the key is empty; a row key has at least one byte")]
    EmptyKey,
    /// Bytes that are no value of the part's type.
    #[error(
        "part {part} at byte {offset} of key {}: {problem}; was the key written by another schema?",
        escape(key)
    )]
    Value {
        /// The part as written.
        part: String,
        /// The first byte of the part, counted from 0.
        offset: usize,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
        /// What is wrong.
        problem: BytesError,
    },
    /// The literal that ends a text, or stands by itself, is not there.
    #[error(
        "key {} has no `{}` from byte {offset} on; was it written by another schema?",
        escape(key),
        escape(literal)
    )]
    Literal {
        /// The bytes that are missing.
        literal: Vec<u8>,
        /// The first byte of the search, counted from 0.
        offset: usize,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
    /// A computed part that is not the one of this record.
    #[error(
        "part {part} of key {} is {found}, this record's is {expected}: the key was not written by this schema",
        escape(key), found = said(found), expected = said(expected))]
    Derived {
        /// The part as written.
        part: String,
        /// What the key has there.
        found: String,
        /// What the record gives.
        expected: String,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
    /// A part whose value no record gives.
    #[error(
        "part {part} of key {} is {found}, which no record gives: the key was not written by this schema",
        escape(key), found = said(found))]
    Impossible {
        /// The part as written.
        part: String,
        /// What the key has there.
        found: String,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
    /// The key ends inside a part.
    #[error(
        "key {} ends inside part {part}, which starts at byte {offset} and has {needed} bytes",
        escape(key)
    )]
    TooShort {
        /// The part as written.
        part: String,
        /// Where it starts.
        offset: usize,
        /// How many bytes it has.
        needed: usize,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
    /// Bytes after the last part.
    #[error(
        "key {} goes on after its last part, from byte {offset} on; was it written by another schema?",
        escape(key)
    )]
    TooLong {
        /// Where the last part ends.
        offset: usize,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
    /// One field with two values in two parts.
    #[error("key {}: field `{field}` has two different values in two parts", escape(key))]
    TwoValues {
        /// The field's name.
        field: String,
        /// The key that was to be decoded, whole.
        key: Vec<u8>,
    },
}
