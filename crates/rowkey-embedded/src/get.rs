//! Point reads.
//!
//! A row is read from one snapshot, family after family: the cells of the row in one go, or, if only a few columns are asked for,
//! each of them by its own prefix, after the markers of the family if there may be any.

use fjall::{Readable, Snapshot};
use rowkey_store::filter::RunningFilter;
use rowkey_store::{Direction, Get, RowBatch, StoreError};

use crate::layout::bounds::CellRange;
use crate::layout::cell::{KeyBuffer, MAX_KEY_LENGTH};
use crate::layout::packed;
use crate::read::{self, FamilyRead, Question, RowWalk, Wanted};
use crate::table::Table;
use crate::{EmbeddedError, Options};

/// Up to so many columns are looked up one by one; more are picked out of the whole row.
const FEW_COLUMNS: usize = 4;

/// Adds the row to `into`; `false` if there is none. The read is counted.
pub(crate) fn get(
    snapshot: &Snapshot,
    options: &Options,
    table: &Table,
    get: &Get,
    into: &mut RowBatch,
) -> Result<bool, StoreError> {
    table.descriptor.validate_get(get)?;
    table.shared.regions.count_reads([get.row.as_slice()]);
    read_row(snapshot, table, get, options.now(), into)
}

/// The same for a get that is known to be good, uncounted: a part of another operation.
pub(crate) fn read_row(
    snapshot: &Snapshot,
    table: &Table,
    get: &Get,
    now: i64,
    into: &mut RowBatch,
) -> Result<bool, StoreError> {
    let question = Question {
        columns: &get.columns,
        versions: get.versions,
        time_range: get.time_range,
        raw: false,
        has_filter: get.filter.is_some(),
        now,
    };
    let start = |filter| RunningFilter::start(filter, Direction::Forward, now.cast_unsigned());
    let mut filter = get.filter.as_ref().map(start).transpose()?;
    if filter.as_mut().is_some_and(|filter| filter.begin_row(&get.row)) {
        return Ok(false);
    }
    let mut key = KeyBuffer::default();
    key.row(&get.row);
    let rows_before = into.len();
    into.begin_row(&get.row);
    let first_cell = into.cell_count();
    let mut walk = RowWalk::default();
    for read in &read::families(table, &question) {
        if let Err(error) = read_family(snapshot, read, &key, &mut walk, filter.as_mut(), into) {
            into.pop_row();
            return Err(table.named(error).during(format!("read table `{}`", table.descriptor.name)));
        }
    }
    read::end_row(filter.as_mut(), first_cell, into);
    Ok(into.len() > rows_before)
}

fn read_family(
    snapshot: &Snapshot,
    read: &FamilyRead,
    key: &KeyBuffer,
    walk: &mut RowWalk,
    mut filter: Option<&mut RunningFilter>,
    into: &mut RowBatch,
) -> Result<(), EmbeddedError> {
    let row = key.row_prefix();
    walk.begin(row.len());
    match &read.wanted {
        Wanted::Only(columns) if columns.len() <= FEW_COLUMNS => {
            let mut empty = Vec::new();
            packed::encode(b"", &mut empty);
            // Markers of the family lie under the empty qualifier, which sorts first.
            let markers = (read.may_have_family_markers && !columns.contains(&empty)).then_some(&empty);
            for column in markers.into_iter().chain(columns) {
                let prefix = [row, column].concat();
                // A qualifier that no cell can have is in no cell; the engine does not take bounds that long.
                if prefix.len() <= MAX_KEY_LENGTH {
                    let is_over = |walk: &RowWalk| walk.column_is_over() && column != &empty;
                    read_prefix(snapshot, read, &prefix, walk, is_over, filter.as_deref_mut(), into)?;
                }
            }
            Ok(())
        }
        _ => read_prefix(snapshot, read, row, walk, RowWalk::family_is_over, filter, into),
    }
}

/// Reads the cells under a prefix until `is_over` says that the rest cannot matter.
fn read_prefix(
    snapshot: &Snapshot,
    read: &FamilyRead,
    prefix: &[u8],
    walk: &mut RowWalk,
    is_over: impl Fn(&RowWalk) -> bool,
    mut filter: Option<&mut RunningFilter>,
    into: &mut RowBatch,
) -> Result<(), EmbeddedError> {
    let cells = CellRange::of_prefix(prefix);
    for cell in snapshot.range::<&[u8], _>(&read.keyspace, cells.bounds()) {
        let (key, value) = cell.into_inner()?;
        walk.offer(read, key, &value, filter.as_deref_mut(), into)?;
        if is_over(walk) {
            break;
        }
    }
    Ok(())
}
