//! The column of each field.

use std::collections::{BTreeMap, BTreeSet};

use super::section::{Section, Spanned};
use crate::finding::Problem;
use crate::key::{FieldId, Fields};

/// A column and the field that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name of the column family.
    pub family: String,
    /// The name within the family.
    pub qualifier: String,
    /// The field that the column keeps.
    pub field: FieldId,
}

impl Column {
    /// The qualifier of the empty cell that a record without values writes, so that its row exists.
    pub const EMPTY_ROW_QUALIFIER: &'static str = "_";

    /// `d:a`
    pub fn label(&self) -> String {
        format!("{}:{}", self.family, self.qualifier)
    }
}

/// The columns of all families.
pub(super) struct Columns {
    pub(super) columns: Vec<Column>,
    /// Columns of fields that come back from the key too.
    pub(super) copies: Vec<Column>,
    /// The fields that come back from the key.
    recoverable: BTreeSet<FieldId>,
    /// The first column of a field.
    pub(super) of_field: BTreeMap<FieldId, String>,
}

impl Columns {
    pub(super) fn new(recoverable: &[FieldId]) -> Self {
        let recoverable = recoverable.iter().copied().collect();
        Self { columns: Vec::new(), copies: Vec::new(), recoverable, of_field: BTreeMap::new() }
    }

    /// Reads `columns` of a family; a field without a qualifier has its own name for one.
    pub(super) fn read(&mut self, family: &str, section: &Section<'_>, fields: &Fields) {
        for (qualifier, named) in section.columns() {
            let Spanned { value: name, span } = named;
            let qualifier = qualifier.unwrap_or(named);
            let Some(field) = fields.id(name) else {
                section.find_unknown_field(span, name, fields);
                continue;
            };
            let column = Column { family: family.to_owned(), qualifier: qualifier.value.to_owned(), field };
            if column.qualifier == Column::EMPTY_ROW_QUALIFIER {
                let cure = "choose another name: `_` marks a record without values".to_owned();
                section.find(
                    qualifier.span,
                    Problem::BadSetting { key: "columns".to_owned(), value: column.qualifier.clone(), cure },
                );
            }
            if let Some(first) = self.of_field.get(&field) {
                section.find(span, Problem::TwoColumns { field: name.to_owned(), first: first.clone() });
            }
            self.of_field.entry(field).or_insert_with(|| column.label());
            let is_copy = self.recoverable.contains(&field);
            if is_copy { self.copies.push(column) } else { self.columns.push(column) }
        }
    }
}
