//! What a change of one row would write.
//!
//! Pure: from the row as it was read and the change that is asked for to stamps, entries and mutations.

use rowkey_core::{Table, Value};
use rowkey_store::filter::{Comparator, CompareOp};
use rowkey_store::{
    CellView, CheckAndMutate, Condition, Delete, LATEST_TIMESTAMP, Mutation, Operation, Put, RowBatch,
    RowView, TimeRange,
};

use super::entry::{KeyRecords, MARK, Shape, mark_family, stamp_of};
use super::error::IndexError;
use super::stamp::{Mark, Stamp, State, nonce};

/// What is to become of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change<'r> {
    /// These cells, and no others; the columns that it does not mention were added to it ([`complete`]).
    Put(RowView<'r>),
    /// It goes.
    Delete,
    /// It stays, and its entries are made anew.
    Refresh,
}

/// A change that is not done yet.
#[derive(Debug, Clone)]
pub(super) struct Item<'r> {
    pub(super) key: &'r [u8],
    pub(super) change: Change<'r>,
    /// The lowest stamp and cell time that can be seen, as far as is known.
    pub(super) floor: i64,
    /// What attempts that failed have written.
    pub(super) announced: Vec<Announced>,
}

/// An entry that was written or marked before the data row was changed.
#[derive(Debug, Clone)]
pub(super) struct Announced {
    /// The place of its index table.
    pub(super) index: usize,
    pub(super) entry: Vec<u8>,
    /// The mark it was given, and its timestamp.
    pub(super) mark: Vec<u8>,
    pub(super) at: i64,
}

/// The entry that a change makes, and the entry that it leaves, if it is another.
pub(super) type Move = (Option<Vec<u8>>, Option<Vec<u8>>);

/// A change of one row with everything that it writes.
#[derive(Debug)]
pub(super) struct Draft<'r> {
    pub(super) item: Item<'r>,
    /// What the data row keeps.
    pub(super) stamp: Stamp,
    /// The timestamp of the data row's cells; of a delete, the newest that it hides.
    pub(super) cell_time: i64,
    /// The row whose cells are copied; `None` for a delete.
    pub(super) row: Option<RowView<'r>>,
    /// One for each index table.
    pub(super) entries: Vec<Move>,
    /// The stamp that it replaces, as it was read.
    expected: Option<Vec<u8>>,
    /// The cells that are written beside the stamp, and the columns that go.
    writes_cells: bool,
    gone: Option<Delete>,
}

/// What a change comes to.
pub(super) enum Drafted<'r> {
    /// It writes this.
    Change(Box<Draft<'r>>),
    /// The row is there with a later cell time, which hides the put.
    Superseded,
    /// There is no such row to delete or refresh.
    Absent,
}

/// A row as it was read.
struct Old<'r> {
    row: RowView<'r>,
    record: Vec<Value<'r>>,
    stamp: Option<Stamp>,
    stamp_bytes: Option<Vec<u8>>,
    /// The newest of its cells.
    newest: i64,
}

impl<'r> Old<'r> {
    fn read(table: &Table, records: &KeyRecords<'_>, row: RowView<'r>) -> Result<Self, IndexError> {
        let stored = row.value(mark_family(table), MARK).filter(|bytes| !bytes.is_empty());
        Ok(Self {
            row,
            record: records.read(row)?,
            stamp: stamp_of(table, row).map(|(stamp, _)| stamp),
            stamp_bytes: stored.map(<[u8]>::to_vec),
            newest: newest(row),
        })
    }

    /// The time that the caller gave the cells.
    fn asked(&self) -> i64 {
        self.stamp.map_or(self.newest, |stamp| stamp.cells)
    }
}

/// Works out a change. `old` is the row as it is, `tick` the time of the attempt.
pub(super) fn draft<'r>(
    (table, records): (&Table, &KeyRecords<'_>),
    shapes: &[&Shape<'_>],
    item: Item<'r>,
    old: Option<RowView<'r>>,
    tick: i64,
) -> Result<Drafted<'r>, IndexError> {
    let (key, change, floor) = (item.key, item.change, item.floor);
    let old = old.map(|row| Old::read(table, records, row)).transpose()?;
    let above = |time: Option<i64>| time.map_or(0, |time| time.saturating_add(1));
    let lowest = tick.max(floor).max(above(old.as_ref().and_then(|old| old.stamp).map(|stamp| stamp.at)));
    let mut draft = Draft {
        item,
        stamp: Stamp { at: lowest, cells: 0, nonce: nonce() },
        cell_time: old.as_ref().map_or(0, |old| old.newest),
        row: None,
        entries: Vec::new(),
        expected: old.as_ref().and_then(|old| old.stamp_bytes.clone()),
        writes_cells: false,
        gone: None,
    };
    match (change, &old) {
        (Change::Put(new), old) => {
            let asked = Some(newest(new)).filter(|time| *time != LATEST_TIMESTAMP);
            if let (Some(asked), Some(old)) = (asked, old)
                && asked < old.asked()
            {
                return Ok(Drafted::Superseded);
            }
            let same = |old: &Old<'_>| {
                asked.is_some_and(|asked| asked <= old.newest) && same_cells(table, old.row, new)
            };
            // Cells that are there already stay as they are, so that a load that goes on writes the same.
            if !old.as_ref().is_some_and(same) {
                let floor = above(old.as_ref().map(|old| old.newest)).max(floor);
                draft.cell_time = asked.unwrap_or(lowest).max(floor);
                draft.writes_cells = true;
                draft.gone = old.as_ref().and_then(|old| gone_columns(table, old, new));
            }
            draft.row = Some(new);
            draft.stamp.cells = asked.unwrap_or(draft.cell_time);
        }
        (Change::Delete | Change::Refresh, None) => return Ok(Drafted::Absent),
        (Change::Delete, Some(old)) => draft.stamp.cells = old.asked(),
        (Change::Refresh, Some(old)) => {
            draft.stamp.cells = old.asked();
            draft.row = Some(old.row);
        }
    }
    draft.stamp.at = draft.stamp.at.max(draft.cell_time);
    let new = draft.row.map(|row| records.read(row)).transpose()?;
    for shape in shapes {
        let made = new.as_ref().map(|record| shape.entry(key, record)).transpose()?;
        // A row of another program may have no key in the index, and so no entry.
        let had = old.as_ref().and_then(|old| shape.key(key, &old.record).ok());
        let left = had.filter(|had| made.as_ref() != Some(had));
        draft.entries.push((made, left));
    }
    Ok(Drafted::Change(Box::new(draft)))
}

/// Adds the row that a put makes to a batch: its values, and those of the row as it is that it does not mention.
pub(super) fn complete(table: &Table, old: Option<RowView<'_>>, new: RowView<'_>, into: &mut RowBatch) {
    into.begin_row(new.key());
    for cell in new.cells().filter(|cell| !cell.kind.is_marker()) {
        into.push_cell(cell);
    }
    let timestamp = newest(new);
    for cell in old.iter().flat_map(|old| old.cells()) {
        let mentioned = new.cells().any(|own| column(own) == column(cell));
        if !mentioned && !is_mark(table, cell.family, cell.qualifier) {
            into.push_cell(CellView { timestamp, ..cell });
        }
    }
}

/// Adds the row that a put leaves where rows are replaced whole; `now` is the time of cells without one. `false`, and nothing added,
/// if the row is there with a later cell time, which hides the put.
pub(super) fn replacement(
    table: &Table,
    old: Option<RowView<'_>>,
    new: RowView<'_>,
    now: i64,
    into: &mut RowBatch,
) -> bool {
    let asked = Some(newest(new)).filter(|time| *time != LATEST_TIMESTAMP);
    let is_plain =
        new.cells().all(|cell| !cell.kind.is_marker() && !is_mark(table, cell.family, cell.qualifier));
    // Most loads bring the columns that are there, in the same order; then the row that is there has no stamp either.
    let is_alike = is_plain && old.is_some_and(|old| old.has_columns_of(&new));
    let stamp = |old| if is_alike { None } else { stamp_of(table, old) };
    let had = old.map(|old| stamp(old).map_or_else(|| newest(old), |(stamp, _)| stamp.cells));
    if asked.zip(had).is_some_and(|(asked, had)| asked < had) {
        return false;
    }
    let timestamp = asked.unwrap_or_else(|| now.max(had.unwrap_or(now)));
    if is_plain && (is_alike || old.is_none()) && new.cells().len() > 0 {
        into.push_row_at(new, timestamp);
        return true;
    }
    let mark = (mark_family(table), MARK);
    into.begin_row(new.key());
    let first = into.cell_count();
    for cell in new.cells() {
        if !cell.kind.is_marker() && column(cell) != mark {
            into.push_cell(CellView { timestamp, ..cell });
        }
    }
    for cell in old.iter().flat_map(|old| old.cells()) {
        let is_kept = column(cell) != mark && new.cells().all(|own| column(own) != column(cell));
        if is_kept {
            into.push_cell(CellView { timestamp, ..cell });
        }
    }
    keep_empty(table, first, timestamp, into);
    true
}

/// Adds a row as it is, without a stamp: where rows are replaced whole, none is needed.
pub(super) fn carry(table: &Table, row: RowView<'_>, into: &mut RowBatch) {
    let mut cells = row.cells();
    if cells.len() > 0 && cells.all(|cell| !is_mark(table, cell.family, cell.qualifier)) {
        return into.push_row(row);
    }
    into.begin_row(row.key());
    let first = into.cell_count();
    for cell in row.cells().filter(|cell| !is_mark(table, cell.family, cell.qualifier)) {
        into.push_cell(cell);
    }
    keep_empty(table, first, newest(row), into);
}

/// Lets the row begun last exist if it has no value.
fn keep_empty(table: &Table, first_cell: usize, timestamp: i64, into: &mut RowBatch) {
    if into.cell_count() == first_cell {
        into.cell(mark_family(table), MARK, timestamp, &[]);
    }
}

/// The newest timestamp of a row's cells.
fn newest(row: RowView<'_>) -> i64 {
    row.newest().unwrap_or(0)
}

fn column<'b>(cell: CellView<'b>) -> (&'b [u8], &'b [u8]) {
    (cell.family, cell.qualifier)
}

fn is_mark(table: &Table, family: &[u8], qualifier: &[u8]) -> bool {
    family == mark_family(table) && qualifier == MARK
}

fn same_cells(table: &Table, old: RowView<'_>, new: RowView<'_>) -> bool {
    let count =
        |row: RowView<'_>| row.cells().filter(|cell| !is_mark(table, cell.family, cell.qualifier)).count();
    count(old) == count(new)
        && new.cells().all(|cell| {
            is_mark(table, cell.family, cell.qualifier)
                || old.value(cell.family, cell.qualifier) == Some(cell.value)
        })
}

/// What hides the columns that the new row does not have.
fn gone_columns(table: &Table, old: &Old<'_>, new: RowView<'_>) -> Option<Delete> {
    let mut delete = Delete::row(old.row.key());
    for cell in old.row.cells() {
        if !is_mark(table, cell.family, cell.qualifier) && new.value(cell.family, cell.qualifier).is_none() {
            delete = delete.column_at(cell.family, cell.qualifier, cell.timestamp);
        }
    }
    Some(delete).filter(|delete| !delete.deletions.is_empty())
}

impl Draft<'_> {
    /// The mark of its entries.
    pub(super) fn mark(&self, state: State) -> Mark {
        Mark { state, stamp: Stamp { cells: self.cell_time, ..self.stamp } }
    }

    /// The mark that the entry it makes has until the data row is changed.
    pub(super) fn made_mark(&self) -> Mark {
        self.mark(if matches!(self.item.change, Change::Put(_)) { State::Pending } else { State::Unverified })
    }

    /// What it has marked in index tables and may remove, if the data row was not changed.
    pub(super) fn announces(&self, shapes: &[&Shape<'_>]) -> Vec<Announced> {
        let mut announced = Vec::new();
        for (index, ((made, left), shape)) in self.entries.iter().zip(shapes).enumerate() {
            let made =
                Some((made, self.made_mark(), self.row)).filter(|(_, mark, _)| mark.state != State::Pending);
            for (entry, mark, row) in made.into_iter().chain([(left, self.mark(State::Unverified), None)]) {
                announced.extend(entry.clone().map(|entry| {
                    let mark = shape.mark_bytes(mark, row);
                    Announced { index, entry, mark, at: self.stamp.at }
                }));
            }
        }
        announced
    }

    /// The change of the data row, done only if the row has the stamp that was read.
    pub(super) fn operation(&self, table: &Table) -> Operation {
        let row = self.item.key;
        let family = mark_family(table);
        let mut mutations: Vec<Mutation> = Vec::new();
        match (self.item.change, self.row) {
            (Change::Delete, _) | (_, None) => mutations.push(Delete::row_at(row, self.cell_time).into()),
            (_, Some(cells)) => {
                let mut put = Put::new(row).cell_at(family, MARK, self.cell_time, self.stamp.bytes());
                if self.writes_cells {
                    for cell in cells.cells().filter(|cell| !is_mark(table, cell.family, cell.qualifier)) {
                        put = put.cell_at(cell.family, cell.qualifier, self.cell_time, cell.value);
                    }
                }
                mutations.push(put.into());
                mutations.extend(self.gone.clone().map(Mutation::from));
            }
        }
        let condition = mark_is(family, self.expected.as_deref());
        CheckAndMutate { row: row.to_vec(), condition, time_range: TimeRange::ALL, mutations }.into()
    }
}

/// Whether the cell `_` has this value; `None` for no value.
pub(super) fn mark_is(family: &[u8], value: Option<&[u8]>) -> Condition {
    let (family, qualifier) = (family.to_vec(), MARK.to_vec());
    match value {
        None => Condition::Absent { family, qualifier },
        Some(value) => Condition::Value {
            family,
            qualifier,
            op: CompareOp::Equal,
            comparator: Comparator::Binary(value.to_vec()),
        },
    }
}
