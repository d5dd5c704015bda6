//! The hash behind `salt`: MurmurHash3 of the fields' plain bytes.
//!
//! MurmurHash3 x86_32 as HBase's `MurmurHash3` computes it when called with seed -1 (HBase's own figures hold it:
//! `tests/vectors.rs`). It takes its input piece by piece, because a salt over several fields hashes their plain
//! bytes one after another and must not allocate to join them.

use std::num::NonZeroU32;

/// A number of buckets, made ready for many remainders: two multiplications each instead of a division (Lemire, Kaser
/// and Kurz, "Faster remainder by direct computation").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buckets {
    count: NonZeroU32,
    /// 2^64 divided by the count, rounded up.
    reciprocal: u64,
    /// What a negative hash needs: -2^32 modulo the count.
    negative: u32,
    /// A remainder by a power of two is the last bits, of negative numbers too; most salts are one.
    power_of_two: bool,
}

impl Buckets {
    /// So many buckets.
    pub fn new(count: NonZeroU32) -> Self {
        let wide = i64::from(count.get());
        Self {
            count,
            // For one bucket it wraps to zero, and so does every remainder.
            reciprocal: (u64::MAX / u64::from(count.get())).wrapping_add(1),
            negative: (-(1i64 << 32)).rem_euclid(wide) as u32,
            power_of_two: count.is_power_of_two(),
        }
    }

    /// The hash modulo the count, never negative. No branch asks for the hash, which is negative half of the time.
    #[inline]
    pub fn of(self, hash: i32) -> u32 {
        if self.power_of_two {
            return hash.cast_unsigned() & (self.count.get() - 1);
        }
        let count = u64::from(self.count.get());
        let fraction = self.reciprocal.wrapping_mul(hash.cast_unsigned().into());
        let rest = ((u128::from(fraction) * u128::from(count)) >> 64) as u64;
        let rest = rest + u64::from(self.negative & (hash >> 31).cast_unsigned());
        rest.min(rest.wrapping_sub(count)) as u32
    }
}

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

    /// The hash of eight bytes, with the seed of a salt: the salt of most keys.
    #[inline]
    pub fn of_eight(bytes: [u8; 8]) -> Self {
        let mut hash = Self::new(Self::SEED);
        hash.length = 8;
        bytes.as_chunks::<4>().0.iter().for_each(|block| hash.block(*block));
        hash
    }

    /// Adds bytes.
    #[inline]
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

    /// The bucket of all bytes added: the hash modulo the number of buckets, never negative.
    #[inline]
    pub fn bucket(self, buckets: Buckets) -> u32 {
        buckets.of(self.finish())
    }

    /// The hash of all bytes added.
    #[inline]
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

    #[inline]
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

    #[inline]
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

        #[test]
        fn eight_bytes_hash_like_any(bytes: [u8; 8]) {
            prop_assert_eq!(Murmur3::of_eight(bytes).finish(), murmur3(&[&bytes]));
        }

        #[test]
        fn a_bucket_is_the_remainder_that_is_never_negative(text: Vec<u8>, buckets in 1u32..) {
            let mut hash = Murmur3::new(Murmur3::SEED);
            hash.update(&text);
            let expected = i64::from(hash.clone().finish()).rem_euclid(buckets.into());
            let buckets = Buckets::new(NonZeroU32::new(buckets).expect("not zero"));
            prop_assert_eq!(i64::from(hash.bucket(buckets)), expected);
        }
    }
}
