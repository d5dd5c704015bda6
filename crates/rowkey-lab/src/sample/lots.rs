//! N of many records, each as likely as the others: the one sampler of the lab.
//!
//! Every record has a lot, a number drawn from the seed and its place in the data; the N smallest win. So the choice is the same however many
//! threads look, and for every command that reads the data with the same seed.

use rowkey_core::Value;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::Fields;
use rowkey_ops::input::Position;

use crate::profile::mix;

/// A record.
pub(crate) type Row = Vec<Value<'static>>;

/// More records than a batch has.
const ALONE: u64 = 1 << 40;

/// So many records stand for all where nothing else is said.
pub(crate) const USUAL: usize = 20_000;

/// Where a batch of records stands in the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BatchPlace {
    at: (u64, u64),
    /// The number of its first record, counted from there.
    first: u64,
}

impl BatchPlace {
    /// A batch that begins here.
    pub(crate) fn of(at: Position) -> Self {
        Self { at: (at.byte, at.line), first: 0 }
    }

    /// Records that come one by one, from this number on.
    pub(crate) fn alone(number: u64) -> Self {
        Self { at: (u64::MAX, u64::MAX), first: number }
    }

    /// A record that comes alone, behind the batch that begins here.
    pub(crate) fn behind(self, number: u64) -> Self {
        Self { first: ALONE + number, ..self }
    }

    /// The lot of a record: large ones lose.
    pub(crate) fn lot(self, seed: u64, row: usize) -> u64 {
        // Any bit of seed, place and row changes half of the lot.
        let (byte, line) = self.at;
        mix(mix(mix(seed) ^ byte ^ line.rotate_left(32)).wrapping_add(self.first + row as u64))
    }
}

#[derive(Debug, Clone)]
struct Kept<T> {
    lot: u64,
    /// The order of the data.
    order: (BatchPlace, usize),
    what: T,
}

/// The records with the smallest lots so far.
#[derive(Debug, Clone)]
pub(crate) struct Lots<T = Row> {
    most: usize,
    seed: u64,
    /// No lot from here on can win any more.
    bar: u64,
    kept: Vec<Kept<T>>,
}

impl<T> Lots<T> {
    /// Lots from `bar` on have lost already.
    pub(crate) fn below(bar: u64, most: usize, seed: u64) -> Self {
        Self { most, seed, bar, kept: Vec::new() }
    }

    pub(crate) fn new(most: usize, seed: u64) -> Self {
        Self::below(u64::MAX, most, seed)
    }

    pub(crate) fn bar(&self) -> u64 {
        self.bar
    }

    /// Takes what stands for a record if its lot may win.
    pub(crate) fn offer(&mut self, place: BatchPlace, row: usize, what: impl FnOnce() -> T) {
        let lot = place.lot(self.seed, row);
        if lot < self.bar {
            self.kept.push(Kept { lot, order: (place, row), what: what() });
            self.thin_if_many();
        }
    }

    /// Both together.
    pub(crate) fn merge(&mut self, other: Self) {
        self.bar = self.bar.min(other.bar);
        self.kept.extend(other.kept);
        self.thin_if_many();
    }

    fn thin_if_many(&mut self) {
        if self.kept.len() > 2 * self.most + 1024 {
            self.thin();
        }
    }

    fn thin(&mut self) {
        if self.kept.len() > self.most {
            self.kept.sort_unstable_by_key(|kept| (kept.lot, kept.order));
            if let Some(first) = self.kept.get(self.most) {
                self.bar = self.bar.min(first.lot);
            }
            self.kept.truncate(self.most);
        }
    }

    /// The winners in the order of the data.
    pub(crate) fn winners(mut self) -> Vec<T> {
        self.thin();
        self.kept.sort_unstable_by_key(|kept| kept.order);
        self.kept.into_iter().map(|kept| kept.what).collect()
    }
}

impl Lots {
    /// Takes those of a batch that may win.
    pub(crate) fn batch(&mut self, place: BatchPlace, columns: &[Column<'_>], rows: usize) {
        for row in 0..rows {
            let values = || columns.iter().map(|column| column.value(row).into_owned()).collect();
            self.offer(place, row, values);
        }
    }

    /// The winners by a time, if there is one, with records that have none last.
    pub(crate) fn finish(self, time: Option<usize>) -> Vec<Row> {
        let mut rows = self.winners();
        if let Some(time) = time {
            by_time(&mut rows, time);
        }
        rows
    }
}

/// Sorts records by a field; those without a value come last.
pub(crate) fn by_time(rows: &mut [Row], time: usize) {
    let at = |row: &Row| row.get(time).cloned().unwrap_or_default();
    rows.sort_by(|a, b| {
        let (a, b) = (at(a), at(b));
        a.compare(&b).unwrap_or_else(|| a.is_null().cmp(&b.is_null()))
    });
}

/// Empty columns, one for each field.
pub(crate) fn buffers(fields: &Fields) -> Vec<ColumnBuffer> {
    fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect()
}

/// Adds a record to columns; a value that does not fit its field, which no reader gives, counts as none.
pub(crate) fn push(columns: &mut [ColumnBuffer], record: &[Value<'_>]) {
    for (column, value) in columns.iter_mut().zip(record) {
        if column.push(value).is_err() {
            let _ = column.push(&Value::Null);
        }
    }
}

/// Records as columns.
pub(crate) fn columns(rows: &[Row], fields: &Fields) -> Vec<ColumnBuffer> {
    let mut columns = buffers(fields);
    rows.iter().for_each(|row| push(&mut columns, row));
    columns
}
