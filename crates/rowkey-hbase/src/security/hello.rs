//! Does a server that hung up without a word speak TLS?
//!
//! A server that takes only TLS closes a plaintext connection without an answer, as one does that is just going down. A
//! second connection with the start of a TLS handshake tells them apart: whatever a TLS server thinks of it, it answers with a
//! record of TLS. So this needs no TLS of our own.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::registry::url::HostPort;

/// How long the question may take; a server that is there answers in milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);

/// Whether TLS is answered at an address. Without an answer it is not.
pub(crate) async fn is_answered(address: &HostPort) -> bool {
    let asking = async {
        let mut stream = TcpStream::connect((address.host.as_str(), address.port)).await.ok()?;
        stream.write_all(&client_hello()).await.ok()?;
        let mut start = [0; 3];
        stream.read_exact(&mut start).await.ok()?;
        Some(looks_like_tls(&start))
    };
    matches!(timeout(PATIENCE, asking).await, Ok(Some(true)))
}

/// Whether bytes are the start of a record of TLS: a handshake message or an alert.
pub(crate) fn looks_like_tls(start: &[u8]) -> bool {
    matches!(start, [0x15 | 0x16, 3, ..])
}

/// The first message of a handshake in TLS 1.2, without extensions.
///
/// ```text
/// record     type:1 = 22 | version:2 = 03 01 | length:2
/// handshake  type:1 = 1 | length:3 | version:2 = 03 03 | random:32 | session:1 = 0 | suites | compression: 01 00
/// ```
fn client_hello() -> Vec<u8> {
    // ECDHE and RSA with AES-GCM or AES-CBC; the handshake ends here, so nothing depends on them.
    const SUITES: [u16; 6] = [0xC02B, 0xC02F, 0xC02C, 0xC030, 0x009C, 0x002F];
    let mut body = vec![3, 3];
    body.extend_from_slice(&[0x5A; 32]);
    body.push(0);
    body.extend_from_slice(&[0, 2 * SUITES.len() as u8]);
    SUITES.iter().for_each(|suite| body.extend_from_slice(&suite.to_be_bytes()));
    body.extend_from_slice(&[1, 0]);
    let length = body.len() as u8;
    let mut record = vec![0x16, 3, 1, 0, length + 4, 1, 0, 0, length];
    record.extend_from_slice(&body);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_of_the_question_agree() {
        let hello = client_hello();
        assert_eq!(usize::from(hello[4]), hello.len() - 5);
        assert_eq!(usize::from(hello[8]), hello.len() - 9);
    }
}
