//! Where do bad records go that a load leaves out?
//!
//! Into a file of JSON Lines, `{"line": 17, "problems": ["…"], "record": "…"}`, or `row` for Parquet, which has no text of
//! a record. A line is on disk before the checkpoint that says so, and what is behind the checkpoint is cut off when the
//! load goes on: after any number of interruptions every bad record is there once.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::checkpoint::Checkpoint;
use super::error::LoadError;
use crate::input::{InputError, Refused};

pub(super) struct SkipFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl SkipFile {
    /// Opens the file; `restart` allows it to hold what an earlier load has left out.
    pub(super) fn open(path: &Path, checkpoint: &mut Checkpoint, restart: bool) -> Result<Self, LoadError> {
        let failed = |source| LoadError::SkipFile { path: path.to_owned(), source };
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let length = match &checkpoint.skip_file {
            Some((known, length)) if *known == path => *length,
            _ if found > 0 && !restart => return Err(LoadError::SkipFileInUse { path, bytes: found }),
            _ => 0,
        };
        if found < length {
            return Err(LoadError::SkipFileChanged { path, expected: length, found });
        }
        file.set_len(length).map_err(failed)?;
        checkpoint.skip_file = Some((path.clone(), length));
        Ok(Self { path, file, length })
    }

    /// Adds records and has them on disk.
    pub(super) fn write(
        &mut self,
        records: &[Refused],
        checkpoint: &mut Checkpoint,
    ) -> Result<(), LoadError> {
        if records.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for Refused { error, text, .. } in records {
            let (place, number, problems) = match error {
                InputError::Row { row, problems, .. } => ("row", *row, problems.as_slice()),
                InputError::Line { line, problems, .. } => ("line", *line, problems.as_slice()),
                _ => continue, // cannot be: only these are about one record
            };
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let line = json!({ place: number, "problems": problems, "record": text });
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(&lines))
            .and_then(|()| self.file.sync_data());
        written.map_err(|source| LoadError::SkipFile { path: self.path.clone(), source })?;
        self.length += lines.len() as u64;
        checkpoint.skipped += records.len() as u64;
        checkpoint.skip_file = Some((self.path.clone(), self.length));
        Ok(())
    }
}
