//! Creates, alters and drops index tables with their table.
//!
//! They are made first and the table last, so that a table that is there has its index tables; when one cannot be made,
//! those made before go again. Left over from a creation that was killed, an index table names a table that does not
//! exist, and the next creation replaces it. Each index table says in its attributes whose index it is, and whether it is
//! [ready](OpenIndex::ready).
//!
//! **Law** (`tests/index_tables.rs`): whatever fails, either all tables are there or none.

use std::collections::BTreeMap;

use rowkey_core::Table;
use rowkey_core::table::Index;
use rowkey_store::{Family, Store, StoreError, TableDescriptor, TableName};

use super::entry::{Shape, mark_family};
use crate::create::{FILE_ATTRIBUTE, FINGERPRINT_ATTRIBUTE, ID_ATTRIBUTE, OpenTable, TableError};

/// The attribute of a table that names its index tables.
pub const INDEXES_ATTRIBUTE: &str = "ROWKEY_INDEXES";
/// The attribute of an index table with the name of its table.
pub const INDEX_OF_ATTRIBUTE: &str = "ROWKEY_INDEX_OF";
/// The attribute of an index table that says whether every row has its entry.
pub const INDEX_STATE_ATTRIBUTE: &str = "ROWKEY_INDEX_STATE";

const READY: &str = "ready";
const BUILDING: &str = "building";

/// An index table of an open table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenIndex {
    /// Its name in the store.
    pub name: TableName,
    /// Whether every row of the table has its entry. Until then only writers may use it.
    pub ready: bool,
}

/// Why a table cannot have an index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexProblem {
    /// The index key does not lead to the data row.
    #[error(
        "does not bring back {}, which the table's key {key} needs, so that its rows would not lead to theirs; add the \
         missing parts to the index key, where a reader can find their ends", fields.join(", ")
    )]
    NotBack {
        /// The fields that do not come back.
        fields: Vec<String>,
        /// The table's key.
        key: String,
    },
    /// Parts of a row go at different times.
    #[error(
        "cannot follow rows of which some cells go before others: family `{first}` and family `{other}` differ in ttl or \
         min_versions; make them equal"
    )]
    Lifetimes {
        /// A family.
        first: String,
        /// One that differs.
        other: String,
    },
}

/// What the file says of its index tables, in one line.
pub(crate) fn signature(table: &Table) -> String {
    let one = |index: &Index| {
        let columns: Vec<&str> =
            index.columns.iter().map(|field| table.key.fields().get(*field).name.as_str()).collect();
        format!("{} {} {}", index.name, index.key.fingerprint(), columns.join(",")).trim_end().to_owned()
    };
    table.indexes.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Refuses indexes that cannot be kept right.
pub(crate) fn check(table: &Table) -> Result<(), TableError> {
    for index in &table.indexes {
        let problem = problem(table, index);
        if let Some(problem) = problem {
            return Err(TableError::Index {
                index: index.name.clone(),
                key: index.key.source().to_owned(),
                problem,
            });
        }
    }
    Ok(())
}

fn problem(table: &Table, index: &Index) -> Option<IndexProblem> {
    let back = index.key.recoverable();
    let lost = table.key.named_fields().into_iter().filter(|field| !back.contains(field));
    let fields: Vec<String> = lost.map(|field| table.key.fields().get(field).name.clone()).collect();
    if !fields.is_empty() {
        return Some(IndexProblem::NotBack { fields, key: table.key.source().to_owned() });
    }
    let first = table.families.first()?;
    let other = table
        .families
        .iter()
        .find(|other| (other.ttl_seconds, other.min_versions) != (first.ttl_seconds, first.min_versions))?;
    Some(IndexProblem::Lifetimes { first: first.name.clone(), other: other.name.clone() })
}

fn descriptor(table: &Table, index: &Index, id: &str, state: &str) -> Result<TableDescriptor, TableError> {
    let shape = Shape::new(table, index);
    let used = |name: &str| {
        name.as_bytes() == mark_family(table) || shape.copies.iter().any(|copy| copy.family == name)
    };
    let families = table.families.iter().filter(|spec| used(&spec.name)).map(|spec| Family {
        name: spec.name.clone(),
        versions: 1,
        min_versions: spec.min_versions.min(1),
        ttl_seconds: spec.ttl_seconds,
        attributes: spec.attributes.clone(),
    });
    let attributes = BTreeMap::from([
        (INDEX_OF_ATTRIBUTE.to_owned(), table.name.parse::<TableName>()?.to_string()),
        (FINGERPRINT_ATTRIBUTE.to_owned(), index.key.fingerprint()),
        (ID_ATTRIBUTE.to_owned(), id.to_owned()),
        (INDEX_STATE_ATTRIBUTE.to_owned(), state.to_owned()),
    ]);
    Ok(TableDescriptor { name: index.name.parse()?, families: families.collect(), attributes })
}

/// Creates all index tables and then the table, or nothing.
pub(crate) fn create(
    store: &dyn Store,
    table: &Table,
    data: &TableDescriptor,
    splits: &[Vec<u8>],
) -> Result<(), TableError> {
    check(table)?;
    if !table.indexes.is_empty() && store.table_exists(&data.name)? {
        return Err(StoreError::TableExists { table: data.name.clone() }.into());
    }
    let id = data.attributes.get(ID_ATTRIBUTE).map(String::as_str).unwrap_or_default();
    let mut made = Vec::new();
    let all = table.indexes.iter().try_for_each(|index| {
        made.push(create_one(store, table, index, id, READY)?);
        Ok(())
    });
    let all = all.and_then(|()| Ok(store.create_table(data, splits)?));
    if all.is_err() {
        for name in &made {
            // The first error is the one to tell; a table that stays is replaced by the next creation.
            let _ = store.drop_table(name);
        }
    }
    all
}

/// Creates an index table; one that is left over from a table that is not there is replaced.
fn create_one(
    store: &dyn Store,
    table: &Table,
    index: &Index,
    id: &str,
    state: &str,
) -> Result<TableName, TableError> {
    let descriptor = descriptor(table, index, id, state)?;
    let splits = index.split_points();
    match store.create_table(&descriptor, &splits) {
        Err(StoreError::TableExists { .. }) if is_left_over(store, &descriptor)? => {
            store.drop_table(&descriptor.name)?;
            store.create_table(&descriptor, &splits)?;
        }
        made => made?,
    }
    Ok(descriptor.name)
}

/// Whether the index table that is in the way belongs to this table's name, and to no table that is there.
fn is_left_over(store: &dyn Store, new: &TableDescriptor) -> Result<bool, TableError> {
    let found = store.describe(&new.name)?;
    let of = |descriptor: &TableDescriptor| descriptor.attributes.get(INDEX_OF_ATTRIBUTE).cloned();
    let (Some(table), true) = (of(&found), of(&found) == of(new)) else { return Ok(false) };
    match store.describe(&table.parse()?) {
        Ok(data) => Ok(data.attributes.get(ID_ATTRIBUTE) != found.attributes.get(ID_ATTRIBUTE)),
        Err(StoreError::TableNotFound { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Drops the table and then its index tables. An index table that stays because of a failure is a left-over.
///
/// # Errors
/// When the table is not there, or the store fails.
pub(crate) fn drop_all(store: &dyn Store, table: &Table) -> Result<(), TableError> {
    store.drop_table(&table.name.parse()?)?;
    for index in &table.indexes {
        match store.drop_table(&index.name.parse()?) {
            Ok(()) | Err(StoreError::TableNotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The index tables of a table whose descriptor was read, if they are those of the file.
pub(crate) fn open(
    store: &dyn Store,
    table: &Table,
    data: &TableDescriptor,
) -> Result<Vec<OpenIndex>, TableError> {
    let stored = data.attributes.get(INDEXES_ATTRIBUTE).map(String::as_str).unwrap_or_default();
    let given = signature(table);
    if stored != given {
        let table = data.name.clone();
        return Err(TableError::OtherIndexes { table, stored: stored.to_owned(), given });
    }
    table.indexes.iter().map(|index| open_one(store, index, data)).collect()
}

fn open_one(store: &dyn Store, index: &Index, data: &TableDescriptor) -> Result<OpenIndex, TableError> {
    let name: TableName = index.name.parse()?;
    let found = store.describe(&name)?;
    let attribute = |name: &str| found.attributes.get(name).map(String::as_str);
    let fingerprint = index.key.fingerprint();
    let belongs = attribute(INDEX_OF_ATTRIBUTE) == Some(data.name.to_string().as_str())
        && attribute(FINGERPRINT_ATTRIBUTE) == Some(fingerprint.as_str())
        && found.attributes.get(ID_ATTRIBUTE) == data.attributes.get(ID_ATTRIBUTE);
    if !belongs {
        return Err(TableError::NotItsIndex { table: data.name.clone(), index: name });
    }
    Ok(OpenIndex { name, ready: is_ready(&found) })
}

/// Gives an existing table the index tables that its file has more than the stored one. They are not ready: rows that are
/// there have no entries yet. Returns the names of the new ones.
///
/// # Errors
/// When the file leaves out an index table that is there, or changes one; or the store fails.
pub fn add(store: &dyn Store, table: &Table) -> Result<Vec<TableName>, TableError> {
    check(table)?;
    let mut data = store.describe(&table.name.parse()?)?;
    crate::create::same_key(table, &data)?;
    let stored = data.attributes.get(INDEXES_ATTRIBUTE).cloned().unwrap_or_default();
    let given = signature(table);
    if stored == given {
        return Ok(Vec::new());
    }
    let parts =
        |text: &str| text.split("; ").filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (before, now) = (parts(&stored), parts(&given));
    if !before.iter().all(|index| now.contains(index)) {
        return Err(TableError::OtherIndexes { table: data.name, stored, given });
    }
    let id = data.attributes.get(ID_ATTRIBUTE).cloned().unwrap_or_default();
    let mut made = Vec::new();
    for (index, line) in table.indexes.iter().zip(&now) {
        if before.contains(line) {
            continue;
        }
        // A table of this name that is this table's is from an earlier, killed try.
        let name = index.name.parse()?;
        let there = store.table_exists(&name)? && open_one(store, index, &data).is_ok();
        if !there {
            create_one(store, table, index, &id, BUILDING)?;
        }
        made.push(name);
    }
    data.attributes.insert(FILE_ATTRIBUTE.to_owned(), table.source.clone());
    data.attributes.insert(INDEXES_ATTRIBUTE.to_owned(), given);
    store.alter_table(&data)?;
    Ok(made)
}

/// The table with those of its index tables that reads may take: all that are ready. A table that is not open has none.
pub fn readable(mut table: Table, open: Option<&OpenTable>) -> Table {
    let mut ready = open.into_iter().flat_map(|open| &open.indexes).map(|index| index.ready);
    table.indexes.retain(|_| ready.next() == Some(true));
    table
}

/// Says that every row has its entry in an index table.
pub(crate) fn set_ready(store: &dyn Store, index: &TableName) -> Result<(), StoreError> {
    set_state(store, index, READY)
}

/// Says that rows may lack their entries in an index table, or have wrong ones.
pub(crate) fn set_building(store: &dyn Store, index: &TableName) -> Result<(), StoreError> {
    set_state(store, index, BUILDING)
}

/// Whether every row has its entry in an index table, as it says itself.
pub fn is_ready(index: &TableDescriptor) -> bool {
    has_state(index, READY)
}

fn has_state(index: &TableDescriptor, state: &str) -> bool {
    index.attributes.get(INDEX_STATE_ATTRIBUTE).is_some_and(|stored| stored == state)
}

fn set_state(store: &dyn Store, index: &TableName, state: &str) -> Result<(), StoreError> {
    let mut descriptor = store.describe(index)?;
    if has_state(&descriptor, state) {
        return Ok(());
    }
    descriptor.attributes.insert(INDEX_STATE_ATTRIBUTE.to_owned(), state.to_owned());
    store.alter_table(&descriptor)
}
