//! The certificates of `testdata/tls`, which `make.sh` there makes.

use std::path::PathBuf;

/// A file of `testdata/tls`.
pub(crate) fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/tls")).join(name)
}

/// Its name in a URL.
pub(crate) fn named(name: &str) -> String {
    escaped(&file(name).display().to_string())
}

/// A file's name as a URL takes it.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('%', "%25").replace('&', "%26")
}
