//! Frames: requests and responses with their lengths.
//!
//! ```text
//! request   length:4 | header (delimited) | parameter (delimited) | cell block
//! answer    length:4 | header (delimited) | result (delimited)    | cell block
//! ```
//!
//! Lengths are big-endian and do not count themselves; a delimited message has its own length before it, as a
//! variable-length number. An answer with an exception ends after its header.
//!
//! **Law**: no bytes from the wire make a decoder panic or allocate more than the limit (`never_panics`).

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;

use super::messages::rpc::{CellBlockMeta, ExceptionResponse, RequestHeader, ResponseHeader};

/// The longest answer that we accept: HBase's own limit for requests.
pub(crate) const MAX_FRAME: usize = 256 << 20;

/// How a connection starts: magic, version 0, simple authentication.
pub(crate) const PREAMBLE: [u8; 6] = [b'H', b'B', b'a', b's', 0, 80];

/// The same with Kerberos.
#[cfg(feature = "kerberos")]
pub(crate) const KERBEROS_PREAMBLE: [u8; 6] = [b'H', b'B', b'a', b's', 0, 81];

/// Bytes that are not an HBase answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    #[error(
        "an answer of {length} bytes is over the limit of {limit}; it starts with `{}`{}",
        rowkey_core::escape::escape(start),
        guess(start)
    )]
    TooLarge { length: usize, limit: usize, start: [u8; 4] },
    #[error("the {part} of an answer of {length} bytes does not decode")]
    Malformed { part: &'static str, length: usize },
}

fn guess(start: &[u8; 4]) -> &'static str {
    match start {
        [0x15 | 0x16, 3, ..] => " and looks like TLS; set `tls=true` in the cluster's URL",
        b"HTTP" => " and looks like a web server",
        _ => "; is this the port of an HBase server?",
    }
}

/// The bytes of a request before its cell block of `cells_len` bytes.
pub(crate) fn encode_request(
    call_id: u32,
    method: &str,
    timeout_ms: u32,
    parameter: &impl Message,
    cells_len: usize,
) -> BytesMut {
    let header = RequestHeader {
        call_id: Some(call_id),
        method_name: Some(method.to_owned()),
        request_param: Some(true),
        cell_block_meta: (cells_len > 0).then(|| CellBlockMeta { length: Some(length_u32(cells_len)) }),
        priority: None,
        timeout: Some(timeout_ms),
    };
    let messages = delimited_len(header.encoded_len()) + delimited_len(parameter.encoded_len());
    let mut head = BytesMut::with_capacity(4 + messages);
    head.put_u32(length_u32(messages + cells_len));
    header.encode_length_delimited(&mut head).expect("the buffer grows");
    parameter.encode_length_delimited(&mut head).expect("the buffer grows");
    head
}

fn delimited_len(message: usize) -> usize {
    prost::length_delimiter_len(message) + message
}

fn length_u32(length: usize) -> u32 {
    u32::try_from(length).expect("requests are cut far below 4 GiB")
}

/// Cuts the next whole frame from the front of `buffer`; `None` if bytes are missing, and then there is room for
/// at least some of them.
pub(crate) fn decode_frame(buffer: &mut BytesMut, limit: usize) -> Result<Option<Bytes>, FrameError> {
    let Some(&start) = buffer.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes(start) as usize;
    if length > limit {
        return Err(FrameError::TooLarge { length, limit, start });
    }
    if buffer.len() < 4 + length {
        // A claimed length is not believed: memory grows with the bytes that really arrive.
        buffer.reserve((4 + length - buffer.len()).min(4 << 20));
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// An answer, its messages still encoded.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) call_id: u32,
    pub(crate) outcome: Result<Payload, ExceptionResponse>,
}

/// The result of a call and the cells beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Payload {
    pub(crate) message: Bytes,
    pub(crate) cells: Bytes,
}

/// Takes a frame apart.
pub(crate) fn decode_response(mut frame: Bytes) -> Result<Response, FrameError> {
    let length = frame.len();
    let malformed = |part| FrameError::Malformed { part, length };
    let header = take_delimited(&mut frame).ok_or(malformed("header"))?;
    let header = ResponseHeader::decode(header).map_err(|_| malformed("header"))?;
    let call_id = header.call_id.ok_or(malformed("call id"))?;
    if let Some(exception) = header.exception {
        return Ok(Response { call_id, outcome: Err(exception) });
    }
    let message = take_delimited(&mut frame).ok_or(malformed("result"))?;
    let cells = match header.cell_block_meta.and_then(|meta| meta.length) {
        None => Bytes::new(),
        Some(cells) if cells as usize <= frame.len() => frame.split_to(cells as usize),
        Some(_) => return Err(malformed("cell block")),
    };
    Ok(Response { call_id, outcome: Ok(Payload { message, cells }) })
}

fn take_delimited(frame: &mut Bytes) -> Option<Bytes> {
    let length = prost::decode_length_delimiter(&mut *frame).ok()?;
    (length <= frame.len()).then(|| frame.split_to(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answer(call_id: u32, message: &[u8], cells: &[u8]) -> Vec<u8> {
        let header = ResponseHeader {
            call_id: Some(call_id),
            exception: None,
            cell_block_meta: (!cells.is_empty())
                .then(|| CellBlockMeta { length: Some(length_u32(cells.len())) }),
        };
        let mut body = header.encode_length_delimited_to_vec();
        prost::encode_length_delimiter(message.len(), &mut body).unwrap();
        body.extend_from_slice(message);
        body.extend_from_slice(cells);
        [&length_u32(body.len()).to_be_bytes()[..], &body].concat()
    }

    #[test]
    fn frames_come_out_whole_however_the_stream_is_cut() {
        let stream = [answer(1, b"first", b"cells"), answer(2, b"", b"")].concat();
        for cut in 0..stream.len() {
            let mut buffer = BytesMut::from(&stream[..cut]);
            let mut found = Vec::new();
            while let Some(frame) = decode_frame(&mut buffer, MAX_FRAME).unwrap() {
                found.push(frame);
            }
            buffer.extend_from_slice(&stream[cut..]);
            while let Some(frame) = decode_frame(&mut buffer, MAX_FRAME).unwrap() {
                found.push(frame);
            }
            let answers: Vec<Response> =
                found.into_iter().map(|frame| decode_response(frame).unwrap()).collect();
            assert_eq!((answers[0].call_id, answers[1].call_id), (1, 2));
            let payload = answers[0].outcome.as_ref().unwrap();
            assert_eq!((&payload.message[..], &payload.cells[..]), (&b"first"[..], &b"cells"[..]));
        }
    }

    #[test]
    fn a_request_is_as_long_as_its_first_four_bytes_say() {
        let parameter = CellBlockMeta { length: Some(7) };
        let head = encode_request(9, "Get", 500, &parameter, 100);
        let length = u32::from_be_bytes(*head.first_chunk().unwrap()) as usize;
        assert_eq!(head.len() + 100, 4 + length);
        let header = RequestHeader::decode_length_delimited(&head[4..]).unwrap();
        assert_eq!((header.call_id, header.timeout), (Some(9), Some(500)));
        assert_eq!(header.cell_block_meta, Some(CellBlockMeta { length: Some(100) }));
    }

    #[test]
    fn a_length_over_the_limit_says_what_it_saw() {
        let mut web = BytesMut::from(&b"HTTP/1.1 400 Bad Request"[..]);
        let error = decode_frame(&mut web, MAX_FRAME).unwrap_err();
        assert_eq!(
            error.to_string(),
            "an answer of 1213486160 bytes is over the limit of 268435456; it starts with `HTTP` and looks like \
             a web server"
        );
    }

    proptest! {
        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_frame(&mut BytesMut::from(&bytes[..]), 1000);
            let _ = decode_response(Bytes::from(bytes));
        }

        #[test]
        fn a_damaged_answer_is_an_error_or_an_answer(at in 0usize..60, byte in any::<u8>(), cut in 0usize..60) {
            let mut frame = answer(77, b"message", b"cells cells")[4..].to_vec();
            if let Some(old) = frame.get_mut(at) {
                *old = byte;
            }
            frame.truncate(cut);
            let _ = decode_response(Bytes::from(frame));
        }
    }
}
