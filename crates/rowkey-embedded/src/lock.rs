//! The lock file: which process owns the folder.
//!
//! The owner holds an exclusive lock of the operating system on the file `LOCK` and has written its process id into
//! it. The lock, not the file, is what counts: it goes with the process, so a file left by `kill -9` blocks no other process.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::EmbeddedError;
use crate::folder::{identity, private};

/// The name of the file.
pub(crate) const LOCK_FILE: &str = "LOCK";

/// The right to use a folder, given back on drop.
pub(crate) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the folder, or says who has it.
    pub(crate) fn acquire(folder: &Path) -> Result<Self, EmbeddedError> {
        let path = folder.join(LOCK_FILE);
        let io = |action| {
            let path = path.clone();
            move |source| EmbeddedError::Io { action, path, source }
        };
        let mut file =
            private().read(true).write(true).create(true).truncate(false).open(&path).map_err(io("write"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(EmbeddedError::InUse { folder: folder.to_owned(), pid: read_pid(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(io("lock")(source)),
        }
        write_line(&mut file, &std::process::id().to_string()).map_err(io("write"))?;
        Ok(Self { file })
    }

    /// Whether the file of this name is the one that is locked; `true` where the operating system does not tell.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let Ok(own) = self.file.metadata() else { return false };
        identity(&own)
            .is_none_or(|own| std::fs::metadata(path).is_ok_and(|found| identity(&found) == Some(own)))
    }
}

/// Makes this line the file's content. Written over what is there and cut behind it, because to free a file's only block can take a
/// millisecond (ext4 with `discard`).
fn write_line(file: &mut File, line: &str) -> std::io::Result<()> {
    let line = format!("{line}\n");
    file.rewind()?;
    file.write_all(line.as_bytes())?;
    file.set_len(line.len() as u64)
}

/// The process id in the file; `None` in the moment between the owner's lock and its first line.
fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // The number is for people; the lock itself goes with the file handle, whatever happens here.
        let _ = write_line(&mut self.file, "");
        // With the last handle, that is: a process that another thread is just starting has a copy of it until it runs its own
        // program. So the lock is given back by name.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_the_first_is_and_the_next_gets_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::acquire(folder.path()).unwrap();
        let pid = std::process::id();
        let refused = FolderLock::acquire(folder.path()).err().unwrap();
        assert!(matches!(refused, EmbeddedError::InUse { pid: Some(p), .. } if p == pid), "{refused}");
        assert!(
            refused
                .to_string()
                .ends_with(&format!("is in use by process {pid}; stop it or use another folder"))
        );
        drop(first);
        FolderLock::acquire(folder.path()).unwrap();
    }

    /// A process that is being started has a copy of every handle until it runs its own program.
    #[test]
    fn a_copy_of_the_handle_blocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::acquire(folder.path()).unwrap();
        let copy = first.file.try_clone().unwrap();
        drop(first);
        FolderLock::acquire(folder.path()).unwrap();
        drop(copy);
    }

    #[test]
    fn a_file_left_behind_blocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(LOCK_FILE), "999999999\n").unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let content = std::fs::read_to_string(folder.path().join(LOCK_FILE)).unwrap();
        assert_eq!(content, format!("{}\n", std::process::id()));
        drop(lock);
    }
}
