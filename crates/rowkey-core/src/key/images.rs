//! The bytes that a part can have under a condition on a field.
//!
//! What the planner needs beyond the encoding of whole values: the range of a part's numbers and the bytes with which a
//! text begins.

use super::node::{Node, Side};
use super::schema::{FieldId, ValueStep};
use crate::codec;
use crate::types::{IntForm, IntType, Order, Type};

impl ValueStep {
    /// The least and the greatest number that the part can hold; of times, in milliseconds.
    pub(crate) fn value_range(&self) -> Option<(i128, i128)> {
        match i128::from(self.ty.step()) {
            1 => self.ty.integer_range(),
            step => self.ty.integer().map(|int| int.range()).map(|(min, max)| (min * step, max * step)),
        }
    }

    /// The field that the part has in two's complement, whose negative numbers sort behind the others.
    pub(crate) fn twos_complement_field(&self) -> Option<FieldId> {
        match self.ty {
            Type::Int(IntType { form: IntForm::TwosComplement, .. }) => self.field(),
            _ => None,
        }
    }

    /// How many values the part can have, if it is not many: by its expression or by its type.
    pub(crate) fn few_values(&self) -> Option<u128> {
        let by_type = match (self.ty, self.width) {
            (Type::Bool, _) => Some(2),
            (Type::Int(_), Some(width @ 1..=2)) => 256u128.checked_pow(u32::try_from(width).ok()?),
            (Type::Decimal(digits @ 1..=4), _) => 10u128.checked_pow(digits.into()),
            _ => None,
        };
        let null = u128::from(self.may_be_null());
        self.value_count().or(by_type).map(|count| count.saturating_add(null))
    }

    /// The text field that the part pads, on which side, with what and to how many bytes.
    pub(crate) fn padded(&self) -> Option<(FieldId, Side, u8, usize)> {
        match &self.node {
            Node::Pad(side, inner, pad, width) => match &**inner {
                Node::Field(field) => Some((*field, *side, *pad, *width)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text field whose characters the part has, and whether they are reversed.
    pub(crate) fn text_of(&self) -> Option<(FieldId, bool)> {
        if !matches!(self.ty, Type::Text | Type::Escaped) {
            return None;
        }
        match &self.node {
            Node::Field(field) => Some((*field, false)),
            Node::Reverse(inner) => match &**inner {
                Node::Field(field) => Some((*field, true)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bytes with which the part begins if its text begins so; `None` of parts that are no text.
    pub(crate) fn text_start(&self, text: &str) -> Option<Vec<u8>> {
        let mut bytes = self.value_mark().to_vec();
        let mark = bytes.len();
        match self.ty {
            Type::Text => bytes.extend_from_slice(text.as_bytes()),
            Type::Escaped => {
                codec::escape_zeros(text.as_bytes(), &mut bytes);
                bytes.truncate(bytes.len() - codec::TERMINATOR.len());
            }
            _ => return None,
        }
        if self.order == Order::Descending {
            codec::complement(&mut bytes, mark);
        }
        Some(bytes)
    }
}
