//! An embedded store in HBase's data model: a folder, no server.
//!
//! [`EmbeddedStore`] is a [`rowkey_store::Store`] in a folder, on the engine fjall: tables with families, versions and
//! times to live, cut into regions with HBase's names, durable before a write returns. It is the default store of
//! rowkey and the reference for what a table does.
//!
//! It is: atomic (a batch of rows is there whole or not at all, also after `kill -9`); consistent (a get, and a scan
//! from its first row to its last, see one moment); streaming (a scan holds one row, not the range).
//!
//! It is not: a server (one process owns a folder); a cache of HBase.
//!
//! **Law**: it answers as HBase does: `tests/conformance.rs` runs the suite that all stores share, and
//! `tests/model.rs` compares random operations with a model.
//!
//! ```
//! use rowkey_embedded::{EmbeddedStore, Options};
//! use rowkey_store::{Admin, Family, Get, LATEST_TIMESTAMP, RowBatch, RowStore, TableDescriptor};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let store = EmbeddedStore::open(folder, Options::default())?;
//! let name = "orders".parse()?;
//! let families = vec![Family::new("d")];
//! let table = TableDescriptor { name, families, attributes: Default::default() };
//! store.create_table(&table, &[b"m".to_vec()])?;
//!
//! let mut rows = RowBatch::new();
//! rows.begin_row(b"user7");
//! rows.cell(b"d", b"amount", LATEST_TIMESTAMP, b"42");
//! store.put_batch(&table.name, &rows)?;
//!
//! let mut found = RowBatch::new();
//! assert!(store.get(&table.name, &Get::new("user7"), &mut found)?);
//! store.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! The way through the crate: `folder` and `lock` (whose folder is it), `disk` and `opening` (is everything there, and is it what was
//! written), `engine` (fjall's settings), `catalogue` and
//! `table` (which tables), `layout` (where a cell lies), `write`, `change`, `rewrite`, `row_locks` and `group_commit` (how changes are made), `clock` (what time writes get), `moments` (which state a read sees), then `get` and `scan` with `read` and `visible` (what reads return), `compact` and `expiry` (what no read returns),
//! `regions` and `split` (where rows are counted, and where a table is cut). The
//! format on disk has a page of its own, `docs/formats/embedded-store.md`.
//!
//! # Quirks
//!
//! - A write that carries no timestamp gets the time of the call, and never an earlier one than a write before it; two such writes of a cell in the same millisecond
//!   are one version, and the last one wins, as in HBase.
//! - Versions that a family no longer keeps, hidden cells and markers stay until a major compaction removes them; there
//!   is none that begins by itself. Cells an hour past their time to live may go before it, unless the family has
//!   `min_versions`; only a raw scan can tell.
//! - Row and qualifier share the engine's limit of 65,535 bytes for a key: beside the longest row key a qualifier has
//!   16 KB or more.
//! - Dropping the last handle writes memory to disk, which takes a moment; [`EmbeddedStore::close`] also reports.

mod bulk;
mod catalogue;
mod change;
mod clock;
mod compact;
mod disk;
mod engine;
mod error;
mod expiry;
mod folder;
mod get;
mod group_commit;
mod layout;
mod lock;
mod moments;
mod opening;
mod options;
mod read;
mod regions;
mod rewrite;
mod row_locks;
mod scan;
mod split;
mod store;
mod table;
mod verify;
mod visible;
mod write;

pub use disk::journal::TornTail;
pub use error::{EmbeddedError, RecordDamage};
pub use folder::FORMAT_VERSION;
pub use layout::cell::KeyDamage;
pub use layout::packed::PackedError;
pub use opening::Opening;
pub use options::{Durability, Options};
pub use store::EmbeddedStore;
pub use verify::Verified;
