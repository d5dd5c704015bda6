//! How does a file become rows of a table, even if the load is killed on the way?
//!
//! One thread reads and encodes, this one writes: a batch is in the store, durably, before the checkpoint beside the
//! data file says so ([`Checkpoint`]). A load that finds a checkpoint of the same data and table goes on from there.
//!
//! **Law** (`tests/loads.rs`, and `kill -9` in the program's tests): whenever a load ends early, loading again ends
//! with every record in the table once. The key is a function of the record and a resumed load gives its cells the
//! same timestamps, so a batch that is written twice is the same rows.
//!
//! A bad line stops the load: the lines before it are loaded and the checkpoint stays.

mod checkpoint;
mod error;

use std::cell::OnceCell;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey::Table;
use rowkey_store::{RowBatch, Store};

pub use checkpoint::Checkpoint;
pub use error::LoadError;

use crate::create::OpenTable;
use crate::input::{Format, Position, Records, Source};
use crate::record::RowWriter;

/// A batch is sent when it has this many rows or bytes: large enough that one sync to disk is cheap for each row.
const BATCH_ROWS: usize = 4096;
const BATCH_BYTES: usize = 2 << 20;

/// Where the data comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// A file, whose load can be resumed.
    File(PathBuf),
    /// Standard input, whose load cannot.
    StandardInput,
}

impl Data {
    fn label(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::StandardInput => "standard input".to_owned(),
        }
    }
}

/// How to load.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// What names the store; a checkpoint of another store is not used.
    pub store_name: String,
    /// Begin anew, even if there is a checkpoint.
    pub restart: bool,
    /// The format of the data; `None` to tell it by the file's name.
    pub format: Option<Format>,
}

/// How far a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadProgress {
    /// What is durably in the table.
    pub position: Position,
    /// The size of the data, if it is a file.
    pub total_bytes: Option<u64>,
}

/// What a load did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadReport {
    /// Records in the table from this data, those of the load that was resumed included.
    pub rows: u64,
    /// Where it went on, if it was resumed.
    pub resumed_at: Option<Position>,
}

/// Loads records into a table. `progress` is called once at the start and after each batch.
///
/// # Errors
/// When the data or the store cannot be read or written, or a line is bad.
pub fn run(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    data: &Data,
    options: &LoadOptions,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<LoadReport, LoadError> {
    let mut checkpoint = Checkpoint {
        table: open.name.to_string(),
        table_id: open.id.clone(),
        store: options.store_name.clone(),
        cell_time: now(),
        seed: now().unsigned_abs(),
        position: Position::default(),
        head: String::new(),
    };
    let mut resumed_at = None;
    let fields = table.key.fields();
    let (input, file) = match data {
        Data::StandardInput => {
            let format = options.format.unwrap_or(Format::Csv);
            (Records::open(Source::stream(std::io::stdin()), format, fields, &data.label())?, None)
        }
        Data::File(path) => {
            let file = DataFile::open(path)?;
            let found = if options.restart { None } else { file.checkpoint(&checkpoint)? };
            let format = options.format.unwrap_or_else(|| Format::of(path));
            let mut input = Records::open(file.reader()?, format, fields, &data.label())?;
            if let Some(found) = found {
                input.resume(file.reader_from(found.position.byte)?, found.position);
                resumed_at = Some(found.position);
                checkpoint = found;
            }
            (input, Some(file))
        }
    };
    let total_bytes = file.as_ref().map(|file| file.length);
    progress(LoadProgress { position: checkpoint.position, total_bytes });

    let writer = RowWriter::new(table).seed(checkpoint.seed).cell_time(checkpoint.cell_time);
    let outcome = std::thread::scope(|scope| {
        let (filled, batches) = sync_channel::<Chunk>(1);
        let (emptied, empty) = sync_channel::<RowBatch>(2);
        scope.spawn(move || read_chunks(input, writer, &filled, &empty));
        for chunk in batches {
            if !chunk.rows.is_empty() {
                store.put_batch(&open.name, &chunk.rows)?;
            }
            checkpoint.position = chunk.after;
            if let Some(file) = &file {
                file.save(&mut checkpoint)?;
            }
            progress(LoadProgress { position: chunk.after, total_bytes });
            if let Some(error) = chunk.error {
                return Err(error);
            }
            // The reader may be done and gone; then the batch is simply dropped.
            let _ = emptied.send(chunk.rows);
        }
        Ok(())
    });
    outcome?;
    if let Some(file) = &file {
        file.forget()?;
    }
    Ok(LoadReport { rows: checkpoint.position.rows, resumed_at })
}

/// Rows on their way to the store.
struct Chunk {
    rows: RowBatch,
    /// The position behind its last record.
    after: Position,
    /// What stopped the reader behind these rows.
    error: Option<LoadError>,
}

fn read_chunks(
    mut input: Records,
    mut writer: RowWriter<'_>,
    filled: &SyncSender<Chunk>,
    empty: &Receiver<RowBatch>,
) {
    loop {
        let mut rows = empty.try_recv().unwrap_or_default();
        rows.clear();
        let mut error = None;
        let mut more = true;
        while rows.len() < BATCH_ROWS && rows.byte_len() < BATCH_BYTES {
            match input.next(|number, record| writer.write(number, record, &mut rows)) {
                Ok(true) => {}
                Ok(false) => {
                    more = false;
                    break;
                }
                Err(problem) => {
                    error = Some(problem.into());
                    break;
                }
            }
        }
        let done = error.is_some() || !more;
        // The writer hangs up when the store fails; it has the error.
        if filled.send(Chunk { rows, after: input.position(), error }).is_err() || done {
            return;
        }
    }
}

/// Milliseconds since 1970: the timestamp of all cells of one load, so that a resumed load writes the same.
fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX - 1)
}

/// A data file and its checkpoint beside it.
struct DataFile {
    path: PathBuf,
    length: u64,
    /// The name of its first [`HEAD`] bytes, once a load is past them.
    whole_head: OnceCell<String>,
}

/// How much of the data must be unchanged for a checkpoint to hold.
const HEAD: u64 = 64 << 10;

impl DataFile {
    fn open(path: &Path) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Open { path: path.to_owned(), source };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), length: metadata.len(), whole_head: OnceCell::new() })
    }

    fn reader(&self) -> Result<Source, LoadError> {
        self.reader_from(0)
    }

    fn reader_from(&self, byte: u64) -> Result<Source, LoadError> {
        let open = || {
            let mut file = std::fs::File::open(&self.path)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(byte))?;
            Ok(file)
        };
        let file = open().map_err(|source| LoadError::Open { path: self.path.clone(), source })?;
        Ok(Source::File(file))
    }

    /// The checkpoint of an earlier load of this file into this table, if there is one.
    fn checkpoint(&self, own: &Checkpoint) -> Result<Option<Checkpoint>, LoadError> {
        let Some(found) = Checkpoint::load(&self.path)? else { return Ok(None) };
        let same = found.is_of(own)
            && found.position.byte <= self.length
            && found.head == self.head(found.position.byte)?;
        Ok(same.then_some(found))
    }

    /// A name for the beginning of the data, up to `byte`: another file, or one changed there, has another.
    fn head(&self, byte: u64) -> Result<String, LoadError> {
        if byte >= HEAD
            && let Some(head) = self.whole_head.get()
        {
            return Ok(head.clone());
        }
        let mut bytes = Vec::new();
        let read = self.reader()?.take(byte.min(HEAD)).read_to_end(&mut bytes);
        read.map_err(|source| LoadError::Open { path: self.path.clone(), source })?;
        let head = format!("{:016x}", rowkey::hash::fnv1a(&bytes));
        Ok(if byte >= HEAD { self.whole_head.get_or_init(|| head).clone() } else { head })
    }

    fn save(&self, checkpoint: &mut Checkpoint) -> Result<(), LoadError> {
        checkpoint.head = self.head(checkpoint.position.byte)?;
        checkpoint.save(&self.path)
    }

    fn forget(&self) -> Result<(), LoadError> {
        Checkpoint::remove(&self.path)
    }
}
