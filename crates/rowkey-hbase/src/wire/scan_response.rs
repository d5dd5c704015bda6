//! Decoding scan responses.
//!
//! A response has two numbers for each row, each a field of its own: how many cells it has, and whether it may go on.
//! A decoder made from the message alone takes longer over them than over the cells. Here those two fields are taken out by
//! hand and the rest is left to prost.
//!
//! **Law**: the result is the one that prost reads, error or not (`as_prost_reads_it`).

use prost::bytes::Buf;
use prost::encoding::{DecodeContext, decode_key, skip_field};
use prost::{DecodeError, Message};

use super::messages::client::ScanResponse;

/// The first byte of field 1 and of field 7, both numbers.
const CELLS_PER_RESULT: u8 = 1 << 3;
const PARTIAL_FLAG: u8 = 7 << 3;

/// Reads an answer.
pub(crate) fn decode(message: &[u8]) -> Result<ScanResponse, DecodeError> {
    let (mut cells, mut partial) = (Vec::new(), Vec::new());
    let mut others = Vec::new();
    let mut rest = message;
    loop {
        match rest {
            [CELLS_PER_RESULT, count @ 0..0x80, tail @ ..] => {
                if cells.is_empty() {
                    // At most two fields of two bytes a row.
                    cells.reserve(rest.len() / 4 + 1);
                }
                cells.push(u32::from(*count));
                rest = tail;
            }
            [PARTIAL_FLAG, flag @ 0..0x80, tail @ ..] => {
                if partial.is_empty() {
                    partial.reserve(cells.len());
                }
                partial.push(*flag != 0);
                rest = tail;
            }
            [] => break,
            _ => {
                let mut after = rest;
                let (tag, kind) = decode_key(&mut after)?;
                if matches!(tag, 1 | 7) {
                    // A large count, or another way to write one, is rare; all that follow must stay behind it.
                    others.extend_from_slice(rest);
                    break;
                }
                skip_field(kind, tag, &mut after, DecodeContext::default())?;
                let (field, tail) = rest.split_at(rest.len() - after.remaining());
                others.extend_from_slice(field);
                rest = tail;
            }
        }
    }
    let mut response =
        ScanResponse { cells_per_result: cells, partial_flag_per_result: partial, ..ScanResponse::default() };
    response.merge(others.as_slice())?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::super::messages::client::{NameInt64Pair, ScanMetrics};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_prost_reads_it(
            cells in prop::collection::vec(prop_oneof![9 => 0u32..128, 1 => any::<u32>()], 0..20),
            partial in prop::collection::vec(any::<bool>(), 0..20),
            scanner_id in any::<Option<u64>>(),
            more in any::<Option<bool>>(),
            other in prop::collection::vec(any::<u8>(), 0..5),
            cut in any::<prop::sample::Index>(),
        ) {
            let response = ScanResponse {
                cells_per_result: cells,
                partial_flag_per_result: partial,
                scanner_id,
                more_results: more,
                more_results_in_region: more,
                ttl: scanner_id.map(|_| 7),
                scan_metrics: scanner_id.map(|value| ScanMetrics {
                    metrics: vec![NameInt64Pair { name: Some("ROWS_SCANNED".to_owned()), value: Some(value.cast_signed()) }],
                }),
            };
            let mut message = response.encode_to_vec();
            prop_assert_eq!(decode(&message), Ok(response));
            // Unknown fields, and bytes that are no field.
            message.splice(..0, other);
            for bytes in [&message[..], &message[..cut.index(message.len() + 1)]] {
                match (decode(bytes), ScanResponse::decode(bytes)) {
                    (Ok(ours), theirs) => prop_assert_eq!(Ok(ours), theirs),
                    (Err(_), theirs) => prop_assert!(theirs.is_err(), "{:?}", theirs),
                }
            }
        }
    }

    #[test]
    fn fields_between_them_stay() {
        let response =
            ScanResponse { cells_per_result: vec![1, 300, 2], scanner_id: Some(9), ..Default::default() };
        let mut message = response.encode_to_vec();
        message.extend(response.encode_to_vec());
        let read = decode(&message).unwrap();
        assert_eq!(read.cells_per_result, [1, 300, 2, 1, 300, 2]);
        assert_eq!(read, ScanResponse::decode(&message[..]).unwrap());
    }
}
