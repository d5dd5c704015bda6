//! Which field is each column of the data for?

use rowkey::key::Fields;
use rowkey::{FieldId, Type};

use super::error::InputError;

/// Which fields are read; the others are null, and what the data has for them is not looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted(Option<Vec<FieldId>>);

impl Wanted {
    /// All of them.
    pub(super) const ALL: Self = Self(None);

    /// These.
    pub(super) fn only(fields: &[FieldId]) -> Self {
        Self(Some(fields.to_vec()))
    }

    pub(super) fn has(&self, field: FieldId) -> bool {
        self.0.as_ref().is_none_or(|fields| fields.contains(&field))
    }
}

/// A column and its field.
#[derive(Clone)]
pub(super) struct FieldColumn {
    pub(super) field: FieldId,
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) nullable: bool,
    /// Whether it is read.
    pub(super) wanted: bool,
}

/// The field of each column, by its name. `place` is where the names stand.
///
/// # Errors
/// When not every field has one column and every column a field.
pub(super) fn field_columns<'n>(
    names: impl Iterator<Item = &'n str>,
    (fields, wanted): (&Fields, &Wanted),
    label: &str,
    place: &'static str,
) -> Result<Vec<FieldColumn>, InputError> {
    let (mut columns, mut unknown, mut twice) = (Vec::<FieldColumn>::new(), Vec::new(), Vec::new());
    for name in names {
        match fields.id(name) {
            None => unknown.push(name.to_owned()),
            Some(field) if columns.iter().any(|column| column.field == field) => twice.push(name.to_owned()),
            Some(field) => {
                let declared = fields.get(field);
                let (ty, nullable) = (declared.ty, declared.nullable);
                let wanted = wanted.has(field);
                columns.push(FieldColumn { field, name: name.to_owned(), ty, nullable, wanted });
            }
        }
    }
    let has = |name: &&str| columns.iter().any(|column| column.name == *name);
    let missing: Vec<String> = fields.names().filter(|name| !has(name)).map(str::to_owned).collect();
    if unknown.is_empty() && missing.is_empty() && twice.is_empty() {
        return Ok(columns);
    }
    let fields = fields.names().map(str::to_owned).collect();
    Err(InputError::Header { data: label.to_owned(), place, unknown, missing, twice, fields })
}
