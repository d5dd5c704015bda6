//! Why does a record have no key, or a key no record?

use crate::codec::{BytesError, ValueError};
use crate::escape::escape;

/// A record that cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A value that does not fit.
    #[error("field `{field}`: {problem}")]
    Value {
        /// The field.
        field: String,
        /// What is wrong with its value.
        problem: ValueError,
    },
    /// The literal that ends a text occurs in it.
    #[error(
        "field `{field}`: the text `{value}` contains the delimiter `{}` that ends it in the key; use \
         [{field}: escaped], or another delimiter",
        escape(delimiter)
    )]
    DelimiterInText {
        /// The field.
        field: String,
        /// Its value.
        value: String,
        /// The literal.
        delimiter: Vec<u8>,
    },
    /// All parts are empty.
    #[error("the key of this record is empty; a row key has at least one byte")]
    EmptyKey,
    /// More than a row key can hold.
    #[error("the key of this record has {length} bytes; a row key has at most {limit}")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
}

/// A key that this schema did not write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No bytes at all.
    #[error("the key is empty; a row key has at least one byte")]
    EmptyKey,
    /// Bytes that are no value of the field's type.
    #[error(
        "field `{field}` at byte {offset} of key {}: {problem}; was the key written by another schema?",
        escape(key)
    )]
    Value {
        /// The field.
        field: String,
        /// Where it starts.
        offset: usize,
        /// The whole key.
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
        /// The literal.
        literal: Vec<u8>,
        /// Where it was looked for.
        offset: usize,
        /// The whole key.
        key: Vec<u8>,
    },
    /// A salt that is not the one of this record.
    #[error(
        "key {}: the salt is {found}, this record's is {expected}: the key was not written by this schema",
        escape(key)
    )]
    Salt {
        /// The salt in the key.
        found: u32,
        /// The salt that the fields give.
        expected: u32,
        /// The whole key.
        key: Vec<u8>,
    },
    /// The key ends where a salt should be.
    #[error("key {} ends inside the salt at byte {offset}", escape(key))]
    ShortSalt {
        /// Where the salt starts.
        offset: usize,
        /// The whole key.
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
        /// The whole key.
        key: Vec<u8>,
    },
    /// One field with two values in two parts.
    #[error("key {}: field `{field}` has two different values in two parts", escape(key))]
    TwoValues {
        /// The field.
        field: String,
        /// The whole key.
        key: Vec<u8>,
    },
}
