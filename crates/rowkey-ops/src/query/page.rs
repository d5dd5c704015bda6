//! Page tokens: where the next page begins.
//!
//! A token is text that the caller keeps: the table, the key's fingerprint, the query, the table or index table that was read
//! and the last row of the page, with a checksum, in letters that a URL takes. It holds no state of any process, so it works
//! after a restart, on another machine and whatever regions were split in between: the next page begins behind the last row's
//! key, or behind its place in the order asked for, whether that row is still there or not.
//!
//! An index that became ready since, or another page size, may make another table the best one to read by. The next page must
//! be read as the last one was, so its planner reads the token first ([`page_by`]).
//!
//! **Law** (`tests/pages.rs`, `tests/lookups.rs`): pages joined are the whole, also when regions are split or an index becomes
//! ready between pages. A token of another table, schema or query is refused, with words that say which.

use rowkey_core::Table;
use rowkey_core::internal::fnv1a;
use rowkey_core::query::{Plan, Via};

/// The form of tokens; another one is refused.
const VERSION: u8 = 2;
const HEADER: usize = 1 + 4 * 8;
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
        /// The version that the token states.
        version: u8,
    },
    /// Of another table.
    #[error("the page token is of another table; begin with the first page of this one")]
    Table,
    /// Of a table with another key.
    #[error("the page token is of another schema: the key was changed since; begin with the first page")]
    Schema,
    /// Read by an index table that is not there any more.
    #[error(
        "the last page was read by an index table that is gone or not ready any more; begin with the first page"
    )]
    Index,
    /// Of another query.
    #[error(
        "the page token is of another query; ask with the same conditions, order and columns, or begin with the first page"
    )]
    Query,
}

/// The text for a page that begins behind `last`: a row's key, or its place in the order asked for.
pub(super) fn write(table: &Table, plan: &Plan, last: &[u8]) -> String {
    let mut bytes = vec![VERSION];
    for text in header(table, plan) {
        bytes.extend_from_slice(&hash(text.as_bytes()));
    }
    bytes.extend_from_slice(last);
    let check = checksum(&bytes);
    bytes.extend_from_slice(&check);
    to_text(&bytes)
}

/// The table or index table by which the page of a token was read, for [`rowkey_core::query::PlanOptions::by`].
///
/// # Errors
/// When the token is damaged, or of another table or schema, or the index table is gone.
pub fn page_by(table: &Table, token: &str) -> Result<String, TokenError> {
    let content = content(token)?;
    check(
        &content,
        &[table.name.clone(), table.key.fingerprint()],
        &[TokenError::Table, TokenError::Schema],
    )?;
    let by = content.get(25..33).unwrap_or_default();
    let names = std::iter::once(&table.name).chain(table.indexes.iter().map(|index| &index.name));
    let mut known = names.filter(|name| hash(name.as_bytes()) == by);
    known.next().cloned().ok_or(TokenError::Index)
}

/// Behind what the page of a token begins.
pub(super) fn read(table: &Table, plan: &Plan, token: &str) -> Result<Vec<u8>, TokenError> {
    let content = content(token)?;
    let errors = [TokenError::Table, TokenError::Schema, TokenError::Query, TokenError::Query];
    check(&content, &header(table, plan), &errors)?;
    Ok(content.get(HEADER..).unwrap_or_default().to_vec())
}

/// Compares the hashes at the beginning of a token with those of texts, in their order.
fn check(content: &[u8], texts: &[String], errors: &[TokenError]) -> Result<(), TokenError> {
    for ((nth, text), error) in texts.iter().enumerate().zip(errors) {
        if content.get(1 + 8 * nth..9 + 8 * nth) != Some(&hash(text.as_bytes())) {
            return Err(*error);
        }
    }
    Ok(())
}

/// A token's bytes without the checksum, which is right.
fn content(token: &str) -> Result<Vec<u8>, TokenError> {
    let mut bytes = from_text(token.trim()).ok_or(TokenError::Damaged)?;
    let end = bytes.len().checked_sub(CHECKSUM).filter(|end| *end >= HEADER).ok_or(TokenError::Damaged)?;
    let check = bytes.split_off(end);
    if checksum(&bytes) != *check {
        return Err(TokenError::Damaged);
    }
    match bytes.first() {
        Some(&VERSION) => Ok(bytes),
        version => Err(TokenError::Version { version: version.copied().unwrap_or_default() }),
    }
}

/// What a token is of: table, schema, query, and the table that was read.
fn header(table: &Table, plan: &Plan) -> [String; 4] {
    // How many rows a page has and which fields are shown may change from page to page.
    let Plan { via, access, direction, residual, sort, .. } = plan;
    let query = format!("{access:?} {direction:?} {residual:?} {sort:?}");
    let by = match via {
        Via::Primary => Some(&table.name),
        Via::Index { index, .. } => table.indexes.get(*index).map(|index| &index.name),
    };
    [table.name.clone(), table.key.fingerprint(), query, by.cloned().unwrap_or_default()]
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
