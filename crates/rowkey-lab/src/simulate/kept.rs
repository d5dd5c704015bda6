//! A few of many records, kept while all of them pass.
//!
//! Every record has a lot; those below a bar are kept, and when they are too many the bar is halved. Which ones are left
//! depends on seed and data, not on how many threads saw them: a thread halves its bar only if all of them together would.

use rowkey::Value;
use rowkey::batch::{Column, ColumnBuffer};
use rowkey::key::{Draw, Draws, Fields};

/// So many are kept at most.
const MOST: usize = 20_000;

/// Records that were kept.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    seed: u64,
    bar: u32,
    records: Vec<(u32, u64, Vec<Value<'static>>)>,
}

impl Kept {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, bar: u32::MAX, records: Vec::new() }
    }

    /// Looks at records; `first` is the number of the first.
    pub(crate) fn add(&mut self, columns: &[Column<'_>], rows: usize, first: u64) {
        for row in 0..rows {
            let number = first.wrapping_add(row as u64);
            let lot = Draws::new(!self.seed, number).draw(u32::MAX);
            if lot < self.bar {
                let values = columns.iter().map(|column| column.value(row).into_owned()).collect();
                self.records.push((lot, number, values));
                self.thin();
            }
        }
    }

    fn thin(&mut self) {
        while self.records.len() > MOST {
            self.bar /= 2;
            self.records.retain(|(lot, ..)| *lot < self.bar);
        }
    }

    /// Both together.
    pub(crate) fn merge(&mut self, other: Self) {
        self.bar = self.bar.min(other.bar);
        self.records.extend(other.records);
        self.records.retain(|(lot, ..)| *lot < self.bar);
        self.thin();
    }

    /// Columns of them, one for each field.
    pub(crate) fn finish(mut self, fields: &Fields) -> (Vec<ColumnBuffer>, usize) {
        self.records.sort_by_key(|(lot, number, _)| (*number, *lot));
        let mut columns: Vec<ColumnBuffer> =
            fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for (_, _, values) in &self.records {
            for (column, value) in columns.iter_mut().zip(values) {
                let pushed = column.push(value);
                debug_assert!(pushed.is_ok(), "the value came from such a column");
            }
        }
        let rows = self.records.len();
        (columns, rows)
    }
}
