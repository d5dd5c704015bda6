//! Errors of opening, reading and writing a folder.

use std::path::PathBuf;

use rowkey_core::escape::escape;
use rowkey_core::remedy::Remedy;
use rowkey_store::StoreError;

use crate::folder::FORMAT_VERSION;
use crate::layout::cell::{KeyDamage, MAX_KEY_LENGTH};

/// What the embedded store can answer beside the refusals that all stores share. It reaches callers as the source
/// of a [`StoreError::Backend`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// Another process, or another store in this one, holds the folder.
    #[error(
        "store folder {} is in use by {}; stop it or use {}",
        folder.display(),
        pid.map_or("another process".to_owned(), |pid| format!("process {pid}")),
        Remedy::OtherStore
    )]
    InUse {
        /// The store's folder.
        folder: PathBuf,
        /// The process that holds it, if it has told.
        pid: Option<u32>,
    },

    /// The folder has files, but none that say that it is a store.
    #[error(
        "folder {} holds other files ({example}) and is not a rowkey store; use {}",
        folder.display(),
        Remedy::NewStore
    )]
    ForeignFolder {
        /// The folder that was to become a store.
        folder: PathBuf,
        /// The name of one of the files.
        example: String,
    },

    /// The folder was written by a later version of rowkey.
    #[error(
        "store folder {} has format {found}, and this rowkey reads formats up to {FORMAT_VERSION}; \
         use the newer rowkey that made it",
        folder.display()
    )]
    NewerFormat {
        /// The store's folder.
        folder: PathBuf,
        /// The number of its format.
        found: u32,
    },

    /// The file that states the format cannot be understood.
    #[error("{} does not state a store format: {content:?}; restore it from a copy", file.display())]
    UnreadableFormat {
        /// The path of the file.
        file: PathBuf,
        /// The first characters of the file.
        content: String,
    },

    /// The operating system refused.
    #[error("cannot {action} {}{}", path.display(), advice(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },

    /// The engine could not read or write, or gave up after a failed write.
    #[error("the storage engine failed{}", engine_advice(source))]
    Engine {
        /// The error of the engine.
        #[source]
        source: fjall::Error,
    },

    /// Something that a store always has is not there.
    #[error("the store is damaged: {what} is missing; restore the folder from a copy")]
    Missing {
        /// What is missing.
        what: String,
    },

    /// A file is not what was written.
    #[error("the store is damaged: file {} {what}; restore the folder from a copy", file.display())]
    DamagedFile {
        /// The file, below the store's folder.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },

    /// The journal is damaged before its end. Nothing was changed.
    #[error(
        "the store is damaged: file {} at byte {offset}: {what}, and {next}; nothing was changed: restore the folder from a copy, or \
         cut the file to {offset} bytes to give up all writes behind them",
        file.display()
    )]
    DamagedJournal {
        /// The file, below the store's folder.
        file: PathBuf,
        /// Where the damaged batch begins.
        offset: u64,
        /// What is wrong with it.
        what: String,
        /// What follows it.
        next: String,
    },

    /// The folder is no longer the one that was opened.
    #[error(
        "store folder {} is no longer the one that was opened: it was moved or removed, and nothing is written to what is there \
         now; what was acknowledged is in the folder that was moved: open it where it is, and stop this process before you move one",
        folder.display()
    )]
    Moved {
        /// The name under which it was opened.
        folder: PathBuf,
    },

    /// A record of the catalogue does not decode.
    #[error(
        "the store is damaged: catalogue record {} does not decode; restore the folder from a copy",
        escape(key)
    )]
    DamagedRecord {
        /// The record's key.
        key: Vec<u8>,
        /// What is wrong with it.
        #[source]
        source: RecordDamage,
    },

    /// A cell's key does not decode.
    #[error("the store is damaged: key {} in keyspace {keyspace} names no cell", escape(key))]
    DamagedKey {
        /// The name of the keyspace.
        keyspace: String,
        /// The key as the engine has it.
        key: Vec<u8>,
        /// What is wrong with it.
        #[source]
        source: KeyDamage,
    },

    /// A cell whose row and qualifier are too long together.
    #[error(
        "the qualifier of {length} bytes in row {} makes an internal key of {key_length} bytes, and {MAX_KEY_LENGTH} \
         is the limit; shorten the qualifier, or move part of it into the value",
        escape(row)
    )]
    QualifierLength {
        /// The first bytes of the row's key.
        row: Vec<u8>,
        /// The length of the qualifier in bytes.
        length: usize,
        /// The length of the engine's key in bytes.
        key_length: usize,
    },

    /// A cell larger than HBase takes by default.
    #[error(
        "a cell of {size} bytes in row {} is over HBase's default limit of {limit} bytes; split the value, or store \
         it elsewhere and its address here",
        escape(row)
    )]
    CellSize {
        /// The first bytes of the row's key.
        row: Vec<u8>,
        /// The size of the cell in bytes, as HBase counts it.
        size: usize,
        /// The largest size allowed, in bytes.
        limit: usize,
    },
}

/// What is wrong with a record of the catalogue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordDamage {
    /// Its value is not the JSON that belongs there.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The table in it has a name that no table can have.
    #[error(transparent)]
    Name(#[from] rowkey_store::TableNameError),
    /// Its key is not one that the catalogue writes.
    #[error("no record of the catalogue has such a key")]
    Key,
}

impl EmbeddedError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::InUse { .. } => Some(Remedy::OtherStore),
            Self::ForeignFolder { .. } => Some(Remedy::NewStore),
            _ => None,
        }
    }

    /// The same error as every store reports it, with what was being done.
    pub(crate) fn during(self, attempted: impl Into<String>) -> StoreError {
        StoreError::backend(attempted, self)
    }
}

impl From<fjall::Error> for EmbeddedError {
    fn from(source: fjall::Error) -> Self {
        Self::Engine { source }
    }
}

fn advice(source: &std::io::Error) -> String {
    match source.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            format!("; make the folder writable, or use {}", Remedy::OtherStore)
        }
        std::io::ErrorKind::StorageFull => "; free some space on the disk".to_owned(),
        _ => String::new(),
    }
}

fn engine_advice(source: &fjall::Error) -> String {
    match source {
        fjall::Error::Poisoned => {
            " earlier and takes no more writes; what was acknowledged is safe: see that the disk is well and has \
             space, then open the store again"
                .to_owned()
        }
        fjall::Error::Io(source) => advice(source),
        _ => String::new(),
    }
}
