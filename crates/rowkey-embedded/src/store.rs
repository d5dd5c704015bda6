//! [`EmbeddedStore`]: the parts put together behind the store trait.
//!
//! [`Core`] is what a store and its scanners share: the engine, the catalogue, the open tables and the folder's lock.
//! When the last of them goes, memory is written to tables and the folder is free again.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use fjall::{Keyspace, PersistMode};
use rowkey_store::{
    Admin, Get, Note, Operation, Outcome, Region, Replacement, Rewriting, RowBatch, RowStore, Scan, Scanner,
    StoreError, TableDescriptor, TableName, TruncateSplits, put_sorted, validate_families, validate_row,
    validate_splits,
};

use crate::bulk::Replacing;
use crate::catalogue::{Catalogue, Instead, TableEntry};
use crate::engine::Engine;
use crate::expiry::Expiry;
use crate::folder::{self, Found, Ground};
use crate::group_commit::{Failure, GroupCommit};
use crate::moments::Moments;
use crate::opening::{self, Opening};
use crate::regions::{Counts, RegionEntry};
use crate::scan::EmbeddedScanner;
use crate::table::{State, Table, of_keyspace};
use crate::verify::{self, Verified};
use crate::write::Change;
use crate::{Durability, EmbeddedError, Options, bulk, change, compact, engine, get, rewrite, split, write};

/// A store of tables in a folder. Clones are the same store.
#[derive(Clone)]
pub struct EmbeddedStore {
    core: Arc<Core>,
}

/// What a store and its scanners share. The fields go in this order: handles, engine, lock.
pub(crate) struct Core {
    pub(crate) tables: RwLock<BTreeMap<TableName, Arc<Table>>>,
    pub(crate) catalogue: Catalogue,
    /// Held while tables come, change and go.
    pub(crate) changing_tables: Mutex<()>,
    group: GroupCommit<Change>,
    pub(crate) moments: Moments,
    pub(crate) expiry: Arc<Expiry>,
    pub(crate) db: Engine,
    pub(crate) options: Options,
    folder: PathBuf,
    pub(crate) opening: Opening,
    closing: Closing,
}

/// What is left to do when the engine is closed; then the folder is free.
struct Closing {
    ground: Arc<Ground>,
    /// Whether everything is in tables.
    is_clean: bool,
}

impl Drop for Closing {
    fn drop(&mut self) {
        if self.is_clean {
            // If it fails, the next open finds the store as after a crash, with nothing lost.
            let _ = self.ground.close();
        }
    }
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

    /// The format of the store in `folder`, without opening it or touching anything; `None` if the folder is new or
    /// empty, so that [`open`](Self::open) would make a store of it.
    ///
    /// # Errors
    /// The folder holds something else, is of a newer format, or cannot be read.
    pub fn format_of(folder: &Path) -> Result<Option<u32>, EmbeddedError> {
        folder::check(folder)
    }

    /// Merges the files of a table into one run, as the engine does in the background when they have become many.
    ///
    /// No answer changes but that of raw scans: cells an hour past their time to live go, unless the family has
    /// `min_versions`. Everything else that no read sees is for [`major_compact`](Admin::major_compact).
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the engine.
    pub fn merge_files(&self, table: &TableName) -> Result<(), StoreError> {
        let found = self.core.table(table)?;
        let mut merged = found.families.iter().map(|open| engine::compact(&self.core.db, &open.keyspace));
        merged
            .try_for_each(|merged| merged)
            .map_err(|error| found.named(error).during(format!("merge the files of table `{table}`")))
    }

    /// What was noticed when the store was opened.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.core.opening
    }

    /// Reads all of the store and compares it with its checksums: every file of every keyspace, and every cell. `read` hears of bytes
    /// read, as they are read. What was in the journal was read when the store was opened.
    ///
    /// # Errors
    /// A failure to read; damage is an answer.
    pub fn verify(&self, read: &mut dyn FnMut(u64)) -> Result<Verified, StoreError> {
        let verified = verify::verify(&self.core, read);
        verified
            .map_err(|error| error.during(format!("read all of the store in {}", self.core.folder.display())))
    }

    /// Whether other users of the machine can look into the folder.
    #[must_use]
    pub fn is_open_to_others(&self) -> bool {
        folder::is_open_to_others(&self.core.folder)
    }

    /// Closes the store and says whether all went well; dropping it does the same silently.
    ///
    /// Nothing that was acknowledged depends on it, but after it the next open is quick. Scanners that still live keep
    /// the folder until they are dropped.
    ///
    /// # Errors
    /// A failure of the engine.
    pub fn close(self) -> Result<(), StoreError> {
        Admin::close(&self)
    }
}

impl Core {
    fn open(folder: &Path, options: Options) -> Result<Self, EmbeddedError> {
        let (ground, found) = Ground::claim(folder)?;
        let ground = Arc::new(ground);
        // The engine says that a file is damaged, and not which.
        Self::open_in(&ground, found, folder, options).map_err(|error| opening::named(&ground, error))
    }

    fn open_in(
        ground: &Arc<Ground>,
        found: Found,
        folder: &Path,
        options: Options,
    ) -> Result<Self, EmbeddedError> {
        let data = ground.data();
        let expiry = Expiry::new(Arc::clone(&options.clock));
        let mut opening = Opening::default();
        if found == Found::Old {
            opening::upgrade(ground, &options, &expiry, &mut opening)?;
        }
        let journal = opening::check(ground, &mut opening)?;
        let db = Engine::new(engine::open(&data.path, &options, &expiry)?, ground, &options, &journal);
        let catalogue = Catalogue::open(&db)?;
        opening.clock_ahead = catalogue.clock()?.and_then(|record| db.clock.go_on(record));
        let mut tables = BTreeMap::new();
        for entry in catalogue.load()? {
            let name = entry.descriptor.name.clone();
            tables.insert(name, Arc::new(Table::open(&db, entry, &expiry)?));
        }
        remove_strays(&db, &catalogue, tables.values())?;
        Ok(Self {
            tables: RwLock::new(tables),
            catalogue,
            changing_tables: Mutex::new(()),
            group: GroupCommit::default(),
            moments: Moments::new(&db),
            expiry,
            db,
            options,
            folder: folder.to_owned(),
            opening,
            closing: Closing { ground: Arc::clone(ground), is_clean: false },
        })
    }

    pub(crate) fn all_tables(&self) -> Vec<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The folder and what is in it.
    pub(crate) fn ground(&self) -> &Ground {
        &self.closing.ground
    }

    fn find(&self, name: &TableName) -> Option<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn table(&self, name: &TableName) -> Result<Arc<Table>, StoreError> {
        self.find(name).ok_or_else(|| StoreError::TableNotFound { table: name.clone() })
    }

    /// Does something inside an enabled table, which cannot be altered or dropped meanwhile.
    pub(crate) fn inside<T>(
        &self,
        name: &TableName,
        work: impl FnOnce(&Arc<Table>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        loop {
            let table = self.table(name)?;
            let (state, _inside) = table.shared.enter();
            match state {
                State::Disabled => return Err(StoreError::TableDisabled { table: name.clone() }),
                // It was altered, dropped or truncated between the look and the entry.
                _ if table.is_replaced() => {}
                State::Gone => {}
                State::Enabled => return work(&table),
            }
        }
    }

    /// Commits together with other writers; returns when it is on disk.
    pub(crate) fn commit_in_group(&self, change: Change) -> Result<(), EmbeddedError> {
        let work = |changes| {
            write::commit_all(self, changes)?;
            self.sync()
        };
        self.group.hand_in(change, work).map_err(|failure| match failure {
            Failure::Own(error) => error,
            // An engine that has failed takes no more, so this is what the next writer hears as well.
            Failure::OfLeader => fjall::Error::Poisoned.into(),
        })
    }

    /// Returns when everything that was committed is on disk, by a wait shared with other writers.
    pub(crate) fn wait_for_disk(&self) -> Result<(), EmbeddedError> {
        self.commit_in_group(Change::none())
    }

    /// Returns when everything that was committed is as durable as asked for.
    pub(crate) fn make_durable(&self) -> Result<(), EmbeddedError> {
        match self.options.durability {
            Durability::Buffered => Ok(()),
            Durability::Group => self.wait_for_disk(),
            Durability::Sync => self.sync(),
        }
    }

    fn sync(&self) -> Result<(), EmbeddedError> {
        Ok(self.db.persist(PersistMode::SyncData)?)
    }

    fn entry(&self, descriptor: &TableDescriptor, starts: Vec<Vec<u8>>) -> Result<TableEntry, EmbeddedError> {
        let made_at = self.db.clock.now();
        let region = |start| RegionEntry { start, id: made_at, counts: Counts::default() };
        Ok(TableEntry {
            id: self.catalogue.next_table_id()?,
            descriptor: descriptor.clone(),
            enabled: true,
            regions: starts.into_iter().map(region).collect(),
            with_family_markers: Vec::new(),
        })
    }

    /// Makes a table, in the place of one whose rows are given up if there is such.
    fn create(&self, entry: TableEntry, instead: Option<Instead>) -> Result<(), EmbeddedError> {
        let table = Table::create(&self.db, entry.clone(), &self.catalogue, &self.expiry)?;
        if let Err(error) = self.catalogue.add(&self.db, &entry, instead) {
            drop(table.delete_keyspaces(&self.db, &self.catalogue));
            return Err(error);
        }
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(entry.descriptor.name, Arc::new(table));
        Ok(())
    }

    fn remove(&self, table: &Table) -> Result<(), EmbeddedError> {
        let mut state = table.shared.change();
        self.catalogue.remove(&self.db, table.id)?;
        self.tables.write().unwrap_or_else(PoisonError::into_inner).remove(&table.descriptor.name);
        *state = State::Gone;
        table.delete_keyspaces(&self.db, &self.catalogue)
    }

    fn truncate(&self, table: &Table, splits: TruncateSplits) -> Result<(), EmbeddedError> {
        let mut state = table.shared.change();
        let starts = match splits {
            TruncateSplits::Keep => table.shared.regions.starts(),
            TruncateSplits::Drop => vec![Vec::new()],
        };
        self.create(self.entry(&table.descriptor, starts)?, Some(Instead::Of(table.id)))?;
        *state = State::Gone;
        table.delete_keyspaces(&self.db, &self.catalogue)
    }

    fn alter(&self, table: &Table, descriptor: &TableDescriptor) -> Result<(), EmbeddedError> {
        // The order of locks is: the table, then the list of tables.
        let state = table.shared.change();
        let altered = table.altered(&self.db, descriptor, &self.catalogue)?;
        let gone: Vec<&crate::table::OpenFamily> = table
            .families
            .iter()
            .filter(|open| altered.family(open.family.name.as_bytes()).is_none())
            .collect();
        let names: Vec<String> = gone.iter().map(|open| open.family.name.clone()).collect();
        self.catalogue.change(&self.db, table.id, descriptor, *state == State::Enabled, &names)?;
        altered.note_times(&self.expiry);
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(descriptor.name.clone(), Arc::new(altered));
        drop(tables);
        table.replace();
        for open in gone {
            engine::delete_keyspace(&self.db, open.keyspace.clone(), self.catalogue.marks())?;
        }
        Ok(())
    }

    fn set_enabled(&self, table: &Table, enabled: bool) -> Result<bool, EmbeddedError> {
        let mut state = table.shared.change();
        let wanted = if enabled { State::Enabled } else { State::Disabled };
        if *state == wanted {
            return Ok(false);
        }
        self.catalogue.change(&self.db, table.id, &table.descriptor, enabled, &[])?;
        *state = wanted;
        Ok(true)
    }

    fn keep_counts(&self) -> Result<(), EmbeddedError> {
        for table in self.tables.read().unwrap_or_else(PoisonError::into_inner).values() {
            let counts = table.shared.regions.take_counts();
            if !counts.is_empty() {
                self.catalogue.keep_counts(&self.db, table.id, &counts)?;
            }
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), EmbeddedError> {
        self.db.still_ours()?;
        self.keep_counts()?;
        self.db.keep_clock()?;
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let families = tables.values().flat_map(|table| &table.families).map(|family| &family.keyspace);
        let keyspaces: Vec<Keyspace> = families.chain([self.catalogue.keyspace()]).cloned().collect();
        engine::flush(&self.db, &keyspaces)
    }
}

/// Keyspaces of tables and families that were being created or dropped when the process ended belong to no table.
fn remove_strays<'a>(
    db: &Engine,
    catalogue: &Catalogue,
    tables: impl Iterator<Item = &'a Arc<Table>>,
) -> Result<(), EmbeddedError> {
    let known: HashSet<String> =
        tables.flat_map(|table| table.families.iter().map(|open| open.keyspace.name().to_string())).collect();
    for name in db.list_keyspace_names() {
        if of_keyspace(&name).is_some() && !known.contains(&*name) {
            let stray = db.keyspace(&name, engine::keyspace_options)?;
            engine::delete_keyspace(db, stray, catalogue.marks())?;
        }
    }
    Ok(())
}

impl Drop for Core {
    fn drop(&mut self) {
        // Everything acknowledged is in the journal already; `close` returns the error that is dropped here.
        self.closing.is_clean = self.flush().is_ok();
    }
}

impl EmbeddedStore {
    /// Changes tables one at a time.
    fn changing<T>(
        &self,
        name: &TableName,
        what: &str,
        work: impl FnOnce(&Table) -> Result<T, EmbeddedError>,
    ) -> Result<T, StoreError> {
        let _changing = self.core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
        let table = self.core.table(name)?;
        work(&table).map_err(|error| error.during(format!("{what} table `{name}`")))
    }

    fn split_overgrown(&self, table: &TableName) -> Result<(), StoreError> {
        match self.core.find(table) {
            Some(table) => split::split_overgrown(&self.core, &table),
            None => Ok(()),
        }
    }
}

impl RowStore for EmbeddedStore {
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        self.core.inside(table, |table| write::put_batch(&self.core, table, rows))?;
        self.split_overgrown(table)
    }

    fn bulk_load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
        if !self.bulk_load_pays(table)? {
            return put_sorted(self, table, rows);
        }
        let loaded = bulk::load(&self.core, table, rows)?;
        split::split_all_overgrown(&self.core, &*self.core.table(table)?)?;
        Ok(loaded)
    }

    fn replace_contents(
        &self,
        tables: &[TableName],
        watched: &[TableName],
    ) -> Result<Option<Box<dyn Replacement + '_>>, StoreError> {
        Ok(Some(Box::new(Replacing::begin(&self.core, tables, watched)?)))
    }

    fn rewrite_rows(
        &self,
        tables: &[TableName],
        rows: &[&[u8]],
        work: &mut Rewriting<'_>,
    ) -> Result<bool, StoreError> {
        let mut keeps_versions = false;
        for table in tables {
            keeps_versions |=
                self.core.table(table)?.descriptor.families.iter().any(|family| family.versions > 1);
        }
        if keeps_versions {
            return Ok(false);
        }
        rewrite::rewrite_rows(&self.core, tables, rows, work)?;
        tables.iter().try_for_each(|table| self.split_overgrown(table))?;
        Ok(true)
    }

    fn bulk_load_pays(&self, table: &TableName) -> Result<bool, StoreError> {
        bulk::is_possible(&*self.core.table(table)?)
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let results = self.core.inside(table, |table| Ok(change::batch(&self.core, table, operations)))?;
        self.split_overgrown(table)?;
        Ok(results)
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        let core = &self.core;
        core.inside(table, |table| get::get(&core.moments.latest(&core.db), &core.options, table, get, into))
    }

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        let core = &self.core;
        core.inside(table, |table| {
            let (snapshot, before) = (core.moments.latest(&core.db), into.len());
            let found: Result<Vec<bool>, StoreError> =
                gets.iter().map(|get| get::get(&snapshot, &core.options, table, get, into)).collect();
            while found.is_err() && into.len() > before {
                into.pop_row();
            }
            found
        })
    }

    fn gets_are_quick(&self) -> bool {
        true
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        let core = &self.core;
        core.inside(table, |table| {
            // In this order: what the engine dropped before the snapshot was past its time then, and is now.
            let (snapshot, now) = (core.moments.latest(&core.db), core.options.now());
            let mut scanners: Vec<Box<dyn Scanner>> = Vec::with_capacity(scans.len());
            for scan in scans {
                table.descriptor.validate_scan(scan)?;
                scanners.push(Box::new(EmbeddedScanner::open(core, table, &snapshot, scan, now)?));
            }
            Ok(scanners)
        })
    }

    fn write_time(&self) -> Option<i64> {
        Some(self.core.db.clock.now())
    }

    fn advance_write_time(&self, time: i64) {
        self.core.db.clock.advance(time);
    }
}

impl Admin for EmbeddedStore {
    fn kind(&self) -> &'static str {
        "the embedded store"
    }

    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        let _changing = self.core.changing_tables.lock().unwrap_or_else(PoisonError::into_inner);
        if self.core.find(&table.name).is_some() {
            return Err(StoreError::TableExists { table: table.name.clone() });
        }
        validate_families(&table.name, &table.families)?;
        let splits = validate_splits(splits)?;
        splits.iter().try_for_each(|split| validate_row(split))?;
        let starts = std::iter::once(Vec::new()).chain(splits).collect();
        let made = self.core.entry(table, starts).and_then(|entry| self.core.create(entry, None));
        made.map_err(|error| error.during(format!("create table `{}`", table.name)))
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        Ok(self.core.table(table)?.descriptor.clone())
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        Ok(self.core.tables.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect())
    }

    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        validate_families(&table.name, &table.families)?;
        self.changing(&table.name, "alter", |known| self.core.alter(known, table))
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.changing(table, "drop", |table| self.core.remove(table))
    }

    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        self.changing(table, "truncate", |table| self.core.truncate(table, splits))
    }

    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        match self.changing(table, "enable", |table| self.core.set_enabled(table, true))? {
            true => Ok(()),
            false => Err(StoreError::TableNotDisabled { table: table.clone() }),
        }
    }

    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        match self.changing(table, "disable", |table| self.core.set_enabled(table, false))? {
            true => Ok(()),
            false => Err(StoreError::TableNotEnabled { table: table.clone() }),
        }
    }

    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        Ok(self.core.table(table)?.shared.enter().0 == State::Enabled)
    }

    fn note(&self, table: &TableName, name: &str) -> Result<Note, StoreError> {
        let found = self.core.catalogue.note(self.core.table(table)?.id, name);
        let found = found.map_err(|error| error.during(format!("read a note of table `{table}`")))?;
        Ok(found.map_or(Note::Missing, Note::Kept))
    }

    fn set_note(&self, table: &TableName, name: &str, note: Option<&[u8]>) -> Result<(), StoreError> {
        let core = &self.core;
        core.inside(table, |open| {
            let kept = core.catalogue.set_note(&core.db, open.id, name, note);
            kept.map_err(|error| error.during(format!("keep a note of table `{table}`")))
        })
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        let table = self.core.table(table)?;
        Ok(table.shared.regions.list(&table.descriptor.name, table.size()))
    }

    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        split::split(&self.core, &*self.core.table(table)?, region, at)
    }

    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        split::merge(&self.core, &*self.core.table(table)?, regions)
    }

    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        let found = self.core.table(table)?;
        let keyspaces: Vec<Keyspace> = found.families.iter().map(|open| open.keyspace.clone()).collect();
        let ours = self.core.db.still_ours();
        let flushed = ours.and_then(|()| engine::flush(&self.core.db, &keyspaces));
        flushed.map_err(|error| error.during(format!("flush table `{table}`")))
    }

    fn close(&self) -> Result<(), StoreError> {
        let closed = self.core.flush();
        closed.map_err(|error| error.during(format!("close the store in {}", self.core.folder.display())))
    }

    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        let found = self.core.table(table)?;
        compact::major_compact(&self.core, &found)
            .map_err(|error| found.named(error).during(format!("compact table `{table}`")))
    }
}

impl fmt::Debug for EmbeddedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedStore").field("folder", &self.core.folder).finish_non_exhaustive()
    }
}
