//! The size of the block index.
//!
//! A file is cut into blocks of about the family's block size before compression, and each has an entry in the file's
//! index: where it lies, how long it is, and a key that tells it from the block before. HBase makes that key as short as it
//! can (a beginning of the row, without family and qualifier), so the row's whole length is the most. The index is a tree
//! (since HFile v2) whose leaves are read when needed and cached like data.

/// Where a block lies and how long it is, and the place of the entry in its chunk.
const ENTRY: f64 = 8.0 + 4.0 + 4.0;
/// What the key of an entry has beside its row: the lengths of row and family, timestamp and type.
const ENTRY_KEY: f64 = 2.0 + 1.0 + 8.0 + 1.0;
/// The header of a block.
const HEADER: f64 = 33.0;
/// So many bytes share a checksum of four.
const CHECKSUM_OF: f64 = 16_384.0;

/// The blocks of a table and their index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockIndex {
    /// The block size, in bytes.
    pub block: u64,
    /// How many blocks, and entries, there are.
    pub entries: f64,
    /// The most that the entries take, in bytes.
    pub bytes: f64,
    /// Headers and checksums of the blocks, in bytes.
    pub headers: f64,
}

impl BlockIndex {
    /// The index of so many bytes of cells in blocks of a size; `row` is the mean length of a key.
    pub fn of(bytes: f64, block: u64, row: f64) -> Self {
        let entries = (bytes / block.max(1) as f64).ceil();
        let checksums = (block as f64 / CHECKSUM_OF).ceil() * 4.0;
        Self {
            block,
            entries,
            bytes: entries * (ENTRY + ENTRY_KEY + row),
            headers: entries * (HEADER + checksums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_blocks_have_fewer_entries() {
        let gigabyte = f64::from(1 << 30);
        let entries = [16, 64, 256].map(|kilobytes| BlockIndex::of(gigabyte, kilobytes << 10, 20.0).entries);
        assert_eq!(entries, [65_536.0, 16_384.0, 4_096.0]);
        let index = BlockIndex::of(gigabyte, 64 << 10, 20.0);
        assert_eq!((index.bytes, index.headers), (16_384.0 * 48.0, 16_384.0 * 49.0));
    }
}
