//! Packs two byte strings into one key without losing their order.
//!
//! A zero byte starts a token of two bytes; every other byte stands for itself.
//!
//! | token | bytes | means |
//! | --- | --- | --- |
//! | END k | `00`, `01`+k | k zeros (0 to 126), then the string ends |
//! | MORE | `00`, `80` | 127 zeros, and the string goes on |
//! | RUN k | `00`, `100`-k | k zeros (1 to 126), then a byte that is not zero |
//!
//! The codes rise with what they stand for: of two strings, the one that ends first is smaller, and the one with
//! more zeros is smaller than the one with fewer zeros and a larger byte after them.
//!
//! **Laws** (property tests below): `encode(a) < encode(b)` exactly if `a < b`; no encoding is a prefix of another;
//! `decode(encode(a)) == a`, and nothing else decodes to `a`; the length is at most 1.5 n + 2.
//!
//! Not here: the `escaped` type of row keys (`rowkey`), which users see. This one is seen only by the engine, and
//! packs runs so that the longest row key of zeros still fits the engine's keys.

/// What stands after a zero byte: the smallest END.
const END: u8 = 0x01;
/// What stands after a zero byte: [`LONGEST`] zeros and more to come.
const MORE: u8 = 0x80;
/// What stands after a zero byte: the longest RUN; shorter ones follow up to `FF`.
const RUN: u8 = 0x82;
/// The zeros that one MORE stands for: one above the longest END or RUN.
const LONGEST: u8 = 127;

/// Bytes that no string encodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedError {
    /// The bytes stop before the END token.
    #[error("no END token follows byte {offset}")]
    Unterminated {
        /// Where reading stopped.
        offset: usize,
    },
    /// A zero byte is followed by a code that no token has.
    #[error("byte {offset} is no token: 00 {code:02X}")]
    UnknownToken {
        /// Where the token starts.
        offset: usize,
        /// The byte after the zero.
        code: u8,
    },
    /// A RUN token is followed by another zero, which would have been packed with it.
    #[error("the RUN token at byte {offset} is followed by another zero")]
    ZeroAfterRun {
        /// Where the token starts.
        offset: usize,
    },
}

/// Adds the encoding of `bytes` to `out`.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    loop {
        let plain = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(plain);
        out.extend_from_slice(head);
        let mut zeros = tail.iter().position(|&byte| byte != 0).unwrap_or(tail.len());
        rest = tail.get(zeros..).unwrap_or_default();
        while zeros >= usize::from(LONGEST) {
            out.extend([0, MORE]);
            zeros -= usize::from(LONGEST);
        }
        let zeros = u8::try_from(zeros).expect("what is left is below LONGEST");
        if rest.is_empty() {
            out.extend([0, END + zeros]);
            return;
        }
        if zeros > 0 {
            out.extend([0, zeros.wrapping_neg()]);
        }
    }
}

/// One step of reading: what stands at `offset`.
enum Token {
    /// This many bytes of the string stand for themselves.
    Plain(usize),
    /// Zeros; more follows.
    Zeros(u8),
    /// Zeros; the string ends.
    End(u8),
}

fn token(encoded: &[u8], offset: usize) -> Result<Token, PackedError> {
    let rest = encoded.get(offset..).unwrap_or_default();
    match rest {
        [] | [0] => Err(PackedError::Unterminated { offset }),
        [0, code @ END..MORE, ..] => Ok(Token::End(code - END)),
        [0, MORE, ..] => Ok(Token::Zeros(LONGEST)),
        [0, RUN..=0xFF, 0, ..] => Err(PackedError::ZeroAfterRun { offset }),
        [0, code @ RUN..=0xFF, ..] => Ok(Token::Zeros(code.wrapping_neg())),
        [0, code, ..] => Err(PackedError::UnknownToken { offset, code: *code }),
        _ => Ok(Token::Plain(memchr::memchr(0, rest).unwrap_or(rest.len()))),
    }
}

/// The string that starts at the first byte, if it has no zeros and so stands there as it is; most do.
#[inline]
fn plain(encoded: &[u8]) -> Option<&[u8]> {
    let (text, token) = encoded.split_at_checked(memchr::memchr(0, encoded)?)?;
    (token.get(1) == Some(&END)).then_some(text)
}

/// Where the encoding that starts at the first byte ends.
#[inline]
pub(crate) fn end(encoded: &[u8]) -> Result<usize, PackedError> {
    if let Some(text) = plain(encoded) {
        return Ok(text.len() + 2);
    }
    end_by_tokens(encoded)
}

fn end_by_tokens(encoded: &[u8]) -> Result<usize, PackedError> {
    let mut offset = 0;
    loop {
        match token(encoded, offset)? {
            Token::Plain(length) => offset += length,
            Token::Zeros(_) => offset += 2,
            Token::End(_) => return Ok(offset + 2),
        }
    }
}

/// Adds the string that starts at the first byte to `out`; returns where its encoding ends.
pub(crate) fn decode(encoded: &[u8], out: &mut Vec<u8>) -> Result<usize, PackedError> {
    let mut offset = 0;
    loop {
        match token(encoded, offset)? {
            Token::Plain(length) => {
                out.extend_from_slice(encoded.get(offset..offset + length).unwrap_or_default());
                offset += length;
            }
            Token::Zeros(zeros) => {
                out.resize(out.len() + usize::from(zeros), 0);
                offset += 2;
            }
            Token::End(zeros) => {
                out.resize(out.len() + usize::from(zeros), 0);
                return Ok(offset + 2);
            }
        }
    }
}

/// The string that starts at the first byte: where it stands, or decoded into `buffer` if it has zeros.
#[inline]
pub(crate) fn read<'a>(encoded: &'a [u8], buffer: &'a mut Vec<u8>) -> Result<&'a [u8], PackedError> {
    if let Some(text) = plain(encoded) {
        return Ok(text);
    }
    buffer.clear();
    decode(encoded, buffer)?;
    Ok(buffer)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Strings rich in zeros, with runs of every length where a token changes, and short ones that share prefixes.
    pub(crate) fn zero_rich() -> impl Strategy<Value = Vec<u8>> {
        let run = prop_oneof![
            3 => Just(1usize), 2 => Just(2), 1 => 3usize..6, 1 => 124usize..131, 1 => 252usize..257, 1 => 379usize..383
        ];
        let piece = prop_oneof![
            run.prop_map(|zeros| vec![0; zeros]),
            prop::sample::select(vec![1u8, 2, 0x61, 0x7F, 0x80, 0x81, 0x82, 0xFE, 0xFF])
                .prop_map(|byte| vec![byte]),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(bytes, &mut out);
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn order_is_kept(a in zero_rich(), b in zero_rich()) {
            prop_assert_eq!(a.cmp(&b), encoded(&a).cmp(&encoded(&b)));
        }

        #[test]
        fn no_encoding_is_a_prefix_of_another(a in zero_rich(), b in zero_rich()) {
            prop_assert_eq!(a == b, encoded(&b).starts_with(&encoded(&a)));
        }

        #[test]
        fn round_trip_stops_at_the_end(bytes in zero_rich(), after in zero_rich()) {
            let encoding = encoded(&bytes);
            let mut key = encoding.clone();
            key.extend_from_slice(&after);
            let mut back = Vec::new();
            prop_assert_eq!(decode(&key, &mut back), Ok(encoding.len()));
            prop_assert_eq!(end(&key), Ok(encoding.len()));
            prop_assert_eq!(end_by_tokens(&key), Ok(encoding.len()));
            let mut buffer = b"rubbish".to_vec();
            prop_assert_eq!(read(&key, &mut buffer), Ok(bytes.as_slice()));
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn length_is_at_most_one_and_a_half_plus_two(bytes in zero_rich()) {
            prop_assert!(2 * encoded(&bytes).len() <= 3 * bytes.len() + 4);
        }

        /// Arbitrary bytes are refused or are the one encoding of what they decode to.
        #[test]
        fn decoding_is_strict(
            key in prop::collection::vec(prop::sample::select(vec![0u8, 0, 0, 1, 2, 0x7F, 0x80, 0x81, 0x82, 0xFF]), 0..9)
        ) {
            let mut out = Vec::new();
            match decode(&key, &mut out) {
                Ok(length) => prop_assert_eq!(encoded(&out), key[..length].to_vec()),
                Err(error) => prop_assert_eq!(end(&key), Err(error)),
            }
        }
    }

    /// Every pair of run lengths around the limits, each followed by nothing, a small byte or a large one.
    #[test]
    fn order_is_kept_around_every_limit() {
        let mut strings: Vec<Vec<u8>> = Vec::new();
        for zeros in (0..4).chain(124..131).chain(251..258).chain(378..384) {
            for tail in [&b""[..], b"\x01", b"\x01\x00", b"\x80", b"\xFF", b"\xFF\x00"] {
                strings.push([b"a", vec![0; zeros].as_slice(), tail].concat());
                strings.push([vec![0; zeros].as_slice(), tail].concat());
            }
        }
        for a in &strings {
            for b in &strings {
                assert_eq!(a.cmp(b), encoded(a).cmp(&encoded(b)), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn malformed_bytes_are_refused_with_their_place() {
        let refused = |bytes: &[u8]| decode(bytes, &mut Vec::new()).expect_err("malformed");
        assert_eq!(refused(b""), PackedError::Unterminated { offset: 0 });
        assert_eq!(refused(b"ab"), PackedError::Unterminated { offset: 2 });
        assert_eq!(refused(b"ab\0"), PackedError::Unterminated { offset: 2 });
        assert_eq!(refused(b"a\x00\x00"), PackedError::UnknownToken { offset: 1, code: 0 });
        assert_eq!(refused(b"a\x00\x81"), PackedError::UnknownToken { offset: 1, code: 0x81 });
        assert_eq!(refused(b"a\x00\xFF\x00\x01"), PackedError::ZeroAfterRun { offset: 1 });
        assert_eq!(refused(b"a\x00\xFF"), PackedError::Unterminated { offset: 3 });
    }
}
