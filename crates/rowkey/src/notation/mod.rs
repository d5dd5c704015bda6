//! What does a key written in the notation say?
//!
//! `[salt(16, user_id)][user_id][ts: timestamp desc]-[order_id]` is a row of parts: `[…]` holds an expression with
//! an optional type and order, text outside brackets is a literal, and so is a bracket with only punctuation
//! (`[_]`), a quoted text (`['a b']`) or hex (`[0x00ff]`).
//!
//! This module turns text into a tree ([`Notation`]) in which every node knows its place; whether fields and types
//! make sense together is asked in [`crate::key`].
//!
//! Quirk: this version reads the first subset of the notation: fields, `salt`, types, `desc`, literals. Arithmetic,
//! methods, `where` names and keys without brackets are refused with words that say so.

mod parse;
mod tree;

pub use parse::parse;
pub use tree::{Argument, Expr, Notation, Part, PartKind, Suffix};
