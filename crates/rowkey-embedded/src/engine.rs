//! How is the engine set up, and how is it put to rest?
//!
//! Everything that this crate knows about fjall's settings, and its few calls that fjall leaves out of its
//! documentation, stand here. The settings are measured: with default memtables, sixteen keyspaces kept 5 million
//! rows in memory and took 31 seconds to reopen; with these and a flush on close, 0.35.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fjall::config::{CompressionPolicy, FilterPolicy};
use fjall::{
    AbstractTree, CompressionType, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode,
    SeqNo, Snapshot, UserKey, UserValue,
};

use crate::expiry::Expiry;
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

/// The record that [`Marks`] writes.
const SEQUENCE: &[u8] = b"sequence";
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
        db: &Database,
        change: impl FnOnce() -> Result<T, fjall::Error>,
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
    pub(crate) fn let_go(&self, db: &Database, moments: &Moments) -> Result<(), EmbeddedError> {
        self.write(db, 1)?;
        moments.renew(db);
        self.catalogue.rotate_memtable()?;
        Ok(())
    }

    fn write(&self, db: &Database, marks: u64) -> Result<(), EmbeddedError> {
        for _ in 0..marks {
            let mut batch = batch(db, 1, Durability::Buffered);
            batch.insert(&self.catalogue, SEQUENCE, []);
            batch.commit()?;
        }
        Ok(())
    }
}

/// The keyspace of this name, made if it is not there.
pub(crate) fn keyspace(db: &Database, name: &str, marks: &Marks) -> Result<Keyspace, EmbeddedError> {
    if db.keyspace_exists(name) {
        return Ok(db.keyspace(name, keyspace_options)?);
    }
    marks.around(db, || db.keyspace(name, keyspace_options))
}

/// Removes a keyspace. Its files go when the last scanner over it does.
pub(crate) fn delete_keyspace(db: &Database, keyspace: Keyspace, marks: &Marks) -> Result<(), EmbeddedError> {
    marks.around(db, || db.delete_keyspace(keyspace))
}

/// Records that are written together.
///
/// Once a memtable is full, fjall 3.1.13 asks its workers with every commit to put it aside, in a queue of 1,000 requests. If its
/// workers do not get to run for that long (some milliseconds of small writes on a busy machine), the queue is full; the worker
/// that then puts the memtable aside waits for room in the queue that only workers empty, and all of them wait for ever. So
/// whoever fills a memtable puts it aside. The engine is asked once at most: by a batch of over a megabyte that goes past its limit.
pub(crate) struct Batch {
    records: OwnedWriteBatch,
    /// Where they go to.
    keyspaces: Vec<Keyspace>,
}

impl Batch {
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

    pub(crate) fn commit(self) -> Result<(), fjall::Error> {
        self.records.commit()?;
        for keyspace in &self.keyspaces {
            if keyspace.tree.active_memtable().size() >= FULL_BYTES {
                // What was written is written; an engine that fails here says so to the next writer.
                let _ = keyspace.rotate_memtable();
            }
        }
        Ok(())
    }
}

/// A batch that is as durable as asked for when its commit returns.
pub(crate) fn batch(db: &Database, capacity: usize, durability: Durability) -> Batch {
    let mode = match durability {
        // What is to be synced in a group is written now and waited for afterwards.
        Durability::Buffered | Durability::Group => PersistMode::Buffer,
        Durability::Sync => PersistMode::SyncData,
    };
    let records = OwnedWriteBatch::with_capacity(db.clone(), capacity).durability(Some(mode));
    Batch { records, keyspaces: Vec::new() }
}

/// A record on its way into the engine.
pub(crate) struct Insert {
    pub(crate) keyspace: Keyspace,
    pub(crate) key: UserKey,
    pub(crate) value: UserValue,
}

/// A batch of these records, in their order.
pub(crate) fn batch_of(db: &Database, inserts: impl ExactSizeIterator<Item = Insert>) -> Batch {
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

/// The number of the newest write of a keyspace that is in memory.
pub(crate) fn newest_in_memory(keyspace: &Keyspace) -> Option<SeqNo> {
    keyspace.tree.get_highest_memtable_seqno()
}

/// Bytes on disk and in the memtable of one keyspace.
pub(crate) fn size(keyspace: &Keyspace) -> u64 {
    keyspace.disk_space() + keyspace.tree.active_memtable().size()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The engine asks its workers when a memtable is larger than its limit; so it never does.
    #[test]
    fn small_writes_never_fill_a_memtable_to_the_engines_limit() {
        let folder = tempfile::tempdir().unwrap();
        let db = Database::builder(folder.path()).open().unwrap();
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
