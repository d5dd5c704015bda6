//! The values of one field in many records.
//!
//! A [`Column`] borrows them, from a caller's own slices or from a [`ColumnBuffer`], which is filled value by value
//! and used again. Texts and bytes are [`Strings`]: places in one arena.

use crate::codec::{append_short, narrow};
use crate::disclosure::said;
use crate::types::{Kind, Octets, Type};
use crate::utf8;
use crate::value::Value;

/// The same for the values of every kind: one expression for vectors, one for strings.
macro_rules! each {
    ($of:expr, $kinds:ident, $values:ident => $with_values:expr, $strings:ident => $with_strings:expr) => {
        match $of {
            $kinds::I64($values) | $kinds::Time($values) => $with_values,
            $kinds::U64($values) => $with_values,
            $kinds::F64($values) => $with_values,
            $kinds::F32($values) => $with_values,
            $kinds::Bool($values) => $with_values,
            $kinds::Octets($values) => $with_values,
            $kinds::Text($strings) | $kinds::Bytes($strings) => $with_strings,
            $kinds::Any($values) => $with_values,
        }
    };
}

/// The values of one field, one for each record.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    values: Values<'a>,
    nulls: Option<&'a [bool]>,
}

/// Values of one kind.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Whole numbers.
    I64(&'a [i64]),
    /// Whole numbers that are not negative.
    U64(&'a [u64]),
    /// Floating-point numbers of 64 bits.
    F64(&'a [f64]),
    /// Floating-point numbers of 32 bits.
    F32(&'a [f32]),
    /// Times, in milliseconds since 1970.
    Time(&'a [i64]),
    /// True or false.
    Bool(&'a [bool]),
    /// Values of one type of a fixed number of bytes, such as UUIDs.
    Octets(&'a [Octets]),
    /// Texts, which are UTF-8.
    Text(Strings<'a>),
    /// Bytes.
    Bytes(Strings<'a>),
    /// Anything, nulls included.
    Any(&'a [Value<'a>]),
}

impl<'a> Column<'a> {
    /// A column without nulls, or of [`Values::Any`].
    pub fn new(values: Values<'a>) -> Self {
        Self { values, nulls: None }
    }

    /// How many records it has values for.
    pub fn len(&self) -> usize {
        each!(self.values, Values, values => values.len(), strings => strings.len())
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a record; null past the end.
    pub fn value(&self, row: usize) -> Value<'a> {
        if self.nulls.and_then(|nulls| nulls.get(row)) == Some(&true) {
            return Value::Null;
        }
        let found = match self.values {
            Values::I64(values) => values.get(row).map(|&number| Value::Int(number.into())),
            Values::Time(values) => values.get(row).map(|&millis| Value::Time(millis)),
            Values::U64(values) => values.get(row).map(|&number| Value::Int(number.into())),
            Values::F64(values) => values.get(row).map(|&number| Value::Float(number)),
            Values::F32(values) => values.get(row).map(|&number| Value::Float32(number)),
            Values::Bool(values) => values.get(row).map(|&bool| Value::Bool(bool)),
            Values::Octets(values) => values.get(row).map(|&octets| Value::Octets(octets)),
            Values::Text(strings) => strings.get(row).map(|text| match utf8::check(text) {
                Ok(text) => Value::Text(text.into()),
                // Not what `Strings::text` lets through; a codec refuses it as what it is.
                Err(_) => Value::Bytes(text.into()),
            }),
            Values::Bytes(strings) => strings.get(row).map(|bytes| Value::Bytes(bytes.into())),
            Values::Any(values) => values.get(row).cloned(),
        };
        found.unwrap_or_default()
    }

    /// The values; where one is null, something stands in its place.
    pub fn values(&self) -> Values<'a> {
        self.values
    }

    /// Which values are null, if any is; where it is shorter than the values, they are not. Nulls of [`Values::Any`] are
    /// among its values.
    pub fn nulls(&self) -> Option<&'a [bool]> {
        self.nulls
    }

    /// The values, if none is null and the codec may look at them without asking each.
    pub(crate) fn without_nulls(&self) -> Option<Values<'a>> {
        if self.nulls.is_some() { None } else { Some(self.values) }
    }
}

/// Texts or byte strings, each a place in one arena.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strings<'a> {
    arena: &'a [u8],
    starts: &'a [u32],
    ends: &'a [u32],
}

/// Places that are outside their arena, backwards, or not UTF-8 where text is needed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StringsError {
    /// There must be one end for each start.
    #[error("there are {starts} starts of strings and {ends} ends; give one of each for a string")]
    Counts {
        /// The number of starts.
        starts: usize,
        /// The number of ends.
        ends: usize,
    },
    /// A string outside the arena.
    #[error("string {row} goes from byte {start} to {end} of an arena of {length} bytes")]
    Outside {
        /// The index of the string, from 0.
        row: usize,
        /// Its first byte in the arena.
        start: u32,
        /// One past its last byte.
        end: u32,
        /// The length of the arena in bytes.
        length: usize,
    },
    /// A string that is not UTF-8.
    #[error("string {row} is not UTF-8; give it as bytes")]
    NotUtf8 {
        /// The index of the string, from 0.
        row: usize,
    },
}

impl<'a> Strings<'a> {
    /// Byte strings at the places `starts[i]..ends[i]` of `arena`.
    ///
    /// # Errors
    /// When a place is outside the arena, or there are more of one than of the other.
    pub fn bytes(arena: &'a [u8], starts: &'a [u32], ends: &'a [u32]) -> Result<Self, StringsError> {
        if starts.len() != ends.len() {
            return Err(StringsError::Counts { starts: starts.len(), ends: ends.len() });
        }
        let length = arena.len();
        let outside = |(&start, &end): (&u32, &u32)| start > end || end as usize > length;
        if let Some(row) = starts.iter().zip(ends).position(outside) {
            let at = |places: &[u32]| places.get(row).copied().unwrap_or_default();
            return Err(StringsError::Outside { row, start: at(starts), end: at(ends), length });
        }
        Ok(Self { arena, starts, ends })
    }

    /// Texts at the places `starts[i]..ends[i]` of `arena`.
    ///
    /// # Errors
    /// As [`Strings::bytes`], and when one is not UTF-8.
    pub fn text(arena: &'a [u8], starts: &'a [u32], ends: &'a [u32]) -> Result<Self, StringsError> {
        let strings = Self::bytes(arena, starts, ends)?;
        match strings.iter().position(|text| utf8::check(text).is_err()) {
            Some(row) => Err(StringsError::NotUtf8 { row }),
            None => Ok(strings),
        }
    }

    /// Places that are known to be right.
    pub(super) fn trusted(arena: &'a [u8], starts: &'a [u32], ends: &'a [u32]) -> Self {
        debug_assert!(Self::bytes(arena, starts, ends).is_ok());
        Self { arena, starts, ends }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The string of a record.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        let (start, end) = (*self.starts.get(row)?, *self.ends.get(row)?);
        self.arena.get(start as usize..end as usize)
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let arena = self.arena;
        let places = self.starts.iter().zip(self.ends);
        places.map(move |(&start, &end)| arena.get(start as usize..end as usize).unwrap_or_default())
    }

    /// The piece of the arena that they lie in, and where in the arena it begins.
    fn span(&self) -> (&'a [u8], u32) {
        let start = self.starts.iter().min().map_or(0, |start| *start);
        let end = self.ends.iter().max().map_or(0, |end| *end);
        (self.arena.get(start as usize..end as usize).unwrap_or_default(), start)
    }

    /// The first one that is not UTF-8.
    pub(super) fn first_that_is_no_text(&self) -> Option<&'a [u8]> {
        // All at once; if what lies between them is not ASCII, each by itself.
        if self.span().0.is_ascii() {
            return None;
        }
        self.iter().find(|text| utf8::check(text).is_err())
    }

    /// Whether one of them has this byte.
    pub(super) fn any_has(&self, byte: u8) -> bool {
        // All at once; what lies between them may have it, too.
        self.arena.contains(&byte) && self.iter().any(|string| string.contains(&byte))
    }

    /// The arena, and from where to where each is in it.
    pub(super) fn places(&self) -> (&'a [u8], impl Iterator<Item = (u32, u32)> + use<'a>) {
        (self.arena, self.starts.iter().copied().zip(self.ends.iter().copied()))
    }
}

/// Bytes between two strings that are cheaper to copy than to leave out.
const BETWEEN: usize = 8;

/// An arena of strings that grows, and is used again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StringBuffer {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl StringBuffer {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
        self.ends.clear();
    }

    /// Adds what `write` appends to the arena, as one string. On an error, and past 4 GiB, nothing is added.
    pub(crate) fn push_with<E: From<ColumnFull>>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        let places = write(&mut self.bytes).and_then(|()| {
            let place = |at: usize| u32::try_from(at).map_err(|_| E::from(ColumnFull));
            Ok((place(start)?, place(self.bytes.len())?))
        });
        match places {
            Ok((start, end)) => {
                self.starts.push(start);
                self.ends.push(end);
                Ok(())
            }
            Err(error) => {
                self.bytes.truncate(start);
                Err(error)
            }
        }
    }

    pub(crate) fn push(&mut self, string: &[u8]) -> Result<(), ColumnFull> {
        self.push_with(|bytes| {
            append_short(bytes, string);
            Ok(())
        })
    }

    /// Adds strings. Where they lie close together, their arena goes over in one piece, with what is between them.
    pub(crate) fn extend(&mut self, strings: Strings<'_>) -> Result<(), ColumnFull> {
        let (arena, from) = strings.span();
        let dense = strings.iter().map(|string| string.len() + BETWEEN).sum::<usize>() >= arena.len();
        if !dense {
            return strings.iter().try_for_each(|string| self.push(string));
        }
        let start = self.bytes.len();
        u32::try_from(start + arena.len()).map_err(|_| ColumnFull)?;
        self.bytes.extend_from_slice(arena);
        let moved = (start as u32).wrapping_sub(from);
        self.starts.extend(strings.starts.iter().map(|place| place.wrapping_add(moved)));
        self.ends.extend(strings.ends.iter().map(|place| place.wrapping_add(moved)));
        Ok(())
    }

    pub(crate) fn strings(&self) -> Strings<'_> {
        Strings::trusted(&self.bytes, &self.starts, &self.ends)
    }
}

/// The strings of a column have more than 4 GiB together: use smaller batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the texts of one batch have more than 4 GiB together; use smaller batches")]
pub struct ColumnFull;

/// A value that a column cannot take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// A value of another kind than the column's.
    #[error("a column of {ty} cannot take the value `{value}`", value = said(value))]
    WrongKind {
        /// The value as text.
        value: String,
        /// The column's type.
        ty: Type,
    },
    /// The column's strings would have more than 4 GiB.
    #[error(transparent)]
    Full(#[from] ColumnFull),
}

/// Values of one field, kept; filled value by value, or many at once (`fill.rs`), and used again after
/// [`ColumnBuffer::clear`].
#[derive(Debug, Clone)]
pub struct ColumnBuffer {
    pub(super) ty: Type,
    pub(super) values: Buffer,
    nulls: Vec<bool>,
}

#[derive(Debug, Clone)]
pub(super) enum Buffer {
    I64(Vec<i64>),
    U64(Vec<u64>),
    F64(Vec<f64>),
    F32(Vec<f32>),
    Time(Vec<i64>),
    Bool(Vec<bool>),
    Octets(Vec<Octets>),
    Text(StringBuffer),
    Bytes(StringBuffer),
    Any(Vec<Value<'static>>),
}

impl ColumnBuffer {
    /// An empty column for values of a type.
    pub fn new(ty: Type) -> Self {
        let values = match ty.kind() {
            Kind::Integer => match ty.integer_range() {
                Some((min, max)) if i64::try_from(min).is_ok() && i64::try_from(max).is_ok() => {
                    Buffer::I64(Vec::new())
                }
                Some((0, max)) if u64::try_from(max).is_ok() => Buffer::U64(Vec::new()),
                _ => Buffer::Any(Vec::new()),
            },
            Kind::Float if ty.is_single() => Buffer::F32(Vec::new()),
            Kind::Float => Buffer::F64(Vec::new()),
            Kind::Numeric => Buffer::Any(Vec::new()),
            Kind::Text => Buffer::Text(StringBuffer::default()),
            Kind::Bytes => Buffer::Bytes(StringBuffer::default()),
            Kind::Time => Buffer::Time(Vec::new()),
            Kind::Octets(_) => Buffer::Octets(Vec::new()),
            Kind::Bool => Buffer::Bool(Vec::new()),
        };
        Self { ty, values, nulls: Vec::new() }
    }

    /// Forgets the values and keeps the memory.
    pub fn clear(&mut self) {
        self.nulls.clear();
        each!(&mut self.values, Buffer, values => values.clear(), strings => strings.clear());
    }

    /// Adds a value.
    ///
    /// # Errors
    /// When it is of another kind, or a number that no value of the column's type is; nothing is added then.
    pub fn push(&mut self, value: &Value<'_>) -> Result<(), ColumnError> {
        let ty = self.ty;
        let wrong = || ColumnError::WrongKind { value: value.to_string(), ty };
        match (&mut self.values, value) {
            (Buffer::Any(values), value) => values.push(value.clone().into_owned()),
            (_, Value::Null) => {
                let row = self.len();
                // Something in its place.
                each!(&mut self.values, Buffer, values => values.push(Default::default()), strings => strings.push(b"")?);
                self.nulls.resize(row, false);
                self.nulls.push(true);
            }
            (Buffer::I64(values), Value::Int(number)) => {
                values.push(i64::try_from(*number).map_err(|_| wrong())?);
            }
            (Buffer::U64(values), Value::Int(number)) => {
                values.push(u64::try_from(*number).map_err(|_| wrong())?);
            }
            (Buffer::F64(values), Value::Float(_) | Value::Float32(_)) => {
                values.push(value.float().ok_or_else(wrong)?);
            }
            (Buffer::F32(values), Value::Float32(number)) => values.push(*number),
            (Buffer::F32(values), Value::Float(number)) => values.push(narrow(*number).ok_or_else(wrong)?),
            (Buffer::Time(values), Value::Time(millis)) => values.push(*millis),
            (Buffer::Bool(values), Value::Bool(bool)) => values.push(*bool),
            (Buffer::Octets(values), Value::Octets(octets)) if Kind::Octets(octets.ty()) == ty.kind() => {
                values.push(*octets);
            }
            (Buffer::Text(strings), Value::Text(text)) => strings.push(text.as_bytes())?,
            (Buffer::Bytes(strings), Value::Bytes(bytes)) => strings.push(bytes)?,
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.column().len()
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values, borrowed.
    pub fn column(&self) -> Column<'_> {
        let values = match &self.values {
            Buffer::I64(values) => Values::I64(values),
            Buffer::U64(values) => Values::U64(values),
            Buffer::F64(values) => Values::F64(values),
            Buffer::F32(values) => Values::F32(values),
            Buffer::Time(values) => Values::Time(values),
            Buffer::Bool(values) => Values::Bool(values),
            Buffer::Octets(values) => Values::Octets(values),
            Buffer::Text(strings) => Values::Text(strings.strings()),
            Buffer::Bytes(strings) => Values::Bytes(strings.strings()),
            Buffer::Any(values) => Values::Any(values),
        };
        // Nulls are noted from the first one on, so an empty list says that there is none.
        Column { values, nulls: (!self.nulls.is_empty()).then_some(&self.nulls) }
    }
}
