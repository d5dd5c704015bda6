//! What time does a write get?
//!
//! That of the machine's clock, but never an earlier one than a write before it: a delete that is older than the rows would leave them, and
//! an update would vanish behind the value that it replaces. This holds over a restart too, by a record in the catalogue. Writes do not
//! pay for it: a batch carries the record only if its time is past the one on record, and then the record is set
//! [a little ahead](AHEAD). A clean close makes it exact.
//!
//! Timestamps that a write brings along do not move this clock. Reads, and the time to live of cells, go by the machine's clock.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::options::Clock;

/// The key of the record.
pub(crate) const RECORD: &[u8] = b"clock";
/// How far the record is ahead of the writes, in milliseconds: after a crash, the time of writes goes on from there at the latest.
const AHEAD: i64 = 100;
/// A record that is so far ahead of the machine's clock, in milliseconds, is worth a word.
const FAR_AHEAD: i64 = 3_600_000;

/// The clock of writes.
pub(crate) struct WriteClock {
    machine: Clock,
    /// The last time that was given.
    last: AtomicI64,
    recorded: AtomicI64,
}

impl WriteClock {
    pub(crate) fn new(machine: Clock) -> Self {
        Self { machine, last: AtomicI64::new(0), recorded: AtomicI64::new(0) }
    }

    /// Goes on from the time on record; returns how many milliseconds that is ahead of the machine's clock, if it is over an hour.
    pub(crate) fn go_on(&self, record: i64) -> Option<i64> {
        self.last.fetch_max(record, Ordering::Relaxed);
        self.recorded.fetch_max(record, Ordering::Relaxed);
        let ahead = record.saturating_sub((self.machine)().max(0));
        (ahead > FAR_AHEAD).then_some(ahead)
    }

    /// The time of a write that begins now, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        let now = (self.machine)().max(0);
        let last = self.last.load(Ordering::Relaxed);
        if now > last { self.last.fetch_max(now, Ordering::Relaxed).max(now) } else { last }
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
