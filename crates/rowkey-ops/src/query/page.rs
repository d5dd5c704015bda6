//! Where does the next page begin?
//!
//! A token is text that anybody may keep: the table, the key's fingerprint, the query and the last row of the page, with a
//! checksum, in letters that a URL takes. It holds no state of any process, so it works after a restart, on another machine and
//! whatever regions were split in between: the next page begins behind the last row's key, or behind its place in the order
//! asked for, whether that row is still there or not.
//!
//! **Law** (`tests/pages.rs`): pages joined are the whole, also when regions are split between pages. A token of another table,
//! schema or query is refused, with words that say which.

use rowkey::Table;
use rowkey::hash::fnv1a;
use rowkey::query::Plan;

/// The form of tokens; another one is refused.
const VERSION: u8 = 1;
const HEADER: usize = 1 + 3 * 8;
const CHECKSUM: usize = 4;

/// A token that this query cannot go on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Not the whole text of a token.
    #[error(
        "this is no page token, or it is damaged: give the whole text, or none to begin with the first page"
    )]
    Damaged,
    /// Of a later version.
    #[error("the page token has form {version}, and this version reads {VERSION}; begin with the first page")]
    Version {
        /// The form.
        version: u8,
    },
    /// Of another table.
    #[error("the page token is of another table; begin with the first page of this one")]
    Table,
    /// Of a table with another key.
    #[error("the page token is of another schema: the key was changed since; begin with the first page")]
    Schema,
    /// Of another query, or of one that is planned differently now.
    #[error(
        "the page token is of another query; ask with the same conditions, order and columns, or begin with the first page"
    )]
    Query,
}

/// The text for a page that begins behind `last`: a row's key, or its place in the order asked for.
pub(super) fn write(table: &Table, plan: &Plan, last: &[u8]) -> String {
    let mut bytes = header(table, plan);
    bytes.extend_from_slice(last);
    let check = checksum(&bytes);
    bytes.extend_from_slice(&check);
    to_text(&bytes)
}

/// Behind what the page of a token begins.
pub(super) fn read(table: &Table, plan: &Plan, token: &str) -> Result<Vec<u8>, TokenError> {
    let bytes = from_text(token.trim()).ok_or(TokenError::Damaged)?;
    let end = bytes.len().checked_sub(CHECKSUM).filter(|end| *end >= HEADER).ok_or(TokenError::Damaged)?;
    let (content, check) = bytes.split_at(end);
    if checksum(content) != check {
        return Err(TokenError::Damaged);
    }
    let version = content.first().copied().unwrap_or_default();
    if version != VERSION {
        return Err(TokenError::Version { version });
    }
    let expected = header(table, plan);
    let part = |bytes: &[u8], nth: usize| bytes.get(1 + 8 * nth..9 + 8 * nth).map(<[u8]>::to_vec);
    for (nth, error) in [TokenError::Table, TokenError::Schema, TokenError::Query].into_iter().enumerate() {
        if part(content, nth) != part(&expected, nth) {
            return Err(error);
        }
    }
    Ok(content.get(HEADER..).unwrap_or_default().to_vec())
}

fn header(table: &Table, plan: &Plan) -> Vec<u8> {
    // How many rows a page has may change from page to page.
    let Plan { via, access, direction, residual, sort, .. } = plan;
    let query = format!("{via:?} {access:?} {direction:?} {residual:?} {sort:?}");
    let mut bytes = vec![VERSION];
    for text in [&table.name, &table.key.fingerprint(), &query] {
        bytes.extend_from_slice(&hash(text.as_bytes()));
    }
    bytes
}

/// Eight bytes that two texts hardly share by chance.
fn hash(bytes: &[u8]) -> [u8; 8] {
    fnv1a(bytes).to_be_bytes()
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [a, b, c, d, ..] = fnv1a(bytes).to_be_bytes();
    [a, b, c, d]
}

/// Six bits a letter; the last letter may stand for fewer.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 1);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for nth in 0..=chunk.len() {
            let letter = usize::try_from(bits >> (18 - 6 * nth) & 63).unwrap_or_default();
            text.push(char::from(LETTERS.get(letter).copied().unwrap_or_default()));
        }
    }
    text
}

fn from_text(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for letter in chunk {
            let place = LETTERS.iter().position(|known| known == letter)?;
            bits = bits << 6 | u32::try_from(place).ok()?;
        }
        bits <<= 6 * (4 - chunk.len());
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(all.get(..chunk.len().checked_sub(1).filter(|len| *len > 0)?)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_come_back_from_their_letters(bytes: Vec<u8>) {
            let text = to_text(&bytes);
            prop_assert!(text.bytes().all(|letter| LETTERS.contains(&letter)));
            prop_assert_eq!(from_text(&text), Some(bytes));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = from_text(&text);
        }
    }
}
