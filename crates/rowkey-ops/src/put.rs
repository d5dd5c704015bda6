//! Writes a program's own records: their rows, and the entries of the table's index tables.
//!
//! [`crate::load`] reads files, on all cores, and goes on where it was stopped; this is for records that a program holds. Nulls follow
//! the same rule: a null takes away the value that the row has.

use rowkey_core::key::EncodeError;
use rowkey_core::remedy::Remedy;
use rowkey_core::{Table, Value};
use rowkey_store::{Delete, LATEST_TIMESTAMP, Mutation, Operation, RowBatch, Store, StoreError};

use crate::create::OpenTable;
use crate::index::stamp::{now, process_clock};
use crate::index::{IndexError, IndexedWriter};
use crate::load::LoadError;
use crate::load::nulls::NullsWriter;
use crate::query::Record;
use crate::record::{RowWriter, has_nullable_columns};

/// Why records were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PutError {
    /// A value that does not fit its field. Nothing is written.
    #[error("record {number} of {records} does not fit table `{table}`, and nothing was written")]
    Record {
        /// Its number, from 0.
        number: usize,
        /// How many records there are.
        records: usize,
        /// The name of the table.
        table: String,
        /// What is wrong with it.
        #[source]
        problem: EncodeError,
    },
    /// A value after a null at the same time, or the store failed.
    #[error(transparent)]
    Refused(#[from] LoadError),
    /// The table has index tables, and a row with its entries could not be written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PutError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Refused(error) => error.remedy(),
            Self::Index(error) => error.remedy(),
            Self::Store(error) => error.remedy(),
            Self::Record { .. } => None,
        }
    }
}

/// Writes records of an open table. Many writers may work at once, in many processes.
pub struct RecordWriter<'a> {
    store: &'a dyn Store,
    table: &'a Table,
    open: &'a OpenTable,
}

impl<'a> RecordWriter<'a> {
    /// A writer of a table that was opened ([`crate::create::open`]).
    pub fn new(store: &'a dyn Store, table: &'a Table, open: &'a OpenTable) -> Self {
        Self { store, table, open }
    }

    /// Writes records, each with one value for each field of the table. When it returns, rows and entries are as durable as the store
    /// makes them. Of two records with one key the later one counts, column by column.
    ///
    /// # Errors
    /// When a value does not fit (nothing is written then), or the store fails (some rows may be written; writing them again is safe).
    pub fn put<'v>(&self, records: &[impl AsRef<[Value<'v>]>]) -> Result<(), PutError> {
        let nullable = has_nullable_columns(self.table);
        // Markers and values of one call have one time, and no other call of this process has the same.
        let draw = process_clock()();
        let time = if nullable { draw } else { LATEST_TIMESTAMP };
        let mut writer = RowWriter::new(self.table).seed(draw.unsigned_abs()).cell_time(time);
        if nullable {
            writer = writer.deleting_nulls();
        }
        let mut rows = RowBatch::new();
        for (number, record) in records.iter().enumerate() {
            writer.write(number as u64, record.as_ref(), &mut rows).map_err(|problem| PutError::Record {
                number,
                records: records.len(),
                table: self.table.name.clone(),
                problem,
            })?;
        }
        if rows.is_empty() {
            return Ok(());
        }
        if !self.open.indexes.is_empty() {
            IndexedWriter::new(self.store, self.table, self.open).put(&rows)?;
            return Ok(());
        }
        let plain = NullsWriter::new(self.store, &self.open.name, self.table, time);
        plain.put(&mut rows, time, |rows| Ok(self.store.put_batch(&self.open.name, rows)?))?;
        if nullable {
            self.store.advance_write_time(time);
        }
        Ok(())
    }

    /// Deletes the rows of records that a query returned, with their entries; returns how many. A row that is gone already is no error; it counts where the table has no index tables.
    ///
    /// # Errors
    /// When the store fails; some rows may be deleted then.
    pub fn delete(&self, records: &[Record]) -> Result<u64, PutError> {
        if !self.open.indexes.is_empty() {
            let keys: Vec<Vec<u8>> = records.iter().map(|record| record.key.clone()).collect();
            return Ok(IndexedWriter::new(self.store, self.table, self.open).delete(&keys)?.rows);
        }
        let delete = |record: &Record| {
            let delete = Delete::row_at(record.key.as_slice(), delete_time(self.store, self.table, record));
            Operation::Mutate(Mutation::Delete(delete))
        };
        let deletes: Vec<Operation> = records.iter().map(delete).collect();
        for outcome in self.store.batch(&self.open.name, &deletes)? {
            outcome?;
        }
        Ok(deletes.len() as u64)
    }
}

/// The time of a delete, which hides cells up to it: now, or that of a row whose own time (`cell_time`) is still to come.
fn delete_time(store: &dyn Store, table: &Table, record: &Record) -> i64 {
    let now = store.write_time().unwrap_or_else(now);
    match table.cell_time.and_then(|field| record.values.get(field.0)) {
        Some(Value::Time(millis)) if *millis > now => *millis,
        _ => LATEST_TIMESTAMP,
    }
}
