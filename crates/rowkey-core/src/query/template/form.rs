//! What does each condition of a query say about each field, before its values are known?

use std::collections::VecDeque;
use std::ops::Bound;

use super::{Operand, TemplateBound, TemplateLimit, TemplateParameter, TemplateRefusal};
use crate::disclosure::Disclosure;
use crate::finding::Findings;
use crate::key::{FieldId, Fields};
use crate::query::conjunct::{Conjunct, conjuncts, field_values};
use crate::query::parse::{Parameter, Placeholders, Query};
use crate::query::predicate::{Comparison, Given, Predicate, literal};
use crate::query::values::ValueSet;
use crate::types::Kind;
use crate::value::Value;

/// What is known of a field's values by the form of the conditions on it.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Free,
    /// Values that are no list, and known.
    Constant(ValueSet),
    Bound(Operand),
    OneOf(Vec<Operand>),
    Span {
        lower: Option<TemplateBound>,
        upper: Option<TemplateBound>,
    },
    Except(Operand),
    /// Too much to say before the values are known.
    Refused(TemplateRefusal),
}

/// Stands for a number that is not known yet.
const FAR: i128 = 1 << 80;

/// The conditions of a query by their form.
pub(super) struct Forms {
    pub(super) query: Query,
    pub(super) parameters: Vec<TemplateParameter>,
    pub(super) limit: Option<TemplateLimit>,
    /// With a made-up value for each parameter.
    pub(super) conjuncts: Vec<Conjunct>,
    /// Those without parameters; `true` in the place of the others.
    pub(super) constant: Vec<Conjunct>,
    /// What each says, as SQL.
    pub(super) texts: Vec<String>,
    /// By field.
    pub(super) forms: Vec<Form>,
}

/// What one condition with a parameter says of a field.
enum Claim {
    Is(Form),
    /// A range that others may complete.
    Lower(TemplateBound),
    Upper(TemplateBound),
    /// Nothing, but for the row.
    Nothing,
}

impl Forms {
    pub(super) fn read(source: &str, fields: &Fields) -> Result<Self, Findings> {
        let ([first, second], placeholders) = Query::samples(source, fields)?;
        let limit = match (first.limit, second.limit) {
            (Some(one), Some(other)) if one == other => Some(TemplateLimit::Constant(one)),
            (Some(_), _) => Some(TemplateLimit::Parameter(placeholders.len().saturating_sub(1))),
            _ => None,
        };
        let parameters = named(&placeholders, fields);
        let (conjuncts, others) = (conjuncts(&first.condition), conjuncts(&second.condition));
        let mut all = Self {
            query: first,
            parameters,
            limit,
            conjuncts: Vec::new(),
            constant: Vec::new(),
            texts: Vec::new(),
            forms: Vec::new(),
        };
        let mut next = 0;
        let mut claims: Vec<Vec<Claim>> = fields.iter().map(|_| Vec::new()).collect();
        for (conjunct, other) in conjuncts.into_iter().zip(others) {
            let operands = operands(&conjunct.predicate, &other.predicate, fields, &mut next);
            let is_constant = operands.iter().all(|operand| matches!(operand, Compared::Constant));
            all.texts.push(all.text(&conjunct.predicate, &operands, fields));
            all.constant.push(if is_constant { conjunct.clone() } else { Conjunct::new(Predicate::TRUE) });
            if !is_constant {
                for field in conjunct.predicate.fields() {
                    if let Some(claims) = claims.get_mut(field.0) {
                        claims.push(claim(&conjunct.predicate, field, &operands, fields));
                    }
                }
            }
            all.conjuncts.push(conjunct);
        }
        for ((field, _), claims) in fields.iter().zip(claims) {
            let known = field_values(&all.constant, field);
            all.forms.push(together(known, claims, &fields.get(field).name));
        }
        Ok(all)
    }

    pub(super) fn form(&self, field: FieldId) -> &Form {
        self.forms.get(field.0).unwrap_or(&Form::Free)
    }

    /// Sets of values of the same forms.
    pub(super) fn sets(&self) -> Vec<ValueSet> {
        self.forms.iter().map(Form::set).collect()
    }

    /// Whether the conditions without parameters can never be true.
    pub(super) fn is_impossible(&self) -> bool {
        let never = |conjunct: &Conjunct| {
            conjunct.field.is_none()
                && conjunct.predicate.fields().is_empty()
                && conjunct.predicate.matches(&[]) != Some(true)
        };
        self.constant.iter().any(never)
            || self.forms.iter().any(|form| matches!(form, Form::Constant(set) if set.is_empty()))
    }

    fn text(&self, predicate: &Predicate, operands: &[Compared], fields: &Fields) -> String {
        let mut operands = operands.iter();
        predicate.print(fields, &mut |given| match (operands.next(), given) {
            (Some(Compared::Parameter(number)), _) => {
                self.parameters.get(*number).map_or_else(String::new, |one| format!(":{}", one.name))
            }
            (_, Given::Value(value)) => literal(value, Disclosure::Whole),
            (_, Given::Pattern(pattern)) => pattern.to_string(),
        })
    }
}

impl Form {
    pub(super) fn is_listed(&self) -> bool {
        matches!(self, Self::Bound(_) | Self::OneOf(_))
    }

    fn set(&self) -> ValueSet {
        // Only how many there are, and on which sides there are bounds, is asked for; their signs are not known.
        let far = |bound: &Option<TemplateBound>, number: i128| match bound {
            Some(_) => Bound::Included(Value::Int(number)),
            None => Bound::Unbounded,
        };
        match self {
            Self::Free | Self::Refused(_) => ValueSet::ALL(),
            Self::Constant(set) => set.clone(),
            Self::Bound(Operand::Constant(Value::Null)) => ValueSet::only_null(),
            Self::Bound(Operand::Constant(value)) => ValueSet::point(value),
            Self::Bound(Operand::Parameter(_)) => ValueSet::point(&Value::Int(1)),
            Self::OneOf(operands) => {
                let points = |(place, operand): (i128, &Operand)| match operand {
                    Operand::Constant(value) => vec![value.clone()],
                    // Of both signs, and no constant.
                    Operand::Parameter(_) => [FAR, -FAR].map(|far| Value::Int(far + place)).to_vec(),
                };
                let (nulls, points): (Vec<_>, Vec<_>) =
                    (0..).zip(operands).flat_map(points).partition(Value::is_null);
                let points = ValueSet::points(&points);
                if nulls.is_empty() { points } else { points.union(&ValueSet::only_null()) }
            }
            Self::Span { lower, upper } => ValueSet::between(far(lower, -FAR), far(upper, FAR)),
            Self::Except(_) => ValueSet::except(&Value::Int(0)),
        }
    }
}

/// What a condition compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Parameter(usize),
    Constant,
}

/// What a condition compares with, in the order in which it is printed. What differs between the two samples is a parameter.
fn operands(one: &Predicate, other: &Predicate, fields: &Fields, next: &mut usize) -> Vec<Compared> {
    let printed = |predicate: &Predicate| {
        let mut all = VecDeque::new();
        predicate.print(fields, &mut |given| {
            all.push_back(match given {
                Given::Value(value) => literal(value, Disclosure::Whole),
                Given::Pattern(pattern) => pattern.to_string(),
            });
            String::new()
        });
        all
    };
    let pairs = printed(one).into_iter().zip(printed(other));
    pairs
        .map(|(one, other)| {
            if one == other {
                return Compared::Constant;
            }
            *next += 1;
            Compared::Parameter(*next - 1)
        })
        .collect()
}

/// What a condition with a parameter says of one of its fields.
fn claim(predicate: &Predicate, field: FieldId, operands: &[Compared], fields: &Fields) -> Claim {
    let declared = fields.get(field);
    let name = || declared.name.clone();
    let refused = |refusal| Claim::Is(Form::Refused(refusal));
    let operand = |place: usize, value: &Value<'static>| match operands.get(place) {
        Some(Compared::Parameter(number)) => Operand::Parameter(*number),
        _ => Operand::Constant(value.clone().with_one_zero()),
    };
    match predicate {
        Predicate::Compare { comparison, value, .. } => {
            let operand = operand(0, value);
            let bound = |inclusive| TemplateBound { operand: operand.clone(), inclusive };
            match comparison {
                Comparison::Equal => Claim::Is(Form::Bound(operand)),
                _ if declared.ty.kind() == Kind::Bool => {
                    refused(TemplateRefusal::BoolOrder { field: name() })
                }
                Comparison::NotEqual => Claim::Is(Form::Except(operand)),
                Comparison::Less => Claim::Upper(bound(false)),
                Comparison::LessOrEqual => Claim::Upper(bound(true)),
                Comparison::Greater => Claim::Lower(bound(false)),
                Comparison::GreaterOrEqual => Claim::Lower(bound(true)),
            }
        }
        Predicate::In { values, .. } => {
            let all: Vec<Operand> =
                values.iter().enumerate().map(|(place, value)| operand(place, value)).collect();
            Claim::Is(match all.as_slice() {
                [only] => Form::Bound(only.clone()),
                _ => Form::OneOf(all),
            })
        }
        Predicate::Like { .. } => refused(TemplateRefusal::Pattern { field: name() }),
        Predicate::Not(inner) => match &**inner {
            Predicate::Like { .. } => Claim::Nothing,
            _ => refused(TemplateRefusal::Except { field: name() }),
        },
        Predicate::Or(sides) => {
            let equals = |side: &Predicate| match side {
                Predicate::Compare { field: own, comparison: Comparison::Equal, value } if *own == field => {
                    Some(value.clone())
                }
                _ => None,
            };
            match sides.iter().map(equals).collect::<Option<Vec<_>>>() {
                Some(values) => Claim::Is(Form::OneOf(
                    values.iter().enumerate().map(|(place, value)| operand(place, value)).collect(),
                )),
                None => refused(TemplateRefusal::Or { field: name() }),
            }
        }
        Predicate::And(_) | Predicate::IsNull { .. } | Predicate::Unknown => {
            refused(TemplateRefusal::Several { field: name() })
        }
    }
}

/// What conditions say of a field together, and what is known of its values.
fn together(known: ValueSet, claims: Vec<Claim>, name: &str) -> Form {
    let (mut is, mut lower, mut upper, mut several) = (None, None, None, false);
    let mut take = |slot: &mut Option<TemplateBound>, bound| several |= slot.replace(bound).is_some();
    let mut forms = 0;
    for claim in claims {
        match claim {
            Claim::Nothing => {}
            Claim::Is(form) => {
                forms += 1;
                is = Some(form);
            }
            Claim::Lower(bound) => take(&mut lower, bound),
            Claim::Upper(bound) => take(&mut upper, bound),
        }
    }
    several |= forms > 1;
    let refused = || Form::Refused(TemplateRefusal::Several { field: name.to_owned() });
    if let Some(Form::Refused(why)) = is {
        return Form::Refused(why);
    }
    let is_span = lower.is_some() || upper.is_some();
    if !is_span && is.is_none() {
        return constant(known);
    }
    if several || (is_span && is.is_some()) {
        return refused();
    }
    if let Some(form) = is {
        return if known.has_all_values() { form } else { refused() };
    }
    // A known bound on the other side.
    let [interval] = known.intervals.as_slice() else { return refused() };
    for (slot, bound) in [(&mut lower, &interval.lower), (&mut upper, &interval.upper)] {
        let bound = match bound {
            Bound::Unbounded => continue,
            Bound::Included(value) => {
                TemplateBound { operand: Operand::Constant(value.clone()), inclusive: true }
            }
            Bound::Excluded(value) => {
                TemplateBound { operand: Operand::Constant(value.clone()), inclusive: false }
            }
        };
        if slot.replace(bound).is_some() {
            return refused();
        }
    }
    Form::Span { lower, upper }
}

fn constant(known: ValueSet) -> Form {
    if known.is_all() {
        return Form::Free;
    }
    if known.is_empty() {
        return Form::Constant(known);
    }
    match (known.single(), known.listed()) {
        (Some(only), _) => Form::Bound(Operand::Constant(only)),
        (None, Some(values)) => Form::OneOf(values.into_iter().map(Operand::Constant).collect()),
        (None, None) => Form::Constant(known),
    }
}

/// A name for each parameter.
fn named(placeholders: &Placeholders, fields: &Fields) -> Vec<TemplateParameter> {
    let mut all: Vec<TemplateParameter> = Vec::with_capacity(placeholders.len());
    for (role, written) in placeholders {
        let of = |field: &FieldId, end: &str| format!("{}{end}", fields.get(*field).name);
        let base = match (written.strip_prefix(':').filter(|name| !name.is_empty()), role) {
            (Some(name), _) => name.to_owned(),
            (None, Parameter::Value(field)) => of(field, ""),
            (None, Parameter::Lower(field)) => of(field, "_from"),
            (None, Parameter::Upper(field)) => of(field, "_to"),
            (None, Parameter::Pattern(field)) => of(field, "_like"),
            (None, Parameter::Limit) => "limit".to_owned(),
        };
        let is_taken = |name: &str| all.iter().any(|one| one.name == name);
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name));
        all.push(TemplateParameter { name: name.unwrap_or(base), role: *role });
    }
    all
}
