//! The same table file, data and queries give the same rows on the embedded store and on a real HBase.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::program::{self, Workplace, json, latest};
use rowkey_core::escape::to_hex;
use rowkey_core::{Table, Value};
use rowkey_testing::{cluster, java, orders};

const ROWS: u64 = 3000;

/// Queries of every shape that this version plans: one range, part of one, fan-out, backwards, a get, a filter.
const QUERIES: [&str; 9] = [
    "user_id = 7 order by ts desc limit 20",
    "user_id = 7 order by ts limit 20",
    "user_id = 7 and ts >= '2025-02-01' and ts < '2025-02-15'",
    "user_id = 7 and ts between '2025-01-10 12:00:00' and '2025-01-20' order by ts, order_id desc",
    "user_id >= 5 and user_id <= 9 limit 100",
    "user_id = 7 and amount < 0",
    "user_id = 7 and seller = 'no such seller'",
    "limit 50",
    "user_id = 123456789",
];

/// Commands whose whole answer is the same on both.
const COMMANDS: [&[&str]; 8] = [
    &["--json", "scan", "TABLE", "--limit", "50"],
    &["--json", "scan", "TABLE", "--reverse", "--limit", "50"],
    &["scan", "TABLE", "--prefix", r"\x07", "--csv", "--columns", "order_id,amount"],
    &["--json", "scan", "TABLE", "--raw-cells", "--limit", "20"],
    &["count", "TABLE"],
    &["count", "TABLE", "user_id = 7 and ts >= '2025-02-01'"],
    &["--json", "get", "TABLE", "no such row"],
    &["--json", "delete", "TABLE", "user_id = 7", "--dry-run"],
];

#[test]
fn both_stores_give_the_same_rows() {
    let endpoints = cluster::shared();
    let places = [
        Workplace::new("orders"),
        Workplace::on_cluster("orders_zk", &endpoints.zookeeper_url),
        Workplace::on_cluster("orders_rpc", &endpoints.rpc_url),
    ];
    for place in &places {
        place.write_orders(ROWS);
        let created = json(&place.ok(&["--json", "create", "orders.toml"]));
        assert_eq!((&created["regions"], &created["created"]), (&16.into(), &true.into()));
        let loaded = json(&place.ok(&["--json", "load", "orders.toml", "orders.csv"]));
        assert_eq!(loaded["rows"], ROWS);
    }
    for query in QUERIES {
        let answers: Vec<_> = places
            .iter()
            .map(|place| {
                let run = place.run(&["--json", "query", &place.table, query]);
                (run.code, run.out)
            })
            .collect();
        assert_eq!(answers[0], answers[1], "embedded and HBase over ZooKeeper: {query}");
        assert_eq!(answers[0], answers[2], "embedded and HBase over the RPC registry: {query}");
    }
    for command in COMMANDS {
        let answers: Vec<_> = places
            .iter()
            .map(|place| {
                let arguments: Vec<&str> = command
                    .iter()
                    .map(|&word| if word == "TABLE" { place.table.as_str() } else { word })
                    .collect();
                let run = place.run(&arguments);
                (run.code, run.out.replace(&place.table, "TABLE"))
            })
            .collect();
        assert_ne!(answers[0].0, 2, "{command:?}");
        assert_eq!(answers[0], answers[1], "embedded and HBase over ZooKeeper: {command:?}");
        assert_eq!(answers[0], answers[2], "embedded and HBase over the RPC registry: {command:?}");
    }
    for place in &places {
        check_latest(place);
        check_regions(place);
        check_whole_table(place);
    }
    check_figures(&places[..2]);
    check_with_java(&places[1], endpoints.zookeeper_address());
    places.iter().for_each(check_splits_and_deletes);
}

/// Both stores come to the same, HBase without reading rows where its endpoint can.
fn check_figures(places: &[Workplace]) {
    let both = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let answer = |place: &Workplace| {
            let arguments: Vec<&str> =
                arguments.iter().map(|word| if *word == "TABLE" { &place.table } else { *word }).collect();
            place.ok(&arguments).lines().map(json).collect()
        };
        places.iter().map(answer).collect()
    };
    let by = |answers: &[serde_json::Value]| -> Vec<String> {
        answers.iter().map(|answer| answer[0]["by"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let groups = both(&["--json", "count", "TABLE", "--group-by", "seller,user_id", "--sum", "amount"]);
    assert!(groups[0] == groups[1] && groups[0].as_array().is_some_and(|groups| groups.len() > 50));
    assert_eq!(by(&groups), ["rows", "rows"]);
    for arguments in [&["--json", "count", "TABLE"][..], &["--json", "count", "TABLE", "user_id = 7"]] {
        assert_eq!(by(&both(arguments)), ["keys", "endpoint"]);
    }
    assert_eq!(by(&both(&["--json", "count", "TABLE", "--sum", "amount"])), ["rows", "endpoint"]);
    assert_eq!(by(&both(&["--json", "count", "TABLE", "user_id = 7 and amount > 0"])), ["rows", "rows"]);
    let told = places[1].run(&["count", &places[1].table]).err;
    assert_eq!(told, "3,000 rows (the whole table, by the endpoint of each region)\n");
    let explained = both(&["--json", "explain", "TABLE", "user_id = 7", "--analyze", "--count"]);
    let figures = |answer: &serde_json::Value| answer[0]["plan"]["figures"]["counted_by"].clone();
    assert_eq!(explained.iter().map(figures).collect::<Vec<_>>(), ["keys", "endpoint"]);
}

/// Borders come and go, on HBase by its own procedures; rows stay until they are deleted.
fn check_splits_and_deletes(place: &Workplace) {
    let count = || place.ok(&["count", &place.table]);
    let regions = || place.ok(&["--json", "regions", &place.table]).lines().count();
    assert_eq!((count(), regions()), (format!("{ROWS}\n"), 16));
    place.ok(&["split", &place.table, "--hex", "--at", "0780"]);
    assert_eq!((count(), regions()), (format!("{ROWS}\n"), 17));
    place.ok(&["merge", &place.table, "--hex", "--at", "0780"]);
    assert_eq!((count(), regions()), (format!("{ROWS}\n"), 16));
    let of_user = orders::orders(ROWS, 1).filter(|order| order.user_id == 7).count() as u64;
    let deleted = json(&place.ok(&["--json", "delete", &place.table, "user_id = 7", "--yes"]));
    assert_eq!(deleted["deleted"], of_user);
    assert_eq!(count(), format!("{}\n", ROWS - of_user));
}

fn check_latest(place: &Workplace) {
    let out = place.ok(&["--json", "query", "orders.toml", QUERIES[0]]);
    let found: Vec<_> = out.lines().map(|line| json(line)["record"].clone()).collect();
    let expected: Vec<_> = latest(ROWS, 7, 20)
        .into_iter()
        .map(|order| {
            let ts = order.ts_text();
            serde_json::json!({ "user_id": order.user_id, "ts": ts, "order_id": order.order_id,
                                "seller": order.seller, "amount": order.amount })
        })
        .collect();
    assert_eq!(found.len(), 20);
    assert_eq!(found, expected);
}

fn check_regions(place: &Workplace) {
    let out = place.ok(&["--json", "regions", "orders.toml"]);
    let starts: Vec<String> =
        out.lines().map(|line| json(line)["start"]["hex"].as_str().unwrap_or_default().to_owned()).collect();
    let expected: Vec<String> =
        (0..16).map(|bucket| if bucket == 0 { String::new() } else { format!("{bucket:02x}") }).collect();
    assert_eq!(starts, expected);
}

fn check_whole_table(place: &Workplace) {
    program::assert_all_once(place.all_order_ids(), ROWS);
}

/// HBase's own client sees the bytes that the notation promises: the key from the core, whose bytes the reference
/// vectors hold, and the cells written out here by hand.
fn check_with_java(place: &Workplace, zookeeper: &str) {
    let table = Table::parse("orders.toml", &place.read("orders.toml")).unwrap();
    let mut expected = Vec::new();
    for order in orders::orders(ROWS, 1) {
        let record = [
            Value::Int(order.user_id.into()),
            Value::Time(order.ts),
            Value::Text(order.order_id.clone().into()),
        ];
        let mut key = Vec::new();
        table.key.encode(&record, &mut key).unwrap();
        let (row, time) = (to_hex(&key), order.ts);
        expected.push(format!("{row} d {} {time} {}", to_hex(b"a"), to_hex(&order.amount.to_be_bytes())));
        expected.push(format!("{row} d {} {time} {}", to_hex(b"s"), to_hex(order.seller.as_bytes())));
    }
    // Hex sorts as the bytes do, and the amount `a` comes before the seller `s` of the same row.
    expected.sort();
    let found = java::run(java::READ_BACK, &[zookeeper, &place.table]).unwrap();
    assert!(found.lines().eq(expected), "HBase's own client reads other cells");

    let regions = java::run(java::READ_BACK, &[zookeeper, &place.table, "--regions"]).unwrap();
    assert_eq!(regions.lines().count(), 16);
}
