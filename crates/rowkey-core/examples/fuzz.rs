//! Can any text or bytes make the core panic?
//!
//! ```sh
//! cargo run --release -p rowkey-core --example fuzz -- 10000000
//! ```
//!
//! Inputs are made from a corpus (the reference keys, the templates of table files, queries, row keys) by cutting,
//! doubling, mixing and changing, with words of the notation thrown in. Four targets take turns: keys, table files, row
//! keys, queries. What is accepted must also keep its law: a key prints and parses back, a row key that decodes can be
//! encoded again, and gives the same in a batch. The run is the same for the same seed (second argument), so a failure can be repeated.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the keyboard is its work"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use rowkey_core::key::{Draw, Draws};
use rowkey_core::query::{PlanOptions, Query, plan};
use rowkey_core::{KeySchema, Table, notation};

const KEYS: &str = include_str!("../../../testdata/vectors/keys.jsonl");

const TABLES: [&str; 4] = [
    include_str!("../../../examples/orders/orders.toml"),
    include_str!("../../rowkey-cli/templates/logs.toml"),
    include_str!("../../rowkey-cli/templates/opentsdb.toml"),
    include_str!("../../rowkey-cli/templates/phone.toml"),
];

const QUERIES: [&str; 5] = [
    "a = 7 and b >= '2025-01-01' order by b desc limit 20",
    "(a between 1 and 2) and c = 'it''s'",
    "order by a, b limit 3",
    "a < 5 and a > -3",
    "c = 'x' or a is null",
];

const WORDS: [&str; 48] = [
    "[",
    "]",
    "(",
    ")",
    "[_]",
    ": ",
    "?",
    " desc",
    " nulls last",
    " where ",
    " = ",
    ", ",
    "'",
    "''",
    "0x",
    "Long.MAX_VALUE",
    " - ",
    "-",
    "+",
    "*",
    "/",
    "%",
    ".",
    ".subStr(0,4)",
    ".bytes(2)",
    ".upper()",
    ".rem(7)",
    "md5(",
    "salt(16, ",
    "salt('ab')",
    "random(4)",
    "reverse(",
    "rpad(a, 'x', 9)",
    "code(a, 'x'='y')",
    "date(",
    "str(",
    "u8",
    "i64",
    "escaped",
    "fixed(3)",
    "decimal(5)",
    "ordered(numeric)",
    "timestamp_s",
    "99999999999999999999999999999999999999999",
    "\u{0}",
    "é",
    "字",
    "\u{10FFFF}",
];

struct Random(Draws);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.0.draw(u32::try_from(count.max(1)).unwrap_or(u32::MAX))).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// A text near one of the corpus.
fn text(random: &mut Random, corpus: &[String]) -> String {
    let mut text: Vec<char> = random.pick(corpus).chars().collect();
    for _ in 0..random.below(6) {
        let (from, to) = (random.below(text.len() + 1), random.below(text.len() + 1));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 24));
        match random.below(6) {
            0 => drop(text.drain(from..to.min(text.len()))),
            1 => {
                let copy: Vec<char> = text[from..to.min(text.len())].to_vec();
                text.splice(from..from, copy);
            }
            2 | 3 => {
                let word = random.pick(&WORDS);
                text.splice(from..from, word.chars());
            }
            4 => {
                let other: Vec<char> = random.pick(corpus).chars().collect();
                let at = random.below(other.len() + 1);
                text.splice(from..from, other[at..].iter().take(20).copied());
            }
            _ => {
                if let Some(character) = text.get_mut(from) {
                    *character =
                        char::from_u32(u32::try_from(random.below(0x250)).unwrap_or(0)).unwrap_or('?');
                }
            }
        }
    }
    text.into_iter().collect()
}

fn bytes(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = random.pick(corpus).clone();
    for _ in 0..random.below(5) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, [0, 1, 2, 5, 0x61, 0x7F, 0x80, 0xFE, 0xFF][random.below(9)]),
            2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(random.below(256)).unwrap_or(0);
                }
            }
            _ => {
                let other = random.pick(corpus).clone();
                bytes.splice(at..at, other.into_iter().take(9));
            }
        }
    }
    bytes
}

struct Corpus {
    keys: Vec<String>,
    tables: Vec<String>,
    queries: Vec<String>,
    schemas: Vec<KeySchema>,
    rows: Vec<Vec<u8>>,
}

fn corpus() -> Corpus {
    let field = |line: &str, name: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        json[name].as_str().unwrap_or_default().to_owned()
    };
    let keys: Vec<String> = KEYS.lines().map(|line| field(line, "key")).collect();
    let rows = KEYS.lines().filter_map(|line| rowkey_core::escape::from_hex(&field(line, "hex"))).collect();
    let schemas = keys.iter().filter_map(|key| KeySchema::parse(key).ok()).collect();
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Corpus { keys, tables: owned(&TABLES), queries: owned(&QUERIES), schemas, rows }
}

/// One input to one target; true if it was accepted.
fn run(target: usize, input: &Input, schema: &KeySchema) -> bool {
    match (target, input) {
        (0, Input::Text(text)) => match KeySchema::parse(text) {
            Ok(key) => {
                let printed = notation::parse(text).map(|tree| tree.to_string()).unwrap_or_default();
                let again = KeySchema::with_fields(&printed, key.fields()).expect("what prints parses");
                assert_eq!(again.fingerprint(), key.fingerprint(), "{printed}");
                let _ = (key.length(), key.sorting(), key.lead(), key.recoverable());
                true
            }
            Err(findings) => {
                assert!(!findings.to_string().is_empty());
                false
            }
        },
        (1, Input::Text(text)) => match Table::parse("fuzz.toml", text) {
            Ok(table) => {
                let _ = table.split_points();
                true
            }
            Err(findings) => {
                assert!(!findings.to_string().is_empty());
                false
            }
        },
        (2, Input::Bytes(bytes)) => match schema.decode(bytes) {
            Ok(decoded) => {
                let whole =
                    schema.not_recoverable().is_empty() && schema.value_steps().all(|step| !step.is_random());
                if whole {
                    let mut again = Vec::new();
                    schema.encode(&decoded.values, &mut again).expect("what decodes encodes");
                    assert_eq!(&again, bytes);
                }
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        },
        (_, Input::Text(text)) => match Query::parse(text, schema.fields()) {
            Ok(query) => {
                plan(schema, &query, &PlanOptions { full_scan: true, ..PlanOptions::default() }).is_ok()
            }
            Err(findings) => {
                assert!(!findings.to_string().is_empty());
                false
            }
        },
        _ => false,
    }
}

#[derive(Debug)]
enum Input {
    Text(String),
    Bytes(Vec<u8>),
}

fn main() -> ExitCode {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).and_then(|text| text.replace(['_', ','], "").parse().ok()).unwrap_or(default)
    };
    let (runs, seed) = (number(1, 1_000_000), number(2, 1));
    let corpus = corpus();
    let query_schema = KeySchema::parse("[salt(4, c)][a: i64][b: timestamp desc][c]").expect("a key");
    let mut random = Random(Draws::new(seed, 0));
    let mut accepted = [0u64; 4];
    // A panic is caught and told with its input; its own message is enough.
    for run_number in 0..runs {
        let target = usize::try_from(run_number % 4).unwrap_or(0);
        let input = match target {
            0 => Input::Text(text(&mut random, &corpus.keys)),
            1 => Input::Text(text(&mut random, &corpus.tables)),
            2 => Input::Bytes(bytes(&mut random, &corpus.rows)),
            _ => Input::Text(text(&mut random, &corpus.queries)),
        };
        let schema = if target == 2 { random.pick(&corpus.schemas) } else { &query_schema };
        match catch_unwind(AssertUnwindSafe(|| run(target, &input, schema))) {
            Ok(was_accepted) => accepted[target] += u64::from(was_accepted),
            Err(_) => {
                eprintln!(
                    "run {run_number}, seed {seed}, target {target}, key {}: {input:?}",
                    schema.source()
                );
                return ExitCode::FAILURE;
            }
        }
        if run_number % 1_000_000 == 999_999 {
            println!("{} million runs", (run_number + 1) / 1_000_000);
        }
    }
    println!(
        "{runs} runs without a panic; accepted: keys {}, table files {}, row keys {}, queries {}",
        accepted[0], accepted[1], accepted[2], accepted[3]
    );
    ExitCode::SUCCESS
}
