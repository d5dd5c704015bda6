//! The limit on groups in memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::query::{Cancel, QueryError};

/// Counts the groups of all regions together, and ends the query when there are too many.
#[derive(Debug)]
pub struct GroupLimit {
    limit: usize,
    groups: AtomicUsize,
    cancel: Cancel,
}

impl GroupLimit {
    /// A few hundred megabytes for groups of numbers or short texts.
    pub const DEFAULT: usize = 1_000_000;

    /// `cancel` is what ends the query.
    pub fn new(limit: usize, cancel: Cancel) -> Self {
        Self { limit, groups: AtomicUsize::new(0), cancel }
    }

    /// Takes note of a new group in some region.
    pub fn add(&self) {
        if self.groups.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.cancel.cancel();
        }
    }

    /// What a query came to that was counted.
    ///
    /// # Errors
    /// [`QueryError::TooManyGroups`] if there were too many, and the query's own.
    pub fn judge<T>(&self, outcome: Result<T, QueryError>) -> Result<T, QueryError> {
        match self.groups.load(Ordering::Relaxed) > self.limit {
            true => Err(QueryError::TooManyGroups { limit: self.limit }),
            false => outcome,
        }
    }
}
