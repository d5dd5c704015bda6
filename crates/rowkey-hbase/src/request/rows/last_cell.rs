//! The last cell of a row that was given out, and those that come after it.

use std::cmp::Ordering;

use rowkey_store::RowView;

use crate::wire::cell_block::Cell;

/// A row and, if the row may be given out in several pieces, the last cell of it that was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LastCell {
    pub(super) row: Vec<u8>,
    family: Vec<u8>,
    qualifier: Vec<u8>,
    timestamp: i64,
    kind: u8,
}

impl LastCell {
    /// The last cell of a row; with `whole_rows_only` unset its place in the row is kept too.
    pub(super) fn of(row: RowView<'_>, in_pieces: bool) -> Self {
        let mut last = Self { row: row.key().to_vec(), ..Self::default() };
        if let Some(cell) = row.cells().last().filter(|_| in_pieces) {
            last.family = cell.family.to_vec();
            last.qualifier = cell.qualifier.to_vec();
            last.timestamp = cell.timestamp;
            last.kind = cell.kind.code();
        }
        last
    }

    /// Whether a cell of the same row comes later: families and qualifiers rise, timestamps and kinds fall.
    pub(super) fn is_before(&self, cell: &Cell<'_>) -> bool {
        let columns = (self.family.as_slice(), self.qualifier.as_slice()).cmp(&(cell.family, cell.qualifier));
        let versions = (cell.timestamp, cell.kind).cmp(&(self.timestamp, self.kind));
        columns.then(versions) == Ordering::Less
    }
}
