//! A file for each region, in a folder that knows what it is.
//!
//! `_rowkey-export.json` says which export it is and where each file begins and ends; it is written first, and names that begin with `_`
//! are left alone by Hadoop, Spark and `rowkey load`. A file has its name only when it is whole. So what is left to do is what has no file,
//! whatever ended the export before, and regions that were split or merged meanwhile change nothing.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rowkey_core::KeyRange;
use rowkey_core::escape::{from_hex, to_hex};
use rowkey_core::range::bound_key;
use rowkey_store::in_parallel;
use serde::{Deserialize, Serialize};

use super::{Export, ExportError, ExportFormat, Portion, Progress, Sink, write_file};
use crate::input::Compression;
use crate::output_file::{self, Existing};
use crate::query::divided;

const PLAN: &str = "_rowkey-export.json";
const VERSION: u32 = 1;

/// Where files go, and which export that is.
#[derive(Debug, Clone, Copy)]
pub struct Folder<'f> {
    /// The folder; it is made if it is not there.
    pub path: &'f Path,
    /// The command that begins and goes on with the export.
    pub command: &'f str,
    /// What tells the table from a later one of the same name.
    pub table: &'f str,
    /// Whether an export that is there, whole or not, is removed first.
    pub anew: bool,
}

/// What an export to a folder did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InFolder {
    /// Rows of the files that were written.
    pub progress: Progress,
    /// Files that were written.
    pub written: usize,
    /// Files that were there already.
    pub kept: usize,
}

/// What a folder says about itself.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Kept {
    version: u32,
    command: String,
    table: String,
    /// How the names of files end.
    ending: String,
    /// The keys of each file; `None` for a query that is not divided.
    files: Option<Vec<Keys>>,
}

/// From a key to before another, in hex; without one to the end of the table.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Keys {
    start: Option<String>,
    end: Option<String>,
}

impl Keys {
    fn of(range: &KeyRange) -> Self {
        let key = |bound| bound_key(bound).map(to_hex);
        Self { start: key(&range.start), end: key(&range.end) }
    }

    fn range(&self) -> Option<KeyRange> {
        let key = |hex: &Option<String>| hex.as_deref().map(|hex| from_hex(hex).ok_or(())).transpose().ok();
        Some(KeyRange::half_open(key(&self.start)?, key(&self.end)?))
    }
}

impl Kept {
    fn count(&self) -> usize {
        self.files.as_ref().map_or(1, Vec::len)
    }

    fn path(&self, folder: &Path, number: usize) -> PathBuf {
        folder.join(format!("part-{number:05}.{}", self.ending))
    }
}

impl Export<'_> {
    /// Writes a file for each region, or goes on with that.
    ///
    /// # Errors
    /// As [`Export::to_file`], and when the folder has something else. Files that are whole stay.
    pub fn to_folder(
        &self,
        folder: Folder<'_>,
        files: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<InFolder, ExportError> {
        if self.plan.limit.is_some() || self.options.in_order {
            return Err(ExportError::InOrder);
        }
        let kept = self.begin(folder)?;
        let ranges: Vec<Option<KeyRange>> = match (&kept.files, &self.ranges) {
            (None, None) => vec![None],
            (Some(files), Some(_)) => {
                let damaged = || other(folder, &format!("whose {PLAN} cannot be read"));
                files
                    .iter()
                    .map(|keys| keys.range().map(Some).ok_or_else(damaged))
                    .collect::<Result<_, _>>()?
            }
            _ => return Err(other(folder, "whose query was read in another way, by other prices")),
        };
        let paths: Vec<(PathBuf, Option<KeyRange>)> =
            (0..).zip(ranges).map(|(number, range)| (kept.path(folder.path, number), range)).collect();
        let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
        let todo: Vec<_> = paths.iter().filter(|(path, _)| !is_there(path)).collect();
        self.of.store(todo.len(), Ordering::Relaxed);
        let before = paths.len() - todo.len();
        let written = AtomicUsize::new(0);
        files(before, paths.len());
        let group = self.options.memory / self.options.threads.max(1);
        in_parallel(&todo, self.options.threads, |_, (path, range)| {
            let part = match (range, &self.ranges) {
                (Some(range), Some(ranges)) => Portion::Ranges(divided::inside(ranges, range)),
                _ => Portion::Whole,
            };
            write_file(path, Existing::Refuse, &[], |out| {
                let mut sink = Sink::new(&self.encoder, out, group)?;
                self.read(&part, &mut |piece| sink.write(piece))?;
                sink.finish(&self.encoder)
            })?;
            files(before + 1 + written.fetch_add(1, Ordering::Relaxed), paths.len());
            Ok::<(), ExportError>(())
        })?;
        Ok(InFolder { progress: self.progress(), written: todo.len(), kept: before })
    }

    /// What the folder says, or is told now.
    fn begin(&self, folder: Folder<'_>) -> Result<Kept, ExportError> {
        let failed = |source| ExportError::Folder { folder: folder.path.to_owned(), source };
        fs::create_dir_all(folder.path).map_err(failed)?;
        let own = folder.path.join(PLAN);
        match output_file::read_own(&own).map_err(failed)? {
            Some(text) => {
                let kept: Kept = serde_json::from_slice(&text)
                    .map_err(|error| failed(io::Error::new(ErrorKind::InvalidData, error)))?;
                if !folder.anew {
                    refuse_other(folder, &kept)?;
                    remove_drafts(folder.path).map_err(failed)?;
                    return Ok(kept);
                }
                for number in 0..kept.count() {
                    output_file::remove_own(&kept.path(folder.path, number)).map_err(failed)?;
                }
                remove_drafts(folder.path).map_err(failed)?;
                output_file::remove_own(&own).map_err(failed)?;
            }
            None if fs::read_dir(folder.path).map_err(failed)?.next().is_some() => {
                return Err(ExportError::NotEmpty { folder: folder.path.to_owned() });
            }
            None => {}
        }
        let files = match &self.ranges {
            None => None,
            Some(ranges) => Some(self.regions(ranges)?.iter().map(|(region, _)| Keys::of(region)).collect()),
        };
        let kept = Kept {
            version: VERSION,
            command: folder.command.to_owned(),
            table: folder.table.to_owned(),
            ending: ending(self.options.format, self.options.compression),
            files,
        };
        let text = serde_json::to_vec_pretty(&kept).map_err(|error| failed(error.into()))?;
        output_file::write(&own, Existing::Refuse, &[], |out| out.write_all(&text))?;
        Ok(kept)
    }
}

fn ending(format: ExportFormat, compression: Compression) -> String {
    let format = match format {
        ExportFormat::Csv => "csv",
        ExportFormat::JsonLines => "jsonl",
        ExportFormat::Parquet => "parquet",
    };
    let packed = match compression {
        Compression::None => "",
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
    };
    format!("{format}{packed}")
}

fn refuse_other(folder: Folder<'_>, kept: &Kept) -> Result<(), ExportError> {
    if kept.version != VERSION {
        return Err(other(folder, "of another version of rowkey"));
    }
    if kept.command != folder.command {
        return Err(other(folder, &format!("that was begun by another command: {}", kept.command)));
    }
    if kept.table != folder.table {
        return Err(other(folder, "of an earlier table of this name"));
    }
    Ok(())
}

fn other(folder: Folder<'_>, words: &str) -> ExportError {
    ExportError::Other { folder: folder.path.to_owned(), other: words.to_owned() }
}

/// Removes what a killed export left of files that were not whole.
fn remove_drafts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("part-") && name.ends_with(".rowkey-draft") && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
