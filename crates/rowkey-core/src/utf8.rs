//! UTF-8 validation with a fast path for short ASCII text.
//!
//! Keys hold short texts, most of them ASCII, and the standard library looks at a short text byte by byte. [`check`]
//! looks at up to sixteen bytes at once and asks the standard library only when one of them is not ASCII. On keys of
//! 29 bytes that is a third of the time of decoding (`cargo xtask bench keys`).

use std::str::Utf8Error;

/// The bytes as text.
///
/// # Errors
/// As [`std::str::from_utf8`].
#[inline(always)]
pub(crate) fn check(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // The usual text of a key, in a few instructions where they are needed; the others by a call.
    match ends_are_ascii(bytes) {
        Some(true) => Ok(of_ascii(bytes)),
        _ => other(bytes),
    }
}

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether all of 8 to 16 bytes are below 0x80, by two words that may overlap; `None` for other lengths.
#[inline(always)]
fn ends_are_ascii(bytes: &[u8]) -> Option<bool> {
    let (first, last) = (bytes.first_chunk::<8>()?, bytes.last_chunk::<8>()?);
    let ascii = (u64::from_be_bytes(*first) | u64::from_be_bytes(*last)) & HIGH == 0;
    (bytes.len() <= 16).then_some(ascii)
}

#[inline(never)]
fn other(bytes: &[u8]) -> Result<&str, Utf8Error> {
    if is_ascii(bytes) { Ok(of_ascii(bytes)) } else { std::str::from_utf8(bytes) }
}

/// Bytes as text that were found to be ASCII.
#[inline(always)]
fn of_ascii(bytes: &[u8]) -> &str {
    #[expect(
        unsafe_code,
        reason = "ASCII is UTF-8, and the standard library cannot be told so in stable Rust"
    )]
    // SAFETY: every byte is below 0x80, and such bytes are UTF-8, each a character.
    unsafe {
        std::str::from_utf8_unchecked(bytes)
    }
}

/// Whether every byte is below 0x80.
#[inline]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    if let Some(ascii) = ends_are_ascii(bytes) {
        ascii
    } else if bytes.len() < 8
        && let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>())
    {
        u64::from(u32::from_be_bytes(*first) | u32::from_be_bytes(*last)) & HIGH == 0
    } else {
        bytes.is_ascii()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_byte_that_is_not_ascii_is_found_wherever_it_is() {
        for length in 0..40 {
            let mut bytes = vec![b'a'; length];
            assert!(is_ascii(&bytes) && check(&bytes).is_ok());
            for at in 0..length {
                bytes[at] = 0x80;
                assert!(!is_ascii(&bytes), "{at} of {length}");
                assert_eq!(check(&bytes), std::str::from_utf8(&bytes));
                bytes[at] = b'a';
            }
        }
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_the_standard_library(bytes: Vec<u8>, text in "\\PC{0,20}") {
            prop_assert_eq!(check(&bytes), std::str::from_utf8(&bytes));
            prop_assert_eq!(check(text.as_bytes()), Ok(text.as_str()));
        }
    }
}
