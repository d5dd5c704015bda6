//! The key of a cell in its family's keyspace.
//!
//! ```text
//! row*  qualifier*  !timestamp          kind
//!                   8 bytes, big-endian  1 byte, FF - HBase's type code
//! ```
//!
//! - [`packed`]: `x*`, byte strings one after another without losing their order.
//! - [`cell`]: the whole key, made and taken apart.
//! - [`bounds`]: a range of rows as a range of these keys.
//!
//! **Law**: cells sort as HBase sorts them within a family: by row, then qualifier, then from the newest timestamp
//! to the oldest, then delete markers before puts (`cells_sort_as_in_hbase`).

pub(crate) mod bounds;
pub(crate) mod cell;
pub(crate) mod packed;
#[cfg(test)]
mod vectors;
