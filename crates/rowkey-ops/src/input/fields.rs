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

/// The field of each column, by its name, and the fields without one, which can all be null. `place` is where the names stand.
///
/// # Errors
/// When a column has no field of its own, or a field that cannot be null no column.
pub(super) fn field_columns<'n>(
    names: impl Iterator<Item = &'n str>,
    (fields, wanted): (&Fields, &Wanted),
    label: &str,
    place: &'static str,
) -> Result<(Vec<FieldColumn>, Vec<FieldId>), InputError> {
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
    let has = |id: FieldId| columns.iter().any(|column| column.field == id);
    let missing: Vec<FieldId> = fields.iter().map(|(id, _)| id).filter(|id| !has(*id)).collect();
    if unknown.is_empty() && twice.is_empty() && missing.iter().all(|id| fields.get(*id).nullable) {
        return Ok((columns, missing));
    }
    let missing = missing.into_iter().map(|id| fields.get(id).name.clone()).collect();
    let fields = fields.names().map(str::to_owned).collect();
    Err(InputError::Header { data: label.to_owned(), place, unknown, missing, twice, fields })
}
