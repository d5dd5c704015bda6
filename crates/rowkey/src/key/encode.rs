//! From a record to its key.

use super::error::EncodeError;
use super::schema::{Boundary, FieldId, KeySchema, Step};
use crate::codec;
use crate::hash::Murmur3;
use crate::types::Type;
use crate::value::Value;

/// The longest row key that HBase takes.
pub const MAX_KEY_LENGTH: usize = 32_767;

impl KeySchema {
    /// Adds the key of a record to `out`, without allocating if `out` has room. On an error `out` is as before.
    ///
    /// `record` has one value for each of [`KeySchema::fields`]; missing ones count as null.
    ///
    /// # Errors
    /// When a value does not fit, a text contains its delimiter, or the key is empty or too long.
    pub fn encode(&self, record: &[Value<'_>], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        let encoded = self.steps.iter().try_for_each(|step| self.encode_step(step, record, out));
        let checked = encoded.and_then(|()| match out.len() - start {
            0 => Err(EncodeError::EmptyKey),
            length if length > MAX_KEY_LENGTH => Err(EncodeError::TooLong { length, limit: MAX_KEY_LENGTH }),
            _ => Ok(()),
        });
        if checked.is_err() {
            out.truncate(start);
        }
        checked
    }

    /// Adds the bytes of one step.
    pub(crate) fn encode_step(
        &self,
        step: &Step,
        record: &[Value<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match step {
            Step::Literal(bytes) => out.extend_from_slice(bytes),
            Step::Salt { buckets, width, fields } => {
                push_salt(self.salt(*buckets, fields, record)?, *width, out);
            }
            Step::Field { field, ty, order, boundary } => {
                let value = value(record, *field);
                let problem = |problem| EncodeError::Value { field: self.name(*field), problem };
                codec::encode(value, *ty, *order, out).map_err(problem)?;
                if let (Boundary::Literal(delimiter), Value::Text(text)) = (boundary, value) {
                    self.refuse_delimiter(*field, text, delimiter)?;
                }
            }
        }
        Ok(())
    }

    /// The bucket of a record: the hash of the plain bytes of `fields`, modulo `buckets`, never negative. Nulls add
    /// nothing to the hash.
    pub(crate) fn salt(
        &self,
        buckets: u32,
        fields: &[FieldId],
        record: &[Value<'_>],
    ) -> Result<u32, EncodeError> {
        let mut hash = Murmur3::new(Murmur3::SEED);
        for &field in fields {
            let value = value(record, field);
            if *value != Value::Null {
                codec::plain(value, self.fields.get(field).ty, &mut |bytes| hash.update(bytes))
                    .map_err(|problem| EncodeError::Value { field: self.name(field), problem })?;
            }
        }
        let bucket = i64::from(hash.finish()).rem_euclid(i64::from(buckets));
        Ok(u32::try_from(bucket).expect("a remainder by a u32 fits a u32"))
    }

    /// A reader takes the first occurrence of the delimiter for the end of the text, so it must be the end.
    fn refuse_delimiter(&self, field: FieldId, text: &str, delimiter: &[u8]) -> Result<(), EncodeError> {
        let text_then_delimiter = |at: usize| text.bytes().skip(at).chain(delimiter.iter().copied());
        let early = (0..text.len())
            .any(|at| text_then_delimiter(at).take(delimiter.len()).eq(delimiter.iter().copied()));
        if early {
            return Err(EncodeError::DelimiterInText {
                field: self.name(field),
                value: text.to_owned(),
                delimiter: delimiter.to_vec(),
            });
        }
        Ok(())
    }

    pub(super) fn name(&self, field: FieldId) -> String {
        self.fields.get(field).name.clone()
    }

    /// How many bytes the key of a record has, if its values fit.
    pub fn encoded_len(&self, record: &[Value<'_>]) -> usize {
        self.steps
            .iter()
            .map(|step| match step {
                Step::Literal(bytes) => bytes.len(),
                Step::Salt { width, .. } => *width,
                Step::Field { field, ty, .. } => codec::encoded_len(value(record, *field), *ty),
            })
            .sum()
    }

    /// Whether every key has a shape that a reader can take apart.
    pub fn is_unambiguous(&self) -> bool {
        !self
            .steps
            .iter()
            .any(|step| matches!(step, Step::Field { ty: Type::Text, boundary: Boundary::Unclear, .. }))
    }
}

/// The value of a field; a record that is too short has nulls there.
fn value<'r, 'v>(record: &'r [Value<'v>], field: FieldId) -> &'r Value<'v> {
    record.get(field.0).unwrap_or(&Value::Null)
}

/// Adds a bucket number, big-endian.
pub(crate) fn push_salt(bucket: u32, width: usize, out: &mut Vec<u8>) {
    let bytes = bucket.to_be_bytes();
    out.extend_from_slice(bytes.get(bytes.len() - width..).unwrap_or_default());
}
