//! The file of tests beside a module: records, keys and refusals that the core made.

use super::encode::Encoder;
use super::layout::{Py, atom, statement, text};
use super::record::{Names, literal};
use super::{columns, head, module_name, snippets};
use crate::Design;
use crate::vectors::Refusal;

/// The text of the file.
pub(super) fn file(design: &Design) -> String {
    let names = Names::of(design);
    let module = module_name(design);
    let is_random = Encoder::new(&design.codec, &names, "").is_random();
    let mut keys = Vec::new();
    let mut refused = Vec::new();
    for vector in &design.vectors.records {
        let record = literal(design, &names, &vector.record);
        let draws: Vec<Py> = vector.draws.iter().map(|draw| atom(draw.to_string())).collect();
        let draws = Py::Brackets { open: "[".to_owned(), inner: draws, close: ']' };
        match &vector.outcome {
            Ok((key, decoded)) => {
                let back = literal(design, &names, decoded);
                let mut row = vec![record, text(&hex(key)), back];
                if is_random {
                    row.push(draws);
                }
                keys.push(columns::tuple(row));
            }
            Err(refusal) => refused.push(columns::tuple(vec![record, text(refusal.word)])),
        }
    }
    let bad = design.vectors.bad_keys.iter().map(|(key, refusal)| bad_key(key, refusal)).collect();
    let mut body = String::new();
    let list = |inner: Vec<Py>| Py::Brackets { open: "[".to_owned(), inner, close: ']' };
    let kinds = if is_random {
        "records, their keys in hex, what comes back, and the random numbers"
    } else {
        "records, their keys in hex, and what comes back"
    };
    body.push_str(&format!("#: {kinds}\n"));
    statement(&mut body, 0, "KEYS: List[Tuple[Any, ...]] = ", &list(keys), "");
    body.push_str("\n#: records without a key, and why\n");
    statement(&mut body, 0, "REFUSED: List[Tuple[Any, ...]] = ", &list(refused), "");
    body.push_str("\n#: bytes that are no key, and why\n");
    statement(&mut body, 0, "BAD_KEYS: List[Tuple[Any, ...]] = ", &list(bad), "");
    let (row, draw) = if is_random {
        ("record, key, back, draws", ", lambda count: next(drawn)")
    } else {
        ("record, key, back", "")
    };
    let drawn = if is_random { "                drawn = iter(draws)\n" } else { "" };
    let zero = if is_random { ", lambda count: 0" } else { "" };
    body.push_str(&format!(
        "\n\nclass KeyTest(unittest.TestCase):
    def test_keys(self) -> None:
        for {row} in KEYS:
            with self.subTest(key=key):
{drawn}                self.assertEqual(encode(record{draw}).hex(), key)
                self.assertEqual(decode(bytes.fromhex(key)), back)

    def test_refused_records(self) -> None:
        for record, kind in REFUSED:
            with self.subTest(record=record), self.assertRaises(RowKeyError) as caught:
                encode(record{zero})
            self.assertEqual(caught.exception.kind, kind)

    def test_bad_keys(self) -> None:
        for key, kind in BAD_KEYS:
            with self.subTest(key=key), self.assertRaises(RowKeyError) as caught:
                decode(bytes.fromhex(key))
            self.assertEqual(caught.exception.kind, kind)
\n\nif __name__ == \"__main__\":\n    unittest.main()\n"
    ));
    let about = format!("Holds {module} to keys that rowkey made.");
    let from = "Record, RowKeyError, decode, encode";
    format!(
        "{}{}import unittest\n\nfrom {module} import {from}\n\n{body}",
        head(design, &about),
        snippets::imports(&body)
    )
}

fn bad_key(key: &[u8], refusal: &Refusal) -> Py {
    columns::tuple(vec![text(&hex(key)), text(refusal.word)])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
