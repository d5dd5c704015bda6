use std::fmt;
use std::marker::PhantomData;

use rowkey_core::Value;
use rowkey_core::key::Fields;
use rowkey_core::typed::Record as TypedRecord;
use rowkey_ops::query::{Record, Rows};

use crate::{Error, QueryRequest, TableHandle};

/// A table whose records are tuples of Rust types: `(u64, Millis, &str, Option<i64>)`.
pub struct TypedTable<R> {
    handle: TableHandle,
    record: PhantomData<fn() -> R>,
}

impl<R: TypedRecord> TypedTable<R> {
    pub(crate) fn new(handle: TableHandle) -> Result<Self, Error> {
        handle.table().key.fields().bind::<R>()?;
        Ok(Self { handle, record: PhantomData })
    }

    /// The table without its types.
    pub fn handle(&self) -> &TableHandle {
        &self.handle
    }

    fn fields(&self) -> &Fields {
        self.handle.table().key.fields()
    }

    /// Writes records. `None` takes away the value that a row has; of two records with one key the later one counts.
    ///
    /// # Errors
    /// As [`TableHandle::put`].
    pub fn put(&self, records: &[R::Of<'_>]) -> Result<(), Error> {
        let values: Vec<Vec<Value<'_>>> =
            records.iter().map(|record| self.fields().values_of::<R>(record)).collect();
        self.handle.put(&values)
    }

    /// Deletes rows that a query returned.
    ///
    /// # Errors
    /// As [`TableHandle::delete`].
    pub fn delete(&self, rows: Vec<TypedRow<'_, R>>) -> Result<(), Error> {
        let records: Vec<Record> = rows.into_iter().map(|row| row.record).collect();
        self.handle.delete(&records)
    }

    /// The rows of a query, in the order asked for.
    ///
    /// # Errors
    /// As [`TableHandle::query`].
    pub fn query<'q>(&self, request: impl Into<QueryRequest<'q>>) -> Result<TypedRows<'_, R>, Error> {
        Ok(TypedRows { rows: self.handle.query(request)?, fields: self.fields(), record: PhantomData })
    }
}

impl<R> fmt::Debug for TypedTable<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedTable").field(&self.handle).finish()
    }
}

/// The rows of a query, one after another; ends at the first error.
pub struct TypedRows<'t, R> {
    rows: Rows<'t>,
    fields: &'t Fields,
    record: PhantomData<fn() -> R>,
}

impl<'t, R> TypedRows<'t, R> {
    /// What the query has read so far, and the token of the next page.
    pub fn rows(&self) -> &Rows<'t> {
        &self.rows
    }
}

impl<'t, R: TypedRecord> Iterator for TypedRows<'t, R> {
    type Item = Result<TypedRow<'t, R>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.rows.next()?;
        Some(
            record
                .map(|record| TypedRow { record, fields: self.fields, of: PhantomData })
                .map_err(Error::from),
        )
    }
}

impl<R> fmt::Debug for TypedRows<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedRows").finish_non_exhaustive()
    }
}

/// A row that a query returned.
pub struct TypedRow<'t, R> {
    record: Record,
    fields: &'t Fields,
    of: PhantomData<fn() -> R>,
}

impl<R: TypedRecord> TypedRow<'_, R> {
    /// Its values; texts are borrowed from the row.
    ///
    /// # Errors
    /// When a value is not one of its type: a null for a type that is no `Option`, or a number that it does not hold.
    pub fn get(&self) -> Result<R::Of<'_>, Error> {
        let values = self.record.values.iter().map(Value::borrowed).collect();
        Ok(self.fields.record_of::<R>(values)?)
    }

    /// Its key.
    pub fn key(&self) -> &[u8] {
        &self.record.key
    }
}

impl<R> fmt::Debug for TypedRow<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedRow").field(&self.record).finish()
    }
}
