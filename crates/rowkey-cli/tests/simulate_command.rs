//! `rowkey simulate` as people run it; the outputs of its page are what it prints.

mod program;

use program::{Workplace, assert_error, json};

const PAGE: &str = "docs/simulate.md";

/// The words of a command line with single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars().chain([' ']) {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            letter => word.push(letter),
        }
    }
    words
}

/// Every command of the page, with its output as it is now; `ROWKEY_BLESS=1` writes it anew.
#[test]
fn the_outputs_of_the_page_are_those_of_its_commands() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let workplace = Workplace::new("orders");
    let mut made = String::new();
    let mut lines = page.lines();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        let Some(command) = line.strip_prefix("$ rowkey ") else { continue };
        commands += 1;
        let words = words(command);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let out = workplace.ok(&arguments);
        for line in out.lines() {
            made.push_str(line.trim_end());
            made.push('\n');
        }
        made.push_str("```\n");
        for line in lines.by_ref() {
            if line == "```" {
                break;
            }
        }
    }
    assert!(commands >= 10, "{commands} commands");
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        std::fs::write(&path, made).expect("the page can be written");
    } else {
        assert!(made == page, "{PAGE} is not what its commands print; see with ROWKEY_BLESS=1 and git diff");
    }
}

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
