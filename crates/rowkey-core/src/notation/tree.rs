//! The tree of a key's notation.

use crate::span::Span;
use crate::types::{Nulls, Order, Type};

/// The parsed notation of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// With brackets, or expressions joined by `:`.
    pub form: Form,
    /// Its parts, from left to right.
    pub parts: Vec<Part>,
    /// The names after `where`.
    pub names: Vec<Definition>,
}

/// The two ways to write a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `[a][b]`
    Brackets,
    /// `a:b`, where each `:` is a literal.
    Colons,
}

/// A name for an expression: `bucket = ts % 16`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name before the `=`.
    pub name: String,
    /// The span of the name.
    pub span: Span,
    /// What it stands for.
    pub expr: Expr,
}

/// One part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its span, brackets included.
    pub span: Span,
    /// A literal or an expression.
    pub kind: PartKind,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Bytes that every key has here.
    Literal(Vec<u8>),
    /// An expression with its type and order.
    Expr(Expr, Suffix),
}

/// What may follow an expression in a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suffix {
    /// `: type`, with its place.
    pub ty: Option<(Type, Span)>,
    /// `?` and `nulls last`.
    pub nulls: Nulls,
    /// `desc`, or nothing for ascending.
    pub order: Order,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// Its span in the notation.
    pub span: Span,
    /// The expression itself.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A field, or a name after `where`.
    Name(String),
    /// A whole number.
    Number(i128),
    /// Text in quotes, with doubled quotes undone.
    Text(String),
    /// `Long.MAX_VALUE`
    LongMax,
    /// `function(arguments)`, or `receiver.function(arguments)`: then the receiver is the first argument.
    Call(Call),
    /// `left op right`
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// An argument with a type: `n: decimal(11)`.
    Typed(Box<Expr>, Type),
    /// An argument that maps a text to a code: `'Taobao'='tb'`.
    Mapping(String, String),
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function's name.
    pub function: String,
    /// The span of the function's name.
    pub function_span: Span,
    /// Written with a dot behind its first argument.
    pub is_method: bool,
    /// The arguments in order, the receiver of a method first.
    pub arguments: Vec<Expr>,
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, which floors.
    Divide,
    /// `%`, which is never negative.
    Modulo,
}

impl Operator {
    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }

    /// Whether it binds tighter than `+` and `-`.
    pub(super) fn is_tight(self) -> bool {
        matches!(self, Self::Multiply | Self::Divide | Self::Modulo)
    }
}
