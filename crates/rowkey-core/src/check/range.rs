//! The range of numbers that an expression can give, and whether it rises or falls with a field.

use super::expr::{call, constant, from_long_max, name};
use crate::hashes::HashFunction;
use crate::key::Fields;
use crate::notation::{Expr, ExprKind, Operator};
use crate::types::{Kind, Order, Type};

/// The smallest and the largest number of an expression; `None` if it gives none, or nothing is known.
pub(super) fn range(expr: &Expr, fields: &Fields) -> Option<(i128, i128)> {
    let inner = |expr: &Expr| range(expr, fields);
    match &expr.kind {
        ExprKind::Name(name) => {
            let ty = fields.get(fields.id(name)?).ty;
            // Times before 1970 exist, but no table is keyed by when they were written.
            if ty.kind() == Kind::Time { Some((0, i64::MAX.into())) } else { ty.integer_range() }
        }
        ExprKind::Number(number) => Some((*number, *number)),
        ExprKind::LongMax => Some((i64::MAX.into(), i64::MAX.into())),
        ExprKind::Typed(expr, ty) => {
            let (own, of_type) = (inner(expr), ty.integer_range());
            own.zip(of_type).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).or(own).or(of_type)
        }
        ExprKind::Binary(..) if from_long_max(expr).is_some() => Some((0, i64::MAX.into())),
        ExprKind::Binary(operator, left, right) => {
            if *operator == Operator::Modulo {
                return Some((0, constant(right)?.checked_sub(1)?));
            }
            let (a, b) = (inner(left)?, inner(right)?);
            let apply = |x: i128, y: i128| match operator {
                Operator::Add => x.checked_add(y),
                Operator::Subtract => x.checked_sub(y),
                Operator::Multiply => x.checked_mul(y),
                Operator::Divide | Operator::Modulo => x.checked_div_euclid(y),
            };
            let all = [apply(a.0, b.0)?, apply(a.0, b.1)?, apply(a.1, b.0)?, apply(a.1, b.1)?];
            Some((all.into_iter().min()?, all.into_iter().max()?))
        }
        ExprKind::Call(called) => match (called.function.as_str(), called.arguments.as_slice()) {
            ("rem", [left, right]) => {
                let most = constant(right)?.checked_sub(1)?;
                let may_be_negative = inner(left).is_none_or(|(min, _)| min < 0);
                Some((if may_be_negative { -most } else { 0 }, most))
            }
            ("salt" | "phoenix_row_salt" | "opentsdb_salt" | "random", [count, ..]) => {
                Some((0, constant(count)? - 1))
            }
            (function, _) => HashFunction::from_name(function).and_then(HashFunction::number_range),
        },
        ExprKind::Text(_) | ExprKind::Mapping(..) => None,
    }
}

/// Whether it can give a number below zero.
pub(super) fn may_be_negative(expr: &Expr, fields: &Fields) -> bool {
    range(expr, fields).is_none_or(|(min, _)| min < 0)
}

/// The field that an expression follows, and whether it rises or falls with it, looking at values only: whether
/// the bytes keep the order is another question.
pub(super) fn follows(expr: &Expr) -> Option<(&str, Order)> {
    let reversed = |(name, order): (_, Order)| (name, order.reversed());
    if let Some(inner) = from_long_max(expr) {
        return follows(inner).map(reversed);
    }
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Typed(..) => name(expr).map(|name| (name, Order::Ascending)),
        ExprKind::Binary(operator, left, right) => match (constant(left), operator, constant(right)) {
            (None, Operator::Add | Operator::Subtract | Operator::Divide, Some(_)) => follows(left),
            (None, Operator::Multiply, Some(by)) if by > 0 => follows(left),
            (Some(by), Operator::Multiply, None) if by > 0 => follows(right),
            (Some(_), Operator::Add, None) => follows(right),
            (Some(_), Operator::Subtract, None) => follows(right).map(reversed),
            _ => None,
        },
        ExprKind::Call(called) => match (called.function.as_str(), called.arguments.as_slice()) {
            ("date", [time]) => follows(time),
            ("date", [time, Expr { kind: ExprKind::Text(pattern), .. }]) if pattern.starts_with("yyyy") => {
                follows(time)
            }
            // A time has the same number of digits for centuries.
            ("str", [number]) => follows(number),
            ("lpad", [padded, ..]) if call(padded, "str").is_some() => follows(padded),
            ("subStr", [text, from, _]) if constant(from) == Some(0) => {
                name(text).map(|name| (name, Order::Ascending))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The smallest unsigned type with room for every number of so many digits.
pub(super) fn unsigned_for_digits(digits: u16) -> Option<Type> {
    match digits {
        1..=2 => Some(Type::U8),
        3..=4 => Some(Type::U16),
        5..=9 => Some(Type::U32),
        10..=19 => Type::from_name("u64"),
        _ => None,
    }
}

/// The greatest number that divides both.
pub(super) fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { common_divisor(b, a % b) }
}
