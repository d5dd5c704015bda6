//! The traits of a store.

use crate::{Admin, RowStore};

/// A store of tables in HBase's data model: its rows and its tables.
///
/// All methods block and may be called from many threads at once. A request that breaks a rule (unknown family, row
/// key too long) changes nothing. Reads and writes of a disabled table are refused with
/// [`StoreError::TableDisabled`](crate::StoreError::TableDisabled); every call on a table that is not there with
/// [`StoreError::TableNotFound`](crate::StoreError::TableNotFound).
///
/// A type that implements both halves is a store. Code that takes `&dyn Store` needs no other trait in scope; code that calls a store
/// of a known type brings in the half that it uses.
pub trait Store: RowStore + Admin {}

impl<S: RowStore + Admin + ?Sized> Store for S {}
