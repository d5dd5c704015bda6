//! How does a plan become rows?
//!
//! Every range of the plan has a scanner of its own, opened all at once; a merge takes the next row from whichever
//! comes first by the key bytes behind the salt, so that a salted table reads as if it were not salted. The limit goes
//! into every range if no residual condition can drop a row, and the scanners end with the merge.
//!
//! **Law** (`tests/queries.rs`): the rows are those of a filtered full scan, in the order of the plan.

mod cancel;
mod feed;
mod merge;
mod ordered;

use rowkey::query::{Access, Condition, Plan};
use rowkey::{Table, Value};
use rowkey_store::{Get, RowBatch, RowView, Scan, Store, StoreError, TableName};

use crate::record::{self, RowError};
pub use cancel::Cancel;
pub use ordered::{OrderedOptions, OrderedScan};

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
    /// Somebody called [`Cancel::cancel`].
    #[error("the query was cancelled")]
    Cancelled,
}

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// Leave out rows that do not decode and count them, instead of ending with an error that names the first.
    pub skip_undecodable: bool,
    /// Bytes that rows read ahead may take.
    pub memory: usize,
    /// Threads that read ahead; none on a store whose scanners do that by themselves.
    pub threads: usize,
    /// Stops it.
    pub cancel: Cancel,
}

impl Default for QueryOptions {
    /// 32 MB, a thread for each processor, and the first row that does not decode is an error.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { skip_undecodable: false, memory: 32 << 20, threads, cancel: Cancel::new() }
    }
}

/// Whether the plan's ranges say all that the query asks for.
pub(crate) fn nothing_is_left(plan: &Plan) -> bool {
    plan.residual.is_empty()
}

/// Whether a record meets what the ranges do not say.
pub(crate) fn is_left(plan: &Plan, record: &[Value<'_>]) -> bool {
    plan.residual.iter().all(|condition| condition.matches(record))
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
    run_with(store, name, table, plan, &QueryOptions::default())
}

/// The same with options.
///
/// # Errors
/// When the store refuses or fails.
pub fn run_with<'t>(
    store: &dyn Store,
    name: &TableName,
    table: &'t Table,
    plan: &Plan,
    options: &QueryOptions,
) -> Result<Rows<'t>, QueryError> {
    let source = match &plan.access {
        Access::Nothing => Source::Row(None),
        Access::Get(key) => {
            let mut batch = RowBatch::new();
            store.get(name, &Get::new(key.as_slice()), &mut batch)?;
            Source::Row(Some(batch))
        }
        Access::Ranges(ranges) => {
            let limit = plan.limit.filter(|_| plan.residual.is_empty());
            let template = Scan { limit, ..Scan::new(rowkey::KeyRange::all()) };
            let options = OrderedOptions {
                limit,
                threads: options.threads,
                memory: options.memory,
                cancel: options.cancel.clone(),
                ..OrderedOptions::new(plan.direction, plan.merge_from)
            };
            Source::Merge(Box::new(OrderedScan::open(store, name, ranges, &template, &options)?))
        }
    };
    Ok(Rows { source, table, residual: plan.residual.clone(), left: plan.limit, rows_read: 0 })
}

/// The rows of a query, one after another. Ends at the first error.
pub struct Rows<'t> {
    source: Source,
    table: &'t Table,
    residual: Vec<Condition>,
    left: Option<usize>,
    rows_read: u64,
}

enum Source {
    Row(Option<RowBatch>),
    Merge(Box<OrderedScan>),
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
                Source::Row(batch) => {
                    let batch = batch.take();
                    batch.as_ref().and_then(|batch| batch.row(0)).map(|row| record(self.table, row))
                }
                Source::Merge(merge) => {
                    let next = merge.next_row()?;
                    next.map(|row| record(self.table, row))
                }
            };
            let Some(found) = found.transpose()? else { return Ok(None) };
            self.rows_read += 1;
            if self.residual.iter().all(|condition| condition.matches(&found.values)) {
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
