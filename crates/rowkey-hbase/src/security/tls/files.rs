//! Certificates and keys out of PEM files.

use std::fs;
use std::path::Path;

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::problem::TlsFileProblem;

const JAVA: &str = ": it looks like a key store of Java (JKS); convert it: `keytool -importkeystore -srckeystore FILE -destkeystore \
                    FILE.p12 -deststoretype PKCS12`, then `openssl pkcs12 -in FILE.p12 -nodes -out FILE.pem`";
const PKCS12: &str = ": it looks like PKCS12; convert it: `openssl pkcs12 -in FILE -nodes -out FILE.pem`";
const DER: &str =
    ": it looks like DER; convert a certificate: `openssl x509 -inform der -in FILE -out FILE.pem`";

/// All certificates of a file, in its order.
pub(super) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileProblem> {
    let bytes = fs::read(file).map_err(TlsFileProblem::Read)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|_| TlsFileProblem::Damaged)?;
    if found.is_empty() {
        return Err(TlsFileProblem::NotPem { expected: "CERTIFICATE", hint: hint(&bytes) });
    }
    Ok(found)
}

/// The first private key of a file.
pub(super) fn key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsFileProblem> {
    let bytes = fs::read(file).map_err(TlsFileProblem::Read)?;
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) if contains(&bytes, b"ENCRYPTED PRIVATE KEY-----") => {
            Err(TlsFileProblem::Encrypted)
        }
        Err(pem::Error::NoItemsFound) => {
            Err(TlsFileProblem::NotPem { expected: "PRIVATE KEY", hint: hint(&bytes) })
        }
        // its words could hold a line of the key
        Err(_) => Err(TlsFileProblem::Damaged),
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// What bytes that are not PEM may be.
fn hint(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xFE, 0xED, 0xFE, 0xED, ..] => JAVA,
        // A sequence that begins with the number 3, the version of PKCS12.
        [0x30, 0x82, _, _, 2, 1, 3, ..] | [0x30, 0x80, 2, 1, 3, ..] => PKCS12,
        [0x30, 0x82, ..] => DER,
        _ => "",
    }
}
