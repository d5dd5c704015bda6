//! The snapshots that reads see.
//!
//! The engine shows a read everything up to the number of the last write. But when it has written memory to a file, or merged
//! files, it moves that number on by itself, also past a batch that is just being applied: a read in that instant saw half a
//! row. So a read takes the latest **moment**, a snapshot that was opened when no batch was under way. The thread that commits a batch
//! leaves the next moment before its call returns; readers never wait for a commit.
//!
//! A moment also names the files that are read: those that the engine had then. When it has flushed or merged since, and no batch
//! is under way, the next read takes a new moment; from the old one a table that was loaded and merged into one run would go
//! on being read from memory and all its old runs, and these could not go.
//!
//! **Law** (`tests/concurrency.rs`): rows over several families and batches of rows are seen whole or not at all, also while
//! the engine flushes and compacts.

use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};

use fjall::{Database, Snapshot};

use crate::EmbeddedError;
use crate::engine::{self, Batch};

/// The latest moment of a store.
pub(crate) struct Moments {
    /// Held while a batch is applied; the engine applies one at a time anyway.
    committing: Mutex<()>,
    latest: RwLock<Arc<Snapshot>>,
}

impl Moments {
    /// The moment when a store is opened.
    pub(crate) fn new(db: &Database) -> Self {
        Self { committing: Mutex::new(()), latest: RwLock::new(Arc::new(db.snapshot())) }
    }

    /// What a read sees that begins now.
    pub(crate) fn latest(&self, db: &Database) -> Arc<Snapshot> {
        let latest = Arc::clone(&self.latest.read().unwrap_or_else(PoisonError::into_inner));
        if engine::is_newest(db, &latest) {
            return latest;
        }
        let _alone = match self.committing.try_lock() {
            Ok(alone) => alone,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // A batch is being applied; the thread that applies it leaves the next moment.
            Err(TryLockError::WouldBlock) => return latest,
        };
        self.take(db)
    }

    /// Commits rows; reads that begin after it see them.
    pub(crate) fn commit(&self, db: &Database, batch: Batch<'_>) -> Result<(), EmbeddedError> {
        self.after(db, || batch.commit())
    }

    /// Makes what was written past the journal visible.
    pub(crate) fn renew(&self, db: &Database) {
        // Nothing is done that could fail.
        let _ = self.after(db, || Ok(()));
    }

    fn after(
        &self,
        db: &Database,
        change: impl FnOnce() -> Result<(), EmbeddedError>,
    ) -> Result<(), EmbeddedError> {
        let _alone = self.committing.lock().unwrap_or_else(PoisonError::into_inner);
        change()?;
        self.take(db);
        Ok(())
    }

    /// Takes the next moment; the caller sees to it that no batch is under way.
    fn take(&self, db: &Database) -> Arc<Snapshot> {
        let next = Arc::new(db.snapshot());
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *latest, Arc::clone(&next));
        drop(latest);
        drop(last);
        next
    }
}
