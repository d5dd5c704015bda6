//! Checks that the numbers of batches are those that the engine gave them.
//!
//! The engine numbers batches and decides by these numbers which value of a key is the latest and which batches are in tables already.
//! They stand in the part of a batch that its checksum does not cover. The format alone cannot show a wrong one: the engine also takes
//! numbers for itself, when it flushes or merges, so there are gaps.
//!
//! **The protocol**: a batch whose number is not that of the batch before it plus one is followed by a [`Note`], a small batch that
//! says both numbers, before its writer is told that it is written. The first batch of a process and of a file has a note as well. So
//! every acknowledged batch can be checked, at the price of one small batch for each flush, and none for most writes.

use crate::engine::SEQUENCE;

/// A number in a [`Note`] that is not known.
pub(crate) const UNKNOWN: u64 = u64::MAX;
/// The lengths of a note's key and value.
pub(crate) const NOTE_LENGTH: usize = SEQUENCE.len() + 16;

/// Says which number the batch before it has, and which the one before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) before: u64,
    pub(crate) number: u64,
}

impl Note {
    /// The value of its record.
    pub(crate) fn value(self) -> [u8; 16] {
        (u128::from(self.before) << 64 | u128::from(self.number)).to_be_bytes()
    }

    /// Reads key and value.
    pub(crate) fn parse(bytes: &[u8; NOTE_LENGTH]) -> Option<Self> {
        let value = bytes.strip_prefix(SEQUENCE)?;
        let both = u128::from_be_bytes(value.try_into().ok()?);
        let (before, number) = ((both >> 64) as u64, both as u64);
        Some(Self { before, number })
    }
}

/// How numbers are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// They rise: stores of format 2 and before, which have no notes.
    Rise,
    /// By notes, which are in this keyspace.
    Declared { catalogue: Option<u64> },
}

/// A batch whose number must be declared by the next one.
struct Pending {
    file: String,
    offset: u64,
    number: u64,
    before: Option<u64>,
}

/// The numbers of a journal, from its first batch on.
pub(crate) struct Numbers {
    rule: Rule,
    last: Option<u64>,
    pending: Option<Pending>,
    batches: u64,
}

impl Numbers {
    pub(crate) fn new(rule: Rule) -> Self {
        Self { rule, last: None, pending: None, batches: 0 }
    }

    /// Where notes are.
    pub(crate) fn catalogue(&self) -> Option<u64> {
        match self.rule {
            Rule::Rise => None,
            Rule::Declared { catalogue } => catalogue,
        }
    }

    /// Takes the next whole batch.
    ///
    /// # Errors
    /// Where the batch with a wrong number begins, and what is wrong.
    pub(crate) fn take(
        &mut self,
        file: &str,
        offset: u64,
        number: u64,
        note: Option<Note>,
    ) -> Result<(), (String, u64, String)> {
        if let Some(Pending { file, offset, number: declared, before }) = self.pending.take() {
            let says_so = note.is_some_and(|note| {
                let same = |said: u64, read: u64| said == UNKNOWN || said == read;
                same(note.number, declared) && before.is_none_or(|before| same(note.before, before))
            });
            if !says_so {
                return Err((file, offset, wrong(declared, before)));
            }
        }
        let follows = match (self.rule, self.last) {
            (Rule::Rise, Some(last)) if number <= last => {
                return Err((file.to_owned(), offset, wrong(number, Some(last))));
            }
            (Rule::Rise, _) => true,
            (Rule::Declared { .. }, last) => last.is_some_and(|last| last + 1 == number),
        };
        if !follows {
            self.pending = Some(Pending { file: file.to_owned(), offset, number, before: self.last });
        }
        self.last = Some(number);
        self.batches += 1;
        Ok(())
    }

    /// Where the last batch begins, if its number was not declared.
    pub(crate) fn undeclared(&self) -> Option<(String, u64)> {
        self.pending.as_ref().map(|pending| (pending.file.clone(), pending.offset))
    }

    /// Key and value of the note that would declare the last batch.
    pub(crate) fn expected_note(&self) -> Option<Vec<u8>> {
        let Pending { number, before, .. } = self.pending.as_ref()?;
        let note = Note { before: before.unwrap_or(UNKNOWN), number: *number };
        Some([SEQUENCE, &note.value()].concat())
    }

    /// Takes the last batch for declared.
    pub(crate) fn believe(&mut self) {
        self.pending = None;
    }

    /// The last number that can be believed.
    pub(crate) fn last(&self) -> Option<u64> {
        match &self.pending {
            Some(pending) => pending.before,
            None => self.last,
        }
    }

    pub(crate) fn batches(&self) -> u64 {
        self.batches - u64::from(self.pending.is_some())
    }
}

fn wrong(number: u64, before: Option<u64>) -> String {
    match before {
        Some(before) => format!("the batch has number {number}, which does not follow {before}"),
        None => format!("the batch has number {number}, which no other batch confirms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule::Declared { catalogue: Some(1) };

    fn note(before: u64, number: u64) -> Option<Note> {
        Some(Note { before, number })
    }

    /// The numbers, each with what the batch notes; the offset of the refused one.
    fn take(rule: Rule, batches: &[(u64, Option<Note>)]) -> Result<Option<u64>, u64> {
        let mut numbers = Numbers::new(rule);
        for (offset, (number, note)) in (0..).zip(batches) {
            numbers.take("0.jnl", offset, *number, *note).map_err(|(_, offset, _)| offset)?;
        }
        Ok(numbers.undeclared().map(|(_, offset)| offset))
    }

    #[test]
    fn a_gap_is_believed_only_with_a_note_behind_it() {
        let good = [(7, None), (8, note(UNKNOWN, 7)), (9, None), (13, None), (14, note(9, 13)), (15, None)];
        assert_eq!(take(RULE, &good), Ok(None));
        // Every wrong number is found, also within a gap; in the last batch it is a torn tail.
        for at in 0..good.len() {
            for wrong in (0..40).filter(|wrong| *wrong != good[at].0) {
                let mut batches = good;
                batches[at].0 = wrong;
                let taken = take(RULE, &batches);
                assert!(
                    taken.is_err() || (at + 1 == good.len() && taken == Ok(Some(5))),
                    "{at} {wrong}: {taken:?}"
                );
            }
        }
        assert_eq!(take(RULE, &good[..1]), Ok(Some(0)));
        assert_eq!(take(RULE, &good[..4]), Ok(Some(3)));
    }

    #[test]
    fn numbers_of_old_stores_rise() {
        assert_eq!(take(Rule::Rise, &[(7, None), (8, None), (20, None)]), Ok(None));
        assert_eq!(take(Rule::Rise, &[(7, None), (9, None), (9, None)]), Err(2));
    }

    #[test]
    fn a_note_is_read_back() {
        let written = Note { before: 1 << 40, number: 77 };
        let bytes: [u8; NOTE_LENGTH] = [SEQUENCE, &written.value()].concat().try_into().unwrap();
        assert_eq!(Note::parse(&bytes), Some(written));
    }
}
