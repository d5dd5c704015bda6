//! Reads the cells of one family.
//!
//! [`FamilyRead`] is what a get or a scan wants of a family: the columns, and what it may see of their versions.
//! [`RowWalk`] takes the cells of one row as they lie in the keyspace and adds those that are wanted, visible and let
//! through by the filter to a batch. Gets and scans differ only in how they reach the cells.

use std::sync::Arc;

use fjall::{Keyspace, UserKey};
use rowkey_store::filter::{RunningFilter, Verdict as FilterVerdict};
use rowkey_store::{CellView, Columns, RowBatch, TimeRange};

use crate::EmbeddedError;
use crate::layout::cell::{self, KeyDamage};
use crate::layout::packed;
use crate::table::{OpenFamily, Table};
use crate::visible::{ReadScope, Sight, Verdict, Visibility};

/// What a read wants of one family.
pub(crate) struct FamilyRead {
    pub(crate) keyspace: Keyspace,
    pub(crate) wanted: Wanted,
    /// Whether markers of the whole family may be there.
    pub(crate) may_have_family_markers: bool,
    name: Arc<str>,
    visibility: Visibility,
    raw: bool,
    /// How many versions of a column are returned of those that a filter lets through.
    versions_after_filter: u32,
}

/// The columns of a family that a read wants.
pub(crate) enum Wanted {
    /// Every column.
    All,
    /// These, by their packed qualifiers, sorted.
    Only(Vec<Vec<u8>>),
}

impl Wanted {
    fn contains(&self, packed: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Only(columns) => columns.binary_search_by(|column| column.as_slice().cmp(packed)).is_ok(),
        }
    }
}

/// What a read asks for.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) columns: &'a Columns,
    pub(crate) versions: u32,
    pub(crate) time_range: TimeRange,
    pub(crate) raw: bool,
    pub(crate) has_filter: bool,
    /// When the read began.
    pub(crate) now: i64,
}

/// What a read wants of each family that it touches, in the order of families.
pub(crate) fn families(table: &Table, question: &Question<'_>) -> Vec<FamilyRead> {
    let columns = question.columns;
    let touched = table.families.iter().filter(|open| columns.touches_family(open.family.name.as_bytes()));
    touched
        .map(|open| {
            let wanted = wanted(open, columns);
            let asked = ReadScope {
                now: question.now,
                // With a filter, versions are counted after it.
                versions: if question.has_filter { u32::MAX } else { question.versions },
                time_range: question.time_range,
                raw: question.raw,
                by_name: matches!(wanted, Wanted::Only(_)),
            };
            let kept = if question.raw { u32::MAX } else { open.family.versions };
            FamilyRead {
                keyspace: open.keyspace.clone(),
                wanted,
                may_have_family_markers: open.may_have_family_markers(),
                name: Arc::clone(&open.name),
                visibility: Visibility::new(&open.family, asked),
                raw: question.raw,
                versions_after_filter: question.versions.min(kept),
            }
        })
        .collect()
}

fn wanted(open: &OpenFamily, columns: &Columns) -> Wanted {
    let Columns::Only(columns) = columns else {
        return Wanted::All;
    };
    let of_family = columns.iter().filter(|(family, _)| family == open.family.name.as_bytes());
    let mut packed_qualifiers = Vec::new();
    for (_, qualifier) in of_family {
        let Some(qualifier) = qualifier else {
            return Wanted::All;
        };
        packed_qualifiers.push(pack(qualifier));
    }
    packed_qualifiers.sort();
    packed_qualifiers.dedup();
    Wanted::Only(packed_qualifiers)
}

fn pack(qualifier: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(qualifier.len() + 2);
    packed::encode(qualifier, &mut packed);
    packed
}

impl FamilyRead {
    /// The error for a key that names no cell.
    pub(crate) fn damaged(&self, key: &[u8], source: KeyDamage) -> EmbeddedError {
        EmbeddedError::DamagedKey { keyspace: self.keyspace.name().to_string(), key: key.to_vec(), source }
    }
}

/// The way through the cells of one row in one family, column by column, version by version.
#[derive(Default)]
pub(crate) struct RowWalk {
    row_end: usize,
    /// The last cell's key, and where its qualifier ends.
    last: Option<(UserKey, usize)>,
    sight: Sight,
    /// Nothing more of the current column is returned.
    column_over: bool,
    /// Nothing more of the family is returned.
    family_over: bool,
    /// How many cells of the current column the filter has included.
    included: u32,
    /// Columns below this one, packed, are passed over.
    from_column: Option<Vec<u8>>,
    /// Versions of the current column newer than this are passed over.
    from_time: Option<i64>,
    /// For a qualifier that is to be decoded.
    qualifier: Vec<u8>,
}

impl RowWalk {
    /// Starts a row whose packed form has `row_end` bytes.
    pub(crate) fn begin(&mut self, row_end: usize) {
        self.row_end = row_end;
        self.last = None;
        self.sight.begin_row();
        (self.column_over, self.family_over, self.included) = (false, false, 0);
        (self.from_column, self.from_time) = (None, None);
    }

    /// Whether nothing more of the column of the last cell will be returned.
    pub(crate) fn column_is_over(&self) -> bool {
        self.column_over || self.family_over
    }

    /// Whether nothing more of the family will be returned.
    pub(crate) fn family_is_over(&self) -> bool {
        self.family_over
    }

    /// Whether a cell lies in the same row as the last one.
    #[inline]
    pub(crate) fn goes_on_with(&self, key: &[u8]) -> bool {
        let row = self.last.as_ref().and_then(|(last, _)| last.get(..self.row_end));
        row.is_some_and(|row| key.starts_with(row))
    }

    /// Takes the row's next cell, and adds it to `batch` if the read returns it.
    pub(crate) fn offer(
        &mut self,
        read: &FamilyRead,
        key: UserKey,
        value: &[u8],
        filter: Option<&mut RunningFilter>,
        batch: &mut RowBatch,
    ) -> Result<(), EmbeddedError> {
        let parts = cell::parse(&key, self.row_end).map_err(|damage| read.damaged(&key, damage))?;
        let column = key.get(self.row_end..parts.qualifier_end).unwrap_or_default();
        let same_column = match &self.last {
            Some((last, end)) => last.get(self.row_end..*end) == Some(column),
            None => false,
        };
        if !same_column {
            self.sight.begin_column();
            (self.included, self.from_time) = (0, None);
            self.column_over = !read.wanted.contains(column)
                || self.from_column.as_ref().is_some_and(|from| column < from.as_slice());
        }
        if parts.kind.is_of_family() && !read.raw {
            self.sight.take_family_marker(parts.timestamp, parts.kind);
        } else if !self.column_over && !self.family_over {
            let verdict = self.sight.judge(&read.visibility, parts.timestamp, parts.kind);
            self.column_over = matches!(verdict, Verdict::NoMore | Verdict::VisibleAndLast);
            if matches!(verdict, Verdict::Visible | Verdict::VisibleAndLast) {
                let qualifier = cell::read_qualifier(column, &mut self.qualifier)
                    .map_err(|damage| read.damaged(&key, damage))?;
                let cell = CellView {
                    family: read.name.as_bytes(),
                    qualifier,
                    timestamp: parts.timestamp,
                    kind: parts.kind,
                    value,
                };
                match filter {
                    None => batch.push_cell(cell),
                    Some(filter) => {
                        let next = filtered(read, cell, filter, self.from_time, &mut self.included, batch);
                        self.go_on(next);
                    }
                }
            }
        }
        self.last = Some((key, parts.qualifier_end));
        Ok(())
    }

    fn go_on(&mut self, next: Next) {
        match next {
            Next::Version => {}
            Next::Column => self.column_over = true,
            Next::Family => self.family_over = true,
            Next::FromColumn(qualifier) => {
                self.column_over = true;
                self.from_column = Some(pack(&qualifier));
            }
            Next::FromTime(time) => self.from_time = Some(time),
        }
    }
}

/// Where a walk goes on after a cell that the filter has judged.
enum Next {
    Version,
    Column,
    Family,
    FromColumn(Vec<u8>),
    FromTime(i64),
}

fn filtered(
    read: &FamilyRead,
    cell: CellView<'_>,
    filter: &mut RunningFilter,
    from_time: Option<i64>,
    included: &mut u32,
    batch: &mut RowBatch,
) -> Next {
    if filter.is_done() {
        return Next::Family;
    }
    if from_time.is_some_and(|from| cell.timestamp > from) {
        return Next::Version;
    }
    let verdict = filter.judge(&cell);
    let mut is_past = false;
    if verdict.includes() {
        *included += 1;
        is_past = *included > read.versions_after_filter;
        if !is_past {
            match filter.value_form().replacement(cell.value) {
                Some(value) => batch.push_cell(CellView { value: &value, ..cell }),
                None => batch.push_cell(cell),
            }
        }
    }
    match verdict {
        FilterVerdict::NextRow | FilterVerdict::IncludeAndNextRow => Next::Family,
        FilterVerdict::NextColumn | FilterVerdict::IncludeAndNextColumn => Next::Column,
        FilterVerdict::SeekColumn(qualifier) => Next::FromColumn(qualifier),
        FilterVerdict::SeekTime(time) => Next::FromTime(time),
        FilterVerdict::Include | FilterVerdict::Skip if is_past => Next::Column,
        FilterVerdict::Include | FilterVerdict::Skip => Next::Version,
    }
}

/// Ends a row whose cells were added to `batch` from `first_cell` on, and takes back what the filter leaves out now that
/// the row is whole.
pub(crate) fn end_row(filter: Option<&mut RunningFilter>, first_cell: usize, batch: &mut RowBatch) {
    let is_empty = |batch: &RowBatch| batch.cell_count() == first_cell;
    let kept = match filter {
        None => !is_empty(batch),
        Some(filter) => {
            if filter.judges_rows()
                && let Some(row) = batch.len().checked_sub(1).and_then(|last| batch.row(last))
                && row.cells().any(|cell| filter.drops(&cell))
            {
                let mut rest = RowBatch::new();
                rest.begin_row(row.key());
                row.cells().filter(|cell| !filter.drops(cell)).for_each(|cell| rest.push_cell(cell));
                batch.pop_row();
                rest.rows().for_each(|row| batch.push_row(row));
            }
            filter.end_row(!is_empty(batch))
        }
    };
    if !kept {
        batch.pop_row();
    }
}
