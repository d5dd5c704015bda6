//! Parses a key written in the notation.
//!
//! `[salt(16, user_id)][user_id][ts: timestamp desc]-[order_id]` is a row of parts: `[…]` holds an expression with
//! an optional type and order, text outside brackets is a literal, and so is a bracket with only punctuation
//! (`[_]`), a quoted text (`['a b']`) or hex (`[0x00ff]`). After the parts, `where` gives names to expressions. A key
//! without any bracket is expressions joined by a literal `:`.
//!
//! This module turns text into a tree ([`Notation`]) in which every node knows its place; whether fields and types
//! make sense together is asked in [`crate::key`].
//!
//! **Law** (`tests/generated.rs`): a tree prints as a text that parses to the same tree.
//!
//! Quirk: a key has at most [`MAX_LENGTH`] bytes and [`MAX_DEPTH`] nested parentheses, so that no text can exhaust
//! the stack.

mod cut;
pub(crate) mod foreign;
mod grammar;
mod parse;
mod print;
mod tree;

pub(crate) use parse::parse_what_can_be;
pub use parse::{MAX_DEPTH, MAX_LENGTH, parse};
pub use tree::{Call, Definition, Expr, ExprKind, Form, Notation, Operator, Part, PartKind, Suffix};
