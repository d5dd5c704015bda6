//! TLS of a connection: whom we believe, who we are, and what went wrong.
//!
//! The server's certificate must hold the name by which the server announces itself, and be signed by an authority of the file that the
//! caller names or, without one, of this system. TLS 1.2, which HBase speaks by default, and 1.3.
//!
//! Without the feature `tls` there are only settings and error texts here, and no connection is opened with them.

#[cfg(feature = "tls")]
mod files;
#[cfg(feature = "tls")]
mod handshake;
pub(crate) mod problem;

use std::path::PathBuf;

#[cfg(feature = "tls")]
pub(crate) use handshake::Connector;

/// TLS to all servers of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tls {
    /// A PEM file with the certificates of the authorities to believe. Default: those that this system believes.
    pub ca: Option<PathBuf>,
    /// A PEM file with our own certificate, followed by those between it and its authority. HBase asks for one by default.
    pub cert: Option<PathBuf>,
    /// A PEM file with the private key of `cert`. Default: the file `cert`.
    pub key: Option<PathBuf>,
}

impl Tls {
    /// TLS that believes the authorities of this system and shows no certificate.
    pub fn new() -> Self {
        Self::default()
    }
}
