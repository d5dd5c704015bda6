//! From keys to columns of records.
//!
//! Numbers are read a column at a time; texts stay where they are, in the arena of keys. Every part that can be computed
//! from the fields is computed again, a column at a time too, and compared. A batch with a key that does not fit is gone
//! through key by key for the first error; so is a key with parts that only a closer look can undo.

use super::column::{Column, ColumnBuffer, Strings, Values};
use super::keys::KeyBatch;
use super::pieces::{Records, Scratch};
use crate::codec::NumberForm;
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

/// Which column takes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
    Time,
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
    /// Text that somebody vouches for.
    Trusted,
    /// Not text.
    None,
}

/// What was read for a field.
#[derive(Debug)]
enum Decoded {
    /// It does not come back from the key, or nothing was read yet.
    Nothing,
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Time(Vec<i64>),
    /// Where the texts start and end; without ends, at the ends of their keys.
    Text(Vec<u32>, Vec<u32>),
    Bytes(Vec<u32>, Vec<u32>),
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
        let strings = |starts: &'a [u32], ends: &'a [u32]| {
            let ends = if ends.is_empty() { self.keys.places().1 } else { ends };
            Strings::trusted(self.keys.arena(), starts, ends)
        };
        Some(match self.columns.get(field.0)? {
            Decoded::Nothing => return None,
            Decoded::Signed(numbers) => Column::new(Values::I64(numbers)),
            Decoded::Unsigned(numbers) => Column::new(Values::U64(numbers)),
            Decoded::Time(times) => Column::new(Values::Time(times)),
            Decoded::Text(starts, ends) => Column::new(Values::Text(strings(starts, ends))),
            Decoded::Bytes(starts, ends) => Column::new(Values::Bytes(strings(starts, ends))),
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

/// Where the keys of a batch have been read to: `at[i] + distance`.
struct Place<'p> {
    at: &'p [u32],
    distance: u32,
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
        let place = Place { at, distance };
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
            Read::Number(id, form, sign)
                if form.width() == 8
                    && let Some(Read::Number(next, next_form, next_sign)) = plan.get(index + 1)
                    && next_form.width() == 8 =>
            {
                // Two neighbours of eight bytes, as a user and a time, cost little more than one.
                let [column, next] = columns.get_disjoint_mut([id.0, next.0]).ok()?;
                match (sign, next_sign) {
                    (Sign::Unsigned, Sign::Unsigned) => {
                        pairs::<u64, u64>(
                            arena,
                            &place,
                            (*form, *sign, column),
                            (*next_form, *next_sign, next),
                        );
                    }
                    (Sign::Unsigned, _) => {
                        pairs::<u64, i64>(
                            arena,
                            &place,
                            (*form, *sign, column),
                            (*next_form, *next_sign, next),
                        );
                    }
                    (_, Sign::Unsigned) => {
                        pairs::<i64, u64>(
                            arena,
                            &place,
                            (*form, *sign, column),
                            (*next_form, *next_sign, next),
                        );
                    }
                    _ => pairs::<i64, i64>(
                        arena,
                        &place,
                        (*form, *sign, column),
                        (*next_form, *next_sign, next),
                    ),
                }
                distance += 16;
                done = index + 2;
            }
            Read::Number(id, form, sign) => {
                let column = columns.get_mut(id.0)?;
                match form.width() {
                    1 => numbers::<1>(arena, &place, *form, *sign, column),
                    2 => numbers::<2>(arena, &place, *form, *sign, column),
                    4 => numbers::<4>(arena, &place, *form, *sign, column),
                    _ => numbers::<8>(arena, &place, *form, *sign, column),
                }
                distance += form.width() as u32;
            }
            Read::String(id, end, check) => {
                let column = columns.get_mut(id.0)?;
                let (mut string_starts, mut string_ends) = column.take_places();
                string_starts.extend(at.iter().map(|at| at.saturating_add(distance)));
                match end {
                    // The ends of the keys are at hand and need no copy.
                    End::Key => {}
                    End::Width(width) => {
                        string_ends
                            .extend(string_starts.iter().map(|start| start.saturating_add(*width as u32)));
                        distance += *width as u32;
                    }
                    End::Literal(literal) => {
                        find_ends(arena, &string_starts, ends, literal, &mut string_ends)?;
                        cursor.clear();
                        cursor.extend_from_slice(&string_ends);
                        (moved, distance) = (true, 0);
                    }
                }
                let found_ends = if matches!(end, End::Key) { ends } else { &string_ends };
                if !all_good(arena, &string_starts, found_ends, *check) {
                    return None;
                }
                *column = match check {
                    Check::Utf8 | Check::Trusted => Decoded::Text(string_starts, string_ends),
                    Check::None => Decoded::Bytes(string_starts, string_ends),
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
    /// Two empty lists, with the memory of those that it held.
    fn take_places(&mut self) -> (Vec<u32>, Vec<u32>) {
        match std::mem::replace(self, Self::Nothing) {
            Self::Text(mut starts, mut ends) | Self::Bytes(mut starts, mut ends) => {
                starts.clear();
                ends.clear();
                (starts, ends)
            }
            _ => (Vec::new(), Vec::new()),
        }
    }
}

/// A column of numbers with or without a sign.
trait Integer: Sized {
    /// The number of a big-endian word.
    fn of_word(form: NumberForm, word: u64) -> Self;
    /// An empty list, with the memory of the one that the column held.
    fn take(column: &mut Decoded) -> Vec<Self>;
    fn put(numbers: Vec<Self>, sign: Sign) -> Decoded;
}

impl Integer for u64 {
    #[inline(always)]
    fn of_word(form: NumberForm, word: u64) -> Self {
        form.unsigned_of_word(word)
    }

    fn take(column: &mut Decoded) -> Vec<Self> {
        match std::mem::replace(column, Decoded::Nothing) {
            Decoded::Unsigned(mut numbers) => {
                numbers.clear();
                numbers
            }
            _ => Vec::new(),
        }
    }

    fn put(numbers: Vec<Self>, _: Sign) -> Decoded {
        Decoded::Unsigned(numbers)
    }
}

impl Integer for i64 {
    #[inline(always)]
    fn of_word(form: NumberForm, word: u64) -> Self {
        form.signed_of_word(word)
    }

    fn take(column: &mut Decoded) -> Vec<Self> {
        match std::mem::replace(column, Decoded::Nothing) {
            Decoded::Signed(mut numbers) | Decoded::Time(mut numbers) => {
                numbers.clear();
                numbers
            }
            _ => Vec::new(),
        }
    }

    fn put(numbers: Vec<Self>, sign: Sign) -> Decoded {
        if sign == Sign::Time { Decoded::Time(numbers) } else { Decoded::Signed(numbers) }
    }
}

fn numbers<const W: usize>(
    arena: &[u8],
    place: &Place<'_>,
    form: NumberForm,
    sign: Sign,
    column: &mut Decoded,
) {
    match sign {
        Sign::Unsigned => words::<W, u64>(arena, place, form, sign, column),
        Sign::Signed | Sign::Time => words::<W, i64>(arena, place, form, sign, column),
    }
}

/// Reads the `W` bytes of each key. A key that ends before has some number or other; its length then tells.
fn words<const W: usize, T: Integer>(
    arena: &[u8],
    place: &Place<'_>,
    form: NumberForm,
    sign: Sign,
    column: &mut Decoded,
) {
    let mut numbers = T::take(column);
    numbers.extend(place.at.iter().map(|at| {
        let at = at.wrapping_add(place.distance) as usize;
        let mut bytes = [0; 8];
        if let Some(from) = arena.get(at..at + W)
            && let (Some(from), Some(to)) = (from.first_chunk::<W>(), bytes.first_chunk_mut::<W>())
        {
            *to = *from;
        }
        T::of_word(form, u64::from_be_bytes(bytes) >> (64 - 8 * W))
    }));
    *column = T::put(numbers, sign);
}

/// Reads two numbers of eight bytes each, side by side.
fn pairs<A: Integer, B: Integer>(
    arena: &[u8],
    place: &Place<'_>,
    (a_form, a_sign, a_column): (NumberForm, Sign, &mut Decoded),
    (b_form, b_sign, b_column): (NumberForm, Sign, &mut Decoded),
) {
    let pair = |at: &u32| {
        let at = at.wrapping_add(place.distance) as usize;
        let bytes = arena.get(at..at + 16).and_then(<[u8]>::first_chunk::<16>).unwrap_or(&[0; 16]);
        let words = u128::from_be_bytes(*bytes);
        (A::of_word(a_form, (words >> 64) as u64), B::of_word(b_form, words as u64))
    };
    let mut columns = (A::take(a_column), B::take(b_column));
    columns.extend(place.at.iter().map(pair));
    *a_column = A::put(columns.0, a_sign);
    *b_column = B::put(columns.1, b_sign);
}

fn find_ends(
    arena: &[u8],
    starts: &[u32],
    key_ends: &[u32],
    literal: &[u8],
    ends: &mut Vec<u32>,
) -> Option<()> {
    for (&start, &end) in starts.iter().zip(key_ends) {
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
fn all_good(arena: &[u8], starts: &[u32], ends: &[u32], check: Check) -> bool {
    let places = starts.iter().zip(ends);
    if check == Check::Utf8 {
        let text = |(start, end): (&u32, &u32)| arena.get(*start as usize..*end as usize);
        return places.map(text).all(|text| text.is_some_and(|text| utf8::check(text).is_ok()));
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
                let (Decoded::Text(_, ends) | Decoded::Bytes(_, ends)) = decoded.get(id.0)? else {
                    return None;
                };
                (at, distance) = (ends, 0);
            }
            Read::String(_, End::Width(width), _) => distance += width,
            Read::String(_, End::Key, _) => break,
            Read::Skip(width, None) => distance += width,
            Read::Skip(width, Some(index)) => {
                let piece = records.piece(schema.steps().get(*index)?, scratch, &mut [])?;
                let same = |(row, at): (usize, &u32)| {
                    let start = *at as usize + distance;
                    keys.arena().get(start..start + width).is_some_and(|found| piece.is(row, found))
                };
                if !at.iter().enumerate().all(same) {
                    return None;
                }
                distance += width;
            }
        }
    }
    Some(())
}
