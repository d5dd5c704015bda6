//! Why a sort failed.

use std::io;
use std::path::PathBuf;

/// Why sorting stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SortError {
    /// No temporary file can be made.
    #[error("could not make the temporary file {} for sorting; is its folder there and writable?", path.display())]
    Create {
        /// The temporary file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A temporary file cannot be written.
    #[error(
        "could not write {bytes} bytes to the temporary file {} for sorting; is there room for the data once more \
         on that disk?",
        path.display()
    )]
    Write {
        /// The temporary file.
        path: PathBuf,
        /// How much had to be written.
        bytes: u64,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A temporary file cannot be read back.
    #[error("could not read the temporary file {} for sorting, behind its first {offset} bytes", path.display())]
    Read {
        /// The temporary file.
        path: PathBuf,
        /// How much was read.
        offset: u64,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A key or payload that is too long.
    #[error("cannot sort a {what} of {length} bytes; it may have {limit}")]
    TooLong {
        /// Key or payload.
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The most bytes it may have.
        limit: usize,
    },
}
