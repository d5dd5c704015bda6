//! From a key to its record.

use super::error::DecodeError;
use super::schema::{Boundary, FieldId, KeySchema, Step};
use crate::codec;
use crate::span::Span;
use crate::value::Value;

/// What a key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedKey<'k> {
    /// One value for each field of the schema; null for those that do not come back.
    pub values: Vec<Value<'k>>,
    /// The bytes of each step, in order; shorter than the steps if a boundary is unclear.
    pub spans: Vec<Span>,
}

impl KeySchema {
    /// Takes a key apart. Salts are computed again from the fields and must agree.
    ///
    /// # Errors
    /// When the key was not written by this schema.
    pub fn decode<'k>(&self, key: &'k [u8]) -> Result<DecodedKey<'k>, DecodeError> {
        if key.is_empty() {
            return Err(DecodeError::EmptyKey);
        }
        let mut decoder = Decoder { schema: self, key, at: 0, values: vec![Value::Null; self.fields.len()] };
        let mut spans = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            if matches!(step, Step::Field { boundary: Boundary::Unclear, .. }) {
                // Nothing from here on can be told apart; what came before stands, unless a salt needs the rest.
                return Ok(DecodedKey { values: decoder.values, spans });
            }
            let start = decoder.at;
            decoder.step(step)?;
            spans.push(Span::new(start, decoder.at));
        }
        if decoder.at < key.len() {
            return Err(DecodeError::TooLong { offset: decoder.at, key: key.to_vec() });
        }
        decoder.check_salts(&spans)?;
        Ok(DecodedKey { values: decoder.values, spans })
    }
}

struct Decoder<'s, 'k> {
    schema: &'s KeySchema,
    key: &'k [u8],
    at: usize,
    values: Vec<Value<'k>>,
}

impl<'k> Decoder<'_, 'k> {
    fn rest(&self) -> &'k [u8] {
        self.key.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, step: &Step) -> Result<(), DecodeError> {
        match step {
            Step::Literal(literal) => {
                if !self.rest().starts_with(literal) {
                    return Err(self.no_literal(literal));
                }
                self.at += literal.len();
            }
            Step::Salt { width, .. } => {
                if self.rest().len() < *width {
                    return Err(DecodeError::ShortSalt { offset: self.at, key: self.key.to_vec() });
                }
                self.at += width;
            }
            Step::Field { field, ty, order, boundary } => {
                let bytes = match boundary {
                    Boundary::Literal(literal) => {
                        let rest = self.rest();
                        let end = rest.windows(literal.len()).position(|window| window == literal);
                        rest.get(..end.ok_or_else(|| self.no_literal(literal))?).unwrap_or_default()
                    }
                    Boundary::Own | Boundary::KeyEnd | Boundary::Unclear => self.rest(),
                };
                let declared = self.schema.fields.get(*field).ty;
                let decoded = codec::decode(bytes, *ty, declared, *order);
                let (value, used) = decoded.map_err(|problem| DecodeError::Value {
                    field: self.schema.name(*field),
                    offset: self.at,
                    key: self.key.to_vec(),
                    problem,
                })?;
                self.set(*field, value)?;
                self.at += used;
            }
        }
        Ok(())
    }

    fn set(&mut self, field: FieldId, value: Value<'k>) -> Result<(), DecodeError> {
        let slot = self.values.get_mut(field.0).expect("there is a value for each field");
        if *slot != Value::Null && *slot != value {
            return Err(DecodeError::TwoValues { field: self.schema.name(field), key: self.key.to_vec() });
        }
        *slot = value;
        Ok(())
    }

    fn no_literal(&self, literal: &[u8]) -> DecodeError {
        DecodeError::Literal { literal: literal.to_vec(), offset: self.at, key: self.key.to_vec() }
    }

    fn check_salts(&self, spans: &[Span]) -> Result<(), DecodeError> {
        let recoverable = self.schema.recoverable();
        for (step, span) in self.schema.steps.iter().zip(spans) {
            let Step::Salt { buckets, fields, .. } = step else { continue };
            if !fields.iter().all(|field| recoverable.contains(field)) {
                continue;
            }
            let bytes = self.key.get(span.start..span.end).unwrap_or_default();
            let found = bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
            let expected = self.schema.salt(*buckets, fields, &self.values);
            let expected = expected.expect("values that were decoded under their types fit them");
            if found != expected {
                return Err(DecodeError::Salt { found, expected, key: self.key.to_vec() });
            }
        }
        Ok(())
    }
}
