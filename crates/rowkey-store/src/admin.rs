//! Tables, namespaces, snapshots and regions: what there is, and changes of it.

use std::collections::BTreeSet;

use crate::{
    Chore, Namespace, Region, Snapshot, SnapshotOptions, Status, StoreError, TableDescriptor, TableName,
};

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

    /// Creates a namespace.
    ///
    /// # Errors
    /// [`StoreError::NamespaceExists`], or a failure of the store.
    fn create_namespace(&self, namespace: &Namespace) -> Result<(), StoreError> {
        Err(self.cannot("create namespaces: one is there as soon as it has a table"))
    }

    /// Removes a namespace without tables.
    ///
    /// # Errors
    /// [`StoreError::NamespaceNotFound`], [`StoreError::NamespaceNotEmpty`], or a failure of the store.
    fn drop_namespace(&self, namespace: &str) -> Result<(), StoreError> {
        Err(self.cannot("drop namespaces: one is gone with its last table"))
    }

    /// All namespaces, sorted by name. A store that does not create any has the default one and those of its tables.
    ///
    /// # Errors
    /// A failure of the store.
    fn list_namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        let tables = self.list_tables()?;
        let of_tables = tables.iter().map(TableName::namespace);
        let names: BTreeSet<&str> = of_tables.chain([TableName::DEFAULT_NAMESPACE]).collect();
        Ok(names.into_iter().map(Namespace::new).collect())
    }

    /// The namespace as it was created.
    ///
    /// # Errors
    /// [`StoreError::NamespaceNotFound`], or a failure of the store.
    fn describe_namespace(&self, namespace: &str) -> Result<Namespace, StoreError> {
        let found = self.list_namespaces()?.into_iter().find(|known| known.name == namespace);
        found.ok_or_else(|| StoreError::NamespaceNotFound { namespace: namespace.to_owned() })
    }

    /// The tables of a namespace, sorted.
    ///
    /// # Errors
    /// [`StoreError::NamespaceNotFound`], or a failure of the store.
    fn tables_of_namespace(&self, namespace: &str) -> Result<Vec<TableName>, StoreError> {
        self.describe_namespace(namespace)?;
        let tables = self.list_tables()?.into_iter();
        Ok(tables.filter(|table| table.namespace() == namespace).collect())
    }

    /// Keeps the rows of a table, as they are now, under a name. Returns when it is done. Writes go on meanwhile; which of them are in the
    /// snapshot is not known.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], [`StoreError::SnapshotExists`], or a failure of the store.
    fn snapshot(&self, table: &TableName, name: &str, options: &SnapshotOptions) -> Result<(), StoreError> {
        Err(self.cannot("take snapshots"))
    }

    /// All snapshots, sorted by name. A store that takes none has none.
    ///
    /// # Errors
    /// A failure of the store.
    fn list_snapshots(&self) -> Result<Vec<Snapshot>, StoreError> {
        Ok(Vec::new())
    }

    /// Makes a table of a snapshot: its families, rows and regions.
    ///
    /// # Errors
    /// [`StoreError::SnapshotNotFound`], [`StoreError::TableExists`], [`StoreError::NamespaceNotFound`], or a failure of the store.
    fn clone_snapshot(&self, snapshot: &str, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("clone snapshots"))
    }

    /// Makes the table of a snapshot what it was then, enabled or not; it is made anew if it was dropped. A table that was enabled is
    /// enabled afterwards.
    ///
    /// # Errors
    /// [`StoreError::SnapshotNotFound`], or a failure of the store.
    fn restore_snapshot(&self, snapshot: &str) -> Result<(), StoreError> {
        Err(self.cannot("restore snapshots"))
    }

    /// Removes a snapshot. Tables that were made of it stay.
    ///
    /// # Errors
    /// [`StoreError::SnapshotNotFound`], or a failure of the store.
    fn delete_snapshot(&self, snapshot: &str) -> Result<(), StoreError> {
        Err(self.cannot("delete snapshots"))
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

    /// Moves a region, given by its name, to a server (`host:port`, or `host,port,start` as HBase writes it), or to one that the store
    /// chooses. Returns when the region is open there.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], [`StoreError::ServerNotFound`], or a failure of the store.
    fn move_region(&self, table: &TableName, region: &str, to: Option<&str>) -> Result<(), StoreError> {
        Err(self.cannot("move regions"))
    }

    /// Switches a chore on or off; returns whether it was on.
    ///
    /// # Errors
    /// A failure of the store.
    fn switch(&self, chore: Chore, on: bool) -> Result<bool, StoreError> {
        Err(self.cannot("balance or normalize regions"))
    }

    /// Whether a chore is on.
    ///
    /// # Errors
    /// A failure of the store.
    fn is_on(&self, chore: Chore) -> Result<bool, StoreError> {
        Err(self.cannot("balance or normalize regions"))
    }

    /// Has the balancer run once, with `force` also while regions are in transition; returns whether it ran.
    ///
    /// # Errors
    /// A failure of the store.
    fn balance(&self, force: bool) -> Result<bool, StoreError> {
        Err(self.cannot("balance regions"))
    }

    /// Has the normalizer run once, over these tables or, without any, all that it is enabled for; returns whether it ran.
    ///
    /// # Errors
    /// A failure of the store.
    fn normalize(&self, tables: &[TableName]) -> Result<bool, StoreError> {
        Err(self.cannot("normalize regions"))
    }

    /// Writes what waits in memory to files.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the store.
    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        Err(self.cannot("flush tables"))
    }

    /// Writes what is still in memory, so that the next opening is quick, and says whether all went well. What was acknowledged does not
    /// depend on it.
    ///
    /// # Errors
    /// A failure of the store.
    fn close(&self) -> Result<(), StoreError> {
        Ok(())
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
