//! The average lengths of a table's keys and values.
//!
//! By type where nothing else is known: numbers have their width, texts ten bytes. Or measured on records.

use rowkey_core::{Table, Type, Value, column};

/// How long a text is supposed to be where nothing is known about it; as for keys.
const TYPICAL_TEXT: f64 = 10.0;

/// Mean lengths of the keys and values of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Lengths {
    /// Of a row key, in bytes.
    pub key: f64,
    /// Of each column of the table, in its order.
    pub columns: Vec<ColumnLength>,
    /// The share of rows without any value, which have one empty cell.
    pub empty_rows: f64,
    /// How many records they were measured on; none if they are taken from the types.
    pub records: u64,
}

/// The mean length of a column's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnLength {
    /// Of a value that is not null, in bytes.
    pub value: f64,
    /// The share of rows that have one.
    pub present: f64,
}

impl Lengths {
    /// What the types say; texts have ten bytes and nothing is null.
    pub fn typical(table: &Table) -> Self {
        let columns = table.stored_columns().map(|column| {
            let field = table.key.fields().get(column.field);
            ColumnLength { value: typical_value(field.ty), present: 1.0 }
        });
        let columns: Vec<ColumnLength> = columns.collect();
        let empty_rows = if columns.is_empty() { 1.0 } else { 0.0 };
        Self { key: table.key.length().typical as f64, columns, empty_rows, records: 0 }
    }
}

/// The bytes of a column's value, in HBase's layout.
fn typical_value(ty: Type) -> f64 {
    column::width(ty).map_or(TYPICAL_TEXT, |width| width as f64)
}

/// The bytes that a record has in each column of a table; `None` where it has no value.
pub(crate) fn value_lengths<'a>(
    table: &'a Table,
    record: &'a [Value<'_>],
) -> impl Iterator<Item = Option<usize>> + 'a {
    let mut bytes = Vec::new();
    table.stored_columns().map(move |column| {
        let value = record.get(column.field.0).filter(|value| !value.is_null())?;
        bytes.clear();
        column::encode(value, table.key.fields().get(column.field).ty, &mut bytes).ok()?;
        Some(bytes.len())
    })
}

/// Measures records as they come.
#[derive(Debug)]
pub struct Measure<'t> {
    table: &'t Table,
    records: u64,
    key: u64,
    columns: Vec<(u64, u64)>,
    empty_rows: u64,
}

impl<'t> Measure<'t> {
    /// No records yet.
    pub fn new(table: &'t Table) -> Self {
        let columns = vec![(0, 0); table.stored_columns().count()];
        Self { table, records: 0, key: 0, columns, empty_rows: 0 }
    }

    /// Adds a record, whose values are in the order of the table's fields. One that has no key does not count.
    pub fn add(&mut self, record: &[Value<'_>]) {
        let Some(key) = self.table.key.encoded_len(record) else { return };
        self.records += 1;
        self.key += key as u64;
        let mut empty = true;
        for (length, (count, sum)) in value_lengths(self.table, record).zip(&mut self.columns) {
            empty &= length.is_none();
            *count += u64::from(length.is_some());
            *sum += length.unwrap_or(0) as u64;
        }
        self.empty_rows += u64::from(empty);
    }

    /// How many records there were.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The means; what the types say if there was no record.
    pub fn finish(self) -> Lengths {
        if self.records == 0 {
            return Lengths::typical(self.table);
        }
        let share = |count: u64| count as f64 / self.records as f64;
        let columns = self.columns.iter().map(|(count, sum)| ColumnLength {
            value: if *count == 0 { 0.0 } else { *sum as f64 / *count as f64 },
            present: share(*count),
        });
        Lengths {
            key: share(self.key),
            columns: columns.collect(),
            empty_rows: share(self.empty_rows),
            records: self.records,
        }
    }
}
