//! What belongs to an open table?
//!
//! Its descriptor, a keyspace for each family, and its regions. Keyspaces are named `table-<id>.<family>`, by the
//! table's id and not its name; see `catalogue`.

use fjall::{Database, Keyspace};
use rowkey_store::{Family, TableDescriptor};

use crate::catalogue::TableEntry;
use crate::engine;
use crate::error::EmbeddedError;
use crate::regions::RegionMap;

/// A table with its keyspaces open.
pub(crate) struct Table {
    pub(crate) id: u64,
    pub(crate) descriptor: TableDescriptor,
    /// In byte order of their names, as cells come in a row.
    pub(crate) families: Vec<OpenFamily>,
    pub(crate) regions: RegionMap,
}

/// A family with its keyspace.
pub(crate) struct OpenFamily {
    pub(crate) family: Family,
    pub(crate) keyspace: Keyspace,
}

impl Table {
    /// Opens the keyspaces of a table that exists.
    pub(crate) fn open(db: &Database, entry: TableEntry) -> Result<Self, EmbeddedError> {
        Self::with_keyspaces(entry, |name| {
            if !db.keyspace_exists(name) {
                return Err(EmbeddedError::Missing { what: format!("keyspace {name}") });
            }
            Ok(db.keyspace(name, engine::keyspace_options)?)
        })
    }

    /// Makes the keyspaces of a table that is being created; after a failure none is left.
    pub(crate) fn create(db: &Database, entry: TableEntry) -> Result<Self, EmbeddedError> {
        let mut made = Vec::new();
        let table = Self::with_keyspaces(entry, |name| {
            let keyspace = db.keyspace(name, engine::keyspace_options)?;
            made.push(keyspace.clone());
            Ok(keyspace)
        });
        if table.is_err() {
            // What cannot be removed now belongs to no table and is removed when the store is next opened.
            made.into_iter().for_each(|keyspace| drop(db.delete_keyspace(keyspace)));
        }
        table
    }

    fn with_keyspaces(
        entry: TableEntry,
        mut open: impl FnMut(&str) -> Result<Keyspace, EmbeddedError>,
    ) -> Result<Self, EmbeddedError> {
        let TableEntry { id, descriptor, regions } = entry;
        let mut families = Vec::with_capacity(descriptor.families.len());
        for family in &descriptor.families {
            let keyspace = open(&keyspace_name(id, &family.name))?;
            families.push(OpenFamily { family: family.clone(), keyspace });
        }
        families.sort_by(|a, b| a.family.name.as_bytes().cmp(b.family.name.as_bytes()));
        Ok(Self { id, descriptor, families, regions: RegionMap::new(regions) })
    }

    /// Removes the keyspaces. Their files go when the last scanner over them does.
    pub(crate) fn delete_keyspaces(&self, db: &Database) -> Result<(), EmbeddedError> {
        for family in &self.families {
            db.delete_keyspace(family.keyspace.clone())?;
        }
        Ok(())
    }

    /// The family of that name.
    pub(crate) fn family(&self, name: &[u8]) -> Option<&OpenFamily> {
        self.families.iter().find(|open| open.family.name.as_bytes() == name)
    }

    /// Bytes on disk and in memory, of all families.
    pub(crate) fn size(&self) -> u64 {
        self.families.iter().map(|family| engine::size(&family.keyspace)).sum()
    }
}

fn keyspace_name(table: u64, family: &str) -> String {
    format!("table-{table}.{family}")
}

/// The table's id in a keyspace's name; `None` for a keyspace that belongs to no table.
pub(crate) fn table_of_keyspace(name: &str) -> Option<u64> {
    let (id, _family) = name.strip_prefix("table-")?.split_once('.')?;
    id.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyspace_tells_its_table() {
        assert_eq!(table_of_keyspace(&keyspace_name(17, "a.b-c")), Some(17));
        assert_eq!(table_of_keyspace("catalogue"), None);
    }
}
