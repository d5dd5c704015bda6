//! Cancels work from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops the work that was given it, from any thread: a signal handler, a closed connection.
///
/// A query looks before every row and every batch, so it ends with the batch that it waits for; a load and a build end behind a
/// batch that is in the table and in the checkpoint.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nothing cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the work, a query with [`QueryError::Cancelled`](crate::query::QueryError::Cancelled).
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets new work begin.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
