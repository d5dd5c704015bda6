//! Tables and queries to files, and back: on a folder and on a cluster.

use std::process::Command;

use crate::program::{Run, Workplace, assert_error, finished, json, wait_until};
use rowkey_testing::cluster;

const ROWS: u64 = 3000;

fn place(table: &str, store: &str, rows: u64) -> Workplace {
    let place = Workplace::new(table).with_store(store);
    place.write_orders(rows);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

/// What a table has, by its keys.
fn rows(place: &Workplace, table: &str) -> String {
    place.ok(&["scan", table, "--csv"])
}

fn exported(place: &Workplace) {
    let table = place.table.as_str();
    let copy = format!("{table}_copy");
    place.write(
        "copy.toml",
        &place.read("orders.toml").replace(&format!("\"{table}\""), &format!("\"{copy}\"")),
    );
    let expected = rows(place, table);
    let is_same = |data: &[&str]| {
        place.ok(&["create", "copy.toml"]);
        place.ok(&[&["load", copy.as_str()], data].concat());
        assert!(rows(place, &copy) == expected, "{data:?}");
        place.ok(&["drop", &copy, "--yes"]);
    };
    for file in ["all.csv", "all.csv.gz", "all.jsonl", "all.jsonl.zst", "all.parquet"] {
        let said = json(&place.ok(&["--json", "export", table, "--out", file]));
        assert_eq!((&said["rows"], &said["file"]), (&ROWS.into(), &file.into()));
        is_same(&[file]);
        assert_error(&place.run(&["export", table, "--out", file]), &[file, "add --force"]);
        place.ok(&["export", "orders.toml", "--out", file, "--force"]);
    }
    // One file is in the order of keys.
    let in_order = place.ok(&["--json", "scan", table]);
    let by_key = in_order.lines().map(|line| json(line)["record"]["order_id"].clone());
    assert!(place.read("all.jsonl").lines().map(|line| json(line)["order_id"].clone()).eq(by_key));

    let said = place.ok(&["export", table, "--out", "parts", "--per-region", "--format", "parquet"]);
    assert_eq!(said, format!("exported 3,000 rows of {table} to 16 files in parts\n"));
    is_same(&["parts"]);
    std::fs::remove_file(place.path("parts/part-00003.parquet")).expect("it is there");
    let go_on = ["export", table, "--out", "parts", "--per-region", "--format", "parquet"];
    let said = place.ok(&go_on);
    assert!(said.contains("to 1 file in parts; 15 files were there already"), "{said}");
    assert!(place.ok(&go_on).contains("is exported already: 16 files in parts; --force exports it anew"));
    is_same(&["parts"]);
    let other = [go_on.as_slice(), &["--columns", "user_id,ts"]].concat();
    assert_error(&place.run(&other), &["begun by another command: rowkey --store", "--force"]);
    assert_eq!(json(&place.ok(&[&["--json"], go_on.as_slice(), &["--force"]].concat()))["written"], 16);

    // A query, as `query` prints it.
    let query = "user_id = 7 order by ts desc limit 5";
    let columns = ["--columns", "ts,order_id"];
    place.ok(&[&["export", table, query, "--out", "seven.csv"], columns.as_slice()].concat());
    assert_eq!(
        place.read("seven.csv"),
        place.ok(&[&["query", table, query, "--csv"], columns.as_slice()].concat())
    );
    let piped = place.ok(&[
        "export",
        table,
        "user_id in (?, ?)",
        "--param",
        "7",
        "--param",
        "8",
        "--out",
        "-",
        "--format",
        "jsonl",
    ]);
    assert_eq!(piped.lines().count().to_string(), place.ok(&["count", table, "user_id in (7, 8)"]).trim());
    assert!(piped.lines().all(|line| json(line)["user_id"] == 7 || json(line)["user_id"] == 8));
    let found = place
        .ok(&["export", table, "amount > 500", "--full-scan", "--out", "-", "--format", "csv"])
        .lines()
        .count();
    assert_eq!((found - 1).to_string(), place.ok(&["count", table, "amount > 500", "--full-scan"]).trim());
}

#[test]
fn exports_of_a_folder() {
    exported(&place("orders", "./store", ROWS));
}

#[test]
fn exports_of_a_cluster() {
    let table = format!("exported_{}", std::process::id());
    let place = place(&table, &cluster::shared().zookeeper_url, ROWS);
    exported(&place);
    place.ok(&["drop", &table, "--yes"]);
}

#[test]
fn what_cannot_be_exported_is_refused_before_anything_is_written() {
    let place = place("orders", "./store", 10);
    let before = place.read("orders.csv");
    for (arguments, words) in [
        (&["--out", "x.txt"][..], &["does not say what to write", "--format parquet"][..]),
        (&["--out", "parts", "--per-region"], &["--format"]),
        (&["--out", "-", "--per-region", "--format", "csv"], &["--per-region writes to a folder"]),
        (&["--out", "x.parquet.gz"], &["Parquet is packed inside"]),
        (&["--out", "orders.csv"], &["orders.csv", "--force"]),
        (&["--out", "no/such/folder.csv"], &["no/such/folder.csv"]),
        (&["amount > 5", "--out", "x.csv"], &["--full-scan"]),
        (
            &["user_id = 7 limit 3", "--out", "p", "--per-region", "--format", "csv"],
            &["`limit`", "without --per-region"],
        ),
        (&["--out", "x.csv", "--columns", "sellers"], &["did you mean `seller`"]),
    ] {
        let run = place.run(&[&["export", "orders"], arguments].concat());
        assert_error(&run, words);
    }
    assert_error(
        &place.run(&["export", "orders.toml", "--out", "orders.toml", "--format", "csv", "--force"]),
        &["same file as the input"],
    );
    assert_error(&place.run(&["--redact", "export", "orders", "--out", "x.csv"]), &["--redact"]);
    assert_eq!(place.read("orders.csv"), before);
    for name in ["x.csv", "x.txt", "x.parquet.gz", "p/part-00000.csv"] {
        assert!(!place.path(name).exists(), "{name}");
    }
}

/// Runs a command that a signal ends once something is `begun`; `undo` lets it try again if the command was quicker.
fn interrupted(
    place: &Workplace,
    command: &[&str],
    signal: &str,
    mut begun: impl FnMut() -> bool,
    undo: impl Fn(),
) -> Run {
    for _ in 0..100 {
        let mut export = place.start(command);
        let mut ended = false;
        wait_until("a beginning", || {
            ended = export.try_wait().expect("it is ours").is_some();
            ended || begun()
        });
        if !ended {
            let sent = Command::new("kill").args([&format!("-{signal}"), &export.id().to_string()]).status();
            assert!(sent.expect("there is a kill").success());
        }
        let run = finished(&export.wait_with_output().expect("it ends"));
        if run.code != 0 {
            return run;
        }
        undo();
    }
    panic!("the command was quicker each time");
}

/// Ctrl-C keeps whole files, and says the command that goes on; so does a kill.
#[test]
#[cfg(unix)]
fn an_interrupted_export_goes_on() {
    let place = place("orders", "./store", 200_000);
    let command = ["export", "orders", "--out", "parts", "--per-region", "--format", "csv", "--pack", "gzip"];
    let names = |folder: &str, part: &str| {
        let files = std::fs::read_dir(place.path(folder)).into_iter().flatten();
        let names = files.map(|file| file.expect("readable").file_name().into_string().expect("UTF-8"));
        names.filter(|name| name.contains(part)).collect::<Vec<String>>()
    };
    let parts = || names("parts", ".csv.gz").iter().filter(|name| name.ends_with(".csv.gz")).count();
    let undo = || {
        for number in 1..16 {
            std::fs::remove_file(place.path(&format!("parts/part-{number:05}.csv.gz")))
                .expect("all were there");
        }
    };
    let run = interrupted(&place, &command, "INT", || parts() > 0, undo);
    let seen = parts();
    assert_eq!((run.code, run.out.as_str()), (130, ""), "{run:?}");
    let told = format!(
        "the export was interrupted; {seen} of 16 files are whole. Go on with: rowkey --store ./store export orders --out parts \
         --format csv --pack gzip --per-region\n"
    );
    assert!(run.err.contains(&told), "{told}: {run:?}");
    assert!(names("parts", "draft").is_empty());
    interrupted(&place, &command, "KILL", || parts() > seen, undo);
    let seen = parts();
    let rest = json(&place.ok(&[&["--json"], command.as_slice()].concat()));
    assert_eq!((&rest["kept"], &rest["written"]), (&seen.into(), &(16 - seen).into()));
    assert!(names("parts", "draft").is_empty());
    place.write("copy.toml", &place.read("orders.toml").replace("\"orders\"", "\"copy\""));
    place.ok(&["create", "copy.toml"]);
    place.ok(&["load", "copy", "parts/*.csv.gz"]);
    assert_eq!(place.ok(&["count", "copy"]), "200000\n");

    // One file: nothing, or all.
    let undo = || std::fs::remove_file(place.path("all.csv.gz")).expect("it is whole");
    let run = interrupted(
        &place,
        &["export", "orders", "--out", "all.csv.gz"],
        "TERM",
        || !names(".", "all.csv.gz.").is_empty(),
        undo,
    );
    assert_eq!((run.code, place.path("all.csv.gz").exists()), (143, false), "{run:?}");
    assert!(run.err.contains("all.csv.gz was not written. Begin anew with: rowkey"), "{run:?}");
    assert!(names(".", "all.csv.gz").is_empty());
}
