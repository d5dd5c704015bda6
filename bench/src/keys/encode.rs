//! Records to keys.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, UInt8Array, UInt64Array};
use arrow_row::{RowConverter, SortField};
use arrow_schema::{DataType, SortOptions};
use rowkey_core::{KeySchema, Value};
use serde::Serialize;

use super::{Arena, Contest};
use crate::elsewhere::Elsewhere;
use crate::records::Records;

/// The most bytes that a key has.
const LONGEST: usize = 1 + 8 + 8 + 14;

/// The salt is a field like the others: the codec alone.
pub fn given_salt<'a>(records: &'a Records, jvm: Option<&'a RefCell<Elsewhere>>) -> Contest<'a> {
    let title = "encode [salt: u8][user_id: u64][ts: i64 desc][order_id]";
    let floor = "hand-written, memcpy into an arena";
    let mut contest = Contest::new(title, floor, |arena| {
        let salts = records.salts.iter().copied();
        unchecked(salts, records, arena);
    });
    contest.same("hand-written, safe, extend_from_slice", |arena| {
        for (salt, user_id, time, order_id) in records.iter() {
            safe(salt, user_id, time, order_id, &mut arena.bytes);
            arena.end_key();
        }
    });
    let fresh = |(salt, user_id, time, order_id): (u8, u64, i64, &str)| {
        let mut key = Vec::with_capacity(LONGEST);
        safe(salt, user_id, time, order_id, &mut key);
        key
    };
    let keys: Vec<Vec<u8>> = records.iter().map(fresh).collect();
    contest.own("hand-written, one fresh Vec for a key", &keys, move || {
        records.iter().for_each(|record| drop(black_box(fresh(record))));
    });

    let key = parse("[salt: u8][user_id: u64][ts: i64 desc][order_id]");
    contest.same("rowkey, one row, of any values", move |arena| {
        for (salt, user_id, time, order_id) in records.iter() {
            let record = [
                Value::Int(salt.into()),
                Value::Int(user_id.into()),
                Value::Int(time.into()),
                Value::Text(order_id.into()),
            ];
            key.encode(&record, &mut arena.bytes).expect("every record has a key");
            arena.end_key();
        }
    });
    let typed = key.typed::<(u8, u64, i64, &str)>().expect("the types of its fields");
    contest.same("rowkey, one row, bound to types", move |arena| {
        for record in records.iter() {
            typed.encode(&record, &mut arena.bytes).expect("every record has a key");
            arena.end_key();
        }
    });
    contest.batch(key, records.columns().to_vec());

    rivals(&mut contest, records);
    contest.in_java(jvm, &["Bytes.toBytes + Bytes.add", "types.Struct of Raw*"]);
    contest
}

/// The salt is computed: murmur3 of the user, modulo 16.
pub fn computed_salt<'a>(records: &'a Records, jvm: Option<&'a RefCell<Elsewhere>>) -> Contest<'a> {
    let title = "encode [salt(16, user_id)][user_id: u64][ts: i64 desc][order_id]";
    let floor = "hand-written, memcpy into an arena";
    let mut contest = Contest::new(title, floor, |arena| {
        let salts = records.user_ids.iter().map(|&user_id| salt(user_id));
        unchecked(salts, records, arena);
    });
    contest.same("hand-written, safe, extend_from_slice", |arena| {
        for (_, user_id, time, order_id) in records.iter() {
            safe(salt(user_id), user_id, time, order_id, &mut arena.bytes);
            arena.end_key();
        }
    });

    let key = parse("[salt(16, user_id)][user_id: u64][ts: i64 desc][order_id]");
    contest.same("rowkey, one row, of any values", move |arena| {
        for (_, user_id, time, order_id) in records.iter() {
            let record = [Value::Int(user_id.into()), Value::Int(time.into()), Value::Text(order_id.into())];
            key.encode(&record, &mut arena.bytes).expect("every record has a key");
            arena.end_key();
        }
    });
    let typed = key.typed::<(u64, i64, &str)>().expect("the types of its fields");
    contest.same("rowkey, one row, bound to types", move |arena| {
        for (_, user_id, time, order_id) in records.iter() {
            typed.encode(&(user_id, time, order_id), &mut arena.bytes).expect("every record has a key");
            arena.end_key();
        }
    });
    contest.batch(key, records.columns()[1..].to_vec());

    contest.in_java(jvm, &["MurmurHash3 + Bytes.toBytes + Bytes.add"]);
    contest
}

/// A key, kept for the life of this program, so that what encodes with it can be a candidate.
pub(super) fn parse(key: &str) -> &'static KeySchema {
    Box::leak(Box::new(KeySchema::parse(key).unwrap_or_else(|findings| panic!("{findings}"))))
}

/// The floor: what somebody writes who knows this key, its longest text, and nothing else.
fn unchecked(salts: impl Iterator<Item = u8>, records: &Records, arena: &mut Arena) {
    let count = records.user_ids.len();
    arena.bytes.reserve(count * LONGEST);
    arena.ends.reserve(count);
    let columns = salts.zip(&records.user_ids).zip(&records.times).zip(&records.order_ids);
    let (first, ends) = (arena.bytes.as_mut_ptr(), arena.ends.as_mut_ptr());
    let (mut length, mut written) = (0, 0);
    for (((salt, user_id), time), order_id) in columns {
        assert!(order_id.len() <= LONGEST - 17);
        // SAFETY: there is room for `count` keys of at most `LONGEST` bytes each and `count` ends, and the columns give
        // no more than `count` records; the arena overlaps no record.
        unsafe {
            let key = first.add(length);
            key.write(salt);
            key.add(1).cast::<[u8; 8]>().write_unaligned(user_id.to_be_bytes());
            key.add(9).cast::<[u8; 8]>().write_unaligned((i64::MAX - time).to_be_bytes());
            key.add(17).copy_from_nonoverlapping(order_id.as_ptr(), order_id.len());
            length += 17 + order_id.len();
            ends.add(written).write(length as u32);
        }
        written += 1;
    }
    // SAFETY: so many bytes and ends are there and written.
    unsafe {
        arena.bytes.set_len(length);
        arena.ends.set_len(written);
    }
}

#[inline]
pub(super) fn safe(salt: u8, user_id: u64, time: i64, order_id: &str, key: &mut Vec<u8>) {
    key.push(salt);
    key.extend_from_slice(&user_id.to_be_bytes());
    key.extend_from_slice(&(i64::MAX - time).to_be_bytes());
    key.extend_from_slice(order_id.as_bytes());
}

/// MurmurHash3 of eight bytes with seed -1, modulo 16.
#[inline]
pub(super) fn salt(user_id: u64) -> u8 {
    let bytes = user_id.to_be_bytes();
    let mut hash = u32::MAX;
    for word in bytes.as_chunks::<4>().0 {
        let mixed = u32::from_le_bytes(*word).wrapping_mul(0xcc9e_2d51).rotate_left(15);
        hash ^= mixed.wrapping_mul(0x1b87_3593);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= 8;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    // The low four bits are the remainder, of negative numbers too.
    ((hash ^ (hash >> 16)) & 15) as u8
}

fn rivals<'a>(contest: &mut Contest<'a>, records: &'a Records) {
    contest.alike("storekey", |arena| {
        for (salt, user_id, time, order_id) in records.iter() {
            let key = StoreKey { salt, user_id, time: i64::MAX - time, order_id };
            storekey::encode(&mut arena.bytes, &key).expect("a Vec takes everything");
            arena.end_key();
        }
    });
    contest.alike("memcomparable", |arena| {
        for (salt, user_id, time, order_id) in records.iter() {
            let mut serializer = memcomparable::Serializer::new(&mut arena.bytes);
            (salt, user_id, i64::MAX - time, order_id)
                .serialize(&mut serializer)
                .expect("a Vec takes everything");
            arena.end_key();
        }
    });
    let columns = arrow_columns(records);
    let converter = arrow_converter();
    let mut rows = converter.convert_columns(&columns).expect("columns of the converter's types");
    let keys: Vec<Vec<u8>> = rows.iter().map(|row| row.data().to_vec()).collect();
    contest.own("arrow-row, batch, reused Rows", &keys, move || {
        rows.clear();
        converter.append(&mut rows, &columns).expect("columns of the converter's types");
        black_box(&mut rows);
    });
}

#[derive(storekey::Encode)]
struct StoreKey<'a> {
    salt: u8,
    user_id: u64,
    time: i64,
    order_id: &'a str,
}

pub(super) fn arrow_converter() -> RowConverter {
    let falling = SortOptions { descending: true, nulls_first: true };
    let fields = vec![
        SortField::new(DataType::UInt8),
        SortField::new(DataType::UInt64),
        SortField::new_with_options(DataType::Int64, falling),
        SortField::new(DataType::Utf8),
    ];
    RowConverter::new(fields).expect("plain types can be sorted")
}

pub(super) fn arrow_columns(records: &Records) -> Vec<ArrayRef> {
    vec![
        Arc::new(UInt8Array::from(records.salts.clone())),
        Arc::new(UInt64Array::from(records.user_ids.clone())),
        Arc::new(Int64Array::from(records.times.clone())),
        Arc::new(StringArray::from(records.order_ids.clone())),
    ]
}
