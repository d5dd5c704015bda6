//! How do rows get into the order that a bulk load needs?
//!
//! A row's cells are packed into bytes and sorted by its key with all others ([`ExternalSort`]); rows with equal keys keep
//! the order of the data, so that the last one wins as it does when they are put. Where there are nulls, they are folded into
//! one ([`crate::fold`]).
//!
//! ```text
//! family and qualifier   time      value length   value      and so on
//! their number: 4 bytes  8 bytes   4 bytes
//! ```
//!
//! The highest bit of the number says that it is a delete marker.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rowkey::Table;
use rowkey_store::{CellKind, CellView, RowBatch, RowView, Scanner, Store, StoreError, TableName};

use super::error::LoadError;
use super::nulls::refused;
use crate::cancel::Cancel;
use crate::external_sort::{ExternalSort, SortError, Sorted};
use crate::fold::{Folder, Replaces};

/// A batch of sorted rows has so many bytes: large enough that a call costs nothing, small enough for a cache.
const BATCH_BYTES: usize = 256 << 10;
/// So many batches wait for the thread that writes.
const BATCHES: usize = 4;
const MARKER: u32 = 1 << 31;

/// Rows to be sorted.
pub(super) struct RowSort {
    sort: ExternalSort,
    columns: Columns,
    packed: Vec<u8>,
    load_time: i64,
    has_markers: bool,
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
    /// Cells without a time of their own have that of the load.
    pub(super) fn new(memory: usize, folder: &Path, load_time: i64) -> Self {
        let sort = ExternalSort::new(memory, folder);
        Self { sort, columns: Columns::default(), packed: Vec::new(), load_time, has_markers: false }
    }

    pub(super) fn push(&mut self, row: RowView<'_>) -> Result<(), SortError> {
        self.packed.clear();
        let mut expected = 0;
        for cell in row.cells() {
            let number = self.columns.number(expected, cell.family, cell.qualifier);
            expected = number + 1;
            let marker = if cell.kind.is_marker() { MARKER } else { 0 };
            self.has_markers |= marker != 0;
            let number = u32::try_from(number).unwrap_or(u32::MAX) | marker;
            self.packed.extend_from_slice(&number.to_be_bytes());
            self.packed.extend_from_slice(&cell.timestamp.to_be_bytes());
            self.packed.extend_from_slice(&u32::try_from(cell.value.len()).unwrap_or(u32::MAX).to_be_bytes());
            self.packed.extend_from_slice(cell.value);
        }
        self.sort.push(row.key(), &self.packed)
    }

    pub(super) fn finish(self) -> Result<SortedRows, SortError> {
        let folder = Folder::new(Replaces::SameTime { load_time: self.load_time });
        let folder = self.has_markers.then_some((folder, RowBatch::new()));
        Ok(SortedRows { sorted: self.sort.finish()?, columns: self.columns, folder })
    }
}

/// Sorted rows.
pub(super) struct SortedRows {
    sorted: Sorted,
    columns: Columns,
    /// Folds rows with one key, with memory for one row; `None` if there are no markers.
    folder: Option<(Folder, RowBatch)>,
}

impl SortedRows {
    /// Loads all rows in bulk: one thread takes them out of the sort, where each lies somewhere else in memory, while this
    /// one writes. Until the last row is taken, `cancel` ends it without a trace. Returns how many rows had the key of the one before.
    pub(super) fn load_into(
        mut self,
        store: &dyn Store,
        name: &TableName,
        table: &Table,
        cancel: &Cancel,
    ) -> Result<u64, LoadError> {
        std::thread::scope(|scope| {
            let (out, batches) = sync_channel(BATCHES);
            let (emptied, empty) = sync_channel(BATCHES);
            let send = move || self.send_all(table, &out, &empty);
            let sender = std::thread::Builder::new().name("rowkey-sorted".to_owned());
            let sender = sender.spawn_scoped(scope, send).map_err(|source| LoadError::Thread { source })?;
            let mut rows = Unpacked { batches, emptied, cancel, failed: None };
            let loaded = store.bulk_load(name, &mut rows);
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
    fn send_all(
        &mut self,
        table: &Table,
        out: &SyncSender<Result<RowBatch, LoadError>>,
        empty: &Receiver<RowBatch>,
    ) -> u64 {
        let mut keys = Repeated::default();
        loop {
            let batch = self.next_batch(table, empty.try_recv().unwrap_or_default(), &mut keys);
            let last = !matches!(&batch, Ok(batch) if !batch.is_empty());
            // The store may have failed, and take no more.
            if out.send(batch).is_err() || last {
                return keys.count;
            }
        }
    }

    /// The next rows, in the memory of a batch that was used before; none at the end.
    fn next_batch(
        &mut self,
        table: &Table,
        mut batch: RowBatch,
        keys: &mut Repeated,
    ) -> Result<RowBatch, LoadError> {
        batch.clear();
        while batch.byte_len() < BATCH_BYTES {
            let next = self.sorted.next()?;
            if let Some((key, _)) = next {
                keys.see(key);
            }
            match (next, &mut self.folder) {
                (Some((key, packed)), None) => {
                    batch.begin_row(key);
                    unpack(&self.columns, packed, &mut batch);
                }
                (Some((key, packed)), Some((folder, row))) => {
                    row.clear();
                    row.begin_row(key);
                    unpack(&self.columns, packed, row);
                    if let Some(row) = row.row(0) {
                        folder.add(row, &mut batch).map_err(|clash| refused(table, clash))?;
                    }
                }
                (None, folder) => {
                    if let Some((folder, _)) = folder {
                        folder.finish(&mut batch);
                    }
                    break;
                }
            }
        }
        Ok(batch)
    }
}

/// Counts rows with the key of the row before.
#[derive(Default)]
struct Repeated {
    last: Vec<u8>,
    count: u64,
}

impl Repeated {
    fn see(&mut self, key: &[u8]) {
        // A row key is never empty, so the first one differs.
        if self.last == key {
            self.count += 1;
        } else {
            self.last.clear();
            self.last.extend_from_slice(key);
        }
    }
}

/// Sorted rows, as a bulk load takes them.
struct Unpacked<'c> {
    batches: Receiver<Result<RowBatch, LoadError>>,
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
                self.failed = Some(error);
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
        && let number = u32::from_be_bytes(*number)
        && let Some((family, qualifier)) = columns.0.get((number & !MARKER) as usize)
    {
        let kind = if number & MARKER == 0 { CellKind::Put } else { CellKind::DeleteColumn };
        let timestamp = i64::from_be_bytes(*time);
        row.push_cell(CellView { family, qualifier, timestamp, kind, value });
        rest = behind;
    }
}
