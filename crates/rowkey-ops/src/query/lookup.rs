//! Looks up the records of index rows.
//!
//! Index rows are taken some at a time, in their order, and [`index::resolve`](crate::index::resolve) gives the records that they
//! lead to: by multi-gets, or without any where the index rows have all that is asked for and are known to be right.

use std::collections::VecDeque;

use rowkey_core::{FieldId, Table};
use rowkey_store::{RowBatch, RowView, Store, TableName};

use super::counters::{Counters, StepCounters};
use super::reader::Reader;
use super::{QueryError, Record};
use crate::create::OpenTable;
use crate::index::{IndexError, Needed, Resolved, resolve};

/// Index rows that are looked up together: at first, and at most.
const ROWS: (usize, usize) = (32, 512);

/// The way from an index table to the table.
pub(super) struct Lookup<'a> {
    store: &'a dyn Store,
    table: &'a Table,
    open: OpenTable,
    index: usize,
    /// The fields that the index rows have, if these are enough.
    covered: Option<Vec<FieldId>>,
    skip_undecodable: bool,
    rows: usize,
    batch: RowBatch,
    found: VecDeque<(Vec<u8>, Record)>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        name: &TableName,
        table: &'a Table,
        (index, covered): (usize, bool),
        (limit, skip_undecodable): (Option<usize>, bool),
    ) -> Self {
        let fields = table.indexes.get(index).filter(|_| covered);
        let covered = fields
            .map(|index| index.key.recoverable().into_iter().chain(index.columns.iter().copied()).collect());
        // Records are resolved by the table's name alone.
        let open = OpenTable { name: name.clone(), id: String::new(), indexes: Vec::new() };
        let rows = limit.map_or(ROWS.0, |limit| limit.clamp(1, ROWS.1));
        let (batch, found) = (RowBatch::new(), VecDeque::new());
        Self { store, table, open, index, covered, skip_undecodable, rows, batch, found }
    }

    /// The next index row's key and the record that it leads to.
    pub(super) fn next(
        &mut self,
        reader: &mut Reader<'_>,
        counters: &mut Counters,
    ) -> Result<Option<(Vec<u8>, Record)>, QueryError> {
        while self.found.is_empty() {
            self.batch.clear();
            while self.batch.len() < self.rows && reader.advance()? {
                if let Some(row) = reader.row() {
                    self.batch.push_row(row);
                }
            }
            if self.batch.is_empty() {
                return Ok(None);
            }
            self.rows = (self.rows * 2).min(ROWS.1);
            let batch = std::mem::take(&mut self.batch);
            self.resolve(&batch, counters)?;
            self.batch = batch;
        }
        Ok(self.found.pop_front())
    }

    fn resolve(&mut self, rows: &RowBatch, counters: &mut Counters) -> Result<(), QueryError> {
        match self.records(rows) {
            Ok(resolved) => self.take(rows, resolved, counters),
            Err(error) if self.skip_undecodable && is_of_a_row(&error) => {
                // One of them is bad: which?
                for row in rows.rows() {
                    let mut one = RowBatch::new();
                    one.push_row(row);
                    match self.records(&one) {
                        Ok(resolved) => self.take(&one, resolved, counters),
                        Err(error) if is_of_a_row(&error) => counters.undecodable += 1,
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn records(&self, rows: &RowBatch) -> Result<Resolved, IndexError> {
        let needed = self.covered.as_deref().map_or(Needed::All, Needed::Fields);
        resolve(self.store, self.table, &self.open, self.index, rows, needed)
    }

    fn take(&mut self, rows: &RowBatch, resolved: Resolved, counters: &mut Counters) {
        counters.stale += resolved.dropped;
        let calls = u64::from(resolved.lookups > 0);
        counters.looked_up.add(StepCounters { calls, rows: resolved.lookups, ..StepCounters::default() });
        for found in resolved.records {
            let at = rows.row(found.at).map_or_else(Vec::new, |row: RowView<'_>| row.key().to_vec());
            self.found.push_back((at, Record { key: found.key, values: found.values }));
        }
    }
}

/// Whether the rows are to blame, and not the store.
fn is_of_a_row(error: &IndexError) -> bool {
    !matches!(error, IndexError::Store(_))
}
