//! The field of each column of the data.

use std::sync::Arc;

use rowkey_core::key::Fields;
use rowkey_core::remedy::Remedy;
use rowkey_core::value::TimeFormat;
use rowkey_core::{FieldId, Type};

use super::dialect::{Dialect, Ignored};
use super::error::InputError;
use super::names::field_names;

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

#[derive(Clone)]
pub(super) struct FieldColumn {
    pub(super) field: FieldId,
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) nullable: bool,
    /// Whether it is read.
    pub(super) wanted: bool,
    /// Cells that mean null, besides empty ones.
    pub(super) nulls: Arc<[String]>,
    /// How its times are written, if not as usual.
    pub(super) time: Option<TimeFormat>,
    /// Whether it is read without a look at the last two.
    pub(super) is_usual: bool,
}

/// No field: a column that is left out.
const NO_FIELD: FieldId = FieldId(usize::MAX);

/// The field of each column, by its name, and the fields without one, which can all be null. `place` is where the names stand.
///
/// # Errors
/// When a column has no field of its own, or a field that cannot be null no column.
pub(super) fn field_columns<'n>(
    names: impl Iterator<Item = &'n str>,
    (fields, wanted): (&Fields, &Wanted),
    dialect: &Dialect,
    label: &str,
    place: &'static str,
) -> Result<(Vec<FieldColumn>, Vec<FieldId>), InputError> {
    let own: Vec<&str> = names.collect();
    let named = field_names(own.iter().copied(), dialect, Some(fields));
    all_there(&own, &named, dialect, label, place)?;
    let times = dialect.times(fields, label)?;
    let nulls: Arc<[String]> = dialect.nulls().into();
    let (mut columns, mut unknown, mut twice) = (Vec::<FieldColumn>::new(), Vec::new(), Vec::new());
    for (at, (column, name)) in own.iter().zip(named).enumerate() {
        let field = fields.id(&name);
        if dialect.ignores(column, &name, field.is_some()) {
            let (ty, nulls) = (Type::Text, Arc::default());
            columns.push(FieldColumn {
                field: NO_FIELD,
                name,
                ty,
                nullable: true,
                wanted: false,
                nulls,
                time: None,
                is_usual: false,
            });
            continue;
        }
        match field {
            None if own.iter().take(at).any(|before| before == column) => twice.push((*column).to_owned()),
            None => unknown.push((*column).to_owned()),
            Some(field) => {
                let declared = fields.get(field);
                let (ty, nullable) = (declared.ty, declared.nullable);
                let (wanted, nulls) = (wanted.has(field), nulls.clone());
                let time = times.get(field.0).cloned().flatten();
                let is_usual = wanted && nulls.is_empty() && time.is_none();
                columns.push(FieldColumn { field, name, ty, nullable, wanted, nulls, time, is_usual });
            }
        }
    }
    let mut has = vec![false; fields.len()];
    for column in &columns {
        if let Some(has) = has.get_mut(column.field.0) {
            *has = true;
        }
    }
    let missing: Vec<FieldId> =
        fields.iter().map(|(id, _)| id).filter(|id| !has.get(id.0).copied().unwrap_or(false)).collect();
    if unknown.is_empty() && twice.is_empty() && missing.iter().all(|id| fields.get(*id).nullable) {
        return Ok((columns, missing));
    }
    let missing = missing.into_iter().map(|id| fields.get(id).name.clone()).collect();
    let fields = fields.names().map(str::to_owned).collect();
    Err(InputError::Header { data: label.to_owned(), place, unknown, missing, twice, fields })
}

/// Checks that the columns to be renamed or left out exist.
fn all_there(
    own: &[&str],
    named: &[String],
    dialect: &Dialect,
    label: &str,
    place: &'static str,
) -> Result<(), InputError> {
    let is_column = |name: &String| own.contains(&name.as_str()) || named.contains(name);
    let renamed = dialect.renames.iter().map(|(old, _)| old).filter(|old| !own.contains(&old.as_str()));
    let ignored = match &dialect.ignored {
        Ignored::These(names) => names.as_slice(),
        _ => &[],
    };
    let (data, columns) = (label.to_owned(), own.iter().map(|name| (*name).to_owned()).collect());
    let renamed: Vec<String> = renamed.cloned().collect();
    if !renamed.is_empty() {
        return Err(InputError::NoColumn { data, place, setting: Remedy::Rename, unknown: renamed, columns });
    }
    let ignored: Vec<String> = ignored.iter().filter(|name| !is_column(name)).cloned().collect();
    if !ignored.is_empty() {
        return Err(InputError::NoColumn {
            data,
            place,
            setting: Remedy::IgnoreColumns,
            unknown: ignored,
            columns,
        });
    }
    Ok(())
}
