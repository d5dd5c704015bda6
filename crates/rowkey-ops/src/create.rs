//! How does a table file become a table, and how is it known that a table belongs to a file?
//!
//! The file lives with the table: its text and the fingerprint of its key's order are attributes of the table. A
//! file whose key would give other bytes than the stored one is refused before a row is read or written.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey::{Findings, Table};
use rowkey_store::{Family, Store, StoreError, TableDescriptor, TableName, TableNameError};

/// The attribute with the text of the table file.
pub const FILE_ATTRIBUTE: &str = "ROWKEY";
/// The attribute with the fingerprint of the key's order.
pub const FINGERPRINT_ATTRIBUTE: &str = "ROWKEY_FINGERPRINT";
/// The attribute that tells this table from a later one of the same name.
pub const ID_ATTRIBUTE: &str = "ROWKEY_ID";

/// Why a table file cannot be used with a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A name that no table can have.
    #[error(transparent)]
    Name(#[from] TableNameError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored table file is not one that this version reads.
    #[error(transparent)]
    File(#[from] Findings),
    /// A table that rowkey did not make.
    #[error("table `{table}` was not made by rowkey: no table file is stored with it")]
    Foreign {
        /// The table.
        table: TableName,
    },
    /// A table file with index tables, which only `check` knows yet.
    #[error(
        "table `{table}` has index tables, which cannot be created and filled yet; take [[index]] out of the file"
    )]
    IndexTables {
        /// The table.
        table: String,
    },
    /// A table whose keys have another order.
    #[error(
        "table `{table}` was made with another key: its order is {stored}, that of {key} is {given}; a key cannot be \
         changed, so use the file that made the table, or make a new table"
    )]
    OtherKey {
        /// The table.
        table: TableName,
        /// The fingerprint stored with it.
        stored: String,
        /// The fingerprint of the file's key.
        given: String,
        /// The file's key.
        key: String,
    },
}

/// A table of a store that is known to belong to a table file.
#[derive(Debug, Clone)]
pub struct OpenTable {
    /// Its name.
    pub name: TableName,
    /// What tells it from a later table of the same name.
    pub id: String,
}

/// Creates the table, cut at the file's split points. Returns how many regions it has.
///
/// # Errors
/// When the name is no name, the table exists, or the store fails.
pub fn create(store: &dyn Store, table: &Table) -> Result<usize, TableError> {
    refuse_indexes(table)?;
    let splits = table.split_points();
    store.create_table(&descriptor(table)?, &splits)?;
    Ok(splits.len() + 1)
}

/// Rows that are written without their index rows would be missed by every read through the index.
fn refuse_indexes(table: &Table) -> Result<(), TableError> {
    match table.indexes.as_slice() {
        [] => Ok(()),
        _ => Err(TableError::IndexTables { table: table.name.clone() }),
    }
}

fn descriptor(table: &Table) -> Result<TableDescriptor, TableError> {
    let families = table.families.iter().map(|spec| Family {
        name: spec.name.clone(),
        versions: spec.versions,
        min_versions: spec.min_versions,
        ttl_seconds: spec.ttl_seconds,
        attributes: spec.attributes.clone(),
    });
    let attributes = BTreeMap::from([
        (FILE_ATTRIBUTE.to_owned(), table.source.clone()),
        (FINGERPRINT_ATTRIBUTE.to_owned(), table.key.fingerprint()),
        (ID_ATTRIBUTE.to_owned(), new_id()),
    ]);
    Ok(TableDescriptor { name: table.name.parse()?, families: families.collect(), attributes })
}

/// Two tables of one name are never made by one process in the same nanosecond.
fn new_id() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", since_1970.as_nanos(), std::process::id())
}

/// The table of a file, once its stored key agrees.
///
/// # Errors
/// When the table does not exist, was not made by rowkey, or was made with another key.
pub fn open(store: &dyn Store, table: &Table) -> Result<OpenTable, TableError> {
    refuse_indexes(table)?;
    let name: TableName = table.name.parse()?;
    let descriptor = store.describe(&name)?;
    let Some(stored) = descriptor.attributes.get(FINGERPRINT_ATTRIBUTE) else {
        return Err(TableError::Foreign { table: name });
    };
    let given = table.key.fingerprint();
    if *stored != given {
        let (stored, key) = (stored.clone(), table.key.source().to_owned());
        return Err(TableError::OtherKey { table: name, stored, given, key });
    }
    let id = descriptor.attributes.get(ID_ATTRIBUTE).cloned().unwrap_or_default();
    Ok(OpenTable { name, id })
}

/// The table file that is stored with a table.
///
/// # Errors
/// When the table does not exist, was not made by rowkey, or its file cannot be read by this version.
pub fn stored(store: &dyn Store, name: &TableName) -> Result<Table, TableError> {
    let descriptor = store.describe(name)?;
    match descriptor.attributes.get(FILE_ATTRIBUTE) {
        Some(source) => Ok(Table::parse(&format!("table {name}"), source)?),
        None => Err(TableError::Foreign { table: name.clone() }),
    }
}
