//! `regions`, `split` and `merge` on the embedded store; the same on HBase is in `one_table_two_stores.rs`.

use crate::program::{Workplace, assert_error, json};

fn orders_table() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(1000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

fn starts(place: &Workplace) -> Vec<String> {
    let out = place.ok(&["--json", "regions", "orders"]);
    out.lines().map(|line| json(line)["start"]["hex"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn regions_tell_their_borders_in_every_form() {
    let place = orders_table();
    let out = place.ok(&["--json", "regions", "orders"]);
    let regions: Vec<_> = out.lines().map(json).collect();
    assert_eq!(regions.len(), 16);
    assert_eq!(regions[0]["start"], serde_json::Value::Null);
    assert_eq!(regions[7]["start"]["text"], r"\x07");
    assert_eq!(regions[7]["start"]["fields"]["salt(16, user_id)"], "7");
    assert_eq!(regions.iter().map(|region| region["writes"].as_u64().unwrap_or(0)).sum::<u64>(), 1000);
    let shown = place.ok(&["regions", "orders"]);
    assert!(shown.contains(r"\x07") && shown.contains("salt(16, user_id)=7"), "{shown}");
    let csv = place.ok(&["regions", "orders", "--csv", "--hex"]);
    assert_eq!(csv.lines().count(), 17);
    assert!(csv.contains(",07,\"salt(16, user_id)=7\",08,"), "{csv}");

    // As far as the key goes: the salt, the user, and the beginning of a time.
    place.ok(&["split", "orders", "--hex", "--at", "0700000000000000057fff"]);
    let out = place.ok(&["--json", "regions", "orders"]);
    let border = out.lines().map(json).find(|region| region["start"]["hex"] == "0700000000000000057fff");
    let border = border.expect("the region is there");
    assert_eq!(
        (&border["start"]["fields"]["user_id"], &border["start"]["fields"]["ts"]),
        (&5.into(), &serde_json::Value::Null)
    );
}

#[test]
fn ranges_for_the_workers_of_a_job_come_in_logical_order() {
    let place = orders_table();
    let user = |bucket: u8, user: u64| format!("{bucket:02x}{user:016x}");
    // Users from 500 on are regions of their own in two of the sixteen buckets, and two other buckets are one region.
    place.ok(&["split", "orders", "--hex", "--at", &user(3, 500), "--at", &user(4, 500)]);
    place.ok(&["merge", "orders", "--hex", "--at", "08"]);
    let out = place.ok(&["--json", "regions", "orders", "--ranges"]);
    let ranges: Vec<_> = out.lines().map(json).collect();
    assert_eq!(ranges.len(), 18, "{out}");
    let text =
        |range: &serde_json::Value, bound: &str| range[bound]["hex"].as_str().unwrap_or_default().to_owned();
    // First what begins at the lowest users, bucket by bucket, then what begins at user 500.
    let starts: Vec<String> = ranges.iter().map(|range| text(range, "start")).collect();
    let mut expected: Vec<String> = (0..16).map(|bucket| format!("{bucket:02x}")).collect();
    expected[0] = String::new();
    expected.extend([user(3, 500), user(4, 500)]);
    assert_eq!(starts, expected);
    assert_eq!(ranges[7]["region"], ranges[8]["region"], "two buckets of one region are two ranges");
    assert_eq!((text(&ranges[7], "start"), text(&ranges[7], "end")), ("07".to_owned(), "08".to_owned()));
    assert_eq!(ranges[7]["same"], serde_json::json!({ "salt(16, user_id)": "7" }));
    assert_eq!(ranges[3]["range"], serde_json::json!({ "field": "user_id", "to": 499 }));
    assert_eq!(ranges[16]["range"], serde_json::json!({ "field": "user_id", "from": 500 }));
    assert_eq!(ranges[16]["start"]["text"], r"\x03\x00\x00\x00\x00\x00\x00\x01\xF4");

    // Every row is in one range, as `scan` reads it.
    let rows: usize = ranges
        .iter()
        .map(|range| {
            let (start, stop) = (text(range, "start"), text(range, "end"));
            let mut scan = vec!["scan", "orders", "--hex", "--csv"];
            for (option, key) in [("--start", &start), ("--stop", &stop)] {
                if !key.is_empty() {
                    scan.extend([option, key]);
                }
            }
            place.run(&scan).out.lines().count() - 1
        })
        .sum();
    assert_eq!(rows, 1000);

    let shown = place.ok(&["regions", "orders", "--ranges"]);
    assert!(shown.contains("salt(16, user_id)=3 user_id from 500") && !shown.contains("server"), "{shown}");
    let csv = place.ok(&["regions", "orders", "--ranges", "--csv", "--hex"]);
    assert!(csv.contains("\n03,0300000000000001f4,,") && csv.ends_with("user_id from 500\"\n"), "{csv}");
    let redacted = place.ok(&["--redact", "--json", "regions", "orders", "--ranges"]);
    let last = json(redacted.lines().last().expect("a range"));
    assert_eq!(last["range"], serde_json::json!({ "field": "user_id", "from": "‹number›" }), "{redacted}");
    assert_eq!(last["start"], serde_json::json!({ "length": 9 }));
}

#[test]
fn regions_are_split_and_merged_and_no_row_is_lost() {
    let place = orders_table();
    let before = starts(&place);
    let run = place.run(&["split", "orders", "--hex", "--at", "0780", "--at", "0740", "--dry-run"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.starts_with("would cut region ") && run.out.contains("at 0740"), "{run:?}");
    assert_eq!(starts(&place), before);

    let run = place.run(&["split", "orders", "--hex", "--at", "0780", "--at", "0740"]);
    assert!(run.err.contains("orders has 18 regions"), "{run:?}");
    assert_eq!(starts(&place)[7..10], ["07", "0740", "0780"]);
    assert_eq!(place.ok(&["count", "orders"]), "1000\n");

    place.ok(&["merge", "orders", "--hex", "--at", "0780"]);
    let out = place.ok(&["--json", "regions", "orders"]);
    let names: Vec<String> = out
        .lines()
        .skip(7)
        .take(2)
        .map(|line| json(line)["name"].as_str().expect("a name").to_owned())
        .collect();
    let dry = json(&place.ok(&["--json", "merge", "orders", &names[0], &names[1], "--dry-run"]));
    assert_eq!(dry["merged"], false);
    place.ok(&["merge", "orders", &names[0], &names[1]]);
    assert_eq!(starts(&place), before);

    let short = json(out.lines().next().expect("a region"))["name"].as_str().expect("a name").to_owned();
    let short = short.trim_end_matches('.').rsplit('.').next().expect("a part").to_owned();
    place.ok(&["split", "orders", "--region", &short]);
    assert_eq!(starts(&place).len(), 17);
    assert_eq!(place.ok(&["count", "orders"]), "1000\n");
}

#[test]
fn what_cannot_be_split_or_merged_is_refused() {
    let place = orders_table();
    let before = starts(&place);
    assert_error(&place.run(&["split", "orders"]), &["--at <KEY>"]);
    assert_error(
        &place.run(&["split", "orders", "--at", r"\x07"]),
        &[r"a region of orders starts at \x07 already"],
    );
    assert_error(&place.run(&["split", "orders", "--at", "a", "--at", "a"]), &["--at a is given twice"]);
    assert_error(&place.run(&["split", "orders", "--at", ""]), &["a row key has 1 to 32767 bytes"]);
    assert_error(
        &place.run(&["split", "orders", "--region", "abc"]),
        &["has no region abc", "rowkey regions orders"],
    );
    assert_error(&place.run(&["split", "nothing", "--at", "a"]), &["there is no table `nothing`"]);
    assert_error(&place.run(&["merge", "orders", "abc"]), &["a merge takes two regions or more"]);
    assert_error(&place.run(&["merge", "orders", "--at", "abc"]), &["no region of orders starts at abc"]);
    let out = place.ok(&["--json", "regions", "orders"]);
    let name = |at: usize| {
        let line = out.lines().nth(at).expect("as many regions");
        json(line)["name"].as_str().expect("a name").to_owned()
    };
    let run = place.run(&["merge", "orders", &name(2), &name(4)]);
    assert_error(&run, &["cannot be merged: two or more neighbours can"]);
    assert_error(&place.run(&["regions", "nothing"]), &["there is no table `nothing`"]);
    assert_error(&place.run(&["regions", "orders", "--csv", "--json"]), &["choose either --csv or --json"]);
    assert_eq!(starts(&place), before);
}
