//! Does the client reach clusters that are secured, and say what to do where it cannot?
//!
//! One program, because one cluster serves all of its tests.

#[cfg(feature = "tls")]
mod files;
#[cfg(all(feature = "tls", feature = "kerberos"))]
mod in_use;
#[cfg(all(feature = "tls", feature = "kerberos"))]
mod kerberos_words;
#[cfg(all(feature = "tls", feature = "kerberos"))]
mod suites;
#[cfg(feature = "tls")]
mod tls_words;
