//! Sorts rows by key, more of them than fit into memory.
//!
//! A row's cells are packed into bytes and sorted by its key with all others ([`ExternalSort`]); rows with equal keys keep
//! the order in which they came.
//!
//! ```text
//! family and qualifier   time      value length   value      and so on
//! their number: 4 bytes  8 bytes   4 bytes
//! ```
//!
//! The highest bit of the number says that it is a delete marker.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rowkey_store::{CellKind, CellView, RowBatch, RowView, Scanner, StoreError};

use crate::cancel::Cancel;
use crate::external_sort::{ExternalSort, SortError, Sorted};

/// A batch of sorted rows has so many bytes: large enough that a call costs nothing, small enough for a cache.
pub(crate) const BATCH_BYTES: usize = 256 << 10;
/// So many batches wait for the thread that writes.
const BATCHES: usize = 4;
const MARKER: u32 = 1 << 31;

/// Rows to be sorted.
pub(crate) struct RowSort {
    sort: ExternalSort,
    columns: Columns,
    packed: Vec<u8>,
    has_markers: bool,
}

/// Families and qualifiers by their numbers; a table has a handful.
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
    pub(crate) fn new(memory: usize, folder: &Path) -> Self {
        let sort = ExternalSort::new(memory, folder);
        Self { sort, columns: Columns::default(), packed: Vec::new(), has_markers: false }
    }

    pub(crate) fn push(&mut self, row: RowView<'_>) -> Result<(), SortError> {
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

    pub(crate) fn finish(self) -> Result<SortedRows, SortError> {
        let Self { sort, columns, has_markers, .. } = self;
        Ok(SortedRows { sorted: sort.finish()?, columns, has_markers })
    }
}

pub(crate) struct SortedRows {
    sorted: Sorted,
    columns: Columns,
    /// Whether any row has a delete marker.
    pub(crate) has_markers: bool,
}

impl SortedRows {
    /// Adds the next row to the end of a batch; `false` if there is none.
    pub(crate) fn next(&mut self, batch: &mut RowBatch) -> Result<bool, SortError> {
        let Some((key, packed)) = self.sorted.next()? else { return Ok(false) };
        batch.begin_row(key);
        unpack(&self.columns, packed, batch);
        Ok(true)
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

/// Why rows did not get from their source to the store.
#[derive(Debug)]
pub(crate) enum PumpError<E> {
    /// They could not be made.
    Made(E),
    /// The store did not take them.
    Store(StoreError),
    Cancelled,
    /// There is no thread to make them.
    Thread(std::io::Error),
}

/// Lets another thread make batches of rows, an empty one at the end, while this one has them taken. Until the last one is
/// taken, `cancel` ends it.
pub(crate) fn pump<T, E: std::fmt::Display + Send>(
    cancel: &Cancel,
    make: impl FnMut(&mut RowBatch) -> Result<(), E> + Send,
    take: impl FnOnce(&mut dyn Scanner) -> Result<T, StoreError>,
) -> Result<T, PumpError<E>> {
    std::thread::scope(|scope| {
        let (out, batches) = sync_channel(BATCHES);
        let (emptied, empty) = sync_channel(BATCHES);
        let maker = std::thread::Builder::new().name("rowkey-rows".to_owned());
        let maker =
            maker.spawn_scoped(scope, move || make_all(make, &out, &empty)).map_err(PumpError::Thread)?;
        let mut rows = Pumped { batches, emptied, cancel, failed: None };
        let taken = take(&mut rows);
        let failed = rows.failed.take();
        // The thread ends when nothing is taken any more.
        drop(rows);
        maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // An error of the making comes out as it went in.
        match failed {
            Some(error) => Err(error),
            None => taken.map_err(PumpError::Store),
        }
    })
}

fn make_all<E>(
    mut make: impl FnMut(&mut RowBatch) -> Result<(), E>,
    out: &SyncSender<Result<RowBatch, E>>,
    empty: &Receiver<RowBatch>,
) {
    loop {
        let mut batch = empty.try_recv().unwrap_or_default();
        batch.clear();
        let made = make(&mut batch).map(|()| batch);
        let last = !matches!(&made, Ok(batch) if !batch.is_empty());
        // The store may have failed, and take no more.
        if out.send(made).is_err() || last {
            return;
        }
    }
}

/// Batches as a store takes them.
struct Pumped<'c, E> {
    batches: Receiver<Result<RowBatch, E>>,
    /// Batches to be filled again.
    emptied: SyncSender<RowBatch>,
    cancel: &'c Cancel,
    failed: Option<PumpError<E>>,
}

impl<E: std::fmt::Display + Send> Scanner for Pumped<'_, E> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        if self.cancel.is_cancelled() {
            self.failed = Some(PumpError::Cancelled);
            return Err(StoreError::backend("load rows in bulk", "it was cancelled"));
        }
        match self.batches.recv() {
            // Once the filling thread is gone, the buffer is dropped.
            Ok(Ok(rows)) => drop(self.emptied.try_send(std::mem::replace(batch, rows))),
            Ok(Err(error)) => {
                let told = StoreError::backend("make rows to load in bulk", error.to_string());
                self.failed = Some(PumpError::Made(error));
                return Err(told);
            }
            Err(_) => batch.clear(),
        }
        Ok(!batch.is_empty())
    }
}
