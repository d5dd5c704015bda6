//! Exports the rows of a table or a query to files.
//!
//! ```text
//! plan ── parts (regions) ── records ── pieces of text or columns ── a file ([`Export::to_file`]), or one for each region
//!         several at a time            (`blocks`, `parquet`)                 ([`Export::to_folder`])
//! ```
//!
//! A file is there whole or not at all. A folder keeps the files that are whole, and the same export goes on with the others.
//! Rows come in the order of the query, or of their keys; memory is bounded, whatever the table is.
//!
//! **Law** (`tests/exports.rs`): a load of what was exported into an empty table gives the same rows: keys, cells, nulls.
//!
//! Quirks: it is no snapshot, rows that are written meanwhile are in it or not. Only the newest version of each cell that the table file
//! describes is exported. A key with random parts is drawn anew by a load.

mod blocks;
mod error;
mod folder;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, PoisonError};

use rowkey_core::query::Plan;
use rowkey_core::{FieldId, KeyRange, Table, Value};
use rowkey_store::{Scan, Store, TableName, in_parallel};

pub use blocks::json_value;
pub use error::ExportError;
pub use folder::{Folder, InFolder};

use crate::input::Compression;
use crate::output_file::{self, Existing};
use crate::processors::processors;
use crate::query::{self, Cancel, QueryError, QueryOptions, divided};
use crate::record;
use blocks::{BLOCK, Encoder, FilePiece};

/// What a file is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Comma-separated values with a first line of names.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// Columns in a file; needs the feature `parquet`.
    Parquet,
}

/// What is exported, and how.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The format of files.
    pub format: ExportFormat,
    /// How text is packed.
    pub compression: Compression,
    /// The fields, in the order of columns.
    pub fields: Vec<FieldId>,
    /// Whether the rows must come in the order of the plan; otherwise they come by their keys, from several regions at a time.
    pub in_order: bool,
    /// Leave out rows that do not decode and count them, instead of ending with an error that names the first.
    pub skip_undecodable: bool,
    /// Whether nulls and empty texts may both be empty cells of CSV where one would be read as the other.
    pub empty_cells: bool,
    /// How many regions at a time.
    pub threads: usize,
    /// About how many bytes wait to be written.
    pub memory: usize,
    /// Stops it.
    pub cancel: Cancel,
}

impl ExportOptions {
    /// All values of these fields, as many regions at a time as there are processors, at least 4 because a cluster has more of them.
    pub fn new(format: ExportFormat, fields: Vec<FieldId>) -> Self {
        Self {
            format,
            compression: Compression::None,
            fields,
            in_order: false,
            skip_undecodable: false,
            empty_cells: false,
            threads: processors().max(4),
            memory: 128 << 20,
            cancel: Cancel::new(),
        }
    }
}

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows that were read and made part of a file.
    pub rows: u64,
    /// Rows that were left out because they do not decode.
    pub undecodable: u64,
    /// Regions that are done.
    pub regions: usize,
    /// Regions in all.
    pub of: usize,
}

/// A plan on its way to files.
pub struct Export<'a> {
    store: &'a dyn Store,
    name: &'a TableName,
    table: &'a Table,
    plan: &'a Plan,
    options: &'a ExportOptions,
    encoder: Encoder,
    /// The keys to read, or `None` if the plan can only be run as a whole.
    ranges: Option<Vec<KeyRange>>,
    scan: Scan,
    tell: &'a (dyn Fn(Progress) + Sync),
    rows: AtomicU64,
    undecodable: AtomicU64,
    done: AtomicUsize,
    of: AtomicUsize,
}

/// What takes a row's key and record.
type Take<'t> = dyn FnMut(&[u8], &[Value<'_>]) -> Result<(), ExportError> + 't;

/// What one thread reads.
enum Portion {
    /// The rows of the plan.
    Whole,
    /// The rows of these ranges, which follow one another.
    Ranges(Vec<KeyRange>),
}

impl<'a> Export<'a> {
    /// Prepares an export; `tell` hears now and then how far it is.
    ///
    /// # Errors
    /// When the format is not one that this build writes.
    pub fn new(
        store: &'a dyn Store,
        name: &'a TableName,
        (table, plan): (&'a Table, &'a Plan),
        options: &'a ExportOptions,
        tell: &'a (dyn Fn(Progress) + Sync),
    ) -> Result<Self, ExportError> {
        let form = (options.format, options.compression);
        let encoder = Encoder::new(table.key.fields(), &options.fields, form, options.empty_cells)?;
        let ranges = if options.in_order { None } else { divided::ranges(plan) };
        let scan = Scan { filter: divided::filter(store, table, plan), ..Scan::new(KeyRange::all()) };
        Ok(Self {
            store,
            name,
            table,
            plan,
            options,
            encoder,
            ranges,
            scan,
            tell,
            rows: AtomicU64::new(0),
            undecodable: AtomicU64::new(0),
            done: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
        })
    }

    /// Writes a file; after an error there is none, or what was there before.
    ///
    /// # Errors
    /// When the rows cannot be read, a value cannot be written so that it is read back, or the file may or can not be written.
    pub fn to_file(
        &self,
        path: &Path,
        existing: Existing,
        inputs: &[&Path],
    ) -> Result<Progress, ExportError> {
        write_file(path, existing, inputs, |out| self.to_writer(out))
    }

    /// Writes what would be a file to a stream.
    ///
    /// # Errors
    /// As [`Export::to_file`].
    pub fn to_writer(&self, out: &mut dyn Write) -> Result<Progress, ExportError> {
        let parts: Vec<Portion> = match &self.ranges {
            None => vec![Portion::Whole],
            Some(ranges) => {
                self.regions(ranges)?.into_iter().map(|(_, inside)| Portion::Ranges(inside)).collect()
            }
        };
        self.of.store(parts.len(), Ordering::Relaxed);
        let mut sink = Sink::new(&self.encoder, out, self.options.memory / 2)?;
        match parts.as_slice() {
            [part] => self.read(part, &mut |piece| sink.write(piece))?,
            parts => self.read_at_once(parts, &mut sink)?,
        }
        sink.finish(&self.encoder)?;
        Ok(self.progress())
    }

    /// The regions with keys to read, and these.
    fn regions(&self, ranges: &[KeyRange]) -> Result<Vec<(KeyRange, Vec<KeyRange>)>, ExportError> {
        let regions = self.store.regions(self.name).map_err(QueryError::from)?.into_iter();
        let parts = regions.map(|region| {
            let inside = divided::inside(ranges, &region.range);
            (region.range, inside)
        });
        Ok(parts.filter(|(_, inside)| !inside.is_empty()).collect())
    }

    /// Reads several parts at a time, and writes them one behind the other. Parts ahead wait when they have read as much as memory
    /// allows, and no more are begun than threads are there before the first of them is written.
    fn read_at_once(&self, parts: &[Portion], sink: &mut Sink<'_>) -> Result<(), ExportError> {
        let threads = self.options.threads.clamp(1, parts.len().max(1));
        let waiting = (self.options.memory / 2 / threads / BLOCK).clamp(1, 64);
        let (senders, receivers): (Vec<_>, Vec<_>) = parts
            .iter()
            .map(|_| sync_channel(waiting))
            .map(|(sender, receiver)| (Mutex::new(Some(sender)), receiver))
            .unzip();
        let (failed, front) = (&AtomicBool::new(false), &Front::default());
        // The senders end with this thread, however it does.
        let reading = move || {
            in_parallel(parts, threads, |at, part| {
                let sender = senders
                    .get(at)
                    .map(|sender| sender.lock().unwrap_or_else(PoisonError::into_inner).take());
                let Some(sender) = sender.flatten() else { return Ok(()) };
                front.wait_until_behind(at, threads);
                let read = self.read(part, &mut |piece| sender.send(piece).map_err(|_| ExportError::Stopped));
                if read.is_err() {
                    failed.store(true, Ordering::SeqCst);
                }
                read
            })
        };
        std::thread::scope(|scope| {
            let reading =
                std::thread::Builder::new().name("export".to_owned()).spawn_scoped(scope, reading)?;
            let mut written = Ok(());
            for (at, receiver) in receivers.into_iter().enumerate() {
                front.is_at(at);
                written = receiver.iter().try_for_each(|piece| sink.write(piece));
                // The other receivers are dropped, which stops their readers.
                if written.is_err() || failed.load(Ordering::SeqCst) {
                    break;
                }
            }
            front.is_at(parts.len());
            let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            written.and(read.map(drop))
        })
    }

    /// Reads a part and hands on its pieces.
    fn read(
        &self,
        part: &Portion,
        hand_on: &mut dyn FnMut(FilePiece) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let mut block = self.encoder.block();
        let mut take = |key: &[u8], record: &[Value<'_>]| {
            self.encoder.add(&mut block, key, record)?;
            if !block.is_full() {
                return Ok(());
            }
            let full = std::mem::replace(&mut block, self.encoder.block());
            self.count(&self.rows, full.rows);
            hand_on(self.encoder.piece(full)?)
        };
        match part {
            Portion::Whole => self.read_whole(&mut take)?,
            Portion::Ranges(ranges) => {
                let cancel = &self.options.cancel;
                divided::rows(self.store, self.name, &self.scan, ranges.clone(), cancel, |row| {
                    match record::read(self.table, row) {
                        Ok(values) if self.plan.residual.matches(&values) == Some(true) => {
                            take(row.key(), &values)
                        }
                        Ok(_) => Ok(()),
                        Err(_) if self.options.skip_undecodable => {
                            self.count(&self.undecodable, 1);
                            Ok(())
                        }
                        Err(error) => Err(QueryError::from(error).into()),
                    }
                })?;
            }
        }
        if block.rows > 0 {
            self.count(&self.rows, block.rows);
            hand_on(self.encoder.piece(block)?)?;
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        (self.tell)(self.progress());
        Ok(())
    }

    fn read_whole(&self, take: &mut Take<'_>) -> Result<(), ExportError> {
        let options = QueryOptions {
            skip_undecodable: self.options.skip_undecodable,
            cancel: self.options.cancel.clone(),
            ..QueryOptions::default()
        };
        let mut rows = query::run_with(self.store, self.name, self.table, self.plan, &options)?;
        for record in rows.by_ref() {
            let record = record?;
            take(&record.key, &record.values)?;
        }
        self.count(&self.undecodable, rows.counters().undecodable);
        Ok(())
    }

    fn count(&self, what: &AtomicU64, more: u64) {
        what.fetch_add(more, Ordering::Relaxed);
        (self.tell)(self.progress());
    }

    fn progress(&self) -> Progress {
        Progress {
            rows: self.rows.load(Ordering::Relaxed),
            undecodable: self.undecodable.load(Ordering::Relaxed),
            regions: self.done.load(Ordering::Relaxed),
            of: self.of.load(Ordering::Relaxed),
        }
    }
}

/// Which part is being written.
#[derive(Default)]
struct Front {
    at: Mutex<usize>,
    moved: Condvar,
}

impl Front {
    fn is_at(&self, at: usize) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = at;
        self.moved.notify_all();
    }

    /// Waits while a part is so far ahead of the one that is written.
    fn wait_until_behind(&self, part: usize, ahead: usize) {
        let front = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.moved.wait_while(front, |front| part >= *front + ahead));
    }
}

/// A file that pieces go to.
enum Sink<'w> {
    Text {
        out: &'w mut dyn Write,
        is_empty: bool,
    },
    #[cfg(feature = "parquet")]
    Parquet {
        out: &'w mut dyn Write,
        file: Box<parquet::ParquetFile>,
    },
}

impl<'w> Sink<'w> {
    /// Begins a file; `group` is how many bytes of columns it may keep.
    fn new(encoder: &Encoder, out: &'w mut dyn Write, group: usize) -> Result<Self, ExportError> {
        #[cfg(feature = "parquet")]
        if encoder.format() == ExportFormat::Parquet {
            let file = Box::new(parquet::ParquetFile::new(encoder.columns(), group)?);
            return Ok(Self::Parquet { out, file });
        }
        #[cfg(not(feature = "parquet"))]
        let _ = group;
        out.write_all(&encoder.head()?)?;
        Ok(Self::Text { out, is_empty: encoder.format() != ExportFormat::Csv })
    }

    fn write(&mut self, piece: FilePiece) -> Result<(), ExportError> {
        match (self, piece) {
            (Self::Text { out, is_empty }, FilePiece::Text(text)) => {
                *is_empty = false;
                out.write_all(&text)?;
            }
            #[cfg(feature = "parquet")]
            (Self::Parquet { out, file }, FilePiece::Parquet(columns)) => file.write(columns, &mut **out)?,
            #[cfg(feature = "parquet")]
            (Self::Text { .. }, FilePiece::Parquet(_)) | (Self::Parquet { .. }, FilePiece::Text(_)) => {}
        }
        Ok(())
    }

    fn finish(self, encoder: &Encoder) -> Result<(), ExportError> {
        match self {
            Self::Text { out, is_empty } => {
                if is_empty {
                    out.write_all(&encoder.nothing()?)?;
                }
                out.flush()?;
            }
            #[cfg(feature = "parquet")]
            Self::Parquet { out, file } => {
                file.finish(&mut *out)?;
                out.flush()?;
            }
        }
        Ok(())
    }
}

/// Writes a file by what `fill` does; an error of it comes back as it is.
fn write_file<T>(
    path: &Path,
    existing: Existing,
    inputs: &[&Path],
    fill: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    let mut filled = None;
    let written = output_file::write(path, existing, inputs, |out| match fill(out) {
        // The file's own trouble is told with its name.
        Err(ExportError::Write(error)) => Err(error),
        other => {
            let is_whole = other.is_ok();
            filled = Some(other);
            if is_whole { Ok(()) } else { Err(io::Error::other("the export ended early")) }
        }
    });
    match (filled, written) {
        (Some(Err(error)), _) => Err(error),
        (_, Err(error)) => Err(error.into()),
        (Some(Ok(done)), Ok(())) => Ok(done),
        (None, Ok(())) => Err(ExportError::Stopped),
    }
}
