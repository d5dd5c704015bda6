//! How do sorted rows get into a table past the journal, all at once or not at all?
//!
//! The engine writes sorted cells straight into its tables, five times as quick as by way of journal and memtable, and makes them
//! visible at once, but one keyspace at a time. **A table of one family** is one keyspace, so that is all there is to it, whatever rows
//! it has: nobody is kept from writing meanwhile, and what is written meanwhile is as if it came before the load.
//!
//! A row may have cells in several families. Those of **an empty table** go into keyspaces of a table that nobody knows yet,
//! and in the end one record of the catalogue puts that table in the place of the empty one:
//!
//! ```text
//! 1  reserve an id, make its keyspaces                        killed here: keyspaces without a table,
//! 2  write every family, and have its tables on disk             removed when the store is next opened
//! 3  nobody inside, still empty? the catalogue says: id          from here on the rows are there
//! 4  remove the keyspaces of the empty table
//! ```
//!
//! **Law** (`tests/bulk.rs`): a bulk load leaves what `put_batch` of the same rows would leave, with the same counts of
//! its regions; killed or refused at any moment, it leaves all or nothing.
//!
//! A marker that would hide nothing, because the table is empty, is left out.
//!
//! There only a table without any cell will do: a marker that is left would hide rows here and not there. In both, regions stay as
//! they are meanwhile; splits and merges wait.

use std::sync::{Arc, PoisonError};

use fjall::Keyspace;
use rowkey_store::{LATEST_TIMESTAMP, RowBatch, RowView, Scanner, SortedRows, StoreError, TableName};

use crate::EmbeddedError;
use crate::catalogue::{Instead, TableEntry};
use crate::layout::cell::KeyBuffer;
use crate::regions::{RegionMap, SortedSample};
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
    let _regions = table.shared.changing_regions.lock().unwrap_or_else(PoisonError::into_inner);
    if has_one_family(&table) { load_beside(core, &table, rows) } else { load_empty(core, &table, rows) }
}

/// Loads a table of one family beside the rows that it has.
fn load_beside(core: &Core, table: &Table, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
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

/// Loads an empty table of any families.
fn load_empty(core: &Core, old: &Table, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
    let fresh = prepare(core, old).map_err(|error| error.during(attempted(old)))?;
    let loaded = ingest(core, &fresh, &fresh.shared.regions, rows, || Ok(())).and_then(|rows| {
        swap(core, old, &fresh)?;
        Ok(rows)
    });
    if loaded.is_err() {
        // What cannot be removed now belongs to no table and is removed when the store is next opened.
        drop(fresh.delete_keyspaces(&core.db, &core.catalogue));
    }
    loaded
}

/// The same table under another id, with the same regions and without rows.
fn prepare(core: &Core, old: &Table) -> Result<Arc<Table>, EmbeddedError> {
    let _changing = core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
    let id = core.catalogue.reserve_table_id(&core.db)?;
    Ok(Arc::new(Table::create(&core.db, entry(id, old, old), &core.catalogue, &core.expiry)?))
}

/// A table's record under an id, with the regions of another.
fn entry(id: u64, table: &Table, regions_of: &Table) -> TableEntry {
    TableEntry {
        id,
        descriptor: table.descriptor.clone(),
        enabled: true,
        regions: regions_of.shared.regions.entries(),
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
    let keyspaces: Vec<Keyspace> = table.families.iter().map(|open| open.keyspace.clone()).collect();
    let writers: Result<Vec<_>, fjall::Error> = keyspaces.iter().map(Keyspace::start_ingestion).collect();
    let mut writers = writers.map_err(|error| during(error.into()))?;
    let mut write = |family: usize, key: &[u8], value: &[u8]| match writers.get_mut(family) {
        Some(writer) => writer.write(key, value).map_err(|error| during(error.into())),
        None => Ok(()), // cannot be: the family was found among as many
    };
    let (mut batch, mut order, mut loaded) = (RowBatch::new(), SortedRows::default(), 0);
    let without_markers = is_empty(table).map_err(during)?;
    let mut row = RowCells { now: core.options.now(), without_markers, ..RowCells::default() };
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
        regions.count_sorted_writes(batch.rows());
        loaded += batch.len() as u64;
    }
    row.flush(&mut write)?;
    sample.finish(regions);
    let _inside = enter()?;
    for writer in writers {
        writer.finish().map_err(|error| during(error.into()))?;
    }
    Ok(loaded)
}

/// Puts the loaded table in the place of the empty one.
fn swap(core: &Core, old: &Table, fresh: &Arc<Table>) -> Result<(), StoreError> {
    let name = &old.descriptor.name;
    let during = |error: EmbeddedError| error.during(attempted(old));
    // The order of locks is that of every change of a table.
    let _changing = core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
    let mut state = old.shared.change();
    if *state != State::Enabled || old.is_replaced() || !is_empty(old).map_err(during)? {
        return Err(StoreError::ChangedMeanwhile { table: name.clone() });
    }
    let entry = entry(fresh.id, fresh, fresh);
    core.moments.renew(&core.db);
    core.catalogue.add(&core.db, &entry, Some(Instead::OfEmpty(old.id))).map_err(during)?;
    core.tables.write().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), Arc::clone(fresh));
    *state = State::Gone;
    // The rows are there; keyspaces that stay are removed when the store is next opened.
    drop(old.delete_keyspaces(&core.db, &core.catalogue));
    Ok(())
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
