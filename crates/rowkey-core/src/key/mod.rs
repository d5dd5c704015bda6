//! A compiled key: its notation, fields and types are known to go together.
//!
//! A [`KeySchema`] is the compiled key: a flat row of steps that encode ([`KeySchema::encode`]), decode
//! ([`KeySchema::decode`]), split and plan all read. A record is a slice of values in the order of
//! [`KeySchema::fields`].
//!
//! **Laws** (`tests/generated.rs`): a record that encodes decodes to the same values; rows sort by their parts, left to
//! right, each in its own order.
//!
//! ```
//! use rowkey_core::{KeySchema, Value};
//! let key = KeySchema::parse("[salt(16, user)][user: u64][ts: timestamp desc][id]").unwrap();
//! let record = [Value::Int(7), Value::Time(0), Value::Text("o1".into())];
//! let mut bytes = Vec::new();
//! key.encode(&record, &mut bytes).unwrap();
//! assert_eq!(key.decode(&bytes).unwrap().values, record);
//! ```
//!
//! Not here: columns and table files ([`crate::table`]), conditions and ranges ([`crate::query`]).

mod buckets;
mod canonical;
mod compile;
mod decode;
mod encode;
mod error;
mod eval;
mod facts;
mod functions;
mod images;
mod infer;
mod names;
pub(crate) mod node;
pub(crate) mod program;
mod resolve;
mod schema;

pub use decode::{DecodedKey, KeyStart, PartBound};
pub use encode::MAX_KEY_LENGTH;
pub use error::{DecodeError, EncodeError, PartError};
pub use eval::{Draw, Draws};
pub use facts::{KeyLength, Lead, Sorting};
pub use schema::{Boundary, Field, FieldId, Fields, KeySchema, Step, ValueStep};
