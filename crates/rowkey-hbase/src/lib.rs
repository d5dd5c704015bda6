//! A native client for HBase 2.
//!
//! [`HBaseStore`] is a [`rowkey_store::Store`] on a cluster of HBase 2, through HBase's own protocol: no JVM, no
//! gateway. It finds the cluster through ZooKeeper or through the masters, keeps one connection to each server with
//! many calls on it, remembers where regions are, and tries again where that helps.
//!
//! ```no_run
//! use rowkey_hbase::HBaseStore;
//! use rowkey_store::Admin;
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
//! | question | room |
//! | --- | --- |
//! | what do the bytes look like | `wire/` |
//! | how do calls share a connection | `connection/` |
//! | where is the cluster | `registry/`: URLs, ZooKeeper, the masters |
//! | where is a region | `regions/`: what is remembered, and `hbase:meta` |
//! | how is a row read or written | `request/`: one file for each operation |
//! | how is a table or region changed | `admin/`: the master's procedures |
//! | who calls it | `client/`: what the asynchronous client remembers, the store (blocking, the trait), options |
//! | how is a connection secured | `security/`: TLS and Kerberos, each behind a feature of its name |
//! | what went wrong | `error` (and what to do about it), `remote` (what a server says) |
//!
//! # What it is not, yet
//!
//! No delegation tokens, and no ZooKeeper that itself asks for Kerberos or TLS.
//!
//! All tests run on HBase 2.6.1. Create, load, scan and drop were also tried, through ZooKeeper and through the master, on
//! 3.0.0-alpha-4, 2.6.4, 2.5.8 and 2.4.18: `cargo xtask versions`.
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
//! - The empty key means "unbounded" on the wire and, as in `hbase:meta`, in the cache of regions. The ranges of
//!   [`rowkey_store::Region`], which callers see, have `Unbounded` instead.

mod admin;
mod client;
mod connection;
mod error;
mod regions;
mod registry;
mod remote;
mod request;
mod security;
mod wire;

pub use admin::status::{ClusterStatus, RegionStatus, ServerStatus};
pub use admin::watcher::{Procedure, Wait, Watcher};
pub use client::HBaseClient;
pub use client::figures::ClientFigures;
pub use client::options::Options;
pub use client::store::HBaseStore;
pub use error::{HBaseError, Retry};
pub use registry::site::{SiteError, url_of_site};
pub use registry::url::{ClusterUrl, HostPort, RegistryAddress, UrlError};
pub use remote::AccessScope;
pub use request::endpoint::{Endpoint, RegionAnswer};
pub use request::scan::RowStream;
pub use security::Secured;
pub use security::kerberos::problem::{KerberosProblem, WrapProblem};
pub use security::kerberos::{Kerberos, Protection, UnknownProtection};
pub use security::tls::Tls;
pub use security::tls::problem::{TlsFileProblem, TlsProblem};
pub use security::who::WhoAmI;
