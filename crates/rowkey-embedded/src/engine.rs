//! Opening, tuning and closing the engine.
//!
//! Everything that this crate knows about fjall's settings, and its few calls that fjall leaves out of its
//! documentation, stand here. The settings are measured: with default memtables, sixteen keyspaces kept 5 million
//! rows in memory and took 31 seconds to reopen; with these and a flush on close, 0.35.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use fjall::config::{CompressionPolicy, FilterPolicy};
use fjall::{
    AbstractTree, CompressionType, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode,
    Snapshot, UserKey, UserValue,
};

use crate::clock::{self, WriteClock};
use crate::disk::journal::{self, Journal};
use crate::disk::manifest::Manifest;
use crate::disk::numbers::{Note, UNKNOWN};
use crate::expiry::Expiry;
use crate::folder::Ground;
use crate::moments::Moments;
use crate::{Durability, EmbeddedError, Options};

/// Writes of one keyspace that wait in memory before the engine asks its workers to put them aside.
const MEMTABLE_BYTES: u64 = 8 << 20;
/// Writes of one keyspace that wait in memory before a [`Batch`] puts them aside by itself; less, so that the engine need not ask.
const FULL_BYTES: u64 = 7 << 20;
/// Writes of all keyspaces that a reopen may have to read again.
const JOURNAL_BYTES: u64 = 128 << 20;

/// Opens the engine in `data`, and makes it first if need be.
pub(crate) fn open(data: &Path, options: &Options, expiry: &Arc<Expiry>) -> Result<Database, EmbeddedError> {
    let builder = Database::builder(data).max_journaling_size(JOURNAL_BYTES).cache_size(options.cache_bytes);
    let expiry = Arc::clone(expiry);
    let builder =
        builder.with_compaction_filter_factories(Arc::new(move |name| Some(expiry.of_keyspace(name))));
    // The engine's own number of workers. Of several, fjall 3.1.13 keeps one for flushes, and that one takes requests to merge out
    // of the queue and puts them back without a pause while another merges: a quarter of a load's processor time on two cores.
    // But with one worker each flush asks for one merge only, and after a load of 600,000 rows gets took three times as long.
    Ok(builder.open()?)
}

/// The settings of a new keyspace; fjall keeps them with it.
pub(crate) fn keyspace_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(MEMTABLE_BYTES)
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
        // A read looks for the cells of a row, never for one whole key with its timestamp: filters could not help.
        .filter_policy(FilterPolicy::disabled())
}

/// The engine of an open store, which checks what it writes: the numbers of batches (see `disk::numbers`), the time of writes (see
/// `clock`), and that the folder is still its own. Every batch goes through [`Batch::commit`].
pub(crate) struct Engine {
    /// Where notes and marks go to.
    catalogue: OnceLock<Keyspace>,
    db: Database,
    order: Mutex<Order>,
    pub(crate) clock: WriteClock,
    ground: Arc<Ground>,
    durability: Durability,
}

/// What the next batch is compared with.
struct Order {
    /// The number of the last batch.
    last: Option<u64>,
    /// Whether the next one need be declared even if its number follows.
    declare: bool,
    /// How many files the journal has, and the newest.
    journals: usize,
    newest: Option<u64>,
    /// Keyspaces with writes in memory only, each with its version, from before the batch that is being committed: taken when the engine has begun
    /// another file of the journal.
    unflushed: Option<BTreeMap<u64, u64>>,
}

impl Deref for Engine {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.db
    }
}

impl Engine {
    /// For an engine that was just opened, with what its journal held.
    pub(crate) fn new(db: Database, ground: &Arc<Ground>, options: &Options, journal: &Journal) -> Self {
        let order = Order { last: journal.last, declare: true, journals: 0, newest: None, unflushed: None };
        Self {
            catalogue: OnceLock::new(),
            db,
            order: Mutex::new(order),
            clock: WriteClock::new(Arc::clone(&options.clock)),
            ground: Arc::clone(ground),
            durability: options.durability,
        }
    }

    /// Says where the catalogue is; before the first write.
    pub(crate) fn set_catalogue(&self, catalogue: &Keyspace) -> Result<(), EmbeddedError> {
        let newest = journal::newest(&self.ground.data().path);
        self.ground.record(|manifest| {
            manifest.keyspaces.insert(catalogue.id(), catalogue.name().to_string());
            manifest.journal = newest.max(manifest.journal);
        })?;
        let _ = self.catalogue.set(catalogue.clone());
        Ok(())
    }

    /// Whether the folder is still where it was.
    pub(crate) fn still_ours(&self) -> Result<(), EmbeddedError> {
        self.ground.still_ours()
    }

    /// Does something while no batch is committed, when all times that were given to writes are on record.
    pub(crate) fn alone<T>(
        &self,
        work: impl FnOnce() -> Result<T, EmbeddedError>,
    ) -> Result<T, EmbeddedError> {
        if let (Some(catalogue), Some(_)) = (self.catalogue.get(), self.clock.unrecorded()) {
            // Any batch carries the time.
            let durability =
                if self.durability == Durability::Buffered { Durability::Buffered } else { Durability::Sync };
            let mut mark = batch(self, 1, durability);
            mark.insert(catalogue, SEQUENCE, []);
            mark.commit()?;
        }
        let _order = self.order();
        self.still_ours()?;
        work()
    }

    /// Records the last time that was given to a write, exactly; while a store is open the record is ahead of it.
    pub(crate) fn keep_clock(&self) -> Result<(), EmbeddedError> {
        let (Some(catalogue), Some(last)) = (self.catalogue.get(), self.clock.exact()) else { return Ok(()) };
        let mut batch = batch(self, 1, Durability::Buffered);
        batch.insert(catalogue, clock::RECORD, clock::to_value(last));
        batch.commit()?;
        self.clock.made_exact(last);
        Ok(())
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commit(&self, mut records: OwnedWriteBatch, keyspace: &Keyspace) -> Result<(), EmbeddedError> {
        let mut order = self.order();
        let expected = order.last.map_or(0, |last| last + 1);
        let is_next = |order: &Order, before| {
            !order.declare && before == expected && self.db.journal_count() == order.journals
        };
        if !is_next(&order, self.db.seqno()) {
            // The engine has flushed or merged something, or this is the first batch: a good moment for a look.
            self.still_ours()?;
            if order.newest.is_some() && self.db.journal_count() != order.journals {
                order.unflushed = Some(self.ground.look(|manifest| self.unflushed(manifest, u64::MAX)));
            }
        }
        let time = self.clock.unrecorded();
        if let (Some(time), Some(catalogue)) = (time, self.catalogue.get()) {
            records.insert(catalogue, clock::RECORD, clock::to_value(time));
        }
        let before = self.db.seqno();
        records.commit()?;
        if let Some(time) = time {
            self.clock.recorded(time);
        }
        if is_next(&order, before) && self.db.seqno() == before + 1 {
            order.last = Some(before);
            return Ok(());
        }
        self.declare(&mut order, before, keyspace)
    }

    /// Writes a note of the number of the batch that was just committed; see `disk::numbers`.
    fn declare(&self, order: &mut Order, before: u64, keyspace: &Keyspace) -> Result<(), EmbeddedError> {
        let Some(catalogue) = self.catalogue.get() else { return Ok(()) };
        let mut number = self.number(before, keyspace);
        loop {
            order.declare = true; // until it is done
            self.see_journal(order)?;
            let note = Note { before: order.last.unwrap_or(UNKNOWN), number: number.unwrap_or(UNKNOWN) };
            order.last = number;
            let mode = if self.durability == Durability::Buffered {
                PersistMode::Buffer
            } else {
                PersistMode::SyncData
            };
            let mut batch = OwnedWriteBatch::with_capacity(self.db.clone(), 1).durability(Some(mode));
            batch.insert(catalogue, SEQUENCE, note.value());
            let before = self.db.seqno();
            batch.commit()?;
            let follows = number.is_some_and(|number| number + 1 == before);
            number = self.number(before, catalogue);
            if follows && self.db.seqno() == before + 1 && self.db.journal_count() == order.journals {
                order.last = number;
                order.declare = false;
                return Ok(());
            }
        }
    }

    /// The number of the newest batch of a keyspace, which is not below `first`.
    fn number(&self, first: u64, keyspace: &Keyspace) -> Option<u64> {
        let next = self.db.seqno();
        if next == first + 1 {
            return Some(first);
        }
        // The engine took numbers for itself meanwhile; but only batches are in memory.
        let known = [keyspace.tree.get_highest_memtable_seqno(), keyspace.tree.get_highest_persisted_seqno()];
        known.into_iter().flatten().find(|number| (first..next).contains(number))
    }

    /// Records the newest file of the journal, before anything in it is acknowledged.
    fn see_journal(&self, order: &mut Order) -> Result<(), EmbeddedError> {
        let journals = self.db.journal_count();
        let data = self.ground.data().path;
        let newest = journal::newest(&data);
        let unflushed = order.unflushed.take();
        if newest != order.newest {
            let had_another = order.newest.is_some();
            self.ground.record(|manifest| {
                manifest.journal = newest.max(manifest.journal);
                if let Some(newest) = newest.filter(|_| had_another) {
                    // If the file was begun during the last commit, that batch may stand in either; the start of the new file tells.
                    let in_newest = || journal::first_batch(&data, newest).unwrap_or(u64::MAX);
                    let unflushed = unflushed.unwrap_or_else(|| self.unflushed(manifest, in_newest()));
                    manifest.sealed.insert(newest.saturating_sub(1), unflushed);
                }
                // What the engine has removed, it did not need.
                manifest.sealed.retain(|file, _| data.join(format!("{file}.jnl")).exists());
            })?;
            order.newest = newest;
        }
        order.journals = journals;
        Ok(())
    }

    /// Keyspaces with writes in memory only, the last of which is before a number; each with its version. The manifest is locked meanwhile, so
    /// none of them is removed.
    fn unflushed(&self, manifest: &Manifest, before: u64) -> BTreeMap<u64, u64> {
        let of = |(id, name): (&u64, &String)| {
            let keyspace =
                self.db.keyspace_exists(name).then(|| self.db.keyspace(name, keyspace_options).ok())??;
            // In this order: a flush between the two makes another version, and leaves nothing in memory.
            let version = keyspace.tree.current_version().id();
            keyspace.tree.get_highest_memtable_seqno().filter(|last| *last < before)?;
            Some((*id, version))
        };
        manifest.keyspaces.iter().filter_map(of).collect()
    }
}

/// The record that [`Marks`] and notes write.
pub(crate) const SEQUENCE: &[u8] = b"sequence";
/// More numbers than the engine takes for itself between two marks.
const UNMARKED: u64 = 256;

/// Marks around every keyspace that is made or removed, each a small write with the next sequence number.
///
/// The engine numbers its own list of keyspaces with the numbers of all writes, but when it is opened it goes on behind
/// the last *write*. Without a write behind it, a keyspace that was just made would be newer than its removal after a
/// crash: it would come back, half of it, and the engine could not be opened any more (`killed_loads.rs` of the program).
///
/// What the process before this one did last is left behind once, by many marks, before this one's first change. A process
/// that makes and removes no keyspace writes none.
pub(crate) struct Marks {
    catalogue: Keyspace,
    /// Whether what an earlier process did is left behind.
    is_ahead: Mutex<bool>,
}

impl Marks {
    /// Marks that go to this keyspace.
    pub(crate) fn new(catalogue: Keyspace) -> Self {
        Self { catalogue, is_ahead: Mutex::new(false) }
    }

    /// Makes or removes a keyspace.
    fn around<T>(
        &self,
        db: &Engine,
        change: impl FnOnce() -> Result<T, EmbeddedError>,
    ) -> Result<T, EmbeddedError> {
        let mut is_ahead = self.is_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(db, if *is_ahead { 1 } else { UNMARKED })?;
        *is_ahead = true;
        drop(is_ahead);
        let changed = change()?;
        self.write(db, 1)?;
        Ok(changed)
    }

    /// Lets the engine forget the files of states that no read is open on.
    ///
    /// It keeps the files of a state until its number is behind those of all snapshots, and looks only when it puts some
    /// memtable aside: so there is a write, a moment behind it, and the memtable that the write went to is put aside.
    pub(crate) fn let_go(&self, db: &Engine, moments: &Moments) -> Result<(), EmbeddedError> {
        self.write(db, 1)?;
        moments.renew(db);
        self.catalogue.rotate_memtable()?;
        Ok(())
    }

    fn write(&self, db: &Engine, marks: u64) -> Result<(), EmbeddedError> {
        for _ in 0..marks {
            let mut batch = batch(db, 1, Durability::Buffered);
            batch.insert(&self.catalogue, SEQUENCE, []);
            batch.commit()?;
        }
        Ok(())
    }
}

/// The keyspace of this name, made if it is not there.
pub(crate) fn keyspace(db: &Engine, name: &str, marks: &Marks) -> Result<Keyspace, EmbeddedError> {
    if db.keyspace_exists(name) {
        return Ok(db.keyspace(name, keyspace_options)?);
    }
    marks.around(db, || {
        let keyspace = db.keyspace(name, keyspace_options)?;
        // From here on it must be there: nothing is written to it before.
        db.ground.record(|manifest| {
            manifest.keyspaces.insert(keyspace.id(), name.to_owned());
        })?;
        Ok(keyspace)
    })
}

/// Removes a keyspace. Its files go when the last scanner over it does.
pub(crate) fn delete_keyspace(db: &Engine, keyspace: Keyspace, marks: &Marks) -> Result<(), EmbeddedError> {
    marks.around(db, || {
        db.ground.record(|manifest| {
            manifest.keyspaces.remove(&keyspace.id());
            manifest.closed.remove(&keyspace.id());
        })?;
        Ok(db.delete_keyspace(keyspace)?)
    })
}

/// Records that are written together.
///
/// Once a memtable is full, fjall 3.1.13 asks its workers with every commit to put it aside, in a queue of 1,000 requests. If its
/// workers do not get to run for that long (some milliseconds of small writes on a busy machine), the queue is full; the worker
/// that then puts the memtable aside waits for room in the queue that only workers empty, and all of them wait for ever. So
/// the writer that fills a memtable puts it aside. The engine is asked once at most: by a batch of over a megabyte that goes past its limit.
pub(crate) struct Batch<'e> {
    engine: &'e Engine,
    records: OwnedWriteBatch,
    /// Where they go to.
    keyspaces: Vec<Keyspace>,
}

impl Batch<'_> {
    pub(crate) fn insert(
        &mut self,
        keyspace: &Keyspace,
        key: impl Into<UserKey>,
        value: impl Into<UserValue>,
    ) {
        self.goes_to(keyspace);
        self.records.insert(keyspace, key, value);
    }

    pub(crate) fn remove(&mut self, keyspace: &Keyspace, key: impl Into<UserKey>) {
        self.goes_to(keyspace);
        self.records.remove(keyspace, key);
    }

    #[inline]
    fn goes_to(&mut self, keyspace: &Keyspace) {
        // Mostly the one of the record before.
        if !self.keyspaces.iter().rev().any(|known| known == keyspace) {
            self.keyspaces.push(keyspace.clone());
        }
    }

    pub(crate) fn commit(self) -> Result<(), EmbeddedError> {
        let Some(last) = self.keyspaces.last() else { return Ok(()) };
        self.engine.commit(self.records, last)?;
        for keyspace in &self.keyspaces {
            if keyspace.tree.active_memtable().size() >= FULL_BYTES && self.engine.still_ours().is_ok() {
                // What was written is written; an engine that fails here says so to the next writer.
                let _ = keyspace.rotate_memtable();
            }
        }
        Ok(())
    }
}

/// A batch that is as durable as asked for when its commit returns.
pub(crate) fn batch(engine: &Engine, capacity: usize, durability: Durability) -> Batch<'_> {
    let mode = match durability {
        // What is to be synced in a group is written now and waited for afterwards.
        Durability::Buffered | Durability::Group => PersistMode::Buffer,
        Durability::Sync => PersistMode::SyncData,
    };
    let records = OwnedWriteBatch::with_capacity(engine.db.clone(), capacity).durability(Some(mode));
    Batch { engine, records, keyspaces: Vec::new() }
}

/// A record on its way into the engine.
pub(crate) struct Insert {
    pub(crate) keyspace: Keyspace,
    pub(crate) key: UserKey,
    pub(crate) value: UserValue,
}

/// A batch of these records, in their order.
pub(crate) fn batch_of(db: &Engine, inserts: impl ExactSizeIterator<Item = Insert>) -> Batch<'_> {
    // What is durable is decided once for a whole call, after its last commit.
    let mut batch = batch(db, inserts.len(), Durability::Buffered);
    inserts.for_each(|Insert { keyspace, key, value }| batch.insert(&keyspace, key, value));
    batch
}

/// Writes everything that waits in memory to tables, so that the next open has nothing to read again.
///
/// fjall's own `rotate_memtable_and_wait` would wait forever on a full disk; this stops when the engine has failed.
pub(crate) fn flush(db: &Database, keyspaces: &[Keyspace]) -> Result<(), EmbeddedError> {
    for keyspace in keyspaces {
        keyspace.rotate_memtable()?;
    }
    while keyspaces.iter().any(|keyspace| keyspace.sealed_memtable_count() > 0) {
        // An engine whose workers have failed answers with an error here.
        db.persist(PersistMode::Buffer)?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Makes one sorted run of all files of a keyspace, what waits in memory included.
pub(crate) fn compact(db: &Database, keyspace: &Keyspace) -> Result<(), EmbeddedError> {
    flush(db, std::slice::from_ref(keyspace))?;
    Ok(keyspace.major_compact()?)
}

/// Whether nothing was written, flushed or merged since a snapshot was taken.
pub(crate) fn is_newest(db: &Database, snapshot: &Snapshot) -> bool {
    db.visible_seqno() == snapshot.seqno()
}

/// Bytes on disk and in the memtable of one keyspace.
pub(crate) fn size(keyspace: &Keyspace) -> u64 {
    keyspace.disk_space() + keyspace.tree.active_memtable().size()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The engine of a new store in a folder.
    pub(crate) fn engine(folder: &Path) -> Engine {
        let (ground, _) = Ground::claim(folder).unwrap();
        let db = Database::builder(ground.data().path).open().unwrap();
        let engine = Engine::new(db, &Arc::new(ground), &Options::default(), &Journal::default());
        let catalogue = engine.keyspace("catalogue", keyspace_options).unwrap();
        engine.set_catalogue(&catalogue).unwrap();
        engine
    }

    /// The engine asks its workers when a memtable is larger than its limit; so it never does.
    #[test]
    fn small_writes_never_fill_a_memtable_to_the_engines_limit() {
        let folder = tempfile::tempdir().unwrap();
        let db = engine(folder.path());
        let keyspaces = ["a", "b"].map(|name| db.keyspace(name, keyspace_options).unwrap());
        let (mut largest, mut aside) = (0, 0);
        for at in 0..1_000u32 {
            let mut batch = batch(&db, 2, Durability::Buffered);
            let value = vec![7; 20_000];
            keyspaces.iter().for_each(|keyspace| batch.insert(keyspace, at.to_be_bytes(), value.clone()));
            batch.commit().unwrap();
            let size = keyspaces.iter().map(|keyspace| keyspace.tree.active_memtable().size()).max().unwrap();
            aside += usize::from(size < largest);
            largest = largest.max(size);
        }
        assert!(largest < MEMTABLE_BYTES, "{largest}");
        assert!(aside > 0, "20 MB went through each");
        for keyspace in &keyspaces {
            assert_eq!(keyspace.iter().count(), 1_000);
        }
    }
}
