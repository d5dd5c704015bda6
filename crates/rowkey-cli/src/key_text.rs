//! Row keys as written on the command line and on the screen.

use std::fmt;

use rowkey_core::disclosure::Disclosure;
use rowkey_core::disclosure::said;
use rowkey_core::escape::{escape, escape_into, from_hex, hex_into, to_hex, unescape};

/// A key that should be hex and is not.
#[derive(Debug)]
pub(crate) struct NotHex {
    text: String,
}

impl fmt::Display for NotHex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not hex: write pairs of 0-9 and a-f", said(&self.text))
    }
}

impl std::error::Error for NotHex {}

/// The form of row keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyText {
    /// As HBase prints them.
    Escaped,
    Hex,
    /// Its length, with `--redact`.
    Hidden,
}

impl KeyText {
    pub(crate) fn new(hex: bool) -> Self {
        if hex { Self::Hex } else { Self::Escaped }
    }

    /// A key as people write it.
    pub(crate) fn read(self, text: &str) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Hex => from_hex(text).ok_or_else(|| NotHex { text: text.to_owned() }.into()),
            Self::Escaped | Self::Hidden => Ok(unescape(text)?),
        }
    }

    /// A row key as people write it; a row has at least one byte.
    pub(crate) fn read_row(self, text: &str) -> anyhow::Result<Vec<u8>> {
        let key = self.read(text)?;
        rowkey_store::validate_row(&key)?;
        Ok(key)
    }

    pub(crate) fn show(self, key: &[u8]) -> String {
        match self {
            Self::Hex => to_hex(key),
            Self::Escaped => escape(key).to_string(),
            Self::Hidden => Disclosure::Lengths.bytes(key),
        }
    }

    /// Adds the same to others.
    pub(crate) fn show_into(self, key: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Hex => hex_into(key, out),
            Self::Escaped => escape_into(key, out),
            Self::Hidden => out.extend_from_slice(self.show(key).as_bytes()),
        }
    }
}
