//! Loads several files as one load.
//!
//! One after the other, each with a checkpoint of its own. That of a file that is done stays, at the file's end, until all are:
//! after an interruption the same command passes over what is done, as it passes over the beginning of a file, and only if the table
//! still has its rows and the file is what it was. Records of a later file count more than those of an earlier one, so when a
//! file begins anew, those behind it do too.
//!
//! **Law** (`tests/any_file`): wherever a load of several files stops, loading again ends with every record in the table once.

use std::path::{Path, PathBuf};

use rowkey_core::Table;
use rowkey_store::Store;

use super::checkpoint::{Checkpoint, Kept};
use super::error::LoadError;
use super::{Among, Data, LoadOptions, LoadProgress, LoadReport, Loaded, now, run_one};
use crate::contents::Contents;
use crate::create::OpenTable;
use crate::input::Position;

pub(super) fn run(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    files: &[PathBuf],
    options: &LoadOptions,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<LoadReport, LoadError> {
    let bytes = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let total = files.iter().map(bytes).sum();
    let mut all = LoadReport {
        rows: 0,
        replaced: Some(0),
        repeated: Some(0),
        skipped: 0,
        resumed_at: None,
        begun_anew: None,
        in_bulk: false,
    };
    let (mut before, mut restart, mut skip_bytes) = (0, options.restart, 0);
    for (number, path) in files.iter().enumerate() {
        let own = LoadOptions {
            restart,
            // Records are numbered anew in every file, and must not draw the same.
            seed: options
                .seed
                .map(|seed| seed.wrapping_add((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))),
            inputs: options.inputs.iter().chain(files).cloned().collect(),
            ..options.clone()
        };
        let among = Among { skip_begins: skip_bytes };
        let mut shown = |at: LoadProgress| {
            let position = Position {
                byte: before + at.position.byte.min(at.total_bytes.unwrap_or(u64::MAX)),
                rows: all.rows + at.position.rows,
                ..at.position
            };
            progress(LoadProgress { position, total_bytes: Some(total), resumed: at.resumed });
        };
        let loaded = run_one(store, table, open, &Data::File(path.clone()), (&own, Some(&among)), &mut shown);
        let Loaded { report, skip_length, cell_time } = loaded.map_err(|error| match error {
            LoadError::Interrupted { rows } => LoadError::Interrupted { rows: all.rows + rows },
            other => other,
        })?;
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b);
        all.rows += report.rows;
        (all.replaced, all.repeated) =
            (sum(all.replaced, report.replaced), sum(all.repeated, report.repeated));
        all.skipped += report.skipped;
        all.resumed_at = all.resumed_at.or(report.resumed_at);
        all.begun_anew = all.begun_anew.or(report.begun_anew);
        all.in_bulk |= report.in_bulk;
        restart |= report.begun_anew.is_some();
        (before, skip_bytes) = (before + bytes(path), skip_length);
        // What the next file writes is later than all of this one.
        store.advance_write_time(cell_time);
        while store.write_time().unwrap_or_else(now) <= cell_time {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    for path in files {
        forget(store, open, path, options)?;
    }
    Ok(all)
}

/// Removes the checkpoint of a file that is done.
fn forget(store: &dyn Store, open: &OpenTable, path: &Path, options: &LoadOptions) -> Result<(), LoadError> {
    let contents = Contents::present(store, &open.name, "load")?;
    let table = (open.name.to_string(), open.id.clone());
    let own = Checkpoint::new(table, options.store_name.clone(), (0, 0), contents);
    let found = own.find(path)?;
    Checkpoint::remove(path)?;
    if let Some(Kept::Own(found)) = found {
        found.contents.forget(store, &open.name)?;
    }
    Ok(())
}
