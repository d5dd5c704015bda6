//! Counts how much a query read for what it returned.

use std::time::Duration;

use rowkey_store::RowBatch;

/// What a query did so far, for `explain --analyze`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Rows of the table, or of the index table, that came.
    pub read: StepCounters,
    /// Rows that the store read for them, if it was asked to count: those that its own filter left out included. Else as many
    /// as came.
    pub scanned: u64,
    /// Of these, rows that the store's filter left out.
    pub dropped_by_store: u64,
    /// Rows of the table that index rows led to.
    pub looked_up: StepCounters,
    /// Index rows that did not count: their row is gone or has moved.
    pub stale: u64,
    /// Rows that did not decode and were left out.
    pub undecodable: u64,
    /// Rows that the residual left out.
    pub filtered: u64,
    /// Rows that went into a sort.
    pub sorted: u64,
    /// Bytes that the sort wrote to files.
    pub spilled_bytes: u64,
    /// Rows returned.
    pub returned: u64,
}

/// What one step of a query did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepCounters {
    /// Calls to the store: batches, or multi-gets.
    pub calls: u64,
    /// Rows that came.
    pub rows: u64,
    /// Bytes of their keys, names and values.
    pub bytes: u64,
    /// How long the query waited for them, if it was asked to measure.
    pub time: Duration,
}

impl StepCounters {
    /// One call that gave these rows.
    pub(super) fn of(batch: &RowBatch) -> Self {
        let number = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
        Self { calls: 1, rows: number(batch.len()), bytes: number(batch.byte_len()), time: Duration::ZERO }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.time += other.time;
    }
}
