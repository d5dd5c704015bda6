//! How do the pieces of a scan become whole rows?
//!
//! A server cuts its answers by size, in the middle of a row if need be. A piece says whether its row may go on;
//! it really does only if the next piece has the same row key. [`Rows`] keeps the last row open until that is
//! known, and gives out whole rows only.

use rowkey_store::RowBatch;

use crate::wire::cell_block::{CellBlockError, CellReader};
use crate::wire::messages::client::ScanResponse;

/// Rows put together from pieces, the last one perhaps not whole yet.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    batch: RowBatch,
    last_is_open: bool,
}

impl Rows {
    /// Adds the rows of an answer. After an error the batch holds only rows that were whole.
    pub(crate) fn add(&mut self, response: &ScanResponse, cells: &[u8]) -> Result<(), CellBlockError> {
        let mut reader = CellReader::new(cells);
        let mut partial = response.partial_flag_per_result.iter();
        for &count in &response.cells_per_result {
            let may_go_on = partial.next().copied().unwrap_or(false);
            let added = self.add_piece(&mut reader, count);
            if let Err(error) = added {
                self.last_is_open = !self.batch.is_empty();
                self.drop_open_row();
                return Err(error);
            }
            self.last_is_open = may_go_on && !self.batch.is_empty();
        }
        Ok(())
    }

    fn add_piece(&mut self, reader: &mut CellReader<'_>, count: u32) -> Result<(), CellBlockError> {
        for index in 0..count {
            let cell = reader.next_cell()?;
            if index == 0 && !(self.last_is_open && self.last_key() == Some(cell.row)) {
                self.batch.begin_row(cell.row);
            }
            self.batch.cell(cell.family, cell.qualifier, cell.timestamp, cell.value);
        }
        Ok(())
    }

    fn last_key(&self) -> Option<&[u8]> {
        self.last_index().and_then(|index| self.batch.row(index)).map(|row| row.key())
    }

    fn last_index(&self) -> Option<usize> {
        self.batch.len().checked_sub(1)
    }

    /// The end of a region, or of the scan: nothing can follow.
    pub(crate) fn close_row(&mut self) {
        self.last_is_open = false;
    }

    /// Forgets the row that is not whole, because the scan starts again after the last whole one.
    pub(crate) fn drop_open_row(&mut self) {
        if self.last_is_open {
            self.batch.pop_row();
            self.last_is_open = false;
        }
    }

    /// Takes the whole rows, at most `limit` of them; `empty` becomes the new batch.
    pub(crate) fn take_whole(&mut self, limit: usize, mut empty: RowBatch) -> RowBatch {
        if self.last_is_open && self.batch.len() == 1 {
            // A row of many pieces is not copied for each of them.
            return RowBatch::new();
        }
        empty.clear();
        if self.last_is_open {
            if let Some(row) = self.last_index().and_then(|index| self.batch.row(index)) {
                empty.push_row(row);
            }
            self.batch.pop_row();
        }
        let mut whole = std::mem::replace(&mut self.batch, empty);
        while whole.len() > limit {
            whole.pop_row();
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cell_block::{Cell, PUT, encode};

    /// An answer of pieces: row, number of cells, whether the row may go on.
    fn answer(pieces: &[(&str, u32, bool)]) -> (ScanResponse, Vec<u8>) {
        let mut block = Vec::new();
        for &(row, count, _) in pieces {
            for at in 0..count {
                let qualifier = [u8::try_from(at).unwrap()];
                let cell = Cell {
                    row: row.as_bytes(),
                    family: b"d",
                    qualifier: &qualifier,
                    timestamp: 1,
                    kind: PUT,
                    value: b"",
                };
                encode(&cell, &mut block);
            }
        }
        let response = ScanResponse {
            cells_per_result: pieces.iter().map(|piece| piece.1).collect(),
            partial_flag_per_result: pieces.iter().map(|piece| piece.2).collect(),
            ..ScanResponse::default()
        };
        (response, block)
    }

    fn add(rows: &mut Rows, pieces: &[(&str, u32, bool)]) -> Vec<(String, usize)> {
        let (response, block) = answer(pieces);
        rows.add(&response, &block).unwrap();
        taken(rows.take_whole(usize::MAX, RowBatch::new()))
    }

    fn taken(batch: RowBatch) -> Vec<(String, usize)> {
        batch.rows().map(|row| (String::from_utf8_lossy(row.key()).into_owned(), row.cells().len())).collect()
    }

    fn row(key: &str, cells: usize) -> (String, usize) {
        (key.to_owned(), cells)
    }

    #[test]
    fn pieces_of_a_row_become_one_row() {
        let mut rows = Rows::default();
        assert_eq!(add(&mut rows, &[("a", 2, false), ("b", 1, true)]), [row("a", 2)]);
        assert_eq!(add(&mut rows, &[("b", 3, true)]), []);
        assert_eq!(add(&mut rows, &[]), [], "a heartbeat changes nothing");
        assert_eq!(add(&mut rows, &[("b", 1, false), ("c", 1, false)]), [row("b", 5), row("c", 1)]);
    }

    #[test]
    fn a_row_that_might_have_gone_on_ends_with_the_next_row_or_the_region() {
        let mut rows = Rows::default();
        assert_eq!(add(&mut rows, &[("a", 1, true)]), []);
        assert_eq!(add(&mut rows, &[("b", 1, true)]), [row("a", 1)]);
        rows.close_row();
        assert_eq!(taken(rows.take_whole(usize::MAX, RowBatch::new())), [row("b", 1)]);
    }

    #[test]
    fn after_a_failure_the_open_row_is_read_again() {
        let mut rows = Rows::default();
        assert_eq!(add(&mut rows, &[("a", 1, false), ("b", 4, true)]), [row("a", 1)]);
        rows.drop_open_row();
        assert_eq!(add(&mut rows, &[("b", 6, false)]), [row("b", 6)]);
    }

    #[test]
    fn a_broken_block_leaves_only_whole_rows() {
        let mut rows = Rows::default();
        let (response, block) = answer(&[("a", 1, false), ("b", 2, false), ("c", 1, false)]);
        let length = block.len();
        assert!(rows.add(&response, &block[..length / 2]).is_err());
        assert_eq!(taken(rows.take_whole(usize::MAX, RowBatch::new())), [row("a", 1)]);
    }

    #[test]
    fn a_limit_cuts_the_rows() {
        let mut rows = Rows::default();
        let (response, block) = answer(&[("a", 1, false), ("b", 1, false), ("c", 1, true)]);
        rows.add(&response, &block).unwrap();
        assert_eq!(taken(rows.take_whole(1, RowBatch::new())), [row("a", 1)]);
    }
}
