//! Filters made of several.
//!
//! All: the cell goes from filter to filter as long as each includes it, and the read goes as far as the one that goes
//! farthest. Behind the first that leaves it out, only those are asked that can say where to go on, because a hint
//! beats all else. One: each filter is asked, unless its last verdict already passed over the cell, and the read goes as far
//! as the one that goes least.

use std::cmp::Ordering;

use super::running::{Hints, Judge, ValueForm, Verdict};
use crate::CellView;

/// What all of them let through.
pub(super) struct All(pub(super) Vec<Box<dyn Judge>>);

impl Judge for All {
    fn reset(&mut self) {
        self.0.iter_mut().for_each(|filter| filter.reset());
    }

    fn is_done(&self) -> bool {
        self.0.iter().any(|filter| filter.is_done())
    }

    fn see_row(&mut self, row: &[u8]) {
        self.0.iter_mut().for_each(|filter| filter.see_row(row));
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        let mut out = false;
        for filter in &mut self.0 {
            if filter.is_done() {
                return true;
            }
            // Every filter hears of the row, because some remember it.
            out |= filter.rejects_key(row);
        }
        out
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        let (mut verdict, mut seek) = (Verdict::Include, None);
        for filter in &mut self.0 {
            let hints = filter.hints();
            let next = if verdict.includes() {
                if filter.is_done() {
                    verdict = Verdict::NextRow;
                    continue;
                }
                let next = filter.judge(cell);
                verdict = farther(verdict, next.clone());
                next
            } else if hints == Hints::None {
                continue;
            } else {
                filter.judge(cell)
            };
            match (next, seek.take()) {
                (Verdict::NextRow, _) if hints == Hints::Rows => return Verdict::NextRow,
                (next, None) if next.seeks() => seek = Some(next),
                (next, Some(so_far)) if next.seeks() && compare(&so_far, &next).is_lt() => seek = Some(next),
                (_, so_far) => seek = so_far,
            }
        }
        seek.unwrap_or(verdict)
    }

    fn value_form(&self) -> ValueForm {
        ValueForm::of_all(self.0.iter().map(|filter| filter.value_form()))
    }

    fn judges_rows(&self) -> bool {
        self.0.iter().any(|filter| filter.judges_rows())
    }

    fn drops(&self, cell: &CellView<'_>) -> bool {
        self.0.iter().any(|filter| filter.drops(cell))
    }

    fn rejects_row(&mut self) -> bool {
        // The first that says so ends the question, as in HBase: a page behind it does not count the row.
        self.0.iter_mut().any(|filter| filter.rejects_row())
    }
}

/// The verdict of several that must all include: `so_far` includes.
fn farther(so_far: Verdict, next: Verdict) -> Verdict {
    use Verdict::{Include, IncludeAndNextColumn, IncludeAndNextRow, NextColumn, NextRow, Skip};
    match (so_far, next) {
        (so_far, Include) => so_far,
        (Include, next) => next,
        (IncludeAndNextColumn, IncludeAndNextColumn) => IncludeAndNextColumn,
        (IncludeAndNextColumn | IncludeAndNextRow, IncludeAndNextRow)
        | (IncludeAndNextRow, IncludeAndNextColumn) => IncludeAndNextRow,
        (IncludeAndNextColumn, Skip | NextColumn) => NextColumn,
        (IncludeAndNextRow, Skip | NextColumn) => NextRow,
        (_, next) => next,
    }
}

/// Which of two seeks from one cell ends first: times lie in the cell's own column, from the newest on.
fn compare(one: &Verdict, other: &Verdict) -> Ordering {
    match (one, other) {
        (Verdict::SeekColumn(one), Verdict::SeekColumn(other)) => one.cmp(other),
        (Verdict::SeekTime(one), Verdict::SeekTime(other)) => other.cmp(one),
        (Verdict::SeekTime(_), _) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// What at least one of them lets through.
pub(super) struct One {
    filters: Vec<Member>,
}

struct Member {
    filter: Box<dyn Judge>,
    /// Its last verdict if that goes past the next cell, and the place of the cell it was about.
    last: Option<(Verdict, SeenColumn)>,
    included: bool,
}

struct SeenColumn {
    family: Vec<u8>,
    qualifier: Vec<u8>,
}

impl One {
    pub(super) fn new(filters: Vec<Box<dyn Judge>>) -> Self {
        let member = |filter| Member { filter, last: None, included: false };
        Self { filters: filters.into_iter().map(member).collect() }
    }
}

impl Member {
    /// The verdict on a cell that the last verdict has already passed over.
    fn passed_over(&self, cell: &CellView<'_>) -> Option<Verdict> {
        let (verdict, place) = self.last.as_ref()?;
        let same_family = place.family == cell.family;
        let same_column = same_family && place.qualifier == cell.qualifier;
        match verdict {
            Verdict::NextColumn | Verdict::IncludeAndNextColumn => same_column.then_some(Verdict::NextColumn),
            Verdict::NextRow | Verdict::IncludeAndNextRow => same_family.then_some(Verdict::NextRow),
            Verdict::SeekColumn(to) => {
                (same_family && cell.qualifier < to.as_slice()).then(|| verdict.clone())
            }
            Verdict::SeekTime(to) => (same_column && cell.timestamp > *to).then(|| verdict.clone()),
            Verdict::Include | Verdict::Skip => None,
        }
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        let verdict = match self.passed_over(cell) {
            Some(verdict) => verdict,
            None => self.filter.judge(cell),
        };
        self.included = verdict.includes();
        self.last = (!matches!(verdict, Verdict::Include | Verdict::Skip)).then(|| {
            (verdict.clone(), SeenColumn { family: cell.family.to_vec(), qualifier: cell.qualifier.to_vec() })
        });
        verdict
    }
}

impl Judge for One {
    fn reset(&mut self) {
        for member in &mut self.filters {
            member.filter.reset();
            (member.last, member.included) = (None, false);
        }
    }

    fn is_done(&self) -> bool {
        !self.filters.is_empty() && self.filters.iter().all(|member| member.filter.is_done())
    }

    fn see_row(&mut self, row: &[u8]) {
        self.filters.iter_mut().for_each(|member| member.filter.see_row(row));
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        let mut out = !self.filters.is_empty();
        for Member { filter, .. } in &mut self.filters {
            // Every filter hears of the row, because some remember it.
            if !filter.is_done() && !filter.rejects_key(row) {
                out = false;
            }
        }
        out
    }

    fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        if self.filters.is_empty() {
            return Verdict::Include;
        }
        let mut verdict = None;
        for member in &mut self.filters {
            member.included = false;
            if !member.filter.is_done() {
                let next = member.judge(cell);
                verdict = Some(match verdict {
                    None => next,
                    Some(so_far) => nearer(so_far, next),
                });
            }
        }
        verdict.unwrap_or(Verdict::Skip)
    }

    fn value_form(&self) -> ValueForm {
        let included = self.filters.iter().filter(|member| member.included);
        ValueForm::of_all(included.map(|member| member.filter.value_form()))
    }

    fn judges_rows(&self) -> bool {
        self.filters.iter().any(|member| member.filter.judges_rows())
    }

    fn drops(&self, cell: &CellView<'_>) -> bool {
        self.filters.iter().any(|member| member.filter.drops(cell))
    }

    fn rejects_row(&mut self) -> bool {
        // The first that keeps the row ends the question, as in HBase.
        !self.filters.is_empty() && self.filters.iter_mut().all(|member| member.filter.rejects_row())
    }
}

/// The verdict of several of which one must include.
fn nearer(so_far: Verdict, next: Verdict) -> Verdict {
    use Verdict::{Include, IncludeAndNextColumn, IncludeAndNextRow, NextColumn, NextRow, Skip};
    let (a, b) = (so_far, next);
    if a.seeks() && b.seeks() {
        return if compare(&a, &b).is_gt() { b } else { a };
    }
    let includes = a.includes() || b.includes();
    // How far each goes: to the next version, the next column, the next family. A seek beside another
    // verdict might go nowhere.
    let reach = |verdict: &Verdict| match verdict {
        Include | Skip | Verdict::SeekColumn(_) | Verdict::SeekTime(_) => 0,
        IncludeAndNextColumn | NextColumn => 1,
        IncludeAndNextRow | NextRow => 2,
    };
    match (includes, reach(&a).min(reach(&b))) {
        (true, 0) => Include,
        (true, 1) => IncludeAndNextColumn,
        (true, _) => IncludeAndNextRow,
        (false, 0) => Skip,
        (false, 1) => NextColumn,
        (false, _) => NextRow,
    }
}
