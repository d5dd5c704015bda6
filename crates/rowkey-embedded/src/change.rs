//! Batches of operations, each atomic; those that read first hold the row's lock from read to write.
//!
//! Operations are done in their order. Puts and deletes that follow one another are committed together, the last of them also with those of other writers; an increment, an
//! append, a check, and a delete of the newest version have their row for themselves from the read to the commit. One
//! wait for the disk at the end makes all of them durable.

use std::collections::HashMap;
use std::sync::Arc;

use fjall::Snapshot;
use rowkey_store::filter::CompareOp;
use rowkey_store::{
    CellKind, CellView, CheckAndMutate, Columns, Condition, Get, LATEST_TIMESTAMP, Mutation, Operation,
    Outcome, RowBatch, StoreError, TimeRange,
};

use crate::layout::cell::KeyBuffer;
use crate::store::Core;
use crate::table::Table;
use crate::write::{Staged, attempted, check_mutation, check_size, is_plain};
use crate::{Durability, get};

type Results = Vec<Result<Outcome, StoreError>>;

/// Does all operations; one result for each.
pub(crate) fn batch(core: &Core, table: &Table, operations: &[Operation]) -> Results {
    let mut run = Run {
        core,
        table,
        staged: Staged::new(core, table),
        results: Vec::new(),
        waiting: Vec::new(),
        written: Vec::new(),
    };
    for operation in operations {
        let result = run.operate(operation);
        run.results.push(result);
    }
    run.finish();
    run.results
}

struct Run<'a> {
    core: &'a Core,
    table: &'a Table,
    staged: Staged<'a>,
    results: Results,
    /// Those whose cells are staged, and those whose cells are committed.
    waiting: Vec<usize>,
    written: Vec<usize>,
}

impl Run<'_> {
    fn operate(&mut self, operation: &Operation) -> Result<Outcome, StoreError> {
        let Self { core, table, .. } = *self;
        table.descriptor.validate_operation(operation)?;
        let (mutations, check): (&[Mutation], _) = match operation {
            Operation::Get(get) => {
                self.commit_staged();
                let mut outcome = Outcome::default();
                get::get(&core.moments.latest(&core.db), &core.options, table, get, &mut outcome.rows)?;
                return Ok(outcome);
            }
            Operation::Mutate(mutation) => (std::slice::from_ref(mutation), None),
            Operation::MutateRow(row) => (&row.mutations, None),
            Operation::CheckAndMutate(check) => (&check.mutations, Some(check)),
        };
        let mut key = KeyBuffer::default();
        mutations.iter().try_for_each(|mutation| check_mutation(table, mutation, &mut key))?;
        if check.is_none() && mutations.iter().all(is_plain) {
            let now = core.db.clock.now();
            self.staged.row(operation.row());
            for mutation in mutations {
                match mutation {
                    Mutation::Put(put) => self.staged.put(put, now),
                    Mutation::Delete(delete) => self.staged.delete(delete, now, |_, _| Ok(None))?,
                    Mutation::Increment(_) | Mutation::Append(_) => {}
                }
            }
            self.waiting.push(self.results.len());
            return Ok(Outcome::default());
        }
        self.commit_staged();
        let outcome = alone(core, table, operation.row(), mutations, check)?;
        if outcome.matched != Some(false) {
            self.written.push(self.results.len());
        }
        Ok(outcome)
    }

    fn commit_staged(&mut self) {
        if self.staged.is_empty() {
            return;
        }
        let staged = std::mem::replace(&mut self.staged, Staged::new(self.core, self.table));
        let waiting = std::mem::take(&mut self.waiting);
        match staged.commit_shared() {
            Ok(()) => self.written.extend(waiting),
            Err(error) => {
                let message = rowkey_store::with_causes(&error);
                waiting.into_iter().for_each(|at| self.fail(at, &message));
            }
        }
    }

    /// Commits the rest, and returns when all is as durable as asked for.
    fn finish(&mut self) {
        let is_group = self.core.options.durability == Durability::Group;
        let finished = if is_group && !self.staged.is_empty() {
            let staged = std::mem::replace(&mut self.staged, Staged::new(self.core, self.table));
            let waiting = std::mem::take(&mut self.waiting);
            self.written.extend(waiting);
            staged.commit_in_group()
        } else {
            self.commit_staged();
            if self.written.is_empty() { Ok(()) } else { self.core.make_durable() }
        };
        if let Err(error) = finished {
            let message = rowkey_store::with_causes(&error);
            for at in std::mem::take(&mut self.written) {
                self.fail(at, &message);
            }
        }
    }

    fn fail(&mut self, at: usize, message: &str) {
        if let Some(result) = self.results.get_mut(at) {
            *result = Err(StoreError::backend(attempted(self.table), message));
        }
    }
}

/// Does changes of one row that depend on what is in it.
fn alone(
    core: &Core,
    table: &Table,
    row: &[u8],
    mutations: &[Mutation],
    check: Option<&CheckAndMutate>,
) -> Result<Outcome, StoreError> {
    let lock = table.shared.row_locks.alone(row);
    let view = View { table, snapshot: core.moments.latest(&core.db), row, now: core.db.clock.now() };
    let mut outcome = Outcome::default();
    let mut put_time = view.now;
    if let Some(check) = check {
        let (holds, seen) = view.check(check)?;
        outcome.matched = Some(holds);
        if !holds {
            return Ok(outcome);
        }
        // A put must not be older than what the check has seen.
        put_time = put_time.max(seen.unwrap_or(0));
    }
    let mut staged = Staged::new(core, table);
    staged.row(row);
    for mutation in mutations {
        view.stage(mutation, put_time, &mut staged, &mut outcome.rows)?;
    }
    let committed = staged.commit_alone();
    drop(lock);
    committed.map_err(|error| error.during(attempted(table)))?;
    Ok(outcome)
}

/// Changes of columns in the order in which HBase makes and answers them, whatever that of the mutation.
fn in_order<T>(changes: &[(Vec<u8>, Vec<u8>, T)]) -> Vec<&(Vec<u8>, Vec<u8>, T)> {
    let mut sorted: Vec<_> = changes.iter().collect();
    sorted.sort_by_key(|(family, qualifier, _)| (family, qualifier));
    sorted
}

/// A row as it is before it is changed.
struct View<'a> {
    table: &'a Table,
    snapshot: Arc<Snapshot>,
    row: &'a [u8],
    now: i64,
}

impl View<'_> {
    /// The newest versions of a column, with their times.
    fn versions(
        &self,
        family: &[u8],
        qualifier: &[u8],
        time_range: TimeRange,
        versions: u32,
    ) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        let columns = Columns::Only(vec![(family.to_vec(), Some(qualifier.to_vec()))]);
        let get = Get { columns, versions, time_range, ..Get::new(self.row) };
        let mut found = RowBatch::new();
        get::read_row(&self.snapshot, self.table, &get, self.now, &mut found)?;
        Ok(found
            .rows()
            .flat_map(|row| row.cells())
            .map(|cell| (cell.timestamp, cell.value.to_vec()))
            .collect())
    }

    fn newest(
        &self,
        family: &[u8],
        qualifier: &[u8],
        time_range: TimeRange,
    ) -> Result<Option<(i64, Vec<u8>)>, StoreError> {
        Ok(self.versions(family, qualifier, time_range, 1)?.into_iter().next())
    }

    /// Whether a condition holds, and the time of the cell that it looked at.
    fn check(&self, check: &CheckAndMutate) -> Result<(bool, Option<i64>), StoreError> {
        let (family, qualifier, expected) = match &check.condition {
            Condition::Filter(filter) => {
                let (filter, time_range) = (Some(filter.clone()), check.time_range);
                let mut found = RowBatch::new();
                let get = Get { filter, time_range, ..Get::new(self.row) };
                let holds = get::read_row(&self.snapshot, self.table, &get, self.now, &mut found)?;
                let first = found.row(0).and_then(|row| row.cells().next().map(|cell| cell.timestamp));
                return Ok((holds, first));
            }
            Condition::Absent { family, qualifier } => (family, qualifier, None),
            Condition::Value { family, qualifier, op, comparator } => {
                (family, qualifier, Some((op, comparator)))
            }
        };
        let newest = self.newest(family, qualifier, check.time_range)?;
        let is_absent = newest.as_ref().is_none_or(|(_, value)| value.is_empty());
        let holds = match expected {
            None => is_absent,
            Some((op, comparator)) if !comparator.has_bytes() => is_absent == (*op != CompareOp::NotEqual),
            Some((op, comparator)) => {
                newest.as_ref().is_some_and(|(_, value)| op.holds(comparator.compare(value)))
            }
        };
        Ok((holds, newest.map(|(timestamp, _)| timestamp)))
    }

    fn stage(
        &self,
        mutation: &Mutation,
        put_time: i64,
        staged: &mut Staged<'_>,
        answer: &mut RowBatch,
    ) -> Result<(), StoreError> {
        match mutation {
            Mutation::Put(put) => {
                staged.put(put, put_time);
                Ok(())
            }
            Mutation::Delete(delete) => {
                let mut looked_up: HashMap<(Vec<u8>, Vec<u8>), u32> = HashMap::new();
                staged.delete(delete, self.now, |family, qualifier| {
                    let nth = looked_up.entry((family.to_vec(), qualifier.to_vec())).or_default();
                    *nth += 1;
                    let versions = self.versions(family, qualifier, TimeRange::ALL, *nth)?;
                    let index = usize::try_from(*nth - 1).unwrap_or(usize::MAX);
                    Ok(versions.get(index).map(|(timestamp, _)| *timestamp))
                })
            }
            Mutation::Increment(increment) => {
                in_order(&increment.amounts).into_iter().try_for_each(|(family, qualifier, amount)| {
                    let old = self.newest(family, qualifier, increment.time_range)?;
                    let number = match &old {
                        None => 0,
                        Some((_, value)) => {
                            i64::from_be_bytes(value.as_slice().try_into().map_err(|_| {
                                StoreError::NotACounter {
                                    row: self.row.to_vec(),
                                    family: family.clone(),
                                    qualifier: qualifier.clone(),
                                    length: value.len(),
                                }
                            })?)
                        }
                    };
                    let value = number.wrapping_add(*amount).to_be_bytes();
                    let old = old.map(|(timestamp, _)| timestamp);
                    self.renew((family, qualifier), old, increment.timestamp, &value, staged, answer)
                })
            }
            Mutation::Append(append) => {
                in_order(&append.values).into_iter().try_for_each(|(family, qualifier, more)| {
                    let old = self.newest(family, qualifier, append.time_range)?;
                    let (time, mut value) = match old {
                        Some((timestamp, value)) => (Some(timestamp), value),
                        None => (None, Vec::new()),
                    };
                    value.extend_from_slice(more);
                    self.renew((family, qualifier), time, append.timestamp, &value, staged, answer)
                })
            }
        }
    }

    /// Writes the new value of a column that was read, and adds it to the answer. `old` is the time of the value that was
    /// there.
    fn renew(
        &self,
        (family, qualifier): (&[u8], &[u8]),
        old: Option<i64>,
        given: i64,
        value: &[u8],
        staged: &mut Staged<'_>,
        answer: &mut RowBatch,
    ) -> Result<(), StoreError> {
        let timestamp = match old {
            Some(old) => self.now.max(old.saturating_add(1)),
            None if given == LATEST_TIMESTAMP => self.now,
            None => given,
        };
        let cell = CellView { family, qualifier, timestamp, kind: CellKind::Put, value };
        check_size(self.table, self.row, &cell, &mut KeyBuffer::default())?;
        staged.cell(cell);
        if answer.is_empty() {
            answer.begin_row(self.row);
        }
        answer.push_cell(cell);
        Ok(())
    }
}
