//! Namespaces.

use std::collections::BTreeMap;

/// A group of tables, whose names begin with its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// What stands before the `:` of its tables' names.
    pub name: String,
    /// Free attributes.
    pub attributes: BTreeMap<String, String>,
}

impl Namespace {
    /// A namespace without attributes.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), attributes: BTreeMap::new() }
    }
}
