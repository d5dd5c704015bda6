//! The bytes that the keys of a schema can have, and which come equally often.
//!
//! Part by part, from left to right, a key is fixed bytes, a [`Ladder`] of known values, or unknown. Hashes, salts,
//! remainders and draws come equally often by what they are; `decimal(n)` and its reverse are taken to use all of their
//! digits, as HBase's `DecimalStringSplit` takes them; numbers and times need a range ([`Ranges`]), and parts that follow such a
//! field come as often as its values (`[date(ts)][ts]`). Any other part that depends on one before it
//! (`[md5(u).subStr(0,2)][md5(u)]`) says nothing more: its values are known, how often they come *there* is not.

use std::collections::BTreeMap;

use super::ladder::{Ladder, Spread};
use crate::codec;
use crate::hashes::HashFunction;
use crate::key::node::{BucketFunction, Case, DatePiece, Input, Node};
use crate::key::{FieldId, KeySchema, Step, ValueStep};
use crate::notation::Operator;
use crate::types::{Kind, Nulls, Order, Type};

const LOWER_HEX: &[u8] = b"0123456789abcdef";
const UPPER_HEX: &[u8] = b"0123456789ABCDEF";
const DECIMAL: &[u8] = b"0123456789";

/// What is known of the values of number and time fields: the least and the greatest, both included, all between them
/// equally often. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranges(BTreeMap<FieldId, (i128, i128)>);

impl Ranges {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The values of a field lie between these.
    pub fn set(&mut self, field: FieldId, low: i128, high: i128) {
        self.0.insert(field, (low.min(high), high.max(low)));
    }

    /// What is known of a field.
    pub fn get(&self, field: FieldId) -> Option<(i128, i128)> {
        self.0.get(&field).copied()
    }
}

#[derive(Debug, Clone)]
pub(super) enum KeyStretch<'k> {
    Literal(Vec<u8>),
    Ladder(Ladder<'k>, &'k ValueStep),
    /// Any bytes, of any length; nothing is said about what follows.
    Unknown(&'k ValueStep),
}

/// The parts of a key, up to the first that is unknown.
pub(super) fn parts<'k>(key: &'k KeySchema, ranges: &Ranges) -> Vec<KeyStretch<'k>> {
    let mut parts = Vec::new();
    let mut before: Vec<&ValueStep> = Vec::new();
    let mut rest = key.steps();
    while let [step, behind @ ..] = rest {
        let steps = rest;
        rest = behind;
        match step {
            Step::Literal(bytes) => parts.push(KeyStretch::Literal(bytes.clone())),
            Step::Value(step) => {
                if let Some((ladder, used)) = together(key, steps, ranges) {
                    let own = steps.get(..used).unwrap_or_default();
                    let depends = before.iter().any(|earlier| depends(&earlier.node, &step.node))
                        || is_determined(&before, step);
                    let ladder = if depends { ladder.with_spread(Spread::Unknown) } else { ladder };
                    parts.push(KeyStretch::Ladder(ladder, step));
                    before.extend(own.iter().filter_map(|step| match step {
                        Step::Value(step) => Some(step),
                        Step::Literal(_) => None,
                    }));
                    rest = steps.get(used..).unwrap_or_default();
                    continue;
                }
                let Some(pieces) = pieces(key, step) else {
                    parts.push(KeyStretch::Unknown(step));
                    break;
                };
                let depends = before.iter().any(|earlier| depends(&earlier.node, &step.node))
                    || is_determined(&before, step);
                parts.extend(pieces.into_iter().map(|piece| match piece {
                    KeyStretch::Ladder(ladder, step) if depends => {
                        KeyStretch::Ladder(ladder.with_spread(Spread::Unknown), step)
                    }
                    piece => piece,
                }));
                before.push(step);
            }
        }
    }
    parts
}

/// The ladder of the first part, if it follows a field of a known range, and of those behind it that follow the same field;
/// also how many steps that are.
fn together<'k>(key: &'k KeySchema, steps: &'k [Step], ranges: &Ranges) -> Option<(Ladder<'k>, usize)> {
    let follows = |step: &Step| match step {
        Step::Value(step) if step.nulls == Nulls::Refused => step.follows().map(|(field, ..)| field),
        _ => None,
    };
    let field = follows(steps.first()?)?;
    let range = ranges.get(field)?;
    let ends = (1..=steps.len()).filter(|end| steps.get(end - 1).and_then(follows) == Some(field));
    let mut found = None;
    for end in ends {
        // What stands between them follows it too, or is a literal; otherwise there is no such ladder.
        match Ladder::of_field(key, steps.get(..end)?, range) {
            Some(ladder) => found = Some((ladder, end)),
            None => break,
        }
    }
    found
}

/// What the bytes of a part can be; `None` if its width is not fixed or its values are anything.
fn pieces<'k>(key: &'k KeySchema, step: &'k ValueStep) -> Option<Vec<KeyStretch<'k>>> {
    if step.nulls != Nulls::Refused {
        return None;
    }
    let one = |ladder: Option<Ladder<'k>>| Some(vec![KeyStretch::Ladder(ladder?, step)]);
    let digits = |alphabet: &[u8], width: usize, spread: Spread| {
        let ladders = Ladder::digits(alphabet, step.order(), width, spread);
        Some(ladders.into_iter().map(|ladder| KeyStretch::Ladder(ladder, step)).collect())
    };
    let numbers = |range: (i128, i128), spread: Spread| {
        one(Ladder::numbers(as_integer(step.ty())?, step.order(), range, spread))
    };
    let plain = matches!(step.ty(), Type::Text | Type::Bytes | Type::Fixed(_));
    match &step.node {
        Node::Bucket(..) | Node::Random(_) | Node::Arithmetic(Operator::Modulo, ..) => {
            let count = i128::try_from(step.value_count()?).ok()?;
            numbers((0, count - 1), Spread::Even)
        }
        Node::Letter(letters, _) | Node::RandomLetter(letters) if plain => {
            let values = letters.iter().map(|letter| {
                let mut bytes = letter.to_string().into_bytes();
                turn(&mut bytes, step.order());
                bytes
            });
            one(Ladder::listed(values.collect(), Spread::Even))
        }
        Node::Code(_, codes) if plain => {
            let values = codes.iter().map(|(_, code)| {
                let mut bytes = code.clone().into_bytes();
                turn(&mut bytes, step.order());
                bytes
            });
            one(Ladder::listed(values.collect(), Spread::Unknown))
        }
        Node::DigestBytes(_, _, width) if plain => {
            let all: Vec<u8> = (0..=u8::MAX).collect();
            digits(&all, *width, Spread::Even)
        }
        Node::Hash(function, _) => {
            // Short texts have small hashes in Java: known values, not evenly taken.
            let even = *function != HashFunction::JavaHash;
            numbers(function.number_range()?, if even { Spread::Even } else { Spread::Unknown })
        }
        Node::Remainder(_, by) => numbers((1 - by, by - 1), Spread::Unknown),
        Node::Date(_, pattern) if plain => Some(date(step, pattern)),
        Node::Reverse(inner) if plain => match inner.shape(key.fields()).ty {
            Some(Type::Decimal(width)) => digits(DECIMAL, width.into(), Spread::Assumed),
            _ => None,
        },
        node if plain && node.hex_case().is_some() => {
            let alphabet = if node.hex_case() == Some(Case::Upper) { UPPER_HEX } else { LOWER_HEX };
            digits(alphabet, step.width?, Spread::Even)
        }
        node => match step.ty() {
            // A declared range that does not fit says that the digits are not evenly taken.
            Type::Decimal(width) => digits(DECIMAL, width.into(), Spread::Assumed),
            Type::Bool => one(Ladder::listed(vec![vec![0], vec![1]], Spread::Unknown)),
            Type::Octets(ty) => {
                let all: Vec<u8> = (0..=u8::MAX).collect();
                digits(&all, ty.width(), Spread::Unknown)
            }
            ty => {
                let (min, max) = ty.integer()?.range();
                let least = if matches!(node, Node::FromLongMax(_)) { 0 } else { min };
                numbers((least, max), Spread::Unknown)
            }
        },
    }
}

/// The type whose numbers have the same bytes.
fn as_integer(ty: Type) -> Option<Type> {
    if let Type::Decimal(_) = ty { Some(ty) } else { ty.integer().map(Type::Int) }
}

fn turn(bytes: &mut [u8], order: Order) {
    if order == Order::Descending {
        codec::complement(bytes, 0);
    }
}

/// Digits, and what stands between them.
fn date<'k>(step: &'k ValueStep, pattern: &[DatePiece]) -> Vec<KeyStretch<'k>> {
    let mut parts = Vec::new();
    for piece in pattern {
        match piece {
            DatePiece::Text(text) => {
                let mut bytes = text.clone().into_bytes();
                turn(&mut bytes, step.order());
                parts.push(KeyStretch::Literal(bytes));
            }
            number => {
                let ladders = Ladder::digits(DECIMAL, step.order(), number.width(), Spread::Unknown);
                parts.extend(ladders.into_iter().map(|ladder| KeyStretch::Ladder(ladder, step)));
            }
        }
    }
    parts
}

/// Whether how often the values of a part come depends on the value of an earlier one.
fn depends(earlier: &Node, node: &Node) -> bool {
    match (hashed(earlier), hashed(node)) {
        (Some(earlier), Some(own)) => earlier == own,
        // A hash looks like chance, whatever else is known of its fields.
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) => {
            let shares_a_field = fields(node).iter().any(|field| fields(earlier).contains(field));
            let is_remainder = matches!(earlier, Node::Arithmetic(Operator::Modulo, ..));
            // Among the numbers with one remainder, a range is as evenly taken as among all.
            shares_a_field && !(is_remainder && matches!(node, Node::Field(_)))
        }
    }
}

/// Whether the parts before it leave only one value.
fn is_determined(before: &[&ValueStep], step: &ValueStep) -> bool {
    let known: Vec<FieldId> = before.iter().filter_map(|step| step.node.source_field()).collect();
    let own = fields(&step.node);
    !own.is_empty() && own.iter().all(|field| known.contains(field))
}

fn fields(node: &Node) -> Vec<FieldId> {
    let mut fields = Vec::new();
    node.visit_fields(&mut |field| fields.push(field));
    fields
}

/// The hash function that a part is made by, and what it hashes.
fn hashed(node: &Node) -> Option<(HashFunction, &[Input])> {
    match node {
        Node::Hash(function, inputs)
        | Node::Hex(function, inputs)
        | Node::DigestBytes(function, inputs, _) => Some((*function, inputs)),
        Node::Bucket(BucketFunction::Salt, _, inputs) | Node::Letter(_, inputs) => {
            Some((HashFunction::Murmur3, inputs))
        }
        Node::Bucket(_, _, inputs) => Some((HashFunction::JavaHash, inputs)),
        Node::SubStr(node, ..) | Node::Case(_, node) | Node::Lowercase(node) | Node::Remainder(node, _) => {
            hashed(node)
        }
        Node::Arithmetic(Operator::Modulo, node, _) => hashed(node),
        _ => None,
    }
}

/// The part whose values are only taken to come equally often: a `decimal(n)` or its reverse, among the first parts of the
/// key. `None` if nothing is taken for granted.
pub fn assumed(key: &KeySchema) -> Option<&ValueStep> {
    parts(key, &Ranges::new()).iter().find_map(|part| match part {
        KeyStretch::Ladder(ladder, step) if ladder.spread == Spread::Assumed => Some(*step),
        _ => None,
    })
}

/// The name of a field whose range would tell the values of a part.
pub(super) fn ranged_field(key: &KeySchema, step: &ValueStep) -> Option<String> {
    let (field, ..) = step.follows()?;
    let field = key.fields().get(field);
    matches!(field.ty.kind(), Kind::Integer | Kind::Time).then(|| field.name.clone())
}
