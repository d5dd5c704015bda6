//! The tables that prices are measured on.
//!
//! They have names of their own and a mark in their attributes. A table with such a name and without the mark is a user's, and
//! nothing is done; one with the mark is left from a process that was killed, and is replaced.

use std::time::Instant;

use rowkey_core::query::{Plan, PlanOptions, Query, candidates};
use rowkey_core::{Table, Value};
use rowkey_store::{Family, RowBatch, Store, StoreError, TableDescriptor, TableName};

use super::CalibrateError;
use crate::query::{Cancel, QueryOptions, run_with};

/// Rows of a group: of one value of the first field. A batch is as large.
pub(super) const GROUP: usize = 2000;
/// Bytes of a value; with its key a row has 100.
const VALUE: usize = 88;
/// The attribute that says who made a table.
const MARK: &str = "ROWKEY_CALIBRATE";
const FIXED: &str = "rowkey_calibrate_fixed";
const TEXT: &str = "rowkey_calibrate_text";

/// The rows of one table: groups of the first field, each counted through by the second.
pub(super) struct Rows {
    table: Table,
    name: TableName,
    pub(super) groups: usize,
    value: fn(usize) -> Value<'static>,
}

impl Rows {
    /// Under a key of fixed widths.
    pub(super) fn fixed(groups: usize) -> Self {
        Self::new(FIXED, "[a: u32][b: u32]", "u32", groups, |group| {
            Value::Int(i128::try_from(group).unwrap_or(i128::MAX))
        })
    }

    /// With a text of any length in front, which no server can skip by.
    pub(super) fn behind_a_text(groups: usize) -> Self {
        Self::new(TEXT, "[a: escaped][b: u32]", "text", groups, |group| {
            Value::Text(format!("group{group:06}").into())
        })
    }

    fn new(name: &str, key: &str, field: &str, groups: usize, value: fn(usize) -> Value<'static>) -> Self {
        let file = format!(
            "[table]\nname = \"{name}\"\nkey = \"{key}\"\n[fields]\na = \"{field}\"\nb = \"u32\"\nv = \"bytes\"\n\
             [families.d]\ncolumns = {{ q = \"v\" }}\n"
        );
        let table = Table::parse(name, &file).expect("the text above is a table file");
        Self { table, name: name.parse().expect("a constant that names a table"), groups, value }
    }

    /// Makes and fills the table; `written` hears of each group how many rows there are and the seconds that its batch took.
    pub(super) fn load(
        &self,
        store: &dyn Store,
        cancel: &Cancel,
        written: &mut dyn FnMut(usize, f64),
    ) -> Result<(), CalibrateError> {
        let attributes = [(MARK.to_owned(), "scratch table; can be dropped".to_owned())].into();
        let families = vec![Family::new("d")];
        store.create_table(&TableDescriptor { name: self.name.clone(), families, attributes }, &[])?;
        let (mut batch, mut key) = (RowBatch::new(), Vec::new());
        for group in 0..self.groups {
            batch.clear();
            for nth in 0..GROUP {
                let nth = Value::Int(i128::try_from(nth).unwrap_or(i128::MAX));
                key.clear();
                let record = [(self.value)(group), nth, Value::Null];
                self.table.key.encode(&record, &mut key).expect("the values are of their fields' types");
                batch.begin_row(&key);
                batch.cell(b"d", b"q", 1, &[b'v'; VALUE]);
            }
            if cancel.is_cancelled() {
                return Err(CalibrateError::Cancelled);
            }
            let begin = Instant::now();
            store.put_batch(&self.name, &batch)?;
            written((group + 1) * GROUP, begin.elapsed().as_secs_f64());
        }
        // As a table that was not written to just now.
        store.flush(&self.name)?;
        store.major_compact(&self.name)?;
        Ok(())
    }

    /// The candidate of a condition that is of this kind.
    pub(super) fn plan(&self, condition: &str, is: fn(&Plan) -> bool) -> Plan {
        let query = Query::parse(condition, self.table.key.fields()).expect("a query over the fields above");
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let all = candidates(&self.table.key, &query, &options).expect("everything is allowed");
        all.into_iter().find(is).expect("a key of two fields has a plan of this kind, as a test sees")
    }

    /// How many rows a plan returns.
    pub(super) fn run(
        &self,
        store: &dyn Store,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<usize, CalibrateError> {
        let options = QueryOptions { cancel: cancel.clone(), ..QueryOptions::default() };
        let mut found = 0;
        for record in run_with(store, &self.name, &self.table, plan, &options)? {
            record?;
            found += 1;
        }
        Ok(found)
    }
}

fn names() -> impl Iterator<Item = TableName> {
    [FIXED, TEXT].into_iter().filter_map(|name| name.parse().ok())
}

/// Refuses to touch a table of a user, and removes what a killed process left.
pub(super) fn check(store: &dyn Store) -> Result<(), CalibrateError> {
    for table in names() {
        match store.describe(&table) {
            Ok(found) if found.attributes.contains_key(MARK) => {}
            Ok(_) => return Err(CalibrateError::TableTaken { table }),
            Err(StoreError::TableNotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    remove(store)
}

/// Removes those tables that have the mark.
pub(super) fn remove(store: &dyn Store) -> Result<(), CalibrateError> {
    for table in names() {
        match store.describe(&table) {
            Ok(found) if found.attributes.contains_key(MARK) => store.drop_table(&table)?,
            Ok(_) | Err(StoreError::TableNotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
