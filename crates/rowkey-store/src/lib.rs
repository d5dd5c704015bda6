//! The data model and the operations of a table, whichever store holds it.
//!
//! HBase's data model behind one trait, [`Store`], made of [`RowStore`] (rows) and [`Admin`] (tables): a table has families; a row is a key and cells; a cell is
//! family, qualifier, timestamp and value. Rows sort by their keys as unsigned bytes and are cut into regions.
//! The trait is blocking, object-safe and batch-oriented: a [`Scanner`] fills a [`RowBatch`] that the caller
//! reuses, and a load sends one.
//!
//! **Law**: every store answers as HBase does. [`conformance`] (feature of the same name) holds it, one file
//! for all stores.
//!
//! The way through the crate: `store` (the trait), `row_store`, `admin` (its halves), `table`, `family`, `region`, `namespace`, `snapshot` (what there is), `chore`, `batch`, `cell_kind`
//! (rows as they travel), `read`, `time_range`, [`filter`] (what a read asks for), `mutation`, `rules` (what a write
//! does, and what is refused), `together` (several tables in one moment), `per_region` (work on every region at once), `aggregate` (work that a store does itself), `error`.
//!
//! Not here: row keys and what is in them (`rowkey`), the stores themselves (`rowkey-embedded`, `rowkey-hbase`),
//! and anything made of several calls (`rowkey-ops`).

mod admin;
mod aggregate;
mod batch;
mod bulk;
mod cell_kind;
mod chore;
#[cfg(feature = "conformance")]
pub mod conformance;
mod counts;
mod error;
mod family;
pub mod filter;
mod mutation;
mod namespace;
mod per_region;
mod read;
mod region;
mod row_store;
mod rules;
mod snapshot;
mod split_policy;
mod status;
mod store;
mod table;
mod time_range;
mod together;

pub use admin::{Admin, Note, TruncateSplits};
pub use aggregate::{Aggregate, Aggregated};
pub use batch::{CellView, LATEST_TIMESTAMP, RowBatch, RowView};
pub use bulk::{SortedRows, put_sorted};
pub use cell_kind::CellKind;
pub use chore::Chore;
pub use counts::RegionCounts;
pub use error::{StoreError, with_causes};
pub use family::{Family, FamilyProblem, validate_families};
pub use filter::Filter;
pub use mutation::{
    Append, CheckAndMutate, Condition, Delete, Deletion, Increment, Mutation, Operation, Outcome, Put,
    PutCell, RowMutations,
};
pub use namespace::Namespace;
pub use per_region::{in_parallel, per_region};
pub use read::{ALL_VERSIONS, Columns, Direction, Get, Scan};
pub use region::Region;
pub use row_store::{RowStore, Scanner};
pub use snapshot::{Snapshot, SnapshotOptions};
pub use split_policy::SplitPolicy;
pub use status::Status;
pub use store::Store;
pub use table::{MAX_ROW_LENGTH, TableDescriptor, TableName, TableNameError, validate_row, validate_splits};
pub use time_range::TimeRange;
pub use together::{Replacement, Rewriting};
