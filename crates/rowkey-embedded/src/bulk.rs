//! Bulk loading: sorted rows go into a table past the write-ahead log, all or nothing.
//!
//! The engine writes sorted cells straight into its tables, five times as quick as by way of journal and memtable, and makes them
//! visible at once, but one keyspace at a time. **A table of one family** is one keyspace, so that is all there is to it, whatever rows
//! it has: it blocks no writer, and what is written during the load counts as written before it.
//!
//! A row may have cells in several families, and a table may have index tables. Those of **an empty table**, and new contents of
//! several tables ([`Replacing`]), go into keyspaces of tables that are not in the catalogue yet, and in the end one batch of the catalogue
//! puts them in the place of the old ones:
//!
//! ```text
//! 1  reserve ids, make their keyspaces                        killed here: keyspaces without a table,
//! 2  write every family, and have its tables on disk             removed when the store is next opened
//! 3  no reader inside, nothing changed? catalogue: the new ids   from here on the rows are there
//! 4  remove the keyspaces of the old tables
//! ```
//!
//! **Law** (`tests/bulk.rs`): a bulk load leaves what `put_batch` of the same rows would leave, with the same counts of
//! its regions; killed or refused at any moment, it leaves all or nothing.
//!
//! A marker that would hide nothing, because the table is empty, is left out.
//!
//! There only a table without any cell will do: a marker that is left would hide rows here and not there. Splits and merges wait
//! for a load beside other rows; after one of a table whose contents are replaced, the replacement is refused.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use fjall::Keyspace;
use rowkey_store::{
    LATEST_TIMESTAMP, Replacement, RowBatch, RowView, Scanner, SortedRows, StoreError, TableName,
};

use crate::EmbeddedError;
use crate::catalogue::{Instead, TableEntry};
use crate::layout::cell::KeyBuffer;
use crate::regions::{Counts, RegionEntry, RegionMap, SortedSample};
use crate::split;
use crate::store::Core;
use crate::table::{State, Table};
use crate::write::{attempted, check_size};

/// Whether a table takes rows in bulk: it is enabled, and has one family, or no cell or marker at all.
pub(crate) fn is_possible(table: &Table) -> Result<bool, StoreError> {
    let enabled = table.shared.enter().0 == State::Enabled;
    Ok(enabled
        && (has_one_family(table) || is_empty(table).map_err(|error| error.during(attempted(table)))?))
}

fn has_one_family(table: &Table) -> bool {
    table.families.len() == 1
}

fn is_empty(table: &Table) -> Result<bool, EmbeddedError> {
    for open in &table.families {
        if !open.keyspace.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Loads a table that [`is_possible`]; returns how many rows.
pub(crate) fn load(core: &Core, name: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
    let table = core.table(name)?;
    if has_one_family(&table) {
        return load_beside(core, &table, rows);
    }
    let fresh = Replacing::begin(core, std::slice::from_ref(name), &[])?;
    if !is_empty(&table).map_err(|error| error.during(attempted(&table)))? {
        return Err(StoreError::ChangedMeanwhile { table: name.clone() });
    }
    let loaded = fresh.load(name, rows)?;
    Box::new(fresh).finish()?;
    Ok(loaded)
}

/// Loads a table of one family beside the rows that it has.
fn load_beside(core: &Core, table: &Table, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
    let _regions = table.shared.changing_regions.lock().unwrap_or_else(PoisonError::into_inner);
    // Counted apart, so that a load that fails has counted nothing.
    let counted = table.shared.regions.uncounted();
    let loaded = ingest(core, table, &counted, rows, || {
        let (state, inside) = table.shared.enter();
        if state != State::Enabled || table.is_replaced() {
            return Err(StoreError::ChangedMeanwhile { table: table.descriptor.name.clone() });
        }
        Ok(inside)
    })?;
    table.shared.regions.add(&counted);
    core.moments.renew(&core.db);
    Ok(loaded)
}

/// New contents of tables on their way.
pub(crate) struct Replacing<'c> {
    core: &'c Core,
    /// By their names, the order in which all of them are locked.
    tables: BTreeMap<TableName, Old>,
    is_done: bool,
}

/// A table as it is, and what will be in its place.
struct Old {
    table: Arc<Table>,
    changes: u64,
    /// `None` for a table that is only watched.
    fresh: Option<Arc<Table>>,
}

impl<'c> Replacing<'c> {
    pub(crate) fn begin(
        core: &'c Core,
        tables: &[TableName],
        watched: &[TableName],
    ) -> Result<Self, StoreError> {
        let mut all = Self { core, tables: BTreeMap::new(), is_done: false };
        for name in watched.iter().chain(tables) {
            let table = core.inside(name, |table| Ok(Arc::clone(table)))?;
            let changes = table.shared.regions.changes();
            all.tables.insert(name.clone(), Old { table, changes, fresh: None });
        }
        for name in tables {
            if let Some(old) = all.tables.get_mut(name) {
                let fresh = prepare(core, &old.table).map_err(|error| error.during(attempted(&old.table)))?;
                old.fresh = Some(fresh);
            }
        }
        Ok(all)
    }

    /// Puts the new tables in the place of the old ones.
    fn swap(&self) -> Result<(), StoreError> {
        let core = self.core;
        // Loads beside other rows, splits and merges end first; the order of locks is that of every change of a table.
        let regions = self.tables.values().map(|old| old.table.shared.changing_regions.lock());
        let _regions: Vec<_> = regions.map(|lock| lock.unwrap_or_else(PoisonError::into_inner)).collect();
        let _changing = core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
        let mut states: Vec<_> = self.tables.values().map(|old| old.table.shared.change()).collect();
        for (old, state) in self.tables.values().zip(&states) {
            let regions = &old.table.shared.regions;
            let moved = |fresh: &Arc<Table>| fresh.shared.regions.starts() != regions.starts();
            if **state != State::Enabled
                || old.table.is_replaced()
                || regions.changes() != old.changes
                || old.fresh.as_ref().is_some_and(moved)
            {
                return Err(StoreError::ChangedMeanwhile { table: old.table.descriptor.name.clone() });
            }
        }
        let replaced = || self.tables.values().filter_map(|old| Some((&old.table, old.fresh.as_ref()?)));
        let entries: Vec<(TableEntry, Instead)> = replaced()
            .map(|(old, fresh)| {
                (entry(fresh.id, fresh, fresh.shared.regions.entries()), Instead::Growing(old.id))
            })
            .collect();
        let entries: Vec<_> = entries.iter().map(|(entry, instead)| (entry, Some(*instead))).collect();
        core.moments.renew(&core.db);
        core.catalogue
            .add_all(&core.db, &entries)
            .map_err(|error| error.during("give tables new contents"))?;
        let mut tables = core.tables.write().unwrap_or_else(PoisonError::into_inner);
        for (old, fresh) in replaced() {
            tables.insert(old.descriptor.name.clone(), Arc::clone(fresh));
        }
        drop(tables);
        for (old, state) in self.tables.values().zip(&mut states) {
            if old.fresh.is_some() {
                **state = State::Gone;
                // The rows are there; keyspaces that stay are removed when the store is next opened.
                drop(old.table.delete_keyspaces(&core.db, &core.catalogue));
            }
        }
        Ok(())
    }
}

impl Replacement for Replacing<'_> {
    fn load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
        let fresh = self.tables.get(table).and_then(|old| old.fresh.as_ref());
        let fresh = fresh.ok_or_else(|| StoreError::TableNotFound { table: table.clone() })?;
        ingest(self.core, fresh, &fresh.shared.regions, rows, || Ok(()))
    }

    fn finish(mut self: Box<Self>) -> Result<(), StoreError> {
        self.swap()?;
        self.is_done = true;
        let core = self.core;
        self.tables.values().try_for_each(|old| match &old.fresh {
            Some(fresh) => split::split_all_overgrown(core, fresh),
            None => Ok(()),
        })
    }
}

impl Drop for Replacing<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            for fresh in self.tables.values().filter_map(|old| old.fresh.as_ref()) {
                // What cannot be removed now belongs to no table and is removed when the store is next opened.
                drop(fresh.delete_keyspaces(&self.core.db, &self.core.catalogue));
            }
        }
    }
}

/// The same table under another id, with the same regions and without rows.
fn prepare(core: &Core, old: &Table) -> Result<Arc<Table>, EmbeddedError> {
    let _changing = core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
    let id = core.catalogue.reserve_table_id(&core.db)?;
    // The bytes are those of the rows that will be there.
    let regions = old.shared.regions.entries().into_iter();
    let regions =
        regions.map(|region| RegionEntry { counts: Counts { bytes: 0, ..region.counts }, ..region });
    Ok(Arc::new(Table::create(&core.db, entry(id, old, regions.collect()), &core.catalogue, &core.expiry)?))
}

/// A table's record under an id, with these regions.
fn entry(id: u64, table: &Table, regions: Vec<RegionEntry>) -> TableEntry {
    TableEntry {
        id,
        descriptor: table.descriptor.clone(),
        enabled: true,
        regions,
        with_family_markers: Vec::new(),
    }
}

/// Writes all rows to the keyspaces of a table, and counts them in `regions`; what `enter` returns is held while they become
/// visible.
fn ingest<G>(
    core: &Core,
    table: &Table,
    regions: &RegionMap,
    rows: &mut dyn Scanner,
    enter: impl FnOnce() -> Result<G, StoreError>,
) -> Result<u64, StoreError> {
    let during = |error: EmbeddedError| error.during(attempted(table));
    core.db.still_ours().map_err(during)?;
    let keyspaces: Vec<Keyspace> = table.families.iter().map(|open| open.keyspace.clone()).collect();
    let writers: Result<Vec<_>, fjall::Error> = keyspaces.iter().map(Keyspace::start_ingestion).collect();
    let mut writers = writers.map_err(|error| during(error.into()))?;
    let mut write = |family: usize, key: &[u8], value: &[u8]| match writers.get_mut(family) {
        Some(writer) => writer.write(key, value).map_err(|error| during(error.into())),
        None => Ok(()), // cannot be: the family was found among as many
    };
    let (mut batch, mut order, mut loaded) = (RowBatch::new(), SortedRows::default(), 0);
    let without_markers = is_empty(table).map_err(during)?;
    let mut row = RowCells { now: core.db.clock.now(), without_markers, ..RowCells::default() };
    let mut sample = SortedSample::default();
    while rows.next_batch(&mut batch)? {
        table.descriptor.validate_rows(&batch)?;
        for next in batch.rows() {
            next.cells().try_for_each(|cell| check_size(table, next.key(), &cell, &mut row.key))?;
            if !order.next(next.key())? {
                row.flush(&mut write)?;
                sample.take(next.key(), regions);
            }
            row.add(table, next);
        }
        regions.count_sorted_writes(&batch);
        loaded += batch.len() as u64;
    }
    row.flush(&mut write)?;
    sample.finish(regions);
    let _inside = enter()?;
    let finish = || writers.into_iter().try_for_each(|writer| Ok(writer.finish()?));
    core.db.alone(finish).map_err(during)?;
    Ok(loaded)
}

/// The cells of one row on their way to the engine, which takes them in its own order and each once.
#[derive(Default)]
struct RowCells {
    /// The time of cells that have none of their own.
    now: i64,
    without_markers: bool,
    key: KeyBuffer,
    bytes: Vec<u8>,
    cells: Vec<Cell>,
}

/// A cell: its key and then its value begin at `start`.
struct Cell {
    family: usize,
    start: usize,
    value: usize,
    end: usize,
}

impl RowCells {
    fn add(&mut self, table: &Table, row: RowView<'_>) {
        self.key.row(row.key());
        for cell in row.cells().filter(|cell| !self.without_markers || !cell.kind.is_marker()) {
            let family = table.families.iter().position(|open| open.family.name.as_bytes() == cell.family);
            let Some(family) = family else {
                continue; // cannot be: validated before
            };
            let timestamp = if cell.timestamp == LATEST_TIMESTAMP { self.now } else { cell.timestamp };
            let start = self.bytes.len();
            self.bytes.extend_from_slice(self.key.cell(cell.qualifier, timestamp, cell.kind));
            let value = self.bytes.len();
            self.bytes.extend_from_slice(cell.value);
            self.cells.push(Cell { family, start, value, end: self.bytes.len() });
        }
    }

    /// Hands the row's cells on; of two that are the same, the last.
    fn flush(
        &mut self,
        write: &mut impl FnMut(usize, &[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let bytes = &self.bytes;
        let key = |cell: &Cell| bytes.get(cell.start..cell.value).unwrap_or_default();
        let same = |a: &Cell, b: &Cell| a.family == b.family && key(a) == key(b);
        // Stable, so that of equal cells the one put last stays last.
        self.cells.sort_by(|a, b| a.family.cmp(&b.family).then_with(|| key(a).cmp(key(b))));
        let mut cells = self.cells.iter().peekable();
        while let Some(cell) = cells.next() {
            if cells.peek().is_some_and(|next| same(cell, next)) {
                continue;
            }
            write(cell.family, key(cell), bytes.get(cell.value..cell.end).unwrap_or_default())?;
        }
        self.bytes.clear();
        self.cells.clear();
        Ok(())
    }
}
