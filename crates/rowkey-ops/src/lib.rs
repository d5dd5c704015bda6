//! Operations on a table file and a store.
//!
//! Everything that takes more than one call: [`create`] makes the pre-split table, [`alter`] changes it, [`load`] fills it from a file
//! ([`input`]) and can be resumed, [`put`] writes records that a program holds, [`index`] keeps index tables right, [`query`] runs a plan
//! over the buckets of a salted table and merges the rows in order, [`export`] writes its rows to files, [`aggregate`] counts and adds where the rows lie,
//! [`calibrate`] measures what reading costs on a store, [`recording`]
//! keeps the queries that were run, for `rowkey advise`.
//!
//! This crate knows the core and the trait and nothing of any particular store; it prints nothing and draws no
//! progress bar, but tells the caller how far it is.

pub mod aggregate;
pub mod alter;
pub mod calibrate;
mod cancel;
mod contents;
pub mod create;
pub mod export;
pub mod external_sort;
mod fold;
pub mod index;
pub mod input;
pub mod load;
mod merge;
pub mod output_file;
mod processors;
pub mod put;
pub mod query;
pub mod record;
pub mod recording;
mod row_sort;

pub use processors::processors;
