//! How does a connection become a secured one?
//!
//! TLS, if any, comes first and is below everything else ([`tls`]); Kerberos comes next ([`kerberos`]). What a cluster wants is said by the caller in
//! [`crate::Options`] or in the URL; a connection does not look for it by itself, and never falls back to less.
//!
//! **Law**: no password, key or ticket is in an error, in `Debug` or in any other output; they are not even kept in the
//! types that callers see, which name files.

pub(crate) mod hello;
pub(crate) mod kerberos;
pub(crate) mod tls;
pub(crate) mod who;

use kerberos::Protection;

/// What a connection has agreed on with its server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Secured {
    /// Who we are to the server.
    pub user: String,
    /// Under Kerberos, how the bytes are protected by it.
    pub protection: Option<Protection>,
    /// Under Kerberos, when the ticket for the server ends, in milliseconds since 1970. The connection outlives it.
    pub ticket_ends: Option<i64>,
    /// Under TLS, its version.
    pub tls: Option<String>,
}
