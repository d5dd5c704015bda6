//! Samples the rows of a live table without loading its servers.
//!
//! Its regions are read one after another, by one scanner, which leaves the servers' caches as they are; of each row the
//! table's own schema makes a record. A share of the rows is chosen by the servers, so that the others do not travel.
//! After every batch the caller is asked, and may wait: how quickly a table is read is the caller's business, who has the
//! clock.

use std::sync::atomic::AtomicU64;

use rowkey_core::{Table, Value};
use rowkey_ops::record;
use rowkey_store::{Filter, RowBatch, Scan, Store, StoreError, TableName};

use super::refusals::Refusals;
use super::reservoir::{Reservoir, Sample, SampleOptions, owned};

/// How much of a table to look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveOptions {
    /// The share of the rows that the servers send, from 0 to 1.
    pub share: f32,
    /// About how many rows a batch has, after which the caller is asked.
    pub batch_rows: usize,
}

impl Default for LiveOptions {
    /// Every row.
    fn default() -> Self {
        Self { share: 1.0, batch_rows: Scan::DEFAULT_BATCH_ROWS }
    }
}

/// A table that could not be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The store failed while the table was sampled.
    #[error("table {table} could not be read after {rows} rows")]
    Store {
        /// The table that was sampled.
        table: TableName,
        /// Rows that were read before.
        rows: u64,
        /// Why.
        #[source]
        source: StoreError,
    },
}

/// Hands every record to `see`, in key order; `pace` hears how many rows were read so far. Rows that are not of the table's
/// file are counted.
///
/// # Errors
/// When the store fails.
pub fn read_table(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    options: LiveOptions,
    see: &mut dyn FnMut(&[Value<'_>]),
    pace: &mut dyn FnMut(u64),
) -> Result<Refusals, LiveError> {
    let mut refused = Refusals::default();
    let mut rows = 0;
    let failed = |rows| move |source| LiveError::Store { table: name.clone(), rows, source };
    for region in store.regions(name).map_err(failed(rows))? {
        let filter = (options.share < 1.0).then_some(Filter::RandomRow(options.share.max(0.0)));
        let scan =
            Scan { filter, fills_cache: false, batch_rows: options.batch_rows, ..Scan::new(region.range) };
        let mut scanner = store.scan(name, &scan).map_err(failed(rows))?;
        let mut batch = RowBatch::default();
        while scanner.next_batch(&mut batch).map_err(failed(rows))? {
            for row in batch.rows() {
                rows += 1;
                match record::read(table, row) {
                    Ok(values) => see(&values),
                    Err(error) => refused.add(&error),
                }
            }
            pace(rows);
        }
    }
    Ok(refused)
}

/// A sample of a live table.
///
/// # Errors
/// As [`read_table`].
pub fn of_table(
    store: &dyn Store,
    name: &TableName,
    table: &Table,
    (live, options): (LiveOptions, &SampleOptions),
    pace: &mut dyn FnMut(u64),
) -> Result<Sample, LiveError> {
    let bar = AtomicU64::new(u64::MAX);
    let mut reservoir = Reservoir::new(options.records, options.seed, &bar);
    let refused =
        read_table(store, name, table, live, &mut |values| reservoir.offer(|| owned(values)), pace)?;
    let mut sample = reservoir.finish(table.key.fields());
    sample.refused = refused;
    Ok(sample)
}
