//! Why a condition cannot use the key, and the key or index that could.

use super::super::conjunct::{Conjunct, field_values};
use super::super::parse::Query;
use super::super::plan::Plan;
use super::super::predicate::Predicate;
use crate::key::{Boundary, FieldId, KeySchema, ValueStep};
use crate::table::Table;
use crate::types::{Kind, Order};

/// Why a condition is checked on each row, and what would change that.
pub(super) fn cure(
    table: &Table,
    key: &KeySchema,
    query: &Query,
    plan: &Plan,
    conjunct: &Conjunct,
) -> (Option<String>, Option<String>) {
    let Some(field) = conjunct.field else {
        let why = "an `or` across fields that the key has no ranges for".to_owned();
        return (Some(why), None);
    };
    let name = &table.key.fields().get(field).name;
    if let Predicate::Like { pattern, .. } = &conjunct.predicate {
        let (suffix, _) = pattern.suffix();
        if pattern.prefix().0.is_empty() {
            let cure = (!suffix.is_empty()).then(|| index(table, query, field, Form::Reversed));
            return (Some(format!("a text of which the beginning is open has no range in `{name}`")), cure);
        }
    }
    if matches!(conjunct.predicate, Predicate::Not(_)) && !conjunct.exact {
        return (Some("what a text is not like has no range".to_owned()), None);
    }
    let holding: Vec<&ValueStep> = key.value_steps().filter(|step| step.fields().contains(&field)).collect();
    let whole = holding.iter().find(|step| step.recovers() == Some(field));
    let why = match (holding.first(), whole) {
        (None, _) => format!("`{name}` is not in the key"),
        (Some(step), None) if *step.boundary() == Boundary::Unclear => {
            format!("nothing tells where {} ends", step.label())
        }
        (Some(step), None) => format!("the key has `{name}` only inside {}", step.label()),
        (_, Some(step)) => match open_before(key, query, step) {
            Some(before) => {
                format!("`{name}` comes behind {}, which is not fixed to single values", before.label())
            }
            None if step.monotone().is_none() => {
                format!("the bytes of {} do not sort as the values of `{name}` do", step.label())
            }
            None => format!("the ranges of {} hold more than the condition says", step.label()),
        },
    };
    let cure = (!plan.access.is_empty()).then(|| index(table, query, field, Form::Plain));
    (Some(why), cure)
}

/// The first part before `step` that the query leaves open.
fn open_before<'k>(key: &'k KeySchema, query: &Query, step: &ValueStep) -> Option<&'k ValueStep> {
    let conjuncts = super::super::conjunct::conjuncts(&query.condition);
    let fixed = |field: &FieldId| field_values(&conjuncts, *field).listed().is_some();
    key.value_steps()
        .take_while(|before| *before != step)
        .find(|before| before.bucket_count().is_none() && !before.fields().iter().all(fixed))
}

enum Form {
    Plain,
    Reversed,
}

/// An index that begins with what the query fixes, then has the field, then the order asked for, and holds the whole key.
fn index(table: &Table, query: &Query, field: FieldId, form: Form) -> String {
    let conjuncts = super::super::conjunct::conjuncts(&query.condition);
    let fields = table.key.fields();
    let fixed = fields
        .iter()
        .map(|(other, _)| other)
        .filter(|other| *other != field && field_values(&conjuncts, *other).listed().is_some());
    // Parts keep the direction that they have in the key.
    let direction = |field: FieldId| {
        let own = table.key.value_steps().find(|step| step.field() == Some(field));
        (field, own.map_or(Order::Ascending, ValueStep::order))
    };
    let of_key = table.key.recoverable().into_iter().map(direction);
    let mut order: Vec<(FieldId, Order)> = Vec::new();
    let all = fixed.map(|field| (field, Order::Ascending)).chain([(field, Order::Ascending)]);
    for (next, direction) in all.chain(query.order_by.iter().copied()).chain(of_key) {
        if !order.iter().any(|(known, _)| *known == next) {
            order.push((next, direction));
        }
    }
    let mut key = String::new();
    for (place, (own, direction)) in order.iter().enumerate() {
        let declared = fields.get(*own);
        let desc = if *direction == Order::Descending { " desc" } else { "" };
        let text = declared.ty.kind() == Kind::Text && declared.ty.width().is_none();
        let reversed = *own == field && matches!(form, Form::Reversed);
        let name = &declared.name;
        let expression = if reversed { format!("reverse({name})") } else { name.clone() };
        let ty = if text && (place + 1 < order.len() || !desc.is_empty()) { ": escaped" } else { "" };
        key.push_str(&format!("[{expression}{ty}{desc}]"));
    }
    format!("an index table with the key {key}")
}
