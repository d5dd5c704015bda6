//! Finds the ends of records in text that arrives in pieces.
//!
//! At a line end that is not inside quotes. A quote opens a CSV cell only where the cell begins, and inside one it is
//! written twice. A carriage return outside quotes belongs to the line feed behind it; alone it is refused, because a
//! reader that takes it for a line end and one that does not see different records.
//!
//! **Law** (below): each byte is searched at most twice, however the text arrives, so that time grows with the length
//! of the text; and a record longer than the limit is noticed before much more than that is read.

use memchr::{memchr, memchr2, memchr3, memrchr};

/// Goes through text once and finds the ends of its records.
pub(super) struct RecordEnds {
    /// What stands between cells of CSV; `None` for text without quotes.
    delimiter: Option<u8>,
    max_record: usize,
    /// Whether the text is the beginning of the data, where a byte order mark may stand before the first cell.
    beginning: bool,
    /// Bytes gone through.
    done: usize,
    /// The end of the last record that is known to have ended.
    ended: usize,
    place: CsvPlace,
    problem: Option<(usize, Problem)>,
    #[cfg(test)]
    searched: usize,
}

/// What the next byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CsvPlace {
    /// A cell without quotes, or the gap between cells.
    Plain,
    /// What follows a carriage return.
    Return,
    /// A cell whose quote was opened there.
    Quoted(usize),
    /// What follows a quote inside such a cell: another one, or the cell has ended.
    Quote(usize),
}

/// Why the text cannot be cut on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// A quote that nothing closes before the end of the data.
    OpenQuote,
    /// A quote that nothing closes within the longest record.
    LongQuote,
    /// A record that is longer than allowed.
    LongRecord,
    /// A carriage return without a line feed.
    LoneReturn,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl RecordEnds {
    /// For text that begins with a record; `beginning` if that is the first of the data.
    pub(super) fn new(delimiter: Option<u8>, max_record: usize, beginning: bool) -> Self {
        let (place, problem) = (CsvPlace::Plain, None);
        Self {
            delimiter,
            max_record,
            beginning,
            done: 0,
            ended: 0,
            place,
            problem,
            #[cfg(test)]
            searched: 0,
        }
    }

    /// The end of the last record that has ended; 0 if none has.
    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// What is wrong with the record behind the last that has ended, and where.
    pub(super) fn problem(&self) -> Option<(usize, Problem)> {
        self.problem
    }

    /// Forgets text up to the end of a record: what follows comes first now.
    pub(super) fn cut(&mut self, end: usize) {
        self.beginning = false;
        self.done = self.done.saturating_sub(end);
        self.ended = self.ended.saturating_sub(end);
        match &mut self.place {
            CsvPlace::Quoted(at) | CsvPlace::Quote(at) => *at = at.saturating_sub(end),
            CsvPlace::Plain | CsvPlace::Return => {}
        }
        if let Some((at, _)) = &mut self.problem {
            *at = at.saturating_sub(end);
        }
    }

    /// Goes on to the end of the text, of which only the part behind the last time is new.
    pub(super) fn advance(&mut self, text: &[u8]) {
        if self.problem.is_some() {
            return;
        }
        let new = text.get(self.done..).unwrap_or_default();
        let special = self.place != CsvPlace::Plain
            || self.delimiter.is_some() && {
                let found = memchr2(b'"', b'\r', new);
                self.count(found, new);
                found.is_some()
            };
        // Without either, and if no record can be too long, the last line end is all there is to know.
        if !special && text.len() <= self.max_record {
            if let Some(end) = memrchr(b'\n', new) {
                self.ended = self.done + end + 1;
            }
            self.count(None, new);
            self.done = text.len();
            return;
        }
        while self.step(text) {}
    }

    /// Goes on to the end of the first record.
    pub(super) fn advance_to_first(&mut self, text: &[u8]) {
        while self.ended == 0 && self.step(text) {}
    }

    /// Takes the text for all there is: the last line may have no end.
    pub(super) fn finish(&mut self, text: &[u8]) {
        if self.problem.is_some() || self.done < text.len() {
            return;
        }
        match self.place {
            CsvPlace::Quoted(at) => self.problem = Some((at, Problem::OpenQuote)),
            CsvPlace::Return => self.problem = Some((text.len().saturating_sub(1), Problem::LoneReturn)),
            CsvPlace::Plain | CsvPlace::Quote(_) => self.ended = text.len(),
        }
    }

    /// Goes on to the next byte that matters; `false` if there is none, or something is wrong.
    fn step(&mut self, text: &[u8]) -> bool {
        // What is behind the longest record does not matter, so that a long one is told alike however it arrives.
        let longest = self.ended.saturating_add(self.max_record);
        if self.problem.is_none() && self.done >= longest && text.len() > longest {
            self.problem = Some(match self.place {
                CsvPlace::Quoted(at) => (at, Problem::LongQuote),
                _ => (self.ended, Problem::LongRecord),
            });
        }
        let text = text.get(..longest).unwrap_or(text);
        if self.problem.is_some() || self.done >= text.len() {
            return false;
        }
        self.go_on(text);
        true
    }

    fn go_on(&mut self, text: &[u8]) {
        let new = text.get(self.done..).unwrap_or_default();
        let next = new.first().copied();
        match self.place {
            CsvPlace::Plain => {
                let found = if self.delimiter.is_some() {
                    memchr3(b'\n', b'"', b'\r', new)
                } else {
                    memchr(b'\n', new)
                };
                self.count(found, new);
                let Some(at) = found.map(|at| self.done + at) else { return self.done = text.len() };
                self.done = at + 1;
                match text.get(at) {
                    Some(b'\n') => self.ended = at + 1,
                    Some(b'\r') => self.place = CsvPlace::Return,
                    _ if self.opens(text, at) => self.place = CsvPlace::Quoted(at),
                    _ => {}
                }
            }
            CsvPlace::Return if next == Some(b'\n') => self.place = CsvPlace::Plain,
            CsvPlace::Return => self.problem = Some((self.done - 1, Problem::LoneReturn)),
            CsvPlace::Quoted(opened) => {
                let found = memchr(b'"', new);
                self.count(found, new);
                let Some(at) = found else { return self.done = text.len() };
                self.done += at + 1;
                self.place = CsvPlace::Quote(opened);
            }
            // Two of them are one inside the cell.
            CsvPlace::Quote(opened) if next == Some(b'"') => {
                self.done += 1;
                self.place = CsvPlace::Quoted(opened);
            }
            CsvPlace::Quote(_) => self.place = CsvPlace::Plain,
        }
    }

    fn opens(&self, text: &[u8], at: usize) -> bool {
        let before = text.get(..at).unwrap_or_default();
        let begins = match before.last() {
            None | Some(b'\n') => true,
            last => last.copied() == self.delimiter,
        };
        begins || (self.beginning && before == BYTE_ORDER_MARK)
    }

    /// Counts the bytes that a search looked at.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "only tests count"))]
    fn count(&mut self, found: Option<usize>, new: &[u8]) {
        #[cfg(test)]
        {
            self.searched += found.map_or(new.len(), |at| at + 1);
        }
        #[cfg(not(test))]
        let _ = (found, new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The ends of all records, the text given in pieces, and what is wrong behind them.
    fn ends(text: &[u8], piece: usize, max_record: usize) -> (Vec<usize>, Option<(usize, Problem)>) {
        let mut scan = RecordEnds::new(Some(b','), max_record, true);
        let (mut ends, mut from, mut to) = (Vec::new(), 0, 0);
        loop {
            let rest = &text[from..to];
            scan.advance_to_first(rest);
            if scan.ended() == 0 && scan.problem().is_none() {
                if to < text.len() {
                    to = (to + piece).min(text.len());
                    continue;
                }
                scan.finish(rest);
            }
            match scan.ended() {
                0 => return (ends, scan.problem().map(|(at, problem)| (from + at, problem))),
                end => {
                    scan.cut(end);
                    from += end;
                    ends.push(from);
                }
            }
        }
    }

    fn all(text: &str) -> (Vec<usize>, Option<(usize, Problem)>) {
        ends(text.as_bytes(), 4, 100)
    }

    #[test]
    fn a_record_ends_at_a_line_end_that_is_not_in_quotes() {
        assert_eq!(all("a,b\nc,d\n"), (vec![4, 8], None));
        assert_eq!(all("a,\"b\nc\",d\ne"), (vec![10, 11], None));
        assert_eq!(all("a,\"b\"\"\n\"\"c\",d\n"), (vec![14], None));
        assert_eq!(
            all("5\" pipe,3\" pipe\n\"x\ny\"\n"),
            (vec![16, 22], None),
            "a quote inside a cell is a quote"
        );
        assert_eq!(all("a,\"b\r\n\rc\"\r\nd"), (vec![11, 12], None), "returns in quotes are text");
        assert_eq!(all("\u{feff}\"a\nb\",c\n"), (vec![11], None), "a byte order mark is no part of a cell");
    }

    #[test]
    fn what_cannot_be_cut_is_told_with_its_place() {
        assert_eq!(all("a\nb,\"c\nd,e\n"), (vec![2], Some((4, Problem::OpenQuote))));
        assert_eq!(all("a\rb\rc\r"), (vec![], Some((1, Problem::LoneReturn))));
        assert_eq!(all("a\nb\r"), (vec![2], Some((3, Problem::LoneReturn))));
        let long = "x".repeat(99);
        assert_eq!(all(&format!("a\n{long}\n")), (vec![2, 102], None));
        assert_eq!(all(&format!("a\n{long}y\n")), (vec![2], Some((2, Problem::LongRecord))));
        assert_eq!(all(&format!("a\nb,\"{long}")), (vec![2], Some((4, Problem::LongQuote))));
    }

    proptest! {
        #[test]
        fn text_is_cut_alike_however_it_arrives_and_each_byte_is_searched_at_most_twice(
            text in prop::collection::vec(
                prop::sample::select(b"\n\n\r\"\",abc".to_vec()), 0..200),
            piece in 1_usize..40,
            max_record in prop::sample::select(vec![1_usize, 7, 50, 1000]),
        ) {
            let (expected, problem) = ends(&text, text.len().max(1), max_record);
            prop_assert_eq!(&ends(&text, piece, max_record), &(expected.clone(), problem));
            // As blocks are cut: as many records as have ended, at any time.
            let mut scan = RecordEnds::new(Some(b','), max_record, true);
            for to in (0..text.len()).step_by(piece).chain([text.len()]) {
                scan.advance(&text[..to]);
            }
            if scan.problem().is_none() {
                scan.finish(&text);
            }
            prop_assert_eq!(scan.ended(), expected.last().copied().unwrap_or(0));
            prop_assert_eq!(scan.problem(), problem);
            prop_assert!(scan.searched <= 2 * text.len(), "{} searches", scan.searched);
        }
    }
}
