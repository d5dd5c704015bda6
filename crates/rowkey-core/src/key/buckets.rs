//! The bytes that a salt, a bucket or a hash prefix can have.
//!
//! Its values can be listed one by one, so that a query that does not bind its fields can read every one of them, and
//! a table can be cut between them.

use super::node::{Case, Node};
use super::schema::ValueStep;
use crate::codec;
use crate::notation::Operator;
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

impl ValueStep {
    /// How many values the part can have, if they can be listed and all have the same number of bytes.
    pub fn bucket_count(&self) -> Option<u32> {
        if self.nulls != Nulls::Refused || self.bucket_bytes(0).is_none() {
            return None;
        }
        self.node.value_count().and_then(|count| u32::try_from(count).ok())
    }

    /// The bytes of the value with this number; `None` past the last, or if the values cannot be listed.
    pub fn bucket_bytes(&self, number: u32) -> Option<Vec<u8>> {
        if u128::from(number) >= self.node.value_count()? {
            return None;
        }
        let width = self.width?;
        let mut out = Vec::with_capacity(width);
        match &self.node {
            Node::Bucket(..) | Node::Random(_) | Node::Arithmetic(Operator::Modulo, ..) => {
                codec::encode(&Value::Int(number.into()), self.ty, self.order, &mut out).ok()?;
                return Some(out);
            }
            Node::Letter(letters, _) | Node::RandomLetter(letters) => {
                let letter = letters.get(usize::try_from(number).ok()?)?;
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Node::Code(_, codes) => {
                out.extend_from_slice(codes.get(usize::try_from(number).ok()?)?.1.as_bytes())
            }
            Node::DigestBytes(_, _, len) => {
                let bytes = u128::from(number).to_be_bytes();
                out.extend_from_slice(bytes.get(bytes.len().checked_sub(*len)?..)?);
            }
            node => {
                let digits = format!("{number:0width$x}");
                let digits = match node.hex_case()? {
                    Case::Upper => digits.to_uppercase(),
                    Case::Lower => digits,
                };
                out.extend_from_slice(digits.as_bytes());
            }
        }
        if self.order == Order::Descending {
            codec::complement(&mut out, 0);
        }
        (matches!(self.ty, Type::Text | Type::Bytes | Type::Fixed(_)) && out.len() == width).then_some(out)
    }

    /// Whether it spreads rows over a small number of buckets: a salt, a remainder, letters or a random number.
    pub fn is_bucket(&self) -> bool {
        matches!(
            self.node,
            Node::Bucket(..)
                | Node::Random(_)
                | Node::Letter(..)
                | Node::RandomLetter(_)
                | Node::Arithmetic(Operator::Modulo, ..)
        ) && self.bucket_count().is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::escape::escape;
    use crate::key::{KeySchema, Step};

    fn listed(source: &str) -> Option<(u32, String, String)> {
        let key = KeySchema::parse(source).expect(source);
        let Some(Step::Value(first)) = key.steps().first() else { panic!("{source} begins with a literal") };
        let count = first.bucket_count()?;
        assert_eq!(first.bucket_bytes(count), None);
        let shown = |number| escape(&first.bucket_bytes(number).expect("below the count")).to_string();
        Some((count, shown(1), shown(count - 1)))
    }

    #[test]
    fn buckets_can_be_listed() {
        let entry = |count, one: &str, last: &str| Some((count, one.to_owned(), last.to_owned()));
        assert_eq!(listed("[salt(16, u)][u]"), entry(16, r"\x01", r"\x0F"));
        assert_eq!(listed("[salt(300, u)][u]"), entry(300, r"\x00\x01", r"\x01+"));
        assert_eq!(listed("[t % 5: decimal(1)][t]"), entry(5, "1", "4"));
        assert_eq!(listed("[t % 5: u8 desc][t]"), entry(5, r"\xFE", r"\xFB"));
        assert_eq!(listed("[random('dcba')][u]"), entry(4, "c", "a"));
        assert_eq!(listed("[md5(u).upper().subStr(0,2)][u]"), entry(256, "01", "FF"));
        assert_eq!(listed("[md5(u).bytes(2)][u]"), entry(65_536, r"\x00\x01", r"\xFF\xFF"));
        assert_eq!(listed("[salt('aé', u)][u]"), None, "letters of different lengths");
        assert_eq!(listed("[u][t]"), None);
        assert_eq!(listed("[md5(u)][u]"), None, "too many to list");
    }
}
