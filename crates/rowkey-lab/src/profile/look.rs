//! What one thread sees in a batch of records.

use rowkey_core::Value;
use rowkey_core::batch::{Column, Values};
use rowkey_core::key::Fields;
use rowkey_core::types::Kind;

use super::cell::{Bool, Cell, Float, Form, Signed, Slice, Time, Unsigned, mix};
use super::distinct::Distinct;
use super::hitters::{BatchHitters, Table};
use super::order::Order;
use super::tally::Tally;

/// With more fields than this, pairs of them are not counted: there would be too many.
pub(super) const FIELDS_WITH_PAIRS: usize = 6;

/// The hash that stands for null in a pair.
const NULL: u64 = 0x6e75_6c6c;

/// Counts of all fields by one thread; batches add to it.
#[derive(Debug)]
pub(crate) struct Look {
    pub(super) tallies: Vec<Tally>,
    /// Different pairs of values, for the pairs of [`pairs`].
    pub(super) pairs: Vec<Distinct>,
    table: Table,
    /// The hash of every value of the batch, field by field.
    hashes: Vec<Vec<u64>>,
}

/// What depends on the order of the batches, and is joined in it.
#[derive(Debug)]
pub(crate) struct BatchFacts {
    pub(super) records: u64,
    pub(super) fields: Vec<(Order, BatchHitters)>,
}

/// All pairs of so many fields that are counted.
pub(super) fn pairs(fields: usize) -> impl Iterator<Item = (usize, usize)> {
    let fields = if fields > FIELDS_WITH_PAIRS { 0 } else { fields };
    (0..fields).flat_map(move |first| (first + 1..fields).map(move |second| (first, second)))
}

impl Look {
    pub(super) fn new(fields: &Fields) -> Self {
        let own_length = |kind| matches!(kind, Kind::Text | Kind::Bytes | Kind::Numeric);
        let tally = |(_, field): (_, &rowkey_core::key::Field)| {
            Tally::new(Form::of(field.ty), own_length(field.ty.kind()))
        };
        Self {
            tallies: fields.iter().map(tally).collect(),
            pairs: pairs(fields.len()).map(|_| Distinct::default()).collect(),
            table: Table::default(),
            hashes: vec![Vec::new(); fields.len()],
        }
    }

    /// Counts a batch.
    pub(super) fn batch(&mut self, columns: &[Column<'_>]) -> BatchFacts {
        let rows = columns.iter().map(Column::len).max().unwrap_or(0);
        let fields = columns.iter().enumerate().map(|(field, column)| self.column(field, column)).collect();
        for ((first, second), seen) in pairs(columns.len()).zip(&mut self.pairs) {
            // A field that is not read has no hashes, and its pairs are none.
            for (first, second) in self.hashes[first].iter().zip(&self.hashes[second]) {
                seen.add(mix(first ^ second.rotate_left(32)));
            }
        }
        BatchFacts { records: rows as u64, fields }
    }

    fn column(&mut self, field: usize, column: &Column<'_>) -> (Order, BatchHitters) {
        let nulls = column.nulls().unwrap_or_default();
        match column.values() {
            Values::I64(values) => self.cells(field, values.len(), nulls, |row| Signed(values[row])),
            Values::Time(values) => self.cells(field, values.len(), nulls, |row| Time(values[row])),
            Values::U64(values) => self.cells(field, values.len(), nulls, |row| Unsigned(values[row])),
            Values::F64(values) => self.cells(field, values.len(), nulls, |row| Float(values[row], false)),
            Values::F32(values) => {
                self.cells(field, values.len(), nulls, |row| Float(values[row].into(), true))
            }
            Values::Bool(values) => self.cells(field, values.len(), nulls, |row| Bool(values[row])),
            Values::Octets(values) => {
                let cell = |row: usize| Slice(values[row].as_bytes(), Kind::Octets(values[row].ty()));
                self.cells(field, values.len(), nulls, cell)
            }
            Values::Text(strings) | Values::Bytes(strings) => {
                let is_text = matches!(column.values(), Values::Text(_));
                let kind = if is_text { Kind::Text } else { Kind::Bytes };
                let cell = |row| Slice(strings.get(row).unwrap_or_default(), kind);
                self.cells(field, strings.len(), nulls, cell)
            }
            Values::Any(values) => {
                let nulls: Vec<bool> = values.iter().map(Value::is_null).collect();
                let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
                let cell = |row: usize| Slice(texts[row].as_bytes(), Kind::Text);
                self.cells(field, values.len(), &nulls, cell)
            }
        }
    }

    /// Counts the cells of one field: `rows` of them, null where `nulls` says so.
    fn cells<C: Cell>(
        &mut self,
        field: usize,
        rows: usize,
        nulls: &[bool],
        cell: impl Fn(usize) -> C,
    ) -> (Order, BatchHitters) {
        let Self { tallies, table, hashes, .. } = self;
        let (tally, hashes) = (&mut tallies[field], &mut hashes[field]);
        table.clear(rows);
        hashes.clear();
        let is_null = |row: usize| nulls.get(row) == Some(&true);
        let mut present = 0;
        for row in 0..rows {
            if is_null(row) {
                tally.nulls += 1;
                hashes.push(NULL);
                continue;
            }
            present += 1;
            let hash = cell(row).hash();
            hashes.push(hash);
            if table.add(hash, row as u32) {
                tally.distinct.add(hash);
            }
        }
        let hitters = table.often(present, |row| cell(row).value());
        if nulls.is_empty() {
            tally.add((0..rows).map(&cell));
            return (Order::of((0..rows).map(&cell)), hitters);
        }
        tally.add((0..rows).filter(|row| !is_null(*row)).map(&cell));
        (Order::of((0..rows).filter(|row| !is_null(*row)).map(&cell)), hitters)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.tallies.iter_mut().zip(&other.tallies).for_each(|(own, other)| own.merge(other));
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(own, other)| own.merge(other));
    }
}
