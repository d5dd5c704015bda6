//! Does an argument name a table file or a table?
//!
//! With `.toml` or a slash it is a file, otherwise the name of a table in the store, whose file is stored with it.

use std::path::Path;

use anyhow::Context;
use rowkey::Table;
use rowkey_ops::create;
use rowkey_store::Store;

/// Reads a table file.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Table> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the table file {}", path.display()))?;
    Ok(Table::parse(&path.display().to_string(), &text)?)
}

/// Whether the argument is a file.
fn is_file(argument: &str) -> bool {
    argument.ends_with(".toml") || argument.contains(['/', '\\'])
}

/// Reads the table file that the argument names, before a store is opened; `None` if it names a table.
pub(crate) fn file(argument: &str) -> anyhow::Result<Option<Table>> {
    is_file(argument).then(|| read_file(Path::new(argument))).transpose()
}

/// The table of a file, or the stored one of that name.
pub(crate) fn table(file: Option<Table>, argument: &str, store: &dyn Store) -> anyhow::Result<Table> {
    match file {
        Some(table) => Ok(table),
        None => Ok(create::stored(store, &argument.parse()?)?),
    }
}
