//! The types of undeclared fields, inferred from how the key uses them.
//!
//! A field has the type of the first part `[f: T]` that is nothing but the field, or of the first argument `f: T`; else
//! `long` if it is used in arithmetic, `.rem` or `str`; else `timestamp` in `date`; else `text`.

use super::schema::{Field, Fields};
use crate::finding::{Finding, Problem};
use crate::notation::{Expr, ExprKind, Part, PartKind};
use crate::types::{Nulls, Type};

pub(super) fn fields(parts: &[Part], findings: &mut Vec<Finding>) -> Fields {
    let mut uses: Vec<Use> = Vec::new();
    for part in parts {
        let PartKind::Expr(expr, suffix) = &part.kind else { continue };
        if let (ExprKind::Name(name), Some((ty, span))) = (&expr.kind, suffix.ty) {
            let field = entry(&mut uses, name);
            match field.part {
                Some((first, _)) if first != ty => {
                    findings.push(Finding::new(
                        span,
                        Problem::TwoTypes { field: name.clone(), first, second: ty },
                    ));
                }
                Some(_) => {}
                None => {
                    field.part = Some((ty, suffix.nulls != Nulls::Refused || matches!(ty, Type::Ordered(_))))
                }
            }
        }
        visit(expr, Context::Plain, &mut uses);
    }
    Fields::new(uses.into_iter().map(Use::into_field).collect())
}

/// How a key uses a field.
struct Use {
    name: String,
    /// The type of a part `[f: T]`, and whether it may be null.
    part: Option<(Type, bool)>,
    argument: Option<Type>,
    arithmetic: bool,
    date: bool,
}

impl Use {
    fn into_field(self) -> Field {
        let ty = match self {
            Self { part: Some((ty, _)), .. } => ty,
            Self { argument: Some(ty), .. } => ty,
            Self { arithmetic: true, .. } => Type::LONG,
            Self { date: true, .. } => Type::Timestamp,
            _ => Type::Text,
        };
        Field { ty, nullable: self.part.is_some_and(|(_, nullable)| nullable), name: self.name }
    }
}

fn entry<'a>(uses: &'a mut Vec<Use>, name: &str) -> &'a mut Use {
    let at = uses.iter().position(|field| field.name == name).unwrap_or_else(|| {
        let name = name.to_owned();
        uses.push(Use { name, part: None, argument: None, arithmetic: false, date: false });
        uses.len() - 1
    });
    uses.get_mut(at).expect("it was found or pushed")
}

#[derive(Clone, Copy, PartialEq)]
enum Context {
    Plain,
    Arithmetic,
    Date,
}

fn visit(expr: &Expr, context: Context, uses: &mut Vec<Use>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            let field = entry(uses, name);
            field.arithmetic |= context == Context::Arithmetic;
            field.date |= context == Context::Date;
        }
        ExprKind::Binary(_, left, right) => {
            visit(left, Context::Arithmetic, uses);
            visit(right, Context::Arithmetic, uses);
        }
        ExprKind::Call(call) => {
            let inner = match call.function.as_str() {
                "str" | "rem" => Context::Arithmetic,
                "date" => Context::Date,
                _ => Context::Plain,
            };
            call.arguments.iter().for_each(|argument| visit(argument, inner, uses));
        }
        ExprKind::Typed(inner, ty) => match &inner.kind {
            ExprKind::Name(name) => {
                let field = entry(uses, name);
                field.argument = field.argument.or(Some(*ty));
            }
            _ => visit(inner, context, uses),
        },
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::LongMax | ExprKind::Mapping(..) => {}
    }
}
