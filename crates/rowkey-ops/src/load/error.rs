//! Why a load stopped.

use std::path::PathBuf;

use rowkey_core::escape::escape;
use rowkey_core::remedy::Remedy;
use rowkey_store::StoreError;

use crate::external_sort::SortError;
use crate::index::IndexError;
use crate::input::{InputError, Position};
use crate::output_file::OutputError;

/// Why a load stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The data cannot be read.
    #[error("could not read {}", path.display())]
    Open {
        /// The data file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The data is a FIFO, folder or device.
    #[error(
        "{} cannot be loaded by its name, because an interrupted load could not go on with it; load it from standard input, as with \
         {}",
        path.display(),
        Remedy::LoadStream
    )]
    NotAFile {
        /// What was named as a data file.
        path: PathBuf,
        /// What it is.
        #[source]
        source: std::io::Error,
    },
    /// The data is not what an interrupted load has read.
    #[error(
        "{} was changed since the load was interrupted: {} bytes of it were loaded, up to line or row {}, and behind byte {same} they \
         are no longer known to be the same; load all of it with {} (rows of lines that are gone stay in the table)",
        path.display(),
        read.byte,
        read.line,
        Remedy::Restart
    )]
    DataChanged {
        /// The data file.
        path: PathBuf,
        /// So many bytes from its beginning are as they were.
        same: u64,
        /// How far the interrupted load came.
        read: Position,
    },
    /// A file would be written that is an input, or that rowkey did not write.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The data are no records of the table.
    #[error(transparent)]
    Input(#[from] InputError),
    /// It was cancelled.
    #[error("the load was interrupted; {rows} rows of the data are in the table")]
    Interrupted {
        /// Rows of the data that are in the table; those of a load in bulk come all at once or not at all.
        rows: u64,
    },
    /// A thread could not be started.
    #[error(
        "could not start a thread to read the data; see the limits of the process (ulimit -u, ulimit -v)"
    )]
    Thread {
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index rows cannot be written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The rows cannot be sorted.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// A value after a null at the same cell time, which no read would see.
    #[error(
        "row {}: field `{field}` has a value after a null at the same cell time, {time}; a null is a delete marker, which hides \
         every value up to its own time: give the record a later `{time_field}`, or take the null out of the data",
        escape(row)
    )]
    ValueAfterNull {
        /// The row's key.
        row: Vec<u8>,
        /// The field's name.
        field: String,
        /// Milliseconds since 1970.
        time: i64,
        /// The field that says the time.
        time_field: String,
    },
    /// The checkpoint cannot be read or written.
    #[error("could not keep the checkpoint {}; is the folder of the data writable?", path.display())]
    Checkpoint {
        /// The path of the checkpoint, beside the data.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file for bad records cannot be written.
    #[error("could not write bad records to {}; name a file in a folder that can be written", path.display())]
    SkipFile {
        /// The file for bad records.
        path: PathBuf,
        /// The error of the operating system.
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
        /// The file for bad records.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The file for bad records has lost some since the load was interrupted.
    #[error(
        "{} had {expected} bytes of bad records when the load was interrupted, and has {found} now; begin anew with {}",
        path.display(),
        Remedy::Restart
    )]
    SkipFileChanged {
        /// The file for bad records.
        path: PathBuf,
        /// What the checkpoint says.
        expected: u64,
        /// Its length.
        found: u64,
    },
}

impl LoadError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Input(error) => error.remedy(),
            Self::Store(error) => error.remedy(),
            Self::Index(error) => error.remedy(),
            Self::NotAFile { .. } => Some(Remedy::LoadStream),
            Self::DataChanged { .. } | Self::SkipFileChanged { .. } => Some(Remedy::Restart),
            _ => None,
        }
    }
}
