//! Ctrl-C during a query: whole rows, exit code 130, and a store that goes on.

#![cfg(unix)]

mod program;

use std::io::{BufRead, BufReader, Read};
use std::process::Command;

use program::{Workplace, json};

#[test]
fn an_interrupted_query_ends_cleanly() {
    let place = Workplace::new("orders");
    place.write_orders(60_000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    for command in [["query", "orders", "", "--full-scan"], ["scan", "orders", "--limit", "60000"]] {
        let mut query = place.start(&[&["--json"], command.as_slice()].concat());
        // Once the first row is here it runs; then it waits, because nobody takes the rest from the pipe.
        let mut out = BufReader::new(query.stdout.take().expect("it is piped"));
        let mut lines = String::new();
        out.read_line(&mut lines).expect("a row comes");
        let interrupt = Command::new("kill").args(["-INT", &query.id().to_string()]).status();
        assert!(interrupt.expect("there is a kill").success());
        out.read_to_string(&mut lines).expect("output is UTF-8");
        let ended = query.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        let rows = lines.lines().map(json).filter(|row| row["record"]["order_id"].is_string()).count();
        assert!((1..60_000).contains(&rows), "{rows} whole rows");
        assert!(String::from_utf8_lossy(&ended.stderr).contains("the query was cancelled"), "{ended:?}");
    }
    assert_eq!(place.ok(&["count", "orders"]), "60000\n");
}
