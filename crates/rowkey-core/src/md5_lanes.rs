//! MD5 of many short messages at once, sixteen lanes wide.
//!
//! MD5 is a chain: each of its 64 steps waits for the one before, so one message leaves most of a processor idle. Here
//! [`LANES`] messages go through the steps side by side, one in each lane of a vector. The code is plain arithmetic on
//! arrays; the compiler makes vector instructions of it, wide ones (AVX2) where the processor has them.
//!
//! ```text
//!              lane 0   lane 1  …
//! word 0       "user"   "user"      four bytes of each message
//! word 1       "0017"   "0018"
//! word 2        80        80        the end mark
//! …
//! word 14       64        64        the length in bits
//! ```
//!
//! **Law** (tests below): every digest is the one that RustCrypto computes, whatever the lengths in a batch.
//!
//! Quirks: a batch costs the same whether its lanes are full or not, about as much as two or three messages one at a
//! time, and as many blocks as its longest message has. So it is for columns of ids; one message at a time is `md-5`'s job
//! ([`crate::hashes`]).

/// How many messages are hashed at once: two vectors of eight words, so that one can be worked on while a step of the
/// other waits.
const LANES: usize = 16;

pub(crate) type Md5Digest = [u8; 16];

/// One 32-bit word of every lane.
type Words = [u32; LANES];
/// The four words that the steps change.
type State = [Words; 4];
/// The sixteen words of one block of every message.
type Block = [Words; 16];

const BLOCK_LEN: usize = 64;
/// With its end mark, such a message fits four words.
const SHORT_LEN: usize = 15;
const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// Gives the digest of each message to `sink`, in the order of the messages.
#[inline]
pub fn md5_many<'a>(messages: impl IntoIterator<Item = &'a [u8]>, mut sink: impl FnMut(Md5Digest)) {
    let mut messages = messages.into_iter();
    loop {
        let mut batch: [&[u8]; LANES] = [&[]; LANES];
        let mut filled = 0;
        for (lane, message) in batch.iter_mut().zip(&mut messages) {
            *lane = message;
            filled += 1;
        }
        if filled == 0 {
            return;
        }
        let state = hashed(&batch);
        for lane in 0..filled {
            sink(digest(&state, lane));
        }
        if filled < LANES {
            return;
        }
    }
}

/// The digest of one lane. A caller that takes some bytes of it pays for these only.
#[inline(always)]
fn digest(state: &State, lane: usize) -> Md5Digest {
    let mut digest = [0; 16];
    for (slot, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *slot = word.get(lane).map_or([0; 4], |word| bytes_of(*word));
    }
    digest
}

/// The words of all digests.
fn hashed(messages: &[&[u8]; LANES]) -> State {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the only gate to wider vectors; behind it is the same safe code")]
        // SAFETY: the processor has AVX2, which is all that the function asks for.
        return unsafe { with_avx2(messages) };
    }
    states(messages)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(messages: &[&[u8]; LANES]) -> State {
    states(messages)
}

#[inline(always)]
fn states(messages: &[&[u8]; LANES]) -> State {
    if messages.iter().all(|message| message.len() <= SHORT_LEN) {
        short_ones(messages)
    } else {
        long_ones(messages)
    }
}

/// Of messages as short as most ids: one block, of which five words are not zero.
#[inline(always)]
fn short_ones(messages: &[&[u8]; LANES]) -> State {
    let mut words = [[0; LANES]; 5];
    for (lane, message) in messages.iter().enumerate() {
        let (low, high) = ended(message);
        let length = 8 * message.len() as u32;
        let of_lane = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32, length];
        for (words, word) in words.iter_mut().zip(of_lane) {
            words[lane] = word;
        }
    }
    let mut state = START.map(|word| [word; LANES]);
    steps(&mut state, |at, lane| match at {
        0..=3 => words[at][lane],
        14 => words[4][lane],
        // Known where the steps are compiled, so that it is not even added.
        _ => 0,
    });
    state
}

/// A message of at most 15 bytes with its end mark, as two numbers, the first byte lowest.
#[inline(always)]
fn ended(message: &[u8]) -> (u64, u64) {
    const MARK: u64 = 0x80;
    let length = message.len();
    if let (Some(front), Some(back)) = (message.first_chunk::<8>(), message.last_chunk::<8>()) {
        // The back overlaps the front, by all of it if there are only eight.
        let rest = (long_of(*back) >> (8 * (SHORT_LEN - length))) >> 8;
        (long_of(*front), rest | MARK << (8 * (length - 8)))
    } else {
        // Fewer than eight bytes.
        (short(message) as u64 | MARK << (8 * length), 0)
    }
}

/// Of messages of any length, as many blocks as the longest has.
#[inline(always)]
fn long_ones(messages: &[&[u8]; LANES]) -> State {
    let mut state = START.map(|word| [word; LANES]);
    // The end mark and the length take nine bytes.
    let blocks = messages.map(|message| (message.len() + 8) / BLOCK_LEN + 1);
    let longest = blocks.into_iter().max().unwrap_or(0);
    for index in 0..longest {
        let before = state;
        let block = block(messages, index);
        steps(&mut state, |at, lane| block[at][lane]);
        if longest > 1 {
            // A message that has ended keeps its state.
            for (word, old) in state.iter_mut().zip(before) {
                for ((lane, old), blocks) in word.iter_mut().zip(old).zip(blocks) {
                    *lane = if index < blocks { *lane } else { old };
                }
            }
        }
    }
    state
}

/// The words of the block `index` of every message; of one that has ended before, whatever.
#[inline(always)]
fn block(messages: &[&[u8]; LANES], index: usize) -> Block {
    let mut block = [[0; LANES]; 16];
    for (lane, message) in messages.iter().enumerate() {
        let start = index * BLOCK_LEN;
        let rest = message.get(start..).unwrap_or_default();
        let piece = rest.get(..BLOCK_LEN).unwrap_or(rest);
        // Four words at a time, which takes an id of up to 15 bytes without a loop.
        let (whole, tail) = piece.as_chunks::<16>();
        let mut slots = block.as_chunks_mut::<4>().0.iter_mut();
        let put = |slots: &mut [Words; 4], four: u128| {
            for (at, words) in slots.iter_mut().enumerate() {
                words[lane] = (four >> (32 * at)) as u32;
            }
        };
        for (bytes, slots) in whole.iter().zip(slots.by_ref()) {
            put(slots, four_of(*bytes));
        }
        // The end mark follows the last byte, unless that was in the block before.
        if start <= message.len()
            && let Some(slots) = slots.next()
        {
            put(slots, short(tail) | 0x80 << (8 * tail.len()));
        }
        if piece.len() + 8 < BLOCK_LEN {
            // The length in bits, lower half first.
            let bits = (message.len() as u64).wrapping_mul(8);
            block[14][lane] = bits as u32;
            block[15][lane] = (bits >> 32) as u32;
        }
    }
    block
}

/// Fewer than 16 bytes as a number, the first byte lowest: the front and the back, which may overlap.
#[inline(always)]
fn short(bytes: &[u8]) -> u128 {
    if let (Some(front), Some(back)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let widen = |half: &[u8; 8]| long_of(*half) as u128;
        widen(front) | widen(back) << (8 * (bytes.len() - 8))
    } else if let (Some(front), Some(back)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let widen = |half: &[u8; 4]| word_of(*half) as u64;
        (widen(front) | widen(back) << (8 * (bytes.len() - 4))).into()
    } else {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }
}

#[expect(clippy::little_endian_bytes, reason = "MD5 reads its words little-endian")]
fn four_of(bytes: [u8; 16]) -> u128 {
    u128::from_le_bytes(bytes)
}

#[expect(clippy::little_endian_bytes, reason = "MD5 reads its words little-endian")]
fn long_of(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes)
}

#[expect(clippy::little_endian_bytes, reason = "MD5 reads its words little-endian")]
fn word_of(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes)
}

#[expect(clippy::little_endian_bytes, reason = "MD5 writes its words little-endian")]
fn bytes_of(word: u32) -> [u8; 4] {
    word.to_le_bytes()
}

/// The 64 steps of RFC 1321, on all lanes; `block` gives a word of a lane.
#[inline(always)]
fn steps(state: &mut State, block: impl Fn(usize, usize) -> u32) {
    // One long body without branches, once for each lane: the shape that the compiler turns into vectors. (With the
    // lanes as the inner loop, step by step, it stays scalar.) It takes two lanes, so that the processor has another
    // vector to work on while a step waits for the one before.
    for lane in 0..LANES / 2 {
        let of_state = |words: &Words| [words[lane], words[lane + LANES / 2]];
        let [mut a, mut b, mut c, mut d] = state.each_ref().map(of_state);
        let pair = |at: usize| [block(at, lane), block(at, lane + LANES / 2)];
        macro_rules! round {
            ($mix:expr, [$r0:literal $r1:literal $r2:literal $r3:literal],
             $($w0:literal $k0:literal $w1:literal $k1:literal $w2:literal $k2:literal $w3:literal $k3:literal)*) => {
                $(
                    a = step($mix, [a, b, c, d], pair($w0), $k0, $r0);
                    d = step($mix, [d, a, b, c], pair($w1), $k1, $r1);
                    c = step($mix, [c, d, a, b], pair($w2), $k2, $r2);
                    b = step($mix, [b, c, d, a], pair($w3), $k3, $r3);
                )*
            };
        }
        round!(|x, y, z| z ^ (x & (y ^ z)), [7 12 17 22],
            0 0xd76aa478 1 0xe8c7b756 2 0x242070db 3 0xc1bdceee
            4 0xf57c0faf 5 0x4787c62a 6 0xa8304613 7 0xfd469501
            8 0x698098d8 9 0x8b44f7af 10 0xffff5bb1 11 0x895cd7be
            12 0x6b901122 13 0xfd987193 14 0xa679438e 15 0x49b40821);
        round!(|x, y, z| y ^ (z & (x ^ y)), [5 9 14 20],
            1 0xf61e2562 6 0xc040b340 11 0x265e5a51 0 0xe9b6c7aa
            5 0xd62f105d 10 0x02441453 15 0xd8a1e681 4 0xe7d3fbc8
            9 0x21e1cde6 14 0xc33707d6 3 0xf4d50d87 8 0x455a14ed
            13 0xa9e3e905 2 0xfcefa3f8 7 0x676f02d9 12 0x8d2a4c8a);
        round!(|x, y, z| x ^ y ^ z, [4 11 16 23],
            5 0xfffa3942 8 0x8771f681 11 0x6d9d6122 14 0xfde5380c
            1 0xa4beea44 4 0x4bdecfa9 7 0xf6bb4b60 10 0xbebfbc70
            13 0x289b7ec6 0 0xeaa127fa 3 0xd4ef3085 6 0x04881d05
            9 0xd9d4d039 12 0xe6db99e5 15 0x1fa27cf8 2 0xc4ac5665);
        round!(|x, y, z| y ^ (x | !z), [6 10 15 21],
            0 0xf4292244 7 0x432aff97 14 0xab9423a7 5 0xfc93a039
            12 0x655b59c3 3 0x8f0ccc92 10 0xffeff47d 1 0x85845dd1
            8 0x6fa87e4f 15 0xfe2ce6e0 6 0xa3014314 13 0x4e0811a1
            4 0xf7537e82 11 0xbd3af235 2 0x2ad7d2bb 9 0xeb86d391);
        for (words, [one, other]) in state.iter_mut().zip([a, b, c, d]) {
            words[lane] = words[lane].wrapping_add(one);
            words[lane + LANES / 2] = words[lane + LANES / 2].wrapping_add(other);
        }
    }
}

/// b + rotate(a + mix(b, c, d) + word + constant), in two lanes.
#[inline(always)]
fn step(
    mix: impl Fn(u32, u32, u32) -> u32,
    [a, b, c, d]: [[u32; 2]; 4],
    word: [u32; 2],
    constant: u32,
    rotate: u32,
) -> [u32; 2] {
    std::array::from_fn(|lane| {
        a[lane]
            .wrapping_add(word[lane].wrapping_add(constant))
            .wrapping_add(mix(b[lane], c[lane], d[lane]))
            .rotate_left(rotate)
            .wrapping_add(b[lane])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use md5::Digest as _;
    use proptest::prelude::*;

    fn reference(message: &[u8]) -> Md5Digest {
        md5::Md5::digest(message).into()
    }

    fn many(messages: &[&[u8]]) -> Vec<Md5Digest> {
        let mut digests = Vec::new();
        md5_many(messages.iter().copied(), |digest| digests.push(digest));
        digests
    }

    #[test]
    fn every_length_has_its_digest() {
        let bytes: Vec<u8> = (0..200_u8).collect();
        let messages: Vec<&[u8]> = (0..=200).map(|len| &bytes[..len]).collect();
        let expected: Vec<Md5Digest> = messages.iter().map(|message| reference(message)).collect();
        assert_eq!(many(&messages), expected);
        for (message, expected) in messages.iter().zip(expected) {
            // Alone, in full batches of one length, and through the code without AVX2.
            assert_eq!(many(&[message]), [expected]);
            assert_eq!(many(&[*message; LANES]), [expected; LANES]);
            let state = states(&[*message; LANES]);
            (0..LANES).for_each(|lane| assert_eq!(digest(&state, lane), expected));
        }
    }

    proptest! {
        #[test]
        fn batches_of_any_lengths_have_their_digests(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..40)
        ) {
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let expected: Vec<Md5Digest> = messages.iter().map(|message| reference(message)).collect();
            prop_assert_eq!(many(&messages), expected);
        }
    }
}
