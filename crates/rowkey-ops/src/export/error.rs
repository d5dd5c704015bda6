//! Why an export ended early.

use std::io;
use std::path::PathBuf;

use rowkey_core::escape::escape;
use rowkey_core::remedy::Remedy;

use crate::output_file::OutputError;
use crate::query::QueryError;

/// An export that did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The rows could not be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A file could not be written, or may not be.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// What rows were handed to could not take them.
    #[error("could not write the rows")]
    Write(#[from] io::Error),
    /// CSV has one empty cell for null and for an empty text.
    #[error(
        "row {}, field `{field}`: {value} is an empty cell of CSV, which is read back as {read}; write another format ({} jsonl \
         or parquet), or say {} if both may look alike",
        escape(row),
        Remedy::Format,
        Remedy::EmptyCells
    )]
    EmptyCell {
        /// The row's key.
        row: Vec<u8>,
        /// The field's name.
        field: String,
        /// What it is.
        value: &'static str,
        /// What it would become.
        read: &'static str,
    },
    /// A value of another type than its field's.
    #[error("row {}, field `{field}`: its value is none of the type that the table file says", escape(row))]
    Misfit {
        /// The row's key.
        row: Vec<u8>,
        /// The field's name.
        field: String,
    },
    /// Parquet that could not be made.
    #[error("could not make Parquet of the rows: {message}")]
    Parquet {
        /// Why.
        message: String,
    },
    /// A build without Parquet or zstd.
    #[error(
        "this rowkey was built without {what}; write another format, or build it with the feature `{what}`"
    )]
    NotBuilt {
        /// The feature that is missing, `parquet` or `zstd`.
        what: &'static str,
    },
    /// Parquet that would be packed as a whole.
    #[error("Parquet is packed inside; name the file without .gz or .zst")]
    PackedParquet,
    /// A query whose rows have an order or an end.
    #[error(
        "the rows of a query with `order by` or `limit` belong together; leave these out, or write one file without {}",
        Remedy::PerRegion
    )]
    InOrder,
    /// A folder that cannot be used.
    #[error("could not use the folder {}", folder.display())]
    Folder {
        /// The path of the folder.
        folder: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The folder holds files that the export did not write.
    #[error(
        "the folder {} has files, and no export was begun there; name a new or an empty folder",
        folder.display()
    )]
    NotEmpty {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// A folder with another export.
    #[error(
        "the folder {} has an export {other}; name another folder, or begin anew with {}",
        folder.display(),
        Remedy::Force
    )]
    Other {
        /// The path of the folder.
        folder: PathBuf,
        /// Which.
        other: String,
    },
    /// The export was stopped; the caller that stopped it knows why.
    #[error("the export was stopped")]
    Stopped,
}

impl ExportError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Query(error) => error.remedy(),
            Self::EmptyCell { .. } => Some(Remedy::EmptyCells),
            Self::InOrder => Some(Remedy::PerRegion),
            Self::Other { .. } => Some(Remedy::Force),
            _ => None,
        }
    }
}
