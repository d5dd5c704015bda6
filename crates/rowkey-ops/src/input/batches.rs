//! How are records read by all cores, and still handed on in their order?
//!
//! ```text
//!  reader ──blocks──► workers ──what they made──► the caller's thread, in the order of the data
//!    ▲                                                  │
//!    └───────────────── permits ◄───────────────────────┘
//! ```
//!
//! The reader cuts text between records ([`super::cut`]); a worker reads a block into columns and makes something of them
//! ([`BatchWork`]). There are as many permits as blocks may be under way, so memory stays flat however slow one of them is.
//!
//! A block with anything unusual in it is gone through again record by record in the caller's thread, which finds the
//! line and has the words; so does a format that cannot be cut.
//!
//! Not here: the numbers of records, which nobody knows before the blocks ahead are read. A key with random parts, which
//! are drawn by number, is encoded record by record ([`Records`]).
//!
//! **Law** (`tests/batches.rs`): the caller sees what record by record would have shown it, in the same order, up to the
//! same error.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use rowkey::{FieldId, Value};
use rowkey::batch::{Column, ColumnBuffer};
use rowkey::key::{EncodeError, Fields};

use super::csv::fill;
use super::cut::{Block, Cutter};
use super::fields::{FieldColumn, Wanted};
use super::{Format, InputError, LineProblem, Position, Records, Source};

/// What a thread makes of batches of records.
pub trait BatchWork: Send {
    /// What it makes of a batch.
    type Made: Send;

    /// Hears where the next batch begins: the same place for the same data, however many threads there are. How many
    /// records are before it is not known there.
    fn begin(&mut self, _at: Position) {}

    /// Makes something of records, one column for each field; `None` if they are to be gone through one by one.
    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Self::Made>;
}

/// Why reading ended before the data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Data that is no record.
    #[error(transparent)]
    Input(#[from] InputError),
    /// What was made could not be handed on.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// What the caller does with what was made, in the order of the data.
pub trait BatchSink<M> {
    /// Takes what was made of a batch; the position is the one behind it.
    ///
    /// # Errors
    /// Ends the reading.
    fn made(&mut self, made: M, after: Position) -> io::Result<()>;

    /// Takes a single record.
    ///
    /// # Errors
    /// When it has no key; then it is refused.
    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError>;

    /// Hears where the data goes on behind a single record that it took.
    ///
    /// # Errors
    /// Ends the reading.
    fn passed(&mut self, _after: Position) -> io::Result<()> {
        Ok(())
    }

    /// Hears of a record that is none, or that it refused, and where the data goes on behind it.
    ///
    /// # Errors
    /// Ends the reading, which is what it does if nobody says otherwise.
    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        Err(record.error.into())
    }
}

/// Something that is no record.
#[derive(Debug)]
pub struct Refused {
    /// Where it is and what is wrong with it.
    pub error: InputError,
    /// As it stands in the data, where that is text.
    pub text: Option<String>,
    /// The position behind it.
    pub after: Position,
}

/// Records to be read by all cores.
pub struct Batches {
    records: Records,
    /// `None` if the format cannot be cut.
    cut: Option<Cut>,
    fields: Fields,
    wanted: Wanted,
    label: String,
}

struct Cut {
    cutter: Cutter,
    format: Format,
    header: Vec<u8>,
}

impl Batches {
    /// Begins to read; `label` names the data in messages.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub fn open(source: Source, format: Format, fields: &Fields, label: &str) -> Result<Self, InputError> {
        Self::open_wanted(source, format, fields, Wanted::ALL, label)
    }

    /// As [`Batches::open`], but of each record only some fields are read, which is quicker. The others are null: their
    /// columns are empty, and whether the data fits them is not looked at.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub fn open_only(
        source: Source,
        format: Format,
        fields: &Fields,
        only: &[FieldId],
        label: &str,
    ) -> Result<Self, InputError> {
        Self::open_wanted(source, format, fields, Wanted::only(only), label)
    }

    fn open_wanted(
        source: Source,
        format: Format,
        fields: &Fields,
        wanted: Wanted,
        label: &str,
    ) -> Result<Self, InputError> {
        let (records, cut) = match format {
            Format::Csv | Format::JsonLines => {
                let mut cutter = Cutter::new(source, format);
                let header = if format == Format::Csv { cutter.first() } else { Ok(Vec::new()) };
                let header = header.map_err(|error| unreadable(&error, label, 1))?;
                let records = Records::open_wanted(text(header.clone()), format, (fields, &wanted), label)?;
                (records, Some(Cut { cutter, format, header }))
            }
            Format::Parquet => {
                (Records::open_wanted(source, format, (fields, &wanted), label)?, None)
            }
        };
        Ok(Self { records, cut, fields: fields.clone(), wanted, label: label.to_owned() })
    }

    /// As [`Batches::open`], but every record is taken by itself ([`BatchSink::record`]).
    ///
    /// # Errors
    /// As [`Records::open`].
    pub fn one_by_one(
        source: Source,
        format: Format,
        fields: &Fields,
        label: &str,
    ) -> Result<Self, InputError> {
        let records = Records::open(source, format, fields, label)?;
        let (fields, wanted) = (fields.clone(), Wanted::ALL);
        Ok(Self { records, cut: None, fields, wanted, label: label.to_owned() })
    }

    /// Goes on at `at`, with a source that begins there; Parquet goes on in the file that it has.
    pub fn resume(&mut self, source: Source, at: Position) {
        match &mut self.cut {
            Some(cut) => cut.cutter = Cutter::at(source, cut.format, at),
            None => self.records.resume(source, at),
        }
    }

    /// Reads everything: `work` makes a worker for each of `threads` threads.
    ///
    /// # Errors
    /// At the first record that is none or that `sink` refuses; everything before it was handed on.
    pub fn run<W: BatchWork>(
        mut self,
        threads: usize,
        work: impl Fn() -> W + Sync,
        sink: &mut dyn BatchSink<W::Made>,
    ) -> Result<(), BatchError> {
        let Some(Cut { cutter, format, header }) = self.cut.take() else {
            return one_by_one(&mut self.records, sink);
        };
        let threads = threads.max(1);
        let under_way = 2 * threads + 2;
        let (fields, wanted, label) = (&self.fields, &self.wanted, self.label.as_str());
        let records = &mut self.records;
        let reader = || Records::open_wanted(text(header.clone()), format, (fields, wanted), label);
        thread::scope(|scope| {
            let (give_permit, permits) = sync_channel(under_way);
            let (give_block, blocks) = sync_channel(under_way);
            let (give_made, made) = channel();
            for _ in 0..under_way {
                // There is room for all of them.
                let _ = give_permit.send(());
            }
            scope.spawn(move || read_blocks(cutter, &permits, &give_block));
            let blocks = std::sync::Arc::new(Mutex::new(blocks));
            for _ in 0..threads {
                let (blocks, give_made) = (blocks.clone(), give_made.clone());
                let mut worker = Worker { records: reader()?, work: work(), columns: columns(fields) };
                scope.spawn(move || {
                    while let Some((number, block)) = next_block(&blocks) {
                        let outcome = block.map(|block| worker.make(block));
                        if give_made.send((number, outcome)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop((give_made, blocks));
            hand_on(records, &made, &give_permit, label, sink)
        })
    }
}

type Outcome<M> = io::Result<Result<(M, Position), Block>>;

/// Sends blocks with their numbers until the data or the interest ends.
fn read_blocks(mut cutter: Cutter, permits: &Receiver<()>, blocks: &SyncSender<(usize, io::Result<Block>)>) {
    for number in 0.. {
        if permits.recv().is_err() {
            return;
        }
        let block = match cutter.next() {
            Ok(None) => return,
            Ok(Some(block)) => Ok(block),
            Err(error) => Err(error),
        };
        let failed = block.is_err();
        if blocks.send((number, block)).is_err() || failed {
            return;
        }
    }
}

fn next_block(blocks: &Mutex<Receiver<(usize, io::Result<Block>)>>) -> Option<(usize, io::Result<Block>)> {
    // A worker that panics does not hold the lock; if it did, the others would stop too.
    blocks.lock().ok()?.recv().ok()
}

/// Hands what was made to the sink, in the order of the blocks.
fn hand_on<M>(
    records: &mut Records,
    made: &Receiver<(usize, Outcome<M>)>,
    permits: &SyncSender<()>,
    label: &str,
    sink: &mut dyn BatchSink<M>,
) -> Result<(), BatchError> {
    let mut early = BTreeMap::new();
    let mut line = 1;
    for next in 0.. {
        let outcome = loop {
            if let Some(outcome) = early.remove(&next) {
                break outcome;
            }
            match made.recv() {
                Ok((number, outcome)) => early.insert(number, outcome),
                Err(_) => return Ok(()),
            };
        };
        match outcome {
            Ok(Ok((made, after))) => {
                line = after.line;
                sink.made(made, after)?;
            }
            Ok(Err(block)) => {
                records.resume(text(block.bytes), block.at);
                one_by_one(records, sink)?;
            }
            Err(error) => return Err(unreadable(&error, label, line).into()),
        }
        // The reader may be done, and take no more.
        let _ = permits.try_send(());
    }
    Ok(())
}

fn one_by_one<M>(records: &mut Records, sink: &mut dyn BatchSink<M>) -> Result<(), BatchError> {
    loop {
        match records.next(|_, values| sink.record(values)) {
            Ok(true) => sink.passed(records.position())?,
            Ok(false) => return Ok(()),
            Err(error) if error.is_of_one_record() => {
                records.skip();
                sink.refused(Refused { error, text: records.refused_text(), after: records.position() })?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

struct Worker<W> {
    records: Records,
    work: W,
    columns: Vec<ColumnBuffer>,
}

impl<W: BatchWork> Worker<W> {
    /// What the worker makes of a block, with the position behind it; or the block again.
    fn make(&mut self, block: Block) -> Result<(W::Made, Position), Block> {
        self.columns.iter_mut().for_each(ColumnBuffer::clear);
        let read = match self.records.csv_cells() {
            Some(cells) => fill(cells, &block.bytes, &mut self.columns),
            None => self.fill_by_record(&block),
        };
        let columns: Vec<Column<'_>> = self.columns.iter().map(ColumnBuffer::column).collect();
        self.work.begin(block.at);
        let Some(made) = read.and_then(|()| self.work.batch(&columns)) else { return Err(block) };
        let lines = memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        let byte = block.at.byte + block.bytes.len() as u64;
        Ok((made, Position { byte, line: block.at.line + lines, rows: 0 }))
    }

    fn fill_by_record(&mut self, block: &Block) -> Option<()> {
        self.records.resume(text(block.bytes.clone()), block.at);
        let columns = &mut self.columns;
        let mut fits = true;
        let mut push = |values: &[Value<'_>]| {
            fits &= columns.iter_mut().zip(values).all(|(column, value)| column.push(value).is_ok());
            Ok(())
        };
        while self.records.next(|_, values| push(values)).ok()? {}
        fits.then_some(())
    }
}

impl Records {
    fn csv_cells(&self) -> Option<&[FieldColumn]> {
        match &self.reader {
            super::Reader::Csv(csv) => Some(csv.cells()),
            _ => None,
        }
    }
}

fn columns(fields: &Fields) -> Vec<ColumnBuffer> {
    fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect()
}

fn text(bytes: Vec<u8>) -> Source {
    Source::stream(io::Cursor::new(bytes))
}

fn unreadable(error: &io::Error, label: &str, line: u64) -> InputError {
    let problems = vec![LineProblem::Unreadable { message: error.to_string() }];
    InputError::Line { data: label.to_owned(), line, problems }
}
