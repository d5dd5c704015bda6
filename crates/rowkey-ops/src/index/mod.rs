//! Index tables: rows found by something that their key does not begin with.
//!
//! By an index table: a second table whose row keys (**entries**) begin with what is asked for and hold the whole of the
//! table's key. [`IndexedWriter`] writes rows with their entries, [`resolve`] turns entries into records, [`build`]
//! makes the entries of rows that are there already, [`verify`] compares both ways, [`repair`] mends.
//!
//! **Law** (`tests/index_interleavings.rs`, `tests/index_laws.rs`, `tests/index_kill.rs`): at every moment, also with
//! writers stopped between any two steps, what a read through an index returns is what a filtered scan of the table
//! returns; [`verify`] names every difference between the tables, and [`repair`] leaves none.
//!
//! The protocol and why it holds: `docs/index-tables.md`. The way through the module: `stamp` (which write a cell is of),
//! `entry` (what an index row is), `tables` (create, open, drop), `writer` with `draft` and `together`, `bulk`, `first_load`, `resolve`,
//! `build`, `compare` with `verify` and `repair`.
//!
//! Not here: which index a query takes (`rowkey_core::query`), and how its ranges are scanned (`crate::query`).

mod build;
mod bulk;
mod compare;
mod draft;
mod entry;
mod error;
mod first_load;
mod repair;
mod resolve;
pub(crate) mod stamp;
pub mod tables;
mod together;
mod verify;
mod writer;

pub use build::{BuildOptions, BuildProgress, build};
pub(crate) use bulk::load as load_bulk;
pub use compare::{Difference, DifferenceKind};
pub(crate) use entry::{MARK, mark_family};
pub use error::IndexError;
pub(crate) use first_load::FirstLoad;
pub use repair::repair;
pub use resolve::{Found, Needed, Resolved, resolve};
pub use stamp::Clock;
pub(crate) use stamp::VERIFIED;
pub use tables::{IndexProblem, OpenIndex};
pub use verify::{CompareOptions, CompareProgress, IndexReport, verify};
pub use writer::{IndexedWriter, Written};
