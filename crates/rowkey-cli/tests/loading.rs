//! What `load` says and leaves behind: bad records in a file of their own, large files in bulk.

mod program;

use program::{Workplace, assert_all_once, assert_error, json};

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
