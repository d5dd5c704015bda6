//! Filters around another filter.

use super::running::{Judge, ValueForm, Verdict};
use crate::CellView;

/// Done with the first thing that the filter inside leaves out.
pub(super) struct WhileMatch {
    inner: Box<dyn Judge>,
    done: bool,
}

impl WhileMatch {
    pub(super) fn new(inner: Box<dyn Judge>) -> Self {
        Self { inner, done: false }
    }
}

impl Judge for WhileMatch {
    fn reset(&mut self) {
        self.inner.reset();
    }

    fn is_done(&self) -> bool {
        self.done || self.inner.is_done()
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        if self.is_done() {
            return true;
        }
        let out = self.inner.rejects_key(row);
        self.done |= out;
        out
    }

    fn see_row(&mut self, row: &[u8]) {
        self.inner.see_row(row);
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        let verdict = self.inner.judge(cell);
        self.done |= verdict != Verdict::Include;
        verdict
    }

    fn value_form(&self) -> ValueForm {
        self.inner.value_form()
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn rejects_row(&mut self) -> bool {
        let out = self.inner.rejects_row();
        self.done |= out;
        out
    }
}

/// Leaves a row out of which the filter inside leaves out a single cell.
pub(super) struct Skip {
    inner: Box<dyn Judge>,
    out: bool,
}

impl Skip {
    pub(super) fn new(inner: Box<dyn Judge>) -> Self {
        Self { inner, out: false }
    }
}

impl Judge for Skip {
    fn reset(&mut self) {
        self.inner.reset();
        self.out = false;
    }

    fn see_row(&mut self, row: &[u8]) {
        self.inner.see_row(row);
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        let verdict = self.inner.judge(cell);
        self.out |= verdict != Verdict::Include;
        verdict
    }

    fn value_form(&self) -> ValueForm {
        self.inner.value_form()
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn rejects_row(&mut self) -> bool {
        self.out
    }
}
