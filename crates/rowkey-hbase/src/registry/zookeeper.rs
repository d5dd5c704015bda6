//! Reading HBase's znodes.
//!
//! Just enough of ZooKeeper's protocol to open a session, read one znode and leave. All numbers are big-endian;
//! every packet has its length before it, every string and byte array its own.
//!
//! ```text
//! connect   length:4 | version:4 = 0 | last seen:8 = 0 | timeout:4 | session:8 = 0 | password: 16 zeros
//! getData   length:4 | xid:4 | 4:4 | path | watch:1 = 0        answer: xid:4 | zxid:8 | error:4 | data | stat
//! ```
//!
//! HBase writes `FF`, an id with its length, `PBUF`, and then a message ([`strip_header`]).
//!
//! Not here: watches, writes, SASL. Nothing is kept open between reads; the client asks rarely.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::error::HBaseError;
use crate::registry::url::HostPort;

const ROLE: &str = "ZooKeeper";
const SESSION_TIMEOUT_MS: i32 = 10_000;
const GET_DATA: i32 = 4;
const CLOSE: i32 = -11;
const NO_NODE: i32 = -101;
/// ZooKeeper's own limit for a packet is 1 MiB.
const MAX_PACKET: usize = 1 << 20;

/// Reads a znode from one member of the quorum.
pub(crate) async fn read(address: &HostPort, path: &str, limit: Duration) -> Result<Vec<u8>, HBaseError> {
    match timeout(limit, read_now(address, path)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(unreachable(address, io::ErrorKind::TimedOut.into())),
    }
}

fn unreachable(address: &HostPort, source: io::Error) -> HBaseError {
    HBaseError::Unreachable { role: ROLE, address: address.clone(), source }
}

async fn read_now(address: &HostPort, path: &str) -> Result<Vec<u8>, HBaseError> {
    let lost = |source| unreachable(address, source);
    let foreign = |what: &'static str| HBaseError::protocol(address, ROLE, what);
    let mut stream = TcpStream::connect((address.host.as_str(), address.port)).await.map_err(lost)?;

    stream.write_all(&connect_packet()).await.map_err(lost)?;
    let greeting = read_packet(&mut stream, address).await?;
    let session = Fields(&greeting).session().ok_or(foreign("its greeting is not one"))?;
    if session <= 0 {
        return Err(foreign("it offers no session"));
    }

    stream.write_all(&request_packet(1, GET_DATA, Some(path))).await.map_err(lost)?;
    let answer = read_packet(&mut stream, address).await?;
    let (code, data) = Fields(&answer).data().ok_or(foreign("its answer is too short"))?;
    // Good manners; the session would end by itself.
    let _ = stream.write_all(&request_packet(2, CLOSE, None)).await;
    match (code, data) {
        (0, Some(data)) => Ok(data.to_vec()),
        (0, None) => Err(foreign("its answer holds no data")),
        (NO_NODE, _) => Err(HBaseError::ZnodeMissing { path: path.to_owned(), address: address.clone() }),
        (code, _) => Err(HBaseError::ZooKeeper { address: address.clone(), path: path.to_owned(), code }),
    }
}

async fn read_packet(stream: &mut TcpStream, address: &HostPort) -> Result<Vec<u8>, HBaseError> {
    let lost = |source| unreachable(address, source);
    let mut length = [0; 4];
    stream.read_exact(&mut length).await.map_err(lost)?;
    let size = u32::from_be_bytes(length) as usize;
    if size > MAX_PACKET {
        let start = rowkey_core::escape::escape(&length);
        let what =
            format!("a packet of {size} bytes is over the limit of {MAX_PACKET}; it starts with `{start}`");
        return Err(HBaseError::protocol(address, ROLE, what));
    }
    let mut packet = vec![0; size];
    stream.read_exact(&mut packet).await.map_err(lost)?;
    Ok(packet)
}

fn connect_packet() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&0i32.to_be_bytes());
    body.extend_from_slice(&0i64.to_be_bytes());
    body.extend_from_slice(&SESSION_TIMEOUT_MS.to_be_bytes());
    body.extend_from_slice(&0i64.to_be_bytes());
    body.extend_from_slice(&16i32.to_be_bytes());
    body.extend_from_slice(&[0; 16]);
    with_length(body)
}

fn request_packet(xid: i32, kind: i32, path: Option<&str>) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend_from_slice(&xid.to_be_bytes());
    body.extend_from_slice(&kind.to_be_bytes());
    if let Some(path) = path {
        body.extend_from_slice(&length_of(path.as_bytes()));
        body.extend_from_slice(path.as_bytes());
        body.push(0);
    }
    with_length(body)
}

fn with_length(body: Vec<u8>) -> Vec<u8> {
    [&length_of(&body)[..], &body].concat()
}

fn length_of(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).expect("paths are short").to_be_bytes()
}

/// The fields of an answer.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn int(&mut self) -> Option<i32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(i32::from_be_bytes(*number))
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }

    /// A greeting's session timeout, zero or less is a refusal; `None` if it is no greeting.
    fn session(mut self) -> Option<i32> {
        let version = self.int()?;
        let timeout = self.int()?;
        // A session's number and its password follow.
        (version == 0 && self.0.len() >= 28).then_some(timeout)
    }

    /// An answer's error code and, if that is zero, its data.
    fn data(mut self) -> Option<(i32, Option<&'a [u8]>)> {
        let _xid = self.int()?;
        self.skip(8)?;
        let code = self.int()?;
        if code != 0 {
            return Some((code, None));
        }
        let length = usize::try_from(self.int()?).ok();
        Some((code, length.and_then(|length| self.0.get(..length))))
    }
}

/// The message inside a znode of HBase.
pub(crate) fn strip_header(data: &[u8]) -> Option<&[u8]> {
    let message = match data.split_first() {
        Some((0xFF, rest)) => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            rest.get(u32::from_be_bytes(*length) as usize..)?
        }
        _ => data,
    };
    message.strip_prefix(b"PBUF")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_header_of_a_znode_is_taken_off() {
        assert_eq!(strip_header(b"\xff\0\0\0\x03abcPBUFmessage"), Some(&b"message"[..]));
        assert_eq!(strip_header(b"PBUFmessage"), Some(&b"message"[..]));
        for bad in [&b""[..], b"\xff", b"\xff\0\0\0\x09abc", b"message", b"\xff\0\0\0\0PBU"] {
            assert_eq!(strip_header(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_read_request_names_the_path() {
        let packet = request_packet(7, GET_DATA, Some("/hbase"));
        assert_eq!(packet, b"\0\0\0\x13\0\0\0\x07\0\0\0\x04\0\0\0\x06/hbase\0");
        assert_eq!(connect_packet().len(), 48);
    }

    #[test]
    fn answers_hold_a_code_or_data() {
        let answer = |code: i32, rest: &[u8]| [&[0; 12][..], &code.to_be_bytes(), rest].concat();
        assert_eq!(Fields(&answer(0, b"\0\0\0\x02okstat")).data(), Some((0, Some(&b"ok"[..]))));
        assert_eq!(Fields(&answer(0, b"\0\0\0\x09ok")).data(), Some((0, None)));
        assert_eq!(Fields(&answer(NO_NODE, b"")).data(), Some((NO_NODE, None)));
        assert_eq!(Fields(b"short").data(), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = strip_header(&bytes);
            let _ = Fields(&bytes).data();
            let _ = Fields(&bytes).session();
        }
    }
}
