//! `rowkey size`: what a table takes, and what long names cost.

use crate::program::{Workplace, assert_error, json};

#[test]
fn the_rules_of_the_fourth_text() {
    let place = Workplace::new("orders");
    let sized =
        |more: &[&str]| json(&place.ok(&[&["--json", "size", "orders.toml", "--rows", "1G"], more].concat()));
    let close = |found: &serde_json::Value, expected: f64| {
        let found = found.as_f64().expect("a number");
        assert!((found - expected).abs() <= 1e-9 * expected, "{found} is not {expected}");
    };
    let default = sized(&[]);
    close(&default["disk_to_heap"], 192.0);
    close(&default["disk_per_server"], 6.0 * 1024f64.powi(4));
    close(&sized(&["--region-size", "10GB"])["disk_to_heap"], 96.0);
    // Two cells of 20 bytes, a key of 27, two letters, and ten and eight bytes of value.
    close(&default["row_bytes"], 59.0 + 57.0);
    close(&default["key_byte_costs"], 2e9);
    close(&sized(&["--replication", "2", "--heap", "16GB"])["disk_per_server"], 2.0 * 1024f64.powi(4));
    let tripled = sized(&["--versions", "3"]);
    close(&tripled["row_bytes"], 3.0 * 116.0);
}

#[test]
fn lengths_are_measured_on_data() {
    let place = Workplace::new("orders");
    place.write_orders(1000);
    let sized = json(&place.ok(&["--json", "size", "orders.toml", "--rows", "5k", "--data", "orders.csv"]));
    assert_eq!((&sized["measured_on"], &sized["rows"]), (&1000.into(), &5000.into()));
    // A salt, a user, a time and an order number of eleven letters; an amount is eight bytes.
    assert_eq!(sized["cells"][0]["key"].as_f64(), Some(28.0));
    assert_eq!(sized["cells"][1]["value"].as_f64(), Some(8.0));
    assert!(
        sized["cells"][0]["value"].as_f64().is_some_and(|length| (8.0..25.0).contains(&length)),
        "{sized}"
    );
}

#[test]
fn long_names_and_settings_are_told() {
    let place = Workplace::new("orders");
    let file = place
        .read("orders.toml")
        .replace("[families.d]", "[families.information]\ncompression = \"lz4\"\nttl = \"7d\"")
        .replace("s = \"seller\"", "seller_name = \"seller\"");
    place.write("long.toml", &file);
    let out = place.ok(&["size", "long.toml", "--rows", "1_000_000_000", "--rate", "1000"]);
    for words in [
        "one letter less of the family `information` saves 1.9 GB",
        "`seller_name` with a qualifier of one letter saves 9.3 GB",
        "`information` has COMPRESSION LZ4",
        "`information` forgets after 7 days: at that rate never more than 604,800,000 rows",
    ] {
        assert!(out.contains(words), "`{words}` is not in:\n{out}");
    }
}

#[test]
fn wrong_figures_are_refused() {
    let place = Workplace::new("orders");
    let refused = |more: &[&str], words: &[&str]| {
        assert_error(&place.run(&[&["size", "orders.toml"], more].concat()), words);
    };
    refused(&[], &["--rows <N>"]);
    refused(&["--rows", "many"], &["`many` is no count", "500M"]);
    refused(&["--rows", "1", "--heap", "32"], &["`32` is no size", "128MB"]);
    refused(&["--rows", "1", "--compression", "0"], &["`0` is no number above 0"]);
    assert_error(
        &place.run(&["size", "none.toml", "--rows", "1"]),
        &["could not read the table file none.toml"],
    );
}
