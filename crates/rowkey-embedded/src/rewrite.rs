//! Atomic rewriting of rows of several tables.
//!
//! One batch of the engine reaches over the keyspaces of all tables, so what it holds is there whole or not at all, for reads and
//! after a crash. From the read of the rows to the commit no other writer changes them: their locks are held, and all locks of the
//! other tables, because it is the work that tells which of their rows it rewrites.
//!
//! A row that is rewritten loses what no read sees as well, older versions and markers: nothing of it is left for a compaction.

use std::sync::Arc;

use fjall::{Readable, Snapshot, UserKey};
use rowkey_store::{Columns, LATEST_TIMESTAMP, Rewriting, RowBatch, StoreError, TableName, TimeRange};

use crate::engine::{self, Batch};
use crate::layout::bounds::CellRange;
use crate::layout::cell::KeyBuffer;
use crate::read::{self, Question, RowWalk};
use crate::row_locks::LockSet;
use crate::store::Core;
use crate::table::Table;
use crate::write::{attempted, check_size, in_key_order};
use crate::{Durability, EmbeddedError};

/// Rewrites what `work` says; see [`rowkey_store::RowStore::rewrite_rows`].
pub(crate) fn rewrite_rows(
    core: &Core,
    tables: &[TableName],
    rows: &[&[u8]],
    work: &mut Rewriting<'_>,
) -> Result<(), StoreError> {
    let mut order: Vec<&TableName> = tables.iter().collect();
    order.sort_unstable();
    inside_all(core, &order, Vec::new(), &mut |opened| {
        let open: Option<Vec<&Arc<Table>>> =
            tables.iter().map(|name| opened.iter().find(|open| open.descriptor.name == *name)).collect();
        match open {
            Some(open) => rewrite(core, &open, rows, work),
            None => Ok(()), // cannot be: all of them are open
        }
    })
}

/// What is done inside open tables.
type Inside<'w> = dyn FnMut(&[Arc<Table>]) -> Result<(), StoreError> + 'w;

/// Does something inside all tables.
fn inside_all(
    core: &Core,
    names: &[&TableName],
    opened: Vec<Arc<Table>>,
    work: &mut Inside<'_>,
) -> Result<(), StoreError> {
    let Some((name, rest)) = names.split_first() else { return work(&opened) };
    core.inside(name, |table| {
        let opened = opened.iter().chain([table]).cloned().collect();
        inside_all(core, rest, opened, work)
    })
}

fn rewrite(
    core: &Core,
    tables: &[&Arc<Table>],
    rows: &[&[u8]],
    work: &mut Rewriting<'_>,
) -> Result<(), StoreError> {
    let Some((first, _)) = tables.split_first() else { return Ok(()) };
    // In the order in which others take locks of several tables.
    let mut order: Vec<&Arc<Table>> = tables.to_vec();
    order.sort_by_key(|table| Arc::as_ptr(&table.shared));
    let set = |table: &Arc<Table>| {
        if Arc::ptr_eq(table, first) { LockSet::of(rows.iter().copied()) } else { LockSet::ALL }
    };
    let locks: Vec<_> = order.iter().map(|table| table.shared.row_locks.all_alone(set(table))).collect();
    let (snapshot, now) = (core.moments.latest(&core.db), core.db.clock.now());
    let before = Before::read(&snapshot, first, rows, now)
        .map_err(|error| first.named(error).during(format!("read table `{}`", first.descriptor.name)))?;
    first.shared.regions.count_reads(rows.iter().copied());
    let Some(after) = work(&before.rows, &before.there) else { return Ok(()) };
    let mut key = KeyBuffer::default();
    let cells = after.iter().map(RowBatch::cell_count).sum();
    // What is durable is decided once, after the commit.
    let mut batch = engine::batch(&core.db, cells, Durability::Buffered);
    for (nth, (table, after)) in tables.iter().zip(&after).enumerate() {
        table.descriptor.validate_rewrite(after)?;
        for row in after.rows() {
            row.cells().try_for_each(|cell| check_size(table, row.key(), &cell, &mut key))?;
        }
        let stored = if nth == 0 { before.stored(rows, after) } else { None };
        let stored = stored.map_or(Stored::OnDisk(&snapshot), Stored::Read);
        stage(stored, table, after, now, &mut batch).map_err(|error| error.during(attempted(table)))?;
    }
    let committed = core.moments.commit(&core.db, batch).and_then(|()| {
        drop(locks);
        core.make_durable()
    });
    committed.map_err(|error| error.during(attempted(first)))?;
    for (table, rows) in tables.iter().zip(&after).filter(|(_, rows)| !rows.is_empty()) {
        table.shared.regions.count_writes(rows.rows());
    }
    Ok(())
}

/// Rows as they are.
struct Before {
    /// What a get of each finds.
    rows: RowBatch,
    there: Vec<bool>,
    /// The engine's keys of all that is stored of each, seen or not, and where those of each row and family end.
    keys: Vec<UserKey>,
    ends: Vec<usize>,
    families: usize,
}

impl Before {
    fn read(snapshot: &Snapshot, table: &Table, rows: &[&[u8]], now: i64) -> Result<Self, EmbeddedError> {
        let question = Question {
            columns: &Columns::All,
            versions: 1,
            time_range: TimeRange::ALL,
            raw: false,
            has_filter: false,
            now,
        };
        let families = read::families(table, &question);
        let (mut keys, mut ends) = (Vec::new(), Vec::with_capacity(rows.len() * families.len()));
        let (mut found, mut there) = (RowBatch::new(), Vec::with_capacity(rows.len()));
        let (mut key, mut walk) = (KeyBuffer::default(), RowWalk::default());
        for row in rows {
            key.row(row);
            let range = CellRange::of_prefix(key.row_prefix());
            let rows_before = found.len();
            found.begin_row(row);
            let first_cell = found.cell_count();
            for read in &families {
                walk.begin(key.row_prefix().len());
                for cell in snapshot.range::<&[u8], _>(&read.keyspace, range.bounds()) {
                    let (key, value) = cell.into_inner()?;
                    keys.push(key.clone());
                    walk.offer(read, key, &value, None, &mut found)?;
                }
                ends.push(keys.len());
            }
            read::end_row(None, first_cell, &mut found);
            there.push(found.len() > rows_before);
        }
        Ok(Self { rows: found, there, keys, ends, families: families.len() })
    }

    /// What is stored of the rows that are written, which are some of those that were read, in the same order; `None` if they are not.
    fn stored(&self, rows: &[&[u8]], written: &RowBatch) -> Option<Vec<&[UserKey]>> {
        let mut at = 0;
        let mut stored = Vec::with_capacity(written.len() * self.families);
        for row in written.rows() {
            at += rows.get(at..)?.iter().position(|read| *read == row.key())?;
            for nth in at * self.families..(at + 1) * self.families {
                let begin = nth.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
                stored.push(self.keys.get(*begin..*self.ends.get(nth)?)?);
            }
        }
        Some(stored)
    }
}

/// What is stored of rows that are rewritten, by the engine's keys.
enum Stored<'s> {
    /// It was read: of each row the keys of each family.
    Read(Vec<&'s [UserKey]>),
    OnDisk(&'s Snapshot),
}

/// Adds what rewrites the rows of one table.
fn stage(
    stored: Stored<'_>,
    table: &Table,
    rows: &RowBatch,
    now: i64,
    batch: &mut Batch<'_>,
) -> Result<(), EmbeddedError> {
    let mut key = KeyBuffer::default();
    let mut written: Vec<UserKey> = Vec::new();
    for (at, row) in in_key_order(rows).iter().filter_map(|&(_, at)| Some((at, rows.row(at)?))) {
        key.row(row.key());
        let range = CellRange::of_prefix(key.row_prefix());
        for (nth, open) in table.families.iter().enumerate() {
            written.clear();
            for cell in row.cells().filter(|cell| cell.family == open.family.name.as_bytes()) {
                let timestamp = if cell.timestamp == LATEST_TIMESTAMP { now } else { cell.timestamp };
                let key: UserKey = key.cell(cell.qualifier, timestamp, cell.kind).into();
                batch.insert(&open.keyspace, key.clone(), cell.value);
                written.push(key);
            }
            let mut remove = |old: UserKey| {
                if !written.contains(&old) {
                    batch.remove(&open.keyspace, old);
                }
            };
            match &stored {
                Stored::Read(keys) => {
                    let keys = keys.get(at * table.families.len() + nth).copied().unwrap_or_default();
                    keys.iter().cloned().for_each(remove);
                }
                Stored::OnDisk(snapshot) => {
                    for old in snapshot.range::<&[u8], _>(&open.keyspace, range.bounds()) {
                        remove(old.key()?);
                    }
                }
            }
        }
    }
    Ok(())
}
