//! Syncing the write-ahead log of a large batch while the batch is still being applied.
//!
//! The engine writes a batch to its journal, whole, and then puts the cells in their places in memory, which takes longer; the disk
//! has nothing to do meanwhile. So a second thread syncs the journal as soon as the batch is in it, while the writer is still busy.
//! If it comes too late, because the processors are busy, the writer syncs as if there were no second thread.
//!
//! **Law**: what is told to be on disk is there. The sync begins when the first cell of the batch is seen in memory
//! (`a_batch_is_in_the_journal_before_it_is_in_memory`), on the newest file of the journal that there is then. If that is the file
//! with the batch, the sync brings it to the disk. If it is a later one, the engine has synced the file with the batch before
//! it made the later one. If the file with the batch is gone, the engine had everything in it in tables on disk. A sync that
//! fails tells nothing: the writer then asks the engine, which hears of the failure through its own handle.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use fjall::{Keyspace, SeqNo};

use crate::disk::journal;
use crate::engine;

/// Smaller batches are applied before another thread has woken.
const LARGE: usize = 32 << 10;
/// How long the second thread sleeps between two looks: little beside the millisecond or more that a batch takes.
const BETWEEN_LOOKS: Duration = Duration::from_micros(20);

pub(crate) struct HeadStart {
    /// The engine's folder, with its journal.
    folder: PathBuf,
    thread: OnceLock<Option<(Sender<Watch>, JoinHandle<()>)>>,
}

/// A commit that the second thread watches.
struct Watch {
    keyspace: Keyspace,
    /// The number of the newest write in memory before it.
    before: Option<SeqNo>,
    state: Arc<State>,
}

struct State {
    stage: AtomicU8,
    writer: Thread,
}

/// The second thread has not begun to sync.
const WATCHING: u8 = 0;
/// The writer has committed and needs no further sync.
const OVER: u8 = 1;
const SYNCING: u8 = 2;
const ON_DISK: u8 = 3;
const FAILED: u8 = 4;

impl State {
    /// Goes on from [`WATCHING`]; only one of the two threads can.
    fn becomes(&self, stage: u8) -> bool {
        self.stage.compare_exchange(WATCHING, stage, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// A commit with a head start, or without one.
pub(crate) struct Begun(Option<Arc<State>>);

impl Begun {
    /// Without.
    pub(crate) const NOT: Self = Self(None);

    /// Behind the commit: whether it is on disk already, or in a moment that this waits for.
    pub(crate) fn is_on_disk(&self) -> bool {
        let Some(state) = &self.0 else { return false };
        if state.becomes(OVER) {
            return false;
        }
        loop {
            match state.stage.load(Ordering::Acquire) {
                SYNCING => std::thread::park(),
                stage => return stage == ON_DISK,
            }
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(state) = &self.0 {
            state.becomes(OVER);
        }
    }
}

impl HeadStart {
    /// For the engine in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), thread: OnceLock::new() }
    }

    /// Begins, for a batch of so many bytes with its first cell in this keyspace. The caller commits it next, and sees to it that
    /// nothing else is written to the keyspace from this call to the end of the commit.
    pub(crate) fn begin(&self, bytes: usize, keyspace: &Keyspace) -> Begun {
        // Elsewhere a failed write may be told to one handle only, which must be the engine's.
        if bytes < LARGE || !cfg!(target_os = "linux") {
            return Begun::NOT;
        }
        let Some((sender, _)) = self.thread.get_or_init(|| start(&self.folder)) else {
            return Begun::NOT;
        };
        let state = Arc::new(State { stage: AtomicU8::new(WATCHING), writer: std::thread::current() });
        let before = engine::newest_in_memory(keyspace);
        // If the thread is gone, the head start is not continued.
        let _ = sender.send(Watch { keyspace: keyspace.clone(), before, state: Arc::clone(&state) });
        Begun(Some(state))
    }
}

impl Drop for HeadStart {
    fn drop(&mut self) {
        if let Some(Some((sender, thread))) = self.thread.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn start(folder: &Path) -> Option<(Sender<Watch>, JoinHandle<()>)> {
    let (sender, receiver) = channel();
    let mut journal = Journal { folder: folder.to_owned(), newest: None };
    let thread = std::thread::Builder::new().name("head start".to_owned());
    Some((sender, thread.spawn(move || run(&receiver, &mut journal)).ok()?))
}

fn run(batches: &Receiver<Watch>, journal: &mut Journal) {
    while let Ok(Watch { keyspace, before, state }) = batches.recv() {
        while state.stage.load(Ordering::Acquire) == WATCHING {
            if engine::newest_in_memory(&keyspace) <= before {
                std::thread::sleep(BETWEEN_LOOKS);
                continue;
            }
            let Some(file) = journal.newest() else { break };
            if state.becomes(SYNCING) {
                let stage = if file.sync_data().is_ok() { ON_DISK } else { FAILED };
                state.stage.store(stage, Ordering::Release);
                state.writer.unpark();
            }
        }
    }
}

/// The engine's journal: files with rising numbers, of which it writes to the newest.
struct Journal {
    folder: PathBuf,
    newest: Option<(u64, File)>,
}

impl Journal {
    fn newest(&mut self) -> Option<&File> {
        let number = journal::newest(&self.folder)?;
        if self.newest.as_ref().is_none_or(|(known, _)| *known != number) {
            self.newest = Some((number, File::open(self.folder.join(format!("{number}.jnl"))).ok()?));
        }
        self.newest.as_ref().map(|(_, file)| file)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::Durability;

    #[test]
    fn the_newest_file_of_the_journal_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal { folder: folder.path().to_owned(), newest: None };
        assert!(journal.newest().is_none());
        for (name, newest) in [("9.jnl", 9), ("10.jnl", 10), ("x.jnl", 10), ("12.tmp", 10), ("11.jnl", 11)] {
            std::fs::write(folder.path().join(name), name).unwrap();
            let length = journal.newest().unwrap().metadata().unwrap().len();
            assert_eq!(length, format!("{newest}.jnl").len() as u64);
            assert_eq!(journal.newest.as_ref().unwrap().0, newest);
        }
        std::fs::remove_file(folder.path().join("9.jnl")).unwrap();
        assert!(journal.newest().is_some());
        assert_eq!(journal.newest.as_ref().unwrap().0, 11);
    }

    #[test]
    fn a_batch_is_in_the_journal_before_it_is_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let db = engine::tests::engine(folder.path());
        let keyspace = db.keyspace("cells", engine::keyspace_options).unwrap();
        let is_begun = AtomicBool::new(false);
        for round in 0..10 {
            let before = engine::newest_in_memory(&keyspace);
            is_begun.store(false, Ordering::SeqCst);
            let mut batch = engine::batch(&db, 2000, Durability::Group);
            (0..2000).for_each(|at| batch.insert(&keyspace, format!("{round}-{at}"), [7; 100]));
            let written = std::thread::scope(|scope| {
                let watcher = scope.spawn(|| {
                    is_begun.store(true, Ordering::SeqCst);
                    while engine::newest_in_memory(&keyspace) <= before {
                        std::hint::spin_loop();
                    }
                    std::fs::read(folder.path().join("data/0.jnl")).unwrap()
                });
                while !is_begun.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                batch.commit().unwrap();
                watcher.join().unwrap()
            });
            let last = format!("{round}-1999").into_bytes();
            assert!(written.windows(last.len()).any(|bytes| bytes == last), "round {round}");
        }
    }
}
