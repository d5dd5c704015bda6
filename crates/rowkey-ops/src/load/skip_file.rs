//! The file of the bad records that a load skips.
//!
//! Into a file of JSON Lines, `{"line": 17, "problems": ["…"], "record": "…"}`, or `row` for Parquet, which has no text of
//! a record, or `object` for JSON in another layout than lines. A line is on disk before the checkpoint that says so, and what is behind the checkpoint is cut off when the
//! load goes on: after any number of interruptions every bad record is there once.
//!
//! The file is a new one, the one that the checkpoint names, or with `restart` one of an earlier load; never anything else.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::checkpoint::Checkpoint;
use super::error::LoadError;
use crate::input::{InputError, Refused};
use crate::output_file::{self, HEAD, Links, OutputError, open_regular};

pub(super) struct SkipFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl SkipFile {
    /// Opens the file, which is none of `inputs`; `restart` allows it to hold what an earlier load has left out. So many bytes at
    /// its beginning are of files before.
    pub(super) fn open(
        path: &Path,
        inputs: &[&Path],
        checkpoint: &mut Checkpoint,
        (restart, begins): (bool, u64),
    ) -> Result<Self, LoadError> {
        let failed = |source| LoadError::SkipFile { path: path.to_owned(), source };
        match output_file::check(path, output_file::Existing::Replace, inputs) {
            Err(OutputError::Write { source, .. }) => return Err(failed(source)),
            checked => checked?,
        }
        let file = match OpenOptions::new().write(true).create_new(true).open(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                open_regular(path, Links::Refused, OpenOptions::new().read(true).write(true))
            }
            opened => opened,
        };
        let file = file.map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let length = match &checkpoint.skip_file {
            Some((known, length)) if *known == path => *length,
            _ if begins > 0 => begins,
            _ if found == 0 || (restart && is_skip_file(&file)) => 0,
            _ => return Err(LoadError::SkipFileInUse { path, bytes: found }),
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
                InputError::Object { object, problems, .. } => ("object", *object, problems.as_slice()),
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

/// Whether a file begins as one of these does: with a whole bad record, or the beginning of a long one.
fn is_skip_file(mut file: &File) -> bool {
    let mut head = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(HEAD).read_to_end(&mut head));
    let Some(first) = head.split(|byte| *byte == b'\n').next().filter(|_| read.is_ok()) else { return false };
    match serde_json::from_slice::<Value>(first) {
        Ok(Value::Object(record)) => {
            let has = |name: &str| record.contains_key(name);
            record.len() == 3
                && (has("line") || has("row") || has("object"))
                && has("problems")
                && has("record")
        }
        _ => {
            first.len() as u64 == HEAD
                && ["line", "row", "object"]
                    .iter()
                    .any(|name| first.starts_with(format!("{{\"{name}\":").as_bytes()))
        }
    }
}
