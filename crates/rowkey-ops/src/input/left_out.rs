//! The fields that records do not mention.
//!
//! A member that a JSON object does not have, or a column that the data does not have, reads as null, and yet says less: a null that
//! is written takes the value away, what is not there leaves it alone ([`crate::load`]).

use rowkey_core::FieldId;

/// The fields that the records of a batch leave out.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// The number of a record in its batch, and a field; by the numbers.
    members: Vec<(usize, FieldId)>,
    /// Fields without a column: no record has them.
    columns: Vec<FieldId>,
}

impl LeftOut {
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.columns.clear();
    }

    /// No record has these.
    pub(super) fn add_columns(&mut self, fields: &[FieldId]) {
        self.columns.extend_from_slice(fields);
    }

    /// Records come one after the other.
    pub(super) fn add(&mut self, record: usize, field: FieldId) {
        self.members.push((record, field));
    }

    /// Whether the record with this number leaves a field out.
    pub fn has(&self, record: usize, field: FieldId) -> bool {
        let first = self.members.partition_point(|(number, _)| *number < record);
        let own = self.members.get(first..).unwrap_or_default();
        let mut own = own.iter().take_while(|(number, _)| *number == record);
        self.columns.contains(&field) || own.any(|(_, left_out)| *left_out == field)
    }
}
