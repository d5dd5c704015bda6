//! How are the rows of a condition found, and how is that said in a few words?

use rowkey::Table;
use rowkey::query::{Access, Plan, PlanOptions, Query, plan};

use crate::key_text::KeyText;
use crate::output::counted;

/// So many ranges are shown; more are counted.
const RANGES: usize = 4;

/// The plan of a condition; an empty one is the whole table.
pub(crate) fn make_plan(condition: &str, table: &Table, full_scan: bool) -> anyhow::Result<Plan> {
    let parsed = Query::parse(condition, table.key.fields())?;
    Ok(plan(&table.key, &parsed, PlanOptions { full_scan })?)
}

/// In a few words.
pub(crate) fn access(plan: &Plan) -> String {
    match &plan.access {
        Access::Nothing => "the conditions contradict each other".to_owned(),
        Access::Get(_) => "one get".to_owned(),
        Access::Ranges(ranges) => counted(ranges.len(), "key range"),
    }
}

/// What is read, line by line.
pub(crate) fn reads(plan: &Plan, keys: KeyText) -> Vec<String> {
    match &plan.access {
        Access::Nothing => Vec::new(),
        Access::Get(key) => vec![format!("get {}", keys.show(key))],
        Access::Ranges(ranges) => {
            let mut lines: Vec<String> =
                ranges.iter().take(RANGES).map(|range| format!("scan {range}")).collect();
            if ranges.len() > RANGES {
                lines.push(format!("and {} more", ranges.len() - RANGES));
            }
            lines
        }
    }
}
