//! What goes wrong is said clearly, and the program ends with 2.

use std::io::Write;

use crate::program::{self, Workplace, assert_all_once, assert_error, finished};

#[test]
fn a_typo_in_the_key_is_underlined_with_a_suggestion() {
    let place = Workplace::new("orders");
    let file = place.read("orders.toml").replace("[salt(16, user_id)]", "[slat(16, user_id)]");
    place.write("typo.toml", &file);
    let run = place.run(&["create", "typo.toml"]);
    assert_error(&run, &["there is no function `slat`", "did you mean `salt`?", "--> typo.toml:8:9", "^^^^"]);
    assert!(!place.path("store").exists(), "nothing was opened or made");

    let file = place.read("orders.toml").replace("[ts desc]", "[tss desc]").replace("\"i64\"", "\"i46\"");
    place.write("typo.toml", &file);
    let run = place.run(&["create", "typo.toml"]);
    assert_error(
        &run,
        &["there is no field `tss`", "did you mean `ts`?", "there is no type `i46`", "did you mean `i64`?"],
    );
}

#[test]
fn a_bad_line_is_named_and_the_load_goes_on_when_it_is_mended() {
    let place = Workplace::new("orders");
    place.write_orders(10_000);
    place.ok(&["create", "orders.toml"]);
    let good = place.read("orders.csv");
    let bad: String = good
        .split_inclusive('\n')
        .enumerate()
        .map(|(index, line)| if index == 6_999 { "7,yesterday,O1,Shop,a lot\n" } else { line })
        .collect();
    place.write("orders.csv", &bad);

    let run = place.run(&["load", "orders.toml", "orders.csv"]);
    assert_error(
        &run,
        &[
            "orders.csv, line 7000:",
            "field `ts`: `yesterday` is not a time",
            "field `amount`: `a lot` is not a whole number",
            "6,998 rows before it are in the table",
            "rowkey --store ./store load orders.toml orders.csv",
        ],
    );

    place.write("orders.csv", &good);
    let run = place.run(&["load", "orders.toml", "orders.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("resumed at line 7,000, 6,998 rows were loaded before"), "{run:?}");
    assert!(run.out.contains("loaded 10,000 rows into orders"), "{run:?}");
    assert_all_once(place.all_order_ids(), 10_000);
}

#[test]
fn a_checkpoint_of_another_table_or_changed_data_is_not_used() {
    let place = Workplace::new("orders");
    place.write_orders(10_000);
    place.ok(&["create", "orders.toml"]);
    let good = place.read("orders.csv");
    place.write("orders.csv", &format!("{good}broken line\n"));
    assert_eq!(place.run(&["load", "orders.toml", "orders.csv"]).code, 2);
    // The same name, but another store: going on at the end of the file would lose every row.
    let mut elsewhere = Workplace::new("orders");
    elsewhere.store = place.path("other").display().to_string();
    elsewhere.ok(&["create", "orders.toml"]);
    let data = place.path("orders.csv").display().to_string();
    place.write("orders.csv", &good);
    let run = elsewhere.run(&["load", "orders.toml", &data]);
    assert!(run.code == 0 && !run.err.contains("resumed"), "{run:?}");
    assert_all_once(elsewhere.all_order_ids(), 10_000);
}

#[test]
fn a_header_that_does_not_fit_is_told_in_one_go() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write("orders.csv", "user_id,time,order_id,seller,seller,amount\n1,2,3,4,5,6\n");
    let run = place.run(&["load", "orders.toml", "orders.csv"]);
    assert_error(
        &run,
        &[
            "no field is called `time`",
            "there is no column for `ts`",
            "the column `seller` comes twice",
            "user_id, ts",
        ],
    );
}

#[test]
fn a_second_process_on_the_folder_is_told_who_has_it() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    // A load that waits for its standard input keeps the folder open.
    let mut first = place.start(&["load", "orders.toml", "-"]);
    let mut input = first.stdin.take().expect("standard input is a pipe");
    input.write_all(b"user_id,ts,order_id,seller,amount\n").expect("the program reads");
    // Only once the first has it: two that start together might find it the other way round.
    let process_id = first.id().to_string();
    let lock = place.path("store/LOCK");
    program::wait_until("the first process to own the folder", || {
        std::fs::read_to_string(&lock).is_ok_and(|owner| owner.trim() == process_id)
    });
    let second = place.run(&["regions", "orders.toml"]);
    assert_error(&second, &["store", "in use by process", &process_id]);

    input.write_all(b"7,2025-01-01,O1,Shop,5\n").expect("the program reads");
    drop(input);
    let run = finished(&first.wait_with_output().expect("the program ends"));
    assert!(run.code == 0 && run.out.contains("loaded 1 row into orders"), "{run:?}");
    assert_eq!(place.all_order_ids(), ["O1"]);
}

#[test]
fn an_unreachable_cluster_is_named() {
    let mut place = Workplace::new("orders");
    // Port 1 of this machine: nothing listens there.
    for (url, words) in [
        ("hbase://127.0.0.1:1/hbase", ["127.0.0.1:1", "ZooKeeper"]),
        ("hbase+rpc://127.0.0.1:1", ["127.0.0.1:1", "master"]),
    ] {
        place.store = url.to_owned();
        let run = place.run(&["create", "orders.toml"]);
        assert_error(&run, &words);
        assert_error(&run, &[url]);
    }
    place.store = "hbsae://127.0.0.1/hbase".to_owned();
    assert_error(&place.run(&["create", "orders.toml"]), &["hbsae"]);
}

#[test]
fn missing_tables_files_and_other_keys_are_refused() {
    let place = Workplace::new("orders");
    assert_error(
        &place.run(&["query", "orders.toml", "user_id = 7"]),
        &["there is no store in ./store", "rowkey create"],
    );
    assert_error(&place.run(&["create", "nothing.toml"]), &["could not read the table file nothing.toml"]);
    place.ok(&["create", "orders.toml"]);
    assert_error(&place.run(&["create", "orders.toml"]), &["table `orders` exists already"]);
    place.ok(&["create", "orders.toml", "--if-not-exists"]);
    assert_error(&place.run(&["load", "orders", "nothing.csv"]), &["could not read nothing.csv"]);

    let other = place.read("orders.toml").replace("[ts desc]", "[ts]");
    place.write("other.toml", &other);
    assert_error(&place.run(&["query", "other.toml", "user_id = 7"]), &["was made with another key"]);
    assert_error(&place.run(&["create", "other.toml", "--if-not-exists"]), &["was made with another key"]);
}

#[test]
fn a_query_that_cannot_be_planned_says_why() {
    let place = Workplace::new("orders");
    assert_error(
        &place.run(&["query", "orders.toml", "seller = 'x'"]),
        &["whole table", "`user_id`", "--full-scan"],
    );
    assert_error(
        &place.run(&["query", "orders.toml", "user_id = 7 order by seller"]),
        &["do not come ordered by seller"],
    );
    assert_error(
        &place.run(&["query", "orders.toml", "user_id = 'x'"]),
        &["`x` is not a whole number", "--> query:1:11"],
    );
    assert!(!place.path("store").exists(), "a query that cannot work opens nothing");
}

#[test]
fn no_row_is_a_negative_answer() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    let run = place.run(&["--json", "query", "orders", "user_id = 7"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
}
