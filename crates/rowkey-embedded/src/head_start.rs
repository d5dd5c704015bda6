//! How does a large batch get to the disk while it is still being applied?
//!
//! The engine writes a batch to its journal first, then puts the cells in their places in memory, which takes longer; the disk has
//! nothing to do meanwhile. So a second thread syncs the journal as soon as the batch is in it, and the sync that the writer waits
//! for, behind its commit, finds little left to do: a batch of 1,000 rows took half as long again under `group` as under
//! `buffered`, and takes a tenth longer now.
//!
//! This is a hint and no more. Nobody is told that something is on disk because of it, so nothing depends on the right file, the
//! right moment or the success of these syncs: on Linux every open file hears of a failed write by itself, also the engine's.
//! On other systems, which may tell only one of them, it does nothing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use fjall::{Keyspace, SeqNo};

use crate::engine;

/// Smaller batches are applied before another thread has woken.
const LARGE: usize = 32 << 10;

pub(crate) struct HeadStart {
    /// The engine's folder, with its journal.
    folder: PathBuf,
    thread: OnceLock<Option<(Sender<Watch>, JoinHandle<()>)>>,
}

/// A commit under way.
struct Watch {
    keyspace: Keyspace,
    /// The number of the newest write in memory before it.
    before: Option<SeqNo>,
    is_over: Arc<AtomicBool>,
}

/// Ends the head start of a batch when its commit is over.
pub(crate) struct Begun(Option<Arc<AtomicBool>>);

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(is_over) = &self.0 {
            is_over.store(true, Ordering::Release);
        }
    }
}

impl HeadStart {
    /// For the engine in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), thread: OnceLock::new() }
    }

    /// Begins, for a batch of so many bytes that is about to be committed, with its first cells in this keyspace.
    pub(crate) fn begin(&self, bytes: usize, keyspace: &Keyspace) -> Begun {
        if bytes < LARGE || !cfg!(target_os = "linux") {
            return Begun(None);
        }
        let Some((sender, _)) = self.thread.get_or_init(|| start(&self.folder)) else {
            return Begun(None);
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let before = engine::newest_in_memory(keyspace);
        // If the thread is gone, there is no head start.
        let _ = sender.send(Watch { keyspace: keyspace.clone(), before, is_over: Arc::clone(&is_over) });
        Begun(Some(is_over))
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
    let mut journal = Journal::newest(folder)?;
    let thread = std::thread::Builder::new().name("head start".to_owned());
    Some((sender, thread.spawn(move || run(&receiver, &mut journal)).ok()?))
}

fn run(batches: &Receiver<Watch>, journal: &mut Journal) {
    while let Ok(Watch { keyspace, before, is_over }) = batches.recv() {
        journal.follow();
        while !is_over.load(Ordering::Acquire) {
            // Once the first cell is in memory, the whole batch is in the journal.
            let is_written = engine::newest_in_memory(&keyspace) != before;
            let _ = journal.file.sync_data();
            if is_written {
                break;
            }
        }
    }
}

/// The newest file of the engine's journal.
struct Journal {
    folder: PathBuf,
    number: u64,
    file: File,
}

impl Journal {
    fn newest(folder: &Path) -> Option<Self> {
        let numbers = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".jnl")?.parse::<u64>().ok());
        let number = numbers.max()?;
        let file = File::open(path(folder, number)).ok()?;
        Some(Self { folder: folder.to_owned(), number, file })
    }

    /// Goes on to the newest file if the engine has begun another one; its numbers rise by one.
    fn follow(&mut self) {
        while let Ok(file) = File::open(path(&self.folder, self.number + 1)) {
            (self.number, self.file) = (self.number + 1, file);
        }
    }
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number}.jnl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_journal_from_file_to_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Journal::newest(folder.path()).is_none());
        for name in ["9.jnl", "10.jnl", "x.jnl", "11.tmp"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let mut journal = Journal::newest(folder.path()).unwrap();
        assert_eq!(journal.number, 10);
        std::fs::write(folder.path().join("11.jnl"), "").unwrap();
        std::fs::write(folder.path().join("12.jnl"), "").unwrap();
        journal.follow();
        assert_eq!(journal.number, 12);
    }
}
