//! Never more than needed: keys, queries and exactly the ranges that are read, in `testdata/plans.txt`.
//!
//! Each line is a key, a query and its plan. `ROWKEY_BLESS=1` writes the plans anew; read the change.

use std::fmt::Write as _;

use rowkey_core::query::{Access, Plan, PlanOptions, Query, plan};
use rowkey_core::{KeySchema, Order};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/plans.txt");

/// The plan in one line.
fn shown(key: &KeySchema, plan: &Plan) -> String {
    let mut text = String::new();
    match &plan.access {
        Access::Nothing => text.push_str("nothing"),
        Access::Gets(keys) => {
            text.push_str("get");
            for key in keys {
                let _ = write!(text, " {}", rowkey_core::escape::escape(key));
            }
        }
        Access::Ranges(fan_outs) => {
            for (place, fan_out) in fan_outs.iter().enumerate() {
                let then = if place > 0 { " then " } else { "" };
                let merged = match fan_out.ranges.len() {
                    1 => String::new(),
                    many => format!("merge {many} from byte {}: ", fan_out.merge_from),
                };
                let _ = write!(text, "{then}{merged}{}", fan_out.ranges[0]);
                match fan_out.ranges.as_slice() {
                    [] | [_] => {}
                    [_, second] => drop(write!(text, " {second}")),
                    [.., last] => drop(write!(text, " … {last}")),
                }
                if let Some(seek) = &fan_out.seek {
                    let fuzzy = seek.fuzzy(&fan_out.ranges[0]).map(|patterns| {
                        let all: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                        format!(" as {}", all.join(" or "))
                    });
                    let _ = write!(text, " skip {}{}", seek.labels().join(""), fuzzy.unwrap_or_default());
                }
            }
        }
    }
    if plan.direction == Order::Descending {
        text.push_str("; reverse");
    }
    if !plan.residual.is_true() {
        let _ = write!(text, "; filter {}", plan.residual.to_sql(key.fields()));
    }
    if !plan.sort.is_empty() {
        text.push_str("; sort");
    }
    if plan.whole_table {
        text.push_str("; whole table");
    }
    text
}

#[test]
fn plans_read_no_more_than_needed() {
    let table = std::fs::read_to_string(FILE).unwrap();
    let (mut out, mut rows, mut key) = (String::new(), 0, None);
    for line in table.lines() {
        if let Some(source) = line.strip_prefix("key ") {
            key = Some(KeySchema::parse(source).unwrap_or_else(|error| panic!("{source}: {error}")));
        }
        if let Some(text) = line.strip_prefix("  ").filter(|line| !line.starts_with("  ")) {
            let key = key.as_ref().expect("a key comes first");
            let query = Query::parse(text, key.fields()).unwrap_or_else(|error| panic!("{text}: {error}"));
            let planned = match plan(key, &query, &PlanOptions::default()) {
                Ok(plan) => shown(key, &plan),
                Err(error) => format!("refused: {error}"),
            };
            let _ = writeln!(out, "{line}\n      {planned}");
            rows += 1;
        } else if !line.starts_with("  ") {
            let _ = writeln!(out, "{line}");
        }
    }
    assert!(rows >= 80, "only {rows} rows");
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        std::fs::write(FILE, &out).unwrap();
        return;
    }
    assert!(
        out == table,
        "plans differ from testdata/plans.txt: run with ROWKEY_BLESS=1 and read the change\n{out}"
    );
}

#[test]
fn a_limit_without_conditions_is_no_full_scan() {
    let key = KeySchema::parse("[salt(4, o)][t: timestamp desc][o]").unwrap();
    let query = Query::parse("order by t desc limit 20", key.fields()).unwrap();
    let plan = plan(&key, &query, &PlanOptions::default()).unwrap();
    assert_eq!((plan.access.len(), plan.direction), (4, Order::Ascending));
}

fn listed(count: u32) -> String {
    (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// Gets, ranges and skips of the plan for a condition.
fn planned(key: &str, condition: &str) -> (usize, usize, bool) {
    let key = KeySchema::parse(key).expect("it is a key and a query");
    let query = Query::parse(condition, key.fields()).expect("it is a key and a query");
    let plan = plan(&key, &query, &PlanOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    match &plan.access {
        Access::Nothing => (0, 0, false),
        Access::Gets(keys) => (keys.len(), 0, false),
        Access::Ranges(fan_outs) => {
            (0, plan.access.len(), fan_outs.iter().all(|fan_out| fan_out.seek.is_some()))
        }
    }
}

#[test]
fn lists_past_the_limit_of_ranges_are_skipped_through() {
    let list = |count| format!("u in ({})", listed(count));
    assert_eq!(planned("[salt(16, u)][u: u64]", &list(5000)), (5000, 0, false));
    assert_eq!(planned("[salt(16, u)][u: u64][t: timestamp]", &list(1000)), (0, 1000, false));
    assert_eq!(planned("[salt(16, u)][u: u64][t: timestamp]", &list(5000)), (0, 16, true));
    assert_eq!(planned("[u: u64][t: timestamp]", &list(5000)), (0, 1, true));
    assert_eq!(planned("[u: u64]", &list(20_000)), (0, 1, true));
}

/// The product is counted before it is made: 25 million combinations took 9 GB.
#[test]
fn lists_are_multiplied_only_as_far_as_they_are_read() {
    for key in [
        "[a: u32][b: u32]",
        "[a: u32][b: u32][s]",
        "[salt(8, a)][a: u32][b: u32]",
        "[salt(8)][a: u32][b: u32]",
    ] {
        let both = format!("a in ({0}) and b in ({0})", listed(5000));
        let (gets, ranges, skips) = planned(key, &both);
        assert!(
            gets == 0 && ranges <= rowkey_core::query::MAX_FAN_OUT && skips,
            "{key}: {gets} gets, {ranges} ranges"
        );
        let small = format!("a in ({}) and b in ({})", listed(100), listed(100));
        let whole_key = !key.contains("[s]");
        let (gets, ranges, _) = planned(key, &small);
        assert_eq!(gets, if whole_key { 10_000 } else { 0 }, "{key}: {gets} gets, {ranges} ranges");
    }
}

#[test]
fn every_candidate_keeps_to_the_limits() {
    let key = KeySchema::parse("[a: u32][b: u32][c: u32][s]").unwrap();
    for (a, b, c) in [(5000, 5000, 5000), (1000, 5000, 1), (30, 40, 50), (2, 2, 20_000), (20_000, 1, 1)] {
        let condition = format!("a in ({}) and b in ({}) and c in ({})", listed(a), listed(b), listed(c));
        let query = Query::parse(&condition, key.fields()).unwrap();
        let all = rowkey_core::query::candidates(&key, &query, &PlanOptions::default()).unwrap();
        assert!(!all.is_empty());
        for plan in all {
            assert!(
                plan.access.len() <= rowkey_core::query::MAX_FAN_OUT,
                "{a} {b} {c}: {} ranges",
                plan.access.len()
            );
        }
    }
}
