//! Where can lines of text be cut, so that several threads can read them?
//!
//! At the end of a record: a line end that is not inside quotes. A quote opens a CSV cell only where the cell begins, and
//! inside one it is written twice; a cut starts at a record, so that this is known from its first byte on.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use memchr::{memchr, memchr2, memrchr};

use super::{Format, Position, Source};

/// So many bytes, or the few that are left: some thousand records, well inside a second level cache with what they
/// become.
const BLOCK: usize = 1 << 18;

/// Memory of blocks that are done, for new ones: fresh memory has to be cleared by the system first, which costs more than
/// to read a file into it.
#[derive(Clone, Default)]
struct Spares(Arc<Mutex<Vec<Vec<u8>>>>);

impl Spares {
    fn take(&self) -> Vec<u8> {
        self.0.lock().ok().and_then(|mut spares| spares.pop()).unwrap_or_default()
    }

    fn give(&self, mut bytes: Vec<u8>) {
        bytes.clear();
        // As many as there are blocks at a time, which the reader bounds; not what one huge record needed.
        if bytes.capacity() <= 2 * BLOCK
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

/// Cuts text into blocks.
pub(super) struct Cutter {
    source: Source,
    quotes: bool,
    /// Read, and not yet part of a block.
    rest: Vec<u8>,
    at: Position,
    ended: bool,
    spares: Spares,
}

impl Cutter {
    pub(super) fn new(source: Source, format: Format) -> Self {
        let at = Position { line: 1, ..Position::default() };
        let (quotes, spares) = (format == Format::Csv, Spares::default());
        Self { source, quotes, rest: Vec::new(), at, ended: false, spares }
    }

    /// A cutter for text that begins in the middle of the data, between two records.
    pub(super) fn at(source: Source, format: Format, at: Position) -> Self {
        Self { at: Position { rows: 0, ..at }, ..Self::new(source, format) }
    }

    /// The first record alone, as the names of a CSV file are; empty at the end.
    pub(super) fn first(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = self.record_ends(&self.rest).next() {
                return Ok(std::mem::take(&mut self.take(end).bytes));
            }
            if self.ended {
                let end = self.rest.len();
                return Ok(std::mem::take(&mut self.take(end).bytes));
            }
            self.read_more()?;
        }
    }

    /// The next block; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Block>> {
        loop {
            if self.rest.len() >= BLOCK
                && let Some(end) = self.last_record_end()
            {
                return Ok(Some(self.take(end)));
            }
            if self.ended {
                let end = self.rest.len();
                return Ok((end > 0).then(|| self.take(end)));
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        let wanted = BLOCK.saturating_sub(self.rest.len()).max(BLOCK / 4);
        // A byte more, so that the end of the data is noticed without a larger piece of memory.
        self.rest.reserve_exact(wanted + 1);
        let read = self.source.by_ref().take(wanted as u64).read_to_end(&mut self.rest)?;
        self.ended = read == 0;
        Ok(())
    }

    fn take(&mut self, end: usize) -> Block {
        let mut rest = self.spares.take();
        rest.extend_from_slice(self.rest.get(end..).unwrap_or_default());
        self.rest.truncate(end);
        let bytes = std::mem::replace(&mut self.rest, rest);
        let at = self.at;
        self.at.byte += bytes.len() as u64;
        self.at.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Block { bytes, at, after: self.at, spares: self.spares.clone() }
    }

    /// The end of the last record that is known to have ended.
    fn last_record_end(&self) -> Option<usize> {
        if !self.quotes || memchr(b'"', &self.rest).is_none() {
            return memrchr(b'\n', &self.rest).map(|end| end + 1);
        }
        self.record_ends(&self.rest).last()
    }

    /// The end of each record that is known to have ended.
    fn record_ends<'t>(&self, text: &'t [u8]) -> RecordEnds<'t> {
        RecordEnds { text, from: 0, quotes: self.quotes }
    }
}

struct RecordEnds<'t> {
    text: &'t [u8],
    from: usize,
    quotes: bool,
}

impl RecordEnds<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.from..).unwrap_or_default()
    }

    /// Moves behind the quote that ends a cell; `false` if it is not there yet.
    fn skip_quoted(&mut self) -> bool {
        loop {
            let Some(quote) = memchr(b'"', self.rest()) else { return false };
            self.from += quote + 1;
            match self.rest().first() {
                // Two of them are one inside the cell.
                Some(b'"') => self.from += 1,
                Some(_) => return true,
                None => return false,
            }
        }
    }
}

impl Iterator for RecordEnds<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if !self.quotes {
            self.from += memchr(b'\n', self.rest())? + 1;
            return Some(self.from);
        }
        loop {
            let found = self.from + memchr2(b'\n', b'"', self.rest())?;
            self.from = found + 1;
            if self.text.get(found) == Some(&b'\n') {
                return Some(self.from);
            }
            let before = found.checked_sub(1).and_then(|at| self.text.get(at));
            let opens = matches!(before, None | Some(b',' | b'\n' | b'\r'));
            if opens && !self.skip_quoted() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str) -> Vec<usize> {
        RecordEnds { text: text.as_bytes(), from: 0, quotes: true }.collect()
    }

    #[test]
    fn a_record_ends_at_a_line_end_that_is_not_in_quotes() {
        assert_eq!(ends("a,b\nc,d\n"), [4, 8]);
        assert_eq!(ends("a,\"b\nc\",d\ne"), [10]);
        assert_eq!(ends("a,\"b\"\"\n\"\"c\",d\n"), [14]);
        assert_eq!(ends("5\" pipe,3\" pipe\n\"x\ny\"\n"), [16, 22], "a quote inside a cell is a quote");
        assert_eq!(ends("a,\"b\n"), [] as [usize; 0], "the quote is still open");
        assert_eq!(ends("a,\"b\""), [] as [usize; 0]);
    }

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
}
