//! Does an argument name a key, a table file or a table?
//!
//! With `.toml` at its end it is a file; with `[` or `(` a key; with a slash a file; otherwise the name of a table in
//! the store.

use std::path::Path;

use rowkey::KeySchema;

use crate::{open_store, table_argument};

/// The key that the argument names.
pub(crate) fn key(argument: &str, store: &str) -> anyhow::Result<KeySchema> {
    if !argument.ends_with(".toml") && argument.contains(['[', '(']) {
        return Ok(KeySchema::parse(argument)?);
    }
    if argument.ends_with(".toml") || argument.contains(['/', '\\']) {
        return Ok(table_argument::read_file(Path::new(argument))?.key);
    }
    let opened = open_store::open(store)?;
    Ok(table_argument::table(None, argument, &*opened)?.key)
}
