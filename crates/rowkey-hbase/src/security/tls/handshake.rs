//! The handshake, and its failures as [`TlsProblem`]s.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rowkey_core::Value;
use rustls::client::ResolvesClientCert;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, Error, InvalidMessage, ProtocolVersion, RootCertStore,
    SignatureScheme,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::problem::{TlsFileProblem, TlsProblem};
use super::{Tls, files};
use crate::error::HBaseError;

/// A stream with TLS on it.
pub(crate) type Stream = tokio_rustls::client::TlsStream<TcpStream>;

/// What all connections of a client have in common.
#[derive(Debug)]
pub(crate) struct Connector {
    config: Arc<ClientConfig>,
    identity: Arc<Identity>,
    authorities: String,
    cert: Option<PathBuf>,
}

impl Connector {
    /// Reads the files.
    pub(crate) fn new(tls: &Tls) -> Result<Self, HBaseError> {
        let (roots, authorities) = roots(tls)?;
        let identity = Arc::new(Identity { shown: own_certificate(tls)?, asked: AtomicBool::new(false) });
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| HBaseError::TlsSetup { source: Box::new(error) })?
            .with_root_certificates(roots)
            .with_client_cert_resolver(Arc::clone(&identity) as Arc<dyn ResolvesClientCert>);
        Ok(Self { config: Arc::new(config), identity, authorities, cert: tls.cert.clone() })
    }

    /// TLS on a fresh connection to a server that announces itself as `host`.
    pub(crate) async fn connect(&self, host: &str, stream: TcpStream) -> Result<Stream, TlsProblem> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| TlsProblem::WrongName { expected: host.to_owned(), presented: Vec::new() })?;
        let connector = TlsConnector::from(Arc::clone(&self.config));
        connector.connect(name, stream).await.map_err(|error| match known(&error) {
            Some(known) => self.known(known),
            // A server without TLS does not understand the handshake, and hangs up.
            None if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
                self.hung_up()
            }
            None => TlsProblem::Other(Arc::new(error)),
        })
    }

    /// What a failure after the handshake has to do with TLS: with version 1.3 a server says only then what it thinks of us.
    pub(crate) fn problem_later(&self, error: &io::Error) -> Option<TlsProblem> {
        match known(error) {
            Some(alert @ Error::AlertReceived(_)) => Some(self.known(alert)),
            _ => None,
        }
    }

    /// The version of a stream, as people write it.
    pub(crate) fn version(stream: &Stream) -> String {
        match stream.get_ref().1.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => "1.2".to_owned(),
            Some(ProtocolVersion::TLSv1_3) => "1.3".to_owned(),
            other => format!("{other:?}"),
        }
    }

    fn hung_up(&self) -> TlsProblem {
        if self.lacks_certificate() { TlsProblem::ClientCertificateMissing } else { TlsProblem::Unwanted }
    }

    fn lacks_certificate(&self) -> bool {
        self.identity.shown.is_none() && self.identity.asked.load(Ordering::Relaxed)
    }

    fn known(&self, error: Error) -> TlsProblem {
        match error {
            Error::InvalidCertificate(wrong) => self.wrong_certificate(wrong),
            Error::AlertReceived(
                AlertDescription::ProtocolVersion | AlertDescription::InsufficientSecurity,
            )
            | Error::PeerIncompatible(_) => TlsProblem::NothingInCommon { alert: error.to_string() },
            Error::AlertReceived(alert) if is_about_us(alert) && self.lacks_certificate() => {
                TlsProblem::ClientCertificateMissing
            }
            Error::AlertReceived(alert) if is_about_us(alert) => match &self.cert {
                Some(cert) if alert != AlertDescription::HandshakeFailure => {
                    let (file, alert) = (cert.clone(), format!("{alert:?}"));
                    TlsProblem::ClientCertificateRefused { file, alert }
                }
                _ => TlsProblem::NothingInCommon { alert: format!("{alert:?}") },
            },
            Error::InvalidMessage(
                InvalidMessage::InvalidContentType
                | InvalidMessage::UnknownProtocolVersion
                | InvalidMessage::MessageTooLarge
                | InvalidMessage::InvalidEmptyPayload,
            ) => TlsProblem::Unwanted,
            other => TlsProblem::Other(Arc::new(other)),
        }
    }

    fn wrong_certificate(&self, wrong: CertificateError) -> TlsProblem {
        match wrong {
            CertificateError::UnknownIssuer => {
                TlsProblem::UnknownIssuer { authorities: self.authorities.clone() }
            }
            CertificateError::ExpiredContext { not_after, .. } => {
                TlsProblem::Expired { when: Some(time(not_after)) }
            }
            CertificateError::Expired => TlsProblem::Expired { when: None },
            CertificateError::NotValidYetContext { not_before, .. } => {
                TlsProblem::NotYetValid { when: Some(time(not_before)) }
            }
            CertificateError::NotValidYet => TlsProblem::NotYetValid { when: None },
            CertificateError::NotValidForNameContext { expected, presented } => {
                TlsProblem::WrongName { expected: expected.to_str().into_owned(), presented }
            }
            other if other.to_string().contains("CaUsedAsEndEntity") => TlsProblem::Authority,
            other => TlsProblem::Other(Arc::new(Error::InvalidCertificate(other))),
        }
    }
}

fn known(error: &io::Error) -> Option<Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).cloned()
}

/// Whether an alert is what a server says about a client's certificate. Some say no more than that the handshake failed.
fn is_about_us(alert: AlertDescription) -> bool {
    use AlertDescription::*;
    matches!(
        alert,
        NoCertificate
            | BadCertificate
            | UnsupportedCertificate
            | CertificateRevoked
            | CertificateExpired
            | CertificateUnknown
            | CertificateRequired
            | UnknownCA
            | AccessDenied
            | HandshakeFailure
    )
}

fn time(time: UnixTime) -> String {
    let millis = i64::try_from(time.as_secs()).unwrap_or(i64::MAX).saturating_mul(1000);
    Value::Time(millis).to_string()
}

/// The certificate that we show, and whether a server has asked for one.
#[derive(Debug)]
struct Identity {
    shown: Option<Arc<CertifiedKey>>,
    asked: AtomicBool,
}

impl ResolvesClientCert for Identity {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.asked.store(true, Ordering::Relaxed);
        self.shown.clone()
    }

    fn has_certs(&self) -> bool {
        // Otherwise nobody would be told that the server asks.
        true
    }
}

fn roots(tls: &Tls) -> Result<(RootCertStore, String), HBaseError> {
    let mut roots = RootCertStore::empty();
    let Some(file) = &tls.ca else {
        // What cannot be read of a system's store is of no interest if the rest has the one that is needed.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(HBaseError::NoAuthorities);
        }
        return Ok((roots, "this system".to_owned()));
    };
    for authority in files::certificates(file).map_err(|problem| file_error("ca", file, problem))? {
        roots.add(authority).map_err(|_| file_error("ca", file, TlsFileProblem::Damaged))?;
    }
    Ok((roots, file.display().to_string()))
}

fn own_certificate(tls: &Tls) -> Result<Option<Arc<CertifiedKey>>, HBaseError> {
    let Some(cert) = &tls.cert else {
        return match &tls.key {
            Some(key) => Err(file_error("key", key, TlsFileProblem::NoCertificate)),
            None => Ok(None),
        };
    };
    let chain = files::certificates(cert).map_err(|problem| file_error("cert", cert, problem))?;
    let file = tls.key.as_ref().unwrap_or(cert);
    let key = files::key(file).map_err(|problem| file_error("key", file, problem))?;
    let certified = certified(chain, key).map_err(|error| {
        let problem = match error {
            Error::InconsistentKeys(_) => TlsFileProblem::Mismatch { cert: cert.clone() },
            _ => TlsFileProblem::Key,
        };
        file_error("key", file, problem)
    })?;
    Ok(Some(Arc::new(certified)))
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<CertifiedKey, Error> {
    CertifiedKey::from_der(chain, key, &ring::default_provider())
}

fn file_error(setting: &'static str, file: &std::path::Path, problem: TlsFileProblem) -> HBaseError {
    HBaseError::TlsFile { setting, file: file.to_owned(), source: problem }
}
