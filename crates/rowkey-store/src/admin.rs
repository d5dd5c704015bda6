//! Tables and regions: what there is, and changes of it.

use crate::{Region, Status, StoreError, TableDescriptor, TableName};

/// What becomes of a table's regions when it is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruncateSplits {
    /// The table stays cut where it is.
    Keep,
    /// The table becomes one region.
    Drop,
}

/// A note of a table, as [`Admin::note`] finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The store keeps no notes.
    NotOffered,
    /// The table's present contents have no such note.
    Missing,
    /// The bytes of the note.
    Kept(Vec<u8>),
}

/// The tables of a store: the other half of [`Store`](crate::Store).
///
/// A store says what tables it has and how they are cut. Everything else is refused with [`StoreError::Unsupported`] until a store
/// implements it.
#[expect(unused_variables, reason = "what a store does not offer looks at no argument")]
pub trait Admin: Send + Sync {
    /// What the store is called in errors and in [`Self::status`].
    fn kind(&self) -> &'static str {
        "this store"
    }

    /// The error of an operation that the store does not have.
    fn cannot(&self, operation: &'static str) -> StoreError {
        StoreError::Unsupported { store: self.kind(), operation }
    }

    /// Creates a table cut at `splits`: n split points make n + 1 regions. Split points may come unsorted, as in
    /// HBase; duplicates and empty ones are refused.
    ///
    /// # Errors
    /// [`StoreError::TableExists`], [`StoreError::NoFamilies`], [`StoreError::InvalidFamily`],
    /// [`StoreError::DuplicateSplit`], [`StoreError::EmptySplit`], or a failure of the store.
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        Err(self.cannot("create tables"))
    }

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
    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        Err(self.cannot("alter tables"))
    }

    /// Removes a table with all its rows, enabled or not.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("drop tables"))
    }

    /// Removes all rows of a table, enabled or not; the table is enabled afterwards.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        Err(self.cannot("truncate tables"))
    }

    /// Lets a table take reads and writes again.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableNotDisabled`] if it is enabled, or a failure of the store.
    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("enable tables"))
    }

    /// Lets a table take no reads and writes.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableNotEnabled`] if it is disabled, or a failure of the store.
    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("disable tables"))
    }

    /// Whether a table takes reads and writes.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.describe(table).map(|_| true)
    }

    /// Reads a note. A note belongs to the present contents of a table: it goes when the table is dropped or truncated, or
    /// loses a family with its cells, whatever is made under the same name afterwards. So work that is resumed can tell
    /// whether what it wrote before is still there.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn note(&self, table: &TableName, name: &str) -> Result<Note, StoreError> {
        self.describe(table).map(|_| Note::NotOffered)
    }

    /// Writes a note, or removes it. After a crash an older one may be there, or none, but never a note without what was
    /// written to the table before it. A store without notes does nothing.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::TableDisabled`], or a failure of the store.
    fn set_note(&self, table: &TableName, name: &str, note: Option<&[u8]>) -> Result<(), StoreError> {
        self.describe(table).map(|_| ())
    }

    /// The table's regions in key order, with their figures.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError>;

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
        let servers = vec![self.kind().to_owned()];
        Ok(Status { version: None, backup_masters: Vec::new(), servers, dead_servers: Vec::new(), regions })
    }

    /// Cuts a region, given by its name, in two: at `at`, which becomes the start of the second, or in the middle of
    /// its keys. Returns when both are there; no row is lost or unreadable meanwhile for longer than a moment.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], [`StoreError::SplitOutside`], [`StoreError::NoSplitPoint`], or a failure of the
    /// store.
    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        Err(self.cannot("split regions"))
    }

    /// Makes one region of two or more neighbours, given by their names. Returns when it is there.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], [`StoreError::NotNeighbours`], or a failure of the store.
    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        Err(self.cannot("merge regions"))
    }

    /// Writes what waits in memory to files.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("flush tables"))
    }

    /// Removes what no read can see: hidden cells, delete markers, cells past their time. Returns when it is done; an
    /// HBase that has much to do is waited for.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("compact tables"))
    }
}
