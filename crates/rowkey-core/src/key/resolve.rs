//! Resolves each expression over the fields of the key.

use super::functions;
use super::node::{Node, Shape};
use super::schema::{Boundary, FieldId, Fields, ValueStep};
use crate::finding::{Finding, Problem};
use crate::notation::{Expr, ExprKind, Operator, Suffix};
use crate::span::Span;
use crate::types::{Kind, Nulls, Order, Type};

/// Turns expressions into nodes and collects what is wrong with them. `None` is only returned after a finding.
pub(super) struct Resolver<'f> {
    pub(super) fields: &'f Fields,
    declared: bool,
    /// Whether the expression looked at is a part that may be a salt of what follows.
    pub(super) takes_row_salt: bool,
    findings: Vec<Finding>,
}

/// What stands around a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Company {
    /// Nothing stands before it.
    pub(super) is_first: bool,
    /// A literal follows that begins with FF, which ends a complemented text as 00 ends a text.
    pub(super) before_ff: bool,
}

impl<'f> Resolver<'f> {
    pub(super) fn new(fields: &'f Fields, declared: bool) -> Self {
        Self { fields, declared, takes_row_salt: false, findings: Vec::new() }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    pub(super) fn find<T>(&mut self, span: Span, problem: Problem) -> Option<T> {
        self.findings.push(Finding::new(span, problem));
        None
    }

    /// A part of the key, in its company.
    pub(super) fn part(
        &mut self,
        expr: &Expr,
        suffix: Suffix,
        span: Span,
        company: Company,
    ) -> Option<ValueStep> {
        let is_row_salt = matches!(&expr.kind, ExprKind::Call(call) if call.function == functions::ROW_SALT);
        self.takes_row_salt = company.is_first && is_row_salt && suffix == Suffix::default();
        let node = self.node(expr)?;
        let shape = node.shape(self.fields);
        let mut has_field = node.is_random() || matches!(expr.kind, ExprKind::Call(_));
        node.visit_fields(&mut |_| has_field = true);
        if !has_field {
            return self.find(expr.span, Problem::NoField { expr: expr.to_string() });
        }
        let ty = self.part_type(expr, shape, suffix)?;
        let width = ty.width().or(if matches!(ty, Type::Text | Type::Bytes) { shape.width } else { None });
        let has_end = width.is_some() || company.before_ff;
        if suffix.order == Order::Descending && matches!(ty, Type::Text | Type::Bytes) && !has_end {
            return self.find(expr.span, Problem::DescendingText { part: expr.to_string() });
        }
        let is_ordered_bytes = matches!(ty, Type::Ordered(_));
        if is_ordered_bytes && suffix.nulls != Nulls::Refused {
            return self.find(expr.span, Problem::OrderedNull { ty });
        }
        let inherits = suffix.ty.is_none() && shape.nullable && !is_ordered_bytes;
        let nulls = if suffix.nulls == Nulls::Refused && inherits { Nulls::First } else { suffix.nulls };
        Some(ValueStep {
            node,
            kind: shape.kind,
            ty,
            width,
            nulls,
            order: suffix.order,
            boundary: Boundary::Own,
            label: format!("[{expr}{suffix}]"),
            span,
        })
    }

    fn part_type(&mut self, expr: &Expr, shape: Shape, suffix: Suffix) -> Option<Type> {
        let Some((ty, place)) = suffix.ty else {
            let problem = Problem::NeedsType { expr: expr.to_string() };
            return shape.ty.or_else(|| self.find(expr.span, problem));
        };
        if shape.fits(ty) {
            return Some(ty);
        }
        let problem = match (&expr.kind, shape.ty) {
            (ExprKind::Name(field), Some(declared)) => {
                Problem::TypeDoesNotFit { field: field.clone(), declared, part: ty }
            }
            _ => Problem::ExprDoesNotFit { expr: expr.to_string(), kind: shape.kind.words(), part: ty },
        };
        self.find(place, problem)
    }

    /// Any expression.
    pub(super) fn node(&mut self, expr: &Expr) -> Option<Node> {
        match &expr.kind {
            ExprKind::Name(name) => self.field(name, expr.span).map(Node::Field),
            ExprKind::Number(number) => Some(Node::Number(*number)),
            ExprKind::LongMax => Some(Node::Number(i64::MAX.into())),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::Call(call) => functions::resolve(self, call, expr),
            ExprKind::Typed(inner, ty) => self.cast(inner, *ty, expr.span),
            ExprKind::Text(text) => {
                let found = format!("the text '{text}'");
                self.find(
                    expr.span,
                    Problem::Unexpected { expected: "a field or a function".to_owned(), found },
                )
            }
            ExprKind::Mapping(from, to) => {
                let found = format!("'{from}'='{to}'");
                self.find(
                    expr.span,
                    Problem::Unexpected { expected: "a field or a function".to_owned(), found },
                )
            }
        }
    }

    fn cast(&mut self, inner: &Expr, ty: Type, span: Span) -> Option<Node> {
        let node = self.node(inner)?;
        let shape = node.shape(self.fields);
        if !shape.fits(ty) {
            let problem =
                Problem::ExprDoesNotFit { expr: inner.to_string(), kind: shape.kind.words(), part: ty };
            return self.find(span, problem);
        }
        Some(Node::Cast(Box::new(node), ty))
    }

    fn field(&mut self, name: &str, span: Span) -> Option<FieldId> {
        let id = self.fields.id(name);
        if id.is_none() && self.declared {
            return self.find(span, Problem::unknown_field(name, self.fields));
        }
        id
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Option<Node> {
        let (left_node, right_node) = (self.whole_number(left), self.whole_number(right));
        let (left_node, right_node) = (left_node?, right_node?);
        if matches!(operator, Operator::Divide | Operator::Modulo)
            && !matches!(right_node, Node::Number(number) if number > 0)
        {
            let problem =
                Problem::NotAPositiveConstant { operator: operator.sign(), found: right.to_string() };
            return self.find(right.span, problem);
        }
        if operator == Operator::Subtract && matches!(left.kind, ExprKind::LongMax) {
            return Some(Node::FromLongMax(Box::new(right_node)));
        }
        Some(Node::Arithmetic(operator, Box::new(left_node), Box::new(right_node)))
    }

    /// An expression that arithmetic can use: whole numbers and times.
    pub(super) fn whole_number(&mut self, expr: &Expr) -> Option<Node> {
        let node = self.node(expr)?;
        if node.is_random() {
            return self.find(expr.span, Problem::RandomInside);
        }
        match node.shape(self.fields).kind {
            Kind::Integer | Kind::Time => Some(node),
            kind => {
                let problem = Problem::WrongKind {
                    expr: expr.to_string(),
                    found: kind.words(),
                    needed: "a whole number",
                };
                self.find(expr.span, problem)
            }
        }
    }

    /// An expression that gives text.
    pub(super) fn text(&mut self, expr: &Expr) -> Option<Node> {
        let node = self.node(expr)?;
        if node.is_random() {
            return self.find(expr.span, Problem::RandomInside);
        }
        match node.shape(self.fields).kind {
            Kind::Text => Some(node),
            kind => {
                let problem =
                    Problem::WrongKind { expr: expr.to_string(), found: kind.words(), needed: "text" };
                self.find(expr.span, problem)
            }
        }
    }
}
