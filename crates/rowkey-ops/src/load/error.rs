//! Why did a load stop?

use std::path::PathBuf;

use rowkey_store::StoreError;

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
    /// The checkpoint cannot be read or written.
    #[error("could not keep the checkpoint {}; is the folder of the data writable?", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}
