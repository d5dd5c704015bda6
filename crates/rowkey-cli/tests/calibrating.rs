//! `rowkey calibrate`: prices are measured on the user's store, kept, used by the planner, and forgotten.

use crate::program::{self, Workplace, assert_error, json};
use rowkey_testing::cluster;

const NAMES: [&str; 7] = ["range", "get", "jump", "sort_percent", "backwards_percent", "put", "entry"];

/// By the index with the built-in prices, by the table where a row by its key is dear.
const QUERY: &str = "user_id between 3 and 9 and seller = 's1'";

fn place() -> Workplace {
    let place = Workplace::new("orders");
    let index =
        "\n[[index]]\nname = \"orders_by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id]\"\n";
    place.write("orders.toml", &(place.read("orders.toml") + index));
    place
}

/// A file of prices as the program writes it, where every get is dear.
fn dear_gets(cluster: Option<(&str, &str)>) -> String {
    let mut prices: serde_json::Map<String, serde_json::Value> =
        // A file of before the price of an entry was measured.
        NAMES.iter().filter(|name| **name != "entry").map(|name| ((*name).to_owned(), 7.into())).collect();
    prices.insert("get".to_owned(), 10_000.into());
    if cluster.is_some() {
        prices.insert("server_jump".to_owned(), 7.into());
    }
    let (id, url) = cluster.unzip();
    let object = serde_json::json!({ "cluster": id, "url": url, "rows": 20_000, "prices": prices });
    let text = serde_json::to_string_pretty(&object).expect("an object");
    text.replacen("{\n", "{\n  \"rowkey_prices\": 1,\n", 1)
}

/// The table that a plan reads by: the step that reads is of the index or not.
fn by_index(place: &Workplace, arguments: &[&str]) -> bool {
    let plan = json(&place.ok(&[&["--json", "explain", "orders.toml", QUERY], arguments].concat()));
    plan["plan"].to_string().contains("orders_by_seller")
}

#[test]
fn what_is_measured_is_kept_and_planned_by() {
    let place = place();
    assert_error(&place.run(&["calibrate", "--dry-run"]), &["there is no store in ./store"]);
    assert!(!place.path("store").exists(), "a dry run makes no folder");
    place.ok(&["create", "orders.toml"]);
    let tried = json(&place.ok(&["--json", "calibrate", "--rows", "20000", "--rounds", "1", "--dry-run"]));
    assert_eq!(tried["kept"], serde_json::Value::Null);
    assert!(!place.path("store/PRICES").exists());

    let shown = place.run(&["calibrate", "--rows", "20000", "--rounds", "3"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for words in
        ["opening a range", "a row by its key", "a jump of a skip scan", "built in", "a row of a scan took"]
    {
        assert!(shown.out.contains(words), "{words}: {shown:?}");
    }
    assert!(!shown.out.contains("at the server"), "{shown:?}");
    assert!(shown.err.contains("kept in ./store/PRICES"), "{shown:?}");
    let kept = json(&place.read("store/PRICES"));
    let names: Vec<&String> = kept["prices"].as_object().expect("an object").keys().collect();
    assert_eq!(names.len(), NAMES.len(), "{kept}");
    // The scratch tables are gone, and the table of the user is not.
    assert_eq!(place.ok(&["shell", "-e", "list"]).matches("rowkey_calibrate").count(), 0);
    assert_eq!(place.ok(&["count", "orders"]), "0\n");

    let told = place.ok(&["explain", "orders.toml", QUERY]);
    assert!(told.contains("\nprices: measured by `rowkey calibrate`, kept in ./store/PRICES\n"), "{told}");
    let forgotten = place.ok(&["calibrate", "--forget"]);
    assert!(forgotten.starts_with("removed ./store/PRICES"), "{forgotten}");
    assert!(!place.ok(&["explain", "orders.toml", QUERY]).contains("prices:"));
    let again = place.run(&["calibrate", "--forget"]);
    assert_eq!((again.code, again.out.as_str()), (1, "no prices of ./store were kept\n"));
}

#[test]
fn kept_prices_change_plans_and_can_be_ignored() {
    let place = place();
    place.ok(&["create", "orders.toml"]);
    assert!(by_index(&place, &[]));
    place.write("store/PRICES", &dear_gets(None));
    assert!(!by_index(&place, &[]));
    assert!(by_index(&place, &["--no-config"]));
    // By the name of the table, too.
    let live = json(&place.ok(&["--json", "explain", "orders", QUERY]));
    assert_eq!(live["measured_prices"], "./store/PRICES");
    assert!(!live["plan"].to_string().contains("orders_by_seller"), "{live}");
}

/// `simulate` and `advise` reckon with the same prices; a kind of store can be named instead.
#[test]
fn models_take_the_prices_of_the_store_or_of_a_kind_of_store() {
    let place = place();
    place.write_orders(2000);
    place.ok(&["create", "orders.toml"]);
    place.write("queries.txt", "user_id = ? order by ts desc limit 20\n");
    let advise = |more: &[&str]| {
        let words =
            ["--json", "advise", "--data", "orders.csv", "--queries", "queries.txt", "--time-limit", "600"];
        let advice = json(&place.ok(&[&words, ["--sample", "500", "--no-index"].as_slice(), more].concat()));
        (advice["designs"][0]["read_cost"].as_f64().expect("a cost"), advice["notes"].to_string())
    };
    let (embedded, notes) = advise(&[]);
    assert!(!notes.contains("measured by"), "{notes}");
    let (hbase, _) = advise(&["--prices", "hbase"]);
    assert!(hbase > embedded + 50.0, "opening a range costs 90 there and 8 here: {hbase} and {embedded}");
    assert_eq!(advise(&["--store", "hbase://zookeeper:2181/hbase"]).0, hbase);
    place.write("store/PRICES", &dear_gets(None).replace("\"range\": 7", "\"range\": 5000"));
    let (kept, notes) = advise(&[]);
    assert!(kept > 5000.0, "{kept}");
    assert!(notes.contains("prices: measured by `rowkey calibrate`, kept in ./store/PRICES"), "{notes}");
    assert_eq!(advise(&["--prices", "embedded"]).0, embedded);
    assert_eq!(advise(&["--no-config"]).0, embedded);
}

#[test]
fn wrong_files_tables_and_options_are_told_with_their_cures() {
    let place = place();
    place.ok(&["create", "orders.toml"]);
    place.write("store/PRICES", &dear_gets(None).replace("10000", "10000000"));
    let cure = "`rowkey calibrate --forget`";
    let damaged = ["./store/PRICES", "`get` is 10000000, and must be from 1 to 10000", cure];
    assert_error(&place.run(&["explain", "orders.toml", QUERY]), &damaged);
    assert_error(&place.run(&["query", "orders", QUERY]), &damaged);
    assert_eq!(place.run(&["--no-config", "query", "orders", QUERY]).code, 1);
    place.ok(&["calibrate", "--forget"]);
    place.write("store/PRICES", "apples 3\n");
    let foreign = ["./store/PRICES", "rowkey did not write it: move it away"];
    assert_error(&place.run(&["explain", "orders.toml", QUERY]), &foreign);
    let words = ["./store/PRICES exists and was not written by this command"];
    assert_error(&place.run(&["calibrate", "--rows", "20000"]), &words);
    assert_error(&place.run(&["calibrate", "--forget"]), &words);
    assert_eq!(place.read("store/PRICES"), "apples 3\n");
    std::fs::remove_file(place.path("store/PRICES")).expect("it is there");
    place.write("store/PRICES", &dear_gets(Some(("abc", "hbase://zk:2181/hbase"))));
    assert_error(&place.run(&["explain", "orders.toml", QUERY]), &["it is about cluster abc", cure]);
    std::fs::remove_file(place.path("store/PRICES")).expect("it is there");

    place.ok(&["shell", "-e", "create 'rowkey_calibrate_text', 'd'"]);
    let taken =
        ["`rowkey_calibrate_text` exists and was not made by `rowkey calibrate`", "rename or drop it"];
    assert_error(&place.run(&["calibrate", "--rows", "20000"]), &taken);
    assert!(place.ok(&["shell", "-e", "list"]).contains("rowkey_calibrate_text"));
    assert_error(&place.run(&["--no-config", "calibrate"]), &["--dry-run"]);
    assert_error(&place.run(&["calibrate", "--rows", "10"]), &["20000..=20000000"]);
    assert_error(&place.run(&["calibrate", "--forget", "--dry-run"]), &["cannot be used with"]);
}

/// Bytes on disk of a store's journal, which is longer than what is in it.
#[cfg(unix)]
fn journal(place: &Workplace) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let files = std::fs::read_dir(place.path("store/data")).expect("a store").flatten();
    let journal = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "jnl"));
    journal.filter_map(|file| file.metadata().ok()).map(|file| file.blocks() * 512).sum()
}

/// Ctrl-C in the middle removes the scratch tables, and the next run replaces what a killed one left.
#[cfg(unix)]
#[test]
fn an_interrupted_or_killed_calibration_leaves_nothing_for_long() {
    let place = place();
    place.ok(&["create", "orders.toml"]);
    for (signal, code) in [("INT", 130), ("KILL", -1)] {
        let before = journal(&place);
        let running = place.start(&["calibrate", "--rows", "20000000"]);
        program::wait_until("rows of a scratch table", || journal(&place) > before + (4 << 20));
        let sent = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &running.id().to_string()])
            .status();
        assert!(sent.expect("there is a kill").success());
        let run = program::finished(&running.wait_with_output().expect("it ends"));
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{run:?}");
        assert!(!place.path("store/PRICES").exists());
        let tables = place.ok(&["shell", "-e", "list"]);
        if signal == "INT" {
            assert!(run.err.contains("the scratch tables were removed"), "{run:?}");
            assert!(!tables.contains("rowkey_calibrate"), "{tables}");
        } else {
            assert!(tables.contains("rowkey_calibrate_fixed"), "{tables}");
        }
    }
    place.ok(&["calibrate", "--rows", "20000", "--rounds", "1"]);
    assert!(!place.ok(&["shell", "-e", "list"]).contains("rowkey_calibrate"));
}

/// Prices of a cluster are kept among the user's settings, under the id that the cluster gave itself.
#[test]
fn a_cluster_is_known_by_its_id() {
    let endpoints = cluster::shared();
    let place = Workplace::on_cluster("calibrated", &endpoints.zookeeper_url);
    place.ok(&["create", "orders.toml"]);
    let done = json(&place.ok(&["--json", "calibrate", "--rows", "20000", "--rounds", "1"]));
    let names: Vec<&str> = done["prices"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|price| price["name"].as_str().unwrap_or(""))
        .collect();
    assert!(names.contains(&"server_jump") && names.len() == NAMES.len() + 1, "{done}");
    let file = done["kept"].as_str().expect("a path").to_owned();
    assert!(file.contains("config/rowkey/clusters/"), "{file}");
    let kept = json(&std::fs::read_to_string(&file).expect("it is kept"));
    assert_eq!(kept["url"], endpoints.zookeeper_url);
    // By the other address of the same cluster, too, once it is asked who it is.
    for url in [&endpoints.zookeeper_url, &endpoints.rpc_url] {
        let plan = json(&place.ok(&["--json", "explain", &place.table, "user_id = 7", "--store", url]));
        assert_eq!(plan["measured_prices"], file.as_str(), "{url}");
    }
    let unconnected = json(&place.ok(&["--json", "explain", "orders.toml", "user_id = 7"]));
    assert_eq!(unconnected["measured_prices"], file.as_str());
    place.ok(&["calibrate", "--forget"]);
    assert!(!std::path::Path::new(&file).exists());
    place.ok(&[
        "shell",
        "-e",
        &format!("disable '{0}'", place.table),
        "-e",
        &format!("drop '{0}'", place.table),
    ]);
}
