//! Reads of the model.
//!
//! In HBase's order: hidden cells and cells past their time go, then those outside the time range, then the columns
//! that were not requested, then the versions that the family does not keep, then what the filter leaves out, then the
//! versions that the read did not ask for.

use std::cmp::Reverse;

use rowkey_core::range::KeyRange;

use super::{CellOrder, ModelFault, Stored, Table};
use crate::filter::{Filter, RunningFilter, ValueForm, Verdict};
use crate::{CellKind, CellView, Columns, Direction, Family, Get, RowBatch, Scan, StoreError, TimeRange};

/// A cell of one row and family.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) family: Vec<u8>,
    pub(super) qualifier: Vec<u8>,
    pub(super) timestamp: i64,
    pub(super) kind: CellKind,
    pub(super) value: Vec<u8>,
    pub(super) nth_written: u64,
}

impl Cell {
    fn view(&self) -> CellView<'_> {
        let Self { family, qualifier, timestamp, kind, value, .. } = self;
        CellView { family, qualifier, timestamp: *timestamp, kind: *kind, value }
    }
}

/// What a read asks of each row.
#[derive(Clone, Copy)]
struct ReadScope<'a> {
    columns: &'a Columns,
    versions: u32,
    time_range: TimeRange,
    raw: bool,
    has_filter: bool,
    now: i64,
}

impl Table {
    pub(super) fn get(&mut self, get: &Get, now: i64, into: &mut RowBatch) -> Result<bool, StoreError> {
        if !self.has(ModelFault::RulesNotChecked) {
            self.descriptor.validate_get(get)?;
        }
        if self.has(ModelFault::UnknownRowIsError) && !self.cells.keys().any(|(row, ..)| *row == get.row) {
            return Err(StoreError::EmptyRow { row: get.row.clone() });
        }
        let asked = ReadScope {
            columns: &get.columns,
            versions: get.versions,
            time_range: get.time_range,
            raw: false,
            has_filter: get.filter.is_some(),
            now,
        };
        let mut filter = self.start_filter(get.filter.as_ref(), Direction::Forward)?;
        let cells = self.read_row(&get.row, &asked, &mut filter);
        self.count(&get.row, 1, 0);
        Ok(add(into, &get.row, &cells))
    }

    pub(super) fn count(&mut self, row: &[u8], reads: u64, writes: u64) {
        if self.has(ModelFault::RequestsNotCounted) {
            return;
        }
        if let Some(region) = self.region_of(row) {
            region.reads += reads;
            region.writes += writes;
        }
    }

    fn start_filter(
        &self,
        filter: Option<&Filter>,
        direction: Direction,
    ) -> Result<Option<RunningFilter>, StoreError> {
        let ignored = match self.fault {
            Some(ModelFault::FilterIgnored(name)) => Some(name),
            _ => None,
        };
        let good = |filter: &&Filter| !self.has(ModelFault::RulesNotChecked) || filter.validate().is_ok();
        let filter = filter.filter(good).map(|filter| match filter {
            // A list inside a list is asked in its turn only.
            Filter::All(filters) if self.has(ModelFault::HintsAskedInTurnOnly) => {
                Filter::All(filters.iter().map(|filter| Filter::All(vec![filter.clone()])).collect())
            }
            filter => without(filter, ignored),
        });
        let start = |filter: Filter| match filter {
            Filter::All(_) if self.has(ModelFault::HintsFollowedBackwards) => {
                RunningFilter::start(&filter, Direction::Forward, 7)
            }
            filter => RunningFilter::start(&filter, direction, 7),
        };
        filter.map(start).transpose()
    }

    pub(super) fn scan(&mut self, scan: &Scan, now: i64) -> Result<RowBatch, StoreError> {
        if !self.has(ModelFault::RulesNotChecked) {
            self.descriptor.validate_scan(scan)?;
        }
        let direction =
            if self.has(ModelFault::ReverseIsForward) { Direction::Forward } else { scan.direction };
        let mut ranges = self.ranges();
        if self.has(ModelFault::LastRegionMissed) && ranges.len() > 1 {
            ranges.pop();
        }
        if direction == Direction::Reverse {
            ranges.reverse();
        }
        let asked = ReadScope {
            columns: &scan.columns,
            versions: scan.versions,
            time_range: scan.time_range,
            raw: scan.raw,
            has_filter: scan.filter.is_some(),
            now,
        };
        let mut out = RowBatch::new();
        let mut left = scan.limit.unwrap_or(usize::MAX);
        let mut running = None;
        let wanted = self.moved_bounds(&scan.range);
        for range in ranges {
            if self.has(ModelFault::LimitPerRegion) {
                left = scan.limit.unwrap_or(usize::MAX);
            }
            if running.is_none() || !self.has(ModelFault::FilterOverAllRegions) {
                running = Some(self.start_filter(scan.filter.as_ref(), direction)?);
            }
            let filter = running.as_mut().expect("set above");
            let mut rows = self.rows_in(&self.with_border(range.clone()).intersect(&wanted));
            if self.has(ModelFault::RowsSortSigned) {
                rows.sort_by_key(|row| row.iter().map(|byte| byte.cast_signed()).collect::<Vec<i8>>());
            }
            if direction == Direction::Reverse {
                rows.reverse();
            }
            let mut found_here = 0;
            for row in rows {
                if left == 0 || filter.as_ref().is_some_and(RunningFilter::is_done) {
                    break;
                }
                let mut cells = self.read_row(&row, &asked, filter);
                if self.has(ModelFault::ReverseTurnsCells) && direction == Direction::Reverse {
                    cells.reverse();
                }
                let pieces = scan.cells_per_result.filter(|_| !self.has(ModelFault::PiecesIgnored));
                let mut found = 0;
                for piece in cells.chunks(pieces.unwrap_or(usize::MAX)) {
                    found += 1;
                    if self.has(ModelFault::PiecesDropRest) && found > 1 {
                        break;
                    }
                    if self.has(ModelFault::PiecesCountAsRows) && found > left {
                        break;
                    }
                    add(&mut out, &row, piece);
                }
                if cells.is_empty() && self.has(ModelFault::EmptyRowsReturned) {
                    out.begin_row(&row);
                }
                if found > 0 {
                    found_here += 1;
                    self.count(&row, 1, 0);
                }
                if found > 0 || self.has(ModelFault::LimitCountsEmptyRows) {
                    let counted = if self.has(ModelFault::PiecesCountAsRows) { found } else { 1 };
                    left = left.saturating_sub(counted);
                }
                if self.has(ModelFault::LimitIgnored) {
                    left = usize::MAX;
                }
            }
            let over = filter.as_ref().is_some_and(RunningFilter::is_done);
            if over && found_here == 0 {
                break;
            }
        }
        Ok(out)
    }

    fn with_border(&self, range: KeyRange) -> KeyRange {
        use std::ops::Bound;
        match range.end {
            Bound::Excluded(end) if self.has(ModelFault::BorderRowTwice) => {
                KeyRange { end: Bound::Included(end), ..range }
            }
            _ => range,
        }
    }

    fn moved_bounds(&self, range: &KeyRange) -> KeyRange {
        use std::ops::Bound::{Excluded, Included};
        let mut range = range.clone();
        range.start = match range.start {
            Included(key) if self.has(ModelFault::StartExcluded) => Excluded(key),
            Excluded(key) if self.has(ModelFault::StartIncluded) => Included(key),
            other => other,
        };
        range.end = match range.end {
            Included(key) if self.has(ModelFault::EndExcluded) => Excluded(key),
            Excluded(key) if self.has(ModelFault::EndIncluded) => Included(key),
            other => other,
        };
        range
    }

    pub(super) fn cells_of(&self, row: &[u8], family: &Family) -> Vec<Cell> {
        let name = family.name.as_bytes();
        let first: CellOrder = (row.to_vec(), name.to_vec(), Vec::new(), Reverse(i64::MAX), Reverse(u8::MAX));
        let of_family = self.cells.range(first..).take_while(|((r, f, ..), _)| r == row && f == name);
        let mut cells: Vec<Cell> = of_family
            .filter_map(
                |((_, family, qualifier, Reverse(timestamp), Reverse(code)), (value, nth)): (
                    &CellOrder,
                    &Stored,
                )| {
                    Some(Cell {
                        family: family.clone(),
                        qualifier: qualifier.clone(),
                        timestamp: *timestamp,
                        kind: CellKind::from_code(*code)?,
                        value: value.clone(),
                        nth_written: *nth,
                    })
                },
            )
            .collect();
        if self.has(ModelFault::CellsInOrderOfWriting) {
            cells.sort_by_key(|cell| cell.nth_written);
        }
        if self.has(ModelFault::OldestVersionFirst) {
            cells.sort_by(|a, b| (&a.qualifier, a.timestamp).cmp(&(&b.qualifier, b.timestamp)));
        }
        if self.has(ModelFault::LaterWriteWins) {
            cells.sort_by(|a, b| {
                (&a.qualifier, Reverse(a.nth_written)).cmp(&(&b.qualifier, Reverse(b.nth_written)))
            });
        }
        cells
    }

    fn read_row(&self, row: &[u8], asked: &ReadScope<'_>, filter: &mut Option<RunningFilter>) -> Vec<Cell> {
        let mut found = Vec::new();
        if filter.as_mut().is_some_and(|filter| filter.begin_row(row)) {
            return found;
        }
        let mut families: Vec<&Family> = self.descriptor.families.iter().collect();
        families.sort_by_key(|family| family.name.as_bytes());
        let row_cells: Vec<Cell> = families.iter().flat_map(|family| self.cells_of(row, family)).collect();
        for family in families {
            if !asked.columns.touches_family(family.name.as_bytes()) && !self.has(ModelFault::ColumnsIgnored)
            {
                continue;
            }
            let cells = self.unfiltered(family, self.cells_of(row, family), &row_cells, asked);
            let ended = self.filtered(family, cells, asked, filter, &mut found);
            if ended && self.has(ModelFault::NextRowEndsRow) {
                break;
            }
        }
        if let Some(filter) = filter {
            if !self.has(ModelFault::FilterRowIgnored) {
                found.retain(|cell: &Cell| !filter.drops(&cell.view()));
            }
            let kept = if self.has(ModelFault::FilterKeepsState) {
                !found.is_empty()
            } else {
                filter.end_row(!found.is_empty()) || self.has(ModelFault::FilterRowIgnored)
            };
            if !kept {
                found.clear();
            }
        }
        found
    }

    /// Everything but the filter.
    fn unfiltered(
        &self,
        family: &Family,
        mut cells: Vec<Cell>,
        row: &[Cell],
        asked: &ReadScope<'_>,
    ) -> Vec<Cell> {
        let ttl_family = match self.descriptor.families.first() {
            Some(first) if self.has(ModelFault::TtlOfFirstFamilyForAll) => first,
            _ => family,
        };
        let expires =
            !(asked.raw && !self.has(ModelFault::RawHidesExpired) || self.has(ModelFault::TtlIgnored));
        let oldest =
            match ttl_family.ttl_seconds.filter(|seconds| expires && *seconds < i32::MAX.cast_unsigned()) {
                Some(seconds) => asked.now - i64::from(seconds) * 1000,
                None => i64::MIN,
            };
        let min_versions = if self.has(ModelFault::MinVersionsIgnored) { 0 } else { family.min_versions };
        let expired = |cell: &Cell| cell.timestamp < oldest;
        if !asked.raw || self.has(ModelFault::RawHidesDeletedCells) {
            let in_view = |marker: &&Cell| {
                !self.has(ModelFault::MarkersOutsideTimeRangeIgnored)
                    || asked.time_range.contains(marker.timestamp)
            };
            let markers: Vec<Cell> =
                row.iter().filter(|cell| cell.kind.is_marker()).filter(in_view).cloned().collect();
            let hidden = |cell: &Cell| markers.iter().any(|marker| self.hides(marker, cell));
            if !(self.has(ModelFault::HiddenCellsCountAsVersions)
                || (asked.has_filter && self.has(ModelFault::FilterSeesHiddenCells)))
            {
                cells.retain(|cell| cell.kind.is_marker() || !hidden(cell));
            }
        }
        if !asked.raw && !self.has(ModelFault::MarkersReturned)
            || asked.raw && self.has(ModelFault::RawHidesMarkers)
        {
            cells.retain(|cell| !cell.kind.is_marker());
        }
        if min_versions == 0 {
            cells.retain(|cell| !expired(cell));
        }
        if self.has(ModelFault::TimeRangeOfNewestOnly) {
            let mut newest = cells.clone();
            newest.dedup_by(|b, a| a.qualifier == b.qualifier);
            cells.retain(|cell| {
                newest.iter().any(|n| n.qualifier == cell.qualifier && asked.time_range.contains(n.timestamp))
            });
        } else if !self.has(ModelFault::TimeRangeAfterVersions) {
            cells.retain(|cell| self.in_range(&asked.time_range, cell.timestamp));
        }
        let named = matches!(asked.columns, Columns::Only(columns) if columns.iter().all(|(f, q)| {
            f != family.name.as_bytes() || q.is_some()
        }));
        if !self.has(ModelFault::ColumnsIgnored) {
            cells.retain(|cell| asked.columns.contains(&cell.family, &cell.qualifier));
        }
        if self.has(ModelFault::FamilyAskedForIsFirstColumn)
            && !named
            && matches!(asked.columns, Columns::Only(_))
        {
            let first = cells.first().map(|cell| cell.qualifier.clone());
            cells.retain(|cell| Some(&cell.qualifier) == first.as_ref());
        }
        let read_versions = if self.has(ModelFault::ReadVersionsIgnored) { u32::MAX } else { asked.versions };
        let family_versions =
            if self.has(ModelFault::FamilyVersionsIgnored) { u32::MAX } else { family.versions };
        let most = match (asked.raw, asked.has_filter && !self.has(ModelFault::VersionsBeforeFilter)) {
            (true, true) => u32::MAX,
            (true, false) if self.has(ModelFault::RawIgnoresVersions) => u32::MAX,
            (true, false) => read_versions,
            (false, true) => family_versions,
            (false, false) => read_versions.min(family_versions),
        };
        let most = if self.has(ModelFault::OnlyNewestVersion) { 1 } else { most };
        let mut kept = Vec::new();
        let (mut column, mut nth, mut over) = (None, 0u32, false);
        for cell in cells {
            if column.as_ref() != Some(&cell.qualifier)
                && !(self.has(ModelFault::VersionsCountedOverColumns) && column.is_some())
            {
                (column, nth, over) = (Some(cell.qualifier.clone()), 0, false);
            }
            if over {
                continue;
            }
            nth += u32::from(!cell.kind.is_marker());
            if named && !self.has(ModelFault::NamedColumnsHideOneMore) {
                // Named columns: the version that fulfils the number is the last one returned.
                over = nth >= most || (nth >= min_versions && expired(&cell));
                kept.push(cell);
            } else if nth > most || (nth > min_versions && expired(&cell)) {
                over = true;
            } else {
                kept.push(cell);
            }
        }
        if self.has(ModelFault::TimeRangeAfterVersions) {
            kept.retain(|cell| asked.time_range.contains(cell.timestamp));
        }
        if self.has(ModelFault::HiddenCellsCountAsVersions) && !asked.raw {
            kept.retain(|cell| {
                let mut markers = row.iter().filter(|other| other.kind.is_marker());
                !markers.any(|marker| self.hides(marker, cell))
            });
        }
        kept
    }

    fn in_range(&self, range: &TimeRange, timestamp: i64) -> bool {
        if self.has(ModelFault::TimeRangeIgnored) {
            return true;
        }
        if self.has(ModelFault::TimeRangeEndIncluded) && timestamp == range.max() {
            return true;
        }
        if self.has(ModelFault::TimeRangeStartExcluded) && !range.is_all() && timestamp == range.min() {
            return false;
        }
        range.contains(timestamp)
    }

    /// The cells that the filter and the read's own number of versions leave; whether the family ended early.
    fn filtered(
        &self,
        family: &Family,
        cells: Vec<Cell>,
        asked: &ReadScope<'_>,
        filter: &mut Option<RunningFilter>,
        found: &mut Vec<Cell>,
    ) -> bool {
        let Some(filter) = filter else {
            found.extend(cells);
            return false;
        };
        let most = if asked.raw { asked.versions } else { asked.versions.min(family.versions) };
        let most = if self.has(ModelFault::VersionsAfterFilterIgnored) { u32::MAX } else { most };
        let mut included: Option<(Vec<u8>, u32)> = None;
        // What the last verdict passes over.
        let mut passed_over: Box<dyn Fn(&Cell) -> bool> = Box::new(|_| false);
        for mut cell in cells {
            if filter.is_done() {
                return true;
            }
            if passed_over(&cell) {
                continue;
            }
            let verdict = filter.judge(&cell.view());
            let column = cell.qualifier.clone();
            let mut next_column = matches!(verdict, Verdict::NextColumn | Verdict::IncludeAndNextColumn);
            if verdict.includes() {
                let count = match included.take() {
                    Some((of, count)) if of == column => count + 1,
                    _ => 1,
                };
                included = Some((column.clone(), count));
                if count <= most {
                    let form = match filter.value_form() {
                        ValueForm::LengthOf(_) if self.has(ModelFault::KeyOnlyAppliedOnce) => {
                            ValueForm::Length
                        }
                        form => form,
                    };
                    if let Some(value) = form.replacement(&cell.value) {
                        cell.value = value;
                    }
                    found.push(cell);
                } else {
                    next_column = true;
                }
            }
            match verdict {
                Verdict::NextRow | Verdict::IncludeAndNextRow => return true,
                Verdict::SeekColumn(to) => passed_over = Box::new(move |cell| cell.qualifier < to),
                Verdict::SeekTime(to) => {
                    passed_over = Box::new(move |cell| cell.qualifier == column && cell.timestamp > to);
                }
                _ if next_column => passed_over = Box::new(move |cell| cell.qualifier == column),
                _ => {}
            }
        }
        false
    }
}

/// Adds a row if it has cells.
fn add(into: &mut RowBatch, row: &[u8], cells: &[Cell]) -> bool {
    if cells.is_empty() {
        return false;
    }
    into.begin_row(row);
    cells.iter().for_each(|cell| into.push_cell(cell.view()));
    true
}

/// The filter with all filters of one name taken out of it: they let everything through.
fn without(filter: &Filter, ignored: Option<&str>) -> Filter {
    if ignored == Some(filter.name()) {
        return match filter {
            // A wrapper or list that is ignored leaves what is inside.
            Filter::WhileMatch(inner) | Filter::Skip(inner) => (**inner).clone(),
            Filter::All(filters) => Filter::One(filters.clone()),
            Filter::One(filters) => Filter::All(filters.clone()),
            _ => Filter::All(Vec::new()),
        };
    }
    let all = |filters: &[Filter]| filters.iter().map(|filter| without(filter, ignored)).collect();
    match filter {
        Filter::WhileMatch(inner) => Filter::WhileMatch(Box::new(without(inner, ignored))),
        Filter::Skip(inner) => Filter::Skip(Box::new(without(inner, ignored))),
        Filter::All(filters) => Filter::All(all(filters)),
        Filter::One(filters) => Filter::One(all(filters)),
        other => other.clone(),
    }
}
