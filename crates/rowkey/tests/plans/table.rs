//! Never more than needed: keys, queries and exactly the ranges that are read, in `testdata/plans.txt`.
//!
//! Each line is a key, a query and its plan. `ROWKEY_BLESS=1` writes the plans anew; read the change.

use std::fmt::Write as _;

use rowkey::query::{Access, Plan, PlanOptions, Query, plan};
use rowkey::{KeySchema, Order};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/plans.txt");

/// The plan in one line.
fn shown(key: &KeySchema, plan: &Plan) -> String {
    let mut text = String::new();
    match &plan.access {
        Access::Nothing => text.push_str("nothing"),
        Access::Gets(keys) => {
            text.push_str("get");
            for key in keys {
                let _ = write!(text, " {}", rowkey::escape::escape(key));
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
                    let fuzzy = seek.fuzzy(&fan_out.ranges[0]).map(|pattern| format!(" as {pattern}"));
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

#[test]
fn lists_make_gets_without_end_but_not_ranges() {
    let key = KeySchema::parse("[salt(16, u)][u: u64]").unwrap();
    let list = |count: u32| (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let planned = |key: &KeySchema, count| {
        let query = Query::parse(&format!("u in ({})", list(count)), key.fields()).unwrap();
        plan(key, &query, &PlanOptions::default())
            .map(|plan| plan.access.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(planned(&key, 5000), Ok(5000));
    let longer = KeySchema::parse("[salt(16, u)][u: u64][t: timestamp]").unwrap();
    assert_eq!(planned(&longer, 1000), Ok(1000));
    assert!(
        planned(&longer, 5000)
            .unwrap_err()
            .contains("the lists of the query make 5000 ranges; the limit is 1024")
    );
}
