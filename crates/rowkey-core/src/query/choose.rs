//! Chooses the table, or index table, that answers a query at the least cost.
//!
//! The table itself and each of its index tables are planned; the plan with the lowest price on the store is taken
//! ([`super::price`]). How many rows a plan reads is guessed ([`super::guess`]): a store does not count its values.

use super::parse::Query;
use super::plan::{Access, Candidate, Plan, PlanError, PlanOptions, Via, planned, without_doubt};
use super::predicate::{Comparison, Predicate};
use super::price::{Estimate, estimate};
use crate::column;
use crate::key::FieldId;
use crate::table::{Index, Table};
use crate::types::Type;

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
pub fn plan_table(table: &Table, query: &Query, options: &PlanOptions) -> Result<Choice, PlanError> {
    let primary = planned(&table.key, query, options);
    let asked = identities(table, query);
    // What is told apart by its identity is one row each, if the ranges hold the identities asked for and no others.
    let is_left = |plan: &Plan| plan.residual.fields().iter().any(|field| table.identity.contains(field));
    let most = |plan: &Plan| asked.filter(|_| !is_left(plan));
    let cheapest = |all: Vec<Candidate>| {
        let all = without_doubt(all);
        let price = |Candidate { plan, guess, .. }: &Candidate, limit| {
            estimate(plan, limit, *guess, most(plan), &options.prices)
        };
        // Without the limit: pages of several sizes must be read in the same way.
        let best = all.into_iter().min_by(|a, b| price(a, None).cost.total_cmp(&price(b, None).cost));
        let best = best.expect("there is a candidate, or an error");
        let estimate = price(&best, best.plan.limit);
        (best.plan, estimate)
    };
    let mut considered = Vec::with_capacity(table.indexes.len() + 1);
    let mut best: Option<(Plan, Estimate)> = None;
    let mut take = |name: &str, planned: Result<Vec<Candidate>, String>| {
        let outcome = planned.map(|all| {
            let (plan, estimate) = cheapest(all);
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
        take(&table.name, shown);
    }
    // An index table that could answer it if sorting were allowed is a better hint than that the table cannot.
    let mut unsorted = None;
    for (place, index) in table.indexes.iter().enumerate().filter(|(_, index)| is_asked(&index.name)) {
        let planned = match may_miss(table, index, query) {
            Some(field) => {
                let name = &table.key.fields().get(field).name;
                Err(format!("a row whose `{name}` is null has no index row, and the query may ask for it"))
            }
            None => by_index(table, place, index, query, options).map_err(|error| {
                let reason = error.reason();
                if matches!(error, PlanError::Order { .. }) {
                    unsorted.get_or_insert(error);
                }
                reason
            }),
        };
        take(&index.name, planned);
    }
    // What was named cannot answer it: then the table does, or says why not.
    let (mut plan, estimate) = match (best, primary) {
        (Some(best), _) => best,
        (None, Ok(all)) => cheapest(all),
        (None, Err(error)) => return Err(unsorted.unwrap_or(error)),
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
) -> Result<Vec<Candidate>, PlanError> {
    // An index is no place to read everything from.
    let options = PlanOptions { full_scan: false, ..options.clone() };
    let mut all = planned(&index.key, query, &options)?;
    let mut there = index.key.recoverable();
    there.extend(&index.columns);
    for Candidate { plan, .. } in &mut all {
        let mut needed: Vec<FieldId> = match &options.columns {
            Some(columns) => columns.clone(),
            None => table.key.fields().iter().map(|(field, _)| field).collect(),
        };
        needed.extend(plan.residual.fields());
        needed.extend(plan.sort.iter().map(|(field, _)| *field));
        let covered = needed.iter().all(|field| there.contains(field));
        plan.via = Via::Index { index: place, covered };
    }
    Ok(all)
}

/// A field that may be null, and then leaves a row without its index row.
pub(super) fn may_miss(table: &Table, index: &Index, query: &Query) -> Option<FieldId> {
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
pub(super) fn identities(table: &Table, query: &Query) -> Option<f64> {
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

/// Whether a server can check a condition: by the bytes of one column, or of a text that the key has as it is.
pub fn can_push(table: &Table, part: &Predicate) -> bool {
    let is_column = |field: &FieldId| table.columns.iter().any(|column| column.field == *field);
    let ty = |field: &FieldId| table.key.fields().get(*field).ty;
    match part {
        Predicate::Compare { field, comparison, .. } if is_column(field) => match comparison {
            Comparison::NotEqual => false,
            Comparison::Equal => column::has_one_form(ty(field)),
            _ => column::sorts_by_bytes(ty(field)),
        },
        Predicate::Like { field, pattern } => {
            // A server compares without regard to case, which is safe and simple only for ASCII; zeros are escaped in a key.
            is_column(field) || (pattern.contained().is_some() && key_has_text(table, *field))
        }
        _ => false,
    }
}

/// Whether the key holds a field's text as it is, so that a part of the text is a part of the key.
fn key_has_text(table: &Table, field: FieldId) -> bool {
    let plain = |step: &&crate::key::ValueStep| {
        step.recovers() == Some(field)
            && step.field() == Some(field)
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
        let choice = plan_table(&table, &query, &PlanOptions::default()).unwrap();
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
        let choice = plan_table(&table, &query, &by_table).unwrap();
        assert_eq!(choice.estimate.rows, 1_000_000.0 / 16.0);
    }

    const WORDS: &str = r#"
[table]
name = "words"
key = "[id][word]"

[fields]
id = "u64"
word = "text"

[families.d]

[[index]]
name = "by_end"
key = "[reverse(word): escaped][id]"
"#;

    #[test]
    fn an_index_table_that_could_answer_with_sorting_says_so() {
        let table = Table::parse("words.toml", WORDS).unwrap();
        let query = Query::parse("word like '%ing' order by word", table.key.fields()).unwrap();
        let refused = plan_table(&table, &query, &PlanOptions::default()).unwrap_err();
        assert!(matches!(&refused, PlanError::Order { .. }), "{refused}");
        assert!(refused.to_string().contains("`sort`"), "{refused}");
        let options = PlanOptions { sort: true, ..PlanOptions::default() };
        let plan = plan_table(&table, &query, &options).unwrap().plan;
        assert!(matches!(plan.via, Via::Index { index: 0, .. }) && !plan.sort.is_empty(), "{plan:?}");
    }

    #[test]
    fn the_end_of_a_text_in_the_key_is_checked_at_the_server_too() {
        let table = Table::parse("words.toml", WORDS).unwrap();
        let options = PlanOptions { by: Some("words".to_owned()), full_scan: true, ..PlanOptions::default() };
        for (condition, pushed) in [("word like '%ing'", 1), ("word like '%in%g'", 1), ("word like '%é'", 0)]
        {
            let query = Query::parse(condition, table.key.fields()).unwrap();
            let plan = plan_table(&table, &query, &options).unwrap().plan;
            assert_eq!(plan.pushed.len(), pushed, "{condition}");
        }
    }
}
