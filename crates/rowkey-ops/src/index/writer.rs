//! How is a row written with its entries, so that no reader and no crash tells the two apart?
//!
//! Each change goes through the same steps, many rows at a time:
//!
//! 1. read the rows as they are, and take a stamp above theirs;
//! 2. write the new entries, and mark the entries that will be left, all *unverified*;
//! 3. change the data rows, each only if it still has the stamp that was read;
//! 4. see that the rows have the new stamp;
//! 5. mark the new entries *verified* and remove those that were left, each only if its mark is still this write's.
//!
//! A row that somebody else changed in between goes through the steps again. Step 3 is the moment at which a change
//! happens; before it nothing counts that step 2 wrote, after it everything counts. A put is acknowledged only when its
//! entries were seen after it.
//!
//! **Law** (`tests/index_interleavings.rs`): for all interleavings of two writers, and crashes at every step.

use std::collections::HashMap;

use rowkey::Table;
use rowkey::range::KeyRange;
use rowkey_store::{
    ALL_VERSIONS, CheckAndMutate, Columns, Delete, Get, Mutation, Operation, Outcome, Put, RowBatch, RowView,
    Scan, Store, StoreError, TableName,
};

use super::draft::{Change, Draft, Drafted, Item, draft, mark_is};
use super::entry::{MARK, Shape, mark_family, stamp_of};
use super::error::IndexError;
use super::stamp::{Clock, State, process_clock};
use crate::create::OpenTable;

/// How often a row that others change is tried.
const ATTEMPTS: usize = 100;

/// What a writer did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows that are as asked for now.
    pub rows: u64,
    /// Puts of rows that are there with a later cell time, which hides them.
    pub superseded: u64,
    /// Rows to delete or refresh that were not there.
    pub absent: u64,
    /// Rows that were tried again because somebody else changed them.
    pub retried: u64,
}

/// Writes rows of a table together with their index rows. Many writers may work at once, in many processes.
pub struct IndexedWriter<'a> {
    store: &'a dyn Store,
    table: &'a Table,
    name: TableName,
    indexes: Vec<(TableName, Shape<'a>)>,
    clock: Clock,
}

impl<'a> IndexedWriter<'a> {
    /// A writer of an open table.
    pub fn new(store: &'a dyn Store, table: &'a Table, open: &OpenTable) -> Self {
        let indexes = open.indexes.iter().zip(&table.indexes);
        let indexes = indexes.map(|(open, index)| (open.name.clone(), Shape::new(table, index))).collect();
        Self { store, table, name: open.name.clone(), indexes, clock: process_clock() }
    }

    /// Takes stamps from another clock. No law depends on the clock; one that stands still or goes back costs attempts.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Only these index tables, by their numbers. For refreshing alone: a put must write all of them.
    pub(super) fn only(mut self, chosen: &[usize]) -> Self {
        let all = std::mem::take(&mut self.indexes).into_iter().enumerate();
        self.indexes = all.filter(|(nth, _)| chosen.contains(nth)).map(|(_, index)| index).collect();
        self
    }

    /// Writes rows as [`crate::record::RowWriter`] makes them; a column that a row does not have goes. When it returns, the
    /// rows and their entries are durable. Of two rows with the same key the one with the later cell time wins, or else
    /// the later one. After an error some rows may be written; writing the batch again is safe.
    ///
    /// # Errors
    /// When a row does not fit the table (nothing is written then), the store fails, or others change a row all the time.
    pub fn put(&self, rows: &RowBatch) -> Result<Written, IndexError> {
        let mut last: HashMap<&[u8], (usize, RowView<'_>)> = HashMap::with_capacity(rows.len());
        for (nth, row) in rows.rows().enumerate() {
            let time = |row: RowView<'_>| row.cells().map(|cell| cell.timestamp).max();
            let other = last.get(row.key());
            if other.is_none_or(|(_, other)| time(*other) <= time(row)) {
                last.insert(row.key(), (nth, row));
            }
        }
        let mut chosen: Vec<(usize, RowView<'_>)> = last.into_values().collect();
        chosen.sort_unstable_by_key(|(nth, _)| *nth);
        let items = chosen.into_iter().map(|(_, row)| item(row.key(), Change::Put(row)));
        self.run(items.collect())
    }

    /// Deletes rows by their keys.
    ///
    /// # Errors
    /// When a row does not fit the table, the store fails, or others change a row all the time.
    pub fn delete(&self, keys: &[Vec<u8>]) -> Result<Written, IndexError> {
        self.run(unique(keys).map(|key| item(key, Change::Delete)).collect())
    }

    /// Makes the entries of rows anew, without changing the rows.
    ///
    /// # Errors
    /// When a row does not fit the table, the store fails, or others change a row all the time.
    pub(super) fn refresh(&self, keys: &[Vec<u8>]) -> Result<Written, IndexError> {
        self.run(unique(keys).map(|key| item(key, Change::Refresh)).collect())
    }

    fn run(&self, mut pending: Vec<Item<'_>>) -> Result<Written, IndexError> {
        let mut written = Written::default();
        for _ in 0..ATTEMPTS {
            if pending.is_empty() {
                return Ok(written);
            }
            pending = self.attempt(&pending, &mut written)?;
            written.retried += count(pending.len());
        }
        let row = pending.first().map(|item| item.key.to_vec()).unwrap_or_default();
        if pending.is_empty() { Ok(written) } else { Err(IndexError::Contended { row, attempts: ATTEMPTS }) }
    }

    /// One pass through the steps; what must be tried again comes back.
    fn attempt<'r>(&self, items: &[Item<'r>], written: &mut Written) -> Result<Vec<Item<'r>>, IndexError> {
        let gets: Vec<Get> = items.iter().map(|item| Get::new(item.key)).collect();
        let mut before = RowBatch::new();
        let there = self.store.get_many(&self.name, &gets, &mut before)?;
        let (mut rows, tick) = (before.rows(), (self.clock)());
        let shapes: Vec<&Shape<'_>> = self.indexes.iter().map(|(_, shape)| shape).collect();
        let mut drafts = Vec::with_capacity(items.len());
        for (item, there) in items.iter().zip(there) {
            let old = if there { rows.next() } else { None };
            match draft(self.table, &shapes, *item, old, tick)? {
                Drafted::Change(draft) => drafts.push(*draft),
                Drafted::Superseded => written.superseded += 1,
                Drafted::Absent => written.absent += 1,
            }
        }
        self.announce(&drafts)?;
        let (done, mut again) = self.change(drafts)?;
        written.rows += count(done.len());
        let lost = self.settle(&done)?;
        written.rows -= count(lost.len());
        again.extend(lost);
        // The drafts borrow the rows that were read; items borrow only what the caller gave.
        let again = items.iter().filter_map(|item| {
            again.iter().find(|(key, _)| key == item.key).map(|(_, floor)| Item { floor: *floor, ..*item })
        });
        Ok(again.collect())
    }

    /// Step 2.
    fn announce(&self, drafts: &[Draft<'_>]) -> Result<(), IndexError> {
        for (nth, (name, shape)) in self.indexes.iter().enumerate() {
            let mut batch = RowBatch::new();
            for draft in drafts {
                let Some((made, left)) = draft.entries.get(nth) else { continue };
                let mark = draft.mark(State::Unverified);
                for (entry, row) in [(made, draft.row), (left, None)] {
                    if let Some(entry) = entry {
                        shape.write(entry, mark, row, &mut batch);
                    }
                }
            }
            if !batch.is_empty() {
                self.store.put_batch(name, &batch)?;
            }
        }
        Ok(())
    }

    /// Steps 3 and 4: the changes that are done, and the rows that must be tried again with the lowest stamp to take.
    #[expect(clippy::type_complexity, reason = "two lists that are used at once")]
    fn change<'d>(
        &self,
        drafts: Vec<Draft<'d>>,
    ) -> Result<(Vec<Draft<'d>>, Vec<(Vec<u8>, i64)>), IndexError> {
        let operations: Vec<Operation> = drafts.iter().map(|draft| draft.operation(self.table)).collect();
        let matched = self.conditional(&self.name, &operations)?;
        let stays = |draft: &Draft<'_>| !matches!(draft.item.change, Change::Delete);
        let columns = Columns::Only(vec![(mark_family(self.table).to_vec(), Some(MARK.to_vec()))]);
        let get = |draft: &Draft<'_>| Get { columns: columns.clone(), ..Get::new(draft.item.key) };
        let gets: Vec<Get> = drafts.iter().filter(|draft| stays(draft)).map(get).collect();
        let mut after = RowBatch::new();
        let there = self.store.get_many(&self.name, &gets, &mut after)?;
        let (mut rows, mut there) = (after.rows(), there.into_iter());
        let (mut done, mut again) = (Vec::new(), Vec::new());
        for (draft, matched) in drafts.into_iter().zip(matched) {
            if !stays(&draft) {
                // Not matched: somebody changed the row, or this is a call that was repeated behind our back.
                if matched {
                    done.push(draft);
                } else {
                    again.push((draft.item.key.to_vec(), draft.item.floor));
                }
                continue;
            }
            let row = if there.next() == Some(true) { rows.next() } else { None };
            let seen = row.and_then(|row| stamp_of(self.table, row)).map(|(stamp, _)| stamp);
            if seen == Some(draft.stamp) {
                done.push(draft);
            } else if matched && seen.is_none_or(|seen| seen.at < draft.stamp.at) {
                // A delete marker with a later time hides what was written.
                let floor = self.above_all(&self.name, draft.item.key)?;
                again.push((draft.item.key.to_vec(), floor.max(draft.item.floor)));
            } else if matched {
                // Somebody changed the row after us and takes care of our entries.
                done.push(draft);
            } else {
                again.push((draft.item.key.to_vec(), draft.item.floor));
            }
        }
        Ok((done, again))
    }

    /// Step 5; the rows whose entries are not there come back, with the lowest stamp to take.
    fn settle(&self, drafts: &[Draft<'_>]) -> Result<Vec<(Vec<u8>, i64)>, IndexError> {
        let family = mark_family(self.table);
        let mut lost = Vec::new();
        for (nth, (name, shape)) in self.indexes.iter().enumerate() {
            let (mut operations, mut verifying) = (Vec::new(), Vec::new());
            for draft in drafts {
                let Some((made, left)) = draft.entries.get(nth) else { continue };
                let mut when = |mark: Vec<u8>, mutation: Mutation| {
                    operations.push(CheckAndMutate::new(mark_is(family, Some(&mark)), mutation).into());
                };
                let unverified = draft.mark(State::Unverified);
                if let Some(entry) = left {
                    let delete = Delete::row_at(entry.as_slice(), draft.stamp.at);
                    when(shape.mark_bytes(unverified, None), delete.into());
                }
                verifying.resize(operations.len(), None);
                let Some(entry) = made else { continue };
                let verified = shape.mark_bytes(draft.mark(State::Verified), draft.row);
                let put = Put::new(entry.as_slice()).cell_at(family, MARK, draft.stamp.at, verified);
                operations.push(
                    CheckAndMutate::new(mark_is(family, Some(&shape.mark_bytes(unverified, draft.row))), put)
                        .into(),
                );
                verifying.push(Some((entry, draft)));
            }
            let matched = self.conditional(name, &operations)?;
            let failed: Vec<_> = verifying
                .into_iter()
                .zip(matched)
                .filter(|(_, matched)| !matched)
                .filter_map(|(of, _)| of)
                .collect();
            let gets: Vec<Get> = failed.iter().map(|(entry, _)| Get::new(entry.as_slice())).collect();
            let there = self.store.get_many(name, &gets, &mut RowBatch::new())?;
            for ((entry, draft), _) in failed.into_iter().zip(there).filter(|(_, there)| !there) {
                lost.push((draft.item.key.to_vec(), self.above_all(name, entry)?));
            }
        }
        Ok(lost)
    }

    /// Does conditional operations; says for each whether its condition held.
    fn conditional(&self, table: &TableName, operations: &[Operation]) -> Result<Vec<bool>, StoreError> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let held = |result: Result<Outcome, StoreError>| Ok(result?.matched == Some(true));
        self.store.batch(table, operations)?.into_iter().map(held).collect()
    }

    /// A time above every cell and marker of a row.
    fn above_all(&self, table: &TableName, row: &[u8]) -> Result<i64, StoreError> {
        let scan = Scan { raw: true, versions: ALL_VERSIONS, ..Scan::new(KeyRange::point(row)) };
        let (mut scanner, mut batch, mut newest) = (self.store.scan(table, &scan)?, RowBatch::new(), 0);
        while scanner.next_batch(&mut batch)? {
            newest =
                batch.rows().flat_map(|row| row.cells()).map(|cell| cell.timestamp).fold(newest, i64::max);
        }
        Ok(newest.saturating_add(1))
    }
}

fn item<'r>(key: &'r [u8], change: Change<'r>) -> Item<'r> {
    Item { key, change, floor: 0 }
}

fn unique(keys: &[Vec<u8>]) -> impl Iterator<Item = &[u8]> {
    let mut keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
