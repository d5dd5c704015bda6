//! How do rows that are there already get their entries, while writers go on?
//!
//! The table is scanned in key order, and every row goes through the steps of a put without a change of its cells
//! ([`super::IndexedWriter`]). After each batch a checkpoint says how far it came; a build that finds one of the same
//! tables goes on from there. At the end the index tables are ready.
//!
//! **Law** (`tests/index_laws.rs`, `tests/index_kill.rs`): whenever a build ends early, building again ends with every row
//! in the index, and rows that are written meanwhile are in it too.

use std::io::ErrorKind;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use rowkey::Table;
use rowkey::escape::{from_hex, to_hex};
use rowkey::range::KeyRange;
use rowkey_store::{Filter, RowBatch, Scan, Store};
use serde::{Deserialize, Serialize};

use super::error::IndexError;
use super::tables;
use super::writer::IndexedWriter;
use crate::create::OpenTable;

/// How to build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Where the checkpoint is kept; without one a build that ends early begins anew.
    pub checkpoint: Option<PathBuf>,
    /// What names the store; a checkpoint of another store is not used.
    pub store_name: String,
    /// Begin anew, even if there is a checkpoint.
    pub restart: bool,
}

/// How far a build is, or came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildProgress {
    /// Rows that have their entries, those of the build that was resumed included.
    pub rows: u64,
    /// How many of them were done before, if it was resumed.
    pub resumed: Option<u64>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    table: String,
    table_id: String,
    store: String,
    indexes: Vec<String>,
    rows: u64,
    /// The last row that is done, in hex.
    after: String,
}

/// Makes the entries of all rows in these index tables, given by their numbers in the file. `progress` is called after each
/// batch.
///
/// # Errors
/// When the store fails, a row is of another schema or has no key in an index, or the checkpoint cannot be kept.
pub fn build(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    chosen: &[usize],
    options: &BuildOptions,
    progress: &mut dyn FnMut(BuildProgress),
) -> Result<BuildProgress, IndexError> {
    let names: Vec<_> =
        chosen.iter().filter_map(|nth| open.indexes.get(*nth)).map(|index| index.name.clone()).collect();
    let mut checkpoint = Checkpoint {
        table: open.name.to_string(),
        table_id: open.id.clone(),
        store: options.store_name.clone(),
        indexes: names.iter().map(ToString::to_string).collect(),
        rows: 0,
        after: String::new(),
    };
    let path = options.checkpoint.as_deref();
    let found = path.filter(|_| !options.restart).map(load).transpose()?.flatten();
    let mut done = BuildProgress::default();
    if let Some(found) = found
        && found.is_of(&checkpoint)
    {
        done = BuildProgress { rows: found.rows, resumed: Some(found.rows) };
        checkpoint = found;
    }
    let start = match from_hex(&checkpoint.after) {
        Some(key) if !key.is_empty() => Bound::Excluded(key),
        _ => Bound::Unbounded,
    };
    progress(done);
    let writer = IndexedWriter::new(store, table, open).only(chosen);
    let range = KeyRange { start, end: Bound::Unbounded };
    let mut scanner =
        store.scan(&open.name, &Scan { filter: Some(Filter::FirstKeyOnly), ..Scan::new(range) })?;
    let mut batch = RowBatch::new();
    while scanner.next_batch(&mut batch)? {
        let keys: Vec<Vec<u8>> = batch.rows().map(|row| row.key().to_vec()).collect();
        writer.refresh(&keys)?;
        done.rows += u64::try_from(keys.len()).unwrap_or(u64::MAX);
        if let (Some(path), Some(last)) = (path, keys.last()) {
            (checkpoint.rows, checkpoint.after) = (done.rows, to_hex(last));
            save(path, &checkpoint)?;
        }
        progress(done);
    }
    for name in &names {
        tables::set_ready(store, name)?;
    }
    if let Some(path) = path {
        remove(path)?;
    }
    Ok(done)
}

impl Checkpoint {
    fn is_of(&self, other: &Self) -> bool {
        (&self.table, &self.table_id, &self.store, &self.indexes)
            == (&other.table, &other.table_id, &other.store, &other.indexes)
    }
}

/// A checkpoint that cannot be read is as good as none: the build begins anew, which is always right.
fn load(path: &Path) -> Result<Option<Checkpoint>, IndexError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IndexError::Checkpoint { path: path.to_owned(), source }),
    }
}

/// Replaces it by renaming, so that it is always whole.
fn save(path: &Path, checkpoint: &Checkpoint) -> Result<(), IndexError> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    serde_json::to_vec(checkpoint)
        .map_err(std::io::Error::from)
        .and_then(|bytes| std::fs::write(&draft, bytes))
        .and_then(|()| std::fs::rename(&draft, path))
        .map_err(|source| IndexError::Checkpoint { path: path.to_owned(), source })
}

fn remove(path: &Path) -> Result<(), IndexError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(IndexError::Checkpoint { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
