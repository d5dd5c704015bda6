//! Divides one Parquet file among several threads.
//!
//! Row groups are cut into parts, parts into steps. A thread takes a part and reads it step by step into columns; behind the
//! part before it, it only has to pass over pages. So one group of a hundred million rows keeps all cores busy, and memory is
//! that of a step and a page of each column.

use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;
use rowkey_core::batch::ColumnBuffer;

use super::chunk::Chunk;
use super::plain::{PlainTexts, Walk};
use super::{Column, OpenFile, ROWS_AT_ONCE, guarded};
use crate::input::Position;

/// Rows of a step: what they become stays in a second level cache.
const STEP: u64 = 8 * ROWS_AT_ONCE;
/// Steps of a part: more rows than a page has, so that few pages are read by two threads.
pub(in crate::input) const STEPS_OF_A_PART: usize = 16;

/// A step: rows of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::input) struct RowStep {
    group: usize,
    /// Rows of the group before it.
    before: u64,
    /// Rows of the file before it.
    pub(super) row: u64,
    pub(super) rows: u64,
}

/// A file to be read in steps.
#[derive(Clone)]
pub(in crate::input) struct Steps {
    open: Arc<OpenFile>,
}

impl Steps {
    pub(super) fn new(open: Arc<OpenFile>) -> Self {
        Self { open }
    }

    /// Cuts the file, behind so many rows.
    pub(in crate::input) fn cutter(&self, skip: u64) -> RowCutter {
        RowCutter { open: self.open.clone(), group: 0, before: 0, row: 0, skip }
    }

    /// A reader of steps.
    pub(in crate::input) fn reader(&self) -> RowReader {
        RowReader {
            open: self.open.clone(),
            columns: Vec::new(),
            group: usize::MAX,
            next: 0,
            numbers: Vec::new(),
        }
    }

    /// The place of a step's first row.
    pub(in crate::input) fn position(&self, step: &RowStep) -> Position {
        self.open.position(step.row)
    }

    /// The place behind a step.
    pub(in crate::input) fn behind(&self, step: &RowStep) -> Position {
        self.open.position(step.row + step.rows)
    }
}

/// Cuts a file into parts.
pub(in crate::input) struct RowCutter {
    open: Arc<OpenFile>,
    group: usize,
    /// Rows of the group that are cut off.
    before: u64,
    /// Rows of the file that are cut off.
    row: u64,
    /// Rows still to pass over.
    skip: u64,
}

impl RowCutter {
    /// The steps of the next part; `None` at the end.
    pub(in crate::input) fn next(&mut self) -> Option<Vec<RowStep>> {
        let groups = self.open.file.metadata().num_row_groups();
        let left = loop {
            if self.group == groups {
                return None;
            }
            let left = self.open.rows_of(self.group) - self.before;
            let skipped = left.min(self.skip);
            (self.skip, self.before, self.row) =
                (self.skip - skipped, self.before + skipped, self.row + skipped);
            if skipped < left {
                break left - skipped;
            }
            (self.group, self.before) = (self.group + 1, 0);
        };
        let mut steps = Vec::with_capacity(STEPS_OF_A_PART);
        let mut left = left.min(STEP * STEPS_OF_A_PART as u64);
        while left > 0 {
            let rows = left.min(STEP);
            steps.push(RowStep { group: self.group, before: self.before, row: self.row, rows });
            (self.before, self.row, left) = (self.before + rows, self.row + rows, left - rows);
        }
        Some(steps)
    }
}

/// Reads steps into columns; keeps its place, so that the next step costs no search.
pub(in crate::input) struct RowReader {
    open: Arc<OpenFile>,
    /// One for each column; nothing for one that is not wanted.
    columns: Vec<Option<Reading>>,
    group: usize,
    /// Rows of the group before the next one.
    next: u64,
    numbers: Vec<i64>,
}

/// How a column is read.
enum Reading {
    Plain(PlainTexts),
    Usual(Box<Chunk>),
}

impl RowReader {
    /// Adds the rows of a step to columns, one for each field; `None` if there is anything wrong with one.
    pub(in crate::input) fn fill(&mut self, step: &RowStep, into: &mut [ColumnBuffer]) -> Option<()> {
        let read = guarded(|| self.read(step)).ok();
        if read.is_none() {
            // Whatever state the readers are in, they are not asked again.
            self.group = usize::MAX;
        }
        read?;
        for (column, own) in self.open.columns.iter().zip(&mut self.columns) {
            let into = into.get_mut(column.field.field.0);
            match own {
                Some(Reading::Plain(texts)) => texts.fill(into?)?,
                Some(Reading::Usual(chunk)) => chunk.fill(column, into?, &mut self.numbers)?,
                None => {}
            }
        }
        Some(())
    }

    fn read(&mut self, step: &RowStep) -> Result<(), ParquetError> {
        if step.group != self.group || step.before < self.next {
            (self.group, self.next) = (step.group, 0);
            let columns =
                self.open.columns.iter().map(|column| Reading::open(&self.open, column, step.group));
            self.columns = columns.collect::<Result<_, _>>()?;
        }
        let skip = step.before - self.next;
        for (column, own) in self.open.columns.iter().zip(&mut self.columns) {
            if let Some(Reading::Plain(texts)) = own {
                if texts.skip(skip)? == Walk::Done && texts.read(step.rows)? == Walk::Done {
                    continue;
                }
                let mut chunk = self.open.chunk(column, step.group)?;
                chunk.skip(self.next)?;
                *own = Some(Reading::Usual(Box::new(chunk)));
            }
            if let Some(Reading::Usual(chunk)) = own {
                chunk.skip(skip)?;
                chunk.read(step.rows)?;
            }
        }
        self.next = step.before + step.rows;
        Ok(())
    }
}

impl Reading {
    /// A column of a group, from its first row on; nothing if it is not wanted.
    fn open(open: &OpenFile, column: &Column, group: usize) -> Result<Option<Self>, ParquetError> {
        if !column.field.wanted {
            return Ok(None);
        }
        let group_of_file = open.file.get_row_group(group)?;
        let chunk = group_of_file.metadata().column(column.leaf);
        Ok(Some(if PlainTexts::fits(column, chunk) {
            Self::Plain(PlainTexts::new(group_of_file.get_column_page_reader(column.leaf)?, chunk))
        } else {
            Self::Usual(Box::new(open.chunk(column, group)?))
        }))
    }
}
