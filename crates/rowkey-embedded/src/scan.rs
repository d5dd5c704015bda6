//! Range scans, batch by batch, in either direction.
//!
//! A scanner has one cursor per family over one snapshot. The next row is the smallest (backwards: the largest) that
//! any cursor stands on; each cursor on that row gives its cells, in the order of families. Nothing is held but the
//! cells under the cursors; backwards, where the engine gives the cells of a row in the wrong order, those of one row.
//!
//! A filter works region by region, as in HBase: in each region a fresh one begins, and when it is done the rest of
//! the region is jumped over. A filter that is done in a region without a single row ends the scan.
//!
//! A scanner sees the store as it was when the scan was opened, whatever is written, split or dropped meanwhile, and
//! keeps the folder open while it lives.

use std::ops::Bound;
use std::sync::Arc;

use fjall::{Iter, Readable, Snapshot, UserKey, UserValue};
use rowkey_core::range::KeyRange;
use rowkey_store::filter::RunningFilter;
use rowkey_store::{Direction, Filter, RegionCounts, RowBatch, Scan, Scanner, StoreError};

use crate::EmbeddedError;
use crate::layout::bounds::CellRange;
use crate::layout::cell;
use crate::read::{self, FamilyRead, Question, RowWalk};
use crate::store::Core;
use crate::table::Table;

/// An open scan of the embedded store.
pub(crate) struct EmbeddedScanner {
    cursors: Vec<Cursor>,
    direction: Direction,
    /// How many rows the limit still allows.
    remaining: usize,
    batch_rows: usize,
    cells_per_result: Option<usize>,
    filter: Option<FilterByRegion>,
    counting: Option<Counting>,
    /// The packed row being read, and its key.
    packed_row: Vec<u8>,
    row: Vec<u8>,
    /// A row that is about to be cut into pieces.
    whole: RowBatch,
    table: Arc<Table>,
    snapshot: Arc<Snapshot>,
    /// Keeps the store open; last, so that it outlives what reads from it.
    _core: Arc<Core>,
}

/// For so many rows there is room in a batch from the start.
const MOST_ROWS_OF_ROOM: usize = 64;

/// A filter at work in one region after the other.
struct FilterByRegion {
    description: Filter,
    running: RunningFilter,
    /// Where the table's regions start, as of the opening of the scan.
    starts: Vec<Vec<u8>>,
    /// What is still to be read.
    range: KeyRange,
    /// The region at work, and whether it has given a row.
    region: Option<usize>,
    has_found: bool,
}

/// How many rows were read and left out in each region.
struct Counting {
    /// Where the table's regions start, as of the opening of the scan.
    starts: Vec<Vec<u8>>,
    counts: Vec<RegionCounts>,
}

impl Counting {
    fn row(&mut self, row: &[u8], is_found: bool) {
        let behind = self.starts.partition_point(|start| start.as_slice() <= row);
        let start = self.starts.get(behind.saturating_sub(1)).cloned().unwrap_or_default();
        RegionCounts::add(&mut self.counts, &RegionCounts { start, read: 1, filtered: u64::from(!is_found) });
    }
}

impl EmbeddedScanner {
    pub(crate) fn open(
        core: &Arc<Core>,
        table: &Arc<Table>,
        snapshot: &Arc<Snapshot>,
        scan: &Scan,
        now: i64,
    ) -> Result<Self, StoreError> {
        let question = Question {
            columns: &scan.columns,
            versions: scan.versions,
            time_range: scan.time_range,
            raw: scan.raw,
            has_filter: scan.filter.is_some(),
            now,
        };
        let start = |filter: &Filter| -> Result<FilterByRegion, StoreError> {
            Ok(FilterByRegion {
                description: filter.clone(),
                running: RunningFilter::start(filter, scan.direction, now.cast_unsigned())?,
                starts: table.shared.regions.starts(),
                range: scan.range.clone(),
                region: None,
                has_found: false,
            })
        };
        let mut scanner = Self {
            cursors: Vec::new(),
            direction: scan.direction,
            remaining: scan.limit.unwrap_or(usize::MAX),
            batch_rows: scan.batch_rows.max(1),
            cells_per_result: scan.cells_per_result,
            filter: scan.filter.as_ref().map(start).transpose()?,
            counting: scan
                .counts
                .then(|| Counting { starts: table.shared.regions.starts(), counts: Vec::new() }),
            packed_row: Vec::new(),
            row: Vec::new(),
            whole: RowBatch::new(),
            table: Arc::clone(table),
            snapshot: Arc::clone(snapshot),
            _core: Arc::clone(core),
        };
        if scan.limit != Some(0) {
            let opened = scanner.open_cursors(&scan.range, read::families(table, &question));
            opened.map_err(|error| {
                table.named(error).during(format!("scan table `{}`", table.descriptor.name))
            })?;
        }
        Ok(scanner)
    }

    fn open_cursors(&mut self, range: &KeyRange, reads: Vec<FamilyRead>) -> Result<(), EmbeddedError> {
        self.cursors.clear();
        let Some(CellRange { start, end }) = CellRange::of_rows(range) else { return Ok(()) };
        // The far end is looked for by the cursor: the engine would look for it before the first cell and again in every
        // block, which takes as long as finding the near end.
        let (bounds, far_end) = match self.direction {
            Direction::Forward => {
                ((start.as_deref().map_or(Bound::Unbounded, Bound::Included), Bound::Unbounded), end)
            }
            Direction::Reverse => {
                ((Bound::Unbounded, end.as_deref().map_or(Bound::Unbounded, Bound::Excluded)), start)
            }
        };
        self.cursors.reserve_exact(reads.len());
        let far_ends = std::iter::repeat_n(far_end, reads.len());
        for (read, far_end) in reads.into_iter().zip(far_ends) {
            let iter = self.snapshot.range::<&[u8], _>(&read.keyspace, bounds);
            let walk = RowWalk::default();
            let mut cursor = Cursor { iter, far_end, next: None, walk, held: Vec::new(), read };
            cursor.advance(self.direction, &[])?;
            self.cursors.push(cursor);
        }
        Ok(())
    }

    /// Reads the next rows; returns how many they are.
    fn fill(&mut self, batch: &mut RowBatch) -> Result<usize, EmbeddedError> {
        let rows = self.batch_rows.min(self.remaining);
        let is_simple = self.filter.is_none() && self.cells_per_result.is_none();
        self.make_room(rows, batch);
        let mut found = 0;
        if let ([cursor], true) = (self.cursors.as_mut_slice(), is_simple) {
            found = cursor.take_rows(self.direction, rows, &mut self.row, batch)?;
            if let Some(counting) = &mut self.counting {
                batch.rows().for_each(|row| counting.row(row.key(), true));
            }
        }
        while found < rows && self.select_row()? {
            let is_found = match self.filter_row()? {
                RowStart::Read => self.read_row(batch)?,
                RowStart::Skip => {
                    self.pass_row()?;
                    false
                }
                RowStart::Again => continue,
            };
            found += usize::from(is_found);
            if let Some(counting) = &mut self.counting {
                counting.row(&self.row, is_found);
            }
        }
        self.remaining -= found;
        Ok(found)
    }

    /// Room for so many rows, up to a few, that are like the cells under the cursors: a batch that grows row by row is moved
    /// again and again, which takes as long as a short read.
    fn make_room(&self, rows: usize, batch: &mut RowBatch) {
        let standing = self.cursors.iter().filter_map(|cursor| cursor.next.as_ref());
        let (cells, bytes) = standing
            .fold((0, 0), |(cells, bytes), entry| (cells + 1, bytes + entry.key.len() + entry.value.len()));
        let rows = rows.min(MOST_ROWS_OF_ROOM);
        batch.reserve(rows, rows * cells, rows * bytes);
    }

    /// Reads the selected row; `false` if nothing of it is returned.
    fn read_row(&mut self, batch: &mut RowBatch) -> Result<bool, EmbeddedError> {
        let Self { whole, cells_per_result, row, packed_row, direction, .. } = self;
        let into = if cells_per_result.is_some() { &mut *whole } else { &mut *batch };
        let rows_before = into.len();
        into.begin_row(row);
        let first_cell = into.cell_count();
        for cursor in self.cursors.iter_mut().filter(|cursor| cursor.row() == Some(packed_row.as_slice())) {
            let filter = self.filter.as_mut().map(|filter| &mut filter.running);
            cursor.take_row(*direction, filter, into)?;
        }
        let running = self.filter.as_mut().map(|filter| &mut filter.running);
        read::end_row(running, first_cell, into);
        let is_found = into.len() > rows_before;
        if let Some(filter) = &mut self.filter {
            filter.has_found |= is_found;
        }
        if let Some(cells) = self.cells_per_result {
            if let Some(row) = self.whole.row(0) {
                for (at, cell) in row.cells().enumerate() {
                    if at % cells == 0 {
                        batch.begin_row(row.key());
                    }
                    batch.push_cell(cell);
                }
            }
            self.whole.clear();
        }
        Ok(is_found)
    }

    /// Steps over the selected row.
    fn pass_row(&mut self) -> Result<(), EmbeddedError> {
        for cursor in &mut self.cursors {
            while cursor.row() == Some(&self.packed_row) {
                cursor.advance(self.direction, &self.packed_row)?;
            }
        }
        Ok(())
    }

    /// Tells the filter of the selected row, and of the region that it lies in.
    fn filter_row(&mut self) -> Result<RowStart, EmbeddedError> {
        let Some(filter) = &mut self.filter else { return Ok(RowStart::Read) };
        let region =
            filter.starts.partition_point(|start| start.as_slice() <= self.row.as_slice()).saturating_sub(1);
        if filter.region != Some(region) {
            if filter.region.is_some() {
                if filter.running.is_done() && !filter.has_found {
                    self.cursors.clear();
                    return Ok(RowStart::Again);
                }
                let seed = u64::try_from(region).unwrap_or(u64::MAX);
                // It was good when the scan was opened.
                if let Ok(fresh) = RunningFilter::start(&filter.description, self.direction, seed) {
                    filter.running = fresh;
                }
            }
            (filter.region, filter.has_found) = (Some(region), false);
        }
        if !filter.running.is_done() {
            let rejected = filter.running.begin_row(&self.row);
            return Ok(if rejected { RowStart::Skip } else { RowStart::Read });
        }
        if !filter.has_found {
            self.cursors.clear();
            return Ok(RowStart::Again);
        }
        match self.direction {
            Direction::Forward => {
                let end = filter.starts.get(region + 1).cloned();
                filter.range.start = end.map_or(Bound::Unbounded, Bound::Included);
                if filter.range.start == Bound::Unbounded {
                    self.cursors.clear();
                }
            }
            Direction::Reverse => {
                let start = filter.starts.get(region).cloned().unwrap_or_default();
                if start.is_empty() {
                    self.cursors.clear();
                }
                filter.range.end = Bound::Excluded(start);
            }
        }
        let rest = filter.range.clone();
        let reads = self.cursors.drain(..).map(|cursor| cursor.read).collect();
        self.open_cursors(&rest, reads)?;
        Ok(RowStart::Again)
    }

    /// Finds the next row among those under the cursors; `false` at the end.
    fn select_row(&mut self) -> Result<bool, EmbeddedError> {
        let standing = self.cursors.iter().filter_map(|cursor| Some((cursor.row()?, cursor)));
        let first = match self.direction {
            Direction::Forward => standing.min_by_key(|(row, _)| *row),
            Direction::Reverse => standing.max_by_key(|(row, _)| *row),
        };
        let Some((packed, cursor)) = first else {
            return Ok(false);
        };
        self.packed_row.clear();
        self.packed_row.extend_from_slice(packed);
        self.row.clear();
        cell::decode_row(packed, &mut self.row).map_err(|damage| cursor.read.damaged(packed, damage))?;
        Ok(true)
    }
}

/// What is to be done with a row that was selected.
enum RowStart {
    Read,
    Skip,
    /// The cursors stand elsewhere now.
    Again,
}

impl Scanner for EmbeddedScanner {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        batch.clear();
        let found = self.fill(batch).map_err(|error| {
            batch.clear();
            self.cursors.clear();
            self.table.named(error).during(format!("scan table `{}`", self.table.descriptor.name))
        })?;
        self.table.shared.regions.count_scanned(found, batch);
        Ok(!batch.is_empty())
    }

    fn set_batch_rows(&mut self, rows: usize) {
        self.batch_rows = rows.max(1);
    }

    fn counts(&self) -> Vec<RegionCounts> {
        self.counting.as_ref().map(|counting| counting.counts.clone()).unwrap_or_default()
    }
}

/// The way through one family's cells.
struct Cursor {
    iter: Iter,
    /// Forwards the first key behind the range, backwards the first one in it. It lies between two rows.
    far_end: Option<Vec<u8>>,
    next: Option<Entry>,
    walk: RowWalk,
    /// Cells of one row, read backwards.
    held: Vec<(UserKey, UserValue)>,
    read: FamilyRead,
}

/// The cell that a cursor stands on.
struct Entry {
    key: UserKey,
    value: UserValue,
    row_end: usize,
}

/// Whether a key lies behind the far end of a range.
fn is_past(far_end: Option<&[u8]>, direction: Direction, key: &[u8]) -> bool {
    far_end.is_some_and(|end| match direction {
        Direction::Forward => key >= end,
        Direction::Reverse => key < end,
    })
}

/// The cell of another row, to stand on; `None` if it lies behind the far end.
#[inline]
fn first_of_row(
    read: &FamilyRead,
    far_end: Option<&[u8]>,
    direction: Direction,
    key: UserKey,
    value: UserValue,
) -> Result<Option<Entry>, EmbeddedError> {
    if is_past(far_end, direction, &key) {
        return Ok(None);
    }
    let row_end = cell::row_end(&key).map_err(|damage| read.damaged(&key, damage))?;
    Ok(Some(Entry { key, value, row_end }))
}

impl Cursor {
    /// The packed row that the cursor stands on; `None` at the end.
    fn row(&self) -> Option<&[u8]> {
        self.next.as_ref().and_then(|entry| entry.key.get(..entry.row_end))
    }

    /// Steps to the next cell. Most cells belong to the row of the one before, `row`, and then nothing is to decode.
    fn advance(&mut self, direction: Direction, row: &[u8]) -> Result<(), EmbeddedError> {
        let cell = match direction {
            Direction::Forward => self.iter.next(),
            Direction::Reverse => self.iter.next_back(),
        };
        self.next = None;
        if let Some(cell) = cell {
            let (key, value) = cell.into_inner()?;
            self.next = if !row.is_empty() && key.starts_with(row) {
                Some(Entry { key, value, row_end: row.len() })
            } else {
                first_of_row(&self.read, self.far_end.as_deref(), direction, key, value)?
            };
        }
        Ok(())
    }

    /// Adds up to `limit` rows to `batch`, unfiltered; returns how many.
    ///
    /// Most scans read one family so. Nothing is to be compared with other cursors, and a row's key is copied once: into
    /// the batch.
    fn take_rows(
        &mut self,
        direction: Direction,
        limit: usize,
        buffer: &mut Vec<u8>,
        batch: &mut RowBatch,
    ) -> Result<usize, EmbeddedError> {
        let before = batch.len();
        while batch.len() - before < limit
            && let Some(Entry { key, .. }) = &self.next
        {
            let row = cell::read_row(key, buffer).map_err(|damage| self.read.damaged(key, damage))?;
            batch.begin_row(row);
            let first_cell = batch.cell_count();
            self.take_row(direction, None, batch)?;
            read::end_row(None, first_cell, batch);
        }
        Ok(batch.len() - before)
    }

    /// Adds the family's visible cells of the row that the cursor stands on to the row begun last, and goes to the next row. Backwards
    /// cells are held until the row is whole, because they come in the wrong order.
    #[inline(always)]
    fn take_row(
        &mut self,
        direction: Direction,
        mut filter: Option<&mut RunningFilter>,
        batch: &mut RowBatch,
    ) -> Result<(), EmbeddedError> {
        let Self { iter, far_end, next, walk, held, read } = self;
        let Some(Entry { key, value, row_end }) = next.take() else { return Ok(()) };
        let mut last = (key, value);
        walk.begin(row_end);
        match direction {
            Direction::Forward => {
                walk.offer(read, last.0, &last.1, filter.as_deref_mut(), batch)?;
                for cell in iter.by_ref() {
                    let (key, value) = cell.into_inner()?;
                    if walk.goes_on_with(&key) {
                        walk.offer(read, key, &value, filter.as_deref_mut(), batch)?;
                        continue;
                    }
                    *next = first_of_row(read, far_end.as_deref(), direction, key, value)?;
                    break;
                }
            }
            Direction::Reverse => {
                while let Some(cell) = iter.next_back() {
                    let (key, value) = cell.into_inner()?;
                    if last.0.get(..row_end).is_some_and(|row| key.starts_with(row)) {
                        held.push(std::mem::replace(&mut last, (key, value)));
                        continue;
                    }
                    *next = first_of_row(read, far_end.as_deref(), direction, key, value)?;
                    break;
                }
                walk.offer(read, last.0, &last.1, filter.as_deref_mut(), batch)?;
                while let Some((key, value)) = held.pop() {
                    walk.offer(read, key, &value, filter.as_deref_mut(), batch)?;
                }
            }
        }
        Ok(())
    }
}
