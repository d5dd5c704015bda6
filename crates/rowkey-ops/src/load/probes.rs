//! Checks that rows that an earlier load wrote are still there.
//!
//! Some keys of the load, spread over all of it, are looked up before it goes on. A truncation is known without them on a store
//! with notes ([`crate::contents`]); they also notice rows that were deleted, or truncated with a single region.

use rowkey_core::escape::{from_hex, to_hex};
use rowkey_store::{Get, RowBatch, RowView, Store, StoreError, TableName};
use serde::{Deserialize, Serialize};

use super::chunks::Chunk;

/// So many keys at most, beside the last one.
const MOST: usize = 64;

/// Keys that a load wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Probes {
    /// Each with the newest time of its cells; the key in hex.
    rows: Vec<(String, i64)>,
    /// The last row of all.
    last: Option<(String, i64)>,
    /// Of so many chunks one gives a row.
    every: u64,
    chunks: u64,
}

impl Probes {
    pub(super) fn new() -> Self {
        Self { rows: Vec::new(), last: None, every: 1, chunks: 0 }
    }

    /// Takes the last row of a chunk that was written.
    pub(super) fn add(&mut self, chunk: &Chunk) {
        let put = |row: RowView<'_>| {
            let times = row.cells().filter(|cell| !cell.kind.is_marker()).map(|cell| cell.timestamp);
            Some((row.key().to_vec(), times.max()?))
        };
        let Some((key, time)) = chunk.rows.rows().rev().find_map(put) else { return };
        let row = (to_hex(&key), time);
        self.last = Some(row.clone());
        if self.chunks.is_multiple_of(self.every) {
            self.rows.push(row);
        }
        self.chunks += 1;
        if self.rows.len() > MOST {
            let mut nth = 0;
            self.rows.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// Whether all of them are there, as written or written again later.
    pub(super) fn all_there(&self, store: &dyn Store, table: &TableName) -> Result<bool, StoreError> {
        let rows: Vec<(Vec<u8>, i64)> = self
            .rows
            .iter()
            .chain(&self.last)
            .filter_map(|(key, time)| Some((from_hex(key)?, *time)))
            .collect();
        let gets: Vec<Get> = rows.iter().map(|(key, _)| Get::new(key.as_slice())).collect();
        if gets.is_empty() {
            return Ok(true);
        }
        let mut found = RowBatch::new();
        if !store.get_many(table, &gets, &mut found)?.into_iter().all(|there| there) {
            return Ok(false);
        }
        Ok(found.rows().zip(&rows).all(|(row, (_, time))| row.newest() >= Some(*time)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Position;

    #[test]
    fn probes_are_spread_over_all_chunks_and_end_with_the_last() {
        let mut probes = Probes::new();
        for number in 0..1000u64 {
            let mut rows = RowBatch::new();
            rows.begin_row(&number.to_be_bytes());
            rows.cell(b"d", b"q", 7, b"");
            probes.add(&Chunk { rows, refused: Vec::new(), after: Position::default(), error: None });
        }
        let numbers: Vec<u64> =
            probes.rows.iter().map(|(key, _)| u64::from_str_radix(key, 16).expect("hex")).collect();
        assert!((MOST / 2..=MOST).contains(&numbers.len()), "{numbers:?}");
        assert!(numbers.windows(2).all(|pair| pair[1] - pair[0] == probes.every), "{numbers:?}");
        assert!(numbers[0] == 0 && *numbers.last().expect("some") > 900, "{numbers:?}");
        assert_eq!(probes.last.expect("one").0, to_hex(&999u64.to_be_bytes()));
    }
}
