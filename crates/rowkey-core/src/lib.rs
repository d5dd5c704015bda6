//! Row keys, described once and used everywhere: the pure core of rowkey.
//!
//! A key is written in the notation that articles about row keys use, `[salt(16, user_id)][user_id][ts desc]`.
//! Compiled into a [`KeySchema`] it encodes records, decodes keys, and turns conditions into key ranges; a
//! [`Table`] adds the columns, families and splits of a table file.
//!
//! | question | module |
//! | --- | --- |
//! | what does a key's notation say? | [`notation`] |
//! | is it a working key, which bytes does it give, what do they mean? | [`key`] |
//! | how do many records become keys at once? | [`batch`] |
//! | how does one record of known Rust types become a key? | [`typed`] |
//! | which mistakes does it make? | [`check`] |
//! | which bytes has one value, in a key and in a column? | [`codec`], [`mod@column`] |
//! | what is in a table file? | [`table`] |
//! | which ranges answer a query? | [`query`] |
//! | where is a table cut, and what does each region get? | [`split`] |
//! | how is a key written in another language? | [`lowered`] |
//! | how are keys shown, and what lies between two? | [`escape`], [`range`] |
//!
//! This crate does no input or output, reads no clock, starts no thread and draws no random number.

pub mod batch;
pub mod calendar;
pub mod check;
pub mod codec;
pub mod column;
pub mod disclosure;
pub mod escape;
pub mod finding;
mod hash;
mod hashes;
pub mod key;
pub mod lowered;
mod md5_lanes;
pub mod notation;
pub mod ordered;
pub mod query;
pub mod range;
mod span;
pub mod split;
pub mod table;
pub mod typed;
pub mod types;
mod utf8;
pub mod value;
pub mod visible;

pub use finding::{Finding, Findings, Problem};
pub use key::{Field, FieldId, Fields, KeySchema};
pub use range::KeyRange;
pub use span::Span;
pub use table::Table;
pub use types::{Order, Type};
pub use value::Value;

/// What the other crates of this workspace and its benchmarks share with the core. Not part of the API: it changes without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::hash::{Murmur3, fnv1a};
    pub use crate::hashes::hash;
    pub use crate::md5_lanes::md5_many;
    pub use crate::span::{Lines, line_and_column, nearest};
}
