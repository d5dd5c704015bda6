//! Column families and their limits.

use std::collections::BTreeMap;

use crate::{StoreError, TableName};

/// HBase keeps the length of a family's name in a signed byte.
const MAX_NAME: usize = 127;

/// A column family and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The name, 1 to 127 bytes; best a single letter, since every cell repeats it.
    pub name: String,
    /// The most versions of a cell that are kept; at least 1.
    pub versions: u32,
    /// The newest versions that stay past their time to live; at most `versions`.
    pub min_versions: u32,
    /// Seconds after which a cell is gone; `None` keeps cells forever.
    pub ttl_seconds: Option<u32>,
    /// Other settings by HBase's names (`BLOCKSIZE`, `COMPRESSION`, …).
    pub attributes: BTreeMap<String, String>,
}

impl Family {
    /// A family as HBase makes it by default: one version, kept forever.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            versions: 1,
            min_versions: 0,
            ttl_seconds: None,
            attributes: BTreeMap::new(),
        }
    }
}

/// What is wrong with a column family.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyProblem {
    /// A name that HBase refuses.
    #[error(
        "has a name that HBase refuses: a family's name has 1 to {MAX_NAME} bytes, does not start with a dot, and holds \
         no control character, colon, slash or backslash"
    )]
    Name,
    /// Two families of one name.
    #[error("is given twice")]
    Twice,
    /// No version at all.
    #[error("keeps 0 versions; at least 1 is needed")]
    NoVersions,
    /// More versions are kept past their time than at all.
    #[error("keeps {min} versions at least but {max} at most; lower min_versions or raise versions")]
    MinAboveMax {
        /// `min_versions`.
        min: u32,
        /// `versions`, below `min`.
        max: u32,
    },
    /// Cells that are gone when they are written.
    #[error("has a time to live of 0 seconds; leave it out to keep cells forever")]
    NoLifetime,
}

/// Refuses families that HBase would refuse too.
///
/// # Errors
/// [`StoreError::NoFamilies`], [`StoreError::InvalidFamily`].
pub fn validate_families(table: &TableName, families: &[Family]) -> Result<(), StoreError> {
    if families.is_empty() {
        return Err(StoreError::NoFamilies { table: table.clone() });
    }
    for (at, family) in families.iter().enumerate() {
        if let Some(problem) = problem(family, families.get(..at).unwrap_or_default()) {
            let (table, family) = (table.clone(), family.name.clone());
            return Err(StoreError::InvalidFamily { table, family, problem });
        }
    }
    Ok(())
}

fn problem(family: &Family, before: &[Family]) -> Option<FamilyProblem> {
    let name = family.name.as_str();
    let illegal = |c: char| c.is_control() || matches!(c, ':' | '\\' | '/');
    if name.is_empty()
        || name.len() > MAX_NAME
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
        let long = "f".repeat(MAX_NAME + 1);
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
}
