//! How do many writers share one wait for the disk?
//!
//! A writer commits to the operating system, takes a ticket and waits until everything up to its ticket is on disk. The
//! first that finds nobody syncing does it, for all tickets given so far; the others sleep. So at any time one thread
//! syncs, and the longer a sync takes, the more writers the next one serves.

use std::sync::{Condvar, Mutex, PoisonError};

use fjall::{Database, PersistMode};

use crate::EmbeddedError;

#[derive(Default)]
pub(crate) struct GroupSync {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The last ticket given.
    given: u64,
    /// Everything up to this ticket is on disk.
    synced: u64,
    syncing: bool,
}

impl GroupSync {
    /// Returns when everything that was committed before the call is on disk.
    pub(crate) fn wait(&self, db: &Database) -> Result<(), EmbeddedError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.given += 1;
        let ticket = state.given;
        loop {
            if state.synced >= ticket {
                return Ok(());
            }
            if state.syncing {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.syncing = true;
            let upto = state.given;
            drop(state);
            let result = db.persist(PersistMode::SyncData);
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.syncing = false;
            if result.is_ok() {
                state.synced = state.synced.max(upto);
            }
            self.changed.notify_all();
            // A failure is this writer's; each of the others tries by itself, and a failed engine tells each.
            result?;
        }
    }
}
