//! From keys to columns of records.
//!
//! Numbers are read a column at a time; texts stay where they are, in the arena of keys. Every part that can be computed
//! from the fields is computed again, a column at a time too, and compared. A batch with a key that does not fit is gone
//! through key by key for the first error; so is a key with parts that only a closer look can undo.

use super::column::{Column, ColumnBuffer, Strings, Values};
use super::keys::KeyBatch;
use super::numbers::{self, Number, Place, Sign};
use super::pieces::{Records, Scratch};
use crate::codec::NumberForm;
use crate::hashes::phoenix_salt;
use crate::key::node::Node;
use crate::key::{Boundary, DecodeError, FieldId, KeySchema, Step, ValueStep};
use crate::types::{Nulls, Order, Type};
use crate::utf8;
use crate::value::Value;

/// Decodes batches of keys; keeps its working memory from batch to batch.
#[derive(Debug)]
pub struct BatchDecoder<'s> {
    schema: &'s KeySchema,
    /// How to read each step a column at a time; `None` if some step needs a closer look.
    plan: Option<Vec<Read>>,
    /// What was read for each field.
    columns: Vec<Decoded>,
    scratch: Vec<Scratch>,
    cursor: Vec<u32>,
}

/// How a step's bytes are read.
#[derive(Debug, Clone)]
enum Read {
    Literal(Vec<u8>),
    /// A field that is a number.
    Number(FieldId, NumberForm, Sign),
    /// A field that is text (checked) or bytes, and where it ends.
    String(FieldId, End, Check),
    /// A computed part of a fixed width; with the number of its step if it is computed again.
    Skip(usize, Option<usize>),
}

#[derive(Debug, Clone)]
enum End {
    Key,
    Width(usize),
    Literal(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Utf8,
    /// Text that the caller guarantees to be UTF-8.
    Trusted,
    /// Not text.
    None,
}

/// Where the strings of a field start and end.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// None if they start with their keys.
    starts: Vec<u32>,
    /// How far behind its start each begins.
    skip: u32,
    /// None if they end with their keys.
    ends: Vec<u32>,
}

/// What was read for a field.
#[derive(Debug)]
pub(super) enum Decoded {
    /// It does not come back from the key, or nothing was read yet.
    Nothing,
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Time(Vec<i64>),
    Text(Places),
    Bytes(Places),
    /// Key by key.
    Values(ColumnBuffer),
}

/// A key of a batch that the schema did not write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("key {row} of the batch: {problem}")]
pub struct BatchDecodeError {
    /// Its place in the batch, from 0 on.
    pub row: usize,
    /// What is wrong with it.
    pub problem: DecodeError,
}

/// What the keys of a batch say.
#[derive(Debug, Clone, Copy)]
pub struct DecodedBatch<'a> {
    keys: &'a KeyBatch,
    columns: &'a [Decoded],
}

impl<'a> DecodedBatch<'a> {
    /// The values of a field; `None` if it does not come back from the key.
    pub fn column(&self, field: FieldId) -> Option<Column<'a>> {
        let strings = |Places { starts, skip, ends }: &'a Places| {
            let (key_starts, key_ends) = self.keys.places();
            let starts = if starts.is_empty() { key_starts } else { starts };
            let ends = if ends.is_empty() { key_ends } else { ends };
            Strings::trusted(self.keys.arena(), starts, ends).skipping(*skip)
        };
        Some(match self.columns.get(field.0)? {
            Decoded::Nothing => return None,
            Decoded::Signed(numbers) => Column::new(Values::I64(numbers)),
            Decoded::Unsigned(numbers) => Column::new(Values::U64(numbers)),
            Decoded::Time(times) => Column::new(Values::Time(times)),
            Decoded::Text(places) => Column::new(Values::Text(strings(places))),
            Decoded::Bytes(places) => Column::new(Values::Bytes(strings(places))),
            Decoded::Values(buffer) => buffer.column(),
        })
    }

    /// The value of a field in the key `row`; null if it does not come back.
    pub fn value(&self, field: FieldId, row: usize) -> Value<'a> {
        self.column(field).map_or(Value::Null, |column| column.value(row))
    }

    /// How many keys were decoded.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

impl<'s> BatchDecoder<'s> {
    /// A decoder for a key.
    pub fn new(schema: &'s KeySchema) -> Self {
        Self {
            schema,
            plan: plan(schema),
            columns: schema.fields().iter().map(|_| Decoded::Nothing).collect(),
            scratch: vec![Scratch::default(); schema.steps().len()],
            cursor: Vec::new(),
        }
    }

    /// Does not look into texts: one that is not UTF-8 is then no error, and comes back as bytes. For keys that are known
    /// to be good, as those of one's own table; it saves a third of the time.
    pub fn text_as_it_is(mut self) -> Self {
        for read in self.plan.iter_mut().flatten() {
            if let Read::String(_, _, check) = read
                && *check == Check::Utf8
            {
                *check = Check::Trusted;
            }
        }
        self
    }

    /// Takes the keys apart.
    ///
    /// # Errors
    /// Of the first key that the schema did not write, as [`KeySchema::decode`].
    pub fn decode<'a>(&'a mut self, keys: &'a KeyBatch) -> Result<DecodedBatch<'a>, BatchDecodeError> {
        let read = match &self.plan {
            Some(plan) => read(plan, keys, &mut self.columns, &mut self.cursor)
                .and_then(|()| agree(self.schema, plan, keys, &self.columns, &mut self.scratch)),
            None => None,
        };
        if read.is_none() {
            self.by_rows(keys)?;
        }
        Ok(DecodedBatch { keys, columns: &self.columns })
    }

    fn by_rows(&mut self, keys: &KeyBatch) -> Result<(), BatchDecodeError> {
        let back = self.schema.recoverable();
        for ((id, field), decoded) in self.schema.fields().iter().zip(&mut self.columns) {
            *decoded = Decoded::Nothing;
            if back.contains(&id) {
                *decoded = Decoded::Values(ColumnBuffer::new(field.ty));
            }
        }
        for (row, key) in keys.iter().enumerate() {
            let found = self.schema.decode(key).map_err(|problem| BatchDecodeError { row, problem })?;
            for (decoded, value) in self.columns.iter_mut().zip(&found.values) {
                if let Decoded::Values(buffer) = decoded {
                    // What a schema decodes is of the field's type, and no longer than its key.
                    buffer.push(value).expect("a decoded value fits its field");
                }
            }
        }
        Ok(())
    }
}

/// How the steps are read a column at a time, if all of them can be.
fn plan(schema: &KeySchema) -> Option<Vec<Read>> {
    let mut taken: Vec<FieldId> = Vec::new();
    let steps = schema.steps().iter().enumerate();
    steps
        .map(|(index, step)| match step {
            Step::Literal(bytes) => Some(Read::Literal(bytes.clone())),
            Step::Value(step) if step.nulls != Nulls::Refused => None,
            Step::Value(step) => match step.node {
                Node::Field(id) if !taken.contains(&id) && schema.fields().get(id).ty == step.ty => {
                    taken.push(id);
                    field(step, id)
                }
                // A random part is known to be below its count; that asks for a look at each.
                _ if step.is_random() || step.recovers().is_some() => None,
                _ if schema.computes_again(index) => step.width.map(|width| Read::Skip(width, Some(index))),
                // All bytes are some number; of other types each must be looked at.
                _ => NumberForm::of(step.ty, step.order).map(|form| Read::Skip(form.width(), None)),
            },
        })
        .collect()
}

fn field(step: &ValueStep, id: FieldId) -> Option<Read> {
    if let Some(form) = NumberForm::of(step.ty, step.order) {
        let sign = match (form.is_time(), step.ty.integer_range()) {
            (true, _) => Sign::Time,
            (false, Some((0, _))) => Sign::Unsigned,
            (false, _) => Sign::Signed,
        };
        return Some(Read::Number(id, form, sign));
    }
    if step.order == Order::Descending {
        return None;
    }
    let (end, check) = match (step.ty, &step.boundary) {
        (Type::Text, Boundary::KeyEnd) => (End::Key, Check::Utf8),
        (Type::Bytes, Boundary::KeyEnd) => (End::Key, Check::None),
        (Type::Text, Boundary::Literal(literal)) => (End::Literal(literal.clone()), Check::Utf8),
        (Type::Bytes, Boundary::Literal(literal)) => (End::Literal(literal.clone()), Check::None),
        (Type::Fixed(width), _) => (End::Width(width.into()), Check::Utf8),
        _ => return None,
    };
    Some(Read::String(id, end, check))
}

/// Reads all keys step by step; `None` if one of them does not fit.
fn read(plan: &[Read], keys: &KeyBatch, columns: &mut [Decoded], cursor: &mut Vec<u32>) -> Option<()> {
    let arena = keys.arena();
    let (starts, ends) = keys.places();
    let mut distance = 0u32;
    let mut moved = false;
    if plan.iter().all(|read| matches!(read, Read::String(..)))
        && starts.iter().zip(ends).any(|(start, end)| start == end)
    {
        return None;
    }
    let mut done = 0;
    for (index, step) in plan.iter().enumerate() {
        if index < done {
            continue;
        }
        let at: &[u32] = if moved { cursor } else { starts };
        match step {
            Read::Literal(literal) => {
                let has = |&at: &u32| {
                    arena
                        .get(at.saturating_add(distance) as usize..)
                        .is_some_and(|rest| rest.starts_with(literal))
                };
                if !at.iter().all(has) {
                    return None;
                }
                distance += literal.len() as u32;
            }
            Read::Skip(width, _) => distance += *width as u32,
            Read::Number(..) => {
                let run = numbers_from(plan.get(index..).unwrap_or_default(), columns)?;
                let place = Place { at, distance };
                (done, distance) = (index + run.len(), distance + run.width());
                run.read(arena, &place);
            }
            Read::String(id, end, check) => {
                let column = columns.get_mut(id.0)?;
                let mut places = column.take_places();
                if moved {
                    places.starts.extend(at.iter().map(|at| at.saturating_add(distance)));
                } else {
                    // The starts of the keys are at hand and need no copy.
                    places.skip = distance;
                }
                let string_starts = if moved { &places.starts } else { starts };
                match end {
                    // As little do the ends.
                    End::Key => {}
                    End::Width(width) => {
                        distance += *width as u32;
                        places.ends.extend(at.iter().map(|at| at.saturating_add(distance)));
                    }
                    End::Literal(literal) => {
                        find_ends(arena, string_starts, places.skip, ends, literal, &mut places.ends)?;
                        cursor.clear();
                        cursor.extend_from_slice(&places.ends);
                        (moved, distance) = (true, 0);
                    }
                }
                let found_ends = if matches!(end, End::Key) { ends } else { &places.ends };
                if !all_good(arena, string_starts, places.skip, found_ends, *check) {
                    return None;
                }
                *column = match check {
                    Check::Utf8 | Check::Trusted => Decoded::Text(places),
                    Check::None => Decoded::Bytes(places),
                };
                if matches!(end, End::Key) && index + 1 == plan.len() {
                    return Some(());
                }
            }
        }
    }
    let at: &[u32] = if moved { cursor } else { starts };
    // Every key has ended; none of them before, so what was read was its own.
    at.iter().zip(ends).all(|(at, end)| at.saturating_add(distance) == *end).then_some(())
}

impl Decoded {
    /// No places, with the memory of those that it held.
    fn take_places(&mut self) -> Places {
        match std::mem::replace(self, Self::Nothing) {
            Self::Text(mut places) | Self::Bytes(mut places) => {
                places.starts.clear();
                places.ends.clear();
                places.skip = 0;
                places
            }
            _ => Places::default(),
        }
    }
}

/// Numbers that are read together.
enum Numbers<'c> {
    One(Number<'c>),
    Two(Number<'c>, Number<'c>),
    Three([Number<'c>; 3]),
}

/// As many of the numbers at the front of a plan as can be read together.
fn numbers_from<'c>(plan: &[Read], columns: &'c mut [Decoded]) -> Option<Numbers<'c>> {
    let wide = |form: &NumberForm| form.width() == 8;
    Some(match plan {
        [
            Read::Number(a, a_form, a_sign),
            Read::Number(b, b_form, b_sign),
            Read::Number(c, c_form, c_sign),
            ..,
        ] if wide(b_form) && wide(c_form) => {
            let [a, b, c] = columns.get_disjoint_mut([a.0, b.0, c.0]).ok()?;
            Numbers::Three([
                Number { form: *a_form, sign: *a_sign, column: a },
                Number { form: *b_form, sign: *b_sign, column: b },
                Number { form: *c_form, sign: *c_sign, column: c },
            ])
        }
        [Read::Number(a, a_form, a_sign), Read::Number(b, b_form, b_sign), ..]
            if wide(a_form) && wide(b_form) =>
        {
            let [a, b] = columns.get_disjoint_mut([a.0, b.0]).ok()?;
            Numbers::Two(
                Number { form: *a_form, sign: *a_sign, column: a },
                Number { form: *b_form, sign: *b_sign, column: b },
            )
        }
        [Read::Number(a, form, sign), ..] => {
            Numbers::One(Number { form: *form, sign: *sign, column: columns.get_mut(a.0)? })
        }
        _ => return None,
    })
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(..) => 2,
            Self::Three(_) => 3,
        }
    }

    fn width(&self) -> u32 {
        let first = match self {
            Self::One(first) | Self::Two(first, _) | Self::Three([first, ..]) => first.form.width(),
        };
        (first + 8 * (self.len() - 1)) as u32
    }

    fn read(self, arena: &[u8], place: &Place<'_>) {
        match self {
            Self::One(number) => numbers::one(arena, place, number),
            Self::Two(one, other) => numbers::two(arena, place, one, other),
            Self::Three(three) => numbers::three(arena, place, three),
        }
    }
}

fn find_ends(
    arena: &[u8],
    starts: &[u32],
    skip: u32,
    key_ends: &[u32],
    literal: &[u8],
    ends: &mut Vec<u32>,
) -> Option<()> {
    for (start, &end) in starts.iter().zip(key_ends) {
        let start = start.saturating_add(skip);
        let text = arena.get(start as usize..end as usize)?;
        let length = match literal {
            [byte] => text.iter().position(|found| found == byte)?,
            literal => text.windows(literal.len()).position(|window| window == literal)?,
        };
        ends.push(start + length as u32);
    }
    Some(())
}

/// Whether no string ends before it starts, as in a key that is too short, and all are UTF-8 if that is asked.
fn all_good(arena: &[u8], starts: &[u32], skip: u32, ends: &[u32], check: Check) -> bool {
    let mut places = starts.iter().zip(ends).map(|(start, end)| (start.saturating_add(skip), *end));
    if check == Check::Utf8 {
        return places.all(|(start, end)| {
            arena.get(start as usize..end as usize).is_some_and(|text| utf8::check(text).is_ok())
        });
    }
    // All of them, so that it is a loop over vectors.
    places.fold(0, |backwards, (start, end)| backwards | u32::from(start > end)) == 0
}

/// Computes again what the fields give, and compares.
fn agree(
    schema: &KeySchema,
    plan: &[Read],
    keys: &KeyBatch,
    decoded: &[Decoded],
    scratch: &mut [Scratch],
) -> Option<()> {
    if !plan.iter().any(|read| matches!(read, Read::Skip(_, Some(_)))) {
        return Some(());
    }
    let batch = DecodedBatch { keys, columns: decoded };
    let no_column = Column::new(Values::I64(&[]));
    let columns: Vec<Column<'_>> =
        schema.fields().iter().map(|(id, _)| batch.column(id).unwrap_or(no_column)).collect();
    let records = Records { schema, columns: &columns, rows: keys.len() };
    // Where each computed part starts: at a fixed distance, or behind the text read last.
    let (starts, _) = keys.places();
    let (mut at, mut distance) = (starts, 0usize);
    for (read, scratch) in plan.iter().zip(scratch) {
        match read {
            Read::Literal(literal) => distance += literal.len(),
            Read::Number(_, form, _) => distance += form.width(),
            Read::String(id, End::Literal(_), _) => {
                let (Decoded::Text(places) | Decoded::Bytes(places)) = decoded.get(id.0)? else {
                    return None;
                };
                (at, distance) = (&places.ends, 0);
            }
            Read::String(_, End::Width(width), _) => distance += width,
            Read::String(_, End::Key, _) => break,
            Read::Skip(width, None) => distance += width,
            Read::Skip(width, Some(index)) => {
                let agrees = match schema.row_salt.filter(|_| *index == 0) {
                    Some(buckets) => keys.iter().all(|key| {
                        key.split_first().is_some_and(|(salt, behind)| *salt == phoenix_salt(behind, buckets))
                    }),
                    None => records.piece(schema.steps().get(*index)?, scratch, &mut [])?.stands_at(
                        keys.arena(),
                        at,
                        *width,
                        distance,
                    ),
                };
                if !agrees {
                    return None;
                }
                distance += width;
            }
        }
    }
    Some(())
}
