//! Joins the partial results of a scan into whole rows.
//!
//! A server cuts its answers by size, in the middle of a row if need be. A piece says whether its row may go on;
//! it really does only if the next piece has the same row key. [`Rows`] keeps the last row open until that is
//! known, and gives out whole rows only.
//!
//! A scan that asks for rows in pieces of n cells gets exactly those: pieces of another size, which a server sends when
//! an answer is full, are put together and cut again. After a failure in the middle of a row, the row is read again
//! and the cells that were given out are passed over.

use rowkey_store::RowBatch;

use self::last_cell::LastCell;
use crate::wire::cell_block::{Cell, CellBlockError, CellReader};
use crate::wire::messages::client::ScanResponse;

mod last_cell;

/// Rows put together from pieces, the last one perhaps not whole yet.
#[derive(Debug)]
pub(crate) struct Rows {
    batch: RowBatch,
    /// Whether the row of the last cell may go on.
    last_is_open: bool,
    /// Cells in the last row of the batch.
    last_cells: usize,
    /// Cells in a piece; without a limit, rows are given out whole.
    most_cells: usize,
    /// The last cell given out.
    given: Option<LastCell>,
    /// Whether the row of that cell may have more cells.
    given_is_open: bool,
    /// Whether cells up to that one come again and are passed over.
    passing: bool,
    completed: usize,
}

/// How far a scan has got.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RowsPlace<'a> {
    /// This row was given out.
    After(&'a [u8]),
    /// Part of this row was given out.
    Within(&'a [u8]),
}

impl Rows {
    /// Whole rows.
    pub(crate) fn whole() -> Self {
        Self::in_pieces(usize::MAX)
    }

    /// Pieces of rows, each of so many cells.
    pub(crate) fn in_pieces(most_cells: usize) -> Self {
        Self {
            batch: RowBatch::new(),
            last_is_open: false,
            last_cells: 0,
            most_cells: most_cells.max(1),
            given: None,
            given_is_open: false,
            passing: false,
            completed: 0,
        }
    }

    /// Adds the rows of an answer. After an error the batch holds only what was whole.
    pub(crate) fn add(&mut self, response: &ScanResponse, cells: &[u8]) -> Result<(), CellBlockError> {
        let mut reader = CellReader::new(cells);
        let mut partial = response.partial_flag_per_result.iter();
        // A cell is smaller in the batch than on the wire.
        let results = response.cells_per_result.len();
        self.batch.reserve(results, results, cells.len());
        for &count in &response.cells_per_result {
            let may_go_on = partial.next().copied().unwrap_or(false);
            for index in 0..count {
                let added = reader.next_cell().and_then(|cell| self.add_cell(cell, index == 0));
                if let Err(error) = added {
                    self.last_is_open = !self.batch.is_empty();
                    self.drop_open();
                    return Err(error);
                }
            }
            self.last_is_open = may_go_on && !self.batch.is_empty();
            if !may_go_on && self.batch.is_empty() {
                self.complete_given();
            }
        }
        Ok(())
    }

    /// `first` of its result: a new row, unless the last one goes on.
    fn add_cell(&mut self, cell: Cell<'_>, first: bool) -> Result<(), CellBlockError> {
        if self.passing {
            let given = self.given.as_ref().filter(|given| given.row == cell.row);
            match given {
                Some(given) if !given.is_before(&cell) => return Ok(()),
                _ => self.passing = false,
            }
        }
        let goes_on = !self.batch.is_empty()
            && self.last_cells < self.most_cells
            && (!first || (self.last_is_open && self.last_key() == Some(cell.row)));
        if !goes_on {
            self.batch.begin_row(cell.row);
            self.last_cells = 0;
        }
        self.batch.push_cell(cell.view()?);
        self.last_cells += 1;
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
        self.passing = false;
        if self.batch.is_empty() {
            self.complete_given();
        }
    }

    /// The row that was given out in part has no more cells.
    fn complete_given(&mut self) {
        self.completed += usize::from(self.given_is_open);
        self.given_is_open = false;
    }

    /// Forgets what is not whole, because the scan starts again behind what was given out.
    pub(crate) fn start_again(&mut self) {
        self.drop_open();
        self.passing = self.given_is_open;
    }

    fn drop_open(&mut self) {
        if self.last_is_open {
            self.batch.pop_row();
            self.last_is_open = false;
            self.last_cells = 0;
        }
    }

    /// Takes what is whole, of at most `limit` rows; `empty` becomes the new batch.
    pub(crate) fn take(&mut self, limit: usize, mut empty: RowBatch) -> RowBatch {
        let keep_last = self.last_is_open && self.last_cells < self.most_cells;
        if keep_last && self.batch.len() == 1 && self.most_cells == usize::MAX {
            // A row of many answers is not copied for each of them.
            return RowBatch::new();
        }
        empty.clear();
        if keep_last {
            if let Some(row) = self.last_index().and_then(|index| self.batch.row(index)) {
                empty.push_row(row);
            }
            self.batch.pop_row();
        } else {
            self.last_cells = 0;
        }
        let mut taken = std::mem::replace(&mut self.batch, empty);
        self.count(&mut taken, limit);
        taken
    }

    /// Notes how far `taken` brings the scan, and cuts what is past the limit.
    fn count(&mut self, taken: &mut RowBatch, limit: usize) {
        if self.most_cells == usize::MAX && taken.len() <= limit {
            // Whole rows, all of them wanted: none needs to be looked at.
            self.completed += taken.len();
            if let Some(row) = taken.rows().next_back() {
                self.given = Some(LastCell::of(row, false));
            }
            return;
        }
        let mut rows_begun = usize::from(self.given_is_open);
        let (mut keep, mut completed) = (0, 0);
        let mut before = self.given.as_ref().filter(|_| self.given_is_open).map(|given| given.row.as_slice());
        for row in taken.rows() {
            if before != Some(row.key()) {
                if rows_begun == limit {
                    break;
                }
                completed += usize::from(before.is_some());
                rows_begun += 1;
                before = Some(row.key());
            }
            keep += 1;
        }
        let cut = keep < taken.len();
        // What is kept back may be of another row, and then the last one taken is whole.
        let last_goes_on =
            self.last_is_open && !cut && (self.last_key().is_none() || self.last_key() == before);
        if before.is_some() && !last_goes_on {
            completed += 1;
        }
        self.given_is_open = before.is_some() && last_goes_on;
        while taken.len() > keep {
            taken.pop_row();
        }
        if let Some(row) = taken.rows().next_back() {
            self.given = Some(LastCell::of(row, self.most_cells < usize::MAX));
        }
        self.completed += completed;
    }

    /// How many rows were given out to their end since this was last asked.
    pub(crate) fn completed(&mut self) -> usize {
        std::mem::take(&mut self.completed)
    }

    /// Where the scan goes on after a failure.
    pub(crate) fn place(&self) -> Option<RowsPlace<'_>> {
        let given = self.given.as_ref()?;
        Some(if self.given_is_open { RowsPlace::Within(&given.row) } else { RowsPlace::After(&given.row) })
    }
}

#[cfg(test)]
mod tests;
