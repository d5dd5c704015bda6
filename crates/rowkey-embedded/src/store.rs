//! How do the parts make a store?
//!
//! [`Core`] is what a store and its scanners share: the engine, the catalogue, the open tables and the folder's lock.
//! When the last of them goes, memory is written to tables and the folder is free again.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use fjall::{Database, Keyspace};
use rowkey_store::{
    Get, Operation, Outcome, Region, RowBatch, Scan, Scanner, Store, StoreError, TableDescriptor, TableName,
    TruncateSplits, validate_families, validate_row, validate_splits,
};

use crate::catalogue::{Catalogue, TableEntry};
use crate::folder::Folder;
use crate::lock::FolderLock;
use crate::regions::{Counts, RegionEntry};
use crate::scan::EmbeddedScanner;
use crate::table::{Table, table_of_keyspace};
use crate::{EmbeddedError, Options, engine, get, read, write};

/// A store of tables in a folder.
pub struct EmbeddedStore {
    core: Arc<Core>,
}

/// What a store and its scanners share. The fields go in this order: handles, engine, lock.
pub(crate) struct Core {
    tables: RwLock<BTreeMap<TableName, Arc<Table>>>,
    catalogue: Catalogue,
    /// Held while tables come and go.
    changing_tables: Mutex<()>,
    db: Database,
    options: Options,
    folder: PathBuf,
    _lock: FolderLock,
}

impl EmbeddedStore {
    /// Opens the store in `folder`, and makes one there if the folder is new or empty.
    ///
    /// One process, and within it one store, owns the folder until the store and its scanners are dropped.
    ///
    /// # Errors
    /// [`StoreError::Backend`] whose source is an [`EmbeddedError`]: the folder is in use, holds something else, is of
    /// a newer format, cannot be written, or is damaged.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let core = Core::open(folder, options);
        let core = core.map_err(|error| error.during(format!("open the store in {}", folder.display())))?;
        Ok(Self { core: Arc::new(core) })
    }

    /// Closes the store and says whether all went well; dropping it does the same silently.
    ///
    /// Nothing that was acknowledged depends on it, but after it the next open is quick. Scanners that still live keep
    /// the folder until they are dropped.
    ///
    /// # Errors
    /// A failure of the engine.
    pub fn close(self) -> Result<(), StoreError> {
        let closed = self.core.flush();
        closed.map_err(|error| error.during(format!("close the store in {}", self.core.folder.display())))
    }
}

impl Core {
    fn open(folder: &Path, options: Options) -> Result<Self, EmbeddedError> {
        let Folder { data, lock } = Folder::claim(folder)?;
        let db = engine::open(&data, &options)?;
        let catalogue = Catalogue::open(&db)?;
        let mut tables = BTreeMap::new();
        for entry in catalogue.load()? {
            let name = entry.descriptor.name.clone();
            tables.insert(name, Arc::new(Table::open(&db, entry)?));
        }
        remove_strays(&db, tables.values())?;
        Ok(Self {
            tables: RwLock::new(tables),
            catalogue,
            changing_tables: Mutex::new(()),
            db,
            options,
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    fn find(&self, name: &TableName) -> Option<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn table(&self, name: &TableName) -> Result<Arc<Table>, StoreError> {
        self.find(name).ok_or_else(|| StoreError::TableNotFound { table: name.clone() })
    }

    fn create(&self, descriptor: &TableDescriptor, splits: Vec<Vec<u8>>) -> Result<(), EmbeddedError> {
        let made_at = self.options.now();
        let starts = std::iter::once(Vec::new()).chain(splits);
        let entry = TableEntry {
            id: self.catalogue.next_table_id()?,
            descriptor: descriptor.clone(),
            regions: starts
                .map(|start| RegionEntry { start, id: made_at, counts: Counts::default() })
                .collect(),
        };
        let table = Table::create(&self.db, entry.clone())?;
        if let Err(error) = self.catalogue.add(&self.db, &entry) {
            drop(table.delete_keyspaces(&self.db));
            return Err(error);
        }
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(descriptor.name.clone(), Arc::new(table));
        Ok(())
    }

    fn remove(&self, table: &Table) -> Result<(), EmbeddedError> {
        self.catalogue.remove(&self.db, table.id)?;
        self.tables.write().unwrap_or_else(PoisonError::into_inner).remove(&table.descriptor.name);
        table.delete_keyspaces(&self.db)
    }

    fn flush(&self) -> Result<(), EmbeddedError> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        for table in tables.values() {
            let counts = table.regions.take_counts();
            if !counts.is_empty() {
                self.catalogue.keep_counts(&self.db, table.id, &counts)?;
            }
        }
        let families = tables.values().flat_map(|table| &table.families).map(|family| &family.keyspace);
        let keyspaces: Vec<Keyspace> = families.chain([self.catalogue.keyspace()]).cloned().collect();
        engine::flush(&self.db, &keyspaces)
    }
}

/// Keyspaces of tables that were being created or dropped when the process ended belong to no table.
fn remove_strays<'a>(
    db: &Database,
    tables: impl Iterator<Item = &'a Arc<Table>>,
) -> Result<(), EmbeddedError> {
    let ids: HashSet<u64> = tables.map(|table| table.id).collect();
    for name in db.list_keyspace_names() {
        if table_of_keyspace(&name).is_some_and(|id| !ids.contains(&id)) {
            db.delete_keyspace(db.keyspace(&name, engine::keyspace_options)?)?;
        }
    }
    Ok(())
}

impl Drop for Core {
    fn drop(&mut self) {
        // Everything acknowledged is in the journal already; `close` is for those who want to hear of a failure.
        let _ = self.flush();
    }
}

impl Store for EmbeddedStore {
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        let _changing = self.core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
        if self.core.find(&table.name).is_some() {
            return Err(StoreError::TableExists { table: table.name.clone() });
        }
        validate_families(&table.name, &table.families)?;
        let splits = validate_splits(splits)?;
        splits.iter().try_for_each(|split| validate_row(split))?;
        self.core
            .create(table, splits)
            .map_err(|error| error.during(format!("create table `{}`", table.name)))
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        Ok(self.core.table(table)?.descriptor.clone())
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        let _changing = self.core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.core.table(table)?;
        self.core.remove(&found).map_err(|error| error.during(format!("drop table `{table}`")))
    }

    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        let table = self.core.table(table)?;
        write::put_batch(&self.core.db, &self.core.options, &table, rows)
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        let table = self.core.table(table)?;
        get::get(&self.core.db.snapshot(), &self.core.options, &table, get, into)
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        let table = self.core.table(table)?;
        let now = self.core.options.now();
        let snapshot = self.core.db.snapshot();
        let mut scanners: Vec<Box<dyn Scanner>> = Vec::with_capacity(scans.len());
        for scan in scans {
            let reads = read::families(&table, &scan.columns, now)?;
            let scanner = EmbeddedScanner::open(&self.core, &table, &snapshot, scan, reads);
            let attempted = || format!("scan table `{}`", table.descriptor.name);
            scanners.push(Box::new(scanner.map_err(|error| error.during(attempted()))?));
        }
        Ok(scanners)
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        let table = self.core.table(table)?;
        Ok(table.regions.list(&table.descriptor.name, table.size()))
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        Err(unsupported("list tables"))
    }

    fn alter_table(&self, _: &TableDescriptor) -> Result<(), StoreError> {
        Err(unsupported("alter tables"))
    }

    fn truncate_table(&self, _: &TableName, _: TruncateSplits) -> Result<(), StoreError> {
        Err(unsupported("truncate tables"))
    }

    fn enable_table(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("enable tables"))
    }

    fn disable_table(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("disable tables"))
    }

    fn is_enabled(&self, _: &TableName) -> Result<bool, StoreError> {
        Err(unsupported("tell whether tables are enabled"))
    }

    fn batch(&self, _: &TableName, _: &[Operation]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        Err(unsupported("do operations in batches"))
    }

    fn split_region(&self, _: &TableName, _: &str, _: Option<&[u8]>) -> Result<(), StoreError> {
        Err(unsupported("split regions"))
    }

    fn merge_regions(&self, _: &TableName, _: &[String]) -> Result<(), StoreError> {
        Err(unsupported("merge regions"))
    }

    fn flush(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("flush tables"))
    }

    fn major_compact(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("compact tables"))
    }
}

fn unsupported(operation: &'static str) -> StoreError {
    StoreError::Unsupported { operation, store: "the embedded store" }
}

impl fmt::Debug for EmbeddedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedStore").field("folder", &self.core.folder).finish_non_exhaustive()
    }
}
