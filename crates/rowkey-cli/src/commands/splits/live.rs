//! `rowkey split check TABLE`: what to split and merge, by what the store tells of the regions

use rowkey_core::check::rising_edge;
use rowkey_core::range::bound_key;
use rowkey_lab::rebalance::{Change, Reason, Thresholds, rebalance};
use rowkey_store::Region;
use serde_json::{Value, json};

use super::check::{expected, share_text};
use crate::Answer;
use crate::args::{OfTable, SplitCheck};
use crate::commands::regions::size_of;
use crate::key_text::KeyText;
use crate::output::{Output, Rows, cell, counted, grouped, key_json, number};
use crate::table_argument::AnyTable;

pub(super) fn run(arguments: &SplitCheck, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let of = OfTable { table: arguments.of.clone(), file: None };
    let AnyTable { store, name, table: file, .. } = AnyTable::open(&of, store)?;
    let regions = store.regions(&name)?;
    let splits: Vec<Vec<u8>> =
        regions.iter().filter_map(|region| start(region).map(<[u8]>::to_vec)).collect();
    let shares = expected(file.as_ref(), &splits);
    let thresholds = Thresholds::default();
    let rising = file.as_ref().and_then(|table| rising_edge(table, splits));
    let edge = rising.as_ref().map(|(edge, _)| *edge);
    let changes = rebalance(&regions, &shares, edge, &thresholds);
    let because = |change: &Change| match (change, &rising) {
        (Change::Keep { .. }, Some((_, issue))) => {
            format!("{}: {}", because(change, &thresholds), issue.message)
        }
        _ => because(change, &thresholds),
    };
    let command = |change: &Change| match change {
        Change::Keep { .. } => rising.as_ref().map_or_else(String::new, |(_, issue)| {
            let key = issue.cure.rewritten.as_ref().map_or_else(String::new, |key| format!(": {key}"));
            format!("{}{key}", issue.cure.text)
        }),
        Change::Split { region, .. } => {
            format!("rowkey split {name} --region {}", regions.get(*region).map_or("?", Region::encoded_name))
        }
        Change::Merge { first, last, .. } => {
            let names: Vec<&str> =
                regions.get(*first..=*last).unwrap_or_default().iter().map(Region::encoded_name).collect();
            format!("rowkey merge {name} {}", names.join(" "))
        }
    };
    let mut rows = Rows::new(["region", "start", "expected", "size", "reads", "writes"]);
    let text = KeyText::new(arguments.hex);
    for (at, region) in regions.iter().enumerate() {
        let share = shares.get(at);
        output.object(|| {
            json!({
                "region": region.name,
                "start": start(region).map_or(Value::Null, key_json),
                "expected": share.and_then(|share| share.known()),
                "size": region.size,
                "reads": region.reads,
                "writes": region.writes,
            })
        })?;
        rows.add([
            cell(region.encoded_name()),
            cell(start(region).map_or_else(String::new, |key| text.show(key))),
            number(share.map_or_else(|| "not known".to_owned(), |share| share_text(*share))),
            size_of(region),
            number(grouped(region.reads)),
            number(grouped(region.writes)),
        ]);
    }
    output.rows(&rows)?;
    for change in &changes {
        // A cure is a key for another table, no command for this one.
        let what = if matches!(change, Change::Keep { .. }) { "cure" } else { "command" };
        output.line(
            &format!("{}\n  {}", because(change), command(change)),
            || json!({ "because": because(change), what: command(change) }),
        )?;
    }
    if changes.is_empty() {
        output.text(&format!("nothing to split or merge in {}", counted(regions.len(), "region")))?;
    }
    Ok(if changes.is_empty() { Answer::Yes } else { Answer::No })
}

/// Where a region begins; `None` for the first.
pub(crate) fn start(region: &Region) -> Option<&[u8]> {
    bound_key(&region.range.start)
}

/// The figure and its threshold.
fn because(change: &Change, thresholds: &Thresholds) -> String {
    match change {
        Change::Split { region, because: Reason::Bytes(times) } => {
            format!(
                "split region {}: {times:.1} times the mean size (above {})",
                region + 1,
                thresholds.large
            )
        }
        Change::Split { region, because: Reason::Requests(times) } => {
            format!(
                "split region {}: {times:.1} times the mean requests (above {})",
                region + 1,
                thresholds.busy
            )
        }
        Change::Split { region, because: Reason::Unreachable } => format!("split region {}", region + 1),
        Change::Keep { region, because: Reason::Requests(times) } => format!(
            "do not split region {}, which has {times:.1} times the mean requests; one of its halves would take every new row",
            region + 1
        ),
        Change::Keep { region, because: Reason::Bytes(times) } => format!(
            "do not split region {}, which has {times:.1} times the mean size; one of its halves would take every new row",
            region + 1
        ),
        Change::Keep { region, because: Reason::Unreachable } => {
            format!("do not split region {}", region + 1)
        }
        Change::Merge { first, last, because: Reason::Unreachable } => {
            format!("merge regions {} to {}: no key can reach all but one of them", first + 1, last + 1)
        }
        Change::Merge { first, last, because: Reason::Bytes(times) | Reason::Requests(times) } => format!(
            "merge regions {} and {}: together {times:.2} times the mean size (at most {})",
            first + 1,
            last + 1,
            thresholds.small
        ),
    }
}
