//! How large a table becomes, and how many servers it needs.
//!
//! HBase writes a cell whole: the row key, the family, the qualifier and a timestamp stand before every value, so a long
//! name is paid once for every cell of every row. From a table file, mean lengths (by type, or measured on data) and a
//! number of rows come:
//!
//! | question | module |
//! | --- | --- |
//! | how many bytes has a cell, on disk and in memory? | [`cell`] |
//! | how many bytes has a row, and what does one letter of a name cost? | [`row`], [`lengths`] |
//! | how many entries has the block index? | [`index`] |
//! | when is a family flushed, and how small are its files? | [`flush`] |
//! | how much disk, how many regions, how many servers? | [`cluster`] |
//!
//! **Law** (`tests/size.rs`): the length of a cell is that of HBase's own `KeyValue`, and the rules give the figures of the
//! texts they come from.
//!
//! Not here: how evenly the bytes are spread over regions ([`rowkey_core::split`]), and what is read for a query.

pub mod cell;
pub mod cluster;
pub mod flush;
pub mod index;
pub mod lengths;
pub mod row;

pub use cluster::{Cluster, Rules};
pub use flush::{FamilyFlushes, FlushPolicy};
pub use lengths::Lengths;
pub use row::{CellSize, RowSize};
