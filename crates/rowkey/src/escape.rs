//! How is a row key shown to people, and how is it read back?
//!
//! HBase prints bytes the way its `Bytes.toStringBinary` does: printable ASCII as it is, everything else, and
//! the backslash itself, as `\xNN` with upper-case hex. People copy such keys between the HBase shell, logs
//! and rowkey, so the pair here is exact in both directions.
//!
//! **Law**: `unescape(escape(b)) == b` for all bytes (`round_trip` below).
//!
//! ```
//! use rowkey::escape::{escape, unescape};
//! assert_eq!(escape(b"\x00abc\xff").to_string(), r"\x00abc\xFF");
//! assert_eq!(unescape(r"\x00abc\xFF").unwrap(), b"\x00abc\xff");
//! ```
//!
//! Quirk: HBase reads `\` not followed by `x` as itself; so does [`unescape`]. A `\x` that lacks its two hex
//! digits is refused here, where HBase guesses.

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
        for &byte in self.0 {
            match byte {
                b'\\' => f.write_str("\\x5C")?,
                b' '..=b'~' => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\x{byte:02X}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// A `\x` in an escaped key without two hex digits after it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`\\x` at byte {offset} of `{text}` needs two hex digits; write a single backslash as `\\x5C`")]
pub struct UnescapeError {
    /// Where the `\x` starts, in bytes of the text.
    pub offset: usize,
    /// The whole text.
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
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        write!(out, "{byte:02x}").expect("writing to a String cannot fail");
        out
    })
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
