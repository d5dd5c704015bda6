//! Bulk loading of sorted rows by plain puts, for stores without a faster path.

use crate::{RowBatch, RowStore, Scanner, StoreError, TableName};

/// Writes rows batch by batch, as [`RowStore::bulk_load`] does by itself; returns how many.
///
/// # Errors
/// [`StoreError::UnsortedRows`], an error of `rows`, or of [`RowStore::put_batch`]; the batches before stay.
pub fn put_sorted<S: RowStore + ?Sized>(
    store: &S,
    table: &TableName,
    rows: &mut dyn Scanner,
) -> Result<u64, StoreError> {
    let (mut batch, mut order, mut written) = (RowBatch::new(), SortedRows::default(), 0);
    while rows.next_batch(&mut batch)? {
        for row in batch.rows() {
            order.next(row.key())?;
        }
        if !batch.is_empty() {
            store.put_batch(table, &batch)?;
        }
        written += batch.len() as u64;
    }
    Ok(written)
}

/// Sees to it that rows come in the order of their keys; equal ones may follow one another.
#[derive(Debug, Default)]
pub struct SortedRows {
    last: Vec<u8>,
}

impl SortedRows {
    /// Takes the key of the next row; `true` if it is that of the row before.
    ///
    /// # Errors
    /// [`StoreError::UnsortedRows`] if it is smaller.
    pub fn next(&mut self, row: &[u8]) -> Result<bool, StoreError> {
        match row.cmp(&self.last) {
            std::cmp::Ordering::Less => {
                Err(StoreError::UnsortedRows { row: row.to_vec(), before: std::mem::take(&mut self.last) })
            }
            std::cmp::Ordering::Equal => Ok(true),
            std::cmp::Ordering::Greater => {
                self.last.clear();
                self.last.extend_from_slice(row);
                Ok(false)
            }
        }
    }
}
