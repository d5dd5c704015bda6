//! Errors of shell commands.

use std::io;

use rowkey_store::{StoreError, TableNameError, with_causes};

use crate::filter_text::FilterTextError;

/// What a command answers instead of a result.
///
/// People and scripts know HBase's words for the usual mistakes, so the shell says them the same way; whatever HBase
/// answers with a Java class and a stack trace is said in rowkey's own words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// More or fewer arguments than the command takes.
    #[error("wrong number of arguments (given {given}, expected {expected})")]
    Arguments {
        /// How many there were.
        given: usize,
        /// How many it takes, as Ruby writes it: `2`, `1..2`, `2+`.
        expected: String,
    },
    /// An argument that the command cannot use, in HBase's words where it has any.
    #[error("{0}")]
    Argument(String),
    /// A table that is not there, for commands that look first.
    #[error("Table {0} does not exist.")]
    NoTable(String),
    /// A text that cannot name a table.
    #[error(transparent)]
    TableName(#[from] TableNameError),
    /// A filter that cannot be read.
    #[error(transparent)]
    Filter(#[from] FilterTextError),
    /// The store refused or failed.
    #[error("{}", in_words(.0))]
    Store(#[from] StoreError),
    /// Ctrl-C, or a signal like it.
    #[error("interrupted")]
    Interrupted,
    /// The output was closed.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl ShellError {
    /// An argument that cannot be used.
    pub(crate) fn argument<T>(words: impl Into<String>) -> Result<T, Self> {
        Err(Self::Argument(words.into()))
    }
}

/// A store's answer as HBase's shell says it.
fn in_words(error: &StoreError) -> String {
    match error {
        StoreError::TableNotFound { table } => format!("Unknown table {table}!"),
        StoreError::TableExists { table } => format!("Table already exists: {table}!"),
        StoreError::TableDisabled { table } => format!("Table {table} is disabled!"),
        StoreError::TableNotDisabled { table } => format!("Table {table} should be disabled!"),
        StoreError::UnknownFamily { known, .. } => {
            let known: Vec<String> = known.iter().map(|family| format!("{family}:*")).collect();
            format!("Unknown column family! Valid column names: {}", known.join(", "))
        }
        StoreError::NamespaceNotFound { namespace } => format!("Unknown namespace {namespace}!"),
        StoreError::NamespaceExists { namespace } => format!("Namespace {namespace} already exists"),
        StoreError::NamespaceNotEmpty { namespace, tables } => {
            format!("Only empty namespaces can be removed. Namespace {namespace} has {tables} tables")
        }
        StoreError::SnapshotNotFound { snapshot } => format!("Unknown snapshot {snapshot}!"),
        StoreError::SnapshotExists { snapshot } => {
            format!("Snapshot '{snapshot}' already stored on the filesystem.")
        }
        StoreError::RowKeyLength { length: 0, .. } => "Row length is 0".to_owned(),
        StoreError::RowKeyLength { length, .. } => {
            format!("Row length {length} is > {}", rowkey_store::MAX_ROW_LENGTH)
        }
        StoreError::NotACounter { length, .. } => {
            format!("Field is not a long, it's {length} bytes wide")
        }
        other => with_causes(other),
    }
}
