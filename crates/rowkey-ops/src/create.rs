//! Creates the table of a table file, and recognises it later.
//!
//! The file lives with the table: its text and the fingerprint of its key's order are attributes of the table. A
//! file whose key would give other bytes than the stored one is refused before a row is read or written.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey_core::remedy::Remedy;
use rowkey_core::table::FamilySpec;
use rowkey_core::{Findings, KeySchema, Table};
use rowkey_store::{Family, Store, StoreError, TableDescriptor, TableName, TableNameError, TruncateSplits};

use crate::index::tables::{self, INDEX_OF_ATTRIBUTE, INDEXES_ATTRIBUTE};
use crate::index::{IndexProblem, OpenIndex};

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
    /// A table that sample data shall cut, and there is none.
    #[error(
        "table `{table}` is cut where sample data is (splits = \"sample {regions}\"), and there is none; give some with \
         {}",
        Remedy::CreateWithData
    )]
    NeedsSample {
        /// The table to be created.
        table: TableName,
        /// How many regions it shall have.
        regions: u32,
    },
    /// A table that rowkey did not make.
    #[error("table `{table}` was not made by rowkey: no table file is stored with it")]
    Foreign {
        /// The table that was to be opened.
        table: TableName,
    },
    /// Index tables of a table that rowkey did not make: other programs that write to it do not write their entries.
    #[error(
        "table `{table}` was not made by rowkey, so it cannot have the index table `{index}`: other programs would write rows \
         without its entries; take [[index]] out of the table file"
    )]
    ForeignIndex {
        /// The table that was to be opened.
        table: TableName,
        /// The first of the index tables.
        index: String,
    },
    /// The table was changed by another client.
    #[error(
        "table `{table}` was changed by another client meanwhile, and nothing was done; look at it again with {}",
        Remedy::Describe
    )]
    Changed {
        /// The table that was to be changed.
        table: TableName,
    },
    /// An index that cannot be kept right.
    #[error("index table `{index}` with the key {key} {problem}")]
    Index {
        /// The name of the index table.
        index: String,
        /// Its key.
        key: String,
        /// What is wrong.
        problem: IndexProblem,
    },
    /// A file with other index tables than the table has: writing by it would leave entries out.
    #[error(
        "table `{table}` has other index tables than its file says: there are [{stored}], the file has [{given}] (name, \
         order, copies); use the file that is stored with the table, or make new index tables with {}",
        Remedy::BuildIndex
    )]
    OtherIndexes {
        /// The table that has the index tables.
        table: TableName,
        /// What is stored with it.
        stored: String,
        /// What the file says.
        given: String,
    },
    /// A table that has the name of an index table and is something else.
    #[error(
        "table `{index}` is not an index table of this table `{table}`; give the index table another name"
    )]
    NotItsIndex {
        /// The table that was to be opened.
        table: TableName,
        /// The table that has the name of its index table.
        index: TableName,
    },
    /// An index table where a table is asked for.
    #[error("`{index}` is an index table of table `{of}`; use that one: reads take the index by themselves")]
    IsIndex {
        /// The index table that was named.
        index: TableName,
        /// Its table.
        of: String,
    },
    /// A table whose keys have another order.
    #[error(
        "table `{table}` was made with another key: its order is {stored}, that of {key} is {given}; a key cannot be \
         changed, so use the file that made the table, or make a new table"
    )]
    OtherKey {
        /// The table that was to be opened.
        table: TableName,
        /// The fingerprint stored with it.
        stored: String,
        /// The fingerprint of the file's key.
        given: String,
        /// The file's key.
        key: String,
    },
}

impl TableError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            Self::NeedsSample { .. } => Some(Remedy::CreateWithData),
            Self::Changed { .. } => Some(Remedy::Describe),
            Self::OtherIndexes { .. } => Some(Remedy::BuildIndex),
            _ => None,
        }
    }
}

/// A table of a store that is known to belong to a table file.
#[derive(Debug, Clone)]
pub struct OpenTable {
    /// Its name.
    pub name: TableName,
    /// What tells it from a later table of the same name.
    pub id: String,
    /// Its index tables, in the order of the file.
    pub indexes: Vec<OpenIndex>,
}

/// Creates the table, cut at the file's split points, and its index tables; all of them or none. Returns how many regions
/// the table has.
///
/// # Errors
/// When the name is no name, a table exists, an index cannot be, its split points come from a sample ([`create_at`]), or the
/// store fails.
pub fn create(store: &dyn Store, table: &Table) -> Result<usize, TableError> {
    if let Some(regions) = table.sampled_regions() {
        return Err(TableError::NeedsSample { table: table.name.parse()?, regions });
    }
    create_at(store, table, &table.split_points())
}

/// As [`create`], cut at these keys instead of those of the file.
///
/// # Errors
/// As [`create`].
pub fn create_at(store: &dyn Store, table: &Table, splits: &[Vec<u8>]) -> Result<usize, TableError> {
    tables::create(store, table, &descriptor(table)?, splits)?;
    Ok(splits.len() + 1)
}

/// Removes the table and its index tables with all rows.
///
/// # Errors
/// When the table is not there, or the store fails.
pub fn drop(store: &dyn Store, table: &Table) -> Result<(), TableError> {
    tables::drop_all(store, table)
}

/// Removes all rows of a table and, if its file is known, of its index tables; they stay cut where they are. No program may
/// write meanwhile. Until all rows are gone the index tables are not ready, so that one that failed in between reads right, and can
/// be done again.
///
/// # Errors
/// When a table is not there, or the store fails.
pub fn truncate(store: &dyn Store, name: &TableName, table: Option<&Table>) -> Result<(), TableError> {
    let indexes = table.iter().flat_map(|table| &table.indexes).map(|index| index.name.parse());
    let indexes: Vec<TableName> = indexes.collect::<Result<_, _>>()?;
    indexes.iter().try_for_each(|index| tables::set_building(store, index))?;
    store.truncate_table(name, TruncateSplits::Keep)?;
    indexes.iter().try_for_each(|index| store.truncate_table(index, TruncateSplits::Keep))?;
    Ok(indexes.iter().try_for_each(|index| tables::set_ready(store, index))?)
}

/// A family as the file says.
pub(crate) fn family(spec: &FamilySpec) -> Family {
    Family {
        name: spec.name.clone(),
        versions: spec.versions,
        min_versions: spec.min_versions,
        ttl_seconds: spec.ttl_seconds,
        attributes: spec.attributes.clone(),
    }
}

fn descriptor(table: &Table) -> Result<TableDescriptor, TableError> {
    let families = table.families.iter().map(family);
    let mut attributes = BTreeMap::from([
        (FILE_ATTRIBUTE.to_owned(), table.source.clone()),
        (FINGERPRINT_ATTRIBUTE.to_owned(), table.key.fingerprint()),
        (ID_ATTRIBUTE.to_owned(), new_id()),
    ]);
    if !table.indexes.is_empty() {
        attributes.insert(INDEXES_ATTRIBUTE.to_owned(), tables::signature(table));
    }
    Ok(TableDescriptor { name: table.name.parse()?, families: families.collect(), attributes })
}

/// Two tables of one name are never made by one process in the same nanosecond.
fn new_id() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", since_1970.as_nanos(), std::process::id())
}

/// The table of a file, once its stored key and its index tables agree.
///
/// # Errors
/// When the table does not exist, was not made by rowkey, or was made with another key or other index tables.
pub fn open(store: &dyn Store, table: &Table) -> Result<OpenTable, TableError> {
    let name: TableName = table.name.parse()?;
    let descriptor = store.describe(&name)?;
    same_key(table, &descriptor)?;
    let id = descriptor.attributes.get(ID_ATTRIBUTE).cloned().unwrap_or_default();
    let indexes = tables::open(store, table, &descriptor)?;
    Ok(OpenTable { name, id, indexes })
}

/// A table that rowkey did not make, to be written to as a file describes it. It has no id: what tells it from a later table of
/// its name is its contents, which a checkpoint asks the store about.
///
/// # Errors
/// When the table does not exist, lacks a family of the file, or the file has index tables.
pub fn open_foreign(store: &dyn Store, table: &Table) -> Result<OpenTable, TableError> {
    let name: TableName = table.name.parse()?;
    if let Some(index) = table.indexes.first() {
        return Err(TableError::ForeignIndex { table: name, index: index.name.clone() });
    }
    let descriptor = store.describe(&name)?;
    let known: Vec<String> = descriptor.families.into_iter().map(|family| family.name).collect();
    match table.families.iter().find(|family| !known.contains(&family.name)) {
        Some(missing) => {
            Err(StoreError::UnknownFamily { table: name, family: missing.name.clone(), known }.into())
        }
        None => Ok(OpenTable { name, id: String::new(), indexes: Vec::new() }),
    }
}

/// Refuses a table that was made with another key than the file's.
pub(crate) fn same_key(table: &Table, descriptor: &TableDescriptor) -> Result<(), TableError> {
    refuse_index(descriptor)?;
    let Some(stored) = descriptor.attributes.get(FINGERPRINT_ATTRIBUTE) else {
        return Err(TableError::Foreign { table: descriptor.name.clone() });
    };
    let given = table.key.fingerprint();
    if *stored != given {
        let (stored, key) = (stored.clone(), table.key.source().to_owned());
        return Err(TableError::OtherKey { table: descriptor.name.clone(), stored, given, key });
    }
    Ok(())
}

fn refuse_index(descriptor: &TableDescriptor) -> Result<(), TableError> {
    match descriptor.attributes.get(INDEX_OF_ATTRIBUTE) {
        Some(of) => Err(TableError::IsIndex { index: descriptor.name.clone(), of: of.clone() }),
        None => Ok(()),
    }
}

/// The table of a file with the meaning that the functions of its keys had when the table was made
/// ([`rowkey_core::KeySchema::of_order`]). The table as it is, if there is none of its name.
///
/// # Errors
/// When the store fails.
pub fn as_made(store: &dyn Store, table: Table) -> Result<Table, TableError> {
    let mut keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    if !keys.any(KeySchema::has_older_meaning) {
        return Ok(table);
    }
    match store.describe(&table.name.parse()?) {
        Ok(descriptor) => Ok(of_descriptor(table, &descriptor)),
        Err(StoreError::TableNotFound { .. }) => Ok(table),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn of_descriptor(mut table: Table, descriptor: &TableDescriptor) -> Table {
    if let Some(fingerprint) = descriptor.attributes.get(FINGERPRINT_ATTRIBUTE) {
        table.key = table.key.of_order(fingerprint);
    }
    // `name fingerprint copies`, for each of them.
    let stored = descriptor.attributes.get(INDEXES_ATTRIBUTE).map_or("", String::as_str);
    for index in &mut table.indexes {
        let mut entries = stored.split("; ").map(str::split_whitespace);
        let own =
            entries.find_map(|mut words| words.next().filter(|name| *name == index.name).and(words.next()));
        if let Some(fingerprint) = own {
            index.key = index.key.clone().of_order(fingerprint);
        }
    }
    table
}

/// The table file that is stored with a table.
///
/// # Errors
/// When the table does not exist, was not made by rowkey, or its file cannot be read by this version.
pub fn stored(store: &dyn Store, name: &TableName) -> Result<Table, TableError> {
    stored_in(&store.describe(name)?)
}

/// The same, of a table that was described.
///
/// # Errors
/// When the table was not made by rowkey, or its file cannot be read by this version.
pub fn stored_in(descriptor: &TableDescriptor) -> Result<Table, TableError> {
    refuse_index(descriptor)?;
    let name = &descriptor.name;
    match descriptor.attributes.get(FILE_ATTRIBUTE) {
        Some(source) => Ok(of_descriptor(Table::parse(&format!("table {name}"), source)?, descriptor)),
        None => Err(TableError::Foreign { table: name.clone() }),
    }
}
