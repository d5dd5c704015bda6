//! What belongs to an open table?
//!
//! Its descriptor, a keyspace for each family, and its regions. Keyspaces are named `table-<id>.<family>`, by the
//! table's id and not its name; see `catalogue`.

use fjall::{Database, Keyspace};
use rowkey_store::{Family, TableDescriptor};

use crate::catalogue::TableEntry;
use crate::engine;
use crate::error::{EmbeddedError, FamilyProblem};
use crate::regions::RegionMap;

/// HBase keeps the length of a family's name in a signed byte.
const MAX_FAMILY_NAME: usize = 127;

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

/// Refuses families that HBase would refuse too.
pub(crate) fn validate_families(families: &[Family]) -> Result<(), EmbeddedError> {
    for (at, family) in families.iter().enumerate() {
        if let Some(problem) = problem(family, families.get(..at).unwrap_or_default()) {
            return Err(EmbeddedError::InvalidFamily { family: family.name.clone(), problem });
        }
    }
    Ok(())
}

fn problem(family: &Family, before: &[Family]) -> Option<FamilyProblem> {
    let name = family.name.as_str();
    let illegal = |c: char| c.is_control() || matches!(c, ':' | '\\' | '/');
    if name.is_empty()
        || name.len() > MAX_FAMILY_NAME
        || name.starts_with('.')
        || name.contains(illegal)
        || name == "recovered.edits"
    {
        return Some(FamilyProblem::Name);
    }
    if before.iter().any(|other| other.name == name) {
        return Some(FamilyProblem::Twice);
    }
    if family.versions == 0 {
        return Some(FamilyProblem::NoVersions);
    }
    if family.min_versions > family.versions {
        return Some(FamilyProblem::MinAboveMax { min: family.min_versions, max: family.versions });
    }
    (family.ttl_seconds == Some(0)).then_some(FamilyProblem::NoLifetime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_that_hbase_refuses_are_refused() {
        let good = || Family::new("d");
        let long = "f".repeat(MAX_FAMILY_NAME + 1);
        for name in ["", ".d", "a:b", "a/b", "a\\b", "a\nb", "recovered.edits", &long] {
            assert_eq!(problem(&Family::new(name), &[]), Some(FamilyProblem::Name), "{name:?}");
        }
        assert_eq!(problem(&good(), &[good()]), Some(FamilyProblem::Twice));
        assert_eq!(problem(&Family { versions: 0, ..good() }, &[]), Some(FamilyProblem::NoVersions));
        let min_above_max = FamilyProblem::MinAboveMax { min: 2, max: 1 };
        assert_eq!(problem(&Family { min_versions: 2, ..good() }, &[]), Some(min_above_max));
        assert_eq!(problem(&Family { ttl_seconds: Some(0), ..good() }, &[]), Some(FamilyProblem::NoLifetime));
        assert_eq!(
            problem(&Family { min_versions: 1, ttl_seconds: Some(1), ..good() }, &[Family::new("e")]),
            None
        );
    }

    #[test]
    fn a_keyspace_tells_its_table() {
        assert_eq!(table_of_keyspace(&keyspace_name(17, "a.b-c")), Some(17));
        assert_eq!(table_of_keyspace("catalogue"), None);
    }
}
