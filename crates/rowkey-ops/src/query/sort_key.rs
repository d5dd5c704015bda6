//! The sort order of rows that the key does not sort as asked.
//!
//! The values to sort by and the row's key become bytes whose order is the order asked for: a null before (falling: behind) every
//! value, ties by the row's key. So one comparison of bytes says it all, in a heap, in a file and in a page token.
//!
//! **Law** (the test below): the order of bytes is the order of values.

use rowkey_core::ordered::encode_numeric;
use rowkey_core::{FieldId, Order, Value};

const NULL: u8 = 0;
const VALUE: u8 = 1;

/// Adds the bytes of a row to `out`.
pub(super) fn write(sort: &[(FieldId, Order)], values: &[Value<'_>], key: &[u8], out: &mut Vec<u8>) {
    for (field, order) in sort {
        let start = out.len();
        match values.get(field.0).unwrap_or(&Value::Null) {
            Value::Null => out.push(NULL),
            value => {
                out.push(VALUE);
                write_value(value, out);
            }
        }
        if *order == Order::Descending {
            out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
    }
    out.extend_from_slice(key);
}

fn write_value(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Int(number) => out.extend_from_slice(&(number ^ i128::MIN).to_be_bytes()),
        Value::Time(millis) => out.extend_from_slice(&(millis ^ i64::MIN).to_be_bytes()),
        Value::Float(number) => write_float(*number, out),
        Value::Float32(number) => write_float((*number).into(), out),
        Value::Text(text) => write_bytes(text.as_bytes(), out),
        Value::Bytes(bytes) => write_bytes(bytes, out),
        Value::Octets(octets) => out.extend_from_slice(octets.as_bytes()),
        Value::Bool(bool) => out.push(u8::from(*bool)),
        Value::Numeric(number) => encode_numeric(number, out),
    }
}

/// Both zeros are one value; a NaN, which a column may hold, is behind all numbers.
fn write_float(number: f64, out: &mut Vec<u8>) {
    let bits = (number + 0.0).to_bits();
    let negative = !number.is_nan() && bits >> 63 == 1;
    out.extend_from_slice(&(if negative { !bits } else { bits | 1 << 63 }).to_be_bytes());
}

/// A zero byte becomes 00 FF, and 00 01 ends it: shorter texts come before longer ones.
fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        out.push(byte);
        if byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn value() -> impl Strategy<Value = Value<'static>> {
        prop_oneof![
            Just(Value::Null),
            prop::sample::select(vec![i128::MIN, -300, -1, 0, 1, 255, 256, i128::MAX]).prop_map(Value::Int),
        ]
    }

    fn text() -> impl Strategy<Value = Value<'static>> {
        prop_oneof![Just(Value::Null), "[\0\u{1}aü]{0,3}".prop_map(|text| Value::Text(text.into()))]
    }

    fn float() -> impl Strategy<Value = Value<'static>> {
        let numbers = vec![f64::NEG_INFINITY, -1.5, -f64::MIN_POSITIVE, -0.0, 0.0, 2.5, f64::INFINITY];
        prop::sample::select(numbers).prop_map(Value::Float)
    }

    /// Null before every value.
    fn compare(a: &Value<'_>, b: &Value<'_>) -> Ordering {
        a.compare(b).unwrap_or_else(|| b.is_null().cmp(&a.is_null()))
    }

    proptest! {
        #[test]
        fn bytes_sort_as_values(
            a in (value(), text(), float(), "[a-c]{1,2}"), b in (value(), text(), float(), "[a-c]{1,2}"),
            falling: [bool; 3],
        ) {
            let order = |at: usize| if falling[at] { Order::Descending } else { Order::Ascending };
            let turn = |at: usize, found: Ordering| if falling[at] { found.reverse() } else { found };
            let sort = [0, 1, 2].map(|at| (FieldId(at), order(at)));
            let bytes = |row: &(Value<'static>, Value<'static>, Value<'static>, String)| {
                let mut bytes = Vec::new();
                let values = [row.0.clone(), row.1.clone(), row.2.clone()];
                write(&sort, &values, row.3.as_bytes(), &mut bytes);
                bytes
            };
            let expected = turn(0, compare(&a.0, &b.0))
                .then_with(|| turn(1, compare(&a.1, &b.1)))
                .then_with(|| turn(2, compare(&a.2, &b.2)))
                .then_with(|| a.3.cmp(&b.3));
            prop_assert_eq!(bytes(&a).cmp(&bytes(&b)), expected);
        }
    }
}
