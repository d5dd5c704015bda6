//! In what do a table and its index tables differ?
//!
//! Two passes, each a scan with many gets at a time, nothing kept but a batch: every data row has its entry, with the right
//! copies (*missing*, *wrong copies*); every entry has its data row (*dangling*: the row is gone; *stale*: the row has
//! another entry now). What looks like a difference is read again around the other side's read: a row that a writer
//! changed meanwhile is judged anew, so that live writers are not taken for damage.

use rowkey::Table;
use rowkey::range::KeyRange;
use rowkey_store::{Get, RowBatch, RowView, Scan, Store, StoreError, TableName};

use super::entry::{Shape, stamp_of};
use super::error::IndexError;
use super::stamp::{State, now};
use crate::create::OpenTable;
use crate::record;

/// How often a row that changes all the time is judged before it is left to the next run.
const LOOKS: usize = 8;

/// What is wrong between a row and an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// A row has no entry: reads through the index miss it.
    Missing,
    /// An entry has other copies than its row, and counts as verified: reads of the index alone are wrong.
    WrongCopies,
    /// An entry leads to no row.
    Dangling,
    /// An entry leads to a row that has another entry.
    Stale,
    /// An entry is right but not verified: no difference, only a slower read.
    Unfinished,
}

impl DifferenceKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongCopies => "wrong copies",
            Self::Dangling => "dangling",
            Self::Stale => "stale",
            Self::Unfinished => "unfinished",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What is wrong.
    pub kind: DifferenceKind,
    /// The key of the index row, there or not.
    pub entry: Vec<u8>,
    /// The key of the data row, there or not; empty if the entry does not decode.
    pub row: Vec<u8>,
    /// The entry's mark and its newest cell, so that only what was seen is removed.
    pub(super) seen: Option<Vec<u8>>,
    pub(super) newest: i64,
    /// A write that may still be under way.
    pub(super) young: bool,
}

/// A table beside some of its index tables.
pub(super) struct Comparison<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) table: &'a Table,
    pub(super) name: TableName,
    /// The number in the file, the name, and how entries look.
    pub(super) indexes: Vec<(usize, TableName, Shape<'a>)>,
    /// Unverified entries younger than this are left alone, in milliseconds.
    pub(super) min_age: i64,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        table: &'a Table,
        open: &OpenTable,
        chosen: &[usize],
        min_age: i64,
    ) -> Self {
        let all = open.indexes.iter().zip(&table.indexes).enumerate();
        let indexes = all
            .filter(|(nth, _)| chosen.contains(nth))
            .map(|(nth, (open, index))| (nth, open.name.clone(), Shape::new(table, index)))
            .collect();
        Self { store, table, name: open.name.clone(), indexes, min_age }
    }

    /// Scans the table. `found` gets the place of an index, how many rows were compared, and the differences among them.
    pub(super) fn rows(
        &self,
        found: &mut dyn FnMut(usize, usize, Vec<Difference>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let mut scanner = self.store.scan(&self.name, &Scan::new(KeyRange::all()))?;
        let mut batch = RowBatch::new();
        while scanner.next_batch(&mut batch)? {
            for (place, (_, name, shape)) in self.indexes.iter().enumerate() {
                let differences = self.missing(name, shape, &batch)?;
                found(place, batch.len(), differences)?;
            }
        }
        Ok(())
    }

    /// Scans the index tables. `found` as above, with entries.
    pub(super) fn entries(
        &self,
        found: &mut dyn FnMut(usize, usize, Vec<Difference>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        for (place, (_, name, shape)) in self.indexes.iter().enumerate() {
            let mut scanner = self.store.scan(name, &Scan::new(KeyRange::all()))?;
            let mut batch = RowBatch::new();
            while scanner.next_batch(&mut batch)? {
                let differences = self.astray(name, shape, &batch)?;
                found(place, batch.len(), differences)?;
            }
        }
        Ok(())
    }

    /// The rows of a batch whose entries are not as they must be.
    fn missing(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        rows: &RowBatch,
    ) -> Result<Vec<Difference>, IndexError> {
        let mut keys = Vec::with_capacity(rows.len());
        for row in rows.rows() {
            // A row that has no key in the index has no entry.
            keys.extend(shape.key(row.key(), &record::read(self.table, row)?).ok().map(|key| (row, key)));
        }
        let mut entries = RowBatch::new();
        let there = self.get(name, keys.iter().map(|(_, key)| key.as_slice()), &mut entries)?;
        let suspects: Vec<(RowView<'_>, Difference)> = keys
            .iter()
            .zip(places(&there))
            .filter_map(|((row, key), place)| {
                let entry = place.and_then(|place| entries.row(place));
                Some((*row, self.judge_row(shape, *row, key, entry)?))
            })
            .collect();
        self.confirmed(&self.name, suspects, |key| self.look_at_row(name, shape, key))
    }

    /// What differs still, of rows or entries of a table that are read once more: one that has changed meanwhile is looked
    /// at anew, one that is gone differs in nothing.
    fn confirmed(
        &self,
        table: &TableName,
        suspects: Vec<(RowView<'_>, Difference)>,
        look: impl Fn(&[u8]) -> Result<Option<Difference>, IndexError>,
    ) -> Result<Vec<Difference>, IndexError> {
        let mut again = RowBatch::new();
        let there = self.get(table, suspects.iter().map(|(row, _)| row.key()), &mut again)?;
        let mut confirmed = Vec::with_capacity(suspects.len());
        for ((row, difference), place) in suspects.into_iter().zip(places(&there)) {
            match place.and_then(|place| again.row(place)) {
                Some(now) if now.cells().eq(row.cells()) => confirmed.push(difference),
                Some(_) => confirmed.extend(look(row.key())?),
                None => {}
            }
        }
        Ok(confirmed)
    }

    /// Judges one row until it stands still.
    fn look_at_row(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        key: &[u8],
    ) -> Result<Option<Difference>, IndexError> {
        for _ in 0..LOOKS {
            let (mut before, mut entry, mut after) = (RowBatch::new(), RowBatch::new(), RowBatch::new());
            self.get(&self.name, [key], &mut before)?;
            let Some(row) = before.row(0) else { return Ok(None) };
            let Ok(entry_key) = shape.key(key, &record::read(self.table, row)?) else { return Ok(None) };
            self.get(name, [entry_key.as_slice()], &mut entry)?;
            self.get(&self.name, [key], &mut after)?;
            if before == after {
                return Ok(self.judge_row(shape, row, &entry_key, entry.row(0)));
            }
        }
        Ok(None)
    }

    fn judge_row(
        &self,
        shape: &Shape<'_>,
        row: RowView<'_>,
        key: &[u8],
        entry: Option<RowView<'_>>,
    ) -> Option<Difference> {
        let mark = entry.and_then(|entry| shape.mark(entry));
        let kind = match (entry, &mark) {
            (None, _) => DifferenceKind::Missing,
            (Some(_), None) => DifferenceKind::Unfinished,
            (Some(entry), Some(found)) => {
                let later =
                    stamp_of(self.table, row).is_some_and(|(stamp, _)| found.mark.stamp.at > stamp.at);
                if found.mark.state != State::Verified || later {
                    DifferenceKind::Unfinished
                } else if shape.copies_agree(entry, found, row) {
                    return None;
                } else {
                    DifferenceKind::WrongCopies
                }
            }
        };
        Some(self.difference(kind, shape, key, row.key(), entry))
    }

    /// The entries of a batch that do not belong to their data rows.
    fn astray(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        entries: &RowBatch,
    ) -> Result<Vec<Difference>, IndexError> {
        let mut suspects = Vec::new();
        let mut leads = Vec::with_capacity(entries.len());
        for entry in entries.rows() {
            match shape.primary(entry.key()) {
                Ok((_, key)) => leads.push((entry, key)),
                // Not even an entry: nothing that a reader could follow.
                Err(_) => {
                    let difference =
                        self.difference(DifferenceKind::Dangling, shape, entry.key(), &[], Some(entry));
                    suspects.push((entry, difference));
                }
            }
        }
        let mut rows = RowBatch::new();
        let there = self.get(&self.name, leads.iter().map(|(_, key)| key.as_slice()), &mut rows)?;
        for ((entry, key), place) in leads.iter().zip(places(&there)) {
            let row = place.and_then(|place| rows.row(place));
            suspects
                .extend(self.judge_entry(shape, *entry, key, row)?.map(|difference| (*entry, difference)));
        }
        self.confirmed(name, suspects, |key| self.look_at_entry(name, shape, key))
    }

    /// Judges one entry until it stands still.
    fn look_at_entry(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        key: &[u8],
    ) -> Result<Option<Difference>, IndexError> {
        for _ in 0..LOOKS {
            let (mut before, mut row, mut after) = (RowBatch::new(), RowBatch::new(), RowBatch::new());
            self.get(name, [key], &mut before)?;
            let (Some(entry), Ok((_, row_key))) = (before.row(0), shape.primary(key)) else {
                return Ok(None);
            };
            self.get(&self.name, [row_key.as_slice()], &mut row)?;
            self.get(name, [key], &mut after)?;
            if before == after {
                return self.judge_entry(shape, entry, &row_key, row.row(0));
            }
        }
        Ok(None)
    }

    fn judge_entry(
        &self,
        shape: &Shape<'_>,
        entry: RowView<'_>,
        row_key: &[u8],
        row: Option<RowView<'_>>,
    ) -> Result<Option<Difference>, IndexError> {
        let kind = match row {
            None => DifferenceKind::Dangling,
            Some(row) => {
                let record = record::read(self.table, row)?;
                if shape.key(row_key, &record).is_ok_and(|key| key == entry.key()) {
                    return Ok(None);
                }
                DifferenceKind::Stale
            }
        };
        Ok(Some(self.difference(kind, shape, entry.key(), row_key, Some(entry))))
    }

    fn difference(
        &self,
        kind: DifferenceKind,
        shape: &Shape<'_>,
        entry_key: &[u8],
        row: &[u8],
        entry: Option<RowView<'_>>,
    ) -> Difference {
        let mark = entry.and_then(|entry| shape.mark(entry));
        let young = mark.as_ref().is_some_and(|found| {
            found.mark.state != State::Verified && found.mark.stamp.at.saturating_add(self.min_age) > now()
        });
        let cells = entry.into_iter().flat_map(|entry| entry.cells());
        Difference {
            kind,
            entry: entry_key.to_vec(),
            row: row.to_vec(),
            seen: entry.and_then(|entry| shape.mark_value(entry)).map(<[u8]>::to_vec),
            newest: cells.map(|cell| cell.timestamp).max().unwrap_or(0),
            young: young && self.min_age > 0,
        }
    }

    fn get<'k>(
        &self,
        table: &TableName,
        keys: impl IntoIterator<Item = &'k [u8]>,
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        let gets: Vec<Get> = keys.into_iter().map(Get::new).collect();
        if gets.is_empty() { Ok(Vec::new()) } else { self.store.get_many(table, &gets, into) }
    }
}

/// The place in the answer of each row that is there.
fn places(there: &[bool]) -> impl Iterator<Item = Option<usize>> + '_ {
    let mut next = 0;
    there.iter().map(move |there| {
        next += usize::from(*there);
        there.then(|| next - 1)
    })
}
