//! The law of typed keys: bound to Rust types, a key gives the bytes, the values and the errors that it gives with values.

use std::borrow::Cow;

use crate::generator::Random;
use rowkey_core::key::DecodeError;
use rowkey_core::typed::{BindError, Millis, Record, TypedDecodeError, TypedKey};
use rowkey_core::{KeySchema, Value};

/// Keys of a u64, an i64, and a text: in places, with salts of all widths and literals, and others that have no places.
const SHAPES: [&str; 19] = [
    "[user: u64][ts: i64 desc][id]",
    "[salt(16, user)][user: u64][ts: i64 desc][id]",
    "[salt(1000, user)][user: u64 desc][ts: i64][id]",
    "[salt(70000, ts)][user: u64][salt(3, user)][ts: i64][id]",
    "v1[user: u64]/[ts: i64 desc]#[id]",
    "[salt(16, user)]x[user: u64][ts: i64]_[id]",
    "[ts: i64][user: u64][id]",
    "[id]_[user: u64][ts: i64]",
    "[id: escaped][user: u64][ts: i64 desc]",
    "[reverse(id)]/[user: u64][ts: i64]",
    "[phoenix_row_salt(16)][user: u64][ts: i64 desc][id]",
    "[md5(id).subStr(0,4)][user: u64][ts: i64][id]",
    "[salt(16, id)][user: u64][ts: i64][id]",
    "[salt(16, user, ts)][user: u64][ts: i64][id]",
    "[user: u64?][ts: i64][id]",
    "[user: u64][user: u64 desc][ts: i64][id]",
    "[salt(4, user)][salt(8, user)][user: u64][ts: i64][id]",
    "'a literal that is longer than the bytes that a layout has for places'[user: u64][ts: i64][id]",
    "[user: u64][ts: i64][id: escaped desc]",
];

fn number(random: &mut Random) -> u64 {
    let bits = random.below(65) as u32;
    let any =
        (random.below(1 << 30) as u64) << 34 | (random.below(1 << 30) as u64) << 4 | random.below(16) as u64;
    any.checked_shr(bits).unwrap_or(0)
}

fn text(random: &mut Random) -> String {
    let length = match random.below(20) {
        0 => 0,
        1 => 40 + random.below(60),
        2 => 32_740 + random.below(30),
        _ => 1 + random.below(24),
    };
    let letters = ['a', '7', '_', '\0', 'é', '/', 'z'];
    let plain = random.below(3) > 0;
    (0..length).map(|_| if plain { 'k' } else { letters[random.below(letters.len())] }).collect()
}

/// Shorter, longer, another byte, nothing.
fn damaged(random: &mut Random, key: &[u8]) -> Vec<u8> {
    let mut key = key.to_vec();
    let at = random.below(key.len().max(1));
    match random.below(6) {
        0 => key.truncate(at),
        1 => key.insert(at, random.below(256) as u8),
        2 => key.clear(),
        3 => key.truncate(at.min(17)),
        4 if !key.is_empty() => key[at] = random.below(256) as u8,
        _ => key.extend([0xFF, 0x80]),
    }
    key
}

#[test]
fn a_key_bound_to_types_gives_what_it_gives_with_values() {
    let (mut encoded, mut refused, mut decoded, mut broken) = (0, 0, 0, 0);
    for (index, shape) in SHAPES.iter().enumerate() {
        let key = KeySchema::parse(shape).unwrap_or_else(|findings| panic!("{shape}: {findings}"));
        let mut random = Random::new(index as u64);
        for _ in 0..400 {
            let (user, ts, id) = (number(&mut random), number(&mut random).cast_signed(), text(&mut random));
            // By name, because the fields come in the order in which a key names them.
            let values: Vec<Value<'_>> = key
                .fields()
                .names()
                .map(|name| match name {
                    "user" => Value::Int(user.into()),
                    "ts" => Value::Int(ts.into()),
                    _ => Value::Text(id.as_str().into()),
                })
                .collect();
            let mut expected = b"before".to_vec();
            let wanted = key.encode(&values, &mut expected);
            let mut found = b"before".to_vec();
            let got = match key.fields().names().collect::<Vec<_>>()[..] {
                ["user", "ts", "id"] => bound::<(u64, i64, &str)>(&key).encode(&(user, ts, &id), &mut found),
                ["ts", "user", "id"] => bound::<(i64, u64, &str)>(&key).encode(&(ts, user, &id), &mut found),
                ["id", "user", "ts"] => bound::<(&str, u64, i64)>(&key).encode(&(&id, user, ts), &mut found),
                ref other => panic!("{other:?}"),
            };
            assert_eq!((got, &found), (wanted.clone(), &expected), "{shape} {user} {ts} {id:?}");
            if wanted.is_err() {
                refused += 1;
                continue;
            }
            encoded += 1;
            let bytes = &found[b"before".len()..];
            for bytes in [bytes.to_vec(), damaged(&mut random, bytes), damaged(&mut random, bytes)] {
                match same_decoding(&key, &bytes) {
                    Ok(()) => decoded += 1,
                    Err(_) => broken += 1,
                }
            }
        }
    }
    println!("{encoded} encoded, {refused} refused, {decoded} decoded, {broken} broken");
    assert!(encoded > 5000 && refused > 200 && decoded > 8000 && broken > 2000);
}

fn bound<R: Record>(key: &KeySchema) -> TypedKey<'_, R> {
    key.typed().unwrap_or_else(|problem| panic!("{}: {problem}", key.source()))
}

fn same_decoding(key: &KeySchema, bytes: &[u8]) -> Result<(), DecodeError> {
    type Text = Option<Cow<'static, str>>;
    type Found<'k> = (Option<u64>, Option<i64>, Option<Cow<'k, str>>);
    let wanted = key.decode(bytes).map(|decoded| decoded.values);
    let found: Result<Found<'_>, TypedDecodeError> = match key.fields().names().next() {
        Some("user") => bound::<(Option<u64>, Option<i64>, Text)>(key).decode(bytes),
        Some("ts") => {
            bound::<(Option<i64>, Option<u64>, Text)>(key).decode(bytes).map(|(ts, user, id)| (user, ts, id))
        }
        _ => {
            bound::<(Text, Option<u64>, Option<i64>)>(key).decode(bytes).map(|(id, user, ts)| (user, ts, id))
        }
    };
    match (found, wanted) {
        (Ok((user, ts, id)), Ok(values)) => {
            let values_found: Vec<Value<'_>> = key
                .fields()
                .names()
                .map(|name| match name {
                    "user" => user.map_or(Value::Null, |user| Value::Int(user.into())),
                    "ts" => ts.map_or(Value::Null, |ts| Value::Int(ts.into())),
                    _ => id.clone().map_or(Value::Null, Value::Text),
                })
                .collect();
            assert_eq!(values_found, values, "{} {bytes:?}", key.source());
            Ok(())
        }
        (Err(TypedDecodeError::Key(found)), Err(wanted)) => {
            assert_eq!(found, wanted, "{}", key.source());
            Err(wanted)
        }
        (found, wanted) => panic!("{} {bytes:?}: {found:?} where values give {wanted:?}", key.source()),
    }
}

#[test]
fn every_width_and_sign_has_the_bytes_of_its_type() {
    let key = KeySchema::parse(
        "[a: u8][b: u16 desc][c: u32][d: i8][e: i16][f: i32 desc][g: short][t: timestamp desc]",
    )
    .expect("a key");
    let typed = key.typed::<(u8, u16, u32, i8, i16, i32, i16, Millis)>().expect("its types");
    let mut random = Random::new(1);
    for _ in 0..500 {
        let n: [u64; 8] = std::array::from_fn(|_| number(&mut random));
        let record = (
            n[0] as u8,
            n[1] as u16,
            n[2] as u32,
            n[3] as i8,
            n[4] as i16,
            n[5] as i32,
            n[6] as i16,
            Millis(n[7] as i64),
        );
        let (a, b, c, d, e, f, g, t) = record;
        let mut values: Vec<Value<'_>> =
            [a.into(), b.into(), c.into(), d.into(), e.into(), f.into(), g.into()].map(Value::Int).into();
        values.push(Value::Time(t.0));
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        key.encode(&values, &mut expected).expect("they fit");
        typed.encode(&record, &mut found).expect("they fit");
        assert_eq!(found, expected);
        assert_eq!(typed.decode(&found), Ok(record));
        // Nothing may follow, and nothing be missing.
        found.push(0);
        for bytes in [&found[..], &found[..found.len() - 2]] {
            let wanted = key.decode(bytes).expect_err("a key of another length");
            assert_eq!(typed.decode(bytes), Err(TypedDecodeError::Key(wanted)));
        }
    }
}

#[test]
fn a_wider_type_is_taken_and_its_values_must_fit() {
    let key = KeySchema::parse("[salt(16, n)][n: u16][id]").expect("a key");
    let typed = key.typed::<(i64, &[u8])>().expect("integers and a text");
    let mut bytes = Vec::new();
    typed.encode(&(65_535, b"x"), &mut bytes).expect("it fits");
    assert_eq!(typed.decode(&bytes), Ok((65_535, &b"x"[..])));
    let refused = typed.encode(&(65_536, b"x"), &mut bytes).expect_err("it does not fit");
    assert_eq!(
        refused,
        key.encode(&[Value::Int(65_536), Value::Text("x".into())], &mut bytes).expect_err("nor here")
    );
}

#[test]
fn text_comes_back_as_bytes_without_a_look_but_goes_in_with_one() {
    let key = KeySchema::parse("[n: u16][id]").expect("a key");
    let typed = key.typed::<(u16, &[u8])>().expect("a number and a text");
    assert_eq!(typed.decode(b"\0\x01\xff"), Ok((1, &b"\xff"[..])));
    let mut bytes = Vec::new();
    let said = typed.encode(&(1, b"\xff"), &mut bytes).expect_err("it is no text").to_string();
    assert!(said.starts_with("field `id`"), "{said}");
    assert!(key.typed::<(u16, &str)>().expect("its types").decode(b"\0\x01\xff").is_err());
}

#[test]
fn types_that_do_not_hold_the_fields_are_refused() {
    let key = KeySchema::parse("[user: u64][ts: timestamp][id]").expect("a key");
    let said = |problem: Option<BindError>| problem.map(|problem| problem.to_string()).unwrap_or_default();
    assert_eq!(
        said(key.typed::<(u64, &str)>().err()),
        "the key has 3 fields (user, ts, id), the record has 2; give one type for each field, in this order"
    );
    assert_eq!(
        said(key.typed::<(u64, i64, &str)>().err()),
        "field `ts` is timestamp, whose values a `i64` does not hold"
    );
    assert!(key.typed::<(Option<u32>, Option<Millis>, Cow<'_, str>)>().is_ok());
}

#[test]
fn a_value_that_its_type_does_not_hold_is_named() {
    let key = KeySchema::parse("[id: escaped desc][n: u8]").expect("a key");
    let mut bytes = Vec::new();
    key.encode(&[Value::Text("ab".into()), Value::Int(7)], &mut bytes).expect("a key");
    let found = key.typed::<(&str, u8)>().expect("its types").decode(&bytes);
    let said = found.expect_err("the text is not in the key as it is").to_string();
    assert!(
        said.starts_with("field `id`: a `&str` cannot hold the value `ab` of the key; bind it"),
        "{said}"
    );
    assert_eq!(key.typed::<(Cow<'_, str>, u8)>().expect("its types").decode(&bytes), Ok(("ab".into(), 7)));
}
