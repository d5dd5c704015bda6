//! Which field is each column of the data for?

use rowkey::key::Fields;
use rowkey::{FieldId, Type};

use super::error::InputError;

/// A column and its field.
pub(super) struct FieldColumn {
    pub(super) field: FieldId,
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) nullable: bool,
}

/// The field of each column, by its name. `place` is where the names stand.
///
/// # Errors
/// When not every field has one column and every column a field.
pub(super) fn field_columns<'n>(
    names: impl Iterator<Item = &'n str>,
    fields: &Fields,
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
                columns.push(FieldColumn { field, name: name.to_owned(), ty, nullable });
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
