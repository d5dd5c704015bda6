//! Atomic rewriting of rows of several tables.
//!
//! One batch of the engine reaches over the keyspaces of all tables, so what it holds is there whole or not at all, for reads and
//! after a crash. From the read of the rows to the commit no other writer changes them: their locks are held, and all locks of the
//! other tables, because it is the work that tells which of their rows it rewrites.
//!
//! A row that is rewritten loses what no read sees as well, older versions and markers: nothing of it is left for a compaction.

use std::sync::Arc;

use fjall::{Readable, Snapshot, UserKey};
use rowkey_store::{Get, LATEST_TIMESTAMP, Rewriting, RowBatch, StoreError, TableName};

use crate::engine::{self, Batch};
use crate::layout::bounds::CellRange;
use crate::layout::cell::KeyBuffer;
use crate::row_locks::LockSet;
use crate::store::Core;
use crate::table::Table;
use crate::write::{attempted, check_size, in_key_order};
use crate::{Durability, EmbeddedError, get};

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
    let mut before = RowBatch::new();
    let there: Result<Vec<bool>, StoreError> =
        rows.iter().map(|row| get::read_row(&snapshot, first, &Get::new(*row), now, &mut before)).collect();
    first.shared.regions.count_reads(rows.iter().copied());
    let Some(after) = work(&before, &there?) else { return Ok(()) };
    let mut key = KeyBuffer::default();
    let cells = after.iter().map(RowBatch::cell_count).sum();
    // What is durable is decided once, after the commit.
    let mut batch = engine::batch(&core.db, cells, Durability::Buffered);
    for (table, rows) in tables.iter().zip(&after) {
        table.descriptor.validate_rewrite(rows)?;
        for row in rows.rows() {
            row.cells().try_for_each(|cell| check_size(table, row.key(), &cell, &mut key))?;
        }
        stage(&snapshot, table, rows, now, &mut batch).map_err(|error| error.during(attempted(table)))?;
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

/// Adds what rewrites the rows of one table.
fn stage(
    snapshot: &Snapshot,
    table: &Table,
    rows: &RowBatch,
    now: i64,
    batch: &mut Batch<'_>,
) -> Result<(), EmbeddedError> {
    let mut key = KeyBuffer::default();
    let mut written: Vec<UserKey> = Vec::new();
    for row in in_key_order(rows).iter().filter_map(|&(_, at)| rows.row(at)) {
        key.row(row.key());
        let range = CellRange::of_prefix(key.row_prefix());
        for open in &table.families {
            written.clear();
            for cell in row.cells().filter(|cell| cell.family == open.family.name.as_bytes()) {
                let timestamp = if cell.timestamp == LATEST_TIMESTAMP { now } else { cell.timestamp };
                let key: UserKey = key.cell(cell.qualifier, timestamp, cell.kind).into();
                batch.insert(&open.keyspace, key.clone(), cell.value);
                written.push(key);
            }
            for old in snapshot.range::<&[u8], _>(&open.keyspace, range.bounds()) {
                let old = old.key()?;
                if !written.contains(&old) {
                    batch.remove(&open.keyspace, old);
                }
            }
        }
    }
    Ok(())
}
