//! Errors of the program itself that name no key and no value.
//!
//! With `--redact` an error is shown only if it is known to hide values: those of the libraries mark them, those here have
//! none. A message that is neither is left out whole, so that a new one cannot leak.

use std::error::Error;
use std::fmt;

/// A message about files, tables, fields and options, which `--redact` shows.
#[derive(Debug)]
pub(crate) struct Public {
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// An error with this message, in which stands no key and no value.
pub(crate) fn public(text: impl Into<String>) -> anyhow::Error {
    Public::from(text.into()).into()
}

impl From<String> for Public {
    fn from(text: String) -> Self {
        Self { text, source: None }
    }
}

/// The same with its cause.
pub(crate) fn because(text: String, cause: impl Into<Box<dyn Error + Send + Sync>>) -> anyhow::Error {
    Public { text, source: Some(cause.into()) }.into()
}

impl fmt::Display for Public {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Public {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Adds what was attempted to an error.
pub(crate) trait Publicly<T> {
    /// With a message in which stands no key and no value.
    fn publicly(self, text: impl FnOnce() -> String) -> anyhow::Result<T>;
}

impl<T, E: Error + Send + Sync + 'static> Publicly<T> for Result<T, E> {
    fn publicly(self, text: impl FnOnce() -> String) -> anyhow::Result<T> {
        self.map_err(|source| because(text(), source))
    }
}
