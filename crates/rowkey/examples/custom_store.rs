//! A store of one's own: this one guards another and refuses every change, for reports on tables of others.
//!
//! `cargo run -p rowkey --example custom_store`
//!
//! A store that keeps rows itself proves that it answers as HBase does by the suite `rowkey-store` has for that (feature `conformance`).

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;

use rowkey::embedded::{EmbeddedStore, Options};
use rowkey::store::{
    Admin, Get, Operation, Outcome, Region, RowBatch, RowStore, Scan, Scanner, Store, StoreError,
    TableDescriptor, TableName,
};
use rowkey::{Client, QueryRequest, Table};

struct ReadOnly<S>(S);

impl<S: Store> RowStore for ReadOnly<S> {
    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        self.0.get(table, get, into)
    }
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.0.scan_many(table, scans)
    }
    fn put_batch(&self, _: &TableName, _: &RowBatch) -> Result<(), StoreError> {
        Err(self.cannot("write rows"))
    }
    fn batch(&self, _: &TableName, _: &[Operation]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        Err(self.cannot("change rows"))
    }
}

/// Changes of tables are not here: what a store does not implement is refused.
impl<S: Store> Admin for ReadOnly<S> {
    fn kind(&self) -> &'static str {
        "a read-only store"
    }
    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.0.describe(table)
    }
    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        self.0.list_tables()
    }
    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.0.is_enabled(table)
    }
    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.0.regions(table)
    }
}

const VISITS: &str = r#"
[table]
name = "visits"
key = "[page][day]"

[fields]
page = "escaped"
day = "u32"
visitors = "u64"

[families.d]
columns = { v = "visitors" }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = EmbeddedStore::open(folder.path(), Options::default())?;
    let table = Table::parse("visits.toml", VISITS)?;
    let visits = Client::with_store(Arc::new(store.clone())).create(table)?.typed::<(&str, u32, u64)>()?;
    visits.put(&[("home", 1, 12), ("home", 2, 15), ("help", 1, 3)])?;

    let reports = Client::with_store(Arc::new(ReadOnly(store)));
    let visits = reports.table("visits")?.typed::<(&str, u32, u64)>()?;
    for row in visits.query(QueryRequest::new("page = 'home' order by day"))? {
        println!("{:?}", row?.get()?);
    }
    match visits.put(&[("home", 3, 1)]) {
        Ok(()) => println!("a read-only store took a row"),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
