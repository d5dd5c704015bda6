//! `rowkey advise`: designs to choose from, a table file that works, and clear words about what is missing.

mod program;

use program::{Workplace, json};

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
    let run = place.run(&["check", "new.toml"]);
    assert_eq!(run.code, 0, "{run:?}\n{}", place.read("new.toml"));
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
