//! The offsets of fields that have one place in every key.

use super::field::{Exact, RustType};
use super::record::Record;
use crate::codec::copy_short;
use crate::key::MAX_KEY_LENGTH;
use crate::key::program::{Laid, Program, Salt};
use crate::utf8;

/// The most fields of a record.
pub(super) const FIELDS: usize = 8;
/// Room that is made behind a key: for what has a fixed place, and a text of usual length.
pub(super) const ROOM: usize = 64;
/// The most bytes that have a fixed place.
const HEAD: usize = 48;

/// The places of a key's fields.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    places: [NumberPlace; FIELDS],
    /// What every key begins with: its literals, and zeros in the places of numbers.
    template: [u8; ROOM],
    /// How long that is.
    head: usize,
    /// The fewest bytes of a key, and how many more it may have.
    shortest: usize,
    spare: usize,
    /// Whether some number has a salt: asked once for a key, not for each of its numbers.
    salted: bool,
    /// Whether something in a key has to be compared, a salt or a literal.
    compares: bool,
    tail: Tail,
    /// Where the literals are.
    literals: Vec<(usize, Vec<u8>)>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NumberPlace {
    // A byte, so that the sum with a width cannot overflow and needs no check.
    at: u8,
    /// What turns its bits into those of the key, and back.
    pub(super) mask: u64,
    pub(super) salt: Option<SaltPlace>,
}

/// The place of a number's salt.
#[derive(Debug, Clone, Copy)]
pub(super) struct SaltPlace {
    at: u8,
    /// What turns the number's bits into those that are hashed.
    pub(super) mask: u64,
    salt: Salt,
}

/// What stands behind the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    Nothing,
    Text,
    /// A text that is given as bytes, and has to be looked at before it is one.
    TextOfBytes,
}

impl Layout {
    /// The places of a key's fields; `None` if a field has none, or is not bound to exactly its type.
    pub(super) fn of(program: &Program, types: &[RustType]) -> Option<Self> {
        let mut layout = Self {
            places: [NumberPlace::default(); FIELDS],
            template: [0; ROOM],
            head: 0,
            shortest: 0,
            spare: 0,
            salted: false,
            compares: false,
            tail: Tail::Nothing,
            literals: Vec::new(),
        };
        for laid in program.layout()? {
            let at = layout.head;
            match laid {
                Laid::Literal(bytes) => {
                    layout.template.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
                    layout.literals.push((at, bytes.to_vec()));
                    layout.head += bytes.len();
                }
                Laid::Number { field, form } => {
                    if types.get(field)?.exact != Exact::of(form) {
                        return None;
                    }
                    let place = layout.places.get_mut(field)?;
                    (place.at, place.mask) = (u8::try_from(at).ok()?, form.mask());
                    layout.head += form.width();
                }
                Laid::Salt { field, input, salt } => {
                    let place = layout.places.get_mut(field)?;
                    if types.get(field)?.exact != Exact::of(input) || place.salt.is_some() {
                        return None;
                    }
                    place.salt = Some(SaltPlace { at: u8::try_from(at).ok()?, mask: input.mask(), salt });
                    layout.salted = true;
                    layout.head += salt.width();
                }
                Laid::Text { field } => {
                    layout.tail = match types.get(field)?.exact {
                        Exact::Text => Tail::Text,
                        Exact::Bytes => Tail::TextOfBytes,
                        _ => return None,
                    };
                }
            }
            if layout.head > HEAD {
                return None;
            }
        }
        layout.shortest = layout.head.max(1);
        layout.spare = if layout.tail == Tail::Nothing { 0 } else { usize::MAX / 2 };
        layout.compares = layout.salted || !layout.literals.is_empty();
        Some(layout)
    }

    /// Adds the key of a record; `false`, and nothing, if the general way has to.
    #[inline(always)]
    pub(super) fn encode<R: Record>(&self, record: &R::Of<'_>, out: &mut Vec<u8>) -> bool {
        let tail = R::string(record);
        if self.tail == Tail::TextOfBytes && utf8::check(tail).is_err() {
            return false;
        }
        let length = self.head + tail.len();
        if length.wrapping_sub(1) >= MAX_KEY_LENGTH {
            return false;
        }
        let start = out.len();
        // Room behind the end, so that a store costs no look at the capacity; what is not needed goes again.
        out.extend_from_slice(&self.template);
        let Some(room) = out.last_chunk_mut::<ROOM>() else { return false };
        let put = R::put(record, &self.places, room);
        if !put || (self.salted && !self.put_salts::<R>(record, room)) {
            out.truncate(start);
            return false;
        }
        match room.get_mut(self.head..length) {
            Some(slot) => {
                copy_short(slot, tail);
                out.truncate(start + length);
            }
            None => {
                out.truncate(start + self.head);
                out.extend_from_slice(tail);
            }
        }
        true
    }

    /// Kept out of the way of keys that have no salt.
    #[inline(never)]
    fn put_salts<R: Record>(&self, record: &R::Of<'_>, room: &mut [u8; ROOM]) -> bool {
        R::put_salts(record, &self.places, room)
    }

    /// The record of a key; `None` if the general way has to find out, or say why there is none.
    #[inline(always)]
    pub(super) fn decode<'k, R: Record>(&self, key: &'k [u8]) -> Option<R::Of<'k>> {
        // Too short wraps to more than any key has to spare.
        if key.len().wrapping_sub(self.shortest) > self.spare {
            return None;
        }
        let (head, tail) = key.split_at_checked(self.head)?;
        let record = R::get(&self.places, head, tail)?;
        (!self.compares || self.agrees::<R>(head)).then_some(record)
    }

    /// Whether literals and salts are what they must be. Kept out of the way of keys that have none, and without a look at
    /// the record that was just read: to be looked at it would have to be in memory, and not in registers.
    #[inline(never)]
    fn agrees<R: Record>(&self, head: &[u8]) -> bool {
        let literal =
            |(at, literal): &(usize, Vec<u8>)| head.get(*at..).is_some_and(|rest| rest.starts_with(literal));
        self.literals.iter().all(literal) && R::salts_agree(&self.places, head)
    }
}

impl NumberPlace {
    /// Its bytes, of which there are `W`, in what every key begins with.
    #[inline(always)]
    pub(super) fn slot<'r, const W: usize>(&self, room: &'r mut [u8; ROOM]) -> Option<&'r mut [u8; W]> {
        let at = usize::from(self.at);
        room.get_mut(at..at + W)?.first_chunk_mut::<W>()
    }

    /// As [`NumberPlace::slot`], to read.
    #[inline(always)]
    pub(super) fn bytes<const W: usize>(&self, head: &[u8]) -> Option<[u8; W]> {
        let at = usize::from(self.at);
        head.get(at..at + W)?.first_chunk::<W>().copied()
    }
}

impl SaltPlace {
    /// Writes the salt of a number's plain bytes, of which `width` count.
    #[inline(always)]
    pub(super) fn put(&self, bytes: [u8; 8], width: usize, room: &mut [u8; ROOM]) -> bool {
        let word = self.salt.word(bytes, width);
        let at = usize::from(self.at);
        match room.get_mut(at..at + self.salt.width()) {
            // By far the most salts have one byte.
            Some([slot]) => *slot = word as u8,
            Some(slot) => copy_end(slot, word),
            None => return false,
        }
        true
    }

    /// Whether the salt of a number's plain bytes, of which `width` count, is the one of the key.
    #[inline(always)]
    pub(super) fn agrees(&self, bytes: [u8; 8], width: usize, head: &[u8]) -> bool {
        let word = self.salt.word(bytes, width);
        let at = usize::from(self.at);
        match head.get(at..at + self.salt.width()) {
            Some([found]) => *found == word as u8,
            Some(found) => word.to_be_bytes().ends_with(found),
            None => false,
        }
    }
}

/// The last bytes of a number, as many as there is room for.
#[inline(never)]
fn copy_end(slot: &mut [u8], word: u64) {
    slot.iter_mut().rev().zip(word.to_be_bytes().into_iter().rev()).for_each(|(slot, byte)| *slot = byte);
}
