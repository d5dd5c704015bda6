//! What does a test need that is real and not part of the product? A cluster, HBase's own client, and data.
//!
//! - [`cluster`] starts a real HBase of several region servers in one JVM, or finds the one `cargo xtask test` started.
//! - [`kdc`] hands out the tickets of Kerberos, and [`secured`] starts a cluster that wants them, with TLS and permissions.
//! - [`fault_proxy`] stands before a server and cuts, drops and delays what goes by.
//! - [`java`] runs a small Java program with HBase's jars, so that what we wrote is read back by somebody else.
//! - [`hbase_shell`] runs statements in HBase's own shell, so that what ours prints can be compared with it.
//! - [`phoenix`] asks Phoenix's own jars, so that row keys and plans can be compared with its own.
//! - [`thrift`] is HBase's Thrift server, by which Python programs reach the cluster.
//! - [`artifacts`] brings the jars and keeps them in a cache outside the work tree.
//! - [`folder`] is a place for stores that need not outlive a test.
//! - [`random`] draws numbers from a seed.
//! - [`python`] is Python with packages of others: pyarrow for Parquet, happybase for HBase, a formatter.
//! - [`public_sets`] brings flights as others publish them.
//! - [`orders`] makes orders, the same for the same seed, as rows and as CSV.
//!
//! Not here: mocks. A test uses the embedded store, or HBase itself.
//!
//! Needs Java (JDK 11 or newer) and Maven on the machine, for tests only; the product has no JVM in it. Public data is fetched by Python's pip and by npm.

pub mod artifacts;
mod cache;
pub mod cluster;
mod error;
pub mod fault_proxy;
pub mod folder;
pub mod hbase_shell;
pub mod java;
pub mod kdc;
pub mod orders;
pub mod phoenix;
mod process;
pub mod public_sets;
pub mod python;
pub mod random;
mod registry_tool;
pub mod secured;
pub mod thrift;

pub use error::{Error, Result};
