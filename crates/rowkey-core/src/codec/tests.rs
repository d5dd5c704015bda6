use super::*;
use proptest::prelude::*;

fn bytes(value: &Value<'_>, ty: Type, order: Order) -> Vec<u8> {
    let mut out = Vec::new();
    encode(value, ty, order, &mut out).unwrap_or_else(|error| panic!("{value:?} as {ty}: {error}"));
    assert_eq!(out.len(), encoded_len(value, ty), "{value:?} as {ty}");
    out
}

fn all_types() -> Vec<Type> {
    Type::all().collect()
}

/// Value, type, ascending bytes, descending bytes.
#[test]
fn bytes_of_boundary_values() {
    let text = |text: &'static str| Value::Text(text.into());
    let table: [(Value<'_>, &str, &[u8], &[u8]); 18] = [
        (Value::Int(0), "u8", &[0], &[0xFF]),
        (Value::Int(258), "u16", &[1, 2], &[0xFE, 0xFD]),
        (Value::Int(-1), "i16", &[0x7F, 0xFF], &[0x80, 0]),
        (Value::Int(-1), "short", &[0xFF, 0xFF], &[0, 0]),
        (Value::Int(u64::MAX.into()), "u64", &[0xFF; 8], &[0; 8]),
        (Value::Int(i64::MIN.into()), "i64", &[0; 8], &[0xFF; 8]),
        (Value::Int(42), "decimal(4)", b"0042", &[0xCF, 0xCF, 0xCB, 0xCD]),
        (
            Value::Time(0),
            "timestamp",
            &[0x80, 0, 0, 0, 0, 0, 0, 0],
            &[0x7F, 255, 255, 255, 255, 255, 255, 255],
        ),
        (Value::Time(256_000), "timestamp_s", &[0, 0, 1, 0], &[255, 255, 254, 255]),
        (Value::Float(0.0), "f32", &[0x80, 0, 0, 0], &[0x7F, 255, 255, 255]),
        (Value::Float(-0.0), "f64", &[0x80, 0, 0, 0, 0, 0, 0, 0], &[0x7F, 255, 255, 255, 255, 255, 255, 255]),
        (Value::Bool(true), "bool", &[1], &[0xFE]),
        (Value::uuid([7; 16]), "uuid", &[7; 16], &[0xF8; 16]),
        (text("abc"), "fixed(3)", b"abc", &[0x9E, 0x9D, 0x9C]),
        (text("a\0b"), "escaped", b"a\0\xFFb\0\x01", &[0x9E, 0xFF, 0x00, 0x9D, 0xFF, 0xFE]),
        (text(""), "escaped", &[0, 1], &[0xFF, 0xFE]),
        (Value::Bytes(vec![0, 255].into()), "bytes", &[0, 255], &[255, 0]),
        (Value::Null, "ordered(i8)", &[5], &[0xFA]),
    ];
    for (value, ty, ascending, descending) in table {
        let ty = Type::from_name(ty).expect("a type");
        assert_eq!(bytes(&value, ty, Order::Ascending), ascending, "{value} {ty}");
        assert_eq!(bytes(&value, ty, Order::Descending), descending, "{value} {ty} desc");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |value: Value<'_>, ty| {
        encode(&value, Type::from_name(ty).expect("a type"), Order::Ascending, &mut Vec::new()).expect_err(ty)
    };
    assert!(matches!(refused(Value::Int(256), "u8"), ValueError::OutOfRange { max: 255, .. }));
    assert!(matches!(refused(Value::Int(-1), "u64"), ValueError::OutOfRange { min: 0, .. }));
    assert!(matches!(refused(Value::Int(1000), "decimal(3)"), ValueError::OutOfRange { max: 999, .. }));
    assert!(matches!(refused(Value::Int(-1), "decimal(3)"), ValueError::OutOfRange { min: 0, .. }));
    assert!(matches!(refused(Value::Int(128), "ordered(i8)"), ValueError::OutOfRange { max: 127, .. }));
    assert!(matches!(refused(Value::Time(-1), "u64"), ValueError::OutOfRange { .. }));
    assert!(matches!(refused(Value::Time(1), "timestamp_s"), ValueError::NotWholeSeconds { millis: 1, .. }));
    assert!(matches!(refused(Value::Time(-1000), "timestamp_s"), ValueError::NotWholeSeconds { .. }));
    assert!(matches!(
        refused(Value::Text("ab".into()), "fixed(3)"),
        ValueError::Width { length: 2, needed: 3, .. }
    ));
    assert_eq!(refused(Value::Float(f64::NAN), "f64"), ValueError::NotANumber);
    assert!(matches!(refused(Value::Float(-0.0), "ordered(f64)"), ValueError::Ordered(_)));
    assert_eq!(refused(Value::Null, "text"), ValueError::Null);
    assert!(matches!(refused(Value::Bool(true), "text"), ValueError::WrongKind { .. }));
    assert!(matches!(refused(Value::Int(1), "f64"), ValueError::WrongKind { .. }));
}

fn value_of(ty: Type) -> BoxedStrategy<Value<'static>> {
    let zeros = ty != Type::Ordered(OrderedType::Text);
    let letters =
        if zeros { vec!['\0', '\x01', 'a', 'é', '\u{7F}'] } else { vec!['\x01', 'a', 'é', '\u{7F}'] };
    match ty {
        Type::Fixed(width) => prop::collection::vec(0u8..128, usize::from(width))
            .prop_map(|bytes| Value::Text(String::from_utf8(bytes).expect("ASCII").into()))
            .boxed(),
        _ => match ty.kind() {
            Kind::Text => prop::collection::vec(prop::sample::select(letters), 0..5)
                .prop_map(|chars| Value::Text(Cow::Owned(chars.into_iter().collect())))
                .boxed(),
            Kind::Bytes => {
                prop::collection::vec(prop::sample::select(vec![0u8, 1, 0x7F, 0x80, 0xFE, 0xFF]), 0..5)
                    .prop_map(|bytes| Value::Bytes(bytes.into()))
                    .boxed()
            }
            Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
            Kind::Octets(ty) => {
                any::<u128>().prop_map(move |number| Value::Octets(Octets::of_number(ty, number))).boxed()
            }
            Kind::Time if ty.step() > 1 => {
                any::<u32>().prop_map(move |number| Value::Time(i64::from(number) * ty.step())).boxed()
            }
            Kind::Time => any::<i64>().prop_map(Value::Time).boxed(),
            Kind::Float => {
                let f32s = matches!(ty, Type::F32 | Type::Ordered(OrderedType::F32));
                prop_oneof![
                    any::<f64>(),
                    any::<f32>().prop_map(f64::from),
                    Just(0.0),
                    Just(-1.5),
                    Just(f64::INFINITY)
                ]
                .prop_filter_map("no NaN, no -0.0, and only what 32 bits hold", move |number| {
                    #[expect(clippy::cast_possible_truncation, reason = "that is the question")]
                    let number = if f32s { f64::from(number as f32) } else { number };
                    (!(number.is_nan() || (number == 0.0 && number.is_sign_negative())))
                        .then_some(Value::Float(number))
                })
                .boxed()
            }
            Kind::Numeric => (-10_000i128..10_000, -6i32..6)
                .prop_filter_map("a decimal", |(coefficient, exponent)| {
                    Decimal::new(coefficient, exponent).ok()
                })
                .prop_map(Value::Numeric)
                .boxed(),
            Kind::Integer => {
                let (min, max) = ty.integer_range().expect("an integer type");
                prop_oneof![
                    min..=max,
                    Just(min),
                    Just(max),
                    (-2i128..=2).prop_map(move |n| n.clamp(min, max))
                ]
                .prop_map(Value::Int)
                .boxed()
            }
        },
    }
}

fn typed_pair() -> impl Strategy<Value = (Type, Value<'static>, Value<'static>)> {
    prop::sample::select(all_types()).prop_flat_map(|ty| (Just(ty), value_of(ty), value_of(ty)))
}

fn order_of(descending: bool) -> Order {
    if descending { Order::Descending } else { Order::Ascending }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_come_back((ty, value, _) in typed_pair(), descending: bool, tail: Vec<u8>) {
        let order = order_of(descending);
        let mut encoded = bytes(&value, ty, order);
        let len = encoded.len();
        if ty.ends_itself() {
            encoded.extend(tail);
        }
        prop_assert_eq!(decode(&encoded, ty, ty, order), Ok((value, len)));
    }

    #[test]
    fn order_of_bytes_is_order_of_values((ty, a, b) in typed_pair()) {
        if !ty.is_ordered() {
            return Ok(());
        }
        let values = a.compare(&b).expect("values of one type compare");
        prop_assert_eq!(bytes(&a, ty, Order::Ascending).cmp(&bytes(&b, ty, Order::Ascending)), values, "{}", ty);
        if ty.ends_itself() {
            let descending = bytes(&a, ty, Order::Descending).cmp(&bytes(&b, ty, Order::Descending));
            prop_assert_eq!(descending, values.reverse(), "{}", ty);
        }
    }

    #[test]
    fn a_server_may_compare_the_columns_that_say_so((ty, a, b) in typed_pair()) {
        let column = |value: &Value<'_>| {
            let mut out = Vec::new();
            crate::column::encode(value, ty, &mut out).ok().map(|()| out)
        };
        let (Some(own), Some(other)) = (column(&a), column(&b)) else { return Ok(()) };
        let values = a.compare(&b).expect("values of one type compare");
        if crate::column::sorts_by_bytes(ty) {
            prop_assert_eq!(own.cmp(&other), values, "{}", ty);
        }
        if crate::column::has_one_form(ty) {
            prop_assert_eq!(own == other, values.is_eq(), "{}", ty);
        }
    }

    #[test]
    fn any_bytes_decode_without_panic(ty in prop::sample::select(all_types()), descending: bool, input: Vec<u8>) {
        let order = order_of(descending);
        if let Ok((value, len)) = decode(&input, ty, ty, order) {
            prop_assert_eq!(&bytes(&value, ty, order)[..], &input[..len]);
        }
    }
}
