//! From a key to its record, as the module page of `lowered` says.

use rowkey_core::codec;
use rowkey_core::key::DecodeError;
use rowkey_core::lowered::{Back, Codec, End, Form, LoweredStep, OnNull, Source, Undo, Value as Part};
use rowkey_core::ordered::OrderedType;
use rowkey_core::types::{Kind, Nulls};
use rowkey_core::{FieldId, Type, Value};

use super::Refused;
use super::encoder::{encode_step, java_bytes_hash};
use super::forms::type_of;

pub(crate) fn decode(codec: &Codec, key: &[u8]) -> Refused<Vec<Value<'static>>> {
    if key.is_empty() {
        return Err("empty_key".to_owned());
    }
    let mut reader = Reader { codec, key, at: 0, record: vec![Value::Null; codec.fields.len()] };
    let mut spans = Vec::new();
    let mut is_whole = true;
    for step in &codec.steps {
        let start = reader.at;
        match step {
            LoweredStep::Value(part) if part.end == End::Unclear => {
                is_whole = false;
                break;
            }
            LoweredStep::Value(part) => reader.part(part)?,
            LoweredStep::Literal(literal) if reader.rest().starts_with(literal) => reader.at += literal.len(),
            LoweredStep::Literal(_) => return Err("no_literal".to_owned()),
        }
        spans.push(start..reader.at);
    }
    if is_whole && reader.at < key.len() {
        return Err("trailing_bytes".to_owned());
    }
    for &index in &codec.checked {
        let span = spans[index].clone();
        let is_salt =
            matches!(&codec.steps[index], LoweredStep::Value(part) if part.source == Source::RowSalt);
        let again = match codec.row_salt.filter(|_| is_salt) {
            Some(buckets) => {
                let salt = java_bytes_hash(&key[span.end..]).unsigned_abs() % buckets;
                vec![u8::try_from(salt).expect("at most 256 buckets")]
            }
            None => encode_step(codec, &reader.record, &codec.steps[index])
                .map_err(|_| "impossible".to_owned())?,
        };
        if again != key[span] {
            return Err("wrong_part".to_owned());
        }
    }
    Ok(reader.record)
}

struct Reader<'r> {
    codec: &'r Codec,
    key: &'r [u8],
    at: usize,
    record: Vec<Value<'static>>,
}

impl<'r> Reader<'r> {
    fn rest(&self) -> &'r [u8] {
        &self.key[self.at..]
    }

    fn part(&mut self, part: &Part) -> Refused<()> {
        let value = self.read(part)?;
        match &part.back {
            Back::Nothing => Ok(()),
            Back::Below(count) => match value {
                Value::Int(number) if (0..i128::from(*count)).contains(&number) => Ok(()),
                _ => impossible(),
            },
            Back::OneOf(letters) => match &value {
                Value::Text(text) if letters.iter().any(|letter| letter.to_string() == **text) => Ok(()),
                _ => impossible(),
            },
            Back::Field(field) => self.set(*field, value),
            Back::Undo { field, .. } if value.is_null() => self.set(*field, value),
            Back::Undo { field, undo } => {
                let of = &self.codec.fields[field.0];
                let undone =
                    undo.iter().try_fold(value, undone).and_then(|value| as_field(value, of.ty, of.range));
                match undone {
                    Some(value) => self.set(*field, value),
                    None => impossible(),
                }
            }
        }
    }

    fn set(&mut self, field: FieldId, value: Value<'static>) -> Refused<()> {
        let slot = &mut self.record[field.0];
        if !slot.is_null() && *slot != value {
            return Err("two_values".to_owned());
        }
        *slot = value;
        Ok(())
    }

    fn read(&mut self, part: &Part) -> Refused<Value<'static>> {
        if part.nulls != Nulls::Refused {
            let mark = *self.rest().first().ok_or("too_short")?;
            match part.on_null {
                _ if mark == 0x01 => {}
                OnNull::Mark(null) if mark == null => {
                    self.at += 1;
                    return Ok(Value::Null);
                }
                _ => return Err("not_a_null_mark".to_owned()),
            }
            self.at += 1;
        }
        let rest = self.rest();
        let bytes = match &part.end {
            End::Fixed(width) => rest.get(..*width).ok_or("too_short")?,
            End::Own | End::KeyEnd => rest,
            End::Literal(literal) => {
                let end = rest.windows(literal.len()).position(|window| window == literal);
                &rest[..end.ok_or("no_literal")?]
            }
            End::Unclear => unreachable!("reading stops before"),
        };
        let ty = type_of(part.form);
        let natural = match (&part.source, part.form) {
            (Source::Field(field), _) => self.codec.fields[field.0].ty,
            (_, Form::Fixed { is_text: false, .. }) => Type::Bytes,
            _ => ty,
        };
        let (value, used) = codec::decode(bytes, ty, natural, part.order).map_err(|problem| {
            let (part, key) = (String::new(), Vec::new());
            DecodeError::Value { part, offset: 0, key, problem }.word().to_owned()
        })?;
        self.at += used;
        Ok(value.into_owned())
    }
}

fn impossible<T>() -> Refused<T> {
    Err("impossible".to_owned())
}

fn undone(value: Value<'static>, undo: &Undo) -> Option<Value<'static>> {
    let number = match value {
        Value::Int(number) => Some(number),
        Value::Time(millis) => Some(millis.into()),
        _ => None,
    };
    let text = if let Value::Text(text) = &value { Some(text.as_ref()) } else { None };
    Some(match undo {
        Undo::Plus(by) => Value::Int(number?.checked_add(*by)?),
        Undo::From(from) => Value::Int(from.checked_sub(number?)?),
        Undo::ParseNumber => {
            let number: i128 = text?.parse().ok()?;
            Value::Int((number.to_string() == text?).then_some(number)?)
        }
        Undo::Reverse => Value::Text(text?.chars().rev().collect::<String>().into()),
        Undo::ReverseDigits(width) => {
            let digits: String = text?.chars().rev().collect();
            let plain = digits.strip_prefix('-').unwrap_or(&digits);
            let is_number = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
            let number: i128 = digits.parse().ok().filter(|_| is_number)?;
            Value::Int((number >= 0 && number.to_string().len() <= *width).then_some(number)?)
        }
        Undo::TrimStart(pad) => Value::Text(text?.trim_start_matches(*pad).to_owned().into()),
        Undo::TrimEnd(pad) => Value::Text(text?.trim_end_matches(*pad).to_owned().into()),
        Undo::Uncode(codes) => {
            let (from, _) = codes.iter().find(|(_, code)| Some(code.as_str()) == text)?;
            Value::Text(from.clone().into())
        }
    })
}

/// A value as one of a field; `None` if the field cannot have it.
fn as_field(value: Value<'static>, ty: Type, range: Option<(i128, i128)>) -> Option<Value<'static>> {
    let value = match (value, ty.kind()) {
        (Value::Int(number), Kind::Time) => Value::Time(i64::try_from(number).ok()?),
        (value, _) => value,
    };
    let fits = match &value {
        Value::Int(number) => range.is_some_and(|(low, high)| (low..=high).contains(number)),
        Value::Float(_) => !ty.is_single(),
        Value::Text(text) => {
            let is_ended_by_zero = ty == Type::Ordered(OrderedType::Text);
            ty.width().is_none_or(|width| width == text.len()) && !(is_ended_by_zero && text.contains('\0'))
        }
        Value::Time(millis) => ty.step() == 1 || (millis % 1000 == 0 && u32::try_from(millis / 1000).is_ok()),
        _ => true,
    };
    (fits && value.kind() == Some(ty.kind())).then_some(value)
}
