//! A compiled key as plain data, from which code of other languages is printed.
//!
//! [`Codec::of`] is the one lowering: every type, function and default of the notation is resolved, so that a printer
//! asks no questions and infers nothing. What the data means is said beside it, exactly enough to be written again:
//! the evaluator of `tests/lowered` is that in Rust.
//!
//! **Law** (`tests/lowered`): for generated keys and records, an evaluator of this form gives the core's bytes,
//! values and refusals.
//!
//! # Encoding
//!
//! Steps are written from left to right, and the first refusal ends it. A [`LoweredStep::Literal`] is its bytes. A
//! [`Value`] is:
//!
//! 1. Its [`Source`] is computed. If that is null, [`Value::on_null`] is all that is written (or the refusal).
//! 2. The mark `01`, if [`Value::nulls`] is not [`Nulls::Refused`].
//! 3. The bytes of its [`Form`], each complemented if [`Value::order`] is descending. The mark is never complemented.
//! 4. If [`Value::end`] is [`End::Literal`], the refusal `delimiter_inside`, when these bytes followed by the
//!    delimiter have the delimiter anywhere before their end (a text that ends in `_` before `__` is refused, too).
//!
//! Then [`Codec::row_salt`], if there is one, replaces the first byte. Last the refusals `empty_key` and
//! `key_too_long` (more than 32,767 bytes).
//!
//! # Decoding
//!
//! An empty key is `empty_key`. Steps are read from left to right up to the first whose end is [`End::Unclear`],
//! where reading stops. A literal that is not there is `no_literal`. A [`Value`] is:
//!
//! 1. If [`Value::nulls`] is not [`Nulls::Refused`], one byte (`too_short`): `01` goes on, [`OnNull::Mark`] is null,
//!    any other byte is `not_a_null_mark`.
//! 2. Its bytes, up to where [`End`] says, as a value of its [`Form`].
//! 3. What [`Back`] says of that value; null goes to the field of [`Back::Field`] and [`Back::Undo`] as it is. A
//!    field that has another value from an earlier step, which is not null, is `two_values`.
//!
//! After the last step: bytes that are left are `trailing_bytes`, unless reading has stopped early. Then every step of
//! [`Codec::checked`] is encoded again from the fields that came back: other bytes than the key's are `wrong_part`, a
//! refusal is `impossible`.
//!
//! # Refusals
//!
//! Each has one word, which is the same in every language ([`EncodeError::word`], [`DecodeError::word`]).
//!
//! | encoding | when |
//! | --- | --- |
//! | `null` | null where a value is needed |
//! | `out_of_range` | a number outside the range of its field or part |
//! | `wrong_length` | another number of bytes than `fixed(n)` has |
//! | `not_a_number` | NaN |
//! | `not_exact` | a number of 64 bits that 32 bits would change |
//! | `not_whole_seconds` | a time that `timestamp_s` does not hold |
//! | `negative_zero` | -0.0 in `ordered(f32)` or `ordered(f64)` (elsewhere it is written as 0.0) |
//! | `zero_byte` | a zero byte in `ordered(text)` |
//! | `reverse_range` | `Long.MAX_VALUE - x` outside 0 to `Long.MAX_VALUE` |
//! | `overflow` | arithmetic past 128 bits |
//! | `not_in_code` | a text without a code |
//! | `too_few_characters` | fewer characters than `subStr` needs |
//! | `too_long_to_pad` | more bytes than the width of a pad |
//! | `pad_in_text` | the pad character at the padded end |
//! | `date_range` | a time outside the years 0001 to 9999 |
//! | `delimiter_inside` | a text that contains the delimiter behind it |
//! | `empty_key`, `key_too_long` | no byte, more than 32,767 |
//! | `wrong_kind` | a value of another kind; more than 31 significant digits in `ordered(numeric)` |
//! | `not_utf8` | a text of another language that is no Unicode, such as a lone surrogate; the core cannot meet it |
//!
//! | decoding | when |
//! | --- | --- |
//! | `empty_key`, `too_short`, `trailing_bytes` | too few or too many bytes |
//! | `no_literal` | a literal, or the delimiter of a text, is not there |
//! | `no_end` | an `escaped` or `ordered` value without its end mark |
//! | `bad_escape` | `00` in an `escaped` text before another byte than `01` or `ff` |
//! | `not_utf8`, `not_a_bool`, `not_a_digit`, `not_a_null_mark` | bytes that are no such value |
//! | `odd_float` | NaN, -0.0 or the infinity of `ordered(numeric)` |
//! | `wrong_header`, `not_canonical` | bytes that HBase's `OrderedBytes` would not have |
//! | `out_of_range` | a `numeric` of too many digits, or too far from the point |
//! | `two_values` | one field with two values |
//! | `impossible` | a value that no record gives |
//! | `wrong_part` | a computed part, such as a salt, that is not this record's |
//!
//! Not here: columns and tables, which need no lowering ([`crate::column`], [`crate::table`]).
//!
//! [`EncodeError::word`]: crate::key::EncodeError::word
//! [`DecodeError::word`]: crate::key::DecodeError::word

mod lower;
mod words;

pub use crate::hashes::HashFunction;
pub use crate::key::node::{DatePiece, Side};

use crate::key::FieldId;
use crate::types::{IntForm, Nulls, OctetsType, Order, Type};

/// A key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codec {
    /// The key as written.
    pub notation: String,
    /// The name of its order ([`crate::KeySchema::fingerprint`]).
    pub fingerprint: String,
    /// All fields of a record, in the order of [`FieldId`]; also those that the key does not name.
    pub fields: Vec<CodecField>,
    /// What the key is made of.
    pub steps: Vec<LoweredStep>,
    /// The steps that decoding encodes again and compares, by their place in `steps`, in this order.
    pub checked: Vec<usize>,
    /// The first byte is `|h| % n` with h as `Arrays.hashCode(byte[])` of Java over all bytes behind it, and n this
    /// number (1 to 256): Phoenix's salt. The first step is then [`Source::RowSalt`].
    pub row_salt: Option<u32>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecField {
    /// The name in the table file.
    pub name: String,
    /// What values it takes ([`Type::kind`]). It chooses no bytes of the key, but those of the column.
    pub ty: Type,
    /// Whether it can be null: declared so, or a part of an `ordered` type that null has bytes in.
    pub nullable: bool,
    /// Whether the key names it.
    pub in_key: bool,
    /// Whether it comes back when a key is decoded.
    pub comes_back: bool,
    /// The smallest and the largest number, of fields that are whole numbers or times (milliseconds of 64 bits).
    pub range: Option<(i128, i128)>,
}

/// A step of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a key has few steps, and nearly all are values")]
pub enum LoweredStep {
    /// Fixed bytes, at least one.
    Literal(Vec<u8>),
    /// The bytes of a value.
    Value(Value),
}

/// A step that depends on the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The part as written, such as `[ts desc]`.
    pub label: String,
    /// What is written.
    pub source: Source,
    /// Its bytes.
    pub form: Form,
    /// Descending bytes are the complement.
    pub order: Order,
    /// Whether a mark stands before it.
    pub nulls: Nulls,
    /// What null becomes.
    pub on_null: OnNull,
    /// Where its bytes end.
    pub end: End,
    /// What a reader makes of it.
    pub back: Back,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The value of a field, of any kind. Its refusals name the field.
    Field(FieldId),
    /// A whole number that is computed. Refusals name the part, but those of a field's own value.
    Number(Number),
    /// A text, or bytes, that are computed.
    Text(Text),
    /// One byte, `00` until [`Codec::row_salt`] replaces it.
    RowSalt,
}

/// What null becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnNull {
    /// This mark and nothing else: `00` for nulls first, `02` for nulls last, in both directions.
    Mark(u8),
    /// This byte and nothing else, of a form of `ordered`: `05`, or `fa` descending. It is read by the form, not as a
    /// mark.
    Byte(u8),
    /// The refusal `null`, of this field or of the part.
    Refused(Option<FieldId>),
}

/// Where the bytes of a value end in a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// After so many (`too_short`).
    Fixed(usize),
    /// By the end mark of [`Form::Escaped`], or as the `ordered` forms say themselves.
    Own,
    /// Before the first occurrence of this literal, which is the next step (`no_literal`).
    Literal(Vec<u8>),
    /// At the end of the key.
    KeyEnd,
    /// Nowhere: it and what follows it is not read.
    Unclear,
}

/// How a value becomes bytes. Numbers of more than one byte are big-endian; a time is its milliseconds since 1970 as
/// a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A whole number (or time) of `bytes` bytes. Others than `low` to `high` are `out_of_range`.
    Integer {
        /// 1, 2, 4 or 8.
        bytes: usize,
        /// Unsigned, two's complement with its sign bit flipped, or two's complement.
        sign: IntForm,
        /// The smallest number.
        low: i128,
        /// The largest.
        high: i128,
    },
    /// Whole seconds of a time, as four bytes, unsigned. Times with milliseconds, or not from 0 to 2^32 - 1 seconds,
    /// are `not_whole_seconds`. Read, it is milliseconds again.
    Seconds,
    /// A whole number as so many ASCII digits, with zeros in front: 0 to 10^n - 1 (`out_of_range`). Read:
    /// `not_a_digit`.
    Digits(usize),
    /// A floating-point number of 4 or 8 bytes, IEEE 754 with all bits of a negative number flipped and the sign bit of
    /// another. NaN is `not_a_number`, -0.0 is written as 0.0. From a field of 64 bits, one that 4 bytes do not hold
    /// exactly is `not_exact`. Read: NaN and -0.0 are `odd_float`; for a field of 32 bits, 8 bytes that 4 do not hold
    /// are `impossible`.
    Float(usize),
    /// `00` or `01`. Read: `not_a_bool`.
    Bool,
    /// The bytes of a UUID, an address and their like, as they are.
    Octets(OctetsType),
    /// Text (UTF-8) or bytes as they are; `is_text` says what a reader makes of them (`not_utf8`).
    Plain {
        /// Whether it is text.
        is_text: bool,
    },
    /// As `Plain`, of exactly so many bytes (`wrong_length`).
    Fixed {
        /// How many bytes.
        bytes: usize,
        /// Whether it is text.
        is_text: bool,
    },
    /// Text in UTF-8, each `00` written as `00 ff`, then `00 01`. Read: `00` before the end of the key is `no_end`,
    /// before another byte `bad_escape`; `not_utf8`.
    Escaped,
    /// HBase's `OrderedBytes` ([`crate::ordered`]) of a whole number (or time) of `bytes` bytes: `29 2a 2b 2c`, then as
    /// [`Form::Integer`] with its sign bit flipped. Every form of `ordered` reads `05` as null, another header as
    /// `wrong_header`, too few bytes as `too_short`.
    OrderedInteger {
        /// 1, 2, 4 or 8.
        bytes: usize,
        /// The smallest number.
        low: i128,
        /// The largest.
        high: i128,
    },
    /// `30` or `31`, then as [`Form::Float`], but for -0.0, which is `negative_zero` when written.
    OrderedFloat(usize),
    /// A decimal number, or a whole one, which then has at most 31 significant digits (`wrong_kind`). `is_whole` says
    /// what a reader makes of it: a number with a fraction is then `impossible`.
    OrderedNumeric {
        /// Whether the source is a whole number.
        is_whole: bool,
    },
    /// `34`, UTF-8, `00`. A zero byte is `zero_byte` when written.
    OrderedText,
    /// `37`, HBase's blob-var.
    OrderedBytes,
}

/// What a reader makes of the value of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Back {
    /// It is the value of the field.
    Field(FieldId),
    /// The value of the field is found by undoing these, one after another. Where one has no result the key is
    /// `impossible`, and so is a value that a field of its type cannot have: a number outside [`CodecField::range`]
    /// or with a fraction, a time that `timestamp_s` does not hold, a text of another length than `fixed(n)` or with
    /// a zero byte for `ordered(text)`, a floating-point number of 64 bits that 32 bits do not hold.
    Undo {
        /// The field.
        field: FieldId,
        /// What is undone, outermost first; nothing for a field under another type.
        undo: Vec<Undo>,
    },
    /// A random number below this; others are `impossible`.
    Below(u32),
    /// One of these letters; others are `impossible`.
    OneOf(Vec<char>),
    /// Nothing. If it is computed from fields that come back, it is one of [`Codec::checked`].
    Nothing,
}

/// How a value is led back to what it was computed from. Arithmetic of 128 bits; past them there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undo {
    /// The number plus this.
    Plus(i128),
    /// This minus the number: also of `Long.MAX_VALUE - x`.
    From(i128),
    /// The whole number of a text in decimal digits, as it is printed: no `+`, no leading zeros, no `-0`. A number of
    /// 128 bits.
    ParseNumber,
    /// The text with its characters reversed.
    Reverse,
    /// The text with its characters reversed, as a whole number of decimal digits: at least one digit and nothing
    /// else but a `-` before them, a number from 0 to 10^n - 1. It may have zeros in front.
    ReverseDigits(usize),
    /// The text without this character at its front, however often.
    TrimStart(char),
    /// The same at its end.
    TrimEnd(char),
    /// The first text whose code it is; other texts have no result.
    Uncode(Vec<(String, String)>),
}

/// A computed whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// How it is computed. Null if a number that it is computed from is null, but for hashes and buckets, which leave
    /// nulls out.
    pub op: NumberOp,
    /// No result is smaller.
    pub low: i128,
    /// No result is larger.
    pub high: i128,
    /// Whether it can be null.
    pub nullable: bool,
}

/// How a number is computed, from left to right. All arithmetic is exact; a result past 128 bits (signed) is
/// `overflow`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberOp {
    /// A field of whole numbers, or a time in milliseconds. A number that is not of the field's type is
    /// `out_of_range`, of the field.
    Field(FieldId),
    /// This number.
    Constant(i128),
    /// `Long.MAX_VALUE - x`. Results below 0 or above `Long.MAX_VALUE` are `reverse_range`.
    FromLongMax(Box<Number>),
    /// `a + b`. If `a` is null `b` is computed all the same, which may be refused.
    Add(Box<Number>, Box<Number>),
    /// `a - b`
    Subtract(Box<Number>, Box<Number>),
    /// `a * b`
    Multiply(Box<Number>, Box<Number>),
    /// Divided by a positive number and rounded down.
    Divide(Box<Number>, i128),
    /// Modulo a positive number: 0 to n - 1.
    Modulo(Box<Number>, i128),
    /// Java's `%` by a positive number: it has the sign of the left side.
    Remainder(Box<Number>, i128),
    /// `murmur3`, `java_hash` (signed, 32 bits), `crc32` (unsigned, 32 bits) or `xxh3` (unsigned, 64 bits) of all
    /// inputs.
    Hash(HashFunction, Vec<Input>),
    /// MurmurHash3 (x86, 32 bits, seed -1) of all inputs as a signed number, modulo this, never negative.
    Salt(u32, Vec<Input>),
    /// `|h| % n`, with h as `Arrays.hashCode(byte[])` of Java over all inputs (it starts with 1).
    PhoenixSalt(u32, Vec<Input>),
    /// As `PhoenixSalt`, but 0 if the first input has no byte that is not zero.
    OpenTsdbSalt(u32, Vec<Input>),
    /// A number below this from the caller's generator. A record encoded without one has no key.
    Random(u32),
}

/// A computed text, or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// How it is computed. Null if what it is computed from is null, but for hashes, which leave nulls out.
    pub op: TextOp,
    /// Whether it is bytes that need not be UTF-8: a field of bytes, or the first bytes of a digest.
    pub is_bytes: bool,
    /// Whether it is known to be ASCII, so that characters are bytes.
    pub is_ascii: bool,
    /// Whether it can be null.
    pub nullable: bool,
}

/// How a text is computed. A character is a Unicode scalar value; a length is in bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOp {
    /// A field of text or bytes. Another number of bytes than a field of `fixed(n)` has is `wrong_length`, of the
    /// field.
    Field(FieldId),
    /// The digest of `md5`, `sha1` or `sha256` in lower-case hex.
    Hex(HashFunction, Vec<Input>),
    /// Its first bytes.
    Digest(HashFunction, Vec<Input>, usize),
    /// The letter of a [`NumberOp::Salt`] with so many buckets.
    Letter(Vec<char>, Vec<Input>),
    /// A letter by a number from the caller's generator.
    RandomLetter(Vec<char>),
    /// The number in decimal digits with an optional minus.
    Str(Box<Number>),
    /// The characters in reverse order.
    Reverse(Box<Text>),
    /// A number as n digits with zeros in front, reversed. Numbers below 0 or of more digits are `out_of_range`, of
    /// the part.
    ReverseDigits(Box<Number>, usize),
    /// The characters from one place (from 0) up to but not including another, which is larger; `too_few_characters`.
    SubStr(Box<Text>, usize, usize),
    /// Each character in upper case by Unicode, one by one: one may become up to three (`ß` becomes `SS`).
    Upper(Box<Text>),
    /// Each character in lower case by Unicode, one by one: `Σ` is always `σ`, `İ` becomes `i` and U+0307.
    LowerEach(Box<Text>),
    /// As `LowerEach`, but for `Σ`, which is `ς` at the end of a word as Unicode says (`Final_Sigma`): a cased letter
    /// before it and none behind it, case-ignorable characters between them not counted.
    Lower(Box<Text>),
    /// Padded with this ASCII character to so many bytes, on this side. More bytes are `too_long_to_pad`; a text that
    /// begins (padded on the left) or ends with the pad is `pad_in_text`; in this order.
    Pad(Side, Box<Text>, u8, usize),
    /// The code of a text; others are `not_in_code`.
    Code(Box<Text>, Vec<(String, String)>),
    /// A time, in milliseconds, in UTC, written by these pieces. Years other than 0001 to 9999 are `date_range`.
    Date(Box<Number>, Vec<DatePiece>),
}

/// What a hash hashes; of several, the bytes one after another. Null adds no bytes, in every variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The value of a field in its form, ascending. Refusals name the field. [`Form::Escaped`] does not occur: hashes
    /// take text without escapes and end mark.
    Field(FieldId, Form),
    /// A number in its form. Refusals name the part.
    Number(Number, Form),
    /// A text as it is.
    Text(Text),
}
