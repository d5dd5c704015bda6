//! `ROWKEY_RECORD=FILE`: queries that are run become a log for `rowkey advise --query-log`.

use crate::program::{Run, Workplace, finished, json};

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(2000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

fn recorded(place: &Workplace, file: &str, arguments: &[&str]) -> Run {
    finished(&place.command(arguments).env("ROWKEY_RECORD", file).output().expect("the program starts"))
}

fn advice(place: &Workplace, log: &str, more: &[&str]) -> serde_json::Value {
    let words =
        ["--json", "advise", "--data", "orders.csv", "--query-log", log, "--no-index", "--sample", "500"];
    json(&place.ok(&[words.as_slice(), &["--time-limit", "600"], more].concat()))
}

/// The law: for `advise`, a recording of queries is the log of these queries.
#[test]
fn a_recording_is_the_log_of_the_queries() {
    let place = place();
    let commands: [&[&str]; 8] = [
        &["query", "orders", "user_id = 7 order by ts desc limit 20"],
        &["query", "orders.toml", "user_id = ? order by ts desc limit 20", "--param", "12"],
        &["--json", "query", "orders", "user_id=9 ORDER BY ts desc LIMIT 20"],
        &["query", "orders", "user_id in (1, 2) and seller = 'it''s' limit 5", "--full-scan"],
        &["count", "orders", "user_id = 3 and ts >= '2025-01-01' and ts < '2025-01-08'"],
        &["count", "orders", "seller like 's%'", "--full-scan", "--group-by", "user_id"],
        &["delete", "orders", "user_id between 3 and 4", "--dry-run"],
        // `explain` is not recorded, also where it runs the query.
        &["explain", "orders", "amount = 3", "--analyze", "--full-scan"],
    ];
    for command in commands {
        let with = recorded(&place, "run.log", command);
        let without = place.run(command);
        assert_ne!(with.code, 2, "{command:?}: {with:?}");
        if command.first() != Some(&"explain") {
            assert_eq!(
                (with.code, &with.out, &with.err),
                (without.code, &without.out, &without.err),
                "{command:?}"
            );
        }
    }
    let by_hand = "user_id = 7 order by ts desc limit 20\nuser_id = 12 order by ts desc limit 20\n\
                   user_id = 9 order by ts desc limit 20\nuser_id in (1, 2) and seller = 'it''s' limit 5\n\
                   user_id = 3 and ts >= '2025-01-01' and ts < '2025-01-08'\nseller like 's%'\n\
                   user_id >= 3 and user_id <= 4\n";
    place.write("hand.log", by_hand);
    let text = place.read("run.log");
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 7, "{text}");
    assert_eq!(advice(&place, "run.log", &[]), advice(&place, "hand.log", &[]));
}

#[test]
fn values_are_hidden_where_they_are_to_be() {
    let place = place();
    recorded(
        &place,
        "run.log",
        &["--redact", "query", "orders", "user_id = 77 and seller = 'secret' limit 3"],
    );
    let text = place.read("run.log");
    assert!(text.ends_with("\nuser_id = ? and seller = ? limit 3 -- orders\n"), "{text}");
}

/// The query is answered whatever becomes of the recording, with one warning.
#[test]
fn a_recording_that_fails_fails_no_query() {
    let place = place();
    place.write("notes.txt", "user_id = 1\n");
    let query = ["--json", "query", "orders", "user_id = 7 limit 2"];
    let expected = place.ok(&query);
    for (file, words) in [
        ("notes.txt", "notes.txt exists and was not written by this command"),
        ("orders.csv", "orders.csv exists and was not written by this command"),
        ("no/such/folder.log", "could not write no/such/folder.log: No such file"),
        (".", "is a folder"),
    ] {
        let run = recorded(&place, file, &query);
        assert_eq!((run.code, &run.out), (0, &expected), "{run:?}");
        assert_eq!(run.err.matches("warning: the query is not recorded").count(), 1, "{run:?}");
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
    assert_eq!(place.read("notes.txt"), "user_id = 1\n");
    let unset = recorded(&place, "", &query);
    assert_eq!((unset.code, &unset.out, unset.err.as_str()), (0, &expected, ""));
}

/// Lines of processes that append at the same time stay whole.
#[test]
fn several_processes_append_whole_lines() {
    let place = Workplace::new("orders");
    let stores: Vec<String> = (0..4).map(|nth| format!("./store{nth}")).collect();
    for store in &stores {
        place.ok(&["create", "orders.toml", "--store", store]);
    }
    for round in 0..5 {
        let running: Vec<_> = stores
            .iter()
            .map(|store| {
                let query = format!("user_id = {round} and seller = '{}'", "x".repeat(2000));
                let mut command = place.command(&["query", "orders", &query, "--store", store]);
                command.env("ROWKEY_RECORD", "run.log").stdout(std::process::Stdio::null());
                command.stderr(std::process::Stdio::null()).spawn().expect("the program starts")
            })
            .collect();
        for mut process in running {
            process.wait().expect("it ends");
        }
    }
    let text = place.read("run.log");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 21, "a heading and 20 queries");
    assert!(lines[1..].iter().all(|line| line.starts_with("user_id = ") && line.ends_with("' -- orders")));
}
