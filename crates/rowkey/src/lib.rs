//! Row keys for HBase and other ordered stores: described once, then encoded, checked, stored and queried in order.
//!
//! A table file says what the key is made of and which columns a row has. From it come the bytes of every key, the split points of the
//! table, the key ranges of a query, and rows in the order asked for, whether the key is salted or not. The same program runs on a folder
//! and on an HBase cluster:
//!
//! ```
//! use rowkey::{Client, Millis, Table};
//!
//! const ORDERS: &str = r#"
//! [table]
//! name = "orders"
//! key = "[salt(16, user_id)][user_id][ts desc][order_id]"
//! splits = "salt"                             # one region for each of 16 buckets
//!
//! [fields]
//! user_id = "u64"
//! ts = "timestamp"
//! order_id = "text"
//! amount = "i64?"
//!
//! [families.d]
//! columns = { a = "amount" }
//! "#;
//!
//! # fn main() -> Result<(), rowkey::Error> {
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let place = folder.path().to_str().expect("a path of text");
//! let client = Client::open(place)?;           // "./data", or "hbase://zookeeper:2181/hbase"
//! let table = Table::parse("orders.toml", ORDERS)?;
//! let orders = client.open_or_create(table)?.typed::<(u64, Millis, &str, Option<i64>)>()?;
//! orders.put(&[
//!     (7, Millis(1_735_776_000_000), "a", Some(950)),
//!     (7, Millis(1_735_862_400_000), "b", None),
//!     (8, Millis(1_735_862_400_000), "c", Some(120)),
//! ])?;
//! for row in orders.query("user_id = 7 order by ts desc limit 20")? {
//!     let row = row?;
//!     let (user_id, ts, order_id, amount) = row.get()?;
//!     println!("{user_id} {ts:?} {order_id} {amount:?}");
//! }
//! client.close()
//! # }
//! ```
//!
//! # The way in
//!
//! | to do | use |
//! | --- | --- |
//! | make keys and nothing else | [`KeySchema`], [`KeySchema::typed`] |
//! | find the mistakes of a key | [`check`] |
//! | say where a table is cut | [`split`] |
//! | open a folder or a cluster | [`Client::open`] |
//! | write and query records of Rust types | [`TableHandle::typed`], [`TypedTable`] |
//! | write and query values of any table file | [`TableHandle::put`], [`TableHandle::query`] |
//! | see what a query will read | [`TableHandle::plan`], [`query`] |
//! | load files, keep index tables, count, export | [`ops`] |
//! | use another store | [`store::Store`], [`Client::with_store`] |
//! | open a store by its place and use the trait | [`stores`] |
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `embedded` (default) | tables in a folder: [`Client::open`] with a path |
//! | `hbase` | tables of a cluster: [`Client::open`] with a URL such as `hbase://zookeeper:2181/hbase` |
//! | `parquet`, `zstd` | [`ops::load`] and [`ops::export`] of such files; both need a C compiler |
//!
//! Without features the crate encodes, decodes, checks and plans, and takes any [`store::Store`].
//!
//! # Quirks
//!
//! - A key cannot be changed: [`Client::open_or_create`] refuses a table that was made with another key.
//! - A query that would read the whole table is refused; [`QueryRequest::full_scan`] allows it.
//! - One process owns a folder at a time.

mod client;
mod error;
mod handle;
mod request;
pub mod stores;
mod typed;

pub use client::Client;
pub use error::Error;
pub use handle::TableHandle;
pub use request::QueryRequest;
pub use typed::{TypedRow, TypedRows, TypedTable};

#[doc(inline)]
pub use rowkey_core::typed::{FieldType, Millis, Record as TypedRecord};
#[doc(inline)]
pub use rowkey_core::{
    Field, FieldId, Fields, Finding, Findings, KeyRange, KeySchema, Order, Table, Type, Value, check, escape,
    query, remedy, split,
};
#[doc(inline)]
pub use rowkey_ops::query::{Record, Rows};

/// The trait that every store implements, and what its methods take and return.
pub use rowkey_store as store;

/// Work that takes many calls to a store: loads, index tables, counts, exports.
pub use rowkey_ops as ops;

/// The store in a folder.
#[cfg(feature = "embedded")]
pub use rowkey_embedded as embedded;

/// The client of an HBase cluster.
#[cfg(feature = "hbase")]
pub use rowkey_hbase as hbase;
