//! The law of batches: what many records give at once is what they give one at a time, errors included; and keys are read into
//! memory that is used again as into fresh memory.

use crate::generator::{Case, Random, case, record};
use rowkey_core::batch::{BatchEncoder, Column, ColumnBuffer, KeyBatch, Seed, Strings, Values};
use rowkey_core::key::{DecodedKey, Draws, EncodeError};
use rowkey_core::{KeySchema, Value};

const SEED: Seed = Seed { seed: 1, first_record: 7 };

/// Keys that are gone through a column at a time, and some that are not.
const SHAPES: [&str; 31] = [
    "[salt: u8][user: u64][ts: i64 desc][id]",
    "[salt(16, user)][user: u64][ts: timestamp desc][id]",
    "[salt(1000, id)][id]",
    "[salt(300, user, id)][user: i32][id]",
    "[salt(4, n: u16)][n: u16]",
    "[user: long]",
    "[a: u8 desc][b: i16][c: u32 desc][d: short][e: int desc]",
    "[a: i32][b: i64][c: u64 desc]",
    "[a: u64][b: timestamp][c: long][d: i64][id]",
    "[a: i16][b: u64][c: u64][d: u8]_[id]",
    "[salt(9, c)]x[a: i8][b: long desc][c: timestamp desc][f: fixed(3)]",
    "[a]_[b]-[c: u32]",
    "[a]::[b]::[c]",
    "[a: bytes]_[b: u8]x",
    "[host][0x00][n: u64]",
    "[f: fixed(4)][id]",
    "[md5(id).subStr(0,4)][id]",
    "[md5(id).subStr(3,8).upper()][id]",
    "[md5(id)][id]",
    "[md5(user, id).bytes(3)][user: u64][id]",
    "[md5(user).bytes(16)][user: u64]",
    "[md5(id).subStr(0,4)]-[id]",
    "[phoenix_row_salt(16)][user: u64][ts: timestamp desc][id]",
    "[phoenix_row_salt(3)][a][0x00][b: i32 desc][c]",
    "[phoenix_row_salt(256)][a: escaped?][b: timestamp][0x00000000][c: u8]",
    "[random(100)][user: u64][random(7)]",
    "[user: u64?][id]",
    "[id: escaped][user: ordered(i64)]",
    "[reverse(id)][user: u64]",
    "[Long.MAX_VALUE - ts][id]",
    "[bucket][ts][host] where bucket = ts % 16",
];

/// The records in columns of their types, or all of them as they are if one is of another kind.
fn columns<'a>(
    buffers: &'a mut Vec<ColumnBuffer>,
    any: &'a [Vec<Value<'static>>],
    key: &KeySchema,
) -> Vec<Column<'a>> {
    let fields = key.fields().iter();
    *buffers = fields.map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
    let typed =
        buffers.iter_mut().zip(any).all(|(buffer, values)| values.iter().all(|v| buffer.push(v).is_ok()));
    if typed {
        buffers.iter().map(ColumnBuffer::column).collect()
    } else {
        any.iter().map(|values| Column::new(Values::Any(values))).collect()
    }
}

/// Record by record: the keys up to the first error, and it.
fn one_at_a_time(
    key: &KeySchema,
    records: &[Vec<Value<'static>>],
) -> (Vec<Vec<u8>>, Option<(usize, EncodeError)>) {
    let mut keys = Vec::new();
    for (row, record) in records.iter().enumerate() {
        let mut bytes = Vec::new();
        let mut draws = Draws::new(SEED.seed, SEED.first_record + row as u64);
        match key.encode_with(record, &mut draws, &mut bytes) {
            Ok(()) => keys.push(bytes),
            Err(problem) => return (keys, Some((row, problem))),
        }
    }
    (keys, None)
}

fn by_field(key: &KeySchema, records: &[Vec<Value<'static>>]) -> Vec<Vec<Value<'static>>> {
    (0..key.fields().len())
        .map(|field| records.iter().map(|record| record[field].clone()).collect())
        .collect()
}

fn check(
    key: &KeySchema,
    encoder: &mut BatchEncoder<'_>,
    records: &[Vec<Value<'static>>],
    about: &str,
) -> Vec<Vec<u8>> {
    let (expected, problem) = one_at_a_time(key, records);
    let any = by_field(key, records);
    let (mut buffers, mut keys) = (Vec::new(), KeyBatch::new());
    let as_they_are: Vec<Column<'_>> = any.iter().map(|values| Column::new(Values::Any(values))).collect();
    for columns in [columns(&mut buffers, &any, key), as_they_are] {
        keys.push(b"left from before").expect("there is room");
        let found =
            encoder.encode_with(&columns, SEED, &mut keys).err().map(|error| (error.row, error.problem));
        assert_eq!(found, problem, "{about}");
        assert_eq!(keys.iter().collect::<Vec<_>>(), expected, "{about}");
    }
    expected
}

fn check_decoding(key: &KeySchema, keys: &[Vec<u8>], about: &str) {
    let (mut reused, mut values) = (DecodedKey::default(), Vec::new());
    for bytes in keys {
        match key.decode(bytes) {
            Ok(decoded) => {
                key.decode_into(bytes, &mut reused).expect("it decodes");
                assert_eq!(reused, decoded, "{about}");
                key.decode_values(bytes, &mut values).expect("it decodes");
                assert_eq!(values, decoded.values, "{about}");
            }
            Err(error) => {
                assert_eq!(key.decode_into(bytes, &mut reused).as_ref(), Err(&error), "{about}");
                assert_eq!(key.decode_values(bytes, &mut values).as_ref(), Err(&error), "{about}");
            }
        }
    }
}

/// Every way a key of the batch can be wrong: shorter, longer, another byte, another order of keys.
fn damaged(random: &mut Random, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut keys = keys.to_vec();
    let row = random.below(keys.len());
    let key = &mut keys[row];
    let at = random.below(key.len().max(1));
    match random.below(5) {
        0 => key.truncate(at),
        1 => key.insert(at, random.below(256) as u8),
        2 => key.clear(),
        3 if !key.is_empty() => key[at] = random.below(256) as u8,
        _ => key.extend([0xFF, 0x80]),
    }
    keys
}

#[test]
fn batches_give_what_records_and_keys_give_one_at_a_time() {
    let (mut whole, mut refused, mut broken) = (0, 0, 0);
    let shaped = SHAPES.iter().flat_map(|&shape| (0..60).map(move |seed| (seed, Some(shape))));
    for (seed, shape) in shaped.chain((0..1500).map(|seed| (seed, None))) {
        let mut random = Random::new(seed);
        let key = match shape {
            Some(shape) => KeySchema::parse(shape).unwrap_or_else(|findings| panic!("{shape}: {findings}")),
            None => {
                let Case { key, .. } = case(&mut random);
                key
            }
        };
        let about = format!("seed {seed}, key {}", key.source());
        let records: Vec<_> = (0..1 + random.below(20)).map(|_| record(&mut random, &key)).collect();
        let mut encoder = BatchEncoder::new(&key);
        let keys = check(&key, &mut encoder, &records, &about);
        if keys.len() < records.len() {
            refused += 1;
            // Without the record that is refused, and with the working memory of the batch before.
            check(&key, &mut encoder, &records[..keys.len()], &about);
        } else {
            whole += 1;
        }
        check_decoding(&key, &keys, &about);
        if !keys.is_empty() {
            for _ in 0..4 {
                let damaged = damaged(&mut random, &keys);
                broken += 1;
                check_decoding(&key, &damaged, &about);
            }
            check_decoding(&key, &keys, &about);
        }
    }
    println!("{whole} whole batches, {refused} with a record that is refused, {broken} with a damaged key");
    assert!(whole > 1000 && refused > 200 && broken > 5000);
}

#[test]
fn a_value_at_the_edge_of_its_type_is_taken_and_the_next_one_refused() {
    for (ty, fits, not) in [
        ("u8", 255, 256),
        ("i8", -128, -129),
        ("i16", 32_767, 32_768),
        ("u32", 4_294_967_295, 4_294_967_296),
        ("int", -2_147_483_648, -2_147_483_649),
        ("u64", 0, -1),
    ] {
        let key = KeySchema::parse(&format!("[n: {ty}]")).expect("a key");
        let mut keys = KeyBatch::new();
        let mut encoder = BatchEncoder::new(&key);
        encoder.encode(&[Column::new(Values::I64(&[0, fits]))], &mut keys).expect("it fits");
        let refused = encoder.encode(&[Column::new(Values::I64(&[0, fits, not]))], &mut keys);
        assert_eq!(refused.expect_err("it does not fit").row, 2, "{ty}");
        assert_eq!(keys.len(), 2);
    }
    let key = KeySchema::parse("[n: long]").expect("a key");
    let refused =
        BatchEncoder::new(&key).encode(&[Column::new(Values::U64(&[1 << 63]))], &mut KeyBatch::new());
    let said = refused.expect_err("it does not fit").to_string();
    assert!(
        said.starts_with("record 0 of the batch: field `n`: 9223372036854775808 does not fit long"),
        "{said}"
    );
}

#[test]
fn strings_outside_their_arena_or_not_utf8_are_refused() {
    let said = |result: Result<Strings<'_>, _>| {
        result.map(|_| ()).map_err(|error: rowkey_core::batch::StringsError| error.to_string())
    };
    assert_eq!(said(Strings::text("aé".as_bytes(), &[0, 1], &[1, 3])), Ok(()));
    assert_eq!(
        said(Strings::text("aé".as_bytes(), &[0, 1], &[1, 2])).unwrap_err(),
        "string 1 is not UTF-8; give it as bytes"
    );
    assert_eq!(
        said(Strings::bytes(b"ab", &[0], &[3])).unwrap_err(),
        "string 0 goes from byte 0 to 3 of an arena of 2 bytes"
    );
    assert_eq!(
        said(Strings::bytes(b"ab", &[2], &[1])).unwrap_err(),
        "string 0 goes from byte 2 to 1 of an arena of 2 bytes"
    );
    assert_eq!(
        said(Strings::bytes(b"ab", &[0], &[])).unwrap_err(),
        "there are 1 starts of strings and 0 ends; give one of each for a string"
    );
}
