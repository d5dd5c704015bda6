//! Writes and compactions of the model.

use std::cmp::Reverse;

use super::read::Cell;
use super::{ModelFault, Table};
use crate::{
    ALL_VERSIONS, CellKind, CellView, CheckAndMutate, Columns, Condition, Deletion, Get, LATEST_TIMESTAMP,
    Mutation, Operation, Outcome, RowBatch, RowMutations, StoreError, TimeRange,
};

impl Table {
    /// Whether a marker hides a cell of the same row.
    pub(super) fn hides(&self, marker: &Cell, cell: &Cell) -> bool {
        if self.has(ModelFault::MarkersHideOnlyEarlierWrites) && marker.nth_written < cell.nth_written {
            return false;
        }
        let same_family = marker.family == cell.family
            || (self.has(ModelFault::FamilyMarkerHidesOtherFamilies)
                && marker.kind == CellKind::DeleteFamily);
        let same_column =
            marker.qualifier == cell.qualifier || self.has(ModelFault::ColumnMarkerHidesOtherColumns);
        let up_to = |exactly: ModelFault, newer: ModelFault| {
            (cell.timestamp <= marker.timestamp || self.has(newer))
                && (cell.timestamp == marker.timestamp || !self.has(exactly))
        };
        let exactly = |older: ModelFault| {
            cell.timestamp == marker.timestamp || (cell.timestamp < marker.timestamp && self.has(older))
        };
        same_family
            && match marker.kind {
                CellKind::Put => false,
                CellKind::DeleteFamily => {
                    up_to(ModelFault::FamilyMarkerHidesOnlyItsTime, ModelFault::FamilyMarkerHidesNewer)
                        && !self.has(ModelFault::FamilyMarkersIgnored)
                }
                CellKind::DeleteFamilyVersion => {
                    exactly(ModelFault::FamilyVersionMarkerHidesOlder)
                        && !self.has(ModelFault::FamilyVersionMarkersIgnored)
                }
                CellKind::DeleteColumn => {
                    same_column
                        && up_to(ModelFault::ColumnMarkerHidesOnlyItsTime, ModelFault::ColumnMarkerHidesNewer)
                        && !self.has(ModelFault::ColumnMarkersIgnored)
                }
                CellKind::Delete => {
                    same_column
                        && exactly(ModelFault::VersionMarkerHidesOlder)
                        && !self.has(ModelFault::VersionMarkersIgnored)
                }
            }
    }

    fn store(&mut self, row: &[u8], cell: CellView<'_>, now: i64) {
        let keeps_latest = self.has(ModelFault::LatestTimestampKept);
        let timestamp = match cell.timestamp {
            LATEST_TIMESTAMP if !keeps_latest => now,
            other => other,
        };
        let is_put = cell.kind == CellKind::Put;
        if is_put && cell.value.is_empty() && self.has(ModelFault::EmptyValuesLost) {
            return;
        }
        let mut value = cell.value.to_vec();
        if self.has(ModelFault::LargeValuesCut) {
            value.truncate(65_536);
        }
        let row = if self.has(ModelFault::LongRowsCut) { row.get(..1024).unwrap_or(row) } else { row };
        let place = (
            row.to_vec(),
            cell.family.to_vec(),
            cell.qualifier.to_vec(),
            Reverse(timestamp),
            Reverse(cell.kind.code()),
        );
        self.written += 1;
        if self.has(ModelFault::FirstWriteWinsAtOneTime) && self.cells.contains_key(&place) {
            return;
        }
        if !is_put && self.has(ModelFault::DeleteRemovesCellsAtOnce) {
            let at =
                |place: &super::CellOrder| place.0 == row && place.1 == cell.family && place.3.0 <= timestamp;
            self.cells
                .retain(|place, _| !(at(place) && (cell.kind.is_of_family() || place.2 == cell.qualifier)));
            return;
        }
        self.cells.insert(place.clone(), (value, self.written));
        if !is_put && self.has(ModelFault::MarkerHidesOtherRows) {
            let others: Vec<Vec<u8>> =
                self.rows_in(&rowkey_core::range::KeyRange::prefix(row.get(..2).unwrap_or(row)));
            for other in others {
                self.cells
                    .insert((other, place.1.clone(), place.2.clone(), place.3, place.4), (Vec::new(), 0));
            }
        }
    }

    pub(super) fn put_batch(&mut self, rows: &RowBatch, now: i64) -> Result<(), StoreError> {
        if !self.has(ModelFault::RulesNotChecked) {
            self.descriptor.validate_rows(rows)?;
        }
        for row in rows.rows() {
            let cells: Vec<CellView<'_>> = row.cells().collect();
            self.put(row.key(), &cells, now);
            self.count(row.key(), 0, 1);
        }
        Ok(())
    }

    fn put(&mut self, row: &[u8], cells: &[CellView<'_>], now: i64) {
        let lost = usize::from(self.has(ModelFault::LastCellOfPutLost) && cells.len() > 1);
        for cell in cells.iter().take(cells.len() - lost) {
            self.store(row, *cell, now);
        }
    }

    pub(super) fn batch(&mut self, operations: &[Operation], now: i64) -> Vec<Result<Outcome, StoreError>> {
        let before = self.cells.clone();
        let mut results = Vec::with_capacity(operations.len());
        let mut failed = false;
        for operation in operations {
            let result = if failed && self.has(ModelFault::BatchEndsAtFirstFailure) {
                Ok(Outcome::default())
            } else {
                self.operate(operation, now)
            };
            failed |= result.is_err();
            results.push(result);
        }
        if failed && self.has(ModelFault::BatchAllOrNothing) {
            self.cells = before;
        }
        results
    }

    fn operate(&mut self, operation: &Operation, now: i64) -> Result<Outcome, StoreError> {
        if !self.has(ModelFault::RulesNotChecked) {
            self.descriptor.validate_operation(operation)?;
        }
        let mut outcome = Outcome::default();
        match operation {
            Operation::Get(get) => {
                if !self.has(ModelFault::BatchGetAnswersNothing) {
                    self.get(get, now, &mut outcome.rows)?;
                }
                return Ok(outcome);
            }
            Operation::Mutate(mutation) => {
                self.mutate(std::slice::from_ref(mutation), now, now, &mut outcome.rows)?
            }
            Operation::MutateRow(RowMutations { mutations, .. }) => {
                let most = if self.has(ModelFault::RowMutationsFirstOnly) { 1 } else { usize::MAX };
                self.mutate(mutations.get(..most).unwrap_or(mutations), now, now, &mut outcome.rows)?;
            }
            Operation::CheckAndMutate(check) => {
                let (holds, seen) = self.holds(check, now)?;
                let holds = (holds || self.has(ModelFault::CheckAlwaysHolds))
                    && !self.has(ModelFault::CheckNeverHolds);
                outcome.matched = Some(holds);
                if holds {
                    let most = if self.has(ModelFault::CheckDoesFirstOnly) { 1 } else { usize::MAX };
                    let mutations = check.mutations.get(..most).unwrap_or(&check.mutations);
                    // A put must not be older than what the check has seen.
                    let put_time = now.max(seen.unwrap_or(0));
                    self.mutate(mutations, now, put_time, &mut outcome.rows)?;
                }
            }
        }
        self.count(operation.row(), 0, 1);
        Ok(outcome)
    }

    /// Does all mutations of one row or, if one is refused, none.
    fn mutate(
        &mut self,
        mutations: &[Mutation],
        now: i64,
        put_time: i64,
        answer: &mut RowBatch,
    ) -> Result<(), StoreError> {
        let before = self.clone();
        let mut done = Ok(());
        for mutation in mutations {
            done = done.and_then(|()| self.apply(&before, mutation, now, put_time, answer));
        }
        if self.has(ModelFault::AnswersOfRowSorted)
            && let Some(row) = answer.row(0)
        {
            let mut cells: Vec<CellView<'_>> = row.cells().collect();
            cells.sort_by_key(|cell| (cell.family, cell.qualifier));
            let mut sorted = RowBatch::new();
            sorted.begin_row(row.key());
            cells.into_iter().for_each(|cell| sorted.push_cell(cell));
            *answer = sorted;
        }
        if done.is_err() && !self.has(ModelFault::RowMutationsNotWhole) {
            self.cells = before.cells;
        }
        done
    }

    fn apply(
        &mut self,
        before: &Self,
        mutation: &Mutation,
        now: i64,
        put_time: i64,
        answer: &mut RowBatch,
    ) -> Result<(), StoreError> {
        match mutation {
            Mutation::Put(put) => {
                let cells: Vec<CellView<'_>> = put
                    .cells
                    .iter()
                    .map(|cell| CellView {
                        family: &cell.family,
                        qualifier: &cell.qualifier,
                        timestamp: cell.timestamp,
                        kind: CellKind::Put,
                        value: &cell.value,
                    })
                    .collect();
                self.put(&put.row, &cells, put_time);
            }
            Mutation::Delete(delete) => {
                let mut deletions = delete.deletions.clone();
                if deletions.is_empty() {
                    let most = if self.has(ModelFault::RowDeleteTakesOneFamily) { 1 } else { usize::MAX };
                    let families = self.descriptor.families.iter().take(most);
                    deletions.extend(families.map(|family| Deletion::Family {
                        family: family.name.as_bytes().to_vec(),
                        timestamp: delete.timestamp,
                    }));
                }
                self.delete(before, &delete.row, &deletions, now);
            }
            Mutation::Increment(increment) => {
                for (family, qualifier, amount) in self.in_order(&increment.amounts) {
                    let range = if self.has(ModelFault::IncrementIgnoresTimeRange) {
                        TimeRange::ALL
                    } else {
                        increment.time_range
                    };
                    let old = before.newest(&increment.row, family, qualifier, range, now);
                    let number = match &old {
                        Some(_) if self.has(ModelFault::IncrementFromZero) => 0,
                        Some((_, value)) => match <[u8; 8]>::try_from(value.as_slice()) {
                            Ok(bytes) => i64::from_be_bytes(bytes),
                            Err(_) if self.has(ModelFault::IncrementTakesAnyLength) => 0,
                            Err(_) => {
                                return Err(StoreError::NotACounter {
                                    row: increment.row.clone(),
                                    family: family.clone(),
                                    qualifier: qualifier.clone(),
                                    length: value.len(),
                                });
                            }
                        },
                        None => 0,
                    };
                    let value = number.wrapping_add(*amount).to_be_bytes();
                    let old = old.map(|(timestamp, _)| timestamp);
                    let shown = if self.has(ModelFault::IncrementAnswersOldValue) {
                        number.to_be_bytes()
                    } else {
                        value
                    };
                    self.renew(
                        &increment.row,
                        (family, qualifier),
                        old,
                        increment.timestamp,
                        now,
                        &value,
                        &shown,
                        answer,
                    );
                    if self.has(ModelFault::SecondAmountLost) {
                        break;
                    }
                }
            }
            Mutation::Append(append) => {
                for (family, qualifier, more) in self.in_order(&append.values) {
                    let old = before.newest(&append.row, family, qualifier, append.time_range, now);
                    let present = old.as_ref().map(|(_, value)| value.clone()).unwrap_or_default();
                    let value = if self.has(ModelFault::AppendReplaces) {
                        more.clone()
                    } else if self.has(ModelFault::AppendInFront) {
                        [more.as_slice(), &present].concat()
                    } else {
                        [present.as_slice(), more].concat()
                    };
                    let old = old.map(|(timestamp, _)| timestamp);
                    self.renew(
                        &append.row,
                        (family, qualifier),
                        old,
                        append.timestamp,
                        now,
                        &value,
                        &value,
                        answer,
                    );
                    if self.has(ModelFault::SecondAmountLost) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Changes of columns in the order in which HBase makes and answers them.
    fn in_order<'a, T>(&self, changes: &'a [(Vec<u8>, Vec<u8>, T)]) -> Vec<&'a (Vec<u8>, Vec<u8>, T)> {
        let mut sorted: Vec<_> = changes.iter().collect();
        if !self.has(ModelFault::AnswersInOrderOfMutation) {
            sorted.sort_by_key(|(family, qualifier, _)| (family, qualifier));
        }
        sorted
    }

    /// Writes a new value for a counter or a growing text, and adds it to the answer.
    #[expect(clippy::too_many_arguments, reason = "one place for two kinds of mutation")]
    fn renew(
        &mut self,
        row: &[u8],
        (family, qualifier): (&[u8], &[u8]),
        old: Option<i64>,
        given: i64,
        now: i64,
        value: &[u8],
        shown: &[u8],
        answer: &mut RowBatch,
    ) {
        let timestamp = match old {
            Some(_) if self.has(ModelFault::GivenTimeTaken) && given != LATEST_TIMESTAMP => given,
            Some(old) => now.max(old.saturating_add(1)),
            None if given == LATEST_TIMESTAMP => now,
            None => given,
        };
        self.store(row, CellView { family, qualifier, timestamp, kind: CellKind::Put, value }, now);
        if answer.is_empty() {
            answer.begin_row(row);
        }
        answer.cell(family, qualifier, timestamp, shown);
    }

    fn delete(&mut self, before: &Self, row: &[u8], deletions: &[Deletion], now: i64) {
        let mut looked_up: Vec<(&[u8], &[u8])> = Vec::new();
        for deletion in deletions {
            let (qualifier, kind): (&[u8], _) = match deletion {
                Deletion::Family { .. } => (b"", CellKind::DeleteFamily),
                Deletion::FamilyVersion { .. } => (b"", CellKind::DeleteFamilyVersion),
                Deletion::Column { qualifier, .. } => (qualifier, CellKind::DeleteColumn),
                Deletion::Version { qualifier, .. } => (qualifier, CellKind::Delete),
            };
            let family = deletion.family();
            let mut timestamp = deletion.timestamp();
            if timestamp == LATEST_TIMESTAMP
                && kind == CellKind::Delete
                && !self.has(ModelFault::NewestVersionNotLookedUp)
            {
                let nth = looked_up.iter().filter(|column| **column == (family, qualifier)).count();
                let nth = if self.has(ModelFault::NewestVersionLookedUpOnce) { 0 } else { nth };
                looked_up.push((family, qualifier));
                timestamp = before.nth_newest(row, family, qualifier, nth, now).unwrap_or(now);
            }
            self.store(row, CellView { family, qualifier, timestamp, kind, value: b"" }, now);
        }
    }

    fn versions(
        &self,
        row: &[u8],
        family: &[u8],
        qualifier: &[u8],
        range: TimeRange,
        versions: u32,
        now: i64,
    ) -> Vec<(i64, Vec<u8>)> {
        let get = Get {
            columns: Columns::Only(vec![(family.to_vec(), Some(qualifier.to_vec()))]),
            versions,
            time_range: range,
            ..Get::new(row)
        };
        let mut found = RowBatch::new();
        // The read is of a copy, so that it is not counted.
        let mut reader = self.clone();
        if reader.has(ModelFault::IncrementIgnoresMarkers) {
            reader.cells.retain(|place, _| place.4.0 == CellKind::Put.code());
        }
        if reader.get(&get, now, &mut found).is_err() {
            return Vec::new();
        }
        found.rows().flat_map(|row| row.cells()).map(|cell| (cell.timestamp, cell.value.to_vec())).collect()
    }

    fn newest(
        &self,
        row: &[u8],
        family: &[u8],
        qualifier: &[u8],
        range: TimeRange,
        now: i64,
    ) -> Option<(i64, Vec<u8>)> {
        self.versions(row, family, qualifier, range, 1, now).into_iter().next()
    }

    fn nth_newest(&self, row: &[u8], family: &[u8], qualifier: &[u8], nth: usize, now: i64) -> Option<i64> {
        let versions = self.versions(row, family, qualifier, TimeRange::ALL, ALL_VERSIONS, now);
        versions.get(nth).map(|(timestamp, _)| *timestamp)
    }

    fn holds(&self, check: &CheckAndMutate, now: i64) -> Result<(bool, Option<i64>), StoreError> {
        let range =
            if self.has(ModelFault::CheckIgnoresTimeRange) { TimeRange::ALL } else { check.time_range };
        let mut reader = self.clone();
        if self.has(ModelFault::CheckSeesHiddenCells) {
            reader.cells.retain(|place, _| place.4.0 == CellKind::Put.code());
        }
        let absent = |family: &[u8], qualifier: &[u8]| {
            let newest = reader.newest(&check.row, family, qualifier, range, now);
            newest.is_none_or(|(_, value)| value.is_empty() && !self.has(ModelFault::EmptyIsNotAbsent))
        };
        let seen = |family: &[u8], qualifier: &[u8]| {
            let newest = reader.newest(&check.row, family, qualifier, range, now);
            newest.map(|(timestamp, _)| timestamp)
        };
        Ok(match &check.condition {
            Condition::Absent { family, qualifier } => (absent(family, qualifier), seen(family, qualifier)),
            Condition::Value { family, qualifier, op, comparator } if !comparator.has_bytes() => {
                let holds = absent(family, qualifier) == (*op != crate::filter::CompareOp::NotEqual);
                (holds, seen(family, qualifier))
            }
            Condition::Value { family, qualifier, op, comparator } => {
                let newest = reader.newest(&check.row, family, qualifier, range, now);
                let holds = newest.is_some_and(|(_, value)| {
                    let order = comparator.compare(&value);
                    op.holds(if self.has(ModelFault::CheckSwapsSides) { order.reverse() } else { order })
                });
                (holds, seen(family, qualifier))
            }
            Condition::Filter(filter) => {
                let get =
                    Get { filter: Some(filter.clone()), time_range: range, ..Get::new(check.row.clone()) };
                let mut found = RowBatch::new();
                let holds = reader.get(&get, now, &mut found)?;
                (holds, found.row(0).and_then(|row| row.cells().next().map(|cell| cell.timestamp)))
            }
        })
    }

    /// Keeps what a read of all versions could see, and nothing else.
    pub(super) fn major_compact(&mut self, now: i64) {
        if self.has(ModelFault::CompactionIgnored) {
            return;
        }
        let rows = self.rows_in(&rowkey_core::range::KeyRange::all());
        let mut kept = std::collections::BTreeMap::new();
        let faults = self.clone();
        let mut reader = self.clone();
        for family in &mut reader.descriptor.families {
            if faults.has(ModelFault::CompactionKeepsOneVersion) {
                family.versions = 1;
            }
            if faults.has(ModelFault::CompactionKeepsAllVersions) {
                family.versions = u32::MAX;
            }
            if faults.has(ModelFault::CompactionIgnoresTtl) {
                family.ttl_seconds = None;
            }
            if faults.has(ModelFault::CompactionDropsMinVersions) {
                family.min_versions = 0;
            }
        }
        for row in rows {
            let mut found = RowBatch::new();
            let get = Get { versions: ALL_VERSIONS, ..Get::new(row.clone()) };
            if row.len() <= crate::MAX_ROW_LENGTH && reader.get(&get, now, &mut found).is_err() {
                return;
            }
            for cell in found.rows().flat_map(|row| row.cells()) {
                let place = (
                    row.clone(),
                    cell.family.to_vec(),
                    cell.qualifier.to_vec(),
                    Reverse(cell.timestamp),
                    Reverse(cell.kind.code()),
                );
                if let Some(stored) = self.cells.get(&place) {
                    kept.insert(place, stored.clone());
                }
            }
        }
        if self.has(ModelFault::CompactionKeepsMarkers) {
            let markers = self.cells.iter().filter(|(place, _)| place.4.0 != CellKind::Put.code());
            kept.extend(markers.map(|(place, stored)| (place.clone(), stored.clone())));
        }
        self.cells = kept;
    }
}
