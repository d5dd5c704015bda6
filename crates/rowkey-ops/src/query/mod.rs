//! How does a plan become rows?
//!
//! Every range of the plan has a scanner of its own, opened all at once; a merge takes the next row from whichever
//! comes first by the key bytes behind the salt, so that a salted table reads as if it were not salted. The limit goes
//! into every range if no residual condition can drop a row, and the scanners end with the merge.
//!
//! **Law** (`tests/queries.rs`): the rows are those of a filtered full scan, in the order of the plan.

mod merge;

use rowkey::query::{Access, FanOut, Plan, Predicate};
use rowkey::{Order, Table, Value};
use rowkey_store::{Direction, Get, RowBatch, RowView, Scan, Store, StoreError, TableName};

use crate::record::{self, RowError};
use merge::Merge;

/// Why a query stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row of another schema.
    #[error(transparent)]
    Row(#[from] RowError),
}

/// A row that a query returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its key.
    pub key: Vec<u8>,
    /// One value for each field of the table.
    pub values: Vec<Value<'static>>,
}

/// Starts a plan on a store.
///
/// # Errors
/// When the store refuses or fails.
pub fn run<'t>(
    store: &dyn Store,
    name: &TableName,
    table: &'t Table,
    plan: &Plan,
) -> Result<Rows<'t>, QueryError> {
    let source = match &plan.access {
        Access::Nothing => Source::Rows(RowBatch::new(), 0),
        Access::Gets(keys) => {
            let gets: Vec<Get> = keys.iter().map(|key| Get::new(key.as_slice())).collect();
            let mut batch = RowBatch::new();
            store.get_many(name, &gets, &mut batch)?;
            Source::Rows(batch, 0)
        }
        Access::Ranges(fan_outs) => {
            let merges = fan_outs.iter().map(|fan_out| open(store, name, plan, fan_out));
            Source::Merges(merges.collect::<Result<_, _>>()?)
        }
    };
    Ok(Rows { source, table, residual: plan.residual.clone(), left: plan.limit, rows_read: 0 })
}

fn open(store: &dyn Store, name: &TableName, plan: &Plan, fan_out: &FanOut) -> Result<Merge, StoreError> {
    let direction = match plan.direction {
        Order::Ascending => Direction::Forward,
        Order::Descending => Direction::Reverse,
    };
    let limit = plan.limit.filter(|_| plan.residual.is_true());
    let batch_rows = limit.map_or(Scan::DEFAULT_BATCH_ROWS, |limit| limit.clamp(1, Scan::DEFAULT_BATCH_ROWS));
    let scan = |range: &rowkey::KeyRange| Scan { direction, limit, batch_rows, ..Scan::new(range.clone()) };
    let scans: Vec<Scan> = fan_out.ranges.iter().map(scan).collect();
    Ok(Merge::new(store.scan_many(name, &scans)?, plan.direction, fan_out.merge_from))
}

/// The rows of a query, one after another. Ends at the first error.
pub struct Rows<'t> {
    source: Source,
    table: &'t Table,
    residual: Predicate,
    left: Option<usize>,
    rows_read: u64,
}

enum Source {
    Rows(RowBatch, usize),
    Merges(std::collections::VecDeque<Merge>),
}

impl Rows<'_> {
    /// How many rows came from the store so far, those that a residual condition dropped included.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    fn next_record(&mut self) -> Result<Option<Record>, QueryError> {
        if self.left == Some(0) {
            return Ok(None);
        }
        loop {
            let found = match &mut self.source {
                Source::Rows(batch, at) => {
                    *at += 1;
                    batch.row(*at - 1).map(|row| record(self.table, row))
                }
                Source::Merges(merges) => loop {
                    let Some(merge) = merges.front_mut() else { break None };
                    let next = merge.next()?;
                    let found =
                        next.and_then(|(batch, index)| batch.row(index)).map(|row| record(self.table, row));
                    if found.is_some() {
                        break found;
                    }
                    merges.pop_front();
                },
            };
            let Some(found) = found.transpose()? else { return Ok(None) };
            self.rows_read += 1;
            if self.residual.matches(&found.values) == Some(true) {
                self.left = self.left.map(|left| left - 1);
                return Ok(Some(found));
            }
        }
    }
}

fn record(table: &Table, row: RowView<'_>) -> Result<Record, QueryError> {
    let values = record::read(table, row)?.into_iter().map(Value::into_owned).collect();
    Ok(Record { key: row.key().to_vec(), values })
}

impl Iterator for Rows<'_> {
    type Item = Result<Record, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_record().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.left = Some(0);
        }
        next
    }
}
