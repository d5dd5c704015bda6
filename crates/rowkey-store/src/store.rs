//! What must a store be able to do?

use crate::{
    Aggregate, Aggregated, CheckAndMutate, Get, Mutation, Operation, Outcome, Region, RegionCounts,
    Replacement, Rewriting, RowBatch, RowMutations, Scan, Status, StoreError, TableDescriptor, TableName,
    put_sorted,
};

/// What becomes of a table's regions when it is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruncateSplits {
    /// The table stays cut where it is.
    Keep,
    /// The table becomes one region.
    Drop,
}

/// A note of a table, as [`Store::note`] finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The store keeps no notes.
    NotOffered,
    /// The table's present contents have no such note.
    Missing,
    /// The bytes of the note.
    Kept(Vec<u8>),
}

/// A store of tables in HBase's data model.
///
/// All methods block and may be called from many threads at once. A request that breaks a rule (unknown family, row
/// key too long) changes nothing. Reads and writes of a disabled table are refused with
/// [`StoreError::TableDisabled`]; every call on a table that is not there with [`StoreError::TableNotFound`].
pub trait Store: Send + Sync {
    /// Creates a table cut at `splits`: n split points make n + 1 regions. Split points may come unsorted, as in
    /// HBase; duplicates and empty ones are refused.
    ///
    /// # Errors
    /// [`StoreError::TableExists`], [`StoreError::NoFamilies`], [`StoreError::InvalidFamily`],
    /// [`StoreError::DuplicateSplit`], [`StoreError::EmptySplit`], or a failure of the store.
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError>;

    /// The table as it was created or last altered, attributes included.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError>;

    /// The names of all tables, sorted; those of HBase's own namespace are left out.
    ///
    /// # Errors
    /// A failure of the store.
    fn list_tables(&self) -> Result<Vec<TableName>, StoreError>;

    /// Whether there is such a table.
    ///
    /// # Errors
    /// A failure of the store.
    fn table_exists(&self, table: &TableName) -> Result<bool, StoreError> {
        match self.describe(table) {
            Ok(_) => Ok(true),
            Err(StoreError::TableNotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes an existing table as described: families that are new are added, families that are missing go with their
    /// cells, settings and attributes are replaced. Regions stay. Works on enabled and disabled tables.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::NoFamilies`], [`StoreError::InvalidFamily`], or a failure of the
    /// store.
    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError>;

    /// Removes a table with all its rows, enabled or not.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn drop_table(&self, table: &TableName) -> Result<(), StoreError>;

    /// Removes all rows of a table, enabled or not; the table is enabled afterwards.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError>;

    /// Lets a table take reads and writes again.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableNotDisabled`] if it is enabled, or a failure of the store.
    fn enable_table(&self, table: &TableName) -> Result<(), StoreError>;

    /// Lets a table take no reads and writes.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableNotEnabled`] if it is disabled, or a failure of the store.
    fn disable_table(&self, table: &TableName) -> Result<(), StoreError>;

    /// Whether a table takes reads and writes.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError>;

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
    /// A store with a quicker way than [`Store::put_batch`] takes it where it can ([`Store::bulk_load_pays`]), and then all rows
    /// appear at once, durably, or none at all, also when the process is killed in the middle. Everywhere else it is
    /// `put_batch`, batch by batch.
    ///
    /// # Errors
    /// [`StoreError::UnsortedRows`], [`StoreError::ChangedMeanwhile`], an error of `rows`, or see [`Store::put_batch`].
    fn bulk_load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
        put_sorted(self, table, rows)
    }

    /// Whether [`Store::bulk_load`] would take the quicker way now: only then is it worth it to sort rows first.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn bulk_load_pays(&self, table: &TableName) -> Result<bool, StoreError> {
        self.describe(table).map(|_| false)
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
        tables.iter().chain(watched).try_for_each(|table| self.describe(table).map(drop))?;
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
        let _ = (rows, work);
        tables.iter().try_for_each(|table| self.describe(table).map(drop))?;
        Ok(false)
    }

    /// Reads a note. A note belongs to the present contents of a table: it goes when the table is dropped or truncated, or
    /// loses a family with its cells, whatever is made under the same name afterwards. So work that is resumed can tell
    /// whether what it wrote before is still there.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn note(&self, table: &TableName, name: &str) -> Result<Note, StoreError> {
        let _ = name;
        self.describe(table).map(|_| Note::NotOffered)
    }

    /// Writes a note, or removes it. After a crash an older one may be there, or none, but never a note without what was
    /// written to the table before it. A store without notes does nothing.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableDisabled`], or a failure of the store.
    fn set_note(&self, table: &TableName, name: &str, note: Option<&[u8]>) -> Result<(), StoreError> {
        let _ = (name, note);
        self.describe(table).map(|_| ())
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
    /// See [`Store::batch`].
    fn run(&self, table: &TableName, operation: &Operation) -> Result<Outcome, StoreError> {
        let mut results = self.batch(table, std::slice::from_ref(operation))?;
        results.pop().expect("a batch gives one result for each operation")
    }

    /// Changes a row; the outcome holds the new values of an increment or append.
    ///
    /// # Errors
    /// See [`Store::batch`].
    fn mutate(&self, table: &TableName, mutation: Mutation) -> Result<Outcome, StoreError> {
        self.run(table, &Operation::Mutate(mutation))
    }

    /// Changes a row by several mutations, all seen at once.
    ///
    /// # Errors
    /// [`StoreError::OtherRow`], or see [`Store::batch`].
    fn mutate_row(&self, table: &TableName, row: RowMutations) -> Result<Outcome, StoreError> {
        self.run(table, &Operation::MutateRow(row))
    }

    /// Changes a row if it is as expected, and says whether it was.
    ///
    /// # Errors
    /// See [`Store::batch`].
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
        let _ = (table, scan, what);
        Ok(Aggregated::NotOffered)
    }

    /// The table's regions in key order, with their figures.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError>;

    /// The time, in milliseconds since 1970, that a write without a timestamp would get now. `None` if a server gives it.
    ///
    /// A store in this process gives each write the time of the machine's clock, but never an earlier one than a write before it.
    /// Callers that choose timestamps themselves begin with this one, so that a clock that went back hides nothing.
    fn write_time(&self) -> Option<i64> {
        None
    }

    /// Moves [`Store::write_time`] forward to the last timestamp that a caller has chosen, so that later writes are not hidden by
    /// what it wrote. A store whose server gives the time does nothing.
    fn advance_write_time(&self, _time: i64) {}

    /// What the store is known by, whichever address leads to it: the id that a cluster gave itself. `None` for a store that is known by its place.
    ///
    /// # Errors
    /// A failure of the store.
    fn id(&self) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    /// How the store is: its servers and how many regions they hold together. A store without servers is one itself.
    ///
    /// # Errors
    /// A failure of the store.
    fn status(&self) -> Result<Status, StoreError> {
        let mut regions = 0;
        for table in self.list_tables()? {
            match self.regions(&table) {
                Ok(of_table) => regions += of_table.len(),
                // Dropped since it was listed.
                Err(StoreError::TableNotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let servers = vec!["embedded".to_owned()];
        Ok(Status { version: None, backup_masters: Vec::new(), servers, dead_servers: Vec::new(), regions })
    }

    /// Cuts a region, given by its name, in two: at `at`, which becomes the start of the second, or in the middle of
    /// its keys. Returns when both are there; no row is lost or unreadable meanwhile for longer than a moment.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], [`StoreError::SplitOutside`], [`StoreError::NoSplitPoint`], or a failure of the
    /// store.
    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError>;

    /// Makes one region of two or more neighbours, given by their names. Returns when it is there.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], [`StoreError::NotNeighbours`], or a failure of the store.
    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError>;

    /// Writes what waits in memory to files.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn flush(&self, table: &TableName) -> Result<(), StoreError>;

    /// Removes what no read can see: hidden cells, delete markers, cells past their time. Returns when it is done; an
    /// HBase that has much to do is waited for.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn major_compact(&self, table: &TableName) -> Result<(), StoreError>;
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
