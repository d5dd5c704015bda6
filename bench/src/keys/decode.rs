//! Keys to records.
//!
//! A candidate that goes row by row hands each record on, where it counts as used; one that makes columns is done when
//! the columns are there. What they read is summed up once, before anything is timed, and must be what was written.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hint::black_box;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use rowkey_core::key::DecodedKey;
use rowkey_core::typed::{FieldType, TypedKey};
use rowkey_core::{KeySchema, Value};
use serde::{Deserialize, Serialize};

use super::encode::{arrow_columns, arrow_converter, parse, safe, salt};
use super::{Arena, in_java};
use crate::elsewhere::Elsewhere;
use crate::ratio::{Report, Table};
use crate::records::Records;

/// Adds the key of a record to a buffer.
type Make<'m> = dyn Fn(u8, u64, i64, &str, &mut Vec<u8>) + 'm;

/// The salt is a field like the others: the codec alone.
pub fn given_salt<'a>(records: &'a Records, jvm: Option<&'a RefCell<Elsewhere>>) -> Reading<'a> {
    let key = parse("[salt: u8][user_id: u64][ts: i64 desc][order_id]");
    let mut reading = Reading::new("decode [salt: u8][user_id: u64][ts: i64 desc][order_id]", records);
    let ours = || made(records, &safe);
    reading.rows("hand-written, order id borrowed", ours(), Floor);
    reading.rows("hand-written, order id checked to be UTF-8", ours(), CheckedText);
    reading.rows("rowkey, one row, to any values", ours(), OneRow(key));
    let as_it_is = key.typed::<(u8, u64, i64, &[u8])>().expect("types of its fields");
    reading.rows("rowkey, one row, bound to types, order id as it is", ours(), TypedRow(as_it_is));
    let checked = key.typed::<(u8, u64, i64, &str)>().expect("the types of its fields");
    reading.rows("rowkey, one row, bound to types, order id checked", ours(), TypedRow(checked));

    let stored = made(records, &|salt, user_id, time, order_id, out| {
        let key = StoreKey { salt, user_id, time: i64::MAX - time, order_id: order_id.into() };
        storekey::encode(out, &key).expect("a Vec takes everything");
    });
    reading.rows("storekey, Cow<str>", stored, StoreKeyRow);
    let compared = made(records, &|salt, user_id, time, order_id, out| {
        let mut serializer = memcomparable::Serializer::new(out);
        let key = (salt, user_id, i64::MAX - time, order_id);
        key.serialize(&mut serializer).expect("a Vec takes everything");
    });
    reading.rows("memcomparable, String", compared, MemcomparableRow);
    arrow(&mut reading, records);

    let bytes = reading.bytes_per_key(&ours());
    let sum = reading.expected.0;
    in_java(
        &mut reading.table,
        jvm,
        &["Bytes.toLong + Bytes.toString", "types.Struct of Raw*, decode"],
        sum,
        bytes,
    );
    reading
}

/// The salt is computed again from the user and compared, by everybody.
pub fn computed_salt(records: &Records) -> Reading<'_> {
    let key = parse("[salt(16, user_id)][user_id: u64][ts: i64 desc][order_id]");
    let title = "decode [salt(16, user_id)][user_id: u64][ts: i64 desc][order_id], the salt compared";
    let mut reading = Reading::new(title, records);
    let ours = || made(records, &safe);
    reading.rows("hand-written, order id borrowed", ours(), Salted(Floor));
    reading.rows("hand-written, order id checked to be UTF-8", ours(), Salted(CheckedText));
    let as_it_is = key.typed::<(u64, i64, &[u8])>().expect("types of its fields");
    reading.rows("rowkey, one row, bound to types, order id as it is", ours(), SaltedRow(as_it_is));
    let checked = key.typed::<(u64, i64, &str)>().expect("the types of its fields");
    reading.rows("rowkey, one row, bound to types, order id checked", ours(), SaltedRow(checked));
    reading
}

/// The keys of all records.
fn made(records: &Records, make: &Make<'_>) -> Arena {
    let mut arena = Arena::default();
    for (salt, user_id, time, order_id) in records.iter() {
        make(salt, user_id, time, order_id, &mut arena.bytes);
        arena.end_key();
    }
    arena
}

fn arrow(reading: &mut Reading<'_>, records: &Records) {
    let converter = arrow_converter();
    let rows = converter.convert_columns(&arrow_columns(records)).expect("columns of the converter's types");
    let columns = converter.convert_rows(&rows).expect("rows of the converter");
    let (salts, user_ids) = (columns[0].as_primitive::<UInt8Type>(), columns[1].as_primitive::<UInt64Type>());
    let (times, order_ids) = (columns[2].as_primitive::<Int64Type>(), columns[3].as_string::<i32>());
    let mut sum = Sum::default();
    for row in 0..columns[0].len() {
        sum.take(Decoded {
            salt: salts.value(row),
            user_id: user_ids.value(row),
            time: times.value(row),
            order_id: order_ids.value(row).as_bytes(),
        });
    }
    let bytes = rows.iter().map(|row| row.data().len()).sum::<usize>() as f64 / rows.num_rows() as f64;
    reading.columns("arrow-row, batch, to columns", bytes, sum, move || {
        black_box(converter.convert_rows(&rows).expect("rows of the converter"));
    });
}

/// A table of candidates that read keys, and the sum of what they must read.
pub struct Reading<'a> {
    table: Table<'a>,
    expected: Sum,
}

impl<'a> Reading<'a> {
    fn new(title: &str, records: &Records) -> Self {
        let mut expected = Sum::default();
        for (salt, user_id, time, order_id) in records.iter() {
            expected.take(Decoded { salt, user_id, time, order_id: order_id.as_bytes() });
        }
        Self { table: Table::new(title, records.user_ids.len()), expected }
    }

    /// Adds a candidate that goes row by row.
    pub fn rows(&mut self, name: &str, keys: Arena, rows: impl Rows + 'a) {
        let mut sum = Sum::default();
        rows.each(&keys, &mut sum);
        assert!(sum == self.expected, "`{name}` does not read what was written");
        let bytes = self.bytes_per_key(&keys);
        self.table.here(name, bytes, move || rows.each(&keys, &mut Used));
    }

    /// Adds a candidate that makes columns of many keys, which come to `sum`.
    pub fn columns(&mut self, name: &str, bytes_per_key: f64, sum: Sum, pass: impl FnMut() + 'a) {
        assert!(sum == self.expected, "`{name}` does not read what was written");
        self.table.here(name, bytes_per_key, pass);
    }

    /// Lets all take their turns.
    pub fn run(self, rounds: usize) -> Report {
        self.table.run(rounds)
    }

    fn bytes_per_key(&self, keys: &Arena) -> f64 {
        keys.bytes.len() as f64 / keys.ends.len() as f64
    }
}

/// Reads keys one by one.
pub trait Rows {
    /// Hands every record to `sink`.
    fn each(&self, keys: &Arena, sink: &mut impl Sink);
}

/// A record again.
pub struct Decoded<'k> {
    salt: u8,
    user_id: u64,
    time: i64,
    order_id: &'k [u8],
}

pub trait Sink {
    fn take(&mut self, record: Decoded<'_>);
}

/// As if somebody used the record.
struct Used;

impl Sink for Used {
    #[inline]
    fn take(&mut self, record: Decoded<'_>) {
        black_box(record);
    }
}

/// FNV-1a over all values, as `KeyBench.java` computes it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum(u64);

impl Default for Sum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Sink for Sum {
    fn take(&mut self, record: Decoded<'_>) {
        let numbers = [record.salt.into(), record.user_id, record.time.cast_unsigned()];
        for piece in numbers.into_iter().chain(record.order_id.iter().map(|&byte| byte.into())) {
            self.0 = (self.0 ^ piece).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// What somebody writes who knows this key and trusts it.
struct Floor;

impl Rows for Floor {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        let first = keys.bytes.as_ptr();
        let mut start = 0;
        for &end in &keys.ends {
            let end = end as usize;
            // SAFETY: the keys were made above: each has at least 17 bytes and ends inside the arena.
            let record = unsafe {
                let key = first.add(start);
                Decoded {
                    salt: key.read(),
                    user_id: u64::from_be_bytes(key.add(1).cast::<[u8; 8]>().read_unaligned()),
                    time: i64::MAX - i64::from_be_bytes(key.add(9).cast::<[u8; 8]>().read_unaligned()),
                    order_id: std::slice::from_raw_parts(key.add(17), end - start - 17),
                }
            };
            sink.take(record);
            start = end;
        }
    }
}

struct CheckedText;

impl Rows for CheckedText {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        for key in keys.keys() {
            let (salt, rest) = key.split_first().expect("a salt");
            let (user_id, rest) = rest.split_first_chunk().expect("a user");
            let (time, rest) = rest.split_first_chunk().expect("a time");
            sink.take(Decoded {
                salt: *salt,
                user_id: u64::from_be_bytes(*user_id),
                time: i64::MAX - i64::from_be_bytes(*time),
                order_id: std::str::from_utf8(rest).expect("an order id").as_bytes(),
            });
        }
    }
}

/// Compares the salt too, as everybody does who reads keys of which some might be others'.
struct Salted<R>(R);

impl<R: Rows> Rows for Salted<R> {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        self.0.each(keys, &mut Comparing(sink));
    }
}

struct Comparing<'s, S>(&'s mut S);

impl<S: Sink> Sink for Comparing<'_, S> {
    #[inline]
    fn take(&mut self, record: Decoded<'_>) {
        assert!(record.salt == salt(record.user_id), "the salt of another user");
        self.0.take(record);
    }
}

struct OneRow(&'static KeySchema);

impl Rows for OneRow {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        let mut decoded = DecodedKey::default();
        for key in keys.keys() {
            self.0.decode_into(key, &mut decoded).expect("a key of this schema");
            let [Value::Int(salt), Value::Int(user_id), Value::Int(time), Value::Text(order_id)] =
                decoded.values.as_slice()
            else {
                panic!("four values of the fields' kinds");
            };
            sink.take(Decoded {
                salt: *salt as u8,
                user_id: *user_id as u64,
                time: *time as i64,
                order_id: order_id.as_bytes(),
            });
        }
    }
}

/// One row, by a key that knows what the fields are; the order id is `&str`, which is looked at, or `&[u8]`, which is not.
struct TypedRow<T>(TypedKey<'static, (u8, u64, i64, T)>);

impl<T: FieldType> Rows for TypedRow<T>
where
    for<'k> T::Of<'k>: AsRef<[u8]>,
{
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        for key in keys.keys() {
            let (salt, user_id, time, order_id) = self.0.decode(key).expect("a key of this schema");
            sink.take(Decoded { salt, user_id, time, order_id: order_id.as_ref() });
        }
    }
}

/// As [`TypedRow`], of a key whose salt is no field.
struct SaltedRow<T>(TypedKey<'static, (u64, i64, T)>);

impl<T: FieldType> Rows for SaltedRow<T>
where
    for<'k> T::Of<'k>: AsRef<[u8]>,
{
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        for key in keys.keys() {
            let (user_id, time, order_id) = self.0.decode(key).expect("a key of this schema");
            let salt = key.first().copied().unwrap_or_default();
            sink.take(Decoded { salt, user_id, time, order_id: order_id.as_ref() });
        }
    }
}

#[derive(storekey::Encode, storekey::BorrowDecode)]
struct StoreKey<'k> {
    salt: u8,
    user_id: u64,
    time: i64,
    order_id: Cow<'k, str>,
}

struct StoreKeyRow;

impl Rows for StoreKeyRow {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        for key in keys.keys() {
            let key: StoreKey<'_> = storekey::decode_borrow(key).expect("a key of storekey");
            let order_id = key.order_id.as_bytes();
            sink.take(Decoded { salt: key.salt, user_id: key.user_id, time: i64::MAX - key.time, order_id });
        }
    }
}

struct MemcomparableRow;

impl Rows for MemcomparableRow {
    #[inline]
    fn each(&self, keys: &Arena, sink: &mut impl Sink) {
        for key in keys.keys() {
            let mut reader = memcomparable::Deserializer::new(key);
            let (salt, user_id, time, order_id): (u8, u64, i64, String) =
                Deserialize::deserialize(&mut reader).expect("a key of memcomparable");
            sink.take(Decoded { salt, user_id, time: i64::MAX - time, order_id: order_id.as_bytes() });
        }
    }
}
