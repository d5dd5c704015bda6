//! Why index rows could not be written, read or compared.

use std::path::PathBuf;

use rowkey_core::escape::escape;
use rowkey_core::key::{DecodeError, EncodeError};
use rowkey_core::remedy::Remedy;
use rowkey_store::StoreError;

use crate::external_sort::SortError;
use crate::record::RowError;
use crate::row_sort::PumpError;

/// Why work on index tables stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A data row of another schema.
    #[error(transparent)]
    Row(#[from] RowError),
    /// A record that has no key in an index table.
    #[error(
        "row {} cannot be in index table `{index}`: its key cannot be made; give the field a value, or let the part be null with `?`",
        escape(row)
    )]
    Key {
        /// The name of the index table.
        index: String,
        /// The key of the row in the table.
        row: Vec<u8>,
        /// Why.
        #[source]
        problem: EncodeError,
    },
    /// An index row of another schema.
    #[error(
        "row {} of index table `{index}` is none of its entries; remove it, or rebuild the index table",
        escape(entry)
    )]
    Entry {
        /// The name of the index table.
        index: String,
        /// The key of the row in the index table.
        entry: Vec<u8>,
        /// Why.
        #[source]
        problem: DecodeError,
    },
    /// An index key that loses some of a value that the table's key needs.
    #[error(
        "the entry of row {} in index table `{index}` would not lead back to it; give the parts of the index key the types \
         that the fields have",
        escape(row)
    )]
    LeadsElsewhere {
        /// The name of the index table.
        index: String,
        /// The key of the row in the table.
        row: Vec<u8>,
    },
    /// Others changed the row all the time.
    #[error(
        "row {} was changed by others in each of {attempts} attempts to write it; try again, or write it from one place",
        escape(row)
    )]
    Contended {
        /// The key of the row in the table.
        row: Vec<u8>,
        /// How often it was tried.
        attempts: usize,
    },
    /// The entries cannot be sorted.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// A thread could not be started.
    #[error(
        "could not start a thread to write entries; see the limits of the process (ulimit -u, ulimit -v)"
    )]
    Thread {
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A build was cancelled.
    #[error("the build was interrupted; {rows} rows have their entries")]
    Interrupted {
        /// So many rows have them.
        rows: u64,
    },
    /// The checkpoint of a build cannot be read or written.
    #[error("could not keep the checkpoint {}; is the folder writable?", path.display())]
    Checkpoint {
        /// The path of the checkpoint.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
}

impl From<PumpError<IndexError>> for IndexError {
    fn from(error: PumpError<IndexError>) -> Self {
        match error {
            PumpError::Made(error) => error,
            PumpError::Store(error) => error.into(),
            PumpError::Cancelled => Self::Interrupted { rows: 0 },
            PumpError::Thread(source) => Self::Thread { source },
        }
    }
}

impl IndexError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            _ => None,
        }
    }
}
