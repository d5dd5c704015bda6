//! Checks that the files of a keyspace belong to it, and are what the engine wrote.
//!
//! ```text
//! current    version number u64, xxh3-128 of the file of that version, 00        little-endian; 25 bytes
//! vN         sections; "tables" lists level, run and table: number u64, 00, xxh3-128 of the table's file, number of writes u64
//! tables/N   sections with blocks, each with a checksum; their list at the end has one too
//! trailer    "SFA!" 01 00, xxh3-128 of the list of sections, where it begins u64, its length u64      the end of both kinds of file
//! ```
//!
//! The engine checks the blocks that it reads, and none of the rest. So [`Version::read`] follows `current` to the list of tables, and
//! [`Version::check`] the list to the files: that each is there and ends as it was written, or, when asked, all of its bytes.

#![expect(
    clippy::little_endian_bytes,
    reason = "the engine's own format, which is read here and never written"
)]

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::manifest::Closed;
use super::{NamedFolder, READ_AT_ONCE, io};
use crate::EmbeddedError;

/// The file that names the version of a keyspace.
pub(crate) const CURRENT: &str = "current";
const TRAILER: usize = 38;
/// The list of sections is much shorter than this.
const END: u64 = 4096;

/// The files of a keyspace at one moment.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) number: u64,
    pub(crate) tables: Vec<Table>,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) number: u64,
    sum: u128,
}

impl Version {
    /// The present version of a keyspace; `None` if it has none.
    pub(crate) fn read(keyspace: &NamedFolder) -> Result<Option<Self>, EmbeddedError> {
        let path = keyspace.path.join(CURRENT);
        let current = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            current => current.map_err(io("read", &path))?,
        };
        let parts = current.split_first_chunk::<8>().and_then(|(number, rest)| {
            let (sum, kind) = rest.split_first_chunk::<16>()?;
            (kind == [0]).then_some((u64::from_le_bytes(*number), u128::from_le_bytes(*sum)))
        });
        let wrong = || keyspace.damaged(CURRENT, "does not name a version of the keyspace".to_owned());
        let (number, sum) = parts.ok_or_else(wrong)?;
        let name = format!("v{number}");
        let bytes = keyspace.read(&name)?;
        if xxh3_128(&bytes) != sum {
            let what = format!("has another checksum than {CURRENT} says");
            return Err(keyspace.damaged(&name, what));
        }
        let tables =
            sections(&bytes, bytes.len() as u64).and_then(|list| tables(section(list, &bytes, b"tables")?));
        let unread = || keyspace.damaged(&name, "does not list the tables of the keyspace".to_owned());
        Ok(Some(Self { number, tables: tables.ok_or_else(unread)? }))
    }

    /// Whether its files are there and end as they should; all bytes of them if asked for.
    pub(crate) fn check(
        &self,
        keyspace: &NamedFolder,
        closed: Option<&Closed>,
        all: bool,
    ) -> Result<(), EmbeddedError> {
        let folder = keyspace.join("tables");
        let closed = closed.filter(|closed| closed.version == self.number);
        for table in &self.tables {
            let length = table.check_end(&folder)?;
            if let Some(expected) = closed.and_then(|closed| closed.tables.get(&table.number))
                && *expected != length
            {
                let what = format!("has {length} bytes, and had {expected} when the store was closed");
                return Err(folder.damaged(table.number.to_string(), what));
            }
            if all {
                table.check_all(&folder, &mut |_| {})?;
            }
        }
        Ok(())
    }

    /// What a clean close records.
    pub(crate) fn closed(&self, keyspace: &NamedFolder) -> Result<Closed, EmbeddedError> {
        let folder = keyspace.join("tables");
        let lengths = self.tables.iter().map(|table| Ok((table.number, table.check_end(&folder)?)));
        Ok(Closed { version: self.number, tables: lengths.collect::<Result<_, EmbeddedError>>()? })
    }
}

impl Table {
    fn open(&self, folder: &NamedFolder) -> Result<(File, u64), EmbeddedError> {
        let path = folder.path.join(self.number.to_string());
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(folder.missing(self.number.to_string()));
            }
            file => file.map_err(io("read", &path))?,
        };
        let length = file.metadata().map_err(io("read", &path))?.len();
        Ok((file, length))
    }

    /// Reads the list of sections at the end of the file; returns the file's length.
    fn check_end(&self, folder: &NamedFolder) -> Result<u64, EmbeddedError> {
        let (mut file, length) = self.open(folder)?;
        let path = folder.path.join(self.number.to_string());
        let mut end = Vec::with_capacity(END as usize);
        file.seek(SeekFrom::Start(length.saturating_sub(END)))
            .and_then(|_| file.read_to_end(&mut end))
            .map_err(io("read", &path))?;
        if sections(&end, length).is_none() {
            let what = "does not end as the storage engine wrote it".to_owned();
            return Err(folder.damaged(self.number.to_string(), what));
        }
        Ok(length)
    }

    /// Reads all of the file; `read` hears how many bytes were read since it was called last.
    pub(crate) fn check_all(
        &self,
        folder: &NamedFolder,
        read: &mut dyn FnMut(u64),
    ) -> Result<(), EmbeddedError> {
        let (mut file, length) = self.open(folder)?;
        let path = folder.path.join(self.number.to_string());
        let size = usize::try_from(length).map_or(READ_AT_ONCE, |length| length.clamp(1, READ_AT_ONCE));
        let (mut sum, mut buffer) = (Xxh3::new(), vec![0; size]);
        loop {
            let taken = file.read(&mut buffer).map_err(io("read", &path))?;
            if taken == 0 {
                break;
            }
            sum.update(buffer.get(..taken).unwrap_or_default());
            read(taken as u64);
        }
        if sum.digest128() != self.sum {
            let what = "has another checksum than when the storage engine wrote it".to_owned();
            return Err(folder.damaged(self.number.to_string(), what));
        }
        Ok(())
    }
}

/// The list of sections in a file of this length that ends with these bytes, if it is whole.
fn sections(end: &[u8], file: u64) -> Option<&[u8]> {
    let (rest, trailer) = end.split_last_chunk::<TRAILER>()?;
    let (head, fields) = trailer.split_first_chunk::<6>()?;
    let (sum, places) = fields.split_first_chunk::<16>()?;
    let (at, length) = places.split_first_chunk::<8>()?;
    let (at, length) = (u64::from_le_bytes(*at), u64::from_le_bytes(length.try_into().ok()?));
    let list = rest.get(rest.len().checked_sub(usize::try_from(length).ok()?)?..)?;
    let is_whole = at.checked_add(length)?.checked_add(TRAILER as u64)? == file
        && head == b"SFA!\x01\x00"
        && xxh3_128(list) == u128::from_le_bytes(*sum);
    is_whole.then_some(list)
}

/// A section of a file that is here as a whole.
fn section<'a>(list: &[u8], file: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut list = Fields(list.get(4..)?);
    for _ in 0..list.u32()? {
        let (at, length, of_name) = (list.u64()?, list.u64()?, list.take(2)?);
        let of_name = u16::from_le_bytes(of_name.try_into().ok()?);
        if list.take(of_name.into())? == name {
            let (at, length) = (usize::try_from(at).ok()?, usize::try_from(length).ok()?);
            return file.get(at..at.checked_add(length)?);
        }
    }
    None
}

fn tables(section: &[u8]) -> Option<Vec<Table>> {
    let (mut fields, mut tables) = (Fields(section), Vec::new());
    for _ in 0..fields.u8()? {
        for _ in 0..fields.u8()? {
            for _ in 0..fields.u32()? {
                let number = fields.u64()?;
                fields.u8().filter(|kind| *kind == 0)?;
                let sum = u128::from_le_bytes(fields.take(16)?.try_into().ok()?);
                fields.u64()?;
                tables.push(Table { number, sum });
            }
        }
    }
    Some(tables)
}

/// The engine's numbers, one after another.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}
