//! How is one row read?
//!
//! From one snapshot, family after family: the cells of the row in one go, or, if only a few columns are asked for,
//! each of them by its own prefix.

use fjall::{Readable, Snapshot};
use rowkey_store::{Get, RowBatch, StoreError, validate_row};

use crate::layout::bounds::CellRange;
use crate::layout::cell::{KeyBuffer, MAX_KEY_LENGTH};
use crate::read::{self, FamilyRead, RowWalk, Wanted};
use crate::table::Table;
use crate::{EmbeddedError, Options};

/// Up to so many columns are looked up one by one; more are picked out of the whole row.
const FEW_COLUMNS: usize = 4;

/// Adds the row to `into`; `false` if there is none.
pub(crate) fn get(
    snapshot: &Snapshot,
    options: &Options,
    table: &Table,
    get: &Get,
    into: &mut RowBatch,
) -> Result<bool, StoreError> {
    validate_row(&get.row)?;
    let reads = read::families(table, &get.columns, options.now())?;
    table.regions.count_reads([get.row.as_slice()]);

    let mut key = KeyBuffer::default();
    key.row(&get.row);
    into.begin_row(&get.row);
    let cells_before = into.cell_count();
    let mut walk = RowWalk::default();
    let result = reads.iter().try_for_each(|read| read_family(snapshot, read, &key, &mut walk, into));
    if result.is_err() || into.cell_count() == cells_before {
        into.pop_row();
    }
    result.map_err(|error| error.during(format!("read table `{}`", table.descriptor.name)))?;
    Ok(into.cell_count() > cells_before)
}

fn read_family(
    snapshot: &Snapshot,
    read: &FamilyRead,
    key: &KeyBuffer,
    walk: &mut RowWalk,
    into: &mut RowBatch,
) -> Result<(), EmbeddedError> {
    let row = key.row_prefix();
    walk.begin(row.len());
    match &read.wanted {
        Wanted::Only(columns) if columns.len() <= FEW_COLUMNS => {
            for column in columns {
                let prefix = [row, column].concat();
                // A qualifier that no cell can have is in no cell; the engine does not take bounds that long.
                if prefix.len() <= MAX_KEY_LENGTH {
                    let over = RowWalk::column_is_over;
                    read_prefix(snapshot, read, &prefix, walk, over, into)?;
                }
            }
            Ok(())
        }
        _ => read_prefix(snapshot, read, row, walk, |_| false, into),
    }
}

/// Reads the cells under a prefix until `done` says that the rest cannot matter.
fn read_prefix(
    snapshot: &Snapshot,
    read: &FamilyRead,
    prefix: &[u8],
    walk: &mut RowWalk,
    done: impl Fn(&RowWalk) -> bool,
    into: &mut RowBatch,
) -> Result<(), EmbeddedError> {
    let cells = CellRange::of_prefix(prefix);
    for cell in snapshot.range::<&[u8], _>(&read.keyspace, cells.bounds()) {
        let (key, value) = cell.into_inner()?;
        walk.offer(read, key, &value, into)?;
        if done(walk) {
            break;
        }
    }
    Ok(())
}
