//! Hands records to the writing thread in their order.
//!
//! ```text
//! file ──blocks──▶ workers ──rows──▶ chunks ──▶ the thread that writes
//! ```
//!
//! A chunk is some thousand rows, what was refused between them, and the position behind them all.

use std::io;
use std::sync::mpsc::SyncSender;

use rowkey_core::key::EncodeError;
use rowkey_core::{FieldId, Value};
use rowkey_store::RowBatch;

use super::error::LoadError;
use crate::input::{BatchError, BatchSink, Position, Refused};
use crate::record::RowWriter;

/// Records that come one by one are sent when there are so many, or so many bytes of them.
const CHUNK_ROWS: usize = 4096;
const CHUNK_BYTES: usize = 2 << 20;

/// Rows on their way to the store.
pub(super) struct Chunk {
    pub(super) rows: RowBatch,
    /// Records that were left out.
    pub(super) refused: Vec<Refused>,
    /// The position behind them.
    pub(super) after: Position,
    /// What stopped the reading behind these rows.
    pub(super) error: Option<LoadError>,
}

/// Puts chunks together and sends them.
pub(super) struct Chunker<'t> {
    writer: RowWriter<'t>,
    out: SyncSender<Chunk>,
    rows: RowBatch,
    refused: Vec<Refused>,
    /// The position behind the last record, with the number of all rows.
    after: Position,
    skip_bad: bool,
}

impl<'t> Chunker<'t> {
    pub(super) fn new(writer: RowWriter<'t>, from: Position, skip_bad: bool, out: SyncSender<Chunk>) -> Self {
        Self { writer, out, rows: RowBatch::new(), refused: Vec::new(), after: from, skip_bad }
    }

    /// Sends what is left, and what stopped the reading.
    pub(super) fn finish(mut self, outcome: Result<(), BatchError>) {
        let error = match outcome {
            Ok(()) => None,
            Err(BatchError::Input(error)) => Some(error.into()),
            // The thread that writes has hung up, and knows why.
            Err(BatchError::Output(_)) => return,
        };
        let _ = self.send(error);
    }

    /// Fails when the receiver is gone.
    fn send(&mut self, error: Option<LoadError>) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let refused = std::mem::take(&mut self.refused);
        let chunk = Chunk { rows, refused, after: self.after, error };
        self.out.send(chunk).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn send_if_full(&mut self) -> io::Result<()> {
        let full = self.rows.len() >= CHUNK_ROWS || self.rows.byte_len() >= CHUNK_BYTES;
        if full || self.refused.len() >= CHUNK_ROWS { self.send(None) } else { Ok(()) }
    }

    fn go_on_at(&mut self, after: Position, more_rows: usize) {
        self.after = Position { rows: self.after.rows + more_rows as u64, ..after };
    }
}

impl BatchSink<RowBatch> for Chunker<'_> {
    fn made(&mut self, made: RowBatch, after: Position) -> io::Result<()> {
        if !self.rows.is_empty() || !self.refused.is_empty() {
            self.send(None)?;
        }
        self.go_on_at(after, made.len());
        self.rows = made;
        self.send(None)
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.record_leaving(values, &[])
    }

    fn record_leaving(&mut self, values: &[Value<'_>], left_out: &[FieldId]) -> Result<(), EncodeError> {
        // Records are numbered by those taken before, here as everywhere.
        self.writer.write_leaving(self.after.rows, values, left_out, &mut self.rows)
    }

    fn passed(&mut self, after: Position) -> io::Result<()> {
        self.go_on_at(after, 1);
        self.send_if_full()
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        if !self.skip_bad {
            return Err(BatchError::Input(record.error));
        }
        self.go_on_at(record.after, 0);
        self.refused.push(record);
        Ok(self.send_if_full()?)
    }
}

/// Whether an error is about one record, after which a load can go on.
pub(super) fn is_bad_record(error: &LoadError) -> bool {
    matches!(error, LoadError::Input(error) if error.is_of_one_record())
}
