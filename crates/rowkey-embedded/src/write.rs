//! How does a batch of rows get into the store, whole or not at all?
//!
//! First every row is checked, then all cells go into one batch of the engine across the families' keyspaces. So a
//! refused batch has written nothing, and even after a crash a batch is there with all its rows or with none.

use fjall::Database;
use rowkey_store::{LATEST_TIMESTAMP, RowBatch, RowView, StoreError, validate_row};

use crate::engine;
use crate::layout::cell::{KeyBuffer, MAX_KEY_LENGTH};
use crate::table::Table;
use crate::{EmbeddedError, Options};

/// The largest cell that HBase takes by default (`hbase.server.keyvalue.maxsize`).
const MAX_CELL_SIZE: usize = 10 << 20;

/// What HBase adds to the bytes of row, family, qualifier and value when it measures a cell.
const CELL_OVERHEAD: usize = 24;

/// Writes all rows.
pub(crate) fn put_batch(
    db: &Database,
    options: &Options,
    table: &Table,
    rows: &RowBatch,
) -> Result<(), StoreError> {
    let attempted = || format!("write to table `{}`", table.descriptor.name);
    let mut key = KeyBuffer::default();
    for row in rows.rows() {
        validate(table, row, &mut key, attempted)?;
    }
    write(db, options, table, rows, &mut key).map_err(|error| error.during(attempted()))?;
    table.regions.count_writes(rows.rows());
    Ok(())
}

fn validate(
    table: &Table,
    row: RowView<'_>,
    key: &mut KeyBuffer,
    attempted: impl Fn() -> String,
) -> Result<(), StoreError> {
    validate_row(row.key())?;
    if row.cells().len() == 0 {
        return Err(StoreError::EmptyRow { row: row.key().to_vec() });
    }
    let start = || row.key().iter().take(32).copied().collect();
    let may_be_long = |part: &[u8]| part.len() > MAX_KEY_LENGTH / 4;
    for cell in row.cells() {
        if table.family(cell.family).is_none() {
            table.descriptor.require_family(cell.family)?;
        }
        if cell.timestamp < 0 {
            return Err(StoreError::NegativeTimestamp { row: row.key().to_vec(), timestamp: cell.timestamp });
        }
        // Packing makes a string half as long again at most, so short rows with short qualifiers fit unmeasured.
        if may_be_long(row.key()) || may_be_long(cell.qualifier) {
            key.row(row.key());
            let key_length = key.put(cell.qualifier, cell.timestamp).len();
            if key_length > MAX_KEY_LENGTH {
                let length = cell.qualifier.len();
                return Err(
                    EmbeddedError::QualifierLength { row: start(), length, key_length }.during(attempted())
                );
            }
        }
        let size =
            CELL_OVERHEAD + row.key().len() + cell.family.len() + cell.qualifier.len() + cell.value.len();
        if size > MAX_CELL_SIZE {
            let error = EmbeddedError::CellSize { row: start(), size, limit: MAX_CELL_SIZE };
            return Err(error.during(attempted()));
        }
    }
    Ok(())
}

fn write(
    db: &Database,
    options: &Options,
    table: &Table,
    rows: &RowBatch,
    key: &mut KeyBuffer,
) -> Result<(), EmbeddedError> {
    let mut batch = engine::batch(db, rows.cell_count(), options.durability);
    let now = options.now();
    for row in rows.rows() {
        key.row(row.key());
        for cell in row.cells() {
            let Some(open) = table.family(cell.family) else {
                continue; // cannot be: validated above
            };
            let timestamp = if cell.timestamp == LATEST_TIMESTAMP { now } else { cell.timestamp };
            batch.insert(&open.keyspace, key.put(cell.qualifier, timestamp), cell.value);
        }
    }
    Ok(batch.commit()?)
}
