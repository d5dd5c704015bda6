//! Writes: rows and changes, each all or nothing.
//!
//! First everything is checked, then all cells of a call that need no look at what is there go into one batch of the
//! engine across the families' keyspaces. So a refused batch of rows has written nothing, and even after a crash a
//! batch is there with all its rows or with none. Changes that depend on what is there are in `change`.

use std::sync::Arc;

use fjall::Keyspace;
use rowkey_store::{
    CellKind, CellView, Delete, Deletion, LATEST_TIMESTAMP, Mutation, Put, RowBatch, StoreError,
};

use crate::engine::{self, Insert};
use crate::layout::cell::{KeyBuffer, MAX_KEY_LENGTH};
use crate::row_locks::LockSet;
use crate::store::Core;
use crate::table::{OpenFamily, Shared, Table};
use crate::{Durability, EmbeddedError};

/// The largest cell that HBase takes by default (`hbase.server.keyvalue.maxsize`).
const MAX_CELL_SIZE: usize = 10 << 20;

/// What HBase adds to the bytes of row, family, qualifier and value when it measures a cell.
const CELL_OVERHEAD: usize = 24;

/// Batches of so few cells are committed together with those of other writers; more are worth a commit of their own.
const FEW_CELLS: usize = 64;

pub(crate) fn attempted(table: &Table) -> String {
    format!("write to table `{}`", table.descriptor.name)
}

/// Writes all rows; they are durable when it returns.
pub(crate) fn put_batch(core: &Core, table: &Table, rows: &RowBatch) -> Result<(), StoreError> {
    table.descriptor.validate_rows(rows)?;
    let mut key = KeyBuffer::default();
    for row in rows.rows() {
        row.cells().try_for_each(|cell| check_size(table, row.key(), &cell, &mut key))?;
    }
    write_rows(core, table, rows, &mut key).map_err(|error| error.during(attempted(table)))?;
    table.shared.regions.count_writes(rows.rows());
    Ok(())
}

fn write_rows(core: &Core, table: &Table, rows: &RowBatch, key: &mut KeyBuffer) -> Result<(), EmbeddedError> {
    let locks = LockSet::of(rows.rows().map(|row| row.key()));
    let in_group = core.options.durability == Durability::Group;
    if in_group && rows.cell_count() <= FEW_CELLS {
        let mut inserts = Vec::with_capacity(rows.cell_count());
        each_cell(core, table, rows, key, |keyspace, key, value| {
            inserts.push(Insert { keyspace: keyspace.clone(), key: key.into(), value: value.into() });
        });
        return core.commit_in_group(Change { inserts, rows: Some((Arc::clone(&table.shared), locks)) });
    }
    let locks = table.shared.row_locks.share(locks);
    let mut batch = engine::batch(&core.db, rows.cell_count(), core.options.durability);
    each_cell(core, table, rows, key, |keyspace, key, value| batch.insert(keyspace, key, value));
    core.moments.commit(&core.db, batch)?;
    drop(locks);
    // `Sync` and `Buffered` return here: the commit has synced, or needs no sync.
    if in_group { core.wait_for_disk() } else { Ok(()) }
}

/// Visits the cells of rows in the order of the rows' keys: where each belongs, its key in the engine, and its value.
fn each_cell<'t>(
    core: &Core,
    table: &'t Table,
    rows: &RowBatch,
    key: &mut KeyBuffer,
    mut visit: impl FnMut(&'t Keyspace, &[u8], &[u8]),
) {
    let now = core.db.clock.now();
    for row in in_key_order(rows).iter().filter_map(|&(_, at)| rows.row(at)) {
        key.row(row.key());
        for cell in row.cells() {
            let Some(open) = table.family(cell.family) else {
                continue; // cannot be: validated above
            };
            let timestamp = if cell.timestamp == LATEST_TIMESTAMP { now } else { cell.timestamp };
            visit(&open.keyspace, key.cell(cell.qualifier, timestamp, cell.kind), cell.value);
        }
    }
}

/// The rows by their keys, each with the first eight bytes of its key and its place; of equal keys the earlier one first,
/// because of equal cells the later one counts.
///
/// The engine looks for the place of each cell in memory. Beside the cell before it, the way there is still in the
/// processor's cache.
pub(crate) fn in_key_order(rows: &RowBatch) -> Vec<(u64, usize)> {
    let mut order: Vec<(u64, usize)> =
        rows.rows().enumerate().map(|(at, row)| (first_bytes(row.key()), at)).collect();
    let key = |at: usize| rows.row(at).map(|row| row.key());
    let compare = |(a, at_a): &(u64, usize), (b, at_b): &(u64, usize)| {
        a.cmp(b).then_with(|| key(*at_a).cmp(&key(*at_b))).then(at_a.cmp(at_b))
    };
    if !order.is_sorted_by(|a, b| compare(a, b).is_le()) {
        order.sort_unstable_by(compare);
    }
    order
}

/// The first eight bytes, big-endian, with zeros behind a shorter key: what differs here differs as the keys do.
fn first_bytes(key: &[u8]) -> u64 {
    key.iter()
        .take(8)
        .zip([56, 48, 40, 32, 24, 16, 8, 0])
        .fold(0, |bytes, (byte, shift)| bytes | u64::from(*byte) << shift)
}

/// Refuses a cell that HBase or the engine would not take.
pub(crate) fn check_size(
    table: &Table,
    row: &[u8],
    cell: &CellView<'_>,
    key: &mut KeyBuffer,
) -> Result<(), StoreError> {
    let start = || row.iter().take(32).copied().collect();
    let may_be_long = |part: &[u8]| part.len() > MAX_KEY_LENGTH / 4;
    // Packing makes a string half as long again at most, so short rows with short qualifiers fit unmeasured.
    if may_be_long(row) || may_be_long(cell.qualifier) {
        key.row(row);
        let key_length = key.put(cell.qualifier, 0).len();
        if key_length > MAX_KEY_LENGTH {
            let length = cell.qualifier.len();
            let error = EmbeddedError::QualifierLength { row: start(), length, key_length };
            return Err(error.during(attempted(table)));
        }
    }
    let size = CELL_OVERHEAD + row.len() + cell.family.len() + cell.qualifier.len() + cell.value.len();
    if size > MAX_CELL_SIZE {
        let error = EmbeddedError::CellSize { row: start(), size, limit: MAX_CELL_SIZE };
        return Err(error.during(attempted(table)));
    }
    Ok(())
}

/// Changes that are committed together with those of other writers.
pub(crate) struct Change {
    inserts: Vec<Insert>,
    /// The table, and which of its rows' locks the change needs.
    rows: Option<(Arc<Shared>, LockSet)>,
}

impl Change {
    /// Of a writer that has committed already, and only waits for the disk.
    pub(crate) fn none() -> Self {
        Self { inserts: Vec::new(), rows: None }
    }
}

/// Commits the changes of many writers as one batch, under the shared locks of all their rows.
pub(crate) fn commit_all(core: &Core, changes: Vec<Change>) -> Result<(), EmbeddedError> {
    let mut tables: Vec<(&Arc<Shared>, LockSet)> = Vec::new();
    for (table, set) in changes.iter().filter_map(|change| change.rows.as_ref()) {
        match tables.iter_mut().find(|(known, _)| Arc::ptr_eq(known, table)) {
            Some((_, all)) => *all = all.and(*set),
            None => tables.push((table, *set)),
        }
    }
    if tables.is_empty() {
        return Ok(());
    }
    // `rewrite`, which locks rows of several tables, takes the locks in this order too.
    tables.sort_by_key(|(table, _)| Arc::as_ptr(table));
    let tables: Vec<(Arc<Shared>, LockSet)> =
        tables.into_iter().map(|(table, set)| (Arc::clone(table), set)).collect();
    let locks: Vec<_> = tables.iter().map(|(table, set)| table.row_locks.share(*set)).collect();
    let inserts: Vec<Insert> = changes.into_iter().flat_map(|change| change.inserts).collect();
    let committed = core.moments.commit(&core.db, engine::batch_of(&core.db, inserts.into_iter()));
    drop(locks);
    committed
}

/// The cells of changes on their way into one batch of the engine.
pub(crate) struct Staged<'a> {
    core: &'a Core,
    table: &'a Table,
    inserts: Vec<Insert>,
    key: KeyBuffer,
    /// The rows changed, with the bytes written to each.
    rows: Vec<(Vec<u8>, usize)>,
    /// Families of which the catalogue learns with this batch that they have markers of the whole family.
    noted: Vec<&'a OpenFamily>,
}

impl<'a> Staged<'a> {
    pub(crate) fn new(core: &'a Core, table: &'a Table) -> Self {
        let (inserts, key) = (Vec::new(), KeyBuffer::default());
        Self { core, table, inserts, key, rows: Vec::new(), noted: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Begins the cells of a row.
    pub(crate) fn row(&mut self, row: &[u8]) {
        self.key.row(row);
        self.rows.push((row.to_vec(), row.len()));
    }

    /// Adds a cell to the row begun last.
    pub(crate) fn cell(&mut self, cell: CellView<'_>) {
        let Some(open) = self.table.family(cell.family) else {
            return; // cannot be: validated before
        };
        if cell.kind.is_of_family() && open.expect_family_marker() {
            // In the same batch, so that the catalogue knows of every marker that is there.
            self.inserts.push(self.core.catalogue.family_marker_note(self.table.id, &open.family.name));
            self.noted.push(open);
        }
        let key = self.key.cell(cell.qualifier, cell.timestamp, cell.kind);
        let (keyspace, key, value) = (open.keyspace.clone(), key.into(), cell.value.into());
        self.inserts.push(Insert { keyspace, key, value });
        if let Some((_, bytes)) = self.rows.last_mut() {
            *bytes += cell.family.len() + cell.qualifier.len() + cell.value.len();
        }
    }

    /// Adds the cells of a put to the row begun last.
    pub(crate) fn put(&mut self, put: &Put, now: i64) {
        for cell in &put.cells {
            let timestamp = if cell.timestamp == LATEST_TIMESTAMP { now } else { cell.timestamp };
            self.cell(CellView {
                family: &cell.family,
                qualifier: &cell.qualifier,
                timestamp,
                kind: CellKind::Put,
                value: &cell.value,
            });
        }
    }

    /// Adds the markers of a delete to the row begun last; `newest` finds the time of the newest versions of columns.
    pub(crate) fn delete(
        &mut self,
        delete: &Delete,
        now: i64,
        mut newest: impl FnMut(&[u8], &[u8]) -> Result<Option<i64>, StoreError>,
    ) -> Result<(), StoreError> {
        let time = |timestamp: i64| if timestamp == LATEST_TIMESTAMP { now } else { timestamp };
        if delete.deletions.is_empty() {
            for open in &self.table.families {
                let (family, timestamp) = (open.family.name.as_bytes(), time(delete.timestamp));
                self.cell(CellView {
                    family,
                    qualifier: b"",
                    timestamp,
                    kind: CellKind::DeleteFamily,
                    value: b"",
                });
            }
        }
        for deletion in &delete.deletions {
            let (qualifier, kind): (&[u8], _) = match deletion {
                Deletion::Family { .. } => (b"", CellKind::DeleteFamily),
                Deletion::FamilyVersion { .. } => (b"", CellKind::DeleteFamilyVersion),
                Deletion::Column { qualifier, .. } => (qualifier, CellKind::DeleteColumn),
                Deletion::Version { qualifier, .. } => (qualifier, CellKind::Delete),
            };
            let family = deletion.family();
            let timestamp = match deletion {
                Deletion::Version { timestamp: LATEST_TIMESTAMP, .. } => {
                    newest(family, qualifier)?.unwrap_or(now)
                }
                _ => time(deletion.timestamp()),
            };
            self.cell(CellView { family, qualifier, timestamp, kind, value: b"" });
        }
        Ok(())
    }

    fn locks(&self) -> LockSet {
        LockSet::of(self.rows.iter().map(|(row, _)| row.as_slice()))
    }

    /// Commits under the shared locks of the rows.
    pub(crate) fn commit_shared(self) -> Result<(), EmbeddedError> {
        let shared = &self.table.shared;
        let locks = shared.row_locks.share(self.locks());
        let committed = self.commit_alone();
        drop(locks);
        committed
    }

    /// Commits; the caller has the row for itself.
    pub(crate) fn commit_alone(mut self) -> Result<(), EmbeddedError> {
        let inserts = std::mem::take(&mut self.inserts);
        self.core.moments.commit(&self.core.db, engine::batch_of(&self.core.db, inserts.into_iter()))?;
        self.committed();
        Ok(())
    }

    /// Commits together with other writers, and waits for the disk.
    pub(crate) fn commit_in_group(mut self) -> Result<(), EmbeddedError> {
        let inserts = std::mem::take(&mut self.inserts);
        let rows = Some((Arc::clone(&self.table.shared), self.locks()));
        self.core.commit_in_group(Change { inserts, rows })?;
        self.committed();
        Ok(())
    }

    fn committed(&self) {
        self.noted.iter().for_each(|open| open.family_marker_is_noted());
        let rows = self.rows.iter().map(|(row, bytes)| (row.as_slice(), *bytes));
        self.table.shared.regions.count_changes(rows);
    }
}

/// Whether a mutation can be written without a look at what is there.
pub(crate) fn is_plain(mutation: &Mutation) -> bool {
    match mutation {
        Mutation::Put(_) => true,
        Mutation::Delete(delete) => !delete
            .deletions
            .iter()
            .any(|deletion| matches!(deletion, Deletion::Version { timestamp: LATEST_TIMESTAMP, .. })),
        Mutation::Increment(_) | Mutation::Append(_) => false,
    }
}

/// Refuses cells of a mutation that are too large; those that grow are measured when they have grown.
pub(crate) fn check_mutation(
    table: &Table,
    mutation: &Mutation,
    key: &mut KeyBuffer,
) -> Result<(), StoreError> {
    let row = mutation.row();
    let mut check = |family: &[u8], qualifier: &[u8], value: &[u8]| {
        let cell = CellView { family, qualifier, timestamp: 0, kind: CellKind::Put, value };
        check_size(table, row, &cell, key)
    };
    match mutation {
        Mutation::Put(put) => {
            put.cells.iter().try_for_each(|cell| check(&cell.family, &cell.qualifier, &cell.value))
        }
        Mutation::Delete(delete) => delete.deletions.iter().try_for_each(|deletion| match deletion {
            Deletion::Column { family, qualifier, .. } | Deletion::Version { family, qualifier, .. } => {
                check(family, qualifier, b"")
            }
            Deletion::Family { .. } | Deletion::FamilyVersion { .. } => Ok(()),
        }),
        Mutation::Increment(increment) => {
            increment.amounts.iter().try_for_each(|(family, qualifier, _)| check(family, qualifier, b""))
        }
        Mutation::Append(append) => {
            append.values.iter().try_for_each(|(family, qualifier, value)| check(family, qualifier, value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_by_their_keys_and_equal_ones_as_they_were_given() {
        let keys: [&[u8]; 9] =
            [b"b", b"a\0\0", b"a", b"same-start-2", b"a\0", b"same-start-1", b"b", b"\xFF", b"same-sta"];
        let mut rows = RowBatch::new();
        keys.iter().for_each(|key| rows.begin_row(key));
        let order: Vec<usize> = in_key_order(&rows).into_iter().map(|(_, at)| at).collect();
        assert_eq!(order, [2, 4, 1, 0, 6, 8, 5, 3, 7]);
    }
}
