//! An expression once its fields, types and functions are known.
//!
//! Every node knows statically what it gives ([`Shape`]): numbers in a range, text of a fixed width or not. Evaluation
//! ([`super::eval`]) then checks values only.

use crate::hashes::HashFunction;
use crate::notation::Operator;
use crate::types::{Kind, Type};

use super::schema::{FieldId, Fields};

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Field(FieldId),
    Number(i128),
    /// `Long.MAX_VALUE - x`, which must not be negative.
    FromLongMax(Box<Node>),
    Arithmetic(Operator, Box<Node>, Box<Node>),
    /// Java's remainder, which has the sign of the left side.
    Remainder(Box<Node>, i128),
    /// A hash that gives a number.
    Hash(HashFunction, Vec<Input>),
    /// A bucket number below the count.
    Bucket(BucketFunction, u32, Vec<Input>),
    /// A letter, by the bucket of fields.
    Letter(Vec<char>, Vec<Input>),
    Random(u32),
    RandomLetter(Vec<char>),
    /// A digest in hex.
    Hex(HashFunction, Vec<Input>),
    /// The first bytes of a digest.
    DigestBytes(HashFunction, Vec<Input>, usize),
    /// A whole number as decimal text.
    Str(Box<Node>),
    Reverse(Box<Node>),
    /// The characters from the first up to but not including the second place.
    SubStr(Box<Node>, usize, usize),
    /// Each character by itself.
    Case(Case, Box<Node>),
    /// Lower case of a text that may be more than ASCII, where a sigma at the end of a word is another letter.
    Lowercase(Box<Node>),
    Pad(Side, Box<Node>, u8, usize),
    /// Texts and what is written for them.
    Code(Box<Node>, Vec<(String, String)>),
    Date(Box<Node>, Vec<DatePiece>),
    /// An argument under a type of its own.
    Cast(Box<Node>, Type),
}

/// What a hash hashes: an expression under the type that gives its plain bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) node: Node,
    pub(crate) ty: Type,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum BucketFunction {
    /// `murmur3 % n`, never negative.
    Salt,
    /// Phoenix's hash over plain values, which is the salt of few of its tables.
    Phoenix,
    /// As Phoenix salts its rows: over the stored bytes of everything behind the salt. Its inputs only say which fields
    /// these are made of.
    PhoenixRow,
    /// As OpenTSDB salts its rows.
    OpenTsdb,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    Upper,
    Lower,
}

/// A side of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before its first character.
    Left,
    /// Behind its last.
    Right,
}

/// A stretch of a date pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatePiece {
    /// Four digits.
    Year,
    /// Two digits, from 01.
    Month,
    /// Two digits, from 01.
    Day,
    /// Two digits, 00 to 23.
    Hour,
    /// Two digits.
    Minute,
    /// Two digits.
    Second,
    /// Three digits.
    Milli,
    /// This text, which is ASCII.
    Text(String),
}

impl DatePiece {
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Year => 4,
            Self::Milli => 3,
            Self::Month | Self::Day | Self::Hour | Self::Minute | Self::Second => 2,
            Self::Text(text) => text.len(),
        }
    }
}

/// What a node gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// The type of a part without one; `None` if the notation gives none.
    pub(crate) ty: Option<Type>,
    /// How many bytes its text or bytes have, if that is always the same.
    pub(crate) width: Option<usize>,
    /// Whether its text is ASCII, so that characters are bytes.
    pub(crate) ascii: bool,
    pub(crate) nullable: bool,
}

impl Shape {
    fn number(ty: Option<Type>, nullable: bool) -> Self {
        Self { kind: Kind::Integer, ty, width: None, ascii: false, nullable }
    }

    /// Whether a part or argument of type `ty` can hold it; a number without a type of its own fits every number.
    pub(crate) fn fits(self, ty: Type) -> bool {
        match self.ty {
            Some(natural) => ty.fits(natural),
            None => matches!(ty.kind(), Kind::Integer | Kind::Numeric),
        }
    }

    fn text(width: Option<usize>, ascii: bool, nullable: bool) -> Self {
        Self { kind: Kind::Text, ty: Some(Type::Text), width, ascii, nullable }
    }
}

/// The smallest of `u8 u16 u32` that holds `count` values.
pub(crate) fn bucket_type(count: i128) -> Option<Type> {
    match count {
        1..=256 => Some(Type::U8),
        257..=65_536 => Some(Type::U16),
        65_537..=4_294_967_296 => Some(Type::U32),
        _ => None,
    }
}

/// Goes on to the nodes inside one, from left to right, which are all borrowed as it is.
macro_rules! visit_inner {
    ($node:expr, $go_on:ident, $iter:ident, $visit:expr) => {
        match $node {
            Node::Field(_) | Node::Number(_) | Node::Random(_) | Node::RandomLetter(_) => {}
            Node::Arithmetic(_, left, right) => {
                left.$go_on($visit);
                right.$go_on($visit);
            }
            Node::Hash(_, inputs)
            | Node::Bucket(_, _, inputs)
            | Node::Letter(_, inputs)
            | Node::Hex(_, inputs)
            | Node::DigestBytes(_, inputs, _) => inputs.$iter().for_each(|input| input.node.$go_on($visit)),
            Node::FromLongMax(node)
            | Node::Remainder(node, _)
            | Node::Str(node)
            | Node::Reverse(node)
            | Node::SubStr(node, _, _)
            | Node::Case(_, node)
            | Node::Lowercase(node)
            | Node::Pad(_, node, _, _)
            | Node::Code(node, _)
            | Node::Date(node, _)
            | Node::Cast(node, _) => node.$go_on($visit),
        }
    };
}

impl Node {
    /// What it gives.
    pub(crate) fn shape(&self, fields: &Fields) -> Shape {
        match self {
            Self::Field(id) => {
                let field = fields.get(*id);
                let width = if field.ty.kind() == Kind::Text { field.ty.width() } else { None };
                Shape {
                    kind: field.ty.kind(),
                    ty: Some(field.ty),
                    width,
                    ascii: false,
                    nullable: field.nullable,
                }
            }
            Self::Number(_) => Shape::number(None, false),
            Self::FromLongMax(node) => Shape::number(Some(Type::LONG), node.shape(fields).nullable),
            Self::Arithmetic(operator, left, right) => {
                let nullable = left.shape(fields).nullable || right.shape(fields).nullable;
                let ty = match (operator, &**right) {
                    (Operator::Modulo, Self::Number(count)) => bucket_type(*count),
                    _ => None,
                };
                Shape::number(ty, nullable)
            }
            Self::Remainder(node, _) => Shape::number(None, node.shape(fields).nullable),
            Self::Hash(..) => Shape::number(None, false),
            Self::Bucket(_, count, _) | Self::Random(count) => {
                Shape::number(bucket_type((*count).into()), false)
            }
            Self::Letter(letters, _) | Self::RandomLetter(letters) => {
                let width = letters.first().map(|letter| letter.len_utf8());
                let same = letters.iter().all(|letter| Some(letter.len_utf8()) == width);
                Shape::text(width.filter(|_| same), letters.iter().all(char::is_ascii), false)
            }
            Self::Hex(function, _) => Shape::text(function.digest_len().map(|len| 2 * len), true, false),
            Self::DigestBytes(_, _, len) => Shape {
                kind: Kind::Bytes,
                ty: Some(Type::Bytes),
                width: Some(*len),
                ascii: false,
                nullable: false,
            },
            Self::Str(node) => Shape::text(None, true, node.shape(fields).nullable),
            Self::Reverse(node) => {
                let inner = node.shape(fields);
                match inner.ty {
                    Some(Type::Decimal(width)) => Shape::text(Some(width.into()), true, inner.nullable),
                    _ => Shape::text(inner.width, inner.ascii, inner.nullable),
                }
            }
            Self::SubStr(node, from, to) => {
                let inner = node.shape(fields);
                let fixed = inner.width.is_some() && inner.ascii;
                Shape::text(fixed.then(|| to - from), inner.ascii, inner.nullable)
            }
            Self::Case(_, node) | Self::Lowercase(node) => {
                let inner = node.shape(fields);
                Shape::text(inner.width.filter(|_| inner.ascii), inner.ascii, inner.nullable)
            }
            Self::Pad(_, node, _, width) => {
                let inner = node.shape(fields);
                Shape::text(Some(*width), inner.ascii, inner.nullable)
            }
            Self::Code(node, codes) => {
                let width = codes.first().map(|(_, code)| code.len());
                let same = codes.iter().all(|(_, code)| Some(code.len()) == width);
                let ascii = codes.iter().all(|(_, code)| code.is_ascii());
                Shape::text(width.filter(|_| same), ascii, node.shape(fields).nullable)
            }
            Self::Date(node, pattern) => {
                let width = pattern.iter().map(DatePiece::width).sum();
                Shape::text(Some(width), true, node.shape(fields).nullable)
            }
            Self::Cast(node, ty) => {
                let inner = node.shape(fields);
                let width = if ty.kind() == Kind::Text { ty.width() } else { None };
                Shape { kind: ty.kind(), ty: Some(*ty), width, ascii: inner.ascii, nullable: inner.nullable }
            }
        }
    }

    /// Gives functions the meaning that they had before a cure changed their bytes.
    pub(crate) fn make_older(&mut self) {
        self.visit_mut(&mut |node| {
            if let Self::Lowercase(inner) = node {
                *node = Self::Case(Case::Lower, std::mem::replace(inner, Box::new(Self::Number(0))));
            }
        });
    }

    /// `salt(n)` without fields hashes all of the key's, wherever it stands.
    pub(crate) fn fill_whole_salts(&mut self, all: &[Input]) {
        self.visit_mut(&mut |node| {
            if let Self::Bucket(BucketFunction::Salt | BucketFunction::PhoenixRow, _, inputs)
            | Self::Letter(_, inputs) = node
                && inputs.is_empty()
            {
                inputs.extend_from_slice(all);
            }
        });
    }

    /// Calls `visit` for it and then for each node inside.
    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        visit_inner!(self, visit_mut, iter_mut, visit);
    }

    /// Calls `visit` for each field it names, from left to right.
    pub(crate) fn visit_fields(&self, visit: &mut impl FnMut(FieldId)) {
        self.visit(&mut |node| {
            if let Self::Field(id) = node {
                visit(*id);
            }
        });
    }

    /// Calls `visit` for it and each node inside, from left to right.
    pub(crate) fn visit<'n>(&'n self, visit: &mut impl FnMut(&'n Self)) {
        visit(self);
        visit_inner!(self, visit, iter, visit);
    }

    /// Whether it draws a random value, which cannot be computed from the record.
    pub(crate) fn is_random(&self) -> bool {
        // A draw stands alone: the notation has no function of one.
        matches!(self, Self::Random(_) | Self::RandomLetter(_))
    }

    /// Whether it is computed from the stored bytes behind it.
    pub(crate) fn is_row_salt(&self) -> bool {
        matches!(self, Self::Bucket(BucketFunction::PhoenixRow, ..))
    }

    /// The field that can be computed back from its value.
    pub(crate) fn source_field(&self) -> Option<FieldId> {
        match self {
            Self::Field(id) => Some(*id),
            Self::FromLongMax(node) | Self::Str(node) | Self::Reverse(node) | Self::Cast(node, _) => {
                node.source_field()
            }
            Self::Pad(_, node, _, _) => node.source_field(),
            Self::Arithmetic(Operator::Add | Operator::Subtract, left, right) => match (&**left, &**right) {
                (node, Self::Number(_)) | (Self::Number(_), node) => node.source_field(),
                _ => None,
            },
            Self::Code(node, codes) => {
                let mut results: Vec<&str> = codes.iter().map(|(_, code)| code.as_str()).collect();
                results.sort_unstable();
                let distinct = results.windows(2).all(|pair| pair.first() != pair.last());
                if distinct { node.source_field() } else { None }
            }
            _ => None,
        }
    }

    /// The case of its hex digits, if it is a digest in hex or a stretch of one.
    pub(crate) fn hex_case(&self) -> Option<Case> {
        match self {
            Self::Hex(..) => Some(Case::Lower),
            Self::SubStr(node, ..) => node.hex_case(),
            Self::Case(case, node) => node.hex_case().map(|_| *case),
            _ => None,
        }
    }

    /// How many different values it can have, if that is known and does not depend on its field's type alone.
    pub(crate) fn value_count(&self) -> Option<u128> {
        match self {
            Self::Bucket(_, count, _) | Self::Random(count) => Some((*count).into()),
            Self::Letter(letters, _) | Self::RandomLetter(letters) => letters.len().try_into().ok(),
            Self::Arithmetic(Operator::Modulo, _, right) => match &**right {
                Self::Number(count) => u128::try_from(*count).ok(),
                _ => None,
            },
            // From -(n - 1) to n - 1.
            Self::Remainder(_, by) => u128::try_from(*by).ok()?.checked_mul(2)?.checked_sub(1),
            Self::Hex(function, _) => function.digest_len().and_then(|len| power(16, 2 * len)),
            Self::DigestBytes(_, _, len) => power(256, *len),
            Self::SubStr(node, from, to) if node.hex_case().is_some() => power(16, to - from),
            Self::Case(_, node) => node.value_count(),
            Self::Code(_, codes) => codes.len().try_into().ok(),
            _ => None,
        }
    }
}

fn power(base: u128, exponent: usize) -> Option<u128> {
    u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
}
