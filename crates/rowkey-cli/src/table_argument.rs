//! An argument that names a table file or a table.
//!
//! With `.toml` or a slash it is a file, otherwise the name of a table in the store, whose file is stored with it. A table
//! that rowkey did not make has none; `--file` names one that describes it, or `rowkey remember` has kept one.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use rowkey_core::Table;
use rowkey_core::internal::nearest;
use rowkey_ops::create::{self, OpenTable, TableError};
use rowkey_ops::output_file::{self, Existing, OutputError};
use rowkey_store::{Store, StoreError, TableName};

use crate::args::OfTable;
use crate::public::{Publicly, public};
use crate::{open_store, settings};

/// Reads a table file.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Table> {
    let text =
        std::fs::read(path).publicly(|| format!("could not read the table file {}", path.display()))?;
    let is_data = is_data(path) || text.starts_with(b"PAR1") || text.starts_with(&[0x1F, 0x8B]);
    let text = match String::from_utf8(text) {
        Ok(text) if !is_data => text,
        _ => {
            let name = path.display();
            return Err(public(format!(
                "{name} is no table file; if it is data, make a table file of it with: rowkey new --from {name} --write \
                 {}",
                path.with_extension("").with_extension("toml").display()
            )));
        }
    };
    Ok(Table::parse(&path.display().to_string(), &text)?)
}

/// Whether a name is one of data.
fn is_data(path: &Path) -> bool {
    let endings = ["csv", "tsv", "json", "jsonl", "ndjson", "parquet", "gz", "zst"];
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    endings.iter().any(|own| ending.eq_ignore_ascii_case(own))
}

/// Writes a file; one that is there is replaced only by `force`, and one that was read never.
pub(crate) fn write_file(
    path: &Path,
    force: bool,
    inputs: &[&Path],
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    with_force(output_file::write(path, replacing(force, Existing::Refuse), inputs, fill))
}

/// What `--force` says about a file that is there.
pub(crate) fn replacing(force: bool, otherwise: Existing) -> Existing {
    if force { Existing::Replace } else { otherwise }
}

/// The error of an output, with the option that helps.
pub(crate) fn with_force(written: Result<(), OutputError>) -> anyhow::Result<()> {
    match written {
        Err(OutputError::Exists { path }) => {
            let told = format!("could not write {}; to replace a file, add --force", path.display());
            Err(OutputError::Exists { path }).publicly(|| told)
        }
        other => Ok(other?),
    }
}

/// Whether the argument is a file.
fn is_file(argument: &str) -> bool {
    argument.ends_with(".toml")
        || argument.contains(['/', '\\'])
        || (is_data(Path::new(argument)) && Path::new(argument).is_file())
}

/// Reads the table file that the argument names, before a store is opened; `None` if it names a table.
pub(crate) fn file(argument: &str) -> anyhow::Result<Option<Table>> {
    is_file(argument).then(|| read_file(Path::new(argument))).transpose()
}

/// The table of a file, or the stored or remembered one of that name.
pub(crate) fn table(argument: &str, store: &str) -> anyhow::Result<Table> {
    match file(argument)? {
        Some(table) => Ok(table),
        None => described_table(argument, (store, &*open_store::open(store)?)),
    }
}

/// The table of a file, or the stored one of that name, to be written to as only rowkey's own tables are.
pub(crate) fn own_table(file: Option<Table>, argument: &str, store: &dyn Store) -> anyhow::Result<Table> {
    match file {
        Some(table) => Ok(create::as_made(store, table)?),
        None => Ok(create::stored(store, &argument.parse()?)?),
    }
}

/// The stored table of that name, or else the one that is remembered.
pub(crate) fn described_table(argument: &str, (url, store): (&str, &dyn Store)) -> anyhow::Result<Table> {
    let name: TableName = argument.parse()?;
    match create::stored(store, &name) {
        Err(error @ TableError::Foreign { .. }) => match remembered(url, store, &name)? {
            Some(table) => Ok(table),
            None => Err(error).context(NEEDS_FILE),
        },
        other => Ok(other?),
    }
}

const NEEDS_FILE: &str = "its rows cannot be read without a table file; name one with --file where that is an option, or once for all with \
                          `rowkey remember TABLE FILE`";

/// The table as a file describes it that was remembered.
fn remembered(url: &str, store: &dyn Store, name: &TableName) -> anyhow::Result<Option<Table>> {
    let file = settings::remembered(url, store, name);
    let table = file.map(|file| read_file(&file)).transpose()?;
    Ok(table.map(|table| Table { name: name.to_string(), ..table }))
}

/// A table of a store, with its file.
pub(crate) struct LiveTable {
    pub(crate) store: Box<dyn Store>,
    pub(crate) name: TableName,
    pub(crate) table: Table,
    /// What rowkey stores with its own tables; `None` for any other.
    pub(crate) own: Option<OpenTable>,
}

/// A table of a store, with its file if there is one.
pub(crate) struct AnyTable {
    pub(crate) store: Box<dyn Store>,
    pub(crate) name: TableName,
    pub(crate) table: Option<Table>,
    /// What rowkey stores with its own tables; `None` for any other.
    pub(crate) own: Option<OpenTable>,
}

/// The error, with the table that was probably meant.
pub(crate) fn with_nearest(error: TableError, argument: &str, store: &dyn Store) -> anyhow::Error {
    let TableError::Store(StoreError::TableNotFound { .. }) = error else { return error.into() };
    // If the tables cannot be listed, the error itself is still reported.
    let names: Vec<String> =
        store.list_tables().unwrap_or_default().iter().map(ToString::to_string).collect();
    match nearest(argument, names.iter().map(String::as_str)) {
        Some(name) => public(format!("{error}; did you mean `{name}`?")),
        None => error.into(),
    }
}

impl LiveTable {
    /// Opens the store and finds the table, whose keys must be those of its file.
    pub(crate) fn open(of: &OfTable, store: &str) -> anyhow::Result<Self> {
        let AnyTable { store, name, table, own } = AnyTable::open(of, store)?;
        match table {
            Some(table) => Ok(Self { store, name, table, own }),
            // Another one's table, or an index table, which is read by way of its table.
            None => match create::stored(&*store, &name) {
                Err(error @ TableError::Foreign { .. }) => Err(error).context(NEEDS_FILE),
                Err(error) => Err(error.into()),
                Ok(_) => Err(public(format!("table {name} is changing; try again"))),
            },
        }
    }
}

impl AnyTable {
    /// As [`LiveTable::open`], for what can be done without a file.
    pub(crate) fn open(of: &OfTable, store: &str) -> anyhow::Result<Self> {
        // What can be refused without a store is refused before one is opened.
        let from_argument = file(&of.table)?;
        let described = of.file.as_deref().map(read_file).transpose()?;
        if let (Some(_), Some(path)) = (&from_argument, &of.file) {
            let text = format!("{} is a table file already; leave out --file {}", of.table, path.display());
            return Err(public(text));
        }
        let (url, store) = (store, open_store::open(store)?);
        let mut foreign = described.is_some();
        let table = match (from_argument, described) {
            (Some(table), _) => Some(create::as_made(&*store, table)?),
            // The file describes the rows; the table has its own name.
            (None, Some(table)) => Some(Table { name: of.table.clone(), ..table }),
            (None, None) => match create::stored(&*store, &of.table.parse()?) {
                Ok(table) => Some(table),
                Err(TableError::Foreign { .. }) => {
                    let remembered = remembered(url, &*store, &of.table.parse()?)?;
                    foreign = remembered.is_some();
                    remembered
                }
                Err(TableError::IsIndex { .. }) => None,
                Err(error) => return Err(with_nearest(error, &of.table, &*store)),
            },
        };
        let name: TableName = table.as_ref().map_or(&of.table, |table| &table.name).parse()?;
        let own = match table.as_ref().map(|table| create::open(&*store, table)) {
            None => None,
            Some(Ok(open)) => Some(open),
            Some(Err(TableError::Foreign { .. })) if foreign => None,
            Some(Err(error @ TableError::Foreign { .. })) => {
                let told = format!(
                    "a table file that stands for its table is for tables that rowkey made; for this one, name the table and \
                     give the file with it: {name} --file {}",
                    of.table
                );
                return Err(error).publicly(|| told);
            }
            Some(Err(error)) => return Err(error.into()),
        };
        Ok(Self { store, name, table, own })
    }
}
