//! Why did a load stop?

use std::path::PathBuf;

use rowkey_store::StoreError;

use crate::external_sort::SortError;
use crate::index::IndexError;
use crate::input::InputError;

/// Why a load stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The data cannot be read.
    #[error("could not read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The data are no records of the table.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index rows cannot be written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The rows cannot be sorted.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// The checkpoint cannot be read or written.
    #[error("could not keep the checkpoint {}; is the folder of the data writable?", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file for bad records cannot be written.
    #[error("could not write bad records to {}; name a file in a folder that can be written", path.display())]
    SkipFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file for bad records holds something already.
    #[error(
        "{} is for the bad records of this load, and has {bytes} bytes of something else; move it away, or name \
         another file",
        path.display()
    )]
    SkipFileInUse {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The file for bad records has lost some since the load was interrupted.
    #[error(
        "{} had {expected} bytes of bad records when the load was interrupted, and has {found} now; begin anew with \
         --restart",
        path.display()
    )]
    SkipFileChanged {
        /// The file.
        path: PathBuf,
        /// What the checkpoint says.
        expected: u64,
        /// Its length.
        found: u64,
    },
}
