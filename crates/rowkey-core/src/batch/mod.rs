//! Encodes and decodes the keys of many records at once, at the speed of copying.
//!
//! One record at a time pays for every step of the key with every record: which type, which order, does it fit. A batch
//! pays once for a whole column ([`Column`]) and then runs a plain loop over it. The keys lie one after another in one
//! arena ([`KeyBatch`]).
//!
//! ```text
//!  columns   user  ts  id        pieces: what each step adds     arena: text first, then what stands before it
//!             7    30  a1        salt  user   ts   id            |s|  user  |   ts   |a1|s|  user  |   ts   |b22|…
//!             9    20  b22
//! ```
//!
//! **Law** (`tests/batches.rs`): a batch gives the bytes and the errors that its records give one at a time.
//!
//! ```
//! use rowkey_core::KeySchema;
//! use rowkey_core::batch::{BatchEncoder, Column, KeyBatch, Values};
//! let key = KeySchema::parse("[salt(16, user)][user: u64][ts: timestamp desc]").unwrap();
//! let columns = [Column::new(Values::U64(&[7, 9])), Column::new(Values::Time(&[30, 20]))];
//! let mut keys = KeyBatch::new();
//! BatchEncoder::new(&key).encode(&columns, &mut keys).unwrap();
//! assert_eq!(key.decode(keys.get(1).unwrap()).unwrap().values[0].to_string(), "9");
//! ```
//!
//! All of it is safe code. A text is copied as sixteen bytes whatever its length; what that spills is written over by the
//! next step or key. Stores without bounds checks were tried beside it and are no quicker: a pass over each column, where
//! hand-written code for one key goes over all of them at once, is what is left of the difference
//! (`cargo xtask bench keys`).

mod column;
mod encode;
mod fill;
mod keys;
mod pieces;
mod write;

pub use column::{Column, ColumnBuffer, ColumnError, ColumnFull, Strings, StringsError, Values};
pub use encode::{BatchEncodeError, BatchEncoder, Seed};
pub use keys::KeyBatch;
