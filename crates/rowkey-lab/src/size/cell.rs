//! The bytes of a cell, on disk and in memory.
//!
//! ```text
//!  4 key length | 4 value length | 2 row length | row | 1 family length | family | qualifier | 8 timestamp | 1 type | value
//! ```
//!
//! That is HBase's `KeyValue`, on disk (uncompressed and not encoded), in the log and on the wire. Not counted: two bytes
//! and the tags in a file of cells with tags, and the sequence number that a fresh file keeps behind every cell, a number
//! of one to nine bytes, until it is five days old (`hbase.hstore.compaction.keep.seqId.period`).
//!
//! In memory a cell also pays for its object and its entry in a skip list. A region is flushed by that size.

/// The lengths of key and value.
pub const LENGTHS: usize = 4 + 4;
/// The lengths of row and family.
pub const KEY_LENGTHS: usize = 2 + 1;
/// Timestamp and type.
pub const TIME_AND_TYPE: usize = 8 + 1;

/// What a cell has beside row, family, qualifier and value.
pub const OVERHEAD: usize = LENGTHS + KEY_LENGTHS + TIME_AND_TYPE;

/// The object of a cell in memory, with compressed pointers (a heap below 32 GB): header, pointer, offset, length, sequence
/// number.
const OBJECT: usize = 12 + 4 + 4 + 4 + 8;
/// Its entry in the skip list: a node, and an index node for every second one.
const SKIP_LIST_ENTRY: usize = 24 + 16;

/// The bytes of a cell.
pub fn key_value(row: usize, family: usize, qualifier: usize, value: usize) -> usize {
    OVERHEAD + row + family + qualifier + value
}

/// The bytes that HBase counts for a cell of this length in a memstore.
pub fn in_memory(key_value: usize) -> usize {
    SKIP_LIST_ENTRY + (OBJECT + key_value).next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_costs_twenty_bytes_before_any_name() {
        assert_eq!(key_value(0, 0, 0, 0), 20);
        assert_eq!(key_value(17, 1, 1, 8), 47);
        assert_eq!((in_memory(40), in_memory(41)), (112, 120));
    }
}
