//! Small questions about an expression of the notation, and small expressions to answer with.

use crate::notation::{Call, Expr, ExprKind, Operator, Suffix};
use crate::span::Span;
use crate::types::Type;

/// Calls `visit` for an expression and everything in it, from left to right.
pub(super) fn walk<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Call(call) => call.arguments.iter().for_each(|argument| walk(argument, visit)),
        ExprKind::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Typed(inner, _) => walk(inner, visit),
        _ => {}
    }
}

/// The first expression in it, itself included, that `wanted` takes.
pub(super) fn find(expr: &Expr, wanted: impl Fn(&Expr) -> bool) -> Option<&Expr> {
    let mut found = None;
    walk(expr, &mut |inner| {
        if found.is_none() && wanted(inner) {
            found = Some(inner);
        }
    });
    found
}

/// The names in it, each once.
pub(super) fn names(expr: &Expr) -> Vec<&str> {
    let mut names = Vec::new();
    walk(expr, &mut |inner| {
        if let ExprKind::Name(name) = &inner.kind
            && !names.contains(&name.as_str())
        {
            names.push(name.as_str());
        }
    });
    names
}

/// The expression with everything in it that `change` takes replaced, from the inside out.
pub(super) fn map(expr: &Expr, change: &impl Fn(&Expr) -> Option<Expr>) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Call(call) => {
            let arguments = call.arguments.iter().map(|argument| map(argument, change)).collect();
            ExprKind::Call(Call { arguments, ..call.clone() })
        }
        ExprKind::Binary(operator, left, right) => {
            ExprKind::Binary(*operator, Box::new(map(left, change)), Box::new(map(right, change)))
        }
        ExprKind::Typed(inner, ty) => ExprKind::Typed(Box::new(map(inner, change)), *ty),
        leaf => leaf.clone(),
    };
    let expr = Expr { span: expr.span, kind };
    change(&expr).unwrap_or(expr)
}

/// The arguments, if it is a call of this function.
pub(super) fn call<'e>(expr: &'e Expr, function: &str) -> Option<&'e [Expr]> {
    match &expr.kind {
        ExprKind::Call(call) if call.function == function => Some(&call.arguments),
        _ => None,
    }
}

/// The name, if it is nothing else; a type of its own does not count.
pub(super) fn name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Typed(inner, _) => name(inner),
        _ => None,
    }
}

/// The number, if it is one.
pub(super) fn constant(expr: &Expr) -> Option<i128> {
    match expr.kind {
        ExprKind::Number(number) => Some(number),
        _ => None,
    }
}

/// `x` and `n` of `x % n`.
pub(super) fn modulo(expr: &Expr) -> Option<(&Expr, i128)> {
    match &expr.kind {
        ExprKind::Binary(Operator::Modulo, left, right) => constant(right).map(|count| (&**left, count)),
        _ => None,
    }
}

/// `x` and `n` of `x.rem(n)`.
pub(super) fn remainder(expr: &Expr) -> Option<(&Expr, i128)> {
    match call(expr, "rem")? {
        [left, right] => constant(right).map(|count| (left, count)),
        _ => None,
    }
}

/// `x` of `Long.MAX_VALUE - x`.
pub(super) fn from_long_max(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Binary(Operator::Subtract, left, right) if left.kind == ExprKind::LongMax => Some(right),
        _ => None,
    }
}

/// Whether it is a digest, or a stretch or another case of one, and of what.
pub(super) fn digest(expr: &Expr) -> Option<&[Expr]> {
    let ExprKind::Call(Call { function, arguments, .. }) = &expr.kind else { return None };
    match function.as_str() {
        "md5" | "sha1" | "sha256" => Some(arguments),
        "subStr" | "upper" | "lower" | "lower_each" | "bytes" => arguments.first().and_then(digest),
        _ => None,
    }
}

fn made(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

pub(super) fn field(name: &str) -> Expr {
    made(ExprKind::Name(name.to_owned()))
}

/// `left % count`
pub(super) fn make_modulo(left: Expr, count: i128) -> Expr {
    let right = made(ExprKind::Number(count));
    made(ExprKind::Binary(Operator::Modulo, Box::new(left), Box::new(right)))
}

/// `salt(count, …)`
pub(super) fn salt(count: i128, hashed: impl IntoIterator<Item = Expr>) -> Expr {
    salt_of(made(ExprKind::Number(count)), hashed)
}

/// `salt(count, …)` or `salt('letters', …)`
pub(super) fn salt_of(buckets: Expr, hashed: impl IntoIterator<Item = Expr>) -> Expr {
    call_of("salt", [buckets].into_iter().chain(hashed))
}

pub(super) fn number(number: i128) -> Expr {
    made(ExprKind::Number(number))
}

/// `function(…)`
pub(super) fn call_of(function: &str, arguments: impl IntoIterator<Item = Expr>) -> Expr {
    let (function, function_span) = (function.to_owned(), Span::default());
    let arguments = arguments.into_iter().collect();
    made(ExprKind::Call(Call { function, function_span, is_method: false, arguments }))
}

/// An argument under a type.
pub(super) fn typed(expr: Expr, ty: Type) -> Expr {
    made(ExprKind::Typed(Box::new(expr), ty))
}

/// The suffix with another type.
pub(super) fn with_type(suffix: Suffix, ty: Type) -> Suffix {
    Suffix { ty: Some((ty, Span::default())), ..suffix }
}
