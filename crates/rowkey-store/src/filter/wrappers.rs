//! Filters around another filter, by what they do when it leaves something out.

use super::running::{Judge, ValueForm, Verdict};
use crate::CellView;

/// What follows when the filter inside leaves out a row, or a single cell of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The scan is done: HBase's `WhileMatchFilter`.
    EndsScan,
    /// The whole row is left out: HBase's `SkipFilter`.
    SkipsRow,
}

pub(super) struct Wrapper {
    inner: Box<dyn Judge>,
    on: LeftOut,
    left_out: bool,
}

impl Wrapper {
    pub(super) fn new(inner: Box<dyn Judge>, on: LeftOut) -> Self {
        Self { inner, on, left_out: false }
    }
}

impl Judge for Wrapper {
    fn reset(&mut self) {
        self.inner.reset();
        self.left_out &= self.on == LeftOut::EndsScan;
    }

    fn is_done(&self) -> bool {
        self.on == LeftOut::EndsScan && (self.left_out || self.inner.is_done())
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        if self.on == LeftOut::SkipsRow || self.is_done() {
            return self.on == LeftOut::EndsScan;
        }
        let out = self.inner.rejects_key(row);
        self.left_out |= out;
        out
    }

    fn see_row(&mut self, row: &[u8]) {
        self.inner.see_row(row);
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        let verdict = self.inner.judge(cell);
        self.left_out |= verdict != Verdict::Include;
        verdict
    }

    fn value_form(&self) -> ValueForm {
        self.inner.value_form()
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn rejects_row(&mut self) -> bool {
        if self.on == LeftOut::SkipsRow {
            return self.left_out;
        }
        let out = self.inner.rejects_row();
        self.left_out |= out;
        out
    }
}
