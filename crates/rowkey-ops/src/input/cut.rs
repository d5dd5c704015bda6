//! Cuts lines of text so that several threads can read them.
//!
//! Between two records ([`super::record_ends`]). A cut starts at a record, so that it is known from its first byte on what
//! is inside quotes. A record may be as long as its [`Source`] allows; memory is bounded by a few times that.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use super::error::LineProblem;
use super::record_ends::{Problem, RecordEnds};
use super::{Format, Position, Source};

/// So many bytes, or the few that are left: some thousand records, well inside a second level cache with what they
/// become.
const BLOCK: usize = 1 << 18;

/// Memory of blocks that are done, for new ones: fresh memory has to be cleared first, which costs more than to read a file
/// into it. They keep their bytes, so that nothing clears them again.
#[derive(Clone, Default)]
struct Spares(Arc<Mutex<Vec<Vec<u8>>>>);

impl Spares {
    fn take(&self) -> Vec<u8> {
        self.0.lock().ok().and_then(|mut spares| spares.pop()).unwrap_or_default()
    }

    fn give(&self, bytes: Vec<u8>) {
        // As many as there are blocks at a time, which the reader bounds; not what one huge record needed.
        if (1..=2 * BLOCK).contains(&bytes.capacity())
            && let Ok(mut spares) = self.0.lock()
        {
            spares.push(bytes);
        }
    }
}

/// Whole records and where they come from.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Where they start; how many records were before is not known.
    pub(super) at: Position,
    /// Where they end.
    pub(super) after: Position,
    spares: Spares,
}

impl Drop for Block {
    fn drop(&mut self) {
        self.spares.give(std::mem::take(&mut self.bytes));
    }
}

/// Makes room for so many bytes; those that are there stay.
fn grow(bytes: &mut Vec<u8>, length: usize) {
    if bytes.len() < length {
        bytes.reserve_exact(length - bytes.len());
        bytes.resize(length, 0);
    }
}

/// Cuts text into blocks.
pub(super) struct Cutter {
    source: Source,
    ends: RecordEnds,
    /// Memory to read into.
    rest: Vec<u8>,
    /// So many bytes of it are read, and not yet part of a block.
    filled: usize,
    at: Position,
    /// Whether `rest` is all that is left.
    over: bool,
    spares: Spares,
}

impl Cutter {
    pub(super) fn new(source: Source, format: Format) -> Self {
        Self::at(source, format, Position { line: 1, ..Position::default() })
    }

    /// A cutter for text that begins in the middle of the data, between two records.
    pub(super) fn at(source: Source, format: Format, at: Position) -> Self {
        let delimiter = (format == Format::Csv).then(|| source.dialect.delimiter());
        let ends = RecordEnds::new(delimiter, source.max_record, at.byte == 0);
        let at = Position { rows: 0, ..at };
        Self { source, ends, rest: Vec::new(), filled: 0, at, over: false, spares: Spares::default() }
    }

    /// The first record alone, as the names of a CSV file are; empty at the end.
    pub(super) fn first(&mut self) -> io::Result<Vec<u8>> {
        loop {
            self.ends.advance_to_first(self.rest.get(..self.filled).unwrap_or_default());
            if let Some(mut block) = self.ended_block(1)? {
                return Ok(std::mem::take(&mut block.bytes));
            }
            if self.over {
                return Ok(Vec::new());
            }
            self.read_more()?;
        }
    }

    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// As the source, and [`bad_record`] once all records before it were handed on.
    pub(super) fn next(&mut self) -> io::Result<Option<Block>> {
        loop {
            self.ends.advance(self.rest.get(..self.filled).unwrap_or_default());
            if let Some(block) = self.ended_block(BLOCK)? {
                return Ok(Some(block));
            }
            if self.over {
                return Ok(None);
            }
            self.read_more()?;
        }
    }

    /// The records that have ended, if so many bytes were read or nothing follows that could be read with them.
    fn ended_block(&mut self, enough: usize) -> io::Result<Option<Block>> {
        if self.over {
            self.ends.finish(self.rest.get(..self.filled).unwrap_or_default());
        }
        let (end, problem) = (self.ends.ended(), self.ends.problem());
        if end > 0 && (self.filled >= enough || self.over || problem.is_some()) {
            return Ok(Some(self.take(end)));
        }
        match problem {
            Some((at, problem)) if end == 0 => Err(self.bad_record(at, problem)),
            _ => Ok(None),
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        let before = self.filled;
        // Twice as much for a record that is longer than a block, so that it is not moved for every piece of it.
        let end = before + if before < BLOCK { (BLOCK - before).max(BLOCK / 4) } else { before };
        grow(&mut self.rest, end);
        while let Some(free @ [_, ..]) = self.rest.get_mut(self.filled..end) {
            match self.source.read(free) {
                Ok(0) => break,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.over = self.filled == before;
        Ok(())
    }

    fn take(&mut self, end: usize) -> Block {
        let mut rest = self.spares.take();
        let left = self.rest.get(end..self.filled).unwrap_or_default();
        grow(&mut rest, left.len());
        if let Some(start) = rest.get_mut(..left.len()) {
            start.copy_from_slice(left);
        }
        self.filled = left.len();
        self.rest.truncate(end);
        self.ends.cut(end);
        let bytes = std::mem::replace(&mut self.rest, rest);
        let at = self.at;
        self.at.byte += bytes.len() as u64;
        self.at.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Block { bytes, at, after: self.at, spares: self.spares.clone() }
    }

    fn bad_record(&self, at: usize, problem: Problem) -> io::Error {
        let before = self.rest.get(..at).unwrap_or_default();
        let line = self.at.line + memchr::memchr_iter(b'\n', before).count() as u64;
        let limit = self.source.max_record;
        let problem = match problem {
            Problem::OpenQuote => LineProblem::OpenQuote { within: None },
            Problem::LongQuote => LineProblem::OpenQuote { within: Some(limit) },
            Problem::LongRecord => LineProblem::LongRecord { limit },
            Problem::LoneReturn => LineProblem::LoneReturn,
        };
        io::Error::other(BadRecord { line, problem })
    }
}

/// A record that cannot be cut off, on its way through an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
struct BadRecord {
    line: u64,
    problem: LineProblem,
}

/// The line and the problem of a record that a cutter could not cut off; for any other error, that it stopped reading at
/// `line`.
pub(super) fn bad_record(error: &io::Error, line: u64) -> (u64, LineProblem) {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<BadRecord>()) {
        Some(bad) => (bad.line, bad.problem.clone()),
        None => (line, LineProblem::Unreadable { message: error.to_string() }),
    }
}

/// Text as a cutter lets it through: whole records, none of them too long.
pub(super) struct CutText {
    cutter: Cutter,
    block: io::Cursor<Vec<u8>>,
}

impl CutText {
    pub(super) fn new(cutter: Cutter) -> Self {
        Self { cutter, block: io::Cursor::default() }
    }
}

impl Read for CutText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.block.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut block) = self.cutter.next()? else { return Ok(0) };
            let done = std::mem::replace(self.block.get_mut(), std::mem::take(&mut block.bytes));
            self.block.set_position(0);
            self.cutter.spares.give(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_text_cut_between_records() {
        let line = "some text,\"more\ntext\",123456789\n";
        let text = line.repeat(50_000);
        let source = Source::stream(io::Cursor::new(text.clone().into_bytes()));
        let mut cutter = Cutter::new(source, Format::Csv);
        assert_eq!(cutter.first().expect("memory can be read"), line.as_bytes());
        let (mut joined, mut blocks) = (line.as_bytes().to_vec(), 0);
        while let Some(block) = cutter.next().expect("memory can be read") {
            assert_eq!(block.bytes.len() % line.len(), 0);
            assert_eq!(block.at.byte, joined.len() as u64);
            assert_eq!(block.at.line, 1 + 2 * joined.len() as u64 / line.len() as u64);
            joined.extend(&block.bytes);
            blocks += 1;
        }
        assert_eq!(joined, text.as_bytes());
        assert!(blocks > 4, "{blocks}");
    }

    /// Text that never ends, of which a bounded part is read and kept.
    #[test]
    fn a_record_without_an_end_is_refused_within_bounded_memory() {
        const LIMIT: usize = 3 * BLOCK;
        let cases = [
            (Format::Csv, "a,b\n1,2\n3,\"", 3, LineProblem::OpenQuote { within: Some(LIMIT) }),
            (Format::Csv, "a,b\n1,", 2, LineProblem::LongRecord { limit: LIMIT }),
            (Format::JsonLines, "{}\n{}\n{\"a\":\"", 3, LineProblem::LongRecord { limit: LIMIT }),
        ];
        for (format, beginning, line, problem) in cases {
            let endless = io::Cursor::new(beginning.as_bytes()).chain(io::repeat(b'x'));
            let mut cutter = Cutter::new(Source::stream(endless).max_record(LIMIT), format);
            let error = loop {
                match cutter.next() {
                    Ok(Some(block)) => assert!(beginning.as_bytes().starts_with(&block.bytes)),
                    Ok(None) => panic!("the text has no end"),
                    Err(error) => break error,
                }
            };
            assert_eq!(bad_record(&error, 0), (line, problem));
            assert!(cutter.rest.capacity() <= 2 * LIMIT, "{} bytes", cutter.rest.capacity());
        }
    }
}
