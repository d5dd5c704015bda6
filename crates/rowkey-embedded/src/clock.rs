//! The timestamps of writes that carry none.
//!
//! The time of the machine's clock, but never earlier than that of a write before: a delete that is older than the rows would leave them, and
//! an update would vanish behind the value that it replaces. This holds over a restart too, by a record in the catalogue. Writes do not
//! pay for it: a batch carries the record only if its time is past the one on record, and then the record is set
//! [a little ahead](AHEAD). A clean close makes it exact.
//!
//! While the machine's clock is behind, the time of writes goes on at half its speed: so a put that follows a delete is later than it, and
//! the machine's clock catches up.
//!
//! Timestamps that a write brings along do not move this clock. Reads, and the time to live of cells, go by the machine's clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::options::Clock;

/// The key of the record.
pub(crate) const RECORD: &[u8] = b"clock";
/// How far the record is ahead of the writes, in milliseconds: after a crash, the time of writes goes on from there at the latest.
const AHEAD: i64 = 100;
/// A record that is so far ahead of the machine's clock, in milliseconds, is worth a word.
const FAR_AHEAD: i64 = 3_600_000;

pub(crate) struct WriteClock {
    machine: Clock,
    /// The last time that was given.
    last: AtomicI64,
    recorded: AtomicI64,
    /// Since the machine's clock is behind: its time then, that of writes then, and that of the last write.
    behind: Mutex<Option<(i64, i64, i64)>>,
}

impl WriteClock {
    pub(crate) fn new(machine: Clock) -> Self {
        Self { machine, last: AtomicI64::new(0), recorded: AtomicI64::new(0), behind: Mutex::default() }
    }

    /// Goes on from the time on record; returns how many milliseconds that is ahead of the machine's clock, if it is over an hour.
    pub(crate) fn go_on(&self, record: i64) -> Option<i64> {
        let ahead = record.saturating_sub((self.machine)().max(0));
        // A write of this process is later than all before it.
        self.last.fetch_max(record.saturating_add(i64::from(ahead > 0)), Ordering::Relaxed);
        self.recorded.fetch_max(record, Ordering::Relaxed);
        (ahead > FAR_AHEAD).then_some(ahead)
    }

    /// The time of a write that begins now, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        let now = (self.machine)().max(0);
        let last = self.last.load(Ordering::Relaxed);
        if now == last {
            return now;
        }
        let time = if now > last { now } else { self.slowly(now, last) };
        self.last.fetch_max(time, Ordering::Relaxed).max(time)
    }

    /// The time while the machine's clock is behind.
    fn slowly(&self, now: i64, last: i64) -> i64 {
        let mut behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        let (machine, time) = match *behind {
            // Otherwise it has gone back again, or caught up in between.
            Some((machine, time, given)) if now >= machine && given == last => (machine, time),
            _ => (now, last),
        };
        let next = time + (now - machine) / 2;
        *behind = Some((machine, time, next));
        next
    }

    /// Goes on from a time that a caller gave to its own writes.
    pub(crate) fn advance(&self, time: i64) {
        self.last.fetch_max(time, Ordering::Relaxed);
    }

    /// The record that must be written with the next batch, if any.
    pub(crate) fn unrecorded(&self) -> Option<i64> {
        let last = self.last.load(Ordering::Relaxed);
        (last > self.recorded.load(Ordering::Relaxed)).then(|| last.saturating_add(AHEAD))
    }

    /// Says that it was.
    pub(crate) fn recorded(&self, time: i64) {
        self.recorded.fetch_max(time, Ordering::Relaxed);
    }

    /// Says that [`exact`](Self::exact) was recorded.
    pub(crate) fn made_exact(&self, time: i64) {
        self.recorded.store(time, Ordering::Relaxed);
    }

    /// The last time that was given, if the record is ahead of it.
    pub(crate) fn exact(&self) -> Option<i64> {
        let last = self.last.load(Ordering::Relaxed);
        (last != self.recorded.load(Ordering::Relaxed)).then_some(last)
    }
}

/// The record's value: JSON, as all of the catalogue.
pub(crate) fn to_value(time: i64) -> Vec<u8> {
    time.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn time_goes_on_slowly_while_the_machine_is_behind_and_never_back() {
        let machine = Arc::new(AtomicI64::new(1_000));
        let clock = WriteClock::new({
            let machine = Arc::clone(&machine);
            Arc::new(move || machine.load(Ordering::SeqCst))
        });
        let mut at = |time: i64| {
            machine.store(time, Ordering::SeqCst);
            clock.now()
        };
        assert_eq!([1_000, 1_001, 1_001].map(&mut at), [1_000, 1_001, 1_001]);
        // An hour back: on at half the speed, until it has caught up.
        assert_eq!([400, 401, 402, 410, 800].map(&mut at), [1_001, 1_001, 1_002, 1_006, 1_201]);
        assert_eq!([300, 302, 2_000, 1_999, 2_003].map(&mut at), [1_201, 1_202, 2_000, 2_000, 2_003]);
    }
}
