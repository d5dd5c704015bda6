//! How does rowkey talk to a real HBase?
//!
//! [`HBaseStore`] is a [`rowkey_store::Store`] on a cluster of HBase 2, through HBase's own protocol: no JVM, no
//! gateway. It finds the cluster through ZooKeeper or through the masters, keeps one connection to each server with
//! many calls on it, remembers where regions are, and tries again where that helps.
//!
//! ```no_run
//! use rowkey_hbase::HBaseStore;
//! use rowkey_store::Store;
//!
//! let store = HBaseStore::connect("hbase://zk1:2181,zk2:2181/hbase?user=anna")?;
//! let table = "orders".parse()?;
//! for region in store.regions(&table)? {
//!     println!("{} {}", region.range, region.server.unwrap_or_default());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! | question | file |
//! | --- | --- |
//! | where is the cluster, and how patient are we | `url`, `zookeeper`, `registry`, `options` |
//! | what do the bytes look like | `wire/` |
//! | how do calls share a connection | `connection`, `service`, `pool` |
//! | where is a region | `regions` (memory), `meta` (the cluster's book) |
//! | what after a failure | `error`, `remote`, `retry` |
//! | is a request a good one | `rules` |
//! | how are requests written | `mutation`, `filter`, `columns`, `descriptor`; how results are read: `results` |
//! | one operation each | `get`, `put` (loads), `alone` and `batch/` (everything else on rows), `row_call` (asking the region of a row), `scan` (with `cursor`, `rows/`, `region_scanner`) |
//! | work on tables and regions | `tables`, `procedures` (and who `watcher` tells), `region_list`, `region_work`, `compaction`, `status` |
//! | work that runs on the servers | `endpoint`, `aggregate` |
//! | what the client knows | `client`, `figures` |
//! | who calls it | `store` (blocking, the trait), `async_client` |
//!
//! # What it is not, yet
//!
//! No Kerberos and no TLS: a cluster that asks for them is refused with words that say so.
//!
//! All tests run on HBase 2.6.1. Create, load, scan and drop were also tried, through ZooKeeper and through the master, on
//! 2.6.4, 2.5.8 and 2.4.18: `cargo xtask versions`.
//!
//! # Quirks
//!
//! - A batch that breaks a rule writes nothing, because rules are checked here. A batch that fails on the way may
//!   have written some of its rows; writing it again is safe.
//! - Increments and appends carry a nonce, so one that is sent again after a lost answer is not done twice. A
//!   check-and-mutate of puts and deletes has none in HBase: sent again, it may meet its own work. Servers forget nonces
//!   when a region moves, so an answer lost just before a move may still count twice, as with every client.
//! - A compaction flushes first, so that nothing hidden stays in memory; HBase's own command does not.
//! - Filters that end a scan (`Page`, `WhileMatch`, `InclusiveStop`) end it region by region, as in Java's client: whether
//!   the next region is read depends on how a server cut its answers.
//! - Splitting or merging a region that has just come out of a split or merge waits for a compaction, up to some minutes.
//! - Sizes of regions come in whole megabytes, as HBase counts them.
//! - The empty key means "unbounded" on the wire only; above it, unbounded is a variant.

mod aggregate;
mod alone;
mod async_client;
mod batch;
mod client;
mod columns;
mod compaction;
mod connection;
mod cursor;
mod descriptor;
mod endpoint;
mod error;
mod figures;
mod filter;
mod get;
mod meta;
mod mutation;
mod options;
mod pool;
mod procedures;
mod put;
mod region_list;
mod region_scanner;
mod region_work;
mod regions;
mod registry;
#[cfg(test)]
mod relocation;
mod remote;
mod results;
mod retry;
mod row_call;
mod rows;
mod rules;
mod scan;
mod service;
mod status;
mod store;
mod tables;
mod url;
mod watcher;
mod wire;
mod zookeeper;

pub use async_client::HBaseClient;
pub use endpoint::{Endpoint, RegionAnswer};
pub use error::{HBaseError, Retry};
pub use figures::ClientFigures;
pub use options::Options;
pub use scan::RowStream;
pub use status::{ClusterStatus, RegionStatus, ServerStatus};
pub use store::HBaseStore;
pub use url::{ClusterUrl, HostPort, RegistryAddress, UrlError};
pub use watcher::{Procedure, Wait, Watcher};
