//! A step written out so that equal bytes have equal text: what the fingerprint hashes.
//!
//! Fields stand with their declared types, because hashes and arithmetic depend on them. This text may never change
//! for what it can already say; new nodes get new words.

use super::node::{Case, DatePiece, Input, Node, Side};
use super::schema::{Fields, ValueStep};
use crate::notation::Operator;
use crate::types::{Nulls, Order};

impl ValueStep {
    pub(super) fn canonical(&self, fields: &Fields) -> String {
        let order = if self.order == Order::Descending { "desc" } else { "asc" };
        let nulls = match self.nulls {
            Nulls::Refused => "",
            Nulls::First => ":nulls-first",
            Nulls::Last => ":nulls-last",
        };
        match &self.node {
            Node::Field(id) => format!("field={}:{}:{order}{nulls}", fields.get(*id).name, self.ty),
            node => format!("expr={}:{}:{order}{nulls}", expr(node, fields), self.ty),
        }
    }
}

fn expr(node: &Node, fields: &Fields) -> String {
    let inner = |node: &Node| expr(node, fields);
    let list = |name: &str, inputs: &[Input]| {
        let all: Vec<String> =
            inputs.iter().map(|input| format!("{}:{}", inner(&input.node), input.ty)).collect();
        format!("{name}({})", all.join(","))
    };
    let letters = |letters: &[char]| letters.iter().collect::<String>().escape_default().to_string();
    match node {
        Node::Field(id) => {
            let field = fields.get(*id);
            format!("{}<{}>", field.name, field.ty)
        }
        Node::Number(number) => number.to_string(),
        Node::FromLongMax(node) => format!("longmax({})", inner(node)),
        Node::Arithmetic(operator, left, right) => {
            let name = match operator {
                Operator::Add => "add",
                Operator::Subtract => "sub",
                Operator::Multiply => "mul",
                Operator::Divide => "div",
                Operator::Modulo => "mod",
            };
            format!("{name}({},{})", inner(left), inner(right))
        }
        Node::Remainder(node, by) => format!("rem({},{by})", inner(node)),
        Node::Hash(function, inputs) => list(function.name(), inputs),
        Node::Bucket(function, count, inputs) => list(&format!("{function:?}{count}"), inputs),
        Node::Letter(text, inputs) => list(&format!("letter'{}'", letters(text)), inputs),
        Node::Random(count) => format!("random({count})"),
        Node::RandomLetter(text) => format!("random'{}'", letters(text)),
        Node::Hex(function, inputs) => list(function.name(), inputs),
        Node::DigestBytes(function, inputs, len) => list(&format!("{function}bytes{len}"), inputs),
        Node::Str(node) => format!("str({})", inner(node)),
        Node::Reverse(node) => format!("reverse({})", inner(node)),
        Node::SubStr(node, from, to) => format!("substr({},{from},{to})", inner(node)),
        Node::Case(Case::Upper, node) => format!("upper({})", inner(node)),
        Node::Case(Case::Lower, node) => format!("lower({})", inner(node)),
        Node::Lowercase(node) => format!("lowercase({})", inner(node)),
        Node::Pad(side, node, pad, width) => {
            let name = if *side == Side::Left { "lpad" } else { "rpad" };
            format!("{name}({},{pad},{width})", inner(node))
        }
        Node::Code(node, codes) => {
            let pairs: Vec<String> = codes
                .iter()
                .map(|(from, to)| format!("'{}'='{}'", from.escape_default(), to.escape_default()))
                .collect();
            format!("code({},{})", inner(node), pairs.join(","))
        }
        Node::Date(node, pattern) => {
            let pieces: Vec<String> = pattern
                .iter()
                .map(|piece| match piece {
                    DatePiece::Text(text) => format!("'{}'", text.escape_default()),
                    other => format!("{other:?}"),
                })
                .collect();
            format!("date({},{})", inner(node), pieces.join(","))
        }
        Node::Cast(node, ty) => format!("{}:{ty}", inner(node)),
    }
}
