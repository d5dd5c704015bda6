//! Writes the entries of many rows at once.
//!
//! The rows come in the order of their keys, the entries of each index table are sorted ([`crate::row_sort`]), and all tables get
//! their new contents in one moment ([`Replacement`]): a read, or a process that was killed, finds all of it or nothing.
//!
//! ```text
//! rows of a load, sorted ──┐
//!                          ├─merge──▶ rows as they will be ──▶ the table            ┐
//! rows of the table ───────┘               └─entries──sort──▶ each index table     ┴ all at once
//! ```
//!
//! **Law** (`tests/index_bulk.rs`): the tables are what they would be if the rows had been put, and `verify` finds nothing.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rowkey_core::range::KeyRange;
use rowkey_core::{Table, Value};
use rowkey_store::{
    Region, Replacement, RowBatch, RowView, Scan, Scanner, Store, TableName, in_parallel, per_region,
};

use super::draft::{carry, replacement};
use super::entry::{KeyRecords, Shape, named_shapes};
use super::error::IndexError;
use crate::cancel::Cancel;
use crate::create::OpenTable;
use crate::fold::{Replaces, fold};
use crate::processors::processors;
use crate::row_sort::{BATCH_BYTES, RowSort, SortedRows, pump};

/// The entries of rows, on their way to index tables. Several threads may add to it.
pub(crate) struct EntrySort<'t> {
    indexes: Vec<(TableName, Shape<'t>, Mutex<RowSort>)>,
    records: KeyRecords<'t>,
    write: WriteEntry,
}

/// Adds the entry of a row and its record, or what it is judged by, to a batch. It has a place for the key.
type WriteEntry =
    fn(&Shape<'_>, RowView<'_>, &[Value<'_>], &mut Vec<u8>, &mut RowBatch) -> Result<(), IndexError>;

impl<'t> EntrySort<'t> {
    /// For these index tables. `memory` is for all of them together.
    pub(crate) fn new(
        table: &'t Table,
        indexes: Vec<(TableName, Shape<'t>)>,
        write: WriteEntry,
        (memory, folder): (usize, &Path),
    ) -> Self {
        let memory = memory / indexes.len().max(1);
        let records = KeyRecords::new(table, indexes.iter().map(|(_, shape)| shape));
        let sorted = |(name, shape)| (name, shape, Mutex::new(RowSort::new(memory, folder)));
        Self { indexes: indexes.into_iter().map(sorted).collect(), records, write }
    }

    /// Adds the entries of rows. `made` has place for those of each index table, and is used again.
    pub(crate) fn add(&self, rows: &RowBatch, made: &mut Vec<RowBatch>) -> Result<(), IndexError> {
        made.resize_with(self.indexes.len(), RowBatch::new);
        made.iter_mut().for_each(RowBatch::clear);
        let (mut record, mut key) = (Vec::new(), Vec::new());
        for row in rows.rows() {
            self.records.read_into(row, &mut record)?;
            for ((_, shape, _), entries) in self.indexes.iter().zip(&mut *made) {
                (self.write)(shape, row, &record, &mut key, entries)?;
            }
        }
        for ((_, _, sort), entries) in self.indexes.iter().zip(&*made) {
            let mut sort = sort.lock().unwrap_or_else(PoisonError::into_inner);
            entries.rows().try_for_each(|entry| sort.push(entry))?;
        }
        Ok(())
    }

    /// Adds the entries of all rows of a table, several regions at a time. `read` gets how many rows each batch had.
    pub(crate) fn add_table(
        &self,
        store: &dyn Store,
        name: &TableName,
        cancel: &Cancel,
        read: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), IndexError> {
        let read = Mutex::new(read);
        let region = |_: &Region, range| {
            let mut scanner = store.scan(name, &Scan::new(range))?;
            let (mut batch, mut made) = (RowBatch::new(), Vec::new());
            while scanner.next_batch(&mut batch)? {
                self.add(&batch, &mut made)?;
                (read.lock().unwrap_or_else(PoisonError::into_inner))(batch.len());
                if cancel.is_cancelled() {
                    return Err(IndexError::Interrupted { rows: 0 });
                }
            }
            Ok(())
        };
        per_region(store, name, &KeyRange::all(), processors(), region).map(drop)
    }

    /// The entries of each index table, in the order of the tables.
    pub(crate) fn into_sorts(self) -> impl Iterator<Item = (TableName, RowSort)> {
        let sort = |sort: Mutex<RowSort>| sort.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.indexes.into_iter().map(move |(name, _, locked)| (name, sort(locked)))
    }

    /// Writes all entries, each index table by a thread of its own.
    pub(crate) fn load(self, into: &dyn Replacement, cancel: &Cancel) -> Result<(), IndexError> {
        let load = |name: TableName, sort: RowSort| {
            let mut sorted = sort.finish()?;
            let make = |batch: &mut RowBatch| {
                while batch.byte_len() < BATCH_BYTES && sorted.next(batch)? {}
                Ok(())
            };
            pump(cancel, make, |rows| into.load(&name, rows))?;
            Ok::<(), IndexError>(())
        };
        let sorts: Vec<_> = self.into_sorts().map(|named| Mutex::new(Some(named))).collect();
        in_parallel(&sorts, sorts.len(), |_, sort| {
            let taken = sort.lock().unwrap_or_else(PoisonError::into_inner).take();
            taken.map_or(Ok(()), |(name, sort)| load(name, sort))
        })
        .map(drop)
    }
}

/// Writes the entry of a row that does not change meanwhile.
pub(crate) fn settled(
    shape: &Shape<'_>,
    row: RowView<'_>,
    record: &[Value<'_>],
    key: &mut Vec<u8>,
    entries: &mut RowBatch,
) -> Result<(), IndexError> {
    shape.entry_into(row.key(), record, key)?;
    shape.write_settled(key, row, entries);
    Ok(())
}

/// What a bulk load of a table with index tables did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BulkLoaded {
    /// Rows that had the key of another one of the load.
    pub(crate) repeated: u64,
    /// Rows that the table had before.
    pub(crate) replaced: u64,
}

/// Loads sorted rows, merged with the rows `old` of the table, and the entries of all.
pub(crate) fn load(
    into: Box<dyn Replacement + '_>,
    (table, open): (&Table, &OpenTable),
    rows: SortedRows,
    old: Option<Box<dyn Scanner>>,
    (memory, folder, cancel): (usize, &Path, &Cancel),
) -> Result<BulkLoaded, IndexError> {
    let entries = EntrySort::new(table, named_shapes(table, open), settled, (memory, folder));
    let merge = |old: Option<&mut dyn Scanner>| -> Result<BulkLoaded, IndexError> {
        let (mut merged, mut made) = (Merged::new(table, rows, old), Vec::new());
        let make = |batch: &mut RowBatch| {
            merged.next_batch(batch)?;
            entries.add(batch, &mut made)
        };
        pump(cancel, make, |rows| into.load(&open.name, rows))?;
        Ok(merged.loaded)
    };
    let loaded = match old {
        None => merge(None)?,
        // Rows that are there are read while those before them are merged.
        Some(mut old) => {
            let read = |batch: &mut RowBatch| Ok::<(), IndexError>(old.next_batch(batch).map(drop)?);
            pump(cancel, read, |old| Ok(merge(Some(old))))??
        }
    };
    entries.load(&*into, cancel)?;
    into.finish()?;
    Ok(loaded)
}

/// The rows that a table will have, in the order of their keys.
struct Merged<'t, 'o> {
    table: &'t Table,
    new: SortedRows,
    /// The next row of the load, if it was looked at.
    head: RowBatch,
    old: OldRows<'o>,
    /// Rows of the load with one key.
    group: RowBatch,
    loaded: BulkLoaded,
}

/// The rows of the table, one after the other.
struct OldRows<'o> {
    scanner: Option<&'o mut dyn Scanner>,
    batch: RowBatch,
    at: usize,
}

impl OldRows<'_> {
    /// Sees to it that the next row is there, if there is one.
    fn look(&mut self) -> Result<(), IndexError> {
        if self.at >= self.batch.len()
            && let Some(scanner) = &mut self.scanner
        {
            self.at = 0;
            if !scanner.next_batch(&mut self.batch)? {
                self.batch.clear();
                self.scanner = None;
            }
        }
        Ok(())
    }

    fn row(&self) -> Option<RowView<'_>> {
        self.batch.row(self.at)
    }
}

impl<'t, 'o> Merged<'t, 'o> {
    fn new(table: &'t Table, new: SortedRows, scanner: Option<&'o mut dyn Scanner>) -> Self {
        let old = OldRows { scanner, batch: RowBatch::new(), at: 0 };
        let (head, group) = (RowBatch::new(), RowBatch::new());
        Self { table, new, head, old, group, loaded: BulkLoaded::default() }
    }

    /// Fills an empty batch; it stays empty at the end.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), IndexError> {
        while batch.byte_len() < BATCH_BYTES {
            if self.head.is_empty() {
                self.new.next(&mut self.head)?;
            }
            self.old.look()?;
            let before = match (self.old.row(), self.head.row(0)) {
                (None, None) => break,
                (Some(old), head) if head.is_none_or(|head| old.key() < head.key()) => Some(old),
                _ => None,
            };
            if let Some(old) = before {
                carry(self.table, old, batch);
                self.old.at += 1;
            } else {
                self.next_of_load(batch)?;
            }
        }
        Ok(())
    }

    /// The rows of the load with the next key, over the row of the table that has it.
    fn next_of_load(&mut self, batch: &mut RowBatch) -> Result<(), IndexError> {
        self.group.clear();
        std::mem::swap(&mut self.group, &mut self.head);
        while self.new.next(&mut self.head)? && same_key(&self.head, &self.group) {
            self.head.rows().for_each(|row| self.group.push_row(row));
            self.head.clear();
            self.loaded.repeated += 1;
        }
        // Never a clash: of one column the last value counts.
        let folded =
            if self.group.len() > 1 { fold(&self.group, Replaces::SameColumn).ok().flatten() } else { None };
        let Some(new) = folded.as_ref().unwrap_or(&self.group).row(0) else { return Ok(()) };
        let old = self.old.row().filter(|old| old.key() == new.key());
        self.loaded.replaced += u64::from(old.is_some());
        if !replacement(self.table, old, new, 0, batch)
            && let Some(old) = old
        {
            carry(self.table, old, batch);
        }
        self.old.at += usize::from(old.is_some());
        Ok(())
    }
}

fn same_key(a: &RowBatch, b: &RowBatch) -> bool {
    a.row(0).map(|row| row.key()) == b.row(0).map(|row| row.key())
}
