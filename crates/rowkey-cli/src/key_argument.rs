//! Does an argument name a key, a table file or a table?
//!
//! With `.toml` at its end it is a file; with `[`, `(` or more than one `:` a key; with a slash a file; otherwise the name
//! of a table in the store.

use rowkey_core::KeySchema;

use crate::{open_store, table_argument};

/// Whether the argument is a key itself. A table's name has one colon at most, so with two it is a key without brackets.
pub(crate) fn is_key(argument: &str) -> bool {
    let looks_like_one = argument.contains(['[', '(']) || argument.matches(':').count() > 1;
    looks_like_one && !argument.ends_with(".toml")
}

/// The key that the argument names.
pub(crate) fn key(argument: &str, store: &str) -> anyhow::Result<KeySchema> {
    if is_key(argument) {
        return Ok(KeySchema::parse(argument)?);
    }
    match table_argument::file(argument)? {
        Some(table) => Ok(table.key),
        None => Ok(table_argument::described_table(argument, (store, &*open_store::open(store)?))?.key),
    }
}
