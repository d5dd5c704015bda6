//! The tree of a key's notation.

use crate::span::Span;
use crate::types::{Order, Type};

/// A key as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// Its parts, from left to right.
    pub parts: Vec<Part>,
}

/// One part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its place, brackets included.
    pub span: Span,
    /// What it is.
    pub kind: PartKind,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Fixed bytes.
    Literal(Vec<u8>),
    /// An expression with its type and order.
    Expr(Expr, Suffix),
}

/// What may follow an expression in a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suffix {
    /// `: type`, with its place.
    pub ty: Option<(Type, Span)>,
    /// `desc`, or nothing for ascending.
    pub order: Order,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A field by name.
    Field {
        /// Its name.
        name: String,
        /// Its place.
        span: Span,
    },
    /// A function of arguments.
    Call {
        /// The function's name.
        function: String,
        /// The place of the name.
        function_span: Span,
        /// Its arguments.
        arguments: Vec<Argument>,
        /// The place of the whole call.
        span: Span,
    },
}

/// An argument of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A whole number as written.
    Number {
        /// Its digits.
        digits: String,
        /// Its place.
        span: Span,
    },
    /// Any expression.
    Expr(Expr),
}
