//! `rowkey advise`: designs to choose from, a table file that works, and clear words about what is missing.

use crate::program::{Workplace, json};

const QUERIES: &str = "\
# the weight, then the query
80 user_id = ? order by ts desc limit 20
20 seller = ? order by ts desc limit 20
";

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(20_000);
    place.write("queries.txt", QUERIES);
    place
}

#[test]
fn the_file_of_a_design_is_checked_created_and_loaded() {
    let place = place();
    let advise = ["advise", "--data", "orders.csv", "--queries", "queries.txt", "--time-limit", "600"];
    let out = place.ok(&[&advise[..], &["--table", "advised", "--write", "new.toml"]].concat());
    assert!(out.contains("wrote new.toml (A); next: rowkey create new.toml"), "{out}");
    for check in [&["check", "new.toml"][..], &["check", "new.toml", "--data", "orders.csv"]] {
        let run = place.run(check);
        assert_eq!(run.code, 0, "{run:?}\n{}", place.read("new.toml"));
    }
    let simulate = ["--json", "simulate", "new.toml", "--data", "orders.csv", "--time", "ts"];
    let simulated = json(&place.ok(&simulate));
    let verdicts = simulated["verdicts"].as_array().expect("verdicts");
    assert!(verdicts.iter().all(|verdict| verdict["name"] == "even"), "{simulated}");
    place.ok(&["create", "new.toml"]);
    place.ok(&["load", "new.toml", "orders.csv"]);
    assert!(place.ok(&["count", "new.toml"]).contains("20000"));
    let latest = place.ok(&["--json", "query", "new.toml", "user_id = 7 order by ts desc limit 3"]);
    assert_eq!(latest.lines().count(), 3, "{latest}");

    let run = place.run(&[&advise[..], &["--write", "new.toml"]].concat());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("could not write new.toml; to replace a file, add --force"), "{run:?}");
    let run = place.run(&[&advise[..], &["--write", "other.toml", "--design", "Z"]].concat());
    assert!(run.err.contains("there is no design `Z`; the designs are A, B"), "{run:?}");
}

#[test]
fn a_small_table_is_not_cut() {
    let place = Workplace::new("orders");
    place.write_orders(2_000);
    place.write("queries.txt", QUERIES);
    let advise = ["advise", "--data", "orders.csv", "--queries", "queries.txt", "--write"];
    let out = place.ok(&[&advise[..], &["small.toml"]].concat());
    assert!(out.contains("which one region holds: tables are not cut"), "{out}");
    assert!(!place.read("small.toml").contains("splits"), "{}", place.read("small.toml"));
    for more in [["--regions", "8"], ["--rows", "1000000"]] {
        let out = place.ok(&[&advise[..], &["cut.toml", "--force"], &more].concat());
        assert!(place.read("cut.toml").contains("splits"), "{out}");
    }
}

#[test]
fn json_is_one_object_with_every_design_and_its_file() {
    let place = place();
    // A table file is compared with the other designs.
    let bad = place.read("orders.toml").replace("[salt(16, user_id)][user_id][ts desc]", "[ts][user_id]");
    place.write("bad.toml", &bad.replace("splits = \"salt\"", ""));
    let out =
        place.ok(&["--json", "advise", "--data", "orders.csv", "--queries", "bad.toml", "--sample", "4000"]);
    let advice = json(&out);
    assert_eq!((advice["version"].as_i64(), advice["records"].as_i64()), (Some(1), Some(20_000)));
    let designs = advice["designs"].as_array().expect("a list");
    let yours = designs.iter().find(|design| design["yours"] == true).expect("the table file's key");
    assert!(yours["key"].as_str() == Some("[ts][user_id][order_id]"), "{yours}");
    let cost = |design: &serde_json::Value| design["cost"].as_f64().expect("a number");
    assert!(cost(yours) > 1.5 * cost(&designs[0]), "{yours}");
    assert!(designs[0]["file"].as_str().expect("a text").contains("[families.d]"));
    assert!(designs.iter().all(|design| design["trade_off"].as_str().is_some_and(|text| !text.is_empty())));
}

#[test]
fn without_queries_it_says_what_the_data_says_and_asks() {
    let place = place();
    let out = place.ok(&["advise", "--data", "orders.csv"]);
    for words in [
        "20,000 records",
        "Keys that tell records apart, on 4 servers, by simulation:",
        "records are told apart by `order_id`: all 20000 differ",
        "What will be asked, and how often?",
        "  10 user_id = ? order by ts desc limit 20",
        "  10 order_id = ?",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let outline = json(&place.ok(&["--json", "advise", "--data", "orders.csv"]));
    assert_eq!(
        (outline["identity"][0].as_str(), outline["identity_is"].as_str()),
        (Some("order_id"), Some("numbered"))
    );
    let hot = |key: &serde_json::Value| key["hot_spot"].as_f64().expect("a number");
    let keys = outline["keys"].as_array().expect("keys");
    assert!(hot(&keys[0]) < 1.5 && hot(keys.last().expect("a key")) > 3.0, "{keys:?}");
    // The examples are queries over these fields.
    let examples = outline["example_queries"].as_array().expect("queries").iter();
    let lines: Vec<&str> = examples.map(|query| query.as_str().expect("a text")).collect();
    place.write("examples.txt", &lines.join("\n"));
    place.ok(&["advise", "--data", "orders.csv", "--queries", "examples.txt", "--sample", "1000"]);
    let run = place.run(&["advise", "--data", "orders.csv", "--write", "new.toml"]);
    assert!(run.code == 2 && run.err.contains("--queries"), "{run:?}");
}

#[test]
fn identity_closed_fields_and_budgets_are_heeded() {
    let place = place();
    let advise = |more: &[&str]| {
        let advise =
            ["--json", "advise", "--data", "orders.csv", "--queries", "queries.txt", "--sample", "2000"];
        json(&place.ok(&[&advise[..], more].concat()))
    };
    let designs = |advice: &serde_json::Value| advice["designs"].as_array().expect("designs").clone();
    let free = advise(&["--rate", "100000"]);
    assert!(designs(&free).iter().any(|design| design["indexes"] != serde_json::json!([])), "{free}");
    let [first, ..] = &designs(&free)[..] else { panic!("{free}") };
    let (hot, written) = (first["hot_spot"].as_f64(), first["rows_written"].as_f64());
    let expected = 100_000.0 / 4.0 * hot.expect("a number").max(1.0) * written.expect("a number");
    let writes = first["busiest_writes_per_second"].as_f64().expect("a number");
    assert!((writes - expected).abs() < 1e-6 * expected, "{first}");
    assert_eq!(first["cost_by_seed"].as_array().expect("costs").len(), 3);
    let touched = &first["reads_touch"];
    let sum: f64 = ["one_region", "several", "all"].iter().filter_map(|name| touched[*name].as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{touched}");
    assert!(first["storage_bytes"].as_f64() > Some(20_000.0 * 50.0), "{first}");
    let often = |design: &serde_json::Value| !design["first_field"]["most_frequent"][0]["value"].is_null();
    assert!(designs(&free).iter().any(often), "{free}");
    for design in designs(&free) {
        let (field, read) = (&design["first_field"], &design["read"]);
        assert!(field["distinct"].as_u64() > Some(1) && field["key_rises"].is_boolean(), "{field}");
        // What is different in every record has no frequent value.
        for often in field["most_frequent"].as_array().expect("values") {
            assert!(!often["value"].is_null() && often["share"].as_f64() > Some(0.0), "{field}");
        }
        // An entry is in another region than its row.
        let several = design["indexes"] != serde_json::json!([]);
        let touched = [("one_region", !several), ("several", several), ("all", false)];
        for (regions, is_touched) in touched {
            assert_eq!(design["writes_touch"][regions].as_f64(), Some(f64::from(is_touched)), "{design}");
        }
        let sum = |figure: &str| -> f64 {
            let number = |query: &serde_json::Value, name: &str| query[name].as_f64().expect("a figure");
            let queries = design["queries"].as_array().expect("queries").iter();
            queries.map(|query| number(query, figure) * number(query, "share")).sum()
        };
        for (figure, by_query) in [("calls", "calls"), ("rows", "rows_read"), ("bytes", "bytes_read")] {
            let (mean, expected) = (read[figure].as_f64().expect("a figure"), sum(by_query));
            assert!(mean > 0.0 && (mean - expected).abs() < 1e-6 * expected, "{figure}: {read}");
        }
    }

    let tight = advise(&["--no-index", "--max-buckets", "3", "--identity", "user_id,ts,seller"]);
    for design in designs(&tight) {
        assert_eq!(design["indexes"], serde_json::json!([]), "{design}");
        let (key, file) = (design["key"].as_str().expect("a key"), design["file"].as_str().expect("a file"));
        assert!(!key.contains("md5") && !key.contains("salt(4") && !key.contains("salt(16"), "{key}");
        assert!(file.contains("identity = [\"user_id\", \"ts\", \"seller\"]"), "{file}");
    }
    let text = place.ok(&[
        "advise",
        "--data",
        "orders.csv",
        "--queries",
        "queries.txt",
        "--sample",
        "2000",
        "--rate",
        "100000",
    ]);
    assert!(
        text.contains("writes/s") && text.contains("as a rule of thumb one region server takes 20,000"),
        "{text}"
    );
    assert!(text.contains("Why not the usual ones:"), "{text}");
    for fact in [
        "what is known of",
        "first field",
        "distinct values",
        "most frequent",
        "keys rise with it",
        "regions of a read",
        "regions of a write",
        "calls of a read",
        "rows of a read",
        "bytes of a read",
        "bytes of a row",
        "storage",
        "updates that change the key",
    ] {
        let line = text.lines().find(|line| line.contains(fact)).unwrap_or_else(|| panic!("{fact}: {text}"));
        assert!(
            line.split_whitespace().count() >= fact.split_whitespace().count() + 4,
            "a column for each: {line}"
        );
    }
    for (option, words) in [
        ("--identity", "--identity names `buyer`, which is no field of the data"),
        ("--closed", "--closed names `buyer`, which is no field of the data"),
    ] {
        let run = place.run(&["advise", "--data", "orders.csv", "--queries", "queries.txt", option, "buyer"]);
        assert!(run.code == 2 && run.err.contains(words), "{run:?}");
    }
}

#[test]
fn a_log_of_queries_is_counted() {
    let place = place();
    place.write("q.log", "user_id = 1\nuser_id  =  2\n# later\nseller = 'x' limit 5\nuser_id=3\n");
    let out =
        place.ok(&["--json", "advise", "--data", "orders.csv", "--query-log", "q.log", "--sample", "1000"]);
    let queries = json(&out)["designs"][0]["queries"].clone();
    let seen: Vec<(&str, f64)> = queries
        .as_array()
        .expect("queries")
        .iter()
        .map(|query| (query["name"].as_str().expect("a name"), query["share"].as_f64().expect("a share")))
        .collect();
    assert_eq!(seen, [("user_id = ?", 0.75), ("seller = ? limit 5", 0.25)]);
    place.write("bad.log", "user_id = 1\nbuyer = 2\n");
    let run = place.run(&["advise", "--data", "orders.csv", "--query-log", "bad.log"]);
    assert!(run.code == 2 && run.err.contains("line 2 of bad.log is no query over these fields"), "{run:?}");
    assert!(run.err.contains("there is no field `buyer`"), "{run:?}");
    place.write("empty.log", "# nothing\n");
    let run = place.run(&["advise", "--data", "orders.csv", "--query-log", "empty.log"]);
    assert!(run.code == 2 && run.err.contains("there is no query"), "{run:?}");
    let both = ["advise", "--data", "orders.csv", "--query-log", "q.log", "--queries", "queries.txt"];
    assert_eq!(place.run(&both).code, 2);
}

#[test]
fn what_is_missing_is_said() {
    let place = place();
    let fails = |data: &str, queries: &str| {
        let run = place.run(&["advise", "--data", data, "--queries", queries]);
        assert_eq!(run.code, 2, "{run:?}");
        run.err
    };
    place.write("empty.csv", "user_id,ts,order_id,seller,amount\n");
    place.write("nothing.csv", "");
    place.write("none.txt", "# later\n");
    place.write("unknown.txt", "buyer = ?\n");
    for (data, queries, words) in [
        ("empty.csv", "queries.txt", "empty.csv has no record"),
        ("nothing.csv", "queries.txt", "nothing.csv is empty"),
        ("orders.csv", "none.txt", "there is no query"),
        ("orders.csv", "unknown.txt", "there is no field `buyer`"),
        ("missing.csv", "queries.txt", "could not read missing.csv"),
        ("orders.csv", "missing.txt", "could not read missing.txt"),
        ("-", "queries.txt", "advise reads the data twice"),
    ] {
        let error = fails(data, queries);
        assert!(error.contains(words), "{data} {queries}: {error}");
    }
    let run = place.run(&["advise", "--data", "orders.csv", "--queries", "queries.txt", "--time", "seller"]);
    assert!(run.err.contains("the time cannot be taken from `seller`: it is of type text"), "{run:?}");
}

/// One engine at the prompt: a simulation of the written file, with the same options, gives the figures of the advice.
#[test]
fn a_simulation_of_the_written_file_gives_the_figures_of_the_advice() {
    let place = place();
    place.write_orders(60_000);
    let variants: [&[&str]; 3] = [
        &[],
        &["--rows", "3000000", "--sample", "5000", "--seed", "3"],
        &["--years", "20", "--sample", "4000"],
    ];
    for more in variants {
        let data = ["--data", "orders.csv", "--time", "ts"];
        let advise = ["--json", "advise", "--queries", "queries.txt", "--write", "new.toml", "--force"];
        let advice = json(&place.ok(&[&advise[..], &data, more].concat()));
        let design = &advice["designs"][0];
        let simulated = json(&place.ok(&[&["--json", "simulate", "new.toml"][..], &data, more].concat()));
        assert_eq!(simulated["servers"]["mean_step_hot_spot"], design["hot_spot"], "{more:?}");
        assert_eq!(simulated["key_bytes"]["mean"], design["key_bytes"], "{more:?}");
        let queries = design["queries"].as_array().expect("queries");
        let simulated = simulated["reads"]["queries"].as_array().expect("queries").clone();
        assert_eq!(simulated.len(), queries.len());
        for (simulated, advised) in simulated.iter().zip(queries) {
            for figure in ["rows_read", "rows_returned", "cost"] {
                assert_eq!(simulated[figure], advised[figure], "{more:?} {figure} of {advised}");
            }
        }
    }
    let run = place.run(&["simulate", "orders.toml", "--data", "orders.csv", "--years", "2"]);
    assert!(run.code == 2 && run.err.contains("cannot be told: no time field"), "{run:?}");
}
