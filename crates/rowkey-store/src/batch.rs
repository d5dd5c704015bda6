//! Batches of rows: how they travel between a program and a store.
//!
//! A [`RowBatch`] keeps all bytes of its rows in one growing arena, so that filling it again after
//! [`RowBatch::clear`] allocates nothing. It serves both directions: a load fills one and hands it to
//! [`crate::RowStore::put_batch`], a scanner fills one and the caller reads it.
//!
//! ```
//! use rowkey_store::{LATEST_TIMESTAMP, RowBatch};
//! let mut batch = RowBatch::new();
//! batch.begin_row(b"row1");
//! batch.cell(b"d", b"a", LATEST_TIMESTAMP, b"42");
//! let row = batch.rows().next().unwrap();
//! assert_eq!((row.key(), row.value(b"d", b"a")), (&b"row1"[..], Some(&b"42"[..])));
//! ```

use std::fmt;

use rowkey_core::escape::escape;

use crate::CellKind;

/// The timestamp that stands for "now, by the store's clock" in a write, as in HBase. Never returned by a read.
pub const LATEST_TIMESTAMP: i64 = i64::MAX;

/// Rows with their cells, in the order they were added.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RowBatch {
    arena: Vec<u8>,
    rows: Vec<RowSpan>,
    cells: Vec<CellSpan>,
}

/// A row's key is `arena[key_start..key_end]`; its cells run from `first_cell` to the next row's.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RowSpan {
    key_start: usize,
    key_end: usize,
    first_cell: usize,
}

/// Family, qualifier and value lie one after another in the arena, so four offsets say all.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CellSpan {
    family: usize,
    qualifier: usize,
    value: usize,
    end: usize,
    timestamp: i64,
    kind: CellKind,
}

impl RowBatch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.rows.clear();
        self.cells.clear();
    }

    /// Makes room for so many more rows, cells and bytes, so that adding them moves nothing.
    pub fn reserve(&mut self, rows: usize, cells: usize, bytes: usize) {
        self.rows.reserve(rows);
        self.cells.reserve(cells);
        self.arena.reserve(bytes);
    }

    /// Starts a row; the cells that follow belong to it.
    #[inline]
    pub fn begin_row(&mut self, key: &[u8]) {
        let key_start = self.arena.len();
        self.arena.extend_from_slice(key);
        self.rows.push(RowSpan { key_start, key_end: self.arena.len(), first_cell: self.cells.len() });
    }

    /// Adds a put cell to the row begun last.
    ///
    /// # Panics
    /// If no row was begun: a mistake of the program, not of the data.
    pub fn cell(&mut self, family: &[u8], qualifier: &[u8], timestamp: i64, value: &[u8]) {
        self.push_cell(CellView { family, qualifier, timestamp, kind: CellKind::Put, value });
    }

    /// Adds a cell of any kind to the row begun last: a raw scan returns delete markers too.
    ///
    /// # Panics
    /// If no row was begun: a mistake of the program, not of the data.
    #[inline]
    pub fn push_cell(&mut self, cell: CellView<'_>) {
        let CellView { family, qualifier, timestamp, kind, value } = cell;
        assert!(!self.rows.is_empty(), "begin_row comes before the first cell");
        let start = self.arena.len();
        self.arena.extend_from_slice(family);
        self.arena.extend_from_slice(qualifier);
        self.arena.extend_from_slice(value);
        self.cells.push(CellSpan {
            family: start,
            qualifier: start + family.len(),
            value: start + family.len() + qualifier.len(),
            end: self.arena.len(),
            timestamp,
            kind,
        });
    }

    /// Copies a row of any batch to the end of this one.
    pub fn push_row(&mut self, row: RowView<'_>) {
        self.begin_row(row.key());
        // Cells lie one after another, so their bytes go over in one piece.
        let (Some(first), Some(last)) = (row.cells.first(), row.cells.last()) else { return };
        let start = self.arena.len();
        self.arena.extend_from_slice(row.arena.get(first.family..last.end).unwrap_or_default());
        let moved = |at: usize| at - first.family + start;
        self.cells.extend(row.cells.iter().map(|span| CellSpan {
            family: moved(span.family),
            qualifier: moved(span.qualifier),
            value: moved(span.value),
            end: moved(span.end),
            ..*span
        }));
    }

    /// The same, with this time for all of its cells.
    pub fn push_row_at(&mut self, row: RowView<'_>, timestamp: i64) {
        let first = self.cells.len();
        self.push_row(row);
        self.cells.iter_mut().skip(first).for_each(|cell| cell.timestamp = timestamp);
    }

    /// Removes the row added last, with its cells.
    pub fn pop_row(&mut self) {
        if let Some(row) = self.rows.pop() {
            self.cells.truncate(row.first_cell);
            self.arena.truncate(row.key_start);
        }
    }

    /// Removes the last cells of the row added last until the batch has `cells` cells.
    pub fn truncate_cells(&mut self, cells: usize) {
        let first = self.rows.last().map_or(0, |row| row.first_cell).max(cells);
        if let Some(span) = self.cells.get(first) {
            self.arena.truncate(span.family);
            self.cells.truncate(first);
        }
    }

    /// Whether any cell is a delete marker.
    pub fn has_markers(&self) -> bool {
        self.cells.iter().any(|cell| cell.kind.is_marker())
    }

    /// Gives the cells of one time another.
    pub fn restamp(&mut self, from: i64, to: i64) {
        let of_that_time = self.cells.iter_mut().filter(|cell| cell.timestamp == from);
        of_that_time.for_each(|cell| cell.timestamp = to);
    }

    /// How many rows it holds.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it holds no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many cells its rows have together.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// The bytes of all keys, names and values together.
    pub fn byte_len(&self) -> usize {
        self.arena.len()
    }

    /// The row at `index`, if there are that many.
    #[inline]
    pub fn row(&self, index: usize) -> Option<RowView<'_>> {
        let span = *self.rows.get(index)?;
        let cells_end = self.rows.get(index + 1).map_or(self.cells.len(), |next| next.first_cell);
        Some(RowView {
            arena: &self.arena,
            key: self.arena.get(span.key_start..span.key_end).unwrap_or_default(),
            cells: self.cells.get(span.first_cell..cells_end).unwrap_or_default(),
        })
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowView<'_>> + DoubleEndedIterator {
        (0..self.rows.len()).map(|index| self.row(index).expect("the index is below the number of rows"))
    }
}

impl fmt::Debug for RowBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

/// One row of a batch, borrowed.
#[derive(Clone, Copy)]
pub struct RowView<'a> {
    arena: &'a [u8],
    key: &'a [u8],
    cells: &'a [CellSpan],
}

impl<'a> RowView<'a> {
    /// The row key, 1 to 32,767 bytes.
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// The cells in the order they were added; a read gives them in HBase's order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellView<'a>> + use<'a> {
        let arena = self.arena;
        let slice = move |from: usize, to: usize| arena.get(from..to).unwrap_or_default();
        self.cells.iter().map(move |span| CellView {
            family: slice(span.family, span.qualifier),
            qualifier: slice(span.qualifier, span.value),
            timestamp: span.timestamp,
            kind: span.kind,
            value: slice(span.value, span.end),
        })
    }

    /// The newest time of its cells; `None` without any.
    pub fn newest(&self) -> Option<i64> {
        self.cells.iter().map(|cell| cell.timestamp).max()
    }

    /// Whether both have cells of the same columns in the same order.
    pub fn has_columns_of(&self, other: &RowView<'_>) -> bool {
        // A qualifier lies behind its family, so that one comparison does for both.
        self.cells.len() == other.cells.len()
            && self.cells.iter().zip(other.cells).all(|(own, others)| {
                own.qualifier - own.family == others.qualifier - others.family
                    && self.arena.get(own.family..own.value) == other.arena.get(others.family..others.value)
            })
    }

    /// The value of the first cell of a column.
    pub fn value(&self, family: &[u8], qualifier: &[u8]) -> Option<&'a [u8]> {
        self.cells().find(|cell| cell.family == family && cell.qualifier == qualifier).map(|cell| cell.value)
    }
}

impl fmt::Debug for RowView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", escape(self.key))?;
        f.debug_list().entries(self.cells()).finish()
    }
}

/// One cell of a row, borrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CellView<'a> {
    /// The column's family.
    pub family: &'a [u8],
    /// The column's name within the family.
    pub qualifier: &'a [u8],
    /// Milliseconds since 1970, or [`LATEST_TIMESTAMP`] in a write.
    pub timestamp: i64,
    /// A value, or one of the delete markers, which only raw scans return.
    pub kind: CellKind,
    /// The stored bytes; empty in delete markers.
    pub value: &'a [u8],
}

impl fmt::Debug for CellView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, qualifier, timestamp, kind, value } = self;
        write!(f, "{}:{}@{timestamp}", escape(family), escape(qualifier))?;
        if *kind != CellKind::Put {
            write!(f, "/{kind}")?;
        }
        if *kind == CellKind::Put || !value.is_empty() {
            write!(f, "={}", escape(value))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_cells_come_back_as_added() {
        let mut batch = RowBatch::new();
        batch.begin_row(b"a");
        batch.cell(b"d", b"x", 1, b"one");
        batch.cell(b"d", b"", 2, b"");
        batch.begin_row(b"b");
        batch.begin_row(b"c");
        batch.cell(b"e", b"y", 3, b"three");

        assert_eq!((batch.len(), batch.cell_count()), (3, 3));
        assert_eq!(format!("{batch:?}"), "[a [d:x@1=one, d:@2=], b [], c [e:y@3=three]]");
        let mut copy = RowBatch::new();
        copy.begin_row(b"before");
        batch.rows().for_each(|row| copy.push_row(row));
        copy.push_row_at(batch.row(0).unwrap(), 9);
        assert_eq!(
            format!("{copy:?}"),
            "[before [], a [d:x@1=one, d:@2=], b [], c [e:y@3=three], a [d:x@9=one, d:@9=]]"
        );
        let row = |at: usize| copy.row(at).unwrap();
        assert_eq!([0, 1, 4].map(|at| row(at).newest()), [None, Some(2), Some(9)]);
        assert!(row(1).has_columns_of(&row(4)) && row(0).has_columns_of(&row(2)));
        assert!(!row(1).has_columns_of(&row(3)) && !row(1).has_columns_of(&row(2)));
        let mut split_elsewhere = RowBatch::new();
        split_elsewhere.begin_row(b"c");
        split_elsewhere.cell(b"ey", b"", 3, b"three");
        assert!(!row(3).has_columns_of(&split_elsewhere.row(0).unwrap()));
        batch.pop_row();
        assert_eq!(format!("{batch:?}"), "[a [d:x@1=one, d:@2=], b []]");
        batch.clear();
        assert!(batch.is_empty());
        assert_eq!(batch.byte_len(), 0);
    }

    #[test]
    fn markers_are_printed_by_their_kind_and_cells_can_be_taken_back() {
        let mut batch = RowBatch::new();
        batch.begin_row(b"a");
        batch.cell(b"d", b"x", 1, b"one");
        let kind = CellKind::DeleteColumn;
        batch.push_cell(CellView { family: b"d", qualifier: b"y", timestamp: 2, kind, value: b"" });
        assert_eq!(format!("{batch:?}"), "[a [d:x@1=one, d:y@2/DeleteColumn]]");
        assert!(batch.has_markers());
        batch.truncate_cells(1);
        assert_eq!(format!("{batch:?}"), "[a [d:x@1=one]]");
        assert!(!batch.has_markers());
        batch.restamp(2, 9);
        batch.restamp(1, 7);
        assert_eq!(format!("{batch:?}"), "[a [d:x@7=one]]");
        batch.truncate_cells(5);
        assert_eq!(batch.cell_count(), 1);
    }
}
