//! Shows a row key to people and reads it back.
//!
//! HBase prints bytes the way its `Bytes.toStringBinary` does: printable ASCII as it is, everything else, and
//! the backslash itself, as `\xNN` with upper-case hex. People copy such keys between the HBase shell, logs
//! and rowkey, so the pair here is exact in both directions.
//!
//! **Law**: `unescape(escape(b)) == b` for all bytes (`round_trip` below).
//!
//! ```
//! use rowkey_core::escape::{escape, unescape};
//! assert_eq!(escape(b"\x00abc\xff").to_string(), r"\x00abc\xFF");
//! assert_eq!(unescape(r"\x00abc\xFF").unwrap(), b"\x00abc\xff");
//! ```
//!
//! Quirk: HBase reads `\` not followed by `x` as itself; so does [`unescape`]. A `\x` that lacks its two hex
//! digits is refused here, where HBase guesses.

use crate::disclosure::{Disclosure, in_messages, said};
use std::fmt;

/// Bytes that print in HBase's escaped form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Escaped<'a>(&'a [u8]);

/// The escaped form of `bytes`, for `{}`.
pub fn escape(bytes: &[u8]) -> Escaped<'_> {
    Escaped(bytes)
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if in_messages().hides() {
            return f.write_str(&Disclosure::Lengths.bytes(self.0));
        }
        let mut text = Vec::new();
        escape_into(self.0, &mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// What each byte is written as: four bytes, of which so many count.
const WRITTEN: [([u8; 4], u8); 256] = {
    let digits = b"0123456789ABCDEF";
    let mut written = [([0; 4], 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let plain = b' ' as usize <= byte && byte <= b'~' as usize && byte != b'\\' as usize;
        written[byte] = if plain {
            ([byte as u8, 0, 0, 0], 1)
        } else {
            ([b'\\', b'x', digits[byte >> 4], digits[byte & 15]], 4)
        };
        byte += 1;
    }
    written
};

/// Adds the escaped form of `bytes` to `out`, for many keys at once.
pub fn escape_into(bytes: &[u8], out: &mut Vec<u8>) {
    let mut at = out.len();
    out.resize(at + 4 * bytes.len(), 0);
    for &byte in bytes {
        let (written, length) = WRITTEN[usize::from(byte)];
        if let Some(slot) = out.get_mut(at..at + 4).and_then(<[u8]>::first_chunk_mut::<4>) {
            *slot = written;
        }
        at += usize::from(length);
    }
    out.truncate(at);
}

impl fmt::Debug for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// A `\x` in an escaped key without two hex digits after it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`\\x` at byte {offset} of `{text}` needs two hex digits; write a single backslash as `\\x5C`", text = said(text))]
pub struct UnescapeError {
    /// Where the `\x` starts, in bytes of the text.
    pub offset: usize,
    /// The whole text that was to be read.
    pub text: String,
}

/// The bytes of an escaped text.
///
/// # Errors
/// When a `\x` is not followed by two hex digits.
pub fn unescape(text: &str) -> Result<Vec<u8>, UnescapeError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && bytes.get(at + 1) == Some(&b'x') {
            let digits = bytes.get(at + 2..at + 4).and_then(hex_byte);
            let digits = digits.ok_or_else(|| UnescapeError { offset: at, text: text.to_owned() })?;
            out.push(digits);
            at += 4;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    Ok(out)
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let mut value = 0;
    for &digit in digits {
        value = value * 16 + u8::try_from(char::from(digit).to_digit(16)?).ok()?;
    }
    Some(value)
}

/// The bytes of a hex text such as `00ff`; `None` for an odd length or a character that is not a hex digit.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks(2).map(hex_byte).collect()
}

/// Bytes as lower-case hex.
pub fn to_hex(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    hex_into(bytes, &mut out);
    out.into_iter().map(char::from).collect()
}

/// Adds bytes as lower-case hex to `out`, for many keys at once.
pub fn hex_into(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_broken_escape_is_refused_with_its_place() {
        assert_eq!(unescape(r"ab\xZ1").unwrap_err().offset, 2);
        assert_eq!(unescape(r"ab\x0").unwrap_err().offset, 2);
        assert_eq!(unescape(r"a\b").unwrap(), b"a\\b");
    }

    #[test]
    fn every_byte_is_written_as_hbase_writes_it() {
        for byte in 0..=255_u8 {
            let expected = match byte {
                b'\\' => "\\x5C".to_owned(),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02X}"),
            };
            assert_eq!(escape(&[byte]).to_string(), expected);
            assert_eq!(to_hex(&[byte]), format!("{byte:02x}"));
        }
    }

    #[test]
    fn hex_is_strict() {
        assert_eq!(from_hex("00fF"), Some(vec![0, 255]));
        assert_eq!(from_hex("0"), None);
        assert_eq!(from_hex("0g"), None);
    }

    proptest! {
        #[test]
        fn round_trip(bytes: Vec<u8>) {
            prop_assert_eq!(unescape(&escape(&bytes).to_string()).unwrap(), bytes.clone());
            prop_assert_eq!(from_hex(&to_hex(&bytes)).unwrap(), bytes);
        }
    }
}
