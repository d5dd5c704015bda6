//! From columns of records to keys.

use super::column::{Column, ColumnFull};
use super::keys::KeyBatch;
use super::pieces::{Records, Scratch, StepBytes};
use super::write;
use crate::key::{Draw, Draws, EncodeError, KeySchema, Step};
use crate::value::Value;

/// Encodes batches of records with one key; keeps its working memory from batch to batch.
#[derive(Debug)]
pub struct BatchEncoder<'s> {
    schema: &'s KeySchema,
    scratch: Vec<Scratch>,
    draws: Vec<Draws>,
    cursor: Vec<u32>,
}

/// Where the random parts of a batch come from; the same seed and record number give the same draws, in a batch and
/// alone ([`Draws`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    /// The seed of all records.
    pub seed: u64,
    /// The number of the batch's first record.
    pub first_record: u64,
}

/// A record of a batch that has no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {row} of the batch: {problem}")]
pub struct BatchEncodeError {
    /// Its place in the batch, from 0 on.
    pub row: usize,
    /// Why it has none.
    pub problem: EncodeError,
}

impl<'s> BatchEncoder<'s> {
    /// An encoder for a key.
    pub fn new(schema: &'s KeySchema) -> Self {
        let scratch = vec![Scratch::default(); schema.steps().len()];
        Self { schema, scratch, draws: Vec::new(), cursor: Vec::new() }
    }

    /// Replaces `keys` by those of the records: one column for each of [`KeySchema::fields`], missing ones null; as many
    /// records as the longest column has values.
    ///
    /// # Errors
    /// Of the first record that has no key, as [`KeySchema::encode`]; `keys` has those of the records before it.
    pub fn encode(&mut self, columns: &[Column<'_>], keys: &mut KeyBatch) -> Result<(), BatchEncodeError> {
        self.encode_all(columns, None, keys)
    }

    /// As [`BatchEncoder::encode`], with random parts drawn.
    ///
    /// # Errors
    /// As [`BatchEncoder::encode`].
    pub fn encode_with(
        &mut self,
        columns: &[Column<'_>],
        seed: Seed,
        keys: &mut KeyBatch,
    ) -> Result<(), BatchEncodeError> {
        self.encode_all(columns, Some(seed), keys)
    }

    fn encode_all(
        &mut self,
        columns: &[Column<'_>],
        seed: Option<Seed>,
        keys: &mut KeyBatch,
    ) -> Result<(), BatchEncodeError> {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let records = Records { schema: self.schema, columns, rows };
        match self.by_columns(records, seed, keys) {
            Some(()) => Ok(()),
            None => by_rows(records, seed, keys),
        }
    }

    fn by_columns(&mut self, records: Records<'_>, seed: Option<Seed>, keys: &mut KeyBatch) -> Option<()> {
        self.draws.clear();
        if self.schema.value_steps().any(|step| step.is_random()) {
            let Seed { seed, first_record } = seed?;
            let numbers = (0..records.rows as u64).map(|row| first_record.wrapping_add(row));
            self.draws.extend(numbers.map(|number| Draws::new(seed, number)));
        }
        let mut pieces = Vec::with_capacity(self.scratch.len());
        for (step, scratch) in self.schema.steps().iter().zip(&mut self.scratch) {
            pieces.push(match step {
                // Its place: it is computed when everything behind it is there.
                Step::Value(value) if value.node.is_row_salt() => StepBytes::Literal(&[0]),
                step => records.piece(step, scratch, &mut self.draws)?,
            });
        }
        write::write(&pieces, records.rows, keys, &mut self.cursor)?;
        if let Some(buckets) = self.schema.row_salt {
            write::put_row_salts(keys, buckets);
        }
        Some(())
    }
}

/// One record after another: the way to the first error.
fn by_rows(records: Records<'_>, seed: Option<Seed>, keys: &mut KeyBatch) -> Result<(), BatchEncodeError> {
    keys.clear();
    let mut record = vec![Value::Null; records.columns.len()];
    for row in 0..records.rows {
        for (slot, column) in record.iter_mut().zip(records.columns) {
            *slot = column.value(row);
        }
        let mut draws =
            seed.map(|Seed { seed, first_record }| Draws::new(seed, first_record.wrapping_add(row as u64)));
        let draws = draws.as_mut().map(|draws| draws as &mut dyn Draw);
        keys.push_with(|arena| records.schema.encode_all(&record, draws, arena))
            .map_err(|problem| BatchEncodeError { row, problem })?;
    }
    Ok(())
}

impl From<ColumnFull> for EncodeError {
    fn from(_: ColumnFull) -> Self {
        Self::BatchFull
    }
}
