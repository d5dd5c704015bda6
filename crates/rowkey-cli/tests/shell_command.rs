//! `rowkey shell`: scripts, single commands, standard input, and what fails.
//!
//! What the commands themselves print is compared with HBase's own shell in `crates/rowkey-shell/tests/differential.rs`.

use std::io::Write;
use std::process::Stdio;

use crate::program::{Run, Workplace, assert_error, finished};

const SCRIPT: &str = "\
# the table of the RowKey principles
create 'testtable', 'common', 'data', {SPLITS => ['1', '2', '3']}
put 'testtable', '1row', 'common:id', 'x', 951827696789
put 'testtable', \"2\\x00\", 'data:n', \"\\x00\\xff\", 1000
scan 'testtable',
  {COLUMNS => ['common', 'data']}
";

fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Took ")).map(|line| format!("{line}\n")).collect()
}

/// A run that failed after it had printed something.
fn assert_failed(run: &Run, words: &[&str]) {
    assert_eq!(run.code, 2, "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "{word}: {run:?}");
    }
}

#[test]
fn a_script_prints_what_hbase_prints() {
    let place = Workplace::new("orders");
    place.write("script.txt", SCRIPT);
    let mut command = place.command(&["shell", "script.txt"]);
    let run = finished(&command.env("TZ", "UTC").output().expect("the program starts"));
    assert_eq!(run.code, 0, "{run:?}");
    let expected = "Created table testtable\nROW  COLUMN+CELL\n \
        1row column=common:id, timestamp=2000-02-29T12:34:56.789, value=x\n \
        2\\x00 column=data:n, timestamp=1970-01-01T00:00:01, value=\\x00\\xFF\n2 row(s)\n";
    assert_eq!(timeless(&run.out), expected);

    let epoch = place.ok(&["shell", "--epoch", "-e", "get 'testtable', '1row'"]);
    assert!(epoch.contains(" common:id timestamp=951827696789, value=x"), "{epoch}");
    let several =
        place.ok(&["shell", "-e", "count 'testtable'; exists 'nope'", "-e", "get_splits 'testtable'"]);
    assert_eq!(
        timeless(&several),
        "2 row(s)\nTable nope does not exist\nTotal number of splits = 4\n1\n2\n3\n"
    );
}

#[test]
fn standard_input_is_a_script() {
    let place = Workplace::new("orders");
    for arguments in [&["shell"][..], &["shell", "-"]] {
        let mut command = place.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(b"exists 'a'\nexit\nexists 'b'\n").expect("it reads");
        drop(input);
        let run = finished(&child.wait_with_output().expect("it ends"));
        assert_eq!((run.code, timeless(&run.out).as_str()), (0, "Table a does not exist\n"), "{run:?}");
    }
}

#[test]
fn a_script_that_fails_ends_with_two_and_says_where() {
    let place = Workplace::new("orders");
    place.write("bad.txt", "create 't', 'f'\nput 't', 'r'\nput 't', 'r', 'f:a', 'v'\n");
    let run = place.run(&["shell", "bad.txt"]);
    assert_failed(&run, &["bad.txt, line 2: the command failed", "--keep-going"]);
    assert!(run.out.contains("ERROR: wrong number of arguments (given 2, expected 4..6)"), "{run:?}");
    let run = place.run(&["shell", "-e", "count 't'"]);
    assert!(run.out.contains("0 row(s)"), "nothing after the error was run: {run:?}");

    let run =
        place.run(&["shell", "--keep-going", "-e", "put 't', 'r'\nput 't', 'r', 'f:a', 'v'\ncount 't'"]);
    assert_failed(&run, &["1 of 3 commands failed"]);
    assert!(run.out.contains("1 row(s)"), "{run:?}");
    assert_eq!(place.run(&["shell", "-e", "exit 3"]).code, 3);
}

#[test]
fn a_script_that_cannot_be_read_touches_no_store() {
    let place = Workplace::new("orders");
    place.write("wrong.txt", "list\nscan 't' LIMIT => 5\n");
    let run = place.run(&["shell", "wrong.txt"]);
    assert_error(&run, &["wrong.txt: line 2, column 10", "is a comma missing?"]);
    assert_error(&place.run(&["shell", "-e", "scan 't', {LIMIT => 5"]), &["not complete"]);
    assert_error(&place.run(&["shell", "none.txt"]), &["could not read the script none.txt"]);
    assert_error(&place.run(&["--json", "shell", "-e", "list"]), &["no JSON", "rowkey scan"]);
    assert!(!place.path("store").exists());
    let run = place.run(&["shell", "-e", "lst"]);
    assert_failed(&run, &["the command failed"]);
    assert!(run.out.contains("there is no command `lst`; did you mean list?"), "{run:?}");
}

#[test]
fn keys_are_decoded_with_the_file_that_the_table_carries() {
    let place = Workplace::new("orders");
    place.write("one.csv", "user_id,ts,order_id,seller,amount\n7,2025-01-02,b,s1,5\n");
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "one.csv"]);
    let decoded = place.ok(&["shell", "-e", "scan 'orders', {DECODE => true}"]);
    assert!(
        decoded.contains("user_id=7, ts=2025-01-02T00:00:00.000Z, order_id=b, seller=s1, amount=5"),
        "{decoded}"
    );
    let explained = place.ok(&["shell", "-e", "explain scan 'orders', {ROWPREFIXFILTER => \"\\x07\"}"]);
    assert!(explained.contains("a scan of one range: [\\x07, \\x08)"), "{explained}");
    assert!(
        explained.contains("from: salt(16, user_id)=7") && explained.contains("regions: 1 of 16"),
        "{explained}"
    );
    let full = place.ok(&["shell", "-e", "explain scan 'orders'"]);
    assert!(
        full.contains("a full scan")
            && full.contains("regions: 16 of 16")
            && full.contains("rowkey query orders"),
        "{full}"
    );
    let foreign = place.run(&["shell", "-e", "create 't', 'f'", "-e", "scan 't', {DECODE => true}"]);
    assert!(foreign.out.contains("was not made by rowkey"), "{foreign:?}");
}
