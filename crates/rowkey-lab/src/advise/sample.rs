//! The sample of records that stands for all.
//!
//! A [`Sample`] keeps some records of the data in the order in which they are written: by the time field, if there is one,
//! otherwise as they stand in the file. Identity and forms are made from its first three quarters; the last one tests them.

use rowkey_core::Value;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::key::{FieldId, Fields};

use crate::model::{Data, Scale};
use crate::sample::lots::{by_time, columns};

/// Records that stand for all.
#[derive(Debug, Clone)]
pub struct Sample {
    /// How many rows the table will have.
    pub rows: u64,
    /// How many records the data has.
    pub data_rows: u64,
    /// Some of them.
    pub records: Vec<Vec<Value<'static>>>,
    columns: Vec<ColumnBuffer>,
}

impl Sample {
    /// Records of so many, of a table that will have so many rows, in the order of a field.
    pub fn new(
        mut records: Vec<Vec<Value<'static>>>,
        (data_rows, rows): (u64, Option<u64>),
        fields: &Fields,
        time: Option<FieldId>,
    ) -> Self {
        if let Some(time) = time {
            by_time(&mut records, time.0);
        }
        let columns = columns(&records, fields);
        let data_rows = data_rows.max(records.len() as u64);
        let rows = rows.unwrap_or(data_rows).max(data_rows);
        Self { rows, data_rows, records, columns }
    }

    /// The records that identity and forms are made from; what follows came later.
    pub(super) fn before(&self) -> &[Vec<Value<'static>>] {
        self.records.split_at(self.records.len() - self.records.len() / 4).0
    }

    /// One column for each field.
    pub(super) fn columns(&self) -> Vec<Column<'_>> {
        self.columns.iter().map(ColumnBuffer::column).collect()
    }

    /// The records as data, in these columns of theirs.
    pub(super) fn data<'a>(&self, fields: &'a Fields, columns: &'a [Column<'a>]) -> Data<'a> {
        Data { fields, columns, rows: self.records.len() }
    }

    /// What they stand for.
    pub(super) fn scale(&self) -> Scale {
        Scale::new(self.records.len(), self.data_rows, Some(self.rows))
    }
}
