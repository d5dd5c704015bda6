//! Which bytes does one value have inside a key, and which value do they stand for?
//!
//! | type | bytes |
//! | --- | --- |
//! | `u8 … u64` | big-endian |
//! | `i8 … i64`, `timestamp` | big-endian, sign bit flipped |
//! | `short int long` | two's complement, big-endian |
//! | `bool` | 00 or 01 |
//! | `text` | UTF-8 as it is; the key says where it ends |
//! | `escaped` | UTF-8, 00 written as 00 FF, then 00 01 |
//!
//! A descending part holds the complement of every byte.
//!
//! **Laws** (tests below): `decode(encode(v)) == v`; for all types but `short int long`, the order of the bytes is
//! the order of the values, reversed for descending.

use std::borrow::Cow;

use crate::types::{IntForm, IntType, Kind, Order, Type};
use crate::value::Value;

/// Ends an `escaped` value.
const TERMINATOR: [u8; 2] = [0x00, 0x01];
/// Stands for a zero byte inside an `escaped` value.
const ESCAPED_ZERO: [u8; 2] = [0x00, 0xFF];

/// A value that has no bytes under a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Null where a value is needed.
    #[error("the value is null, and a part of the key cannot be; give it a value")]
    Null,
    /// A value of another kind.
    #[error("the value `{value}` is not of type {ty}")]
    WrongKind {
        /// The value as text.
        value: String,
        /// The type needed.
        ty: Type,
    },
    /// A number outside the type's range.
    #[error("{value} does not fit {ty}, which holds {min} to {max}")]
    OutOfRange {
        /// The number.
        value: i128,
        /// The type.
        ty: Type,
        /// Its smallest number.
        min: i128,
        /// Its largest number.
        max: i128,
    },
}

/// Bytes that are no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The key ends inside the value.
    #[error("{ty} needs {needed} bytes but {left} remain")]
    TooShort {
        /// The type.
        ty: Type,
        /// How many bytes it needs.
        needed: usize,
        /// How many the key has left.
        left: usize,
    },
    /// An `escaped` value without its end mark, or with a zero byte that is neither escape nor end.
    #[error("the escaped text has no end mark")]
    NoTerminator,
    /// A zero byte of an `escaped` value is followed by something else than FF or 01.
    #[error("byte {offset} of the escaped text is neither an escape nor the end mark")]
    BadEscape {
        /// Where in the value.
        offset: usize,
    },
    /// Not UTF-8.
    #[error("the text is not UTF-8 from its byte {valid_up_to} on")]
    NotUtf8 {
        /// How many bytes are.
        valid_up_to: usize,
    },
    /// A bool that is neither 00 nor 01.
    #[error("a bool is 00 or 01, not {byte:02x}")]
    NotABool {
        /// The byte, after undoing a descending order.
        byte: u8,
    },
}

/// Feeds the plain ascending bytes of a value, without escapes or end mark, to `sink`: what a hash hashes.
///
/// # Errors
/// When the value does not fit the type; null is the caller's to skip.
pub fn plain(value: &Value<'_>, ty: Type, sink: &mut impl FnMut(&[u8])) -> Result<(), ValueError> {
    let wrong_kind = || ValueError::WrongKind { value: value.to_string(), ty };
    match (ty, value) {
        (_, Value::Null) => return Err(ValueError::Null),
        (Type::Text | Type::Escaped, Value::Text(text)) => sink(text.as_bytes()),
        (Type::Bool, Value::Bool(bool)) => sink(&[u8::from(*bool)]),
        (Type::Timestamp, Value::Time(millis)) => sink(&sign_flipped(*millis)),
        (Type::Int(int), Value::Int(number)) => integer(*number, int, ty, sink)?,
        (Type::Int(int), Value::Time(millis)) => integer((*millis).into(), int, ty, sink)?,
        _ => return Err(wrong_kind()),
    }
    Ok(())
}

fn sign_flipped(number: i64) -> [u8; 8] {
    (number ^ i64::MIN).to_be_bytes()
}

fn integer(number: i128, int: IntType, ty: Type, sink: &mut impl FnMut(&[u8])) -> Result<(), ValueError> {
    let (min, max) = int.range();
    if !(min..=max).contains(&number) {
        return Err(ValueError::OutOfRange { value: number, ty, min, max });
    }
    // Counting from the smallest number on is flipping the sign bit.
    let number = if int.form == IntForm::SignFlipped { number - min } else { number };
    let bytes = number.to_be_bytes();
    sink(bytes.get(bytes.len() - int.bytes..).unwrap_or_default());
    Ok(())
}

/// Adds the bytes of a value to `out`. On an error `out` may have grown; the caller truncates it.
///
/// # Errors
/// When the value does not fit the type.
pub fn encode(value: &Value<'_>, ty: Type, order: Order, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let start = out.len();
    match (ty, value) {
        (Type::Escaped, Value::Text(text)) => escape_zeros(text.as_bytes(), out),
        _ => plain(value, ty, &mut |bytes| out.extend_from_slice(bytes))?,
    }
    if order == Order::Descending {
        out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
    Ok(())
}

fn escape_zeros(text: &[u8], out: &mut Vec<u8>) {
    for (index, piece) in text.split(|&byte| byte == 0).enumerate() {
        if index > 0 {
            out.extend_from_slice(&ESCAPED_ZERO);
        }
        out.extend_from_slice(piece);
    }
    out.extend_from_slice(&TERMINATOR);
}

/// How many bytes [`encode`] adds for a value that fits.
pub fn encoded_len(value: &Value<'_>, ty: Type) -> usize {
    match (ty, value) {
        (Type::Int(int), _) => int.bytes,
        (Type::Timestamp, _) => 8,
        (Type::Bool, _) => 1,
        (Type::Text, Value::Text(text)) => text.len(),
        (Type::Escaped, Value::Text(text)) => {
            text.len() + text.bytes().filter(|&byte| byte == 0).count() + TERMINATOR.len()
        }
        (Type::Text | Type::Escaped, _) => 0,
    }
}

/// Reads one value from the front of `bytes` and says how many bytes it took. `field` is the declared type, which
/// decides what the value is; plain text takes all of `bytes`.
///
/// # Errors
/// When the bytes are no value of the type.
pub fn decode(bytes: &[u8], ty: Type, field: Type, order: Order) -> Result<(Value<'_>, usize), BytesError> {
    match ty {
        Type::Text => Ok((utf8(plain_order(bytes, order))?, bytes.len())),
        Type::Escaped => decode_escaped(bytes, order),
        Type::Bool => {
            let ([byte], _) = fixed::<1>(bytes, ty, order)?;
            match byte {
                0 => Ok((Value::Bool(false), 1)),
                1 => Ok((Value::Bool(true), 1)),
                _ => Err(BytesError::NotABool { byte }),
            }
        }
        Type::Timestamp => {
            let (raw, len) = fixed::<8>(bytes, ty, order)?;
            Ok((Value::Time(i64::from_be_bytes(raw) ^ i64::MIN), len))
        }
        Type::Int(int) => {
            let number = decode_integer(bytes, int, ty, order)?;
            let value = match i64::try_from(number) {
                Ok(millis) if field.kind() == Kind::Time => Value::Time(millis),
                _ => Value::Int(number),
            };
            Ok((value, int.bytes))
        }
    }
}

fn decode_integer(bytes: &[u8], int: IntType, ty: Type, order: Order) -> Result<i128, BytesError> {
    let raw = match int.bytes {
        1 => u64::from(u8::from_be_bytes(fixed(bytes, ty, order)?.0)),
        2 => u64::from(u16::from_be_bytes(fixed(bytes, ty, order)?.0)),
        4 => u64::from(u32::from_be_bytes(fixed(bytes, ty, order)?.0)),
        _ => u64::from_be_bytes(fixed(bytes, ty, order)?.0),
    };
    let (min, max) = int.range();
    Ok(match int.form {
        IntForm::Unsigned => raw.into(),
        IntForm::SignFlipped => i128::from(raw) + min,
        IntForm::TwosComplement if i128::from(raw) > max => i128::from(raw) + 2 * min,
        IntForm::TwosComplement => raw.into(),
    })
}

fn fixed<const N: usize>(bytes: &[u8], ty: Type, order: Order) -> Result<([u8; N], usize), BytesError> {
    let raw = bytes.first_chunk::<N>().ok_or(BytesError::TooShort { ty, needed: N, left: bytes.len() })?;
    Ok((if order == Order::Descending { raw.map(|byte| !byte) } else { *raw }, N))
}

fn plain_order(bytes: &[u8], order: Order) -> Cow<'_, [u8]> {
    match order {
        Order::Ascending => Cow::Borrowed(bytes),
        Order::Descending => Cow::Owned(bytes.iter().map(|byte| !byte).collect()),
    }
}

fn utf8(bytes: Cow<'_, [u8]>) -> Result<Value<'_>, BytesError> {
    let not_utf8 = |error: std::str::Utf8Error| BytesError::NotUtf8 { valid_up_to: error.valid_up_to() };
    Ok(Value::Text(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(std::str::from_utf8(bytes).map_err(not_utf8)?),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).map_err(|e| not_utf8(e.utf8_error()))?),
    }))
}

fn decode_escaped(bytes: &[u8], order: Order) -> Result<(Value<'_>, usize), BytesError> {
    let flip = if order == Order::Descending { 0xFF } else { 0x00 };
    let mut text: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut piece_start = 0;
    loop {
        let rest = bytes.get(piece_start..).unwrap_or_default();
        let zero = rest.iter().position(|&byte| byte ^ flip == 0).ok_or(BytesError::NoTerminator)?;
        let zero_at = piece_start + zero;
        let piece = plain_order(rest.get(..zero).unwrap_or_default(), order);
        if text.is_empty() {
            text = piece;
        } else {
            text.to_mut().extend_from_slice(&piece);
        }
        match bytes.get(zero_at + 1).map(|byte| byte ^ flip) {
            Some(0x01) => return Ok((utf8(text)?, zero_at + 2)),
            Some(0xFF) => text.to_mut().push(0),
            Some(_) => return Err(BytesError::BadEscape { offset: zero_at }),
            None => return Err(BytesError::NoTerminator),
        }
        piece_start = zero_at + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(value: &Value<'_>, ty: Type, order: Order) -> Vec<u8> {
        let mut out = Vec::new();
        encode(value, ty, order, &mut out).unwrap();
        assert_eq!(out.len(), encoded_len(value, ty));
        out
    }

    /// Value, type, ascending bytes, descending bytes.
    #[test]
    fn bytes_of_boundary_values() {
        let text = |text: &'static str| Value::Text(text.into());
        let table: [(Value<'_>, &str, &[u8], &[u8]); 10] = [
            (Value::Int(0), "u8", &[0], &[0xFF]),
            (Value::Int(258), "u16", &[1, 2], &[0xFE, 0xFD]),
            (Value::Int(-1), "i16", &[0x7F, 0xFF], &[0x80, 0]),
            (Value::Int(-1), "short", &[0xFF, 0xFF], &[0, 0]),
            (Value::Int(u64::MAX.into()), "u64", &[0xFF; 8], &[0; 8]),
            (Value::Int(i64::MIN.into()), "i64", &[0; 8], &[0xFF; 8]),
            (
                Value::Time(0),
                "timestamp",
                &[0x80, 0, 0, 0, 0, 0, 0, 0],
                &[0x7F, 255, 255, 255, 255, 255, 255, 255],
            ),
            (Value::Bool(true), "bool", &[1], &[0xFE]),
            (text("a\0b"), "escaped", b"a\0\xFFb\0\x01", &[0x9E, 0xFF, 0x00, 0x9D, 0xFF, 0xFE]),
            (text(""), "escaped", &[0, 1], &[0xFF, 0xFE]),
        ];
        for (value, ty, ascending, descending) in table {
            let ty = Type::from_name(ty).unwrap();
            assert_eq!(bytes(&value, ty, Order::Ascending), ascending, "{value} {ty}");
            assert_eq!(bytes(&value, ty, Order::Descending), descending, "{value} {ty} desc");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |value: Value<'_>, ty| {
            encode(&value, Type::from_name(ty).unwrap(), Order::Ascending, &mut Vec::new()).unwrap_err()
        };
        assert!(matches!(refused(Value::Int(256), "u8"), ValueError::OutOfRange { max: 255, .. }));
        assert!(matches!(refused(Value::Int(-1), "u64"), ValueError::OutOfRange { min: 0, .. }));
        assert!(matches!(refused(Value::Time(-1), "u64"), ValueError::OutOfRange { .. }));
        assert_eq!(refused(Value::Null, "text"), ValueError::Null);
        assert!(matches!(refused(Value::Bool(true), "text"), ValueError::WrongKind { .. }));
    }

    fn typed_pair() -> impl Strategy<Value = (Type, Value<'static>, Value<'static>)> {
        let texts = prop::collection::vec(prop::sample::select(vec!['\0', '\x01', 'a', 'é', '\u{7F}']), 0..5)
            .prop_map(|chars| Value::Text(Cow::Owned(chars.into_iter().collect())));
        let types: Vec<Type> = Type::names().filter_map(Type::from_name).collect();
        prop::sample::select(types).prop_flat_map(move |ty| {
            let value = match ty {
                Type::Text | Type::Escaped => texts.clone().boxed(),
                Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
                Type::Timestamp => any::<i64>().prop_map(Value::Time).boxed(),
                Type::Int(int) => {
                    let (min, max) = int.range();
                    prop_oneof![
                        min..=max,
                        Just(min),
                        Just(max),
                        (-2i128..=2).prop_map(move |n| n.clamp(min, max))
                    ]
                    .prop_map(Value::Int)
                    .boxed()
                }
            };
            (Just(ty), value.clone(), value)
        })
    }

    proptest! {
        #[test]
        fn values_come_back((ty, value, _) in typed_pair(), descending: bool, tail: Vec<u8>) {
            let order = if descending { Order::Descending } else { Order::Ascending };
            let mut encoded = bytes(&value, ty, order);
            let len = encoded.len();
            if ty != Type::Text {
                encoded.extend(tail);
            }
            prop_assert_eq!(decode(&encoded, ty, ty, order), Ok((value, len)));
        }

        #[test]
        fn order_of_bytes_is_order_of_values((ty, a, b) in typed_pair()) {
            if matches!(ty, Type::Int(IntType { form: IntForm::TwosComplement, .. })) {
                return Ok(());
            }
            let values = a.compare(&b).unwrap();
            prop_assert_eq!(bytes(&a, ty, Order::Ascending).cmp(&bytes(&b, ty, Order::Ascending)), values);
            if ty != Type::Text {
                let descending = bytes(&a, ty, Order::Descending).cmp(&bytes(&b, ty, Order::Descending));
                prop_assert_eq!(descending, values.reverse());
            }
        }

        #[test]
        fn any_bytes_decode_without_panic(ty in 0..15usize, descending: bool, input: Vec<u8>) {
            let ty = Type::names().nth(ty).and_then(Type::from_name).unwrap();
            let order = if descending { Order::Descending } else { Order::Ascending };
            if let Ok((value, len)) = decode(&input, ty, ty, order) {
                prop_assert_eq!(&bytes(&value, ty, order)[..], &input[..len]);
            }
        }
    }
}
