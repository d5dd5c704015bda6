//! Index rows, and the data rows that they belong to.
//!
//! An entry's key is the index key of a record; every field of the table's key comes back from it, so the entry leads to
//! one data row and no two data rows share an entry. Its cells: `_` in the first family ([`Mark`]), and the copies, in the
//! same families, columns and bytes as in the data row. All cells of one write have its stamp as timestamp. The mark says
//! which copies are there: a copy that it does not name, or one with another timestamp, is a left-over and does not count.
//!
//! Where a store writes a row and its entries in one moment, the mark is short: `V` and a byte for each copy. Such an entry has
//! the time of its row.

use rowkey_core::column;
use rowkey_core::key::FieldId;
use rowkey_core::table::{Column, Index};
use rowkey_core::{Table, Value};
use rowkey_store::{CellView, RowBatch, RowView, TableName};

use super::error::IndexError;
use super::stamp::{Mark, Stamp, State, VERIFIED};
use crate::create::OpenTable;
use crate::record::{self, RowError};

/// The qualifier of stamps and marks.
pub(crate) const MARK: &[u8] = Column::EMPTY_ROW_QUALIFIER.as_bytes();

/// How the entries of one index table look.
#[derive(Debug, Clone)]
pub(crate) struct Shape<'t> {
    pub(crate) table: &'t Table,
    pub(crate) index: &'t Index,
    /// The columns that it keeps copies of.
    pub(crate) copies: Vec<&'t Column>,
    /// The fields that an entry has by itself.
    pub(crate) fields: Vec<FieldId>,
    /// Whether every entry leads to its data row, whatever the values.
    is_exact: bool,
}

/// Reads of rows what the keys of their entries are made of: the values that come back from a row's key, and some columns.
#[derive(Debug, Clone)]
pub(crate) struct KeyRecords<'t> {
    table: &'t Table,
    columns: Vec<&'t Column>,
}

impl<'t> KeyRecords<'t> {
    pub(crate) fn new<'s>(table: &'t Table, shapes: impl IntoIterator<Item = &'s Shape<'t>>) -> Self
    where
        't: 's,
    {
        let named: Vec<FieldId> =
            shapes.into_iter().flat_map(|shape| shape.index.key.named_fields()).collect();
        let columns = table.columns.iter().filter(|column| named.contains(&column.field)).collect();
        Self { table, columns }
    }

    /// A record in which the other columns are null.
    pub(crate) fn read<'b>(&self, row: RowView<'b>) -> Result<Vec<Value<'b>>, RowError> {
        let mut values = Vec::new();
        self.read_into(row, &mut values)?;
        Ok(values)
    }

    /// The same, where the last one was.
    pub(crate) fn read_into<'b>(
        &self,
        row: RowView<'b>,
        values: &mut Vec<Value<'b>>,
    ) -> Result<(), RowError> {
        record::read_columns(self.table, self.columns.iter().copied(), row, values)
    }
}

/// The mark of an entry that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundMark<'b> {
    pub(crate) mark: Mark,
    /// Which copies are there.
    copies: &'b [u8],
    /// When it was written.
    timestamp: i64,
    /// Whether it is short: written atomically with its row, or while the row did not change.
    pub(crate) is_short: bool,
}

/// The family of stamps and marks.
pub(crate) fn mark_family(table: &Table) -> &[u8] {
    table.families.first().map_or(b"", |family| family.name.as_bytes())
}

/// The stamp of a data row, with its bytes; `None` if the row was written by another program.
pub(crate) fn stamp_of<'b>(table: &Table, row: RowView<'b>) -> Option<(Stamp, &'b [u8])> {
    let bytes = row.value(mark_family(table), MARK)?;
    Some((Stamp::read(bytes)?, bytes))
}

/// The index tables of an open table, in the order of its file.
pub(crate) fn named_shapes<'t>(table: &'t Table, open: &OpenTable) -> Vec<(TableName, Shape<'t>)> {
    let indexes = open.indexes.iter().zip(&table.indexes);
    indexes.map(|(open, index)| (open.name.clone(), Shape::new(table, index))).collect()
}

impl<'t> Shape<'t> {
    pub(crate) fn new(table: &'t Table, index: &'t Index) -> Self {
        let copies: Vec<&Column> = index
            .columns
            .iter()
            .filter_map(|field| table.columns.iter().find(|c| c.field == *field))
            .collect();
        let fields =
            index.key.recoverable().into_iter().chain(copies.iter().map(|copy| copy.field)).collect();
        let is_exact = table.key.named_fields().into_iter().all(|field| index.key.brings_back_exactly(field));
        Self { table, index, copies, fields, is_exact }
    }

    /// The key of a record's entry. The record is one that was read from a row, so that every value is as it is stored.
    pub(crate) fn key(&self, row: &[u8], record: &[Value<'_>]) -> Result<Vec<u8>, IndexError> {
        let mut key = Vec::new();
        self.key_into(row, record, &mut key)?;
        Ok(key)
    }

    /// The same, where the last one was.
    pub(crate) fn key_into(
        &self,
        row: &[u8],
        record: &[Value<'_>],
        key: &mut Vec<u8>,
    ) -> Result<(), IndexError> {
        key.clear();
        self.index.key.encode(record, key).map_err(|problem| IndexError::Key {
            index: self.index.name.clone(),
            row: row.to_vec(),
            problem,
        })
    }

    /// The key of an entry that is to be written: it must lead back to its data row.
    pub(crate) fn entry(&self, row: &[u8], record: &[Value<'_>]) -> Result<Vec<u8>, IndexError> {
        let mut key = Vec::new();
        self.entry_into(row, record, &mut key)?;
        Ok(key)
    }

    /// The same, where the last one was.
    pub(crate) fn entry_into(
        &self,
        row: &[u8],
        record: &[Value<'_>],
        key: &mut Vec<u8>,
    ) -> Result<(), IndexError> {
        self.key_into(row, record, key)?;
        self.leads_back(key, row)
    }

    fn leads_back(&self, entry: &[u8], row: &[u8]) -> Result<(), IndexError> {
        if self.is_exact {
            return Ok(());
        }
        match self.primary(entry) {
            Ok((_, primary)) if primary == row => Ok(()),
            _ => Err(IndexError::LeadsElsewhere { index: self.index.name.clone(), row: row.to_vec() }),
        }
    }

    /// The values that come back from an entry's key, and the key of its data row.
    pub(crate) fn primary<'b>(&self, entry: &'b [u8]) -> Result<(Vec<Value<'b>>, Vec<u8>), IndexError> {
        let (mut values, mut key) = (Vec::new(), Vec::new());
        self.index.key.decode_values(entry, &mut values).map_err(|problem| IndexError::Entry {
            index: self.index.name.clone(),
            entry: entry.to_vec(),
            problem,
        })?;
        self.table.key.encode(&values, &mut key).map_err(|problem| IndexError::Key {
            index: self.index.name.clone(),
            row: entry.to_vec(),
            problem,
        })?;
        Ok((values, key))
    }

    /// The mark of an entry.
    pub(crate) fn mark<'b>(&self, entry: RowView<'b>) -> Option<FoundMark<'b>> {
        let family = mark_family(self.table);
        let cell = entry.cells().find(|cell| cell.family == family && cell.qualifier == MARK)?;
        let timestamp = cell.timestamp;
        if let Some((&VERIFIED, copies)) = cell.value.split_first()
            && copies.len() == self.copies.len()
        {
            let stamp = Stamp { at: timestamp, cells: timestamp, nonce: 0 };
            let mark = Mark { state: State::Verified, stamp };
            return Some(FoundMark { mark, copies, timestamp, is_short: true });
        }
        let (mark, copies) = Mark::read(cell.value)?;
        Some(FoundMark { mark, copies, timestamp, is_short: false })
    }

    /// The bytes where an entry's mark must be, whatever they are; `None` for nothing or no bytes.
    pub(crate) fn mark_value<'b>(&self, entry: RowView<'b>) -> Option<&'b [u8]> {
        entry.value(mark_family(self.table), MARK).filter(|bytes| !bytes.is_empty())
    }

    /// The value of a mark for an entry with the copies of a data row; without a row, for one that is about to go.
    pub(crate) fn mark_bytes(&self, mark: Mark, row: Option<RowView<'_>>) -> Vec<u8> {
        mark.bytes(&self.there(row).collect::<Vec<u8>>())
    }

    /// For each copy 1 if the row has it, and 0 if not.
    fn there(&self, row: Option<RowView<'_>>) -> impl Iterator<Item = u8> {
        let there = move |column: &&Column| {
            row.is_some_and(|row| row.value(column.family.as_bytes(), column.qualifier.as_bytes()).is_some())
        };
        self.copies.iter().map(move |column| u8::from(there(column)))
    }

    /// Writes an entry with its copies, which are taken from the data row; without a row the mark alone, over an entry that
    /// is about to go.
    pub(crate) fn write(&self, key: &[u8], mark: Mark, row: Option<RowView<'_>>, batch: &mut RowBatch) {
        batch.begin_row(key);
        let at = mark.stamp.at;
        batch.cell(mark_family(self.table), MARK, at, &self.mark_bytes(mark, row));
        if let Some(row) = row {
            self.write_copies(row, at, batch);
        }
    }

    /// Writes an entry that comes in one moment with its data row, or whose data row nobody changes meanwhile: it has the time of
    /// the row, and its mark is short.
    pub(crate) fn write_settled(&self, key: &[u8], row: RowView<'_>, batch: &mut RowBatch) {
        let at = row.newest().unwrap_or(0);
        batch.begin_row(key);
        let mark: Vec<u8> = std::iter::once(VERIFIED).chain(self.there(Some(row))).collect();
        batch.cell(mark_family(self.table), MARK, at, &mark);
        self.write_copies(row, at, batch);
    }

    fn write_copies(&self, row: RowView<'_>, at: i64, batch: &mut RowBatch) {
        for copy in &self.copies {
            if let Some(value) = row.value(copy.family.as_bytes(), copy.qualifier.as_bytes()) {
                batch.cell(copy.family.as_bytes(), copy.qualifier.as_bytes(), at, value);
            }
        }
    }

    /// The columns that are copied, each with its bytes in an entry; `None` for a null.
    fn copies<'b>(
        &self,
        entry: RowView<'b>,
        mark: &FoundMark<'b>,
    ) -> impl Iterator<Item = (&'t Column, Option<&'b [u8]>)> {
        let (there, at) = (mark.copies, mark.timestamp);
        self.copies.iter().enumerate().map(move |(nth, &column)| {
            let is_it = |cell: &CellView<'_>| {
                cell.family == column.family.as_bytes()
                    && cell.qualifier == column.qualifier.as_bytes()
                    && cell.timestamp == at
            };
            let named = there.get(nth) == Some(&1);
            (column, entry.cells().find(is_it).filter(|_| named).map(|cell| cell.value))
        })
    }

    /// Whether a cell of the data row has a say in whether an entry is right: its stamp, and what is copied.
    pub(crate) fn judges_by(&self, cell: &CellView<'_>) -> bool {
        let is = |family: &[u8], qualifier: &[u8]| cell.family == family && cell.qualifier == qualifier;
        is(mark_family(self.table), MARK)
            || self.copies.iter().any(|copy| is(copy.family.as_bytes(), copy.qualifier.as_bytes()))
    }

    /// Whether the copies of an entry are the values of its data row.
    pub(crate) fn copies_agree(&self, entry: RowView<'_>, mark: &FoundMark<'_>, row: RowView<'_>) -> bool {
        self.copies(entry, mark)
            .all(|(column, copy)| copy == row.value(column.family.as_bytes(), column.qualifier.as_bytes()))
    }

    /// Adds the copies of an entry to the values that came back from its key.
    pub(crate) fn read_copies<'b>(
        &self,
        entry: RowView<'b>,
        mark: &FoundMark<'b>,
        values: &mut [Value<'b>],
    ) -> Result<(), RowError> {
        for (column, copy) in self.copies(entry, mark) {
            let Some(bytes) = copy else { continue };
            let declared = self.table.key.fields().get(column.field);
            let value = column::decode(bytes, declared.ty).map_err(|problem| RowError::Cell {
                row: entry.key().to_vec(),
                column: format!("{}:{}", column.family, column.qualifier),
                field: declared.name.clone(),
                problem,
            })?;
            if let Some(slot) = values.get_mut(column.field.0) {
                *slot = value;
            }
        }
        Ok(())
    }
}
