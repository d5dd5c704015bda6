//! How do many writers share one wait for the disk?
//!
//! A writer enters, commits to the operating system, takes a ticket and waits until everything up to its ticket is on disk. The
//! first that finds nobody syncing does it, for all tickets given so far; the others sleep. So at any time one thread
//! syncs, and the longer a sync takes, the more writers the next one serves.
//!
//! While the engine syncs nobody can commit, so behind a sync a crowd of writers waits to do so. On a quick disk the first of
//! them would sync again before the second has its turn, and each sync would serve one or two: 64 writers were 1.3 times as
//! quick as one. So whoever is about to sync first waits for those that have entered, but not for long.
//!
//! **Law** (`one_sync_serves_all_that_have_entered`): nobody returns before a sync that began behind its commit.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest wait for others: some may wait for something else than their turn to commit.
const GATHERING: Duration = Duration::from_millis(1);

pub(crate) struct GroupSync {
    state: Mutex<State>,
    /// Something is on disk.
    synced: Condvar,
    /// All that the one who will sync waits for are there.
    gathered: Condvar,
    gathering: Duration,
}

#[derive(Default)]
struct State {
    /// Writers that have entered and have no ticket yet.
    coming: u64,
    /// The last ticket given.
    given: u64,
    /// Everything up to this ticket is on disk.
    synced: u64,
    syncing: bool,
    /// The ticket that the one who will sync waits for.
    awaited: u64,
}

impl State {
    fn is_gathered(&self) -> bool {
        self.coming == 0 || self.given >= self.awaited
    }
}

impl Default for GroupSync {
    fn default() -> Self {
        Self::gathering_for(GATHERING)
    }
}

/// A writer that will ask for the disk; dropped without asking if it has nothing to ask for.
pub(crate) struct Writer<'g> {
    group: &'g GroupSync,
    has_ticket: bool,
}

impl GroupSync {
    fn gathering_for(gathering: Duration) -> Self {
        let (synced, gathered) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::default(), synced, gathered, gathering }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Numbers only, and each change of them is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A writer, before it commits.
    pub(crate) fn enter(&self) -> Writer<'_> {
        self.state().coming += 1;
        Writer { group: self, has_ticket: false }
    }

    fn leave(&self, state: &mut State) {
        state.coming -= 1;
        if state.is_gathered() {
            self.gathered.notify_one();
        }
    }
}

impl Writer<'_> {
    /// Returns when everything that was committed before the call is on disk; `sync` brings it there.
    pub(crate) fn wait<E>(mut self, mut sync: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let group = self.group;
        let mut state = group.state();
        self.has_ticket = true;
        state.given += 1;
        group.leave(&mut state);
        let ticket = state.given;
        loop {
            if state.synced >= ticket {
                return Ok(());
            }
            if state.syncing {
                state = group.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.syncing = true;
            state.awaited = state.given + state.coming;
            let gathered =
                group.gathered.wait_timeout_while(state, group.gathering, |state| !state.is_gathered());
            (state, _) = gathered.unwrap_or_else(PoisonError::into_inner);
            let upto = state.given;
            drop(state);
            let result = sync();
            state = group.state();
            state.syncing = false;
            if result.is_ok() {
                state.synced = state.synced.max(upto);
            }
            group.synced.notify_all();
            // A failure is this writer's; each of the others tries by itself, and a failed engine tells each.
            result?;
        }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.has_ticket {
            self.group.leave(&mut self.group.state());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// So long that only those that have entered can end it.
    fn patient() -> GroupSync {
        GroupSync::gathering_for(Duration::from_secs(600))
    }

    #[test]
    fn one_sync_serves_all_that_have_entered() {
        let (group, committed, syncs) = (patient(), AtomicUsize::new(0), AtomicUsize::new(0));
        let writers: Vec<Writer<'_>> = (0..20).map(|_| group.enter()).collect();
        std::thread::scope(|scope| {
            for writer in writers {
                scope.spawn(|| {
                    committed.fetch_add(1, Ordering::SeqCst);
                    let sync = || {
                        syncs.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(committed.load(Ordering::SeqCst), 20);
                        Ok::<(), Infallible>(())
                    };
                    writer.wait(sync).unwrap();
                });
            }
        });
        assert_eq!(syncs.into_inner(), 1);
    }

    #[test]
    fn nobody_waits_for_a_writer_that_gave_up() {
        let group = patient();
        let (first, second) = (group.enter(), group.enter());
        std::thread::scope(|scope| {
            scope.spawn(|| first.wait(|| Ok::<(), Infallible>(())).unwrap());
            scope.spawn(|| drop(second));
        });
    }

    #[test]
    fn a_failed_sync_is_told_and_serves_nobody() {
        let group = patient();
        assert_eq!(group.enter().wait(|| Err("full")), Err("full"));
        let syncs = AtomicUsize::new(0);
        let sync = || {
            syncs.fetch_add(1, Ordering::SeqCst);
            Ok::<(), &str>(())
        };
        assert_eq!(group.enter().wait(sync), Ok(()));
        assert_eq!(syncs.into_inner(), 1);
    }
}
