//! Aggregates the rows of a query, on the servers where they can.
//!
//! Every region works on its own part of the plan's ranges, several at a time, and what they found is put together here:
//! [`count`], the [`Figures`] of a field ([`of_field`]: how many, smallest, largest, sum, mean), those of several fields for
//! each combination of values of others ([`group_by`]), and whatever the caller makes of the records ([`fold`]).
//!
//! Where nothing is left to check and the store has an endpoint for it, rows do not even leave their region; [`By`] says so.
//! HBase's endpoint does not group.
//!
//! **Law** (`tests/aggregates.rs`): the answer is that of a loop over the rows of [`crate::query::run`], whatever the regions.
//!
//! Quirks: a count by endpoint or of keys alone does not decode cells. Floating-point sums depend on the order of additions, and so
//! on the regions.

mod by;
mod figures;
mod group_limit;
mod parts;

use rowkey_core::Table;
use rowkey_core::Value;
use rowkey_core::key::FieldId;
use rowkey_core::query::Plan;
use rowkey_store::{Aggregate, Aggregated, Store, TableName};

pub use by::By;
pub use figures::{Figures, Grouped, Groups};
pub use group_limit::GroupLimit;

use crate::processors::processors;
use crate::query::{Cancel, QueryError};
use parts::Parts;

/// How an aggregate is worked out.
#[derive(Debug, Clone)]
pub struct AggregateOptions {
    /// How many regions at a time.
    pub threads: usize,
    /// Leave out rows that do not decode, instead of ending with an error that names the first.
    pub skip_undecodable: bool,
    /// Whether the store's own endpoints may be asked.
    pub endpoints: bool,
    /// The most groups, those of each region counted by themselves.
    pub max_groups: usize,
    /// Stops it.
    pub cancel: Cancel,
}

impl Default for AggregateOptions {
    /// As many regions at a time as there are processors, at least 4 because a cluster has more of them; endpoints
    /// where there are any; the first row that does not decode is an error.
    fn default() -> Self {
        Self {
            threads: processors().max(4),
            skip_undecodable: false,
            endpoints: true,
            max_groups: GroupLimit::DEFAULT,
            cancel: Cancel::new(),
        }
    }
}

/// How many rows a query returns, and what that was worked out from.
///
/// # Errors
/// See [`fold`].
pub fn count(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    plan: &Plan,
    options: &AggregateOptions,
) -> Result<(u64, By), QueryError> {
    let parts = Parts::new(store, name, table, plan, options);
    if let Some(counted) = parts.ask_store(&Aggregate::Rows)? {
        let rows = counted.iter().filter_map(Aggregated::number).sum::<i128>();
        return Ok((u64::try_from(rows).unwrap_or(u64::MAX), By::Endpoint));
    }
    let counts = parts.keys_or_records(|| 0u64, |count, _| *count += 1)?;
    Ok((counts.into_iter().sum(), if parts.keys_are_enough() { By::Keys } else { By::Rows }))
}

/// How many values a field has among the rows of a query, the smallest and largest of them, their sum and mean; and what that was
/// worked out from.
///
/// # Errors
/// See [`fold`].
pub fn of_field(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    plan: &Plan,
    field: FieldId,
    options: &AggregateOptions,
) -> Result<(Figures, By), QueryError> {
    let parts = Parts::new(store, name, table, plan, options);
    if let Some(figures) = parts.figures_by_store(field)? {
        return Ok((figures, By::Endpoint));
    }
    let see = |figures: &mut Figures, record: &[Value<'_>]| {
        figures.add(record.get(field.0).unwrap_or(&Value::Null));
    };
    let found = parts.records(Figures::default, see)?;
    Ok((found.into_iter().fold(Figures::default(), Figures::join), By::Rows))
}

/// The figures of `fields` for each combination of values of `groups`, in the order of these values, null first. Without
/// `groups` all rows are one, and no row is none.
///
/// The groups of one region are in memory at a time for each thread, those of all regions at the end.
///
/// # Errors
/// [`QueryError::TooManyGroups`], and see [`fold`].
pub fn group_by(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    plan: &Plan,
    (groups, fields): (&[FieldId], &[FieldId]),
    options: &AggregateOptions,
) -> Result<Vec<Grouped>, QueryError> {
    let limit = GroupLimit::new(options.max_groups, options.cancel.clone());
    let see = |found: &mut Groups, record: &[Value<'_>]| {
        let value = |field: &FieldId| record.get(field.0).unwrap_or(&Value::Null);
        if found.add(groups.iter().map(value), fields.iter().map(value)) {
            limit.add();
        }
    };
    let parts = Parts::new(store, name, table, plan, options);
    let found = limit.judge(parts.records(Groups::default, see))?;
    Ok(found.into_iter().fold(Groups::default(), Groups::join).into_sorted())
}

/// What the caller makes of the records of each region: `start` gives a state, `see` takes a record into it. One state for
/// each region with keys in the plan's ranges comes back, in key order; where a plan cannot be taken apart by regions
/// (a limit, gets), one state for all.
///
/// # Errors
/// When the store fails, at a row that does not decode, and when it is cancelled.
pub fn fold<T: Send>(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    plan: &Plan,
    options: &AggregateOptions,
    start: impl Fn() -> T + Sync,
    see: impl Fn(&mut T, &[Value<'_>]) + Sync,
) -> Result<Vec<T>, QueryError> {
    Parts::new(store, name, table, plan, options).records(start, see)
}
