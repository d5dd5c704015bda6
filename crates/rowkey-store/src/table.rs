//! Names and descriptions of tables.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Family, StoreError};

/// The longest row key, in bytes: HBase keeps the length in a signed 16-bit number.
pub const MAX_ROW_LENGTH: usize = rowkey_core::key::MAX_KEY_LENGTH;

/// A table's name with its namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    namespace: String,
    qualifier: String,
}

/// A text that cannot name a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` cannot name a table: a name is `table` or `namespace:table`, of letters, digits, `_`, and in the \
     table also `-` and `.` (not first)"
)]
pub struct TableNameError {
    name: String,
}

impl TableName {
    /// The namespace of a table named without one.
    pub const DEFAULT_NAMESPACE: &'static str = "default";

    /// The namespace; [`Self::DEFAULT_NAMESPACE`] if the name was given without one.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name within the namespace.
    pub fn qualifier(&self) -> &str {
        &self.qualifier
    }
}

impl FromStr for TableName {
    type Err = TableNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let (namespace, qualifier) = name.split_once(':').unwrap_or((Self::DEFAULT_NAMESPACE, name));
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let fits = !namespace.is_empty()
            && namespace.chars().all(word)
            && !qualifier.is_empty()
            && !qualifier.starts_with(['-', '.'])
            && qualifier.chars().all(|c| word(c) || c == '-' || c == '.');
        if !fits {
            return Err(TableNameError { name: name.to_owned() });
        }
        Ok(Self { namespace: namespace.to_owned(), qualifier: qualifier.to_owned() })
    }
}

impl fmt::Display for TableName {
    /// The namespace is left out where it is the default one, as HBase prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace == Self::DEFAULT_NAMESPACE {
            f.write_str(&self.qualifier)
        } else {
            write!(f, "{}:{}", self.namespace, self.qualifier)
        }
    }
}

/// A table without its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDescriptor {
    /// The name, with its namespace.
    pub name: TableName,
    /// Its column families, by name.
    pub families: Vec<Family>,
    /// Free attributes; rowkey keeps the table file here.
    pub attributes: BTreeMap<String, String>,
}

impl TableDescriptor {
    /// Whether the table has this family.
    ///
    /// # Errors
    /// [`StoreError::UnknownFamily`] with the families it has.
    pub fn require_family(&self, family: &[u8]) -> Result<(), StoreError> {
        if self.families.iter().any(|f| f.name.as_bytes() == family) {
            return Ok(());
        }
        Err(StoreError::UnknownFamily {
            table: self.name.clone(),
            family: rowkey_core::escape::escape(family).to_string(),
            known: self.families.iter().map(|f| f.name.clone()).collect(),
        })
    }
}

/// Checks the length of a row key.
///
/// # Errors
/// [`StoreError::RowKeyLength`] for an empty key and for one over [`MAX_ROW_LENGTH`].
pub fn validate_row(key: &[u8]) -> Result<(), StoreError> {
    if key.is_empty() || key.len() > MAX_ROW_LENGTH {
        let start = key.iter().take(32).copied().collect();
        return Err(StoreError::RowKeyLength { length: key.len(), start });
    }
    Ok(())
}

/// The split points in key order.
///
/// # Errors
/// [`StoreError::EmptySplit`] and [`StoreError::DuplicateSplit`].
pub fn validate_splits(splits: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut sorted = splits.to_vec();
    sorted.sort();
    if sorted.first().is_some_and(Vec::is_empty) {
        return Err(StoreError::EmptySplit);
    }
    let twice = sorted.iter().zip(sorted.iter().skip(1)).find(|(a, b)| a == b);
    if let Some((split, _)) = twice {
        return Err(StoreError::DuplicateSplit { split: split.clone() });
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_namespace_and_prints_without_the_default_one() {
        let name: TableName = "orders".parse().unwrap();
        assert_eq!(
            (name.namespace(), name.qualifier(), name.to_string().as_str()),
            ("default", "orders", "orders")
        );
        assert_eq!("ns:orders".parse::<TableName>().unwrap().to_string(), "ns:orders");
        for bad in ["", ":t", "ns:", "a b", "-a", ".a", "a:b:c", "a/b"] {
            assert!(bad.parse::<TableName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn split_points_are_sorted_and_must_differ() {
        let splits = |texts: &[&str]| texts.iter().map(|t| t.as_bytes().to_vec()).collect::<Vec<_>>();
        assert_eq!(validate_splits(&splits(&["b", "a"])).unwrap(), splits(&["a", "b"]));
        assert!(matches!(validate_splits(&splits(&["a", "a"])), Err(StoreError::DuplicateSplit { .. })));
        assert!(matches!(validate_splits(&splits(&["a", ""])), Err(StoreError::EmptySplit)));
    }
}
