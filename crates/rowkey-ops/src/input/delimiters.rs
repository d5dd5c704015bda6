//! Finds the delimiters and line ends of a text.
//!
//! Cells are short, so that a search that begins anew behind each of them costs more than the search itself. Sixty-four
//! bytes are looked at together instead: eight numbers of eight bytes, of which plain arithmetic tells what equals the delimiter or
//! a line end; one bit for each byte is left, and the places are read off the bits.
//!
//! **Law** (below): the places are those that a byte by byte search finds.

const BLOCK: usize = 64;
const LOW_BITS: u64 = u64::from_be_bytes([0x7F; 8]);
const LINE_ENDS: u64 = u64::from_be_bytes([b'\n'; 8]);
/// Brings the highest bit of each byte together in the highest byte, in the order of the bytes.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// The places of delimiters and line ends.
pub(super) struct Delimiters<'t> {
    /// Eight of the delimiter.
    sign: u64,
    rest: &'t [u8],
    /// Where the block that `found` is about begins.
    block: usize,
    /// A bit for each byte of the block that was not told yet.
    found: u64,
    /// Where the next block begins.
    next: usize,
}

impl<'t> Delimiters<'t> {
    pub(super) fn of(text: &'t [u8], delimiter: u8) -> Self {
        Self { sign: u64::from_be_bytes([delimiter; 8]), rest: text, block: 0, found: 0, next: 0 }
    }
}

impl Iterator for Delimiters<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if self.rest.is_empty() {
                return None;
            }
            if let Some((block, rest)) = self.rest.split_first_chunk::<BLOCK>() {
                self.found = bits(block, self.sign);
                self.rest = rest;
            } else {
                let mut block = [0; BLOCK];
                block.iter_mut().zip(self.rest).for_each(|(slot, byte)| *slot = *byte);
                self.found = bits(&block, self.sign);
                self.rest = &[];
            }
            self.block = self.next;
            self.next += BLOCK;
        }
        let place = self.block + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(place)
    }
}

/// A bit for each byte that is the delimiter or a line end, the lowest for the first.
#[inline]
#[expect(clippy::little_endian_bytes, reason = "the first byte is to have the lowest bit")]
fn bits(block: &[u8; BLOCK], sign: u64) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    let mut found = 0;
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The highest bit of a byte of either is off exactly if the byte equals.
        let differs = |byte: u64| ((byte & LOW_BITS) + LOW_BITS) | byte;
        let equal = !(differs(word ^ sign) & differs(word ^ LINE_ENDS)) & !LOW_BITS;
        found |= ((equal >> 7).wrapping_mul(GATHER) >> 56) << (8 * place);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_search_byte_by_byte(
            text in prop::collection::vec(
                prop_oneof![
                    Just(b','), Just(b'\n'), Just(b'+'), Just(b'-'), Just(0x0B), Just(0xAC), Just(0x8A), Just(0), any::<u8>()
                ],
                0..300,
            ),
            sign in prop::sample::select(b",;\t|\x01+\xAC".to_vec()),
        ) {
            let expected: Vec<usize> =
                (0..text.len()).filter(|place| text[*place] == sign || text[*place] == b'\n').collect();
            prop_assert_eq!(Delimiters::of(&text, sign).collect::<Vec<_>>(), expected);
        }
    }
}
