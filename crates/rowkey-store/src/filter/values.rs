//! Filters that look at values and timestamps.

use super::SingleColumn;
use super::running::{Compare, Hints, Judge, ValueForm, Verdict};
use crate::{CellView, StoreError};

/// Cells whose value compares so.
pub(super) struct Value(pub(super) Compare);

impl Judge for Value {
    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.0.holds(cell.value) { Verdict::Include } else { Verdict::Skip }
    }
}

/// Rows in which one column's value compares so.
pub(super) struct SingleColumnValue {
    family: Vec<u8>,
    qualifier: Vec<u8>,
    compare: Compare,
    filter_if_missing: bool,
    latest_version_only: bool,
    exclude: bool,
    found: bool,
    matched: bool,
}

impl SingleColumnValue {
    pub(super) fn new(column: &SingleColumn, exclude: bool) -> Result<Self, StoreError> {
        Ok(Self {
            family: column.family.clone(),
            qualifier: column.qualifier.clone(),
            compare: Compare::new(column.op, &column.comparator)?,
            filter_if_missing: column.filter_if_missing,
            latest_version_only: column.latest_version_only,
            exclude,
            found: false,
            matched: false,
        })
    }

    fn is_column(&self, cell: &CellView<'_>) -> bool {
        cell.family == self.family && cell.qualifier == self.qualifier
    }
}

impl Judge for SingleColumnValue {
    fn reset(&mut self) {
        (self.found, self.matched) = (false, false);
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.matched {
            return Verdict::Include;
        }
        if self.latest_version_only && self.found {
            return Verdict::NextRow;
        }
        if !self.is_column(cell) {
            return Verdict::Include;
        }
        self.found = true;
        self.matched = self.compare.holds(cell.value);
        if self.matched || !self.latest_version_only { Verdict::Include } else { Verdict::NextRow }
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn drops(&self, cell: &CellView<'_>) -> bool {
        self.exclude && self.is_column(cell)
    }

    fn rejects_row(&mut self) -> bool {
        if self.found { !self.matched } else { self.filter_if_missing }
    }
}

/// The cells of one column whose value compares so.
pub(super) struct ColumnValue {
    family: Vec<u8>,
    qualifier: Vec<u8>,
    compare: Compare,
    found: bool,
}

impl ColumnValue {
    pub(super) fn new(family: Vec<u8>, qualifier: Vec<u8>, compare: Compare) -> Self {
        Self { family, qualifier, compare, found: false }
    }
}

impl Judge for ColumnValue {
    fn reset(&mut self) {
        self.found = false;
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if cell.family != self.family || cell.qualifier != self.qualifier {
            return if self.found { Verdict::NextRow } else { Verdict::NextColumn };
        }
        self.found = true;
        if self.compare.holds(cell.value) { Verdict::Include } else { Verdict::Skip }
    }
}

/// Cells without their values.
pub(super) struct KeyOnly {
    pub(super) length: bool,
}

impl Judge for KeyOnly {
    fn value_form(&self) -> ValueForm {
        if self.length { ValueForm::Length } else { ValueForm::Empty }
    }
}

/// Cells with one of these timestamps, sorted.
pub(super) struct Timestamps {
    timestamps: Vec<i64>,
    can_hint: bool,
}

impl Timestamps {
    pub(super) fn new(mut timestamps: Vec<i64>, can_hint: bool) -> Self {
        timestamps.sort_unstable();
        Self { timestamps, can_hint }
    }
}

impl Judge for Timestamps {
    fn hints(&self) -> Hints {
        Hints::Columns
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        match self.timestamps.binary_search(&cell.timestamp) {
            Ok(_) => Verdict::Include,
            Err(0) => Verdict::NextColumn,
            Err(above) if self.can_hint => {
                let next = above.checked_sub(1).and_then(|at| self.timestamps.get(at));
                next.map_or(Verdict::NextColumn, |next| Verdict::SeekTime(*next))
            }
            Err(_) => Verdict::Skip,
        }
    }
}
