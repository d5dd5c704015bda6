//! Reading numbers that stand at the same offset of every key.
//!
//! A loop reads one number of every key; or, where they stand side by side as a salt, a user and a time often do, two of eight
//! bytes, or three of which the last two have eight. A key is then looked at once and not three times.
//!
//! A key that ends before its numbers do leaves whatever was in their place; its length tells the caller.

use super::decode::Decoded;
use crate::codec::NumberForm;

/// Where the keys of a batch have been read to: `at[i] + distance`.
pub(super) struct Place<'p> {
    pub(super) at: &'p [u32],
    pub(super) distance: u32,
}

/// Which column takes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
    Time,
}

/// The bytes of a number, and the column that takes it.
pub(super) struct Number<'c> {
    pub(super) form: NumberForm,
    pub(super) sign: Sign,
    pub(super) column: &'c mut Decoded,
}

/// Reads one number of each key.
pub(super) fn one(arena: &[u8], place: &Place<'_>, number: Number<'_>) {
    fn sized<const W: usize>(arena: &[u8], place: &Place<'_>, number: Number<'_>) {
        match number.sign {
            Sign::Unsigned => singles::<W, u64>(arena, place, number),
            Sign::Signed | Sign::Time => singles::<W, i64>(arena, place, number),
        }
    }
    match number.form.width() {
        1 => sized::<1>(arena, place, number),
        2 => sized::<2>(arena, place, number),
        4 => sized::<4>(arena, place, number),
        _ => sized::<8>(arena, place, number),
    }
}

/// Reads two neighbours of eight bytes.
pub(super) fn two(arena: &[u8], place: &Place<'_>, a: Number<'_>, b: Number<'_>) {
    match (a.sign, b.sign) {
        (Sign::Unsigned, Sign::Unsigned) => pairs::<u64, u64>(arena, place, a, b),
        (Sign::Unsigned, _) => pairs::<u64, i64>(arena, place, a, b),
        (_, Sign::Unsigned) => pairs::<i64, u64>(arena, place, a, b),
        _ => pairs::<i64, i64>(arena, place, a, b),
    }
}

/// Reads three neighbours, of which the last two have eight bytes.
pub(super) fn three(arena: &[u8], place: &Place<'_>, numbers: [Number<'_>; 3]) {
    fn sized<const W: usize>(arena: &[u8], place: &Place<'_>, numbers: [Number<'_>; 3]) {
        match numbers[0].sign {
            Sign::Unsigned => first::<W, u64>(arena, place, numbers),
            Sign::Signed | Sign::Time => first::<W, i64>(arena, place, numbers),
        }
    }
    fn first<const W: usize, A: Integer>(arena: &[u8], place: &Place<'_>, numbers: [Number<'_>; 3]) {
        match (numbers[1].sign, numbers[2].sign) {
            (Sign::Unsigned, Sign::Unsigned) => triples::<W, A, u64, u64>(arena, place, numbers),
            (Sign::Unsigned, _) => triples::<W, A, u64, i64>(arena, place, numbers),
            (_, Sign::Unsigned) => triples::<W, A, i64, u64>(arena, place, numbers),
            _ => triples::<W, A, i64, i64>(arena, place, numbers),
        }
    }
    match numbers[0].form.width() {
        1 => sized::<1>(arena, place, numbers),
        2 => sized::<2>(arena, place, numbers),
        4 => sized::<4>(arena, place, numbers),
        _ => sized::<8>(arena, place, numbers),
    }
}

fn singles<const W: usize, A: Integer>(arena: &[u8], place: &Place<'_>, a: Number<'_>) {
    let mut numbers = A::take(a.column, place.at.len());
    for (at, slot) in place.at.iter().zip(&mut numbers) {
        let at = at.wrapping_add(place.distance) as usize;
        if let Some(bytes) = arena.get(at..at + W)
            && let Some(bytes) = bytes.first_chunk::<W>()
        {
            *slot = A::of_bytes(a.form, *bytes);
        }
    }
    *a.column = A::put(numbers, a.sign);
}

fn pairs<A: Integer, B: Integer>(arena: &[u8], place: &Place<'_>, a: Number<'_>, b: Number<'_>) {
    let rows = place.at.len();
    let (mut a_numbers, mut b_numbers) = (A::take(a.column, rows), B::take(b.column, rows));
    for ((at, a_slot), b_slot) in place.at.iter().zip(&mut a_numbers).zip(&mut b_numbers) {
        let at = at.wrapping_add(place.distance) as usize;
        if let Some(bytes) = arena.get(at..at + 16)
            && let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>())
        {
            *a_slot = A::of_bytes(a.form, *first);
            *b_slot = B::of_bytes(b.form, *last);
        }
    }
    *a.column = A::put(a_numbers, a.sign);
    *b.column = B::put(b_numbers, b.sign);
}

fn triples<const W: usize, A: Integer, B: Integer, C: Integer>(
    arena: &[u8],
    place: &Place<'_>,
    [a, b, c]: [Number<'_>; 3],
) {
    let rows = place.at.len();
    let (mut a_numbers, mut b_numbers) = (A::take(a.column, rows), B::take(b.column, rows));
    let mut c_numbers = C::take(c.column, rows);
    let slots = a_numbers.iter_mut().zip(&mut b_numbers).zip(&mut c_numbers);
    for (at, ((a_slot, b_slot), c_slot)) in place.at.iter().zip(slots) {
        let at = at.wrapping_add(place.distance) as usize;
        if let Some(bytes) = arena.get(at..at + W + 16)
            && let Some((first, rest)) = bytes.split_first_chunk::<W>()
            && let (Some(middle), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>())
        {
            *a_slot = A::of_bytes(a.form, *first);
            *b_slot = B::of_bytes(b.form, *middle);
            *c_slot = C::of_bytes(c.form, *last);
        }
    }
    *a.column = A::put(a_numbers, a.sign);
    *b.column = B::put(b_numbers, b.sign);
    *c.column = C::put(c_numbers, c.sign);
}

/// A column of numbers with or without a sign.
trait Integer: Sized {
    /// The number of its bytes.
    fn of_bytes<const W: usize>(form: NumberForm, bytes: [u8; W]) -> Self;
    /// So many numbers, whichever, with the memory of those that the column held.
    fn take(column: &mut Decoded, rows: usize) -> Vec<Self>;
    fn put(numbers: Vec<Self>, sign: Sign) -> Decoded;
}

impl Integer for u64 {
    #[inline(always)]
    fn of_bytes<const W: usize>(form: NumberForm, bytes: [u8; W]) -> Self {
        form.unsigned_of_word(word(bytes))
    }

    fn take(column: &mut Decoded, rows: usize) -> Vec<Self> {
        let mut numbers = match std::mem::replace(column, Decoded::Nothing) {
            Decoded::Unsigned(numbers) => numbers,
            _ => Vec::new(),
        };
        numbers.resize(rows, 0);
        numbers
    }

    fn put(numbers: Vec<Self>, _: Sign) -> Decoded {
        Decoded::Unsigned(numbers)
    }
}

impl Integer for i64 {
    #[inline(always)]
    fn of_bytes<const W: usize>(form: NumberForm, bytes: [u8; W]) -> Self {
        // Eight bytes are the number but for some bits; fewer have to be counted from the smallest one.
        if W == 8 { (word(bytes) ^ form.mask()).cast_signed() } else { form.signed_of_word(word(bytes)) }
    }

    fn take(column: &mut Decoded, rows: usize) -> Vec<Self> {
        let mut numbers = match std::mem::replace(column, Decoded::Nothing) {
            Decoded::Signed(numbers) | Decoded::Time(numbers) => numbers,
            _ => Vec::new(),
        };
        numbers.resize(rows, 0);
        numbers
    }

    fn put(numbers: Vec<Self>, sign: Sign) -> Decoded {
        if sign == Sign::Time { Decoded::Time(numbers) } else { Decoded::Signed(numbers) }
    }
}

/// Up to eight bytes as a number, the first byte highest.
#[inline(always)]
fn word<const W: usize>(bytes: [u8; W]) -> u64 {
    let mut eight = [0; 8];
    if let Some(slot) = eight.last_chunk_mut::<W>() {
        *slot = bytes;
    }
    u64::from_be_bytes(eight)
}
