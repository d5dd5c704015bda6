//! From a record to its key.

use super::error::{EncodeError, PartError};
use super::eval::{Draw, Draws, Eval, EvalError};
use super::node::Node;
use super::schema::{Boundary, KeySchema, Step, ValueStep};
use crate::codec::{self, ValueError};
use crate::escape::escape;
use crate::hashes::phoenix_salt;
use crate::ordered;
use crate::types::{Kind, Nulls, Order, Type};
use crate::value::Value;

/// The longest row key that HBase takes.
pub const MAX_KEY_LENGTH: usize = 32_767;

/// The marks of nullable parts.
pub(super) const NULL_FIRST: u8 = 0x00;
pub(crate) const NOT_NULL: u8 = 0x01;
pub(super) const NULL_LAST: u8 = 0x02;

impl KeySchema {
    /// Adds the key of a record to `out`, without allocating if `out` has room. On an error `out` is as before.
    ///
    /// `record` has one value for each of [`KeySchema::fields`]; missing ones count as null.
    ///
    /// # Errors
    /// When a value does not fit, an expression has no result, a text contains its delimiter, the key is empty or too
    /// long, or the key has a random part ([`KeySchema::encode_with`]).
    pub fn encode(&self, record: &[Value<'_>], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encode_all(record, None, out)
    }

    /// As [`KeySchema::encode`], with a generator for random parts.
    ///
    /// # Errors
    /// As [`KeySchema::encode`].
    pub fn encode_with(
        &self,
        record: &[Value<'_>],
        draws: &mut dyn Draw,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_all(record, Some(draws), out)
    }

    pub(crate) fn encode_all(
        &self,
        record: &[Value<'_>],
        draws: Option<&mut dyn Draw>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let start = out.len();
        let mut draws = draws;
        let encoded = self.program.encode(record, out, |step, out| {
            // A closure is inlined where it is called; what is rare is better kept away from what is not.
            self.encode_general(step, record, draws.as_mut().map(|draws| &mut **draws as &mut dyn Draw), out)
        });
        if let Some(buckets) = self.row_salt
            && let Some((salt, behind)) = out.get_mut(start..).and_then(<[u8]>::split_first_mut)
        {
            *salt = phoenix_salt(behind, buckets);
        }
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

    #[inline(never)]
    fn encode_general(
        &self,
        step: usize,
        record: &[Value<'_>],
        draws: Option<&mut dyn Draw>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match self.steps.get(step) {
            // Its place: it is computed when everything behind it is there.
            Some(Step::Value(value)) if value.node.is_row_salt() => {
                out.push(0);
                Ok(())
            }
            Some(Step::Value(value)) => self.encode_value(value, &mut Eval { key: self, record, draws }, out),
            Some(Step::Literal(bytes)) => {
                out.extend_from_slice(bytes);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Adds the bytes of one step; a random one is an error.
    pub(crate) fn encode_step(
        &self,
        step: &ValueStep,
        record: &[Value<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_step_with(step, record, None::<&mut Draws>, out)
    }

    /// Adds the bytes of one step.
    pub(crate) fn encode_step_with(
        &self,
        step: &ValueStep,
        record: &[Value<'_>],
        draws: Option<&mut Draws>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let draws = draws.map(|draws| draws as &mut dyn Draw);
        self.encode_value(step, &mut Eval { key: self, record, draws }, out)
    }

    /// Adds the stored bytes of everything behind the first part: what a row salt hashes.
    pub(super) fn encode_behind_salt(
        &self,
        eval: &mut Eval<'_, '_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.steps.iter().skip(1).try_for_each(|step| match step {
            Step::Literal(bytes) => {
                out.extend_from_slice(bytes);
                Ok(())
            }
            Step::Value(value) => self.encode_value(value, eval, out),
        })
    }

    fn encode_value(
        &self,
        step: &ValueStep,
        eval: &mut Eval<'_, '_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let start = out.len();
        if step.nulls != Nulls::Refused {
            out.push(NOT_NULL);
        }
        let text_start = out.len();
        let there = match &step.node {
            Node::Field(id) => {
                let value = eval.field(*id);
                if value.is_null() {
                    Ok(false)
                } else {
                    let encoded = codec::encode(value, step.ty, step.order, out);
                    encoded.map(|()| true).map_err(|problem| EvalError::Field(*id, problem))
                }
            }
            node => computed(step, node, eval, out),
        };
        match there {
            Ok(true) => {}
            Ok(false) => return self.encode_null(step, start, out),
            Err(error) => return Err(self.named(step, error)),
        }
        if let Boundary::Literal(delimiter) = &step.boundary {
            refuse_delimiter(step, out.get(text_start..).unwrap_or_default(), delimiter)?;
        }
        Ok(())
    }

    /// Null has its mark where the part may be null, HBase's own byte in ordered types, and is an error elsewhere.
    fn encode_null(&self, step: &ValueStep, start: usize, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.truncate(start);
        match step.nulls {
            Nulls::First => out.push(NULL_FIRST),
            Nulls::Last => out.push(NULL_LAST),
            Nulls::Refused if matches!(step.ty, Type::Ordered(_)) => {
                out.push(ordered::NULL);
                if step.order == Order::Descending {
                    codec::complement(out, start);
                }
            }
            Nulls::Refused => {
                let error = match step.node.source_field() {
                    Some(field) => EvalError::Field(field, ValueError::Null),
                    None => EvalError::Part(ValueError::Null.into()),
                };
                return Err(self.named(step, error));
            }
        }
        Ok(())
    }

    fn named(&self, step: &ValueStep, error: EvalError) -> EncodeError {
        match error {
            EvalError::Field(id, problem) => {
                EncodeError::Value { field: self.fields.get(id).name.clone(), problem }
            }
            EvalError::Other(error) => *error,
            EvalError::Part(problem) => EncodeError::Part { part: step.label.clone(), problem },
        }
    }

    /// How many bytes the key of a record has; `None` if it has none.
    pub fn encoded_len(&self, record: &[Value<'_>]) -> Option<usize> {
        let mut scratch = Vec::new();
        let mut length = 0;
        for step in &self.steps {
            length += match step {
                Step::Literal(bytes) => bytes.len(),
                Step::Value(value) => {
                    let mark = usize::from(value.nulls != Nulls::Refused);
                    match (value.width, value.field().and_then(|id| record.get(id.0))) {
                        // Only null makes a fixed width shorter, and then nothing follows the mark.
                        (Some(width), Some(found)) if !found.is_null() => mark + width,
                        (Some(width), None) if value.node.is_row_salt() => width,
                        (None, Some(found)) if !found.is_null() => mark + codec::encoded_len(found, value.ty),
                        _ => {
                            scratch.clear();
                            self.encode_step(value, record, &mut scratch).ok()?;
                            scratch.len()
                        }
                    }
                }
            };
        }
        Some(length)
    }
}

/// Adds the bytes of a computed value; `false` for null.
fn computed(
    step: &ValueStep,
    node: &Node,
    eval: &mut Eval<'_, '_, '_>,
    out: &mut Vec<u8>,
) -> Result<bool, EvalError> {
    let start = out.len();
    let kind = step.kind;
    if !matches!(kind, Kind::Text | Kind::Bytes) {
        let Some(number) = eval.integer(node, out)? else { return Ok(false) };
        codec::encode(&Value::Int(number), step.ty, step.order, out).map_err(PartError::from)?;
        return Ok(true);
    }
    if !eval.text(node, out)? {
        return Ok(false);
    }
    let text = out.get(start..).unwrap_or_default();
    match step.ty {
        Type::Text | Type::Bytes => {}
        Type::Fixed(width) if text.len() == usize::from(width) => {}
        Type::Escaped if !text.contains(&0) => out.extend_from_slice(&[0x00, 0x01]),
        // Rare: a type that frames its text, which is taken out and put back.
        ty => {
            let value = match kind {
                Kind::Bytes => Value::Bytes(text.to_vec().into()),
                _ => Value::Text(String::from_utf8_lossy(text).into_owned().into()),
            };
            out.truncate(start);
            codec::encode(&value, ty, Order::Ascending, out).map_err(PartError::from)?;
        }
    }
    if step.order == Order::Descending {
        codec::complement(out, start);
    }
    Ok(true)
}

/// A reader takes the first occurrence of the delimiter for the end of the text, so it must be the end.
fn refuse_delimiter(step: &ValueStep, text: &[u8], delimiter: &[u8]) -> Result<(), EncodeError> {
    let overlaps = |at: usize| {
        let here = text.iter().skip(at).chain(delimiter).take(delimiter.len());
        here.eq(delimiter)
    };
    let Some(first) = delimiter.first() else { return Ok(()) };
    let early = text.iter().enumerate().any(|(at, byte)| byte == first && overlaps(at));
    if early {
        let value = escape(text).to_string();
        return Err(EncodeError::DelimiterInText {
            part: step.label.clone(),
            value,
            delimiter: delimiter.to_vec(),
        });
    }
    Ok(())
}
