//! Ctrl-C and SIGTERM: whole rows, a word about what was done and how to go on, exit code 130 or 143, and nothing half-done.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

use crate::program::{Run, Workplace, assert_all_once, checkpoint_rows, finished, json, wait_until};
use rowkey_testing::cluster;

/// Sends a signal by its name.
fn signal(program: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &program.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
}

fn ended(program: Child) -> Run {
    finished(&program.wait_with_output().expect("it ends"))
}

/// Waits until the program has a handler for SIGINT.
fn wait_until_it_listens(program: &Child) {
    let status = format!("/proc/{}/status", program.id());
    wait_until("a signal handler", || {
        let text = std::fs::read_to_string(&status).expect("it runs");
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("there is a mask");
        u64::from_str_radix(caught.trim(), 16).expect("hex") & 0b10 != 0
    });
}

/// Two families and a row that is there already, so that rows are put and not loaded in bulk.
fn place_for_puts(rows: u64) -> Workplace {
    let place = Workplace::new("orders");
    let columns = "columns = { s = \"seller\", a = \"amount\" }";
    let apart = "columns = { s = \"seller\" }\n\n[families.m]\ncolumns = { a = \"amount\" }";
    let file = place.read("orders.toml");
    assert!(file.contains(columns), "{file}");
    place.write("orders.toml", &file.replace(columns, apart));
    place.ok(&["create", "orders.toml"]);
    place.write_orders(rows);
    let first: String = place.read("orders.csv").split_inclusive('\n').take(2).collect();
    place.write("first.csv", &first);
    place.ok(&["load", "orders.toml", "first.csv"]);
    place
}

#[test]
fn an_interrupted_load_says_how_to_go_on() {
    let place = place_for_puts(120_000);
    let checkpoint = place.path("orders.csv.rowkey-load");
    let mut before = 0;
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let load = place.start(&["load", "orders.toml", "orders.csv"]);
        wait_until("another batch", || checkpoint_rows(&checkpoint).is_some_and(|rows| rows > before));
        signal(&load, name);
        let run = ended(load);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
        before = checkpoint_rows(&checkpoint).expect("the checkpoint stays");
        assert!(before < 120_000);
        for words in [
            "stopping at the next safe point",
            "error: the load was interrupted; ",
            "rows of the data are in the table. Go on with: rowkey --store ./store load orders.toml orders.csv\n",
        ] {
            assert!(run.err.contains(words), "{words}: {run:?}");
        }
        let shown: String = run.err.chars().filter(|c| *c != ',').collect();
        assert!(shown.contains(&format!("interrupted; {before} rows")), "{before}: {run:?}");
    }
    let loaded = json(&place.ok(&["--json", "load", "orders.toml", "orders.csv"]));
    assert_eq!(loaded["rows"], 120_000);
    assert!(loaded["resumed_at_line"].as_u64().is_some_and(|line| line == before + 2), "{loaded}");
    assert_all_once(place.all_order_ids(), 120_000);
}

#[test]
fn an_interrupted_bulk_load_leaves_nothing() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write_orders(120_000);
    let checkpoint = place.path("orders.csv.rowkey-load");
    let load = place.start(&["load", "orders.toml", "orders.csv"]);
    wait_until("the beginning", || checkpoint.exists());
    signal(&load, "INT");
    let run = ended(load);
    assert_eq!(run.code, 130, "{run:?}");
    assert!(run.err.contains("the load was interrupted; nothing was loaded. Go on with: "), "{run:?}");
    assert_eq!(place.ok(&["count", "orders"]), "0\n");
    let left: Vec<String> = std::fs::read_dir(place.path("."))
        .expect("a folder")
        .map(|file| file.expect("readable").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.contains("rowkey-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    place.ok(&["load", "orders.toml", "orders.csv"]);
    assert_eq!(place.ok(&["count", "orders"]), "120000\n");
}

/// On a cluster, where index rows are made batch by batch; a folder has them all at once.
#[test]
fn an_interrupted_build_says_how_to_go_on() {
    let url = cluster::shared().zookeeper_url.as_str();
    let place = Workplace::on_cluster("building", url);
    place.ok(&["create", "orders.toml"]);
    place.write_orders(20_000);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let [seller, amount] = ["seller", "amount"].map(|by| format!("{}_by_{by}", place.table));
    let index = |name: &str, key: &str| format!("\n[[index]]\nname = \"{name}\"\nkey = \"{key}\"\n");
    let seller_index = index(&seller, "[seller: escaped][ts desc][user_id][order_id]");
    let amount_index = index(&amount, "[amount][ts desc][user_id][order_id]");
    place.write("indexed.toml", &(place.read("orders.toml") + &seller_index + &amount_index));
    let build = ["index", "build", "indexed.toml", &seller, &amount, "--checkpoint", "how far.json"];
    let program = place.start(&build);
    wait_until("a batch", || place.path("how far.json").exists());
    signal(&program, "INT");
    let run = ended(program);
    assert_eq!(run.code, 130, "{run:?}");
    let again = format!("index build indexed.toml {seller} {amount} --checkpoint 'how far.json'\n");
    assert!(run.err.contains(" rows have their entries. Go on with: "), "{run:?}");
    assert!(run.err.contains(&format!("rowkey --store {url} {again}")), "{run:?}");
    let run = place.run(&build);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("resumed, "), "{run:?}");
    assert!(run.out.contains("from 20,000 rows"), "{run:?}");
    place.ok(&["drop", &place.table, "--yes"]);
}

#[test]
fn an_interrupted_delete_says_what_is_gone() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write_orders(120_000);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let mut delete = place.start(&["delete", "orders", "user_id >= 0", "--full-scan", "--yes"]);
    let mut err = BufReader::new(delete.stderr.take().expect("it is piped"));
    let mut lines = String::new();
    while !lines.contains("found by:") {
        assert!(err.read_line(&mut lines).expect("UTF-8") > 0, "{lines}");
    }
    signal(&delete, "TERM");
    err.read_to_string(&mut lines).expect("UTF-8");
    assert_eq!(delete.wait().expect("it ends").code(), Some(143), "{lines}");
    let count: u64 = place.ok(&["count", "orders"]).trim().parse().expect("a number");
    assert!(count > 0, "{lines}");
    let shown: String = lines.chars().filter(|c| *c != ',').collect();
    let told = format!("interrupted; {} rows of orders were deleted and {count} rows stay", 120_000 - count);
    assert!(shown.contains(&told), "{told}: {lines}");
    assert!(lines.contains("The same command deletes the rest"), "{lines}");
}

#[test]
fn an_interrupted_script_does_not_run_the_rest() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write_orders(60_000);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let mut shell = place.start(&["shell", "-e", "scan 'orders'", "-e", "truncate 'orders'"]);
    let mut out = BufReader::new(shell.stdout.take().expect("it is piped"));
    let mut lines = String::new();
    out.read_line(&mut lines).expect("a row comes");
    signal(&shell, "INT");
    out.read_to_string(&mut lines).expect("UTF-8");
    let run = ended(shell);
    assert_eq!(run.code, 130, "{run:?}");
    assert!(
        run.err.contains(
            "-e, line 1: interrupted; what was done before stays, and 1 command behind it did not run"
        ),
        "{run:?}"
    );
    assert!(lines.contains("ERROR: interrupted"), "{}", lines.len());
    assert_eq!(place.ok(&["count", "orders"]), "60000\n");
}

#[test]
fn a_command_without_safe_points_ends_at_once_and_says_so() {
    let place = Workplace::new("orders");
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        // It waits for its input, which does not come.
        let profile = place.start(&["profile", "-"]);
        wait_until_it_listens(&profile);
        signal(&profile, name);
        let run = ended_while_open(profile);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
        assert_eq!(run.err, "error: interrupted; nothing was changed\n");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    for _ in 0..1000 {
        let mut load = place.start(&["load", "orders.toml", "-"]);
        wait_until_it_listens(&load);
        let id = format!("{}\n", load.id());
        wait_until("the store", || place.read("store/LOCK") == id);
        let mut err = BufReader::new(load.stderr.take().expect("it is piped"));
        let mut lines = String::new();
        signal(&load, "INT");
        err.read_line(&mut lines).expect("UTF-8");
        let loads = lines.contains("a second time ends at once");
        if loads {
            signal(&load, "INT");
            err.read_to_string(&mut lines).expect("UTF-8");
        }
        let run = ended_while_open(load);
        assert_eq!(run.code, 130, "{lines}");
        if loads {
            assert!(lines.contains("error: interrupted; ended at once"), "{lines}");
            return;
        }
        // The signal came while the store was being opened, and ended the program at once.
    }
    panic!("the signals came too early each time");
}

/// How a program ends whose standard input stays open.
fn ended_while_open(mut program: Child) -> Run {
    let input = program.stdin.take();
    let run = ended(program);
    drop(input);
    run
}

#[test]
fn an_interrupted_query_ends_cleanly() {
    let place = Workplace::new("orders");
    place.write_orders(60_000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    for command in [["query", "orders", "", "--full-scan"], ["scan", "orders", "--limit", "60000"]] {
        let is_query = command[0] == "query";
        let mut query = place.start(&[&["--json"], command.as_slice()].concat());
        // Once the first row is here it runs; then it waits, because the test takes nothing more from the pipe.
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
        let told: String = String::from_utf8_lossy(&ended.stderr).chars().filter(|c| *c != ',').collect();
        // On a busy machine the signal may come behind the first row.
        let came = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        if is_query {
            for words in
                [&format!("the query was interrupted; {came} of its answer came."), "limit", "--page"]
            {
                assert!(told.contains(words), "{words}: {told}");
            }
            continue;
        }
        assert!(told.contains(&format!("the scan was interrupted; {came} came. The rest: ")), "{told}");
        let start = told.split_once("--start '").and_then(|(_, key)| key.split_once('\'')).expect("a key").0;
        let rest = place.ok(&["--json", "scan", "orders", "--start", start]);
        assert_eq!(rest.lines().count() + rows, 60_000, "{start}");
    }
    assert_eq!(place.ok(&["count", "orders"]), "60000\n");
}
