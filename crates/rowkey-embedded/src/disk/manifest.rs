//! The manifest: the keyspaces and files of the store, by rowkey's own record.
//!
//! The file `MANIFEST`: one line of JSON, and one with its checksum. It is written anew, by rename, when a keyspace is made or removed, when
//! the engine has begun another file of its journal, and last of all at a clean close. It is a **lower bound**: what it names must be
//! there, and there may be more. So nothing need be written when a store is opened, and one that a crash left old is still true.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::tables::Version;
use super::{NamedFolder, exists, io, journal};
use crate::EmbeddedError;
use crate::catalogue;

/// The name of the file.
pub(crate) const MANIFEST: &str = "MANIFEST";
/// Its name until it is whole.
pub(crate) const DRAFT: &str = "MANIFEST.tmp";

/// What a store has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The keyspaces: the engine's number and the name of each.
    pub(crate) keyspaces: BTreeMap<u64, String>,
    /// The newest file of the journal.
    pub(crate) journal: Option<u64>,
    /// Full files of the journal, and the keyspaces that had writes of that file or an older one in memory only, with the version that each
    /// had then. Every flush makes a version: a keyspace with this version still needs the files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) sealed: BTreeMap<u64, BTreeMap<u64, u64>>,
    /// The files at the last clean close, by keyspace; a keyspace that has another version now has other files.
    pub(crate) closed: BTreeMap<u64, Closed>,
}

/// The files of a keyspace at a clean close.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Closed {
    pub(crate) version: u64,
    /// The length of each table, in bytes.
    pub(crate) tables: BTreeMap<u64, u64>,
}

impl Manifest {
    /// Reads the manifest of a store; `None` if there is none.
    ///
    /// # Errors
    /// It is not what was written.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<Self>, EmbeddedError> {
        let path = folder.join(name);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(io("read", &path))?,
        };
        let parsed = std::str::from_utf8(&bytes).ok().and_then(|text| {
            let (json, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
            (sum == checksum(json)).then(|| serde_json::from_str(json).ok()).flatten()
        });
        let what = "is not as rowkey wrote it".to_owned();
        Ok(Some(parsed.ok_or(EmbeddedError::DamagedFile { file: name.into(), what })?))
    }

    /// Writes it beside the one that is there.
    pub(crate) fn draft(&self, folder: &Path) -> Result<(), EmbeddedError> {
        let draft = folder.join(DRAFT);
        let write = || {
            let json = serde_json::to_string(self).map_err(std::io::Error::other)?;
            let mut out = crate::folder::create_private(&draft)?;
            write!(out, "{json}\n{}\n", checksum(&json))?;
            out.sync_all()
        };
        write().map_err(io("write", &draft))
    }

    /// Puts the draft in its place. `durable`: on disk when this returns; otherwise after a power cut the one before may be there.
    pub(crate) fn put_in_place(folder: &Path, durable: bool) -> Result<(), EmbeddedError> {
        let put = fs::rename(folder.join(DRAFT), folder.join(MANIFEST));
        put.and_then(|()| if durable { File::open(folder)?.sync_all() } else { Ok(()) })
            .map_err(io("write", &folder.join(MANIFEST)))
    }

    pub(crate) fn write(&self, folder: &Path, durable: bool) -> Result<(), EmbeddedError> {
        self.draft(folder)?;
        Self::put_in_place(folder, durable)
    }

    /// The newest file of the journal that is gone although this keyspace, with this version, needs it; `oldest` is there.
    pub(crate) fn needed(&self, keyspace: u64, version: u64, oldest: u64) -> Option<u64> {
        let needs = |keyspaces: &BTreeMap<u64, u64>| keyspaces.get(&keyspace) == Some(&version);
        self.sealed.range(..oldest).rev().find(|(_, keyspaces)| needs(keyspaces)).map(|(file, _)| *file)
    }

    /// The folders of keyspaces that must be there: the engine's own is number 0.
    pub(crate) fn expected(&self) -> impl Iterator<Item = u64> {
        (!self.keyspaces.is_empty()).then_some(0).into_iter().chain(self.keyspaces.keys().copied())
    }

    /// Where the catalogue is.
    pub(crate) fn catalogue(&self) -> Option<u64> {
        self.keyspaces.iter().find(|(_, name)| *name == catalogue::KEYSPACE).map(|(id, _)| *id)
    }

    /// Records the files of a store whose engine is closed and has everything in tables, and makes its journal empty.
    pub(crate) fn close(&mut self, data: &NamedFolder) -> Result<(), EmbeddedError> {
        self.journal = Some(journal::restart(data)?);
        self.sealed.clear();
        self.closed.clear();
        let keyspaces = data.join("keyspaces");
        for id in self.expected().collect::<Vec<_>>() {
            let place = keyspaces.join(id.to_string());
            if exists(&place.path)?
                && let Some(version) = Version::read(&place)?
            {
                self.closed.insert(id, version.closed(&place)?);
            }
        }
        Ok(())
    }
}

fn checksum(json: &str) -> String {
    format!("{:016x}", xxh3_64(json.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_needed_until_the_keyspace_is_flushed() {
        let sealed = BTreeMap::from([(4, BTreeMap::from([(1, 7), (2, 0)])), (5, BTreeMap::from([(1, 7)]))]);
        let manifest = Manifest { sealed, ..Manifest::default() };
        assert_eq!(manifest.needed(1, 7, 6), Some(5));
        assert_eq!(manifest.needed(1, 7, 5), Some(4), "5.jnl is there");
        assert_eq!(manifest.needed(1, 7, 4), None, "both are there");
        assert_eq!(manifest.needed(1, 8, 6), None, "flushed");
        assert_eq!(manifest.needed(2, 0, 6), Some(4));
        assert_eq!(manifest.needed(3, 0, 6), None);
    }

    #[test]
    fn a_manifest_is_read_back_and_any_flipped_bit_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let tables = BTreeMap::from([(4, 1234)]);
        let manifest = Manifest {
            keyspaces: BTreeMap::from([(1, "catalogue".to_owned()), (2, "table-1.d".to_owned())]),
            journal: Some(3),
            sealed: BTreeMap::from([(2, BTreeMap::from([(1, 5)]))]),
            closed: BTreeMap::from([(2, Closed { version: 7, tables })]),
        };
        assert_eq!(Manifest::read(folder.path(), MANIFEST).unwrap(), None);
        manifest.write(folder.path(), true).unwrap();
        assert_eq!(Manifest::read(folder.path(), MANIFEST).unwrap(), Some(manifest));
        let path = folder.path().join(MANIFEST);
        let good = fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bytes).unwrap();
            assert!(Manifest::read(folder.path(), MANIFEST).is_err(), "bit {bit}");
        }
    }
}
