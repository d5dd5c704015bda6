//! Filters that look at families and qualifiers, or count columns.

use std::ops::Bound;

use super::PageStart;
use super::running::{Compare, Hints, Judge, Verdict};
use crate::CellView;

/// Cells whose family compares so.
pub(super) struct Family(pub(super) Compare);

impl Judge for Family {
    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.0.holds(cell.family) { Verdict::Include } else { Verdict::NextRow }
    }
}

/// Cells whose qualifier compares so.
pub(super) struct Qualifier(pub(super) Compare);

impl Judge for Qualifier {
    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.0.holds(cell.qualifier) { Verdict::Include } else { Verdict::Skip }
    }
}

/// Cells whose qualifier starts with one of these, sorted; without any, every cell.
pub(super) struct Prefixes(Vec<Vec<u8>>);

impl Prefixes {
    pub(super) fn new(mut prefixes: Vec<Vec<u8>>) -> Self {
        prefixes.sort();
        Self(prefixes)
    }
}

impl Judge for Prefixes {
    fn hints(&self) -> Hints {
        Hints::Columns
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.0.is_empty() {
            return Verdict::Include;
        }
        let above = self.0.partition_point(|prefix| prefix.as_slice() <= cell.qualifier);
        // HBase looks at the largest prefix that is not above the qualifier, and at no other: a prefix of a prefix
        // does not count behind it.
        let nearest = above.checked_sub(1).and_then(|at| self.0.get(at));
        if nearest.is_some_and(|prefix| cell.qualifier.starts_with(prefix)) {
            return Verdict::Include;
        }
        self.0.get(above).map_or(Verdict::NextRow, |next| Verdict::SeekColumn(next.clone()))
    }
}

/// Cells whose qualifier lies between two.
pub(super) struct Range {
    pub(super) min: Bound<Vec<u8>>,
    pub(super) max: Bound<Vec<u8>>,
}

impl Judge for Range {
    fn hints(&self) -> Hints {
        Hints::Columns
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        match &self.min {
            Bound::Included(min) | Bound::Excluded(min) if cell.qualifier < min.as_slice() => {
                return Verdict::SeekColumn(min.clone());
            }
            Bound::Excluded(min) if cell.qualifier == min.as_slice() => return Verdict::NextColumn,
            _ => {}
        }
        let inside = match &self.max {
            Bound::Unbounded => true,
            Bound::Included(max) => cell.qualifier <= max.as_slice(),
            Bound::Excluded(max) => cell.qualifier < max.as_slice(),
        };
        if inside { Verdict::Include } else { Verdict::NextRow }
    }
}

/// Some columns of each row.
pub(super) struct Pagination {
    limit: u64,
    start: PageStart,
    count: u64,
}

impl Pagination {
    pub(super) fn new(limit: u32, start: PageStart) -> Self {
        Self { limit: limit.into(), start, count: 0 }
    }
}

impl Judge for Pagination {
    // It gives hints too, but it counts what it is asked about, and so HBase asks it in its turn only.

    fn reset(&mut self) {
        self.count = 0;
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        match &self.start {
            PageStart::Qualifier(start) => {
                if self.count >= self.limit {
                    return Verdict::NextRow;
                }
                if self.count == 0 && cell.qualifier < start.as_slice() {
                    return Verdict::SeekColumn(start.clone());
                }
                self.count += 1;
                Verdict::IncludeAndNextColumn
            }
            PageStart::Offset(offset) => {
                let offset = u64::from(*offset);
                if self.count >= offset + self.limit {
                    return Verdict::NextRow;
                }
                self.count += 1;
                if self.count <= offset { Verdict::NextColumn } else { Verdict::IncludeAndNextColumn }
            }
        }
    }
}

/// The first so many columns of a row; done with the scan in a row that has more.
pub(super) struct CountGet {
    limit: u64,
    count: u64,
}

impl CountGet {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit: limit.into(), count: 0 }
    }
}

impl Judge for CountGet {
    fn reset(&mut self) {
        self.count = 0;
    }

    fn is_done(&self) -> bool {
        self.count > self.limit
    }

    fn rejects_key(&mut self, _: &[u8]) -> bool {
        self.is_done()
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        self.count += 1;
        if self.is_done() { Verdict::NextColumn } else { Verdict::IncludeAndNextColumn }
    }
}

/// The first cell of each row.
#[derive(Default)]
pub(super) struct FirstKeyOnly {
    found: bool,
}

impl Judge for FirstKeyOnly {
    fn reset(&mut self) {
        self.found = false;
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        if std::mem::replace(&mut self.found, true) { Verdict::NextRow } else { Verdict::Include }
    }
}
