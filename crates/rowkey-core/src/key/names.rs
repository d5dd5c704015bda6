//! The names after `where`.
//!
//! Each name is replaced by its expression wherever it is used, in the parts and in later names, so that everything
//! behind this module sees fields and functions only.

use crate::finding::{Finding, Problem};
use crate::key::Fields;
use crate::notation::{Call, Definition, Expr, ExprKind, Notation, Part, PartKind};

/// Names of names can grow without bounds; no key needs more than this many nodes.
const MAX_NODES: usize = 10_000;

pub(super) fn expand(
    notation: &Notation,
    declared: Option<&Fields>,
    findings: &mut Vec<Finding>,
) -> Vec<Part> {
    let mut expander = Expander {
        known: Vec::new(),
        names: &notation.names,
        now: None,
        nodes: 0,
        too_many: false,
        findings,
    };
    for definition in &notation.names {
        expander.define(definition, declared);
    }
    let mut parts = Vec::with_capacity(notation.parts.len());
    for part in &notation.parts {
        let kind = match &part.kind {
            PartKind::Literal(bytes) => PartKind::Literal(bytes.clone()),
            PartKind::Expr(expr, suffix) => PartKind::Expr(expander.expand(expr), *suffix),
        };
        parts.push(Part { span: part.span, kind });
    }
    expander.report_unused();
    parts
}

struct Known {
    name: String,
    expr: Expr,
    used: bool,
    span: crate::span::Span,
}

struct Expander<'a> {
    known: Vec<Known>,
    names: &'a [Definition],
    /// The one that is being written out.
    now: Option<&'a Definition>,
    nodes: usize,
    too_many: bool,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Expander<'a> {
    fn define(&mut self, definition: &'a Definition, declared: Option<&Fields>) {
        let Definition { name, span, expr } = definition;
        if self.known.iter().any(|known| known.name == *name) {
            self.findings.push(Finding::new(*span, Problem::NameTwice { name: name.clone() }));
            return;
        }
        // A name that stands for itself is told so, which says more.
        let told = self.findings.len();
        self.now = Some(definition);
        let expr = self.expand(expr);
        self.now = None;
        if self.findings.len() == told && declared.is_some_and(|fields| fields.id(name).is_some()) {
            self.findings.push(Finding::new(*span, Problem::NameIsField { name: name.clone() }));
        }
        self.known.push(Known { name: name.clone(), expr, used: false, span: *span });
    }

    fn expand(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Name(name) => return self.name(name, expr),
            ExprKind::Call(call) => ExprKind::Call(Call {
                arguments: call.arguments.iter().map(|argument| self.expand(argument)).collect(),
                ..call.clone()
            }),
            ExprKind::Binary(operator, left, right) => {
                ExprKind::Binary(*operator, Box::new(self.expand(left)), Box::new(self.expand(right)))
            }
            ExprKind::Typed(inner, ty) => ExprKind::Typed(Box::new(self.expand(inner)), *ty),
            leaf => leaf.clone(),
        };
        Expr { span: expr.span, kind }
    }

    fn name(&mut self, name: &str, expr: &Expr) -> Expr {
        if let Some(known) = self.known.iter_mut().find(|known| known.name == name) {
            known.used = true;
            self.nodes += count(&known.expr);
            if self.nodes <= MAX_NODES {
                return known.expr.clone();
            }
            if !self.too_many {
                self.too_many = true;
                self.findings.push(Finding::new(expr.span, Problem::TooManyNodes { limit: MAX_NODES }));
            }
            return Expr { span: expr.span, kind: ExprKind::Number(0) };
        }
        if let Some(now) = self.now.filter(|now| now.name == name) {
            let problem = Problem::NameOfItself { name: name.to_owned(), expr: now.expr.to_string() };
            self.findings.push(Finding::new(expr.span, problem));
        } else if self.names.iter().any(|definition| definition.name == name) {
            self.findings.push(Finding::new(expr.span, Problem::NameTooEarly { name: name.to_owned() }));
        }
        expr.clone()
    }

    fn report_unused(&mut self) {
        for known in &self.known {
            if !known.used {
                let problem = Problem::NameUnused { name: known.name.clone() };
                self.findings.push(Finding::new(known.span, problem));
            }
        }
    }
}

fn count(expr: &Expr) -> usize {
    1 + match &expr.kind {
        ExprKind::Call(call) => call.arguments.iter().map(count).sum(),
        ExprKind::Binary(_, left, right) => count(left) + count(right),
        ExprKind::Typed(inner, _) => count(inner),
        _ => 0,
    }
}
