//! Index tables on the command line: made with the table, filled by loads, built, compared, mended.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::program::{Workplace, assert_error, json};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Delete, RowBatch, RowStore, Scan};

const FILE: &str = include_str!("../../../examples/orders-index/orders.toml");
const DATA: &str = include_str!("../../../examples/orders-index/orders.csv");

/// The example's file and data, loaded.
fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write("orders.toml", FILE);
    place.write("orders.csv", DATA);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

/// What an index command says of each index table.
fn reports(place: &Workplace, arguments: &[&str], code: i32) -> Vec<serde_json::Value> {
    let run = place.run(arguments);
    assert_eq!(run.code, code, "{run:?}");
    run.out.lines().map(json).collect()
}

/// Removes the first row of an index table behind the program's back.
fn remove_entry(place: &Workplace, index: &str) {
    let store = EmbeddedStore::open(&place.path("store"), Options::default()).unwrap();
    let name = index.parse().unwrap();
    let mut batch = RowBatch::new();
    store.scan(&name, &Scan::new(KeyRange::all())).unwrap().next_batch(&mut batch).unwrap();
    let row = batch.row(0).unwrap();
    let newest = row.cells().map(|cell| cell.timestamp).max().unwrap();
    store.mutate(&name, Delete::row_at(row.key(), newest).into()).unwrap();
}

#[test]
fn a_difference_is_named_and_mended() {
    let place = place();
    let found = reports(&place, &["--json", "index", "verify", "orders"], 0);
    assert_eq!(found.len(), 2);
    for report in &found {
        assert_eq!(
            (&report["rows"], &report["entries"], &report["missing"]),
            (&5.into(), &5.into(), &0.into())
        );
    }
    remove_entry(&place, "orders_by_number");
    let found = reports(&place, &["--json", "index", "verify", "orders.toml"], 1);
    assert_eq!((&found[0]["missing"], &found[1]["missing"]), (&0.into(), &1.into()));
    assert_eq!(found[1]["first"][0]["kind"], "missing");
    assert!(found[1]["first"][0]["entry"]["text"].as_str().unwrap().contains("N100"), "{}", found[1]);
    // Only the index table that is named is compared.
    let found = reports(&place, &["--json", "index", "verify", "orders", "orders_by_seller"], 0);
    assert_eq!((found.len(), found[0]["index"].as_str()), (1, Some("orders_by_seller")));

    let text = place.run(&["index", "verify", "orders"]);
    assert!(text.out.contains("orders_by_number: missing, entry "), "{text:?}");
    assert!(
        text.err.contains("1 difference; mend with: rowkey --store ./store index repair orders"),
        "{text:?}"
    );
    let mended = reports(&place, &["--json", "index", "repair", "orders"], 0);
    assert_eq!((&mended[1]["did"], &mended[1]["missing"]), (&"repair".into(), &1.into()));
    reports(&place, &["--json", "index", "verify", "orders"], 0);
}

#[test]
fn orders_are_found_in_three_ways() {
    let place = place();
    let numbers = |query: &str| {
        let out = place.ok(&["--json", "query", "orders", query]);
        out.lines()
            .map(|line| json(line)["record"]["number"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers("buyer = 7 order by ts desc limit 2"), ["N1005", "N1002"]);
    let january = "seller = 1 and ts >= '2025-01-01' and ts < '2025-02-01' order by ts desc";
    assert_eq!(numbers(january), ["N1003", "N1001"]);
    assert_eq!(numbers("number = 'N1004'"), ["N1004"]);
    // An index row that leads nowhere does not show; the row itself is still found in the other ways.
    remove_entry(&place, "orders_by_number");
    assert_eq!(numbers(january), ["N1003", "N1001"]);
}

#[test]
fn an_index_is_added_to_a_table_that_has_rows() {
    let place = Workplace::new("orders");
    place.write("plain.toml", FILE.split_once("[[index]]").unwrap().0);
    place.write("orders.toml", FILE);
    place.write("orders.csv", DATA);
    place.ok(&["create", "plain.toml"]);
    place.ok(&["load", "plain.toml", "orders.csv"]);
    let refused = place.run(&["load", "orders.toml", "orders.csv"]);
    assert_error(&refused, &["other index tables", "rowkey index build FILE"]);

    let built = json(&place.ok(&["--json", "index", "build", "orders.toml"]));
    assert_eq!((&built["rows"], &built["resumed_rows"]), (&5.into(), &serde_json::Value::Null));
    assert_eq!(built["indexes"], serde_json::json!(["orders_by_seller", "orders_by_number"]));
    assert!(!place.path("orders.rowkey-build").exists());
    reports(&place, &["--json", "index", "verify", "orders"], 0);
    // The old file would leave entries out.
    let refused = place.run(&["load", "plain.toml", "orders.csv"]);
    assert_error(&refused, &["table `orders` has other index tables", "orders_by_seller"]);
    // A load writes entries now, and moves those of rows that change.
    place.write("more.csv", &DATA.replace(",1,2025", ",3,2025").replace("N1002", "N1006"));
    place.ok(&["load", "orders.toml", "more.csv"]);
    let found = reports(&place, &["--json", "index", "verify", "orders"], 0);
    assert_eq!((&found[0]["rows"], &found[0]["entries"]), (&6.into(), &6.into()));
}

#[test]
fn wrong_inputs_are_named() {
    let place = place();
    let run = place.run(&["index", "verify", "orders", "orders_by_buyer"]);
    assert_error(&run, &["no index table `orders_by_buyer`", "it has orders_by_seller, orders_by_number"]);
    let run = place.run(&["index", "verify", "orders_by_seller"]);
    assert_error(&run, &["`orders_by_seller` is an index table of table `orders`"]);
    let run = place.run(&["index", "repair", "nothing"]);
    assert_error(&run, &["no table `nothing`"]);
    place.write("plain.toml", &FILE.split_once("[[index]]").unwrap().0.replace("\"orders\"", "\"plain\""));
    place.ok(&["create", "plain.toml"]);
    let run = place.run(&["index", "build", "plain.toml"]);
    assert_error(&run, &["table `plain` has no index tables", "[[index]]"]);
    let lost =
        FILE.replace("[number: escaped][buyer][ts]", "[number: escaped][buyer]").replace("orders", "lost");
    place.write("lost.toml", &lost);
    let run = place.run(&["create", "lost.toml"]);
    assert_error(&run, &["index table `lost_by_number`", "does not bring back ts"]);
}
