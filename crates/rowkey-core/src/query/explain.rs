//! Explains how a query is answered, and why not better.
//!
//! One data structure, many renderings: an [`Explanation`] is a tree of steps, what became of each condition, and what
//! would cure a condition that the key cannot use. It is made from a plan alone; running the plan adds figures to the
//! steps ([`PlanStep::figures`]).

mod cure;
mod figure;
mod render;

use std::ops::Bound;

use super::choose::{Choice, Considered};
use super::conjunct::conjuncts;
use super::order::describe;
use super::parse::Query;
use super::piece::FanOut;
use super::plan::{Access, Plan, Via};
use super::price::Estimate;
use crate::disclosure::Disclosure;
use crate::key::KeySchema;
use crate::range::KeyRange;
use crate::table::Table;
use crate::types::Order;
use crate::value::Value;
pub use figure::{Figure, RegionRows};

/// A plan with its reasons, for printing as text, JSON or a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// In a few words: `get`, `fan-out over 16 ranges`, `skip scan`, `full scan`.
    pub shape: String,
    /// What is done, from the rows that come out down to the ranges that are read.
    pub root: PlanStep,
    /// The order in which rows come, and whether that costs anything.
    pub order: String,
    /// What became of each condition.
    pub conditions: Vec<ConditionUse>,
    /// The table and its index tables, if there was a choice.
    pub considered: Vec<Considered>,
    /// What is expected to be read.
    pub estimate: Estimate,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanStep {
    /// What it does.
    pub kind: StepKind,
    /// What it does, with its facts.
    pub text: String,
    /// The facts in `text`, by name, for programs.
    pub facts: Vec<(&'static str, Figure)>,
    /// The keys that it reads; `None` if it reads none itself.
    pub keys: Option<KeyRange>,
    /// What `explain --analyze` measured; empty without it.
    pub figures: Vec<(&'static str, Figure)>,
    /// Where its rows come from: all of them, be it a thousand ranges. Texts and graphs show the first.
    pub inputs: Vec<PlanStep>,
}

/// What a step of a plan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StepKind {
    /// Ends after so many rows.
    Limit,
    /// Sorts rows.
    Sort,
    /// Drops the rows that do not meet a condition.
    Filter,
    /// Reads the rows of index entries.
    Lookup,
    /// Takes one input after another.
    Sequence,
    /// Merges inputs that are sorted by themselves.
    Merge,
    /// Reads several rows.
    Gets,
    /// Reads one row.
    Get,
    /// Reads a range of keys.
    Range,
    /// Reads a range of keys, jumping over those that cannot match.
    Skip,
    /// Reads no key.
    #[default]
    Nothing,
}

impl StepKind {
    /// Its name, for programs: `limit`, `skip`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Sort => "sort",
            Self::Filter => "filter",
            Self::Lookup => "lookup",
            Self::Sequence => "sequence",
            Self::Merge => "merge",
            Self::Gets => "gets",
            Self::Get => "get",
            Self::Range => "range",
            Self::Skip => "skip",
            Self::Nothing => "nothing",
        }
    }
}

/// What became of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionUse {
    /// The condition as text.
    pub condition: String,
    /// Whether the ranges hold exactly the rows that meet it.
    pub by_key: bool,
    /// Why it must be checked on each row.
    pub why: Option<String>,
    /// What key or index would cure that.
    pub cure: Option<String>,
}

/// Explains a chosen plan; `regions` are the table's regions by range, if they are known.
pub fn explain(table: &Table, query: &Query, choice: &Choice, regions: &[KeyRange]) -> Explanation {
    explain_as(table, query, choice, regions, Disclosure::Whole)
}

/// Like [`explain()`], with values shown or redacted as `shown` says.
pub fn explain_as(
    table: &Table,
    query: &Query,
    choice: &Choice,
    regions: &[KeyRange],
    shown: Disclosure,
) -> Explanation {
    let plan = &choice.plan;
    let (key, name) = match plan.via {
        Via::Index { index, .. } => table
            .indexes
            .get(index)
            .map_or((&table.key, table.name.as_str()), |index| (&index.key, index.name.as_str())),
        Via::Primary => (&table.key, table.name.as_str()),
    };
    let regions = if plan.via == Via::Primary { regions } else { &[] };
    Explanation {
        shape: shape(plan),
        root: steps(table, &Seen { key, name, plan, regions, shown }),
        order: order(key, plan),
        conditions: conditions(table, key, query, plan, shown),
        considered: if table.indexes.is_empty() { Vec::new() } else { choice.considered.clone() },
        estimate: choice.estimate,
    }
}

fn shape(plan: &Plan) -> String {
    let ranges = plan.access.len();
    let access = match &plan.access {
        Access::Nothing => "nothing to read".to_owned(),
        Access::Gets(_) if ranges == 1 => "get".to_owned(),
        Access::Gets(_) => format!("{ranges} gets"),
        Access::Ranges(fan_outs) => {
            let skips = fan_outs.iter().any(|fan_out| fan_out.seek.is_some());
            match (plan.whole_table, skips) {
                (true, true) => "full scan, skipping".to_owned(),
                (true, false) if plan.limit.is_some() && plan.residual.is_true() && plan.sort.is_empty() => {
                    format!("first rows of {}", counted(ranges, "range"))
                }
                (true, false) => "full scan".to_owned(),
                (false, true) => format!("skip scan of {}", counted(ranges, "range")),
                (false, false) if ranges == 1 => "range".to_owned(),
                (false, false) if ranges == fan_outs.len() => format!("{ranges} ranges one after another"),
                (false, false) => format!("fan-out over {ranges} ranges"),
            }
        }
    };
    match plan.via {
        Via::Primary => access,
        Via::Index { covered: true, .. } => format!("index only, {access}"),
        Via::Index { covered: false, .. } => format!("index, {access}, then gets"),
    }
}

pub(super) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// What all steps are told by.
struct Seen<'p> {
    key: &'p KeySchema,
    name: &'p str,
    plan: &'p Plan,
    regions: &'p [KeyRange],
    shown: Disclosure,
}

fn steps(table: &Table, seen: &Seen<'_>) -> PlanStep {
    let Seen { name, plan, shown, .. } = *seen;
    let mut step = access_step(seen);
    let above = |kind, text: String, facts, input| PlanStep {
        kind,
        text,
        facts,
        inputs: vec![input],
        ..PlanStep::default()
    };
    if let Via::Index { covered, .. } = plan.via {
        let text = if covered {
            format!(
                "rows as `{name}` has them; entries that are not yet confirmed are checked in `{}`",
                table.name
            )
        } else {
            format!("rows of `{}` by multi-get, dropped if they no longer belong to the entry", table.name)
        };
        step = above(StepKind::Lookup, text, Vec::new(), step);
    }
    if !plan.residual.is_true() {
        let condition = plan.residual.to_sql_as(table.key.fields(), shown);
        let mut facts = vec![("condition", Figure::Text(condition.clone()))];
        if !plan.pushed.is_empty() {
            let parts: Vec<String> =
                plan.pushed.iter().map(|part| part.to_sql_as(table.key.fields(), shown)).collect();
            facts.push(("at the server too", Figure::Text(parts.join(" and "))));
        }
        step = above(StepKind::Filter, format!("rows of which {condition}"), facts, step);
    }
    if !plan.sort.is_empty() {
        let by = describe(&table.key, &plan.sort);
        let text = match plan.limit {
            Some(limit) => format!("sort by {by}, keeping the first {limit}"),
            None => format!("sort by {by}"),
        };
        step = above(StepKind::Sort, text, vec![("by", Figure::Text(by))], step);
    }
    match plan.limit {
        Some(limit) => {
            above(StepKind::Limit, format!("the first {}", counted(limit, "row")), Vec::new(), step)
        }
        None => step,
    }
}

fn access_step(seen: &Seen<'_>) -> PlanStep {
    let Seen { key, name, plan, shown, .. } = *seen;
    match &plan.access {
        Access::Nothing => PlanStep {
            kind: StepKind::Nothing,
            text: "no row can match: the conditions contradict each other".to_owned(),
            ..PlanStep::default()
        },
        Access::Gets(keys) => {
            let one = |row: &Vec<u8>| PlanStep {
                kind: StepKind::Get,
                text: format!("get {}", shown.bytes(row)),
                facts: vec![
                    ("key", Figure::Text(shown.bytes(row))),
                    ("fields", Figure::Text(fields(key, row, shown))),
                ],
                keys: Some(KeyRange::point(row)),
                ..PlanStep::default()
            };
            if let [only] = keys.as_slice() {
                return one(only);
            }
            PlanStep {
                kind: StepKind::Gets,
                text: format!("{} of `{name}`", counted(keys.len(), "get")),
                inputs: keys.iter().map(one).collect(),
                ..PlanStep::default()
            }
        }
        Access::Ranges(fan_outs) => {
            let one = |fan_out: &FanOut| fan_out_step(seen, fan_out);
            if let [only] = fan_outs.as_slice() {
                return one(only);
            }
            let single = fan_outs.iter().all(|fan_out| fan_out.ranges.len() == 1);
            let noun = if single { "range" } else { "fan-out" };
            let inputs = fan_outs.iter().map(one).collect();
            let text = format!("{} one after another", counted(fan_outs.len(), noun));
            PlanStep { kind: StepKind::Sequence, text, inputs, ..PlanStep::default() }
        }
    }
}

fn fan_out_step(seen: &Seen<'_>, fan_out: &FanOut) -> PlanStep {
    let one = |range: &KeyRange| range_step(seen, fan_out, range);
    if let [only] = fan_out.ranges.as_slice() {
        return one(only);
    }
    let facts = vec![
        ("ranges", Figure::count(fan_out.ranges.len())),
        ("merged from byte", Figure::count(fan_out.merge_from)),
    ];
    let by = describe(seen.key, &seen.plan.given);
    let text = format!("merge {} by {by}", counted(fan_out.ranges.len(), "range"));
    PlanStep {
        kind: StepKind::Merge,
        text,
        facts,
        inputs: fan_out.ranges.iter().map(one).collect(),
        ..PlanStep::default()
    }
}

fn range_step(seen: &Seen<'_>, fan_out: &FanOut, range: &KeyRange) -> PlanStep {
    let Seen { key, name, plan, regions, shown } = *seen;
    let range_text = shown.range(range);
    let bound = |bound: &Bound<Vec<u8>>| {
        Figure::Text(match bound {
            Bound::Unbounded => "open".to_owned(),
            Bound::Included(bytes) | Bound::Excluded(bytes) => fields(key, bytes, shown),
        })
    };
    let mut facts = vec![
        ("range", Figure::Text(range_text.clone())),
        ("from", bound(&range.start)),
        ("to", bound(&range.end)),
    ];
    if !regions.is_empty() {
        let touched = regions.iter().filter(|region| !region.intersect(range).is_empty()).count();
        let number = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
        facts.push(("regions", Figure::Part { count: number(touched), of: number(regions.len()) }));
    }
    let reverse = if plan.direction == Order::Descending { "reverse " } else { "" };
    let keys = Some(range.clone());
    match &fan_out.seek {
        None => PlanStep {
            kind: StepKind::Range,
            text: format!("{reverse}scan of `{name}` {range_text}"),
            facts,
            keys,
            ..PlanStep::default()
        },
        Some(seek) => {
            let may_show = plan.direction == Order::Ascending && !shown.hides();
            if let Some(patterns) = seek.fuzzy(range).filter(|_| may_show) {
                let all: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                facts.push(("fuzzy pattern", Figure::Text(all.join(" or "))));
            }
            let text = format!("{reverse}skip scan of `{name}` {range_text} over {}", seek.labels().join(""));
            PlanStep { kind: StepKind::Skip, text, facts, keys, ..PlanStep::default() }
        }
    }
}

/// The whole parts at the beginning of a key; one that is no field stands in its brackets.
fn fields(key: &KeySchema, bytes: &[u8], shown: Disclosure) -> String {
    let start = key.decode_start(bytes);
    let one = |(name, value): &(String, Value<'_>)| {
        let value = if value.is_null() { "null".to_owned() } else { shown.value(value) };
        if key.fields().id(name).is_some() {
            format!("{name} = {value}")
        } else {
            format!("[{name}] = {value}")
        }
    };
    // A bound that ends in zeros is written without them.
    let bound = start.bound.map(|bound| (bound.field, bound.value));
    let parts: Vec<String> = start.parts.iter().map(one).chain(bound.as_ref().map(one)).collect();
    if parts.is_empty() { shown.bytes(bytes) } else { parts.join(", ") }
}

fn order(key: &KeySchema, plan: &Plan) -> String {
    let given = describe(key, &plan.given);
    match (plan.sort.is_empty(), plan.limit, &plan.access) {
        (_, _, Access::Nothing) => "there is nothing to order".to_owned(),
        (true, _, Access::Gets(keys)) if keys.len() == 1 => "there is one row at most".to_owned(),
        (true, ..) if plan.given.is_empty() => "rows come in the order of their stored keys".to_owned(),
        (true, ..) => format!("rows come ordered by {given}, for free"),
        (false, Some(limit), _) => {
            format!(
                "rows come ordered by {given}; all that match are read, and the first {limit} kept in memory"
            )
        }
        (false, None, _) => {
            format!("rows come ordered by {given}; all that match are sorted, on disk if need be")
        }
    }
}

fn conditions(
    table: &Table,
    key: &KeySchema,
    query: &Query,
    plan: &Plan,
    shown: Disclosure,
) -> Vec<ConditionUse> {
    let left = match &plan.residual {
        super::Predicate::And(parts) => parts.clone(),
        one => vec![one.clone()],
    };
    conjuncts(&query.condition)
        .into_iter()
        .map(|conjunct| {
            let by_key = !left.contains(&conjunct.predicate);
            let (why, cure) = if by_key || plan.access == Access::Nothing {
                (None, None)
            } else {
                cure::cure(table, key, query, plan, &conjunct)
            };
            let condition = conjunct.predicate.to_sql_as(table.key.fields(), shown);
            ConditionUse { condition, by_key, why, cure }
        })
        .collect()
}
