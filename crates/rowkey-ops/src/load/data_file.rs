//! What must stay the same between a load and its going on?

use std::cell::OnceCell;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::checkpoint::Checkpoint;
use super::error::LoadError;
use crate::input::Source;

/// A data file and its checkpoint beside it.
pub(super) struct DataFile {
    path: PathBuf,
    pub(super) length: u64,
    /// The name of its first [`HEAD`] bytes, once a load is past them.
    whole_head: OnceCell<String>,
}

/// How much of the data must be unchanged for a checkpoint to hold.
const HEAD: u64 = 64 << 10;

impl DataFile {
    pub(super) fn open(path: &Path) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Open { path: path.to_owned(), source };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), length: metadata.len(), whole_head: OnceCell::new() })
    }

    pub(super) fn reader(&self) -> Result<Source, LoadError> {
        self.reader_from(0)
    }

    pub(super) fn reader_from(&self, byte: u64) -> Result<Source, LoadError> {
        let open = || {
            let mut file = std::fs::File::open(&self.path)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(byte))?;
            Ok(file)
        };
        let file = open().map_err(|source| LoadError::Open { path: self.path.clone(), source })?;
        Ok(Source::file(file))
    }

    /// The checkpoint of an earlier load of this file into this table, if there is one.
    pub(super) fn checkpoint(&self, own: &Checkpoint) -> Result<Option<Checkpoint>, LoadError> {
        let Some(found) = Checkpoint::load(&self.path)? else { return Ok(None) };
        let same = found.is_of(own)
            && found.position.byte <= self.length
            && found.head == self.head(found.position.byte)?;
        Ok(same.then_some(found))
    }

    /// A name for the beginning of the data, up to `byte`: another file, or one changed there, has another.
    fn head(&self, byte: u64) -> Result<String, LoadError> {
        if byte >= HEAD
            && let Some(head) = self.whole_head.get()
        {
            return Ok(head.clone());
        }
        let mut bytes = Vec::new();
        let read = self.reader()?.take(byte.min(HEAD)).read_to_end(&mut bytes);
        read.map_err(|source| LoadError::Open { path: self.path.clone(), source })?;
        let head = format!("{:016x}", rowkey::hash::fnv1a(&bytes));
        Ok(if byte >= HEAD { self.whole_head.get_or_init(|| head).clone() } else { head })
    }

    pub(super) fn save(&self, checkpoint: &mut Checkpoint) -> Result<(), LoadError> {
        checkpoint.head = self.head(checkpoint.position.byte)?;
        checkpoint.save(&self.path)
    }

    pub(super) fn forget(&self) -> Result<(), LoadError> {
        Checkpoint::remove(&self.path)
    }
}
