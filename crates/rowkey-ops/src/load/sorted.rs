//! How do rows get into the order that a bulk load needs?
//!
//! A row's cells are packed into bytes and sorted by its key with all others ([`ExternalSort`]); rows with equal keys keep
//! the order of the data, so that the last one wins as it does when they are put.
//!
//! ```text
//! family and qualifier   time      value length   value      and so on
//! their number: 4 bytes  8 bytes   4 bytes
//! ```

use std::path::Path;

use rowkey_store::{RowBatch, RowView, Scanner, StoreError};

use super::error::LoadError;
use crate::external_sort::{ExternalSort, SortError, Sorted};

/// A batch of sorted rows has so many bytes: large enough that a call costs nothing, small enough for a cache.
const BATCH_BYTES: usize = 256 << 10;

/// Rows to be sorted.
pub(super) struct RowSort {
    sort: ExternalSort,
    columns: Columns,
    packed: Vec<u8>,
}

/// Families and qualifiers by their numbers; a load has a handful.
#[derive(Default)]
struct Columns(Vec<(Vec<u8>, Vec<u8>)>);

impl Columns {
    /// The number of a column. `expected` is tried first: rows have the same columns in the same order.
    fn number(&mut self, expected: usize, family: &[u8], qualifier: &[u8]) -> usize {
        let is = |(f, q): &(Vec<u8>, Vec<u8>)| f == family && q == qualifier;
        if self.0.get(expected).is_some_and(is) {
            return expected;
        }
        self.0.iter().position(is).unwrap_or_else(|| {
            self.0.push((family.to_vec(), qualifier.to_vec()));
            self.0.len() - 1
        })
    }
}

impl RowSort {
    pub(super) fn new(memory: usize, folder: &Path) -> Self {
        let sort = ExternalSort::new(memory, folder);
        Self { sort, columns: Columns::default(), packed: Vec::new() }
    }

    pub(super) fn push(&mut self, row: RowView<'_>) -> Result<(), SortError> {
        self.packed.clear();
        let mut expected = 0;
        for cell in row.cells() {
            let number = self.columns.number(expected, cell.family, cell.qualifier);
            expected = number + 1;
            self.packed.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
            self.packed.extend_from_slice(&cell.timestamp.to_be_bytes());
            self.packed.extend_from_slice(&u32::try_from(cell.value.len()).unwrap_or(u32::MAX).to_be_bytes());
            self.packed.extend_from_slice(cell.value);
        }
        self.sort.push(row.key(), &self.packed)
    }

    pub(super) fn finish(self) -> Result<SortedRows, SortError> {
        Ok(SortedRows { sorted: self.sort.finish()?, columns: self.columns, failed: None, rows: 0 })
    }
}

/// Sorted rows, as a bulk load takes them.
pub(super) struct SortedRows {
    sorted: Sorted,
    columns: Columns,
    failed: Option<SortError>,
    /// How many were handed out.
    pub(super) rows: u64,
}

impl SortedRows {
    /// What a bulk load came to; an error of the sorting comes out as it went in.
    pub(super) fn outcome(self, loaded: Result<u64, StoreError>) -> Result<u64, LoadError> {
        match self.failed {
            Some(error) => Err(error.into()),
            None => Ok(loaded?),
        }
    }
}

impl Scanner for SortedRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        batch.clear();
        while batch.byte_len() < BATCH_BYTES {
            match self.sorted.next() {
                Ok(Some((key, packed))) => {
                    batch.begin_row(key);
                    unpack(&self.columns, packed, batch);
                }
                Ok(None) => break,
                Err(error) => {
                    let told = StoreError::backend("read sorted rows", error.to_string());
                    self.failed = Some(error);
                    return Err(told);
                }
            }
        }
        self.rows += batch.len() as u64;
        Ok(!batch.is_empty())
    }
}

/// Adds the cells to the row begun last.
fn unpack(columns: &Columns, packed: &[u8], row: &mut RowBatch) {
    let mut rest = packed;
    while let Some((number, behind)) = rest.split_first_chunk::<4>()
        && let Some((time, behind)) = behind.split_first_chunk::<8>()
        && let Some((length, behind)) = behind.split_first_chunk::<4>()
        && let Some((value, behind)) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)
        && let Some((family, qualifier)) = columns.0.get(u32::from_be_bytes(*number) as usize)
    {
        row.cell(family, qualifier, i64::from_be_bytes(*time), value);
        rest = behind;
    }
}
