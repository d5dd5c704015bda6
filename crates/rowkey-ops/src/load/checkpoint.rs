//! The checkpoint of a load: how far it came.
//!
//! A small JSON file beside the data, `orders.csv.rowkey-load`, written before the first row and after each durable batch,
//! and removed when the load is complete. It is replaced by renaming, so it is always whole. A store with notes keeps the same
//! JSON with the table's contents ([`Contents`]), and what it says counts.
//!
//! Form 2. Form 1, without `version`, knew neither the table's contents nor the data behind its first 64 KiB; a load that
//! finds one begins anew.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data_file::Mark;
use super::error::LoadError;
use super::probes::Probes;
use crate::contents::{Contents, read_checkpoint};
use crate::input::Position;
use crate::output_file::{self, Existing, OutputError};

/// The form that is written.
const VERSION: u32 = 2;

/// What a load needs to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    version: u32,
    table: String,
    /// What tells it from a later table of the same name.
    table_id: String,
    store: String,
    /// The timestamp of the load's cells.
    pub(super) cell_time: i64,
    /// What the random parts of keys are drawn from, so that a resumed load draws the same.
    pub(super) seed: u64,
    /// What is in the table.
    pub(super) position: Position,
    /// The table's contents that it is in.
    pub(super) contents: Contents,
    /// Some of the rows that were written.
    pub(super) probes: Probes,
    /// What the data was up to the position; `None` if it was changed while it was loaded.
    pub(super) data: Option<Vec<Mark>>,
    /// How the data is read; empty if as usual.
    #[serde(default)]
    pub(super) reading: String,
    /// How many of the rows took the place of others; `None` if that is not counted.
    pub(super) replaced: Option<u64>,
    /// Whether the load stopped behind the position by itself: then nothing behind it is in the table.
    pub(super) stopped: bool,
    /// Bad records that were left out.
    pub(super) skipped: u64,
    /// The file that has them, with its length.
    pub(super) skip_file: Option<(PathBuf, u64)>,
}

/// The checkpoint beside a data file.
pub(super) enum Kept {
    /// As this version writes it.
    Own(Box<Checkpoint>),
    /// Of form 1, about the same table.
    Older {
        /// What the keys were drawn from.
        seed: Option<u64>,
    },
    /// Of a form that came later.
    Newer,
}

impl Checkpoint {
    /// Of a load that has not begun.
    pub(super) fn new(
        (table, table_id): (String, String),
        store: String,
        (cell_time, seed): (i64, u64),
        contents: Contents,
    ) -> Self {
        let (position, probes, data) = (Position::default(), Probes::new(), Some(Vec::new()));
        Self {
            version: VERSION,
            table,
            table_id,
            store,
            cell_time,
            seed,
            position,
            contents,
            probes,
            data,
            reading: String::new(),
            replaced: Some(0),
            stopped: false,
            skipped: 0,
            skip_file: None,
        }
    }

    /// Where the checkpoint of a data file is.
    pub fn path(data: &Path) -> PathBuf {
        let mut name: OsString = data.as_os_str().to_owned();
        name.push(".rowkey-load");
        name.into()
    }

    /// Whether something of the load may be in the table.
    pub(super) fn has_begun(&self) -> bool {
        self.position != Position::default()
    }

    /// The checkpoint beside a data file, if there is one about the same table of the same store as `self`. A broken one is
    /// as good as none: the load begins anew, which is always right.
    pub(super) fn find(&self, data: &Path) -> Result<Option<Kept>, LoadError> {
        let path = Self::path(data);
        let json = read_checkpoint(&path, "cell_time");
        let json = json.map_err(|source| LoadError::Checkpoint { path, source })?;
        Ok(json.and_then(|json| self.read(json)))
    }

    /// A checkpoint about the same table of the same store.
    pub(super) fn read(&self, json: Value) -> Option<Kept> {
        let is = |name: &str, own: &str| json.get(name).and_then(Value::as_str) == Some(own);
        if !is("table", &self.table) || !is("table_id", &self.table_id) || !is("store", &self.store) {
            return None;
        }
        match json.get("version").map(Value::as_u64) {
            None => Some(Kept::Older { seed: json.get("seed").and_then(Value::as_u64) }),
            Some(Some(version)) if version > u64::from(VERSION) => Some(Kept::Newer),
            Some(_) => serde_json::from_value(json).ok().map(|own| Kept::Own(Box::new(own))),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a checkpoint has texts and numbers only")
    }

    pub(super) fn save(data: &Path, json: &[u8]) -> Result<(), LoadError> {
        let path = Self::path(data);
        let saved = output_file::write(&path, Existing::Replace, &[], |out| out.write_all(json));
        saved.map_err(|error| match error {
            OutputError::Write { path, source } => LoadError::Checkpoint { path, source },
            other => other.into(),
        })
    }

    pub(super) fn remove(data: &Path) -> Result<(), LoadError> {
        let path = Self::path(data);
        output_file::remove_own(&path).map_err(|source| LoadError::Checkpoint { path, source })
    }
}
