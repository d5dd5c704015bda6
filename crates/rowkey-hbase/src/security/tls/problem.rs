//! What can be wrong with TLS, and what to do about each.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why there is no TLS to a server.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TlsProblem {
    /// A plaintext connection to a server that takes only TLS.
    #[error(
        "it takes only TLS, and we came without; set `tls=true` in the cluster's URL, with `ca=FILE` if its certificate is \
         signed by an authority of your own"
    )]
    Wanted,
    /// TLS to a server that does not speak it.
    #[error(
        "it does not speak TLS; leave `tls=true` out of the cluster's URL, or ask for the port that does"
    )]
    Unwanted,
    /// The certificate is signed by nobody we believe.
    #[error(
        "it shows a certificate that no authority of {authorities} has signed; name the PEM file of the right authority with `ca=`"
    )]
    UnknownIssuer {
        /// The file of authorities, or whose they are.
        authorities: String,
    },
    /// The certificate holds other names than the server's.
    #[error(
        "it shows a certificate for {}, not for `{expected}`; have one issued for that name, or let the server announce \
         itself by a name of its certificate",
        names(presented)
    )]
    WrongName {
        /// The name by which the server announces itself.
        expected: String,
        /// The names of its certificate.
        presented: Vec<String>,
    },
    /// The certificate's time is over.
    #[error(
        "it shows a certificate that expired{}; the cluster's operator must renew it, unless the clock of this machine is wrong",
        at(when)
    )]
    Expired {
        /// When it ended.
        when: Option<String>,
    },
    /// The certificate's time is still to come.
    #[error("it shows a certificate that is not valid yet{}; is the clock of this machine right?", at(when))]
    NotYetValid {
        /// When it begins.
        when: Option<String>,
    },
    /// The certificate is an authority's own.
    #[error(
        "it shows the certificate of an authority itself; have that authority sign one for the server, without `CA:TRUE` in it"
    )]
    Authority,
    /// The server wants to know who we are, and we have nothing to show.
    #[error(
        "it asks for a client certificate; name its PEM file with `cert=` and that of its key with `key=`"
    )]
    ClientCertificateMissing,
    /// The server does not believe our certificate.
    #[error(
        "it refuses our client certificate {file} ({alert}); is it signed by an authority that the server believes, and is its \
         time not over?"
    )]
    ClientCertificateRefused {
        /// The PEM file with it.
        file: PathBuf,
        /// The server's word for it, an alert of TLS.
        alert: String,
    },
    /// Nothing in common.
    #[error(
        "we have no version or cipher in common ({alert}); we speak 1.2 and 1.3 with AES-GCM and ChaCha20"
    )]
    NothingInCommon {
        /// The word of TLS for it.
        alert: String,
    },
    /// Anything else.
    #[error("the connection was ended")]
    Other(#[source] Arc<dyn Error + Send + Sync>),
}

fn at(when: &Option<String>) -> String {
    when.as_ref().map(|when| format!(" at {when}")).unwrap_or_default()
}

fn names(presented: &[String]) -> String {
    if presented.is_empty() { "no name at all".to_owned() } else { presented.join(", ") }
}

/// Why a file for TLS cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFileProblem {
    /// It cannot be read.
    #[error("it cannot be read")]
    Read(#[source] io::Error),
    /// It is no PEM file, or has nothing of the kind in it.
    #[error("it has no `-----BEGIN {expected}-----` in it{hint}")]
    NotPem {
        /// The first line that was looked for.
        expected: &'static str,
        /// What it looks like, and how it is converted.
        hint: &'static str,
    },
    /// A part of it does not decode.
    #[error("its PEM does not decode; was it cut off?")]
    Damaged,
    /// The key is encrypted.
    #[error(
        "the key in it has a password; write it without one for rowkey: `openssl pkcs8 -in FILE -out NEW.pem`"
    )]
    Encrypted,
    /// The key is of a kind that is not known, or has not all its parts.
    #[error(
        "the key in it cannot be used; keys of EC that keytool made lack a part, which `openssl ec -in FILE -out NEW.pem` adds"
    )]
    Key,
    /// Key and certificate do not belong together.
    #[error("its key is not the key of certificate {cert}")]
    Mismatch {
        /// The file of the certificate.
        cert: PathBuf,
    },
    /// A key without its certificate.
    #[error("it is a key without a certificate; name the certificate's PEM file with `cert=`")]
    NoCertificate,
}
