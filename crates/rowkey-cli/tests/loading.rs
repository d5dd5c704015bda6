//! What `load` says and leaves behind: bad records in a file of their own, large files in bulk.

use crate::program::{Workplace, assert_all_once, assert_error, json};
use rowkey_testing::{cluster, orders};

/// Every hundredth line is bad.
fn with_bad_lines(good: &str) -> String {
    good.split_inclusive('\n')
        .enumerate()
        .map(|(at, line)| if at % 100 == 99 { "7,yesterday,O1,Shop,a lot\n" } else { line })
        .collect()
}

#[test]
fn bad_records_go_to_a_file_of_their_own() {
    let place = Workplace::new("orders");
    place.write_orders(1000);
    place.ok(&["create", "orders.toml"]);
    let good = place.read("orders.csv");
    place.write("orders.csv", &with_bad_lines(&good));
    let run = place.run(&["load", "orders", "orders.csv", "--skip-bad", "bad.jsonl"]);
    assert_eq!((run.code, run.out.as_str()), (0, "loaded 990 rows into orders\n"), "{run:?}");
    assert!(run.err.contains("10 bad records left out, see bad.jsonl"), "{run:?}");
    let bad: Vec<_> = place.read("bad.jsonl").lines().map(json).collect();
    assert_eq!(bad.len(), 10);
    assert_eq!((&bad[0]["line"], &bad[9]["line"]), (&100.into(), &1000.into()));
    assert_eq!(bad[0]["record"], "7,yesterday,O1,Shop,a lot");
    assert_eq!(bad[0]["problems"].as_array().map(Vec::len), Some(2), "{}", bad[0]);

    // Not over something else, and not into a folder that is not there.
    let run = place.run(&["load", "orders", "orders.csv", "--skip-bad", "bad.jsonl"]);
    assert_error(&run, &["bad.jsonl is for the bad records of this load", "bytes of something else"]);
    let run = place.run(&["load", "orders", "orders.csv", "--skip-bad", "no/such/folder"]);
    assert_error(&run, &["could not write bad records to no/such/folder"]);
    let run = place.run(&["load", "orders", "orders.csv"]);
    assert_error(&run, &["orders.csv, line 100:", "--skip-bad FILE", "98 rows before it are in the table"]);
    // Mended, the load goes on.
    place.write("orders.csv", &good);
    let loaded = json(&place.ok(&["--json", "load", "orders", "orders.csv"]));
    assert_eq!((&loaded["rows"], &loaded["skipped"]), (&1000.into(), &0.into()));
    assert_eq!(loaded["resumed_at_line"], 100);
    assert_all_once(place.all_order_ids(), 1000);
}

#[test]
fn a_large_file_is_loaded_in_bulk_whatever_the_table_has() {
    let place = Workplace::new("orders");
    place.write_orders(120_000);
    place.ok(&["create", "orders.toml"]);
    let loaded = json(&place.ok(&["--json", "load", "orders", "orders.csv"]));
    assert_eq!((&loaded["rows"], &loaded["in_bulk"]), (&120_000.into(), &true.into()));
    assert_eq!(place.ok(&["count", "orders"]), "120000\n");
    let again = json(&place.ok(&["--json", "load", "orders", "orders.csv"]));
    assert_eq!((&again["rows"], &again["in_bulk"]), (&120_000.into(), &true.into()));
    assert_all_once(place.all_order_ids(), 120_000);
    // Counts of regions: both loads.
    let out = place.ok(&["--json", "regions", "orders"]);
    let writes: u64 = out.lines().map(|line| json(line)["writes"].as_u64().unwrap_or(0)).sum();
    assert_eq!(writes, 240_000);
}

#[test]
fn the_same_seed_draws_the_same_keys() {
    let place = Workplace::new("orders");
    place.write_orders(200);
    let file = place.read("orders.toml").replace("salt(16, user_id)", "random(16)");
    place.write("random.toml", &file.replace("splits = \"salt\"", "splits = \"uniform 2\""));
    place.ok(&["create", "random.toml"]);
    let rows_after = |seed: &str| {
        place.ok(&["load", "orders", "orders.csv", "--seed", seed]);
        place.ok(&["count", "orders"])
    };
    assert_eq!(rows_after("7"), "200\n");
    assert_eq!(rows_after("7"), "200\n", "every row was written again under its own key");
    assert_ne!(rows_after("8"), "200\n");
}

/// Every command that reads records, with the data that it reads.
fn readers(data: &str) -> Vec<Vec<&str>> {
    let mut commands = vec![
        vec!["load", "orders.toml", data],
        vec!["load", "orders.toml", data, "--skip-bad", "bad.jsonl"],
        vec!["encode", "orders.toml", "--from", data],
        vec![
            "encode",
            "[random(16)][user_id: u64][ts: timestamp][order_id][seller][amount: i64]",
            "--from",
            data,
        ],
        vec!["profile", data, "--file", "orders.toml"],
        vec!["profile", data],
        vec!["check", "orders.toml", "--data", data],
        vec!["simulate", "orders.toml", "--data", data],
        vec!["size", "orders.toml", "--rows", "1000", "--data", data],
        vec!["split", "sample", "--from", "orders.toml", "--regions", "2", "--data", data],
        vec!["split", "check", "orders.toml", "--data", data],
        vec!["explain", "orders.toml", "user_id = 7", "--data", data],
        vec!["advise", "--queries", "orders.toml", "--data", data],
    ];
    commands.iter_mut().for_each(|command| command.push("--max-record=1KB"));
    commands
}

#[test]
fn every_command_names_the_line_of_a_record_without_an_end() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    let csv = "user_id,ts,order_id,seller,amount\n7,1,a,Shop,1\n8,2,b,\"Shop,2\n9,3,c,Shop,3\n";
    let json = "{\"user_id\":7,\"ts\":1,\"order_id\":\"a\",\"seller\":\"Shop\",\"amount\":1}\n";
    let cases = [
        (
            "open.csv",
            csv.to_owned(),
            "line 3: a quote opens a cell here, and nothing closes it before the end",
        ),
        (
            "long.csv",
            format!("{csv}{}", "x".repeat(2000)),
            "line 3: a quote opens a cell here, and nothing closes it within 1024 bytes",
        ),
        (
            "mac.csv",
            csv.replace('\n', "\r"),
            "line 1: there is a carriage return without a line feed behind it",
        ),
        (
            "long.jsonl",
            format!("{json}{json}{}\n", json.trim_end().replace("Shop", &"x".repeat(2000))),
            "line 3: the record is longer than 1024 bytes",
        ),
    ];
    for (data, text, told) in cases {
        place.write(data, &text);
        for command in readers(data) {
            let run = place.run(&command);
            assert_eq!(run.code, 2, "{command:?}: {run:?}");
            assert!(run.err.contains(&format!("{data}, {told}")), "{command:?}: {run:?}");
        }
    }
    assert_eq!(place.ok(&["count", "orders"]), "1\n", "what came before is loaded, and nothing else");
}

#[test]
fn a_truncated_table_gets_all_rows_again_on_both_stores() {
    let on_hbase = || Workplace::on_cluster("orders_stale", &cluster::shared().zookeeper_url);
    for place in [Workplace::new("orders"), on_hbase()] {
        place.write_orders(1000);
        let good = place.read("orders.csv");
        place.ok(&["create", "orders.toml"]);
        for truncate in ["truncate", "truncate_preserve"] {
            place.write("orders.csv", &with_bad_lines(&good));
            assert_error(
                &place.run(&["load", &place.table, "orders.csv"]),
                &["line 100", "98 rows before it"],
            );
            place.ok(&["shell", "-e", &format!("{truncate} '{}'", place.table)]);
            place.write("orders.csv", &good);
            let run = place.run(&["load", &place.table, "orders.csv"]);
            assert_eq!((run.code, run.out), (0, format!("loaded 1,000 rows into {}\n", place.table)));
            assert!(run.err.contains("began anew: the table was truncated"), "{}: {}", place.store, run.err);
            assert_eq!(place.ok(&["count", &place.table]), "1000\n", "{truncate} on {}", place.store);
        }
        // Rows that are still there are gone on from.
        place.write("orders.csv", &with_bad_lines(&good));
        place.run(&["load", &place.table, "orders.csv"]);
        place.write("orders.csv", &good);
        let loaded = json(&place.ok(&["--json", "load", &place.table, "orders.csv"]));
        assert_eq!(
            (&loaded["resumed_at_line"], &loaded["begun_anew"]),
            (&100.into(), &serde_json::Value::Null)
        );
        // And rows that were deleted are not.
        place.write("orders.csv", &with_bad_lines(&good));
        place.run(&["load", &place.table, "orders.csv"]);
        place.ok(&["delete", &place.table, "user_id >= 0", "--full-scan", "--yes"]);
        place.write("orders.csv", &good);
        let run = place.run(&["load", &place.table, "orders.csv"]);
        assert!(run.err.contains("began anew: rows that the interrupted load had written"), "{run:?}");
        let (disable, drop) = (format!("disable '{}'", place.table), format!("drop '{}'", place.table));
        place.ok(&["shell", "-e", &disable, "-e", &drop]);
    }
}

#[test]
fn data_that_was_edited_before_the_checkpoint_is_refused() {
    let place = Workplace::new("orders");
    place.write_orders(4000);
    let good = place.read("orders.csv");
    let object = |order: orders::Order| {
        let orders::Order { user_id, ts, order_id, seller, amount } = order;
        let object = serde_json::json!({
            "user_id": user_id, "ts": ts, "order_id": order_id, "seller": seller, "amount": amount,
        });
        format!("{object}\n")
    };
    let lines: String = orders::orders(4000, 1).map(object).collect();
    place.ok(&["create", "orders.toml"]);
    for (file, good) in [("orders.csv", &good), ("orders.jsonl", &lines)] {
        place.write(file, &format!("{good}oops\n"));
        assert_error(&place.run(&["load", "orders", file]), &["4,000 rows before it are in the table"]);
        let before = place.ok(&["count", "orders"]);
        // A digit of a user behind the first 64 KiB.
        let at = 100_000 + good[100_000..].find('\n').expect("a line") + 1;
        let digit = at + good[at..].find(|c: char| c.is_ascii_digit()).expect("a number");
        let mut edited = good.clone();
        edited.remove(digit);
        place.write(file, &edited);
        let run = place.run(&["load", "orders", file]);
        assert_error(&run, &[file, "was changed since the load was interrupted", "--restart"]);
        assert_eq!(place.ok(&["count", "orders"]), before);
        place.write(file, good);
        place.ok(&["load", "orders", file]);
        assert_eq!(place.ok(&["count", "orders"]), "4000\n");
    }
}

#[test]
fn rows_that_replaced_others_are_counted_where_that_is_cheap() {
    let counts = |answer: &str| {
        let loaded = json(answer);
        (
            loaded["rows"].as_u64(),
            loaded["replaced"].as_u64(),
            loaded["repeated"].as_u64(),
            loaded["in_bulk"].as_bool(),
        )
    };
    let place = Workplace::new("orders");
    place.write_orders(1000);
    let good = place.read("orders.csv");
    let twice: String = good.lines().skip(1).take(7).map(|line| format!("{line}\n")).collect();
    place.write("orders.csv", &format!("{good}{twice}"));
    place.ok(&["create", "orders.toml"]);
    // A small file: every row is looked up.
    let run = place.run(&["load", "orders", "orders.csv"]);
    assert_eq!(run.out, "loaded 1,007 rows into orders; 7 of them replaced a row with the same key\n");
    let again = place.ok(&["--json", "load", "orders", "orders.csv"]);
    assert_eq!(counts(&again), (Some(1007), Some(1007), None, Some(false)));
    // In bulk: the sort sees repeated keys; rows that were there are not looked up.
    let place = Workplace::new("orders");
    place.write_orders(120_000);
    let good = place.read("orders.csv");
    let twice: String = good.lines().skip(1).take(7).map(|line| format!("{line}\n")).collect();
    place.write("orders.csv", &format!("{good}{twice}"));
    place.ok(&["create", "orders.toml"]);
    let loaded = place.ok(&["--json", "load", "orders", "orders.csv"]);
    assert_eq!(counts(&loaded), (Some(120_007), Some(7), Some(7), Some(true)));
    assert_eq!(place.ok(&["count", "orders"]), "120000\n");
    let again = place.ok(&["--json", "load", "orders", "orders.csv"]);
    assert_eq!(counts(&again), (Some(120_007), None, Some(7), Some(true)));
    let text = place.ok(&["load", "orders", "orders.csv"]);
    assert!(
        text.starts_with("loaded 120,007 rows into orders; 7 of them replaced an earlier record"),
        "{text}"
    );
}

/// Thread by thread less memory: no limit is a reason to panic.
#[cfg(unix)]
#[test]
fn a_limit_of_memory_is_an_error_and_no_panic() {
    let place = Workplace::new("orders");
    place.write_orders(2000);
    place.ok(&["create", "orders.toml"]);
    let index = |name: &str, key: &str| format!("\n[[index]]\nname = \"{name}\"\nkey = \"{key}\"\n");
    let plain = place.read("orders.toml").replace("name = \"orders\"", "name = \"found\"");
    let by_seller = index("by_seller", "[seller: escaped][ts desc][user_id][order_id]");
    let by_order = index("by_order", "[order_id: escaped][user_id][ts desc]");
    place.write("found.toml", &format!("{plain}{by_seller}{by_order}"));
    place.ok(&["create", "found.toml"]);
    let mut refused = 0;
    for megabytes in (40..400).step_by(20) {
        for command in [
            "load orders orders.csv --restart",
            "load found orders.csv --restart",
            "index build found",
            "export orders --out x.csv --force",
            "query orders 'user_id = 7 order by ts desc limit 20'",
            r#"query found "seller = 'Oslo Toys' limit 20""#,
            "simulate orders.toml --data orders.csv --time ts",
            "count orders",
        ] {
            let program = env!("CARGO_BIN_EXE_rowkey");
            let limited = format!("ulimit -v {}; exec {program} --store ./store {command}", megabytes * 1024);
            let run =
                std::process::Command::new("sh").args(["-c", &limited]).current_dir(place.path(".")).output();
            let run = run.expect("there is a shell");
            let err = String::from_utf8_lossy(&run.stderr);
            assert!(!err.contains("panicked"), "{megabytes} MB, {command}: {err}");
            refused += usize::from(!run.status.success());
        }
    }
    assert!(refused > 0, "no limit was too low");
    for table in ["orders", "found"] {
        place.ok(&["load", table, "orders.csv", "--restart"]);
        assert_eq!(place.ok(&["count", table]), "2000\n");
    }
    place.ok(&["index", "verify", "found"]);
}
