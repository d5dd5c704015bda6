//! What a rule looks at: the compiled key beside its notation, part by part.

use super::expr::map;
use super::guess::{self, Likely};
use super::rewrite::Rewrite;
use super::{Context, Cure, Issue, Place, Rule, Severity};
use crate::key::{Field, FieldId, KeySchema, ValueStep};
use crate::notation::{self, Expr, ExprKind, Form, Notation, PartKind, Suffix};
use crate::types::{Kind, Nulls};

/// A key under a rule's eye.
pub(super) struct Subject<'a> {
    pub(super) key: &'a KeySchema,
    pub(super) context: &'a Context<'a>,
    pub(super) notation: Notation,
    /// The parts that depend on the record.
    pub(super) parts: Vec<ValuePart<'a>>,
}

/// A part that depends on the record.
pub(super) struct ValuePart<'a> {
    /// Its place among all parts of the notation.
    pub(super) index: usize,
    /// Its expression, with the names after `where` replaced.
    pub(super) expr: Expr,
    pub(super) suffix: Suffix,
    pub(super) step: &'a ValueStep,
}

impl<'a> Subject<'a> {
    pub(super) fn new(key: &'a KeySchema, context: &'a Context<'a>) -> Self {
        // A compiled key has a notation that parses; if it had none, there would be nothing to say about its parts.
        let empty = Notation { form: Form::Brackets, parts: Vec::new(), names: Vec::new() };
        let notation = notation::parse(key.source()).unwrap_or(empty);
        let mut known: Vec<(&str, Expr)> = Vec::new();
        for definition in &notation.names {
            let expr = expand(&definition.expr, &known);
            known.push((&definition.name, expr));
        }
        let written = notation.parts.iter().enumerate().filter_map(|(index, part)| match &part.kind {
            PartKind::Literal(_) => None,
            PartKind::Expr(expr, suffix) => Some((index, expand(expr, &known), *suffix)),
        });
        let parts = written
            .zip(key.value_steps())
            .map(|((index, expr, suffix), step)| ValuePart { index, expr, suffix, step })
            .collect();
        Self { key, context, notation, parts }
    }

    /// The field of this name.
    pub(super) fn field(&self, name: &str) -> Option<(FieldId, &'a Field)> {
        let id = self.key.fields().id(name)?;
        Some((id, self.key.fields().get(id)))
    }

    /// The name of a field.
    pub(super) fn name(&self, id: FieldId) -> &'a str {
        &self.key.fields().get(id).name
    }

    /// Whether a field is a time: by its type (`Some(false)`), by its name only (`Some(true)`: a guess), or not at all.
    pub(super) fn time(&self, name: &str) -> Option<Guess> {
        let (_, field) = self.field(name)?;
        let by_name = guess::likely(name) == Some(Likely::Time) && guess::may_be_time(field.ty);
        match field.ty.kind() {
            Kind::Time => Some(Guess(false)),
            _ => by_name.then_some(Guess(true)),
        }
    }

    /// Whether the field's type was inferred from how the key uses it, not declared.
    pub(super) fn is_inferred(&self, name: &str) -> bool {
        let written = |part: &ValuePart<'_>| {
            let whole =
                matches!(&part.expr.kind, ExprKind::Name(own) if own == name) && part.suffix.ty.is_some();
            let argument = super::expr::find(
                &part.expr,
                |expr| matches!(&expr.kind, ExprKind::Typed(inner, _) if super::expr::name(inner) == Some(name)),
            );
            whole || argument.is_some()
        };
        !self.context.declared && !self.parts.iter().any(written)
    }

    /// Compiles a rewritten key over the same fields.
    pub(super) fn compile(&self, source: &str) -> Option<KeySchema> {
        if self.context.declared {
            return KeySchema::with_fields(source, self.key.fields()).ok();
        }
        KeySchema::parse(source).ok()
    }

    /// Begins a cure.
    pub(super) fn rewrite(&self) -> Rewrite<'_> {
        Rewrite::new(self)
    }

    /// An issue with a part.
    pub(super) fn at(&self, part: &ValuePart<'_>, rule: &'static Rule, severity: Severity) -> Draft {
        let (label, span) = (part.step.label().to_owned(), part.step.span());
        let label = if self.notation.form == Form::Colons { part.expr.to_string() } else { label };
        Draft::new(Place::Part { index: part.index, label, span }, rule, severity)
    }
}

/// Whether something is only guessed from a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guess(pub(super) bool);

impl Guess {
    /// The words that mark a guess.
    pub(super) fn words(self) -> &'static str {
        if self.0 { ", by its name" } else { "" }
    }
}

impl ValuePart<'_> {
    /// The part as a message shows it.
    pub(super) fn text(&self) -> String {
        self.expr.to_string()
    }

    /// Its suffix with `?` written out, if it takes nulls without saying so, so that a type can be added.
    pub(super) fn full_suffix(&self) -> Suffix {
        let inherits = self.suffix.nulls == Nulls::Refused && self.suffix.ty.is_none();
        let nulls = if inherits { self.step.nulls } else { self.suffix.nulls };
        Suffix { nulls, ..self.suffix }
    }
}

fn expand(expr: &Expr, known: &[(&str, Expr)]) -> Expr {
    map(expr, &|inner| match &inner.kind {
        ExprKind::Name(name) => known.iter().find(|(own, _)| own == name).map(|(_, expr)| expr.clone()),
        _ => None,
    })
}

/// An issue that is being put into words.
pub(super) struct Draft {
    issue: Issue,
}

impl Draft {
    pub(super) fn new(place: Place, rule: &'static Rule, severity: Severity) -> Self {
        let cure = Cure { text: String::new(), rewritten: None };
        Self { issue: Issue { rule, severity, place, message: String::new(), cure, guess: false } }
    }

    pub(super) fn guess(mut self, guess: Guess) -> Self {
        self.issue.guess = guess.0;
        self
    }

    pub(super) fn because(mut self, message: impl Into<String>) -> Self {
        self.issue.message = message.into();
        self
    }

    /// Ends it with what to do, and the key rewritten so.
    pub(super) fn cure(mut self, text: impl Into<String>, rewritten: Option<String>) -> Issue {
        self.issue.cure = Cure { text: text.into(), rewritten };
        self.issue
    }
}
