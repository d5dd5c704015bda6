use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::decimal::tests::any_decimal;
use super::*;
use crate::escape::{from_hex, to_hex};

fn ascending(value: &Value<'_>, ty: OrderedType) -> Vec<u8> {
    let mut out = Vec::new();
    encode(value, ty, &mut out).unwrap();
    assert_eq!(out.len(), encoded_len(value, ty), "{value:?}");
    out
}

fn complement(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

/// HBase 2.6.4's own bytes, in both orders.
#[test]
fn every_value_has_hbases_bytes() {
    let vectors = include_str!("../../../../testdata/vectors/ordered_bytes.jsonl");
    let (mut checked, mut refused) = (0, 0);
    for line in vectors.lines() {
        let vector: Json = serde_json::from_str(line).unwrap();
        let text = vector["value"].as_str();
        let (ty, value) = match (vector["type"].as_str().unwrap(), text) {
            ("int8", Some(text)) => (OrderedType::I8, Value::Int(text.parse().unwrap())),
            ("int16", Some(text)) => (OrderedType::I16, Value::Int(text.parse().unwrap())),
            ("int32", Some(text)) => (OrderedType::I32, Value::Int(text.parse().unwrap())),
            ("int64", Some(text)) => (OrderedType::I64, Value::Int(text.parse().unwrap())),
            ("float32", Some(text)) => (OrderedType::F32, Value::Float32(text.parse().unwrap())),
            ("float64", Some(text)) => (OrderedType::F64, Value::Float(text.parse().unwrap())),
            ("numeric", Some(text)) => (OrderedType::Numeric, Value::Numeric(text.parse().unwrap())),
            ("string", Some(text)) => (OrderedType::Text, Value::Text(text.into())),
            ("blobvar", Some(text)) => (OrderedType::Bytes, Value::Bytes(from_hex(text).unwrap().into())),
            ("null", None) => (OrderedType::Text, Value::Null),
            other => panic!("{other:?}"),
        };
        let hex = vector["hex"].as_str().unwrap();
        let bytes = from_hex(hex).unwrap();
        let is_descending = match vector["order"].as_str().unwrap() {
            "ASCENDING" => false,
            "DESCENDING" => true,
            other => panic!("{other}"),
        };
        let decoded = if is_descending { decode_descending(&bytes, ty) } else { decode(&bytes, ty) };
        if text == Some("NaN") {
            // HBase writes it; the notation refuses it in both directions.
            let expected = match ty {
                OrderedType::F32 => ValueError::NotANumber,
                _ => OrderedValueError::NotANumber { ty }.into(),
            };
            assert_eq!(encode(&value, ty, &mut Vec::new()), Err(expected));
            assert_eq!(decoded, Err(OrderedError::NotANumber { ty }));
            refused += 1;
            continue;
        }
        let ours = ascending(&value, ty);
        assert_eq!(to_hex(&if is_descending { complement(&ours) } else { ours }), hex, "{line}");
        assert_eq!(decoded, Ok((value, bytes.len())), "{line}");
        checked += 1;
    }
    assert_eq!((checked, refused), (524, 4));
}

/// From HBase 2.6.4 as well; the shared vectors have whole numbers only.
#[test]
fn decimals_have_hbases_bytes() {
    for (number, hex) in [
        ("0.1", "16ff14"),
        ("-0.1", "1400eb"),
        ("0.01", "16ff02"),
        ("0.001", "16fe14"),
        ("0.0000123", "16fd193c"),
        ("-0.000000000062679", "140582784b"),
        ("99.5", "18c764"),
        ("100.5", "19030164"),
        ("-12.5", "12e69b"),
        ("123.456", "19032f5b78"),
        ("10000000000000000000", "2114"),
        ("99999999999999999999", "21c7c7c7c7c7c7c7c7c7c6"),
        ("100000000000000000000", "220b02"),
        ("-100000000000000000000", "08f4fd"),
        ("3080000000000000000000000000000000", "22113da0"),
        ("1234567890123456789012345678901", "2210032f5b87b3032f5b87b3032f5b87b302"),
        ("-1234567890123456789012345678901", "08effcd0a4784cfcd0a4784cfcd0a4784cfd"),
        ("0.1234567890123456789012345678901", "16ff1945719db51945719db51945719db514"),
        ("12345678901234567890.12345678901", "211945719db51945719db51945719db514"),
        ("9999999999999999999999999999999", "221013c7c7c7c7c7c7c7c7c7c7c7c7c7c7c6"),
    ] {
        let value = Value::Numeric(number.parse().unwrap());
        assert_eq!(to_hex(&ascending(&value, OrderedType::Numeric)), hex, "{number}");
        let bytes = from_hex(hex).unwrap();
        assert_eq!(decode(&bytes, OrderedType::Numeric), Ok((value, bytes.len())));
    }
}

#[test]
fn what_has_no_bytes_is_refused_and_leaves_the_buffer_alone() {
    let mut out = vec![1];
    let mut refused = |value, ty| {
        let error = encode(&value, ty, &mut out).unwrap_err();
        assert_eq!(out, [1]);
        error
    };
    let (f32, f64) = (OrderedType::F32, OrderedType::F64);
    assert!(matches!(
        refused(Value::Int(128), OrderedType::I8),
        ValueError::OutOfRange { value: 128, min: -128, max: 127, .. }
    ));
    assert_eq!(refused(Value::Float32(-0.0), f32), OrderedValueError::NegativeZero { ty: f32 }.into());
    assert_eq!(refused(Value::Float(-0.0), f64), OrderedValueError::NegativeZero { ty: f64 }.into());
    assert_eq!(refused(Value::Float(-f64::NAN), f64), OrderedValueError::NotANumber { ty: f64 }.into());
    assert_eq!(
        refused(Value::Text("a\0".into()), OrderedType::Text),
        OrderedValueError::ZeroInText { offset: 1 }.into()
    );
    for (value, ty) in [
        (Value::Float(1.0), OrderedType::Numeric),
        (Value::Int(1), f64),
        (Value::Time(1), OrderedType::I32),
        (Value::Bytes(b"a".into()), OrderedType::Text),
    ] {
        let (text, ty) = (value.to_string(), ty);
        assert_eq!(refused(value, ty), ValueError::WrongKind { value: text, ty: Type::Ordered(ty) });
    }
}

#[test]
fn only_hbases_own_bytes_decode() {
    let error = |hex: &str, ty| decode(&from_hex(hex).unwrap(), ty).unwrap_err();
    let (numeric, text, bytes) = (OrderedType::Numeric, OrderedType::Text, OrderedType::Bytes);
    assert_eq!(error("", numeric), OrderedError::TooShort { ty: numeric, len: 0 });
    assert_eq!(error("2c00", OrderedType::I64), OrderedError::TooShort { ty: OrderedType::I64, len: 2 });
    assert_eq!(error("346162", text), OrderedError::NoEnd { ty: text });
    assert_eq!(error("3461ff00", text), OrderedError::NotUtf8 { valid_up_to: 1 });
    assert_eq!(error("3700", text), OrderedError::WrongHeader { ty: text, expected: Some(0x34), got: 0x37 });
    assert_eq!(error("37ff", bytes), OrderedError::NoEnd { ty: bytes });
    assert_eq!(
        error("317fffffffffffffff", OrderedType::F64),
        OrderedError::NegativeZero { ty: OrderedType::F64 }
    );
    for (hex, offset, why) in [
        ("3701", 1, "one group is no byte"),
        ("37a401", 2, "bits that fill up are zero"),
        ("37808080808080808000", 9, "the ninth group is one too many"),
    ] {
        assert!(
            matches!(error(hex, bytes), OrderedError::NotCanonical { offset: at, .. } if at == offset),
            "{why}"
        );
    }
    for (hex, offset, why) in [
        ("1702", 0, "E is 1 or more"),
        ("1800", 1, "a zero pair"),
        ("180102", 1, "a zero pair in front"),
        ("180300", 2, "a zero pair at the end"),
        ("18c8", 1, "a pair above 99"),
        ("220a02", 1, "E up to 10 is in the header"),
        ("16fe", 2, "nothing after E"),
        ("22f10002", 1, "240 in two bytes"),
        ("1803030303030303030303030303030303", 17, "17 pairs"),
    ] {
        match error(hex, numeric) {
            OrderedError::NotCanonical { offset: at, .. } => assert_eq!(at, offset, "{why}"),
            OrderedError::TooShort { len, .. } => assert_eq!(len, offset, "{why}"),
            other => panic!("{why}: {other}"),
        }
    }
    let digits = "18".to_owned() + &"17".repeat(15) + "16";
    assert_eq!(
        error(&digits, numeric),
        OrderedError::Decimal(DecimalError::TooManyDigits { digits: 32, limit: 31 })
    );
    for infinite in ["07", "23", "26"] {
        assert_eq!(error(infinite, numeric), OrderedError::NotANumber { ty: numeric });
    }
    for far in ["22fa01000002", "22f9ffff02", "22f9031102", "16050000000002"] {
        assert_eq!(error(far, numeric), TOO_FAR, "{far}");
    }
}

#[test]
fn bytes_of_different_lengths_do_not_sort_as_bytes() {
    let groups = |bytes: &'static [u8]| ascending(&Value::Bytes(bytes.into()), OrderedType::Bytes);
    assert_eq!(groups(b"\xFF"), b"\x37\xFF\x40");
    assert_eq!(groups(b"\xFE\xFF"), b"\x37\xFF\xBF\x60");
}

#[test]
fn names_are_the_notations() {
    for ty in OrderedType::ALL {
        assert_eq!(OrderedType::from_name(&ty.name()), Some(ty));
    }
    assert_eq!(OrderedType::I32.to_string(), "ordered(i32)");
    assert_eq!(OrderedType::from_name("u8"), None);
}

/// The order of values, where it is defined: null first; bytes only of one length.
fn order(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    Some(match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float32(a), Value::Float32(b)) => a.total_cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Numeric(a), Value::Numeric(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) if a.len() == b.len() => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) if b.starts_with(a) => Ordering::Less,
        (Value::Bytes(a), Value::Bytes(b)) if a.starts_with(b) => Ordering::Greater,
        _ => return None,
    })
}

fn typed_pair() -> impl Strategy<Value = (OrderedType, Value<'static>, Value<'static>)> {
    let text = prop::collection::vec(prop::sample::select(vec!['\x01', 'a', 'b', 'é', '\u{10FFFF}']), 0..5);
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0xFF), Just(0xFE)];
    let bytes = prop::collection::vec(byte, 0..20);
    prop::sample::select(OrderedType::ALL.to_vec()).prop_flat_map(move |ty| {
        let value = match ty {
            OrderedType::F32 => any::<f32>().prop_map(|number| Value::Float32(number + 0.0)).boxed(),
            OrderedType::F64 => any::<f64>().prop_map(|number| Value::Float(number + 0.0)).boxed(),
            OrderedType::Numeric => any_decimal().prop_map(Value::Numeric).boxed(),
            OrderedType::Text => text
                .clone()
                .prop_map(|chars| Value::Text(chars.into_iter().collect::<String>().into()))
                .boxed(),
            OrderedType::Bytes => bytes.clone().prop_map(|bytes| Value::Bytes(bytes.into())).boxed(),
            _ => {
                let (min, max) = ty.integer_range().unwrap();
                prop_oneof![min..=max, Just(min), Just(max), -2..=2_i128].prop_map(Value::Int).boxed()
            }
        };
        let value = prop_oneof![9 => value, 1 => Just(Value::Null)];
        (Just(ty), value.clone(), value)
    })
}

/// Bytes near those of a value, so that decoding gets past the first of them.
fn nearly_encoded() -> impl Strategy<Value = (OrderedType, Vec<u8>)> {
    let flips = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (typed_pair(), flips, 0..30_usize).prop_map(|((ty, value, _), flips, extra)| {
        let mut bytes = ascending(&value, ty);
        for (index, byte) in flips {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(extra.max(2));
        (ty, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn values_come_back((ty, value, _) in typed_pair(), tail: Vec<u8>) {
        let mut bytes = ascending(&value, ty);
        let len = bytes.len();
        bytes.extend(tail);
        prop_assert_eq!(decode(&bytes, ty), Ok((value.clone(), len)));
        let descending = complement(&bytes);
        prop_assert_eq!(decode_descending(&descending, ty), Ok((value, len)));
    }

    #[test]
    fn order_of_bytes_is_order_of_values((ty, a, b) in typed_pair()) {
        if let Some(expected) = order(&a, &b) {
            let (a, b) = (ascending(&a, ty), ascending(&b, ty));
            prop_assert_eq!(a.cmp(&b), expected);
            prop_assert_eq!(complement(&a).cmp(&complement(&b)), expected.reverse());
        }
    }

    #[test]
    fn what_decodes_encodes_to_the_same_bytes((ty, bytes) in nearly_encoded()) {
        if let Ok((value, len)) = decode(&bytes, ty) {
            prop_assert_eq!(&ascending(&value, ty)[..], &bytes[..len]);
        }
    }

    #[test]
    fn any_bytes_decode_without_panic(
        ty in prop::sample::select(OrderedType::ALL.to_vec()),
        header in prop::sample::select(vec![0x05, 0x08, 0x0A, 0x14, 0x16, 0x18, 0x21, 0x22, 0x30, 0x31, 0x34, 0x37]),
        mut bytes: Vec<u8>,
        with_header: bool,
    ) {
        if with_header {
            bytes.insert(0, header);
        }
        if let Ok((value, len)) = decode(&bytes, ty) {
            prop_assert_eq!(&ascending(&value, ty)[..], &bytes[..len]);
        }
        let descending = complement(&bytes);
        prop_assert_eq!(decode_descending(&descending, ty), decode(&bytes, ty));
    }
}
