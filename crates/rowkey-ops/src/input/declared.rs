//! The fields that the data itself declares.
//!
//! Only Parquet says types; CSV and JSON Lines have names alone, and their types are guessed from the values elsewhere
//! (`rowkey-lab`).

use std::fs::File;

use rowkey_core::Type;

use super::error::InputError;

/// A field as the data declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// What it holds, in words.
    pub holds: String,
    /// The type that takes what it holds; `None` if none does, as for lists.
    pub ty: Option<Type>,
    /// Whether it has nulls.
    pub nulls: DeclaredNulls,
    /// The smallest and the largest number, for signed numbers, if the data says.
    pub range: Option<(i64, i64)>,
}

/// What the data says about nulls of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredNulls {
    /// There are none.
    None,
    /// There are some.
    Some,
    /// There may be some.
    NotSaid,
}

/// The fields that a Parquet file declares, in its order.
///
/// # Errors
/// When it is no Parquet file, or a broken one, or this program cannot read any.
pub fn parquet_fields(file: File, label: &str) -> Result<Vec<DeclaredField>, InputError> {
    #[cfg(feature = "parquet")]
    return super::parquet::declared_fields(file, label);
    #[cfg(not(feature = "parquet"))]
    {
        drop(file);
        Err(InputError::NoParquet { data: label.to_owned() })
    }
}
