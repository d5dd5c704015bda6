//! Writes a key with one thing changed.
//!
//! A [`Rewrite`] edits the tree of the notation and prints it. The result is given only if it compiles over the same
//! fields: names that are no longer used are dropped, and a field whose type was inferred from what is gone keeps
//! its type in writing.

use super::expr::{field, name, names, typed, walk, with_type};
use super::subject::{Subject, ValuePart};
use crate::notation::{self, Expr, ExprKind, Form, Notation, PartKind, Suffix};
use crate::span::Span;
use crate::types::{Order, Type};

/// A key being changed. Places of parts stay valid until [`Rewrite::finish`].
pub(super) struct Rewrite<'a> {
    subject: &'a Subject<'a>,
    form: Form,
    front: Vec<notation::Part>,
    /// What stands at the place of each part of the old key.
    parts: Vec<Vec<notation::Part>>,
    end: Vec<notation::Part>,
    /// Fields whose type is meant to change.
    retyped: Vec<String>,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(subject: &'a Subject<'a>) -> Self {
        let parts = subject.notation.parts.iter().map(|part| vec![part.clone()]).collect();
        let (front, end, retyped) = (Vec::new(), Vec::new(), Vec::new());
        Self { subject, form: subject.notation.form, front, parts, end, retyped }
    }

    /// Puts an expression in the place of a part.
    pub(super) fn replace(self, part: &ValuePart<'_>, expr: Expr, suffix: Suffix) -> Self {
        self.replace_all(part, [(expr, suffix)])
    }

    /// Puts several parts in the place of one.
    pub(super) fn replace_all<const N: usize>(
        mut self,
        part: &ValuePart<'_>,
        new: [(Expr, Suffix); N],
    ) -> Self {
        let new: Vec<notation::Part> =
            new.into_iter().map(|(expr, suffix)| self.part(expr, suffix)).collect();
        if new.len() > 1 {
            self.form = Form::Brackets;
        }
        if let Some(place) = self.parts.get_mut(part.index) {
            *place = new;
        }
        self
    }

    /// Gives a part another type.
    pub(super) fn retype(mut self, part: &ValuePart<'_>, ty: Type) -> Self {
        let Some(own) = name(&part.expr) else {
            return self.replace(part, part.expr.clone(), with_type(part.full_suffix(), ty));
        };
        // A field without a declaration has one type, in every part that is nothing but the field.
        let everywhere = !self.subject.context.declared;
        self.retyped.push(own.to_owned());
        let subject = self.subject;
        for other in &subject.parts {
            let whole = matches!(&other.expr.kind, ExprKind::Name(name) if name == own);
            if other.index == part.index || (everywhere && whole && other.suffix.ty.is_some()) {
                self = self.replace(other, other.expr.clone(), with_type(other.full_suffix(), ty));
            }
        }
        self
    }

    /// Makes plain text before another part safe, and leaves out the literals that ended it.
    pub(super) fn escape(mut self, part: &ValuePart<'_>) -> Self {
        self = self.retype(part, Type::Escaped);
        let literals = self.subject.notation.parts.iter().skip(part.index + 1);
        let count = literals.take_while(|next| matches!(next.kind, PartKind::Literal(_))).count();
        self.parts.iter_mut().skip(part.index + 1).take(count).for_each(Vec::clear);
        self
    }

    /// Puts an expression before all parts.
    pub(super) fn lead_with(mut self, expr: Expr, suffix: Suffix) -> Self {
        let part = self.part(expr, suffix);
        self.front.push(part);
        if self.subject.notation.form == Form::Colons {
            self.front.push(notation::Part { span: Span::default(), kind: PartKind::Literal(b":".to_vec()) });
        }
        self
    }

    /// Puts a part at the end.
    pub(super) fn append(mut self, expr: Expr, suffix: Suffix) -> Self {
        let part = self.part(expr, suffix);
        self.form = Form::Brackets;
        self.end.push(part);
        self
    }

    /// Takes a part away, and the literals right before it if nothing follows.
    pub(super) fn remove(mut self, part: &ValuePart<'_>) -> Self {
        let is_last = self.parts.len() == part.index + 1;
        let before = self.subject.notation.parts.iter().take(part.index).rev();
        let literals = before.take_while(|part| matches!(part.kind, PartKind::Literal(_))).count();
        let count = if is_last { literals } else { 0 };
        self.parts.iter_mut().skip(part.index - count).take(count + 1).for_each(Vec::clear);
        self
    }

    fn part(&mut self, expr: Expr, suffix: Suffix) -> notation::Part {
        if suffix != Suffix::default() {
            self.form = Form::Brackets;
        }
        if let (ExprKind::Name(name), Some(_)) = (&expr.kind, suffix.ty) {
            self.retyped.push(name.clone());
        }
        notation::Part { span: Span::default(), kind: PartKind::Expr(expr, suffix) }
    }

    /// The key as text; `None` if it would not compile.
    pub(super) fn finish(self) -> Option<String> {
        let parts = self.front.into_iter().chain(self.parts.into_iter().flatten()).chain(self.end).collect();
        let mut changed = Notation { form: self.form, parts, names: self.subject.notation.names.clone() };
        drop_unused_names(&mut changed);
        let source = changed.to_string();
        if source == self.subject.key.source() {
            return None;
        }
        if compiles(self.subject, &source, &self.retyped) {
            return Some(source);
        }
        pin_types(&mut changed, self.subject, &self.retyped);
        let source = changed.to_string();
        compiles(self.subject, &source, &self.retyped).then_some(source)
    }
}

/// Whether the key compiles and its fields keep their types, but for those that are meant to change.
fn compiles(subject: &Subject<'_>, source: &str, retyped: &[String]) -> bool {
    let Some(key) = subject.compile(source) else { return false };
    key.fields().iter().all(|(_, field)| {
        retyped.contains(&field.name) || subject.field(&field.name).is_some_and(|(_, old)| old.ty == field.ty)
    })
}

fn drop_unused_names(notation: &mut Notation) {
    loop {
        let mut used: Vec<String> = Vec::new();
        let exprs = notation.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Literal(_) => None,
            PartKind::Expr(expr, _) => Some(expr),
        });
        for expr in exprs.chain(notation.names.iter().map(|definition| &definition.expr)) {
            used.extend(names(expr).into_iter().map(str::to_owned));
        }
        let before = notation.names.len();
        notation.names.retain(|definition| used.contains(&definition.name));
        if notation.names.len() == before {
            return;
        }
    }
}

/// Writes down the types that were inferred from what is no longer there.
fn pin_types(notation: &mut Notation, subject: &Subject<'_>, retyped: &[String]) {
    for (_, known) in subject.key.fields().iter() {
        if retyped.contains(&known.name) || !subject.is_inferred(&known.name) || known.ty == Type::Text {
            continue;
        }
        let whole = notation.parts.iter_mut().find_map(|part| match &mut part.kind {
            PartKind::Expr(Expr { kind: ExprKind::Name(name), .. }, suffix) if *name == known.name => {
                Some(suffix)
            }
            _ => None,
        });
        match whole {
            Some(suffix) => {
                *suffix = with_type(*suffix, known.ty);
                notation.form = Form::Brackets;
            }
            None => pin_argument(notation, &known.name, known.ty),
        }
    }
}

/// The first call with the field as an argument says its type.
fn pin_argument(notation: &mut Notation, wanted: &str, ty: Type) {
    for part in &mut notation.parts {
        let PartKind::Expr(expr, _) = &mut part.kind else { continue };
        let mut is_argument = false;
        walk(expr, &mut |inner| {
            if let ExprKind::Call(call) = &inner.kind {
                is_argument |= call.arguments.iter().any(|argument| name(argument) == Some(wanted));
            }
        });
        if is_argument {
            *expr = super::expr::map(expr, &|inner| {
                let ExprKind::Call(call) = &inner.kind else { return None };
                let mut call = call.clone();
                let argument = call.arguments.iter_mut().find(|argument| name(argument) == Some(wanted))?;
                *argument = typed(field(wanted), ty);
                Some(Expr { span: inner.span, kind: ExprKind::Call(call) })
            });
            return;
        }
    }
}

/// The suffix of a part that sorts the other way.
pub(super) fn descending(suffix: Suffix) -> Suffix {
    Suffix {
        order: if suffix.order == Order::Descending { Order::Ascending } else { Order::Descending },
        ..suffix
    }
}
