//! `rowkey profile` and `rowkey check --data` say what is in the data.

use std::io::Write;

use crate::program::{Workplace, assert_error, finished, json};

fn place(orders: u64) -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(orders);
    place
}

#[test]
fn json_has_every_figure() {
    let place = place(5000);
    let found = json(&place.ok(&["--json", "profile", "orders.csv"]));
    assert_eq!((&found["records"], &found["refused"]), (&5000.into(), &0.into()));
    let field = |name: &str| {
        found["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap().clone()
    };
    assert_eq!(field("user_id")["type"], "u64");
    assert_ne!(field("order_id")["identifies"], "no");
    assert!(field("order_id")["length"]["max"].as_u64() > Some(3));
    assert_eq!(field("ts")["type"], "timestamp");
    assert_eq!(field("user_id")["entropy_bits"].as_array().unwrap().len(), 8);
}

#[test]
fn a_pipe_a_parquet_file_and_a_live_table_are_looked_at() {
    let place = place(3000);
    let csv = place.read("orders.csv");
    let mut child = place.start(&["--json", "profile", "-"]);
    child.stdin.take().expect("a pipe").write_all(csv.as_bytes()).expect("it reads");
    let run = finished(&child.wait_with_output().expect("it ends"));
    assert_eq!((run.code, json(&run.out)["records"].as_u64()), (0, Some(3000)), "{run:?}");

    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let live = json(&place.ok(&["--json", "profile", "orders", "--rate", "1000000"]));
    assert_eq!(live["records"], 3000);
    assert_eq!(live["fields"][0]["type_is"], "declared");
    let some = json(&place.ok(&["--json", "profile", "orders", "--share", "0.2"]));
    assert!((300..900).contains(&some["records"].as_u64().unwrap()), "{}", some["records"]);
    let declared = json(&place.ok(&["--json", "profile", "orders.csv", "--file", "orders.toml"]));
    assert_eq!((&declared["records"], &declared["fields"][0]["type_is"]), (&3000.into(), &"declared".into()));
}

#[test]
fn a_key_is_judged_on_data_without_a_table_file() {
    let place = place(20_000);
    let run = place.run(&["check", "[ts][user_id]", "--data", "orders.csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("types by orders.csv: ts timestamp, user_id u64"), "{run:?}");
    let fine = place.run(&["check", "orders.toml", "--data", "orders.csv"]);
    assert_eq!(fine.code, 0, "{fine:?}");
    let run = place.run(&["--json", "check", "[user_id]", "--data", "orders.csv"]);
    let issue = json(run.out.lines().next().expect("an issue"));
    assert_eq!((&issue["rule"], &issue["severity"]), (&"duplicate-keys".into(), &"error".into()));
    assert!(issue["message"].as_str().unwrap().contains("line "), "{issue}");
    let story = place.ok(&["check", "--explain", "duplicate-keys"]);
    assert!(story.contains("Over a user with two orders on one day, with `--data`:"), "{story}");
}

#[test]
fn wrong_data_is_told() {
    let place = Workplace::new("orders");
    place.write("empty.csv", "");
    assert_error(&place.run(&["profile", "empty.csv"]), &["empty.csv is empty: it has no fields"]);
    place.write("numbers.csv", "1,2\n3,4\n");
    assert_error(&place.run(&["profile", "numbers.csv"]), &["line 1: `1` is a value and no name", "Add one"]);
    std::fs::write(place.path("garbage.csv"), (0..=255_u8).rev().collect::<Vec<u8>>()).unwrap();
    assert_error(&place.run(&["profile", "garbage.csv"]), &["garbage.csv is UTF-16", "iconv"]);
    std::fs::write(place.path("garbage.parquet"), b"garbage").unwrap();
    assert_error(&place.run(&["profile", "garbage.parquet"]), &["cannot be read as Parquet"]);
    assert_error(&place.run(&["profile", "missing.csv"]), &["could not read missing.csv"]);
    place.write("a.csv", "a\n1\n");
    assert_error(
        &place.run(&["profile", "a.csv", "--share", "0.5"]),
        &["--share and --rate are for live tables"],
    );
    assert_error(&place.run(&["profile", "a.csv", "--share", "7"]), &["--share 7 is no share"]);
    assert_error(&place.run(&["check", "[b]", "--data", "a.csv"]), &["there is no field `b`"]);
    let run = place.run(&["check", "orders.toml", "--data", "a.csv"]);
    assert_error(&run, &["no field is called `a`"]);
    place.write("bad.csv", "a,b\n1,2\n1\n2,3\n");
    let run = place.run(&["profile", "bad.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("could not be read: 1 row") && run.err.contains("bad.csv, line 3"), "{run:?}");
}
