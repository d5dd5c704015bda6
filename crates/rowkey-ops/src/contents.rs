//! Checks that a table still holds what an interrupted load or build wrote to it.
//!
//! A table can be truncated, or dropped and made again, while a checkpoint beside the data goes on saying how much of it is
//! there. A store with notes keeps the checkpoint itself ([`Admin::note`]): it goes with the contents. Elsewhere the table's
//! regions tell: truncating gives each a new name, a split or merge leaves most of them. Where all of those that the checkpoint
//! remembers are gone, the answer is no. That may be wrong after many splits, and then the work begins anew, which is right.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey_store::{Note, Store, StoreError, TableName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output_file::{self, OutputError};

/// So many regions are remembered.
const REGIONS: usize = 16;

/// What tells the present contents of a table from later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contents {
    /// The name of the note; no other load or build has it.
    note: String,
    /// Names of some of the table's regions, on a store without notes.
    regions: Vec<String>,
}

/// What a store says about the contents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Recalled {
    /// They are others.
    Gone,
    /// They are the same, as far as the store can tell.
    Same,
    /// They are the same, and this was noted last.
    Noted(Vec<u8>),
}

impl Contents {
    /// The present contents, for work of this kind.
    pub(crate) fn present(store: &dyn Store, table: &TableName, work: &str) -> Result<Self, StoreError> {
        static WORKS: AtomicU64 = AtomicU64::new(0);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let number = WORKS.fetch_add(1, Ordering::Relaxed);
        let note = format!("{work}:{}-{}-{number}", since_1970.as_nanos(), std::process::id());
        let regions = match store.note(table, &note)? {
            Note::NotOffered => {
                let regions = store.regions(table)?;
                let step = regions.len().div_ceil(REGIONS).max(1);
                regions.into_iter().step_by(step).map(|region| region.name).collect()
            }
            Note::Missing | Note::Kept(_) => Vec::new(),
        };
        Ok(Self { note, regions })
    }

    /// What is left of them.
    pub(crate) fn recall(&self, store: &dyn Store, table: &TableName) -> Result<Recalled, StoreError> {
        Ok(match store.note(table, &self.note)? {
            Note::Missing => Recalled::Gone,
            Note::Kept(note) => Recalled::Noted(note),
            Note::NotOffered => {
                let mut now = store.regions(table)?.into_iter();
                if now.any(|region| self.regions.contains(&region.name)) {
                    Recalled::Same
                } else {
                    Recalled::Gone
                }
            }
        })
    }

    /// Notes something about what was written before.
    pub(crate) fn note(&self, store: &dyn Store, table: &TableName, note: &[u8]) -> Result<(), StoreError> {
        store.set_note(table, &self.note, Some(note))
    }

    /// Removes the note.
    pub(crate) fn forget(&self, store: &dyn Store, table: &TableName) -> Result<(), StoreError> {
        store.set_note(table, &self.note, None)
    }
}

/// Reads the file of a checkpoint, which has a member of this name in all its forms. A broken one is as good as none: the work
/// begins anew. Another program's file is an error, for it would be overwritten.
pub(crate) fn read_checkpoint(path: &Path, member: &str) -> io::Result<Option<Value>> {
    let Some(bytes) = output_file::read_own(path)? else { return Ok(None) };
    let json: Option<Value> = serde_json::from_slice(&bytes).ok();
    let is_own = match &json {
        Some(json) => json.get(member).is_some(),
        None => bytes.is_empty() || bytes.starts_with(b"{"),
    };
    if is_own { Ok(json) } else { Err(io::Error::other(OutputError::Exists { path: path.to_owned() })) }
}
