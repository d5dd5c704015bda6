//! An evaluator of the lowered form, written from its documentation, gives the bytes, values and refusals of the core.

#[path = "../generator/mod.rs"]
mod generator;

mod decoder;
mod encoder;
mod forms;

use std::collections::{BTreeMap, BTreeSet};

use generator::{Random, case, record};
use rowkey_core::key::{Draw, Draws};
use rowkey_core::lowered::Codec;
use rowkey_core::{KeySchema, Value};

/// Why a record has no key, or a key no record: the word.
type Refused<T> = Result<T, String>;

const CASES: u64 = 3000;
const RECORDS: usize = 12;

#[test]
fn an_evaluator_of_the_lowered_form_agrees_with_the_core() {
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let key = case(&mut random).key;
        let codec = Codec::of(&key);
        for number in 0..RECORDS {
            let drawn = record(&mut random, &key);
            let record = odd(&mut random, drawn);
            let about = || format!("seed {seed}, {}, {record:?}", key.source());
            let draws = || Draws::new(1, u64::try_from(number).expect("small"));
            let expected = encode(&key, &record, &mut draws());
            let found = encoder::encode(&codec, &record, &mut draws());
            assert_eq!(found, expected, "{}", about());
            *words
                .entry(expected.as_ref().map_or_else(String::clone, |_| "a key".to_owned()))
                .or_default() += 1;
            let Ok(bytes) = expected else { continue };
            for bytes in [bytes.clone(), damaged(&mut random, &bytes)] {
                let expected =
                    key.decode(&bytes).map(|decoded| decoded.values).map_err(|error| error.word().to_owned());
                let found = decoder::decode(&codec, &bytes);
                assert_eq!(found, expected, "{} {bytes:02x?}", about());
                *words.entry(expected.map_or_else(|word| word, |_| "a record".to_owned())).or_default() += 1;
            }
        }
    }
    for word in [
        "out_of_range",
        "wrong_length",
        "not_a_number",
        "negative_zero",
        "zero_byte",
        "reverse_range",
        "not_in_code",
        "pad_in_text",
        "date_range",
        "delimiter_inside",
        "empty_key",
        "too_short",
        "trailing_bytes",
        "no_literal",
        "no_end",
        "bad_escape",
        "not_utf8",
        "not_a_bool",
        "not_a_digit",
        "not_a_null_mark",
        "odd_float",
        "wrong_header",
        "not_canonical",
        "impossible",
        "wrong_part",
    ] {
        assert!(words.contains_key(word), "nothing was refused by `{word}`: {words:?}");
    }
}

/// Keys in which parts meet whose refusals are rare among generated ones.
#[test]
fn rare_keys_agree_too() {
    let mut refused = BTreeSet::new();
    for (source, texts) in [
        ("[a: u8][a: u8]", &["1"][..]),
        ("[a: ordered(numeric)][b: u8]", &["1"]),
        ("[a: f64][str(b: decimal(38))]", &["1"]),
        ("[a.subStr(1,3)]_[b]__", &["", "ab", "a_b", "é_é"]),
        ("[lower(a): escaped][upper(a)]", &["ΟΔΟΣ", "Σ", "ΑΣ ΑΣ.Α", "İ", "ß"]),
        ("[lpad(reverse(a), '0', 6)][a: escaped]", &["", "0", "10", "01", "1234567", "é"]),
        (
            "[code(a, 'x'='1', 'y'='2', 'z'='1'): escaped][md5(code(a, 'x'='p', 'y'='q', 'z'='r')).bytes(3)]",
            &["x", "y", "z", ""],
        ),
        ("[a * 3 - 7: i64][(a * a * a).rem(1000): i16][a / 7 + a: long]", &["1"]),
        ("[opentsdb_salt(20, a, b)][a][0x00][b]", &["", "\0", "ab"]),
        ("[reverse(n: decimal(6))]", &["1"]),
        ("[md5(a).bytes(3): fixed(3)][sha1(a).bytes(2): fixed(2) desc][a]", &["", "a", "b", "é"]),
    ] {
        let key = KeySchema::parse(source).expect(source);
        let codec = Codec::of(&key);
        let mut random = Random::new(1);
        for _ in 0..300 {
            let drawn = record(&mut random, &key);
            let mut record = odd(&mut random, drawn);
            for value in &mut record {
                if matches!(value, Value::Text(_)) && random.once_in(2) {
                    *value = Value::Text(random.pick(texts).into());
                }
            }
            let expected = encode(&key, &record, &mut Draws::new(1, 1));
            assert_eq!(
                encoder::encode(&codec, &record, &mut Draws::new(1, 1)),
                expected,
                "{source} {record:?}"
            );
            let bytes = match expected {
                Ok(bytes) => bytes,
                Err(word) => {
                    refused.insert(word);
                    continue;
                }
            };
            for bytes in [bytes.clone(), damaged(&mut random, &bytes)] {
                let expected =
                    key.decode(&bytes).map(|decoded| decoded.values).map_err(|error| error.word().to_owned());
                assert_eq!(decoder::decode(&codec, &bytes), expected, "{source} {record:?} {bytes:02x?}");
            }
        }
    }
    for word in ["overflow", "too_few_characters", "too_long_to_pad"] {
        assert!(refused.contains(word), "nothing was refused by `{word}`: {refused:?}");
    }
}

fn encode(key: &KeySchema, record: &[Value<'_>], draws: &mut dyn Draw) -> Refused<Vec<u8>> {
    let mut bytes = Vec::new();
    key.encode_with(record, draws, &mut bytes).map_err(|error| error.word().to_owned())?;
    Ok(bytes)
}

/// The record, now and then with a value that is refused somewhere.
fn odd(random: &mut Random, mut record: Vec<Value<'static>>) -> Vec<Value<'static>> {
    let at = random.below(record.len().max(1));
    if let Some(value) = record.get_mut(at).filter(|_| random.once_in(4)) {
        let odd = match &*value {
            Value::Float(_) => Value::Float(random.pick(&[f64::NAN, -0.0, f64::INFINITY, 0.1])),
            Value::Int(number) => Value::Int(random.pick(&[*number + 1, *number - 1, -*number])),
            Value::Time(millis) => {
                Value::Time(random.pick(&[-1, *millis / 7, i64::MIN, 253_402_300_800_000]))
            }
            Value::Text(text) => {
                Value::Text(random.pick(&[format!("{text}é"), String::new(), "\0_|-".to_owned()]).into())
            }
            other => other.clone(),
        };
        *value = odd;
    }
    record
}

fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let at = random.below(damaged.len());
    match random.below(4) {
        0 => damaged[at] = random.pick(&[0, 1, 2, 5, 0x61, 0x7F, 0x80, 0xFF]),
        1 => damaged.truncate(at),
        2 => damaged.insert(at, random.pick(&[0, 1, 0x61, 0xFF])),
        _ => damaged.push(random.pick(&[0, 1, 0x61, 0xFF])),
    }
    damaged
}
