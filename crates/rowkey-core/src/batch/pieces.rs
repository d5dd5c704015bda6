//! The bytes that one step of a key adds to every key of a batch.
//!
//! A [`StepBytes`] is one step for all records. Where the step is a field, its column is the piece; salts, and MD5 in lanes,
//! are computed a column at a time. Whatever else a key can hold is computed record by record into working memory of the
//! step's own, so that every key has pieces.
//!
//! Making a piece fails with `None` where any record has no key. Which one, and why, is then asked record by record: an
//! error is rare and may cost.

use std::num::NonZeroU32;

use super::column::{Column, ColumnFull, StringBuffer, Strings, Values};
use crate::codec::NumberForm;
use crate::hash::{Buckets, Murmur3};
use crate::hashes::HashFunction;
use crate::key::node::{BucketFunction, Case, Input, Node};
use crate::key::{Boundary, Draws, FieldId, KeySchema, Step, ValueStep};
use crate::md5_lanes::{Md5Digest, md5_many};
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

/// What one step adds to every key.
#[derive(Debug, Clone, Copy)]
pub(super) enum StepBytes<'a> {
    Literal(&'a [u8]),
    Number(Words<'a>),
    Strings(Strings<'a>),
}

/// Up to eight bytes for each key: the last `width` bytes of a number, the highest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) numbers: Numbers<'a>,
    pub(super) width: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Numbers<'a> {
    /// Numbers that fit the form.
    Signed(&'a [i64], NumberForm),
    Unsigned(&'a [u64], NumberForm),
    /// The bytes themselves.
    Words(&'a [u64]),
}

impl<'a> Numbers<'a> {
    fn of(values: Values<'a>, form: NumberForm) -> Option<Self> {
        match values {
            Values::I64(numbers) if !form.is_time() && form.fit_signed(numbers) => {
                Some(Self::Signed(numbers, form))
            }
            Values::Time(times) if form.fit_signed(times) => Some(Self::Signed(times, form)),
            Values::U64(numbers) if !form.is_time() && form.fit_unsigned(numbers) => {
                Some(Self::Unsigned(numbers, form))
            }
            _ => None,
        }
    }

    #[inline]
    fn word(&self, row: usize) -> u64 {
        match self {
            Self::Signed(numbers, form) => numbers.get(row).map_or(0, |&n| form.word_of_signed(n)),
            Self::Unsigned(numbers, form) => numbers.get(row).map_or(0, |&n| form.word_of_unsigned(n)),
            Self::Words(words) => words.get(row).copied().unwrap_or(0),
        }
    }
}

impl<'a> StepBytes<'a> {
    /// How many bytes it has in each key, if that is the same for all.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Literal(bytes) => Some(bytes.len()),
            Self::Number(words) => Some(words.width),
            Self::Strings(_) => None,
        }
    }

    pub(super) fn strings(&self) -> Option<Strings<'a>> {
        match self {
            Self::Strings(strings) => Some(*strings),
            _ => None,
        }
    }
}

/// Working memory of one step.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    words: Vec<u64>,
    strings: StringBuffer,
    hashed: StringBuffer,
}

/// The records of a batch.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    pub(super) schema: &'a KeySchema,
    pub(super) columns: &'a [Column<'a>],
    pub(super) rows: usize,
}

impl<'a> Records<'a> {
    /// What a step adds to every key. Random steps take their draws from `draws`, one generator a record.
    pub(super) fn piece(
        self,
        step: &'a Step,
        scratch: &'a mut Scratch,
        draws: &mut [Draws],
    ) -> Option<StepBytes<'a>> {
        let step = match step {
            Step::Literal(bytes) => return Some(StepBytes::Literal(bytes)),
            Step::Value(step) => step,
        };
        if step.nulls == Nulls::Refused {
            if let Node::Field(id) = step.node
                && let Some(piece) = self.field(step, id)
            {
                return Some(piece);
            }
            if let Node::Bucket(BucketFunction::Salt, buckets, inputs) = &step.node
                && let Some(form) = NumberForm::of(step.ty, step.order)
                && let Some(inputs) = self.inputs(inputs)
            {
                salts(&inputs, NonZeroU32::new(*buckets)?, form, self.rows, &mut scratch.words)?;
                let (numbers, width) = (Numbers::Words(&scratch.words), form.width());
                return Some(StepBytes::Number(Words { numbers, width }));
            }
            if matches!(step.ty, Type::Text | Type::Bytes)
                && let Some((inputs, cut)) = md5_cut(&step.node)
                && let Some(inputs) = self.inputs(inputs)
            {
                return md5_piece(&inputs, cut, self.rows, scratch);
            }
        }
        self.row_by_row(step, &mut scratch.strings, draws)?;
        Some(StepBytes::Strings(scratch.strings.strings()))
    }

    /// The values of a field without nulls, one for each record.
    fn values(self, id: FieldId) -> Option<Values<'a>> {
        let column = self.columns.get(id.0)?;
        column.without_nulls().filter(|_| column.len() == self.rows)
    }

    /// A step that is its column.
    fn field(self, step: &ValueStep, id: FieldId) -> Option<StepBytes<'a>> {
        let values = self.values(id)?;
        if let Some(form) = NumberForm::of(step.ty, step.order) {
            let numbers = Numbers::of(values, form)?;
            return Some(StepBytes::Number(Words { numbers, width: form.width() }));
        }
        let strings = plain_strings(values, step.ty).filter(|_| step.order == Order::Ascending)?;
        if let Boundary::Literal(delimiter) = &step.boundary {
            // Record by record, with its own words, if the text might hold it; one byte decides almost always.
            let first = delimiter.first()?;
            if strings.any_has(*first) {
                return None;
            }
        }
        Some(StepBytes::Strings(strings))
    }

    fn inputs(self, inputs: &[Input]) -> Option<Vec<InputColumn<'a>>> {
        let column = |input: &Input| {
            let id = match &input.node {
                Node::Field(id) => *id,
                Node::Cast(node, _) => match **node {
                    Node::Field(id) => id,
                    _ => return None,
                },
                _ => return None,
            };
            let values = self.values(id)?;
            match NumberForm::of(input.ty, Order::Ascending) {
                Some(form) => Some(InputColumn::Number(Numbers::of(values, form)?, form.width())),
                None => plain_strings(values, input.ty).map(InputColumn::Strings),
            }
        };
        inputs.iter().map(column).collect()
    }

    fn row_by_row(self, step: &ValueStep, strings: &mut StringBuffer, draws: &mut [Draws]) -> Option<()> {
        strings.clear();
        let fields = step.fields();
        let mut record = vec![Value::Null; self.columns.len()];
        let mut draws = draws.iter_mut();
        for row in 0..self.rows {
            for &id in &fields {
                if let (Some(slot), Some(column)) = (record.get_mut(id.0), self.columns.get(id.0)) {
                    *slot = column.value(row);
                }
            }
            let draw = if step.is_random() { draws.next() } else { None };
            strings.push_with(|out| self.schema.encode_step_with(step, &record, draw, out)).ok()?;
        }
        Some(())
    }
}

/// The bytes of a type that are those of its text.
fn plain_strings(values: Values<'_>, ty: Type) -> Option<Strings<'_>> {
    match (ty, values) {
        (Type::Text, Values::Text(strings)) | (Type::Bytes, Values::Bytes(strings)) => Some(strings),
        (Type::Fixed(width), Values::Text(strings) | Values::Bytes(strings)) => {
            let fits = strings.iter().all(|string| string.len() == usize::from(width));
            fits.then_some(strings)
        }
        _ => None,
    }
}

/// What a hash hashes, as a column of plain bytes.
enum InputColumn<'a> {
    Number(Numbers<'a>, usize),
    Strings(Strings<'a>),
}

impl InputColumn<'_> {
    #[inline]
    fn give(&self, row: usize, take: &mut impl FnMut(&[u8])) {
        match self {
            Self::Strings(strings) => take(strings.get(row).unwrap_or_default()),
            Self::Number(numbers, 8) => take(&numbers.word(row).to_be_bytes()),
            Self::Number(numbers, width) => {
                let bytes = (numbers.word(row) << (64 - 8 * width)).to_be_bytes();
                take(bytes.get(..*width).unwrap_or_default());
            }
        }
    }
}

fn salts(
    inputs: &[InputColumn<'_>],
    buckets: NonZeroU32,
    form: NumberForm,
    rows: usize,
    words: &mut Vec<u64>,
) -> Option<()> {
    // Every bucket fits if the last one does.
    if !form.fit_unsigned(&[u64::from(buckets.get() - 1)]) {
        return None;
    }
    words.clear();
    let buckets = Buckets::new(buckets);
    let word = |hash: Murmur3| form.word_of_unsigned(hash.bucket(buckets).into());
    let of_eight = |eight: u64| word(Murmur3::of_eight(eight.to_be_bytes()));
    // The usual salt: one number of eight bytes, in a loop without questions.
    match inputs {
        [InputColumn::Number(Numbers::Signed(numbers, form), 8)] => {
            words.extend(numbers.iter().map(|&number| of_eight(form.word_of_signed(number))));
            return Some(());
        }
        [InputColumn::Number(Numbers::Unsigned(numbers, form), 8)] => {
            words.extend(numbers.iter().map(|&number| of_eight(form.word_of_unsigned(number))));
            return Some(());
        }
        _ => {}
    }
    words.extend((0..rows).map(|row| {
        let mut hash = Murmur3::new(Murmur3::SEED);
        inputs.iter().for_each(|input| input.give(row, &mut |bytes| hash.update(bytes)));
        word(hash)
    }));
    Some(())
}

/// What a key takes of an MD5 digest.
#[derive(Clone, Copy)]
enum Md5Cut {
    Bytes(usize),
    /// The hex digits from the first up to but not including the second place.
    Hex(usize, usize, Case),
}

/// What an expression hashes and what it keeps of the digest, if it is MD5 cut in one of the usual ways.
fn md5_cut(node: &Node) -> Option<(&[Input], Md5Cut)> {
    match node {
        Node::DigestBytes(HashFunction::Md5, inputs, length) => Some((inputs, Md5Cut::Bytes(*length))),
        Node::Hex(HashFunction::Md5, inputs) => Some((inputs, Md5Cut::Hex(0, 32, Case::Lower))),
        Node::SubStr(inner, from, to) => match md5_cut(inner)? {
            (inputs, Md5Cut::Hex(0, 32, case)) if from < to && *to <= 32 => {
                Some((inputs, Md5Cut::Hex(*from, *to, case)))
            }
            _ => None,
        },
        Node::Case(case, inner) => match md5_cut(inner)? {
            (inputs, Md5Cut::Hex(from, to, _)) => Some((inputs, Md5Cut::Hex(from, to, *case))),
            _ => None,
        },
        _ => None,
    }
}

impl Md5Cut {
    fn width(self) -> usize {
        match self {
            Self::Bytes(length) => length,
            Self::Hex(from, to, _) => to - from,
        }
    }

    /// The bytes that the key takes as one number, the first byte highest, if they are at most eight and come from the
    /// first eight of the digest's bytes or its first eight hex digits, as a usual prefix does.
    #[inline(always)]
    fn word(self, digest: Md5Digest) -> Option<u64> {
        let first = (u128::from_be_bytes(digest) >> 64) as u64;
        let (digits, from, to) = match self {
            Self::Bytes(length) => (first, 0, length),
            Self::Hex(from, to, case) => (hex_of((first >> 32) as u32, case), from, to),
        };
        if to > 8 || from >= to {
            return None;
        }
        // What stands before goes out of the number at its top, what stands behind at its end.
        Some((digits << (8 * from)) >> (8 * (from + 8 - to)))
    }

    /// Gives the bytes that the key takes, one by one.
    #[inline]
    fn each(self, digest: Md5Digest, take: impl FnMut(u8)) {
        match self {
            Self::Bytes(length) => digest.into_iter().take(length).for_each(take),
            Self::Hex(from, to, case) => {
                let letters: &[u8; 16] = match case {
                    Case::Lower => b"0123456789abcdef",
                    Case::Upper => b"0123456789ABCDEF",
                };
                let number = u128::from_be_bytes(digest);
                let digit = |at: usize| letters[((number >> (4 * (31 - at))) & 0xF) as usize];
                (from..to).map(digit).for_each(take);
            }
        }
    }
}

/// The eight hex digits of a number, all at once.
#[inline(always)]
fn hex_of(number: u32, case: Case) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Every half byte gets a byte of its own.
    let mut digits = u64::from(number);
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF;
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF;
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F;
    // Adding six carries into the upper half from ten on.
    let letters = (digits + EACH * 6) >> 4 & EACH;
    let to_letter = match case {
        Case::Lower => u64::from(b'a' - b'9' - 1),
        Case::Upper => u64::from(b'A' - b'9' - 1),
    };
    digits + EACH * u64::from(b'0') + letters * to_letter
}

fn md5_piece<'a>(
    inputs: &[InputColumn<'_>],
    cut: Md5Cut,
    rows: usize,
    scratch: &'a mut Scratch,
) -> Option<StepBytes<'a>> {
    let Scratch { words, strings, hashed } = scratch;
    let messages = match inputs {
        [InputColumn::Strings(strings)] => *strings,
        inputs => {
            hashed.clear();
            for row in 0..rows {
                let joined = |out: &mut Vec<u8>| -> Result<(), ColumnFull> {
                    inputs
                        .iter()
                        .for_each(|input| input.give(row, &mut |bytes| out.extend_from_slice(bytes)));
                    Ok(())
                };
                hashed.push_with(joined).ok()?;
            }
            hashed.strings()
        }
    };
    let width = cut.width();
    if width <= 8 {
        words.clear();
        md5_many(messages.iter(), |digest| {
            words.push(cut.word(digest).unwrap_or_else(|| {
                let mut word = 0u64;
                cut.each(digest, |byte| word = word << 8 | u64::from(byte));
                word
            }));
        });
        return Some(StepBytes::Number(Words { numbers: Numbers::Words(words), width }));
    }
    strings.clear();
    let mut full = false;
    md5_many(messages.iter(), |digest| {
        let pushed = strings.push_with(|out| -> Result<(), ColumnFull> {
            cut.each(digest, |byte| out.push(byte));
            Ok(())
        });
        full |= pushed.is_err();
    });
    if full { None } else { Some(StepBytes::Strings(strings.strings())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_the_same_at_once_and_byte_by_byte() {
        let mut at_once = 0;
        for seed in 0..100u128 {
            let digest = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).to_be_bytes();
            let cuts = (0..=16).map(Md5Cut::Bytes);
            let places = (0..32).flat_map(|from| (from..=32).map(move |to| (from, to)));
            let hex = places.flat_map(|(from, to)| {
                [Md5Cut::Hex(from, to, Case::Lower), Md5Cut::Hex(from, to, Case::Upper)]
            });
            for cut in cuts.chain(hex).filter(|cut| cut.width() <= 8) {
                let mut expected = 0u64;
                cut.each(digest, |byte| expected = expected << 8 | u64::from(byte));
                if let Some(word) = cut.word(digest) {
                    at_once += 1;
                    assert_eq!(word, expected, "{digest:?}");
                }
            }
        }
        assert_eq!(at_once, 100 * (8 + 2 * 36));
    }
}
