//! Folders for stores that end with their test.
//!
//! Making three tables with their families takes the embedded store about two hundred calls of `fsync`, and a random case of a law
//! makes them anew. On a disk a case takes as long as these calls: 200 cases of `index_laws` took 72 s, of which 2 were work. On a
//! file system in memory they took 4 s. Tests of crashes and kills use a real folder.

use std::path::Path;

use tempfile::TempDir;

/// A new folder in memory, where the system has such a place; otherwise one among the temporary files.
pub fn without_waiting() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    let made = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}
