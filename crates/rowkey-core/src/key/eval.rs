//! The value of an expression for one record.
//!
//! Nothing here allocates on the way to a key: text is made at the end of the caller's buffer, and what a hash hashes
//! is put there, hashed and taken away again.

use std::num::{NonZeroU16, NonZeroU32};

use super::error::{EncodeError, PartError};
use super::node::{BucketFunction, Case, DatePiece, Input, Node, Side};
use super::schema::{FieldId, KeySchema};
use crate::calendar;
use crate::codec::{self, ValueError};
use crate::hash::{Buckets, Murmur3};
use crate::hashes::{self, HashFunction, HashValue};
use crate::notation::Operator;
use crate::types::{Kind, Type};
use crate::value::Value;

/// Where random parts come from.
pub trait Draw {
    /// A number below `count`, which is at least 1.
    fn draw(&mut self, count: u32) -> u32;
}

/// A generator for the random parts of one record: the same seed and record number give the same draws, so that a
/// load that is resumed writes the same rows.
#[derive(Debug, Clone)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// The draws of a record.
    pub fn new(seed: u64, record: u64) -> Self {
        Self { state: seed ^ record.wrapping_mul(0xD1B5_4A32_D192_ED03) }
    }
}

impl Draw for Draws {
    fn draw(&mut self, count: u32) -> u32 {
        // SplitMix64, then a multiplication instead of a remainder, which would favour small numbers.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let number = (u128::from(mixed ^ (mixed >> 31)) * u128::from(count)) >> 64;
        u32::try_from(number).unwrap_or(0)
    }
}

/// What went wrong, and with which field if with one.
pub(super) enum EvalError {
    Field(FieldId, ValueError),
    Part(PartError),
    /// Of another part, whose bytes were needed.
    Other(Box<EncodeError>),
}

impl From<PartError> for EvalError {
    fn from(error: PartError) -> Self {
        Self::Part(error)
    }
}

type Evaluated<T> = Result<T, EvalError>;

pub(super) struct Eval<'e, 'v, 'd> {
    pub(super) key: &'e KeySchema,
    pub(super) record: &'e [Value<'v>],
    pub(super) draws: Option<&'d mut dyn Draw>,
}

impl<'e, 'v> Eval<'e, 'v, '_> {
    /// The value of a field; a record that is too short has nulls there.
    pub(super) fn field(&self, id: FieldId) -> &'e Value<'v> {
        self.record.get(id.0).unwrap_or(&Value::Null)
    }

    fn wrong_kind(&self, id: FieldId) -> EvalError {
        let (value, ty) = (self.field(id).to_string(), self.key.fields.get(id).ty);
        EvalError::Field(id, ValueError::WrongKind { value, ty })
    }

    /// A whole number; `None` for null.
    pub(super) fn integer(&mut self, node: &Node, scratch: &mut Vec<u8>) -> Evaluated<Option<i128>> {
        Ok(Some(match node {
            Node::Field(id) => match self.field(*id) {
                Value::Null => return Ok(None),
                Value::Time(millis) => (*millis).into(),
                Value::Int(number) => {
                    let ty = self.key.fields.get(*id).ty;
                    let (min, max) = ty.integer_range().unwrap_or((i128::MIN, i128::MAX));
                    if !(min..=max).contains(number) {
                        let problem = ValueError::OutOfRange { value: *number, ty, min, max };
                        return Err(EvalError::Field(*id, problem));
                    }
                    *number
                }
                _ => return Err(self.wrong_kind(*id)),
            },
            Node::Number(number) => *number,
            Node::FromLongMax(node) => {
                let Some(value) = self.integer(node, scratch)? else { return Ok(None) };
                let long_max = i128::from(i64::MAX);
                match long_max.checked_sub(value) {
                    Some(reversed) if (0..=long_max).contains(&reversed) => reversed,
                    _ => return Err(PartError::ReverseRange { value }.into()),
                }
            }
            Node::Arithmetic(operator, left, right) => {
                let (Some(left), Some(right)) = (self.integer(left, scratch)?, self.integer(right, scratch)?)
                else {
                    return Ok(None);
                };
                let result = match operator {
                    Operator::Add => left.checked_add(right),
                    Operator::Subtract => left.checked_sub(right),
                    Operator::Multiply => left.checked_mul(right),
                    Operator::Divide => left.checked_div_euclid(right),
                    Operator::Modulo => left.checked_rem_euclid(right),
                };
                result.ok_or(PartError::Overflow)?
            }
            Node::Remainder(node, by) => {
                let Some(value) = self.integer(node, scratch)? else { return Ok(None) };
                value.checked_rem(*by).ok_or(PartError::Overflow)?
            }
            Node::Cast(node, _) => return self.integer(node, scratch),
            Node::Hash(function, inputs) => self.hash(*function, inputs, scratch)?.number().unwrap_or(0),
            Node::Bucket(function, count, inputs) => self.bucket(*function, *count, inputs, scratch)?.into(),
            Node::Random(count) => self.draw(*count)?.into(),
            // Texts are not asked for numbers: compiling sees to it.
            _ => return Err(PartError::Overflow.into()),
        }))
    }

    fn draw(&mut self, count: u32) -> Evaluated<u32> {
        match &mut self.draws {
            Some(draws) => Ok(draws.draw(count).min(count.saturating_sub(1))),
            None => Err(PartError::NoGenerator.into()),
        }
    }

    fn hash(
        &mut self,
        function: HashFunction,
        inputs: &[Input],
        scratch: &mut Vec<u8>,
    ) -> Evaluated<HashValue> {
        let mut hasher = function.hasher();
        self.each_input(inputs, scratch, &mut |_, bytes| hasher.update(bytes))?;
        Ok(hasher.finish())
    }

    /// Calls `take` with the plain bytes of each input that is not null.
    fn each_input(
        &mut self,
        inputs: &[Input],
        scratch: &mut Vec<u8>,
        take: &mut impl FnMut(usize, &[u8]),
    ) -> Evaluated<()> {
        let start = scratch.len();
        for (index, input) in inputs.iter().enumerate() {
            let made = self.plain(input, scratch);
            if matches!(made, Ok(true)) {
                take(index, scratch.get(start..).unwrap_or_default());
            }
            scratch.truncate(start);
            made?;
        }
        Ok(())
    }

    /// Adds the plain bytes of an input; `false` for null, which adds none.
    fn plain(&mut self, input: &Input, out: &mut Vec<u8>) -> Evaluated<bool> {
        let of_field = match &input.node {
            Node::Field(id) => Some(*id),
            Node::Cast(node, _) => match **node {
                Node::Field(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        if let Some(id) = of_field {
            let value = self.field(id);
            if value.is_null() {
                return Ok(false);
            }
            codec::plain(value, input.ty, out).map_err(|problem| EvalError::Field(id, problem))?;
            return Ok(true);
        }
        match input.node.shape(&self.key.fields).kind {
            Kind::Text | Kind::Bytes => self.text(&input.node, out),
            _ => match self.integer(&input.node, out)? {
                None => Ok(false),
                Some(number) => {
                    codec::plain(&Value::Int(number), input.ty, out).map_err(PartError::from)?;
                    Ok(true)
                }
            },
        }
    }

    fn bucket(
        &mut self,
        function: BucketFunction,
        count: u32,
        inputs: &[Input],
        scratch: &mut Vec<u8>,
    ) -> Evaluated<u32> {
        let Some(buckets) = NonZeroU32::new(count) else { return Ok(0) };
        match function {
            BucketFunction::Salt => {
                // The salt of every row: without the room that the largest of the hashers takes.
                let mut hash = Murmur3::new(Murmur3::SEED);
                self.each_input(inputs, scratch, &mut |_, bytes| hash.update(bytes))?;
                Ok(hash.bucket(Buckets::new(buckets)))
            }
            BucketFunction::Phoenix => {
                let mut hash = hashes::JavaBytesHash::default();
                self.each_input(inputs, scratch, &mut |_, bytes| hash.update(bytes))?;
                // Compiling lets no more than 256 buckets through.
                Ok(hash.bucket(NonZeroU16::try_from(buckets).map_or(buckets, NonZeroU32::from)))
            }
            BucketFunction::PhoenixRow => {
                let start = scratch.len();
                let stored = self.key.encode_behind_salt(self, scratch);
                let mut hash = hashes::JavaBytesHash::default();
                hash.update(scratch.get(start..).unwrap_or_default());
                scratch.truncate(start);
                stored.map_err(|error| EvalError::Other(Box::new(error)))?;
                Ok(hash.bucket(buckets))
            }
            BucketFunction::OpenTsdb => {
                let mut salt = hashes::OpenTsdbSalt::default();
                self.each_input(inputs, scratch, &mut |index, bytes| match index {
                    0 => salt.metric(bytes),
                    _ => salt.tags(bytes),
                })?;
                Ok(salt.bucket(buckets))
            }
        }
    }

    /// Adds the text, or the bytes, of an expression; `false` for null, which adds none.
    pub(super) fn text(&mut self, node: &Node, out: &mut Vec<u8>) -> Evaluated<bool> {
        let start = out.len();
        match node {
            Node::Field(id) => return self.field_text(*id, out),
            Node::Cast(node, _) => return self.text(node, out),
            Node::Hex(function, inputs) => {
                let value = self.hash(*function, inputs, out)?;
                value.digest().into_iter().for_each(|digest| digest.append_hex(out));
            }
            Node::DigestBytes(function, inputs, len) => {
                let value = self.hash(*function, inputs, out)?;
                let bytes = value.digest().and_then(|digest| digest.as_bytes().get(..*len));
                out.extend_from_slice(bytes.unwrap_or_default());
            }
            Node::Letter(letters, inputs) => {
                let count = u32::try_from(letters.len()).unwrap_or(1);
                let bucket = self.bucket(BucketFunction::Salt, count, inputs, out)?;
                push_letter(letters, bucket, out);
            }
            Node::RandomLetter(letters) => {
                let drawn = self.draw(u32::try_from(letters.len()).unwrap_or(1))?;
                push_letter(letters, drawn, out);
            }
            Node::Str(node) => {
                let Some(number) = self.integer(node, out)? else { return Ok(false) };
                push_decimal(number, 0, out);
            }
            Node::Reverse(node) => {
                if let Some(Type::Decimal(width)) = node.shape(&self.key.fields).ty {
                    let Some(number) = self.integer(node, out)? else { return Ok(false) };
                    let ty = Type::Decimal(width);
                    codec::plain(&Value::Int(number), ty, out).map_err(PartError::from)?;
                } else if !self.text(node, out)? {
                    return Ok(false);
                }
                reverse_characters(out, start);
            }
            Node::SubStr(node, from, to) => {
                if !self.text(node, out)? {
                    return Ok(false);
                }
                cut_characters(out, start, *from, *to)?;
            }
            Node::Case(case, node) => {
                if !self.text(node, out)? {
                    return Ok(false);
                }
                change_case(out, start, *case);
            }
            Node::Lowercase(node) => {
                if !self.text(node, out)? {
                    return Ok(false);
                }
                lowercase(out, start);
            }
            Node::Pad(side, node, pad, width) => {
                if !self.text(node, out)? {
                    return Ok(false);
                }
                self::pad(out, start, *side, *pad, *width)?;
            }
            Node::Code(node, codes) => {
                if !self.text(node, out)? {
                    return Ok(false);
                }
                let text = out.get(start..).unwrap_or_default();
                let Some((_, code)) = codes.iter().find(|(from, _)| from.as_bytes() == text) else {
                    let known = codes.iter().map(|(from, _)| from.clone()).collect();
                    return Err(PartError::UnknownCode { value: lossy(text), known }.into());
                };
                out.truncate(start);
                out.extend_from_slice(code.as_bytes());
            }
            Node::Date(node, pattern) => {
                let Some(millis) = self.integer(node, out)? else { return Ok(false) };
                push_date(millis, pattern, out)?;
            }
            // Numbers are not asked for text: compiling sees to it.
            _ => return Err(PartError::Overflow.into()),
        }
        Ok(true)
    }

    fn field_text(&self, id: FieldId, out: &mut Vec<u8>) -> Evaluated<bool> {
        match (self.field(id), self.key.fields.get(id).ty) {
            (Value::Null, _) => return Ok(false),
            (value @ Value::Text(_), ty @ Type::Fixed(_)) => {
                codec::plain(value, ty, out).map_err(|problem| EvalError::Field(id, problem))?;
            }
            (Value::Text(text), ty) if ty.kind() == Kind::Text => out.extend_from_slice(text.as_bytes()),
            (Value::Bytes(bytes), ty) if ty.kind() == Kind::Bytes => out.extend_from_slice(bytes),
            _ => return Err(self.wrong_kind(id)),
        }
        Ok(true)
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn push_letter(letters: &[char], number: u32, out: &mut Vec<u8>) {
    let letter = usize::try_from(number).ok().and_then(|at| letters.get(at));
    if let Some(letter) = letter {
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Adds a number in decimal digits, at least `width` of them.
fn push_decimal(number: i128, width: usize, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    let start = out.len();
    let mut rest = number.unsigned_abs();
    loop {
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or(0));
        rest /= 10;
        if rest == 0 && out.len() - start >= width {
            break;
        }
    }
    out.get_mut(start..).unwrap_or_default().reverse();
}

/// Reverses the characters from `start` on: all bytes, then the bytes of each character back.
fn reverse_characters(out: &mut [u8], start: usize) {
    let text = out.get_mut(start..).unwrap_or_default();
    text.reverse();
    if text.is_ascii() {
        return;
    }
    let mut at = 0;
    while at < text.len() {
        // Reversed, a character is its continuation bytes (10xxxxxx) and then its first byte.
        let continuation = text.iter().skip(at).take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let end = (at + continuation + 1).min(text.len());
        text.get_mut(at..end).unwrap_or_default().reverse();
        at = end;
    }
}

/// Keeps the characters `from..to` of the text from `start` on.
fn cut_characters(out: &mut Vec<u8>, start: usize, from: usize, to: usize) -> Result<(), PartError> {
    let text = out.get(start..).unwrap_or_default();
    let is_first = |byte: &u8| byte & 0xC0 != 0x80;
    let place = |character: usize| {
        let mut places = text.iter().enumerate().filter(|(_, byte)| is_first(byte)).map(|(at, _)| at);
        places.nth(character).or_else(|| {
            let count = text.iter().filter(|byte| is_first(byte)).count();
            (character == count).then_some(text.len())
        })
    };
    let (Some(from_byte), Some(to_byte)) = (place(from), place(to)) else {
        return Err(PartError::TooShort { value: lossy(text), needed: to });
    };
    out.truncate(start + to_byte);
    out.drain(start..start + from_byte);
    Ok(())
}

fn change_case(out: &mut Vec<u8>, start: usize, case: Case) {
    let text = out.get_mut(start..).unwrap_or_default();
    if text.is_ascii() {
        match case {
            Case::Upper => text.make_ascii_uppercase(),
            Case::Lower => text.make_ascii_lowercase(),
        }
        return;
    }
    // The mapped text is made behind the old one, which then goes: a mapping can be longer than its character.
    let end = out.len();
    let mut at = start;
    while at < end {
        let rest = out.get(at..end).unwrap_or_default();
        let Some(character) = first_character(rest) else { break };
        at += character.len_utf8();
        let mut bytes = [0; 4];
        let mut push = |mapped: char| out.extend_from_slice(mapped.encode_utf8(&mut bytes).as_bytes());
        match case {
            Case::Upper => character.to_uppercase().for_each(&mut push),
            Case::Lower => character.to_lowercase().for_each(&mut push),
        }
    }
    out.drain(start..end);
}

/// As Unicode, Java and Python have it: a sigma that ends a word becomes `ς`; every other letter is mapped by itself.
fn lowercase(out: &mut Vec<u8>, start: usize) {
    let text = out.get_mut(start..).unwrap_or_default();
    if text.is_ascii() {
        return text.make_ascii_lowercase();
    }
    let lower = String::from_utf8_lossy(text).to_lowercase();
    out.truncate(start);
    out.extend_from_slice(lower.as_bytes());
}

fn first_character(bytes: &[u8]) -> Option<char> {
    let valid = match std::str::from_utf8(bytes.get(..4.min(bytes.len()))?) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()?,
    };
    valid.chars().next()
}

fn pad(out: &mut Vec<u8>, start: usize, side: Side, pad: u8, width: usize) -> Result<(), PartError> {
    let text = out.get(start..).unwrap_or_default();
    let length = text.len();
    if length > width {
        return Err(PartError::TooLongToPad { value: lossy(text), length, width });
    }
    let at_padded_end = if side == Side::Left { text.first() } else { text.last() };
    if at_padded_end == Some(&pad) {
        return Err(PartError::PadInText { value: lossy(text), pad: char::from(pad) });
    }
    out.resize(start + width, pad);
    if side == Side::Left {
        out.get_mut(start..).unwrap_or_default().rotate_right(width - length);
    }
    Ok(())
}

fn push_date(millis: i128, pattern: &[DatePiece], out: &mut Vec<u8>) -> Result<(), PartError> {
    // The years 0001 to 9999 in UTC.
    const FIRST: i128 = -62_135_596_800_000;
    const LAST: i128 = 253_402_300_799_999;
    let in_range = (FIRST..=LAST).contains(&millis);
    let date = i64::try_from(millis).ok().filter(|_| in_range).and_then(calendar::civil);
    let date = date.ok_or(PartError::DateRange { millis })?;
    for piece in pattern {
        let (number, width) = match piece {
            DatePiece::Year => (i128::from(date.year()), 4),
            DatePiece::Month => (date.month().into(), 2),
            DatePiece::Day => (date.day().into(), 2),
            DatePiece::Hour => (date.hour().into(), 2),
            DatePiece::Minute => (date.minute().into(), 2),
            DatePiece::Second => (date.second().into(), 2),
            DatePiece::Milli => (date.millisecond().into(), 3),
            DatePiece::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                continue;
            }
        };
        push_decimal(number, width, out);
    }
    Ok(())
}
