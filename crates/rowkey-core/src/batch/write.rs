//! Copying the pieces of a batch to their offsets in the arena of keys.
//!
//! Each loop writes one piece of every key. A place is an entry of a list (where each key starts, or ends, or how far it
//! has been written) and a distance from it that is the same for all keys.

use std::num::NonZeroU16;

use super::column::Strings;
use super::keys::KeyBatch;
use super::pieces::{Numbers, StepBytes, Words};
use crate::codec::copy_short;
use crate::hashes::phoenix_salt;
use crate::key::MAX_KEY_LENGTH;

/// Writes the pieces of each key one after another; `None`, and no keys, if a key is empty or too long or all of them
/// too much, which the caller then finds out key by key. `cursor` is working memory.
pub(super) fn write(
    pieces: &[StepBytes<'_>],
    rows: usize,
    keys: &mut KeyBatch,
    cursor: &mut Vec<u32>,
) -> Option<()> {
    let fixed: usize = pieces.iter().filter_map(StepBytes::width).sum();
    let strings: Vec<Strings<'_>> = pieces.iter().filter_map(StepBytes::strings).collect();
    set_lengths(u32::try_from(fixed).ok()?, &strings, rows, keys)?;
    let (arena, starts, ends) = keys.room();
    match strings.as_slice() {
        [] | [_] => {
            // The text goes first, so that what it spills is written over. What stands after it, in the key or in
            // the next one, is placed from the key's end, or its start.
            let mut before = 0u32;
            for piece in pieces {
                match piece.strings() {
                    Some(strings) => {
                        spill_strings(arena, starts, before, strings);
                        break;
                    }
                    None => before += piece.width().unwrap_or(0) as u32,
                }
            }
            let (mut places, mut distance) = (starts, 0u32);
            for piece in pieces {
                match piece.width() {
                    Some(width) => {
                        put(arena, places, distance, piece);
                        distance = distance.wrapping_add(width as u32);
                    }
                    None => (places, distance) = (ends, before.wrapping_sub(fixed as u32)),
                }
            }
        }
        _ => {
            // Between two texts nothing has a place that the start or the end tells.
            cursor.clear();
            cursor.extend_from_slice(starts);
            let mut distance = 0u32;
            for piece in pieces {
                match (piece.strings(), piece.width()) {
                    (Some(strings), _) => copy_strings(arena, cursor, distance, strings),
                    (None, width) => {
                        put(arena, cursor, distance, piece);
                        distance += width.unwrap_or(0) as u32;
                    }
                }
            }
        }
    }
    Some(())
}

/// Gives each key its first byte: the salt of the bytes behind it.
pub(super) fn put_row_salts(keys: &mut KeyBatch, buckets: NonZeroU16) {
    let (arena, starts, ends) = keys.room();
    for (start, end) in starts.iter().zip(ends) {
        let key = arena.get_mut(*start as usize..*end as usize);
        if let Some((salt, behind)) = key.and_then(<[u8]>::split_first_mut) {
            *salt = phoenix_salt(behind, buckets);
        }
    }
}

fn set_lengths(fixed: u32, strings: &[Strings<'_>], rows: usize, keys: &mut KeyBatch) -> Option<()> {
    let limit = MAX_KEY_LENGTH as u32;
    let mut misfits = 0u32;
    let mut checked = |length: u32| {
        misfits |= u32::from(length.wrapping_sub(1) >= limit);
        length
    };
    match strings {
        [] => keys.set_lengths(std::iter::repeat_n(checked(fixed), rows))?,
        [one] => {
            let (_, places) = one.places();
            keys.set_lengths(places.map(|(start, end)| checked(fixed.saturating_add(end - start))))?;
        }
        many => {
            let length = |row: usize| {
                let strings =
                    many.iter().map(|strings| strings.get(row).map_or(0, <[u8]>::len)).sum::<usize>();
                checked(u32::try_from(strings + fixed as usize).unwrap_or(u32::MAX))
            };
            keys.set_lengths((0..rows).map(length))?;
        }
    }
    if misfits != 0 {
        keys.clear();
        return None;
    }
    Some(())
}

/// Writes a piece of a fixed width.
fn put(arena: &mut [u8], places: &[u32], distance: u32, piece: &StepBytes<'_>) {
    match piece {
        StepBytes::Literal(bytes) => {
            for &place in places {
                let start = place.wrapping_add(distance) as usize;
                if let Some(slot) = arena.get_mut(start..start + bytes.len()) {
                    slot.copy_from_slice(bytes);
                }
            }
        }
        StepBytes::Number(words) => match words.width {
            1 => put_words::<1>(arena, places, distance, words),
            2 => put_words::<2>(arena, places, distance, words),
            3 => put_words::<3>(arena, places, distance, words),
            4 => put_words::<4>(arena, places, distance, words),
            5 => put_words::<5>(arena, places, distance, words),
            6 => put_words::<6>(arena, places, distance, words),
            7 => put_words::<7>(arena, places, distance, words),
            _ => put_words::<8>(arena, places, distance, words),
        },
        StepBytes::Strings(_) => {}
    }
}

fn put_words<const W: usize>(arena: &mut [u8], places: &[u32], distance: u32, words: &Words<'_>) {
    match words.numbers {
        Numbers::Signed(numbers, form) => {
            put_each::<W>(arena, places, distance, numbers.iter().map(|&n| form.word_of_signed(n)));
        }
        Numbers::Unsigned(numbers, form) => {
            put_each::<W>(arena, places, distance, numbers.iter().map(|&n| form.word_of_unsigned(n)));
        }
        Numbers::Words(words) => put_each::<W>(arena, places, distance, words.iter().copied()),
    }
}

#[inline(always)]
fn put_each<const W: usize>(
    arena: &mut [u8],
    places: &[u32],
    distance: u32,
    words: impl Iterator<Item = u64>,
) {
    for (&place, word) in places.iter().zip(words) {
        let bytes = (word << (64 - 8 * W)).to_be_bytes();
        let at = place.wrapping_add(distance) as usize;
        // A range of known length costs one comparison; a rest and its first bytes would cost two.
        if let Some(slot) = arena.get_mut(at..at + W)
            && let (Some(slot), Some(bytes)) = (slot.first_chunk_mut::<W>(), bytes.first_chunk::<W>())
        {
            *slot = *bytes;
        }
    }
}

/// Copies each string to its place, sixteen bytes at once; what is more than the string spills over what follows.
fn spill_strings(arena: &mut [u8], places: &[u32], distance: u32, strings: Strings<'_>) {
    let (source, strings) = strings.places();
    for (&place, (start, end)) in places.iter().zip(strings) {
        let at = place.wrapping_add(distance) as usize;
        let (start, length) = (start as usize, (end - start) as usize);
        if length <= 16
            && let Some(from) = source.get(start..start + 16).and_then(<[u8]>::first_chunk::<16>)
            && let Some(to) = arena.get_mut(at..at + 16).and_then(<[u8]>::first_chunk_mut::<16>)
        {
            *to = *from;
        } else if let (Some(to), Some(from)) =
            (arena.get_mut(at..at + length), source.get(start..start + length))
        {
            to.copy_from_slice(from);
        }
    }
}

/// Copies each string to its place and moves the cursor behind it.
fn copy_strings(arena: &mut [u8], cursor: &mut [u32], distance: u32, strings: Strings<'_>) {
    for (place, string) in cursor.iter_mut().zip(strings.iter()) {
        let at = (*place + distance) as usize;
        if let Some(to) = arena.get_mut(at..at + string.len()) {
            copy_short(to, string);
        }
        *place += string.len() as u32;
    }
}
