//! What can a table do, whichever store holds it?
//!
//! HBase's data model behind one trait, [`Store`]: a table has families; a row is a key and cells; a cell is
//! family, qualifier, timestamp and value. Rows sort by their keys as unsigned bytes and are cut into regions.
//! The trait is blocking, object-safe and batch-oriented: a [`Scanner`] fills a [`RowBatch`] that the caller
//! reuses, and a load sends one.
//!
//! **Law**: every store answers as HBase does. [`conformance`] (feature of the same name) holds it, one file
//! for all stores.
//!
//! Not here: row keys and what is in them (`rowkey`), the stores themselves (`rowkey-embedded`, `rowkey-hbase`),
//! and anything made of several calls (`rowkey-ops`).

mod batch;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod read;
mod region;
mod store;
mod table;

pub use batch::{CellView, LATEST_TIMESTAMP, RowBatch, RowView};
pub use error::StoreError;
pub use read::{Columns, Direction, Get, Scan};
pub use region::Region;
pub use store::{Scanner, Store};
pub use table::{
    Family, MAX_ROW_LENGTH, TableDescriptor, TableName, TableNameError, validate_row, validate_splits,
};
