//! Loads a file into a table, even if the load is killed on the way.
//!
//! All cores read and encode ([`crate::input`]), one thread writes, in the order of the data: of two records with one key
//! the last one wins, however they are read. There are two ways to write:
//!
//! - **Puts**: a batch is in the store, durably, before the checkpoint in the store and beside the data file says so
//!   ([`Checkpoint`]). A load that finds a checkpoint of the same data and of the table's present contents goes on from there.
//! - **In bulk**, where the store has a quicker way into the table ([`RowStore::bulk_load`](rowkey_store::RowStore::bulk_load)) and the file is large enough
//!   to be worth it: rows are sorted first ([`crate::external_sort`]), then all appear at once. A load that is killed has
//!   written nothing and begins anew, which costs less than going on with puts would.
//!
//! A null takes away the value that its row has, a field that a record does not mention leaves it alone (`nulls`).
//!
//! A bad record stops the load: the ones before it are loaded and the checkpoint stays, either way. With a file for bad
//! records they go there instead.
//!
//! **Law** (`tests/loads.rs`, and `kill -9` in the program's tests): whenever a load ends early, loading again ends with
//! every record in the table once, and every bad one in the file once. The key is a function of the record and its number,
//! and a load that goes on gives its cells the same timestamps, so a batch that is written twice is the same cells.

mod checkpoint;
mod chunks;
mod data_file;
mod earlier;
mod encode;
mod error;
mod files;
pub(crate) mod nulls;
mod probes;
mod skip_file;
mod sorted;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rowkey_core::Table;
use rowkey_core::range::KeyRange;
use rowkey_store::{Filter, Get, Replacement, RowBatch, Scan, Scanner, Store, TableName};

pub use checkpoint::Checkpoint;
pub use earlier::BegunAnew;
pub use error::LoadError;

use crate::cancel::Cancel;
use crate::contents::Contents;
use crate::create::OpenTable;
use crate::index::{self, FirstLoad, IndexError, IndexedWriter};
use crate::input::{Batches, Input, InputOptions, Position};
use crate::processors::processors;
use crate::record::RowWriter;
use crate::row_sort::RowSort;
use chunks::{Chunk, Chunker, is_bad_record};
use data_file::DataFile;
use earlier::Earlier;
use encode::RowEncoder;
use nulls::NullsWriter;
use skip_file::SkipFile;

/// Smaller files are put by the steps of `docs/index-tables.md`: altering the index tables would take longer.
const FIRST_LOAD_FROM_BYTES: u64 = 512 << 10;

/// Where the data comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// A file, whose load can be resumed.
    File(PathBuf),
    /// Several, one after the other, whose load can be resumed, too.
    Files(Vec<PathBuf>),
    /// Standard input, whose load cannot.
    StandardInput,
}

impl Data {
    fn label(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Files(paths) => format!("{} files", paths.len()),
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
    /// What is said about how the data is written; the rest is guessed.
    pub asked: InputOptions,
    /// Hears what was guessed and is not the usual.
    pub said: Option<fn(&str)>,
    /// Where bad records go; without it the first one ends the load.
    pub skip_bad: Option<PathBuf>,
    /// Files that the caller has read, such as the table file: no bad record goes there.
    pub inputs: Vec<PathBuf>,
    /// What random parts are drawn from; `None` draws otherwise in every load. A load that goes on keeps to its own.
    pub seed: Option<u64>,
    /// Ends the load behind a batch that is in the table; in bulk before anything is.
    pub cancel: Cancel,
    /// Files of so many bytes or more are loaded in bulk where that can be. Below, making the table's files anew would
    /// take longer than putting the rows.
    pub bulk_from_bytes: u64,
    /// What sorting for a bulk load may keep in memory.
    pub sort_memory: usize,
    /// Where sorting for a bulk load puts what does not fit.
    pub sort_folder: PathBuf,
}

impl LoadOptions {
    /// Reads the data as it looks, goes on with an interrupted load and stops at the first bad record.
    pub fn new(store_name: impl Into<String>) -> Self {
        Self {
            store_name: store_name.into(),
            restart: false,
            asked: InputOptions::default(),
            said: None,
            skip_bad: None,
            inputs: Vec::new(),
            seed: None,
            cancel: Cancel::new(),
            bulk_from_bytes: 4 << 20,
            sort_memory: 256 << 20,
            sort_folder: std::env::temp_dir(),
        }
    }
}

/// How far a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadProgress {
    /// What is durably in the table; in bulk, what was read.
    pub position: Position,
    /// The size of the data, if it is a file.
    pub total_bytes: Option<u64>,
    /// Whether an earlier load came this far, so that the position says nothing about how quick this one is.
    pub resumed: bool,
}

/// What a load did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadReport {
    /// Records in the table from this data, those of the load that was resumed included.
    pub rows: u64,
    /// How many of them took the place of a row with the same key, one that was there before or one of an earlier record;
    /// `None` where that is not counted, because every row would have to be looked up in the store.
    pub replaced: Option<u64>,
    /// How many of them had the key of an earlier record of the data; `None` where that is not counted, as by puts.
    pub repeated: Option<u64>,
    /// Bad records that were left out, those of the load that was resumed included.
    pub skipped: u64,
    /// Where it went on, if it was resumed.
    pub resumed_at: Option<Position>,
    /// Why it did not go on where an earlier one had stopped, if there was one.
    pub begun_anew: Option<BegunAnew>,
    /// Whether the rows were sorted and written in bulk.
    pub in_bulk: bool,
}

/// Loads records into a table. `progress` is called once at the start and after each batch.
///
/// # Errors
/// When the data or the store cannot be read or written, or a record is bad and there is no file for it.
pub fn run(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    data: &Data,
    options: &LoadOptions,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<LoadReport, LoadError> {
    match data {
        Data::Files(paths) => files::run(store, table, open, paths, options, progress),
        _ => Ok(run_one(store, table, open, data, (options, None), progress)?.report),
    }
}

/// What a load of one file came to.
struct Loaded {
    report: LoadReport,
    /// The length of the file for bad records.
    skip_length: u64,
    /// The time of its last cells.
    cell_time: i64,
}

/// One of several files: its checkpoint stays when it is complete.
struct Among {
    /// So many bytes of the file for bad records are of files before.
    skip_begins: u64,
}

fn run_one(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    data: &Data,
    (options, among): (&LoadOptions, Option<&Among>),
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<Loaded, LoadError> {
    let mut checkpoint = Checkpoint::new(
        (open.name.to_string(), open.id.clone()),
        options.store_name.clone(),
        (store.write_time().unwrap_or_else(now), options.seed.unwrap_or_else(|| now().unsigned_abs())),
        Contents::present(store, &open.name, "load")?,
    );
    let mut begun_anew = None;
    let mut file = match data {
        Data::File(path) => Some(DataFile::open(path, &options.asked)?),
        Data::StandardInput | Data::Files(_) => None,
    };
    if let Some(file) = &mut file {
        checkpoint.reading = file.reading();
        match Earlier::find(store, &open.name, file, &checkpoint, options.restart)? {
            Earlier::Nothing => {}
            Earlier::Checkpoint(found) => {
                checkpoint = *found;
                checkpoint.cell_time = nulls::later(table, checkpoint.cell_time);
            }
            Earlier::Seed { seed, reason } => {
                checkpoint.seed = options.seed.or(seed).unwrap_or(checkpoint.seed);
                begun_anew = reason;
            }
        }
    }
    // A load that was killed before its first batch goes on at its beginning.
    let resumed_at = checkpoint.has_begun().then_some(checkpoint.position);
    let batches = open_batches(table, data, file.as_ref(), options, resumed_at)?;
    let skip_file = match &options.skip_bad {
        Some(path) => {
            let read = options.inputs.iter().map(PathBuf::as_path);
            let inputs: Vec<&Path> = read.chain(file.as_ref().map(DataFile::path)).collect();
            Some(SkipFile::open(
                path,
                &inputs,
                &mut checkpoint,
                (options.restart, among.map_or(0, |among| among.skip_begins)),
            )?)
        }
        None => None,
    };
    let total_bytes = file.as_ref().map(|file| file.length);
    let is_large = resumed_at.is_none() && total_bytes.is_some_and(|bytes| bytes >= options.bulk_from_bytes);
    let together = match total_bytes.filter(|_| is_large && !open.indexes.is_empty()) {
        Some(bytes) => Together::begin(store, open, bytes)?,
        None => None,
    };
    let in_bulk = together.is_some()
        || is_large
            && open.indexes.is_empty()
            && store.bulk_load_pays(&open.name)?
            && !nulls::needs_a_look(store, &open.name, table)?;
    let (seed, cell_time, from) = (checkpoint.seed, checkpoint.cell_time, checkpoint.position);
    let skip_bad = skip_file.is_some();
    let is_small = total_bytes.is_some_and(|bytes| bytes < options.bulk_from_bytes);
    let looks_up = is_small && store.gets_are_quick();
    let mut load = Load {
        store,
        table,
        open,
        options,
        file,
        checkpoint,
        skip_file,
        total_bytes,
        looks_up,
        together,
        repeated: None,
        progress,
    };
    // What was put before a kill, and is put again now, would replace itself.
    if resumed_at.is_some() && !load.checkpoint.stopped {
        load.checkpoint.replaced = None;
    }
    // Loading again, after whatever happens from here on, writes the same cells.
    load.keep_checkpoint()?;
    (load.progress)(LoadProgress { position: from, total_bytes, resumed: resumed_at.is_some() });
    let loaded = std::thread::scope(|scope| {
        // One chunk waits while one is written; the workers have theirs besides.
        let (out, chunks) = sync_channel(1);
        let read = move || {
            let writer = RowWriter::new(table).seed(seed).cell_time(cell_time).deleting_nulls();
            let mut chunker = Chunker::new(writer, from, skip_bad, out);
            let threads = processors();
            let read = batches.run(threads, || RowEncoder::new(table, cell_time), &mut chunker);
            chunker.finish(read);
        };
        let reader = std::thread::Builder::new().name("rowkey-read".to_owned());
        reader.spawn_scoped(scope, read).map_err(|source| LoadError::Thread { source })?;
        if in_bulk { load.in_bulk(chunks) } else { load.by_puts(chunks) }
    });
    // A load in bulk that was interrupted has left nothing that could be gone on with.
    let nothing_done = in_bulk && matches!(loaded, Err(LoadError::Interrupted { .. }));
    if loaded.is_ok() && among.is_some() {
        load.checkpoint.stopped = true;
        load.keep_checkpoint()?;
    } else if loaded.is_ok() || (nothing_done && load.skip_file.is_none()) {
        load.forget_checkpoint()?;
    }
    loaded?;
    let repeated = load.repeated;
    let Checkpoint { position, skipped, replaced, cell_time, skip_file, .. } = load.checkpoint;
    let rows = position.rows;
    let report = LoadReport { rows, replaced, repeated, skipped, resumed_at, begun_anew, in_bulk };
    Ok(Loaded { report, skip_length: skip_file.map_or(0, |(_, length)| length), cell_time })
}

/// The records of the data, from the place where it goes on.
fn open_batches(
    table: &Table,
    data: &Data,
    file: Option<&DataFile>,
    options: &LoadOptions,
    resumed_at: Option<Position>,
) -> Result<Batches, LoadError> {
    let max_record = options.asked.max_record;
    let (source, format) = match file {
        Some(file) => (file.reader_from(0)?, file.look.format),
        None => {
            let input = Input::open(&[PathBuf::from("-")], &options.asked)?;
            if let (Some(tell), Some(said)) = (options.said, input.said()) {
                tell(said);
            }
            (input.source()?, input.format)
        }
    };
    let fields = table.key.fields();
    // Random parts are drawn by a record's number, which a worker does not know.
    let is_random = table.key.value_steps().any(|step| step.is_random());
    let begin = if is_random { Batches::one_by_one } else { Batches::open };
    let mut batches = begin(source.max_record(max_record), format, fields, &data.label())?;
    if let (Some(at), Some(file)) = (resumed_at, file) {
        batches.resume(file.reader_from(at.byte)?.max_record(max_record), at);
    }
    Ok(batches)
}

/// A load under way, as the thread that writes sees it.
struct Load<'a> {
    store: &'a dyn Store,
    table: &'a Table,
    open: &'a OpenTable,
    options: &'a LoadOptions,
    file: Option<DataFile>,
    checkpoint: Checkpoint,
    skip_file: Option<SkipFile>,
    total_bytes: Option<u64>,
    /// Whether rows are looked up before they are put, to count those that are replaced.
    looks_up: bool,
    /// For a bulk load of a table with index tables.
    together: Option<Together<'a>>,
    /// Records in bulk whose key an earlier one had.
    repeated: Option<u64>,
    progress: &'a mut dyn FnMut(LoadProgress),
}

impl<'a> Load<'a> {
    fn by_puts(&mut self, chunks: Receiver<Chunk>) -> Result<(), LoadError> {
        let indexed = IndexedWriter::new(self.store, self.table, self.open);
        let begun = self.checkpoint.cell_time;
        let plain = NullsWriter::new(self.store, &self.open.name, self.table, begun);
        let first = self.first_load()?;
        for mut chunk in chunks {
            let replaced = if chunk.rows.is_empty() {
                Some(0)
            } else if self.open.indexes.is_empty() || first.is_some() {
                let looks_up = self.looks_up && first.is_none();
                let replaced = if looks_up { Some(self.replaced_by(&chunk)?) } else { None };
                let put = |rows: &RowBatch| match &first {
                    Some(first) => Ok(first.put(rows)?),
                    None => Ok(self.store.put_batch(&self.open.name, rows)?),
                };
                self.checkpoint.cell_time = plain.put(&mut chunk.rows, self.checkpoint.cell_time, put)?;
                replaced
            } else {
                Some(indexed.put(&chunk.rows)?.replaced)
            };
            let before = self.checkpoint.replaced;
            self.checkpoint.replaced = before.zip(replaced).map(|(before, now)| before + now);
            self.went_on(&chunk)?;
            let cancelled = self.options.cancel.is_cancelled();
            self.checkpoint.stopped = cancelled || chunk.error.is_some();
            self.keep_checkpoint()?;
            match chunk.error {
                Some(error) => return Err(error),
                None if cancelled => {
                    return Err(LoadError::Interrupted { rows: self.checkpoint.position.rows });
                }
                None => {}
            }
        }
        self.let_time_pass(begun);
        first.map_or(Ok(()), |first| first.finish())?;
        Ok(())
    }

    /// A large load into an empty table, or one that goes on, writes entries while no read takes the index tables.
    fn first_load(&self) -> Result<Option<FirstLoad<'a>>, LoadError> {
        let from = self.options.bulk_from_bytes.min(FIRST_LOAD_FROM_BYTES);
        let is_large = self.total_bytes.is_none_or(|bytes| bytes >= from);
        // As it is now: a load that was interrupted may have left them out of use since the table was opened.
        let mut none_ready = true;
        for index in &self.open.indexes {
            none_ready &= !index::tables::is_ready(&self.store.describe(&index.name)?);
        }
        // Where tables change in one moment, that is quick enough, and reads go on.
        if self.open.indexes.is_empty()
            || !is_large
            || self.store.gets_are_quick()
            || !(none_ready || is_empty(self.store, &self.open.name)?)
        {
            return Ok(None);
        }
        Ok(Some(FirstLoad::begin(self.store, self.table, self.open)?))
    }

    /// What is written after the load must be later than it. Chunks behind nulls have moved its time forward, a millisecond each.
    fn let_time_pass(&self, begun: i64) {
        let ended = self.checkpoint.cell_time;
        if ended == begun {
            return;
        }
        if self.store.write_time().is_some() {
            return self.store.advance_write_time(ended);
        }
        // The server gives the time: that of this machine, if their clocks agree.
        let moved = u64::try_from(ended.saturating_sub(begun)).unwrap_or_default();
        let left = ended.saturating_sub(now()).clamp(0, i64::try_from(moved).unwrap_or(i64::MAX));
        std::thread::sleep(Duration::from_millis(left.unsigned_abs()));
    }

    /// How many rows of a chunk take the place of a row of the table, or of an earlier one of the chunk.
    fn replaced_by(&self, chunk: &Chunk) -> Result<u64, LoadError> {
        let mut keys: Vec<&[u8]> = chunk.rows.rows().map(|row| row.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        let get = |key: &&[u8]| Get { filter: Some(Filter::FirstKeyOnly), ..Get::new(*key) };
        let gets: Vec<Get> = keys.iter().map(get).collect();
        let there = self.store.get_many(&self.open.name, &gets, &mut RowBatch::new())?;
        let there = there.into_iter().filter(|there| *there).count();
        Ok((chunk.rows.len() - keys.len() + there) as u64)
    }

    fn in_bulk(&mut self, chunks: Receiver<Chunk>) -> Result<(), LoadError> {
        let load_time = self.checkpoint.cell_time;
        let together = self.together.take();
        let LoadOptions { sort_memory, sort_folder, cancel, .. } = self.options;
        // Half of it is for the entries of index tables.
        let memory = if together.is_some() { sort_memory / 2 } else { *sort_memory };
        let mut sort = RowSort::new(memory, sort_folder);
        let mut stopped = None;
        for chunk in chunks {
            if cancel.is_cancelled() {
                return Err(LoadError::Interrupted { rows: 0 });
            }
            chunk.rows.rows().try_for_each(|row| sort.push(row))?;
            self.went_on(&chunk)?;
            if let Some(error) = chunk.error {
                if !is_bad_record(&error) {
                    return Err(error);
                }
                // What came before it is loaded, as by puts.
                stopped = Some(error);
            }
        }
        let sorted = sort.finish()?;
        if let Some(Together { replacement, old }) = together {
            let limits = (memory, sort_folder.as_path(), cancel);
            let loaded = index::load_bulk(replacement, (self.table, self.open), sorted, old, limits);
            let loaded = loaded.map_err(|error| match error {
                IndexError::Interrupted { .. } => LoadError::Interrupted { rows: 0 },
                other => other.into(),
            })?;
            // Every row has its entry now, also those that an index build had not reached.
            for index in self.open.indexes.iter().filter(|index| !index.ready) {
                index::tables::set_ready(self.store, &index.name)?;
            }
            self.repeated = Some(loaded.repeated);
            self.checkpoint.replaced = Some(loaded.repeated + loaded.replaced);
        } else {
            let was_empty = is_empty(self.store, &self.open.name)?;
            let repeated =
                sorted::load_into(sorted, load_time, self.store, &self.open.name, self.table, cancel)?;
            self.repeated = Some(repeated);
            self.checkpoint.replaced = was_empty.then_some(repeated);
        }
        match stopped {
            None => Ok(()),
            Some(error) => {
                self.checkpoint.stopped = true;
                self.keep_checkpoint()?;
                Err(error)
            }
        }
    }

    fn went_on(&mut self, chunk: &Chunk) -> Result<(), LoadError> {
        if let Some(skip_file) = &mut self.skip_file {
            skip_file.write(&chunk.refused, &mut self.checkpoint)?;
        }
        self.checkpoint.position = chunk.after;
        self.checkpoint.probes.add(chunk);
        let (position, total_bytes) = (chunk.after, self.total_bytes);
        (self.progress)(LoadProgress { position, total_bytes, resumed: false });
        Ok(())
    }

    /// Removes the checkpoint, first from beside the data: the store's alone is never looked for.
    fn forget_checkpoint(&self) -> Result<(), LoadError> {
        if let Some(file) = &self.file {
            Checkpoint::remove(file.path())?;
            self.checkpoint.contents.forget(self.store, &self.open.name)?;
        }
        Ok(())
    }

    /// Says in the store, and then beside the data, what is in the table.
    fn keep_checkpoint(&mut self) -> Result<(), LoadError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.describe(&mut self.checkpoint)?;
        let json = self.checkpoint.to_json();
        self.checkpoint.contents.note(self.store, &self.open.name, &json)?;
        Checkpoint::save(file.path(), &json)
    }
}

/// New contents of a table and its index tables, which all appear at once.
struct Together<'a> {
    replacement: Box<dyn Replacement + 'a>,
    /// The rows that the table has.
    old: Option<Box<dyn Scanner>>,
}

impl<'a> Together<'a> {
    /// A table this many times as large as the data is not written anew.
    const MUCH_LARGER: u64 = 8;

    /// `None` where the store cannot do it, or putting the rows costs less.
    fn begin(store: &'a dyn Store, open: &OpenTable, data_bytes: u64) -> Result<Option<Self>, LoadError> {
        let keeps_versions = store.describe(&open.name)?.families.iter().any(|family| family.versions > 1);
        let is_empty = is_empty(store, &open.name)?;
        let held: u64 = store.regions(&open.name)?.iter().filter_map(|region| region.size).sum();
        if !is_empty && (keeps_versions || held > data_bytes.saturating_mul(Self::MUCH_LARGER)) {
            return Ok(None);
        }
        let indexes = open.indexes.iter().map(|index| &index.name);
        let tables: Vec<TableName> = std::iter::once(&open.name).chain(indexes).cloned().collect();
        let Some(replacement) = store.replace_contents(&tables, &[])? else { return Ok(None) };
        let rows = || store.scan(&open.name, &Scan::new(KeyRange::all()));
        Ok(Some(Self { replacement, old: if is_empty { None } else { Some(rows()?) } }))
    }
}

/// Whether a table has no row.
fn is_empty(store: &dyn Store, table: &TableName) -> Result<bool, LoadError> {
    let scan = Scan { filter: Some(Filter::FirstKeyOnly), limit: Some(1), ..Scan::new(KeyRange::all()) };
    Ok(!store.scan(table, &scan)?.next_batch(&mut RowBatch::new())?)
}

/// Milliseconds since 1970: the timestamp of a load's cells, so that a resumed load writes the same ([`nulls`]).
fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX - 1)
}
