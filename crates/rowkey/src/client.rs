use std::fmt;
use std::sync::Arc;

use rowkey_core::Table;
use rowkey_core::query::Prices;
use rowkey_ops::create::{self, TableError};
use rowkey_store::{Store, StoreError, TableName};

use crate::stores::{self, Opening};
use crate::{Error, TableHandle};

/// An open folder or cluster. Clones share it.
#[derive(Clone)]
pub struct Client {
    store: Arc<dyn Store>,
    prices: Prices,
}

impl Client {
    /// Opens a folder, which is made if it is not there, or a cluster: `hbase://ZOOKEEPER:2181/hbase` and `hbase+rpc://MASTER:16000` are
    /// clusters, everything without `://` is a folder ([`stores`]).
    ///
    /// # Errors
    /// When the folder belongs to another process or is damaged, the cluster cannot be reached, or the feature for it is not there.
    pub fn open(place: &str) -> Result<Self, Error> {
        let store = stores::open(place, Opening::default())?
            .ok_or_else(|| Error::Missing { place: place.to_owned() })?;
        Ok(Self { prices: stores::kind_of(place)?.prices, ..Self::with_store(store.into()) })
    }

    /// A client of any store, with the prices of a folder: what a range, a get and a jump cost beside a row that is read.
    pub fn with_store(store: Arc<dyn Store>) -> Self {
        Self { store, prices: Prices::EMBEDDED }
    }

    /// Plans queries with other prices.
    #[must_use]
    pub fn prices(self, prices: Prices) -> Self {
        Self { prices, ..self }
    }

    /// The store itself.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Makes the table of a file, cut at its split points, with its index tables.
    ///
    /// # Errors
    /// When a table of that name is there, or the store fails.
    pub fn create(&self, table: Table) -> Result<TableHandle, Error> {
        create::create(&*self.store, &table)?;
        self.with_file(table)
    }

    /// The table of a file; it is made if there is none.
    ///
    /// # Errors
    /// When the table was made with another key or other index tables, or the store fails.
    pub fn open_or_create(&self, table: Table) -> Result<TableHandle, Error> {
        match create::create(&*self.store, &table) {
            Ok(_) | Err(TableError::Store(StoreError::TableExists { .. })) => self.with_file(table),
            Err(error) => Err(error.into()),
        }
    }

    /// A table by its name, described by the file that is stored with it.
    ///
    /// # Errors
    /// When there is no such table, or rowkey did not make it.
    pub fn table(&self, name: &str) -> Result<TableHandle, Error> {
        let name: TableName = name.parse()?;
        self.with_file(create::stored(&*self.store, &name)?)
    }

    fn with_file(&self, table: Table) -> Result<TableHandle, Error> {
        let table = create::as_made(&*self.store, table)?;
        let open = create::open(&*self.store, &table)?;
        Ok(TableHandle::new(Arc::clone(&self.store), table, open, self.prices))
    }

    /// Removes a table and its index tables, with all rows.
    ///
    /// # Errors
    /// When there is no such table, or the store fails.
    pub fn drop_table(&self, name: &str) -> Result<(), Error> {
        let name: TableName = name.parse()?;
        Ok(create::drop(&*self.store, &create::stored(&*self.store, &name)?)?)
    }

    /// Writes what a folder still has in memory. Without it, the last handle does so when it is dropped and cannot report a failure. The
    /// folder is free for another process when the last handle is gone.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn close(self) -> Result<(), Error> {
        Ok(self.store.close()?)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("prices", &self.prices).finish_non_exhaustive()
    }
}
