//! Runs plans.
//!
//! ```text
//! Access ── reader ──┬───────────┬── residual ──┬───────────┬── limit ── records, page token
//!  gets, fan-outs    └─ lookup ──┘              └─ sorting ─┘
//!                   of index rows            where the key does not sort
//! ```
//!
//! - `reader`: gets in multi-gets; each fan-out as an [`OrderedScan`], or as a skip scan (`skip`).
//! - `ordered`, `feed`, and the crate's `merge`: many ranges as one, in order, with bounded memory.
//! - `divided`: the same region by region, for those who want rows in any order.
//! - `server_filter`: what a server may leave out; `lookup`: from index rows to records; `sorting`, `sort_key`: other orders.
//! - `page`: where the next page begins; `counters`: what it cost; [`Cancel`]: how it is stopped.
//!
//! The limit goes into every range if nothing that is read can be left out afterwards, and scanners end as soon as enough rows came.
//!
//! **Law** (`tests/queries.rs`, `tests/pages.rs`): the rows are those of a filtered full scan, in the order of the plan; pages joined
//! are the whole.

mod counters;
pub(crate) mod divided;
mod feed;
mod lookup;
mod ordered;
mod page;
mod reader;
mod rows;
mod server_filter;
mod skip;
mod sort_key;
mod sorting;
mod stored_record;

use std::path::PathBuf;

use rowkey_core::query::Plan;
use rowkey_core::remedy::Remedy;
use rowkey_core::{Table, Value};
use rowkey_store::{Store, StoreError, TableName};

pub use crate::cancel::Cancel;
use crate::external_sort::SortError;
use crate::index::IndexError;
use crate::record::RowError;
pub use counters::{Counters, StepCounters};
pub use ordered::{OrderedOptions, OrderedScan};
pub use page::{TokenError, page_by};
pub use rows::Rows;

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
    /// An index row that leads nowhere.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// More groups than may be in memory.
    #[error(
        "there are more than {limit} groups, those of each region counted by themselves, and all must fit into memory; narrow the \
         condition, group by something with fewer values, or allow more with {}",
        Remedy::MaxGroups
    )]
    TooManyGroups {
        /// How many may be.
        limit: usize,
    },
    /// A sort that could not use its files.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// A page token that does not fit.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A plan of another table file.
    #[error(
        "the plan reads index table number {index}, which the table file does not have; plan the query again"
    )]
    NoIndex {
        /// Its place among the table's index tables, from 0.
        index: usize,
    },
    /// An index table with a name that no store takes.
    #[error("`{name}` cannot be the name of an index table; change it in the table file")]
    IndexName {
        /// The name as the table file has it.
        name: String,
    },
    /// [`Cancel::cancel`] was called.
    #[error(
        "the query was cancelled before its end; nothing was changed, and a narrower condition reads less"
    )]
    Cancelled,
}

impl QueryError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            Self::Index(error) => error.remedy(),
            Self::TooManyGroups { .. } => Some(Remedy::MaxGroups),
            _ => None,
        }
    }
}

/// A row that a query returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its key.
    pub key: Vec<u8>,
    /// One value for each field of the table. Where an index table has all that was asked for, the others are null.
    pub values: Vec<Value<'static>>,
}

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// Leave out rows that do not decode and count them, instead of ending with an error that names the first.
    pub skip_undecodable: bool,
    /// Begin behind the page that gave this token ([`Rows::next_page`]).
    pub page: Option<String>,
    /// Bytes that rows read ahead may take; scanners that read ahead by themselves keep to a bound of their own.
    pub memory: usize,
    /// Threads that read ahead; `None` for what is usually quickest.
    pub threads: Option<usize>,
    /// Bytes that a sort may take before it writes to files.
    pub sort_memory: usize,
    /// Where it writes them.
    pub sort_folder: PathBuf,
    /// Whether the server checks what it can; `None` where rows would have to travel otherwise.
    pub server_filters: Option<bool>,
    /// Whether the time of each step is measured and the store counts the rows that it reads, which takes a little time itself.
    pub measure: bool,
    /// Stops it.
    pub cancel: Cancel,
}

impl Default for QueryOptions {
    /// The first page; 32 MB for rows and 64 MB for a sort, which spills to the system's temporary folder; the first row that does not
    /// decode is an error.
    fn default() -> Self {
        Self {
            skip_undecodable: false,
            page: None,
            memory: 32 << 20,
            threads: None,
            sort_memory: 64 << 20,
            sort_folder: std::env::temp_dir(),
            server_filters: None,
            measure: false,
            cancel: Cancel::new(),
        }
    }
}

/// Starts a plan on a store.
///
/// # Errors
/// When the store refuses or fails.
pub fn run<'a>(
    store: &'a dyn Store,
    name: &TableName,
    table: &'a Table,
    plan: &Plan,
) -> Result<Rows<'a>, QueryError> {
    run_with(store, name, table, plan, &QueryOptions::default())
}

/// Starts a plan with options.
///
/// # Errors
/// When the page token does not fit, or the store refuses or fails.
pub fn run_with<'a>(
    store: &'a dyn Store,
    name: &TableName,
    table: &'a Table,
    plan: &Plan,
    options: &QueryOptions,
) -> Result<Rows<'a>, QueryError> {
    Rows::new(store, name, table, plan, options)
}
