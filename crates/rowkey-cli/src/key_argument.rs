//! An argument that names a key, a table file or a table.
//!
//! With `.toml` at its end it is a file; with `[`, `(` or more than one `:` a key; with a slash a file; otherwise the name
//! of a table in the store.

use rowkey_core::{KeySchema, Table};

use crate::table_argument;

/// Whether the argument is a key itself. A table's name has one colon at most, so with two it is a key without brackets.
pub(crate) fn is_key(argument: &str) -> bool {
    let looks_like_one = argument.contains(['[', '(']) || argument.matches(':').count() > 1;
    looks_like_one && !argument.ends_with(".toml")
}

/// What an argument names.
pub(crate) enum Named {
    Key(KeySchema),
    Table(Box<Table>),
}

impl Named {
    pub(crate) fn of(argument: &str, store: &str) -> anyhow::Result<Self> {
        match is_key(argument) {
            true => Ok(Self::Key(KeySchema::parse(argument)?)),
            false => Ok(Self::Table(Box::new(table_argument::table(argument, store)?))),
        }
    }

    pub(crate) fn key(&self) -> &KeySchema {
        match self {
            Self::Key(key) => key,
            Self::Table(table) => &table.key,
        }
    }

    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            Self::Key(_) => None,
            Self::Table(table) => Some(table),
        }
    }
}
