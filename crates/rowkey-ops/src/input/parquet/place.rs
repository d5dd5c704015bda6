//! A file that several threads read at places of their own.
//!
//! The readers that come with the library share one cursor of the system among all copies of a file, so that two threads
//! would move it under each other.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

#[derive(Debug, Clone)]
pub(super) struct PlacedFile {
    file: Arc<File>,
    length: u64,
}

impl PlacedFile {
    pub(super) fn new(file: File, length: u64) -> Self {
        Self { file: Arc::new(file), length }
    }
}

impl Length for PlacedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for PlacedFile {
    type T = BufReader<FromPlace>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(FromPlace { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.length);
        if end.is_none() {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are not inside the file")));
        }
        let mut bytes = Vec::with_capacity(length);
        let mut place = FromPlace { file: self.file.clone(), at: start };
        place.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("the file ends before {length} bytes at {start}")));
        }
        Ok(bytes.into())
    }
}

/// The file from a place on.
pub(super) struct FromPlace {
    file: Arc<File>,
    at: u64,
}

impl Read for FromPlace {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
