//! `rowkey simulate` as people run it.

use crate::program::{Workplace, assert_error, json};

#[test]
fn a_table_file_with_queries_over_csv_as_json() {
    let workplace = Workplace::new("orders");
    workplace.write_orders(20_000);
    let run = ["--json", "simulate", "orders.toml", "[ts][order_id]", "--data", "orders.csv", "--time", "ts"];
    let out = workplace.ok(&run);
    let objects: Vec<serde_json::Value> = out.lines().map(json).collect();
    assert_eq!(objects.len(), 2);
    let [salted, rising] = objects.as_slice() else { panic!("{out}") };
    assert_eq!((salted["rows"].as_u64(), rising["rows"].as_u64()), (Some(20_000), Some(20_000)));
    assert_eq!(salted["regions"]["count"], 16);
    let in_steps =
        |design: &serde_json::Value| design["regions"]["mean_step_hot_spot"].as_f64().expect("a number");
    assert!(in_steps(rising) > 2.0 * in_steps(salted), "{out}");
    assert!(salted["reads"]["queries"].as_array().is_some_and(|queries| !queries.is_empty()), "{salted}");
    assert_eq!(salted["reads"]["queries"][0]["full_scan"], false);
    // The same again, whatever the number of threads did in between.
    assert_eq!(workplace.ok(&run), out);
}

/// A table of three hosts with its index table, and 3,000 records of them in the order of their time, four of five by `web1`.
fn logs(workplace: &Workplace) {
    workplace.write(
        "logs.toml",
        "[table]\nname = \"logs\"\nkey = \"[host: escaped][n]\"\n[fields]\nhost = \"text\"\nn = \"u32\"\n[families.d]\n\
         [[index]]\nname = \"logs_by_n\"\nkey = \"[n][host]\"\n",
    );
    let host = |n: u32| if n.is_multiple_of(5) { 2 + n / 5 % 2 } else { 1 };
    let lines: String = (0..3000).map(|n| format!("web{},{n}\n", host(n))).collect();
    workplace.write("logs.csv", &format!("host,n\n{lines}"));
}

#[test]
fn what_is_wrong_with_an_index_table_is_told() {
    let workplace = Workplace::new("orders");
    logs(&workplace);
    let turned = workplace
        .read("logs.toml")
        .replace("key = \"[host: escaped][n]\"", "key = \"[n][host]\"\nsplits = \"uniform 4\"")
        .replace(
            "logs_by_n\"\nkey = \"[n][host]\"",
            "logs_by_host\"\nkey = \"[host: escaped][n]\"\nsplits = [\"web2\", \"web3\"]",
        );
    workplace.write("logs.toml", &turned);
    let verdict = "single key: index table `logs_by_host`: 80% of the writes begin with host=web1";
    let run = workplace.run(&["simulate", "logs.toml", "--data", "logs.csv"]);
    assert!((run.out.clone() + &run.err).contains(verdict), "{run:?}");
    let run = workplace.run(&["check", "logs.toml", "--data", "logs.csv"]);
    assert!(
        run.code == 1 && run.out.contains("index table `logs_by_host`: the busiest region of 3 gets 80%"),
        "{run:?}"
    );
}

#[test]
fn a_table_of_the_store_is_simulated_in_the_regions_that_it_has() {
    let workplace = Workplace::new("orders");
    logs(&workplace);
    workplace.ok(&["create", "logs.toml"]);
    workplace.ok(&["load", "logs.toml", "logs.csv"]);
    workplace.ok(&["split", "logs", "--at", "web2"]);
    let simulate = |more: &[&str]| {
        let arguments = [&["--json", "simulate", "logs", "--data", "logs.csv"], more].concat();
        json(workplace.ok(&arguments).lines().next().expect("a design"))
    };
    let live = simulate(&[]);
    let shares: Vec<f64> = live["region_loads"]
        .as_array()
        .expect("regions")
        .iter()
        .map(|region| region["share"].as_f64().expect("a share"))
        .collect();
    assert_eq!(shares, [0.8, 0.2], "{live}");
    assert_eq!(live["region_loads"][1]["start"]["text"], "web2");
    assert_eq!(workplace.ok(&["count", "logs", "host = 'web1'"]), "2400\n");
    // What is asked for goes before what is there.
    assert_eq!(simulate(&["--regions", "4"])["regions"]["count"], 4);
    let said = "logs in its 2 regions of the store; --regions N simulates others";
    let out = workplace.ok(&["simulate", "logs", "--data", "logs.csv"]);
    assert_eq!(out.lines().filter(|line| *line == said).count(), 1, "{out}");
    let out = workplace.ok(&["simulate", "logs.toml", "--data", "logs.csv"]);
    assert!(!out.contains("of the store"), "{out}");
    // The index table has one region: all of its writes go to one server of four.
    let servers = |live: &serde_json::Value| live["servers"]["rows"].clone();
    assert_eq!(servers(&live), serde_json::json!([2400, 600, 3000, 0]));
    workplace.ok(&["split", "logs_by_n", "--at", r"\x00\x00\x03\xE8"]);
    assert_eq!(servers(&simulate(&[])), serde_json::json!([2400, 600, 1000, 2000]));
}

#[test]
fn pictures_are_written_one_for_each_design() {
    let workplace = Workplace::new("orders");
    let keys = ["simulate", "[id]", "[salt(4, id)][id]"];
    let feed = ["--traffic", "salt1000", "--records", "5000", "--png", "heat.png", "--svg", "heat.svg"];
    workplace.ok(&[&keys[..], &feed[..]].concat());
    for number in [1, 2] {
        let png = std::fs::read(workplace.path(&format!("heat-{number}.png"))).expect("a picture");
        assert!(png.starts_with(b"\x89PNG"));
        assert!(workplace.read(&format!("heat-{number}.svg")).contains("<svg"));
    }
}

#[test]
fn wrong_input_is_told_with_what_to_do() {
    let workplace = Workplace::new("orders");
    workplace.write_orders(100);
    let run = |arguments: &[&str]| workplace.run(&[&["simulate"], arguments].concat());
    assert_error(&run(&["[user_id]"]), &["--data", "--traffic"]);
    assert_error(&run(&["--data", "orders.csv"]), &["nothing to simulate", "name a key"]);
    assert_error(&run(&["[nobody]", "--data", "orders.csv"]), &["nobody"]);
    assert_error(&run(&["[user_id]", "--data", "orders.csv", "--time", "seller"]), &["seller", "--time"]);
    assert_error(&run(&["[user_id]", "--data", "orders.csv", "--step", "ten"]), &["ten"]);
    assert_error(&run(&["[user_id]", "--data", "nothing.csv"]), &["nothing.csv"]);
    assert_error(&run(&["[user: u64]", "--traffic", "steady"]), &["which field is the time", "user"]);
    assert_error(&run(&["[user_id]", "--data", "orders.csv", "--servers", "0"]), &["0"]);
}
