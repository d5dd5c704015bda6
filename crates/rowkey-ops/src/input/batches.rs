//! Reads records on all cores, and hands them on in their order.
//!
//! ```text
//!  reader ──blocks──► workers ──what they made──► the caller's thread, in the order of the data
//!    ▲                                                  │
//!    └───────────────── permits ◄───────────────────────┘
//! ```
//!
//! The reader cuts text between records ([`super::cut`]), and Parquet between rows ([`super::parquet`]); a worker reads a
//! block into columns and makes something of them ([`BatchWork`]). There are as many permits as blocks may be under way, so
//! memory stays flat however slow one of them is.
//!
//! A block with anything unusual in it is gone through again record by record in the caller's thread, which finds the
//! line or row and has the words.
//!
//! Not here: the numbers of records, which are unknown until the blocks before are read. A key with random parts, which
//! are drawn by number, is encoded record by record ([`Records`]).
//!
//! **Law** (`tests/batches.rs`): the caller sees what record by record would have shown it, in the same order, up to the
//! same error.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::{EncodeError, Fields};
use rowkey_core::{FieldId, Value};

use super::cut::{Block, Cutter, bad_record};
use super::fields::Wanted;
use super::files::DataPart;
#[cfg(feature = "parquet")]
use super::parquet;
use super::{Dialect, Format, InputError, LeftOut, Position, Records, Source};

/// What a thread makes of batches of records.
pub trait BatchWork: Send {
    /// What it makes of a batch.
    type Made: Send;

    /// Hears where the next batch begins: the same place for the same data, however many threads there are. How many
    /// records are before it is not known there.
    fn begin(&mut self, _at: Position) {}

    /// Hears which fields the records of the next batch do not mention; they are null in its columns.
    fn leaves_out(&mut self, _left_out: &LeftOut) {}

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

    /// Takes a single record with the fields that it does not mention, which are null among its values.
    ///
    /// # Errors
    /// As [`BatchSink::record`], which is the same without the fields left out.
    fn record_leaving(&mut self, values: &[Value<'_>], _left_out: &[FieldId]) -> Result<(), EncodeError> {
        self.record(values)
    }

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
    /// Ends the reading: the default.
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
    /// `None` if every record is taken by itself.
    cut: Option<Cut>,
    fields: Fields,
    wanted: Wanted,
    label: String,
    dialect: Arc<Dialect>,
    max_record: usize,
    /// Files that follow.
    then: VecDeque<DataPart>,
}

enum Cut {
    Text {
        cutter: Box<Cutter>,
        format: Format,
        header: Vec<u8>,
    },
    #[cfg(feature = "parquet")]
    Rows {
        steps: parquet::Steps,
        /// Rows that an earlier load took.
        skip: u64,
    },
}

/// What a worker makes something of.
enum WorkPiece {
    Text(Block),
    #[cfg(feature = "parquet")]
    Rows(parquet::RowStep),
}

impl Batches {
    /// Begins to read; `label` names the data in messages.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub fn open(source: Source, format: Format, fields: &Fields, label: &str) -> Result<Self, InputError> {
        Self::open_wanted(source, format, (fields, Wanted::ALL), label, true)
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
        Self::open_wanted(source, format, (fields, Wanted::only(only)), label, true)
    }

    fn open_wanted(
        source: Source,
        format: Format,
        (fields, wanted): (&Fields, Wanted),
        label: &str,
        is_cut: bool,
    ) -> Result<Self, InputError> {
        let mut source = source.as_lines(format);
        let (then, dialect, max_record) =
            (std::mem::take(&mut source.then), source.dialect.clone(), source.max_record);
        let (records, cut) = match format {
            Format::Csv | Format::JsonLines | Format::Json if is_cut => {
                let mut cutter = Cutter::new(source, format);
                let header = if format == Format::Csv { cutter.first() } else { Ok(Vec::new()) };
                let header = header.map_err(|error| unreadable(&error, label, 1))?;
                let first = text(header.clone(), &dialect);
                let records = Records::open_wanted(first, format, (fields, &wanted), label)?;
                (records, Some(Cut::Text { cutter: Box::new(cutter), format, header }))
            }
            _ => {
                let records = Records::open_wanted(source, format, (fields, &wanted), label)?;
                #[cfg(feature = "parquet")]
                let cut = records.reader.steps().filter(|_| is_cut).map(|steps| Cut::Rows { steps, skip: 0 });
                #[cfg(not(feature = "parquet"))]
                let cut = None;
                (records, cut)
            }
        };
        let (fields, label) = (fields.clone(), label.to_owned());
        Ok(Self { records, cut, fields, wanted, label, dialect, max_record, then })
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
        Self::open_wanted(source, format, (fields, Wanted::ALL), label, false)
    }

    /// Goes on at `at`, with a source that begins there; Parquet goes on in the file that it has.
    pub fn resume(&mut self, source: Source, at: Position) {
        match &mut self.cut {
            Some(Cut::Text { cutter, format, .. }) => **cutter = Cutter::at(source, *format, at),
            #[cfg(feature = "parquet")]
            Some(Cut::Rows { skip, .. }) => *skip = at.line.saturating_sub(1),
            None => self.records.resume(source, at),
        }
    }

    /// Reads everything: `work` makes a worker for each of `threads` threads, and for each file.
    ///
    /// # Errors
    /// At the first record that is none or that `sink` refuses; everything before it was handed on.
    pub fn run<W: BatchWork>(
        self,
        threads: usize,
        work: impl Fn() -> W + Sync,
        sink: &mut dyn BatchSink<W::Made>,
    ) -> Result<(), BatchError> {
        self.run_watched(threads, work, sink, &mut |_| {})
    }

    /// The same; `progress` hears how far it is.
    ///
    /// # Errors
    /// As [`Batches::run`].
    pub fn run_watched<W: BatchWork>(
        mut self,
        threads: usize,
        work: impl Fn() -> W + Sync,
        sink: &mut dyn BatchSink<W::Made>,
        progress: &mut dyn FnMut(Position),
    ) -> Result<(), BatchError> {
        let mut before = Position::default();
        loop {
            let is_cut = self.cut.is_some();
            let mut placed = Placed { sink, progress, before, end: before };
            self.run_file(threads, &work, &mut placed)?;
            before = placed.end;
            let Some(part) = self.then.pop_front() else { return Ok(()) };
            let source = part.source(&self.dialect, self.max_record)?;
            let (format, label) = (part.look.format, part.label);
            let fields = (&self.fields, self.wanted.clone());
            let mut next = Self::open_wanted(source, format, fields, &label, is_cut)?;
            next.then = std::mem::take(&mut self.then);
            self = next;
        }
    }

    fn run_file<W: BatchWork>(
        &mut self,
        threads: usize,
        work: &(impl Fn() -> W + Sync),
        sink: &mut Placed<'_, W::Made>,
    ) -> Result<(), BatchError> {
        let Some(cut) = self.cut.take() else {
            return one_by_one(&mut self.records, sink);
        };
        let before = sink.before;
        let threads = threads.max(1);
        let mut absent = self.records.reader.absent().to_vec();
        absent.retain(|field| self.wanted.has(*field));
        let (fields, wanted, label) = (&self.fields, &self.wanted, self.label.as_str());
        let (records, dialect) = (&mut self.records, &self.dialect);
        let mut readers = Vec::with_capacity(threads);
        let (parts, in_a_part): (Parts, usize) = match cut {
            Cut::Text { mut cutter, format, header } => {
                for _ in 0..threads {
                    let header = text(header.clone(), dialect);
                    let records = Records::open_wanted(header, format, (fields, wanted), label)?;
                    readers.push(PieceReader::Text(Box::new(records)));
                }
                (Box::new(move || Ok(cutter.next()?.map(|block| vec![WorkPiece::Text(block)]))), 1)
            }
            #[cfg(feature = "parquet")]
            Cut::Rows { steps, skip } => {
                readers.extend((0..threads).map(|_| PieceReader::Rows(steps.clone(), steps.reader())));
                let mut cutter = steps.cutter(skip);
                let next =
                    move || Ok(cutter.next().map(|part| part.into_iter().map(WorkPiece::Rows).collect()));
                (Box::new(next), parquet::STEPS_OF_A_PART)
            }
        };
        let under_way = (2 * threads + 2) * in_a_part;
        thread::scope(|scope| {
            let (give_permit, permits) = sync_channel(under_way);
            let (give_part, parts_to_read) = sync_channel(2 * threads + 2);
            let (give_made, made) = channel();
            for _ in 0..under_way {
                // There is room for all of them.
                let _ = give_permit.send(());
            }
            let reader = thread::Builder::new().name("rowkey-blocks".to_owned());
            let read = move || read_parts(parts, &permits, &give_part);
            reader.spawn_scoped(scope, read).map_err(|error| no_thread(&error, label))?;
            let parts_to_read = Arc::new(Mutex::new(parts_to_read));
            let (mut workers, mut failed) = (0, None);
            for reader in readers {
                let (parts, give_made) = (parts_to_read.clone(), give_made.clone());
                let (columns, left_out) = (columns(fields), LeftOut::default());
                let mut worker = Worker { reader, work: work(), columns, left_out, absent: &absent, before };
                let work = move || {
                    while let Some((first, part)) = next_part(&parts) {
                        let outcomes: Box<dyn Iterator<Item = Outcome<W::Made>>> = match part {
                            Ok(part) => Box::new(part.into_iter().map(|piece| Ok(worker.make(piece)))),
                            Err(error) => Box::new(std::iter::once(Err(error))),
                        };
                        for (number, outcome) in (first..).zip(outcomes) {
                            if give_made.send((number, outcome)).is_err() {
                                return;
                            }
                        }
                    }
                };
                match thread::Builder::new().name("rowkey-records".to_owned()).spawn_scoped(scope, work) {
                    Ok(_) => workers += 1,
                    // Fewer will do.
                    Err(error) => failed = Some(error),
                }
            }
            if let Some(error) = failed.filter(|_| workers == 0) {
                return Err(no_thread(&error, label).into());
            }
            drop((give_made, parts_to_read));
            hand_on(records, &made, &give_permit, (label, dialect), sink)
        })
    }
}

/// Hands on where things are in all files, those before this one included.
struct Placed<'s, M> {
    sink: &'s mut dyn BatchSink<M>,
    progress: &'s mut dyn FnMut(Position),
    /// The end of the file before.
    before: Position,
    /// How far it is.
    end: Position,
}

impl<M> Placed<'_, M> {
    fn place(&mut self, at: Position) -> Position {
        self.end = behind(self.before, at);
        (self.progress)(self.end);
        self.end
    }
}

/// A place of a file that begins behind another.
fn behind(before: Position, at: Position) -> Position {
    Position { byte: before.byte + at.byte, line: before.line + at.line, rows: before.rows + at.rows }
}

impl<M> BatchSink<M> for Placed<'_, M> {
    fn made(&mut self, made: M, after: Position) -> io::Result<()> {
        let after = self.place(after);
        self.sink.made(made, after)
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.sink.record(values)
    }

    fn record_leaving(&mut self, values: &[Value<'_>], left_out: &[FieldId]) -> Result<(), EncodeError> {
        self.sink.record_leaving(values, left_out)
    }

    fn passed(&mut self, after: Position) -> io::Result<()> {
        let after = self.place(after);
        self.sink.passed(after)
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        let after = self.place(record.after);
        self.sink.refused(Refused { after, ..record })
    }
}

fn no_thread(error: &io::Error, label: &str) -> InputError {
    InputError::Threads { data: label.to_owned(), message: error.to_string() }
}

/// Gives the next part of the data, as pieces; `None` at the end.
type Parts = Box<dyn FnMut() -> io::Result<Option<Vec<WorkPiece>>> + Send>;

type Outcome<M> = io::Result<Result<(M, Position), WorkPiece>>;

/// The number of a part's first piece, and the part.
type NumberedPieces = (usize, io::Result<Vec<WorkPiece>>);

/// Sends parts with the numbers of their pieces until the data or the interest ends.
fn read_parts(mut next: Parts, permits: &Receiver<()>, parts: &SyncSender<NumberedPieces>) {
    let mut number = 0;
    loop {
        let part = match next() {
            Ok(None) => return,
            Ok(Some(part)) => Ok(part),
            Err(error) => Err(error),
        };
        let pieces = part.as_ref().map_or(1, Vec::len);
        for _ in 0..pieces {
            if permits.recv().is_err() {
                return;
            }
        }
        let failed = part.is_err();
        if parts.send((number, part)).is_err() || failed {
            return;
        }
        number += pieces;
    }
}

fn next_part(parts: &Mutex<Receiver<NumberedPieces>>) -> Option<NumberedPieces> {
    // A worker that panics does not hold the lock; if it did, the others would stop too.
    parts.lock().ok()?.recv().ok()
}

/// Hands what was made to the sink, in the order of the blocks.
fn hand_on<M>(
    records: &mut Records,
    made: &Receiver<(usize, Outcome<M>)>,
    permits: &SyncSender<()>,
    (label, dialect): (&str, &Arc<Dialect>),
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
            Ok(Err(WorkPiece::Text(mut block))) => {
                records.resume(text(std::mem::take(&mut block.bytes), dialect), block.at);
                one_by_one(records, sink)?;
            }
            #[cfg(feature = "parquet")]
            Ok(Err(WorkPiece::Rows(step))) => {
                records.reader.resume_for(&step);
                records.after = records.reader.position();
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
        match records.next_with(|_, values, left_out| sink.record_leaving(values, left_out)) {
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

struct Worker<'a, W> {
    reader: PieceReader,
    work: W,
    columns: Vec<ColumnBuffer>,
    left_out: LeftOut,
    /// Fields without a column in the data that are read.
    absent: &'a [FieldId],
    /// The end of the file before.
    before: Position,
}

/// Reads pieces into columns.
enum PieceReader {
    Text(Box<Records>),
    #[cfg(feature = "parquet")]
    Rows(parquet::Steps, parquet::RowReader),
}

impl<W: BatchWork> Worker<'_, W> {
    /// Fields without a column are null in every record.
    fn add_absent(&mut self) -> Option<()> {
        if self.absent.is_empty() {
            return Some(());
        }
        self.left_out.add_columns(self.absent);
        let records = self.columns.iter().map(ColumnBuffer::len).max()?;
        for field in self.absent {
            let column = self.columns.get_mut(field.0)?;
            (0..records).try_for_each(|_| column.push(&Value::Null)).ok()?;
        }
        Some(())
    }

    /// What the worker makes of a piece, with the position behind it; or the piece again.
    fn make(&mut self, piece: WorkPiece) -> Result<(W::Made, Position), WorkPiece> {
        self.columns.iter_mut().for_each(ColumnBuffer::clear);
        self.left_out.clear();
        let filled = self.reader.fill(&piece, &mut self.columns, &mut self.left_out);
        let Some((at, after)) = filled else { return Err(piece) };
        if self.add_absent().is_none() {
            return Err(piece);
        }
        let columns: Vec<Column<'_>> = self.columns.iter().map(ColumnBuffer::column).collect();
        self.work.begin(behind(self.before, at));
        self.work.leaves_out(&self.left_out);
        let Some(made) = self.work.batch(&columns) else { return Err(piece) };
        Ok((made, after))
    }
}

impl PieceReader {
    /// Adds the records of a piece to columns, and tells where they begin and end; `None` if anything is unusual.
    fn fill(
        &mut self,
        piece: &WorkPiece,
        columns: &mut [ColumnBuffer],
        left_out: &mut LeftOut,
    ) -> Option<(Position, Position)> {
        match (self, piece) {
            (Self::Text(records), WorkPiece::Text(block)) => {
                records.reader.fill(&block.bytes, columns, left_out)?;
                Some((block.at, block.after))
            }
            #[cfg(feature = "parquet")]
            (Self::Rows(steps, reader), WorkPiece::Rows(step)) => {
                reader.fill(step, columns)?;
                Some((steps.position(step), steps.behind(step)))
            }
            #[cfg(feature = "parquet")]
            _ => None,
        }
    }
}

fn columns(fields: &Fields) -> Vec<ColumnBuffer> {
    fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect()
}

/// Text that a cutter let through, so that its records are not too long.
fn text(bytes: Vec<u8>, dialect: &Arc<Dialect>) -> Source {
    Source { is_lines: true, ..Source::stream(io::Cursor::new(bytes)) }
        .max_record(usize::MAX)
        .dialect(dialect.clone())
}

fn unreadable(error: &io::Error, label: &str, line: u64) -> InputError {
    let (line, problem) = bad_record(error, line);
    InputError::Line { data: label.to_owned(), line, problems: vec![problem] }
}
