//! Alters a table to what its changed file says.
//!
//! [`compare`] says everything in which a file and a table differ: what can be changed, and what never can, because rows that are there
//! would be read wrongly. [`Alteration::apply`] makes all changes by one call to the store, so that all of them are made or none.
//!
//! Columns are compared by their place, family and qualifier, for that is where cells are; a field may be renamed.

use std::collections::BTreeMap;

use rowkey_core::remedy::Remedy;
use rowkey_core::table::Column;
use rowkey_core::{FieldId, Table, Type};
use rowkey_store::{Family, Store, TableDescriptor};

use crate::create::{self, FILE_ATTRIBUTE, FINGERPRINT_ATTRIBUTE, TableError};
use crate::index::mark_family;
use crate::index::tables::{self, INDEXES_ATTRIBUTE};

/// Names of attributes that are rowkey's own.
const OWN: &str = "ROWKEY";

/// What is to be done besides what the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlterOptions {
    /// Families to remove, with their cells.
    pub drop_families: Vec<String>,
    /// Attributes of the table to set, and to remove where there is no value.
    pub attributes: BTreeMap<String, Option<String>>,
}

/// What can be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Change {
    /// A new family.
    #[error("family {family} is added")]
    FamilyAdded {
        /// The family's name.
        family: String,
    },
    /// A family that goes.
    #[error("family {family} is removed with all its cells; rows that have no others are gone")]
    FamilyRemoved {
        /// The family's name.
        family: String,
    },
    /// A setting of a family.
    #[error("family {family}: {setting} {before} -> {after}")]
    Setting {
        /// The family's name.
        family: String,
        /// The setting, as the table file spells it.
        setting: String,
        /// What it is.
        before: String,
        /// What it becomes.
        after: String,
    },
    /// An attribute of the table.
    #[error("attribute {name}: {before} -> {after}")]
    Attribute {
        /// The attribute's name.
        name: String,
        /// What it is.
        before: String,
        /// What it becomes.
        after: String,
    },
    /// A column that rows get from now on.
    #[error("column {column} is added: field `{field}`, null in rows that are there")]
    ColumnAdded {
        /// Family and qualifier.
        column: String,
        /// The field that the file gives it, or gave it.
        field: String,
    },
    /// A column that is no longer read.
    #[error("column {column} (field `{field}`) is no longer read; its cells stay")]
    ColumnLeftOut {
        /// Family and qualifier.
        column: String,
        /// The field that the file gives it, or gave it.
        field: String,
    },
    /// A field by another name.
    #[error("field `{before}` is called `{after}`")]
    Renamed {
        /// Its name.
        before: String,
        /// Its new name.
        after: String,
    },
    /// A field that may be null from now on.
    #[error("field `{field}` can be null")]
    Nullable {
        /// The field's name.
        field: String,
    },
    /// Anything else of the file, which says nothing about rows that are there.
    #[error("the table file that is stored with it: queries, splits, identity or comments")]
    File,
}

/// What cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Another key.
    #[error(
        "the key cannot change: rows have the bytes of {stored}, not of {given}; make a new table, and load an export of this one"
    )]
    Key {
        /// The key that the table was made with.
        stored: String,
        /// The file's.
        given: String,
    },
    /// Another type in the key.
    #[error(
        "field `{field}` of the key cannot become {after}: rows have the bytes of {before}; make a new table, and load an export of this \
         one"
    )]
    KeyType {
        /// The field's name.
        field: String,
        /// The type of the stored table file.
        before: Type,
        /// The file's.
        after: Type,
    },
    /// Another type.
    #[error(
        "field `{field}` cannot become {after}: its bytes are those of {before}; add a column of another name for the new type"
    )]
    Type {
        /// The field's name.
        field: String,
        /// The type of the stored table file.
        before: Type,
        /// The file's.
        after: Type,
    },
    /// A column at another place.
    #[error(
        "field `{field}` cannot move from column {before} to {after}: rows that are there have it in {before}"
    )]
    Moved {
        /// The field's name.
        field: String,
        /// The column, as `family:qualifier`, of rows that are there.
        before: String,
        /// The file's.
        after: String,
    },
    /// A field that old rows cannot have.
    #[error(
        "field `{field}` must be able to be null, for rows that are there may have none; write \"{ty}?\""
    )]
    NotNull {
        /// The field's name.
        field: String,
        /// Its type.
        ty: Type,
    },
    /// Another field for the times of cells.
    #[error(
        "cell_time cannot change: it says which cells of a row are the newest, and those that are there have other times"
    )]
    CellTime,
    /// Other index tables.
    #[error(
        "index tables are not made or changed here: there are [{stored}], the file has [{given}]; {} makes new ones",
        Remedy::BuildIndex
    )]
    Indexes {
        /// What is stored.
        stored: String,
        /// What the file says.
        given: String,
    },
    /// Rows that would live longer or shorter than their entries.
    #[error(
        "family {family}: ttl and min_versions of a table with index tables cannot change, for rows and entries must end together; make a new table, and load an export of this one"
    )]
    Lifetime {
        /// The family's name.
        family: String,
    },
    /// Another first family, where rows and entries keep their marks.
    #[error(
        "family {family} must stay the first of the file: rows and entries of index tables have their marks in it; put others \
         behind it"
    )]
    FirstFamily {
        /// The first family of the table.
        family: String,
    },
    /// A family that the file does not have.
    #[error(
        "family {family} is not in the file; {} {family} removes it with all its cells",
        Remedy::DropFamily
    )]
    FamilyLeftOut {
        /// The family's name.
        family: String,
    },
    /// A family to be removed that the file has, or that is not there.
    #[error("{} {family}: {why}", Remedy::DropFamily)]
    Drop {
        /// The family's name.
        family: String,
        /// Why not.
        why: &'static str,
    },
    /// An attribute of rowkey's own.
    #[error("attribute {name} is rowkey's own; it changes with the table file")]
    OwnAttribute {
        /// The attribute's name, which begins with `ROWKEY`.
        name: String,
    },
}

impl Refusal {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Indexes { .. } => Some(Remedy::BuildIndex),
            Self::FamilyLeftOut { .. } | Self::Drop { .. } => Some(Remedy::DropFamily),
            _ => None,
        }
    }
}

/// What is different, and what the table becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alteration {
    /// What is changed.
    pub changes: Vec<Change>,
    /// What cannot be; if there is any, nothing is changed.
    pub refusals: Vec<Refusal>,
    before: TableDescriptor,
    after: TableDescriptor,
}

impl Alteration {
    /// Makes the changes.
    ///
    /// # Errors
    /// When the table has changed since it was compared, or the store fails.
    pub fn apply(&self, store: &dyn Store) -> Result<(), TableError> {
        let now = store.describe(&self.before.name)?;
        if now != self.before {
            return Err(TableError::Changed { table: now.name });
        }
        Ok(store.alter_table(&self.after)?)
    }
}

/// Compares a table with a changed file.
///
/// # Errors
/// When rowkey did not make the table, its stored file cannot be read, or the file has index tables that cannot be.
pub fn compare(
    stored: &TableDescriptor,
    file: &Table,
    asked: &AlterOptions,
) -> Result<Alteration, TableError> {
    let old = create::stored_in(stored)?;
    let new = create::of_descriptor(file.clone(), stored);
    tables::check(&new)?;
    let mut alteration = attributes(stored, asked);
    let Alteration { changes, refusals, after, .. } = &mut alteration;
    keys(&old, &new, stored, refusals);
    columns(&old, &new, changes, refusals);
    families(&old, &new, (stored, asked), after, (&mut *changes, &mut *refusals));
    if !old.indexes.is_empty() && mark_family(&old) != mark_family(&new) {
        let family = String::from_utf8_lossy(mark_family(&old)).into_owned();
        refusals.push(Refusal::FirstFamily { family });
    }
    let indexes = stored.attributes.get(INDEXES_ATTRIBUTE).cloned().unwrap_or_default();
    let given = tables::signature(&new);
    if indexes != given {
        refusals.push(Refusal::Indexes { stored: indexes, given });
    }
    if old.source != new.source {
        if changes.is_empty() && refusals.is_empty() {
            changes.push(Change::File);
        }
        after.attributes.insert(FILE_ATTRIBUTE.to_owned(), new.source.clone());
    }
    Ok(alteration)
}

/// The attributes of a table alone, which any table has.
pub fn attributes(stored: &TableDescriptor, asked: &AlterOptions) -> Alteration {
    let (mut changes, mut refusals, mut after) = (Vec::new(), Vec::new(), stored.clone());
    for (name, value) in &asked.attributes {
        if name.starts_with(OWN) {
            refusals.push(Refusal::OwnAttribute { name: name.clone() });
            continue;
        }
        let before = stored.attributes.get(name);
        if before != value.as_ref() {
            let shown = |value: Option<&String>| value.cloned().unwrap_or_else(|| "none".to_owned());
            let (before, after) = (shown(before), shown(value.as_ref()));
            changes.push(Change::Attribute { name: name.clone(), before, after });
        }
        match value {
            Some(value) => after.attributes.insert(name.clone(), value.clone()),
            None => after.attributes.remove(name),
        };
    }
    Alteration { changes, refusals, before: stored.clone(), after }
}

fn keys(old: &Table, new: &Table, stored: &TableDescriptor, refusals: &mut Vec<Refusal>) {
    let types = new.key.fields().iter().filter_map(|(id, field)| {
        let before = old.key.fields().get(old.key.fields().id(&field.name)?).ty;
        // Those in columns are compared there.
        let is_column = new.columns.iter().any(|column| column.field == id);
        let (name, after) = (field.name.clone(), field.ty);
        (before != after && !is_column).then_some(Refusal::KeyType { field: name, before, after })
    });
    refusals.extend(types);
    if refusals.is_empty() && stored.attributes.get(FINGERPRINT_ATTRIBUTE) != Some(&new.key.fingerprint()) {
        let (stored, given) = (old.key.source().to_owned(), new.key.source().to_owned());
        refusals.push(Refusal::Key { stored, given });
    }
    let name =
        |table: &Table, field: Option<FieldId>| field.map(|field| table.key.fields().get(field).name.clone());
    if name(old, old.cell_time) != name(new, new.cell_time) {
        refusals.push(Refusal::CellTime);
    }
}

fn columns(old: &Table, new: &Table, changes: &mut Vec<Change>, refusals: &mut Vec<Refusal>) {
    let place = |column: &Column| format!("{}:{}", column.family, column.qualifier);
    let is_at = |a: &Column, b: &Column| (&a.family, &a.qualifier) == (&b.family, &b.qualifier);
    for column in &new.columns {
        let field = new.key.fields().get(column.field);
        let (name, ty) = (field.name.clone(), field.ty);
        let Some(known) = old.columns.iter().find(|known| is_at(known, column)) else {
            let elsewhere = old.columns.iter().find(|known| old.key.fields().get(known.field).name == name);
            match elsewhere {
                Some(known) => {
                    refusals.push(Refusal::Moved { field: name, before: place(known), after: place(column) });
                }
                None if !field.nullable => refusals.push(Refusal::NotNull { field: name, ty }),
                None => changes.push(Change::ColumnAdded { column: place(column), field: name }),
            }
            continue;
        };
        let before = old.key.fields().get(known.field);
        if before.ty != ty {
            refusals.push(Refusal::Type { field: name, before: before.ty, after: ty });
            continue;
        }
        if before.name != name {
            changes.push(Change::Renamed { before: before.name.clone(), after: name.clone() });
        }
        match (before.nullable, field.nullable) {
            (true, false) => refusals.push(Refusal::NotNull { field: name, ty }),
            (false, true) => changes.push(Change::Nullable { field: name }),
            _ => {}
        }
    }
    for known in old.columns.iter().filter(|known| !new.columns.iter().any(|column| is_at(known, column))) {
        let field = old.key.fields().get(known.field).name.clone();
        let is_moved = new.columns.iter().any(|column| new.key.fields().get(column.field).name == field);
        if !is_moved {
            changes.push(Change::ColumnLeftOut { column: place(known), field });
        }
    }
}

fn families(
    old: &Table,
    new: &Table,
    (stored, asked): (&TableDescriptor, &AlterOptions),
    after: &mut TableDescriptor,
    (changes, refusals): (&mut Vec<Change>, &mut Vec<Refusal>),
) {
    let has = |table: &Table, name: &str| table.families.iter().any(|family| family.name == name);
    for family in &asked.drop_families {
        let is_there = stored.families.iter().any(|known| known.name == *family);
        let why = match (is_there, has(new, family)) {
            (false, _) => "the table has no such family",
            (true, true) => "the file still has it; take it out of the file first",
            (true, false) => {
                changes.push(Change::FamilyRemoved { family: family.clone() });
                after.families.retain(|known| known.name != *family);
                continue;
            }
        };
        refusals.push(Refusal::Drop { family: family.clone(), why });
    }
    for family in old.families.iter().filter(|family| !has(new, &family.name)) {
        let is_there = after.families.iter().any(|known| known.name == family.name);
        if is_there {
            refusals.push(Refusal::FamilyLeftOut { family: family.name.clone() });
        }
    }
    for spec in &new.families {
        let wanted = create::family(spec);
        let Some(known) = after.families.iter_mut().find(|known| known.name == spec.name) else {
            changes.push(Change::FamilyAdded { family: spec.name.clone() });
            after.families.push(wanted);
            continue;
        };
        if !new.indexes.is_empty()
            && (known.ttl_seconds, known.min_versions) != (wanted.ttl_seconds, wanted.min_versions)
        {
            refusals.push(Refusal::Lifetime { family: spec.name.clone() });
        }
        // What neither file says was set by another program, and stays.
        let said =
            old.families.iter().find(|family| family.name == spec.name).map(|family| &family.attributes);
        let mut attributes = known.attributes.clone();
        attributes.retain(|name, _| !said.is_some_and(|said| said.contains_key(name)));
        attributes.extend(wanted.attributes);
        let wanted = Family { attributes, ..wanted };
        changes.extend(settings(known, &wanted));
        *known = wanted;
    }
}

/// In which settings two families differ.
fn settings(before: &Family, after: &Family) -> Vec<Change> {
    let ttl = |family: &Family| family.ttl_seconds.map_or("forever".to_owned(), |ttl| format!("{ttl} s"));
    let mut all: Vec<(String, String, String)> = vec![
        ("versions".to_owned(), before.versions.to_string(), after.versions.to_string()),
        ("min_versions".to_owned(), before.min_versions.to_string(), after.min_versions.to_string()),
        ("ttl".to_owned(), ttl(before), ttl(after)),
    ];
    let names = before
        .attributes
        .keys()
        .chain(after.attributes.keys().filter(|name| !before.attributes.contains_key(*name)));
    for name in names {
        let value =
            |family: &Family| family.attributes.get(name).cloned().unwrap_or_else(|| "as usual".to_owned());
        all.push((name.clone(), value(before), value(after)));
    }
    let differ = all.into_iter().filter(|(_, before, after)| before != after);
    let family = &after.name;
    differ
        .map(|(setting, before, after)| Change::Setting { family: family.clone(), setting, before, after })
        .collect()
}
