use std::fmt;
use std::sync::Arc;

use rowkey_core::query::{Plan, PlanOptions, Prices, Query, plan_table};
use rowkey_core::typed::Record as TypedRecord;
use rowkey_core::{Table, Value};
use rowkey_ops::create::OpenTable;
use rowkey_ops::index::tables::readable;
use rowkey_ops::put::RecordWriter;
use rowkey_ops::query::{Record, Rows, page_by, run_with};
use rowkey_store::Store;

use crate::{Error, QueryRequest, TypedTable};

/// A table of a store with its table file: writes and queries records. Clones share the store.
#[derive(Clone)]
pub struct TableHandle {
    store: Arc<dyn Store>,
    table: Table,
    /// The table with the index tables that reads may use.
    readable: Table,
    open: OpenTable,
    prices: Prices,
}

impl TableHandle {
    pub(crate) fn new(store: Arc<dyn Store>, table: Table, open: OpenTable, prices: Prices) -> Self {
        let readable = readable(table.clone(), Some(&open));
        Self { store, table, readable, open, prices }
    }

    /// Its table file.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The same table for records of Rust types, one for each field of the table file, in its order. A field that may be null is an `Option`.
    ///
    /// # Errors
    /// When there are more or fewer types than fields, or a type is for other values.
    pub fn typed<R: TypedRecord>(self) -> Result<TypedTable<R>, Error> {
        TypedTable::new(self)
    }

    /// Writes records with one value for each field of the table file, in its order. A null takes away the value that a row has. Of two
    /// records with one key the later one counts.
    ///
    /// # Errors
    /// When a value does not fit its field (nothing is written then), or the store fails (writing the same records again is safe).
    pub fn put<'v>(&self, records: &[impl AsRef<[Value<'v>]>]) -> Result<(), Error> {
        Ok(RecordWriter::new(&*self.store, &self.table, &self.open).put(records)?)
    }

    /// Deletes the rows of records that a query returned.
    ///
    /// # Errors
    /// When the store fails; some rows may be deleted then.
    pub fn delete(&self, records: &[Record]) -> Result<(), Error> {
        RecordWriter::new(&*self.store, &self.table, &self.open).delete(records)?;
        Ok(())
    }

    /// The rows of a query, in the order asked for; without an order, in that of the key behind its salt.
    ///
    /// # Errors
    /// When the query cannot be read, would read the whole table or sort it and may not, or the store fails.
    pub fn query<'q>(&self, request: impl Into<QueryRequest<'q>>) -> Result<Rows<'_>, Error> {
        let request = request.into();
        let plan = self.plan(request.clone())?;
        Ok(run_with(&*self.store, &self.open.name, &self.readable, &plan, &request.running())?)
    }

    /// What a query will read: gets or key ranges, by the table or an index table. Nothing is read.
    ///
    /// # Errors
    /// When the query cannot be read, would read the whole table or sort it and may not, or its page token is of another query.
    pub fn plan<'q>(&self, request: impl Into<QueryRequest<'q>>) -> Result<Plan, Error> {
        let request = request.into();
        let query = Query::parse_with(request.text, self.readable.key.fields(), request.parameters)?;
        // A page is read by the table or index table that the page before was read by.
        let by = request.page.map(|token| page_by(&self.readable, token)).transpose()?;
        let options = PlanOptions { by, prices: self.prices, ..request.planning() };
        Ok(plan_table(&self.readable, &query, &options)?.plan)
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableHandle").field("table", &self.table.name).finish_non_exhaustive()
    }
}
