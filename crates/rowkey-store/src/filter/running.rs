//! Runs a row through a filter.

use super::comparator::same;
use super::validate::regex;
use super::wrappers::{LeftOut, Wrapper};
use super::{Comparator, CompareOp, Filter, columns, lists, rows, values};
use crate::{CellView, Direction, StoreError};

/// What becomes of a cell, and how far the read goes on in its family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Return it; the next cell is the next version of its column.
    Include,
    /// Return it; go on with the next column.
    IncludeAndNextColumn,
    /// Return it; go on with the next family.
    IncludeAndNextRow,
    /// Leave it out; the next cell is the next version of its column.
    Skip,
    /// Leave it out; go on with the next column.
    NextColumn,
    /// Leave it out; go on with the next family.
    NextRow,
    /// Leave it out; go on with the first column of the family that is not below this qualifier.
    SeekColumn(Vec<u8>),
    /// Leave it out; go on with the first version of its column that is not newer than this.
    SeekTime(i64),
}

impl Verdict {
    /// Whether it names a place to go on at.
    pub(super) fn seeks(&self) -> bool {
        matches!(self, Self::SeekColumn(_) | Self::SeekTime(_))
    }

    /// Whether the cell is returned.
    pub fn includes(&self) -> bool {
        matches!(self, Self::Include | Self::IncludeAndNextColumn | Self::IncludeAndNextRow)
    }
}

/// What is returned of a cell's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueForm {
    /// The value.
    Whole,
    /// Nothing.
    Empty,
    /// Its length, in four bytes.
    Length,
    /// This length, in four bytes, whatever the value: that of what an earlier filter left of it.
    LengthOf(u32),
}

impl ValueForm {
    /// The bytes that are returned instead of `value`, if it is not the value itself.
    pub fn replacement(self, value: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Whole => None,
            Self::Empty => Some(Vec::new()),
            Self::Length => Some(u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec()),
            Self::LengthOf(length) => Some(length.to_be_bytes().to_vec()),
        }
    }

    fn and_then(self, next: Self) -> Self {
        match (self, next) {
            (form, Self::Whole) => form,
            // HBase applies one after the other, so the second sees what the first has left.
            (Self::Empty, Self::Length) => Self::LengthOf(0),
            (Self::Length | Self::LengthOf(_), Self::Length) => Self::LengthOf(4),
            (_, form) => form,
        }
    }
}

/// One filter at work. The defaults let everything through.
pub(super) trait Judge: Send {
    /// Makes ready for the next row.
    fn reset(&mut self) {}

    /// Whether nothing more can be let through.
    fn is_done(&self) -> bool {
        false
    }

    /// Hears of the row, whatever stands around this filter.
    fn see_row(&mut self, _row: &[u8]) {}

    /// Whether the row is left out by its key alone.
    fn rejects_key(&mut self, _row: &[u8]) -> bool {
        false
    }

    /// Whether a list of which all must pass asks it about a cell that another has left out.
    fn hints(&self) -> Hints {
        Hints::None
    }

    /// What becomes of a cell.
    fn judge(&mut self, _cell: &CellView<'_>) -> Verdict {
        Verdict::Include
    }

    /// What is returned of the value of a cell that was included last.
    fn value_form(&self) -> ValueForm {
        ValueForm::Whole
    }

    /// Whether rows must be judged as a whole.
    fn judges_rows(&self) -> bool {
        false
    }

    /// Whether a cell that was included is left out after all, when the row is whole.
    fn drops(&self, _cell: &CellView<'_>) -> bool {
        false
    }

    /// Whether the row is left out as a whole.
    fn rejects_row(&mut self) -> bool {
        false
    }
}

/// What a filter can say about where to go on, HBase's `HintingFilter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hints {
    /// Nothing.
    None,
    /// A column or a time.
    Columns,
    /// A row; it leaves out the one it is asked about.
    Rows,
}

/// A filter at work on the rows of one region, in one direction.
pub struct RunningFilter {
    judge: Box<dyn Judge>,
    /// Whether a place to go on at is gone to, or only the next cell.
    follows_hints: bool,
}

impl RunningFilter {
    /// Starts a filter. `seed` decides what [`Filter::RandomRow`] lets through.
    ///
    /// # Errors
    /// [`StoreError::InvalidFilter`].
    pub fn start(filter: &Filter, direction: Direction, seed: u64) -> Result<Self, StoreError> {
        filter.validate()?;
        // HBase follows a hint only in the direction of the scan, and columns and times lie forward. For a filter that
        // stands alone that makes no difference but time; the others of a list may count what they see.
        let alone =
            !matches!(filter, Filter::All(_) | Filter::One(_) | Filter::Skip(_) | Filter::WhileMatch(_));
        let follows_hints = alone || direction == Direction::Forward;
        Ok(Self { judge: start(filter, direction, seed)?, follows_hints })
    }

    /// Whether nothing more can be let through, in this region.
    pub fn is_done(&self) -> bool {
        self.judge.is_done()
    }

    /// Begins a row; `true` if it is left out by its key alone, and [`Self::end_row`] need not be called then.
    pub fn begin_row(&mut self, row: &[u8]) -> bool {
        self.judge.see_row(row);
        let rejected = self.judge.rejects_key(row);
        if rejected {
            self.judge.reset();
        }
        rejected
    }

    /// Judges the next cell of the row.
    pub fn judge(&mut self, cell: &CellView<'_>) -> Verdict {
        match self.judge.judge(cell) {
            verdict if verdict.seeks() && !self.follows_hints => Verdict::Skip,
            verdict => verdict,
        }
    }

    /// What is returned of the value of the cell judged last.
    pub fn value_form(&self) -> ValueForm {
        self.judge.value_form()
    }

    /// Whether a cell is left out after all, now that the row is whole.
    pub fn drops(&self, cell: &CellView<'_>) -> bool {
        self.judge.judges_rows() && self.judge.drops(cell)
    }

    /// Ends the row; `true` if it is kept. `has_cells` is whether cells were included and not dropped.
    pub fn end_row(&mut self, has_cells: bool) -> bool {
        let kept = has_cells && !self.judge.rejects_row();
        self.judge.reset();
        kept
    }

    /// Whether [`Self::drops`] and [`Self::end_row`] may take back what was included.
    pub fn judges_rows(&self) -> bool {
        self.judge.judges_rows()
    }
}

pub(super) fn start(filter: &Filter, direction: Direction, seed: u64) -> Result<Box<dyn Judge>, StoreError> {
    let started = |filters: &[Filter]| -> Result<Vec<Box<dyn Judge>>, StoreError> {
        let seeds = (1..).map(|nth| seed.wrapping_add(nth));
        filters.iter().zip(seeds).map(|(filter, seed)| start(filter, direction, seed)).collect()
    };
    Ok(match filter {
        Filter::Prefix(prefix) => Box::new(rows::Prefix::new(prefix.clone(), direction)),
        Filter::Row(op, comparator) => Box::new(rows::Row::new(Compare::new(*op, comparator)?)),
        Filter::Family(op, comparator) => Box::new(columns::Family(Compare::new(*op, comparator)?)),
        Filter::Qualifier(op, comparator) => Box::new(columns::Qualifier(Compare::new(*op, comparator)?)),
        Filter::Value(op, comparator) => Box::new(values::Value(Compare::new(*op, comparator)?)),
        Filter::SingleColumnValue(column) => Box::new(values::SingleColumnValue::new(column, false)?),
        Filter::SingleColumnValueExclude(column) => Box::new(values::SingleColumnValue::new(column, true)?),
        Filter::ColumnValue { family, qualifier, op, comparator } => Box::new(values::ColumnValue::new(
            family.clone(),
            qualifier.clone(),
            Compare::new(*op, comparator)?,
        )),
        Filter::ColumnPrefix(prefix) => Box::new(columns::Prefixes::new(vec![prefix.clone()])),
        Filter::MultipleColumnPrefix(prefixes) => Box::new(columns::Prefixes::new(prefixes.clone())),
        Filter::ColumnRange { min, max } => Box::new(columns::Range { min: min.clone(), max: max.clone() }),
        Filter::ColumnPagination { limit, start } => {
            Box::new(columns::Pagination::new(*limit, start.clone()))
        }
        Filter::ColumnCountGet(limit) => Box::new(columns::CountGet::new(*limit)),
        Filter::FirstKeyOnly => Box::new(columns::FirstKeyOnly::default()),
        Filter::KeyOnly { length_as_value } => Box::new(values::KeyOnly { length: *length_as_value }),
        Filter::Page(rows) => Box::new(rows::Page::new(*rows)),
        Filter::InclusiveStop(row) => Box::new(rows::InclusiveStop::new(row.clone(), direction)),
        Filter::RandomRow(chance) => Box::new(rows::RandomRow::new(*chance, seed)),
        Filter::Timestamps { timestamps, can_hint } => {
            Box::new(values::Timestamps::new(timestamps.clone(), *can_hint))
        }
        Filter::FuzzyRow(keys) => Box::new(rows::FuzzyRow::new(keys.clone())),
        Filter::MultiRowRange(ranges) => Box::new(rows::MultiRowRange::new(ranges.clone())),
        Filter::WhileMatch(inner) => {
            Box::new(Wrapper::new(start(inner, direction, seed)?, LeftOut::EndsScan))
        }
        Filter::Skip(inner) => Box::new(Wrapper::new(start(inner, direction, seed)?, LeftOut::SkipsRow)),
        Filter::All(filters) => Box::new(lists::All(started(filters)?)),
        Filter::One(filters) => Box::new(lists::One::new(started(filters)?)),
    })
}

impl ValueForm {
    pub(super) fn of_all(forms: impl Iterator<Item = Self>) -> Self {
        forms.fold(Self::Whole, Self::and_then)
    }
}

/// A comparator with its operator, ready to compare.
pub(super) struct Compare {
    op: CompareOp,
    with: With,
}

enum With {
    Plain(Comparator),
    Substring(String),
    Regex(regex::Regex),
}

impl Compare {
    pub(super) fn new(op: CompareOp, comparator: &Comparator) -> Result<Self, StoreError> {
        let with = match comparator {
            Comparator::Substring(text) => With::Substring(text.to_lowercase()),
            Comparator::Regex { pattern, ignore_case } => With::Regex(regex(pattern, *ignore_case)?),
            other => With::Plain(other.clone()),
        };
        Ok(Self { op, with })
    }

    /// Whether the part of a cell is let through.
    pub(super) fn holds(&self, part: &[u8]) -> bool {
        let order = match &self.with {
            With::Plain(comparator) => comparator.compare(part),
            With::Substring(text) => same(String::from_utf8_lossy(part).to_lowercase().contains(text)),
            With::Regex(regex) => same(regex.is_match(&String::from_utf8_lossy(part))),
        };
        self.op.holds(order.reverse())
    }
}
