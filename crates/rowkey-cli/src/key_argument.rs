//! Does an argument name a key, a table file or a table?
//!
//! With `.toml` at its end it is a file; with `[` or `(` a key; with a slash a file; otherwise the name of a table in
//! the store.

use rowkey::KeySchema;

use crate::{open_store, table_argument};

/// The key that the argument names.
pub(crate) fn key(argument: &str, store: &str) -> anyhow::Result<KeySchema> {
    if !argument.ends_with(".toml") && argument.contains(['[', '(']) {
        return Ok(KeySchema::parse(argument)?);
    }
    match table_argument::file(argument)? {
        Some(table) => Ok(table.key),
        None => Ok(table_argument::table(None, argument, &*open_store::open(store)?)?.key),
    }
}
