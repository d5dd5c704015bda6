//! Are the bytes those of the format page? Its vectors are read from the page itself.

use super::{cell::KeyBuffer, packed};

const PAGE: &str = include_str!("../../../../docs/formats/embedded-store.md");

/// `-` is no bytes; otherwise pieces of hex joined by dots, each with an optional repeat: `61.00*126`.
fn bytes(text: &str) -> Vec<u8> {
    let piece = |piece: &str| {
        let (hex, times) = piece.split_once('*').unwrap_or((piece, "1"));
        rowkey_core::escape::from_hex(hex).expect("hex").repeat(times.parse().expect("a number"))
    };
    if text == "-" { Vec::new() } else { text.split('.').flat_map(piece).collect() }
}

#[test]
fn the_format_pages_vectors_hold() {
    let block = PAGE.split("```vectors\n").nth(1).and_then(|rest| rest.split("```").next());
    let lines = block.expect("the page has vectors").lines().filter(|line| !line.starts_with('#'));
    let (mut strings, mut cells, mut markers) = (0, 0, 0);
    for line in lines {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["packed", string, expected] => {
                let mut out = Vec::new();
                packed::encode(&bytes(string), &mut out);
                assert_eq!(out, bytes(expected), "{line}");
                strings += 1;
            }
            ["put", row, qualifier, timestamp, expected] => {
                let mut key = KeyBuffer::default();
                key.row(&bytes(row));
                let timestamp = timestamp.parse().expect("a timestamp");
                assert_eq!(key.put(&bytes(qualifier), timestamp), bytes(expected), "{line}");
                cells += 1;
            }
            ["marker", code, row, qualifier, timestamp, expected] => {
                let kind =
                    code.parse().ok().and_then(rowkey_store::CellKind::from_code).expect("a type code");
                let mut key = KeyBuffer::default();
                key.row(&bytes(row));
                let timestamp = timestamp.parse().expect("a timestamp");
                assert_eq!(key.cell(&bytes(qualifier), timestamp, kind), bytes(expected), "{line}");
                markers += 1;
            }
            _ => panic!("not a vector: {line}"),
        }
    }
    assert!(strings >= 12 && cells >= 3 && markers == 4, "{strings}, {cells}, {markers}");
}
