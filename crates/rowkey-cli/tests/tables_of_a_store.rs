//! Whole tables on the command line: listed, described, emptied, removed; and stores that are not there.

use crate::program::{Workplace, assert_error, json};
use rowkey_testing::cluster;

const FILE: &str = include_str!("../../../examples/orders-index/orders.toml");
const DATA: &str = include_str!("../../../examples/orders-index/orders.csv");

/// A table of this name with index tables and rows, and a table that rowkey did not make.
fn place(table: &str, store: &str) -> Workplace {
    let place = Workplace::new(table).with_store(store);
    place.write("orders.toml", &FILE.replace("\"orders", &format!("\"{table}")));
    place.write("orders.csv", DATA);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place.ok(&["shell", "-e", &format!("create '{table}_other', {{NAME => 'f', VERSIONS => 3, TTL => 60}}")]);
    place
}

fn whole_tables(place: &Workplace) {
    let table = place.table.as_str();
    let (other, index) = (format!("{table}_other"), format!("{table}_by_seller"));
    let listed: Vec<serde_json::Value> = place.ok(&["--json", "list"]).lines().map(json).collect();
    let one = |name: &str| listed.iter().find(|found| found["table"] == name).expect("it is listed");
    assert!(one(table)["key"].as_str().expect("a key").contains("[buyer]"), "{listed:?}");
    assert_eq!(one(&other)["key"], serde_json::Value::Null);
    assert_eq!((&one(&index)["index_of"], &one(&index)["ready"]), (&table.into(), &true.into()));
    assert!(place.ok(&["list"]).contains(&format!("index table of {table}")));

    assert_eq!(place.ok(&["describe", table, "--toml"]).trim_end(), place.read("orders.toml").trim_end());
    let described = json(&place.ok(&["--json", "describe", table]));
    assert_eq!(described["indexes"].as_array().map(Vec::len), Some(2));
    let shown = place.ok(&["describe", &other]);
    let family = "family f: 3 versions, kept for 60 s";
    assert!(shown.contains("not made by rowkey") && shown.contains(family), "{shown}");
    assert_error(&place.run(&["describe", &other, "--toml"]), &["no table file", &other]);
    assert_error(&place.run(&["describe", &format!("{table}x")]), &[&format!("did you mean `{table}`")]);

    // Without a word nothing goes, and an index table only with its table.
    for command in ["truncate", "drop"] {
        assert_error(&place.run(&[command, table]), &["no terminal to ask at", "--yes"]);
        assert_error(&place.run(&[command, &index, "--yes"]), &[&format!("index table of {table}")]);
    }
    let regions = place.ok(&["--json", "regions", table]).lines().count();
    let by_index = ["--json", "query", table, "seller = 1 order by ts desc"];
    assert!(place.ok(&by_index).lines().count() > 0, "the index finds rows");
    place.ok(&["truncate", "orders.toml", "--yes"]);
    assert_eq!(place.ok(&["count", table]).trim(), "0");
    assert_eq!(place.run(&by_index).out, "");
    assert_eq!(place.ok(&["--json", "regions", table]).lines().count(), regions);
    place.ok(&["index", "verify", table]);
    // The load does not believe that its rows are still there.
    place.ok(&["load", "orders.toml", "orders.csv"]);
    assert_eq!(place.ok(&["count", table]).trim(), DATA.lines().skip(1).count().to_string());
    assert!(place.ok(&by_index).lines().count() > 0, "the index is in use again");

    place.ok(&["truncate", &other, "--yes"]);
    for table in [table, &other] {
        let dropped = json(&place.ok(&["--json", "drop", table, "--yes"]));
        assert_eq!(dropped["dropped"], true);
        assert_error(&place.run(&["drop", table, "--yes"]), &[table]);
        place.ok(&["drop", table, "--yes", "--if-exists"]);
    }
    let left = place.ok(&["--json", "list"]);
    assert!(!left.contains(table), "{left}");
}

#[test]
fn whole_tables_of_a_folder() {
    whole_tables(&place("orders", "./store"));
}

#[test]
fn whole_tables_of_a_cluster() {
    let table = format!("whole_{}", std::process::id());
    whole_tables(&place(&table, &cluster::shared().zookeeper_url));
}

#[test]
fn an_index_table_without_its_table_can_be_dropped() {
    let place = place("orders", "./store");
    place.ok(&["shell", "-e", "disable 'orders'", "-e", "drop 'orders'"]);
    place.ok(&["drop", "orders_by_seller", "--yes"]);
    assert!(!place.ok(&["list"]).contains("orders_by_seller"));
}

/// What only reads makes no folder, whatever the store is called.
#[test]
fn a_store_is_made_by_what_makes_tables() {
    let place = Workplace::new("orders");
    place.write_orders(3);
    for command in [
        &["list"][..],
        &["describe", "orders"],
        &["drop", "orders", "--yes"],
        &["truncate", "orders.toml", "--yes"],
        &["query", "orders", "user_id = 7"],
        &["count", "orders.toml"],
        &["get", "orders", "x"],
        &["scan", "orders"],
        &["export", "orders", "--out", "orders-copy.csv"],
        &["regions", "orders"],
        &["explain", "orders", "user_id = 7"],
        &["delete", "orders", "user_id = 7"],
        &["index", "verify", "orders"],
        &["split", "orders", "--at", "x"],
        &["load", "orders.toml", "orders.csv"],
        &["decode", "orders", "x"],
        &["check", "orders"],
        &["profile", "orders"],
    ] {
        let run = place.run(command);
        assert_error(&run, &["there is no store in ./store", "rowkey create"]);
        assert!(!place.path("store").exists(), "{command:?} made a folder");
    }
    place.ok(&["drop", "orders", "--yes", "--if-exists"]);
    assert!(!place.path("store").exists());
    for (store, meant) in
        [("localhost:2181", "hbase://localhost:2181"), ("hbase:/x", "hbase://x"), ("hbase//x", "hbase://x")]
    {
        let place = Workplace::new("orders").with_store(store);
        for command in
            [&["create", "orders.toml"][..], &["query", "orders", "user_id = 7"], &["shell", "-e", "list"]]
        {
            assert_error(&place.run(command), &[store, "neither a folder", meant]);
        }
    }
    place.ok(&["create", "orders.toml"]);
    assert!(place.path("store").exists());
}
