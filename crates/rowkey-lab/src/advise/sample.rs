//! Which records stand for all?
//!
//! A [`Sample`] keeps some records of the data in the order in which they are written: by the time field, if there is one,
//! otherwise as they stand in the file. Its first half is the past, which split points are taken from; the second half
//! is what is written then.

use rowkey::Value;
use rowkey::batch::{Column, ColumnBuffer};
use rowkey::key::{FieldId, Fields};

/// Records that stand for all.
#[derive(Debug, Clone)]
pub struct Sample {
    /// How many records there are in all.
    pub rows: u64,
    /// Some of them.
    pub records: Vec<Vec<Value<'static>>>,
    columns: Vec<ColumnBuffer>,
}

impl Sample {
    /// Records of so many, in the order of a field.
    pub fn new(
        mut records: Vec<Vec<Value<'static>>>,
        rows: u64,
        fields: &Fields,
        time: Option<FieldId>,
    ) -> Self {
        if let Some(time) = time {
            let at = |record: &[Value<'static>]| record.get(time.0).cloned().unwrap_or_default();
            records.sort_by(|a, b| {
                let (a, b) = (at(a), at(b));
                a.compare(&b).unwrap_or_else(|| b.is_null().cmp(&a.is_null()))
            });
        }
        let mut columns: Vec<ColumnBuffer> =
            fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for record in &records {
            for (column, value) in columns.iter_mut().zip(record) {
                // A reader that has the types gives no other values; one made by hand counts as none.
                if column.push(value).is_err() {
                    let _ = column.push(&Value::Null);
                }
            }
        }
        let rows = rows.max(records.len() as u64);
        Self { rows, records, columns }
    }

    /// One column for each field.
    pub(super) fn columns(&self) -> Vec<Column<'_>> {
        self.columns.iter().map(ColumnBuffer::column).collect()
    }

    /// How many records one of the sample stands for.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn scale(&self) -> f64 {
        self.rows as f64 / self.records.len().max(1) as f64
    }

    /// How many records there are of something that was found so often in the sample. What is looked for was drawn from the
    /// sample, so one of the found stands only for itself.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn rows_of(&self, found: usize) -> f64 {
        match found {
            0 => 0.0,
            found => 1.0 + (found - 1) as f64 * self.scale(),
        }
    }
}
