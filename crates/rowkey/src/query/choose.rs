//! By which table is a query answered best?
//!
//! The table itself and each of its index tables are planned; the one that reads the fewest rows is taken, where a row
//! that must be read a second time counts fourfold. How many rows a plan reads is counted in a sample, if there is one,
//! and guessed otherwise.

use super::parse::Query;
use super::plan::{Access, Plan, PlanError, PlanOptions, Via, plan_with_share};
use super::predicate::{Comparison, Predicate};
use crate::key::{Draws, FieldId, KeySchema};
use crate::table::{Index, Table};
use crate::types::{IntForm, Kind, Type};
use crate::value::Value;

/// How many rows a table is supposed to have when nothing is known.
const SUPPOSED_ROWS: f64 = 1_000_000.0;
/// A row that is found by an index and then read from the table, in rows of a scan.
const SECOND_READ: f64 = 4.0;
/// Opening a range, in rows of a scan.
const RANGE: f64 = 2.0;

/// Records that stand for a table.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// How many rows the table has.
    pub rows: u64,
    /// Some of its records.
    pub records: Vec<Vec<Value<'static>>>,
}

/// How many rows a plan is expected to read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Rows read from the table or index table.
    pub rows: f64,
    /// What that costs, in rows of a scan.
    pub cost: f64,
    /// Whether it was counted in a sample.
    pub counted: bool,
}

/// A plan that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Considered {
    /// The table or index table.
    pub name: String,
    /// What it is expected to read, or why it cannot be used.
    pub outcome: Result<Estimate, String>,
}

/// The best plan, and all that were looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan to run.
    pub plan: Plan,
    /// What it is expected to read.
    pub estimate: Estimate,
    /// The table and its index tables, in the order of the file.
    pub considered: Vec<Considered>,
}

/// Plans a query over a table and its index tables, or over the one that the options name.
///
/// # Errors
/// When neither the table nor an index table can answer it: the error of the table.
pub fn plan_table(
    table: &Table,
    query: &Query,
    options: &PlanOptions,
    sample: Option<&Sample>,
) -> Result<Choice, PlanError> {
    let primary = plan_with_share(&table.key, query, options);
    let asked = identities(table, query);
    // What is told apart by its identity is one row each, if the ranges hold the identities asked for and no others.
    let is_left = |plan: &Plan| plan.residual.fields().iter().any(|field| table.identity.contains(field));
    let most = |plan: &Plan| asked.filter(|_| !is_left(plan));
    let mut considered = Vec::with_capacity(table.indexes.len() + 1);
    let mut best: Option<(Plan, Estimate)> = None;
    let mut take = |name: &str, planned: Result<(Plan, f64), String>, key: &KeySchema| {
        let outcome = planned.map(|(plan, share)| {
            let estimate = estimate(&plan, share, most(&plan), key, sample);
            // The table itself comes first and wins a draw.
            if best.as_ref().is_none_or(|(_, known)| estimate.cost < known.cost) {
                best = Some((plan, estimate));
            }
            estimate
        });
        considered.push(Considered { name: name.to_owned(), outcome });
    };
    let is_asked = |name: &str| options.by.as_deref().is_none_or(|by| by == name);
    if is_asked(&table.name) {
        let shown = primary.clone().map_err(|error| error.reason());
        take(&table.name, shown, &table.key);
    }
    for (place, index) in table.indexes.iter().enumerate().filter(|(_, index)| is_asked(&index.name)) {
        take(&index.name, by_index(table, place, index, query, options), &index.key);
    }
    // What was named cannot answer it: then the table does, or says why not.
    let (mut plan, estimate) = match best {
        Some(best) => best,
        None => {
            let (plan, share) = primary?;
            let estimate = estimate(&plan, share, most(&plan), &table.key, sample);
            (plan, estimate)
        }
    };
    plan.pushed = pushed(table, &plan);
    Ok(Choice { plan, estimate, considered })
}

fn by_index(
    table: &Table,
    place: usize,
    index: &Index,
    query: &Query,
    options: &PlanOptions,
) -> Result<(Plan, f64), String> {
    if let Some(field) = may_miss(table, index, query) {
        let name = &table.key.fields().get(field).name;
        return Err(format!("a row whose `{name}` is null has no index row, and the query may ask for it"));
    }
    // An index is no place to read everything from.
    let options = PlanOptions { full_scan: false, ..options.clone() };
    let (mut plan, share) = plan_with_share(&index.key, query, &options).map_err(|error| error.reason())?;
    let mut there = index.key.recoverable();
    there.extend(&index.columns);
    let mut needed: Vec<FieldId> = match &options.columns {
        Some(columns) => columns.clone(),
        None => table.key.fields().iter().map(|(field, _)| field).collect(),
    };
    needed.extend(plan.residual.fields());
    needed.extend(plan.sort.iter().map(|(field, _)| *field));
    let covered = needed.iter().all(|field| there.contains(field));
    plan.via = Via::Index { index: place, covered };
    Ok((plan, share))
}

/// A field that may be null, and then leaves a row without its index row.
fn may_miss(table: &Table, index: &Index, query: &Query) -> Option<FieldId> {
    let conjuncts = super::conjunct::conjuncts(&query.condition);
    let nullable = |field: &FieldId| table.key.fields().get(*field).nullable;
    index
        .key
        .value_steps()
        .filter(|step| !step.may_be_null())
        .flat_map(|step| step.fields())
        .filter(nullable)
        .find(|field| super::conjunct::field_values(&conjuncts, *field).null)
}

/// How many records at most a query asks for by what tells them apart; `None` if it does not say.
fn identities(table: &Table, query: &Query) -> Option<f64> {
    let conjuncts = super::conjunct::conjuncts(&query.condition);
    let one = |field: &FieldId| {
        super::conjunct::field_values(&conjuncts, *field).listed().map(|listed| listed.len())
    };
    let counts: Option<Vec<usize>> = table.identity.iter().map(one).collect();
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    counts
        .filter(|counts| !counts.is_empty())
        .map(|counts| counts.iter().map(|count| *count as f64).product())
}

fn estimate(
    plan: &Plan,
    share: f64,
    most: Option<f64>,
    key: &KeySchema,
    sample: Option<&Sample>,
) -> Estimate {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let count = |number: usize| number as f64;
    let sample = sample.filter(|sample| !sample.records.is_empty());
    let counted = sample.map(|sample| {
        let mut bytes = Vec::new();
        let inside = sample.records.iter().enumerate().filter(|(number, record)| {
            bytes.clear();
            let mut draws = Draws::new(0, u64::try_from(*number).unwrap_or(0));
            key.encode_with(record, &mut draws, &mut bytes).is_ok() && plan.access.reads(&bytes)
        });
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let rows = sample.rows as f64;
        rows * count(inside.count()) / count(sample.records.len())
    });
    let ranges = count(plan.access.len());
    let all = match &plan.access {
        Access::Nothing => 0.0,
        Access::Gets(keys) => count(keys.len()),
        Access::Ranges(_) => {
            counted.unwrap_or(SUPPOSED_ROWS * share).min(most.unwrap_or(f64::INFINITY)).max(1.0)
        }
    };
    let rows = match plan.limit {
        Some(limit) if plan.residual.is_true() && plan.sort.is_empty() => {
            all.min(count(limit) * ranges.max(1.0))
        }
        _ => all,
    };
    let returned = plan.limit.filter(|_| plan.sort.is_empty()).map_or(rows, |limit| rows.min(count(limit)));
    let second = match plan.via {
        Via::Index { covered: false, .. } => returned * SECOND_READ,
        _ => 0.0,
    };
    Estimate { rows, cost: rows + second + ranges * RANGE, counted: counted.is_some() }
}

impl Access {
    /// Whether a row of this key is read.
    pub fn reads(&self, key: &[u8]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Gets(keys) => keys.iter().any(|own| own == key),
            Self::Ranges(fan_outs) => {
                fan_outs.iter().any(|fan_out| fan_out.ranges.iter().any(|range| range.contains(key)))
            }
        }
    }
}

/// The parts of the residual that a server can check on a column, or on an index row's copy of it, by comparing bytes.
fn pushed(table: &Table, plan: &Plan) -> Vec<Predicate> {
    let is_there = |part: &Predicate| match plan.via {
        Via::Primary => true,
        Via::Index { index, .. } => {
            let index = table.indexes.get(index);
            index.is_some_and(|index| part.fields().iter().all(|field| index.columns.contains(field)))
        }
    };
    let parts = match &plan.residual {
        Predicate::And(parts) => parts.clone(),
        one => vec![one.clone()],
    };
    parts.into_iter().filter(|part| is_there(part) && can_push(table, part)).collect()
}

fn can_push(table: &Table, part: &Predicate) -> bool {
    let is_column = |field: &FieldId| table.columns.iter().any(|column| column.field == *field);
    let ty = |field: &FieldId| table.key.fields().get(*field).ty;
    match part {
        Predicate::Compare { field, comparison, .. } if is_column(field) => match comparison {
            Comparison::NotEqual => false,
            Comparison::Equal => has_one_form(ty(field)),
            _ => sorts_by_bytes(ty(field)),
        },
        Predicate::Like { field, pattern } => {
            // A server compares without regard to case, which is safe and simple only here; zeros are escaped in a key.
            let ascii = pattern.contained().is_some_and(|text| text.is_ascii() && !text.contains('\0'));
            is_column(field) || (ascii && key_has_text(table, *field))
        }
        _ => false,
    }
}

/// Whether equal values have equal bytes in a column: not 0.0 and -0.0, nor the many forms of true.
fn has_one_form(ty: Type) -> bool {
    !matches!(ty.kind(), Kind::Float | Kind::Bool | Kind::Numeric)
}

/// Whether bytes in a column sort as values do.
fn sorts_by_bytes(ty: Type) -> bool {
    match ty {
        Type::Int(int) => int.form == IntForm::Unsigned,
        _ => matches!(ty.kind(), Kind::Text | Kind::Bytes | Kind::Uuid),
    }
}

/// Whether the key holds a field's text as it is, so that a part of the text is a part of the key.
fn key_has_text(table: &Table, field: FieldId) -> bool {
    let plain = |step: &&crate::key::ValueStep| {
        step.field() == Some(field)
            && matches!(step.ty(), Type::Text | Type::Escaped | Type::Fixed(_))
            && step.order() == crate::types::Order::Ascending
    };
    table.key.value_steps().any(|step| plain(&step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"
[table]
name = "orders"
key = "[salt(16, order_id)][ts][order_id]"
identity = ["order_id"]

[fields]
ts = "timestamp"
order_id = "text"
seller = "text"

[families.d]
columns = { s = "seller" }

[[index]]
name = "by_number"
key = "[order_id: escaped][ts]"

[[index]]
name = "by_seller"
key = "[seller: escaped][ts][order_id]"
"#;

    fn choose(condition: &str) -> (String, f64) {
        let table = Table::parse("orders.toml", TABLE).unwrap();
        let query = Query::parse(condition, table.key.fields()).unwrap();
        let choice = plan_table(&table, &query, &PlanOptions::default(), None).unwrap();
        let by = match choice.plan.via {
            Via::Primary => table.name,
            Via::Index { index, .. } => table.indexes[index].name.clone(),
        };
        (by, choice.estimate.rows)
    }

    /// By number the key leaves a bucket of sixteen, and the index one row: a bucket is not a thousandth of the table.
    #[test]
    fn what_tells_records_apart_is_one_row_and_a_bucket_is_a_sixteenth() {
        assert_eq!(choose("order_id = 'a'"), ("by_number".to_owned(), 1.0));
        assert_eq!(choose("order_id in ('a', 'b', 'c')"), ("by_number".to_owned(), 3.0));
        assert_eq!(choose("seller = 's'"), ("by_seller".to_owned(), 1000.0));
        assert_eq!(choose("order_id = 'a' and ts = '2025-01-01'").0, "orders");
        let by_table = PlanOptions { by: Some("orders".to_owned()), ..PlanOptions::default() };
        let table = Table::parse("orders.toml", TABLE).unwrap();
        let query = Query::parse("order_id = 'a'", table.key.fields()).unwrap();
        let choice = plan_table(&table, &query, &by_table, None).unwrap();
        assert_eq!(choice.estimate.rows, SUPPOSED_ROWS / 16.0);
    }
}
