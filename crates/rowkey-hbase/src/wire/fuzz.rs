//! Decoders on arbitrary bytes: no panic, no unbounded memory (tests).
//!
//! ```sh
//! ROWKEY_FUZZ_RUNS=10000000 cargo test --release -p rowkey-hbase --lib wire::fuzz -- --nocapture
//! ```
//!
//! Inputs are frames that HBase 2.6.1 really sent (`testdata/frames`), cut, doubled, mixed and changed; half of them get
//! their length set right again, so that what lies behind it is reached. Each goes the way of an answer: frame, header,
//! every kind of message, cell block, rows. The same seed (`ROWKEY_FUZZ_SEED`) repeats a run.

use bytes::BytesMut;
use prost::Message;
use rowkey_store::RowBatch;

use super::cell_block::CellReader;
use super::frame::{decode_frame, decode_response};
use super::messages::client::{GetResponse, ScanResponse};
use super::messages::cluster::GetClusterStatusResponse;
use super::messages::master::{GetTableDescriptorsResponse, GetTableNamesResponse};
use super::messages::multi::MultiResponse;
use super::messages::registry::{GetActiveMasterResponse, GetMetaRegionLocationsResponse};
use crate::request::results;
use crate::request::rows::Rows;

const FRAMES: &str = include_str!("../../../../testdata/frames/hbase-2.6.1.hex");
const LIMIT: usize = 1 << 20;
/// What a decoder may take at once: the 4 MB that a frame reserves, and something for the rest.
const MOST_MEMORY_KB: u64 = 64 << 10;

/// splitmix64
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn byte(&mut self) -> u8 {
        *[0, 1, 0x7F, 0x80, 0xFF, u8::try_from(self.below(256)).unwrap()].get(self.below(6)).unwrap()
    }

    /// Bytes near a frame of the corpus.
    fn frame(&mut self, corpus: &[Vec<u8>], frame: &mut Vec<u8>) {
        frame.clear();
        frame.extend_from_slice(&corpus[self.below(corpus.len())]);
        for _ in 0..self.below(6) {
            let (one, other) = (self.below(frame.len() + 1), self.below(frame.len() + 1));
            let (from, to) = (one.min(other), one.max(other).min(one.min(other) + 24));
            match self.below(6) {
                0 => drop(frame.drain(from..to)),
                1 => frame.extend_from_within(from..to),
                2 => {
                    let other = &corpus[self.below(corpus.len())];
                    let at = self.below(other.len());
                    frame.splice(from..to, other[at..].iter().take(40).copied());
                }
                3 => frame.truncate(to),
                _ => {
                    let byte = self.byte();
                    if let Some(old) = frame.get_mut(from) {
                        *old = byte;
                    }
                }
            }
        }
        if self.below(2) == 0 && frame.len() >= 4 {
            let length = u32::try_from(frame.len() - 4).unwrap();
            frame[..4].copy_from_slice(&length.to_be_bytes());
        }
    }
}

/// How far bytes came: 0 no frame, 1 a frame, 2 an answer, 3 with rows.
fn decode(bytes: &[u8]) -> usize {
    let mut buffer = BytesMut::from(bytes);
    let decoded = decode_frame(&mut buffer, LIMIT);
    assert!(buffer.capacity() <= bytes.len() + (5 << 20), "{} of {}", buffer.capacity(), bytes.len());
    let Ok(Some(frame)) = decoded else { return 0 };
    let Ok(answer) = decode_response(frame) else { return 1 };
    let Ok(payload) = answer.outcome else { return 2 };
    let mut reached = 2;
    if let Ok(scan) = ScanResponse::decode(payload.message.clone()) {
        for mut rows in [Rows::whole(), Rows::in_pieces(2)] {
            if rows.add(&scan, &payload.cells).is_ok() {
                // The same again goes on with a row that is open.
                let _ = rows.add(&scan, &payload.cells);
                rows.close_row();
            }
            reached += usize::from(!rows.take(10, RowBatch::new()).is_empty() && reached == 2);
        }
    }
    let mut cells = CellReader::new(&payload.cells);
    if let Ok(GetResponse { result: Some(result), .. }) = GetResponse::decode(payload.message.clone()) {
        let _ = results::add_row(b"r", &result, &mut cells, &mut RowBatch::new());
    }
    while let Ok(cell) = cells.next_cell() {
        let _ = cell.view();
    }
    let message = || payload.message.clone();
    let _ = MultiResponse::decode(message());
    let _ = GetClusterStatusResponse::decode(message());
    let _ = GetTableDescriptorsResponse::decode(message());
    let _ = GetTableNamesResponse::decode(message());
    let _ = GetActiveMasterResponse::decode(message());
    let _ = GetMetaRegionLocationsResponse::decode(message());
    reached
}

/// The most address space that this process ever had, where the system tells.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmPeak:"))?.trim().split(' ').next()?.parse().ok()
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.replace('_', "").parse().ok()).unwrap_or(default)
}

#[test]
fn no_bytes_make_a_decoder_panic_or_take_memory_without_bound() {
    let (runs, seed) = (number("ROWKEY_FUZZ_RUNS", 50_000), number("ROWKEY_FUZZ_SEED", 1));
    let unhex = |line: &str| -> Vec<u8> {
        (0..line.len() / 2).map(|at| u8::from_str_radix(&line[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let corpus: Vec<Vec<u8>> = FRAMES.lines().map(unhex).collect();
    assert!(corpus.iter().all(|frame| decode(frame) >= 2), "real answers decode");
    assert!(corpus.iter().any(|frame| decode(frame) == 3), "and some have rows");
    let (mut random, mut frame, mut reached) = (Random(seed), Vec::new(), [0u64; 4]);
    let before = peak_kb();
    for run in 0..runs {
        random.frame(&corpus, &mut frame);
        let decoded = std::panic::catch_unwind(|| decode(&frame));
        let Ok(decoded) = decoded else { panic!("run {run} of seed {seed}: {frame:02x?}") };
        reached[decoded] += 1;
    }
    let grown = peak_kb().zip(before).map(|(after, before)| after - before);
    println!(
        "{runs} runs with seed {seed}: {} frames, {} answers, {} with rows; memory grew by {grown:?} kB",
        reached[1..].iter().sum::<u64>(),
        reached[2..].iter().sum::<u64>(),
        reached[3]
    );
    assert!(reached.iter().all(|&count| count > runs / 1000), "a stage is not reached: {reached:?}");
    // Other tests of this process may run beside a short one.
    assert!(runs < 1_000_000 || grown.unwrap_or(0) < MOST_MEMORY_KB, "memory grew by {grown:?} kB");
}
