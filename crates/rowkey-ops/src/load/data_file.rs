//! Checks that the data is what it was when a load was interrupted.
//!
//! Everything up to the checkpoint is hashed (XXH3, 128 bits) while the load goes on, by a second reading that finds the bytes
//! in the system's cache, and hashed again before it is resumed. Of a Parquet file, whose records have no place of their own, and of
//! a packed file or JSON in another layout than lines, whose places are not those of the file, that is the whole file. Hashes of some places before the checkpoint say from where on a changed file differs.
//!
//! A file whose size or times change during the load may not be what the records came from; then nothing is remembered of it,
//! and a load that is interrupted begins anew.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3;

use super::checkpoint::Checkpoint;
use super::error::LoadError;
use crate::input::{Compression, Dialect, Format, InputOptions, Look, Source, look_at_file};
use crate::output_file::{Links, is_same_file, open_regular};

/// So many bytes from the beginning have this hash.
pub(super) type Mark = (u64, String);

/// So many places at most are remembered.
const MARKS: usize = 64;
/// So many bytes at least lie between two of them that are made at once.
const STEP: u64 = 256 << 10;

/// A data file and its checkpoint beside it.
pub(super) struct DataFile {
    path: PathBuf,
    pub(super) length: u64,
    pub(super) look: Look,
    dialect: Dialect,
    opened: Metadata,
    digest: Digest,
}

impl DataFile {
    pub(super) fn open(path: &Path, asked: &InputOptions) -> Result<Self, LoadError> {
        let file = open(path)?;
        let look = look_at_file(&file, path, asked)?;
        let opened = file.metadata().map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
        let dialect = look.dialect(asked);
        let digest = Digest { file, hasher: Box::new(Xxh3::new()), marks: Vec::new() };
        Ok(Self { path: path.to_owned(), length: opened.len(), look, dialect, opened, digest })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn reader_from(&self, byte: u64) -> Result<Source, LoadError> {
        let failed = |source| LoadError::Open { path: self.path.clone(), source };
        let mut file = open(&self.path)?;
        if !is_same_file(&file.metadata().map_err(failed)?, &self.opened) {
            return Err(failed(io::Error::other("another file took its place just now; try again")));
        }
        if self.is_plain() || self.look.format == Format::Parquet {
            file.seek(SeekFrom::Start(byte)).map_err(failed)?;
            return Ok(Source::file(file).dialect(self.dialect.clone()));
        }
        // What was read before is unpacked again.
        let mut source = self.look.source(file).map_err(failed)?.dialect(self.dialect.clone());
        io::copy(&mut source.by_ref().take(byte), &mut io::sink()).map_err(failed)?;
        Ok(source)
    }

    /// Whether places of the records are places of the file.
    fn is_plain(&self) -> bool {
        self.look.compression == Compression::None
            && matches!(self.look.format, Format::Csv | Format::JsonLines)
    }

    /// What records are read by; empty for what is usual, as before there was a choice.
    pub(super) fn reading(&self) -> String {
        let usual = Dialect { delimiter: Some(b','), ..Dialect::default() };
        if self.is_plain() && self.dialect == usual {
            return String::new();
        }
        format!("{} {} {:?}", self.look.format.words(), self.look.compression.name(), self.dialect)
    }

    /// How much of the file a load has read that came to this byte.
    fn read_to(&self, byte: u64) -> u64 {
        if self.is_plain() { byte.min(self.length) } else { self.length }
    }

    /// Notes in the checkpoint what the data is up to its position.
    pub(super) fn describe(&mut self, checkpoint: &mut Checkpoint) -> Result<(), LoadError> {
        let failed = |source| LoadError::Open { path: self.path.clone(), source };
        if checkpoint.data.is_none() || !checkpoint.has_begun() {
            return Ok(());
        }
        let to = self.read_to(checkpoint.position.byte);
        self.digest.advance(to).map_err(failed)?;
        // Looked at last: what was hashed before a change is what was read before it.
        let unchanged = has_not_changed(&self.opened, &self.digest.file.metadata().map_err(failed)?);
        checkpoint.data = unchanged.then(|| self.digest.marks.clone());
        Ok(())
    }

    /// Sees that the data is what it was up to the position of an earlier load.
    pub(super) fn verify(&mut self, earlier: &Checkpoint, marks: &[Mark]) -> Result<(), LoadError> {
        let failed = |source| LoadError::Open { path: self.path.clone(), source };
        let read = earlier.position;
        let mut same = 0;
        for (byte, hash) in marks {
            if *byte > self.length || self.digest.hash_to(*byte).map_err(failed)? != *hash {
                return Err(LoadError::DataChanged { path: self.path.clone(), same, read });
            }
            same = *byte;
        }
        // A Parquet file that was added to has another end, which says where everything is.
        if same != self.read_to(read.byte) {
            return Err(LoadError::DataChanged { path: self.path.clone(), same: 0, read });
        }
        self.digest.marks = marks.to_vec();
        Ok(())
    }
}

fn open(path: &Path) -> Result<File, LoadError> {
    let failed = |source| LoadError::Open { path: path.to_owned(), source };
    open_regular(path, Links::Followed, OpenOptions::new().read(true)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => LoadError::NotAFile { path: path.to_owned(), source: error },
        _ => failed(error),
    })
}

fn has_not_changed(then: &Metadata, now: &Metadata) -> bool {
    let times =
        |metadata: &Metadata| -> (u64, Option<SystemTime>) { (metadata.len(), metadata.modified().ok()) };
    #[cfg(unix)]
    let changed = |metadata: &Metadata| {
        use std::os::unix::fs::MetadataExt;
        (metadata.ctime(), metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let changed = |_: &Metadata| ();
    times(then) == times(now) && changed(then) == changed(now)
}

/// The hash of the file's beginning, as far as it was read.
struct Digest {
    file: File,
    hasher: Box<Xxh3>,
    marks: Vec<Mark>,
}

impl Digest {
    /// The hash of everything before `byte`, which is not before the last one asked for.
    fn hash_to(&mut self, byte: u64) -> io::Result<String> {
        let at = self.file.stream_position()?;
        let mut rest = (&self.file).take(byte.saturating_sub(at));
        let mut buffer = vec![0; 1 << 16];
        loop {
            match rest.read(&mut buffer)? {
                0 => break,
                read => self.hasher.update(buffer.get(..read).unwrap_or_default()),
            }
        }
        Ok(format!("{:032x}", self.hasher.digest128()))
    }

    /// Remembers the hash at `byte`, and at some places on the way there.
    fn advance(&mut self, byte: u64) -> io::Result<()> {
        let from = self.marks.last().map_or(0, |(at, _)| *at);
        let step = byte.saturating_sub(from).div_ceil(MARKS as u64).max(STEP);
        let mut at = from;
        while at < byte {
            at = (at + step).min(byte);
            let hash = self.hash_to(at)?;
            self.marks.push((at, hash));
        }
        if self.marks.len() > MARKS {
            // Every second one, and always the last.
            let mut left = self.marks.len();
            self.marks.retain(|_| {
                left -= 1;
                left.is_multiple_of(2)
            });
        }
        Ok(())
    }
}
