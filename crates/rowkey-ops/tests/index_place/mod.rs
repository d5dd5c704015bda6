//! A table with two index tables, how it is read through them, and a store that stops.

use std::collections::BTreeSet;

use rowkey_core::key::FieldId;
use rowkey_core::range::KeyRange;
use rowkey_core::{Table, Value};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{self, CompareOptions, IndexReport, Needed};
use rowkey_ops::record::{self, RowWriter};
use rowkey_store::{
    Admin, Get, LATEST_TIMESTAMP, Note, Operation, Outcome, Region, Rewriting, RowBatch, RowStore, Scan,
    Scanner, Store, StoreError, TableDescriptor, TableName, TruncateSplits,
};

/// Orders, found by seller (thin) and by amount (with copies, one of which may be null).
pub(crate) const ORDERS: &str = r#"
[table]
name = "orders"
key = "[salt(4, user)][user][number: escaped]"
splits = "salt"

[fields]
user = "u32"
number = "text"
seller = "text"
amount = "i64?"
note = "text?"

[families.d]
columns = { s = "seller", a = "amount" }

[families.n]
columns = { t = "note" }

[[index]]
name = "orders_by_seller"
key = "[salt(2, seller)][seller: escaped][user][number: escaped]"

[[index]]
name = "orders_by_amount"
key = "[amount][user][number: escaped]"
columns = ["note", "seller"]
"#;

pub(crate) type Record = Vec<Value<'static>>;

pub(crate) fn table() -> Table {
    Table::parse("orders.toml", ORDERS).expect("the file is right")
}

/// The same with the second index alone, for tests that count steps.
pub(crate) fn table_with_one_index() -> Table {
    let (start, rest) = ORDERS.split_once("[[index]]").expect("two indexes");
    let (_, second) = rest.split_once("[[index]]").expect("two indexes");
    Table::parse("orders.toml", &format!("{start}[[index]]{second}")).expect("the file is right")
}

pub(crate) fn order(
    user: i128,
    number: &str,
    seller: &str,
    amount: Option<i128>,
    note: Option<&str>,
) -> Record {
    vec![
        Value::Int(user),
        Value::Text(number.to_owned().into()),
        Value::Text(seller.to_owned().into()),
        amount.map_or(Value::Null, Value::Int),
        note.map_or(Value::Null, |note| Value::Text(note.to_owned().into())),
    ]
}

/// The rows of records, with a cell time or that of the write.
pub(crate) fn rows(table: &Table, records: &[Record], cell_time: Option<i64>) -> RowBatch {
    let (mut writer, mut batch) = (
        RowWriter::new(table).cell_time(cell_time.unwrap_or(LATEST_TIMESTAMP)).deleting_nulls(),
        RowBatch::new(),
    );
    for (number, record) in (0..).zip(records) {
        writer.write(number, record, &mut batch).expect("the record fits");
    }
    batch
}

pub(crate) fn key(table: &Table, record: &Record) -> Vec<u8> {
    let mut key = Vec::new();
    table.key.encode(record, &mut key).expect("the record fits");
    key
}

/// All rows of a table of the store.
pub(crate) fn scan(store: &dyn Store, name: &TableName) -> RowBatch {
    let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
    let mut scanner = store.scan(name, &Scan::new(KeyRange::all())).expect("the table is there");
    while scanner.next_batch(&mut batch).expect("the store works") {
        batch.rows().for_each(|row| all.push_row(row));
    }
    all
}

/// The records of a table by a scan of the table itself.
pub(crate) fn scanned(store: &dyn Store, table: &Table, open: &OpenTable) -> Vec<(Vec<u8>, Record)> {
    let all = scan(store, &open.name);
    let record = |row: rowkey_store::RowView<'_>| {
        let values = record::read(table, row).expect("the row is of the table");
        (row.key().to_vec(), values.into_iter().map(Value::into_owned).collect())
    };
    all.rows().map(record).collect()
}

/// Whether reads through every index give what a scan of the table gives; says what differs.
pub(crate) fn reads_agree(store: &dyn Store, table: &Table, open: &OpenTable) -> Result<(), String> {
    let expected = scanned(store, table, open);
    for (nth, index) in table.indexes.iter().enumerate() {
        let entries = scan(store, &open.indexes[nth].name);
        let mut covered: Vec<FieldId> = index.key.recoverable();
        covered.extend(&index.columns);
        for fields in [None, Some(covered.as_slice())] {
            let needed = fields.map_or(Needed::All, Needed::Fields);
            let found = index::resolve(store, table, open, nth, &entries, needed).expect("the store works");
            assert!(found.records.is_sorted_by_key(|found| found.at), "in the order of the entries");
            let shown = |key: &[u8], values: &[Value<'static>]| {
                let of = |(nth, value): (usize, &Value<'static>)| {
                    fields.is_none_or(|fields| fields.contains(&FieldId(nth))).then(|| format!("{value:?}"))
                };
                (key.to_vec(), values.iter().enumerate().filter_map(of).collect::<Vec<_>>())
            };
            let got: BTreeSet<_> =
                found.records.iter().map(|found| shown(&found.key, &found.values)).collect();
            let wanted: BTreeSet<_> = expected.iter().map(|(key, values)| shown(key, values)).collect();
            if got != wanted || found.records.len() != wanted.len() {
                let (more, less) = (got.difference(&wanted).count(), wanted.difference(&got).count());
                return Err(format!(
                    "index {}, {} fields: {more} wrong, {less} missing, {} rows for {}\nentries {entries:?}\ndata {:?}",
                    index.name,
                    fields.map_or("all", |_| "its own"),
                    found.records.len(),
                    wanted.len(),
                    scan(store, &open.name),
                ));
            }
        }
    }
    Ok(())
}

pub(crate) fn every(table: &Table) -> Vec<usize> {
    (0..table.indexes.len()).collect()
}

pub(crate) fn verify(store: &dyn Store, table: &Table, open: &OpenTable) -> Vec<IndexReport> {
    let options = CompareOptions { first: 1000, ..CompareOptions::default() };
    index::verify(store, table, open, &every(table), options, &mut |_| {}).expect("the store works")
}

pub(crate) fn repair(store: &dyn Store, table: &Table, open: &OpenTable) -> Vec<IndexReport> {
    let options = CompareOptions { first: 1000, ..CompareOptions::default() };
    index::repair(store, table, open, &every(table), options, &mut |_| {}).expect("the store works")
}

pub(crate) fn differences(reports: &[IndexReport]) -> u64 {
    reports.iter().map(IndexReport::differences).sum()
}

/// Verify finds nothing, not even something unfinished.
pub(crate) fn is_clean(reports: &[IndexReport]) -> bool {
    differences(reports) == 0 && reports.iter().all(|report| report.unfinished + report.in_flight == 0)
}

pub(crate) fn create(store: &dyn Store, table: &Table) -> OpenTable {
    create::create(store, table).expect("the tables can be made");
    create::open(store, table).expect("the tables are there")
}

/// What a call does to which table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) writes: bool,
    pub(crate) table: TableName,
}

/// What becomes of a call.
pub(crate) enum Turn {
    /// It goes through.
    Go,
    /// The process dies; so many of the call's items are still done.
    Die(usize),
}

/// A store that asks before every call that reads or writes rows.
pub(crate) struct Asking<'s, F> {
    pub(crate) store: &'s dyn Store,
    pub(crate) ask: F,
    /// Whether rows and entries may be written in one call, where the store can.
    pub(crate) together: bool,
    /// Whether it is a store of this process; otherwise calls to several index tables come at the same time.
    pub(crate) gets_are_quick: bool,
}

impl<F: Fn(Call) -> Turn + Send + Sync> Asking<'_, F> {
    fn step(&self, table: &TableName) -> Result<(), StoreError> {
        match (self.ask)(Call { writes: false, table: table.clone() }) {
            Turn::Go => Ok(()),
            Turn::Die(_) => Err(dead()),
        }
    }
}

fn dead() -> StoreError {
    StoreError::backend("go on", "the process is dead")
}

impl<F: Fn(Call) -> Turn + Send + Sync> RowStore for Asking<'_, F> {
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        match (self.ask)(Call { writes: true, table: table.clone() }) {
            Turn::Go => self.store.put_batch(table, rows),
            Turn::Die(done) => {
                let mut some = RowBatch::new();
                // From the end, since a store may write the rows of a batch in any order.
                rows.rows().rev().take(done).for_each(|row| some.push_row(row));
                self.store.put_batch(table, &some)?;
                Err(dead())
            }
        }
    }

    fn rewrite_rows(
        &self,
        tables: &[TableName],
        rows: &[&[u8]],
        work: &mut Rewriting<'_>,
    ) -> Result<bool, StoreError> {
        if !self.together {
            return Ok(false);
        }
        match (self.ask)(Call { writes: true, table: tables[0].clone() }) {
            Turn::Go => self.store.rewrite_rows(tables, rows, work),
            Turn::Die(_) => Err(dead()),
        }
    }

    fn write_time(&self) -> Option<i64> {
        self.store.write_time().filter(|_| self.together)
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        match (self.ask)(Call { writes: true, table: table.clone() }) {
            Turn::Go => self.store.batch(table, operations),
            Turn::Die(done) => {
                let some: Vec<Operation> = operations.iter().rev().take(done).cloned().collect();
                self.store.batch(table, &some)?;
                Err(dead())
            }
        }
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        self.step(table)?;
        self.store.get(table, get, into)
    }

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        self.step(table)?;
        self.store.get_many(table, gets, into)
    }

    fn gets_are_quick(&self) -> bool {
        self.gets_are_quick
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.step(table)?;
        self.store.scan_many(table, scans)
    }
}

impl<F: Fn(Call) -> Turn + Send + Sync> Admin for Asking<'_, F> {
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        self.step(&table.name)?;
        self.store.create_table(table, splits)
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.store.describe(table)
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        self.store.list_tables()
    }

    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        self.step(&table.name)?;
        self.store.alter_table(table)
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.step(table)?;
        self.store.drop_table(table)
    }

    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        self.store.truncate_table(table, splits)
    }

    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.enable_table(table)
    }

    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.disable_table(table)
    }

    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.store.is_enabled(table)
    }

    fn note(&self, table: &TableName, name: &str) -> Result<Note, StoreError> {
        self.store.note(table, name)
    }

    fn set_note(&self, table: &TableName, name: &str, note: Option<&[u8]>) -> Result<(), StoreError> {
        self.store.set_note(table, name, note)
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.store.regions(table)
    }

    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        self.store.split_region(table, region, at)
    }

    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        self.store.merge_regions(table, regions)
    }

    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.flush(table)
    }

    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        self.store.major_compact(table)
    }
}
