//! How is a query stopped from outside?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the queries that were given it, from any thread: a signal handler, a closed connection.
///
/// A query looks before every row and every batch, so it ends with the batch that it waits for.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nothing cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the queries with [`super::QueryError::Cancelled`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
