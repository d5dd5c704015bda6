//! Reads the engine's journal before the engine does, and changes nothing.
//!
//! When the engine opens, it cuts its journal at the first byte that it cannot read, and it believes the number of every batch. Both
//! lose acknowledged writes without a word after damage. So this reader goes first; the format is that of fjall 3.1.13, which is pinned:
//!
//! ```text
//! batch    start item… end                        files 0.jnl, 1.jnl, … in order; zeros behind the last batch of a file
//! start    01  count u32  number u64              little-endian; not covered by the checksum
//! item     02  kind u8  compression u8  keyspace u64  key length u16  value length u32  stored length u32  key  stored value
//! clear    04  keyspace u64                       in the place of an item
//! end      03  checksum u64  "FJL" 03             xxh3 of all items
//! ```
//!
//! **The rules**: damage with a whole batch somewhere behind it is an error that names file and byte, and nothing is touched. Damage in
//! the last batch is a [`TornTail`]: a process that was killed leaves one. Numbers are checked by [`Numbers`].

#![expect(
    clippy::little_endian_bytes,
    reason = "the engine's own format, which is read here and never written"
)]

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::numbers::{self, Numbers, Rule};
use super::tables::Fields;
use super::{NamedFolder, READ_AT_ONCE, io};
use crate::EmbeddedError;
use crate::engine::SEQUENCE;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
/// What stands before key and value of an item, without its first byte.
const HEADER: usize = 20;
const MAGIC: [u8; 4] = *b"FJL\x03";
/// The engine's numbers stay below this; a larger one is damage, and makes the engine panic.
const MAX_NUMBER: u64 = 1 << 62;

/// The end of a journal that was cut off in the middle of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// The file, below the store's folder.
    pub file: PathBuf,
    /// Where the last whole batch ends, in bytes.
    pub offset: u64,
    /// How many bytes that are not zero, or lie before one, follow it.
    pub bytes: u64,
}

/// What a journal without damage holds.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// The number of the last batch.
    pub(crate) last: Option<u64>,
    /// The newest file, and where its last whole batch ends.
    pub(crate) newest: u64,
    end: u64,
    /// What an unfinished batch left behind: one tail, or two if a new file was begun in that moment.
    pub(crate) torn: Vec<TornTail>,
    /// Whole batches.
    pub(crate) batches: u64,
}

/// The files of the journal, oldest first.
///
/// # Errors
/// There is none, or one between two others is not there: the engine always has one, and removes the oldest only.
pub(crate) fn files(data: &NamedFolder) -> Result<Vec<u64>, EmbeddedError> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(&data.path).map_err(io("read folder", &data.path))? {
        let name = entry.map_err(io("read folder", &data.path))?.file_name();
        let name = name.to_string_lossy();
        let Some(number) = name.strip_suffix(".jnl") else { continue };
        let number =
            number.parse().ok().filter(|number: &u64| number.to_string() == *name.trim_end_matches(".jnl"));
        let wrong = || data.damaged(&*name, "is no name that the engine gives to a journal".to_owned());
        numbers.push(number.ok_or_else(wrong)?);
    }
    numbers.sort_unstable();
    let gap = numbers.windows(2).find_map(|pair| (pair[0] + 1 != pair[1]).then_some(pair[0] + 1));
    match (gap, numbers.is_empty()) {
        (Some(missing), _) => Err(data.missing(format!("{missing}.jnl"))),
        (None, true) => Err(data.missing("*.jnl")),
        (None, false) => Ok(numbers),
    }
}

/// Reads all files of a journal.
///
/// # Errors
/// Damage that is no [`TornTail`].
pub(crate) fn check(data: &NamedFolder, files: &[u64], rule: Rule) -> Result<Journal, EmbeddedError> {
    let mut journal = Journal::default();
    let mut numbers = Numbers::new(rule);
    for (at, &number) in files.iter().enumerate() {
        journal.newest = number;
        let name = format!("{number}.jnl");
        let (end, torn) = check_file(data, &name, at + 1 == files.len(), &mut numbers)?;
        journal.end = end;
        journal.torn.extend(torn);
    }
    if let Some(torn) = journal.torn.last()
        && numbers.expected_note().is_some_and(|note| holds(data, torn, &note).unwrap_or(false))
    {
        // The note itself is the damaged batch, and still says what it should: the batch before it is good.
        numbers.believe();
    }
    if let Some((name, offset)) = numbers.undeclared() {
        // Its writer never heard that it was written, or its number is damaged. It may stand in the file before the last one.
        let path = data.path.join(&name);
        let end = File::open(&path).and_then(|file| last_byte(&file, offset)).map_err(io("read", &path))?;
        let torn = TornTail { file: data.name(&name), offset, bytes: end.saturating_sub(offset) };
        journal.torn.retain(|other| other.file != torn.file);
        journal.torn.push(torn);
    }
    journal.last = numbers.last();
    journal.batches = numbers.batches();
    Ok(journal)
}

/// Whether these bytes are in a torn tail.
fn holds(data: &NamedFolder, torn: &TornTail, bytes: &[u8]) -> std::io::Result<bool> {
    let mut file = File::open(data.path.join(torn.file.file_name().unwrap_or_default()))?;
    file.seek(SeekFrom::Start(torn.offset))?;
    let mut tail = Vec::new();
    file.take(torn.bytes).read_to_end(&mut tail)?;
    Ok(memchr::memmem::find(&tail, bytes).is_some())
}

/// Cuts torn tails off, on disk, so that the engine finds a journal without damage; of a journal without any, the zeros behind its last batch.
/// The engine would do that too, and would wait for the disk, which zeros are not worth.
pub(crate) fn cut(data: &NamedFolder, journal: &Journal) -> Result<(), EmbeddedError> {
    let cut = |path: &Path, end: u64, sync: bool| {
        let cut = File::options().write(true).open(path).and_then(|file| {
            file.set_len(end)?;
            if sync { file.sync_all() } else { Ok(()) }
        });
        cut.map_err(io("write", path))
    };
    if journal.torn.is_empty() {
        return cut(&data.path.join(format!("{}.jnl", journal.newest)), journal.end, false);
    }
    journal.torn.iter().try_for_each(|torn| {
        cut(&data.path.join(torn.file.file_name().unwrap_or_default()), torn.offset, true)
    })
}

/// Where the last whole batch of a file ends, and what is torn behind it.
fn check_file(
    data: &NamedFolder,
    name: &str,
    is_last: bool,
    numbers: &mut Numbers,
) -> Result<(u64, Option<TornTail>), EmbeddedError> {
    let path = data.path.join(name);
    let mut file = File::open(&path).map_err(io("read", &path))?;
    let mut input = Window::new(&file).map_err(io("read", &path))?;
    loop {
        let offset = input.offset;
        let fault = match input.next(numbers.catalogue()).map_err(io("read", &path))? {
            Ok(batch) => {
                let damaged = |(name, offset, what)| EmbeddedError::DamagedJournal {
                    file: data.name(&name),
                    offset,
                    what,
                    next: "a whole batch follows".to_owned(),
                };
                numbers.take(name, offset, batch.number, batch.note).map_err(damaged)?;
                continue;
            }
            Err(what) => what,
        };
        drop(input);
        let end = last_byte(&file, offset).map_err(io("read", &path))?;
        if end <= offset {
            return Ok((offset, None)); // Nothing but zeros: the journal ends here.
        }
        let mut rest = Vec::new();
        file.seek(SeekFrom::Start(offset)).map_err(io("read", &path))?;
        file.take(end - offset).read_to_end(&mut rest).map_err(io("read", &path))?;
        let next = match whole_batch(&rest) {
            Some(at) => format!("a whole batch follows at byte {}", offset + at),
            None if !is_last => "later files of the journal follow".to_owned(),
            None => {
                return Ok((offset, Some(TornTail { file: data.name(name), offset, bytes: end - offset })));
            }
        };
        return Err(EmbeddedError::DamagedJournal {
            file: data.name(name),
            offset,
            what: fault.to_owned(),
            next,
        });
    }
}

/// Where the first whole batch behind the first byte begins.
fn whole_batch(bytes: &[u8]) -> Option<u64> {
    memchr::memchr_iter(START, bytes).filter(|&at| at > 0).find_map(|at| {
        read_batch(bytes.get(at..)?, None).ok()?;
        Some(at as u64)
    })
}

/// Where the last byte from `from` on that is not zero ends; `from` if there is none. Holes in a file are not read: the engine makes
/// files of 64 MiB before it writes to them.
fn last_byte(file: &File, from: u64) -> std::io::Result<u64> {
    let mut file = file;
    let (mut at, mut last) = (from, from);
    let length = file.metadata()?.len();
    let mut buffer = vec![0; READ_AT_ONCE];
    while let Some(data) = next_data(file, at, length)? {
        file.seek(SeekFrom::Start(data))?;
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        let bytes = buffer.get(..read).unwrap_or_default();
        // By pieces, which are compared at once.
        let mut pieces = bytes.rchunks(128).scan(bytes.len(), |end, piece| {
            *end -= piece.len();
            Some((*end, piece))
        });
        if let Some((begin, piece)) =
            pieces.find(|(_, piece)| piece.iter().fold(0, |all, byte| all | byte) != 0)
        {
            let found = piece.iter().rposition(|byte| *byte != 0).unwrap_or_default();
            last = data + (begin + found) as u64 + 1;
        }
        at = data + read as u64;
    }
    Ok(last)
}

/// Where the next part of a file that is no hole begins.
#[cfg(unix)]
fn next_data(file: &File, at: u64, length: u64) -> std::io::Result<Option<u64>> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(data) => Ok(Some(data)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(rustix::io::Errno::INVAL) => Ok((at < length).then_some(at)),
        Err(error) => Err(error.into()),
    }
}

/// Where the first hole of a file begins; its length if there is none or it cannot be told. The next read begins at the start.
fn first_hole(file: &File) -> std::io::Result<u64> {
    #[cfg(unix)]
    let hole = rustix::fs::seek(file, rustix::fs::SeekFrom::Hole(0)).ok();
    #[cfg(not(unix))]
    let hole = None;
    let mut start = file;
    start.seek(SeekFrom::Start(0))?;
    hole.map_or_else(|| Ok(file.metadata()?.len()), Ok)
}

#[cfg(not(unix))]
fn next_data(_: &File, at: u64, length: u64) -> std::io::Result<Option<u64>> {
    Ok((at < length).then_some(at))
}

/// A whole batch.
struct Batch {
    number: u64,
    note: Option<numbers::Note>,
    /// In bytes.
    length: usize,
}

enum Fault {
    Damage(&'static str),
    /// The batch goes on behind the bytes, which are at least so many too few.
    Short(usize),
}

/// A part of a file: at least the whole batch that is being read, so that its checksum is taken in one go.
struct Window<'f> {
    file: &'f File,
    bytes: Vec<u8>,
    /// Where the file's first hole begins: the system would fill memory with its zeros.
    hole: u64,
    /// Where the batch begins in the file.
    offset: u64,
    /// Where the batch begins among the bytes, and where those that were read end.
    at: usize,
    end: usize,
}

impl<'f> Window<'f> {
    fn new(file: &'f File) -> std::io::Result<Self> {
        let hole = first_hole(file)?;
        Ok(Self { file, bytes: vec![0; READ_AT_ONCE], hole, offset: 0, at: 0, end: 0 })
    }

    /// The batch that begins here, and goes on to the next. The inner error is damage.
    fn next(&mut self, catalogue: Option<u64>) -> std::io::Result<Result<Batch, &'static str>> {
        loop {
            let bytes = self.bytes.get(self.at..self.end).unwrap_or_default();
            match read_batch(bytes, catalogue) {
                Ok(batch) => {
                    self.at += batch.length;
                    self.offset += batch.length as u64;
                    return Ok(Ok(batch));
                }
                Err(Fault::Damage(what)) => return Ok(Err(what)),
                Err(Fault::Short(missing)) if !self.fill(missing)? => {
                    return Ok(Err("the file ends within a batch"));
                }
                Err(Fault::Short(_)) => {}
            }
        }
    }

    /// Reads at least so many bytes more, if the file has them.
    fn fill(&mut self, missing: usize) -> std::io::Result<bool> {
        self.bytes.copy_within(self.at..self.end, 0);
        (self.at, self.end) = (0, self.end - self.at);
        let wanted = self.end + missing;
        if wanted > self.bytes.len() {
            // A length that is damaged could be any number.
            if missing as u64 > self.file.metadata()?.len().saturating_sub(self.offset + self.end as u64) {
                return Ok(false);
            }
            // Doubled, because the batch is read from its start again.
            self.bytes.resize(wanted.max(2 * self.bytes.len()), 0);
        }
        while self.end < wanted {
            let before_hole = self.hole.saturating_sub(self.offset + self.end as u64) as usize;
            let space = self.bytes.len().min(self.end + before_hole).max(wanted);
            match self.file.read(self.bytes.get_mut(self.end..space).unwrap_or_default()) {
                Ok(0) => return Ok(false),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// The batch that these bytes begin with.
fn read_batch(bytes: &[u8], catalogue: Option<u64>) -> Result<Batch, Fault> {
    let first = |length: usize| bytes.get(..length).ok_or_else(|| Fault::Short(length - bytes.len()));
    let [START, start @ ..] = first(1 + 12)? else {
        return Err(Fault::Damage("no batch begins here"));
    };
    let (count, number) = (Fields(start).u32(), Fields(start.get(4..).unwrap_or_default()).u64());
    let (Some(count @ 1..), Some(number @ ..MAX_NUMBER)) = (count, number) else {
        return Err(Fault::Damage("the start of the batch is not one that the engine writes"));
    };
    let (mut at, mut note) = (1 + 12, None);
    for _ in 0..count {
        match first(at + 1)?.last() {
            Some(&ITEM) => {
                let header = first(at + 1 + HEADER)?.get(at + 1..).unwrap_or_default();
                let end = at + 1 + item_length(header)?;
                if count == 1
                    && let Some(catalogue) = catalogue
                {
                    note = note_in(first(end)?.get(at + 1..).unwrap_or_default(), catalogue);
                }
                at = end;
            }
            Some(&CLEAR) => at += 1 + 8,
            Some(&END) => return Err(Fault::Damage("the batch has fewer items than it says")),
            _ => return Err(Fault::Damage("an item of the batch begins with an unknown byte")),
        }
    }
    if first(at + 1)?.last() != Some(&END) {
        return Err(Fault::Damage("the batch does not end behind its last item"));
    }
    let length = at + 1 + 8 + MAGIC.len();
    let batch = first(length)?;
    if !batch.ends_with(&MAGIC) {
        return Err(Fault::Damage("the end of the batch is incomplete"));
    }
    let sum = batch.get(1 + 12..at).map(xxh3_64);
    if sum != Fields(batch.get(at + 1..).unwrap_or_default()).u64() {
        return Err(Fault::Damage("the batch has another checksum"));
    }
    Ok(Batch { number, note, length })
}

/// The length of an item behind its first byte.
fn item_length(header: &[u8]) -> Result<usize, Fault> {
    let lengths = |header: &[u8]| {
        let key = header.get(10..12).and_then(|key| key.try_into().ok()).map(u16::from_le_bytes)?;
        Some(HEADER + usize::from(key) + Fields(header.get(16..)?).u32()? as usize)
    };
    match header {
        [0..=2, 0 | 1, ..] => lengths(header),
        _ => None,
    }
    .ok_or(Fault::Damage("an item of the batch is of an unknown kind"))
}

/// The note that an item is, if it is one.
fn note_in(item: &[u8], catalogue: u64) -> Option<numbers::Note> {
    let (header, record) = item.split_at_checked(HEADER)?;
    let keyspace = Fields(header.get(2..)?).u64()?;
    let is_note = keyspace == catalogue
        && header.get(10..12)? == (SEQUENCE.len() as u16).to_le_bytes()
        && record.len() == numbers::NOTE_LENGTH;
    if is_note { numbers::Note::parse(record.try_into().ok()?) } else { None }
}

/// Makes the newest file of a journal empty and removes the others: everything in them is in tables on disk.
///
/// One file stays: without any, the engine would number its writes from 0 again.
pub(crate) fn restart(data: &NamedFolder) -> Result<u64, EmbeddedError> {
    let mut files = files(data)?;
    let newest = files.pop().unwrap_or_default();
    let path = |number: u64| -> PathBuf { data.path.join(format!("{number}.jnl")) };
    // Oldest first: what is left at any moment is an end of the journal.
    for number in files {
        std::fs::remove_file(path(number)).map_err(io("remove", &path(number)))?;
    }
    let emptied = File::options().write(true).open(path(newest)).and_then(|file| file.set_len(0));
    emptied.map_err(io("write", &path(newest)))?;
    Ok(newest)
}

/// The number of the first batch of a file; `None` if it has none.
pub(crate) fn first_batch(data: &Path, file: u64) -> Option<u64> {
    let mut start = [0; 13];
    File::open(data.join(format!("{file}.jnl"))).and_then(|mut file| file.read_exact(&mut start)).ok()?;
    let [START, _, _, _, _, number @ ..] = start else { return None };
    Some(u64::from_le_bytes(number))
}

/// The newest file of the journal of an open engine.
pub(crate) fn newest(data: &Path) -> Option<u64> {
    let files = std::fs::read_dir(data).ok()?;
    files.filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".jnl")?.parse().ok()).max()
}
