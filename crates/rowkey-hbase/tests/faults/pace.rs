//! How do load and disturbance keep step, on a machine of any speed?
//!
//! The rows are cut into one share more than there are steps of disturbance. A step begins when half of its share is
//! acknowledged, and the load does not leave the share before the step is done. So every step happens during the load.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Nothing here takes so long, unless another thread of the test has failed.
const STUCK: Duration = Duration::from_secs(240);

pub(crate) struct Pace {
    pub(crate) rows: usize,
    steps: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    taken: usize,
    acknowledged: Vec<bool>,
    count: usize,
    steps_done: usize,
    broken: bool,
}

/// Held by each thread of the run: when one panics, the others do not wait for it.
pub(crate) struct Alarm<'a>(&'a Pace);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().unwrap_or_else(PoisonError::into_inner).broken = true;
            self.0.changed.notify_all();
        }
    }
}

impl Pace {
    pub(crate) fn new(rows: usize, steps: usize) -> Self {
        let state = State { acknowledged: vec![false; rows], ..State::default() };
        Self { rows, steps, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn alarm(&self) -> Alarm<'_> {
        Alarm(self)
    }

    fn wait_until(&self, what: &str, reached: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, waited) = self
            .changed
            .wait_timeout_while(state, STUCK, |state| !reached(state) && !state.broken)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out() && !state.broken, "{what} cannot go on; another thread has failed");
        state
    }

    /// The rows that the load takes next; none at the end.
    pub(crate) fn take(&self, most: usize) -> std::ops::Range<usize> {
        let share = self.rows.div_ceil(self.steps + 1);
        let allowed = |state: &State| (share * (state.steps_done + 1)).min(self.rows);
        let mut state =
            self.wait_until("the load", |state| state.taken < allowed(state) || state.taken == self.rows);
        let first = state.taken;
        state.taken = (first + most).min(allowed(&state)).min(self.rows);
        first..state.taken
    }

    pub(crate) fn acknowledge(&self, rows: std::ops::Range<usize>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.count += rows.len();
        state.acknowledged[rows].fill(true);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for the moment of a step.
    pub(crate) fn begin_step(&self, step: usize) {
        let share = self.rows.div_ceil(self.steps + 1);
        drop(self.wait_until("the disturbance", |state| state.count >= share * step + share / 2));
    }

    pub(crate) fn end_step(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).steps_done += 1;
        self.changed.notify_all();
    }

    /// Which rows are acknowledged by now.
    pub(crate) fn acknowledged(&self) -> Vec<bool> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).acknowledged.clone()
    }

    pub(crate) fn is_over(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.count == self.rows || state.broken
    }
}
