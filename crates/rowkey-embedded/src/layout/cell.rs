//! The bytes that name a cell.
//!
//! A key is the packed row, the packed qualifier, the complement of the timestamp and the complement of HBase's
//! type code, so that the newest version of a column comes first, and delete markers before puts of their time. A
//! marker of a family has an empty qualifier.

use rowkey_store::{CellKind, MAX_ROW_LENGTH};

use super::packed::{self, PackedError};

/// The longest key that the engine takes, in bytes: it keeps the length in an unsigned 16-bit number.
pub(crate) const MAX_KEY_LENGTH: usize = u16::MAX as usize;

/// Timestamp and kind.
const TAIL_LENGTH: usize = 9;

/// A key in a family's keyspace that names no cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyDamage {
    /// The row does not decode.
    #[error("the row does not decode: {0}")]
    Row(PackedError),
    /// The row is longer than any row can be.
    #[error("the row has {length} bytes, and at most {MAX_ROW_LENGTH} are possible")]
    RowLength {
        /// How many bytes it has.
        length: usize,
    },
    /// The qualifier does not decode.
    #[error("the qualifier does not decode: {0}")]
    Qualifier(PackedError),
    /// Too many or too few bytes after the qualifier.
    #[error("{length} bytes follow the qualifier where timestamp and kind take {TAIL_LENGTH}")]
    Tail {
        /// How many bytes follow.
        length: usize,
    },
    /// A timestamp that cannot have been written.
    #[error("the timestamp is negative")]
    NegativeTimestamp,
    /// Neither a put nor a delete marker.
    #[error("kind {code} is not known to this version")]
    UnknownKind {
        /// HBase's type code.
        code: u8,
    },
}

/// A key being made: the row stays while its cells come and go.
#[derive(Default)]
pub(crate) struct KeyBuffer {
    bytes: Vec<u8>,
    row_end: usize,
}

impl KeyBuffer {
    /// Starts the keys of a row.
    pub(crate) fn row(&mut self, row: &[u8]) {
        self.bytes.clear();
        // Once, and enough for most qualifiers, instead of step by step in every put.
        self.bytes.reserve(row.len() + 64);
        packed::encode(row, &mut self.bytes);
        self.row_end = self.bytes.len();
    }

    /// The bytes that all keys of the row start with.
    pub(crate) fn row_prefix(&self) -> &[u8] {
        self.bytes.get(..self.row_end).unwrap_or_default()
    }

    /// The bytes that all keys of a column start with.
    pub(crate) fn column_prefix(&mut self, qualifier: &[u8]) -> &[u8] {
        self.bytes.truncate(self.row_end);
        packed::encode(qualifier, &mut self.bytes);
        &self.bytes
    }

    /// The key of a put.
    pub(crate) fn put(&mut self, qualifier: &[u8], timestamp: i64) -> &[u8] {
        self.cell(qualifier, timestamp, CellKind::Put)
    }

    /// The key of a cell.
    pub(crate) fn cell(&mut self, qualifier: &[u8], timestamp: i64, kind: CellKind) -> &[u8] {
        self.column_prefix(qualifier);
        // Two's complement read as unsigned: the complement of a timestamp from 0 up falls as it rises.
        self.bytes.extend_from_slice(&(!timestamp).to_be_bytes());
        self.bytes.push(0xFF - kind.code());
        &self.bytes
    }
}

/// Where the parts of a cell's key lie, its timestamp and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellKey {
    pub(crate) row_end: usize,
    pub(crate) qualifier_end: usize,
    pub(crate) timestamp: i64,
    pub(crate) kind: CellKind,
}

/// Where the row ends in a cell's key.
#[inline]
pub(crate) fn row_end(key: &[u8]) -> Result<usize, KeyDamage> {
    packed::end(key).map_err(KeyDamage::Row)
}

/// Takes apart a key whose row ends at `row_end`.
#[inline]
pub(crate) fn parse(key: &[u8], row_end: usize) -> Result<CellKey, KeyDamage> {
    let rest = key.get(row_end..).unwrap_or_default();
    let qualifier_end = row_end + packed::end(rest).map_err(KeyDamage::Qualifier)?;
    let tail = key.get(qualifier_end..).unwrap_or_default();
    let &[t0, t1, t2, t3, t4, t5, t6, t7, kind] = tail else {
        return Err(KeyDamage::Tail { length: tail.len() });
    };
    let timestamp = !i64::from_be_bytes([t0, t1, t2, t3, t4, t5, t6, t7]);
    if timestamp < 0 {
        return Err(KeyDamage::NegativeTimestamp);
    }
    let code = 0xFF - kind;
    let kind = CellKind::from_code(code).ok_or(KeyDamage::UnknownKind { code })?;
    Ok(CellKey { row_end, qualifier_end, timestamp, kind })
}

/// The row of a cell's key: where it stands, or decoded into `buffer` if it must be.
#[inline]
pub(crate) fn read_row<'a>(key: &'a [u8], buffer: &'a mut Vec<u8>) -> Result<&'a [u8], KeyDamage> {
    let row = packed::read(key, buffer).map_err(KeyDamage::Row)?;
    if row.len() > MAX_ROW_LENGTH {
        return Err(KeyDamage::RowLength { length: row.len() });
    }
    Ok(row)
}

/// The qualifier of a column, which is what stands between the row and the timestamp; as [`read_row`] does it.
#[inline]
pub(crate) fn read_qualifier<'a>(column: &'a [u8], buffer: &'a mut Vec<u8>) -> Result<&'a [u8], KeyDamage> {
    packed::read(column, buffer).map_err(KeyDamage::Qualifier)
}

/// Adds the row of a cell's key to `out`.
pub(crate) fn decode_row(key: &[u8], out: &mut Vec<u8>) -> Result<(), KeyDamage> {
    let mut buffer = Vec::new();
    out.extend_from_slice(read_row(key, &mut buffer)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::packed::tests::zero_rich;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    fn put(row: &[u8], qualifier: &[u8], timestamp: i64) -> Vec<u8> {
        let mut key = KeyBuffer::default();
        key.row(row);
        key.put(qualifier, timestamp).to_vec()
    }

    fn timestamp() -> impl Strategy<Value = i64> {
        prop::sample::select(vec![0, 1, 255, 256, 1_700_000_000_000, i64::MAX - 1, i64::MAX])
    }

    proptest! {
        #[test]
        fn cells_sort_as_in_hbase(
            a in (zero_rich(), zero_rich(), timestamp()), b in (zero_rich(), zero_rich(), timestamp())
        ) {
            let order = (&a.0, &a.1, Reverse(a.2)).cmp(&(&b.0, &b.1, Reverse(b.2)));
            prop_assert_eq!(order, put(&a.0, &a.1, a.2).cmp(&put(&b.0, &b.1, b.2)));
        }

        #[test]
        fn a_key_comes_apart_as_it_was_made(row in zero_rich(), qualifier in zero_rich(), time in timestamp()) {
            let key = put(&row, &qualifier, time);
            let parts = parse(&key, row_end(&key).unwrap()).unwrap();
            let (mut r, mut q) = (Vec::new(), Vec::new());
            let column = &key[parts.row_end..parts.qualifier_end];
            let read = (read_row(&key, &mut r).unwrap(), read_qualifier(column, &mut q).unwrap());
            prop_assert_eq!((read, parts.timestamp), ((row.as_slice(), qualifier.as_slice()), time));
        }

        #[test]
        fn arbitrary_bytes_never_panic(key: Vec<u8>) {
            if let Ok(end) = row_end(&key) {
                let _ = parse(&key, end);
            }
        }
    }

    /// HBase sorts markers before puts of the same time: 14, 12, 10, 8, then 4.
    #[test]
    fn kinds_sort_from_the_largest_code_down() {
        let key = |code: u8| {
            let mut key = put(b"r", b"q", 7);
            key.pop();
            key.push(0xFF - code);
            key
        };
        let mut kinds = CellKind::ALL;
        kinds.reverse();
        assert!(kinds.map(|kind| key(kind.code())).is_sorted());
        for kind in kinds {
            let key = key(kind.code());
            assert_eq!(parse(&key, row_end(&key).unwrap()).unwrap().kind, kind);
        }
        let unknown = key(5);
        assert_eq!(parse(&unknown, row_end(&unknown).unwrap()), Err(KeyDamage::UnknownKind { code: 5 }));
    }

    #[test]
    fn damage_is_named() {
        let good = put(b"r", b"q", 7);
        let end = row_end(&good).unwrap();
        assert_eq!(parse(&good[..good.len() - 1], end), Err(KeyDamage::Tail { length: 8 }));
        let mut negative = good.clone();
        negative[6] = 0x7F;
        assert_eq!(parse(&negative, end), Err(KeyDamage::NegativeTimestamp));
        assert!(matches!(row_end(b"r\x00\x00"), Err(KeyDamage::Row(_))));
        assert!(matches!(parse(b"r\x00\x01q", 3), Err(KeyDamage::Qualifier(_))));
    }

    /// The worst row leaves this much for the qualifier, which the format page promises.
    #[test]
    fn the_longest_row_leaves_16_375_bytes() {
        let mut key = KeyBuffer::default();
        let worst: Vec<u8> = (0..MAX_ROW_LENGTH).map(|at| u8::from(at % 2 == 1)).collect();
        key.row(&worst);
        assert_eq!(MAX_KEY_LENGTH - TAIL_LENGTH - key.row_prefix().len(), 16_375);
    }
}
