//! Writes sorted rows of a load in bulk.
//!
//! Rows with equal keys keep the order of the data, so that the last one wins as it does when they are put. Where there are nulls,
//! they are folded into one ([`crate::fold`]).

use rowkey_core::Table;
use rowkey_store::{RowBatch, Store, TableName};

use super::error::LoadError;
use super::nulls::refused;
use crate::cancel::Cancel;
use crate::fold::{Folder, Replaces};
use crate::row_sort::{BATCH_BYTES, PumpError, SortedRows, pump};

/// Loads all rows in bulk: one thread takes them out of the sort, where each lies somewhere else in memory, while this
/// one writes. Returns how many rows had the key of the one before.
pub(super) fn load_into(
    mut sorted: SortedRows,
    load_time: i64,
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    cancel: &Cancel,
) -> Result<u64, LoadError> {
    let mut folder = sorted.has_markers.then(|| Folder::new(Replaces::SameTime { load_time }));
    let (mut keys, mut row) = (Repeated::default(), RowBatch::new());
    let make = |batch: &mut RowBatch| {
        while batch.byte_len() < BATCH_BYTES {
            let Some(folder) = &mut folder else {
                if !sorted.next(batch)? {
                    break;
                }
                keys.see(batch);
                continue;
            };
            row.clear();
            if !sorted.next(&mut row)? {
                folder.finish(batch);
                break;
            }
            keys.see(&row);
            if let Some(row) = row.row(0) {
                folder.add(row, batch).map_err(|clash| refused(table, clash))?;
            }
        }
        Ok(())
    };
    pump(cancel, make, |rows| store.bulk_load(name, rows))?;
    Ok(keys.count)
}

/// Counts rows with the key of the row before.
#[derive(Default)]
struct Repeated {
    last: Vec<u8>,
    count: u64,
}

impl Repeated {
    /// Sees the last row of a batch.
    fn see(&mut self, batch: &RowBatch) {
        let Some(row) = batch.len().checked_sub(1).and_then(|last| batch.row(last)) else { return };
        // A row key is never empty, so the first one differs.
        if self.last == row.key() {
            self.count += 1;
        } else {
            self.last.clear();
            self.last.extend_from_slice(row.key());
        }
    }
}

impl From<PumpError<LoadError>> for LoadError {
    fn from(error: PumpError<LoadError>) -> Self {
        match error {
            PumpError::Made(error) => error,
            PumpError::Store(error) => error.into(),
            PumpError::Cancelled => Self::Interrupted { rows: 0 },
            PumpError::Thread(source) => Self::Thread { source },
        }
    }
}
