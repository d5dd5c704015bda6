//! Split points: where a table is cut into regions, and what each region gets.
//!
//! A table begins with one region, on one server, unless it is created with split points: keys at which regions start.
//! Points that do not fit the key are as bad as none. The reference guide's example, `Bytes.split` over hex digits, leaves
//! seven of ten regions without a row, because no hex key has a byte between `9` and `a`.
//!
//! | question | function |
//! | --- | --- |
//! | where would HBase's own tools cut? | [`hex`], [`decimal`], [`uniform`], [`bytes_split`], [`book_hex`], [`digits_between`]; by name, [`Algorithm`] |
//! | where does the key itself say to cut? | [`for_key`], [`for_key_within`] |
//! | where does a sample of keys say to cut? | [`from_sample`] |
//! | which ranges do the workers of a job read, and what do they hold? | [`inputs`] |
//! | what does each region get, and which can get nothing? | [`shares`], [`shares_within`], [`is_even`]; what is [`assumed`] there |
//!
//! Points are sorted, none is empty, and n of them make n + 1 regions. A point is the first key of the region after it.

mod domain;
mod error;
mod even;
mod hbase;
mod inputs;
mod ladder;
mod natural;
mod sample;
mod share;

pub use domain::{Ranges, assumed};
pub use error::{MAX_REGIONS, SplitError};
pub use even::{for_key, for_key_within};
pub use hbase::{ALGORITHMS, Algorithm, book_hex, bytes_split, decimal, digits_between, hex, uniform};
pub use inputs::{FieldRange, Input, LastValue, inputs};
pub use sample::{HeavyKey, SampleSplits, from_sample};
pub use share::{Share, is_even, shares, shares_within};
