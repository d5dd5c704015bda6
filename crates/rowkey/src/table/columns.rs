//! Which column keeps which field?

use super::section::{Section, Spanned};
use crate::finding::Problem;
use crate::key::{FieldId, Fields};

/// A column and the field that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The column family.
    pub family: String,
    /// The name within the family.
    pub qualifier: String,
    /// The field.
    pub field: FieldId,
}

impl Column {
    /// The qualifier of the empty cell that a record without values writes, so that its row exists.
    pub const EMPTY_ROW_QUALIFIER: &'static str = "_";

    fn label(&self) -> String {
        format!("{}:{}", self.family, self.qualifier)
    }
}

/// Reads `columns = { qualifier = "field" }` of a family.
pub(super) fn read(
    family: &str,
    section: &Section<'_>,
    fields: &Fields,
    recoverable: &[FieldId],
    columns: &mut Vec<Column>,
) {
    let Some(table) = section.section("columns", format!("columns of [families.{family}]")) else { return };
    for (qualifier, Spanned { value: name, span }) in table.string_entries() {
        let Some(field) = fields.id(name) else {
            table.find(span, Problem::unknown_field(name, fields));
            continue;
        };
        let column = Column { family: family.to_owned(), qualifier: qualifier.value.to_owned(), field };
        if column.qualifier == Column::EMPTY_ROW_QUALIFIER {
            let cure = "choose another name: `_` marks a record without values".to_owned();
            table.find(
                qualifier.span,
                Problem::BadSetting { key: "columns".to_owned(), value: column.qualifier.clone(), cure },
            );
        }
        if recoverable.contains(&field) {
            table.find(span, Problem::StoredTwice { field: name.to_owned(), column: column.label() });
        } else if let Some(first) = columns.iter().find(|other| other.field == field) {
            table.find(span, Problem::TwoColumns { field: name.to_owned(), first: first.label() });
        }
        columns.push(column);
    }
}
