//! Finds the differences between a table and its index tables.
//!
//! The table is scanned, and the entry that each row must have is sorted with all others ([`crate::row_sort`]); then the index table
//! is scanned beside them. What is on one side only, or differs, is a suspect: *missing* or *wrong copies* of a row, *dangling* (the
//! row is gone) or *stale* (the row has another entry) of an entry. Suspects are read again, many at a time, each around the
//! other side's read, so that live writers are not taken for damage.

use std::cmp::Ordering;

use rowkey_core::range::KeyRange;
use rowkey_core::{Table, Value};
use rowkey_store::{Get, RowBatch, RowView, Scan, Scanner, Store, StoreError, TableName};

use super::bulk::EntrySort;
use super::entry::{Shape, named_shapes, stamp_of};
use super::error::IndexError;
use super::stamp::{State, now};
use crate::cancel::Cancel;
use crate::create::OpenTable;
use crate::record;
use crate::row_sort::SortedRows;

/// How often a row that changes all the time is judged before it is left to the next run.
const LOOKS: usize = 8;
/// So many rows or entries are compared before their suspects are looked at.
const CHUNK: usize = 4096;
/// What sorting the entries that must be there may keep in memory.
const SORT_MEMORY: usize = 192 << 20;

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

/// Rows and entries that were compared.
#[derive(Default)]
pub(super) struct Compared {
    rows: usize,
    pub(super) entries: usize,
    pub(super) differences: Vec<Difference>,
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
        let all = named_shapes(table, open).into_iter().enumerate();
        let indexes = all
            .filter(|(nth, _)| chosen.contains(nth))
            .map(|(nth, (name, shape))| (nth, name, shape))
            .collect();
        Self { store, table, name: open.name.clone(), indexes, min_age }
    }

    /// Compares all. `found` gets the place of an index table, how many of its rows and entries were compared, and the differences
    /// among them; `scanned` how many rows of the table were read.
    pub(super) fn run(
        &self,
        scanned: &mut (dyn FnMut(usize) + Send),
        found: &mut dyn FnMut(usize, Compared) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let expected = self.expected(scanned)?.into_sorts();
        for (place, ((_, name, shape), (_, sort))) in self.indexes.iter().zip(expected).enumerate() {
            let mut sides = Sides::open(self.store, name, sort.finish()?)?;
            let (mut rows, mut entries) = (Vec::new(), Vec::new());
            let mut compared = Compared::default();
            loop {
                let side = sides.look()?;
                match side {
                    Side::Row(row) => {
                        compared.rows += 1;
                        rows.extend(shape.primary(row.key()).ok().map(|(_, key)| key));
                    }
                    Side::Entry(entry) => {
                        compared.entries += 1;
                        entries.push(entry.key().to_vec());
                    }
                    Side::Both(row, entry) => {
                        compared.rows += 1;
                        compared.entries += 1;
                        if self.kind_of(shape, row, Some(entry)).is_some() {
                            rows.extend(shape.primary(row.key()).ok().map(|(_, key)| key));
                        }
                    }
                    Side::End => {}
                }
                let is_end = matches!(side, Side::End);
                if is_end || compared.rows.max(compared.entries) >= CHUNK {
                    compared.differences = self.look_at_rows(name, shape, std::mem::take(&mut rows))?;
                    compared.differences.extend(self.look_at_entries(
                        name,
                        shape,
                        std::mem::take(&mut entries),
                    )?);
                    found(place, std::mem::take(&mut compared))?;
                }
                if is_end {
                    break;
                }
                sides.step();
            }
        }
        Ok(())
    }

    /// The entries that the rows must have, for each index table: the key, and of the row what it is judged by.
    fn expected(&self, scanned: &mut (dyn FnMut(usize) + Send)) -> Result<EntrySort<'a>, IndexError> {
        let indexes = self.indexes.iter().map(|(_, name, shape)| (name.clone(), shape.clone())).collect();
        let expected = EntrySort::new(self.table, indexes, judged, (SORT_MEMORY, &std::env::temp_dir()));
        expected.add_table(self.store, &self.name, &Cancel::new(), scanned)?;
        Ok(expected)
    }

    /// Judges rows by their keys.
    fn look_at_rows(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        keys: Vec<Vec<u8>>,
    ) -> Result<Vec<Difference>, IndexError> {
        let entry_of = |_: &[u8], row: Option<RowView<'_>>| {
            let record = row.map(|row| record::read(self.table, row)).transpose()?;
            let key = row.zip(record).and_then(|(row, record)| shape.key(row.key(), &record).ok());
            Ok(key.unwrap_or_default())
        };
        self.look((&self.name, name), keys, entry_of, |row, entry_key, entry| {
            let kind = self.kind_of(shape, row, entry).filter(|_| !entry_key.is_empty());
            Ok(kind.map(|kind| self.difference(kind, shape, entry_key, row.key(), entry)))
        })
    }

    /// Judges entries by their keys.
    fn look_at_entries(
        &self,
        name: &TableName,
        shape: &Shape<'_>,
        keys: Vec<Vec<u8>>,
    ) -> Result<Vec<Difference>, IndexError> {
        // What does not decode is not even an entry: nothing that a reader could follow.
        let row_of = |key: &[u8], _: Option<RowView<'_>>| {
            Ok(shape.primary(key).map(|(_, key)| key).unwrap_or_default())
        };
        self.look((name, &self.name), keys, row_of, |entry, row_key, row| {
            let kind = self.kind_astray(shape, entry, row)?;
            Ok(kind.map(|kind| self.difference(kind, shape, entry.key(), row_key, Some(entry))))
        })
    }

    /// Judges the rows of one table beside those of the other that belong to them, each when it has stood still.
    fn look(
        &self,
        (one, other): (&TableName, &TableName),
        mut keys: Vec<Vec<u8>>,
        belongs: impl Fn(&[u8], Option<RowView<'_>>) -> Result<Vec<u8>, IndexError>,
        judge: impl Fn(RowView<'_>, &[u8], Option<RowView<'_>>) -> Result<Option<Difference>, IndexError>,
    ) -> Result<Vec<Difference>, IndexError> {
        let mut differences = Vec::new();
        for _ in 0..LOOKS {
            let before = self.read(one, &keys)?;
            let other_keys = keys.iter().zip(before.iter()).map(|(key, row)| belongs(key, row));
            let other_keys: Vec<Vec<u8>> = other_keys.collect::<Result<_, _>>()?;
            let others = self.read(other, &other_keys)?;
            let after = self.read(one, &keys)?;
            let mut moved = Vec::new();
            let sides = before.iter().zip(others.iter()).zip(after.iter());
            for ((key, other_key), ((row, other), after)) in keys.iter().zip(&other_keys).zip(sides) {
                if !is_same(row, after) {
                    moved.push(key.clone());
                } else if let Some(row) = row {
                    differences.extend(judge(row, other_key, other)?);
                }
            }
            keys = moved;
            if keys.is_empty() {
                break;
            }
        }
        Ok(differences)
    }

    /// What is wrong with the entry that a row must have. Of the row only what [`Shape::judges_by`] is looked at.
    fn kind_of(
        &self,
        shape: &Shape<'_>,
        row: RowView<'_>,
        entry: Option<RowView<'_>>,
    ) -> Option<DifferenceKind> {
        let Some(entry) = entry else { return Some(DifferenceKind::Missing) };
        let Some(found) = shape.mark(entry) else { return Some(DifferenceKind::Unfinished) };
        let stamp = stamp_of(self.table, row).filter(|_| !found.is_short);
        let later = stamp.is_some_and(|(stamp, _)| found.mark.stamp.at > stamp.at);
        if found.mark.state != State::Verified || later {
            return Some(DifferenceKind::Unfinished);
        }
        (!shape.copies_agree(entry, &found, row)).then_some(DifferenceKind::WrongCopies)
    }

    /// What is wrong with an entry, beside the row that it leads to.
    fn kind_astray(
        &self,
        shape: &Shape<'_>,
        entry: RowView<'_>,
        row: Option<RowView<'_>>,
    ) -> Result<Option<DifferenceKind>, IndexError> {
        let Some(row) = row else { return Ok(Some(DifferenceKind::Dangling)) };
        let record = record::read(self.table, row)?;
        let is_its = shape.key(row.key(), &record).is_ok_and(|key| key == entry.key());
        Ok((!is_its).then_some(DifferenceKind::Stale))
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

    /// Reads rows by their keys; there is none with an empty key.
    fn read(&self, table: &TableName, keys: &[Vec<u8>]) -> Result<Rows, StoreError> {
        let gets: Vec<Get> =
            keys.iter().filter(|key| !key.is_empty()).map(|key| Get::new(key.as_slice())).collect();
        let mut found = RowBatch::new();
        let there =
            if gets.is_empty() { Vec::new() } else { self.store.get_many(table, &gets, &mut found)? };
        let (mut there, mut next) = (there.into_iter(), 0..);
        let places = keys
            .iter()
            .map(|key| if !key.is_empty() && there.next() == Some(true) { next.next() } else { None })
            .collect();
        Ok(Rows { found, places })
    }
}

/// Writes what the entry of a row is judged by. A row that has no key in the index has no entry.
fn judged(
    shape: &Shape<'_>,
    row: RowView<'_>,
    record: &[Value<'_>],
    key: &mut Vec<u8>,
    expected: &mut RowBatch,
) -> Result<(), IndexError> {
    if shape.key_into(row.key(), record, key).is_ok() {
        expected.begin_row(key);
        row.cells().filter(|cell| shape.judges_by(cell)).for_each(|cell| expected.push_cell(cell));
    }
    Ok(())
}

/// Rows that were asked for by their keys.
struct Rows {
    found: RowBatch,
    /// For each the place among those found, if it is there.
    places: Vec<Option<usize>>,
}

impl Rows {
    fn iter(&self) -> impl Iterator<Item = Option<RowView<'_>>> {
        self.places.iter().map(|place| place.and_then(|place| self.found.row(place)))
    }
}

fn is_same(a: Option<RowView<'_>>, b: Option<RowView<'_>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.cells().eq(b.cells()),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The entries that must be there and those that are, by their keys.
struct Sides {
    expected: SortedRows,
    row: RowBatch,
    scanner: Box<dyn Scanner>,
    batch: RowBatch,
    at: usize,
    /// Which of the two goes on with the next step.
    steps: (bool, bool),
}

/// The next key, on one side or both.
enum Side<'a> {
    Row(RowView<'a>),
    Entry(RowView<'a>),
    Both(RowView<'a>, RowView<'a>),
    End,
}

impl Sides {
    fn open(store: &dyn Store, name: &TableName, expected: SortedRows) -> Result<Self, IndexError> {
        let scanner = store.scan(name, &Scan::new(KeyRange::all()))?;
        let (row, batch) = (RowBatch::new(), RowBatch::new());
        let mut sides = Self { expected, row, scanner, batch, at: 0, steps: (true, false) };
        sides.scanner.next_batch(&mut sides.batch)?;
        Ok(sides)
    }

    fn step(&mut self) {
        self.at += usize::from(self.steps.1);
    }

    fn look(&mut self) -> Result<Side<'_>, IndexError> {
        if self.steps.0 {
            self.row.clear();
            self.expected.next(&mut self.row)?;
        }
        if self.at >= self.batch.len() && !self.batch.is_empty() {
            self.at = 0;
            self.scanner.next_batch(&mut self.batch)?;
        }
        let side = match (self.row.row(0), self.batch.row(self.at)) {
            (None, None) => Side::End,
            (Some(row), None) => Side::Row(row),
            (None, Some(entry)) => Side::Entry(entry),
            (Some(row), Some(entry)) => match row.key().cmp(entry.key()) {
                Ordering::Less => Side::Row(row),
                Ordering::Equal => Side::Both(row, entry),
                Ordering::Greater => Side::Entry(entry),
            },
        };
        self.steps = match side {
            Side::Row(_) => (true, false),
            Side::Entry(_) => (false, true),
            Side::Both(..) => (true, true),
            Side::End => (false, false),
        };
        Ok(side)
    }
}
