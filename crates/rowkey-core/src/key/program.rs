//! The fast path for plain fields without nulls: numbers, salts of one number, and text.
//!
//! Most steps of most keys are a field as it is: a number, a text. A [`Program`] knows these without looking at nodes and
//! types: runs of numbers, each followed by something else. The general way ([`super::encode`], [`super::decode`]) takes
//! over for every other step, and wherever a value or a key is not what it usually is; it has the words for what is wrong.

use std::borrow::Cow;
use std::num::NonZeroU32;

use super::node::{BucketFunction, Input, Node};
use super::schema::{Boundary, Fields, Step, ValueStep};
use crate::codec::{self, NumberForm, copy_short};
use crate::hash::{Buckets, Murmur3};
use crate::types::{Nulls, Order, Type};
use crate::utf8;
use crate::value::Value;

/// Room that is made behind a key: for numbers, and a text of usual length.
const ROOM: usize = 64;

/// The steps of a key as they usually go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Program {
    runs: Vec<Run>,
    /// Whether keys can be decoded by it.
    decodes: bool,
    /// Whether a salt has to be compared then.
    salted: bool,
    /// The fields that do not come back.
    absent: Vec<usize>,
}

/// Some numbers and what follows them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    numbers: Vec<Number>,
    then: Then,
}

/// A step that is a number field, or the salt of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    field: usize,
    form: NumberForm,
    salt: Option<Salt>,
    /// How many bytes it adds.
    width: usize,
    step: usize,
}

/// The bucket of a number, as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Salt {
    buckets: Buckets,
    form: NumberForm,
}

/// A step of a key in which everything but a text at its end has one place ([`Program::layout`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Laid<'p> {
    Literal(&'p [u8]),
    Number { field: usize, form: NumberForm },
    Salt { field: usize, input: NumberForm, salt: Salt },
    Text { field: usize },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Then {
    /// Text that ends with the key, or that decoding does not give back.
    Text {
        field: usize,
        step: usize,
    },
    /// A text with an end mark.
    Escaped {
        field: usize,
        step: usize,
    },
    Literal(Vec<u8>),
    /// Anything else.
    General {
        step: usize,
    },
    /// The end of the key.
    End,
}

impl Program {
    pub(super) fn new(steps: &[Step], fields: &Fields, computed_again: &[usize]) -> Self {
        let mut runs = Vec::new();
        let mut numbers = Vec::new();
        let mut decodes = true;
        let (mut taken, mut marked) = (Vec::new(), false);
        for (index, step) in steps.iter().enumerate() {
            let then = match step {
                Step::Literal(bytes) => Then::Literal(bytes.clone()),
                Step::Value(step) => {
                    let then = usual(step, index);
                    if let Some(id) = step.field() {
                        // A field comes back at once from the only part that has it, if it has its own type there.
                        decodes &= comes_back(fields.get(id).ty, step.ty) && !taken.contains(&id);
                        taken.push(id);
                    }
                    match then {
                        Ok(number) => {
                            // Behind a text with an end mark, a salt has no place of its own.
                            let is_compared = computed_again.contains(&index) && !marked;
                            decodes &= number.salt.is_none() || is_compared;
                            numbers.push(number);
                            continue;
                        }
                        Err(then) => then,
                    }
                }
            };
            decodes &= match &then {
                Then::Text { .. } => index + 1 == steps.len(),
                Then::Literal(_) | Then::Escaped { .. } | Then::End => true,
                Then::General { .. } => false,
            };
            marked |= matches!(then, Then::Escaped { .. });
            runs.push(Run { numbers: std::mem::take(&mut numbers), then });
        }
        if !numbers.is_empty() {
            runs.push(Run { numbers, then: Then::End });
        }
        let absent =
            fields.iter().map(|(id, _)| id).filter(|id| !taken.contains(id)).map(|id| id.0).collect();
        let salted = runs.iter().flat_map(|run| &run.numbers).any(|number| number.salt.is_some());
        Self { runs, decodes, salted, absent }
    }

    /// Adds the key of a record to `out`. `general` adds the bytes of a step in the general way.
    #[inline]
    pub(super) fn encode<E>(
        &self,
        record: &[Value<'_>],
        out: &mut Vec<u8>,
        mut general: impl FnMut(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        for run in &self.runs {
            let mut numbers = run.numbers.as_slice();
            let end = loop {
                // Room behind the end, so that a store costs no look at the capacity.
                let start = out.len();
                out.extend_from_slice(&[0; ROOM]);
                let room = out.last_chunk_mut::<ROOM>().expect("it was just added");
                let (length, done) = put_numbers(numbers, record, room);
                let Some(unusual) = numbers.get(done) else { break start + length };
                out.truncate(start + length);
                general(unusual.step, out)?;
                numbers = numbers.get(done + 1..).unwrap_or_default();
            };
            let string = match &run.then {
                Then::Text { field, step } => match record.get(*field) {
                    Some(Value::Text(text)) => text.as_bytes(),
                    _ => {
                        out.truncate(end);
                        general(*step, out)?;
                        continue;
                    }
                },
                Then::Escaped { field, step } => {
                    out.truncate(end);
                    match record.get(*field) {
                        Some(Value::Text(text)) => codec::escape_zeros(text.as_bytes(), out),
                        _ => general(*step, out)?,
                    }
                    continue;
                }
                Then::Literal(bytes) => bytes.as_slice(),
                Then::General { step } => {
                    out.truncate(end);
                    general(*step, out)?;
                    continue;
                }
                Then::End => &[],
            };
            match out.get_mut(end..end + string.len()) {
                Some(slot) => {
                    copy_short(slot, string);
                    out.truncate(end + string.len());
                }
                None => {
                    out.truncate(end);
                    out.extend_from_slice(string);
                }
            }
        }
        Ok(())
    }

    /// Takes a key apart; `None` if the general way has to, for its result or for its words. `part` takes the bytes of
    /// each step, from where to where.
    #[inline]
    pub(super) fn decode<'k>(
        &self,
        key: &'k [u8],
        values: &mut [Value<'k>],
        mut part: impl FnMut(usize, usize),
    ) -> Option<()> {
        if !self.decodes || key.is_empty() {
            return None;
        }
        for field in &self.absent {
            *values.get_mut(*field)? = Value::Null;
        }
        let mut at = 0;
        for run in &self.runs {
            for number in &run.numbers {
                part(at, at + number.width);
                // A salt is compared below, when its field is known.
                if number.salt.is_none() {
                    let found = number.form.number(word(key, at, number.width)?);
                    // A value of the same kind is most likely there already; then nothing has to be dropped.
                    match (values.get_mut(number.field)?, number.form.is_time()) {
                        (Value::Int(slot), false) => *slot = found,
                        (Value::Time(slot), true) => *slot = found as i64,
                        (slot, false) => *slot = Value::Int(found),
                        (slot, true) => *slot = Value::Time(found as i64),
                    }
                }
                at += number.width;
            }
            let start = at;
            match &run.then {
                Then::Text { field, .. } => {
                    set_text(values.get_mut(*field)?, key.get(at..)?)?;
                    at = key.len();
                }
                Then::Escaped { field, .. } => {
                    let text = codec::unescaped(key.get(at..)?)?;
                    set_text(values.get_mut(*field)?, text)?;
                    at += text.len() + codec::TERMINATOR.len();
                }
                Then::Literal(bytes) => {
                    if !key.get(at..)?.starts_with(bytes) {
                        return None;
                    }
                    at += bytes.len();
                }
                Then::General { .. } => return None,
                Then::End => continue,
            }
            part(start, at);
        }
        let agrees = at == key.len() && (!self.salted || self.agrees(key, values));
        agrees.then_some(())
    }

    /// The steps in order, if every field comes back at once from its only part, all numbers and literals stand at the
    /// same places in every key, and a text, if there is one, is the last.
    pub(crate) fn layout(&self) -> Option<Vec<Laid<'_>>> {
        let laid = |number: &Number| match number.salt {
            None => Laid::Number { field: number.field, form: number.form },
            Some(salt) => Laid::Salt { field: number.field, input: number.form, salt },
        };
        let mut steps = Vec::new();
        for run in &self.runs {
            steps.extend(run.numbers.iter().map(laid));
            match &run.then {
                Then::Text { field, .. } => steps.push(Laid::Text { field: *field }),
                Then::Literal(bytes) => steps.push(Laid::Literal(bytes)),
                Then::Escaped { .. } | Then::General { .. } => return None,
                Then::End => {}
            }
        }
        (self.decodes && self.absent.is_empty()).then_some(steps)
    }

    /// Whether the salts are those of the fields.
    #[inline(never)]
    fn agrees(&self, key: &[u8], values: &[Value<'_>]) -> bool {
        let (mut at, mut is_marked) = (0, false);
        self.runs.iter().all(|run| {
            // Nothing is compared behind a text with an end mark.
            if is_marked {
                return true;
            }
            let numbers = run.numbers.iter().all(|number| {
                let found = key.get(at..at + number.width);
                at += number.width;
                number.salt.is_none()
                    || number.bytes(values).as_ref().is_some_and(|bytes| bytes.get(..number.width) == found)
            });
            if let Then::Literal(bytes) = &run.then {
                at += bytes.len();
            }
            is_marked = matches!(run.then, Then::Escaped { .. });
            numbers
        })
    }
}

/// Writes the bytes of numbers one after another; says how many bytes, and how many numbers, up to the first that is
/// unusual or has no room.
#[inline(always)]
fn put_numbers(numbers: &[Number], record: &[Value<'_>], room: &mut [u8; ROOM]) -> (usize, usize) {
    let mut at = 0;
    for (index, number) in numbers.iter().enumerate() {
        let (Some(bytes), Some(slot)) = (number.bytes(record), room.get_mut(at..at + 8)) else {
            return (at, index);
        };
        // All eight, which is one store whatever the width; the next step writes over what is not its own.
        slot.copy_from_slice(&bytes);
        at += number.width;
    }
    (at, numbers.len())
}

/// Whether a part of one type says what a field of another has, without a look at the value.
fn comes_back(field: Type, part: Type) -> bool {
    field == part || matches!((field, part), (Type::Text, Type::Escaped))
}

/// A text is most likely there already; then nothing has to be dropped. `None` if the bytes are no text.
#[inline]
fn set_text<'k>(slot: &mut Value<'k>, bytes: &'k [u8]) -> Option<()> {
    let text = utf8::check(bytes).ok()?;
    match slot {
        Value::Text(Cow::Borrowed(slot)) => *slot = text,
        slot => *slot = Value::Text(Cow::Borrowed(text)),
    }
    Some(())
}

/// What a step usually does.
fn usual(step: &ValueStep, index: usize) -> Result<Number, Then> {
    let general = Then::General { step: index };
    if step.nulls != Nulls::Refused {
        return Err(general);
    }
    match &step.node {
        Node::Field(id) => match (NumberForm::of(step.ty, step.order), step.ty, &step.boundary) {
            (Some(form), ..) => {
                Ok(Number { field: id.0, form, salt: None, width: form.width(), step: index })
            }
            // The delimiter of a text has to be looked for.
            (None, Type::Text, Boundary::KeyEnd | Boundary::Unclear) => {
                Err(Then::Text { field: id.0, step: index })
            }
            (None, Type::Escaped, _) if step.order == Order::Ascending => {
                Err(Then::Escaped { field: id.0, step: index })
            }
            _ => Err(general),
        },
        Node::Bucket(BucketFunction::Salt, buckets, inputs) => {
            let [Input { node: Node::Field(id), ty }] = inputs.as_slice() else { return Err(general) };
            let input = NumberForm::of(*ty, Order::Ascending);
            match (input, NumberForm::of(step.ty, step.order), NonZeroU32::new(*buckets)) {
                // Every bucket fits if the last one does.
                (Some(form), Some(salt), Some(buckets))
                    if salt.fit_unsigned(&[u64::from(buckets.get() - 1)]) =>
                {
                    let width = salt.width();
                    let salt = Some(Salt { buckets: Buckets::new(buckets), form: salt });
                    Ok(Number { field: id.0, form, salt, width, step: index })
                }
                _ => Err(general),
            }
        }
        _ => Err(general),
    }
}

impl Number {
    /// Its bytes in a record; `None` if the field is not a number there, or does not fit.
    #[inline(always)]
    fn bytes(&self, record: &[Value<'_>]) -> Option<[u8; 8]> {
        let bytes = match record.get(self.field) {
            Some(Value::Int(number)) if !self.form.is_time() => self.form.bytes(*number)?,
            Some(Value::Time(millis)) => self.form.bytes((*millis).into())?,
            _ => return None,
        };
        match self.salt {
            None => Some(bytes),
            Some(salt) => Some(salt.bytes(bytes, self.form.width())),
        }
    }
}

impl Salt {
    /// How many bytes it has in a key.
    pub(crate) fn width(self) -> usize {
        self.form.width()
    }

    /// The salt of `width` bytes as a number, whose last bytes are its own in a key.
    #[inline(always)]
    pub(crate) fn word(self, bytes: [u8; 8], width: usize) -> u64 {
        let hash = match width {
            8 => Murmur3::of_eight(bytes),
            width => {
                let mut hash = Murmur3::new(Murmur3::SEED);
                hash.update(bytes.get(..width).unwrap_or_default());
                hash
            }
        };
        self.form.word_of_unsigned(hash.bucket(self.buckets).into())
    }

    /// The bytes of the salt of `width` bytes, at the front.
    #[inline]
    fn bytes(self, bytes: [u8; 8], width: usize) -> [u8; 8] {
        (self.word(bytes, width) << (64 - 8 * self.width())).to_be_bytes()
    }
}

/// The `width` bytes of a key at a place, first byte highest.
#[inline(always)]
fn word(key: &[u8], at: usize, width: usize) -> Option<[u8; 8]> {
    let rest = key.get(at..)?;
    if let Some(bytes) = rest.first_chunk::<8>() {
        // More than it has may be read; only `width` of them count.
        return Some(*bytes);
    }
    let mut bytes = [0; 8];
    bytes.get_mut(..width)?.copy_from_slice(rest.get(..width)?);
    Some(bytes)
}
