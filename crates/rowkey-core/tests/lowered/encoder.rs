//! From a record to its key, as the module page of `lowered` says.

use rowkey_core::codec;
use rowkey_core::internal::hash;
use rowkey_core::key::{Draw, EncodeError, PartError};
use rowkey_core::lowered::{
    Codec, DatePiece, End, Form, Input, LoweredStep, Number, NumberOp, OnNull, Side, Source, Text, TextOp,
};
use rowkey_core::types::{Nulls, Order};
use rowkey_core::{FieldId, Value};

use super::Refused;
use super::forms::type_of;

const MAX_KEY: usize = 32_767;
const LONG_MAX: i128 = i64::MAX as i128;

pub(crate) fn encode(codec: &Codec, record: &[Value<'_>], draws: &mut dyn Draw) -> Refused<Vec<u8>> {
    let mut encoder = Encoder { codec, record, draws };
    let mut key = Vec::new();
    for step in &codec.steps {
        encoder.step(step, &mut key)?;
    }
    if let Some(buckets) = codec.row_salt {
        let salt = java_bytes_hash(&key[1..]).unsigned_abs() % buckets;
        key[0] = u8::try_from(salt).expect("at most 256 buckets");
    }
    match key.len() {
        0 => Err("empty_key".to_owned()),
        length if length > MAX_KEY => Err("key_too_long".to_owned()),
        _ => Ok(key),
    }
}

/// One step alone, for a reader that compares.
pub(crate) fn encode_step(codec: &Codec, record: &[Value<'_>], step: &LoweredStep) -> Refused<Vec<u8>> {
    let mut out = Vec::new();
    let mut draws = rowkey_core::key::Draws::new(0, 0);
    Encoder { codec, record, draws: &mut draws }.step(step, &mut out)?;
    Ok(out)
}

/// `Arrays.hashCode(byte[])`
pub(crate) fn java_bytes_hash(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1i32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.cast_signed().into()))
}

struct Encoder<'e> {
    codec: &'e Codec,
    record: &'e [Value<'e>],
    draws: &'e mut dyn Draw,
}

fn refuse<T>(word: &str) -> Refused<T> {
    Err(word.to_owned())
}

impl Encoder<'_> {
    fn step(&mut self, step: &LoweredStep, out: &mut Vec<u8>) -> Refused<()> {
        let value = match step {
            LoweredStep::Literal(bytes) => {
                out.extend_from_slice(bytes);
                return Ok(());
            }
            LoweredStep::Value(value) => value,
        };
        let mut bytes = Vec::new();
        let there = match &value.source {
            Source::RowSalt => {
                out.push(0);
                return Ok(());
            }
            Source::Field(field) => self.form(*field, value.form, &mut bytes)?,
            Source::Number(number) => match self.number(number)? {
                Some(number) => self.put(&Value::Int(number), value.form, &mut bytes).map(|()| true)?,
                None => false,
            },
            Source::Text(text) => match self.text(text)? {
                Some(found) => {
                    let found = match value.form {
                        Form::Plain { is_text: false } | Form::Fixed { is_text: false, .. } => {
                            Value::Bytes(found.into())
                        }
                        _ => Value::Text(String::from_utf8(found).expect("text").into()),
                    };
                    self.put(&found, value.form, &mut bytes).map(|()| true)?
                }
                None => false,
            },
        };
        if !there {
            match value.on_null {
                OnNull::Mark(byte) | OnNull::Byte(byte) => out.push(byte),
                OnNull::Refused(_) => return refuse("null"),
            }
            return Ok(());
        }
        if value.order == Order::Descending {
            bytes.iter_mut().for_each(|byte| *byte = !*byte);
        }
        if let End::Literal(delimiter) = &value.end {
            let all = [bytes.as_slice(), delimiter].concat();
            let first = all.windows(delimiter.len()).position(|window| window == delimiter);
            if first != Some(bytes.len()) {
                return refuse("delimiter_inside");
            }
        }
        if value.nulls != Nulls::Refused {
            out.push(0x01);
        }
        out.append(&mut bytes);
        Ok(())
    }

    fn value(&self, field: FieldId) -> &Value<'_> {
        &self.record[field.0]
    }

    /// The value of a field in a form; `false` for null.
    fn form(&self, field: FieldId, form: Form, out: &mut Vec<u8>) -> Refused<bool> {
        match self.value(field) {
            Value::Null => Ok(false),
            value => self.put(value, form, out).map(|()| true),
        }
    }

    fn put(&self, value: &Value<'_>, form: Form, out: &mut Vec<u8>) -> Refused<()> {
        if let (Form::Integer { low, high, .. } | Form::OrderedInteger { low, high, .. }, Value::Int(number)) =
            (form, value)
            && !(low..=high).contains(number)
        {
            return refuse("out_of_range");
        }
        // The bytes of a form are the codec's business, and so are its words.
        codec::encode(value, type_of(form), Order::Ascending, out).map_err(|problem| {
            EncodeError::Part { part: String::new(), problem: PartError::Value(problem) }.word().to_owned()
        })
    }

    fn number(&mut self, number: &Number) -> Refused<Option<i128>> {
        let found = self.number_of(&number.op)?;
        if let Some(found) = found {
            assert!((number.low..=number.high).contains(&found), "{found} is not in the range of {number:?}");
        } else {
            assert!(number.nullable, "{number:?} is null");
        }
        Ok(found)
    }

    fn number_of(&mut self, op: &NumberOp) -> Refused<Option<i128>> {
        let both =
            |left: Option<i128>, right: Option<i128>, of: fn(i128, i128) -> Option<i128>| match (left, right)
            {
                (Some(left), Some(right)) => of(left, right).map(Some).ok_or_else(|| "overflow".to_owned()),
                _ => Ok(None),
            };
        match op {
            NumberOp::Field(field) => {
                let (low, high) = self.codec.fields[field.0].range.expect("a number");
                match self.value(*field) {
                    Value::Null => Ok(None),
                    Value::Int(number) if (low..=high).contains(number) => Ok(Some(*number)),
                    Value::Time(millis) => Ok(Some((*millis).into())),
                    _ => refuse("out_of_range"),
                }
            }
            NumberOp::Constant(number) => Ok(Some(*number)),
            NumberOp::FromLongMax(of) => match self.number(of)?.map(|number| LONG_MAX.checked_sub(number)) {
                None => Ok(None),
                Some(Some(number)) if (0..=LONG_MAX).contains(&number) => Ok(Some(number)),
                Some(_) => refuse("reverse_range"),
            },
            NumberOp::Add(left, right) => both(self.number(left)?, self.number(right)?, i128::checked_add),
            NumberOp::Subtract(left, right) => {
                both(self.number(left)?, self.number(right)?, i128::checked_sub)
            }
            NumberOp::Multiply(left, right) => {
                both(self.number(left)?, self.number(right)?, i128::checked_mul)
            }
            NumberOp::Divide(of, by) => Ok(self.number(of)?.map(|number| number.div_euclid(*by))),
            NumberOp::Modulo(of, by) => Ok(self.number(of)?.map(|number| number.rem_euclid(*by))),
            NumberOp::Remainder(of, by) => Ok(self.number(of)?.map(|number| number % by)),
            NumberOp::Hash(function, inputs) => {
                let hashed = hash(*function, &self.inputs(inputs)?.concat());
                Ok(Some(hashed.1))
            }
            NumberOp::Salt(count, inputs) => self.salt(*count, inputs).map(Some),
            NumberOp::PhoenixSalt(count, inputs) => {
                let bytes = self.inputs(inputs)?.concat();
                Ok(Some(i128::from(java_bytes_hash(&bytes).unsigned_abs() % count)))
            }
            NumberOp::OpenTsdbSalt(count, inputs) => {
                let pieces = self.inputs(inputs)?;
                let is_salted = pieces.first().is_some_and(|first| first.iter().any(|byte| *byte != 0));
                let bucket = java_bytes_hash(&pieces.concat()).unsigned_abs() % count;
                Ok(Some(if is_salted { bucket.into() } else { 0 }))
            }
            NumberOp::Random(count) => Ok(Some(self.draws.draw(*count).into())),
        }
    }

    fn salt(&mut self, count: u32, inputs: &[Input]) -> Refused<i128> {
        let hashed = hash(rowkey_core::lowered::HashFunction::Murmur3, &self.inputs(inputs)?.concat());
        Ok(hashed.1.rem_euclid(count.into()))
    }

    /// The bytes of each input; those of null are none.
    fn inputs(&mut self, inputs: &[Input]) -> Refused<Vec<Vec<u8>>> {
        let mut pieces = Vec::new();
        for input in inputs {
            let mut piece = Vec::new();
            match input {
                Input::Field(field, form) => {
                    assert_ne!(*form, Form::Escaped);
                    self.form(*field, *form, &mut piece)?;
                }
                Input::Number(number, form) => {
                    if let Some(number) = self.number(number)? {
                        self.put(&Value::Int(number), *form, &mut piece)?;
                    }
                }
                Input::Text(text) => piece = self.text(text)?.unwrap_or_default(),
            }
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn text(&mut self, text: &Text) -> Refused<Option<Vec<u8>>> {
        let found = self.text_of(&text.op)?;
        match &found {
            Some(found) => {
                assert!(!text.is_ascii || found.is_ascii(), "{text:?} is not ASCII");
                assert!(text.is_bytes || std::str::from_utf8(found).is_ok(), "{text:?} is no text");
            }
            None => assert!(text.nullable, "{text:?} is null"),
        }
        Ok(found)
    }

    /// A text as it is, changed.
    fn changed(
        &mut self,
        of: &Text,
        change: impl FnOnce(&str) -> Refused<String>,
    ) -> Refused<Option<Vec<u8>>> {
        let Some(found) = self.text(of)? else { return Ok(None) };
        change(std::str::from_utf8(&found).expect("text")).map(|text| Some(text.into_bytes()))
    }

    fn text_of(&mut self, op: &TextOp) -> Refused<Option<Vec<u8>>> {
        match op {
            TextOp::Field(field) => match self.value(*field) {
                Value::Null => Ok(None),
                Value::Text(text) => match self.codec.fields[field.0].ty {
                    rowkey_core::Type::Fixed(width) if text.len() != usize::from(width) => {
                        refuse("wrong_length")
                    }
                    _ => Ok(Some(text.as_bytes().to_vec())),
                },
                Value::Bytes(bytes) => Ok(Some(bytes.to_vec())),
                other => panic!("{other:?} is no text"),
            },
            TextOp::Hex(function, inputs) => {
                let digest = hash(*function, &self.inputs(inputs)?.concat()).0;
                Ok(Some(rowkey_core::escape::to_hex(&digest).into_bytes()))
            }
            TextOp::Digest(function, inputs, length) => {
                let digest = hash(*function, &self.inputs(inputs)?.concat()).0;
                Ok(Some(digest[..*length].to_vec()))
            }
            TextOp::Letter(letters, inputs) => {
                let count = u32::try_from(letters.len()).expect("few letters");
                let bucket = usize::try_from(self.salt(count, inputs)?).expect("a bucket");
                Ok(Some(letters[bucket].to_string().into_bytes()))
            }
            TextOp::RandomLetter(letters) => {
                let drawn = self.draws.draw(u32::try_from(letters.len()).expect("few letters"));
                Ok(Some(letters[usize::try_from(drawn).expect("small")].to_string().into_bytes()))
            }
            TextOp::Str(number) => Ok(self.number(number)?.map(|number| number.to_string().into_bytes())),
            TextOp::Reverse(of) => self.changed(of, |text| Ok(text.chars().rev().collect())),
            TextOp::ReverseDigits(number, width) => match self.number(number)? {
                None => Ok(None),
                Some(number) if number < 0 || number.to_string().len() > *width => refuse("out_of_range"),
                Some(number) => {
                    Ok(Some(format!("{number:0width$}").into_bytes().into_iter().rev().collect()))
                }
            },
            TextOp::SubStr(of, from, to) => self.changed(of, |text| {
                let characters: Vec<char> = text.chars().collect();
                let cut = characters.get(*from..*to);
                cut.map(|cut| cut.iter().collect()).ok_or_else(|| "too_few_characters".to_owned())
            }),
            TextOp::Upper(of) => {
                self.changed(of, |text| Ok(text.chars().flat_map(char::to_uppercase).collect()))
            }
            TextOp::LowerEach(of) => {
                self.changed(of, |text| Ok(text.chars().flat_map(char::to_lowercase).collect()))
            }
            TextOp::Lower(of) => self.changed(of, |text| Ok(text.to_lowercase())),
            TextOp::Pad(side, of, pad, width) => self.changed(of, |text| {
                let pad = char::from(*pad);
                let missing = width.checked_sub(text.len()).ok_or("too_long_to_pad")?;
                let padding = pad.to_string().repeat(missing);
                match side {
                    Side::Left if text.starts_with(pad) => refuse("pad_in_text"),
                    Side::Right if text.ends_with(pad) => refuse("pad_in_text"),
                    Side::Left => Ok(padding + text),
                    Side::Right => Ok(text.to_owned() + &padding),
                }
            }),
            TextOp::Code(of, codes) => self.changed(of, |text| {
                let code = codes.iter().find(|(from, _)| from == text);
                code.map(|(_, code)| code.clone()).ok_or_else(|| "not_in_code".to_owned())
            }),
            TextOp::Date(number, pieces) => match self.number(number)? {
                None => Ok(None),
                Some(millis) => date(millis, pieces).map(|text| Some(text.into_bytes())),
            },
        }
    }
}

/// The civil calendar, by counting days from a first of March.
fn date(millis: i128, pieces: &[DatePiece]) -> Refused<String> {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i128::from(month <= 2);
    if !(1..=9999).contains(&year) {
        return refuse("date_range");
    }
    let write = |piece: &DatePiece| match piece {
        DatePiece::Year => format!("{year:04}"),
        DatePiece::Month => format!("{month:02}"),
        DatePiece::Day => format!("{day:02}"),
        DatePiece::Hour => format!("{:02}", rest / 3_600_000),
        DatePiece::Minute => format!("{:02}", rest / 60_000 % 60),
        DatePiece::Second => format!("{:02}", rest / 1000 % 60),
        DatePiece::Milli => format!("{:03}", rest % 1000),
        DatePiece::Text(text) => text.clone(),
    };
    Ok(pieces.iter().map(write).collect())
}
