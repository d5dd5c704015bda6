//! Which number does a salt hash its fields to?
//!
//! MurmurHash3 x86_32 as HBase's `MurmurHash3` computes it when called with seed -1 (HBase's own figures hold it:
//! `tests/vectors.rs`). It takes its input piece by piece, because a salt over several fields hashes their plain
//! bytes one after another and must not allocate to join them.

/// A running MurmurHash3 (x86, 32 bits).
#[derive(Debug, Clone)]
pub struct Murmur3 {
    hash: u32,
    /// Up to three bytes that wait for a fourth.
    tail: [u8; 4],
    tail_len: usize,
    length: u32,
}

impl Murmur3 {
    /// The seed of the notation's `murmur3` and `salt`.
    pub const SEED: u32 = u32::MAX;

    /// A hash of nothing yet.
    pub fn new(seed: u32) -> Self {
        Self { hash: seed, tail: [0; 4], tail_len: 0, length: 0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        // The length is hashed modulo 2^32, as the algorithm has it.
        self.length = self.length.wrapping_add(u32::try_from(bytes.len() & 0xFFFF_FFFF).unwrap_or(0));
        while self.tail_len > 0 {
            let Some((&byte, rest)) = bytes.split_first() else { return };
            self.push_tail(byte);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks::<4>();
        for block in blocks {
            self.block(*block);
        }
        for &byte in rest {
            self.push_tail(byte);
        }
    }

    /// The hash of all bytes added.
    pub fn finish(self) -> i32 {
        let mut hash = self.hash;
        if self.tail_len > 0 {
            hash ^= mix(word(self.tail));
        }
        hash ^= self.length;
        hash ^= hash >> 16;
        hash = hash.wrapping_mul(0x85eb_ca6b);
        hash ^= hash >> 13;
        hash = hash.wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
        hash.cast_signed()
    }

    fn push_tail(&mut self, byte: u8) {
        if let Some(slot) = self.tail.get_mut(self.tail_len) {
            *slot = byte;
        }
        self.tail_len += 1;
        if self.tail_len == self.tail.len() {
            self.block(self.tail);
            self.tail = [0; 4];
            self.tail_len = 0;
        }
    }

    fn block(&mut self, block: [u8; 4]) {
        self.hash ^= mix(word(block));
        self.hash = self.hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
}

#[expect(clippy::little_endian_bytes, reason = "MurmurHash3 reads its words little-endian")]
fn word(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes)
}

fn mix(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

/// The 64-bit FNV-1a hash: for names that must stay the same for ever, such as a schema's fingerprint.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn murmur3(pieces: &[&[u8]]) -> i32 {
        let mut hash = Murmur3::new(Murmur3::SEED);
        for piece in pieces {
            hash.update(piece);
        }
        hash.finish()
    }

    #[test]
    fn fnv_has_its_published_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    proptest! {
        #[test]
        fn pieces_hash_like_the_whole(a: Vec<u8>, b: Vec<u8>, c: Vec<u8>) {
            prop_assert_eq!(murmur3(&[&a, &b, &c]), murmur3(&[&[a.as_slice(), &b, &c].concat()]));
        }
    }
}
