//! How do rows get into the order that a bulk load needs?
//!
//! A row's cells are packed into bytes and sorted by its key with all others ([`ExternalSort`]); rows with equal keys keep
//! the order of the data, so that the last one wins as it does when they are put.
//!
//! ```text
//! family and qualifier   time      value length   value      and so on
//! their number: 4 bytes  8 bytes   4 bytes
//! ```

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rowkey_store::{RowBatch, RowView, Scanner, Store, StoreError, TableName};

use super::error::LoadError;
use crate::cancel::Cancel;
use crate::external_sort::{ExternalSort, SortError, Sorted};

/// A batch of sorted rows has so many bytes: large enough that a call costs nothing, small enough for a cache.
const BATCH_BYTES: usize = 256 << 10;
/// So many batches wait for the thread that writes.
const BATCHES: usize = 4;

/// Rows to be sorted.
pub(super) struct RowSort {
    sort: ExternalSort,
    columns: Columns,
    packed: Vec<u8>,
}

/// Families and qualifiers by their numbers; a load has a handful.
#[derive(Default)]
struct Columns(Vec<(Vec<u8>, Vec<u8>)>);

impl Columns {
    /// The number of a column. `expected` is tried first: rows have the same columns in the same order.
    fn number(&mut self, expected: usize, family: &[u8], qualifier: &[u8]) -> usize {
        let is = |(f, q): &(Vec<u8>, Vec<u8>)| f == family && q == qualifier;
        if self.0.get(expected).is_some_and(is) {
            return expected;
        }
        self.0.iter().position(is).unwrap_or_else(|| {
            self.0.push((family.to_vec(), qualifier.to_vec()));
            self.0.len() - 1
        })
    }
}

impl RowSort {
    pub(super) fn new(memory: usize, folder: &Path) -> Self {
        let sort = ExternalSort::new(memory, folder);
        Self { sort, columns: Columns::default(), packed: Vec::new() }
    }

    pub(super) fn push(&mut self, row: RowView<'_>) -> Result<(), SortError> {
        self.packed.clear();
        let mut expected = 0;
        for cell in row.cells() {
            let number = self.columns.number(expected, cell.family, cell.qualifier);
            expected = number + 1;
            self.packed.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
            self.packed.extend_from_slice(&cell.timestamp.to_be_bytes());
            self.packed.extend_from_slice(&u32::try_from(cell.value.len()).unwrap_or(u32::MAX).to_be_bytes());
            self.packed.extend_from_slice(cell.value);
        }
        self.sort.push(row.key(), &self.packed)
    }

    pub(super) fn finish(self) -> Result<SortedRows, SortError> {
        Ok(SortedRows { sorted: self.sort.finish()?, columns: self.columns })
    }
}

/// Sorted rows.
pub(super) struct SortedRows {
    sorted: Sorted,
    columns: Columns,
}

impl SortedRows {
    /// Loads all rows in bulk: one thread takes them out of the sort, where each lies somewhere else in memory, while this
    /// one writes.
    /// Until the last row is taken, `cancel` ends it without a trace. Returns how many rows had the key of the one before.
    pub(super) fn load_into(
        mut self,
        store: &dyn Store,
        table: &TableName,
        cancel: &Cancel,
    ) -> Result<u64, LoadError> {
        std::thread::scope(|scope| {
            let (out, batches) = sync_channel(BATCHES);
            let (emptied, empty) = sync_channel(BATCHES);
            let send = move || self.send_all(&out, &empty);
            let sender = std::thread::Builder::new().name("rowkey-sorted".to_owned());
            let sender = sender.spawn_scoped(scope, send).map_err(|source| LoadError::Thread { source })?;
            let mut rows = Unpacked { batches, emptied, cancel, failed: None };
            let loaded = store.bulk_load(table, &mut rows);
            // An error of the sorting comes out as it went in.
            match rows.failed.take() {
                Some(error) => return Err(error),
                None => loaded?,
            };
            // The thread ends when nothing is taken any more.
            drop(rows);
            Ok(sender.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Returns how many rows had the key of the one before.
    fn send_all(&mut self, out: &SyncSender<Result<RowBatch, SortError>>, empty: &Receiver<RowBatch>) -> u64 {
        let (mut last_key, mut repeated) = (None, 0);
        loop {
            let batch =
                self.next_batch(empty.try_recv().unwrap_or_default(), last_key.as_deref(), &mut repeated);
            let last = !matches!(&batch, Ok(batch) if !batch.is_empty());
            if let Ok(batch) = &batch {
                last_key = batch.rows().next_back().map(|row| row.key().to_vec());
            }
            // The store may have failed, and take no more.
            if out.send(batch).is_err() || last {
                return repeated;
            }
        }
    }

    /// The next rows, in the memory of a batch that was used before; none at the end. Counts those with the key of the row
    /// before, which for the first of them is `last_key`.
    fn next_batch(
        &mut self,
        mut batch: RowBatch,
        last_key: Option<&[u8]>,
        repeated: &mut u64,
    ) -> Result<RowBatch, SortError> {
        batch.clear();
        while batch.byte_len() < BATCH_BYTES
            && let Some((key, packed)) = self.sorted.next()?
        {
            let before = batch.rows().next_back().map_or(last_key, |row| Some(row.key()));
            *repeated += u64::from(before == Some(key));
            batch.begin_row(key);
            unpack(&self.columns, packed, &mut batch);
        }
        Ok(batch)
    }
}

/// Sorted rows, as a bulk load takes them.
struct Unpacked<'c> {
    batches: Receiver<Result<RowBatch, SortError>>,
    /// Batches to be filled again.
    emptied: SyncSender<RowBatch>,
    cancel: &'c Cancel,
    failed: Option<LoadError>,
}

impl Scanner for Unpacked<'_> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        if self.cancel.is_cancelled() {
            self.failed = Some(LoadError::Interrupted { rows: 0 });
            return Err(StoreError::backend("load rows in bulk", "it was cancelled"));
        }
        match self.batches.recv() {
            // Where nobody fills them any more, they go.
            Ok(Ok(rows)) => drop(self.emptied.try_send(std::mem::replace(batch, rows))),
            Ok(Err(error)) => {
                let told = StoreError::backend("read sorted rows", error.to_string());
                self.failed = Some(error.into());
                return Err(told);
            }
            Err(_) => batch.clear(),
        }
        Ok(!batch.is_empty())
    }
}

/// Adds the cells to the row begun last.
fn unpack(columns: &Columns, packed: &[u8], row: &mut RowBatch) {
    let mut rest = packed;
    while let Some((number, behind)) = rest.split_first_chunk::<4>()
        && let Some((time, behind)) = behind.split_first_chunk::<8>()
        && let Some((length, behind)) = behind.split_first_chunk::<4>()
        && let Some((value, behind)) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)
        && let Some((family, qualifier)) = columns.0.get(u32::from_be_bytes(*number) as usize)
    {
        row.cell(family, qualifier, i64::from_be_bytes(*time), value);
        rest = behind;
    }
}
