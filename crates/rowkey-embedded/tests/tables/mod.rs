//! Tables and rows in one line each, for the tests beside this folder.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use std::error::Error;
use std::path::Path;

use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{Family, RowBatch, Scan, Store, StoreError, TableDescriptor, TableName};

/// Opens a store whose writes need not survive a power cut.
pub(crate) fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, Options::default().durability(Durability::Buffered))
        .expect("the folder is good")
}

pub(crate) fn name(name: &str) -> TableName {
    name.parse().expect("a valid table name")
}

pub(crate) fn descriptor(table: &str, families: &[&str]) -> TableDescriptor {
    let families = families.iter().map(|&family| Family::new(family)).collect();
    TableDescriptor { name: name(table), families, attributes: Default::default() }
}

pub(crate) fn create(store: &dyn Store, table: &str, families: &[&str], splits: &[&str]) -> TableName {
    let table = descriptor(table, families);
    let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
    store.create_table(&table, &splits).expect("a new and valid table");
    table.name
}

pub(crate) type Cell<'a> = (&'a str, &'a str, i64, &'a str);

pub(crate) fn rows(rows: &[(&str, &[Cell<'_>])]) -> RowBatch {
    let mut batch = RowBatch::new();
    for (key, cells) in rows {
        batch.begin_row(key.as_bytes());
        for (family, qualifier, timestamp, value) in *cells {
            batch.cell(family.as_bytes(), qualifier.as_bytes(), *timestamp, value.as_bytes());
        }
    }
    batch
}

/// All rows of a scan in one batch.
pub(crate) fn scan(store: &dyn Store, table: &TableName, scan: &Scan) -> Result<RowBatch, StoreError> {
    let mut scanner = store.scan(table, scan)?;
    let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
    while scanner.next_batch(&mut batch)? {
        batch.rows().for_each(|row| all.push_row(row));
    }
    Ok(all)
}

/// All rows of a table, printed.
pub(crate) fn dump(store: &dyn Store, table: &TableName) -> String {
    format!("{:?}", scan(store, table, &Scan::new(KeyRange::all())).expect("a good table"))
}

/// An error with its causes, as the program prints it.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
