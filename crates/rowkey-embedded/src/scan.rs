//! How are the rows of a range read, batch by batch, in either direction?
//!
//! A scanner has one cursor per family over one snapshot. The next row is the smallest (backwards: the largest) that
//! any cursor stands on; each cursor on that row gives its cells, in the order of families. Nothing is held but the
//! cells under the cursors; backwards, where the engine gives the cells of a row in the wrong order, those of one row.
//!
//! A scanner sees the store as it was when the scan was opened, whatever is written or dropped meanwhile, and keeps
//! the folder open while it lives.

use std::sync::Arc;

use fjall::{Iter, Readable, Snapshot, UserKey, UserValue};
use rowkey_store::{Direction, RowBatch, Scan, Scanner, StoreError};

use crate::EmbeddedError;
use crate::layout::bounds::CellRange;
use crate::layout::cell;
use crate::read::{FamilyRead, RowWalk};
use crate::store::Core;
use crate::table::Table;

/// An open scan of the embedded store.
pub(crate) struct EmbeddedScanner {
    cursors: Vec<Cursor>,
    direction: Direction,
    /// How many rows the limit still allows.
    remaining: usize,
    batch_rows: usize,
    /// The packed row being read, and its key.
    packed_row: Vec<u8>,
    row: Vec<u8>,
    table: Arc<Table>,
    /// Keeps the store open; last, so that it outlives what reads from it.
    _core: Arc<Core>,
}

impl EmbeddedScanner {
    pub(crate) fn open(
        core: &Arc<Core>,
        table: &Arc<Table>,
        snapshot: &Snapshot,
        scan: &Scan,
        reads: Vec<FamilyRead>,
    ) -> Result<Self, EmbeddedError> {
        let cells = CellRange::of_rows(&scan.range).filter(|_| scan.limit != Some(0));
        let mut cursors = Vec::new();
        if let Some(cells) = cells {
            for read in reads {
                let iter = snapshot.range::<&[u8], _>(&read.keyspace, cells.bounds());
                let mut cursor =
                    Cursor { iter, next: None, walk: RowWalk::default(), held: Vec::new(), read };
                cursor.advance(scan.direction, &[])?;
                cursors.push(cursor);
            }
        }
        Ok(Self {
            cursors,
            direction: scan.direction,
            remaining: scan.limit.unwrap_or(usize::MAX),
            batch_rows: scan.batch_rows.max(1),
            packed_row: Vec::new(),
            row: Vec::new(),
            table: Arc::clone(table),
            _core: Arc::clone(core),
        })
    }

    fn fill(&mut self, batch: &mut RowBatch) -> Result<(), EmbeddedError> {
        let rows = self.batch_rows.min(self.remaining);
        while batch.len() < rows && self.select_row()? {
            batch.begin_row(&self.row);
            let cells_before = batch.cell_count();
            for cursor in &mut self.cursors {
                cursor.take_row(self.direction, &self.packed_row, batch)?;
            }
            if batch.cell_count() == cells_before {
                batch.pop_row();
            }
        }
        self.remaining -= batch.len();
        Ok(())
    }

    /// Finds the next row among those under the cursors; `false` at the end.
    fn select_row(&mut self) -> Result<bool, EmbeddedError> {
        let standing = self.cursors.iter().filter_map(|cursor| Some((cursor.row()?, cursor)));
        let first = match self.direction {
            Direction::Forward => standing.min_by_key(|(row, _)| *row),
            Direction::Reverse => standing.max_by_key(|(row, _)| *row),
        };
        let Some((packed, cursor)) = first else {
            return Ok(false);
        };
        self.packed_row.clear();
        self.packed_row.extend_from_slice(packed);
        self.row.clear();
        cell::decode_row(packed, &mut self.row).map_err(|damage| cursor.read.damaged(packed, damage))?;
        Ok(true)
    }
}

impl Scanner for EmbeddedScanner {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        batch.clear();
        if let Err(error) = self.fill(batch) {
            batch.clear();
            self.cursors.clear();
            return Err(error.during(format!("scan table `{}`", self.table.descriptor.name)));
        }
        self.table.regions.count_reads(batch.rows().map(|row| row.key()));
        Ok(!batch.is_empty())
    }
}

/// The way through one family's cells.
struct Cursor {
    iter: Iter,
    next: Option<Entry>,
    walk: RowWalk,
    /// Cells of one row, read backwards.
    held: Vec<(UserKey, UserValue)>,
    read: FamilyRead,
}

/// The cell that a cursor stands on.
struct Entry {
    key: UserKey,
    value: UserValue,
    row_end: usize,
}

impl Cursor {
    /// The packed row that the cursor stands on; `None` at the end.
    fn row(&self) -> Option<&[u8]> {
        self.next.as_ref().and_then(|entry| entry.key.get(..entry.row_end))
    }

    /// Steps to the next cell. Most cells belong to the row of the one before, `row`, and then nothing is to decode.
    fn advance(&mut self, direction: Direction, row: &[u8]) -> Result<(), EmbeddedError> {
        let cell = match direction {
            Direction::Forward => self.iter.next(),
            Direction::Reverse => self.iter.next_back(),
        };
        self.next = None;
        if let Some(cell) = cell {
            let (key, value) = cell.into_inner()?;
            let row_end = if !row.is_empty() && key.starts_with(row) {
                row.len()
            } else {
                cell::row_end(&key).map_err(|damage| self.read.damaged(&key, damage))?
            };
            self.next = Some(Entry { key, value, row_end });
        }
        Ok(())
    }

    /// Adds the family's visible cells of `row` to `batch`, and goes to the next row.
    fn take_row(
        &mut self,
        direction: Direction,
        row: &[u8],
        batch: &mut RowBatch,
    ) -> Result<(), EmbeddedError> {
        self.walk.begin(row.len());
        while self.row() == Some(row) {
            if let Some(Entry { key, value, .. }) = self.next.take() {
                match direction {
                    Direction::Forward => self.walk.offer(&self.read, key, &value, batch)?,
                    Direction::Reverse => self.held.push((key, value)),
                }
            }
            self.advance(direction, row)?;
        }
        while let Some((key, value)) = self.held.pop() {
            self.walk.offer(&self.read, key, &value, batch)?;
        }
        Ok(())
    }
}
