//! The keys of a batch, in one arena.

use std::fmt;

use crate::escape::escape;

use super::column::ColumnFull;

/// Keys, one after another in one arena; used again after [`KeyBatch::clear`].
#[derive(Clone)]
pub struct KeyBatch {
    /// Longer than the keys if an earlier batch was, so that no byte is set twice.
    arena: Vec<u8>,
    /// Where each key starts, and the end of the last one.
    offsets: Vec<u32>,
}

impl Default for KeyBatch {
    fn default() -> Self {
        Self { arena: Vec::new(), offsets: vec![0] }
    }
}

impl KeyBatch {
    /// No keys yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the keys and keeps the memory.
    pub fn clear(&mut self) {
        self.offsets.truncate(1);
    }

    /// Adds a key.
    ///
    /// # Errors
    /// When the keys have more than 4 GiB together; nothing is added then.
    pub fn push(&mut self, key: &[u8]) -> Result<(), ColumnFull> {
        self.push_with(|arena| {
            arena.extend_from_slice(key);
            Ok(())
        })
    }

    /// Adds what `write` appends to the arena as one key; on an error nothing is added.
    pub(super) fn push_with<E: From<ColumnFull>>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.arena.truncate(self.byte_len());
        write(&mut self.arena)?;
        self.offsets.push(u32::try_from(self.arena.len()).map_err(|_| ColumnFull)?);
        Ok(())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all keys together.
    pub fn byte_len(&self) -> usize {
        self.offsets.last().map_or(0, |&end| end as usize)
    }

    /// The key at `index`, if there are that many.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = (*self.offsets.get(index)?, *self.offsets.get(index + 1)?);
        self.arena.get(start as usize..end as usize)
    }

    /// The keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// All keys, one after another.
    pub(super) fn arena(&self) -> &[u8] {
        self.arena.get(..self.byte_len()).unwrap_or_default()
    }

    /// Takes keys of these lengths, whose bytes are then to be written; `None`, and no keys, if they have over 4 GiB.
    pub(super) fn set_lengths(&mut self, lengths: impl Iterator<Item = u32>) -> Option<()> {
        self.offsets.truncate(1);
        let mut end = 0u64;
        self.offsets.extend(lengths.map(|length| {
            end += u64::from(length);
            end as u32
        }));
        if end > u32::MAX.into() {
            self.offsets.truncate(1);
            return None;
        }
        let end = end as usize;
        if self.arena.len() < end {
            self.arena.resize(end, 0);
        }
        Some(())
    }

    /// The arena to write to, and where each key starts and ends.
    pub(super) fn room(&mut self) -> (&mut [u8], &[u32], &[u32]) {
        let starts = self.offsets.split_last().map_or(&[][..], |(_, starts)| starts);
        (&mut self.arena, starts, self.offsets.get(1..).unwrap_or_default())
    }
}

impl PartialEq for KeyBatch {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.arena() == other.arena()
    }
}

impl Eq for KeyBatch {}

impl fmt::Debug for KeyBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|key| escape(key).to_string())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_added_also_after_a_longer_batch() {
        let mut keys = KeyBatch::new();
        for batch in [&[&b"abc"[..], b"", b"\x00\xff"][..], &[b"x"], &[]] {
            keys.clear();
            batch.iter().for_each(|key| keys.push(key).expect("there is room"));
            assert_eq!(keys.iter().collect::<Vec<_>>(), batch);
            assert_eq!(keys.byte_len(), batch.iter().map(|key| key.len()).sum::<usize>());
        }
        assert_eq!((keys.get(0), keys.is_empty()), (None, true));
    }
}
