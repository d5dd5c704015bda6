//! HBase's `BlobVar` form of `OrderedBytes`, for plain bytes.
//!
//! The bits are cut into groups of seven. Each group is one byte whose top bit says whether another follows; the
//! last group is filled up with zero bits. No bytes at all are one group of zeros.
//!
//! ```text
//! ff       1111111  1       ->  37  ff 40
//! fe ff    1111111  0111111  11  ->  37  ff bf 60
//! ```
//!
//! **The order of these bytes is not that of the plain ones**: above, `ff` sorts before `fe ff`, because the bit that
//! says "another follows" stands before the bits that differ. What does hold (tests below): bytes of one length keep
//! their order, and bytes sort after their own beginning.

use super::{OrderedError, OrderedType, Source, TOP_BITS};

/// Says that another group follows.
const MORE: u8 = 0x80;
const GROUP: u8 = 0x7F;
/// Seven bytes are exactly eight groups.
const CHUNK: usize = 7;

/// Appends the groups.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for chunk in bytes.chunks(CHUNK) {
        let mut bits = 0_u64;
        for &byte in chunk {
            bits = bits << 8 | u64::from(byte);
        }
        bits <<= 8 * (CHUNK - chunk.len());
        let groups: [u8; CHUNK + 1] = std::array::from_fn(|group| group_of(bits, group) | MORE);
        out.extend(groups.iter().take(chunk.len() + 1));
    }
    match out.last_mut() {
        Some(last) if !bytes.is_empty() => *last &= GROUP,
        _ => out.push(0),
    }
    debug_assert_eq!(out.len() - start, encoded_len(bytes.len()));
}

/// The seven bits of a group, counted from the front of 56 bits.
fn group_of(bits: u64, group: usize) -> u8 {
    (bits >> (7 * (CHUNK - group))) as u8 & GROUP
}

/// How many groups so many bytes have.
pub(super) fn encoded_len(len: usize) -> usize {
    // Not len * 8 / 7, which could overflow.
    (len / CHUNK * (CHUNK + 1) + if len.is_multiple_of(CHUNK) { 0 } else { len % CHUNK + 1 }).max(1)
}

/// Reads the groups up to the last one.
pub(super) fn decode(source: &mut Source<'_>) -> Result<Vec<u8>, OrderedError> {
    let ty = OrderedType::Bytes;
    let offset = source.offset();
    let groups = source.take_until(|eight| !eight & TOP_BITS).ok_or(OrderedError::NoEnd { ty })?;
    let not_canonical = || {
        let offset = offset + groups.len() - 1;
        let byte = groups.last().map_or(0, |byte| byte ^ source.mask());
        OrderedError::NotCanonical { ty, offset, byte }
    };
    let mut out = Vec::with_capacity(groups.len() / (CHUNK + 1) * CHUNK + CHUNK);
    for chunk in groups.chunks(CHUNK + 1) {
        let mut bits = 0_u64;
        for &byte in chunk {
            bits = bits << 7 | u64::from((byte ^ source.mask()) & GROUP);
        }
        bits <<= 7 * (CHUNK + 1 - chunk.len());
        let [_, bytes @ ..] = bits.to_be_bytes();
        let len = chunk.len() - 1;
        // A group of its own can only be that of no bytes; what fills up the last group is zero.
        let is_padded = bytes.iter().skip(len).all(|&byte| byte == 0);
        if !is_padded || (len == 0 && groups.len() > 1) {
            return Err(not_canonical());
        }
        out.extend(bytes.iter().take(len));
    }
    Ok(out)
}
