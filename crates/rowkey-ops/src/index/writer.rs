//! Writes a row with its entries so that no reader and no crash sees one without the other.
//!
//! Each change goes through the same steps, many rows at a time:
//!
//! 1. read the rows as they are, and take a stamp above theirs;
//! 2. write the new entries, and mark the entries that will be left, all *unverified*; see that the new ones are there;
//! 3. change the data rows, each only if it still has the stamp that was read;
//! 4. see that the rows have the new stamp;
//! 5. mark the new entries *verified* and remove those that were left, each only if its mark is still this write's.
//!
//! Each step is one call for each table, and those to index tables are made at the same time. A row that another writer changed
//! in between goes through the steps again. Step 3 is the moment at which a change
//! happens; before it nothing counts that step 2 wrote, after it everything counts. A put is acknowledged only when its
//! entries were seen after it.
//!
//! **Law** (`tests/index_interleavings.rs`): for all interleavings of two writers, and crashes at every step.

use std::collections::HashMap;

use rowkey_core::Table;
use rowkey_core::range::KeyRange;
use rowkey_store::{
    ALL_VERSIONS, CellKind, CheckAndMutate, Columns, Delete, Get, Mutation, Operation, Outcome, Put,
    RowBatch, RowView, Scan, Store, StoreError, TableName, in_parallel,
};

use super::draft::{Announced, Change, Draft, Drafted, Item, complete, draft, mark_is};
use super::entry::{KeyRecords, MARK, Shape, mark_family, named_shapes, stamp_of};
use super::error::IndexError;
use super::stamp::{Clock, Mark, State, catch_up, process_clock};
use super::together;
use crate::create::OpenTable;
use crate::fold::{Replaces, fold};

/// How often a row that others change is tried.
const ATTEMPTS: usize = 100;

/// What a writer did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows that are as asked for now.
    pub rows: u64,
    /// Puts of rows that were there, or that another row of the same batch came after or before.
    pub replaced: u64,
    /// Puts that no read sees: the row is there with a later cell time, or the cells were past their time to live.
    pub superseded: u64,
    /// Rows to delete or refresh that were not there.
    pub absent: u64,
    /// Rows that were tried again because another writer changed them.
    pub retried: u64,
}

/// Writes rows of a table together with their index rows. Many writers may work at once, in many processes.
pub struct IndexedWriter<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) table: &'a Table,
    pub(super) name: TableName,
    pub(super) indexes: Vec<(TableName, Shape<'a>)>,
    pub(super) records: KeyRecords<'a>,
    clock: Clock,
}

impl<'a> IndexedWriter<'a> {
    /// A writer of an open table.
    pub fn new(store: &'a dyn Store, table: &'a Table, open: &OpenTable) -> Self {
        store.write_time().into_iter().for_each(catch_up);
        let indexes = named_shapes(table, open);
        let records = KeyRecords::new(table, indexes.iter().map(|(_, shape)| shape));
        Self { store, table, name: open.name.clone(), indexes, records, clock: process_clock() }
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

    /// Writes rows as [`crate::record::RowWriter`] makes them; a column with a delete marker goes, one that a row does not have
    /// stays as it is. When it returns, the rows and their entries are durable. Of two rows with the same key the one with the
    /// later cell time wins, or else the later one, column by column. After an error some rows may be written; writing the batch again is safe.
    ///
    /// # Errors
    /// When a row does not fit the table (nothing is written then), the store fails, or others change a row all the time.
    pub fn put(&self, rows: &RowBatch) -> Result<Written, IndexError> {
        // Never a clash: the rows get times of their own.
        let folded = fold(rows, Replaces::SameColumn).ok().flatten();
        let once = folded.as_ref().unwrap_or(rows);
        let items = once.rows().map(|row| item(row.key(), Change::Put(row)));
        let mut written = self.run(items.collect())?;
        written.replaced += count(rows.len() - once.len());
        Ok(written)
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
        if let Some(written) = together::write(self, &pending)? {
            return Ok(written);
        }
        let mut written = Written::default();
        for attempt in 0..ATTEMPTS {
            if pending.is_empty() {
                return Ok(written);
            }
            let replaced = written.replaced;
            pending = self.attempt(&pending, &mut written)?;
            // What is there when a row is tried again may be its own.
            if attempt > 0 {
                written.replaced = replaced;
            }
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
        let olds: Vec<Option<RowView<'_>>> =
            there.into_iter().map(|there| if there { rows.next() } else { None }).collect();
        let mut completed = RowBatch::new();
        for (item, old) in items.iter().zip(&olds) {
            if let Change::Put(new) = item.change {
                complete(self.table, *old, new, &mut completed);
            }
        }
        let mut completed = completed.rows();
        let shapes: Vec<&Shape<'_>> = self.indexes.iter().map(|(_, shape)| shape).collect();
        let mut drafts = Vec::with_capacity(items.len());
        for (item, old) in items.iter().zip(olds) {
            written.replaced += u64::from(old.is_some() && matches!(item.change, Change::Put(_)));
            let change = match item.change {
                Change::Put(new) => Change::Put(completed.next().unwrap_or(new)),
                other => other,
            };
            let item = &Item { change, ..item.clone() };
            let mut drafted = draft((self.table, &self.records), &shapes, item.clone(), old, tick)?;
            if matches!(drafted, Drafted::Superseded) {
                written.superseded += 1;
                if !item.announced.is_empty() {
                    // Making the row's entries anew is what lets go of those that were announced in vain.
                    let refresh = Item { change: Change::Refresh, ..item.clone() };
                    drafted = draft((self.table, &self.records), &shapes, refresh, old, tick)?;
                }
            }
            match drafted {
                Drafted::Change(draft) => drafts.push(*draft),
                Drafted::Absent => written.absent += 1,
                Drafted::Superseded => {}
            }
        }
        self.announce(&drafts)?;
        let mut again = self.hidden(&mut drafts, &shapes)?;
        let (done, failed) = self.change(drafts, &shapes, written)?;
        again.extend(failed);
        written.rows += count(done.len());
        let lost = self.settle(&done)?;
        written.rows -= count(lost.len());
        again.extend(lost);
        // Drafts borrow the rows that were read; the next attempt has what the caller gave.
        let mut again: HashMap<Vec<u8>, (i64, Vec<Announced>)> =
            again.into_iter().map(|again| (again.key, (again.floor, again.announced))).collect();
        let again = items.iter().filter_map(|item| {
            let (floor, announced) = again.remove(item.key)?;
            Some(Item { key: item.key, change: item.change, floor, announced })
        });
        Ok(again.collect())
    }

    /// Does something for each index table, at the same time where a call waits for a server.
    fn each_index<T: Send>(
        &self,
        work: impl Fn(usize, &TableName, &Shape<'_>) -> Result<T, IndexError> + Sync,
    ) -> Result<Vec<T>, IndexError> {
        let threads = if self.store.gets_are_quick() { 1 } else { self.indexes.len() };
        in_parallel(&self.indexes, threads, |nth, (name, shape)| work(nth, name, shape))
    }

    /// Step 2.
    fn announce(&self, drafts: &[Draft<'_>]) -> Result<(), IndexError> {
        self.each_index(|nth, name, shape| {
            let mut batch = RowBatch::new();
            for draft in drafts {
                let Some((made, left)) = draft.entries.get(nth) else { continue };
                let left_mark = draft.mark(State::Unverified);
                for (entry, mark, row) in [(made, draft.made_mark(), draft.row), (left, left_mark, None)] {
                    if let Some(entry) = entry {
                        shape.write(entry, mark, row, &mut batch);
                    }
                }
            }
            if batch.is_empty() { Ok(()) } else { Ok(self.store.put_batch(name, &batch)?) }
        })?;
        Ok(())
    }

    /// The second half of step 2: takes out the rows whose new entries do not show their mark. A delete marker with a later
    /// time hides it, or the mark of a writer that may be about to remove the entry; another put's mark does no harm.
    fn hidden(&self, drafts: &mut Vec<Draft<'_>>, shapes: &[&Shape<'_>]) -> Result<Vec<Again>, IndexError> {
        let columns = Columns::Only(vec![(mark_family(self.table).to_vec(), Some(MARK.to_vec()))]);
        let of_indexes = self.each_index(|nth, name, shape| {
            let new: Vec<(&Draft<'_>, &Vec<u8>)> = drafts
                .iter()
                .filter_map(|draft| Some((draft, draft.entries.get(nth)?.0.as_ref()?)))
                .collect();
            let get = |entry: &Vec<u8>| Get { columns: columns.clone(), ..Get::new(entry.as_slice()) };
            let gets: Vec<Get> = new.iter().map(|(_, entry)| get(entry)).collect();
            let mut entries = RowBatch::new();
            let there = self.rows(name, &gets, &mut entries)?;
            let (mut entries, mut floors) = (entries.rows(), Vec::new());
            for ((draft, entry), there) in new.iter().zip(there) {
                let seen = if there { entries.next() } else { None };
                let seen = seen.and_then(|entry| shape.mark(entry)).map(|found| found.mark);
                let is_fine =
                    |seen: Mark| seen.state == State::Pending || seen.stamp.nonce == draft.stamp.nonce;
                if !seen.is_some_and(is_fine) {
                    floors.push((draft.item.key.to_vec(), self.above_all(name, entry)?));
                }
            }
            Ok(floors)
        })?;
        let mut floors: HashMap<Vec<u8>, i64> = HashMap::new();
        for (key, floor) in of_indexes.into_iter().flatten() {
            let highest = floors.entry(key).or_default();
            *highest = floor.max(*highest);
        }
        let mut again = Vec::new();
        if !floors.is_empty() {
            let (hidden, rest) =
                std::mem::take(drafts).into_iter().partition(|draft| floors.contains_key(draft.item.key));
            *drafts = rest;
            let hidden: Vec<Draft<'_>> = hidden;
            for draft in hidden {
                let floor = floors.get(draft.item.key).copied().unwrap_or_default();
                again.push(Again::after(draft, shapes, floor));
            }
        }
        Ok(again)
    }

    /// Steps 3 and 4: the changes that are done, and the rows that must be tried again with the lowest stamp to take.
    fn change<'d>(
        &self,
        drafts: Vec<Draft<'d>>,
        shapes: &[&Shape<'_>],
        written: &mut Written,
    ) -> Result<(Vec<Draft<'d>>, Vec<Again>), IndexError> {
        let mut expired = 0;
        let operations: Vec<Operation> = drafts.iter().map(|draft| draft.operation(self.table)).collect();
        let matched = self.conditional(&self.name, &operations)?;
        let stays = |draft: &Draft<'_>| !matches!(draft.item.change, Change::Delete);
        let columns = Columns::Only(vec![(mark_family(self.table).to_vec(), Some(MARK.to_vec()))]);
        let get = |draft: &Draft<'_>| Get { columns: columns.clone(), ..Get::new(draft.item.key) };
        let gets: Vec<Get> = drafts.iter().filter(|draft| stays(draft)).map(get).collect();
        let mut after = RowBatch::new();
        let there = self.rows(&self.name, &gets, &mut after)?;
        let (mut rows, mut there) = (after.rows(), there.into_iter());
        let (mut done, mut again) = (Vec::new(), Vec::new());
        let failed = |draft: Draft<'_>, floor: i64| Again::after(draft, shapes, floor);
        for (draft, matched) in drafts.into_iter().zip(matched) {
            if !stays(&draft) {
                // Not matched: another writer changed the row, or the client repeated the call after a lost response.
                if matched {
                    done.push(draft);
                } else {
                    again.push(failed(draft, 0));
                }
                continue;
            }
            let row = if there.next() == Some(true) { rows.next() } else { None };
            let seen = row.and_then(|row| stamp_of(self.table, row)).map(|(stamp, _)| stamp);
            if seen == Some(draft.stamp) {
                done.push(draft);
            } else if matched && seen.is_none_or(|seen| seen.at < draft.stamp.at) {
                // A delete marker with a later time hides what was written; or it was past its time to live before it came.
                match self.newest_marker(&self.name, draft.item.key)? {
                    Some(newest) if newest >= draft.cell_time => {
                        again.push(failed(draft, newest.saturating_add(1)))
                    }
                    _ => expired += 1,
                }
            } else if matched {
                // Another writer changed the row after us and takes care of our entries.
                done.push(draft);
            } else {
                again.push(failed(draft, 0));
            }
        }
        written.superseded += expired;
        Ok((done, again))
    }

    /// Step 5, and what attempts that failed have left goes too; the rows whose entries are not there come back.
    fn settle(&self, drafts: &[Draft<'_>]) -> Result<Vec<Again>, IndexError> {
        let family = mark_family(self.table);
        let lost = self.each_index(|nth, name, shape| {
            let (mut operations, mut verifying) = (Vec::new(), Vec::new());
            for draft in drafts {
                let Some((made, left)) = draft.entries.get(nth) else { continue };
                let mut when = |mark: Vec<u8>, mutation: Mutation| {
                    operations.push(CheckAndMutate::new(mark_is(family, Some(&mark)), mutation).into());
                };
                if let Some(entry) = left {
                    let delete = Delete::row_at(entry.as_slice(), draft.stamp.at);
                    when(shape.mark_bytes(draft.mark(State::Unverified), None), delete.into());
                }
                // From now on a writer that validates one of these entries has to mark it first.
                for before in draft.item.announced.iter().filter(|before| before.index == nth) {
                    if ![made, left].iter().any(|entry| entry.as_ref() == Some(&before.entry)) {
                        let delete = Delete::row_at(before.entry.as_slice(), before.at);
                        when(before.mark.clone(), delete.into());
                    }
                }
                verifying.resize(operations.len(), None);
                let Some(entry) = made else { continue };
                let verified = shape.mark_bytes(draft.mark(State::Verified), draft.row);
                let put = Put::new(entry.as_slice()).cell_at(family, MARK, draft.stamp.at, verified);
                operations.push(
                    CheckAndMutate::new(
                        mark_is(family, Some(&shape.mark_bytes(draft.made_mark(), draft.row))),
                        put,
                    )
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
            let there = self.rows(name, &gets, &mut RowBatch::new())?;
            let mut lost = Vec::new();
            for ((entry, draft), _) in failed.into_iter().zip(there).filter(|(_, there)| !there) {
                let (key, floor) = (draft.item.key.to_vec(), self.above_all(name, entry)?);
                lost.push(Again { key, floor, announced: Vec::new() });
            }
            Ok(lost)
        })?;
        let mut lost: Vec<Again> = lost.into_iter().flatten().collect();
        // A row may have lost entries of several index tables.
        lost.sort_by(|a, b| (&a.key, b.floor).cmp(&(&b.key, a.floor)));
        lost.dedup_by(|a, b| a.key == b.key);
        Ok(lost)
    }

    fn rows(&self, table: &TableName, gets: &[Get], into: &mut RowBatch) -> Result<Vec<bool>, StoreError> {
        if gets.is_empty() { Ok(Vec::new()) } else { self.store.get_many(table, gets, into) }
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
        Ok(self.newest(table, row, |_| true)?.unwrap_or(0).saturating_add(1))
    }

    /// The newest delete marker of a row.
    fn newest_marker(&self, table: &TableName, row: &[u8]) -> Result<Option<i64>, StoreError> {
        self.newest(table, row, CellKind::is_marker)
    }

    /// The newest timestamp in a row, of cells that no read sees too.
    fn newest(
        &self,
        table: &TableName,
        row: &[u8],
        counts: impl Fn(CellKind) -> bool,
    ) -> Result<Option<i64>, StoreError> {
        let scan = Scan { raw: true, versions: ALL_VERSIONS, ..Scan::new(KeyRange::point(row)) };
        let (mut scanner, mut batch, mut newest) = (self.store.scan(table, &scan)?, RowBatch::new(), None);
        while scanner.next_batch(&mut batch)? {
            let times = batch.rows().flat_map(|row| row.cells()).filter(|cell| counts(cell.kind));
            newest = newest.max(times.map(|cell| cell.timestamp).max());
        }
        Ok(newest)
    }
}

/// A row that must be tried again.
struct Again {
    key: Vec<u8>,
    floor: i64,
    announced: Vec<Announced>,
}

impl Again {
    /// After an attempt that changed nothing but entries.
    fn after(draft: Draft<'_>, shapes: &[&Shape<'_>], floor: i64) -> Self {
        let announces = draft.announces(shapes);
        let mut announced = draft.item.announced;
        announced.extend(announces);
        Self { key: draft.item.key.to_vec(), floor: floor.max(draft.item.floor), announced }
    }
}

fn item<'r>(key: &'r [u8], change: Change<'r>) -> Item<'r> {
    Item { key, change, floor: 0, announced: Vec::new() }
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
