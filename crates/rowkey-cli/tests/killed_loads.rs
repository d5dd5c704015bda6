//! `kill -9` during a load, then the same load again: every row, once.

use crate::program::{Workplace, assert_all_once, checkpoint_rows, wait_until};
use rowkey_testing::cluster;

#[test]
fn a_killed_load_into_the_embedded_store_goes_on_and_ends_with_every_row_once() {
    let place = Workplace::new("orders");
    // Two families, and the first row is there already, so that the others are put and not loaded in bulk.
    let columns = "columns = { s = \"seller\", a = \"amount\" }";
    let apart = "columns = { s = \"seller\" }\n\n[families.m]\ncolumns = { a = \"amount\" }";
    let file = place.read("orders.toml");
    assert!(file.contains(columns), "{file}");
    place.write("orders.toml", &file.replace(columns, apart));
    place.ok(&["create", "orders.toml"]);
    place.write_orders(120_000);
    let first: String = place.read("orders.csv").split_inclusive('\n').take(2).collect();
    place.write("first.csv", &first);
    place.ok(&["load", "orders.toml", "first.csv"]);
    kill_and_load_again(&place, 120_000);
}

/// In bulk a killed load has left nothing, whatever it was doing; the next one begins anew.
#[test]
fn a_killed_bulk_load_leaves_all_or_nothing_and_ends_with_every_row_once() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write_orders(120_000);
    let checkpoint = place.path("orders.csv.rowkey-load");
    for kill in 0..6 {
        let mut load = place.start(&["load", "orders.toml", "orders.csv"]);
        wait_until("the beginning of the load", || {
            checkpoint.exists() || load.try_wait().expect("the program runs").is_some()
        });
        std::thread::sleep(std::time::Duration::from_millis(kill * 90));
        load.kill().expect("the program can be waited for");
        load.wait().expect("the program ran");
        let rows = place.ok(&["count", "orders"]);
        assert!(rows == "0\n" || rows == "120000\n", "kill {kill} left {rows}");
    }
    place.ok(&["load", "orders.toml", "orders.csv"]);
    assert!(!checkpoint.exists(), "a complete load leaves no checkpoint");
    assert_all_once(place.all_order_ids(), 120_000);
}

#[test]
fn a_killed_load_into_hbase_goes_on_and_ends_with_every_row_once() {
    let place = Workplace::on_cluster("orders_killed", &cluster::shared().zookeeper_url);
    place.ok(&["create", "orders.toml"]);
    kill_and_load_again(&place, 60_000);
}

fn kill_and_load_again(place: &Workplace, rows: u64) {
    place.write_orders(rows);
    let checkpoint = place.path("orders.csv.rowkey-load");
    let mut loaded_before = 0;
    for kill in 1..=3 {
        let mut load = place.start(&["load", "orders.toml", "orders.csv"]);
        let mut ended = None;
        wait_until("another batch of the load", || {
            ended = load.try_wait().expect("the program runs");
            ended.is_some() || checkpoint_rows(&checkpoint).is_some_and(|rows| rows > loaded_before)
        });
        assert!(ended.is_none(), "the load ended before kill {kill}: {:?}", load.wait_with_output());
        load.kill().expect("the program runs");
        let status = load.wait().expect("the program ran");
        assert_eq!(status.code(), None, "it was killed, so it has no exit code");
        let loaded = checkpoint_rows(&checkpoint).expect("the checkpoint stays");
        assert!(loaded < rows, "the kill came before the end");
        loaded_before = loaded;
    }

    let again = place.run(&["load", "orders.toml", "orders.csv"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.err.contains("resumed at line "), "{again:?}");
    assert!(!checkpoint.exists(), "a complete load leaves no checkpoint");
    assert_all_once(place.all_order_ids(), rows);
}
