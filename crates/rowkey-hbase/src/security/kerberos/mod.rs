//! Kerberos of a connection: who we are, whom we expect, and how the bytes are protected.
//!
//! ```text
//! ticket (login) | tokens to and fro (handshake) | wrapped stream (wrap), unless the protection is `authentication`
//! ```
//!
//! `krb5.conf` is found as MIT's library finds it: the files of `KRB5_CONFIG`, else `/etc/krb5.conf`. Credentials come from a keytab,
//! then they are renewed for ever, or from a cache that `kinit` has filled, which is read and never written.
//!
//! Without the feature `kerberos` there are only settings and error texts here, and no connection is opened with them.

#[cfg(feature = "kerberos")]
pub(crate) mod handshake;
#[cfg(feature = "kerberos")]
pub(crate) mod login;
pub(crate) mod problem;
#[cfg(feature = "kerberos")]
pub(crate) mod wrap;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How the bytes of a connection are protected once both sides know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protection {
    /// Not at all: only the greeting is protected (`auth`).
    Authentication,
    /// Bytes cannot be changed on the way (`auth-int`).
    Integrity,
    /// Bytes can be neither changed nor read on the way (`auth-conf`).
    Privacy,
}

impl Protection {
    /// All of them, the strongest first.
    pub const ALL: [Self; 3] = [Self::Privacy, Self::Integrity, Self::Authentication];

    #[cfg_attr(not(feature = "kerberos"), expect(dead_code, reason = "nothing is negotiated then"))]
    fn layer(self) -> u8 {
        match self {
            Self::Authentication => 1,
            Self::Integrity => 2,
            Self::Privacy => 4,
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authentication => "authentication",
            Self::Integrity => "integrity",
            Self::Privacy => "privacy",
        })
    }
}

/// A text that is no protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not one of authentication, integrity and privacy")]
pub struct UnknownProtection;

impl FromStr for Protection {
    type Err = UnknownProtection;

    /// HBase's words, and those of SASL.
    fn from_str(text: &str) -> Result<Self, UnknownProtection> {
        match text.to_ascii_lowercase().as_str() {
            "authentication" | "auth" => Ok(Self::Authentication),
            "integrity" | "auth-int" => Ok(Self::Integrity),
            "privacy" | "auth-conf" => Ok(Self::Privacy),
            _ => Err(UnknownProtection),
        }
    }
}

/// Kerberos to all servers of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kerberos {
    /// Who we are, such as `anna@EXAMPLE.COM`. Default: whose the cache is, or the first of the keytab.
    pub principal: Option<String>,
    /// A file with keys of principals. Default: none, so that tickets come from the cache.
    pub keytab: Option<PathBuf>,
    /// The cache with tickets, such as `FILE:/tmp/krb5cc_1000`. Default: that of `KRB5CCNAME`, else of `krb5.conf`.
    pub cache: Option<String>,
    /// The configuration of Kerberos. Default: as MIT's library finds it.
    pub krb5_conf: Option<PathBuf>,
    /// Who the servers are; `_HOST` stands for the name by which each announces itself. Without a realm the host's by
    /// `krb5.conf`, or our own. Default: `hbase/_HOST`.
    pub service: String,
    /// Who the masters are, if somebody else. Default: `service`.
    pub master_service: Option<String>,
    /// Which protections will do, the most wanted first. Default: all, the strongest first.
    pub protection: Vec<Protection>,
    /// Whether a server that is not secured is believed all the same. Default: no.
    pub fallback_to_simple: bool,
}

impl Default for Kerberos {
    fn default() -> Self {
        Self {
            principal: None,
            keytab: None,
            cache: None,
            krb5_conf: None,
            service: "hbase/_HOST".to_owned(),
            master_service: None,
            protection: Protection::ALL.to_vec(),
            fallback_to_simple: false,
        }
    }
}

impl Kerberos {
    /// Kerberos with the tickets of the default cache.
    pub fn new() -> Self {
        Self::default()
    }
}
