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

/// Writes of one keyspace that wait in memory.
const MEMTABLE_BYTES: u64 = 8 << 20;
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

/// A batch that is as durable as asked for when its commit returns.
pub(crate) fn batch(db: &Database, capacity: usize, durability: Durability) -> OwnedWriteBatch {
    let mode = match durability {
        // What is to be synced in a group is written now and waited for afterwards.
        Durability::Buffered | Durability::Group => PersistMode::Buffer,
        Durability::Sync => PersistMode::SyncData,
    };
    OwnedWriteBatch::with_capacity(db.clone(), capacity).durability(Some(mode))
}

/// A record on its way into the engine.
pub(crate) struct Insert {
    pub(crate) keyspace: Keyspace,
    pub(crate) key: UserKey,
    pub(crate) value: UserValue,
}

/// A batch of these records, in their order.
pub(crate) fn batch_of(db: &Database, inserts: impl ExactSizeIterator<Item = Insert>) -> OwnedWriteBatch {
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
