//! The cache of downloads and compiled programs.
//!
//! A folder in the cache is made under a temporary name beside its place and renamed at the end, so a folder that
//! bears its name is complete. One lock file is held meanwhile: of two processes that need the same folder one
//! makes it and the other waits. The lock ends with its process, whatever ends the process.

use std::fs::{self, File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

const UNFINISHED: &str = ".unfinished-";

/// The cache folder: `ROWKEY_CACHE`, else `$XDG_CACHE_HOME/rowkey`, else `$HOME/.cache/rowkey`.
pub(crate) fn folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("ROWKEY_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("rowkey")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("rowkey")))
        .ok_or(Error::NoCacheFolder)
        // the cluster runs in a folder of its own, where a relative path would mean something else
        .and_then(|folder| std::path::absolute(&folder).map_err(Error::io("find", &folder)))
}

/// A short name for a text: another text, another folder.
pub(crate) fn digest(text: &str) -> String {
    // Another compiler may hash differently; then the folder is made once more, which is harmless.
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Makes `place` by `make` unless it is there; `make` gets the folder to fill.
pub(crate) fn ensure(
    place: &Path,
    progress: &mut dyn FnMut(&str),
    make: impl FnOnce(&Path, &mut dyn FnMut(&str)) -> Result<()>,
) -> Result<()> {
    if place.is_dir() {
        return Ok(());
    }
    let parent = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(Error::io("create the cache folder", parent))?;
    let _lock = lock(&parent.join(".lock"), progress)?;
    if place.is_dir() {
        return Ok(());
    }
    remove_unfinished(parent);
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(parent)
        .map_err(Error::io("create a folder in", parent))?;
    make(unfinished.path(), progress)?;
    fs::rename(unfinished.path(), place).map_err(Error::io("move the finished download to", place))?;
    let _moved = unfinished.keep();
    Ok(())
}

fn lock(path: &Path, progress: &mut dyn FnMut(&str)) -> Result<File> {
    let file = File::create(path).map_err(Error::io("create the lock file", path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            progress("another process is filling the cache; waiting for it");
            file.lock().map_err(Error::io("lock", path))?;
        }
        Err(TryLockError::Error(source)) => return Err(Error::io("lock", path)(source)),
    }
    Ok(file)
}

/// We hold the lock, so whatever is unfinished belongs to a process that was killed.
fn remove_unfinished(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // what cannot be removed is only rubbish; the download does not depend on it
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_folder_is_made_once_by_many_at_the_same_time() {
        let cache = tempfile::tempdir().unwrap();
        let place = cache.path().join("made");
        let made = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    ensure(&place, &mut |_| {}, |folder, _| {
                        made.fetch_add(1, Ordering::SeqCst);
                        fs::write(folder.join("content"), "whole").map_err(Error::io("write", folder))
                    })
                    .unwrap();
                    assert_eq!(fs::read_to_string(place.join("content")).unwrap(), "whole");
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_failure_leaves_nothing_and_the_next_try_removes_what_a_killed_process_left() {
        let cache = tempfile::tempdir().unwrap();
        let place = cache.path().join("made");
        let left = cache.path().join(".unfinished-killed");
        fs::create_dir(&left).unwrap();
        let failed = ensure(&place, &mut |_| {}, |_, _| Err(Error::NoCacheFolder));
        assert!(failed.is_err());
        assert!(!place.exists());
        assert!(!left.exists());
        let names: Vec<_> = fs::read_dir(cache.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, [".lock"]);
    }
}
