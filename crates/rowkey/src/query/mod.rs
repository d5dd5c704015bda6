//! Which keys must be read to answer a query, and in which order do they come?
//!
//! A [`Query`] is a condition over fields, an order and a limit, written as in SQL:
//! `user_id = 7 and ts >= '2025-01-01' order by ts desc limit 20`. A [`Plan`] is data: a single key, or key ranges
//! (one for each bucket of a salt that the condition does not bind), the direction, from which byte on the ranges
//! are merged, and the conditions that must still be checked on each row.
//!
//! **Law** (`tests/plans.rs`): the rows of the plan, filtered by its residual conditions, are exactly those of a full
//! scan with the filter, in the order asked for.
//!
//! Quirk: this version takes `and` of comparisons (`= < <= > >= between`) of a field with a value; what else SQL has
//! is refused with words that say so.

mod condition;
mod interval;
mod plan;

pub use condition::{Comparison, Condition, Query};
pub use plan::{Access, MAX_FAN_OUT, Plan, PlanError, PlanOptions, plan};
