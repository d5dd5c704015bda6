//! Cell blocks: the cells of a message, sent behind it.
//!
//! Cells stand one after another, each in the layout of HBase's `KeyValue` behind its length (`KeyValueCodec`, no tags):
//!
//! ```text
//! length:4 | key length:4 | value length:4
//!          | row length:2 | row | family length:1 | family | qualifier | timestamp:8 | kind:1
//!          | value
//! ```
//!
//! **Laws**: `decode(encode(cells)) == cells`; no bytes make the decoder panic (both below).

use rowkey_store::{CellKind, CellView};

/// The codec by the name that the server knows.
pub(crate) const CODEC_CLASS: &str = "org.apache.hadoop.hbase.codec.KeyValueCodec";

/// The kind of a cell that holds a value.
pub(crate) const PUT: u8 = 4;

/// Bytes of a cell beside its row, family, qualifier and value.
const FIXED: usize = 4 + 4 + 4 + KEY_FIXED;
/// Bytes of a key beside its row, family and qualifier.
const KEY_FIXED: usize = 2 + 1 + 8 + 1;

/// One cell, borrowed from the block it came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    pub(crate) row: &'a [u8],
    pub(crate) family: &'a [u8],
    pub(crate) qualifier: &'a [u8],
    pub(crate) timestamp: i64,
    pub(crate) kind: u8,
    pub(crate) value: &'a [u8],
}

impl<'a> Cell<'a> {
    /// The cell as it goes into a batch; an error if it is of a kind that no stored cell has.
    pub(crate) fn view(self) -> Result<CellView<'a>, CellBlockError> {
        let Self { family, qualifier, timestamp, kind, value, .. } = self;
        let kind = CellKind::from_code(kind).ok_or(CellBlockError {
            offset: 0,
            length: value.len(),
            what: "a cell is neither a value nor a delete marker",
        })?;
        Ok(CellView { family, qualifier, timestamp, kind, value })
    }
}

/// A block that does not hold the cells it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cell block is broken at byte {offset} of {length}: {what}")]
pub(crate) struct CellBlockError {
    offset: usize,
    length: usize,
    what: &'static str,
}

/// How many bytes [`encode`] writes for a cell.
pub(crate) fn encoded_len(cell: &Cell<'_>) -> usize {
    FIXED + cell.row.len() + cell.family.len() + cell.qualifier.len() + cell.value.len()
}

/// Adds a cell to a block.
///
/// # Panics
/// If row, family or value are longer than their length fields hold; the rules of the data model, checked before,
/// keep them far below.
pub(crate) fn encode(cell: &Cell<'_>, block: &mut Vec<u8>) {
    let length = |bytes: usize| u32::try_from(bytes).expect("a cell is far below 4 GiB").to_be_bytes();
    let key = KEY_FIXED + cell.row.len() + cell.family.len() + cell.qualifier.len();
    block.reserve(encoded_len(cell));
    block.extend_from_slice(&length(8 + key + cell.value.len()));
    block.extend_from_slice(&length(key));
    block.extend_from_slice(&length(cell.value.len()));
    let row_length = u16::try_from(cell.row.len()).expect("a row key has at most 32,767 bytes");
    block.extend_from_slice(&row_length.to_be_bytes());
    block.extend_from_slice(cell.row);
    block.push(u8::try_from(cell.family.len()).expect("a family of the table has a short name"));
    block.extend_from_slice(cell.family);
    block.extend_from_slice(cell.qualifier);
    block.extend_from_slice(&cell.timestamp.to_be_bytes());
    block.push(cell.kind);
    block.extend_from_slice(cell.value);
}

/// Reads cells from a block, front to back.
#[derive(Debug, Clone)]
pub(crate) struct CellReader<'a> {
    block: &'a [u8],
    offset: usize,
}

impl<'a> CellReader<'a> {
    pub(crate) fn new(block: &'a [u8]) -> Self {
        Self { block, offset: 0 }
    }

    /// The next cell; there must be one.
    pub(crate) fn next_cell(&mut self) -> Result<Cell<'a>, CellBlockError> {
        let broken = CellBlockError { offset: self.offset, length: self.block.len(), what: "" };
        let error = |what| CellBlockError { what, ..broken };
        let rest = self.block.get(self.offset..).unwrap_or_default();
        let (length, rest) = take_length(rest).ok_or(error("a cell is missing"))?;
        let body = rest.get(..length).ok_or(error("a cell is longer than the block"))?;
        let cell = decode_body(body).ok_or(error("lengths within a cell do not fit"))?;
        self.offset += 4 + length;
        Ok(cell)
    }
}

fn take_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*length) as usize, rest))
}

fn decode_body(body: &[u8]) -> Option<Cell<'_>> {
    let (key_length, rest) = take_length(body)?;
    let (value_length, rest) = take_length(rest)?;
    let (key, rest) = rest.split_at_checked(key_length)?;
    // Tags may follow the value; they are ignored.
    let value = rest.get(..value_length)?;
    let (row_length, key) = key.split_first_chunk::<2>()?;
    let (row, key) = key.split_at_checked(usize::from(u16::from_be_bytes(*row_length)))?;
    let (&family_length, key) = key.split_first()?;
    let (family, key) = key.split_at_checked(usize::from(family_length))?;
    let (&kind, key) = key.split_last()?;
    let (qualifier, timestamp) = key.split_last_chunk::<8>()?;
    Some(Cell { row, family, qualifier, timestamp: i64::from_be_bytes(*timestamp), kind, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Owned = (Vec<u8>, Vec<u8>, Vec<u8>, i64, u8, Vec<u8>);

    fn borrow(owned: &Owned) -> Cell<'_> {
        let (row, family, qualifier, timestamp, kind, value) = owned;
        Cell { row, family, qualifier, timestamp: *timestamp, kind: *kind, value }
    }

    fn cells() -> impl Strategy<Value = Vec<Owned>> {
        let bytes = |max| prop::collection::vec(any::<u8>(), 0..max);
        prop::collection::vec((bytes(40), bytes(5), bytes(20), any::<i64>(), any::<u8>(), bytes(60)), 0..5)
    }

    fn block(cells: &[Owned]) -> Vec<u8> {
        let mut block = Vec::new();
        for cell in cells {
            let before = block.len();
            encode(&borrow(cell), &mut block);
            assert_eq!(block.len() - before, encoded_len(&borrow(cell)));
        }
        block
    }

    #[test]
    fn the_layout_is_that_of_a_key_value() {
        let cell = Cell { row: b"r1", family: b"d", qualifier: b"q", timestamp: 5, kind: PUT, value: b"val" };
        let mut block = Vec::new();
        encode(&cell, &mut block);
        let expected = b"\0\0\0\x1b\0\0\0\x10\0\0\0\x03\0\x02r1\x01dq\0\0\0\0\0\0\0\x05\x04val";
        assert_eq!(block, expected);
    }

    proptest! {
        #[test]
        fn cells_come_back_as_written(cells in cells()) {
            let block = block(&cells);
            let mut reader = CellReader::new(&block);
            for cell in &cells {
                prop_assert_eq!(reader.next_cell(), Ok(borrow(cell)));
            }
            prop_assert!(reader.next_cell().is_err());
        }

        #[test]
        fn a_cut_block_ends_in_an_error(cells in cells(), cut in any::<prop::sample::Index>()) {
            let block = block(&cells);
            prop_assume!(!block.is_empty());
            let mut reader = CellReader::new(&block[..cut.index(block.len())]);
            prop_assert!(cells.iter().any(|_| reader.next_cell().is_err()));
        }

        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..100), small in 0u8..40) {
            let _ = CellReader::new(&bytes).next_cell();
            // A plausible length first, so that the inner lengths are reached.
            let framed = [&[0, 0, 0, small][..], &[0, 0, 0, small / 2], &bytes].concat();
            let mut reader = CellReader::new(&framed);
            while reader.next_cell().is_ok() {}
        }
    }
}
