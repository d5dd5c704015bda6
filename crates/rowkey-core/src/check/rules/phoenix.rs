//! The rule on salts that Phoenix writes.

use super::lead::PLAIN;
use crate::check::expr::{call_of, number};
use crate::check::rule::{Example, Rule};
use crate::check::subject::Subject;
use crate::check::{Issue, Severity};
use crate::key::node::{BucketFunction, Input, Node};
use crate::key::{Step, ValueStep};
use crate::types::{Nulls, Order, Type};

pub(crate) const PHOENIX_SALT: Rule = Rule {
    id: "phoenix-salt",
    summary: "`phoenix_salt` over other bytes than Phoenix hashes: Phoenix looks for the row in another bucket.",
    story: "\
Phoenix computes the salt of a row from all bytes that it stores behind the salt: complemented ones for a DESC column, the
zero byte that ends a VARCHAR, the blanks of a CHAR, all twelve bytes of a TIMESTAMP. `phoenix_salt(a, …, n)` hashes the plain
ascending bytes of its arguments, which is the same only if the arguments are all the parts behind it, in their order, and each is
stored as it is. `phoenix_row_salt(n)` hashes what is stored, as Phoenix does. The old function stays for tables that were written
with it: their rows keep their keys.",
    example: Example::Key("[phoenix_salt(user, 8)][user: u64][ts: timestamp desc]"),
    check: phoenix_salt,
};

fn phoenix_salt(subject: &Subject<'_>) -> Vec<Issue> {
    find(subject).into_iter().collect()
}

fn find(subject: &Subject<'_>) -> Option<Issue> {
    // Phoenix's salt is the first byte of a key; anywhere else the function is only a hash.
    let (Step::Value(salt), behind) = subject.key.steps().split_first()? else { return None };
    let Node::Bucket(BucketFunction::Phoenix, buckets, inputs) = &salt.node else { return None };
    let why = difference(inputs, behind)?;
    let part = subject.parts.first()?;
    let message = format!(
        "`{}` hashes plain values, Phoenix the stored bytes of everything behind the salt: {why}, so Phoenix looks for {} of {buckets} \
         rows in another bucket",
        part.text(),
        buckets - 1,
    );
    let expr = call_of("phoenix_row_salt", [number(i128::from(*buckets))]);
    let rewritten = subject.rewrite().replace(part, expr, PLAIN).finish();
    let cure = format!(
        "`phoenix_row_salt({buckets})` is the byte that Phoenix writes; a table that has rows by `phoenix_salt` keeps it"
    );
    Some(subject.at(part, &PHOENIX_SALT, Severity::Warning).because(message).cure(cure, rewritten))
}

/// The first difference between what is hashed and what is stored; `None` if they are the same bytes.
fn difference(inputs: &[Input], behind: &[Step]) -> Option<String> {
    for (at, step) in behind.iter().enumerate() {
        let Step::Value(value) = step else { return Some("a literal is not hashed".to_owned()) };
        let label = value.label();
        match inputs.get(at) {
            Some(input) if *uncast(&input.node) == value.node && input.ty == value.ty => {}
            Some(_) => return Some(format!("another value is hashed than {label} stores")),
            None => return Some(format!("{label} is not hashed")),
        }
        if let Some(how) = dressed(value) {
            return Some(format!("{label} is stored {how}"));
        }
    }
    (inputs.len() > behind.len()).then(|| "something is hashed that is not stored behind it".to_owned())
}

fn uncast(node: &Node) -> &Node {
    if let Node::Cast(inner, _) = node { inner } else { node }
}

/// What is added to the plain bytes of a value.
fn dressed(value: &ValueStep) -> Option<&'static str> {
    match (value.order, value.nulls, value.ty) {
        (Order::Descending, ..) => Some("with every byte complemented"),
        (_, Nulls::First | Nulls::Last, _) => Some("behind a byte for null"),
        (.., Type::Escaped) => Some("with an end mark"),
        _ => None,
    }
}
