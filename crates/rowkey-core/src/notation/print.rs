//! From tree to text, so that a key can be rewritten: `parse(print(k))` is `k` again, but for places.

use std::fmt;

use super::tree::{Call, Expr, ExprKind, Form, Notation, Operator, PartKind, Suffix};
use crate::escape::to_hex;
use crate::types::{Nulls, Order};

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match (&part.kind, self.form) {
                (PartKind::Literal(_), Form::Colons) => f.write_str(":")?,
                (PartKind::Expr(expr, _), Form::Colons) => write!(f, "{expr}")?,
                (PartKind::Literal(bytes), Form::Brackets) => write!(f, "[{}]", Literal(bytes))?,
                (PartKind::Expr(expr, suffix), Form::Brackets) => write!(f, "[{expr}{suffix}]")?,
            }
        }
        for (index, definition) in self.names.iter().enumerate() {
            let lead = if index == 0 { " where " } else { ", " };
            write!(f, "{lead}{} = {}", definition.name, definition.expr)?;
        }
        Ok(())
    }
}

struct Literal<'a>(&'a [u8]);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(self.0) {
            Ok(text) if !text.is_empty() && text.bytes().all(is_punctuation) => f.write_str(text),
            Ok(text) if !text.is_empty() && !text.contains(char::is_control) => quoted(text, f),
            _ => write!(f, "0x{}", to_hex(self.0)),
        }
    }
}

/// The characters that stand for themselves in a bracket of their own.
pub(super) fn is_punctuation(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !matches!(byte, b'\'' | b'[' | b']')
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "'{}'", text.replace('\'', "''"))
}

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((ty, _)) = self.ty {
            write!(f, ": {ty}")?;
        }
        if self.nulls != Nulls::Refused {
            f.write_str("?")?;
        }
        if self.order == Order::Descending {
            f.write_str(" desc")?;
        }
        if self.nulls == Nulls::Last {
            f.write_str(" nulls last")?;
        }
        Ok(())
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Number(number) => write!(f, "{number}"),
            ExprKind::Text(text) => quoted(text, f),
            ExprKind::LongMax => f.write_str("Long.MAX_VALUE"),
            ExprKind::Call(call) => write!(f, "{call}"),
            ExprKind::Typed(expr, ty) => write!(f, "{expr}: {ty}"),
            ExprKind::Mapping(from, to) => {
                quoted(from, f)?;
                f.write_str("=")?;
                quoted(to, f)
            }
            ExprKind::Binary(operator, left, right) => {
                operand(left, *operator, false, f)?;
                write!(f, " {} ", operator.sign())?;
                operand(right, *operator, true, f)
            }
        }
    }
}

/// The left of two equal operators binds first; parentheses keep any other tree.
fn operand(expr: &Expr, parent: Operator, is_right: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let needs = match &expr.kind {
        ExprKind::Binary(operator, ..) => {
            let (own, outer) = (operator.is_tight(), parent.is_tight());
            (outer && !own) || (is_right && own == outer)
        }
        _ => false,
    };
    if needs { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arguments = self.arguments.iter();
        if self.is_method
            && let Some(receiver) = arguments.next()
        {
            match receiver.kind {
                ExprKind::Binary(..) => write!(f, "({receiver}).")?,
                _ => write!(f, "{receiver}.")?,
            }
        }
        write!(f, "{}(", self.function)?;
        for (index, argument) in arguments.enumerate() {
            let lead = if index == 0 { "" } else { ", " };
            write!(f, "{lead}{argument}")?;
        }
        f.write_str(")")
    }
}
