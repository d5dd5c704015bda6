//! `rowkey simulate` as people run it.

mod program;

use program::{Workplace, assert_error, json};

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
