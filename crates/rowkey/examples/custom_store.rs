//! A store of one's own: this one guards another and refuses every change, for reports on tables of others.
//!
//! `cargo run -p rowkey --example custom_store`
//!
//! A store that keeps rows itself proves that it answers as HBase does by the suite `rowkey-store` has for that (feature `conformance`).

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::sync::Arc;

use rowkey::embedded::{EmbeddedStore, Options};
use rowkey::store::{
    Get, Operation, Outcome, Region, RowBatch, Scan, Scanner, Store, StoreError, TableDescriptor, TableName,
    TruncateSplits,
};
use rowkey::{Client, QueryRequest, Table};

struct ReadOnly<S>(S);

fn refuse<T>(operation: &'static str) -> Result<T, StoreError> {
    Err(StoreError::Unsupported { store: "a read-only store", operation })
}

impl<S: Store> Store for ReadOnly<S> {
    // Reads go on to the store behind it.
    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.0.describe(table)
    }
    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        self.0.list_tables()
    }
    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.0.is_enabled(table)
    }
    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        self.0.get(table, get, into)
    }
    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.0.scan_many(table, scans)
    }
    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.0.regions(table)
    }

    // Changes do not.
    fn put_batch(&self, _: &TableName, _: &RowBatch) -> Result<(), StoreError> {
        refuse("write rows")
    }
    fn batch(&self, _: &TableName, _: &[Operation]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        refuse("change rows")
    }
    fn create_table(&self, _: &TableDescriptor, _: &[Vec<u8>]) -> Result<(), StoreError> {
        refuse("create tables")
    }
    fn alter_table(&self, _: &TableDescriptor) -> Result<(), StoreError> {
        refuse("alter tables")
    }
    fn drop_table(&self, _: &TableName) -> Result<(), StoreError> {
        refuse("drop tables")
    }
    fn truncate_table(&self, _: &TableName, _: TruncateSplits) -> Result<(), StoreError> {
        refuse("truncate tables")
    }
    fn enable_table(&self, _: &TableName) -> Result<(), StoreError> {
        refuse("enable tables")
    }
    fn disable_table(&self, _: &TableName) -> Result<(), StoreError> {
        refuse("disable tables")
    }
    fn split_region(&self, _: &TableName, _: &str, _: Option<&[u8]>) -> Result<(), StoreError> {
        refuse("split regions")
    }
    fn merge_regions(&self, _: &TableName, _: &[String]) -> Result<(), StoreError> {
        refuse("merge regions")
    }
    fn flush(&self, _: &TableName) -> Result<(), StoreError> {
        refuse("flush tables")
    }
    fn major_compact(&self, _: &TableName) -> Result<(), StoreError> {
        refuse("compact tables")
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
