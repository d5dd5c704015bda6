//! Reads what is on disk without the engine, and checks that it is complete and unchanged.
//!
//! [`journal`] and [`numbers`] read what was written last, [`tables`] the engine's lists of files and the files themselves, [`manifest`] is
//! rowkey's own list. [`check`] looks at all of them before the engine opens, because the engine cuts, deletes or panics where it finds
//! something amiss. The format page says what each of them can tell.

pub(crate) mod journal;
pub(crate) mod manifest;
pub(crate) mod numbers;
pub(crate) mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fjall::Keyspace;

use crate::EmbeddedError;
use journal::Journal;
use manifest::Manifest;
use numbers::Rule;

/// A folder below the store's: where it is, and what it is called in messages.
#[derive(Debug, Clone)]
pub(crate) struct NamedFolder {
    pub(crate) path: PathBuf,
    shown: PathBuf,
}

impl NamedFolder {
    /// The engine's folder of a store.
    pub(crate) fn data(path: PathBuf) -> Self {
        Self { path, shown: PathBuf::from("data") }
    }

    pub(crate) fn join(&self, name: impl AsRef<Path>) -> Self {
        Self { path: self.path.join(&name), shown: self.shown.join(&name) }
    }

    /// What a file in it is called in messages.
    pub(crate) fn name(&self, name: impl AsRef<Path>) -> PathBuf {
        self.shown.join(name)
    }

    pub(crate) fn missing(&self, name: impl AsRef<Path>) -> EmbeddedError {
        EmbeddedError::Missing { what: format!("file {}", self.name(name).display()) }
    }

    pub(crate) fn damaged(&self, name: impl AsRef<Path>, what: String) -> EmbeddedError {
        EmbeddedError::DamagedFile { file: self.name(name), what }
    }

    /// A file that must be there.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, EmbeddedError> {
        let path = self.path.join(name);
        fs::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => self.missing(name),
            _ => io("read", &path)(error),
        })
    }
}

/// The path is copied only for an error: the journal's reader asks for one with every batch.
pub(crate) fn io<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(std::io::Error) -> EmbeddedError + use<'p> {
    move |source| EmbeddedError::Io { action, path: path.to_owned(), source }
}

/// Bytes of a file that are asked for in one call. A larger buffer, once it is free, changes how glibc finds memory: the engine then
/// opens a journal 2% slower.
const READ_AT_ONCE: usize = 64 << 10;

/// The engine's file with its format, and all of its content.
const VERSION: (&str, &[u8]) = ("version", b"FJL\x03");

/// Looks at everything that the engine will read when it opens, and changes nothing. Without a manifest, the store is of format 2 or
/// before.
///
/// # Errors
/// Anything that is missing or damaged, with its file.
pub(crate) fn check(data: &NamedFolder, manifest: Option<&Manifest>) -> Result<Journal, EmbeddedError> {
    let (name, content) = VERSION;
    if data.read(name)? != content {
        return Err(data.damaged(name, "does not hold the format of the storage engine".to_owned()));
    }
    if !exists(&data.path.join("lock"))? {
        return Err(data.missing("lock"));
    }
    let files = journal::files(data)?;
    if let Some(newest) = manifest.and_then(|manifest| manifest.journal)
        && files.last().is_none_or(|last| *last < newest)
    {
        return Err(data.missing(format!("{newest}.jnl")));
    }
    let keyspaces = data.join("keyspaces");
    let found = keyspace_ids(&keyspaces)?;
    let expected = manifest.into_iter().flat_map(Manifest::expected);
    for id in expected {
        if !found.contains(&id) {
            return Err(keyspaces.missing(id.to_string()));
        }
    }
    for &id in &found {
        let place = keyspaces.join(id.to_string());
        let must_be_whole = match manifest {
            Some(manifest) => manifest.expected().any(|expected| expected == id),
            None => id == 0 && found.len() > 1,
        };
        match tables::Version::read(&place)? {
            Some(version) => {
                let closed = manifest.and_then(|manifest| manifest.closed.get(&id));
                // The engine's list of keyspaces is small, and everything else hangs on it.
                version.check(&place, closed, id == 0)?;
                if let (Some(manifest), Some(oldest)) = (manifest, files.first())
                    && manifest.keyspaces.contains_key(&id)
                    && let Some(gone) = manifest.needed(id, version.number, *oldest)
                {
                    return Err(data.missing(format!("{gone}.jnl")));
                }
            }
            // The engine takes a keyspace without this file for one that was never finished, and deletes it.
            None if must_be_whole => return Err(place.missing(tables::CURRENT)),
            None => {}
        }
    }
    let rule = match manifest {
        Some(manifest) => Rule::Declared { catalogue: manifest.catalogue() },
        None => Rule::Rise,
    };
    journal::check(data, &files, rule)
}

/// The engine's folders; it names them by numbers, and panics at others.
pub(crate) fn keyspace_ids(keyspaces: &NamedFolder) -> Result<BTreeSet<u64>, EmbeddedError> {
    let mut ids = BTreeSet::new();
    let entries = match fs::read_dir(&keyspaces.path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(keyspaces.missing("")),
        entries => entries.map_err(io("read folder", &keyspaces.path))?,
    };
    for entry in entries {
        let entry = entry.map_err(io("read folder", &keyspaces.path))?;
        let kind = entry.file_type().map_err(io("read", &entry.path()))?;
        if !kind.is_dir() {
            continue;
        }
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.parse().ok());
        let unknown =
            || keyspaces.damaged(&name, "is no folder of the storage engine; move it away".to_owned());
        ids.insert(id.ok_or_else(unknown)?);
    }
    Ok(ids)
}

/// The folder of a keyspace.
pub(crate) fn keyspace(keyspace: &Keyspace) -> NamedFolder {
    let shown = Path::new("data").join("keyspaces").join(keyspace.id().to_string());
    NamedFolder { path: keyspace.path().to_owned(), shown }
}

/// The same error, with the file that is damaged if the engine could not read one of these keyspaces: it does not say which.
pub(crate) fn named(error: EmbeddedError, mut keyspaces: impl Iterator<Item = NamedFolder>) -> EmbeddedError {
    if !matches!(&error, EmbeddedError::Engine { source: fjall::Error::Storage(_) }) {
        return error;
    }
    let damage = |place: NamedFolder| match tables::Version::read(&place) {
        Ok(Some(version)) => version.check(&place, None, true).err(),
        Ok(None) => None,
        Err(error) => Some(error),
    };
    keyspaces.find_map(damage).unwrap_or(error)
}

pub(crate) fn exists(path: &Path) -> Result<bool, EmbeddedError> {
    path.try_exists().map_err(io("read", path))
}
