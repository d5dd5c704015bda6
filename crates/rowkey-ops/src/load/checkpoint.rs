//! How far did an earlier load of this data come?
//!
//! A small JSON file beside the data, `orders.csv.rowkey-load`, written before the first row and after each durable batch,
//! and removed when the load is complete. It is replaced by renaming, so it is always whole.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::LoadError;
use crate::input::Position;

/// What a load needs to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The table.
    pub table: String,
    /// What tells it from a later table of the same name.
    pub table_id: String,
    /// The store.
    pub store: String,
    /// The timestamp of the load's cells.
    pub cell_time: i64,
    /// What the random parts of keys are drawn from, so that a resumed load draws the same.
    pub seed: u64,
    /// What is in the table.
    pub position: Position,
    /// A name for the beginning of the data.
    pub head: String,
    /// Bad records that were left out.
    #[serde(default)]
    pub skipped: u64,
    /// The file that has them, with its length.
    #[serde(default)]
    pub skip_file: Option<(PathBuf, u64)>,
}

impl Checkpoint {
    /// Where the checkpoint of a data file is.
    pub fn path(data: &Path) -> PathBuf {
        let mut name: OsString = data.as_os_str().to_owned();
        name.push(".rowkey-load");
        name.into()
    }

    /// Whether it is about the same table of the same store.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        (&self.table, &self.table_id, &self.store) == (&other.table, &other.table_id, &other.store)
    }

    /// The checkpoint beside a data file, if there is one that can be read. A broken one is as good as none: the load
    /// begins anew, which is always right.
    pub(super) fn load(data: &Path) -> Result<Option<Self>, LoadError> {
        let path = Self::path(data);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(LoadError::Checkpoint { path, source }),
        }
    }

    pub(super) fn save(&self, data: &Path) -> Result<(), LoadError> {
        let path = Self::path(data);
        let mut draft = path.clone().into_os_string();
        draft.push(".new");
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::from);
        bytes
            .and_then(|bytes| std::fs::write(&draft, bytes))
            .and_then(|()| std::fs::rename(&draft, &path))
            .map_err(|source| LoadError::Checkpoint { path, source })
    }

    pub(super) fn remove(data: &Path) -> Result<(), LoadError> {
        let path = Self::path(data);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(LoadError::Checkpoint { path, source: error })
            }
            _ => Ok(()),
        }
    }
}
