//! Appending many values to a column at once.
//!
//! What comes as numbers stays numbers: no [`Value`](crate::value::Value) in between, and one look at the smallest and the
//! largest says whether the column's type holds them all.

use super::column::{Buffer, ColumnBuffer, ColumnError, Strings};
use crate::utf8;
use crate::value::reading;

impl ColumnBuffer {
    /// Adds whole numbers, or times in milliseconds.
    ///
    /// # Errors
    /// When the column is of another kind, or its type cannot hold one of them; nothing is added then.
    pub fn extend_i64(&mut self, numbers: &[i64]) -> Result<(), ColumnError> {
        let ty = self.ty;
        let range = ty.integer_range().unwrap_or((i64::MIN.into(), i64::MAX.into()));
        let (least, most) = numbers.iter().fold((i64::MAX, i64::MIN), |(a, b), &n| (a.min(n), b.max(n)));
        let outside = |number: i64| !(range.0..=range.1).contains(&number.into());
        match &mut self.values {
            _ if numbers.is_empty() => {}
            Buffer::Time(values) => values.extend_from_slice(numbers),
            Buffer::I64(values) if !outside(least) && !outside(most) => values.extend_from_slice(numbers),
            Buffer::U64(values) if least >= 0 && !outside(most) => {
                values.extend(numbers.iter().map(|number| number.cast_unsigned()));
            }
            _ => {
                let value = numbers.iter().find(|number| outside(**number)).unwrap_or(&least).to_string();
                return Err(ColumnError::WrongKind { value, ty });
            }
        }
        Ok(())
    }

    /// Adds floating-point numbers of 64 bits.
    ///
    /// # Errors
    /// When the column is of another kind or width; nothing is added then.
    pub fn extend_f64(&mut self, numbers: impl Iterator<Item = f64>) -> Result<(), ColumnError> {
        match &mut self.values {
            Buffer::F64(values) => values.extend(numbers),
            _ => return Err(ColumnError::WrongKind { value: "a number".to_owned(), ty: self.ty }),
        }
        Ok(())
    }

    /// Adds floating-point numbers of 32 bits.
    ///
    /// # Errors
    /// When the column is of another kind; nothing is added then.
    pub fn extend_f32(&mut self, numbers: &[f32]) -> Result<(), ColumnError> {
        match &mut self.values {
            Buffer::F32(values) => values.extend_from_slice(numbers),
            _ => return self.extend_f64(numbers.iter().map(|&number| f64::from(number))),
        }
        Ok(())
    }

    /// Adds texts, which must be UTF-8, or byte strings.
    ///
    /// # Errors
    /// When the column is of another kind, or one is no text; those before it are added.
    pub fn extend_strings<'s>(
        &mut self,
        mut strings: impl Iterator<Item = &'s [u8]>,
    ) -> Result<(), ColumnError> {
        let ty = self.ty;
        match &mut self.values {
            Buffer::Text(texts) => strings.try_for_each(|text| match utf8::check(text) {
                Ok(_) => Ok(texts.push(text)?),
                Err(_) => Err(ColumnError::WrongKind { value: crate::escape::escape(text).to_string(), ty }),
            }),
            Buffer::Bytes(all) => strings.try_for_each(|bytes| Ok(all.push(bytes)?)),
            _ => Err(ColumnError::WrongKind { value: "a string".to_owned(), ty }),
        }
    }

    /// Adds texts or bytes that lie in one arena, all at once.
    ///
    /// # Errors
    /// When the column is of another kind, or one is no text; nothing is added then.
    pub fn extend_from(&mut self, strings: Strings<'_>) -> Result<(), ColumnError> {
        let ty = self.ty;
        let wrong = |value| Err(ColumnError::WrongKind { value, ty });
        match &mut self.values {
            Buffer::Text(texts) => match strings.first_that_is_no_text() {
                Some(bytes) => wrong(crate::escape::escape(bytes).to_string()),
                None => Ok(texts.extend(strings)?),
            },
            Buffer::Bytes(all) => Ok(all.extend(strings)?),
            _ => wrong("a string".to_owned()),
        }
    }

    /// Adds the value that a text is, as [`crate::value::read`] reads it; `None`, and nothing added, if it is none of the
    /// column's type, or the column is full.
    pub fn push_read(&mut self, text: &str) -> Option<()> {
        match &mut self.values {
            // The forms that most cells have, without a value in between; all others below.
            Buffer::I64(values) => {
                if let Some(number) = reading::small_integer(text)
                    && self.ty.integer_range().is_some_and(|(min, max)| (min..=max).contains(&number.into()))
                {
                    values.push(number);
                    return Some(());
                }
            }
            Buffer::U64(values) => {
                if let Some(number) =
                    reading::small_integer(text).and_then(|number| u64::try_from(number).ok())
                    && self.ty.integer_range().is_some_and(|(_, max)| i128::from(number) <= max)
                {
                    values.push(number);
                    return Some(());
                }
            }
            Buffer::Time(values) => {
                if let Some(millis) = reading::plain_time(text).or_else(|| reading::number_time(text)) {
                    values.push(millis);
                    return Some(());
                }
            }
            Buffer::Text(strings) => return strings.push(text.as_bytes()).ok(),
            _ => {}
        }
        let value = reading::read(text, self.ty).ok()?;
        self.push(&value).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::Type;
    use crate::value::Value;

    fn buffer(ty: &str) -> ColumnBuffer {
        ColumnBuffer::new(Type::from_name(ty).unwrap())
    }

    fn values(buffer: &ColumnBuffer) -> Vec<Value<'_>> {
        (0..buffer.len()).map(|row| buffer.column().value(row)).collect()
    }

    #[test]
    fn a_text_is_added_exactly_if_it_can_be_read() {
        let texts = [
            "0",
            "7",
            "-7",
            "-0",
            "255",
            "256",
            "-128",
            "-129",
            "65536",
            "4294967296",
            "007",
            "999999999999999999",
            "1000000000000000000",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "",
            "-",
            "+7",
            "1.5",
            "true",
            "x",
            "é",
            "2024-02-29",
            "2023-02-29",
            "2024-05-24 00:23:00",
            "2024-05-24T00:23:00Z",
            "2024-05-24T00:23:00.5Z",
            "2024-05-24T02:23:00+02:00",
            "123e4567-e89b-12d3-a456-426614174000",
            r"\x00",
        ];
        for ty in Type::all() {
            let mut column = ColumnBuffer::new(ty);
            for text in texts {
                let expected = reading::read(text, ty);
                let before = column.len();
                assert_eq!(column.push_read(text).is_some(), expected.is_ok(), "{text:?} as {ty}");
                assert_eq!(column.len() - before, usize::from(expected.is_ok()), "{text:?} as {ty}");
                if let Ok(expected) = expected {
                    assert_eq!(column.column().value(before), expected, "{text:?} as {ty}");
                }
            }
        }
    }

    #[test]
    fn many_are_added_exactly_if_the_type_holds_them() {
        let mut column = buffer("u8");
        column.extend_i64(&[0, 255]).unwrap();
        assert!(column.extend_i64(&[1, 256]).is_err() && column.extend_i64(&[-1]).is_err());
        assert!(column.extend_f64([1.0].into_iter()).is_err());
        column.extend_i64(&[7]).unwrap();
        column.extend_i64(&[]).unwrap();
        assert_eq!(values(&column), [Value::Int(0), Value::Int(255), Value::Int(7)]);

        let mut column = buffer("u64");
        column.push(&Value::Int(u64::MAX.into())).unwrap();
        column.extend_i64(&[i64::MAX]).unwrap();
        assert!(column.extend_i64(&[3, -1]).is_err());
        assert_eq!(values(&column), [Value::Int(u64::MAX.into()), Value::Int(i64::MAX.into())]);

        let mut column = buffer("timestamp");
        column.extend_i64(&[-1]).unwrap();
        assert_eq!(values(&column), [Value::Time(-1)]);

        let mut column = buffer("text");
        let added = column.extend_strings([b"a".as_slice(), b"", b"\xFF", b"b"].into_iter());
        assert!(added.is_err() && column.len() == 2, "up to the one that is no text");
        assert!(column.extend_i64(&[1]).is_err());
        let mut column = buffer("bytes");
        column.extend_strings([b"\xFF".as_slice()].into_iter()).unwrap();
        assert_eq!(values(&column), [Value::Bytes(vec![0xFF].into())]);
    }

    proptest! {
        #[test]
        fn strings_of_an_arena_are_added_as_one_by_one(
            arena in prop::collection::vec(prop_oneof![Just(b'a'), Just(b'z'), Just(0xC3), Just(0xA9)], 1..60),
            places in prop::collection::vec((0usize..60, 0usize..60), 0..9),
            sorted in any::<bool>(),
        ) {
            let place = |at: usize| (at % (arena.len() + 1)) as u32;
            let mut places: Vec<(u32, u32)> =
                places.iter().map(|(a, b)| (place(*a).min(place(*b)), place(*a).max(place(*b)))).collect();
            if sorted {
                places.sort();
            }
            let (starts, ends): (Vec<u32>, Vec<u32>) = places.into_iter().unzip();
            let strings = Strings::bytes(&arena, &starts, &ends).unwrap();
            for ty in ["text", "bytes"] {
                let (mut at_once, mut by_one) = (buffer(ty), buffer(ty));
                at_once.extend_strings([b"before".as_slice()].into_iter()).unwrap();
                let added = at_once.extend_from(strings);
                prop_assert_eq!(added.is_ok(), by_one.extend_strings(strings.iter()).is_ok());
                let expected = if added.is_ok() { values(&by_one) } else { Vec::new() };
                prop_assert_eq!(&values(&at_once)[1..], expected);
            }
            prop_assert!(buffer("u8").extend_from(strings).is_err());
        }
    }
}
