//! From a key to its record.
//!
//! Parts are read from left to right; a field comes back from a part that is the field, or from an expression that can
//! be undone (`Long.MAX_VALUE - ts`, `reverse`, padding, `code`). Then every computed part whose fields are known is
//! computed again, and must be what the key has.

use std::fmt;

use super::encode::{NOT_NULL, NULL_FIRST, NULL_LAST};
use super::error::DecodeError;
use super::node::{Node, Side};
use super::schema::{Boundary, FieldId, Fields, KeySchema, Step, ValueStep};
use crate::codec::{self, BytesError};
use crate::escape::escape;
use crate::hashes::phoenix_salt;
use crate::notation::Operator;
use crate::span::Span;
use crate::types::{Kind, Nulls, Order, Type};
use crate::value::{Value, read};

/// A decoded key: field values and the byte span of each step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecodedKey<'k> {
    /// One value for each field of the schema; null for those that do not come back.
    pub values: Vec<Value<'k>>,
    /// The bytes of each step, in order; shorter than the steps if a boundary is unclear.
    pub spans: Vec<Span>,
}

/// A decoded prefix of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyStart<'k> {
    /// The parts that are whole: a field's name, or the expression, with its value.
    pub parts: Vec<(String, Value<'k>)>,
    /// The bytes behind them.
    pub rest: &'k [u8],
    /// What the rest says of a number or time that it is the beginning of.
    pub bound: Option<PartBound>,
}

/// The first value of a field, in the order of keys, that begins with some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartBound {
    /// The field's name.
    pub field: String,
    /// The least of the values, or the greatest where they descend.
    pub value: Value<'static>,
    /// Whether values rise along the keys.
    pub order: Order,
}

impl fmt::Display for PartBound {
    /// `ts≥1997-06-01T00:00:00.000Z`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.order == Order::Ascending { '≥' } else { '≤' };
        write!(f, "{}{sign}{}", self.field, self.value)
    }
}

impl fmt::Display for KeyStart<'_> {
    /// `salt(16, user_id)=7 user_id=5 ts≥2025-01-01T00:00:00.000Z`, as far as the key goes; nothing if it says nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.parts.iter().enumerate() {
            let blank = if index > 0 { " " } else { "" };
            write!(f, "{blank}{name}={value}")?;
        }
        let blank = if self.parts.is_empty() { "" } else { " " };
        match &self.bound {
            Some(bound) => write!(f, "{blank}{bound}"),
            None if self.rest.is_empty() || self.parts.is_empty() => Ok(()),
            None => write!(f, "{blank}{}", escape(self.rest)),
        }
    }
}

impl KeySchema {
    /// Takes a key apart. Computed parts are computed again from the fields and must agree.
    ///
    /// # Errors
    /// When the key was not written by this schema.
    pub fn decode<'k>(&self, key: &'k [u8]) -> Result<DecodedKey<'k>, DecodeError> {
        let mut decoded = DecodedKey::default();
        self.decode_into(key, &mut decoded)?;
        Ok(decoded)
    }

    /// As [`KeySchema::decode`], into values and spans that are used again: without allocating, where the values can
    /// be borrowed from the key. On an error they hold anything.
    ///
    /// # Errors
    /// As [`KeySchema::decode`].
    pub fn decode_into<'k>(&self, key: &'k [u8], decoded: &mut DecodedKey<'k>) -> Result<(), DecodeError> {
        // In a loop over keys both have their lengths already.
        if (decoded.values.len(), decoded.spans.len()) != (self.fields.len(), self.steps.len()) {
            decoded.values.resize(self.fields.len(), Value::Null);
            decoded.spans.resize(self.steps.len(), Span::default());
        }
        let mut spans = decoded.spans.iter_mut();
        let note = |start, end| spans.next().into_iter().for_each(|span| *span = Span { start, end });
        if self.program.decode(key, &mut decoded.values, note).is_some() {
            return Ok(());
        }
        *decoded = self.decode_general(key)?;
        Ok(())
    }

    /// As [`KeySchema::decode_into`], for the values alone.
    ///
    /// # Errors
    /// As [`KeySchema::decode`].
    pub fn decode_values<'k>(&self, key: &'k [u8], values: &mut Vec<Value<'k>>) -> Result<(), DecodeError> {
        if values.len() != self.fields.len() {
            values.resize(self.fields.len(), Value::Null);
        }
        if self.program.decode(key, values, |_, _| {}).is_none() {
            *values = self.decode_general(key)?.values;
        }
        Ok(())
    }

    /// Takes the beginning of a key apart, as the start of a region or the bound of a range is one: part by part as far as
    /// they are whole. Computed parts cannot be computed again, so they are taken as they stand.
    pub fn decode_start<'k>(&self, start: &'k [u8]) -> KeyStart<'k> {
        let mut decoder =
            Decoder { schema: self, key: start, at: 0, values: vec![Value::Null; self.fields.len()] };
        let (mut parts, mut bound) = (Vec::new(), None);
        for step in &self.steps {
            let from = decoder.at;
            let is_whole = !decoder.rest().is_empty()
                && match step {
                    Step::Literal(literal) => decoder.literal(literal).is_ok(),
                    Step::Value(value) => value.boundary != Boundary::Unclear && decoder.value(value).is_ok(),
                };
            if !is_whole {
                decoder.at = from;
                if let Step::Value(step) = step {
                    bound = decoder.bound(step);
                }
                break;
            }
            let Step::Value(step) = step else { continue };
            parts.push(match step.recovers() {
                Some(field) => {
                    let value = decoder.values.get(field.0).cloned().unwrap_or_default();
                    (self.fields.get(field).name.clone(), value)
                }
                None => {
                    let bytes = start.get(from..decoder.at).unwrap_or_default();
                    let label = step.label.trim_start_matches('[').trim_end_matches(']').to_owned();
                    (label, Value::Text(shown(step, bytes).into()))
                }
            });
        }
        KeyStart { parts, rest: decoder.rest(), bound }
    }

    /// Where a part that begins at `at` ends in a key; `None` if the key has no such part there.
    pub(crate) fn step_end(&self, step: &ValueStep, key: &[u8], at: usize) -> Option<usize> {
        let mut decoder = Decoder { schema: self, key, at, values: Vec::new() };
        decoder.read(step).ok()?;
        Some(decoder.at)
    }

    #[inline(never)]
    fn decode_general<'k>(&self, key: &'k [u8]) -> Result<DecodedKey<'k>, DecodeError> {
        if key.is_empty() {
            return Err(DecodeError::EmptyKey);
        }
        let mut decoder = Decoder { schema: self, key, at: 0, values: vec![Value::Null; self.fields.len()] };
        let mut spans = Vec::with_capacity(self.steps.len());
        let mut whole = true;
        for step in &self.steps {
            let start = decoder.at;
            match step {
                // Nothing from here on can be told apart; what came before stands.
                Step::Value(value) if value.boundary == Boundary::Unclear => {
                    whole = false;
                    break;
                }
                Step::Value(value) => decoder.value(value)?,
                Step::Literal(literal) => decoder.literal(literal)?,
            }
            spans.push(Span::new(start, decoder.at));
        }
        if whole && decoder.at < key.len() {
            return Err(DecodeError::TooLong { offset: decoder.at, key: key.to_vec() });
        }
        decoder.check_computed(&spans)?;
        Ok(DecodedKey { values: decoder.values, spans })
    }
}

struct Decoder<'s, 'k> {
    schema: &'s KeySchema,
    key: &'k [u8],
    at: usize,
    values: Vec<Value<'k>>,
}

impl<'k> Decoder<'_, 'k> {
    fn rest(&self) -> &'k [u8] {
        self.key.get(self.at..).unwrap_or_default()
    }

    fn literal(&mut self, literal: &[u8]) -> Result<(), DecodeError> {
        if !self.rest().starts_with(literal) {
            return Err(self.no_literal(literal));
        }
        self.at += literal.len();
        Ok(())
    }

    fn no_literal(&self, literal: &[u8]) -> DecodeError {
        DecodeError::Literal { literal: literal.to_vec(), offset: self.at, key: self.key.to_vec() }
    }

    fn bad(&self, step: &ValueStep, problem: BytesError) -> DecodeError {
        DecodeError::Value { part: step.label.clone(), offset: self.at, key: self.key.to_vec(), problem }
    }

    fn impossible(&self, step: &ValueStep, found: String) -> DecodeError {
        DecodeError::Impossible { part: step.label.clone(), found, key: self.key.to_vec() }
    }

    fn value(&mut self, step: &ValueStep) -> Result<(), DecodeError> {
        let value = self.read(step)?;
        self.recover(step, value)
    }

    /// What the first bytes of a number or time say: all values that begin so lie behind the one that ends in zeros.
    fn bound(&self, step: &ValueStep) -> Option<PartBound> {
        let Node::Field(id) = step.node else { return None };
        let field = self.schema.fields.get(id);
        if step.ty.integer().is_none() || step.nulls != Nulls::Refused || self.rest().is_empty() {
            return None;
        }
        let mut bytes = self.rest().to_vec();
        bytes.resize(step.ty.width()?, 0);
        let value = match codec::decode(&bytes, step.ty, field.ty, step.order).ok()?.0 {
            Value::Int(number) => Value::Int(number),
            Value::Time(millis) => Value::Time(millis),
            _ => return None,
        };
        Some(PartBound { field: field.name.clone(), value, order: step.order })
    }

    /// What the part's bytes say.
    fn read(&mut self, step: &ValueStep) -> Result<Value<'k>, DecodeError> {
        if self.null_mark(step)? {
            return Ok(Value::Null);
        }
        let rest = self.rest();
        let bytes = match (&step.boundary, step.width, step.ty) {
            (_, Some(width), Type::Text | Type::Bytes) => {
                let too_short = || DecodeError::TooShort {
                    part: step.label.clone(),
                    offset: self.at,
                    needed: width,
                    key: self.key.to_vec(),
                };
                rest.get(..width).ok_or_else(too_short)?
            }
            (Boundary::Literal(literal), ..) => {
                let end = rest.windows(literal.len()).position(|window| window == literal);
                rest.get(..end.ok_or_else(|| self.no_literal(literal))?).unwrap_or_default()
            }
            _ => rest,
        };
        let natural = match step.node {
            Node::Field(id) => self.schema.fields.get(id).ty,
            // The first bytes of a digest, as `fixed(n)`, are no text.
            _ if step.kind == Kind::Bytes => Type::Bytes,
            _ => step.ty,
        };
        let (value, used) =
            codec::decode(bytes, step.ty, natural, step.order).map_err(|problem| self.bad(step, problem))?;
        self.at += used;
        Ok(value)
    }

    /// Takes the mark of a nullable part; true if it says null.
    fn null_mark(&mut self, step: &ValueStep) -> Result<bool, DecodeError> {
        if step.nulls == Nulls::Refused {
            return Ok(false);
        }
        let Some(&mark) = self.rest().first() else {
            return Err(DecodeError::TooShort {
                part: step.label.clone(),
                offset: self.at,
                needed: 1,
                key: self.key.to_vec(),
            });
        };
        let null = match (step.nulls, mark) {
            (_, NOT_NULL) => false,
            (Nulls::First, NULL_FIRST) | (Nulls::Last, NULL_LAST) => true,
            (_, byte) => return Err(self.bad(step, BytesError::NotANullMark { byte })),
        };
        self.at += 1;
        Ok(null)
    }

    fn recover(&mut self, step: &ValueStep, value: Value<'k>) -> Result<(), DecodeError> {
        let fields = &self.schema.fields;
        match &step.node {
            Node::Random(count) => {
                let below = matches!(value, Value::Int(number) if (0..i128::from(*count)).contains(&number));
                return if below { Ok(()) } else { Err(self.impossible(step, value.to_string())) };
            }
            Node::RandomLetter(letters) => {
                let drawn = matches!(&value, Value::Text(text)
                    if letters.iter().any(|letter| text.strip_prefix(*letter) == Some("")));
                return if drawn { Ok(()) } else { Err(self.impossible(step, value.to_string())) };
            }
            _ => {}
        }
        match &step.node {
            // The usual case, without a detour: the part is the field.
            Node::Field(id) if fields.get(*id).ty == step.ty => return self.set(*id, value),
            node if node.source_field().is_none() => return Ok(()),
            _ => {}
        }
        match undo(&step.node, value.clone(), fields) {
            Some((field, value)) => self.set(field, value),
            None => Err(self.impossible(step, value.to_string())),
        }
    }

    fn set(&mut self, field: FieldId, value: Value<'k>) -> Result<(), DecodeError> {
        let slot = self.values.get_mut(field.0).expect("there is a value for each field");
        // A null that came back from an earlier part looks like none; computing the parts again finds the difference.
        if !slot.is_null() && *slot != value {
            let field = self.schema.fields.get(field).name.clone();
            return Err(DecodeError::TwoValues { field, key: self.key.to_vec() });
        }
        *slot = value;
        Ok(())
    }

    fn check_computed(&self, spans: &[Span]) -> Result<(), DecodeError> {
        let mut scratch = Vec::new();
        for &index in &self.schema.computed_again {
            let (Some(Step::Value(step)), Some(span)) = (self.schema.steps.get(index), spans.get(index))
            else {
                continue;
            };
            let found = self.key.get(span.start..span.end).unwrap_or_default();
            scratch.clear();
            let computed = match self.schema.row_salt.filter(|_| index == 0) {
                Some(buckets) => {
                    scratch.push(phoenix_salt(self.key.get(span.end..).unwrap_or_default(), buckets));
                    Ok(())
                }
                None => self.schema.encode_step(step, &self.values, &mut scratch),
            };
            match computed {
                Ok(()) if scratch == found => {}
                Ok(()) => {
                    let (found, expected) = (shown(step, found), shown(step, &scratch));
                    let (part, key) = (step.label.clone(), self.key.to_vec());
                    return Err(DecodeError::Derived { part, found, expected, key });
                }
                Err(_) => return Err(self.impossible(step, shown(step, found))),
            }
        }
        Ok(())
    }
}

/// A part's bytes as people read them.
fn shown(step: &ValueStep, bytes: &[u8]) -> String {
    match codec::decode(bytes, step.ty, step.ty, step.order) {
        Ok((value, _)) if step.nulls == Nulls::Refused => value.to_string(),
        _ => escape(bytes).to_string(),
    }
}

/// The field and value that an expression of this value came from; `None` if it cannot be one.
fn undo<'k>(node: &Node, value: Value<'k>, fields: &Fields) -> Option<(FieldId, Value<'k>)> {
    if value.is_null() {
        return node.source_field().map(|field| (field, Value::Null));
    }
    match node {
        Node::Field(id) => {
            let ty = fields.get(*id).ty;
            let value = match value {
                Value::Int(number) => {
                    codec::in_range(number, ty).ok()?;
                    Value::of_number(number, ty.kind())?
                }
                other => other,
            };
            Some((*id, value))
        }
        Node::Cast(node, _) => undo(node, value, fields),
        Node::FromLongMax(node) => undo(node, Value::Int(i128::from(i64::MAX) - integer(&value)?), fields),
        Node::Arithmetic(operator, left, right) => {
            let result = integer(&value)?;
            let (node, number) = match (&**left, &**right, operator) {
                (node, Node::Number(by), Operator::Add) | (Node::Number(by), node, Operator::Add) => {
                    (node, result.checked_sub(*by)?)
                }
                (node, Node::Number(by), Operator::Subtract) => (node, result.checked_add(*by)?),
                (Node::Number(from), node, Operator::Subtract) => (node, from.checked_sub(result)?),
                _ => return None,
            };
            undo(node, Value::Int(number), fields)
        }
        Node::Str(node) => {
            let Value::Text(text) = &value else { return None };
            let number: i128 = text.parse().ok()?;
            if number.to_string() == *text { undo(node, Value::Int(number), fields) } else { None }
        }
        Node::Reverse(node) => {
            let Value::Text(text) = &value else { return None };
            let reversed: String = text.chars().rev().collect();
            match node.shape(fields).ty {
                Some(ty @ Type::Decimal(_)) => undo(node, read(&reversed, ty).ok()?.into_owned(), fields),
                _ => undo(node, Value::Text(reversed.into()), fields),
            }
        }
        Node::Pad(side, node, pad, _) => {
            let Value::Text(text) = &value else { return None };
            let pad = char::from(*pad);
            let stripped = match side {
                Side::Left => text.trim_start_matches(pad),
                Side::Right => text.trim_end_matches(pad),
            };
            undo(node, Value::Text(stripped.to_owned().into()), fields)
        }
        Node::Code(node, codes) => {
            let Value::Text(text) = &value else { return None };
            let (from, _) = codes.iter().find(|(_, code)| code == text)?;
            undo(node, Value::Text(from.clone().into()), fields)
        }
        _ => None,
    }
}

fn integer(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Time(millis) => Some((*millis).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However few bytes of a time are known, every key that begins with them is on the side that the bound says.
    #[test]
    fn a_part_that_is_cut_off_bounds_its_field() {
        let times = [-1, 0, 1, 255, 256, 1_735_689_600_000, 1_735_689_600_001, i64::from(u32::MAX)];
        for (order, sign) in [("", '≥'), (" desc", '≤')] {
            let key = KeySchema::parse(&format!("[user: u16][ts: timestamp{order}]")).unwrap();
            for ts in times {
                let mut bytes = Vec::new();
                key.encode(&[Value::Int(7), Value::Time(ts)], &mut bytes).unwrap();
                for cut in 3..bytes.len() {
                    let start = key.decode_start(&bytes[..cut]);
                    let bound = start.bound.as_ref().expect("a byte of the time is there");
                    let Value::Time(value) = bound.value else { panic!("{bound}") };
                    assert!(
                        if sign == '≥' { value <= ts } else { value >= ts },
                        "{ts}, {cut} bytes: {bound}"
                    );
                    assert_eq!(start.to_string(), format!("user=7 ts{sign}{}", bound.value));
                }
                assert_eq!(key.decode_start(&bytes).bound, None);
                assert_eq!(key.decode_start(&bytes[..2]).bound, None);
            }
        }
    }

    /// Whole keys, cut ones and those with a wrong byte: what is quick says nothing that the general way does not.
    #[test]
    fn texts_with_an_end_mark_are_read_quickly_and_alike() {
        for source in [
            "[a: escaped]",
            "[a: escaped][n: u32]",
            "[n: u32][a: escaped][b: escaped]",
            "[salt(4, n)][a: escaped][n: u32]",
            "[a: escaped][salt(4, n)][n: u32]",
            "[a: escaped]_[n: u32][b]",
            "[a: escaped desc][n: u32]",
            "[a: escaped?][n: u32]",
        ] {
            let key = KeySchema::parse(source).unwrap();
            for (a, b) in [("", ""), ("x", "y"), ("a\0b", "\0"), ("übel", "a_b"), ("\0", "x")] {
                let value = |field: &str| match field {
                    "n" => Value::Int(77),
                    "a" => Value::Text(a.into()),
                    _ => Value::Text(b.into()),
                };
                let record: Vec<Value<'_>> =
                    key.fields().iter().map(|(_, field)| value(&field.name)).collect();
                let mut bytes = Vec::new();
                key.encode(&record, &mut bytes).unwrap();
                assert_eq!(key.decode(&bytes).unwrap().values, record, "{source}");
                let cut = (0..bytes.len()).map(|end| bytes[..end].to_vec());
                let wrong = (0..bytes.len()).flat_map(|at| {
                    [0x01, 0xFF, 0x80].map(|flip| {
                        let mut other = bytes.clone();
                        other[at] ^= flip;
                        other
                    })
                });
                for other in cut.chain(wrong).chain([bytes.clone()]) {
                    assert_eq!(key.decode(&other), key.decode_general(&other), "{source}: {other:02x?}");
                }
            }
        }
    }
}
