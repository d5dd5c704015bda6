//! `explain --analyze`: runs a plan and shows what it read.

use std::time::{Duration, Instant};

use rowkey_core::Table;
use rowkey_core::disclosure::Disclosure;
use rowkey_core::query::{Figure, Plan, PlanStep, RegionRows, StepKind};
use rowkey_ops::aggregate::{self, AggregateOptions};
use rowkey_ops::query::{self, Counters, QueryOptions};
use rowkey_store::{Store, TableName};

use crate::interrupt;

/// A plan and what it is run on.
pub(super) struct Run<'r> {
    pub(super) store: &'r dyn Store,
    pub(super) name: &'r TableName,
    pub(super) table: &'r Table,
    pub(super) plan: &'r Plan,
}

impl Run<'_> {
    /// Reads the rows, and adds what each step read.
    pub(super) fn query(&self, root: &mut PlanStep, shown: Disclosure) -> anyhow::Result<()> {
        let options = QueryOptions { measure: true, cancel: interrupt::cancels(), ..QueryOptions::default() };
        let begin = Instant::now();
        let mut rows = query::run_with(self.store, self.name, self.table, self.plan, &options)?;
        for record in rows.by_ref() {
            record?;
        }
        let elapsed = begin.elapsed();
        let regions = rows.regions_read().into_iter().map(|region| RegionRows {
            start: if region.start.is_empty() { String::new() } else { shown.bytes(&region.start) },
            read: region.read,
            received: region.read.saturating_sub(region.filtered),
        });
        annotate(root, &rows.counters(), regions.collect(), elapsed);
        Ok(())
    }

    /// Counts the rows, and adds what that was worked out from.
    pub(super) fn count(&self, root: &mut PlanStep) -> anyhow::Result<()> {
        let options = AggregateOptions { cancel: interrupt::cancels(), ..AggregateOptions::default() };
        let begin = Instant::now();
        let (rows, by) = aggregate::count(self.store, self.name, self.table, self.plan, &options)?;
        root.figures.push(("rows counted", Figure::Count(rows)));
        root.figures.push(("counted by", Figure::Text(by.to_string())));
        root.figures.push(("time", Figure::Time(begin.elapsed())));
        Ok(())
    }
}

/// Adds what running the plan showed to its steps.
fn annotate(step: &mut PlanStep, counters: &Counters, regions: Vec<RegionRows>, elapsed: Duration) {
    step.figures.push(("rows returned", Figure::Count(counters.returned)));
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    let per_row = (counters.returned > 0).then(|| counters.scanned as f64 / counters.returned as f64);
    step.figures.push(("rows read per row returned", Figure::Ratio(per_row)));
    step.figures.push(("time", Figure::Time(elapsed)));
    fill(step, counters, regions);
}

fn fill(step: &mut PlanStep, counters: &Counters, regions: Vec<RegionRows>) {
    let Counters { read, looked_up, .. } = counters;
    let mut count = |name, number| step.figures.push((name, Figure::Count(number)));
    match step.kind {
        StepKind::Limit => {}
        // Wherever it was checked: stores differ in that, not in how many rows go.
        StepKind::Filter => count("rows dropped", counters.filtered + counters.dropped_by_store),
        StepKind::Sort => {
            count("rows sorted", counters.sorted);
            count("bytes spilled", counters.spilled_bytes);
        }
        StepKind::Lookup => {
            count("rows looked up", looked_up.rows);
            count("calls", looked_up.calls);
            count("bytes", looked_up.bytes);
            count("entries that no longer count", counters.stale);
            step.figures.push(("waited", Figure::Time(looked_up.time)));
        }
        _ => {
            // The first step that reads speaks for all below it.
            count("rows read", counters.scanned);
            count("rows received", read.rows);
            count("calls", read.calls);
            count("bytes", read.bytes);
            if counters.undecodable > 0 {
                count("rows that do not decode", counters.undecodable);
            }
            step.figures.push(("waited", Figure::Time(read.time)));
            if regions.len() > 1 {
                step.figures.push(("rows read by region", Figure::Regions(regions)));
            }
            return;
        }
    }
    if let Some(input) = step.inputs.first_mut() {
        fill(input, counters, regions);
    }
}
