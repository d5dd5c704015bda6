//! Builds the entries of rows that are there already, while writers go on.
//!
//! Where a store can give tables new contents at once, the table is scanned, the entries sorted, and the index tables filled
//! ([`super::bulk`]); a build that ends early has done nothing. If the table is written to meanwhile, or elsewhere, the table is
//! scanned in key order, and every row goes through the steps of a put without a change of its cells
//! ([`super::IndexedWriter`]). After each batch a checkpoint says how far it came; a build that finds one of the same
//! tables goes on from there, if the index tables still have what it wrote ([`Contents`]). At the end the index tables are ready.
//!
//! **Law** (`tests/index_laws.rs`, `tests/index_kill.rs`): whenever a build ends early, building again ends with every row
//! in the index, and rows that are written meanwhile are in it too.

use std::ops::Bound;
use std::path::{Path, PathBuf};

use rowkey_core::Table;
use rowkey_core::escape::{from_hex, to_hex};
use rowkey_core::range::KeyRange;
use rowkey_store::{Filter, RowBatch, Scan, Store, StoreError, TableName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bulk::{EntrySort, settled};
use super::entry::named_shapes;
use super::error::IndexError;
use super::tables;
use super::writer::IndexedWriter;
use crate::cancel::Cancel;
use crate::contents::{Contents, Recalled, read_checkpoint};
use crate::create::OpenTable;
use crate::output_file::{self, Existing, OutputError};

/// How to build.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Where the checkpoint is kept; without one a build that ends early begins anew.
    pub checkpoint: Option<PathBuf>,
    /// What names the store; a checkpoint of another store is not used.
    pub store_name: String,
    /// Begin anew, even if there is a checkpoint.
    pub restart: bool,
    /// Ends the build behind a batch that is in the index tables; in bulk before anything is.
    pub cancel: Cancel,
    /// What sorting entries may keep in memory.
    pub sort_memory: usize,
    /// Where sorting puts what does not fit.
    pub sort_folder: PathBuf,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            checkpoint: None,
            store_name: String::new(),
            restart: false,
            cancel: Cancel::new(),
            sort_memory: 256 << 20,
            sort_folder: std::env::temp_dir(),
        }
    }
}

/// How far a build is, or came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildProgress {
    /// Rows that have their entries, those of the build that was resumed included.
    pub rows: u64,
    /// How many of them were done before, if it was resumed.
    pub resumed: Option<u64>,
    /// Whether there was a checkpoint that does not hold: an index table was truncated since, or an older version wrote it.
    pub begun_anew: bool,
}

/// The form that is written. Form 1, without a version, did not know the contents of the index tables.
const VERSION: u32 = 2;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    version: u32,
    table: String,
    table_id: String,
    store: String,
    indexes: Vec<String>,
    /// Of each index table.
    contents: Vec<Contents>,
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
    progress: &mut (dyn FnMut(BuildProgress) + Send),
) -> Result<BuildProgress, IndexError> {
    let names: Vec<_> =
        chosen.iter().filter_map(|nth| open.indexes.get(*nth)).map(|index| index.name.clone()).collect();
    let path = options.checkpoint.as_deref();
    let contents = names.iter().map(|name| Contents::present(store, name, "build"));
    let mut checkpoint = Checkpoint {
        version: VERSION,
        table: open.name.to_string(),
        table_id: open.id.clone(),
        store: options.store_name.clone(),
        indexes: names.iter().map(ToString::to_string).collect(),
        contents: contents.collect::<Result<_, _>>()?,
        rows: 0,
        after: String::new(),
    };
    let found = path.map(load).transpose()?.flatten();
    let mut done = BuildProgress::default();
    match found {
        Some(json) if !checkpoint.is_of_same(&json) => {}
        Some(json) => match serde_json::from_value::<Checkpoint>(json).ok().filter(|_| !options.restart) {
            Some(found) => match found.recalled(store, &names)? {
                Some(found) => {
                    done.resumed = Some(found.rows);
                    done.rows = found.rows;
                    checkpoint = found;
                }
                None => done.begun_anew = true,
            },
            None => done.begun_anew = !options.restart,
        },
        None => {}
    }
    if done.resumed.is_none()
        && let Some(rows) = in_bulk(store, table, open, chosen, &names, options, progress)?
    {
        names.iter().try_for_each(|name| tables::set_ready(store, name))?;
        path.map_or(Ok(()), remove)?;
        return Ok(BuildProgress { rows, ..done });
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
            checkpoint.keep(store, &names, path)?;
        }
        progress(done);
        if options.cancel.is_cancelled() {
            return Err(IndexError::Interrupted { rows: done.rows });
        }
    }
    for name in &names {
        tables::set_ready(store, name)?;
    }
    if let Some(path) = path {
        remove(path)?;
        for (contents, name) in checkpoint.contents.iter().zip(&names) {
            contents.forget(store, name)?;
        }
    }
    Ok(done)
}

/// Makes all entries at once, and says of how many rows; `None` if the store cannot, or the table was written to meanwhile.
fn in_bulk(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    chosen: &[usize],
    names: &[TableName],
    options: &BuildOptions,
    progress: &mut (dyn FnMut(BuildProgress) + Send),
) -> Result<Option<u64>, IndexError> {
    let Some(replacement) = store.replace_contents(names, std::slice::from_ref(&open.name))? else {
        return Ok(None);
    };
    let all = named_shapes(table, open).into_iter().enumerate();
    let indexes = all.filter(|(nth, _)| chosen.contains(nth)).map(|(_, index)| index).collect();
    let limits = (options.sort_memory, options.sort_folder.as_path());
    let entries = EntrySort::new(table, indexes, settled, limits);
    let mut done = BuildProgress::default();
    progress(done);
    entries.add_table(store, &open.name, &options.cancel, &mut |rows| {
        done.rows += u64::try_from(rows).unwrap_or(u64::MAX);
        progress(done);
    })?;
    entries.load(&*replacement, &options.cancel)?;
    match replacement.finish() {
        Ok(()) => Ok(Some(done.rows)),
        Err(StoreError::ChangedMeanwhile { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Checkpoint {
    /// Whether a checkpoint of any form is about the same tables of the same store.
    fn is_of_same(&self, json: &Value) -> bool {
        let is = |name: &str, own: Value| json.get(name) == Some(&own);
        is("table", json!(self.table))
            && is("table_id", json!(self.table_id))
            && is("store", json!(self.store))
            && is("indexes", json!(self.indexes))
    }

    /// The same, or what the store has noted last; `None` if an index table has other contents by now. A build that was killed
    /// between two notes goes on from the earlier one.
    fn recalled(self, store: &dyn Store, names: &[TableName]) -> Result<Option<Self>, StoreError> {
        let mut noted: Vec<Self> = Vec::new();
        for (contents, name) in self.contents.iter().zip(names) {
            match contents.recall(store, name)? {
                Recalled::Gone => return Ok(None),
                Recalled::Same => {}
                Recalled::Noted(note) => match serde_json::from_slice(&note) {
                    Ok(note) => noted.push(note),
                    Err(_) => return Ok(None),
                },
            }
        }
        let earliest = noted.into_iter().min_by(|a, b| a.after.cmp(&b.after));
        Ok(Some(earliest.unwrap_or(self)))
    }

    /// Says in the store, and then in the file, how far the build came.
    fn keep(&self, store: &dyn Store, names: &[TableName], path: &Path) -> Result<(), IndexError> {
        let failed = |source| IndexError::Checkpoint { path: path.to_owned(), source };
        let json = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        for (contents, name) in self.contents.iter().zip(names) {
            contents.note(store, name, &json)?;
        }
        let saved = output_file::write(path, Existing::Replace, &[], |out| out.write_all(&json));
        saved.map_err(|error| match error {
            OutputError::Write { source, .. } => failed(source),
            other => failed(std::io::Error::other(other)),
        })
    }
}

fn load(path: &Path) -> Result<Option<Value>, IndexError> {
    read_checkpoint(path, "after").map_err(|source| IndexError::Checkpoint { path: path.to_owned(), source })
}

fn remove(path: &Path) -> Result<(), IndexError> {
    output_file::remove_own(path).map_err(|source| IndexError::Checkpoint { path: path.to_owned(), source })
}
