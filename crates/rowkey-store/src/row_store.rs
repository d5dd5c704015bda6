//! Reads and writes of rows.

use crate::{
    Aggregate, Aggregated, CheckAndMutate, Get, Mutation, Operation, Outcome, RegionCounts, Replacement,
    Rewriting, RowBatch, RowMutations, Scan, StoreError, TableName, put_sorted,
};

/// The rows of a store: the half of [`Store`](crate::Store) that programs use all the time.
///
/// What a store has no way for, it need not have: such methods say so by themselves, and callers take the plain way.
#[expect(unused_variables, reason = "what a store does not offer looks at no argument")]
pub trait RowStore: Send + Sync {
    /// Writes rows; when it returns they are durable. Each row is written whole or not at all; after a failure of
    /// the store some rows may be written and others not, and writing the batch again is safe.
    ///
    /// A cell may be a [`crate::CellKind::DeleteColumn`] marker, which a load writes for a null. It hides the column's
    /// versions up to its own time, those of a later row of the batch too.
    ///
    /// # Errors
    /// A row, family or timestamp that breaks a rule (nothing is written then), or a failure of the store.
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError>;

    /// Writes rows that come sorted by their keys, a whole table's worth of them, the quickest way that the store has;
    /// returns how many. Rows with equal keys follow one another and are put one after the other.
    ///
    /// A store with a quicker way than [`Self::put_batch`] takes it where it can ([`Self::bulk_load_pays`]), and then all rows
    /// appear at once, durably, or none at all, also when the process is killed in the middle. Everywhere else it is
    /// `put_batch`, batch by batch.
    ///
    /// # Errors
    /// [`StoreError::UnsortedRows`], [`StoreError::ChangedMeanwhile`], an error of `rows`, or see [`Self::put_batch`].
    fn bulk_load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
        put_sorted(self, table, rows)
    }

    /// Whether [`Self::bulk_load`] would take the quicker way now: only then is it worth it to sort rows first.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn bulk_load_pays(&self, table: &TableName) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Begins to give tables new contents, all of them in one moment. `watched` are tables that the new contents are made from.
    /// `None` where the store has no such way.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableDisabled`], or a failure of the store.
    fn replace_contents(
        &self,
        tables: &[TableName],
        watched: &[TableName],
    ) -> Result<Option<Box<dyn Replacement + '_>>, StoreError> {
        Ok(None)
    }

    /// Rewrites rows of several tables atomically. `work` gets the `rows` of the first table as they are; no other writer changes
    /// them while it runs. It returns rows for each table: each row becomes exactly these cells, and a row without cells is deleted,
    /// with its older versions and delete markers. When this returns, the change is durable. If `work` returns `None`, nothing changes.
    ///
    /// `false` where the store has no such way, or one of the tables keeps older versions; `work` was not called then.
    ///
    /// # Errors
    /// A row, family or timestamp that breaks a rule (nothing is written then), or a failure of the store.
    fn rewrite_rows(
        &self,
        tables: &[TableName],
        rows: &[&[u8]],
        work: &mut Rewriting<'_>,
    ) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Does many operations on many rows; there is one result for each, in the order given. Each is whole or not at
    /// all and durable when the call returns; they may be done in any order, and one that fails stops no other.
    ///
    /// # Errors
    /// For the whole batch: [`StoreError::TableNotFound`], [`StoreError::TableDisabled`]. For an item: a rule that it
    /// breaks, or a failure of the store.
    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError>;

    /// Does one operation.
    ///
    /// # Errors
    /// See [`Self::batch`].
    fn run(&self, table: &TableName, operation: &Operation) -> Result<Outcome, StoreError> {
        let mut results = self.batch(table, std::slice::from_ref(operation))?;
        results.pop().expect("a batch gives one result for each operation")
    }

    /// Changes a row; the outcome holds the new values of an increment or append.
    ///
    /// # Errors
    /// See [`Self::batch`].
    fn mutate(&self, table: &TableName, mutation: Mutation) -> Result<Outcome, StoreError> {
        self.run(table, &Operation::Mutate(mutation))
    }

    /// Changes a row by several mutations, all seen at once.
    ///
    /// # Errors
    /// [`StoreError::OtherRow`], or see [`Self::batch`].
    fn mutate_row(&self, table: &TableName, row: RowMutations) -> Result<Outcome, StoreError> {
        self.run(table, &Operation::MutateRow(row))
    }

    /// Changes a row if it is as expected, and says whether it was.
    ///
    /// # Errors
    /// See [`Self::batch`].
    fn check_and_mutate(&self, table: &TableName, check: CheckAndMutate) -> Result<bool, StoreError> {
        let outcome = self.run(table, &Operation::CheckAndMutate(check))?;
        Ok(outcome.matched == Some(true))
    }

    /// Reads one row and adds it to the end of `into`; `false` if there is no such row.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store.
    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError>;

    /// Reads many rows and adds those that are there to the end of `into`, in the order asked for; the answer says for
    /// each whether it is there.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store; `into` is as it was then.
    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        let before = into.len();
        let found: Result<Vec<bool>, StoreError> =
            gets.iter().map(|get| self.get(table, get, into)).collect();
        if found.is_err() {
            while into.len() > before {
                into.pop_row();
            }
        }
        found
    }

    /// Whether a get is about as quick as a put, so that rows can be looked up before they are written.
    fn gets_are_quick(&self) -> bool {
        false
    }

    /// Opens one scanner per scan, all at once, so that their first rows arrive together.
    ///
    /// # Errors
    /// Unknown table or family, a filter that cannot be, or a failure of the store.
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError>;

    /// Whether the scanners of this store fetch their next batch on their own while the caller works on this one.
    fn reads_ahead(&self) -> bool {
        false
    }

    /// Opens one scanner.
    ///
    /// # Errors
    /// Unknown table or family, a filter that cannot be, or a failure of the store.
    fn scan(&self, table: &TableName, scan: &Scan) -> Result<Box<dyn Scanner>, StoreError> {
        let mut scanners = self.scan_many(table, std::slice::from_ref(scan))?;
        Ok(scanners.pop().expect("scan_many opens one scanner per scan"))
    }

    /// Works something out of the rows of a scan where they lie, if the store can do that on this table.
    ///
    /// # Errors
    /// Unknown table or family, or a failure of the store.
    fn aggregate(&self, table: &TableName, scan: &Scan, what: Aggregate) -> Result<Aggregated, StoreError> {
        Ok(Aggregated::NotOffered)
    }

    /// The time, in milliseconds since 1970, that a write without a timestamp would get now. `None` if a server gives it.
    ///
    /// A store in this process gives each write the time of the machine's clock, but never an earlier one than a write before it.
    /// Callers that choose timestamps themselves begin with this one, so that a clock that went back hides nothing.
    fn write_time(&self) -> Option<i64> {
        None
    }

    /// Moves [`Self::write_time`] forward to the last timestamp that a caller has chosen, so that later writes are not hidden by
    /// what it wrote. A store whose server gives the time does nothing.
    fn advance_write_time(&self, time: i64) {}
}

/// Rows of one scan, batch by batch. Dropping it ends the scan.
pub trait Scanner: Send {
    /// Clears `batch` and fills it with the next rows; `false`, and an empty batch, at the end.
    ///
    /// # Errors
    /// A failure of the store.
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError>;

    /// Asks for about so many rows in the batches that follow, as [`Scan::batch_rows`] does for all of them. A scanner
    /// that reads ahead on its own may keep to what it was opened with.
    fn set_batch_rows(&mut self, rows: usize) {
        let _ = rows;
    }

    /// What the store read so far, region by region in the order in which the scan came to them; nothing if the scan did not
    /// ask for it ([`Scan::counts`]).
    fn counts(&self) -> Vec<RegionCounts> {
        Vec::new()
    }
}
