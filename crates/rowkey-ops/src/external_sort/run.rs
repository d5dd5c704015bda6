//! A sorted run in a temporary file.
//!
//! ```text
//! key length   payload length   key   payload        and so on
//! 4 bytes      4 bytes
//! ```
//!
//! On Unix the name goes as soon as the file is open, so that even a killed process leaves nothing behind; elsewhere it
//! goes when the run is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Record, SortError};
use crate::merge::Source;

/// What a file is written with, so that many small records are few calls.
const WRITE_BUFFER: usize = 256 << 10;

/// A file without a name, or one that loses it in the end.
struct Scratch {
    file: File,
    path: PathBuf,
}

impl Scratch {
    fn create(folder: &Path) -> Result<Self, SortError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("rowkey-sort-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                // Left by an earlier process with this id, on a system where names stay.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => return Err(SortError::Create { path, source }),
                Ok(file) => {
                    if cfg!(unix) {
                        let _ = std::fs::remove_file(&path);
                    }
                    return Ok(Self { file, path });
                }
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A run that is being written.
pub(super) struct RunWriter {
    out: BufWriter<Scratch>,
    bytes: u64,
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Scratch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl RunWriter {
    pub(super) fn create(folder: &Path) -> Result<Self, SortError> {
        let out = BufWriter::with_capacity(WRITE_BUFFER, Scratch::create(folder)?);
        Ok(Self { out, bytes: 0 })
    }

    pub(super) fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<(), SortError> {
        let mut lengths = [0; 8];
        let (first, second) = lengths.split_at_mut(4);
        first.copy_from_slice(&length(key, "key")?.to_be_bytes());
        second.copy_from_slice(&length(payload, "payload")?.to_be_bytes());
        self.bytes += (lengths.len() + key.len() + payload.len()) as u64;
        [&lengths[..], key, payload]
            .into_iter()
            .try_for_each(|bytes| self.out.write_all(bytes))
            .map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> SortError {
        SortError::Write { path: self.out.get_ref().path.clone(), bytes: self.bytes, source }
    }

    pub(super) fn finish(mut self) -> Result<Run, SortError> {
        self.out.flush().map_err(|source| self.failed(source))?;
        let (bytes, path) = (self.bytes, self.out.get_ref().path.clone());
        let mut scratch = self.out.into_inner().map_err(|error| {
            let source = error.into_error();
            SortError::Write { path: path.clone(), bytes, source }
        })?;
        scratch.file.rewind().map_err(|source| SortError::Read { path, offset: 0, source })?;
        Ok(Run { scratch, bytes })
    }
}

/// The length of a key or payload as a file keeps it.
pub(super) fn length(bytes: &[u8], what: &'static str) -> Result<u32, SortError> {
    let limit = u32::MAX as usize;
    u32::try_from(bytes.len()).map_err(|_| SortError::TooLong { what, length: bytes.len(), limit })
}

/// A run that was written.
pub(super) struct Run {
    scratch: Scratch,
    bytes: u64,
}

/// A run that is being read, with the record it is at.
pub(super) struct RunReader {
    source: BufReader<Scratch>,
    bytes: u64,
    read: u64,
    record: Vec<u8>,
    key_length: usize,
    is_over: bool,
}

impl Run {
    pub(super) fn read(self, buffer: usize) -> RunReader {
        let Self { scratch, bytes } = self;
        let source = BufReader::with_capacity(buffer, scratch);
        RunReader { source, bytes, read: 0, record: Vec::new(), key_length: 0, is_over: false }
    }
}

impl RunReader {
    fn read_record(&mut self) -> io::Result<()> {
        let mut lengths = [0; 8];
        self.source.read_exact(&mut lengths)?;
        let [a, b, c, d, e, f, g, h] = lengths;
        let of = |bytes: [u8; 4]| u32::from_be_bytes(bytes) as usize;
        self.key_length = of([a, b, c, d]);
        let length = self.key_length + of([e, f, g, h]);
        self.record.clear();
        let read = (&mut self.source).take(length as u64).read_to_end(&mut self.record)?;
        if read < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Key and payload of the record it is at.
    pub(super) fn record(&self) -> Record<'_> {
        self.record.split_at_checked(self.key_length).unwrap_or_default()
    }
}

impl Source for RunReader {
    type Error = SortError;

    fn key(&self) -> Option<&[u8]> {
        (!self.is_over).then(|| self.record().0)
    }

    fn advance(&mut self) -> Result<(), SortError> {
        self.is_over = self.read == self.bytes;
        if self.is_over {
            return Ok(());
        }
        self.read_record().map_err(|source| {
            let path = self.source.get_ref().path.clone();
            SortError::Read { path, offset: self.read, source }
        })?;
        self.read += 8 + self.record.len() as u64;
        Ok(())
    }
}
